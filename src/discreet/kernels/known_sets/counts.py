"""Counting records into a full table, in blocks that stay in the cache and in several threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Array, Columns, Each

_BLOCK = 2**15
_STRETCH = 2**17  # fewer records are not worth another thread


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
