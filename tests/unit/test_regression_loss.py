"""The loss of a regression: standard errors on any scale, recoded predictors, what is collinear."""

import json
import math

import numpy as np
import pytest

import discreet as ds
from discreet.registry import measures


def plain(table):
    """A table as numpy columns."""
    return {name: np.asarray(column) for name, column in table.items()}


def compared(first, second, formula, **roles):
    """A regression on two tables whose records stand in the same order."""
    rec = np.arange(len(next(iter(first.values()))))
    keys = {"keys": [formula.partition("~")[0].strip()], **roles}
    one, other = (ds.read({"rec": rec, **plain(table)}, **keys) for table in (first, second))
    return ds.regression_loss(one, other, formula, on="rec")


def by_statsmodels(columns, y):
    """Coefficients, standard errors and R² of an independent package."""
    sm = pytest.importorskip("statsmodels.api")
    fit = sm.OLS(y, sm.add_constant(np.column_stack(columns))).fit(method="qr")
    return fit.params, fit.bse, fit.rsquared


def test_standard_errors_of_the_household_survey_are_those_of_statsmodels(reference_data):
    import pyarrow.csv as pc

    table = pc.read_csv(reference_data("ihsn_testdata_4580x15.csv"))
    columns = {n: table[n].to_numpy().astype(float) for n in ("income", "expend", "savings")}
    found = compared(columns, columns, "income ~ expend + savings")
    coefficients, errors, r2 = by_statsmodels(
        [columns["expend"], columns["savings"]], columns["income"]
    )
    assert found.standard_errors[0] == pytest.approx(1.13e6, rel=0.01)
    assert found.standard_errors == pytest.approx(errors, rel=1e-8)
    assert found.initial == pytest.approx(coefficients, rel=1e-8)
    assert found.r2_initial == pytest.approx(r2, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_standard_errors_on_badly_scaled_data_are_those_of_statsmodels(scale):
    rng = np.random.default_rng(4)
    a, b = rng.lognormal(size=(2, 300))
    table = {"y": 3 + a - 2 * b + rng.normal(size=300), "a": a * scale, "b": b / scale}
    found = compared(table, table, "y ~ a + b")
    # on the plain scale, and back: the package is not to be misled by the scale either
    coefficients, errors, r2 = by_statsmodels([a, b], table["y"])
    back = np.array([1, 1 / scale, scale])
    assert found.standard_errors == pytest.approx(errors * back, rel=1e-9)
    assert found.initial == pytest.approx(coefficients * back, rel=1e-9)
    assert found.r2_initial == pytest.approx(r2, rel=1e-9)


def test_collinear_predictors_are_named_and_not_fitted():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 40))
    table = {"y": rng.normal(size=40), "a": a, "b": b, "both": 1e6 * (a - b), "one": np.ones(40)}
    with pytest.raises(ds.DiscreetError, match=r"collinear with the other terms") as raised:
        compared(table, table, "y ~ a + b + both")
    assert raised.value.code == "P25"
    with pytest.raises(ds.DiscreetError, match=r"'one' is constant or collinear"):
        compared(table, table, "y ~ a + one", types={"one": "continuous"})
    with pytest.raises(ds.DiscreetError, match=r"'a' is constant or collinear") as raised:
        compared(table, {**table, "a": np.zeros(40)}, "y ~ a + b", types={"a": "continuous"})
    assert raised.value.code == "N07"  # it does not apply to this masking


@pytest.mark.parametrize("formula", ["y ~ a + a", "y ~ y"])
def test_a_formula_that_names_a_column_twice_is_refused(formula):
    table = {"y": [1.0, 2.5, 3.0], "a": [1.0, 2.0, 4.0]}
    with pytest.raises(ds.DiscreetError, match="names a column twice") as raised:
        compared(table, table, formula)
    assert raised.value.code == "P25"


def aged(n, ages):
    rng = np.random.default_rng(3)
    table = {"age": np.arange(n) % ages, "y": rng.normal(size=n)}
    survey = ds.read(table, keys=["age"], types={"age": "continuous"})
    found = ds.generalize(survey, {"age": ds.Hierarchy.intervals([10])}, ds.KAnonymity(7))
    return survey, found.best.mask()


def test_numbers_that_became_labels_are_no_error_of_the_formula():
    survey, masked = aged(600, 95)
    with pytest.raises(ds.DiscreetError, match="'age' are labels in the masked file") as raised:
        ds.regression_loss(survey, masked, "y ~ age")
    assert raised.value.code == "N07"
    taken = measures["regression_loss"].taken(survey, masked, {"formula": "y ~ age"})
    assert taken.result is None
    assert "labels in the masked file" in taken.reasons["largest_change"]


def test_what_cannot_be_compared_says_why():
    found = ds.regression_loss(*aged(60, 30), "y ~ age")
    assert found.largest_change is None
    assert "labels of 'age'" in found.not_applicable["largest_change"]


def test_a_text_with_too_many_values_is_an_error_of_the_formula():
    table = {"name": [f"n{i}" for i in range(60)], "y": np.arange(60.0)}
    with pytest.raises(ds.DiscreetError, match="as many coefficients") as raised:
        compared(table, table, "y ~ name")
    assert raised.value.code == "P25"


def groups(n=90):
    rng = np.random.default_rng(6)
    g = rng.choice(["low", "mid", "top"], n)
    y = np.select([g == "low", g == "mid"], [1.0, 5.0], 20.0) + rng.normal(scale=0.3, size=n)
    return {"g": g, "y": y, "z": rng.normal(size=n)}


def test_a_one_to_one_recoding_of_a_predictor_keeps_every_coefficient():
    first = groups()
    names = {"low": "z1", "mid": "a2", "top": "k3"}
    second = {**first, "g": np.array([names[v] for v in first["g"]])}
    found = compared(first, second, "y ~ g + z")
    assert found.r2_initial > 0.99
    assert found.r2_masked == found.r2_initial
    assert found.masked == found.initial
    assert found.largest_change == 0
    assert found.recoded == ()


def test_whole_numbers_that_became_decimal_ones_are_the_same_categories():
    first = groups()
    code = np.select([first["g"] == "low", first["g"] == "mid"], [1, 2], 3)
    types = {"g": "nominal"}
    found = compared({**first, "g": code}, {**first, "g": code.astype(float)}, "y ~ g", types=types)
    assert found.masked == found.initial


def test_labels_of_several_values_are_categories_of_their_own_and_not_compared():
    first = groups()
    wide = np.where(first["g"] == "top", "high", "not high")
    found = compared(first, {**first, "g": wide}, "y ~ g + z")
    assert found.terms == (
        "intercept",
        "g (value 2)",
        "g (value 3)",
        "g (label 2)",
        "z",
    )
    assert [v is None for v in found.initial] == [False, False, False, True, False]
    assert [v is None for v in found.masked] == [False, True, True, False, False]
    assert [v is None for v in found.standard_errors] == [False, False, False, True, False]
    *_, r2 = by_statsmodels([(wide == "not high").astype(float), first["z"]], first["y"])
    assert found.r2_masked == pytest.approx(r2, rel=1e-9)
    assert 0.9 < found.r2_masked < found.r2_initial
    z = found.terms.index("z")
    change = abs(found.initial[z] - found.masked[z]) / found.standard_errors[z]
    assert found.largest_change == pytest.approx(change)
    assert found.recoded == ("g",)
    assert "Recoded: g." in found.explain()
    assert json.loads(json.dumps(found.to_dict()))["recoded"] == ["g"]
    assert found.table("arrow").column("masked").null_count == 2
    alone = compared(first, {**first, "g": wide}, "y ~ g")
    assert alone.largest_change is None
    assert "No coefficient can be compared." in alone.explain()


def test_labels_that_split_a_value_are_not_compared_either():
    first = groups()
    parts = np.where(np.arange(90) % 2 == 0, first["g"], np.char.add(first["g"], "er"))
    assert compared(first, {**first, "g": parts}, "y ~ g").recoded == ("g",)


def test_a_generalized_predictor_keeps_what_its_labels_explain():
    g = np.repeat(["low", "mid", "top"], [10, 20, 60])
    y = np.select([g == "low", g == "mid"], [1.0, 2.0], 20.0) + np.arange(90) % 3
    data = ds.read({"g": g, "y": y}, keys=["g"], types={"y": "continuous"})
    tree = ds.Hierarchy.from_dict({"low": ["less"], "mid": ["less"], "top": ["top"]})
    masked = ds.generalize(data, {"g": tree}, ds.KAnonymity(15), max_suppressed=0).best.mask()
    found = ds.regression_loss(data, masked, "y ~ g")
    *_, r2 = by_statsmodels([(g == "top").astype(float)], y)
    assert found.r2_masked == pytest.approx(r2, rel=1e-9)
    assert found.r2_masked > 0.98
    assert found.recoded == ("g",)


def test_a_category_that_is_gone_has_no_coefficient_and_the_others_are_compared():
    first = groups()
    without_mid = np.where(first["g"] == "mid", "top", first["g"])
    found = compared(first, {**first, "g": without_mid}, "y ~ g")
    assert found.terms == ("intercept", "g (value 2)", "g (value 3)")
    assert [v is None for v in found.masked] == [False, True, False]
    without_low = np.where(first["g"] == "low", "top", first["g"])
    other = compared(first, {**first, "g": without_low}, "y ~ g")
    assert other.terms == ("intercept", "g (value 1)", "g (value 3)")
    assert other.masked[1] is None
    assert other.largest_change > 0


def test_values_of_incomplete_records_have_no_term():
    first = groups()
    first["g"][0], first["z"][0] = "never seen whole", np.nan
    assert compared(first, first, "y ~ g + z").terms[1:3] == ("g (value 2)", "g (value 3)")


def test_a_perfect_fit_has_the_error_of_rounding():
    x = np.arange(8.0)
    line, types = {"y": 2 * x, "x": x}, {"x": "continuous"}
    same = compared(line, line, "y ~ x", types=types)
    assert 0 < max(same.standard_errors) < 1e-13
    assert same.largest_change == 0
    nearly = {"y": line["y"], "x": np.nextafter(x, 9)}
    assert compared(line, nearly, "y ~ x", types=types).largest_change < 1
    moved = compared(line, {**line, "y": 2.001 * x}, "y ~ x", types=types)
    assert 1e9 < moved.largest_change < math.inf


def test_a_change_of_a_coefficient_without_any_error_is_infinite():
    x = np.arange(8.0)
    flat, types = {"y": 0 * x, "x": x}, {"x": "continuous", "y": "continuous"}
    assert compared(flat, flat, "y ~ x", types=types).largest_change == 0
    assert compared(flat, {"y": x, "x": x}, "y ~ x", types=types).largest_change == math.inf


def test_a_response_that_does_not_vary_has_no_r2_and_says_so():
    rng = np.random.default_rng(7)
    table = {"y": rng.normal(size=20), "x": rng.normal(size=20)}
    flat = compared(table, {**table, "y": np.full(20, 0.5)}, "y ~ x", types={"y": "continuous"})
    assert flat.r2_masked is None
    assert "R² 0." in flat.explain()
    assert "not defined after" in flat.explain()


def test_infinite_numbers_and_too_few_records_are_errors():
    table = {"y": np.array([1.0, 2, 4, 9]), "x": np.array([1.0, 2, 3, np.inf])}
    with pytest.raises(ds.DiscreetError, match="1 infinite value"):
        compared(table, table, "y ~ x", types={"x": "continuous", "y": "continuous"})
    few = {"y": np.array([1.0, 2.0]), "x": np.array([1.0, 3.0])}
    with pytest.raises(ds.DiscreetError, match="too few complete records"):
        compared(few, few, "y ~ x", types={"x": "continuous", "y": "continuous"})
    many = {"y": np.arange(60.0), "g": np.array([f"v{i}" for i in range(60)])}
    with pytest.raises(ds.DiscreetError, match="60 values"):
        compared(many, many, "y ~ g", types={"y": "continuous"})
