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
    heard = [
        _voice(cell, [one for one in column if one.lower() not in _GAPS], i in questions)
        for i, (cell, column) in enumerate(zip(cells, below, strict=True))
    ]
    weight = sum(count for count, _ in heard)
    told = [why for why in _REFUSED if any(said == why for _, said in heard)]
    if told and weight <= 0:
        return Verdict(refused=True, why=told[0])
    if 2 * cells.count("") > len(cells):
        return Verdict(refused=False, why=TITLE)
    doubts = [why for why in _DOUBTED if any(said == why for _, said in heard)]
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


def _voice(cell: str, below: Sequence[str], question: bool) -> tuple[int, str | None]:
    """How much a column speaks for a header (above 0) or for a record, and what tells so."""
    is_year = bool(_YEAR.fullmatch(cell))
    known = len(below) >= _VALUES and min(Counter(below).values()) > 1 and cell not in below
    if _NUMBER.fullmatch(cell) and not is_year:
        return (0, None) if question or known else (-2, NUMBERS)
    if _DATE.fullmatch(cell):
        return -2, DATES
    if cell and cell in below:
        return -1, AGAIN
    if is_year and below and all(map(_YEAR.fullmatch, below)):
        return -2, YEARS
    for form, why in ((_MARKED, MARKED), (_ADDRESS, ADDRESSES)):
        if form.fullmatch(cell):
            return -2, why
    if sum(map(str.isdecimal, cell)) >= _DIGITS and not is_year and _forms(below) == {_form(cell)}:
        return -2, CODES
    if not _NAME.fullmatch(cell) or cell.lower() in _GAPS:
        return 0, None
    if len(below) >= _AMOUNTS and all(map(_is_amount, below)):
        return 2, None
    return int(known), None


def _is_amount(cell: str) -> bool:
    return any(form.fullmatch(cell) for form in (_NUMBER, _DATE, _MARKED))


def _forms(cells: Sequence[str]) -> set[str]:
    return {_form(cell) for cell in cells}


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
