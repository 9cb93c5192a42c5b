"""Risk by a log-linear model: the reference figures, populations whose τ is known, ugly input."""

import csv
import math

import numpy as np
import pytest

import discreet as ds
from discreet.errors import InvalidData, InvalidParameter, InvalidRole, NotSupported
from discreet.risks.recognition import population_range

K7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
SHAPE = (6, 8, 5, 10, 4, 7)
PAIRS = ((0, 1), (1, 3), (2, 4))
NAMES = tuple("abcdef")


@pytest.fixture(scope="module")
def household_survey(reference_data):
    path = reference_data("ihsn_testdata_4580x15.csv")
    return ds.read(path, keys=K7, weight="sampling_weight")


def figures(path):
    with path.open() as file:
        return [r for r in csv.DictReader(file) if r["topic"] == "log-linear model"]


# -- published figures ----------------------------------------------------------------------------


def test_the_reference_figures(household_survey, reference_data):
    right = {r["figure"]: float(r["value"])
             for r in figures(reference_data("golden/figures.csv")) if r["whose"] == "ours"}  # fmt: skip
    found = ds.model_risk(household_survey)
    assert found.tau1 == pytest.approx(right["tau1"], rel=1e-8)
    assert found.tau2 == pytest.approx(right["tau2"], rel=1e-8)
    assert ds.model_risk(household_survey, fraction=0.01).tau2 == pytest.approx(found.tau2)
    assert ds.model_risk(household_survey, population=458_000).tau1 == pytest.approx(found.tau1)


def test_the_share_drawn_of_a_combination_is_the_mean_of_1_by_weight():
    """Both records of "a" stand in a population of which the mean of 1/2 and 1/40 was drawn."""
    table = {"k": ["a", "a", "b"], "w": [2.0, 40.0, 5.0]}
    found = ds.model_risk(ds.read(table, keys=["k"], weight="w")).values
    known = {"k": ["a", "a", "b"], "w": [1 / 0.2625, 1 / 0.2625, 5.0]}  # equal in the class
    assert found == pytest.approx(ds.model_risk(ds.read(known, keys=["k"], weight="w")).values)


def test_the_fit_is_that_of_another_tool(household_survey, reference_data):
    """sdcMicro puts μ where λ belongs, which is wrong; its figures test the fitted means alone."""
    wrong = {r["figure"]: float(r["value"])
             for r in figures(reference_data("golden/figures.csv")) if "wrong" in r["whose"]}  # fmt: skip
    combinations = household_survey.frequency_set()
    alone = combinations.counts == 1
    risks = ds.model_risk(household_survey)._found.numbers[alone]
    # each value is (1 − e^(−x))/x with x = μ (1 − π)/π: found again by halving
    low, high = np.zeros(len(risks)), np.full(len(risks), 1e6)
    for _ in range(200):
        middle = (low + high) / 2
        above = -np.expm1(-middle) / middle > risks
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    x = low * 0.01  # μ (1 − π)
    assert np.exp(-x).sum() == pytest.approx(wrong["tau1"], rel=1e-8)
    assert (-np.expm1(-x) / x).sum() == pytest.approx(wrong["tau2"], rel=1e-8)


# -- populations whose τ is known -----------------------------------------------------------------


def population(seed, pairs=(), people=400_000, share=0.02):
    """People and sampled people per cell, drawn from a log-linear model."""
    rng = np.random.default_rng(seed)
    log = np.zeros(SHAPE)
    for axes, sd in [*(((a,), 1.0) for a in range(len(SHAPE))), *((p, 0.8) for p in pairs)]:
        shape = [size if a in axes else 1 for a, size in enumerate(SHAPE)]
        log = log + rng.normal(0, sd, shape)
    means = np.exp(log)
    whole = rng.poisson(means * people / means.sum())
    return whole.ravel(), rng.binomial(whole, share).ravel()


def sample_of(drawn):
    """A file with one record per sampled person."""
    at = np.repeat(np.arange(len(drawn)), drawn)
    codes = np.unravel_index(at, SHAPE)
    return ds.read({name: codes[i] for i, name in enumerate(NAMES)}, keys=list(NAMES))


def truth(whole, drawn):
    alone = drawn == 1
    return float((alone & (whole == 1)).sum()), float((1 / whole[alone]).sum())


def test_tau_is_near_the_truth_over_twenty_populations():
    """The model that holds: τ1 within 30 % and τ2 within 10 % on average, and not beside it."""
    margins = [tuple(NAMES[a] for a in pair) for pair in PAIRS]
    off, covered = [], []
    for seed in range(20):
        whole, drawn = population(seed, PAIRS)
        found = ds.model_risk(sample_of(drawn), margins, fraction=0.02)
        right = truth(whole, drawn)
        off.append([found.tau1 / right[0] - 1, found.tau2 / right[1] - 1])
        for name, one in zip(("tau1", "tau2"), right, strict=True):
            low, high = found.interval(of=name)
            covered.append(low <= one <= high)
    mean = np.mean(off, axis=0)
    assert abs(mean[0]) < 0.05
    assert abs(mean[1]) < 0.02
    assert np.abs(off).mean(axis=0)[0] < 0.3
    assert np.abs(off).mean(axis=0)[1] < 0.1
    assert sum(covered) >= 34  # of 40 at 90 %


def test_the_search_finds_what_independence_misses():
    """Four populations: the margins drawn are found, and the risk is no longer overstated."""
    off, plain = [], []
    for seed in range(4):
        whole, drawn = population(seed, PAIRS, share=0.05)
        survey, right = sample_of(drawn), truth(whole, drawn)
        found = ds.model_risk(survey, "search", fraction=0.05)
        asked = {tuple(NAMES[a] for a in pair) for pair in PAIRS}
        assert set(found.margins) <= asked
        assert len(found.steps) == len(found.margins) + 1
        assert not found.underfits
        independent = ds.model_risk(survey, fraction=0.05)
        assert independent.underfits
        off.append([found.tau1 / right[0] - 1, found.tau2 / right[1] - 1])
        plain.append([independent.tau1 / right[0] - 1, independent.tau2 / right[1] - 1])
    assert (np.abs(off).mean(axis=0) < [0.3, 0.1]).all()
    assert (np.abs(off).mean(axis=0) < np.mean(plain, axis=0)).all()


# -- the values of records ------------------------------------------------------------------------


def test_every_record_has_the_mean_of_one_over_its_people():
    survey = ds.read({"a": list("xxyyyz"), "b": list("ppppqq")}, keys=["a", "b"])
    found = ds.model_risk(survey, fraction=0.5)
    for value, a, b in zip(found.values.tolist(), "xxyyyz", "ppppqq", strict=True):
        mean = 6 * ("xxyyyz".count(a) / 6) * ("ppppqq".count(b) / 6)  # μ, and x = μ (1 − π)/π = μ
        f = sum(1 for pair in zip("xxyyyz", "ppppqq", strict=True) if pair == (a, b))
        right = sum(math.exp(-mean) * mean**j / math.factorial(j) / (f + j) for j in range(60))
        assert value == pytest.approx(right, rel=1e-12)
    assert found.tau2 == pytest.approx(sum(found.values[[4, 5]]))
    assert found.expected == pytest.approx(sum(found.values))
    assert found.above(0.4).count == sum(found.values > 0.4)
    assert found.column().columns[-1] == "model_risk"


def test_a_record_alone_takes_its_own_weight():
    table = {"a": list("xxyyz"), "w": [2.0, 4.0, 3.0, 3.0, 10.0]}
    found = ds.model_risk(ds.read(table, keys=["a"], weight="w"))
    x = 1 * (1 - 0.1) / 0.1  # one record is expected of z
    assert found.tau1 == pytest.approx(math.exp(-x))
    assert found.tau2 == pytest.approx((1 - math.exp(-x)) / x)
    assert (found.population.size, found.population.basis) == (22.0, "weights")


def test_who_samples_everybody_knows_everything():
    survey = ds.read({"a": list("xxyyz"), "b": list("pqppq")}, keys=["a", "b"])
    found = ds.model_risk(survey, fraction=1)
    assert found.tau1 == found.tau2 == found.uniques == 3
    assert found.values.tolist() == [1, 1, 0.5, 0.5, 1]
    assert found.interval() == (3, 3)


def test_margins_of_three_keys_and_the_order_of_names():
    table = dict(zip("abc", np.random.default_rng(0).integers(0, 3, (3, 60)), strict=True))
    survey = ds.read(table, keys=list("abc"))
    one, other = (ds.model_risk(survey, [m], fraction=0.1) for m in (tuple("abc"), tuple("cab")))
    assert one.margins == other.margins == (("a", "b", "c"),)
    assert one.tau1 == pytest.approx(one.uniques * math.exp(-9))  # μ is the count itself
    assert one.values.tolist() == other.values.tolist()
    assert ds.model_risk(survey, [("a",)], fraction=0.1).margins == ()


def test_row_order_does_not_matter():
    rng = np.random.default_rng(1)
    table = {n: rng.integers(0, 5, 300) for n in "abcd"}
    order = rng.permutation(300)
    one, other = (ds.model_risk(ds.read({n: c[o] for n, c in table.items()}, keys=list("abcd")),
                                "search", fraction=0.05) for o in (np.arange(300), order))  # fmt: skip
    here, there = (
        {k: v for k, v in r.to_dict().items() if k != "computed_from"} for r in (one, other)
    )
    assert here == there
    assert one.values[order].tolist() == other.values.tolist()


# -- ugly input -----------------------------------------------------------------------------------


def survey_of(**columns):
    return ds.read(columns, keys=list(columns))


@pytest.mark.parametrize(
    ("margins", "code"),
    [
        ([("a", "z")], "R01"),
        ("all", "P46"),
        ([("a", "a")], "P46"),
        (["ab"], "P46"),
        ([()], "P46"),
        (3, "P46"),
    ],
)
def test_margins_that_cannot_be_are_an_error(margins, code):
    with pytest.raises((InvalidParameter, InvalidRole)) as caught:
        ds.model_risk(survey_of(a=[1, 2], b=[1, 1]), margins, fraction=0.1)
    assert caught.value.code == code


def test_all_problems_of_the_margins_are_said_at_once():
    with pytest.raises(ds.DiscreetError) as caught:
        ds.model_risk(survey_of(a=[1, 2], b=[1, 1]), [("a", "z"), ("b", "b"), ("y",)], fraction=0.1)
    assert sorted(p.code for p in caught.value.problems) == ["P46", "R01", "R01"]


def test_nothing_says_how_large_the_population_is():
    with pytest.raises(InvalidParameter) as caught:
        ds.model_risk(survey_of(a=[1, 2]))
    assert caught.value.code == "P45"
    with pytest.raises(InvalidData, match="1 record"):
        ds.model_risk(ds.read({"a": [1, 2], "w": [0.5, 2]}, keys=["a"], weight="w"))
    with pytest.raises(InvalidParameter):
        ds.model_risk(survey_of(a=[1, 2]), population=1)


def test_a_grid_that_is_too_large_says_what_to_do():
    wide = {n: np.random.default_rng(i).permutation(400) for i, n in enumerate("abc")}
    survey = survey_of(**wide)
    circle = [("a", "b"), ("b", "c"), ("a", "c")]
    for margins, word in ((circle, "form a cycle"), ("search", "a search")):
        with pytest.raises(NotSupported, match=word) as caught:
            ds.model_risk(survey, margins, fraction=0.1)
        assert caught.value.code == "N13"
        assert "64,000,000" in str(caught.value)
        assert "generalize" in str(caught.value)
    for margins in (None, [("a", "b")], [("a", "b"), ("b", "c")]):  # these need no grid
        found = ds.model_risk(survey, margins, fraction=0.1)
        assert found.expected_counts is None
        assert found.scores is None
        assert found.not_applicable["expected_counts"].endswith(".")
        assert "How well it fits is not known" in found.explain()


@pytest.mark.parametrize("fit", ["counts", "weights"])
@pytest.mark.parametrize("margins", [None, [("a", "b")], [("a", "b"), ("b", "c")]])
def test_a_large_grid_gives_the_same_as_a_small_one(monkeypatch, margins, fit):
    rng = np.random.default_rng(4)
    table = {n: rng.integers(0, 6, 200) for n in "abc"} | {"w": rng.uniform(2, 30, 200)}
    survey = ds.read(table, keys=list("abc"), weight="w")
    small = ds.model_risk(survey, margins, fit=fit)
    monkeypatch.setattr("discreet.risks.model_risk.MOST_CELLS", 10)
    large = ds.model_risk(survey, margins, fit=fit)
    for name in ("tau1", "tau2", "expected"):
        here, there = (vars(one.figures[name]) for one in (small, large))
        assert there == pytest.approx(here, rel=1e-7)


# -- weighted counts ------------------------------------------------------------------------------


def test_equal_weights_give_the_fit_to_plain_counts():
    rng = np.random.default_rng(4)
    table = {n: rng.integers(0, 6, 200) for n in "abc"} | {"w": [20.0] * 200}
    survey = ds.read(table, keys=list("abc"), weight="w")
    plain, weighted = (ds.model_risk(survey, [("a", "b")], fit=f) for f in ("counts", "weights"))
    for name in ("tau1", "tau2", "expected"):
        assert getattr(weighted, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    assert (plain.fit, weighted.fit) == ("counts", "weights")
    assert weighted.expected_counts["uniques"] == pytest.approx(plain.expected_counts["uniques"])
    assert weighted.scores is None
    assert "plain counts" in weighted.explain()


def test_weighted_counts_are_those_of_the_population():
    """Keys independent in the population, drawn with chances that depend on two of them at once:
    plain counts are not independent, and overstate the risk; weighted ones do not.
    """
    off = {"counts": [], "weights": []}
    for seed in range(4):
        whole, _ = population(seed)
        rng = np.random.default_rng(seed)
        share = np.broadcast_to(
            rng.choice([0.004, 0.05], (SHAPE[0], SHAPE[1], 1, 1, 1, 1)), SHAPE
        ).ravel()
        drawn = rng.binomial(whole, share)
        at = np.repeat(np.arange(len(drawn)), drawn)
        table = dict(zip(NAMES, np.unravel_index(at, SHAPE), strict=True)) | {"w": 1 / share[at]}
        survey = ds.read(table, keys=list(NAMES), weight="w")
        right = truth(whole, drawn)
        for fit, held in off.items():
            found = ds.model_risk(survey, fit=fit)
            held.append([found.tau1 / right[0] - 1, found.tau2 / right[1] - 1])
    plain, weighted = (np.mean(off[name], axis=0) for name in ("counts", "weights"))
    assert (np.abs(weighted) < [0.1, 0.05]).all(), (plain, weighted)
    assert (np.abs(weighted) < np.abs(plain) / 2).all(), (plain, weighted)


def test_cells_are_not_blanked_to_lower_it():
    """Because a blank raises it: tried with every key of the record that has the highest."""
    table = ds.datasets.school_records(1000, seed=1).to_pydict()
    keys = ["age", "grade", "gender", "ethnicity"]
    survey = ds.read(table, keys=keys)
    found = ds.model_risk(survey, fraction=0.02)
    at = int(np.argsort(-found.values)[4])
    for key in keys:
        blank = [None if i == at else v for i, v in enumerate(table[key])]
        after = ds.model_risk(ds.read({**table, key: blank}, keys=keys), fraction=0.02)
        assert after.values[at] > found.values[at]
    with pytest.raises(NotSupported, match="a blank is one more value") as caught:
        ds.protect_records(survey, found, at_most=0.1)
    assert caught.value.code == "N43"


def test_weighted_counts_need_weights():
    with pytest.raises(InvalidRole) as caught:
        ds.model_risk(survey_of(a=[1, 2]), fit="weights", fraction=0.1)
    assert caught.value.code == "R13"
    with pytest.raises(InvalidParameter):
        ds.model_risk(survey_of(a=[1, 2]), fit="both", fraction=0.1)


@pytest.mark.parametrize("sets", [((1, 3, 5), (0, 2)), ((0, 1), (1, 2), (0, 2))])
def test_intervals_cover_the_truth_in_populations_of_the_model(sets):
    """With few and with many margins; those of three keys hold many records that are alone."""
    covered = np.zeros(3)
    margins = [tuple(NAMES[a] for a in one) for one in sets]
    for seed in range(20, 28):
        whole, drawn = population(seed, sets)
        found = ds.model_risk(sample_of(drawn), margins, fraction=0.02)
        there = drawn > 0
        right = (*truth(whole, drawn), (drawn[there] / whole[there]).sum())
        for i, (name, one) in enumerate(zip(found.figures, right, strict=True)):
            low, high = found.interval(of=name)
            assert low <= found.figures[name].value <= high
            covered[i] += low <= one <= high
    assert (covered >= 0.85 * 8).all(), covered


@pytest.mark.parametrize("column", [[7] * 12, list(range(12)), [3]])
def test_all_equal_and_all_unique_files(column):
    for margins in (None, "search"):
        survey = survey_of(a=column, b=[0] * len(column))
        found = ds.model_risk(survey, margins, fraction=0.25)
        assert found.uniques == (len(column) if len(set(column)) == len(column) else 0)
        assert 0 <= found.tau1 <= found.tau2 <= found.uniques
        assert all(math.isfinite(end) for end in found.interval())
        assert found.explain()


def test_wildcards_give_no_combinations():
    with pytest.raises(NotSupported):
        ds.model_risk(ds.read({"a": [1, None]}, keys=["a"], missing="wildcard"), fraction=0.1)


def test_an_interval_needs_a_confidence():
    found = ds.model_risk(survey_of(a=[1, 2, 2]), fraction=0.1)
    for bad in ({"confidence": 1}, {"confidence": "x"}, {"of": "tau3"}):
        with pytest.raises(InvalidParameter):
            found.interval(**bad)
    narrow, wide = found.interval(0.5), found.interval(0.99)
    assert wide[0] <= narrow[0] <= found.tau2 <= narrow[1] <= wide[1]


def test_the_words(household_survey):
    said = ds.model_risk(household_survey).explain()
    assert "157 records of 4,580 are alone" in said
    assert "It expects 315 combinations with one record, and there are 157" in said
    assert 'margins="search"' in said
    assert "Not used" not in said
    assert "Not used: the weights" in ds.model_risk(household_survey, fraction=0.1).explain()
    assert repr(ds.model_risk(household_survey)).startswith("ModelRisk: of 157 records alone")


# -- the range over the models --------------------------------------------------------------------


def test_the_range_over_the_models(household_survey):
    found = population_range(household_survey)
    assert found.models == {
        "individual risk": pytest.approx(10.775525136282, rel=1e-10),
        "log-linear": pytest.approx(ds.model_risk(household_survey).expected),
    }
    first, second, last = found.sentences()
    assert first == (
        "Between 10 and 29 of 4,580 people, by two models (individual risk and log-linear), could "
        "be recognised by someone who has the names of the whole population of 458,000 people "
        "(the sum of the weights)."
    )
    assert second.startswith("Another quantity: ")
    assert "the weights say" in last
    assert found.not_applicable == {}
    same = population_range(household_survey, population=458_000)
    assert same.models == pytest.approx(found.models)
    assert "simple random sample" in same.sentences()[-1]
    assert found.to_dict()["low"] == found.low
    table = found.table("arrow").to_pydict()
    assert table["expected"] == list(found.models.values())
    assert (table["low"][0], table["high"][0]) == ds.individual_risk(household_survey).interval()
    assert (table["low"][1], table["high"][1]) == (
        ds.model_risk(household_survey).interval(of="expected")
    )
    assert same.intervals["individual risk"] == pytest.approx(found.intervals["individual risk"])


def test_a_model_that_does_not_apply_is_named():
    survey = ds.read(
        {"a": [1, 2, None], "w": [5, 5, 5]}, keys=["a"], weight="w", missing="wildcard"
    )
    found = population_range(survey)
    assert list(found.models) == ["individual risk"]
    assert set(found.not_applicable) == {"log-linear", "population uniqueness"}
    said = found.explain()
    assert said.startswith("At least 0 of 3 people, by one model (individual risk), could be")
    assert "No log-linear: " in said
    assert found.table("arrow").to_pydict()["low"] == [None]
    with pytest.raises(InvalidParameter):
        population_range(ds.read({"a": [1, 2]}, keys=["a"]))
