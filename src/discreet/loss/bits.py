"""The share of the information in the keys that a masking loses: one measure for every masking.

EBIL, the entropy of the original values given the masked ones, over the entropy of the original
values; a record that is not released loses all of its own. It asks of every masked value, be it
a mean, a label or the value itself, only which original values it may stand for, so that
microaggregation, generalization, suppression and sampling lie on one scale from 0 to 1. For a
generalization it is the non-uniform entropy of Gionis & Tassa (2009); EBIL is from Kooiman,
Willenborg & Gouweleeuw (1998). It does not see how far apart the values are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.summation import total

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.data.link import Linked


def bits_of(
    linked: Linked, names: Sequence[str], x: pa.Table, y: pa.Table
) -> dict[str, tuple[float, float, float]]:
    """Per attribute its bits in all initial records, in the released ones, and those left open.

    ``x`` and ``y`` hold initial and masked values of some attributes, so that these need not be
    linked again.
    """
    others = [name for name in names if name not in x.column_names]
    compared = linked.compared(others) if others else None
    pairs = {name: _pairs_of_values(x[name], y[name]) for name in names if name not in others}
    if compared is not None:
        pairs |= {name: compared.pairs_of_values(i) for i, name in enumerate(others)}
    return {name: _bits(linked.initial.frequency_set([name]), pairs[name]) for name in names}


def _pairs_of_values(x: pa.ChunkedArray, y: pa.ChunkedArray) -> pa.Table:
    """As :meth:`discreet.engine.Compared.pairs_of_values`, of values that are here."""
    import pyarrow as pa

    columns = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in (x, y)]
    both = pa.table(columns, names=["x", "y"])
    counted = both.group_by(["x", "y"], use_threads=False).aggregate([([], "count_all")])
    return counted.rename_columns({"count_all": "n"})


def share_of_bits(by_attribute: Iterable[tuple[float, float, float]]) -> float | None:
    """The share that is lost, from what :func:`bits_of` gives; None where there are no bits."""
    found = list(by_attribute)
    whole = sum(of_all for of_all, _, _ in found)
    lost = sum(of_all - (released - left_open) for of_all, released, left_open in found)
    return lost / whole if whole > 0 else None


def _bits(initial: FrequencySet, pairs: pa.Table) -> tuple[float, float, float]:
    """Bits of an attribute in all initial records, in the released ones, and left open.

    None depends on the order in which the engine gives the pairs.
    """
    import pyarrow.compute as pc

    bits = np.log2(initial.n / initial.counts)
    whole = total(initial.counts * bits)
    found = FrequencySet.from_arrow(("y", "x"), pairs.select(["y", "x", "n"]))
    place = pc.index_in(found.values[1], value_set=initial.values[0])
    own = bits[place.to_numpy(zero_copy_only=False)[found.codes[1]]]
    size = np.bincount(found.codes[0], found.counts)[found.codes[0]]
    left_open = np.log2(size / found.counts)
    return whole, total(found.counts * own), total(found.counts * left_open)
