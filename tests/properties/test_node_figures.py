"""Figures of nodes that were kept: the same nodes are feasible, minimal and best as in the search."""

from dataclasses import replace

import numpy as np
import pytest

import discreet as ds
from discreet.masking.generalization.search import Search
from discreet.reports.facts import FEWEST, threshold_of

KEYS = {"a": [2, 4], "b": [3], "c": [2]}


def searched(seed):
    """A lattice of 24 nodes over a small random table, with everything allowed to go."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    table = {key: rng.integers(0, 5, n).tolist() for key in KEYS}
    table["ill"] = rng.choice(["x", "y", "z"], n).tolist()
    types = dict.fromkeys(KEYS, "continuous")
    data = ds.read(table, keys=list(KEYS), confidential=["ill"], types=types)
    hierarchies = {key: ds.Hierarchy.intervals(widths) for key, widths in KEYS.items()}
    asked = ds.PSensitiveKAnonymity(p=2, k=2)
    return n, ds.generalize(data, hierarchies, asked, max_suppressed=1.0)


@pytest.mark.parametrize("seed", range(25))
def test_they_leave_the_nodes_that_the_search_leaves(seed):
    n, found = searched(seed)
    lattice = found.lattice.shape
    rng = np.random.default_rng(seed)
    for k, p in ((1, 1), (2, 1), (3, 2), (5, 3)):
        kept = found.lattice.at(k=k, p=p, max_suppressed=1.0)
        for share in (0.0, 0.02, 0.29, float(rng.random()), 1.0):
            theirs = found.lattice.at(k=k, p=p, max_suppressed=share)
            mine = lattice.figures(kept.nodes.suppressed, kept.nodes.loss, share, n)
            assert np.array_equal(mine.feasible, theirs.nodes.feasible)
            assert tuple(lattice.named(node) for node in mine.minimal.tolist()) == tuple(
                node.levels for node in theirs.minimal
            )
            assert (None if mine.best is None else lattice.named(mine.best)) == (
                None if theirs.best is None else theirs.best.levels
            )


@pytest.mark.parametrize("seed", range(25))
def test_minimal_nodes_by_their_definition(seed):
    _, found = searched(seed)
    lattice, kept = found.lattice.shape, found.lattice.at(k=3, p=2, max_suppressed=1.0)
    mine = lattice.figures(kept.nodes.suppressed, kept.nodes.loss, 4, 100)
    levels = np.array([lattice.levels_of(node) for node in range(lattice.nodes)])
    feasible = [node for node in range(lattice.nodes) if kept.nodes.suppressed[node] <= 4]
    below = {
        node: [o for o in feasible if o != node and (levels[o] <= levels[node]).all()]
        for node in feasible
    }
    assert mine.minimal.tolist() == [node for node in feasible if not below[node]]
    least = min((kept.nodes.loss[node] for node in feasible), default=None)
    near = [node for node in feasible if kept.nodes.loss[node] <= least + 1e-12]
    assert mine.best == (near[0] if near else None)


def test_neighbours_by_the_place_of_their_key():
    lattice = searched(0)[1].lattice.shape
    for node in range(lattice.nodes):
        for place, up in lattice.above(node).items():
            step = np.subtract(lattice.levels_of(up), lattice.levels_of(node)).tolist()
            assert step == [int(i == place) for i in range(len(KEYS))]
            assert lattice.below(up)[place] == node


def test_a_report_shows_no_category_of_fewer_records_than_the_classes_must_have():
    assert threshold_of([]) == FEWEST
    assert threshold_of([ds.KAnonymity(3)]) == FEWEST
    assert threshold_of([ds.TCloseness(0.2), ds.PSensitiveKAnonymity(p=2, k=9)]) == 9
    assert threshold_of([ds.AllOf([ds.KAnonymity(7), ds.LDiversity(2)])]) == 7


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("loss", ["iyengar", "discernibility", "average-class-size", "height"])
def test_a_node_that_is_counted_by_itself_has_the_figures_of_the_sweep(seed, loss):
    """A suppressed record counts 1 in both, whatever is left of the others."""
    rng = np.random.default_rng(seed)
    table = {key: rng.integers(0, 5, 14).tolist() for key in "ab"}
    data = ds.read(
        {**table, "ill": rng.choice(["x", "y", "z"], 14).tolist()},
        keys=["a", "b"], confidential=["ill"], types=dict.fromkeys("ab", "continuous"),
    )  # fmt: skip
    hierarchies = {key: ds.Hierarchy.intervals(KEYS[key]) for key in "ab"}
    asked = ds.PSensitiveKAnonymity(p=2, k=2)
    task = ds.generalize(data, hierarchies, asked, max_suppressed=14, loss=loss).task
    task = replace(task, budget=5)
    swept, counted = Search(task), Search(task, by_node=True)
    assert swept.sweep.records == 14
    for node in range(task.lattice.nodes):
        mine, theirs = counted.figures(node), swept.figures(node)
        assert (mine.suppressed, mine.classes) == (theirs.suppressed, theirs.classes)
        assert mine.loss == pytest.approx(theirs.loss)
        assert mine.objective == pytest.approx(theirs.objective)
        assert mine.feasible == theirs.feasible == (mine.excess == 0)
        assert mine.excess == max(theirs.suppressed - 5, 0)
