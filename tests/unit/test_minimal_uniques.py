"""The search for minimal sample uniques equals its slow twin, in one go and in parts."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.coded_tuples import CodedTuples, frequencies
from discreet.kernels.minimal_uniques.search import minimal_uniques
from discreet.kernels.minimal_uniques.walk import number_of, set_numbers
from tests.examples import examples
from tests.minimal_uniques_twin import minimal_uniques_twin

NOTHING = object()


@st.composite
def tables(draw, least=1, most=9):
    """Records with a few values each, narrow attributes and wide ones."""
    cards = draw(st.lists(st.integers(least, most), min_size=1, max_size=7))
    n = draw(st.integers(1, 40))
    columns = [draw(st.lists(st.integers(0, c - 1), min_size=n, max_size=n)) for c in cards]
    return [np.array(c, dtype=np.int32) for c in columns], cards


def searched(columns, cards, worth, missing=None, **more):
    counted = frequencies(columns, cards)
    found = minimal_uniques(
        CodedTuples(counted.codes, cards, counted.counts, missing), worth, **more
    )
    totals, shares = (counted.of_records(part) for part in (found.total, found.shares))
    return totals.tolist(), shares.tolist(), found.sets


def expected(columns, worth, blank=NOTHING):
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    found = minimal_uniques_twin(rows, len(worth), blank)
    total = [sum(worth[len(s) - 1] for s in mine) for mine in found]
    shares = [
        [sum(worth[len(s) - 1] for s in mine if a in s) for a in range(len(columns))]
        for mine in found
    ]
    return total, shares, dict(Counter(s for mine in found for s in mine))


@examples(200)
@given(tables(), st.integers(1, 7))
def test_the_sums_equal_those_of_the_slow_twin(table, size):
    columns, cards = table
    worth = [math.factorial(7 - m) + m for m in range(1, min(size, len(cards)) + 1)]
    assert searched(columns, cards, worth) == expected(columns, worth)


@examples(100)
@given(tables(30, 90))
def test_wide_attributes_are_searched_as_narrow_ones(table):
    columns, cards = table
    assert searched(columns, cards, [1] * len(cards)) == expected(columns, [1] * len(cards))


@examples(50)
@given(tables(2, 4), st.integers(8, 14), st.integers(0, 3))
def test_codes_that_fill_several_words_are_searched_as_those_of_one(table, bits, blank):
    columns, cards = table
    large, codes = [c << bits for c in cards], [column << bits for column in columns]
    worth = [10 ** (9 - m) for m in range(len(cards))]
    missing = [blank << bits if blank < c else -1 for c in cards]
    found = searched(codes, large, worth, missing=missing)
    assert found == expected(columns, worth, blank)


@examples(100)
@given(tables(), st.integers(0, 2))
def test_a_blank_makes_nobody_alone(table, blank):
    columns, cards = table
    worth = [10 ** (7 - m) for m in range(len(cards))]
    codes = [blank if blank < c else -1 for c in cards]
    found = searched(columns, cards, worth, missing=codes)
    assert found == expected(columns, worth, blank)


@examples(50)
@given(tables())
def test_parts_of_the_records_give_the_same_as_all(table):
    columns, cards = table
    worth = [1] * len(cards)
    assert searched(columns, cards, worth, room=1) == searched(columns, cards, worth)


def test_larger_files_are_searched_as_small_ones():
    rng = np.random.default_rng(1)
    cards = [2, 3, 4, 7, 12, 40, 300]
    columns = [np.minimum(rng.exponential(c / 3, 1500), c - 1).astype(np.int32) for c in cards]
    worth = [math.factorial(7 - m) for m in range(1, 8)]
    assert searched(columns, cards, worth) == expected(columns, worth)


def test_the_order_of_tuples_and_attributes_does_not_matter():
    rng = np.random.default_rng(2)
    cards = [3, 5, 2, 9]
    columns = [rng.integers(0, c, 200).astype(np.int32) for c in cards]
    total, shares, sets = searched(columns, cards, [6, 2, 1, 1])
    turned = [c[::-1] for c in columns[::-1]]
    other, parts, names = searched(turned, cards[::-1], [6, 2, 1, 1])
    assert other[::-1] == total
    assert [p[::-1] for p in parts[::-1]] == shares
    assert {tuple(sorted(3 - a for a in s)): n for s, n in names.items()} == sets


@pytest.mark.parametrize(("width", "size"), [(1, 1), (5, 5), (6, 3), (20, 2)])
def test_the_numbers_of_sets_are_without_gaps(width, size):
    numbers = set_numbers(width, size)
    sets = [s for s in range(1 << min(width, 12)) if s.bit_count() <= size]
    assert [number_of(s, numbers, size) for s in sets] == list(range(len(sets)))
    assert numbers[width, size] == sum(math.comb(width, m) for m in range(size + 1))
    assert number_of((1 << (size + 1)) - 1, set_numbers(size + 1, size), size) == -1


def test_a_search_that_is_told_to_end_ends_early():
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 30, 300).astype(np.int32) for _ in range(10)]
    watch = np.array([0, 1])
    tuples = CodedTuples(columns, [30] * 10, np.ones(300, np.int64))
    minimal_uniques(tuples, [1] * 10, watch=watch)
    assert watch[0] < 2**9
