"""Post-randomization: counts in balance, the diagonal as asked for, nothing that is impossible."""

import math

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import InternalError, InvalidData, InvalidParameter, NotSupported
from discreet.masking import pram
from discreet.masking.pram import InBalance
from discreet.masking.transition import Transition

RNG = np.random.default_rng(5)
N = 3000
TABLE = pa.table(
    {
        "rec": np.arange(N),
        "edu": RNG.choice(["low", "mid", "high", "top"], N, p=[0.5, 0.3, 0.15, 0.05]),
        "code": pa.array(RNG.integers(1, 5, N), mask=RNG.random(N) < 0.1),
        "region": RNG.choice(["N", "S"], N, p=[0.3, 0.7]),
        "flag": RNG.random(N) < 0.2,
    }
)
SCALE = ["low", "mid", "high", "top"]
LEAVES = {"low": ["school"], "mid": ["school"], "high": ["degree"], "top": ["degree"]}
PAIRS = ds.Hierarchy.from_dict(LEAVES)


@pytest.fixture(scope="module")
def survey():
    types = {"edu": SCALE, "code": "nominal", "flag": "nominal"}
    return ds.read(TABLE, keys=["edu", "region"], record_id="rec", types=types)


def column(data, name):
    return data.to("arrow")[name].to_pylist()


def table_of(data, *names):
    found = data.frequency_set(names)
    return dict(zip(map(tuple, zip(*(v.take(pa.array(c)).to_pylist() for v, c in zip(found.values, found.codes, strict=True)), strict=True)), found.counts.tolist(), strict=True))  # fmt: skip


def test_without_hierarchy_the_matrix_is_the_formula(survey):
    # R_ij = c p_j, R_ii = 1 − c (1 − p_i), c = (1 − keep) / (1 − min p)
    found = ds.pram(survey, ["edu"], keep=0.8, seed=1).transition("edu")
    p = np.array([column(survey, "edu").count(one) for one in SCALE]) / N
    c = 0.2 / (1 - p.min())
    expected = c * np.tile(p, (4, 1))
    np.fill_diagonal(expected, 1 - c * (1 - p))
    assert found.categories == tuple(SCALE)
    assert abs(found.matrix - expected).max() < 1e-12
    assert found.least == pytest.approx(0.8, abs=1e-12)
    assert abs(p @ found.matrix - p).max() < 1e-12
    assert np.asarray(found).tolist() == found.matrix.tolist()
    assert found.posterior == pytest.approx(found.matrix.diagonal(), abs=1e-12)
    assert found.epsilon == pytest.approx(
        max(math.log(found.matrix[:, j].max() / found.matrix[:, j].min()) for j in range(4))
    )


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("near", ["any", "near"])
@pytest.mark.parametrize("by", [[], ["region"]])
def test_diagonal_and_balance_hold_in_every_stratum(survey, exact, near, by):
    masked = ds.pram(
        survey, ["edu", "code", "flag"], keep=0.7, exact=exact, near=near, by=by, seed=2
    )
    for name in ("edu", "code", "flag"):
        found = masked.transition(name)
        assert len(found.matrices) == (2 if by else 1)
        for matrix, counts in zip(found.matrices, found.counts, strict=True):
            p = counts / counts.sum()
            assert abs(matrix.sum(axis=1) - 1).max() < 1e-12
            assert abs(p @ matrix - p).max() < 1e-12
            assert matrix.diagonal().min() >= 0.7 - 1e-12
            if not exact:
                assert matrix.diagonal().min() == pytest.approx(0.7, abs=1e-12)
        before, after = (table_of(d, name, *by) for d in (survey, masked))
        assert (before == after) is exact
        assert [v is None for v in column(survey, name)] == [
            v is None for v in column(masked, name)
        ]
        overall = found.counts.sum(axis=0)
        assert abs(overall @ found.matrix - overall).max() / N < 1e-12


def test_types_and_missing_values_stay(survey):
    masked = ds.pram(survey, ["code", "flag"], keep=0.5, seed=1)
    for name in ("code", "flag"):
        assert masked.to("arrow").schema.field(name) == survey.to("arrow").schema.field(name)
    assert masked.transition("code").categories == (1, 2, 3, 4)


def test_near_values_are_more_likely(survey):
    found = ds.pram(survey, ["edu"], keep=0.8, near="near", seed=1).transition("edu")
    per_record = found.matrix / found.counts[0]
    assert per_record[0, 1] == pytest.approx(2 * per_record[0, 2])
    assert per_record[0, 2] == pytest.approx(2 * per_record[0, 3])


def test_values_stay_within_the_groups_of_a_level(survey):
    for within in ({"edu": PAIRS}, {"edu": (PAIRS, 1)}):
        masked = ds.pram(survey, ["edu"], keep=0.6, within=within, seed=1)
        moved = set(zip(column(survey, "edu"), column(masked, "edu"), strict=True))
        assert moved <= {(a, b) for g in (SCALE[:2], SCALE[2:]) for a in g for b in g}
        found = masked.transition("edu")
        assert found.epsilon is None
        assert found.not_applicable == {"epsilon": "some categories never become others."}
        assert min(found.matrix.diagonal()[:2]) == pytest.approx(0.6, abs=1e-12)
        assert min(found.matrix.diagonal()[2:]) == pytest.approx(0.6, abs=1e-12)
    with pytest.raises(InvalidParameter, match="has no level 5"):
        ds.pram(survey, ["edu"], within={"edu": (PAIRS, 5)}, seed=1)


def test_every_category_can_have_a_diagonal_of_its_own(survey):
    own = {"low": 0.9, "mid": 0.8, "high": 0.7, "top": 0.6}
    found = ds.pram(survey, ["edu"], keep={"edu": own}, seed=1).transition("edu")
    assert found.matrix.diagonal() == pytest.approx([0.9, 0.8, 0.7, 0.6], abs=1e-12)
    p = found.counts[0] / N
    assert abs(p @ found.matrix - p).max() < 1e-12
    some = ds.pram(survey, ["edu"], keep=0.85, diagonals={"edu": {"top": 0.6}}, seed=1)
    assert some.transition("edu").matrix.diagonal() == pytest.approx([0.85] * 3 + [0.6], abs=1e-12)
    exact = ds.pram(survey, ["edu"], keep={"edu": own}, exact=True, seed=1)
    assert (
        exact.transition("edu").matrix.diagonal() >= np.array([0.9, 0.8, 0.7, 0.6]) - 1e-12
    ).all()
    assert table_of(exact, "edu") == table_of(survey, "edu")


def test_a_diagonal_that_cannot_be_is_refused(survey):
    with pytest.raises(InvalidData, match=r"\[D49\]: a category of 'edu' would have to give more"):
        ds.pram(survey, ["edu"], keep=1.0, diagonals={"edu": {"low": 0.2}}, seed=1)
    with pytest.raises(InvalidData, match=r"3 of 4 categories of 'edu' have no probability"):
        ds.pram(survey, ["edu"], keep={"edu": {"low": 0.9}}, seed=1)
    with pytest.raises(InvalidData, match=r"1 of the categories named for 'edu' do not occur") as e:
        ds.pram(survey, ["edu"], diagonals={"edu": {"secret": 0.9}}, seed=1)
    assert "secret" not in str(e.value)


# -- estimates -------------------------------------------------------------------------------------


def test_estimates_are_unbiased_and_their_errors_right(survey):
    """Of a part of the file, over many seeds: within three standard errors."""
    rows = survey.to("arrow")
    women = np.array(rows["flag"].to_pylist())
    edu = np.array(column(survey, "edu"))
    truth = np.array([((edu == one) & women).sum() for one in SCALE])
    found, errors = [], []
    for seed in range(30):
        masked = ds.pram(survey, ["edu"], keep=0.6, seed=seed)
        after = np.array(column(masked, "edu"))
        part = {one: int(((after == one) & women).sum()) for one in SCALE}
        estimate = masked.transition("edu").estimate(part)
        found.append(estimate.values)
        errors.append(estimate.standard_errors)
    found, errors = np.array(found), np.array(errors)
    assert (abs(found.mean(axis=0) - truth) < 3 * errors.mean(axis=0) / math.sqrt(30)).all()
    ratio = found.std(axis=0, ddof=1) / errors.mean(axis=0)
    assert ((ratio > 0.6) & (ratio < 1.45)).all()


@pytest.mark.parametrize("by", [[], ["region"]])
def test_the_whole_table_is_estimated_where_nothing_is_given(survey, by):
    masked = ds.pram(survey, ["edu"], keep=0.6, by=by, seed=3)
    estimate = masked.transition("edu").estimate()
    truth = np.array([column(survey, "edu").count(one) for one in SCALE])
    assert (abs(estimate.values - truth) < 4 * estimate.standard_errors).all()
    assert estimate.values.sum() == pytest.approx(N)
    exact = ds.pram(survey, ["edu"], keep=0.6, by=by, exact=True, seed=3).transition("edu")
    assert exact.estimate().values.tolist() == truth.tolist()
    assert exact.estimate().standard_errors.tolist() == [0, 0, 0, 0]
    assert exact.epsilon is None


def test_a_matrix_that_cannot_be_inverted_says_so():
    data = ds.read({"x": ["a", "b"] * 50}, keys=["x"])
    found = ds.pram(data, ["x"], keep=0.5, seed=1).transition("x")
    with pytest.raises(NotSupported, match=r"\[N18\]"):
        found.estimate()
    with pytest.raises(InvalidParameter, match="not 2 numbers in 1 row"):
        found.estimate([1, 2, 3])


# -- what it says, what it refuses -------------------------------------------------------------------


def test_results_show_no_value_but_in_tables(survey):
    masked = ds.pram(survey, ["edu", "code"], keep=0.8, by=["region"], seed=1)
    found = masked.transition("edu")
    said = found.explain() + str(found.to_dict()) + repr(found) + masked.explain() + repr(masked)
    said += str(masked.outcome.to_dict()) + found.estimate().explain() + repr(found.estimate())
    for value in SCALE:
        assert f"'{value}'" not in said
        assert f" {value} " not in said
    table = found.table("arrow")
    assert table.column_names == ["region", "edu", *SCALE]
    assert table.num_rows == 8
    assert found.estimate().table("arrow").column_names == ["edu", "count", "error"]
    assert masked.perturbed == {"edu", "code"}


def test_the_matrix_goes_when_the_column_is_changed_again(survey):
    masked = ds.pram(survey, ["edu", "code"], keep=0.8, seed=1)
    later = ds.sample(masked, fraction=0.5, seed=1)
    assert later.transition("edu") is masked.transition("edu")
    with pytest.raises(ds.DiscreetError, match=r"\[R09\]: 'flag' was not changed by ds.pram"):
        later.transition("flag")
    again = ds.pram(masked, ["edu"], keep=0.9, seed=2)
    assert again.transition("edu") is not masked.transition("edu")
    assert isinstance(again.transition("code"), Transition)


def test_all_problems_at_once(survey):
    data = survey
    with pytest.raises(InvalidParameter) as caught:
        ds.pram(data, ["edu", "nobody"], keep=2, near="far", within={"flag": 1}, by="where")
    assert sorted({p.code for p in caught.value.problems}) == ["P10", "P15", "P16", "R01"]
    with pytest.raises(InvalidParameter, match="both list categories"):
        ds.pram(data, ["edu"], keep={"edu": {}}, diagonals={"edu": {}}, seed=1)
    with pytest.raises(InvalidParameter, match=r"P19.*within= gives for 'edu' is not a hierarchy"):
        ds.pram(data, ["edu"], within={"edu": 1}, seed=1)
    with pytest.raises(InvalidData, match="is continuous, and its values are not categories"):
        ds.pram(ds.read({"x": [1.5, 2.5]}, keys=["x"]), ["x"], seed=1)


def test_a_hierarchy_that_does_not_fit_is_told_with_the_rest(survey):
    other = ds.Hierarchy.from_dict({"low": ["school"]})
    with pytest.raises(InvalidData) as caught:
        ds.pram(survey, ["edu", "flag"], within={"edu": other},
                diagonals={"flag": {"maybe": 0.5}}, seed=1)  # fmt: skip
    assert [p.code for p in caught.value.problems] == ["D20", "D40"]


def test_strata_in_which_nothing_can_change_are_an_error(monkeypatch):
    data = ds.read({"x": ["a", "a", "b", "c"], "s": [1, 1, 2, 2]}, keys=["x"])
    with pytest.raises(InvalidData, match=r"1 of 2 strata by 's' have one value of 'x'"):
        ds.pram(data, ["x"], by=["s"], seed=1)
    with pytest.raises(InvalidData, match="'x' has one value"):
        ds.pram(ds.read({"x": ["a", "a"]}, keys=["x"]), ["x"], seed=1)
    monkeypatch.setattr(pram, "_MOST", 2)
    with pytest.raises(NotSupported, match=r"\[N16\]: 'x' has 3 categories, more than 2"):
        ds.pram(data, ["x"], seed=1)


def test_keeping_all_changes_nothing(survey):
    assert column(ds.pram(survey, ["edu"], keep=1, seed=1), "edu") == column(survey, "edu")


def test_a_broken_promise_is_noticed(survey, monkeypatch):
    masked = ds.pram(survey, ["edu"], keep=0.8, seed=1)
    identity = ds.pram(survey, ["edu"], keep=1.0, seed=1).transitions
    said = InBalance(survey, identity).broken(masked)
    assert "became one that it never becomes" in said[0]
    exact = ds.pram(survey, ["edu"], keep=0.8, exact=True, seed=1).transitions
    assert "changed" in InBalance(survey, exact).broken(masked)[-1]
    monkeypatch.setattr(pram.exchanges, "cumulated", lambda R: np.ones_like(R) * [0, 0, 0, 2.0])
    within = {"edu": PAIRS}
    with pytest.raises(InternalError, match="I01"):
        ds.pram(survey, ["edu"], within=within, seed=1)


@pytest.mark.parametrize("exact", [False, True])
def test_a_stratum_without_a_value_stays_as_it_is(exact):
    data = ds.read({"x": ["u", "v"] * 10 + [None] * 3, "g": ["N"] * 20 + ["S"] * 3})
    masked = ds.pram(data, ["x"], keep=0.5, by="g", exact=exact, seed=1)
    assert column(masked, "x")[20:] == [None] * 3
    assert "2 strata" in masked.transition("x").explain()
    empty = ds.read({"x": [None, None], "y": ["u", "v"]}, types={"x": "nominal"})
    with pytest.raises(InvalidData, match=r"\[D07\]: 'x' has no value at all"):
        ds.pram(empty, ["x"], exact=exact, seed=1)


def test_categories_that_nothing_is_exchanged_with_are_counted():
    data = ds.read({"x": list("aabbcc")})
    alone = {"x": ds.Hierarchy.from_dict({"a": ["1"], "b": ["1"], "c": ["2"]})}
    masked = ds.pram(data, ["x"], keep=0.5, within=alone, seed=1)
    assert masked.transition("x").certain == 2
    assert "2 records have a category that no other is exchanged with" in masked.explain()


def test_counts_of_a_category_that_the_column_does_not_have_are_refused(survey):
    found = ds.pram(survey, ["edu"], keep=0.8, seed=1).transition("edu")
    counts = dict.fromkeys(found.categories, 10)
    assert found.estimate({**counts, None: 3, "other": 0}).values.sum() == pytest.approx(40)
    with pytest.raises(ds.DiscreetError, match=r"P09.* name 2 categories that 'edu' does not"):
        found.estimate({**counts, "other": 5, "more": 1})


def test_a_matrix_says_that_the_column_had_been_changed_before(survey):
    first = ds.pram(survey, ["edu"], keep=0.8, seed=1)
    again = ds.pram(first, ["edu", "code"], keep=0.9, seed=2)
    said = "had been changed at random before: this is the last step alone"
    assert said in again.transition("edu").explain()
    assert again.transition("edu").to_dict()["earlier"]
    for other in (first.transition("edu"), again.transition("code")):
        assert said not in other.explain()
        assert "earlier" not in other.to_dict()


@pytest.mark.parametrize("name", ["count", "error", "edu"])
@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_tables_have_a_column_for_everything_whatever_the_column_is_called(name, kind):
    data = ds.read({name: ["edu", "count"] * 20}, keys=[name])
    found = ds.pram(data, [name], keep=0.8, seed=1).transition(name)
    assert len(list(found.table(kind).columns)) == 3
    estimate = found.estimate().table("pandas")
    assert estimate[name].tolist() == list(found.categories)
    assert estimate.iloc[:, 1].tolist() == found.estimate().values.tolist()
