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
    for name in ("n", "classes", "population", "expected", "mean", "highest", "household_expected",
                 "household_highest_expected"):  # fmt: skip
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
@pytest.mark.parametrize("of", ["household", "household_highest"])
def test_the_risk_of_households_is_joined_where_the_records_are(found, reference, of):
    """One aggregate per household outcome crosses, and no record."""
    mine, theirs = (
        sorted(zip(*one.column("r", of=of).to("arrow").select(["weight", "r"]).to_pydict().values(), strict=True))
        for one in (found, reference)
    )  # fmt: skip
    assert mine == theirs


@pytest.mark.verb("individual_risk")
def test_values_and_households_are_in_the_order_of_the_records_or_of_their_ids(
    engine, found, reference
):
    order = weighted()["rec"].to_numpy()
    place = np.argsort(order) if engine.name in FAR else np.arange(len(order))
    for of in ("values", "household", "household_highest"):
        assert getattr(found, of).tolist() == getattr(reference, of)[place].tolist()
    assert found.above(0.05).positions.tolist() == (
        np.flatnonzero(reference.values[place] > 0.05).tolist()
    )


@pytest.mark.verb("individual_risk")
def test_texts_as_record_ids_are_in_the_order_of_their_characters(engine, roles):
    """Engines sort them in orders of their own."""
    names = [f"{'aBZäß_ '[i % 7]}{i}" for i in range(400)]
    table = weighted().drop_columns(["rec"]).append_column("rec", pa.array(names))
    found, reference = (
        ds.individual_risk(read(table, **roles)).household for read in (engine.read, ds.read)
    )
    place = sorted(range(400), key=lambda i: names[i].encode())
    expected = reference[place] if engine.name in FAR else reference
    assert found.tolist() == expected.tolist()


@pytest.mark.verb("individual_risk")
def test_record_ids_that_are_repeated_give_no_order(engine, roles):
    if engine.name not in FAR:
        return
    table = weighted().drop_columns(["rec"]).append_column("rec", pa.array([1] * 400))
    found = ds.individual_risk(engine.read(table, **roles))
    with pytest.raises(DiscreetError, match="repeated") as failed:
        _ = found.household
    assert failed.value.code == "D09"


@pytest.mark.verb("individual_risk")
def test_without_order_and_ids_they_are_refused_with_the_way_out(engine, roles):
    if engine.name not in FAR:
        return
    unnamed = {**roles, "record_id": None}
    found = ds.individual_risk(engine.read(weighted(), **unnamed))
    asks = (
        lambda: found.values,
        lambda: found.household,
        found.top,
        lambda: found.above(0).positions,
    )
    for ask in asks:  # fmt: skip
        with pytest.raises(DiscreetError, match=r"column.*record_id=") as failed:
            ask()
        assert failed.value.code == "N02"


@pytest.mark.verb("individual_risk")
def test_weights_below_1_are_counted_there(engine):
    table = weighted()
    small = pa.array(np.where(np.arange(len(table)) < 3, 0.5, 2.0))
    table = table.set_column(table.column_names.index("weight"), "weight", small)
    data = engine.read(table, keys=KEYS, weight="weight", record_id="rec")
    with pytest.raises(DiscreetError, match="3 records") as failed:
        ds.individual_risk(data)
    assert failed.value.code == "D44"


@pytest.mark.verb("individual_risk")
def test_what_is_wrong_with_weights_and_households_is_counted_there(engine):
    """Blank texts and weights that no population has, by their numbers alone."""
    n = len(weighted())
    table = weighted().drop_columns(["weight", "home"])
    large = pa.array(np.where(np.arange(n) < 3, 1e300, 2.0))
    homes = pa.array([[None, "", "  ", "a"][min(i, 3)] for i in range(n)])
    named = table.append_column("weight", large).append_column("home", homes)
    with pytest.raises(DiscreetError, match="missing in 3 records") as failed:
        engine.read(named, keys=KEYS, weight="weight", household="home", record_id="rec")
    assert failed.value.code == "D60"
    with pytest.raises(DiscreetError, match=r"above 1,000,000,000,000 in 3 records") as failed:
        ds.individual_risk(engine.read(named, keys=KEYS, weight="weight", record_id="rec"))
    assert failed.value.code == "D44"
