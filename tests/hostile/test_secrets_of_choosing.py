"""No cell value leaves by accident through candidates for keys and R-U maps."""

import json

import discreet as ds
from discreet import charts
from tests.hostile.test_secrets import (
    CELLS,
    ROLES,
    WORD,
    assert_no_mark,
    everything_shown_by,
)


def test_candidates_for_keys_show_no_cell():
    found = ds.key_candidates(ds.read(CELLS))
    for way, shown in [*everything_shown_by(found), ("ranking", str(found.ranking("arrow")))]:
        assert_no_mark(shown, way)
    assert_no_mark(repr(list(found)), "the sets")


def test_a_map_its_points_and_its_recipes_show_no_cell():
    data = ds.read(CELLS, **ROLES)
    grades = {f"{WORD}{i}": "*" for i in range(4)}
    hierarchies = {"grade": ds.Hierarchy.from_dict(grades), "income": ds.Hierarchy.intervals([10])}
    recipes = ds.grid(
        methods=["generalization", "sampling", "mdav"],
        k=[2, 50],
        hierarchies=hierarchies,
        max_suppressed=1.0,
        fractions=[0.5],
        seed=1,
    )

    def failing(masked):
        raise ValueError(CELLS, masked.to("arrow"))

    found = ds.ru_map(data, [*recipes, ("mine", failing)])
    assert found.failed  # mdav refuses missing values, and mine fails
    for way, shown in everything_shown_by(found):
        assert_no_mark(shown, way)
    for point in (*found.points, found.unmasked):
        assert_no_mark(repr(point) + json.dumps(point.to_dict()), point.label)
    for recipe in recipes:
        assert_no_mark(repr(recipe) + json.dumps(recipe.to_dict()), recipe.label)
    assert_no_mark(json.dumps(found.chart().to_dict()) + charts.svg(found.chart()), "the chart")
