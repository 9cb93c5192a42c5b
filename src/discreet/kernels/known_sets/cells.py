"""Reach and spent per cell of one union: what remains to be done after its records are counted; and
of every record.

reach = Σ PK/count and spent = Σ PK · S/count over the known sets of the union. Cells are the
distinct combinations of codes with their counts, as a frequency set or a GROUP BY gives them; the
sums of a cell do not depend on the order of the cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Advance, Array, Columns, Each, Set, Weights
from discreet.kernels.known_sets.counts import (
    Packer,
    Stretches,
    add_values,
    effective,
    stretches,
    table_sums,
    totals,
)
from discreet.kernels.known_sets.refinement import deal, tree
from discreet.kernels.known_sets.unions import SetProgress, Union, unions
from discreet.kernels.packing import pack


def cells(
    union: Union,
    codes: Sequence[Array],
    counts: Ints,
    cardinalities: Sequence[int],
    sets: Sequence[Set],
    pk: Floats,
    weights: Weights,
) -> tuple[Floats, Floats]:
    """Return reach and spent of each cell.

    Parameters
    ----------
    union : its `members` number the known sets
    codes : one column per attribute of the union, in its order
    counts : records per cell
    cardinalities, weights : per attribute of the file; a weight is W(A) · W(value) by code, or None
    sets, pk : all known sets and their PK

    Examples
    --------
    >>> union = Union((0, 1), members=(1, 2, 3), table=True)
    >>> sets, pk = [(), (0,), (1,), (0, 1)], np.array([1, 0.5, 0.8, 0.4])
    >>> codes, counts = [np.array([0, 0, 1]), np.array([0, 1, 1])], np.array([1, 1, 2])
    >>> reach, spent = cells(union, codes, counts, [2, 2], sets, pk, [None, np.array([0.0, 1.0])])
    >>> reach.round(3).tolist()
    [1.45, 0.917, 0.717]
    >>> spent.round(3).tolist()
    [0.0, 0.667, 0.467]
    """
    if union.table:  # the cells are laid out in it, so that sums are added as everywhere else
        radices = [int(cardinalities[a]) for a in union.attributes]
        place, _ = pack(codes, radices)
        table = np.zeros(prod(radices), dtype=np.int64)
        table[place] = counts
        sums = [one[place] for one in table_sums(table, union, cardinalities, sets, pk, weights)]
        return sums[0], sums[1] if len(sums) > 1 else np.zeros(len(counts))
    reach, spent = np.zeros(len(counts)), np.zeros(len(counts))
    columns = dict(zip(union.attributes, codes, strict=True))
    refined_sums(union, columns, counts, cardinalities, sets, pk, weights, reach, spent)
    return reach, spent


def refined_sums(
    union: Union,
    columns: Mapping[int, Array] | Columns,
    counts: Ints | None,
    cardinalities: Sequence[int],
    sets: Sequence[Set],
    pk: Floats,
    weights: Weights,
    reach: Floats,
    spent: Floats,
    each: Each = map,
) -> None:
    """Add the sums of a union that is refined to `reach` and `spent`, part after part.

    `counts` of None: every row is a record. `each` may map parts in several threads.
    """
    dealt = deal(columns, cardinalities, union.attributes, weights, counts)
    top = tree({i: sets[i] for i in union.members}, union.attributes)

    def add(bounds: tuple[int, int]) -> None:
        part = dealt.part(bounds)
        own_reach, own_spent = np.zeros(len(part.rows)), np.zeros(len(part.rows))

        def visit(member: int, sensitivity: Floats | None) -> None:
            if sensitivity is None:
                _add_reach(part.sizes, pk[member], own_reach)
            else:
                _add_both(part.sizes, pk[member], sensitivity, own_reach, own_spent)

        part.visit(top, visit)
        _scatter(part.rows, own_reach, reach)
        if dealt.weights:
            _scatter(part.rows, own_spent, spent)

    for _ in each(add, dealt.bounds()):
        pass


# The numpy error model divides without a test for 0, which would keep the loops from vectorising.
@njit(cache=True, nogil=True, error_model="numpy")
def _add_reach(sizes, pk, reach):  # type: ignore[no-untyped-def]
    for i in range(sizes.size):
        reach[i] += pk / sizes[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _add_both(sizes, pk, sensitivity, reach, spent):  # type: ignore[no-untyped-def]
    for i in range(sizes.size):
        share = pk / sizes[i]
        reach[i] += share
        spent[i] += share * sensitivity[i]


@njit(cache=True, nogil=True)
def _scatter(rows, part, total):  # type: ignore[no-untyped-def]
    for i in range(rows.size):
        total[np.uint32(rows[i])] += part[i]


# -- Reach, spent and total sensitivity of every record, from columns of codes in memory -----------
#
# Each union is counted once over the records, and looked up once. Counts are whole numbers, and a
# record adds up its unions in their order: neither the order of the records nor the number of
# threads matters.


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
    sets, pk : the known sets and their PK (see ``known_sets``)
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
                (counts,) = packer.counted(union.attributes)
                sums = table_sums(counts, union, cardinalities, sets, pk, weights)
                _look_up(packer.packed, sums, over, reach, spent)
            else:
                known, each = (cardinalities, sets, pk, weights), done.within(union, over.each)
                refined_sums(union, columns, None, *known, reach, spent, each)
            done.add(union)
        total = totals(columns, weights, over)
    return reach, spent, total


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
