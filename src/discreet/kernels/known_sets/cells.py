"""Reach and spent per cell of one union: what remains to be done after its records are counted.

reach = Σ PK/count and spent = Σ PK · S/count over the known sets of the union. Cells are the
distinct combinations of codes with their counts, as a frequency set or a GROUP BY gives them; the
sums of a cell do not depend on the order of the cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Array, Columns, Each, Set, Weights
from discreet.kernels.known_sets.refinement import deal, tree
from discreet.kernels.known_sets.tables import table_sums
from discreet.kernels.known_sets.unions import Union
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
    if union.table:
        return _from_table(union, codes, counts, cardinalities, sets, pk, weights)
    reach, spent = np.zeros(len(counts)), np.zeros(len(counts))
    columns = dict(zip(union.attributes, codes, strict=True))
    refined_sums(union, columns, counts, cardinalities, sets, pk, weights, reach, spent)
    return reach, spent


def _from_table(
    union: Union,
    codes: Sequence[Array],
    counts: Ints,
    cardinalities: Sequence[int],
    sets: Sequence[Set],
    pk: Floats,
    weights: Weights,
) -> tuple[Floats, Floats]:
    """Lay the cells out in a full table, so that sums are added as everywhere else."""
    radices = [int(cardinalities[a]) for a in union.attributes]
    place, _ = pack(codes, radices)
    table = np.zeros(prod(radices), dtype=np.int64)
    table[place] = counts
    likely = {sets[i]: pk[i] for i in union.members}
    sums = table_sums(table, union.attributes, cardinalities, likely, weights)
    reach = sums[0][place]
    return reach, sums[1][place] if len(sums) > 1 else np.zeros_like(reach)


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
