"""The search without a sweep finds what the sweep finds."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.lattice import pairwise
from discreet.kernels.lattice.pairwise import best_without_suppression
from discreet.kernels.lattice.rollup import hash_table
from tests import lattice_adult as adult
from tests import lattice_twin as twin
from tests.examples import examples
from tests.lattice_adult import Coded

GOLDEN = adult.DATA / "golden" / "arx_adult.csv"
needs_data = pytest.mark.skipif(not GOLDEN.exists(), reason="needs golden/arx_adult.csv")
slowly = examples(150)


def recount(data: Coded, k: int) -> tuple[tuple[int, ...], float] | None:
    every = [(node, twin.outcome(data, node, [], k, 1)) for node in twin.nodes(data)]
    feasible = [(node, loss) for node, (_, suppressed, _, loss) in every if not suppressed]
    if not feasible:
        return None
    least = min(loss for _, loss in feasible)
    return next((node, loss) for node, loss in feasible if loss <= least + 1e-12)


def assert_finds_the_best(data: Coded, k: int) -> None:
    found, expected = best_without_suppression(*data, k), recount(data, k)
    if expected is None or found is None:
        assert found is None
        assert expected is None
    else:
        assert found.levels == expected[0]
        assert found.loss == pytest.approx(expected[1], rel=1e-12, abs=1e-15)


@slowly
@given(data=twin.lattices(), k=st.integers(1, 9))
def test_the_node_found_is_the_best_of_all(data: Coded, k: int) -> None:
    assert_finds_the_best(data, k)


@slowly
@given(data=twin.lattices(), k=st.integers(1, 9))
def test_numbers_that_would_overflow_are_ranked_anew(data: Coded, k: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "ID_SPAN", 12)
        assert_finds_the_best(data, k)


@slowly
@given(data=twin.lattices(), k=st.integers(1, 9))
def test_tables_too_large_to_lay_out_exclude_nothing(data: Coded, k: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "_SMALL", 6)
        patch.setattr(pairwise, "_DENSE", 0)
        assert_finds_the_best(data, k)


def test_equal_losses_go_to_the_smallest_levels() -> None:
    flag = [np.array([0, 1], np.int32), np.array([0, 0], np.int32)]
    share = [np.zeros(2), np.ones(1)]
    codes = tuple(np.array(column, np.int32) for column in ([0, 0, 1, 1], [0, 1, 0, 1]))
    found = best_without_suppression(codes, np.ones(4, np.int64), [flag] * 2, [share] * 2, 2)
    assert found is not None
    assert (found.levels, found.loss) == ((0, 1), 0.5)


def test_fewer_records_than_k_have_no_answer() -> None:
    one = [np.array([0], np.int32)]
    assert best_without_suppression((one[0],), np.array([2]), [one], [[np.zeros(1)]], 3) is None


@needs_data
@pytest.mark.parametrize("keys", [9, 8])
def test_the_best_node_of_adult_is_that_of_arx(keys: int) -> None:
    data, _ = adult.coded(adult.read_columns(), adult.NINE if keys == 9 else adult.EIGHT)
    with GOLDEN.open(newline="") as file:
        row = next(r for r in csv.DictReader(file) if int(r["qis"]) == keys)
    found = best_without_suppression(*data, int(row["k"]))
    assert found is not None
    assert " ".join(map(str, found.levels)) == row["best_levels"]
    assert found.loss == pytest.approx(float(row["loss"]), abs=1e-6)


def test_numbers_that_fall_on_one_place_of_the_table_are_told_apart() -> None:
    """In so many small tables some meet at every place, also at the last one."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        ids = rng.integers(0, 60, 8).astype(np.uint64)
        counts = rng.integers(1, 9, len(ids))
        first, merged = np.empty(len(ids), np.int64), np.zeros(len(ids), np.int64)
        size = pairwise._group(ids, counts, hash_table(len(ids)), first, merged)
        alike = [np.flatnonzero(ids == one) for one in dict.fromkeys(ids.tolist())]
        assert first[:size].tolist() == [rows[0] for rows in alike]
        assert merged[:size].tolist() == [counts[rows].sum() for rows in alike]
