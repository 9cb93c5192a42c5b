"""Information loss of categorical attributes (nominal and ordinal).

Dist, CTBIL′, ACTBIL′ and EBIL of Domingo-Ferrer & Torra (2001, 2005). *Dist* adds up, over the
cells, 0/1 for nominal attributes and the number of categories apart for ordinal ones. *CTBIL′*
adds up |f − f′|/f over the cells of all contingency tables up to a dimension, and *ACTBIL′*
divides it by the number of cells. *EBIL* adds up, over the cells of the file, the entropy of
the original value given the masked one, estimated from the file.

EBIL over the entropy of the original values is the share of the information in the keys that a
masking loses, where a record that is not released loses all of its own. It asks of every masked
value, be it a mean, a label or the value itself, only which original values it may stand for, so
that microaggregation, generalization, suppression and sampling lie on one scale from 0 to 1. For a
generalization it is the non-uniform entropy of Gionis & Tassa (2009); EBIL is from Kooiman,
Willenborg & Gouweleeuw (1998). It does not see how far apart the values are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.link import as_numbers
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.packing import fits, pack
from discreet.kernels.summation import total

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.data.link import Linked
    from discreet.kernels.arrays import Ints

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
    first, second = ([side[a] for a in chosen] for side in (x, y))
    f, g = both_counted(first, second, [cardinalities[a] for a in chosen])
    known = f > 0
    lost = total(np.abs(f - g)[known] / f[known])
    return lost, int(known.sum()), int(g[~known].sum())


def both_counted(x: Codes, y: Codes, sizes: Sequence[int]) -> tuple[Ints, Ints]:
    """How many records are in each cell of a table before, and how many after; some have none."""
    n = len(x[0])
    if fits(sizes, n):  # then every possible cell is counted, without sorting the records
        f, g = (np.bincount(pack(side, sizes)[0], minlength=math.prod(sizes)) for side in (x, y))
        return f, g
    packed, _ = pack([np.concatenate(both) for both in zip(x, y, strict=True)], sizes)
    cell, place = np.unique(packed, return_inverse=True)
    f, g = (np.bincount(part, minlength=len(cell)) for part in (place[:n], place[n:]))
    return f, g


def pairs_by_attribute(
    linked: Linked, names: Sequence[str], x: pa.Table, y: pa.Table
) -> dict[str, pa.Table]:
    """Per attribute the pairs of an initial and a masked value, with their number of records.

    ``x`` and ``y`` hold initial and masked values of some attributes, so that these need not be
    linked again.
    """
    others = [name for name in names if name not in x.column_names]
    compared = linked.compared(others) if others else None
    pairs = {name: _pairs_of_values(x[name], y[name]) for name in names if name not in others}
    if compared is not None:
        pairs |= {name: compared.pairs_of_values(i) for i, name in enumerate(others)}
    return pairs


def is_blind(changed: float, alone: float) -> bool:
    """Whether bits do not see how a number was changed: most of its changed values are in one
    record alone, as after noise, and nothing would count as lost.
    """
    return 2 * alone > changed


def changed_and_alone(pairs: pa.Table) -> tuple[int, int]:
    """Of the pairs of a number: the records with another one than before, and those of them that
    are alone with it.
    """
    x, y = (as_numbers(pairs[side]) for side in "xy")
    n = pairs["n"].to_numpy()
    differs = (x != y) & ~np.isnan(x) & ~np.isnan(y)
    _, place = np.unique(y, return_inverse=True)
    alone = differs & (np.bincount(place, n)[place] == 1)
    return int(n[differs].sum()), int(n[alone].sum())


def _pairs_of_values(x: pa.ChunkedArray, y: pa.ChunkedArray) -> pa.Table:
    """As :meth:`discreet.engine.Compared.pairs_of_values`, of values that are here."""
    import pyarrow as pa

    columns = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in (x, y)]
    both = pa.table(columns, names=["x", "y"])
    counted = both.group_by(["x", "y"], use_threads=False).aggregate([([], "count_all")])
    return counted.rename_columns({"count_all": "n"})


def share_of_bits(by_attribute: Iterable[tuple[float, float, float]]) -> float | None:
    """The share that is lost, from what :func:`bits` gives; None where there are no bits."""
    found = list(by_attribute)
    whole = sum(of_all for of_all, _, _ in found)
    lost = sum(of_all - (released - left_open) for of_all, released, left_open in found)
    return lost / whole if whole > 0 else None


def bits(initial: FrequencySet, pairs: pa.Table) -> tuple[float, float, float]:
    """Bits of an attribute in all initial records, in the released ones, and left open.

    None depends on the order in which the engine gives the pairs.
    """
    import pyarrow.compute as pc

    held = np.log2(initial.n / initial.counts)
    whole = total(initial.counts * held)
    found = FrequencySet.from_arrow(("y", "x"), pairs.select(["y", "x", "n"]))
    place = pc.index_in(found.values[1], value_set=initial.values[0])
    own = held[place.to_numpy(zero_copy_only=False)[found.codes[1]]]
    size = np.bincount(found.codes[0], found.counts)[found.codes[0]]
    left_open = np.log2(size / found.counts)
    return whole, total(found.counts * own), total(found.counts * left_open)
