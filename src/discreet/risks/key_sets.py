"""Counting sets of attributes: what lies behind the candidates for keys.

The distinct combinations of all attributes are counted where the records are; every smaller set is
rolled up from them here, so that any engine serves. Where the records are spread over machines,
every set is counted there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.data import attributes
from discreet.data.attributes import unknown_column
from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, raise_all
from discreet.kernels.attribute_sets import attribute_sets, number_of_sets
from discreet.parameters import whole_number
from discreet.progress import watched
from discreet.results import Provenance
from discreet.risks.candidates import KeyCandidates
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.kernels.separation import Separation

_LIMIT = 100_000  # sets; half a minute or so for as many records
_WORTH = 1 << 22  # tuples to be looked at over all sets: below, a second thread does not pay


def key_candidates(
    data: Microdata,
    columns: Sequence[str] | str | None = None,
    *,
    up_to: int = 3,
    limit: int = _LIMIT,
) -> KeyCandidates:
    """Find the sets of attributes that tell the records apart: candidates for keys.

    Parameters
    ----------
    data : Microdata
        Keys need not be named. A missing value is a value of its own.
    columns : list of str, optional
        The attributes to combine; when not given, all columns but identifiers, record id, weight,
        household and columns without plain values.
    up_to : int
        Largest size of a set. Three by default: that shows what a few facts about a person give
        away, and with every further one the sets multiply (27 attributes: 3,303, then 20,853).
    limit : int
        Largest number of sets to count; more are an error that says how many there are.

    Returns
    -------
    KeyCandidates
        ``.minimal(unique=0.5)``, ``.of(["age", "zip"])``, ``.ranking()``, ``.table()``.

    Examples
    --------
    >>> import discreet as ds
    >>> people = ds.read({"age": [20, 30, 40, 20, 40], "sex": list("FFFMM"),
    ...                   "state": ["CA", "CA", "TX", "NY", "CA"]})
    >>> found = ds.key_candidates(people)
    >>> found.of(["sex", "state"]).distinct, found.of(["sex", "state"]).separation
    (0.8, 0.9)
    >>> [candidate.attributes for candidate in found.minimal(separation=1)]
    [('age', 'sex'), ('age', 'state')]

    References
    ----------
    - Motwani, Xu (2007), *Efficient algorithms for masking and finding quasi-identifiers*.
    """
    require_microdata(data)
    chosen = attributes.names(columns) if columns is not None else _usual(data)
    raise_all([*_column_problems(data, chosen), *_size_problems(len(chosen), up_to, limit)])
    require_records(data)
    raise_all(_missing_problems(data, chosen))
    return _candidates(data, chosen, min(int(up_to), len(chosen)))


def _candidates(data: Microdata, chosen: tuple[str, ...], up_to: int) -> KeyCandidates:
    sets = attribute_sets(len(chosen), up_to)
    counted = data.class_figures([[chosen[a] for a in one] for one in sets])
    if counted is None:
        figures = _separation(data.frequency_set(chosen), up_to, len(sets))
    else:
        figures = _of_engine(counted)
    return KeyCandidates(
        data.n,
        up_to,
        chosen,
        tuple(c for c in data.columns if c not in chosen),
        tuple(sets),
        *figures,
        Provenance.of(data),
        data.source.kind,
    )


def _of_engine(counted: Sequence[tuple[int, int, int]]) -> Separation:
    from discreet.kernels.separation import Separation

    return Separation(*(np.array(column, dtype=np.int64) for column in zip(*counted, strict=True)))


def _separation(found: FrequencySet, up_to: int, sets: int) -> Separation:
    from discreet.kernels.separation import separation

    threads = 2 if (os.cpu_count() or 1) > 1 and sets * len(found) >= _WORTH else 1
    return watched(
        "telling records apart",
        sets,
        lambda watch: separation(found.tuples(blank=False), up_to, threads=threads, watch=watch),
    )


def _usual(data: Microdata) -> tuple[str, ...]:
    held_back = {*data.roles.held_back, data.weight}
    plain = (c for c in data.columns if data.source.kinds[c] != "other")
    return tuple(c for c in plain if c not in held_back)


def _column_problems(data: Microdata, chosen: tuple[str, ...]) -> list[Problem]:
    problems = [
        unknown_column("attribute", name, data.columns, data.name)
        for name in dict.fromkeys(chosen)
        if name not in data.columns
    ]
    problems += [
        Problem("R02", f"attribute {name!r} is named more than once.", "Name it once.")
        for name in dict.fromkeys(chosen)
        if chosen.count(name) > 1
    ]
    problems += [
        Problem("D01", f"{name!r} holds lists, structures or bytes.", "Leave it out.")
        for name in dict.fromkeys(chosen)
        if data.source.kinds.get(name) == "other"
    ]
    if not chosen:
        problems.append(
            Problem("P04", "no attribute is left to combine.", f"Name some: {argument('columns')}.")
        )
    return problems


def _size_problems(width: int, up_to: object, limit: object) -> list[Problem]:
    problems = [*whole_number("up_to", up_to, 1), *whole_number("limit", limit, 1)]
    if problems:
        return problems
    assert isinstance(up_to, int | np.integer)
    assert isinstance(limit, int | np.integer)
    number = number_of_sets(width, int(up_to))
    if number <= limit:
        return []
    what = f"{width:,} attributes have {number:,} sets of up to {up_to}; the limit is {limit:,}."
    return [
        Problem(
            "P50",
            what,
            f"Lower {argument('up_to')}, name fewer columns, or raise {argument('limit')}.",
        )
    ]


def _missing_problems(data: Microdata, chosen: tuple[str, ...]) -> list[Problem]:
    gaps = [name for name in chosen if data.missing != "category" and data.profile[name][1]]
    if gaps and data.missing == "wildcard":
        data.need_partition("telling records apart")
    return [
        Problem(
            "D03",
            f"{name!r} has {counted(data.profile[name][1], 'missing value')}.",
            f"Fill them, leave the column out, or choose {argument('missing', 'category')}.",
        )
        for name in gaps
    ]
