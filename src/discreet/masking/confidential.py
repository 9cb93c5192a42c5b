"""What a search must know of the confidential attributes: which values stand in which classes.

Where the records are in this process, all of them. From another engine no more is brought than the
criterion can tell apart, in a row per class: p distinct values of a class stand for all of its
values, in this class and in every one that it becomes part of. A criterion on the distribution of
the values needs all of them with their counts; where these are too many, it is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet import engine
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.frequency_set import FrequencySet


class Confidential(NamedTuple):
    """The frequency set of the keys; and per attribute the keys with its values, its distribution,
    and the sizes of its values, largest first, as far as the conditions of Truta & Vinay look."""

    keys: FrequencySet
    pairs: dict[str, FrequencySet]
    whole: dict[str, FrequencySet]
    frequencies: dict[str, NDArray[np.int64]]


def confidential_of(data: Microdata, keys: Sequence[str], parts: Any) -> Confidential:
    """What a search for some criteria must know."""
    if parts is None:
        return Confidential(data.frequency_set(keys), {}, {}, {})
    by_value = parts.needs_values(data.confidential)
    names = dict.fromkeys((*parts.needs(data.confidential), *by_value))
    if engine.is_near(data.source):
        counted = data.frequency_set(keys)
        pairs = {name: data.frequency_set([*keys, name]) for name in names}
        few: dict[str, int] = {}
    else:
        few = {n: _least(parts, n, data.confidential) for n in names if n not in by_value}
        asked = {name: few.get(name) for name in names}
        counted, pairs = data.some_values(keys, asked) if asked else (data.frequency_set(keys), {})
    found = Confidential(counted, pairs, {}, {})
    for name in names:
        if name in few:
            found.whole[name] = pairs[name].rollup([name])
            found.frequencies[name] = _frequencies(data, name, few[name])
        else:
            found.whole[name] = data.whole(name, pairs[name])
            found.frequencies[name] = np.sort(found.whole[name].counts)[::-1]
    return found


def _least(parts: Any, name: str, confidential: Sequence[str]) -> int:
    """How many distinct values of an attribute are asked for."""
    least: int = parts.least_distinct(confidential)[name]
    return least


def _frequencies(data: Microdata, name: str, p: int) -> NDArray[np.int64]:
    """The sizes of the p largest values; the other records in as few values as these allow."""
    first = data.initial if isinstance(data, Masked) and name not in data.changed else data
    largest, n = engine.largest(first.source, name, p), first.n
    rest = n - int(largest.sum())
    more = [int(largest[-1])] * (rest // int(largest[-1]))
    return np.array([*largest, *more, *([rest - sum(more)] if rest > sum(more) else [])])
