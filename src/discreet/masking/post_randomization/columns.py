"""The columns of a post-randomization: their categories, the flows between these, and what each
record becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet.errors import DiscreetError, Problem, argument, raise_all
from discreet.frequency.frequency_set import coded
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.kernels import exchanges
from discreet.kernels.draws import mixed, stream, uniforms
from discreet.masking.perturbation import DrawnRecords
from discreet.masking.post_randomization.transition import Transition
from discreet.surface import function

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats, Ints

_MOST = 1000  # categories: the matrix has as many rows and columns, in every stratum


@dataclass(frozen=True)
class ChangeRequest:
    """What is asked of every column.

    ``within`` holds hierarchies and levels, ``every`` says that all categories must be named.
    """

    keep: float
    exact: bool
    near: str
    within: Mapping[str, tuple[Hierarchy, int]]
    diagonals: Mapping[str, Mapping[Any, float]]
    every: bool


@dataclass(frozen=True)
class ChangedColumn:
    """A column after the changes."""

    values: pa.Array
    changed: int
    transition: Transition


def all_changed(
    found: DrawnRecords, columns: Sequence[str], asked: ChangeRequest
) -> dict[str, ChangedColumn]:
    """All columns; what is wrong with any of them is said at once."""
    done, problems = {}, list[Problem]()
    for name in columns:
        own = CategoryColumn.of(found, name, asked, problems)
        if not problems:
            done[name] = own.changed(found, asked)
    raise_all(problems)
    return done


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column in codes, with the flows of each stratum.

    Attributes
    ----------
    values : array
        The categories, in order.
    codes : array
        The category of each record; the number of categories where it is missing.
    parts : list of arrays
        The places of the records of each stratum that have a value.
    counts : matrix
        Records by stratum and category.
    flows : list of matrices
        By stratum, among the categories that occur there.
    keep : array
        The least share of each category that stays.
    """

    name: str
    values: pa.Array
    codes: Ints
    parts: list[Ints]
    counts: Ints
    flows: list[Floats]
    keep: Floats

    @classmethod
    def of(
        cls, found: DrawnRecords, name: str, asked: ChangeRequest, problems: list[Problem]
    ) -> CategoryColumn:
        """Code a column and find its flows; what is wrong is added to the problems."""
        values, ranks = coded(found[name], found.data.types.scale(name))
        values = values.drop_null()
        codes, size = ranks.astype(np.int64), len(values)
        parts = [part[codes[part] < size] for part in found.strata]
        counts = np.array([np.bincount(codes[part], minlength=size) for part in parts])
        keep, wrong = _keeps(name, values, asked)
        affinity, more = _affinity(name, values, counts.sum(axis=0), asked)
        problems += [*wrong, *more, *_size_problems(name, counts, found.by, asked)]
        flows = [] if problems else _flows(name, counts, affinity, keep, asked, problems)
        return cls(name, values, codes, parts, counts, flows, keep)

    def changed(self, found: DrawnRecords, asked: ChangeRequest) -> ChangedColumn:
        """Draw what each record becomes."""
        size, of = len(self.values), stream("pram", self.name)
        after, matrices = self.codes.copy(), np.tile(np.eye(size), (len(self.parts), 1, 1))
        draws: Any = mixed(found.hashes, of) if asked.exact else uniforms(found.hashes, of)
        for number, part in enumerate(self.parts):
            there = np.flatnonzero(self.counts[number])
            if not len(there):
                continue
            local, sizes = np.searchsorted(there, self.codes[part]), self.counts[number][there]
            flows: Any = self.flows[number]
            if asked.exact:
                flows = exchanges.whole_flows(sizes, flows, self.keep[there])
                made = exchanges.exchanged(local, flows, draws[part])
            matrix = exchanges.matrix(sizes, flows)
            if not asked.exact:
                made = exchanges.drawn(local, exchanges.cumulated(matrix), draws[part])
            after[part] = there[made]
            matrices[number][np.ix_(there, there)] = matrix
        masked = self.values.take(pa.array(after, mask=after == size))
        moved = int((after != self.codes).sum())
        return ChangedColumn(
            masked, moved, self._transition(found, matrices, after, exact=asked.exact)
        )

    def _transition(
        self, found: DrawnRecords, matrices: Floats, after: Ints, *, exact: bool
    ) -> Transition:
        size = len(self.values)
        released = np.array([np.bincount(after[p], minlength=size) for p in self.parts])
        first = [int(part[0]) for part in found.strata]
        strata = found.table.select(list(found.by)).take(first) if found.by else None
        return Transition(
            self.name,
            tuple(self.values.to_pylist()),
            found.by,
            strata,
            matrices,
            self.counts,
            released,
            exact,
            found.data.source.kind,
        )


def _flows(
    name: str,
    counts: Ints,
    affinity: Floats,
    keep: Floats,
    asked: ChangeRequest,
    problems: list[Problem],
) -> list[Floats]:
    """The flows of every stratum, among the categories that occur there."""
    made, impossible = [], 0
    for own in counts:
        there = np.flatnonzero(own)
        close = affinity[np.ix_(there, there)]
        if not len(there):  # all are missing
            made.append(close)
        elif name in asked.diagonals:
            found = exchanges.flows_for_all(own[there], close, keep[there])
            impossible += found is None
            made.append(np.zeros_like(close) if found is None else found)
        else:
            made.append(exchanges.flows_for_least(own[there], close, asked.keep))
    if impossible:
        where = f" in {impossible:,} of {len(counts):,} strata" if len(counts) > 1 else ""
        what = f"a category of {name!r} would have to give more records than the others can take"
        remedy = "Keep more of the most frequent category, or less of the others."
        problems.append(Problem("D49", f"{what}{where}.", remedy))
    return made


def _affinity(
    name: str, values: pa.Array, counts: Ints, asked: ChangeRequest
) -> tuple[Floats, list[Problem]]:
    """How readily two categories are exchanged, beside their frequency."""
    size = len(values)
    found: Floats = np.ones((size, size))
    if asked.near == "near":
        found = np.power(0.5, abs(np.subtract.outer(np.arange(size), np.arange(size))))
    if name in asked.within:
        hierarchy, level = asked.within[name]
        try:
            fitted = hierarchy.fit(name, values, counts)
        except DiscreetError as error:
            return found, list(error.problems)
        if not 0 < level <= fitted.height:
            what = f"the hierarchy of {name!r} has no level {level}."
            return found, [Problem("P24", what, f"Give one from 1 to {fitted.height}.")]
        group = fitted.maps[level]
        found = found * (group == group[:, None])
    return found, []


def _keeps(name: str, values: pa.Array, asked: ChangeRequest) -> tuple[Floats, list[Problem]]:
    """The probability to stay of each category, which are named by their values or as text."""
    given = asked.diagonals.get(name)
    if given is None:
        return np.full(len(values), asked.keep), []
    texts = {str(category): float(one) for category, one in given.items()}
    held = [str(value) for value in values.to_pylist()]
    unknown, absent = len(set(texts) - set(held)), len(set(held) - set(texts))
    problems = []
    if unknown:
        what = f"{unknown:,} of the categories named for {name!r}"
        problems.append(Problem("D40", f"{what} do not occur.", "Name those that do."))
    if absent and asked.every:
        what = f"{absent:,} of {len(held):,} categories of {name!r} have no probability to stay."
        remedy = (
            f"List all, or list these in {argument('diagonals')} and give {argument('keep')} a "
            "number for the others."
        )
        problems.append(Problem("D40", what, remedy))
    return np.array([texts.get(one, asked.keep) for one in held]), problems


def _size_problems(
    name: str, counts: Ints, by: tuple[str, ...], asked: ChangeRequest
) -> list[Problem]:
    """Too many categories, or too few to exchange."""
    if counts.shape[1] > _MOST:
        what = f"{name!r} has {counts.shape[1]:,} categories, more than {_MOST:,}."
        return [Problem("N16", what, f"Group them first, with {function('generalize', '…')}.")]
    if not counts.any():
        return [Problem("D07", f"{name!r} has no value at all.", "Leave the column out.")]
    if asked.keep == 1 and name not in asked.diagonals:
        return []
    alone = int(((counts > 0).sum(axis=1) == 1).sum())
    if not alone:
        return []
    if not by:
        what = f"{name!r} has one value, which cannot become another."
        return [Problem("D07", what, "Leave the column out.")]
    what = f"{alone:,} of {len(counts):,} strata by {', '.join(map(repr, by))} have one value of "
    return [Problem("D07", f"{what}{name!r}, which cannot become another.", "Merge small strata.")]
