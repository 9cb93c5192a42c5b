"""Counting records into a full table, in blocks that stay in the cache and in several threads; and
the counts of smaller sets from such a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import frexp, prod

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Array, Columns, Each, Set, Weights, Whole
from discreet.kernels.known_sets.unions import Union

_BLOCK = 2**15
_STRETCH = 2**17  # fewer records are not worth another thread
_BITS = 62


@dataclass(frozen=True)
class Stretches:
    """The records in as many stretches as there are threads, and a map that uses the threads."""

    slices: list[slice]
    each: Each

    def blocks(self, of: slice) -> Iterator[slice]:
        """The blocks of a stretch."""
        for start in range(of.start, of.stop, _BLOCK):
            yield slice(start, min(start + _BLOCK, of.stop))


@contextmanager
def stretches(n: int, threads: int) -> Iterator[Stretches]:
    """Divide n records among threads, if they are worth it."""
    number = max(1, min(threads, n // _STRETCH))
    edges = [n * i // number for i in range(number + 1)]
    slices = [slice(a, b) for a, b in pairwise(edges)]
    if number == 1:
        yield Stretches(slices, map)
        return
    with ThreadPoolExecutor(number) as pool:
        yield Stretches(slices, pool.map)


@dataclass(frozen=True)
class Packer:
    """Records packed by the codes of some attributes, counted per cell.

    `packed` has room for one number per record, and is written anew for each union.
    """

    columns: Columns
    cardinalities: Sequence[int]
    over: Stretches
    packed: NDArray[np.uint32]

    def counted(self, attributes: Sequence[int], amounts: Ints | None = None) -> list[Ints]:
        """The records of each cell; also the sum of their amounts, where these are given."""
        cells = prod(int(self.cardinalities[a]) for a in attributes)

        def count(rows: slice) -> list[Array]:
            tables: list[Array] = [np.zeros(cells, np.int32)]
            tables += [] if amounts is None else [np.zeros(cells, np.int64)]
            for block in self.over.blocks(rows):
                packed = self._pack(attributes, block)
                _tally(packed, tables[0])
                if amounts is not None:
                    _sum(packed, amounts[block], tables[1])
            return tables

        found = list(self.over.each(count, self.over.slices))
        return [np.sum(tables, axis=0, dtype=np.int64) for tables in zip(*found, strict=True)]

    def _pack(self, attributes: Sequence[int], block: slice) -> NDArray[np.uint32]:
        packed = self.packed[block]
        packed[:] = self.columns[attributes[0]][block]
        for a in attributes[1:]:
            _append(packed, self.columns[a][block], np.uint32(self.cardinalities[a]))
        return packed


@njit(cache=True, nogil=True)
def _append(packed, column, radix):  # type: ignore[no-untyped-def]
    """Make each code another digit of what is packed."""
    for i in range(packed.size):
        packed[i] = packed[i] * radix + np.uint32(column[i])


@njit(cache=True, nogil=True)
def _tally(packed, cells):  # type: ignore[no-untyped-def]
    """Count the records of each cell."""
    for i in range(packed.size):
        cells[packed[i]] += np.int32(1)


@njit(cache=True, nogil=True)
def _sum(packed, amounts, cells):  # type: ignore[no-untyped-def]
    for i in range(packed.size):
        cells[packed[i]] += amounts[i]


# -- Sensitivity: the weights W(A) · W(value) of a record's values, added up -----------------------
#
# T(r) is that of all values, S of those in a known set; both are added in the order of the
# attributes. Weights are floats, or whole numbers where a sum over records must not depend on their
# order.


def effective(weights: Weights) -> list[Floats | None]:
    """Weights as floats; a table of zeros is none."""
    return [None if w is None or not np.any(w) else np.asarray(w, np.float64) for w in weights]


def whole_weights(weights: Weights, n: int) -> tuple[list[Ints | None], int]:
    """Weights as multiples of 2^−bits, such that a sum over n records stays below 2^62.

    Examples
    --------
    >>> whole, bits = whole_weights([None, np.array([0.0, 1.0, 0.3])], n=1_000_000)
    >>> bits
    42
    >>> (whole[1] / 2**bits).round(12).tolist()
    [0.0, 1.0, 0.3]
    """
    most = sum(float(np.max(w)) for w in weights if w is not None)
    bits = _BITS - frexp(most * max(n, 1))[1]
    scaled = [None if w is None else np.ldexp(np.asarray(w, np.float64), bits) for w in weights]
    return [None if w is None else np.rint(w).astype(np.int64) for w in scaled], bits


def totals(columns: Columns, weights: Weights | Whole, over: Stretches) -> Array:
    """T of each record."""
    given = [(c, w) for c, w in zip(columns, weights, strict=True) if w is not None]
    total = np.zeros(len(columns[0]), given[0][1].dtype if given else np.float64)

    def add_up(rows: slice) -> None:
        for block in over.blocks(rows):
            for column, values in given:
                add_values(column[block], values, total[block])

    list(over.each(add_up, over.slices))
    return total


def in_set(known: Set, cardinalities: Sequence[int], weights: Weights | Whole) -> Array:
    """S of each combination of codes in a known set, the last attribute running fastest."""
    total: Array = np.zeros(1, dtype=np.int64)
    for a in known:
        values = weights[a]
        own = np.zeros(cardinalities[a], dtype=np.int64) if values is None else values
        total = np.add.outer(total, own).ravel()
    return total


@njit(cache=True, nogil=True)
def add_values(column, values, total) -> None:  # type: ignore[no-untyped-def]
    """Add the weight of each code."""
    for i in range(column.size):
        total[i] += values[column[i]]


# -- Known sets in a full table of counts: one cell per combination of codes -----------------------
#
# Attributes are summed out one after the other, the one with most values first, so that the counts
# of each set come from a table that is already small. On the way back each table adds to its cells
# what the smaller ones found for them. The order of all additions follows from the attributes and
# their cardinalities alone.


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
    union: Union,
    cardinalities: Sequence[int],
    sets: Sequence[Set],
    pk: Floats,
    weights: Weights,
) -> list[Floats]:
    """Reach and spent per cell; reach alone where no attribute of the sets is sensitive.

    Parameters
    ----------
    counts : records per cell; of the attributes of the union the last runs fastest
    cardinalities : of all attributes
    sets, pk : all known sets and their PK
    weights : per attribute, the sensitivity of each value or None
    """
    likely = {sets[i]: float(pk[i]) for i in union.members}
    sensitive = any(weights[a] is not None for known in likely for a in known)

    def visit(known: Set, tables: list[Ints]) -> list[Floats]:
        share = np.zeros(tables[0].size)
        _shares(tables[0], likely[known], share)
        spent = [share * in_set(known, cardinalities, weights)] if sensitive else []
        return [share, *spent]

    return RollUp(cardinalities, visit).run([counts], union.attributes, list(likely))


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
