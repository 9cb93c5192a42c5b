"""Information loss: each measure on tables small enough to reckon by hand."""

import json
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from tests import loss_twin
from tests.loss_of_arrays import categorical_loss, continuous_loss


def test_il1_to_il3_are_relative_changes():
    x, y = np.array([[1.0], [2.0], [4.0]]), np.array([[1.5], [1.5], [4.0]])
    found = continuous_loss(x, y)
    assert found.il1 == pytest.approx((0.5 + 0.25 + 0) / 3)
    assert found.il2 == 0
    assert found.il3 == pytest.approx(
        abs(np.var(x, ddof=1) - np.var(y, ddof=1)) / np.var(x, ddof=1)
    )
    assert found.sse_ratio == pytest.approx(0.5 / ((x - x.mean()) ** 2).sum())


def test_zeros_in_the_original_are_left_out_of_il1_and_counted():
    found = continuous_loss(np.array([[0.0], [2.0]]), np.array([[1.0], [1.0]]))
    assert (found.il1, found.zeros) == (0.5, 1)


def test_unchanged_data_lose_nothing_and_constant_attributes_do_no_harm():
    x = np.column_stack([np.arange(10.0), np.full(10, 3.0)])
    found = continuous_loss(x, x)
    assert (found.il, found.pil, found.sse_ratio) == (0, 0, 0)


def test_probabilistic_measures_lie_between_0_and_1():
    rng = np.random.default_rng(1)
    x = rng.lognormal(size=(200, 3))
    found = continuous_loss(x, rng.permutation(x))
    for value in (found.pil_q, found.pil_m1, found.pil_m2, found.pil_m11, found.pil_r):
        assert 0 <= value <= 1
    assert found.pil_m1 == pytest.approx(0, abs=1e-6)


def test_dist_counts_changed_cells_and_categories_apart():
    x = [np.array([0, 1, 2]), np.array([0, 0, 3])]
    y = [np.array([0, 2, 2]), np.array([2, 0, 1])]
    assert categorical_loss(x, y, [3, 4], [False, True]).dist == 1 + (2 + 0 + 2)


def test_ctbil_adds_relative_changes_over_all_tables():
    x, y = [np.array([0, 0, 1, 1])], [np.array([0, 0, 0, 1])]
    found = categorical_loss(x, y, [2], [False])
    assert found.ctbil == pytest.approx(1 / 2 + 1 / 2)
    assert found.actbil == pytest.approx(0.5)
    two = categorical_loss(x * 2, y * 2, [2, 2], [False, False])
    assert two.cells == 2 + 2 + 2


def test_ebil_is_the_entropy_the_masked_values_leave_open():
    x, y = [np.array([0, 0, 1, 1])], [np.array([0, 0, 0, 0])]
    assert categorical_loss(x, y, [2], [False]).ebil == pytest.approx(4 * 1.0)
    skewed = categorical_loss([np.array([0, 0, 0, 1])], y, [2], [False]).ebil
    entropy = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    assert skewed == pytest.approx(4 * entropy)


@pytest.fixture(scope="module")
def patients():
    return ds.read(
        ds.datasets.patients(800, seed=2),
        identifiers=["name", "ssn"],
        keys=["age", "zip", "sex"],
        confidential=["illness", "income"],
    )


def test_a_microaggregation_is_measured_on_what_it_changed(patients):
    masked = ds.microaggregate(patients, ["age", "income"], k=5)
    found = ds.information_loss(patients, masked)
    assert found.il2 < 1e-9
    assert 0 < found.sse_ratio < 0.1
    assert found.untouched == ("zip", "sex")
    assert found.dist is None
    assert found.loss is None
    assert found.average_class_size is None  # an income was changed, which is no key
    assert ds.information_loss(patients, masked, scope=["age"]).il2 < 1e-9
    whole = ds.information_loss(patients, masked, scope="file")
    assert "illness" in whole.untouched
    assert json.loads(json.dumps(whole.to_dict()))["scope"] == "file"
    assert "il1" in found.table("pandas")["measure"].tolist()
    assert found.attributes("pandas")["attribute"].tolist()[0] in ("age", "income")
    assert "Left as they were" in found.explain()
    assert "InformationLoss" in repr(found)


def test_a_generalization_has_iyengars_loss_and_its_labels_are_not_compared(patients):
    h = {"age": ds.Hierarchy.intervals([10, 20], top="*"), "zip": ds.Hierarchy.prefixes([5, 3, 0])}
    best = ds.generalize(patients, h, ds.KAnonymity(3), max_suppressed=0.1).best
    found = ds.information_loss(patients, best.mask())
    assert found.loss == best.loss
    assert 0 <= found.precision_loss <= 1
    assert 0 <= found.entropy <= 1
    assert found.missing_records == best.suppressed
    assert set(found.not_compared) == {k for k, level in best.levels.items() if level}
    sizes = list(ds.risk(best.mask()).class_sizes)
    n = patients.n
    assert found.discernibility == sum(i * m for i, _, m in sizes) + n * best.suppressed


def test_a_file_masked_elsewhere_is_compared_by_record_id(patients):
    table = {"rec": [1, 2, 3, 4], "x": [1.0, 2.0, 3.0, 4.0], "c": list("abab")}
    first = ds.read(table, keys=["x", "c"])
    second = ds.read({"rec": [4, 2, 1], "x": [3.5, 2.0, 1.5], "c": list("bba")}, keys=["x", "c"])
    found = ds.information_loss(first, second, on="rec")
    assert found.missing_records == 1
    assert found.il1 == pytest.approx((0.5 / 1 + 0 + 0.5 / 4) / 3)
    with pytest.raises(ds.DiscreetError, match="scope="):
        ds.information_loss(first, second, on="rec", scope="all")


def test_a_regression_shows_what_an_analyst_would_notice(patients):
    masked = ds.microaggregate(patients, ["age"], k=10)
    found = ds.regression_loss(patients, masked, "income ~ age + sex")
    assert found.terms == ("intercept", "age", "sex (value 2)")
    assert found.largest_change < 1
    same = ds.regression_loss(patients, ds.sample(patients, fraction=1.0, seed=1), "income ~ age")
    assert same.largest_change == pytest.approx(0, abs=1e-9)
    assert found.table("arrow").num_rows == 3
    for formula in ("income", "income ~", "~ age", "income ~ agee", "sex ~ age", "income ~ zip", 5):
        with pytest.raises(ds.DiscreetError):
            ds.regression_loss(patients, masked, formula)


def test_the_score_shows_all_its_parts(patients):
    data = patients.with_roles(keys=["age", "income"], confidential=[])
    loose, tight = (ds.score(data, ds.microaggregate(data, k=k)) for k in (3, 50))
    assert loose.value == pytest.approx((loose.information_loss + loose.disclosure_risk) / 2)
    assert loose.disclosure_risk == pytest.approx(
        (loose.record_linkage + loose.interval_disclosure) / 2
    )
    assert tight.information_loss > loose.information_loss
    assert tight.record_linkage < loose.record_linkage
    assert loose.blocks == 1
    assert "100·DR_max" in loose.explain()
    assert loose.table("arrow").num_rows == 6
    unmasked = ds.score(data, ds.sample(data, fraction=1.0, seed=1))
    assert (unmasked.information_loss, unmasked.interval_disclosure) == (0, 100)
    sexes = data.with_roles(keys=["sex"])
    sample = ds.sample(sexes, n=5, seed=1)
    with pytest.raises(ds.DiscreetError, match="no continuous attribute"):
        ds.score(sexes, sample)


def test_linkage_equals_a_slow_count_and_is_tried_in_blocks_when_large(monkeypatch):
    from discreet.kernels.linkage import own_is_nearest
    from discreet.loss import score as module

    rng = np.random.default_rng(3)
    x = np.round(rng.normal(size=(80, 2)), 1)
    y = np.round(x + rng.normal(scale=0.3, size=x.shape), 1)
    slow = float(loss_twin.linked(np.rint(10 * x), np.rint(10 * y)))
    assert own_is_nearest(x, y) == pytest.approx(slow)
    monkeypatch.setattr(module, "WHOLE", 30)
    share, blocks = module._linkage(x, y)
    assert blocks == 3
    assert share * 80 >= slow - 1e-9


def test_statistics_before_and_after_stand_side_by_side(patients):
    found = ds.compare_statistics(patients, ds.microaggregate(patients, ["age", "income"], k=5))
    rows = {(name, statistic): (a, b) for name, statistic, a, b in found.rows}
    assert rows["age", "mean"][0] == pytest.approx(rows["age", "mean"][1])
    assert rows["age", "standard deviation"][0] == pytest.approx(
        rows["age", "standard deviation"][1]
    )
    assert ("age, income", "correlation") in rows
    assert found.table("arrow").num_rows == len(found.rows)
    assert "Largest change of a quantile" in found.explain()
    pytest.importorskip("altair")
    from discreet.charts import svg

    assert svg(found.chart()).startswith("<svg")


def scored(x, y):
    files = [ds.read({"x": c, "rec": list(range(len(c)))}, keys=["x"]) for c in (x, y)]
    return ds.score(*files, on="rec")


def test_a_value_below_the_masked_one_is_as_near_as_one_above_it():
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 50, (2, 60)).tolist()
    mirrored = scored([-v for v in x], [-v for v in y])
    assert mirrored.interval_disclosure == pytest.approx(scored(x, y).interval_disclosure)


def test_the_ranks_between_a_value_and_the_masked_one_are_counted():
    x = list(range(100))
    for apart in (1, 3, 5, 6):  # within 5 ranks of 100 the widest interval, of 10 %, holds it
        for sign in (1, -1):
            y = [v if v != 50 else 50 + sign * apart for v in x]
            outside = sum(apart > width / 2 for width in range(1, 11)) / 10
            expected = 100 - outside  # one value of a hundred
            assert scored(x, y).interval_disclosure == pytest.approx(expected)


def test_initial_records_that_are_equally_near_share_the_link():
    for low in range(16):  # in units of the standard deviation some of the middles are rounded
        found = scored([low, low + 2, 200], [low + 1, low + 1, 200])
        assert found.record_linkage == pytest.approx(200 / 3)


@pytest.mark.parametrize("held", [2_000_000, 0], ids=["here", "by the engine"])
@pytest.mark.parametrize(
    ("before", "after", "differ"),
    [
        (pa.array([0.1, 0.2, 0.7], pa.float32()), pa.array([0.1, 0.2, 0.7]), False),
        (pa.array([0.1, 0.2, 0.7], pa.float32()), pa.array([0.1, 0.2, 0.8]), True),
        (pa.array([1, 2, 3]), pa.array([*map(Decimal, ("1.70", "2.00", "3.00"))]), True),
        (pa.array([1, 2, 3]), pa.array([*map(Decimal, ("1.00", "2.00", "3.00"))]), False),
        (pa.array([2**64 - 1, 2, 3], pa.uint64()), pa.array([-1, 2, 3]), True),
        (pa.array([1, 2, 3]), pa.array([1.0, 2.0, 3.5]), True),
    ],
)
def test_values_that_are_stored_otherwise_differ_where_they_are_others(
    before, after, differ, held, monkeypatch
):
    monkeypatch.setattr("discreet.data.link._FEW", held)
    first, second = (
        ds.read(pa.table({"id": [1, 2, 3], "x": x}), keys=["x"], types={"x": "continuous"})
        for x in (before, after)
    )
    found = ds.information_loss(first, second, on="id")
    assert found.changed == (("x",) if differ else ())
    assert differ or found.ebil_share == 0
