"""Record risk where the records stay: the same figures as in memory, and no record crosses."""

import ibis
import numpy as np
import pytest

import discreet as ds
from discreet.errors import DiscreetError

KNOWN = {"age": 0.5, "sex": 0.8, "zip": 0.4, "illness": 0.1}
SENSITIVE = {"illness": 1.0, "income": 0.5, "age": 0.2}
VALUES = {"income": [(None, 30_000, 1.0), (30_000, None, 0.5)]}


@pytest.fixture(scope="module")
def both():
    table = ds.datasets.patients(600, seed=4)
    connection = ibis.duckdb.connect()
    connection.con.register("patients", table)
    return ds.read(table), ds.read(connection.table("patients"))


@pytest.mark.parametrize("epsilon", [0, 0.01, 0.2])
def test_the_figures_are_those_of_records_in_memory(both, epsilon):
    near, far = (ds.record_risk(data, KNOWN, SENSITIVE, VALUES, epsilon=epsilon) for data in both)
    assert far.total == pytest.approx(near.total, rel=1e-9)
    assert far.highest == pytest.approx(near.highest, rel=1e-9)
    assert far.bound_total == pytest.approx(near.bound_total, rel=1e-9)
    assert far.histogram() == near.histogram()
    for threshold in (10, 40, 100):
        assert far.above(threshold).count == near.above(threshold).count
    for one, other in zip(near.known_sets, far.known_sets, strict=True):
        assert one.attributes == other.attributes
        assert one.contribution == pytest.approx(other.contribution, rel=1e-9, abs=1e-9)
    shares = [r.by_attribute("arrow").to_pydict()["as_sensitive"] for r in (near, far)]
    assert shares[0] == pytest.approx(shares[1], rel=1e-6, abs=1e-9)
    assert near.explain() == far.explain()


def test_the_risks_are_a_column_of_the_engine(both):
    near, far = (ds.record_risk(data, KNOWN, SENSITIVE, VALUES) for data in both)
    there = far.column("risk")
    assert there.columns == (*both[1].columns, "risk")
    here = near.column("risk").to("arrow")
    assert here["risk"].to_pylist() == near.values.tolist()
    np.testing.assert_allclose(np.sort(there.to("arrow")["risk"]), np.sort(near.values), rtol=1e-9)


def test_what_needs_an_order_is_refused_with_the_way_out(both):
    far = ds.record_risk(both[1], KNOWN, SENSITIVE, VALUES)
    for ask in (
        lambda: far.values,
        lambda: far.top(3),
        lambda: list(far.above(1)),
        lambda: far.bound,
    ):
        with pytest.raises(DiscreetError, match=r"N02.*column"):
            ask()


def test_values_without_a_weight_are_counted_in_the_engine(both):
    ranges = {"income": [(None, 1_000, 1.0)]}
    messages = []
    for data in both:
        with pytest.raises(DiscreetError, match="D40") as caught:
            ds.record_risk(data, KNOWN, SENSITIVE, ranges)
        messages.append(str(caught.value).split(" records of ")[0])
    assert messages[0] == messages[1]


def test_a_column_that_exists_is_not_replaced(both):
    for data in both:
        with pytest.raises(DiscreetError, match="R02"):
            ds.record_risk(data, KNOWN, SENSITIVE, VALUES).column("age")
