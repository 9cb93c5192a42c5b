"""Candidates for keys: which sets of attributes tell the records apart.

The threat is an intruder who knows more of a person than the owner thought of. Two ratios say how
near a set of attributes comes to naming every record: its *distinct ratio*, classes per record, and
its *separation ratio*, the share of the pairs of records that differ in at least one of its
attributes; 1 − Σ f(f − 1) / (n(n − 1)) for classes of size f. Both never fall when an attribute is
added, and neither does the share of records that are alone in their class.
Motwani & Xu (2007), Efficient algorithms for masking and finding quasi-identifiers, section 1.1.

The distinct combinations of all attributes are counted where the records are; every smaller set is
rolled up from them here, so that any engine serves. Where the records are spread over machines,
every set is counted there.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data import attributes
from discreet.data.attributes import unknown_column
from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.kernels.coded_tuples import attribute_sets, number_of_sets
from discreet.parameters import is_number, whole_number
from discreet.progress import watched
from discreet.results import Provenance, Result
from discreet.risks.linkage import unknown_columns
from discreet.surface import advice, function, said
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.frequency_set import FrequencySet
    from discreet.kernels.arrays import Ints
    from discreet.kernels.separation import Separation

_LIMIT = 100_000  # sets; half a minute or so for as many records
_WORTH = 1 << 22  # tuples to be looked at over all sets: below, a second thread does not pay
_MANY = 0.5  # share of uniques from which explain() calls a set one that singles out records


@dataclass(frozen=True)
class Candidate:
    """A set of attributes and how well it tells the records apart.

    Attributes
    ----------
    attributes : tuple of str
    n, classes : int
        Number of records and of classes.
    uniques : int
        Records alone in their class.
    pairs : int
        Pairs of records in the same class, not separated.
    """

    attributes: tuple[str, ...]
    n: int
    classes: int
    uniques: int
    pairs: int

    @property
    def distinct(self) -> float:
        """The distinct ratio: classes per record."""
        return self.classes / self.n

    @property
    def separation(self) -> float:
        """The separation ratio: share of the pairs of records that differ; 1 for one record."""
        return 1 - 2 * self.pairs / (self.n * (self.n - 1)) if self.n > 1 else 1.0

    @property
    def unique(self) -> float:
        """Share of the records that are alone in their class."""
        return self.uniques / self.n

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "attributes": list(self.attributes),
            "classes": self.classes,
            "distinct": self.distinct,
            "separation": self.separation,
            "uniques": self.uniques,
            "unique": self.unique,
        }


@dataclass(frozen=True, eq=False, repr=False)
class KeyCandidates(Result):
    """All sets of up to ``up_to`` attributes; iterates over them, most separating first.

    Attributes
    ----------
    n, up_to : int
        Number of records; largest size of a set.
    attributes : tuple of str
        The attributes that were combined.
    left_out : tuple of str
        Columns that were not: those not named, or by default identifiers, record id, weight,
        household.

    Examples
    --------
    >>> import discreet as ds
    >>> people = ds.read({"age": [20, 30, 40, 20, 40], "sex": list("FFFMM")})
    >>> found = ds.key_candidates(people)
    >>> [(one.attributes, one.uniques) for one in found]
    [(('age',), 1), (('sex',), 0), (('age', 'sex'), 5)]
    >>> found.of(["age"]).distinct
    0.6

    References
    ----------
    - Motwani, Xu (2007), *Efficient algorithms for masking and finding quasi-identifiers*.
    """

    n: int
    up_to: int
    attributes: tuple[str, ...]
    left_out: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...]
    classes: Ints
    uniques: Ints
    pairs: Ints
    provenance: Provenance
    kind: FrameKind

    def __len__(self) -> int:
        return len(self.sets)

    def __iter__(self) -> Iterator[Candidate]:
        """By size, then from the most to the least separating, then in the order of columns."""
        return (self._at(i) for i in self._order)

    def of(self, names: Sequence[str] | str) -> Candidate:
        """The ratios of one set of attributes."""
        chosen = dict.fromkeys(attributes.names(names))
        raise_all(
            [
                unknown_column("attribute", name, self.attributes, "the candidates")
                for name in chosen
                if name not in self.attributes
            ]
        )
        at = self._place.get(tuple(sorted(self.attributes.index(name) for name in chosen)))
        if at is None:
            what = f"sets of 1 to {self.up_to} attributes were counted, not of {len(chosen)}."
            fail("P50", what, f"Raise {argument('up_to')}.")
        return self._at(at)

    def minimal(
        self,
        *,
        separation: float | None = None,
        distinct: float | None = None,
        unique: float | None = None,
    ) -> tuple[Candidate, ...]:
        """The smallest sets that reach a ratio: each reaches it, and none of its subsets does.

        Parameters
        ----------
        separation, distinct, unique : float
            Least separation ratio, distinct ratio or share of uniques, from 0 to 1; with several,
            a set must reach them all.

        Returns
        -------
        tuple of Candidate
            In the order of the candidates; empty when no set of this size reaches it.
        """
        asked = {"separation": separation, "distinct": distinct, "unique": unique}
        limits = {name: limit for name, limit in asked.items() if limit is not None}
        raise_all(_limit_problems(limits))
        reaches = np.logical_and.reduce(
            [self._ratios[name] >= limit for name, limit in limits.items()]
        )
        return tuple(self._at(i) for i in self._order if reaches[i] and self._least(i, reaches))

    def ranking(self, kind: FrameKind | None = None) -> Any:
        """One row per attribute, the most identifying first.

        ``gain`` is the mean rise of the share of uniques when the attribute joins a set of the
        others, all sizes of sets counting alike; then come the ratios of the attribute alone.
        """
        rows = [
            {"attribute": name, "gain": gain, "values": alone.classes, "distinct": alone.distinct,
             "separation": alone.separation, "unique": alone.unique}
            for name, gain, alone in self._ranked
        ]  # fmt: skip
        return self._frame(rows, kind)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per set, in the order of the candidates."""
        order = self._order
        columns = {
            "attributes": [", ".join(self._names(i)) for i in order],
            "size": [len(self.sets[i]) for i in order],
            "classes": self.classes[order],
            "distinct": self._ratios["distinct"][order],
            "separation": self._ratios["separation"][order],
            "uniques": self.uniques[order],
            "unique": self._ratios["unique"][order],
        }
        return self._frame(columns, kind)

    def explain(self) -> str:
        """Which sets of attributes single out records, and what to do next."""
        name, gain, alone = self._ranked[0]
        lines = [
            f"{counted(len(self), 'set')} of up to {counted(self.up_to, 'attribute')} "
            f"were counted in {counted(self.n, 'record')}.",
            f"The most identifying attribute is {name}: alone it separates "
            f"{_percent(alone.separation)} of the pairs of records; added to a set of others, "
            f"it makes a further {gain:.1%} of the records unique, on average.",
            *self._singled_out(),
            *self._names_all(),
        ]
        if self.left_out:
            lines.append(f"Not looked at: {listed(self.left_out)}.")
        lines += self.provenance.cautions()
        lines += advice(
            "Next: ask of each of these sets whether an intruder can know it, name its attributes "
            f"with {argument('keys', written='keys=[…]')}, and see {function('risk', 'data')}."
        )
        return "\n".join(lines)

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """As plain values, for JSON; the first ``most`` sets of the candidates, or all."""
        chosen = self._order if most is None else self._order[:most]
        return {
            **self._plain("n", "up_to", "attributes", "left_out"),
            "sets": [self._at(i).to_dict() for i in chosen],
            "number_of_sets": len(self),
            "ranking": [{"attribute": name, "gain": gain} for name, gain, _ in self._ranked],
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        return (
            f"KeyCandidates: {counted(len(self), 'set')} of up to "
            f"{counted(self.up_to, 'attribute')} in {counted(self.n, 'record')}"
        )

    def _singled_out(self) -> list[str]:
        """The smallest sets in which half of the records are unique, or the set nearest to it."""
        found = self.minimal(unique=_MANY)
        if found:
            few = "; ".join(f"{_braced(c)} ({share(c.uniques, self.n)})" for c in found[:5])
            more = f"; and {len(found) - 5:,} more" if len(found) > 5 else ""
            return [f"At least half of the records are unique by {few}{more}."]
        best = max(self._order, key=lambda i: self.uniques[i])  # the first of equals, as listed
        said = f"{_braced(self._at(best))} with {share(int(self.uniques[best]), self.n)}"
        return [f"No set makes half of the records unique; the closest is {said}."]

    def _names_all(self) -> list[str]:
        alone = [name for name, _, c in self._ranked if c.uniques == self.n]
        if not alone or self.n == 1:
            return []
        differ, them = ("differs", "it") if len(alone) == 1 else ("differ", "them")
        named = f"consider naming {them} in {argument('identifiers')}."
        return [said(f"{listed(alone)} {differ} in every record: {named}")]

    @functools.cached_property
    def _ratios(self) -> dict[str, NDArray[np.float64]]:
        all_pairs = self.n * (self.n - 1) / 2
        return {
            "distinct": self.classes / self.n,
            "separation": 1 - self.pairs / max(all_pairs, 1.0),  # one record: no pair at all
            "unique": self.uniques / self.n,
        }

    @functools.cached_property
    def _order(self) -> list[int]:
        sizes = [len(chosen) for chosen in self.sets]
        return sorted(range(len(self.sets)), key=lambda i: (sizes[i], int(self.pairs[i]), i))

    @functools.cached_property
    def _place(self) -> dict[tuple[int, ...], int]:
        return {chosen: i for i, chosen in enumerate(self.sets)}

    @functools.cached_property
    def _ranked(self) -> list[tuple[str, float, Candidate]]:
        """Attribute, gain and its set alone; ties by separation, then in the order of columns."""
        rises = np.zeros((len(self.attributes), self.up_to))
        for i, chosen in enumerate(self.sets):
            for a, rest in _without_one(chosen):
                before = self.uniques[self._place[rest]] if rest else 0
                rises[a, len(chosen) - 1] += self.uniques[i] - before
        others = len(self.attributes) - 1
        number = np.array([math.comb(others, size) for size in range(self.up_to)])
        gains = (rises / number / self.n).mean(axis=1).tolist()
        alone = (self._at(self._place[(a,)]) for a in range(len(self.attributes)))
        rows = list(zip(self.attributes, gains, alone, strict=True))
        return sorted(rows, key=lambda row: (-row[1], row[2].pairs))

    def _least(self, i: int, reaches: NDArray[np.bool_]) -> bool:
        # the ratios never fall when an attribute is added: no smaller subset has to be looked at
        below = (rest for _, rest in _without_one(self.sets[i]) if rest)
        return not any(reaches[self._place[rest]] for rest in below)

    def _names(self, i: int) -> tuple[str, ...]:
        return tuple(self.attributes[a] for a in self.sets[i])

    def _at(self, i: int) -> Candidate:
        figures = int(self.classes[i]), int(self.uniques[i]), int(self.pairs[i])
        return Candidate(self._names(i), self.n, *figures)


def _without_one(chosen: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Each attribute of a set, and the rest of it."""
    return ((a, chosen[:at] + chosen[at + 1 :]) for at, a in enumerate(chosen))


def _percent(ratio: float) -> str:
    """A ratio as a percentage that is never rounded to all."""
    return ">99.9%" if 0.9995 < ratio < 1 else f"{ratio:.1%}"


def _braced(candidate: Candidate) -> str:
    return "{" + ", ".join(candidate.attributes) + "}"


def _limit_problems(limits: dict[str, Any]) -> list[Problem]:
    if not limits:
        what = "no ratio to reach is given."
        return [
            Problem(
                "P51",
                what,
                f"Give {argument('separation')}, {argument('distinct')} or "
                f"{argument('unique')}, such as 0.95.",
            )
        ]
    return [
        Problem("P51", f"{argument(name)} is not a number from 0 to 1.", "Give for example 0.95.")
        for name, limit in limits.items()
        if not (is_number(limit) and 0 <= limit <= 1)
    ]


# -- counting the sets -----------------------------------------------------------------------------


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
        Provenance.of(data, counted=chosen),
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
    problems = unknown_columns([data], chosen, "attribute")
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
