"""The form of a hierarchy: its fields, and the entry of the plan that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.app.forms.fields import text_in, written_so
from discreet.errors import fail

BUILDERS = {
    "": "none: the key stays as it is, or is suppressed with its record",
    "intervals": "intervals of numbers",
    "cuts": "intervals of unequal width, between cut points",
    "prefixes": "prefixes of codes",
    "dates": "parts of dates",
    "by_frequency": "rare values merged first",
    "suppress": "all or nothing",
    "file": "a file, as ARX writes it",
}
LABELS = {
    "widths": "Widths",
    "bottom_code": "One group of all below",
    "top_code": "One group of all from",
    "origin": "Intervals begin at",
    "cuts": "Where intervals begin",
    "lengths": "Characters kept",
    "steps": "Number of values kept",
}
PARTS = ("day", "month", "quarter", "year", "decade")
UNMAPPED = {"error": "is an error", "suppress": "is suppressed"}


def fields_of(form: Any) -> dict[str, Any]:
    """The fields of the form as they were sent."""
    dates = [part for part in form.getlist("dates") if isinstance(part, str)]
    return {**{name: text_in(form, name) for name in _FIELDS}, "dates": dates}


def hierarchy_in(form: Mapping[str, Any], file: str | None) -> dict[str, Any] | None:
    """The entry of the plan; None for no hierarchy.

    Parameters
    ----------
    form : mapping
        The fields.
    file : str, optional
        The name of the file that was uploaded, now or before.
    """
    builder = form["builder"]
    if builder not in BUILDERS:
        fail("P60", "the kind of hierarchy is not known.", "Choose one of the list.")
    if builder == "":
        return None
    given = _MAKERS[builder](form, file)
    return given | ({"unmapped": "suppress"} if form["unmapped"] == "suppress" else {})


def _intervals(form: Any, _: str | None) -> dict[str, Any]:
    ends = {name: _number(form[name], name) for name in _ENDS}
    widths = _numbers(form["widths"], "widths", "5, 10, 20")
    given = {name: end for name, end in ends.items() if end is not None}
    return {"intervals": widths, **given, **_labels(form)}


def _cuts(form: Any, _: str | None) -> dict[str, Any]:
    """A line of points for each level."""
    lines = [line for line in form["cuts"].splitlines() if line.strip()] or [""]
    levels = [_numbers(line, "cuts", "18, 30, 65") for line in lines]
    return {"cuts": levels[0] if len(levels) == 1 else levels, **_labels(form)}


def _labels(form: Any) -> dict[str, str]:
    return {"labels": "closed"} if form["labels"] == "closed" else {}


def _prefixes(form: Any, _: str | None) -> dict[str, Any]:
    return {"prefixes": _numbers(form["lengths"], "lengths", "5, 3, 0")}


def _dates(form: Any, _: str | None) -> dict[str, Any]:
    chosen = form["dates"]
    if not chosen:
        fail("P60", "no part of the date is chosen.", "Choose at least one.")
    return {"dates": [part for part in PARTS if part in chosen]}


def _by_frequency(form: Any, _: str | None) -> dict[str, Any]:
    text = form["kept"]
    return {"by_frequency": _numbers(text, "steps", "10, 5, 2") if text else True}


def _file(_form: Any, file: str | None) -> dict[str, Any]:
    if file is None:
        fail("P60", "no file was chosen.", "Choose a hierarchy file.")
    return {"file": file}


_FIELDS = (
    "builder", "widths", "cuts", "labels", "bottom_code", "top_code", "origin", "lengths",
    "kept", "unmapped",
)  # fmt: skip
_ENDS = ("bottom_code", "top_code", "origin")
_MAKERS: Mapping[str, Any] = {
    "intervals": _intervals,
    "cuts": _cuts,
    "prefixes": _prefixes,
    "dates": _dates,
    "by_frequency": _by_frequency,
    "suppress": lambda _form, _file: {"suppress": True},
    "file": _file,
}


def called(given: Mapping[str, Any]) -> str:
    """What a page calls the hierarchy of an entry of the plan, in short.

    Examples
    --------
    >>> called({"suppress": True}), called({"intervals": [5, 10], "unmapped": "suppress"})
    ('all or nothing', 'intervals of numbers')
    """
    builder = next(name for name in given if name != "unmapped")
    return BUILDERS.get(builder, builder).partition(",")[0]


def form_of_hierarchy(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The fields of the form for an entry of the plan."""
    given = given or {}
    kept, cuts = given.get("by_frequency", True), given.get("cuts", [])
    levels = cuts if cuts and isinstance(cuts[0], list) else [cuts]
    is_new = not any(name in given for name in ("intervals", "cuts"))
    return {
        "builder": next((name for name in BUILDERS if name in given), ""),
        "widths": _text(given.get("intervals", [])),
        "cuts": "\n".join(_text(level) for level in levels),
        "labels": "closed" if is_new else given.get("labels", ""),
        "lengths": _text(given.get("prefixes", [])),
        "dates": given.get("dates", ["month", "year"]),
        "kept": "" if kept is True else _text(kept if isinstance(kept, list) else [kept]),
        **{name: _text([given[name]]) if name in given else "" for name in _ENDS},
        "unmapped": given.get("unmapped", "error"),
    }


def _numbers(text: str, name: str, example: str) -> list[int | float]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    numbers = [_number(word, name, example) for word in words]
    if not numbers:
        fail("P60", f"“{LABELS[name]}” is empty.", f"Write for example {example}.")
    return [number for number in numbers if number is not None]


def _number(text: str, name: str, example: str = "90") -> int | float | None:
    """A number, whole where it is written so; None where nothing is written."""
    word = text.strip()
    if not word:
        return None
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    fail("P60", f"“{LABELS[name]}”: not a number.", written_so(text, example))


def _text(numbers: list[Any]) -> str:
    return ", ".join(
        f"{number:g}" if isinstance(number, float) else str(number) for number in numbers
    )
