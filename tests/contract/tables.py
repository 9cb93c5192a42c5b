"""The tables of parameters and figures in the docs, made from the descriptions.

A page has the table of a method, a criterion or a measure where it says so:
``<!-- parameters of sample: begin -->`` … ``<!-- parameters of sample: end -->``.
"""

from __future__ import annotations

import re

from discreet.measures import Measure
from discreet.registry import criteria, maskings, measures
from tests.conftest import ROOT

PLACE = re.compile(
    r"(?P<begin><!-- parameters of (?P<name>\w+): begin -->\n).*?"
    r"(?P<end><!-- parameters of (?P=name): end -->)",
    re.DOTALL,
)
PAGES = sorted((ROOT / "docs").glob("*.md"))
NAMES = [*maskings, *criteria, *measures]


def filled(text):
    """A page with its tables as the descriptions have them now."""
    return PLACE.sub(lambda one: f"{one['begin']}{table(one['name'])}{one['end']}", text)


def table(name):
    """The parameters of a method, and the figures of a measure."""
    described = next(one[name] for one in (maskings, criteria, measures) if name in one)
    figures = getattr(described, "figures", {})
    rows = [_row(described, p) for p in described.parameters.values()]
    found = _table(("Parameter", "Meaning", "May be", "If not given"), rows)
    found += _table(("Figure", "Meaning"), [(f"`.{n}`", one.title) for n, one in figures.items()])
    return f"{found}\n" if found else "\nIt has no parameters.\n\n"


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines) if rows else ""


def _row(described, p):
    shared = f"the section `[{p.shared}]` of a plan" if p.shared else ""
    if shared and isinstance(described, Measure):  # a file masked by a plan needs none
        shared = f"{p.shared} by key; on the command line, their folder"
    may_be = shared or p.words
    return f"`{p.name}`", p.doc, may_be, _default(described, p)


def _default(described, p):
    if p.required or p.needed:
        return "must be given"
    if p.group:
        others = [f"`{one}`" for one in described.groups[p.group] if one != p.name]
        return f"{' or '.join(others)} must be"
    if p.is_seed and p.default is None:
        return "must be given; the run of a plan draws one"
    if isinstance(p.default, bool):
        return "yes" if p.default else "no"
    return f"`{p.default}`" if isinstance(p.default, int | float | str) else "–"
