"""The form of how a file is read: a field for every option of ``[source]`` that a page can offer.

The page that opens a table and the page Data share it. What a plan says that the form does not
offer, such as an encoding that is rarely used, becomes a choice of its own, so that reading again
does not lose it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from discreet.app.forms.draft import Document
from discreet.app.forms.fields import text_in
from discreet.data.options import OPTIONS
from discreet.errors import fail

_TAB = "tab"  # a page cannot show the character
MISSING = OPTIONS["missing"].choice_labels  # the page Roles asks it
_HEADER = "holds the names, although there are numbers among them"


@dataclass(frozen=True)
class ReadingField:
    """A field of the form.

    Attributes
    ----------
    label : str
    choices : mapping
        Values and their words; a field without any is filled in.
    example : str
        What may be filled in.
    sort : str
        "line", "wide" or "lines".
    """

    label: str
    choices: Mapping[str, str] = field(default_factory=dict)
    example: str = ""
    sort: str = "line"


def _field(name: str, example: str = "", sort: str = "line") -> ReadingField:
    """The field of an option, in the words of its description."""
    one = OPTIONS[name]
    choices = {_TAB if value == "\t" else value: word for value, word in one.choice_labels.items()}
    return ReadingField(one.label, choices, example, sort)


FIELDS = {
    "separator": _field("separator"),
    "encoding": _field("encoding"),
    "missing_values": _field("missing_values", "?, -9"),
    "missing_in": ReadingField(
        "Codes of single columns that mean missing, a line for each",
        example="income = -9, -8",
        sort="lines",
    ),
    "header": ReadingField(
        OPTIONS["header"].label,
        {
            "": "holds the names of the columns",
            "yes": _HEADER,
            "no": "is a record; the names are given here:",
        },
    ),
    "names": _field("names", "age, zip, sex", "wide"),
    "decimal": _field("decimal"),
    "thousands": _field("thousands"),
    "date_format": _field("date_format", "dd/mm/yyyy, or born = dd/mm/yyyy", "wide"),
    "sheet": _field("sheet", "name or number"),
    "labels": ReadingField(
        OPTIONS["labels"].label, {"": "are read as their labels", "no": "stay codes"}
    ),
}
ROWS = (  # that a page draws; codes of single columns only where the columns are known
    ("separator", "encoding", "missing_values"),
    ("missing_in",),
    ("header", "names"),
    ("decimal", "thousands", "sheet"),
    ("date_format", "labels"),
)


def sent(form: Any) -> dict[str, str]:
    """The form as it was sent; a choice may be a blank, and is the first where it was not sent."""
    return {
        name: str(form.get(name, next(iter(one.choices)))) if one.choices else text_in(form, name)
        for name, one in FIELDS.items()
    }


def choices_of(name: str, source: Document) -> dict[str, str]:
    """The choices of a field, with what a plan says if the form does not offer it; none of a field
    that is filled in.
    """
    known = dict(FIELDS[name].choices)
    given = source.get(name)
    own = bool(known) and isinstance(given, str) and given not in ("", "\t", *known)
    return {**known, given: given} if own and isinstance(given, str) else known


# -- from the form to the plan ---------------------------------------------------------------------


def options_in(
    said: Mapping[str, str], source: Document, columns: Sequence[str] = ()
) -> dict[str, Any]:
    """The options of reading, the usual left out.

    Parameters
    ----------
    said : mapping
        See :func:`sent`.
    source : mapping
        What the plan says so far.
    columns : sequence of str
        Those of the table, where they are known.
    """
    for name, one in FIELDS.items():
        if one.choices and said[name] not in choices_of(name, source):
            fail("P60", f"“{one.label}” is not one of the list.", "Choose one of the list.")
    names = _listed(said["names"])
    if said["header"] == "no" and not names:
        fail("P60", "the columns have no names.", "Write them, separated by commas.")
    options = {
        "separator": "\t" if said["separator"] == _TAB else said["separator"],
        "encoding": "" if said["encoding"] == "utf-8" else said["encoding"],
        "missing_values": _codes(said, columns),
        "names": names if said["header"] == "no" else [],
        "header": said["header"] == "yes",
        "decimal": said["decimal"].strip("."),
        "thousands": said["thousands"],
        "date_format": _dates(said["date_format"]),
        "sheet": int(said["sheet"]) if said["sheet"].isdecimal() else said["sheet"],
    }
    plain = {name: given for name, given in options.items() if given}
    return plain | ({"labels": False} if said["labels"] == "no" else {})


def _codes(said: Mapping[str, str], columns: Sequence[str]) -> Any:
    """Codes of all columns, or of each where some have their own."""
    codes, lines = _listed(said["missing_values"]), said["missing_in"].splitlines()
    own = _by_column("missing_in", lines, "codes")
    if not own:
        return codes
    if codes and not columns:
        what = "codes are given for all columns and for single ones, which are not known yet."
        fail("P60", what, "Leave one of them empty until the file was read.")
    by_column = {name: _listed(text) for name, text in own.items()}
    everywhere = dict.fromkeys(columns, codes) if codes else {}
    return everywhere | {name: [*codes, *given] for name, given in by_column.items()}


def _dates(text: str) -> Any:
    """One format for all columns, or one for each that is named."""
    return _by_column("date_format", _listed(text), "format") if "=" in text else text


def _by_column(field: str, parts: Sequence[str], said: str) -> dict[str, str]:
    """What is said of each column in a field: ``income = -9, -8``."""
    label, found = FIELDS[field].label, {}
    for name, _, given in (part.rpartition("=") for part in parts if part.strip()):
        if not (name.strip() and given.strip()):
            what = f"“{label}”: a column and its {said} must stand on the two sides of a “=”."
            fail("P60", what, f"Write for example {FIELDS[field].example}.")
        if name.strip() in found:
            fail("P60", f"“{label}” names {name.strip()!r} twice.", "Name each column once.")
        found[name.strip()] = given.strip()
    return found


def _listed(text: str) -> list[str]:
    """Words separated by commas; one with a comma stands in double quotes."""
    try:
        rows = list(csv.reader([text], skipinitialspace=True))
    except csv.Error:
        fail("P60", "a list cannot be read.", "Separate its words by commas, on one line.")
    return [word.strip() for row in rows for word in row if word.strip()]


# -- from the plan to the form ---------------------------------------------------------------------


def said_of(source: Document, columns: Sequence[str] = ()) -> dict[str, str]:
    """The form as a plan has it."""
    names, dates = source.get("names", []), source.get("date_format", "")
    everywhere, own = _shared_codes(source.get("missing_values", []), columns)
    if isinstance(dates, Mapping):
        dates = _text([f"{name} = {one}" for name, one in dates.items()])
    return {
        "separator": _TAB if source.get("separator") == "\t" else source.get("separator", ""),
        "encoding": source.get("encoding", "utf-8"),
        "missing_values": _text(everywhere),
        "missing_in": "\n".join(f"{name} = {_text(codes)}" for name, codes in own.items()),
        "header": "no" if names else "yes" if source.get("header") else "",
        "names": _text(names),
        "decimal": source.get("decimal", OPTIONS["decimal"].default),
        "thousands": source.get("thousands", ""),
        "date_format": dates,
        "sheet": str(source.get("sheet", "")),
        "labels": "" if source.get("labels", True) else "no",
    }


def _shared_codes(
    given: Any, columns: Sequence[str]
) -> tuple[Sequence[Any], Mapping[str, Sequence[Any]]]:
    """The codes of all columns, and those that single ones have beside them."""
    if not isinstance(given, Mapping):
        return given, {}
    every = [given.get(name, []) for name in columns]
    shared = [code for code in every[0] if all(code in codes for codes in every)] if every else []
    own = {n: [code for code in codes if code not in shared] for n, codes in given.items()}
    return shared, {name: codes for name, codes in own.items() if codes}


def _text(words: Sequence[Any]) -> str:
    return ", ".join(_quoted(str(word)) for word in words)


def _quoted(word: str) -> str:
    return '"{}"'.format(word.replace('"', '""')) if "," in word or '"' in word else word


def word_of(name: str, value: str) -> str:
    """What a page calls an option of reading, or the policy of missing values, with a value."""
    known = MISSING if name == "missing" else {**FIELDS[name].choices, "True": _HEADER}
    return known.get(value, value)
