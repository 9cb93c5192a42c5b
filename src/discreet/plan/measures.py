"""Measures in a plan: what is measured of a release, before and after.

[measures.risk]

[measures.record_risk]
known = { age = 0.3, sex = 0.8 }
sensitivity = { illness = 1.0 }

A measure of one file is taken of the initial and of the masked one, a measure of two once. What
the initial file does not allow is said before the work; what then does not apply to the masked
file is a figure that is not there, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import Problem, did_you_mean, listed, raise_all
from discreet.measures import Measure, Measured, Taken
from discreet.plan.fields import OR_INSTALL, Fields, Where, table_problems, table_schema
from discreet.plan.lines import At
from discreet.registry import measures

if TYPE_CHECKING:
    from discreet.plan.plan import Plan


def section_problems(given: Mapping[str, Any], at: At, where: Where) -> list[Problem]:
    """What is wrong with the measures of a plan."""
    problems = []
    for name, table in given.items():
        here = (*at, name)
        if name not in measures:
            others = f"Use one of {listed(measures, 20)}.{OR_INSTALL}"
            near = did_you_mean(name, measures) or others
            problems.append(where.problem(here, "P30", f"{name!r} is not a measure.", near))
        else:
            found: Measure = measures[name]
            problems += table_problems(table, found.own, here, where, found.needed)
    return problems


def tables_in(given: Any, at: At) -> Iterator[tuple[At, Fields, Mapping[str, Any]]]:
    """Every table of a measure that is known, with its fields, and where it stands."""
    for name, table in given.items() if isinstance(given, Mapping) else ():
        if name in measures and isinstance(table, Mapping):
            yield (*at, name), measures[name].own, table


def hidden(name: str, table: Mapping[str, Any]) -> list[str]:
    """The keys of a table that may hold values of the data."""
    known = measures[name].parameters
    return [key for key in table if key in known and known[key].holds_values]


def files_in(given: Any) -> Iterator[tuple[Any, str]]:
    """Every place of a measure that names a file: the table and the key."""
    for at, _, table in tables_in(given, ()):
        known = measures[str(at[-1])].parameters
        yield from ((table, name) for name in table if name in known and known[name].file)


# -- what is measured ------------------------------------------------------------------------------


def before(plan: Plan, data: Any) -> dict[str, Taken]:
    """What the measures of one file find of the initial one; all that stands in the way is said."""
    found: dict[str, Taken] = {}
    problems: list[Problem] = []
    for name, given in plan.measures.items():
        if measures[name].of == "file":
            with plan.where.noted(("measures", name), problems):
                found[name] = measures[name].taken(None, data, given, absent="N")
    raise_all(problems)
    return found


def measured(
    plan: Plan, data: Any, masked: Any, earlier: Mapping[str, Taken]
) -> dict[str, Measured]:
    """What the measures find of a release; ``earlier`` is what they found of the initial file."""
    found: dict[str, Measured] = {}
    problems: list[Problem] = []
    for name, given in plan.measures.items():
        measure: Measure = measures[name]
        with plan.where.noted(("measures", name), problems):
            found[name] = Measured(measure, measure.taken(data, masked, given), earlier.get(name))
    raise_all(problems)
    return found


def loaded(given: Mapping[str, Mapping[str, Any]], folder: Path) -> dict[str, dict[str, Any]]:
    """The measures of a plan with their arguments, as Python has them."""
    return {name: measures[name].loaded(table, folder) for name, table in given.items()}


# -- what a ledger holds of it ---------------------------------------------------------------------


def figures_of(recorded: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The figures of a measure in a ledger, before and after, without the reasons."""
    return {
        when: {name: value for name, value in taken.items() if name != "not_applicable"}
        for when, taken in recorded.items()
    }


def published(recorded: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What everybody may know: of the masked file, the figures that are marked so."""
    found = {
        name: measures[name].published(taken["after"])
        for name, taken in recorded.items()
        if name in measures
    }
    return {name: {"after": figures} for name, figures in found.items() if figures}


def published_arguments(
    given: Mapping[str, Mapping[str, Any]], names: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Of measures, the parameters that everybody may know, and the names of the others."""
    found: dict[str, dict[str, Any]] = {}
    for name in (name for name in names if name in given):
        public = {k: v for k, v in given[name].items() if measures[name].parameters[k].public}
        others = [k for k in given[name] if k not in public]
        found[name] = public | ({"withheld": others} if others else {})
    return found


def can_be_repeated(name: str, table: Mapping[str, Any]) -> bool:
    """Whether the released file alone, with what a ledger holds, gives the figures again."""
    if name not in measures:
        return False
    measure: Measure = measures[name]
    elsewhere = [*table.get("withheld", ()), *(key for _, key in files_in({name: table}))]
    same = measure.of == "file" and measure.by_equality
    return same and not elsewhere and not hidden(name, table)


# -- how they are written --------------------------------------------------------------------------


def written(asked: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Arguments of Python as a plan writes them, without what is not said."""
    return {name: _written(name, given) for name, given in asked.items()}


def _written(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    known = measures[name].parameters if name in measures else {}
    said = {key: value for key, value in given.items() if value is not None}
    return {
        key: form.dump(value) if key in known and (form := known[key].written) else value
        for key, value in said.items()
    }


def schema() -> dict[str, Any]:
    """JSON Schema of the measures of a plan."""
    return table_schema({measure.name: _schema(measure) for measure in measures.all()})


def _schema(measure: Measure) -> dict[str, Any]:
    origin = f" (from {measure.entry.origin})" if measure.entry.origin else ""
    return table_schema(
        {name: one.schema() for name, one in measure.own.items()},
        measure.needed,
        title=measure.title,
        description=f"{measure.about}{origin}",
    )
