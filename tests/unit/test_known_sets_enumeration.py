"""The known sets that are kept, against exhaustive enumeration."""

from __future__ import annotations

import functools
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.known_sets import unions
from discreet.kernels.known_sets.unions import TooManySets, known_sets
from tests.known_sets_twin import slow_known_sets

# Orooji & Knapp (2018), Table 2: age, gender, race, income, disease.
TABLE_2 = [0.3, 0.8, 0.7, 0.005, 0.001]
probabilities = st.lists(
    st.one_of(st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.floats(0, 1)), max_size=9
)


def test_the_known_sets_of_table_2() -> None:
    sets, pk = known_sets(TABLE_2, 0.01, limit=100)
    assert sets == [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert pk[-1] == pytest.approx(0.168)
    assert pk[0] == 1


def test_epsilon_0_keeps_all_32_sets_of_table_2_and_epsilon_1_the_empty_one() -> None:
    assert len(known_sets(TABLE_2, 0, limit=32)[0]) == 32
    assert known_sets(TABLE_2, 1, limit=32)[0] == [()]


@given(probabilities, st.one_of(st.sampled_from([0.0, 0.01, 0.1, 1.0]), st.floats(0, 1)))
def test_equals_exhaustive_enumeration_in_number_order_and_last_bit(likely, epsilon) -> None:
    sets, pk = known_sets(likely, epsilon, limit=1000)
    expected = slow_known_sets(likely, epsilon)
    assert sets == list(expected)
    assert pk.tolist() == list(expected.values())


@given(probabilities, st.floats(0, 1))
def test_with_a_set_all_its_subsets_are_kept(likely, epsilon) -> None:
    sets = set(known_sets(likely, epsilon, limit=1000)[0])
    assert all(known[:i] + known[i + 1 :] in sets for known in sets for i in range(len(known)))


def test_sets_that_are_extended_in_several_turns_stay_in_order(monkeypatch) -> None:
    whole = known_sets([0.5] * 9, 0.0, limit=1000)
    monkeypatch.setattr(unions, "_AT_ONCE", 7)
    turns = known_sets([0.5] * 9, 0.0, limit=1000)
    assert turns[0] == whole[0]
    assert turns[1].tolist() == whole[1].tolist()


def test_a_product_that_equals_epsilon_but_for_rounding_is_dropped() -> None:
    assert 0.1 * 0.1 > 0.01
    assert known_sets([0.1, 0.1], 0.01, limit=10)[0] == [(), (0,), (1,)]
    assert known_sets([0.01], 0.01, limit=10)[0] == [()]


def test_an_attribute_that_is_never_known_is_in_no_set() -> None:
    sets, _ = known_sets([0.0, 1.0, 0.0, 1e-300], 0, limit=10)
    assert sets == [(), (1,), (3,), (1, 3)]


def test_pk_is_multiplied_in_the_order_of_the_attributes() -> None:
    likely = [0.1, 0.7, 0.3, 0.9]
    sets, pk = known_sets(likely, 0, limit=16)
    assert pk[sets.index((0, 1, 2, 3))] == functools.reduce(operator.mul, likely)


def test_no_attribute_gives_the_empty_set() -> None:
    sets, pk = known_sets([], 0, limit=1)
    assert sets == [()]
    assert pk.tolist() == [1]


def test_the_search_stops_beyond_the_limit_and_says_how_far_it_came() -> None:
    assert len(known_sets([0.5] * 8, 0, limit=256)[0]) == 256
    with pytest.raises(TooManySets) as stopped:
        known_sets([0.5] * 8, 0, limit=255)
    assert stopped.value.limit == 255
    assert stopped.value.found == 256
    with pytest.raises(TooManySets) as early:
        known_sets([0.5] * 60, 0, limit=10_000)
    assert 10_000 < early.value.found < 2_000_000
