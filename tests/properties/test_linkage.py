"""Nearest-record linkage and interval disclosure against slow, obvious twins; and their lemmas."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.kernels.linkage import Windows, equally_near, expected_links

FEW = st.integers(0, 4)


@st.composite
def points(draw):
    """Two files of a few numbers, which may be missing, and codes; many are equally near."""
    n, numbers, names = draw(st.integers(1, 40)), draw(st.integers(0, 3)), draw(st.integers(0, 2))
    seed = draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    d = max(numbers + names, 1)
    numbers = d - names
    x = rng.integers(0, 5, (n, d)).astype(float)
    y = np.where(rng.random((n, d)) < 0.6, x, rng.integers(0, 5, (n, d)))
    if draw(st.booleans()):
        for side in (x, y):
            side[:, :numbers][rng.random((n, numbers)) < 0.15] = np.nan
    within = None
    if draw(st.booleans()):
        free = (rng.random((n, d)) < 0.4) | np.isnan(y)
        within = Windows(np.where(free, -np.inf, y - 1), np.where(free, np.inf, y + 1))
    return x, y, names, within


def squared(x, y, numbers):
    """The square of the distance of two records, cell by cell."""
    found = 0.0
    for a, (one, other) in enumerate(zip(x, y, strict=True)):
        missing = math.isnan(one), math.isnan(other)
        if a >= numbers or any(missing):
            found += 0.0 if one == other or all(missing) else 1.0
        else:
            found += (one - other) ** 2
    return found


def possible(y, low, high):
    """Whether a record lies within all intervals; a missing value where there is no bound."""
    return all(
        (math.isinf(a) and math.isinf(b)) if math.isnan(v) else a <= v <= b
        for v, a, b in zip(y, low, high, strict=True)
    )


@given(points())
def test_the_tree_counts_what_comparing_all_pairs_counts(case):
    x, y, names, within = case
    numbers, slow = x.shape[1] - names, []
    for i, record in enumerate(x):
        others = [
            squared(record, other, numbers)
            for other in y
            if within is None or possible(other, within.low[i], within.high[i])
        ]
        own = squared(record, y[i], numbers)
        slow.append(others.count(own) if own == min(others) else 0)
    assert equally_near(x, y, names, within).tolist() == slow


@given(points(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(case, random):
    x, y, names, _ = case
    order = list(range(len(x)))
    random.shuffle(order)
    found = equally_near(x, y, names)
    again = equally_near(x[order], y[order], names)
    assert again.tolist() == found[order].tolist()
    assert expected_links(again) == expected_links(found)


@given(points())
def test_an_unmasked_file_links_one_record_of_each_combination(case):
    x, _, names, _ = case
    distinct = len({tuple(map(str, row)) for row in x})
    near = equally_near(x, x, names)
    assert (near > 0).all()
    assert expected_links(near) == pytest.approx(distinct)


@given(points())
def test_who_knows_more_of_the_method_links_no_fewer(case):
    """What is ruled out can only leave the own record alone sooner."""
    x, y, names, within = case
    if within is not None:
        free, known = equally_near(x, y, names), equally_near(x, y, names, within)
        assert ((known > 0) | (free == 0)).all()
        assert (known[free > 0] <= free[free > 0]).all()


@st.composite
def numbers(draw):
    n = draw(st.integers(2, 30))
    values = st.lists(st.integers(-5, 5), min_size=n, max_size=n)
    return draw(values), draw(values)


def read(x, y):
    tables = ({"rec": list(range(len(side))), "a": side} for side in (x, y))
    return [ds.read(table, keys=["a"], types={"a": "continuous"}) for table in tables]


@given(numbers(), st.sampled_from([0.05, 0.3, 1.0]), st.sampled_from(["original", "masked"]))
def test_interval_disclosure_counts_values_within_the_interval(case, width, sd):
    x, y = case
    spread = np.std(x if sd == "original" else y, ddof=1)
    slow = np.mean([abs(a - b) <= width * spread + 1e-9 for a, b in zip(x, y, strict=True)])
    found = ds.interval_disclosure(*read(x, y), on="rec", width=width, sd=sd)
    assert found.share == pytest.approx(slow)


@given(numbers())
def test_wider_intervals_disclose_no_fewer_records_and_unchanged_ones_are_disclosed(case):
    first, second = read(*case)
    for distance in ("deviation", "rank"):
        shares = [
            ds.interval_disclosure(first, second, on="rec", width=w, distance=distance).share
            for w in (0.01, 0.1, 0.5)
        ]
        assert shares == sorted(shares)
        same = ds.interval_disclosure(first, first, on="rec", width=0.01, distance=distance)
        assert same.share == 1.0
