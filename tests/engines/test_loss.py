"""Information loss: sums and tables pushed down give what the values give, to 1e-9."""

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from tests.engines.tables import ROLES, assert_close, survey

ROLES = {**ROLES, "keys": ["age", "income", "zip", "sex"], "confidential": ["illness"]}
SCALE = ["F", "M"]


def tables():
    """Patients, and the same with changed, shifted and missing values, some records gone."""
    table, rng = survey(900), np.random.default_rng(3)
    age = table["age"].to_numpy() + rng.integers(-2, 3, 900)
    income = np.where(rng.random(900) < 0.05, np.nan, table["income"].to_numpy() * 1.01)
    sex = np.where(rng.random(900) < 0.1, "F", table["sex"].to_numpy(zero_copy_only=False))
    masked = table.set_column(2, "age", pa.array(age))
    masked = masked.set_column(4, "sex", pa.array(sex.tolist()))
    masked = masked.set_column(6, "income", pa.array(income, from_pandas=True))
    return table, masked.slice(0, 800)


def losses(read, **options):
    first, second = tables()
    roles = {**ROLES, "record_id": None, "types": {"sex": SCALE}}
    return ds.information_loss(read(first, **roles), read(second, **roles), on="rec", **options)


@pytest.mark.verb("information_loss")
@pytest.mark.parametrize("scope", ["keys", "file"])
def test_every_measure_is_the_same_to_a_billionth(engine, scope):
    found, expected = losses(engine.read, scope=scope), losses(ds.read, scope=scope)
    assert_close(found.measures, expected.measures)
    assert (found.left_out, found.zeros, found.missing_records) == (
        expected.left_out,
        expected.zeros,
        expected.missing_records,
    )
    assert found.untouched == expected.untouched
    for mine, theirs in zip(found.by_attribute, expected.by_attribute, strict=True):
        assert_close(mine, theirs)


def test_sums_of_the_embedded_engine_give_what_the_values_give(monkeypatch):
    here = losses(ds.read, scope="file", dimension=3)
    monkeypatch.setattr("discreet.data.link._FEW", 0)
    there = losses(ds.read, scope="file", dimension=3)
    assert_close(there.measures, here.measures)


@pytest.mark.verb("compare_statistics")
def test_statistics_are_compared_alike(engine):
    def statistics(read):
        first, second = tables()
        roles = {**ROLES, "record_id": None}
        return ds.compare_statistics(read(first, **roles), read(second, **roles), on="rec").rows

    for mine, theirs in zip(statistics(engine.read), statistics(ds.read), strict=True):
        assert mine[:2] == theirs[:2]
        assert mine[2:] == pytest.approx(theirs[2:], rel=1e-9)


@pytest.mark.verb("regression_loss")
@pytest.mark.notimpl("spark", reason="records would cross; draw a sample first")
def test_a_regression_changes_alike(engine):
    def change(read):
        first, second = tables()
        roles = {**ROLES, "record_id": None}
        formula = "income ~ age + sex"
        return ds.regression_loss(read(first, **roles), read(second, **roles), formula, on="rec")

    found, expected = change(engine.read), change(ds.read)
    assert found.masked == pytest.approx(expected.masked, rel=1e-9)


@pytest.mark.verb("score")
@pytest.mark.notimpl("spark", reason="records would cross; draw a sample first")
def test_a_masking_scores_alike(engine):
    def score(read):
        data = read(survey(300), **ROLES)
        found = ds.score(data, ds.microaggregate(data, ["age", "income"], k=5))
        return {part: getattr(found, part) for part in found.shown}

    assert score(engine.read) == pytest.approx(score(ds.read), rel=1e-9)
