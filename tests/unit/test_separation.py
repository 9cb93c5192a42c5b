"""The kernel that counts all sets of attributes equals its slow twin, on any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.coded_tuples import CodedTuples, attribute_sets, number_of_sets
from discreet.kernels.separation import separation
from tests.separation_twin import separation_twin


@st.composite
def tables(draw):
    n = draw(st.integers(1, 40))
    widths = draw(st.lists(st.integers(1, 50), min_size=1, max_size=6))
    column = {w: st.lists(st.integers(0, w - 1), min_size=n, max_size=n) for w in widths}
    columns = [np.array(draw(column[w]), dtype=np.int32) for w in widths]
    counts = np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    return columns, widths, counts


def as_rows(found):
    return [tuple(row) for row in np.column_stack(found).tolist()]


@given(tables(), st.integers(1, 7), st.sampled_from([1, 2, 3]))
def test_the_counts_equal_those_of_the_slow_twin(table, up_to, threads):
    columns, widths, counts = table
    found = separation(CodedTuples(columns, widths, counts), up_to, threads=threads)
    expected = separation_twin([c.tolist() for c in columns], counts.tolist(), up_to)
    assert as_rows(found) == expected


def test_large_classes_are_counted_like_small_ones():
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, width, 3000) for width in (2, 3, 2, 400, 5)]
    counts = rng.integers(1, 4, 3000)
    found = separation(CodedTuples(columns, [2, 3, 2, 400, 5], counts), 4, threads=2)
    expected = separation_twin([c.tolist() for c in columns], counts.tolist(), 4)
    assert as_rows(found) == expected


@given(tables())
def test_the_order_of_the_tuples_does_not_matter(table):
    columns, widths, counts = table
    back = slice(None, None, -1)
    found = separation(CodedTuples(columns, widths, counts), 3)
    turned = separation(CodedTuples([c[back] for c in columns], widths, counts[back]), 3)
    assert as_rows(found) == as_rows(turned)


def test_a_walk_that_is_told_to_end_ends_early():
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 5, 100) for _ in range(12)]
    watch = np.array([0, 1])
    separation(CodedTuples(columns, [5] * 12, np.ones(100, np.int64)), 4, watch=watch)
    assert 0 < watch[0] < number_of_sets(12, 4)


@pytest.mark.parametrize(("width", "up_to", "number"), [(27, 4, 20_853), (3, 9, 7), (5, 1, 5)])
def test_the_sets_are_as_many_as_announced(width, up_to, number):
    assert number_of_sets(width, up_to) == number == len(attribute_sets(width, up_to))


def test_sets_come_by_size_and_then_in_the_order_of_the_attributes():
    assert attribute_sets(3, 2) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
