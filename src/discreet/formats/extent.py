"""How far the cells of a spreadsheet reach.

Its reader takes memory for every place up to the last cell. Two cells in opposite corners of a
sheet, a file of five kilobytes, would take half a terabyte and end the process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from discreet.errors import fail
from discreet.files import unpacked_parts

_PLACES = 10_000_000  # that a sheet may always have; more only where its cells fill them
_SHEET = re.compile(r"xl/worksheets/[^/]*\.(xml|bin)", re.IGNORECASE)
_ROW = re.compile(rb"""\br=["'](\d{1,10})["']""")
_CELL = re.compile(rb"""\br=["']([A-Za-z]{1,7})\d{1,10}["']""")
_UNPLACED = re.compile(rb"<(?:\w+:)?c(?=[\s/>])(?![^<>]*\br=)")
_ROW_START = re.compile(rb"<(?:\w+:)?row\b")


def refuse_scattered(path: Path) -> None:
    """Refuse a spreadsheet whose few cells lie far apart, or that grows beyond measure."""
    for name, blocks in groupby(unpacked_parts(path), itemgetter(0)):
        contents = (block for _, block in blocks)
        if not _SHEET.fullmatch(name):
            for _ in contents:
                pass
            continue
        reach = _Reach()
        for block in contents if name.lower().endswith("bin") else _whole_tags(contents):
            (reach.add_binary if name.lower().endswith("bin") else reach.add)(block)
        if reach.rows * reach.columns > max(_PLACES, reach.size):
            what = f"cells of {path.name} lie so far apart that a table of them is too large:"
            what += f" {reach.rows:,} rows of {reach.columns:,} columns."
            fail("S18", what, "Delete the cells outside of the table, or save it as CSV.")


def _whole_tags(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks that end between two tags; a tag of a megabyte is cut."""
    rest = b""
    for block in blocks:
        end = block.rfind(b"<")
        end = len(block) - 64 if end < 0 else end
        yield rest + block[:end]
        rest = block[end:]
    yield rest


@dataclass
class _Reach:
    """The last row and column that were seen, and the bytes that were read."""

    rows: int = 0
    columns: int = 0
    size: int = 0
    _started: int = 0
    _unplaced: int = 0
    _rest: bytes = b""

    def add(self, block: bytes) -> None:
        """Look at a block of XML. Cells may leave out where they are: then they are counted."""
        self.size += len(block)
        starts = len(_ROW_START.findall(block))
        self._started += starts
        self.rows = max([self.rows, self._started, *map(int, _ROW.findall(block))])
        self.columns = max([self.columns, *map(_number, set(_CELL.findall(block)))])
        if _UNPLACED.search(block) is None:
            self._unplaced = 0 if starts else self._unplaced
            return
        first, *others = (len(_UNPLACED.findall(row)) for row in _ROW_START.split(block))
        counts = [self._unplaced + first, *others]
        self.columns = max([self.columns, *counts])
        self._unplaced = counts[-1]

    def add_binary(self, block: bytes) -> None:
        """Look at a block of records: a row begins with its number, a cell with its column."""
        self.size += len(block)
        raw, at = self._rest + block, 0
        while at < len(raw):
            kind, length, start = _record(raw, at)
            if start + length > len(raw):
                break
            if (kind <= 11 or kind == 62) and length >= 4:  # 0 is a row, the others are cells
                number = 1 + int.from_bytes(raw[start : start + 4], "little")
                if kind:
                    self.columns = max(self.columns, number)
                else:
                    self.rows = max(self.rows, number)
            at = start + length
        self._rest = raw[at:]


def _number(letters: bytes) -> int:
    """The number of a column: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _record(raw: bytes, at: int) -> tuple[int, int, int]:
    """Kind and length of a binary record, and where its contents begin."""
    kind = raw[at]
    at += 1
    if kind & 0x80 and at < len(raw):
        kind |= raw[at] << 8
        at += 1
    length = 0
    for place in range(4):
        if at >= len(raw):
            return kind, len(raw), at  # not whole yet
        length |= (raw[at] & 0x7F) << (7 * place)
        at += 1
        if not raw[at - 1] & 0x80:
            break
    return kind, length, at
