"""The first line of a file: a header, or a record whose cells would be shown as names.

Every column has a voice: what stands below its first cell speaks for a header or for a record. More
voices win, those of numbers and dates count twice, and an even vote is for a record. What only
looks like a record is no voice but a doubt, which is told and not refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_DATE = re.compile(r"\d{4}-\d\d?-\d\d?([ T].*)?|\d\d?([./-])\d\d?\2(\d{4}|\d\d)")
_YEAR = re.compile(r"(19|20)\d\d")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)")
_MARKED = re.compile(  # with marks between thousands, or an exponent
    r"[+-]?\d{1,3}([ .,'\u00a0\u202f\u2019]\d{3})+([.,]\d*)?|[+-]?\d+([.,]\d*)?[eE][+-]?\d+"
)
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_NAME = re.compile(r"[^\W\d_].*", re.DOTALL)
_GAPS = {  # what stands among numbers where one is missing
    "", "na", "n.a.", "n/a", "nan", "nat", "null", "none", "inf", "infinity", "missing", "unknown",
    "refused", "k.a.", "keine angabe", "unbekannt", "inconnu", "desconocido", "x",
}  # fmt: skip
_RUN = 5  # numbers that count up by one are the numbers of questions
_AMOUNTS = 3  # cells that tell that a column has numbers only
_VALUES = 10  # cells that tell which values it has
_DIGITS = 4  # make a code that is not the name of a column


@dataclass(frozen=True)
class Verdict:
    """A first line that is taken for a record (``refused``), or may be one, and what tells so."""

    refused: bool
    why: str


def verdict(
    first: Sequence[str], others: Sequence[Sequence[str]], columns: frozenset[str]
) -> Verdict | None:
    """What of a first line, with the lines below it, belies that it is a header.

    Parameters
    ----------
    first, others : sequence of cells
        The first line, and as many of those below it as are looked at.
    columns : frozenset of str
        The columns that the user speaks of. A line that has one of them is a header.

    Examples
    --------
    >>> verdict(["Sam", "29"], [["Ann", "31"]], frozenset()).why
    'holds numbers'
    >>> rows = [["smoker", "29"], ["never", "31"], ["never", "40"]]
    >>> verdict(["smoker", "age"], rows, frozenset()) is None
    True
    """
    cells = [cell.strip() for cell in first]
    if not columns.isdisjoint(cells):
        return None
    below = [[row[i].strip() for row in others if i < len(row)] for i in range(len(cells))]
    questions = _questions(cells)
    against = [
        _against(cell, column, i in questions)
        for i, (cell, column) in enumerate(zip(cells, below, strict=True))
    ]
    found = {why for _, why in against} - {None}
    weight = 0
    if found:  # as a rule there is none, and the others need not be heard
        heard = zip(cells, below, against, strict=True)
        weight = sum(-votes or _in_favour(one, column) for one, column, (votes, _) in heard)
    told = [why for why in _REFUSED if why in found]
    if told and weight <= 0:
        return Verdict(refused=True, why=told[0])
    if 2 * cells.count("") > len(cells):
        return Verdict(refused=False, why=TITLE)
    doubts = [why for why in _DOUBTED if why in found]
    return Verdict(refused=False, why=doubts[0]) if doubts and weight <= 0 else None


_REFUSED = NUMBERS, DATES, AGAIN = (
    "holds numbers",
    "holds dates",
    "holds cells that stand below it again",
)
TITLE = "names fewer than half of the columns, as a title does,"
_DOUBTED = YEARS, MARKED, ADDRESSES, CODES = (
    "holds years, as the lines below it",
    "holds numbers with marks between thousands or an exponent",
    "holds e-mail addresses",
    "holds codes of the same form as the lines below it",
)


def _against(cell: str, below: Sequence[str], question: bool) -> tuple[int, str | None]:
    """How much a column speaks for a record, and what tells so."""
    is_year = bool(_YEAR.fullmatch(cell))
    if _NUMBER.fullmatch(cell) and not is_year:
        return (0, None) if question or _are_others(cell, _filled(below)) else (2, NUMBERS)
    if _DATE.fullmatch(cell):
        return 2, DATES
    if cell.lower() not in _GAPS and cell in below:
        return 1, AGAIN
    for form, why in ((_MARKED, MARKED), (_ADDRESS, ADDRESSES)):
        if form.fullmatch(cell):
            return 2, why
    if sum(map(str.isdecimal, cell)) < _DIGITS or not _are_of_form(_form(cell), _filled(below)):
        return 0, None
    if not is_year:
        return 2, CODES
    return (2, YEARS) if all(map(_YEAR.fullmatch, _filled(below))) else (0, None)


def _in_favour(cell: str, below: Sequence[str]) -> int:
    """How much a column speaks for a header."""
    if not _NAME.fullmatch(cell) or cell.lower() in _GAPS or cell in below:
        return 0
    filled = _filled(below)
    if len(filled) >= _AMOUNTS and all(map(_is_amount, filled)):
        return 2
    return int(_are_others(cell, filled))


def _filled(below: Sequence[str]) -> list[str]:
    return [cell for cell in below if cell.lower() not in _GAPS]


def _are_others(cell: str, below: Sequence[str]) -> bool:
    """Whether each value stands in a column several times, and the cell is none of them."""
    return len(below) >= _VALUES and cell not in below and min(Counter(below).values()) > 1


def _is_amount(cell: str) -> bool:
    return any(form.fullmatch(cell) for form in (_NUMBER, _DATE, _MARKED))


def _are_of_form(form: str, cells: Sequence[str]) -> bool:
    return bool(cells) and all(_form(cell) == form for cell in cells)


def _form(cell: str) -> str:
    """How a code is written: one letter for letters, and one digit for each digit."""
    return re.sub(r"\d", "9", re.sub(r"[^\W\d_]+", "a", cell))


def _questions(cells: Sequence[str]) -> set[int]:
    """The places of numbers that count up by one, as the numbers of questions do."""
    found: set[int] = set()
    run: list[int] = []  # places
    for i, cell in enumerate(cells):
        number = int(cell) if re.fullmatch(r"[0-9]{1,4}", cell) else None
        follows = number is not None and bool(run) and number == int(cells[run[-1]]) + 1
        run = [*(run if follows else []), i] if number is not None else []
        if len(run) >= _RUN:
            found |= set(run)
    return found
