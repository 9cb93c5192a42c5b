"""The record risk equals its definition, whatever is known, sensitive, or missing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from tests.record_risk_twin import brute_risk, brute_sets

NAMES = ("a", "b", "c", "d")
share = st.sampled_from([0.0, 0.005, 0.1, 0.3, 0.5, 0.8, 1.0])


@st.composite
def tables(draw):
    n = draw(st.integers(1, 14))
    values = st.sampled_from(["x", "y", "z", None])
    table = {name: draw(st.lists(values, min_size=n, max_size=n)) for name in NAMES}
    known = draw(st.dictionaries(st.sampled_from(NAMES), share))
    sensitivity = draw(st.dictionaries(st.sampled_from(NAMES), share, min_size=1))
    sensitivity[next(iter(sensitivity))] = 1.0
    weights = st.fixed_dictionaries(dict.fromkeys("xyz", share))
    listed = draw(st.dictionaries(st.sampled_from(sorted(sensitivity)), weights))
    epsilon = draw(st.sampled_from([0.0, 0.001, 0.01, 0.1, 0.5, 1.0]))
    return table, known, sensitivity, listed, epsilon


def weigh(sensitivity, listed):
    def weight(attribute, value):
        if value is None:
            return 0.0
        return sensitivity.get(attribute, 0.0) * listed.get(attribute, {}).get(value, 1.0)

    return weight


@pytest.mark.parametrize("missing", ["category", "wildcard"])
@given(tables())
def test_fast_is_slow(missing, drawn):
    table, known, sensitivity, listed, epsilon = drawn
    data = ds.read(_typed(table), missing=missing)
    risk = ds.record_risk(data, known, sensitivity, listed, alpha=10, epsilon=epsilon)
    slow = brute_risk(
        table, known, weigh(sensitivity, listed), 10, epsilon, wildcard=missing == "wildcard"
    )
    np.testing.assert_allclose(risk.values, slow, rtol=1e-12, atol=1e-14)
    assert {s.attributes for s in risk.known_sets} == _sorted_by(
        brute_sets(known, epsilon), risk.settings.attributes
    )
    assert sum(s.contribution for s in risk.known_sets) == pytest.approx(slow.sum(), abs=1e-9)
    shares = risk.by_attribute("arrow").to_pydict()
    if slow.sum() > 1e-9:
        assert sum(shares["as_sensitive"]) == pytest.approx(1, abs=1e-6)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(drawn, random):
    table, known, sensitivity, listed, epsilon = drawn
    order = list(range(len(table["a"])))
    random.shuffle(order)
    moved = {name: [column[i] for i in order] for name, column in table.items()}
    options = {"alpha": 10, "epsilon": epsilon}
    one = ds.record_risk(ds.read(_typed(table)), known, sensitivity, listed, **options)
    other = ds.record_risk(ds.read(_typed(moved)), known, sensitivity, listed, **options)
    assert one.values[order].tolist() == other.values.tolist()
    assert [s.contribution for s in one.known_sets] == [s.contribution for s in other.known_sets]


@given(tables())
def test_the_bound_covers_what_was_pruned(drawn):
    table, known, sensitivity, listed, epsilon = drawn
    data = ds.read(_typed(table))
    whole = ds.record_risk(data, known, sensitivity, listed, epsilon=0)
    pruned = ds.record_risk(data, known, sensitivity, listed, epsilon=epsilon)
    assert (whole.values <= pruned.values + pruned.bound + 1e-9).all()


def _typed(table):
    import pyarrow as pa

    return pa.table({name: pa.array(column, pa.string()) for name, column in table.items()})


def _sorted_by(sets, names):
    return {tuple(sorted(s, key=names.index)) for s in sets}
