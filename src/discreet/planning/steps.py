"""The steps of a plan: each kind with the keys it takes and the verb that does it.

A new masking verb becomes a step of plans by one entry in ``KINDS``: the keys are the verb's
arguments, by the same names.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import discreet as ds
from discreet.errors import Problem, did_you_mean, listed
from discreet.planning.fields import (
    AMOUNT,
    COLUMNS,
    FLAG,
    SEED,
    SHARES,
    Field,
    choice,
    is_number,
    is_whole,
    number,
    table_problems,
    whole,
)
from discreet.planning.lines import At
from discreet.planning.where import Where

Step = Mapping[str, Any]


@dataclass(frozen=True)
class Given:
    """What steps share: the hierarchies of the keys and the criterion of the plan."""

    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    criterion: Sequence[Any] = ()


@dataclass(frozen=True)
class Done:
    """What a step gives: the masked file, and for a generalization what the search found."""

    masked: Any
    found: Any = None


@dataclass(frozen=True)
class Kind:
    """A kind of step.

    Attributes
    ----------
    fields : mapping
        The keys it takes beside ``do``: the arguments of the verb.
    do : function
        Carries it out, on microdata with the options of the step.
    need : tuple of str
        Keys that must be there.
    one_of : tuple of str
        Keys of which exactly one must be there.
    """

    fields: Mapping[str, Field]
    do: Callable[[Any, dict[str, Any], Given], Done]
    need: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()


def _generalize(data: Any, options: dict[str, Any], given: Given) -> Done:
    levels = options.pop("levels", None)  # a node that was chosen by hand, or not proven best
    found = ds.generalize(data, given.hierarchies, list(given.criterion), **options)
    node = found.best if levels is None else found.lattice.node(levels)
    return Done(node.mask(), found)


def _protect_records(data: Any, options: dict[str, Any], _: Given) -> Done:
    tables = options.pop("value_sensitivity", {})
    settings = ("known", "sensitivity", "alpha", "epsilon", "default")
    said = {name: options.pop(name) for name in settings if name in options}
    weights = {name: ranges_of(table) for name, table in tables.items()}
    risk = ds.record_risk(data, **said, value_sensitivity=weights)
    return Done(ds.protect_records(data, risk, **options))


def ranges_of(table: Any) -> Any:
    """Ranges of numbers as ``record_risk`` takes them; TOML has no word for "no bound"."""
    if isinstance(table, Mapping):
        return dict(table)
    return [(row.get("above"), row.get("up_to"), row["weight"]) for row in table]


def _is_value_table(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(is_number(one) for one in value.values())
    known = {"above", "up_to", "weight"}
    return isinstance(value, list) and all(
        isinstance(row, Mapping) and {"weight"} <= set(row) <= known for row in value
    )


_LEVELS = Field(
    "a table of keys and levels",
    lambda v: (
        isinstance(v, Mapping) and all(is_whole(level) and level >= 0 for level in v.values())
    ),
    columns=True,
)
KINDS: dict[str, Kind] = {
    "generalize": Kind(
        {
            "max_suppressed": AMOUNT,
            "search": choice("optimal", "all-minimal", "samarati"),
            "loss": choice(
                "iyengar", "discernibility", "average-class-size", "precision", "height", "entropy"
            ),
            "suppression": choice("failing", "k-only"),
            "seconds": Field("a number of at least 0", lambda v: is_number(v) and v >= 0),
            "levels": _LEVELS,
            "hierarchies": Field("a table of hierarchies", lambda v: isinstance(v, Mapping)),
            "criterion": Field(
                "a table or a list of them", lambda v: isinstance(v, Mapping | list)
            ),
        },
        _generalize,
    ),
    "microaggregate": Kind(
        {
            "columns": COLUMNS,
            "k": whole(1),
            "method": choice("mdav", "v-mdav", "fixed", "optimal-univariate"),
            "preserve_variance": FLAG,
            "ordinal": choice("median", "convex-median"),
            "by": COLUMNS,
            "missing": choice("refuse", "category"),
            "round": FLAG,
            "blocks": whole(1),
            "objective": choice("squares", "absolute"),
            "gamma": Field("a number of at least 0", lambda v: is_number(v) and v >= 0),
        },
        lambda data, options, _: Done(ds.microaggregate(data, **options)),
    ),
    "protect_records": Kind(
        {
            "at_most": Field("a number of at least 0", lambda v: is_number(v) and v >= 0),
            "method": choice("suppress", "microaggregate"),
            "columns": COLUMNS,
            "cost": Field(
                "a table of columns and numbers",
                lambda v: isinstance(v, Mapping) and all(map(is_number, v.values())),
                columns=True,
            ),
            "known": SHARES,
            "sensitivity": SHARES,
            "value_sensitivity": Field(
                "per column a table of values and weights, or a list of ranges",
                lambda v: isinstance(v, Mapping) and all(map(_is_value_table, v.values())),
                columns=True,
                values=True,
            ),
            "alpha": Field("a number of at least 1", lambda v: is_number(v) and v >= 1),
            "epsilon": number(0, 1),
            "default": number(0, 1),
        },
        _protect_records,
        need=("at_most", "known", "sensitivity"),
    ),
    "sample": Kind(
        {
            "fraction": Field("a share above 0 and up to 1", lambda v: is_number(v) and 0 < v <= 1),
            "n": whole(1),
            "seed": SEED,
            "by": COLUMNS,
        },
        lambda data, options, _: Done(ds.sample(data, **options)),
        one_of=("fraction", "n"),
    ),
}


def step_problems(step: Any, at: At, where: Where) -> list[Problem]:
    """What is wrong with the keys of a step."""
    if not isinstance(step, Mapping) or "do" not in step:
        remedy = f"Write do = …: one of {listed(KINDS)}."
        return [where.problem(at, "P32", "does not say what to do.", remedy)]
    if step["do"] not in KINDS:
        near = did_you_mean(str(step["do"]), KINDS) or f"Known are {listed(KINDS)}."
        return [where.problem((*at, "do"), "P31", "is not a kind of step.", near)]
    kind = KINDS[step["do"]]
    fields = {"do": choice(*KINDS), **kind.fields}
    problems = table_problems(step, fields, at, where, kind.need)
    if kind.one_of and sum(name in step for name in kind.one_of) != 1:
        either = " or ".join(kind.one_of)
        problems.append(where.problem(at, "P32", f"needs {either}, one of the two.", "Give one."))
    return problems


def with_seed(step: Step, seed: int | None = None) -> dict[str, Any]:
    """A step that can be repeated: one that draws at random and has no seed gets one."""
    if "seed" not in KINDS[step["do"]].fields or "seed" in step:
        return dict(step)
    return {**step, "seed": secrets.randbits(63) if seed is None else seed}


def done(data: Any, step: Step, given: Given) -> Done:
    """Carry out a step."""
    options = {k: v for k, v in step.items() if k not in ("do", "hierarchies", "criterion")}
    return KINDS[step["do"]].do(data, options, given)
