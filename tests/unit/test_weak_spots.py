"""What a mutation run found untested: small answers that a caller relies on."""

import functools
import itertools

import ibis
import pyarrow as pa
import pytest

import discreet as ds
from discreet.kernels.known_sets.counts import _STRETCH, stretches
from discreet.plan.fields import Where
from discreet.plan.measures import section_problems

KNOWN = {"known": {"town": 0.5}, "sensitivity": {"illness": 1.0}}
TOWNS = {"town": ["a", "a", None, "b"], "illness": ["flu", "flu", "rare", "flu"]}


def elsewhere(table):
    """A table that stays in an engine of its own, where records have no order."""
    connection = ibis.duckdb.connect()
    connection.con.register("t", pa.table(table))
    return connection.table("t")


def test_stretches_of_records_follow_each_other_and_end_with_the_last():
    n = 3 * _STRETCH + 1
    with stretches(n, 3) as found:
        edges = [(one.start, one.stop) for one in found.slices]
    assert len(edges) == 3
    assert edges[0][0] == 0
    assert edges[-1][1] == n
    assert all(left[1] == right[0] for left, right in itertools.pairwise(edges))


@pytest.mark.parametrize(("released", "compared"), [("c", True), ("z", False)])
def test_a_value_of_the_initial_file_can_be_compared_and_a_new_one_cannot(released, compared):
    """Of the records that are released none had the value c before, but another one has it."""
    initial = ds.read({"rec": [1, 2, 3, 4], "v": list("abcc")}, keys=["v"])
    masked = ds.read({"rec": [1, 2], "v": ["a", released]}, keys=["v"])
    found = ds.information_loss(initial, masked, on="rec")
    assert (found.not_compared == ()) is compared
    assert (found.dist == 1) is compared


def test_a_recoded_predictor_with_gaps_keeps_its_partners():
    """A missing value stands for no label: a and b became x and y, one to one; one gap was
    filled.
    """
    n = 40
    towns = [None if i % 7 == 0 else "ab"[i % 2] for i in range(n)]
    labels = [None if town is None else {"a": "x", "b": "y"}[town] for town in towns]
    labels[0] = "x"
    pay = [float(i % 2) + i % 3 for i in range(n)]
    shared = {"rec": list(range(n)), "pay": pay}
    read = functools.partial(ds.read, keys=["town"], types={"pay": "continuous"})
    initial, masked = read({**shared, "town": towns}), read({**shared, "town": labels})
    assert ds.regression_loss(initial, masked, "pay ~ town", on="rec").largest_change < 1


def test_listed_values_weigh_the_same_in_an_engine_of_its_own():
    given = {**KNOWN, "value_sensitivity": {"illness": {"flu": 0.25, "rare": 1.0}}}
    here, there = (ds.record_risk(ds.read(t), **given) for t in (TOWNS, elsewhere(TOWNS)))
    assert there.total == here.total
    assert there.highest == here.highest


def test_a_gap_that_matches_every_value_is_refused_where_records_stay_in_their_engine():
    data = ds.read(elsewhere(TOWNS), keys=["town"], missing="wildcard")
    with pytest.raises(ds.DiscreetError, match="N01"):
        ds.record_risk(data, **KNOWN)


def test_a_range_of_a_plan_may_have_both_ends():
    rows = [{"above": 10, "up_to": 20, "weight": 0.5}, {"up_to": 10, "weight": 1.0}]
    given = {"record_risk": {**KNOWN, "value_sensitivity": {"income": rows}}}
    assert section_problems(given, ("measures",), Where()) == []


def test_the_range_tells_how_many_people_are_alone_in_the_population():
    survey = ds.read(ds.datasets.patients(400, seed=1), keys=["age", "sex"])
    found = ds.population_range(survey, population=40_000)
    low, high = (int(40_000 * end) for end in found.uniqueness.interval)
    assert f"Another quantity: {low:,} to {high:,} of these 40,000 people" in found.explain()
