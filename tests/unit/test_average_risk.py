"""The average risk: a limit that is just met, beside other criteria, and when only small classes go."""

from collections import Counter

import ibis
import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.registry import criteria

KEYS = [10, *[20] * 3, *[30] * 4, *[40] * 12]  # classes of 1, 3, 4 and 12: 4 of 20


def read(keys=KEYS, **more):
    return ds.read({"a": keys, **more}, keys=["a"], confidential=list(more))


@pytest.mark.parametrize(
    ("given", "gone"),
    [
        ((0.2,), 0),
        ((0.199,), 1),  # 3 of 19
        ((0.15,), 4),  # 2 of 16
        ((0.1,), 8),  # 1 of 12
        ((0.05,), 20),
        ((1, 0.25), 4),  # none in classes smaller than 4
        ((1, 0.25, 0.2), 0),
        ((1, 0.25, 0.19), 1),  # 3 of 19
        ((1, 0.25, 0.15), 4),
        ((1, 1), 0),
    ],
)
def test_the_smallest_classes_go_until_it_holds(given, gone):
    criterion = ds.AverageRisk(*given)
    assert ds.check(read(), criterion).violating_records == gone
    assert ds.generalize(read(), {}, criterion, max_suppressed=20).best.suppressed == gone


def test_it_is_asked_of_what_other_criteria_leave():
    """Without the class of 1, 3 of 19 are left, and that is enough."""
    both = [ds.AverageRisk(0.199), ds.KAnonymity(2)]
    found = ds.check(read(), both)
    assert {reason: one.records for reason, one in found.by.items()} == {
        "class size": 1,
        "average risk": 0,
    }
    assert ds.generalize(read(), {}, both, max_suppressed=20).best.suppressed == 1


def test_beside_a_limit_of_the_disclosure_risk_both_hold():
    both = [ds.AverageRisk(0.15), ds.DisclosureRiskAtMost(0.1)]
    node = ds.generalize(read(), {}, both, max_suppressed=20).best
    assert all(one.satisfied for one in ds.check(node.mask(), both).parts)


def test_beside_a_criterion_on_values():
    data = read(s=["x", "y"] * 10)
    both = [ds.AverageRisk(0.15), ds.LDiversity(2, "entropy")]
    node = ds.generalize(data, {}, both, max_suppressed=20).best
    assert ds.check(node.mask(), both)


def test_where_only_small_classes_may_go_the_rest_must_satisfy():
    both = [ds.KAnonymity(2), ds.AverageRisk(0.15)]
    given = {"max_suppressed": 10, "suppression": "k-only"}
    with pytest.raises(ds.DiscreetError, match="D31"):
        ds.generalize(read(), {}, both, **given)
    found = ds.generalize(read(), {"a": ds.Hierarchy.suppress()}, both, **given)
    assert found.best.levels == {"a": 1}


def test_an_engine_of_its_own_tells_the_sizes_only():
    connection = ibis.duckdb.connect()
    connection.con.register("t", pa.table({"a": KEYS}))
    far = ds.read(connection.table("t"), keys=["a"])
    for limit in (0.2, 0.15, 0.1):
        here, there = (ds.check(data, ds.AverageRisk(limit)) for data in (read(), far))
        assert there.to_dict()["by"] == here.to_dict()["by"]


def test_overlapping_classes_count_by_record():
    data = ds.read({"a": ["x", "x", None, "y"]}, keys=["a"], missing="wildcard")
    assert ds.check(data, ds.AverageRisk(0.36))  # 1/3, 1/3, 1/4, 1/2
    assert not ds.check(data, ds.AverageRisk(0.35))


def test_words():
    assert ds.AverageRisk(0.05, 0.2).describe().endswith("above 0.2 for no record")
    assert criteria["AverageRisk"].from_text("0.05:0.2:0.01") == ds.AverageRisk(0.05, 0.2, 0.01)
    assert "smallest classes" in ds.check(read(), ds.AverageRisk(0.1)).explain()


def test_the_order_of_the_records_does_not_matter():
    first, other = (
        ds.generalize(read(keys), {}, ds.AverageRisk(0.15), max_suppressed=20).best.mask()
        for keys in (KEYS, KEYS[::-1])
    )
    assert sorted(first.to("arrow")["a"].to_pylist()) == sorted(other.to("arrow")["a"].to_pylist())


@pytest.mark.parametrize("seed", range(4))
def test_suppressing_cells_for_an_average_costs_no_more_than_the_k_that_gives_it(seed):
    random = np.random.default_rng(seed)
    table = {key: random.integers(0, 4, 40).tolist() for key in "abc"}
    survey = ds.read(table, keys=list("abc"))
    for k in (2, 3, 5):
        by_size = ds.suppress_cells(survey, ds.KAnonymity(k))
        rows = Counter(zip(*(by_size.to("arrow")[key].to_pylist() for key in "abc"), strict=True))
        average = len(rows) / 40
        masked = ds.suppress_cells(survey, ds.AverageRisk(average))
        released = zip(*(masked.to("arrow")[key].to_pylist() for key in "abc"), strict=True)
        assert len(set(released)) / 40 <= average + 1e-9
        assert masked.outcome.cost <= by_size.outcome.cost
        assert masked.bound <= masked.outcome.cost
