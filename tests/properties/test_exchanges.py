"""Exchanges of categories: expected counts stay, and the diagonal is what was asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.exchanges import (
    cumulated,
    drawn,
    exchanged,
    flows_for_all,
    flows_for_least,
    groups,
    matrix,
    whole_flows,
)

COUNTS = st.lists(st.integers(1, 500), min_size=2, max_size=8).map(np.array)


def slow_groups(affinity):
    """By painting neighbours one by one."""
    paint = list(range(len(affinity)))
    for _ in paint:
        for i in range(len(paint)):
            for j in range(len(paint)):
                if affinity[i][j] > 0:
                    paint[i] = paint[j] = min(paint[i], paint[j])
    return sorted(sorted(i for i, p in enumerate(paint) if p == q) for q in set(paint))


def slow_exchanged(codes, whole, draws):
    """Record by record in the order of the draws: to the first category that still wants some."""
    wanted, found = whole.copy(), codes.tolist()
    for i in np.argsort(draws):
        open_ = np.flatnonzero(wanted[codes[i]])
        if len(open_):
            found[i] = int(open_[0])
            wanted[codes[i], open_[0]] -= 1
    return found


def affinity_of(n, kind):
    steps = abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return {"any": np.ones((n, n)), "near": 2.0**-steps,
            "halves": 1.0 * (np.arange(n) // 2 == np.arange(n)[:, None] // 2)}[kind]  # fmt: skip


KINDS = pytest.mark.parametrize("kind", ["any", "near", "halves"])


@KINDS
@given(counts=COUNTS, keep=st.floats(0, 1))
def test_counts_stay_and_the_least_diagonal_is_exact(kind, counts, keep):
    affinity = affinity_of(len(counts), kind)
    R = matrix(counts, flows_for_least(counts, affinity, keep))
    assert abs(R.sum(axis=1) - 1).max() < 1e-12
    assert abs(counts @ R - counts).max() / counts.sum() < 1e-12
    assert (R >= 0).all()
    for group in groups(affinity):
        if len(group) > 1:
            assert R.diagonal()[group].min() == pytest.approx(keep, abs=1e-12)
    off = ~np.eye(len(counts), dtype=bool)
    assert (R[(affinity == 0) & off] == 0).all()


@KINDS
@given(counts=COUNTS, data=st.data())
def test_every_diagonal_is_exact_where_it_can_be(kind, counts, data):
    keep = np.array([data.draw(st.floats(0, 1)) for _ in counts])
    affinity = affinity_of(len(counts), kind)
    leaving = counts * (1 - keep)
    possible = all(2 * leaving[g].max() <= leaving[g].sum() * (1 + 1e-9) for g in groups(affinity))
    flows = flows_for_all(counts, affinity, keep)
    if flows is None:
        margins = [leaving[g].sum() - 2 * leaving[g].max() for g in groups(affinity)]
        assert not possible or min(margins) < 1e-4  # so near to the limit that digits decide
    else:
        R = matrix(counts, flows)
        assert abs(R.diagonal() - keep).max() < 1e-12
        assert abs(counts @ R - counts).max() / counts.sum() < 1e-12


def test_equal_diagonals_of_two_categories_need_equal_counts():
    keep = np.array([0.7, 0.7])
    assert flows_for_all(np.array([10, 20]), np.ones((2, 2)), keep) is None
    found = flows_for_all(np.array([10, 10]), np.ones((2, 2)), keep)
    assert found[0, 1] == pytest.approx(3)


@KINDS
@given(counts=COUNTS, keep=st.floats(0, 1))
def test_whole_flows_change_no_count_and_keep_enough(kind, counts, keep):
    keeps = np.full(len(counts), keep)
    flows = flows_for_least(counts, affinity_of(len(counts), kind), keep)
    whole = whole_flows(counts, flows, keeps)
    assert (whole == whole.T).all()
    assert abs(whole - flows).max() < 1 + 1e-6
    assert (whole.sum(axis=1) <= counts * (1 - keep) + 1e-6).all()
    assert (whole[flows == 0] == 0).all()
    codes = np.random.default_rng(1).permutation(np.repeat(np.arange(len(counts)), counts))
    draws = np.random.default_rng(2).permutation(len(codes)).astype(np.uint64)
    after = exchanged(codes, whole, draws)
    assert after.tolist() == slow_exchanged(codes, whole, draws)
    assert (np.bincount(after, minlength=len(counts)) == counts).all()
    moved = np.zeros_like(whole)
    np.add.at(moved, (codes, after), 1)
    np.fill_diagonal(moved, 0)
    assert (moved == whole).all()


@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.booleans(), min_size=n * n, max_size=n * n)))
def test_groups_are_those_that_painting_finds(cells):
    n = int(len(cells) ** 0.5)
    affinity = np.array(cells).reshape(n, n) * 1.0
    affinity = np.maximum(affinity, affinity.T)
    assert sorted(map(list, groups(affinity))) == slow_groups(affinity)


@given(
    st.lists(
        st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any), min_size=4, max_size=4
    ),
    st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1, exclude_max=True)), max_size=30),
)
def test_draws_follow_the_rows_and_never_take_what_is_impossible(rows, cases):
    R = np.array(rows) / np.array(rows).sum(axis=1, keepdims=True)
    codes = np.array([c for c, _ in cases], dtype=np.int64)
    draws = np.array([u for _, u in cases], dtype=np.float64)
    found = drawn(codes, cumulated(R), draws)
    for (code, u), after in zip(cases, found.tolist(), strict=True):
        assert R[code, after] > 0
        below = R[code, :after].sum()
        assert below - 1e-12 <= u
        assert u <= below + R[code, after] + 1e-12


def test_no_impossible_change_among_a_million():
    rng = np.random.default_rng(1)
    counts = np.array([500_000, 300_000, 150_000, 49_999, 1])
    affinity = affinity_of(5, "halves")
    R = matrix(counts, flows_for_least(counts, affinity, 0.6))
    codes = np.repeat(np.arange(5), counts)
    after = drawn(codes, cumulated(R), rng.random(len(codes)))
    assert (R[codes, after] > 0).all()
    ends = np.array([0.0, np.nextafter(1, 0)])
    assert (R[[0, 4], drawn(np.array([0, 4]), cumulated(R), ends)] > 0).all()
