"""No cell value leaves by accident through candidates for keys and R-U maps."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds
from discreet import charts
from discreet.registry import measures
from tests.hostile.test_secrets import (
    CELLS,
    FRACTION,
    NUMBER,
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


MEASURES = {
    "risk": {},
    "disclosure_risk": {},
    "record_risk": {
        "known": {"grade": 0.5, "income": 0.2},
        "sensitivity": {"illness": 1.0, "score": 0.5},
        "value_sensitivity": {
            "illness": {f"{WORD}/{i}": 0.5 for i in range(5)},
            "score": [{"up_to": FRACTION, "weight": 1.0}, {"above": FRACTION, "weight": 0.5}],
        },
    },
    "individual_risk": {},
    "model_risk": {"margins": "search", "fraction": 0.1},
    "population_range": {},
    "population_uniqueness": {"fraction": 0.1},
    "readings": {"k": 4},
    "score": {},
    "propensity": {},
    "attack": {"columns": ["income", "grade"]},
    "linkage": {"columns": ["income", "grade"]},
    "interval_disclosure": {"columns": ["income"]},
    "information_loss": {"scope": ["income", "grade"]},
    "regression_loss": {"formula": "income ~ score + grade"},
    "compare_statistics": {},
    "risky_combinations": {"size": 2},
    "suda": {"score": "alternative"},
}


def test_what_a_plan_measures_shows_no_cell(tmp_path, monkeypatch):
    """Neither the release, the ledger and its extract, the reports nor the verification."""
    assert set(MEASURES) == set(measures)
    monkeypatch.chdir(tmp_path)
    weights = [2 + i % 5 for i in range(len(CELLS["income"]))]
    pq.write_table(pa.table({**CELLS, "weight": weights}), "cells.parquet")
    roles = {name: given for name, given in ROLES.items() if name != "types"}
    roles["weight"] = "weight"
    outputs = {"masked": "m.parquet", "report": "in.html", "public_report": "out.html",
               "public": "p.json", "unique_columns": {}}  # fmt: skip
    plan = ds.Plan.of(
        {
            "source": {"file": "cells.parquet"},
            "roles": roles,
            "types": ROLES["types"],
            "steps": [{"do": "sample", "n": 50, "seed": 1}],
            "measures": MEASURES,
            "outputs": outputs,
        }
    )
    assert_no_mark(plan.explain(), "the explanation of the plan")
    plan.write("release.toml")
    release = ds.Plan.read("release.toml").run()
    for way, shown in everything_shown_by(release):
        assert_no_mark(shown, way)
    for name, found in release.measures.items():
        for way, shown in everything_shown_by(found):
            assert_no_mark(shown, f"{name}, {way}")
        assert_no_mark(repr(found.before) + repr(found.after), name)
    for file in ("m.ledger.json", "p.json", "in.html", "out.html"):
        assert_no_mark((tmp_path / file).read_text(encoding="utf-8"), file)
    again = release.ledger.verify("m.parquet", initial="cells.parquet")
    assert_no_mark(again.explain(), "the verification")
    assert "record_risk, made again" in again.agreed


def test_what_is_wrong_with_a_measure_is_said_without_a_cell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(CELLS), "cells.parquet")
    given = {**MEASURES["record_risk"], "value_sensitivity": {"illness": {f"{WORD}/1": 0.5}}}
    base = {"source": {"file": "cells.parquet"}, "steps": [{"do": "sample", "n": 9, "seed": 1}]}
    for asked in ({"record_risk": given}, {"regression_loss": {"formula": f"{WORD} ~ {NUMBER} +"}},
                  {"record_risk": {**given, "alpha": WORD, "default": NUMBER}}):  # fmt: skip
        with pytest.raises(ds.DiscreetError) as caught:
            ds.Plan.of({**base, "measures": asked}).run()
        assert_no_mark(str(caught.value), str(list(asked)))
