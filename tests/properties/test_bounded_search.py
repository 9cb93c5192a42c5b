"""The bounded search: a valid node at any time, a bound that holds, and the best node in the end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as ds
from discreet.masking.generalization.bounded import level_costs, projection
from discreet.masking.generalization.search import Search

CRITERIA = (
    ds.KAnonymity(3),
    ds.PSensitiveKAnonymity(p=2, k=2),
    ds.BetaLikeness(1.0),
    ds.DeltaDisclosure(1.5, "ignore"),
    ds.TCloseness(0.4),
    ds.AverageRisk(0.3),
)


def survey(seed, records, keys, values=4):
    """Keys that go with each other, and a confidential attribute."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, records)
    share = rng.dirichlet(np.full(values, 0.7), (keys, 3))
    drawn = rng.random((keys, records))
    codes = [(share[a][kind].cumsum(1) > drawn[a][:, None]).argmax(1) for a in range(keys)]
    columns = {f"k{a:02}": code.tolist() for a, code in enumerate(codes)}
    names = list(columns)
    columns["ill"] = rng.choice(list("xyz"), records).tolist()
    above = {name: ds.Hierarchy.intervals([2]) for name in names}
    return ds.read(columns, keys=names, confidential=["ill"]), above


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    criterion=st.sampled_from(CRITERIA),
    limit=st.sampled_from([0.0, 0.05, 0.3]),
    loss=st.sampled_from(["iyengar", "entropy", "precision", "height", "discernibility"]),
)
def test_wherever_it_ends_the_node_is_valid_and_the_bound_holds(seed, criterion, limit, loss):
    data, above = survey(seed, 60, 3)
    try:
        whole = ds.generalize(data, above, criterion, max_suppressed=limit, loss=loss)
    except ds.DiscreetError:
        return  # nothing is feasible
    least = whole.best.objective
    if loss != "discernibility":
        _projections_hold(whole)
    for nodes in (1, 4, 16, 1_000):  # from 16 on, groups of keys are swept
        search = Search(whole.task, None, nodes)
        outcome = search.run("bounded")
        assert outcome.bound is None or outcome.bound <= least + 1e-12
        if outcome.best is not None:
            found = search.figures(outcome.best)
            assert found.feasible
            assert found.objective >= least - 1e-12
    assert outcome.complete
    assert outcome.best == whole.best_number


def _projections_hold(whole):
    """What groups of keys lose by themselves is no more than what a feasible node loses."""
    search = Search(whole.task, by_node=True)
    groups = [projection(whole.task, keys, level_costs(search)) for keys in ((2, 0), (1,))]
    for node in range(whole.task.lattice.nodes):
        found, levels = search.figures(node), whole.task.lattice.levels_of(node)
        apart = sum(group.at(levels, len(group.keys)) for group in groups)
        assert not found.feasible or apart <= found.objective + 1e-12
        assert all(group.at(levels, 0) <= group.at(levels, 1) for group in groups)


@pytest.fixture(scope="module")
def wide():
    """Fifteen keys of four values on three levels: 14,348,907 nodes."""
    return survey(1, 1_500, 15)


def test_of_millions_of_nodes_a_valid_one_is_found_and_the_same_one_each_time(wide):
    data, above = wide
    found = [
        ds.generalize(data, above, ds.KAnonymity(5), max_suppressed=0.02, nodes=nodes)
        for nodes in (1, 60, 600, 600)
    ]
    losses = [one.best.loss for one in found]
    bounds = [one.bound for one in found]
    assert found[0].lattice.nodes == 3**15
    assert losses[0] > losses[1] >= losses[2] == losses[3]
    assert bounds[0] <= bounds[1] <= bounds[2] == bounds[3] < losses[3]
    assert bounds[2] > 0.36  # 0.178 without groups of keys
    assert found[2].best.levels == found[3].best.levels
    assert found[0].tally.counted == 1
    assert found[2].tally.counted == 600
    assert ds.check(found[2].best.mask(), ds.KAnonymity(5)).satisfied


def test_how_far_from_the_best_it_may_be_is_said(wide):
    data, above = wide
    found = ds.generalize(data, above, ds.KAnonymity(5), max_suppressed=0.02, nodes=200)
    gap = found.best.objective - found.bound
    assert f"loses at most {gap:.4f} more than the best one" in found.explain()
    assert found.to_dict()["bound"] == found.bound
    other = ds.generalize(
        data, above, ds.KAnonymity(5), max_suppressed=0.02, nodes=50, loss="discernibility"
    )
    assert other.bound is None
    assert "is not known for this loss" in other.explain()


def test_only_a_search_by_the_clock_is_recorded_as_one(wide):
    data, above = wide
    options = {"max_suppressed": 0.02, "search": "bounded"}
    timed = ds.generalize(data, above, ds.KAnonymity(5), seconds=0.05, **options)
    counted = ds.generalize(data, above, ds.KAnonymity(5), nodes=20, **options)
    assert timed.best.mask().steps[-1].parameters["by_clock"] is True
    assert "by_clock" not in counted.best.mask().steps[-1].parameters


def test_a_search_that_proves_its_node_says_so():
    data, above = survey(3, 200, 4)
    found = ds.generalize(data, above, ds.KAnonymity(3), search="bounded")
    whole = ds.generalize(data, above, ds.KAnonymity(3))
    assert found.complete
    assert found.best.levels == whole.best.levels
    assert found.bound == pytest.approx(whole.best.loss, abs=1e-12)
    assert "cut off" not in found.explain()


@pytest.mark.parametrize("nodes", [0, -3, 2.5, "many"])
def test_a_number_of_nodes_that_is_none_is_refused(nodes):
    data, above = survey(3, 40, 2)
    with pytest.raises(ds.DiscreetError) as caught:
        ds.generalize(data, above, ds.KAnonymity(2), search="bounded", nodes=nodes)
    assert caught.value.code == "P07"
