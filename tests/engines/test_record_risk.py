"""Record risk on every engine: the same figures as in memory, and the values stay in the engine."""

import ibis
import numpy as np
import pytest

import discreet as ds
from discreet.errors import DiscreetError
from discreet.risks import distributed
from tests.engines.tables import survey

KNOWN = {"age": 0.5, "sex": 0.8, "zip": 0.4, "illness": 0.1}
SENSITIVE = {"illness": 1.0, "income": 0.5, "age": 0.2}
VALUES = {"income": [(None, 30_000, 1.0), (30_000, None, 0.5)]}


@pytest.fixture(scope="module")
def near():
    return ds.read(survey(400))


@pytest.fixture(scope="module")
def far(engine):
    return engine.read(survey(400))


@pytest.fixture(scope="module")
def linked(engine):
    """A table of Ibis in any case: its records have no order, be the engine the embedded one."""
    if engine.name in ("spark", "postgres"):
        return engine.read(survey(400))
    connection = ibis.duckdb.connect()
    connection.con.register("survey", survey(400))
    return ds.read(connection.table("survey"))


@pytest.mark.verb("record_risk")
@pytest.mark.parametrize("epsilon", [0.01, 0.2])
def test_the_figures_are_those_of_records_in_memory(near, linked, epsilon):
    here, there = (
        ds.record_risk(data, KNOWN, SENSITIVE, VALUES, epsilon=epsilon) for data in (near, linked)
    )
    assert there.total == pytest.approx(here.total, rel=1e-9)
    assert there.highest == pytest.approx(here.highest, rel=1e-9)
    assert there.bound_total == pytest.approx(here.bound_total, rel=1e-9)
    assert there.histogram() == here.histogram()
    for threshold in (10, 40):
        assert there.above(threshold).count == here.above(threshold).count
    for one, other in zip(here.known_sets, there.known_sets, strict=True):
        assert one.attributes == other.attributes
        assert one.contribution == pytest.approx(other.contribution, rel=1e-9, abs=1e-9)
    shares = [r.by_attribute("arrow").to_pydict()["as_sensitive"] for r in (here, there)]
    assert shares[0] == pytest.approx(shares[1], rel=1e-6, abs=1e-9)
    assert here.explain() == there.explain()


@pytest.mark.verb("record_risk")
@pytest.mark.parametrize("most", [10, 4096])
def test_sets_with_many_combinations_are_counted_where_the_records_are(
    near, linked, monkeypatch, most
):
    """Every set by itself in the engine, or those with income alone: the risks are the same."""
    monkeypatch.setattr(distributed, "_MOST_CELLS", most)
    monkeypatch.setattr("discreet.kernels.known_sets.unions._FEWEST", most)
    known = {"age": 0.5, "sex": 0.8, "income": 0.4, "illness": 0.3}
    risks = [
        ds.record_risk(data, known, {"illness": 1.0, "age": 0.4}).column("risk").to("arrow")["risk"]
        for data in (near, linked)
    ]
    np.testing.assert_allclose(np.sort(risks[0]), np.sort(risks[1]), rtol=1e-9)


@pytest.mark.verb("record_risk")
def test_the_risks_are_a_column_of_the_engine(near, linked):
    here, there = (ds.record_risk(data, KNOWN, SENSITIVE, VALUES) for data in (near, linked))
    column = there.column("risk")
    assert column.columns == (*linked.columns, "risk")
    assert here.column("risk").to("arrow")["risk"].to_pylist() == here.values.tolist()
    np.testing.assert_allclose(np.sort(column.to("arrow")["risk"]), np.sort(here.values), rtol=1e-9)


@pytest.mark.verb("record_risk, record by record")
def test_the_risks_are_given_in_the_order_of_the_records_or_of_their_ids(near, far):
    here, there = (
        ds.record_risk(data.with_roles(record_id="rec"), KNOWN, SENSITIVE, VALUES)
        for data in (near, far)
    )
    ids = survey(400)["rec"].to_numpy()
    place = np.arange(400) if far.source.row else np.argsort(ids)
    np.testing.assert_allclose(there.values, here.values[place], rtol=1e-9)
    np.testing.assert_allclose(there.bound, here.bound[place], rtol=1e-9)
    assert len(there.above(20).positions) == there.above(20).count


@pytest.mark.verb("protect_records")
@pytest.mark.never("spark", reason="records have no order there")
@pytest.mark.never("postgres", reason="records have no order there")
def test_risky_records_are_protected_alike(near, far):
    masked = []
    for data in (near, far):
        data = data.with_roles(record_id="rec")
        risk = ds.record_risk(data, {"age": 0.5, "sex": 0.8}, {"illness": 1.0})
        masked.append(ds.protect_records(data, risk, at_most=risk.highest / 2).changes)
    assert masked[0] == masked[1]


@pytest.mark.parametrize("ask", ["values", "top", "above", "bound", "protect"])
def test_what_needs_an_order_is_refused_with_the_way_out(linked, ask):
    if ask == "protect":
        linked = linked.with_roles(record_id="rec")
    found = ds.record_risk(linked, {"sex": 0.8}, {"illness": 1.0})
    asked = {
        "values": lambda: found.values,
        "top": lambda: found.top(3),
        "above": lambda: list(found.above(1)),
        "bound": lambda: found.bound,
        "protect": lambda: ds.protect_records(linked, found, at_most=1),
    }
    with pytest.raises(DiscreetError, match=r"N02.*(column|Write)"):
        asked[ask]()


def test_values_without_a_weight_are_counted_in_the_engine(near, linked):
    ranges = {"income": [(None, 1_000, 1.0)]}
    messages = []
    for data in (near, linked):
        with pytest.raises(DiscreetError, match="D40") as caught:
            ds.record_risk(data, {"sex": 0.8}, {"income": 0.5}, ranges)
        messages.append(str(caught.value).split(" records of ")[0])
    assert messages[0] == messages[1]


def test_a_column_that_exists_is_not_replaced(linked):
    with pytest.raises(DiscreetError, match="R02"):
        ds.record_risk(linked, {"sex": 0.8}, {"illness": 1.0}).column("age")
