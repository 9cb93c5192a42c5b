"""Cells blanked in the IHSN file: the figures that integer programmes proved, and sdcMicro's.

sdcMicro 5.8.1, kAnon with k and these keys: 54, 147 and 293 cells in its weaker reading.
"""

import itertools
from functools import partial

import numpy as np
import pyarrow.csv
import pytest

from discreet.kernels.coded_tuples import frequencies
from discreet.kernels.local_recoding.task import CellTask, KeyTree
from discreet.kernels.local_suppression import category, subsets
from discreet.kernels.local_suppression.cover_answer import LARGEST, exact, greedy
from discreet.kernels.local_suppression.suppression import blanks_of

FIVE = ["urbrur", "roof", "walls", "relat", "sex"]
SEVEN = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
CASES = {"5 keys, k = 3": (FIVE, 3), "5 keys, k = 5": (FIVE, 5), "7 keys, k = 3": (SEVEN, 3)}


def figures(*cells):
    return pytest.mark.parametrize(("case", "cells"), list(zip(CASES, cells, strict=True)))


@pytest.fixture(scope="module")
def survey(reference_data):
    return pyarrow.csv.read_csv(reference_data("ihsn_testdata_4580x15.csv"))


def task_of(survey, keys, k):
    """The frequency set of some keys, each with a blank that costs 1."""
    columns = [np.unique(survey[key].to_numpy(), return_inverse=True)[1] for key in keys]
    sizes = [int(column.max()) + 1 for column in columns]
    found = frequencies(columns, sizes)
    trees = [KeyTree(np.full(c + 1, c, np.int32), np.append(np.zeros(c), 1.0)) for c in sizes]
    return CellTask(np.column_stack(found.codes).astype(np.int32), found.counts, tuple(trees), k)


def counts(task, cells):
    """The least of the four counts, each class of released records against all."""
    blank = np.array([len(tree.parent) - 1 for tree in task.trees])
    y, n, x = cells.node, cells.count, task.codes
    open_ = y == blank
    return {
        "category": min(n[np.all(y == one, axis=1)].sum() for one in y),
        "wildcard": min(n[np.all((y == one) | open_ | (one == blank), axis=1)].sum() for one in y),
        "target": min(n[np.all((y == one) | open_, axis=1)].sum() for one in x),
        "source": min(task.counts[np.all((x == one) | (one == blank), axis=1)].sum() for one in y),
    }


@figures(67, 172, 357)
def test_the_fewest_cells_in_the_category_reading_are_proven(survey, case, cells):
    task = task_of(survey, *CASES[case])
    found = category.exact(task)
    assert (found.cells.price(task), found.bound, found.proven) == (cells, cells, True)
    assert min(counts(task, found.cells).values()) >= task.k
    assert found.restriction == (
        f"at most 3 blanks a record, and classes that lend records keep {task.k} records"
    )
    linear = category.linear_bound(task)
    assert 0.95 * cells <= linear <= cells + 1e-6


@figures(67, 172, 357)
def test_the_linear_bound_alone_is_nearly_proof(survey, case, cells):
    task = task_of(survey, *CASES[case])
    found = category.exact(task, proof=False)
    assert found.cells.price(task) == cells
    assert 0.98 * cells <= found.bound <= cells


def test_eight_keys_are_proven_by_the_linear_bound(survey):
    task = task_of(survey, [*SEVEN, "age"], 3)
    found = category.exact(task)
    assert (found.cells.price(task), found.bound, found.proven) == (2838, 2838, True)
    assert min(counts(task, found.cells).values()) >= 3


@figures(64, 165, 342)
def test_the_fewest_cells_in_the_target_source_reading_are_proven(survey, case, cells):
    task = task_of(survey, *CASES[case])
    found = exact(task, "target-source", nodes=1_000)
    assert (found.cells.price(task), found.bound, found.proven) == (cells, cells, True)
    least = counts(task, found.cells)
    assert min(least["target"], least["source"]) >= task.k


@figures(66, 175, 368)
def test_the_quick_answer_in_the_target_source_reading_is_near(survey, case, cells):
    task = task_of(survey, *CASES[case])
    found = greedy(task, "target-source")
    assert found.cells.price(task) <= cells
    least = counts(task, found.cells)
    assert min(least["target"], least["source"]) >= task.k


@figures(25, 51, 120)
def test_the_fewest_cells_in_the_wildcard_reading(survey, case, cells):
    task = task_of(survey, *CASES[case])
    found = exact(task, "wildcard", nodes=1)
    assert found.cells.price(task) <= cells
    assert found.bound == cells if found.proven else found.bound >= 0.96 * cells
    assert counts(task, found.cells)["wildcard"] >= task.k


QUICK = [(FIVE, 3, 30), (FIVE, 5, 68), (SEVEN, 3, 132), ([*SEVEN, "age"], 3, 520)]


@pytest.mark.parametrize(("keys", "k", "cells"), QUICK)
def test_the_quick_answer_in_the_wildcard_reading(survey, keys, k, cells):
    task = task_of(survey, keys, k)
    found = greedy(task, "wildcard")
    assert found.cells.price(task) <= cells
    assert counts(task, found.cells)["wildcard"] >= k
    blank = np.array([len(tree.parent) - 1 for tree in task.trees])
    lost = (found.cells.node == blank).sum(axis=1)
    assert lost.max() <= 2


def test_a_large_task_gets_the_quick_answer_and_the_linear_bound(survey):
    task = task_of(survey, [*SEVEN, "age"], 3)
    assert np.sum(task.counts < 3) > LARGEST
    found = exact(task, "wildcard", nodes=30)
    assert found.stopped == "size"
    assert 0 < found.bound <= found.cells.price(task)


def test_every_three_of_five_keys_hold_in_the_end(survey):
    task = task_of(survey, FIVE, 3)
    sets = [(keys, 3) for keys in itertools.combinations(range(5), 3)]
    for weaker, solve in ((False, category.exact), (True, partial(greedy, reading="wildcard"))):
        cells = subsets.on_subsets(
            task, sets, lambda one, solve=solve: solve(one).cells, wildcard=weaker
        )
        for one in sets:
            assert not np.any(subsets.short(task, cells, one, wildcard=weaker))
        assert cells.price(task) <= solve(task).cells.price(task)


def test_sets_that_hold_whenever_another_does_are_left_out():
    sets = [((0, 1), 3), ((1, 0, 2), 3), ((0,), 5), ((1,), 2)]
    assert subsets._largest(sets) == [((0, 1, 2), 3), ((0,), 5)]


def test_keys_without_a_blank_are_never_blanked():
    stratum = KeyTree(np.arange(2, dtype=np.int32), np.zeros(2))
    key = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 4.0]))
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    task = CellTask(codes, np.array([3, 1, 1, 1]), (stratum, key), 2)
    assert blanks_of(task).keys.tolist() == [False, True]
    found = category.exact(task)
    assert found.cells.node.tolist() == [[0, 0], [0, 2], [0, 2], [1, 2], [1, 2]]
    assert found.cells.count.tolist() == [2, 1, 1, 1, 1]
    assert found.bound == 16.0


def test_what_cannot_be_done_is_said():
    key = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 1.0]))
    task = CellTask(np.array([[0, 0], [1, 1]], np.int32), np.array([1, 1]), (key, key), 3)
    for solve in (
        category.exact,
        partial(greedy, reading="wildcard"),
        partial(exact, reading="wildcard", nodes=30),
        partial(greedy, reading="target-source"),
    ):
        found = solve(task)
        assert (found.cells, found.stopped) == (None, "infeasible")


def test_where_nothing_lacks_nothing_is_blanked():
    key = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 1.0]))
    task = CellTask(np.array([[0, 0], [1, 1]], np.int32), np.array([3, 4]), (key, key), 3)
    readings = [partial(exact, reading=one, nodes=1_000) for one in ("wildcard", "target-source")]
    for solve in (category.exact, *readings):
        found = solve(task)
        assert (found.cells.node.tolist(), found.bound) == ([[0, 0], [1, 1]], 0.0)
        assert found.proven
    assert greedy(task, "wildcard").cells.count.tolist() == [3, 4]
