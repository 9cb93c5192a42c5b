"""Paper 002: Orooji & Knapp, Tables 1 and 2, and every known set of them by brute force."""

import math

import numpy as np
import pytest

import discreet as ds
from tests.record_risk_twin import brute_risk, brute_sets

TABLE_1 = {
    "age": [34, 19, 40, 34, 51],
    "gender": ["Male", "Female", "Male", "Male", "Female"],
    "race": ["Black", "White", "Asian-Pac-Islander", "Black", "Black"],
    "income": [60_000, 36_000, 45_000, 50_000, 65_000],
    "disease": ["Flu", "Flu", "Flu", "Cancer", "Flu"],
}
KNOWN = {"age": 0.3, "gender": 0.8, "race": 0.7, "income": 0.005, "disease": 0.001}
SENSITIVITY = {"age": 0, "gender": 0, "race": 0, "income": 0.9, "disease": 1}
VALUES = {
    "income": [(None, 40_000, 1), (40_000, 70_000, 0.7)],
    "disease": {"Flu": 0.2, "Cancer": 1},
}


def weight(attribute, value):
    if attribute == "income":
        return 0.9 * (1 if value <= 40_000 else 0.7)
    return {"Flu": 0.2, "Cancer": 1.0}.get(value, 0.0) if attribute == "disease" else 0.0


@pytest.fixture
def sample():
    return ds.read(TABLE_1)


def test_the_example_of_record_4_and_the_known_set_age_gender_race(sample):
    """L = 0.084, C = 1.63: alone in its class but for r1, income and disease are unknown."""
    only = {"age": 0.3, "gender": 0.8, "race": 0.7}
    with_set = ds.record_risk(sample, only, SENSITIVITY, VALUES, alpha=1, epsilon=0.167)
    without = ds.record_risk(sample, only, SENSITIVITY, VALUES, alpha=1, epsilon=0.169)
    assert with_set.known_sets[-1].attributes == ("age", "gender", "race")
    assert with_set.known_sets[-1].probability == pytest.approx(0.168)
    assert with_set.values[3] - without.values[3] == pytest.approx(0.084 * 1.63)
    assert without.bound[3] == pytest.approx(0.168 * 1.63)


@pytest.mark.parametrize("epsilon", [0, 0.001, 0.01, 0.2, 1])
def test_all_sets_of_table_1_by_brute_force_for_all_five_records(sample, epsilon):
    risk = ds.record_risk(sample, KNOWN, SENSITIVITY, VALUES, alpha=100, epsilon=epsilon)
    expected = brute_risk(TABLE_1, KNOWN, weight, 100, epsilon)
    np.testing.assert_allclose(risk.values, expected, rtol=1e-12)
    assert {s.attributes: s.probability for s in risk.known_sets} == pytest.approx(
        brute_sets(KNOWN, epsilon)
    )


def test_epsilon_0_keeps_all_32_sets_and_drops_nothing(sample):
    risk = ds.record_risk(sample, KNOWN, SENSITIVITY, VALUES, epsilon=0)
    assert len(risk.known_sets) == 32
    assert risk.dropped == 0
    assert risk.bound_total == 0


def test_the_bound_covers_what_pruning_left_out(sample):
    whole = ds.record_risk(sample, KNOWN, SENSITIVITY, VALUES, epsilon=0)
    for epsilon in (0.001, 0.01, 0.1, 0.5, 1):
        pruned = ds.record_risk(sample, KNOWN, SENSITIVITY, VALUES, epsilon=epsilon)
        assert (pruned.values <= whole.values + 1e-12).all()
        assert (whole.values <= pruned.values + pruned.bound + 1e-12).all()
        assert whole.total <= pruned.total + pruned.bound_total + 1e-9


def test_the_contributions_of_the_known_sets_add_up_to_the_total(sample):
    risk = ds.record_risk(sample, KNOWN, SENSITIVITY, VALUES)
    assert math.fsum(s.contribution for s in risk.known_sets) == pytest.approx(risk.total)
    driven = risk.by_attribute("arrow").to_pydict()
    assert sum(driven["as_sensitive"]) == pytest.approx(1)
    assert driven["as_sensitive"][:3] == [0, 0, 0]
