"""Individual risk where the records are: the same bits on every engine, and only counts cross."""

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import DiscreetError
from tests.engines.tables import ugly

KEYS = ["town", "flag", "small"]
FAR = ("spark", "postgres")


def weighted():
    table = ugly(400)
    rng = np.random.default_rng(2)
    homes = pa.array(rng.integers(0, 150, len(table)))
    weights = pa.array(1 + rng.lognormal(3, 1, len(table)))
    return table.append_column("weight", weights).append_column("home", homes)


@pytest.fixture(scope="module", params=["category", "wildcard"])
def roles(request):
    return {
        "keys": KEYS,
        "weight": "weight",
        "record_id": "rec",
        "household": "home",
        "missing": request.param,
    }


@pytest.fixture(scope="module")
def found(engine, roles):
    return ds.individual_risk(engine.read(weighted(), **roles))


@pytest.fixture(scope="module")
def reference(roles):
    return ds.individual_risk(ds.read(weighted(), **roles))


@pytest.mark.verb("individual_risk")
def test_the_figures_are_the_same_to_the_last_bit(found, reference):
    for name in ("n", "classes", "population", "expected", "mean", "highest", "household_expected"):
        assert getattr(found, name) == getattr(reference, name)
    assert found._found.numbers.tolist() == reference._found.numbers.tolist()
    assert found.threshold(0.02) == reference.threshold(0.02)
    assert found.cap(0.02) == reference.cap(0.02)
    assert found.to_dict()["interval"] == reference.to_dict()["interval"]
    assert found.histogram() == reference.histogram()
    assert [found.above(t).count for t in (0.01, 0.05)] == [
        reference.above(t).count for t in (0.01, 0.05)
    ]


@pytest.mark.verb("individual_risk")
def test_the_column_is_joined_where_the_records_are(found, reference):
    mine, theirs = (
        sorted(zip(*one.column("r").to("arrow").select(["weight", "r"]).to_pydict().values(), strict=True))
        for one in (found, reference)
    )  # fmt: skip
    assert mine == theirs


@pytest.mark.verb("individual_risk")
def test_values_and_households_are_in_the_order_of_the_records_or_refused(engine, found, reference):
    if engine.name in FAR:
        for ask in (lambda: found.values, lambda: found.household, found.top):
            with pytest.raises(DiscreetError) as failed:
                ask()
            assert failed.value.code == "N02"
        return
    assert found.values.tolist() == reference.values.tolist()
    assert found.household.tolist() == reference.household.tolist()


@pytest.mark.verb("individual_risk")
def test_weights_below_1_are_counted_there(engine):
    table = weighted()
    small = pa.array(np.where(np.arange(len(table)) < 3, 0.5, 2.0))
    table = table.set_column(table.column_names.index("weight"), "weight", small)
    data = engine.read(table, keys=KEYS, weight="weight", record_id="rec")
    with pytest.raises(DiscreetError, match="3 records") as failed:
        ds.individual_risk(data)
    assert failed.value.code == "D44"
