"""Candidates for keys: which sets of attributes tell the records apart.

The threat is an intruder who knows more of a person than the owner thought of. Two ratios say how
near a set of attributes comes to naming every record: its *distinct ratio*, classes per record, and
its *separation ratio*, the share of the pairs of records that differ in at least one of its
attributes; 1 − Σ f(f − 1) / (n(n − 1)) for classes of size f. Both never fall when an attribute is
added, and neither does the share of records that are alone in their class.
Motwani & Xu (2007), Efficient algorithms for masking and finding quasi-identifiers, section 1.1.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data import attributes
from discreet.data.attributes import unknown_column
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.parameters import is_number
from discreet.results import Provenance, Result
from discreet.surface import advice, function, said
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Ints
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
        lines += advice(
            "Next: ask of each of these sets whether an intruder can know it, name its attributes "
            f"with {argument('keys', written='keys=[…]')}, and see {function('risk', 'data')}."
        )
        return "\n".join(lines)

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """As plain values, for JSON; the first ``most`` sets of the candidates, or all."""
        chosen = self._order if most is None else self._order[:most]
        return {
            "n": self.n,
            "up_to": self.up_to,
            "attributes": list(self.attributes),
            "left_out": list(self.left_out),
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
        differ = "differs" if len(alone) == 1 else "differ"
        named = f"consider naming it in {argument('identifiers')}."
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
