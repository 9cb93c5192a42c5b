"""SPSS, Stata and SAS files, read by pyreadstat piece by piece.

A piece has so many cells that it takes little memory: the reader makes an object of Python of
every cell. What it says of a failure may quote a cell and is not passed on.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.errors import Problem, argument, failure, library, raise_all
from discreet.formats import Codebook, Variable

_CELLS = 5_000_000  # of a piece at most
_LEAST = 1_000_000  # small pieces stay in the cache of the processor
_PIECES = 20  # of a file, where that bounds them further: to each the reader skips what is before
_READERS = {
    ".sav": ("read_sav", "SPSS"),
    ".zsav": ("read_sav", "SPSS"),
    ".por": ("read_por", "SPSS"),
    ".dta": ("read_dta", "Stata"),
    ".sas7bdat": ("read_sas7bdat", "SAS"),
    ".xpt": ("read_xport", "SAS"),
}
_MISSING = "user_missing"


@dataclass(frozen=True, eq=False, repr=False)
class StatisticalFile:
    """A file whose variables are known and whose records are not read yet."""

    path: Path
    encoding: str | None
    meta: Any

    @classmethod
    def opened(cls, path: Path, encoding: str | None) -> StatisticalFile:
        """Read what the file says of its variables."""
        return cls(path, encoding, _called(path, encoding, metadataonly=True)[1])

    @property
    def names(self) -> list[str]:
        """The variables in order."""
        return list(self.meta.column_names)

    @property
    def records(self) -> int | None:
        """How many records there are, where the file says it."""
        number = self.meta.number_rows
        return number if number is not None and number >= 0 else None

    def codebook(self) -> Codebook:
        """What the file says of its variables and of itself."""
        meta = self.meta
        variables = {name: _variable(meta, name) for name in self.names}
        about = {
            "file_label": meta.file_label or "",
            "notes": tuple(note for note in (meta.notes or ()) if note.strip()),
            "creation_time": meta.creation_time is not None,
            "multiple_response_sets": bool(getattr(meta, "mr_sets", None)),
        }
        return Codebook(
            _READERS[self.path.suffix.lower()][1],
            variables,
            _weight(self.path, meta),
            {name: one for name, one in about.items() if one},
        )

    def pieces(self) -> Iterator[pa.Table]:
        """The records, piece by piece; codes that mean missing are missing."""
        rows, start = self._rows_of_a_piece(), 0
        while self.records is None or start < max(1, self.records):
            found = _called(self.path, self.encoding, row_offset=start, row_limit=rows)[0]
            taken = len(next(iter(found.values()), ()))
            yield pa.table({name: _array(found.pop(name), self._kind(name)) for name in self.names})
            start += taken
            if taken < rows:
                return

    def _rows_of_a_piece(self) -> int:
        width = max(1, len(self.names))
        cells = _CELLS * _PIECES if self.records is None else self.records * width
        return max(1, min(_CELLS, max(_LEAST, cells // _PIECES)) // width)

    def _kind(self, name: str) -> str:
        return str(self.meta.readstat_variable_types[name])


def _variable(meta: Any, name: str) -> Variable:
    numeric = str(meta.readstat_variable_types[name]) != "string"
    measure = str((meta.variable_measure or {}).get(name, ""))
    return Variable(
        label=(meta.column_names_to_labels.get(name) or "").strip(),
        values=_labels(meta, name, numeric),
        measure="" if measure == "unknown" else measure,
        format=str(meta.original_variable_types.get(name) or ""),
        numeric=numeric,
    )


def _labels(meta: Any, name: str, numeric: bool) -> dict[Any, str]:
    """What codes stand for, but for those that mean missing, and letters of Stata that do."""
    ranges = (meta.missing_ranges or {}).get(name, ())
    letters = (meta.missing_user_values or {}).get(name, ())
    given = (meta.variable_value_labels or {}).get(name, {})
    found = {
        code: str(text)
        for code, text in given.items()
        if not (isinstance(code, str) and numeric)
        and code not in letters
        and not any(one["lo"] <= code <= one["hi"] for one in ranges)
    }
    return dict(sorted(found.items()))


def _array(values: Any, kind: str) -> pa.Array:
    import numpy as np

    first = next((one for one in values if one is not None and one == one), None)  # noqa: PLR0124
    if kind == "string":
        return pa.array([one or None for one in values], pa.string())
    if isinstance(first, dt.date | dt.time | dt.timedelta):  # older readers give NaN for missing
        values = [None if one is None or one != one else one for one in values]  # noqa: PLR0124
    if isinstance(first, dt.datetime):
        return pa.array(values, pa.timestamp("us"))
    if isinstance(first, dt.date):
        return pa.array(values, pa.date32())
    if isinstance(first, dt.time | dt.timedelta):
        return pa.array([None if one is None else str(one) for one in values], pa.string())
    if isinstance(first, str):  # a letter of Stata among numbers
        values = [None if isinstance(one, str) else one for one in values]
    return pa.array(np.array(values, dtype=np.float64), from_pandas=True)


def _called(path: Path, encoding: str | None, **how: Any) -> tuple[dict[str, Any], Any]:
    reader, program = _READERS[path.suffix.lower()]
    how |= {} if encoding is None else {"encoding": encoding}
    catalog = path.with_suffix(".sas7bcat")
    how |= {"catalog_file": str(catalog)} if reader == "read_sas7bdat" and catalog.exists() else {}
    read = getattr(library("pyreadstat", "'discreet[formats]'"), reader)
    problem: Problem | None = None
    try:
        return read(str(path), output_format="dict", **how)
    except (MemoryError, ImportError) as error:
        problem = failure(error, "E03", "reading failed")
    except Exception as error:  # noqa: BLE001 - the message may quote a value: it is withheld
        text = str(error).lower()
        remedy = "Check that the file is whole, and that its ending is right."
        if "encoding" in text or "convert" in text or isinstance(error, UnicodeError):
            remedy = f"Name its encoding, for example {argument('encoding', 'cp1252')}."
        failure(error, "S07", "")  # shown where that is asked for
        problem = Problem("S07", f"{path.name} cannot be read as {program} data.", remedy)
    raise_all([problem])
    raise AssertionError


def _weight(path: Path, meta: Any) -> str | None:
    """The weight variable of an SPSS file: its header counts the places of 8 bytes up to it."""
    if path.suffix.lower() not in (".sav", ".zsav"):
        return None
    with path.open("rb") as file:
        head = file.read(80)
    little = int.from_bytes(head[64:68], "little") in (2, 3)
    wanted = int.from_bytes(head[76:80], "little" if little else "big")
    place = 1
    for name in meta.column_names:
        if place == wanted:
            return str(name) if str(meta.readstat_variable_types[name]) != "string" else None
        place += _places(meta, name)
    return None


def _places(meta: Any, name: str) -> int:
    """How many places of 8 bytes a variable takes in the dictionary of an SPSS file."""
    if str(meta.readstat_variable_types[name]) != "string":
        return 1
    written: Mapping[str, str] = meta.original_variable_types
    digits = "".join(c for c in str(written.get(name, "A8")) if c.isdigit())
    width = int(digits or 8)
    if width <= 255:
        return (width + 7) // 8
    whole, rest = divmod(width, 252)
    return whole * 32 + ((rest + 7) // 8 if rest else 0)
