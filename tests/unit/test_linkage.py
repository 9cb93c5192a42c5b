"""Record linkage and interval disclosure: types, missing values, what is shown, and ugly input."""

import datetime as dt
import itertools
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.data.link import distinct_texts
from discreet.kernels.linkage import _agreeing, _patterns, agreement, best_assignment

AGES = [8, 10, 19, 23, 37, 43, 68, 72]


def read(**columns):
    keys = [name for name in columns if name != "rec"]
    return ds.read(columns, keys=keys, types={"age": "continuous"} if "age" in columns else None)


def test_names_are_one_apart_and_steps_of_a_scale_in_units_of_their_spread():
    kinds = {"grade": ["low", "middle", "high"]}
    one = {"rec": [1, 2, 3], "grade": ["low", "middle", "high"], "sex": ["F", "M", "F"]}
    two = {**one, "grade": ["high", "middle", "high"]}
    first, second = (ds.read(t, keys=["grade", "sex"], types=kinds) for t in (one, two))
    found = ds.linkage(first, second, on="rec")
    # steps have a spread of 1: the first record is 4 from its own and 1 + 1 from the second
    assert dict(found.sizes) == {1: 1, 2: 1}
    assert found.expected_correct == 1.5


def test_a_missing_value_is_one_of_its_own():
    first = read(rec=[1, 2, 3], age=[10.0, None, 30.0])
    same = ds.linkage(first, read(rec=[1, 2, 3], age=[10.0, None, 30.0]), on="rec")
    assert (same.expected_correct, same.group_share) == (3.0, 1.0)
    blank = ds.linkage(first, read(rec=[1, 2, 3], age=pa.array([None] * 3, "float64")), on="rec")
    assert blank.expected_correct == pytest.approx(1.0)


def test_dates_are_numbers():
    days = [dt.date(2024, 1, d) for d in (1, 2, 9, 30)]
    first = ds.read({"rec": [1, 2, 3, 4], "day": days}, keys=["day"])
    moved = [day + dt.timedelta(days=1) for day in days]
    second = ds.read({"rec": [1, 2, 3, 4], "day": moved}, keys=["day"])
    assert dict(ds.linkage(first, second, on="rec").sizes) == {1: 3}


def test_who_was_left_out_is_not_looked_for():
    ages = ds.read({"age": AGES}, keys=["age"])
    found = ds.linkage(ages, ds.sample(ages, n=3, seed=1))
    assert (found.n, found.expected_correct) == (3, 3.0)


def test_all_columns_that_cannot_be_compared_are_named_at_once():
    first = ds.read({"rec": [1, 2], "a": [1, 2], "b": ["x", "y"]}, keys=["a", "b"])
    second = ds.read({"rec": [1, 2], "a": ["1", "2"], "b": [1, 2]}, keys=["a", "b"])
    with pytest.raises(ds.DiscreetError) as error:
        ds.linkage(first, second, on="rec")
    assert [problem.code for problem in error.value.problems] == ["N07", "N07"]
    with pytest.raises(ds.DiscreetError, match="R01") as error:
        ds.linkage(first, second, ["c", "d"], on="rec")
    assert len(error.value.problems) == 4


def test_a_generalized_key_has_labels_and_no_distance():
    ages = ds.read({"age": AGES}, keys=["age"], types={"age": "continuous"})
    grouped = ds.generalize(
        ages, {"age": ds.Hierarchy.intervals([50])}, ds.KAnonymity(2)
    ).best.mask()
    with pytest.raises(ds.DiscreetError, match="recoded to labels"):
        ds.linkage(ages, grouped)


def test_infinite_numbers_are_refused():
    with pytest.raises(ds.DiscreetError, match="D12"):
        ds.linkage(read(rec=[1, 2], age=[1.0, np.inf]), read(rec=[1, 2], age=[1.0, 2.0]), on="rec")


def test_the_method_of_a_file_masked_elsewhere_is_not_known():
    with pytest.raises(ds.DiscreetError, match="not known here"):
        ds.linkage(read(rec=[1], age=[1]), read(rec=[1], age=[1]), on="rec", knows_method=True)


def test_columns_that_were_not_masked_are_not_ruled_out():
    survey = ds.read(ds.datasets.patients(200, seed=1), keys=["age", "income"])
    masked = ds.microaggregate(survey, ["age"], k=4, method="fixed")
    plain, knows = (ds.linkage(survey, masked, knows_method=k) for k in (False, True))
    assert knows.told == ("age",)
    assert knows.expected_correct >= plain.expected_correct


def test_what_is_found_is_shown_in_full():
    ages = ds.read({"age": AGES}, keys=["age"])
    found = ds.linkage(ages, ds.microaggregate(ages, k=4, method="fixed"))
    assert found.table("arrow").column_names == ["equally near", "records", "expected correct"]
    assert sum(found.table("arrow")["records"].to_pylist()) == 8
    assert "chance alone links 1" in found.explain()
    assert json.loads(json.dumps(found.to_dict()))["expected_correct"] == found.expected_correct


# -- probabilistic linkage -------------------------------------------------------------------------


def written_with_errors(n, right, seed=1):
    """Names of which some are wrong in the second file, as often in each column."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.integers(0, c, n) for c in (40, 30, 20, 15)])
    y = np.where(rng.random(x.shape) < right, x, x[rng.permutation(n)])
    names = [f"k{a}" for a in range(4)]
    return [
        ds.read({"rec": np.arange(n), **dict(zip(names, side.astype(str).T, strict=True))}, keys=names)
        for side in (x, y)
    ]  # fmt: skip


def test_the_em_algorithm_finds_how_often_right_pairs_agree():
    found = ds.linkage(*written_with_errors(600, 0.85), on="rec", method="probabilistic")
    rows = found.agreement("arrow").to_pylist()
    for row, values in zip(rows, (40, 30, 20, 15), strict=True):
        assert row["m"] == pytest.approx(0.85 + 0.15 / values, abs=0.05)
        assert row["u"] == pytest.approx(1 / values, abs=0.02)
        assert row["weight"] == pytest.approx(np.log2(row["m"] / row["u"]))
    assert "agreement weighs most" in found.explain()
    assert json.loads(json.dumps(found.to_dict()))["method"] == "probabilistic"


def test_an_unmasked_file_is_linked_by_agreement_as_by_distance():
    first, _ = written_with_errors(200, 1.0)
    found = [ds.linkage(first, first, on="rec", method=m) for m in ("distance", "probabilistic")]
    assert dict(found[0].sizes) == dict(found[1].sizes)


def test_numbers_agree_that_lie_between_the_same_deciles():
    survey = ds.read(ds.datasets.patients(300, seed=1), keys=["age", "income", "sex"])
    masked = ds.microaggregate(survey, ["age", "income"], k=3)
    found = ds.linkage(survey, masked, method="probabilistic")
    assert 0 < found.expected_correct < 300
    assert [row["attribute"] for row in found.weights] == ["age", "income", "sex"]


def test_too_many_patterns_and_two_attacks_at_once_are_refused():
    table = {f"k{i}": [1, 2] for i in range(16)}
    data = ds.read(table, keys=list(table))
    with pytest.raises(ds.DiscreetError, match="P17"):
        ds.linkage(data, ds.sample(data, fraction=1.0, seed=1), method="probabilistic")
    with pytest.raises(ds.DiscreetError, match="P16"):
        ds.linkage(data, ds.sample(data, n=2, seed=1), method="probabilistic", knows_method=True)


@given(st.integers(2, 25), st.integers(1, 4), st.integers(0, 2**32))
def test_patterns_and_links_are_those_of_comparing_all_pairs(n, d, seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (n, d))
    y = np.where(rng.random((n, d)) < 0.8, x, rng.integers(0, 3, (n, d)))
    slow = np.zeros(1 << d, int)
    for one in x:
        for other in y:
            slow[sum(1 << a for a in range(d) if one[a] == other[a])] += 1
    assert _patterns(_agreeing(x, y), d).tolist() == slow.tolist()
    m, u, near = agreement(x, y)
    weights = np.where(m > u * (1 + 1e-9), np.log2(m / u) - np.log2((1 - m) / (1 - u)), 0)
    total = (x[:, None, :] == y[None, :, :]) @ weights
    for i, row in enumerate(total):
        best = np.abs(row - row.max()) < 1e-8
        assert near[i] == (best.sum() if best[i] else 0)


# -- all records together --------------------------------------------------------------------------


@given(st.integers(1, 6), st.integers(0, 2**32))
def test_no_assignment_has_a_smaller_sum(n, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 5, (2, n, 2)).astype(float)
    apart = np.sqrt(((x[:, None] - y[None]) ** 2).sum(axis=2))
    least = min(
        sum(apart[i, j] for i, j in enumerate(order)) for order in itertools.permutations(range(n))
    )
    found = best_assignment(x, y)
    assert found.total == pytest.approx(least, abs=1e-9)
    assert sorted(found.to) == list(range(n))


def test_equal_records_share_an_assignment():
    ages = ds.read({"age": AGES}, keys=["age"])
    found = ds.linkage(ages, ds.microaggregate(ages, k=2, method="fixed"), method="assignment")
    assert (found.expected_correct, found.group_share, found.total_distance > 0) == (4.0, 1.0, True)
    assert "all records" in found.explain()


def test_too_many_records_cannot_be_assigned():
    many = ds.read({"age": np.arange(5001)}, keys=["age"])
    with pytest.raises(ds.DiscreetError, match="P17"):
        ds.linkage(many, ds.sample(many, fraction=1.0, seed=1), method="assignment")


# -- interval disclosure ---------------------------------------------------------------------------


def test_a_missing_value_is_not_disclosed():
    first = read(rec=[1, 2, 3, 4], age=[10.0, None, 30.0, 40.0])
    second = read(rec=[1, 2, 3, 4], age=[10.0, 20.0, None, 40.0])
    found = ds.interval_disclosure(first, second, on="rec")
    assert (found.share, found.missing, found.n) == (0.5, 2, 4)
    assert "not disclosed" in found.explain()


@pytest.mark.parametrize("distance", ["deviation", "rank"])
def test_blanking_what_lies_apart_does_not_narrow_the_interval_of_the_others(distance):
    first = read(rec=[1, 2, 3, 4], age=[0.0, 1.0, 2.0, 100.0])
    shown, blanked = (read(rec=[1, 2, 3, 4], age=[1.0, 1.0, 2.0, one]) for one in (100.0, None))
    asked = {"on": "rec", "width": {"deviation": 0.05, "rank": 0.25}[distance]}
    found = [ds.interval_disclosure(first, masked, distance=distance, **asked)
             for masked in (shown, blanked)]  # fmt: skip
    assert [one.share for one in found] == [1.0, 0.75]


def test_ranks_are_counted_in_whole_numbers():
    first, second = (
        read(rec=[*range(10)], age=[*range(10)]),
        read(rec=[*range(10)], age=[1, *range(1, 10)]),
    )
    found = [ds.interval_disclosure(first, second, on="rec", width=w, distance="rank").share
             for w in (0.1, 0.09)]  # fmt: skip
    assert found == [1.0, 0.9]


def test_an_attribute_that_does_not_vary_is_disclosed_where_it_is_unchanged():
    found = ds.interval_disclosure(
        read(rec=[1, 2], age=[5, 5]), read(rec=[1, 2], age=[5, 6]), on="rec"
    )
    assert found.share == 0.5


def test_only_numbers_have_intervals():
    survey = ds.read(ds.datasets.patients(50, seed=1), keys=["sex"])
    masked = ds.sample(survey, n=20, seed=1)
    with pytest.raises(ds.DiscreetError, match="N07"):
        ds.interval_disclosure(survey, masked)
    with pytest.raises(ds.DiscreetError, match="D12"):
        ds.interval_disclosure(survey, masked, columns=["sex", "age"])
    with pytest.raises(ds.DiscreetError) as error:
        ds.interval_disclosure(survey, masked, width=0, sd="both", distance="far")
    assert len(error.value.problems) == 3


def test_each_attribute_has_its_own_share():
    survey = ds.read(ds.datasets.patients(100, seed=1), keys=["age", "income"])
    found = ds.interval_disclosure(survey, ds.microaggregate(survey, k=3), width=0.2)
    assert found.highest == max(found.table("arrow")["share"].to_pylist())
    assert found.share <= min(found.by_attribute.values())
    assert "reveals most" in found.explain()


def test_windows_of_a_rank_swap_rule_out_what_lies_outside_all_of_them():
    rng = np.random.default_rng(3)
    n, window, columns = 60, 0.1, ("a", "b")
    survey = ds.read({c: rng.permutation(n) * 7 for c in columns}, keys=columns,
                     types=dict.fromkeys(columns, "continuous"))  # fmt: skip
    masked = ds.rank_swap(survey, columns, window=window, seed=5)
    found = ds.linkage(survey, masked, columns, knows_method=True)
    x, y = (
        np.column_stack([data.to("arrow")[c].to_numpy() for c in columns])
        for data in (survey, masked)
    )
    expected = 0.0
    for i in range(n):
        near = (abs(x[i] - y) <= int(window * n) * 7).all(axis=1)  # values are ranks times seven
        apart = np.where(near, (((x[i] - y) / x.std(axis=0, ddof=1)) ** 2).sum(axis=1), np.inf)
        nearest = np.flatnonzero(apart <= apart.min() * (1 + 1e-12))
        expected += (i in nearest) / len(nearest)
    assert found.expected_correct == pytest.approx(expected)


@pytest.mark.parametrize("measure", [ds.linkage, ds.interval_disclosure])
def test_columns_that_are_named_need_no_keys(measure):
    table, names = ds.datasets.patients(60, seed=1), ["age", "income"]
    found = []
    for keys in ([], names):
        survey = ds.read(table, keys=keys)
        masked = ds.microaggregate(survey, names, k=5)
        found.append(measure(survey, masked, columns=names).to_dict() | {"computed_from": 0})
    assert found[0] == found[1]
    survey = ds.read(table)
    with pytest.raises(ds.DiscreetError, match="R05"):
        measure(survey, ds.microaggregate(survey, names, k=5))


def test_an_attribute_that_agrees_no_more_often_in_right_pairs_weighs_nothing():
    table = {"rec": [*range(5)], "c": [1, 1, 2, 1, 1], "b": list("pppqr")}
    files = [ds.read(table, keys=["c", "b"], types={"c": "nominal"}) for _ in range(2)]
    found = ds.linkage(*files, on="rec", method="probabilistic")
    by_name = {row["attribute"]: row for row in found.weights}
    assert by_name["c"]["m"] < by_name["c"]["u"]
    assert by_name["c"]["weight"] == 0
    assert by_name["b"]["weight"] > 0


@pytest.mark.parametrize("method", ["distance", "assignment", "probabilistic"])
def test_codes_are_the_same_where_a_gap_made_other_numbers_of_them(method):
    """A frame of pandas stores whole numbers beside a gap as 1.0, 2.0, …"""
    codes = {"a": [1, 2, 3, 1, 2, 3], "b": [1, 2, 3, 4, 5, 6]}
    kinds = {"a": "nominal", "b": "nominal"}
    first = ds.read({"rec": range(6), **codes}, keys=["a", "b"], types=kinds)
    gap = [*codes["b"][:5], None]
    found = []
    for store in (pa.int64(), pa.float64(), pa.decimal128(21, 2)):
        table = {"rec": list(range(6)), "a": codes["a"], "b": pa.array(gap, pa.int64()).cast(store)}
        second = ds.read(pa.table(table), keys=["a", "b"], types=kinds)
        found.append(ds.linkage(first, second, on="rec", method=method).expected_correct)
    assert found[0] > 5
    assert found == [found[0]] * 3


@pytest.mark.parametrize(
    ("values", "scale", "right"),
    [([1.0, 2.0, 3.0], [1, 2, 3], 1.5), ([1, 2, 3], [1.0, 2.0, 3.0], 1.5),
     ([False, True, True], ["false", "true"], 1.0)],
)  # fmt: skip
def test_values_are_found_on_their_scale_however_they_are_stored(values, scale, right):
    first, second = (
        ds.read({"rec": [1, 2, 3], "a": side}, keys=["a"], types={"a": scale})
        for side in (values, [values[-1], *values[1:]])
    )
    assert ds.linkage(first, second, on="rec").expected_correct == right
    loss = ds.information_loss(first, second, on="rec")
    assert loss.dist == len(set(values)) - 1  # steps from the first to the last
    assert ds.attack(first, second, on="rec").people == 1


def test_equal_numbers_have_one_text():
    texts, at = distinct_texts(pa.chunked_array([[0.0, -0.0], [None, 1.0]]))
    assert (texts, at.tolist()) == (["0", "1"], [0, 0, 2, 1])
