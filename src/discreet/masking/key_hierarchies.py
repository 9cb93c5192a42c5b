"""The hierarchies of the keys: what is wrong with those that are given, and how they fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_doc import Doc

from discreet.data import attributes
from discreet.data.microdata import Microdata
from discreet.errors import Problem, argument, did_you_mean
from discreet.hierarchies.hierarchy import Hierarchy, fit_all
from discreet.hierarchies.recoding import Recoding
from discreet.parameters import Label, Shared
from discreet.surface import function

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.frequency.frequency_set import FrequencySet

KeyHierarchies = Annotated[
    Mapping[str, Hierarchy],
    Shared("hierarchies"),
    Label("Hierarchies"),
    Doc("How the values of a key become coarser; a key without one stays as it is."),
]


def hierarchy_problems(data: Microdata, hierarchies: Mapping[str, Hierarchy]) -> list[Problem]:
    """What is no hierarchy, or one of no key."""
    problems = []
    for name, hierarchy in hierarchies.items():
        if name not in data.columns:
            problems.append(
                attributes.unknown_column(
                    "hierarchy", name, data.columns, data.name, data.has_names
                )
            )
        elif name not in data.keys:
            what = f"a hierarchy is given for {name!r}, which is not a key attribute."
            problems.append(
                Problem("R10", what, did_you_mean(name, data.keys) or "Name it as a key.")
            )
        if not isinstance(hierarchy, Hierarchy):
            what = f"what is given for {name!r} is not a hierarchy."
            problems.append(Problem("P19", what, f"Build one with {function('Hierarchy')}."))
    return problems


def confidential_key_problems(
    data: Microdata, hierarchies: Mapping[str, Hierarchy], parts: Any
) -> list[Problem]:
    """A criterion counts the values as they are; released are those of the generalized key."""
    seen = () if parts is None else (*parts.needs(data.confidential), *parts.needs_values(()))
    return [
        Problem(
            "R11",
            f"{name!r} is a key that would be generalized, and the criterion counts its values.",
            f"Leave its hierarchy out, or name other attributes: {argument('confidential')} "
            "of the criterion.",
        )
        for name in dict.fromkeys(seen)
        if name in data.keys and name in hierarchies
    ]


def fitted(hierarchies: Mapping[str, Hierarchy], found: FrequencySet) -> tuple[Recoding, ...]:
    """The hierarchies at the values of their keys; a key without one stays as it is."""
    values = dict(zip(found.attributes, found.values, strict=True))
    counts = {
        name: np.bincount(codes, found.counts, len(values[name])).astype(np.int64)
        for name, codes in zip(found.attributes, found.codes, strict=True)
    }
    given = {name: hierarchies[name] for name in values if name in hierarchies}
    made = fit_all(given, values, counts)
    return tuple(made.get(name) or _as_it_is(name, values[name]) for name in values)


def _as_it_is(name: str, values: pa.Array) -> Recoding:
    """One level only: the values themselves."""
    each = np.arange(len(values), dtype=np.int32)
    return Recoding(
        name, values, (each,), (values,), (np.ones(len(values), np.int64),), len(values)
    )
