"""Candidates for keys and R-U maps: the same wherever the records are."""

import pytest

import discreet as ds
from tests.engines.tables import ROLES, survey, ugly


@pytest.mark.verb("key_candidates")
@pytest.mark.parametrize("table", [ugly, lambda: survey(300)])
def test_the_candidates_for_keys_are_the_same_sets_with_the_same_counts(engine, table):
    expected = ds.key_candidates(ds.read(table()), up_to=2)
    found = ds.key_candidates(engine.read(table()), up_to=2)
    assert found.attributes == expected.attributes
    assert list(found) == list(expected)


@pytest.mark.verb("ru_map")
def test_the_points_of_a_map_are_the_same(engine):
    recipes = ds.grid(
        methods=["generalization", "sampling"],
        k=[5],
        hierarchies={"zip": ds.Hierarchy.prefixes([5, 2, 0])},
        max_suppressed=1.0,
        fractions=[0.5],
        seed=1,
    )
    figures = [
        [(p.label, p.risk, p.loss) for p in ds.ru_map(read(survey(300), **ROLES), recipes).points]
        for read in (engine.read, ds.read)
    ]
    assert figures[0] == figures[1]
