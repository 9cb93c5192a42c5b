"""The parity table of the docs is that of the suite: every verb, every engine, every gap."""

import importlib
from pathlib import Path

import pytest

from discreet.registry import maskings, measures
from tests.engines import parity
from tests.engines.conftest import GAPS

MODULES = [
    importlib.import_module(f"tests.engines.{file.stem}")
    for file in sorted(Path(__file__).parent.glob("test_*.py"))
    if file != Path(__file__)
]


def marked():
    """What each test says of each engine: strict marks, so that this is what a run shows."""
    outcomes = {}
    for module in MODULES:
        for name, test in vars(module).items():
            for marks in cases(test) if name.startswith("test_") else ():
                for verb in (m.args[0] for m in marks if m.name == "verb"):
                    for engine in parity.ENGINES:
                        gaps = [m for m in marks if m.name in GAPS and engine in m.args]
                        said = [f"{m.name}: {m.kwargs['reason']}" for m in gaps] or ["yes"]
                        outcomes.setdefault((verb, engine), []).extend(said)
    return outcomes


def cases(test):
    """The marks of a test, and those of each case that has some of its own."""
    marks = getattr(test, "pytestmark", [])
    own = [
        list(case.marks)
        for mark in marks
        if mark.name == "parametrize"
        for case in mark.args[1]
        if getattr(case, "marks", ())
    ]
    return [[*marks, *more] for more in own] or [marks]


def test_the_table_in_the_docs_is_current():
    assert parity.shown() == parity.table(marked()), "DISCREET_WRITE_DOCS=1 pytest tests/engines"


def test_every_verb_stands_in_the_table():
    rows = parity.table(marked())
    for verb in (*maskings, *measures, "check", "key_candidates", "ru_map", "report", "write"):
        assert f"\n| {verb} |" in rows


def test_a_row_says_yes_only_where_every_test_passed():
    outcomes = {("risk", "duckdb"): ["yes", "yes"], ("risk", "spark"): ["yes", "never: why"]}
    assert "| risk | yes | – | never: why | – |" in parity.table(outcomes)


@pytest.mark.parametrize("outcome", ["failed", "skipped"])
def test_a_run_with_a_failure_or_a_skip_does_not_write_the_table(outcome):
    every = {("risk", engine): ["yes"] for engine in parity.ENGINES}
    assert parity.whole(every)
    assert not parity.whole({**every, ("check", "spark"): [outcome]})
    assert not parity.whole({("risk", "duckdb"): ["yes"]})
