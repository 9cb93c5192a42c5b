"""Counting records into a full table, in blocks that stay in the cache and in several threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
