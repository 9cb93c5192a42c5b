"""What a sample says of its population: the same bits on every engine; only frequency sets cross."""

import pytest

import discreet as ds
from tests.engines.tables import ROLES, survey


@pytest.fixture(scope="module")
def both(engine):
    table = survey(300)
    weights = [2.0 + (i * 7 % 11) / 8 for i in range(300)]
    held = table.append_column("w", [weights])
    roles = {**ROLES, "weight": "w"}
    return ds.read(held, **roles), engine.read(held, **roles)


def bits(result):
    return {k: v for k, v in result.to_dict().items() if k != "computed_from"}


@pytest.mark.verb("population_uniqueness")
def test_population_uniqueness_is_the_same(both):
    here, there = (bits(ds.population_uniqueness(data)) for data in both)
    assert there == here


@pytest.mark.verb("model_risk")
@pytest.mark.parametrize("margins", [None, [("age", "sex")], "search"])
def test_the_model_is_the_same(both, margins):
    here, there = (bits(ds.model_risk(data, margins)) for data in both)
    assert there == here


@pytest.mark.verb("population_range")
def test_the_range_is_the_same(both):
    here, there = (bits(ds.population_range(data)) for data in both)
    assert there == here


@pytest.mark.verb("model_risk")
def test_the_risks_become_a_column(both):
    here, there = (
        ds.model_risk(data).column().to("arrow")["model_risk"].to_pylist() for data in both
    )
    assert sorted(there) == sorted(here)
