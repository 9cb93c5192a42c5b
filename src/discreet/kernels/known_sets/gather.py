"""Reach, spent and total sensitivity of every record, from columns of codes in memory.

Each union is counted once over the records, and looked up once. Counts are whole numbers, and a
record adds up its unions in their order: neither the order of the records nor the number of
threads matters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Advance, Columns, Set, Weights
from discreet.kernels.known_sets.cells import refined_sums
from discreet.kernels.known_sets.counts import (
    Packer,
    Stretches,
    add_values,
    effective,
    stretches,
    totals,
)
from discreet.kernels.known_sets.tables import table_sums
from discreet.kernels.known_sets.unions import SetProgress, Union, unions


def record_sums(
    columns: Columns,
    cardinalities: Sequence[int],
    sets: Sequence[Set],
    pk: Floats,
    weights: Weights,
    *,
    threads: int = 2,
    advance: Advance | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Return reach, spent and total per record: D = α · (total · reach − spent).

    Parameters
    ----------
    columns : one array of codes per attribute, 0 ≤ code < cardinality, of any integer type
    cardinalities : number of values, per attribute
    sets, pk : the known sets and their PK (see ``enumeration``)
    weights : per attribute, W(A) · W(value) by code, or None if all are 0
    threads : the result does not depend on it
    advance : called with the number of sets that are done, and of all

    Examples
    --------
    >>> age, sex, income = np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> sets, pk = [(), (0,), (1,), (0, 1)], np.array([1, 0.5, 0.8, 0.4])
    >>> weights = [None, None, np.array([0.2, 1.0])]
    >>> reach, spent, total = record_sums([age, sex, income], [2, 2, 2], sets, pk, weights)
    >>> (total * reach - spent).round(3).tolist()
    [0.327, 1.383, 1.783]
    """
    n = len(columns[0])
    columns, weights = [np.ascontiguousarray(c) for c in columns], effective(weights)
    empty = sum(float(p) for known, p in zip(sets, pk, strict=True) if not known)
    reach, spent = np.full(n, empty / max(n, 1)), np.zeros(n)
    plan = unions(sets, cardinalities, n)
    done = SetProgress(advance, len(sets), plan)
    with stretches(n, threads) as over:
        packer = Packer(columns, cardinalities, over, np.empty(n, np.uint32))
        for union in plan:
            if union.table:
                sums = _table(union, packer, sets, pk, weights)
                _look_up(packer.packed, sums, over, reach, spent)
            else:
                known, each = (cardinalities, sets, pk, weights), done.within(union, over.each)
                refined_sums(union, columns, None, *known, reach, spent, each)
            done.add(union)
        total = totals(columns, weights, over)
    return reach, spent, total


def _table(
    union: Union, packer: Packer, sets: Sequence[Set], pk: Floats, weights: Weights
) -> list[Floats]:
    (counts,) = packer.counted(union.attributes)
    likely = {sets[i]: float(pk[i]) for i in union.members}
    return table_sums(counts, union.attributes, packer.cardinalities, likely, weights)


def _look_up(
    packed: NDArray[np.uint32], sums: list[Floats], over: Stretches, reach: Floats, spent: Floats
) -> None:
    """Add to each record what its cell has; both sums lie side by side, to be read together."""
    pairs = np.column_stack(sums) if len(sums) > 1 else None

    def add(rows: slice) -> None:
        if pairs is None:
            add_values(packed[rows], sums[0], reach[rows])
        else:
            _add_pair(packed[rows], pairs, reach[rows], spent[rows])

    list(over.each(add, over.slices))


@njit(cache=True, nogil=True)
def _add_pair(packed, sums, reach, spent):  # type: ignore[no-untyped-def]
    for i in range(packed.size):
        reach[i] += sums[packed[i], 0]
        spent[i] += sums[packed[i], 1]
