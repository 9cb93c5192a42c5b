"""The individual risk E(1/F | f): its bounds, and the sum of its definition as a slow twin."""

import decimal
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.kernels.inverse_sizes import inverse_mean, inverse_variance
from tests.examples import examples

COUNTS = st.one_of(st.integers(1, 60), st.integers(1, 10**7))
SHARES = st.floats(1e-9, 1)


def moment(f, total, power):
    """Σ over F of F^−power · C(F − 1, f − 1) · p^f · q^(F−f), to 30 digits and more."""
    with decimal.localcontext(prec=60):
        p = Decimal(f) / Decimal(total)
        chance = p**f
        found, x, part = chance / Decimal(f) ** power, 0, Decimal(1)
        while x < f / p or part > found * Decimal(10) ** -40:
            x += 1
            chance = chance * (f + x - 1) * (1 - p) / x
            part = chance / Decimal(f + x) ** power
            found += part
        return found


def closed_form(f, total):
    """p·I_f from I_1 = ln(1/p)/q, to 60 digits: for small p, where the sum has no end."""
    with decimal.localcontext(prec=60 + 2 * f):
        p = Decimal(f) / Decimal(total)
        found = -p.ln() / (1 - p)
        for m in range(1, f):
            found = (1 / Decimal(m) - p * found) / (1 - p)
        return p * found


def risk(f, total):
    return float(inverse_mean(np.array([f]), np.array([total]))[0])


@given(st.integers(1, 120), st.floats(0.03, 1))
def test_the_risk_is_the_sum_of_its_definition(f, p):
    assert risk(f, f / p) == pytest.approx(float(moment(f, max(f / p, f), 1)), rel=2e-14)


@given(st.integers(1, 60), st.floats(1, 8))
def test_the_risk_in_a_small_sample_is_its_closed_form(f, digits):
    total = f * 10**digits
    assert risk(f, total) == pytest.approx(float(closed_form(f, total)), rel=3e-14)


@given(COUNTS, SHARES)
def test_the_risk_lies_between_those_of_the_expected_and_the_smallest_population(f, p):
    found = risk(f, f / p)
    assert math.isfinite(found)
    assert p / f * (1 - 1e-15) <= found <= 1 / f


@given(COUNTS, SHARES, SHARES)
def test_the_risk_falls_with_the_count_and_rises_with_the_share_in_the_sample(f, p, other):
    low, high = sorted((p, other))
    assert risk(f, f / low) <= risk(f, f / high) * (1 + 1e-13)
    assert risk(f + 1, (f + 1) / p) <= risk(f, f / p) * (1 + 1e-13)


@examples(20)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(1, 40)), min_size=1, max_size=20)
)  # fmt: skip
def test_the_risk_of_a_household_is_that_of_its_definition(rows):
    keys, homes, weights = zip(*rows, strict=True)
    table = {"k": keys, "home": homes, "w": weights}
    found = ds.individual_risk(ds.read(table, keys=["k"], weight="w", household="home"))
    risks = found.values.tolist()
    for at, home in enumerate(homes):
        members = [risk for risk, other in zip(risks, homes, strict=True) if other == home]
        somebody = 1 - math.prod(1 - risk for risk in members)
        assert found.household[at] == pytest.approx(somebody, rel=1e-12, abs=1e-15)
        assert found.household_highest[at] == max(members)
        assert found.values[at] <= found.household_highest[at] <= found.household[at] * (1 + 1e-12)
    assert found.household_expected == pytest.approx(math.fsum(found.household), rel=1e-14)


def test_a_class_that_is_whole_in_the_sample_has_the_risk_of_its_size():
    found = inverse_mean(np.array([1, 7, 10**7]), np.array([1.0, 7, 10**7]))
    assert found.tolist() == [1.0, 1 / 7, 1e-7]


def test_a_record_alone_in_the_sample_has_a_risk_in_closed_form():
    p = 1 / 215
    assert risk(1, 215) == pytest.approx(p / (1 - p) * math.log(215), rel=1e-15)


@given(st.integers(1, 39), st.floats(0.03, 1))
def test_the_variance_is_that_of_the_definition(f, p):
    total = max(f / p, float(f))
    exact = moment(f, total, 2) - moment(f, total, 1) ** 2
    found = float(inverse_variance(np.array([f]), np.array([total]))[0])
    assert found == pytest.approx(float(exact), rel=1e-6, abs=1e-15)


@given(st.integers(40, 200), st.floats(0.05, 0.999))
@examples(20)
def test_the_variance_of_large_classes_is_right_to_a_hundredth(f, p):
    exact = moment(f, f / p, 2) - moment(f, f / p, 1) ** 2
    found = float(inverse_variance(np.array([f]), np.array([f / p]))[0])
    assert found == pytest.approx(float(exact), rel=0.01)
