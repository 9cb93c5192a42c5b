"""Information loss of categorical attributes (nominal and ordinal).

Dist, CTBIL′, ACTBIL′ and EBIL of Domingo-Ferrer & Torra (2001, 2005). *Dist* adds up, over the
cells, 0/1 for nominal attributes and the number of categories apart for ordinal ones. *CTBIL′*
adds up |f − f′|/f over the cells of all contingency tables up to a dimension, and *ACTBIL′*
divides it by the number of cells. *EBIL* adds up, over the cells of the file, the entropy of
the original value given the masked one, estimated from the file.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.packing import fits, pack
from discreet.kernels.summation import total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = Sequence[NDArray[np.int64]]


@dataclass(frozen=True)
class CategoricalLoss:
    """The measures for categorical attributes.

    Attributes
    ----------
    dist : float
        Sum of distances over all cells.
    ctbil, actbil : float
        Variation of all contingency tables, in all and per cell.
    ebil : float
        Entropy of the original values given the masked ones, over all cells, in bits.
    cells : int
        Cells of the contingency tables that occur in the original file.
    appeared : int
        Records in cells that are empty in the original file: no relative variation is defined
        there, and they are left out.
    """

    dist: float
    ctbil: float
    actbil: float
    ebil: float
    cells: int
    appeared: int


def tables_of(attributes: int, dimension: int) -> list[tuple[int, ...]]:
    """The attributes of each contingency table up to a dimension."""
    return [
        chosen
        for size in range(1, min(dimension, attributes) + 1)
        for chosen in itertools.combinations(range(attributes), size)
    ]


def added_up(
    dist: Sequence[float],
    ebil: Sequence[float],
    tables: Sequence[tuple[float, int, int]],
) -> CategoricalLoss:
    """The measures of the file, from those of its attributes and contingency tables."""
    lost, cells = sum(lost for lost, _, _ in tables), sum(number for _, number, _ in tables)
    return CategoricalLoss(
        float(sum(dist)),
        float(lost),
        lost / cells if cells else 0.0,
        float(sum(ebil)),
        cells,
        sum(new for _, _, new in tables),
    )


def attribute_dist(x: NDArray[np.int64], y: NDArray[np.int64], ordinal: bool) -> float:
    """Categories apart for an ordinal attribute, number of changed cells for a nominal one."""
    return float(np.abs(x - y).sum() if ordinal else (x != y).sum())


def attribute_ebil(x: NDArray[np.int64], y: NDArray[np.int64], cardinality: int) -> float:
    """Σ over records of H(V | V′ = v′), in bits."""
    packed, _ = pack([y, x], [cardinality, cardinality])
    pairs, count = np.unique(packed, return_counts=True)
    masked = pairs // cardinality
    size = np.bincount(masked, count)[masked]
    return total(count * np.log2(size / count))


def table_variation(
    x: Codes, y: Codes, cardinalities: Sequence[int], chosen: tuple[int, ...]
) -> tuple[float, int, int]:
    """Σ |f − f′|/f over the cells with f > 0, their number, and the records in new cells."""
    sizes = [cardinalities[a] for a in chosen]
    n = len(x[0])
    if fits(sizes, n):  # then every possible cell is counted, without sorting the records
        cells = math.prod(sizes)
        f, g = (
            np.bincount(pack([side[a] for a in chosen], sizes)[0], minlength=cells)
            for side in (x, y)
        )
    else:
        packed, _ = pack([np.concatenate([x[a], y[a]]) for a in chosen], sizes)
        cell, place = np.unique(packed, return_inverse=True)
        f, g = (np.bincount(part, minlength=len(cell)) for part in (place[:n], place[n:]))
    known = f > 0
    lost = total(np.abs(f - g)[known] / f[known])
    return lost, int(known.sum()), int(g[~known].sum())
