"""The four counts where the records are: the same on every engine, and only combinations cross."""

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.risks.readings import READINGS
from tests.engines.tables import ugly

KEYS = ["town", "flag", "small", "price"]
FAR = ("spark", "postgres")


def blanked(table, seed=3):
    """The same records in another order, with blanks."""
    rng = np.random.default_rng(seed)
    for key in KEYS:
        at = table.column_names.index(key)
        column = table[key].combine_chunks()
        gone = pa.array(rng.random(len(column)) < 0.2)
        blank = pa.nulls(len(column), column.type)
        table = table.set_column(at, key, pa.compute.if_else(gone, blank, column))
    return table.take(rng.permutation(table.num_rows)).slice(5)


@pytest.fixture(scope="module", params=["category", "wildcard"])
def roles(request):
    return {"keys": KEYS, "record_id": "rec", "missing": request.param}


@pytest.fixture(scope="module")
def found(engine, roles):
    table = ugly(200)
    return ds.readings(engine.read(table, **roles), engine.read(blanked(table), **roles), on="rec")


@pytest.fixture(scope="module")
def reference(roles):
    table = ugly(200)
    return ds.readings(ds.read(table, **roles), ds.read(blanked(table), **roles))


def figures(result):
    return {k: v for k, v in result.to_dict().items() if k != "computed_from"}


@pytest.mark.verb("readings")
def test_the_figures_are_the_same(found, reference):
    assert not reference.not_applicable
    assert figures(found) == figures(reference)


@pytest.mark.verb("readings")
@pytest.mark.parametrize("name", READINGS)
def test_the_column_is_joined_where_the_records_are(found, reference, name):
    mine, theirs = (
        sorted(one.column(name, "count").to("arrow").select([*KEYS, "count"]).to_pylist(), key=str)
        for one in (found, reference)
    )
    assert mine == theirs


@pytest.mark.verb("readings")
def test_values_are_in_the_order_of_the_records_or_of_their_ids(found, reference, engine):
    ids = blanked(ugly(200))["rec"].to_numpy()
    place = np.argsort(ids) if engine.name in FAR else np.arange(len(ids))
    for asked in READINGS:
        assert getattr(found, asked).tolist() == getattr(reference, asked)[place].tolist()
