"""Names as they stand on a page: column names are text of others, and may hold anything.

The templates escape all text. What escaping does not mend is done here: characters that no XML
may hold, marks that turn the direction of the text, and names too long to be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from discreet.registry import everything
from discreet.surface import Reference

_LONGEST = 60
_BLANK = re.compile(r"\s+")
_CUT = re.compile(r"(.*)… \(([\d,]+) characters\)")  # as a text is left that was too long
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def clean(text: object) -> str:
    """Text without the characters that XML forbids or that turn its direction."""
    return _UNFIT.sub("\ufffd", str(text))


def shortened(text: object, longest: int = _LONGEST) -> str:
    """One line of at most ``longest`` characters, and how long it was if it was longer.

    Examples
    --------
    >>> shortened("age")
    'age'
    >>> shortened("x" * 10_000, 10)
    'xxxxxxxxxx… (10,000 characters)'
    >>> shortened(shortened("x" * 10_000), 10)
    'xxxxxxxxxx… (10,000 characters)'
    """
    line = _BLANK.sub(" ", clean(text)).strip() or "(blank)"
    before = _CUT.fullmatch(line)
    start, long = before.groups() if before else (line, f"{len(line):,}")
    cut = f"{start[:longest]}… ({long} characters)"
    return line if len(line) <= len(cut) else cut


def few(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many more there are.

    Examples
    --------
    >>> few(["age", "zip", "sex"], 2), few(["age"], 2)
    ('age, zip and 1 more', 'age')
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with long names in their short form; the longest first, for one may hold another.

    Examples
    --------
    >>> renamed("too few values of 'income of 2020'", {"income of 2020": "income"})
    "too few values of 'income'"
    """
    for name, short in sorted(names.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(name, short) if len(name) > len(short) else text
    return text


def in_report(one: Reference) -> str | None:
    """What a report calls a function: by the title of the method. It is read by others than those
    who made it, on whatever surface that was."""
    entry = everything().get(one.name) if one.sort == "function" else None
    return None if entry is None else f"“{entry.title or entry.name}”"


def distinct(names: Iterable[str]) -> dict[str, str]:
    """A short name for each name, no two of them the same.

    Examples
    --------
    >>> distinct(["age", "a b", "a  b"])
    {'age': 'age', 'a b': 'a b', 'a  b': 'a b [2]'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        short, number = shortened(name), 1
        while short in taken:
            number += 1
            short = f"{shortened(name)} [{number}]"
        taken.add(short)
        found[name] = short
    return found
