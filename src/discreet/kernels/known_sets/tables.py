"""Known sets in a full table of counts: one cell per combination of codes.

Attributes are summed out one after the other, the one with most values first, so that the counts
of each set come from a table that is already small. On the way back each table adds to its cells
what the smaller ones found for them. The order of all additions follows from the attributes and
their cardinalities alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Set, Weights
from discreet.kernels.known_sets.counts import in_set


@dataclass(frozen=True)
class RollUp:
    """Sum tables up for each known set, and spread what is found there over the cells.

    Attributes
    ----------
    cardinalities : of all attributes
    visit : called with each set and its tables, of one cell per class; what it returns, arrays
        of one value per class or none, is spread
    """

    cardinalities: Sequence[int]
    visit: Callable[[Set, list[Ints]], list[Floats]]

    def run(self, tables: list[Ints], attributes: Set, sets: Sequence[Set]) -> list[Floats]:
        """Visit the sets; return the sums of what was found, per cell of the whole table.

        The last of the ascending `attributes` runs fastest in the `tables`.
        """
        falling = sorted(attributes, key=lambda a: (-self.cardinalities[a], a))
        return self._descend(tables, attributes, falling, sets)

    def _descend(
        self, tables: list[Ints], attributes: Set, undecided: Sequence[int], sets: Sequence[Set]
    ) -> list[Floats]:
        """Leave the sets that have an attribute here; send the others one attribute down."""
        found: list[Floats] = []
        for at, a in enumerate(undecided):
            without = [known for known in sets if a not in known]
            if without:
                rest = tuple(b for b in attributes if b != a)
                shape = self._around(a, attributes)
                smaller = [_summed_out(table.reshape(shape)) for table in tables]
                parts = self._descend(smaller, rest, undecided[at + 1 :], without)
                found = found or [np.zeros(tables[0].size) for _ in parts]
                for part, total in zip(parts, found, strict=True):
                    _spread(part.reshape(shape[0], shape[2]), total.reshape(shape))
                sets = [known for known in sets if a in known]
            if not sets:
                return found
        own = self.visit(attributes, tables)
        return [a + b for a, b in zip(found, own, strict=True)] if found else own

    def _around(self, a: int, attributes: Set) -> tuple[int, int, int]:
        """The shape of a table in which one attribute is the middle."""
        place = attributes.index(a)
        before, _, after = attributes[:place], a, attributes[place + 1 :]
        outer, inner = (prod(self.cardinalities[b] for b in side) for side in (before, after))
        return outer, self.cardinalities[a], inner


def table_sums(
    counts: Ints,
    attributes: Set,
    cardinalities: Sequence[int],
    likely: Mapping[Set, float],
    weights: Weights,
) -> list[Floats]:
    """Reach and spent per cell; reach alone where no attribute of the sets is sensitive.

    Parameters
    ----------
    counts : records per cell
    attributes : those of the table, ascending; the last runs fastest
    cardinalities : of all attributes
    likely : the PK of each known set
    weights : per attribute, the sensitivity of each value or None
    """
    sensitive = any(weights[a] is not None for known in likely for a in known)

    def visit(known: Set, tables: list[Ints]) -> list[Floats]:
        share = np.zeros(tables[0].size)
        _shares(tables[0], likely[known], share)
        spent = [share * in_set(known, cardinalities, weights)] if sensitive else []
        return [share, *spent]

    return RollUp(cardinalities, visit).run([counts], attributes, list(likely))


@njit(cache=True, nogil=True)
def _summed_out(table):  # type: ignore[no-untyped-def]
    outer, middle, inner = table.shape
    sums = np.zeros(outer * inner, dtype=np.int64)
    for o in range(outer):
        into = sums[o * inner : (o + 1) * inner]
        for m in range(middle):
            for i in range(inner):
                into[i] += table[o, m, i]
    return sums


@njit(cache=True, nogil=True)
def _spread(part, total):  # type: ignore[no-untyped-def]
    outer, middle, inner = total.shape
    for o in range(outer):
        for m in range(middle):
            for i in range(inner):
                total[o, m, i] += part[o, i]


@njit(cache=True, nogil=True)
def _shares(counts, pk, share):  # type: ignore[no-untyped-def]
    for i in range(counts.size):
        if counts[i] > 0:
            share[i] = pk / counts[i]
