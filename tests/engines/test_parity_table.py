"""The parity table of the docs is that of the suite: every verb, every engine, every gap."""

from tests.engines import (
    parity,
    test_counting,
    test_loss,
    test_masking,
    test_microaggregation,
)
from tests.engines.conftest import GAPS

MODULES = (test_counting, test_masking, test_loss, test_microaggregation)


def marked():
    """What each test says of each engine: strict marks, so that this is what a run shows."""
    outcomes = {}
    for module in MODULES:
        for name, test in vars(module).items():
            marks = getattr(test, "pytestmark", []) if name.startswith("test_") else []
            for verb in (m.args[0] for m in marks if m.name == "verb"):
                for engine in parity.ENGINES:
                    gaps = [m for m in marks if m.name in GAPS and engine in m.args]
                    said = [f"{m.name}: {m.kwargs['reason']}" for m in gaps] or ["yes"]
                    outcomes.setdefault((verb, engine), []).extend(said)
    return outcomes


def test_the_table_in_the_docs_is_current():
    assert parity.shown() == parity.table(marked()), "DISCREET_WRITE_DOCS=1 pytest tests/engines"


def test_every_verb_stands_in_the_table():
    rows = parity.table(marked())
    for verb in ("risk", "check", "sample", "disclosure_risk", "generalize", "information_loss",
                 "microaggregate", "write"):  # fmt: skip
        assert f"\n| {verb} |" in rows
