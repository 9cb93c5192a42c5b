"""Univariate microaggregation against slow twins in exact rational arithmetic."""

import doctest
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.kernels import univariate
from discreet.kernels.univariate import fixed_groups, optimal_groups
from tests.examples import examples

Cost = Callable[[list[Fraction]], Fraction]
OBJECTIVES = ["squares", "absolute"]
AGES = [8.0, 10.0, 19.0, 23.0, 37.0, 43.0, 68.0, 72.0]  # Truta et al., Figure 4


def squares(group: list[Fraction]) -> Fraction:
    mean = sum(group) / Fraction(len(group))
    return sum(((x - mean) ** 2 for x in group), Fraction(0))


def absolute(group: list[Fraction]) -> Fraction:
    mean = sum(group) / Fraction(len(group))
    return sum((abs(x - mean) for x in group), Fraction(0))


COST: dict[str, Cost] = {"squares": squares, "absolute": absolute}


def partitions(n: int, k: int) -> Iterator[list[int]]:
    """Every list of group sizes of at least k that adds up to n, in lexicographic order."""
    for first in range(k, n - k + 1):
        for others in partitions(n - first, k):
            yield [first, *others]
    if n >= k:
        yield [n]


def exact_losses(values: list[float], sizes: list[int], cost: Cost) -> list[Fraction]:
    ordered, cuts = [Fraction(x) for x in sorted(values)], np.cumsum([0, *sizes]).tolist()
    return [cost(ordered[a:b]) for a, b in pairwise(cuts)]


def shortest_path(values: list[float], k: int, cost: Cost) -> list[int]:
    """Group sizes of an exact optimum with the smallest first group: the O(n^2) twin."""
    ordered = [Fraction(x) for x in sorted(values)]
    n = len(ordered)

    @cache
    def best(i: int) -> tuple[Fraction, tuple[int, ...]]:
        if i == n:
            return Fraction(0), ()
        choices = [
            (cost(ordered[i:j]) + best(j)[0], (j - i, *best(j)[1]))
            for j in range(i + k, n + 1)
            if j == n or n - j >= k
        ]
        return min(choices)

    return list(best(0)[1])


def sizes_of(groups: np.ndarray) -> list[int]:
    return np.bincount(groups).tolist()


def assert_as_good_as(
    values: list[float], found: list[int], optimum: list[int], cost: Cost
) -> None:
    """Between any two cuts that both partitions share, the found one loses no more."""
    ordered = sorted(values)
    ends, targets = np.cumsum(found).tolist(), np.cumsum(optimum).tolist()
    start = 0
    for end in sorted(set(ends) & set(targets)):
        ours = np.diff([start, *[e for e in ends if start < e <= end]]).tolist()
        theirs = np.diff([start, *[e for e in targets if start < e <= end]]).tolist()
        part = ordered[start:end]
        loss = sum(exact_losses(part, ours, cost))
        assert loss <= sum(exact_losses(part, theirs, cost)) * (1 + Fraction(1, 10**12))
        start = end


def assert_optimal(values: list[float], k: int, objective: str) -> None:
    cost = COST[objective]
    groups = optimal_groups(np.array(values), k, objective)
    assert_valid(values, groups, k)
    assert_as_good_as(values, sizes_of(groups), shortest_path(values, k, cost), cost)


def assert_valid(values: list[float], groups: np.ndarray, k: int) -> None:
    order = np.argsort(values, kind="stable")
    assert groups.dtype == np.int64
    assert set(np.diff(groups[order]).tolist()) <= {0, 1}
    assert groups[order][0] == 0
    assert min(sizes_of(groups)) >= k


# --- published and worked examples ---


@pytest.mark.parametrize(
    ("k", "means"), [(2, [9.0, 21.0, 40.0, 70.0]), (4, [15.0, 55.0]), (8, [35.0])]
)
def test_ages_of_the_paper_in_fixed_groups(k: int, means: list[float]) -> None:
    """Truta, Fotouhi, Barth-Jones: Age of Figure 4 microaggregated in groups of 2, 4 and 8."""
    groups = fixed_groups(np.array(AGES), k)
    assert (np.bincount(groups, AGES) / np.bincount(groups)).tolist() == means


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@given(values=st.lists(st.integers(0, 6).map(float), min_size=5, max_size=30))
@settings(deadline=None)
def test_groups_that_keep_equal_values_together_are_those_of_counting_off(
    k: int, values: list[float]
) -> None:
    """The twin takes distinct values until it has k records; what is left joins the last group."""
    expected: list[list[float]] = [[]]
    for value in sorted(set(values)):
        if len(expected[-1]) >= k:
            expected.append([])
        expected[-1] += [value] * values.count(value)
    if len(expected) > 1 and len(expected[-1]) < k:
        rest = expected.pop()
        expected[-1] += rest
    groups = fixed_groups(np.array(values), k, together=True)
    found = [
        [v for v, g in zip(values, groups, strict=True) if g == i] for i in range(max(groups) + 1)
    ]
    assert [sorted(group) for group in found] == expected


def test_a_group_of_2k_can_be_optimal_for_absolute_deviations_only() -> None:
    values = np.array([-3.0, 0, 0, 0, 0, 3])
    assert sizes_of(optimal_groups(values, 3, "absolute")) == [6]
    assert sizes_of(optimal_groups(values, 3, "squares")) == [3, 3]


@pytest.mark.parametrize("n", [10, 1000, 100_000])
def test_no_group_size_is_too_large_for_absolute_deviations(n: int) -> None:
    values = np.zeros(n)
    values[0], values[-1] = 3.0, -3.0
    assert sizes_of(optimal_groups(values, 3, "absolute")) == [n]


def test_the_docstring_examples_run() -> None:
    assert doctest.testmod(univariate).failed == 0


# --- fixed groups ---


@pytest.mark.parametrize("n", range(3, 10))
def test_the_last_fixed_group_takes_the_remainder(n: int) -> None:
    sizes = sizes_of(fixed_groups(np.arange(n, dtype=float), 3))
    assert sizes == [3] * (n // 3 - 1) + [3 + n % 3]


def test_equal_values_are_grouped_in_input_order() -> None:
    assert fixed_groups(np.array([5.0, 1, 5, 1, 5, 1]), 2).tolist() == [1, 0, 2, 0, 2, 1]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_groups_of_one_are_single_records(objective: str) -> None:
    values = np.array([3.0, -1.0, 3.0, 2.0])
    assert fixed_groups(values, 1).tolist() == [2, 0, 3, 1]
    assert optimal_groups(values, 1, objective).tolist() == [2, 0, 3, 1]


# --- optimal groups against exact twins ---

small_k = st.integers(1, 4)
integers = st.integers(-6, 6).map(float)
decimals = st.integers(-(10**6), 10**6).map(lambda v: v / 1000)
skewed = st.builds(lambda m, e: m * 2.0**e, st.integers(-9, 9), st.integers(-45, 45))
shifted = st.integers(0, 60).map(lambda v: 1e12 + v / 1024)
far_shifted = st.one_of(shifted, st.sampled_from([0.0, -1e15, 1e15, 1e18]))


def lists(elements: st.SearchStrategy[float], most: int) -> st.SearchStrategy[list[float]]:
    return st.lists(elements, min_size=4, max_size=most)


@given(values=lists(integers, 9), k=small_k, objective=st.sampled_from(OBJECTIVES))
def test_the_slow_twin_agrees_with_every_partition_tried(
    values: list[float], k: int, objective: str
) -> None:
    cost = COST[objective]
    every = [(sum(exact_losses(values, s, cost)), s) for s in partitions(len(values), k)]
    assert shortest_path(values, k, cost) == min(every)[1]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("elements", [integers, decimals, skewed, shifted, far_shifted])
def test_no_exact_partition_is_better(elements: st.SearchStrategy[float], objective: str) -> None:
    @examples(150)
    @given(values=lists(elements, 14), k=small_k)
    def check(values: list[float], k: int) -> None:
        assert_optimal(values, k, objective)

    check()


@settings(deadline=None)
@given(
    values=lists(
        st.builds(lambda m, e: m * 2.0**e, st.integers(-9, 9), st.integers(-200, 200)), 14
    ),
    k=small_k,
)
def test_squares_stand_120_orders_of_magnitude(values: list[float], k: int) -> None:
    assert_optimal(values, k, "squares")


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_every_length_from_k_to_3k_and_beyond(k: int, objective: str) -> None:
    rng = np.random.default_rng(k)
    for n in range(k, 4 * k + 2):
        for _ in range(5):
            assert_optimal(rng.lognormal(0, 2, n).tolist(), k, objective)
            assert_optimal(rng.integers(0, 4, n).astype(float).tolist(), k, objective)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1.0, 1e200, 1e308])
def test_extreme_scales_neither_overflow_nor_vanish(scale: float, objective: str) -> None:
    values = np.array([0.0, 1.0, 0.1, -0.9, -1.0, 0.95]) * scale
    assert optimal_groups(values, 2, objective).tolist() == [1, 2, 1, 0, 0, 2]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_zeros_and_constants_give_the_fixed_groups(objective: str) -> None:
    for constant in (0.0, 0.1, -1e12):
        for n in range(3, 40):
            values = np.full(n, constant)
            assert optimal_groups(values, 3, objective).tolist() == fixed_groups(values, 3).tolist()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_exact_ties_make_the_first_group_small(objective: str) -> None:
    assert sizes_of(optimal_groups(np.array([0.0, 0, 1, 2, 2]), 2, objective)) == [2, 3]
    assert sizes_of(optimal_groups(np.array([0.0, 0, 0, 0, 0, 4, 4, 4]), 3, objective)) == [5, 3]


# --- larger inputs against a plain double-precision twin ---


def plain_loss(values: np.ndarray, k: int, objective: str) -> float:
    """Least loss by trying every end of every group: O(n^2) costs, each O(n)."""
    ordered, n = np.sort(values), len(values)
    loss = [np.inf] * n + [0.0]
    for i in range(n - k, -1, -1):
        for j in range(i + k, n + 1):
            deviations = ordered[i:j] - ordered[i:j].mean()
            cost = (deviations**2).sum() if objective == "squares" else abs(deviations).sum()
            loss[i] = min(loss[i], cost + loss[j])
    return loss[0]


def loss_of(values: np.ndarray, groups: np.ndarray, objective: str) -> float:
    means = np.bincount(groups, values) / np.bincount(groups)
    deviations = values - means[groups]
    return float((deviations**2).sum() if objective == "squares" else abs(deviations).sum())


def samples(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    return {
        "uniform": rng.random(n),
        "lognormal": rng.lognormal(0, 2, n),
        "cauchy": rng.standard_cauchy(n),
        "ages": rng.integers(0, 90, n).astype(float),
        "mostly zero": np.where(rng.random(n) < 0.7, 0.0, rng.normal(size=n)),
        "two-sided powers": np.sign(rng.normal(size=n)) * 2.0 ** rng.integers(0, 40, n),
    }


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("k", [2, 3, 7, 16, 50])
@pytest.mark.parametrize("name", samples(1))
def test_losses_equal_those_of_the_plain_twin(name: str, k: int, objective: str) -> None:
    values = samples(160)[name]
    groups = optimal_groups(values, k, objective)
    assert_valid(values.tolist(), groups, k)
    least = plain_loss(values, k, objective)
    assert loss_of(values, groups, objective) == pytest.approx(least, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", samples(1))
def test_row_order_does_not_change_the_partition(name: str, objective: str) -> None:
    values = samples(3000)[name]
    shuffled = np.random.default_rng(3).permutation(len(values))
    groups = optimal_groups(values, 4, objective)
    again = optimal_groups(values[shuffled], 4, objective)
    assert sizes_of(again) == sizes_of(groups)
    assert sizes_of(fixed_groups(values[shuffled], 4)) == sizes_of(fixed_groups(values, 4))
    if len(set(values)) == len(values):
        assert again.tolist() == groups[shuffled].tolist()


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", samples(1))
def test_optimal_groups_never_lose_more_than_fixed_ones(name: str, objective: str) -> None:
    values = samples(20_000)[name]
    for k in (2, 3, 10, 300):
        optimal = loss_of(values, optimal_groups(values, k, objective), objective)
        assert optimal <= loss_of(values, fixed_groups(values, k), objective) * (1 + 1e-9)


def test_an_offset_does_not_change_the_partition() -> None:
    """Multiples of 2^-12 added to 2^40 are exact, so both inputs have the same differences."""
    noise = np.random.default_rng(5).integers(0, 10**6, 50_000) / 4096
    for objective in OBJECTIVES:
        groups = optimal_groups(noise, 5, objective)
        assert (optimal_groups(noise + 2.0**40, 5, objective) == groups).mean() > 0.999


def test_small_groups_count_beside_a_far_outlier() -> None:
    values = np.array([0.0, 1e-6, 5e-6, 6e-6, 7e-6, 1e12, 1e12, -1e12, -1e12])
    for objective in OBJECTIVES:
        assert sizes_of(optimal_groups(values, 2, objective)) == [2, 2, 3, 2]
