"""Every method, criterion and measure on every surface, from the registries."""

import ast
import itertools
import os
from types import SimpleNamespace

import pytest

import discreet as ds
from discreet.parameters import read_problem
from discreet.registry import criteria, maskings, measures
from tests.conftest import ROOT
from tests.contract import surfaces


@pytest.mark.parametrize("name", sorted(maskings))
def test_a_method_has_the_same_parameters_on_every_surface(name):
    found = surfaces.masking_surfaces(name)
    every = found.pop("Python")
    for surface, has in found.items():
        absent = {p for p in every if p not in has}
        excused = {p for (m, s, p) in surfaces.GAPS if m in ("*", name) and s == surface}
        assert absent - excused == set(), surface
        assert has - every == set(), surface


@pytest.mark.parametrize("name", sorted(criteria))
def test_a_criterion_can_be_asked_for_on_every_surface(name):
    for surface, there in surfaces.criterion_surfaces(name).items():
        assert there or (name, surface) in surfaces.CRITERION_GAPS, surface


@pytest.mark.parametrize("name", sorted(measures))
def test_a_measure_is_on_every_surface(name):
    for surface, there in surfaces.measure_surfaces(name).items():
        assert there or (name, surface) in surfaces.MEASURE_GAPS, surface


@pytest.mark.parametrize("name", sorted(measures))
def test_what_a_measure_names_public_is_in_what_it_gives(name):
    """And its figures say what they are."""
    measure = measures[name]
    assert all(kind.title and not kind.title.endswith(".") for kind in measure.figures.values())
    patients = ds.datasets.patients(200, seed=1)
    patients = patients.append_column("weight", [[10] * 200])
    survey = ds.read(patients, keys=["age", "income"], weight="weight")
    masked = ds.microaggregate(survey, k=5)
    given = {
        "model_risk": {"fraction": 0.1},
        "population_uniqueness": {"fraction": 0.1},
        "record_risk": {"known": {"age": 0.3}, "sensitivity": {"illness": 1.0}},
        "regression_loss": {"formula": "income ~ age"},
    }
    found = measure.taken(survey, masked, given.get(name, {}))
    assert set(measure.public) <= {*found.result.to_dict(), *measure.figures}
    assert any(value is not None for value in found.figures.values())


def test_every_function_that_looks_at_a_file_is_a_measure_or_says_why_not():
    homes = (
        "discreet.risks",
        "discreet.loss",
        "discreet.data.unchanged",
        "discreet.criteria.check",
    )
    looking = {n for n, home in ds._homes().items() if home.startswith(homes) and n.islower()}
    assert looking == {*measures, *surfaces.NO_MEASURES}


def test_gaps_are_gaps():
    for (name, surface), why in surfaces.MEASURE_GAPS.items():
        assert not surfaces.measure_surfaces(name)[surface]
        assert why.startswith(("never", "notyet"))
    for (name, surface), why in surfaces.CRITERION_GAPS.items():
        assert not surfaces.criterion_surfaces(name)[surface]
        assert why.startswith(("never", "notyet"))


@pytest.mark.parametrize("registry", [maskings, criteria, measures], ids=["maskings", "criteria", "measures"])  # fmt: skip
def test_everything_described_is_public_and_says_what_it_is(registry):
    for name in registry:
        entry = registry.entries()[name]
        assert hasattr(ds, entry.attribute), name
        assert entry.title, name
        assert entry.about.endswith("."), name
        for parameter in registry[name].parameters.values():
            assert parameter.doc.endswith("."), (name, parameter.name)


def test_nothing_that_may_hold_a_value_is_public():
    for registry in (maskings, criteria, measures):
        for one in registry.all():
            assert not [p.name for p in one.parameters.values() if p.public and p.holds_values]
            assert not [p.name for p in one.parameters.values() if p.public and p.is_seed]


def test_the_page_of_surfaces_is_up_to_date():
    file = ROOT / surfaces.PAGE
    if os.environ.get("DISCREET_WRITE_DOCS"):
        file.write_text(surfaces.page(), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == surfaces.page()


def test_no_file_outside_criteria_asks_what_kind_a_criterion_is():
    kinds = {entry.attribute for entry in criteria.entries().values()}
    found = []
    for file in (ROOT / "src/discreet").rglob("*.py"):
        inner = file.relative_to(ROOT / "src/discreet")
        if inner.parts[0] == "criteria":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                names = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
                names |= {n.attr for n in ast.walk(node.args[1]) if isinstance(n, ast.Attribute)}
                found += [f"{inner}:{node.lineno}"] if names & kinds else []
    assert found == []


def _criterion(kind, folder):
    """A criterion of a kind, of the values that its parameters take when they are varied."""
    given = {name: kind.parameters[name].vary[0] for name in kind.needed if name not in kind.files}
    population = {name: str(folder / "population.csv") for name in kind.files}
    return kind.made(**given, **population)


def test_any_two_criteria_can_be_asked_of_a_run_of_the_app(tmp_path, monkeypatch):
    from discreet.app.jobs import comparison
    from discreet.app.jobs.comparison import cost

    monkeypatch.setattr(cost, "section", lambda _: None)  # which asks for no criterion, and draws
    monkeypatch.setattr(cost, "left_of", lambda _: [])
    (tmp_path / "population.csv").write_text("age\n" + "1\n2\n" * 9)
    table = {"age": [1, 1, 1, 2, 2, 2] * 2, "ill": list("aabbab") * 2, "pay": list(range(12))}
    survey = ds.read(table, keys=["age"], confidential=["ill"])
    masked = ds.microaggregate(survey, ["pay"], k=3)
    before, after = ds.risk(survey), ds.risk(masked)
    measured = {"disclosure_risk": ds.disclosure_risk(survey, masked),
                "information_loss": ds.information_loss(survey, masked)}  # fmt: skip
    made = [_criterion(kind, tmp_path) for kind in criteria.all()]
    for both in itertools.combinations(made, 2):
        plan = SimpleNamespace(criterion=list(both))
        release = SimpleNamespace(plan=plan, masked=masked, check=ds.check(masked, list(both)),
                                  risk=after, measures={}, not_measured={}, **measured)  # fmt: skip
        ((recognised, *_), _) = comparison.sections(release, before)
        assert [block.lines[0][0] in "✓✗" for block in recognised.blocks[:2]] == [True, True]


@pytest.mark.parametrize("registry", [maskings, criteria, measures], ids=["maskings", "criteria", "measures"])  # fmt: skip
def test_the_example_of_a_number_is_accepted_where_it_is_typed(registry):
    for one in registry.all():
        for parameter in one.parameters.values():
            if parameter.kind in ("whole", "number", "table"):
                said = read_problem(parameter).said(lambda ref: ref.value)
                parameter.read(said.rpartition("for example ")[2].rstrip("."))
