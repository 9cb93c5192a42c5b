"""Which known sets are counted together."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.known_sets.unions import known_sets, unions

cardinalities = st.sampled_from([1, 2, 3, 7, 20, 100, 5000, 2**20, 2**40])


def planned(probabilities, radices, n, epsilon=0.01):
    sets, _ = known_sets(probabilities, epsilon, limit=10**6)
    return sets, unions(sets, radices, n)


@given(st.data())
def test_each_set_but_the_empty_one_is_in_one_union_that_holds_its_attributes(data) -> None:
    radices = data.draw(st.lists(cardinalities, min_size=1, max_size=8))
    likely = [data.draw(st.sampled_from([0, 0.1, 0.4, 0.9])) for _ in radices]
    n = data.draw(st.sampled_from([1, 1000, 10**6, 10**8]))
    sets, plan = planned(likely, radices, n)
    assert sorted(i for union in plan for i in union.members) == list(range(1, len(sets)))
    for union in plan:
        assert union.members == tuple(sorted(union.members))
        assert all(set(sets[i]) <= set(union.attributes) for i in union.members)


@given(st.data())
def test_a_table_is_never_larger_than_the_file_and_fits_32_bits(data) -> None:
    radices = data.draw(st.lists(cardinalities, min_size=1, max_size=8))
    n = data.draw(st.sampled_from([1, 1000, 10**6, 10**8]))
    _, plan = planned([0.5] * len(radices), radices, n)
    for union in plan:
        cells = prod(radices[a] for a in union.attributes)
        assert not union.table or cells <= max(2**12, min(n, 2**22))
        order = sorted(union.attributes, key=lambda a: (-radices[a], a))
        assert union.attributes == tuple(sorted(union.attributes) if union.table else order)


def test_sets_that_are_refined_together_share_the_attribute_with_most_values() -> None:
    sets, plan = planned([0.5] * 6, [2, 3000, 2000, 2, 90, 80], n=50_000)
    refined = [union for union in plan if not union.table]
    assert [union.attributes[0] for union in refined] == [1, 2]
    assert all(union.attributes[0] in sets[i] for union in refined for i in union.members)


def test_small_attributes_are_counted_in_one_table() -> None:
    _, plan = planned([0.9] * 7, [2, 3, 2, 4, 2, 5, 2], n=10_000)
    assert [union.attributes for union in plan] == [(0, 1, 2, 3, 4, 5, 6)]


def test_91_pairs_of_14_attributes_need_few_tables() -> None:
    radices = [17, 2, 7, 64, 14, 12, 5, 3, 2, 2, 10, 4, 6, 30]
    sets, plan = planned([0.15] * 14, radices, n=10**6)
    assert len(sets) == 106
    assert len(plan) <= 12


def test_the_plan_does_not_hang_on_thousands_of_sets() -> None:
    sets, plan = planned([0.5] * 12, [11, 13, 7, 9, 20, 4, 31, 6, 15, 8, 5, 3], n=10**6, epsilon=0)
    assert len(sets) == 4096
    assert sum(len(union.members) for union in plan) == 4095


@pytest.mark.parametrize("sets", [[()], []])
def test_without_attributes_there_is_nothing_to_count(sets) -> None:
    assert unions(sets, [2, 3], 10) == []


def test_sets_need_not_come_with_their_subsets() -> None:
    sets = [(), (0, 1, 2), (1,), (0, 3)]
    plan = unions(sets, [4, 5, 6, 7], 1000)
    assert sorted(i for union in plan for i in union.members) == [1, 2, 3]
