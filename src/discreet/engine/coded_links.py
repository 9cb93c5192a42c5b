"""Records of two files that are held here, linked: the twins of :mod:`discreet.engine.links`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.engine.coded_counts import columns_of
from discreet.engine.coded_records import found_at
from discreet.engine.held import held_of

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.engine.links import Pair


def linked_values(pair: Pair, link: tuple[str, str], names: Sequence[str]) -> pa.Table | Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = held_of(pair.masked)[link[1]].cells
    places = found_at(ids, held_of(pair.initial)[link[0]].cells)
    if places is NotImplemented:
        return NotImplemented
    here = np.flatnonzero(places >= 0)
    if link[1] != pair.masked.row:  # else they stand in the order of their ids
        here = here[pc.sort_indices(ids.take(pa.array(here))).to_numpy()]
    x, y = columns_of(pair.initial, names), columns_of(pair.masked, names)
    columns = [
        *(column.cells.take(pa.array(here)) for column in y),
        *(column.cells.take(pa.array(places[here])) for column in x),
    ]
    return pa.Table.from_arrays(
        columns, names=[f"{side}{i}" for side in "yx" for i in range(len(names))]
    )
