"""What the criteria of a task ask of a class, as conditions that a sweep of the lattice follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.frequency.count_limits import CountLimits, PeopleLimits, ValueLimits
from discreet.masking.generalization.pairs import owners_of, values_of

if TYPE_CHECKING:
    from discreet.kernels.lattice.amounts import ValuePairs
    from discreet.kernels.lattice.conditions import ClassConditions
    from discreet.masking.generalization.task import Task

_MOST = 2**31  # records and people that the kernel counts


def conditions_of(task: Task) -> ClassConditions | None:
    """The conditions, or None where a criterion looks at more, or there are too many values, people
    or registers to follow."""
    from discreet.kernels.lattice.conditions import VALUES, ClassConditions

    limits = _limits(task)
    people = sum(int(found.counts.sum()) for found in task.population.values())
    values = sum(len(task.whole[name].counts) for name in _names(task))
    if limits is None or len(task.population) > 1 or max(people, task.keys.n) >= _MOST:
        return None
    if values > VALUES or _apart(limits):
        return None
    behind = [one for one in limits if isinstance(one, PeopleLimits)]
    return ClassConditions(
        **_on_values(task, [one for one in limits if isinstance(one, ValueLimits)]),
        least_people=max((one.least for one in behind), default=0),
        low_people=max((one.low for one in behind), default=0.0),
        high_people=min((one.high for one in behind), default=np.inf),
    )


def value_pairs(task: Task) -> ValuePairs:
    """Records by combination of keys and value, the values of all attributes numbered on."""
    from discreet.kernels.lattice.amounts import ValuePairs

    first = _first_values(task)
    each = [(task.pairs[name], task.whole[name], at) for name, at in first.items()]
    return ValuePairs(
        np.concatenate([owners_of(pairs) for pairs, _, _ in each]),
        np.concatenate([values_of(pairs, whole) + at for pairs, whole, at in each]),
        np.concatenate([pairs.counts for pairs, _, _ in each]),
    )


def _limits(task: Task) -> list[CountLimits] | None:
    """All limits of counts but for sizes and distinct values; None where a criterion has others."""
    found: list[CountLimits] = []
    for part in task.parts:
        if part.counts_decide or part.of_file:
            continue
        whole = {name: task.whole[name].counts for name in part.needs_values(tuple(task.pairs))}
        limits = part.count_limits(whole)
        if limits is None:
            return None
        found += limits
    return found


def _apart(limits: Sequence[CountLimits]) -> bool:
    """Whether lower limits of one attribute let its values be absent and others do not: one limit
    does not stand for both."""
    below = [one for one in limits if isinstance(one, ValueLimits) and one.low.any()]
    return len({(one.name, one.optional) for one in below}) > len({one.name for one in below})


def _on_values(task: Task, limits: Sequence[ValueLimits]) -> dict[str, Any]:
    """Limits and numbers of distinct values, for the values of all attributes one after another."""
    first = _first_values(task)
    values = sum(len(task.whole[name].counts) for name in first)
    low, high, optional = np.zeros(values), np.ones(values), np.ones(values, np.bool_)
    for one in limits:
        own = slice(first[one.name], first[one.name] + len(one.high))
        optional[own] &= one.optional or not one.low.any()
        low[own] = np.maximum(low[own], one.low)
        high[own] = np.minimum(high[own], one.high)
    groups = tuple(
        (tuple(range(at, at + len(task.whole[name].counts))), task.distinct[name])
        for name, at in first.items()
        if task.distinct.get(name, 1) > 1
    )
    return {"low": low, "high": high, "optional": optional, "groups": groups}


def _names(task: Task) -> list[str]:
    """The attributes whose values matter."""
    needed = {name for part in task.parts for name in part.needs_values(tuple(task.pairs))}
    return [name for name in task.pairs if name in needed or task.distinct.get(name, 1) > 1]


def _first_values(task: Task) -> dict[str, int]:
    """The number of the first value of each attribute."""
    names = _names(task)
    sizes = [len(task.whole[name].counts) for name in names]
    return dict(zip(names, np.cumsum([0, *sizes]).tolist(), strict=False))
