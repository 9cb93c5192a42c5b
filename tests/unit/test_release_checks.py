"""Mistakes that no criterion notices: weights left after sampling, codes that were averaged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.reports.release_checks import WeightSum, averaged_codes, weight_sums
from tests.examples import examples


def survey(n=400, **roles):
    table = {
        "age": [20 + i % 50 for i in range(n)],
        "sex": [1 + i % 2 for i in range(n)],
        "wgt": [1.0 + i % 7 for i in range(n)],
    }
    return ds.read(table, **({"keys": ["age", "sex"]} | roles))


def test_a_sample_whose_weights_stayed_is_noticed_and_one_with_a_weight_is_not():
    [left] = weight_sums(ds.sample(survey(), fraction=0.5, seed=1))
    assert (left.column, left.fits) == ("wgt", False)
    assert "wgt add up to 5" in left.explain() or "wgt add up to 4" in left.explain()
    [scaled] = weight_sums(ds.sample(survey(weight="wgt"), fraction=0.5, seed=1))
    assert scaled.fits
    assert scaled.after == pytest.approx(scaled.before, rel=0.2)


def test_a_masking_that_keeps_all_records_keeps_their_weights():
    [one] = weight_sums(ds.microaggregate(survey(weight="wgt"), ["age"], k=3))
    assert (one.fits, one.before) == (True, one.after)


def test_a_weight_that_does_not_leave_is_not_looked_at():
    masked = ds.sample(survey(identifiers=["wgt"]), fraction=0.5, seed=1)
    assert weight_sums(masked) == []


@examples(20)
@given(st.integers(0, 1000), st.sampled_from([0.1, 0.3, 0.5]))
def test_chance_alone_is_never_called_a_mistake(seed, fraction):
    [one] = weight_sums(ds.sample(survey(weight="wgt"), fraction=fraction, seed=seed))
    assert one.fits


@given(st.floats(1, 1e9), st.floats(0, 3))
def test_a_sum_fits_within_a_twentieth(before, factor):
    one = WeightSum("w", before, before * factor, 0.0)
    assert one.fits == (abs(before * factor - before) <= 0.05 * before)


def test_a_weight_is_found_by_its_role_and_by_its_name():
    assert survey().weight_columns == ["wgt"]
    assert survey(weight="age", keys=["sex"]).weight_columns == ["age", "wgt"]


def test_codes_that_are_called_continuous_and_averaged_are_noticed():
    called = {"types": {"sex": "continuous"}}
    assert averaged_codes(ds.microaggregate(survey(**called), ["age", "sex"], k=3)) == ["sex"]
    assert averaged_codes(ds.microaggregate(survey(), ["age", "sex"], k=3)) == []
    assert averaged_codes(ds.microaggregate(survey(**called), ["age"], k=3)) == []
    assert averaged_codes(ds.rank_swap(survey(**called), ["sex"], window=0.05, seed=1)) == []


def test_amounts_that_are_no_codes_may_be_averaged():
    data = survey(types={"age": "continuous"})
    assert averaged_codes(ds.microaggregate(data, ["age"], k=3)) == []
