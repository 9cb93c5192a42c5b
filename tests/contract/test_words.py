"""Words: what names a function or an argument does so by reference, and each surface has its own."""

import ast

import pytest

import discreet as ds
import discreet.cli.commands
from discreet.app.forms.labels import on_pages
from discreet.cli import in_terminal
from discreet.plan.words import in_plan
from discreet.registry import criteria, maskings, measures
from discreet.surface import argument, function, said
from tests.conftest import ROOT
from tests.python_words import PYTHON, in_python_words

SOURCES = ROOT / "src/discreet"
REFERENCES = {"argument", "function", "in_python"}
WRITES_PYTHON = {  # or SQL, or for those who write Python
    "engine/csv.py",
    "engine/embedded.py",
    "hierarchies/written.py",
    "plan/criteria.py",
    "plan/script.py",
    "reports/repetition.py",
    "risks/weights.py",
    "surface.py",
    "synonyms.py",
}
TRANSLATES = {"app/forms/labels.py", "cli/__init__.py"}  # they say what such words are there


def trees():
    for file in sorted(SOURCES.rglob("*.py")):
        inner = file.relative_to(SOURCES).as_posix()
        if inner not in WRITES_PYTHON | TRANSLATES:
            yield inner, ast.parse(file.read_text(encoding="utf-8"))


def texts(tree):
    """The texts of a module that are no docstring and no part of a reference."""
    apart = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            apart.add(id(node.value))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFERENCES:
            apart |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            yield node


def test_no_text_names_a_function_other_than_by_reference():
    found = [
        f"{inner}:{node.lineno}: {node.value}"
        for inner, tree in trees()
        for node in texts(tree)
        if PYTHON.search(node.value)
    ]
    assert found == []


def test_every_function_that_a_text_names_is_public():
    named = {
        call.args[0].value
        for _, tree in trees()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "function"
        and isinstance(call.args[0], ast.Constant)
    }  # fmt: skip
    assert {"advise", "generalize"} <= named
    assert [name for name in named if not hasattr(ds, name.partition(".")[0])] == []


@pytest.mark.parametrize("surface", [in_terminal, on_pages], ids=["terminal", "app"])
@pytest.mark.parametrize("name", sorted([*maskings, *criteria, *measures]))
def test_a_method_has_a_name_on_every_surface(name, surface):
    assert in_python_words(said(function(name, "…"), surface)) == []


def test_an_argument_has_the_label_of_the_method_that_names_it():
    data = ds.read({"age": ["a", "a", "b"], "n": [1, 2, 3]}, keys=["age"])
    step = maskings["sample"], {"fraction": 2.0}, "“Share of the records”"
    measure = measures["suda"], {"fraction": 2.0}, "“Sampling fraction”"
    for method, given, label in (step, measure):
        with pytest.raises(ds.DiscreetError) as error:
            method.run(data, given) if method in maskings.all() else method.taken(None, data, given)
        assert label in error.value.said(on_pages)
        assert "fraction" in str(error.value)


def test_a_plan_has_words_for_every_argument_of_a_step_or_a_measure():
    for method in (*maskings.all(), *measures.all()):
        for name in method.parameters:
            assert said(argument(name), in_plan).startswith(name)
    assert said(argument("types", "'zip'=nominal"), in_plan) == "'zip' = \"nominal\" in [types]"
    assert said(argument("separator", ","), in_plan) == 'separator = "," in [source]'
    assert said(argument("no_such"), in_plan) == "no_such="
