"""The schema of plans: what editors say of a plan agrees with what reading it says.

Every plan that a test or a page of the docs makes or reads is held against the schema too, by a
fixture of ``tests/conftest.py``. Here are those that stand as text.
"""

import ast
import contextlib
import tomllib

import pytest
from jsonschema import Draft202012Validator

import discreet as ds
from discreet.plan import plan
from tests.conftest import ROOT, schema_errors
from tests.unit.test_docs import PAGES, blocks_of

SECTIONS = ("[source]", "[[steps]]")


def texts():
    """Every text in the docs and the tests that has sections of a plan, with its place."""
    for page in PAGES:
        for block in blocks_of(page.read_text(encoding="utf-8")):
            yield from _of_block(page, block)
    for file in sorted((ROOT / "tests").rglob("*.py")):
        yield from _in_python(file, file.read_text(encoding="utf-8"))


def _of_block(page, block):
    if block.language == "python" and block.runs:
        yield from _in_python(page, block.body)
    elif has_sections(block.body):
        yield page.name, block.body


def _in_python(file, source):
    for node in ast.walk(ast.parse(source)) if has_sections(source) else ():
        if isinstance(node, ast.Constant) and has_sections(str(node.value)):
            yield f"{file.name}:{node.lineno}", str(node.value)


def has_sections(text):
    return any(one in text for one in SECTIONS)


@pytest.fixture(scope="module")
def documents():
    """The plans among the texts, by place; some are cut short, or wrong on purpose."""
    found = []
    for place, text in texts():
        with contextlib.suppress(tomllib.TOMLDecodeError, ds.DiscreetError):
            document = tomllib.loads(text)
            ds.Plan.of(document)
            found.append((place, document))
    return found


def test_the_schema_is_one():
    Draft202012Validator.check_schema(ds.Plan.schema())


def test_every_plan_of_the_docs_and_the_tests_fits_the_schema(documents):
    found = {place: schema_errors(document) for place, document in documents}
    assert {place: errors for place, errors in found.items() if errors} == {}


def test_plans_were_found_in_the_docs_and_in_the_tests(documents):
    assert {place.partition(":")[0] for place, _ in documents} >= {"plan.md", "test_plan.py"}


@pytest.mark.parametrize(
    ("section", "wrong"),
    [
        ("source", {"fil": "survey.csv"}),
        ("roles", {"keys": 5}),
        ("criterion", {"k": 0}),
        ("steps", [{"do": "sampel"}]),
        ("outputs", {"masked": 1}),
    ],
)
def test_what_reading_refuses_the_schema_refuses(section, wrong):
    with pytest.raises(ds.DiscreetError):
        ds.Plan.of({section: wrong})
    assert schema_errors({section: wrong}) != []


def test_every_plan_that_a_test_makes_is_held_against_the_schema():
    assert plan._checked.__module__ == "tests.conftest"


def test_a_plan_names_its_schema_in_the_line_that_editors_look_for(tmp_path):
    made = ds.Plan.of({"steps": [{"do": "sample", "n": 3}]}, tmp_path)
    made.write(tmp_path / "release.toml")
    first, *_ = (tmp_path / "release.toml").read_text(encoding="utf-8").splitlines()
    assert first == "#:schema ./release.schema.json"
    assert ds.Plan.read(tmp_path / "release.toml").to_toml() == made.to_toml()
