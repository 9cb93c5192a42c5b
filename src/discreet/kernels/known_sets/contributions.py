"""What each known set, and each attribute as sensitive, adds to the total risk Σ D(r)/α.

A known set KS adds Σ_r PK/count · (T(r) − S_KS(r)): PK times the sum over its classes of the mean
of T − S. An attribute A adds Σ_r w_A(r) · reach(r), less what the sets that know A have in it: PK
times the sum over their classes of w_A. Both add up to the total.

Sums over records are made in whole numbers, so that the order of the records does not matter:
weights are rounded to multiples of 2^−b, with b as large as 62 bits allow (37 for a million
records and 27 sensitive attributes). A set that leaves nothing sensitive unknown adds exactly 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Array, Columns, Each, Set, Weights, Whole
from discreet.kernels.known_sets.counts import (
    Packer,
    RollUp,
    effective,
    in_set,
    stretches,
    totals,
    whole_weights,
)
from discreet.kernels.known_sets.refinement import deal, tree
from discreet.kernels.known_sets.unions import Union, unions

_BITS = 62


def contributions(
    columns: Columns,
    cardinalities: Sequence[int],
    sets: Sequence[Set],
    pk: Floats,
    weights: Weights,
    reach: Floats,
    *,
    threads: int = 2,
) -> tuple[Floats, Floats]:
    """Return the parts of Σ D(r)/α by known set, and by attribute as sensitive.

    Parameters are those of ``gather.record_sums``; `reach` is what it returned.

    Examples
    --------
    >>> from discreet.kernels.known_sets.cells import record_sums
    >>> columns, radices = [np.array([0, 1, 1]), np.array([0, 1, 2])], [2, 3]
    >>> known = [(), (0,)], np.array([1, 0.5]), [None, np.array([0.25, 1, 0.5])]
    >>> reach, _, _ = record_sums(columns, radices, *known)
    >>> by_set, by_attribute = contributions(columns, radices, *known, reach)
    >>> by_set.round(4).tolist(), by_attribute.round(4).tolist()
    ([0.5833, 0.5], [0.0, 1.0833])
    """
    n, columns = len(columns[0]), [np.ascontiguousarray(column) for column in columns]
    weights = effective(weights)
    whole, bits = whole_weights(weights, n)
    open_, told = np.zeros(len(sets)), np.zeros((len(sets), len(columns)))
    plan = unions(sets, cardinalities, n)
    with stretches(n, threads) as over:
        amounts = totals(columns, whole, over).astype(np.int64, copy=False)
        open_[[not known for known in sets]] = amounts.sum() / max(n, 1)
        packer = Packer(columns, cardinalities, over, np.empty(n, np.uint32))
        for union in plan:
            at = list(union.members)
            if union.table:
                tables = packer.counted(union.attributes, amounts)
                open_[at], told[at] = _of_table(union, tables, cardinalities, sets, whole)
            else:
                parts = _of_parts(union, columns, amounts, cardinalities, sets, whole, over.each)
                open_[at], told[at] = parts
    share = np.ldexp(pk, -bits)
    as_sensitive = np.array([_reached(*own, reach) for own in zip(columns, weights, strict=True)])
    return share * open_, as_sensitive - share @ told


def _of_table(
    union: Union,
    tables: list[Ints],
    cardinalities: Sequence[int],
    sets: Sequence[Set],
    whole: Whole,
) -> tuple[Floats, Floats]:
    number = {sets[member]: i for i, member in enumerate(union.members)}
    open_, told = np.zeros(len(number)), np.zeros((len(number), len(whole)))

    def visit(known: Set, found: list[Ints]) -> list[Floats]:
        counts, amounts = found
        present = counts > 0
        left = amounts - counts * in_set(known, cardinalities, whole)
        open_[number[known]] = np.sum(left[present] / counts[present])
        for a, values in _told_in(known, whole).items():
            classes = present.reshape([cardinalities[b] for b in known])
            others = tuple(i for i, b in enumerate(known) if b != a)
            told[number[known], a] = classes.sum(axis=others) @ values
        return []

    RollUp(cardinalities, visit).run(tables, union.attributes, list(number))
    return open_, told


def _of_parts(
    union: Union,
    columns: Columns,
    amounts: Ints,
    cardinalities: Sequence[int],
    sets: Sequence[Set],
    whole: Whole,
    each: Each,
) -> tuple[Floats, Floats]:
    number = {member: i for i, member in enumerate(union.members)}
    dealt = deal(columns, cardinalities, union.attributes, whole)
    top = tree({member: sets[member] for member in number}, union.attributes)

    def shares(bounds: tuple[int, int]) -> Ints:
        part = dealt.part(bounds)
        own, found = amounts[part.rows], np.zeros((len(number), len(whole) + 1), np.int64)

        def visit(member: int, spent: Ints | None) -> None:
            row = found[number[member]]
            row[-1] = _open(own, spent, part.sizes)
            for a in _told_in(sets[member], whole):
                row[a] = _told(part.codes[a], part.weights[a], part.sizes)

        part.visit(top, visit)
        return found

    found = sum(each(shares, dealt.bounds()), np.zeros((len(number), len(whole) + 1), np.int64))
    return found[:, -1].astype(np.float64), found[:, :-1].astype(np.float64)


def _told_in(known: Set, whole: Whole) -> dict[int, Ints]:
    """The sensitive attributes of a known set."""
    return {a: values for a in known if (values := whole[a]) is not None}


def _reached(column: Array, values: Floats | None, reach: Floats) -> float:
    """Σ w · reach over the records."""
    if values is None or not len(reach):
        return 0.0
    bits = _BITS - frexp(float(values.max() * reach.max() * len(reach)))[1]
    return float(np.ldexp(float(_weighted(column, np.ldexp(values, bits), reach)), -bits))


# Rounded to whole numbers, the summands can be added in any order.
@njit(cache=True, nogil=True, error_model="numpy")
def _open(amounts, spent, sizes):  # type: ignore[no-untyped-def]
    """Σ over rows of the records' T − S, by the size of their class."""
    total = np.int64(0)
    for i in range(sizes.size):
        left = amounts[i]
        if spent is not None:
            left -= spent[i]
        total += np.int64(np.rint(left / sizes[i]))
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _told(codes, values, sizes):  # type: ignore[no-untyped-def]
    """Σ over rows of the records' w_A, by the size of their class."""
    total = np.int64(0)
    for i in range(sizes.size):
        total += np.int64(np.rint(values[codes[i]] / sizes[i]))
    return total


@njit(cache=True, nogil=True)
def _weighted(column, values, reach):  # type: ignore[no-untyped-def]
    total = np.int64(0)
    for i in range(column.size):
        total += np.int64(np.rint(values[column[i]] * reach[i]))
    return total
