"""The form of what must hold: its fields k, p, l and t, and the criterion that they stand for.

p counts different values in a class; l is the entropy kind of diversity, for which values must be
spread as evenly as l equally frequent ones; t is closeness by the equal distance. Pages Roles and
Protect share the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.app.forms import draft
from discreet.app.forms.fields import Reader
from discreet.app.server.pages import text_in
from discreet.errors import Problem

FIELDS = {
    "k": ("k: records that share their keys, at least", "5"),
    "p": ("p: different values of each confidential attribute among them, at least", "none asked"),
    "l": ("l: as mixed as this many equally frequent values, at least", "none asked"),
    "t": ("t: distance from the whole table, 0 to 1, at most", "none asked"),
}
ONLY = "only"  # the field that keeps to the attributes which the plan names
_OURS = ("k", *draft.OF_VALUES)


def criterion_in(form: Any, before: Any) -> tuple[Any, list[Problem]]:
    """What must hold, from the fields; other criteria of the plan stay."""
    problems: list[Problem] = []
    given = _given(form, Reader("What must hold", problems))
    tables = [before] if isinstance(before, Mapping) else list(before)
    first = {n: v for n, v in tables[0].items() if n not in _OURS} if tables else {}
    head = draft.with_attributes(given | first)
    if not text_in(form, ONLY):
        head = {name: part for name, part in head.items() if name != "confidential"}
    kept = tables[1:]
    return ([head, *kept] if kept else head), problems


def _given(form: Any, reader: Reader) -> dict[str, Any]:
    whole = {name: reader.whole(text_in(form, name), name, 1) for name in ("k", "p", "l")}
    if whole["p"] is not None and whole["k"] is None and not reader.problems:
        reader.say("p needs a k beside it", "Write k, at least as large as p.")
    given: dict[str, Any] = {n: whole[n] for n in ("k", "p") if whole[n] is not None}
    if whole["l"] is not None:
        given["diversity"] = {"l": whole["l"], "kind": "entropy"}
    if text := text_in(form, "t"):
        given["closeness"] = reader.number(text, "t", 0, 1)
    return given


def numbers_of(criterion: Any) -> dict[str, str]:
    """The fields of a criterion."""
    tables = [criterion] if isinstance(criterion, Mapping) else list(criterion)
    head = tables[0] if tables else {}
    diversity, closeness = head.get("diversity", ""), head.get("closeness", "")
    numbers = {
        "k": head.get("k", ""),
        "p": head.get("p", ""),
        "l": diversity.get("l", "") if isinstance(diversity, Mapping) else diversity,
        "t": closeness.get("t", "") if isinstance(closeness, Mapping) else closeness,
        ONLY: "yes" if "confidential" in head else "",
    }
    return {n: f"{v:g}" if isinstance(v, float) else str(v) for n, v in numbers.items()}


def sent_in(form: Any) -> dict[str, str]:
    """The fields as they were sent."""
    return {name: text_in(form, name) for name in (*FIELDS, ONLY)}
