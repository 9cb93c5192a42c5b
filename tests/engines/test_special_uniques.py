"""Special uniques where the records are: the same bits on every engine, and only counts cross."""

import numpy as np
import pytest

import discreet as ds
from tests.engines.tables import ugly

KEYS = ["town", "flag", "small"]
FAR = ("spark", "postgres")


@pytest.fixture(scope="module", params=["category", "wildcard"])
def roles(request):
    return {"keys": KEYS, "record_id": "rec", "missing": request.param}


@pytest.fixture(scope="module")
def found(engine, roles):
    return ds.suda(engine.read(ugly(400), **roles), fraction=0.1)


@pytest.fixture(scope="module")
def reference(roles):
    return ds.suda(ds.read(ugly(400), **roles), fraction=0.1)


def figures(result):
    return {k: v for k, v in result.to_dict().items() if k != "computed_from"}


@pytest.mark.verb("suda")
def test_the_figures_are_the_same_to_the_last_bit(found, reference):
    assert reference.uniques > 0
    assert figures(found) == figures(reference)
    assert found._scored.numbers.tolist() == reference._scored.numbers.tolist()
    assert found._found.numbers.tolist() == reference._found.numbers.tolist()


@pytest.mark.verb("suda")
def test_the_column_is_joined_where_the_records_are(found, reference):
    mine, theirs = (
        sorted(one.column().to("arrow").select([*KEYS, "dis"]).to_pylist(), key=str)
        for one in (found, reference)
    )
    assert mine == theirs


@pytest.mark.verb("suda")
def test_values_are_in_the_order_of_the_records_or_of_their_ids(found, reference, engine):
    ids = ugly(400)["rec"].to_numpy()
    place = np.argsort(ids) if engine.name in FAR else np.arange(len(ids))
    assert found.scores.tolist() == reference.scores[place].tolist()
    assert found.dis.tolist() == reference.dis[place].tolist()
    assert found.contributions.shares.tolist() == reference.contributions.shares[place].tolist()


@pytest.mark.verb("risky_combinations")
def test_the_cells_are_the_same(engine, roles):
    near, far = (
        ds.risky_combinations(read(ugly(400), **roles), size=2) for read in (ds.read, engine.read)
    )
    assert figures(near) == figures(far)
