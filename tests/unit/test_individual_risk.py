"""Individual risk: the golden files, households, thresholds, intervals, and ugly input."""

import math

import numpy as np
import pyarrow.csv as pc
import pytest

import discreet as ds
from discreet.errors import DiscreetError
from discreet.kernels.inverse_sizes import inverse_mean
from discreet.risks.individual import interval_of
from discreet.risks.record_level import CombinationValues

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
FREE = ["REGION", "SEX", "AGE", "MARSTAT", "KINDPERS"]


def golden(reference_data, name):
    return {
        c: np.array(v) for c, v in pc.read_csv(reference_data(f"golden/{name}")).to_pydict().items()
    }


@pytest.fixture(scope="module")
def testdata(reference_data):
    return ds.read(
        reference_data("ihsn_testdata_4580x15.csv"),
        keys=KEYS,
        weight="sampling_weight",
        household="ori_hid",
    )


def survey(towns="aabccd", weights=(180, 180, 215, 76, 76, 186), **roles):
    table = {"town": list(towns), "w": list(weights)}
    return ds.read(table, keys=["town"], weight="w", **roles)


# -- golden files ----------------------------------------------------------------------------------


def test_every_risk_is_that_of_the_golden_file(reference_data, testdata):
    expected = golden(reference_data, "sdcmicro_individual_risk_testdata_w100.csv")
    found = ds.individual_risk(testdata)
    assert found.values == pytest.approx(expected["risk"], rel=1e-12)
    assert found.household == pytest.approx(expected["household_risk"], rel=1e-12)
    assert found.expected == pytest.approx(10.775525136282, abs=1e-10)
    assert found.household_expected == pytest.approx(51.7995914640578, abs=1e-10)
    assert (found.n, found.population) == (4580, 458000)


def test_wildcards_count_and_weigh_compatible_records_as_the_golden_file_does(reference_data):
    expected = golden(reference_data, "sdcmicro_wildcard_counts_testdata_na2pct_20rows.csv")
    data = ds.read(
        reference_data("inputs/testdata_na2pct.csv"),
        keys=KEYS,
        weight="w",
        missing="wildcard",
        missing_values={key: ["NA"] for key in KEYS},
    )
    found = ds.individual_risk(data)
    rows = expected["row"] - 1
    for numbers, name in ((found._counts, "fk"), (found._weights, "Fk")):
        looked_up = CombinationValues(data, found._found.combinations, numbers.astype(float))
        assert looked_up.values()[rows].tolist() == expected[name].tolist()
    assert not found.partition
    assert found.to_dict()["interval"] is None
    assert "overlap" in found.explain()
    assert found.not_applicable["interval"] in found.to_dict()["not_applicable"]["interval"]
    with pytest.raises(DiscreetError) as failed:
        found.interval()
    assert failed.value.code == "N01"


def test_wildcards_make_the_sum_too_low_and_a_category_too_high(reference_data):
    """The figures of the docs: 2 % of the keys blanked, and the same file before."""
    blanks = {"missing_values": {key: ["NA"] for key in KEYS}}
    sums = [
        ds.individual_risk(ds.read(reference_data(f"inputs/{name}.csv"), keys=KEYS, weight="w", **more))
        for name, more in [
            ("testdata_na2pct", {**blanks, "missing": "wildcard"}),
            ("testdata_w20_200", {}),
            ("testdata_na2pct", blanks),
        ]
    ]  # fmt: skip
    assert [round(one.expected, 1) for one in sums] == [5.4, 11.9, 24.4]


def test_the_threshold_of_the_demonstration_file_is_that_of_mu_argus(reference_data):
    data = ds.read(reference_data("inputs/free1_4000x34.csv"), keys=FREE, weight="WEIGHT")
    found = ds.individual_risk(data)
    assert found.threshold(0.01) == pytest.approx(0.00857387302276082, rel=1e-12)
    cap = found.cap(0.01)
    assert found.threshold(0.01) < cap
    assert np.minimum(found.values, cap).mean() == pytest.approx(0.01, rel=1e-12)


@pytest.mark.parametrize(
    ("f", "total", "printed"),
    [(2, 360, 0.00542452), (1, 215, 0.02509644), (2, 152, 0.01256342), (1, 186, 0.02824728)],
)
def test_the_printed_values_of_the_guide_of_the_survey_network(f, total, printed):
    found = ds.individual_risk(survey("a" * f, [total / f] * f))
    assert found.highest == pytest.approx(printed, abs=1e-8)


# -- caps ------------------------------------------------------------------------------------------


def test_threshold_and_cap_keep_the_mean():
    found = ds.individual_risk(survey())
    for limit in np.linspace(found.values.min() * 1.01, found.mean, 7):
        threshold, cap = found.threshold(limit), found.cap(limit)
        assert threshold in found.values
        assert np.minimum(found.values, threshold).mean() < limit
        assert threshold <= cap * (1 + 1e-12)
        assert np.minimum(found.values, cap).mean() == pytest.approx(limit, rel=1e-12)


def test_a_mean_that_holds_needs_no_cap():
    found = ds.individual_risk(survey())
    assert found.threshold(0.5) == found.cap(0.5) == found.highest


def test_below_the_lowest_risk_there_is_a_cap_and_no_threshold():
    found = ds.individual_risk(survey())
    assert found.cap(0.001) == pytest.approx(0.001)
    with pytest.raises(DiscreetError) as failed:
        found.threshold(0.001)
    assert failed.value.code == "D43"


@pytest.mark.parametrize("limit", [0, -1, math.nan, "0.1", None, True])
def test_a_limit_of_the_mean_is_a_number_above_0(limit):
    for ask in (ds.individual_risk(survey()).cap, ds.individual_risk(survey()).threshold):
        with pytest.raises(DiscreetError) as failed:
            ask(limit)
        assert failed.value.code == "P10"


# -- the interval ----------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[1], [1, 1, 1, 2, 3, 10], [60]])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.6])
@pytest.mark.parametrize("classes", [20, 300])
def test_the_interval_covers_the_truth_in_populations_of_the_model(classes, share, sizes):
    """One sample, and a thousand populations that the model draws for it."""
    rng = np.random.default_rng(classes)
    counts = rng.choice(sizes, classes)
    table = {"town": np.repeat(np.arange(classes), counts), "w": [1 / share] * int(counts.sum())}
    low, high = ds.individual_risk(ds.read(table, keys=["town"], weight="w")).interval(0.9)
    population = counts + rng.negative_binomial(counts, share, (1000, classes))
    truth = (counts / population).sum(axis=1)
    assert np.mean((low <= truth) & (truth <= high)) >= 0.88


def test_the_interval_covers_the_truth_when_the_population_is_drawn_first():
    """Sizes of the population with chances 1/F, of which a tenth is drawn: the model's prior."""
    sizes, rng, covered = np.arange(1, 3001), np.random.default_rng(0), 0
    for _ in range(200):
        population = rng.choice(sizes, 400, p=1 / sizes / (1 / sizes).sum())
        counts = rng.binomial(population, 0.1)
        population, counts = population[counts > 0], counts[counts > 0]
        expected = (counts * inverse_mean(counts, counts / 0.1)).sum()
        low, high = interval_of(expected, counts, counts / 0.1, 0.9)
        covered += low <= (counts / population).sum() <= high
    assert covered >= 0.88 * 200


def test_an_interval_grows_with_its_confidence_and_holds_the_estimate():
    found = ds.individual_risk(survey())
    narrow, wide = found.interval(0.5), found.interval(0.99)
    assert wide.low <= narrow.low <= found.expected <= narrow.high <= wide.high
    assert wide.high <= found.classes


def test_a_whole_population_has_no_spread():
    found = ds.individual_risk(survey("aab", [1, 1, 1]))
    assert found.values.tolist() == [0.5, 0.5, 1.0]
    assert found.interval() == (2.0, 2.0)


@pytest.mark.parametrize("confidence", [0, 1, 1.5, "0.9", math.nan])
def test_a_confidence_lies_between_0_and_1(confidence):
    with pytest.raises(DiscreetError) as failed:
        ds.individual_risk(survey()).interval(confidence)
    assert failed.value.code == "P10"


# -- households ------------------------------------------------------------------------------------


def homes(**more):
    table = {
        "town": list("aabccd"),
        "w": [180, 180, 215, 76, 76, 1],
        "home": ["x", "y", "x", "y", "x", "z"],
    }
    return ds.read(table, keys=["town"], weight="w", **more)


def test_somebody_of_a_household_is_matched_unless_nobody_is():
    found = ds.individual_risk(homes(household="home"))
    r = found.values
    x, y = 1 - (1 - r[0]) * (1 - r[2]) * (1 - r[4]), 1 - (1 - r[1]) * (1 - r[3])
    assert found.household == pytest.approx([x, y, x, y, x, 1.0], rel=1e-13)
    assert found.household_expected == pytest.approx(found.household.sum())
    assert "household" in found.explain()


def test_the_riskiest_of_a_household_is_offered_beside_it():
    found = ds.individual_risk(homes(household="home"))
    r = found.values
    x, y = max(r[0], r[2], r[4]), max(r[1], r[3])
    assert found.household_highest.tolist() == [x, y, x, y, x, r[5]]
    assert (found.household_highest <= found.household).all()
    assert found.household_highest_expected == pytest.approx(found.household_highest.sum())
    assert f"{found.household_highest_expected:.4g} if together" in found.explain()
    assert found.to_dict()["household_highest_expected"] == found.household_highest_expected


def test_the_risk_of_a_household_becomes_a_column():
    found = ds.individual_risk(homes(household="home"))
    for of in ("household", "household_highest"):
        assert found.column(of=of).to("arrow")[of].to_pylist() == getattr(found, of).tolist()
    assert found.column("h", of="household").columns[-1] == "h"
    assert found.column().columns[-1] == "individual_risk"
    with pytest.raises(DiscreetError, match="household_highest") as failed:
        found.column(of="family")
    assert failed.value.code == "P16"


def test_a_single_record_is_told_in_the_singular():
    said = ds.individual_risk(survey("a", [5])).explain()
    assert "1 record (100.0%) has a risk above 0.1" in said
    assert "1 record falls into 1 class by town" in ds.risk(survey("a", [5])).explain()


def test_what_has_no_interval_says_why():
    said = ds.individual_risk(homes(household="home"))
    assert "live in many households" in said.not_applicable["household_interval"]
    assert said.not_applicable["household_interval"] in said.explain()


def test_a_person_alone_has_the_risk_of_the_person():
    table = {"town": list("aab"), "w": [180, 180, 215], "home": [1, 2, 3]}
    found = ds.individual_risk(ds.read(table, keys=["town"], weight="w", household="home"))
    assert found.household == pytest.approx(found.values, rel=1e-13)


def test_without_households_their_figure_does_not_apply():
    found = ds.individual_risk(homes())
    names = ("household_expected", "household_highest_expected")
    assert [getattr(found, name) for name in names] == [None, None]
    assert found.not_applicable == dict.fromkeys(names, "no household is named.")
    with pytest.raises(DiscreetError) as failed:
        _ = found.household
    assert failed.value.code == "R14"


# -- what it shows ---------------------------------------------------------------------------------


def test_it_says_on_what_it_rests_and_that_it_is_too_low_elsewhere():
    said = ds.individual_risk(survey()).explain()
    for figure in ("128", "166", "506", "1,244", "90% interval", "negative binomial"):
        assert figure in said


@pytest.mark.parametrize(("number", "said", "right"), [(4, 128, 166), (8, 506, 1244)])
def test_the_sum_is_as_low_on_samples_of_adult_as_it_says(reference_data, number, said, right):
    """Its own draws, 4 for 12: within a tenth of the figures that results and docs give."""
    options = pc.ParseOptions(delimiter=";")
    adult = pc.read_csv(reference_data("adult/adult_30162x9.csv"), parse_options=options)
    keys = [name for name in adult.column_names if name != "occupation"][:number]
    rows = list(zip(*(adult[key].to_pylist() for key in keys), strict=True))
    place = {row: i for i, row in enumerate(dict.fromkeys(rows))}
    own = np.array([place[row] for row in rows])
    people, sums = np.bincount(own), []
    for seed in range(4):
        drawn = own[np.random.default_rng(seed).permutation(len(own))[:3016]]
        counts = np.bincount(drawn, minlength=len(people))
        there = counts > 0
        survey = ds.read({"key": drawn, "w": [10.0] * 3016}, keys=["key"], weight="w")
        sums.append([ds.individual_risk(survey).expected, (counts[there] / people[there]).sum()])
    assert np.mean(sums, axis=0) == pytest.approx([said, right], rel=0.1)


def test_its_table_adds_up():
    found = ds.individual_risk(survey())
    table = found.table("arrow").to_pydict()
    assert sum(table["records"]) == 6
    assert sum(table["expected"]) == pytest.approx(found.expected)
    assert max(v for v in table["highest"] if v is not None) == found.highest


def test_the_records_above_a_risk_are_counted_and_named():
    found = ds.individual_risk(survey())
    assert found.above(0.02).positions.tolist() == [2, 5]
    assert found.top(1, "arrow").to_pydict()["record"] == [5]
    assert found.column().columns == ("town", "w", "individual_risk")
    assert sum(found.histogram().counts) == 6
    assert "'a'" not in repr(found)


# -- ugly input ------------------------------------------------------------------------------------


def test_a_file_without_weights_says_what_to_do():
    with pytest.raises(DiscreetError, match="weight=") as failed:
        ds.individual_risk(ds.read({"town": ["a"]}, keys=["town"]))
    assert failed.value.code == "R13"


def test_weights_below_1_are_an_error_with_their_number():
    with pytest.raises(DiscreetError, match="2 records") as failed:
        ds.individual_risk(survey("abc", [0.5, 0.999, 3]))
    assert failed.value.code == "D44"


def test_weights_that_no_population_has_are_an_error_with_their_number():
    """They add up to infinity, and a risk of nan."""
    with pytest.raises(DiscreetError) as failed:
        ds.individual_risk(survey("abcd", [0.5, 3, 1e13, 1e308]))
    said = [str(problem) for problem in failed.value.problems]
    assert [problem.code for problem in failed.value.problems] == ["D44", "D44"]
    assert "below 1 in 1 record." in said[0]
    assert "above 1,000,000,000,000 in 2 records." in said[1]
    assert ["stands for itself at least" in one for one in said] == [True, False]
    for other in (ds.model_risk, ds.population_uniqueness, ds.population_range):
        with pytest.raises(DiscreetError) as failed:
            other(survey("abcd", [3, 3, 3, 1e308]))
        assert failed.value.code == "D44"


def test_missing_weights_are_an_error_with_their_number():
    with pytest.raises(DiscreetError, match="in 1 record") as failed:
        survey("abc", [None, 2, 3])
    assert failed.value.code == "D05"


def test_what_is_no_microdata_is_refused():
    with pytest.raises(DiscreetError) as failed:
        ds.individual_risk({"town": ["a"]})
    assert failed.value.code == "P09"


def test_all_alike_and_all_different():
    alike = ds.individual_risk(survey("aaaa", [10] * 4))
    assert alike.classes == 1
    assert alike.highest == alike.values.min()
    alone = ds.individual_risk(survey("abcd", [10] * 4))
    assert alone.expected == pytest.approx(4 * math.log(10) / 9)


def test_a_missing_key_is_a_class_of_its_own_or_matches_all():
    table = {"town": ["a", "a", None, "b"], "w": [5, 5, 5, 5]}
    category = ds.individual_risk(ds.read(table, keys=["town"], weight="w"))
    wildcard = ds.individual_risk(ds.read(table, keys=["town"], weight="w", missing="wildcard"))
    assert category._counts.tolist() == [2, 1, 1]
    assert wildcard._counts.tolist() == [3, 2, 4]
    assert wildcard._weights.tolist() == [15, 10, 20]
    assert (wildcard.values <= category.values).all()
    with pytest.raises(DiscreetError) as failed:
        ds.read(table, keys=["town"], weight="w", missing="refuse")
    assert failed.value.code == "D03"


def test_row_order_does_not_matter():
    rng = np.random.default_rng(5)
    table = {"a": rng.integers(0, 9, 500), "b": rng.integers(0, 9, 500)}
    table["w"] = rng.lognormal(3, 1, 500) + 1
    order = rng.permutation(500)
    one = ds.individual_risk(ds.read(table, keys=["a", "b"], weight="w"))
    moved = {name: column[order] for name, column in table.items()}
    other = ds.individual_risk(ds.read(moved, keys=["a", "b"], weight="w"))
    assert one.values[order].tolist() == other.values.tolist()
    assert one.expected == other.expected
    assert one.interval() == other.interval()
    assert one.expected == pytest.approx(math.fsum(one.values), rel=1e-15)
