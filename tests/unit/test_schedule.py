"""The order of a run: every file that is named is there, and an engine is started once."""

import pytest

from tests.conftest import ROOT
from tests.schedule import ALSO, COMPILES, LONG, rank, repeats, together


def test_every_file_that_is_named_is_there():
    named = {*LONG, *COMPILES, *ALSO} - {"browser", "spark", "postgres"}
    assert [file for file in named if not (ROOT / file).is_file()] == []
    assert len({*LONG, *COMPILES}) == len(LONG) + len(COMPILES)


@pytest.mark.parametrize(
    ("nodeid", "place"),
    [
        ("tests/engines/test_loss.py::test_a[spark-file]", "spark"),
        ("tests/engines/test_loss.py::test_a[postgres]", "postgres"),
        ("tests/engines/test_loss.py::test_a[duckdb]", "tests/engines/test_loss.py"),
        ("tests/engines/test_spark.py::test_a", "spark"),
        ("tests/engines/test_schema.py::test_a", "postgres"),
        ("tests/browser/test_home.py::test_a[1400]", "browser"),
        ("tests/unit/test_errors.py::test_a[spark]", "tests/unit/test_errors.py"),
        ("src/discreet/api.py::discreet.api.risk", "src/discreet/api.py"),
    ],
)
def test_a_test_goes_with_its_engine_or_its_file(nodeid, place):
    assert together(nodeid) == place


@pytest.mark.parametrize(
    ("nodeid", "left"),
    [
        ("tests/engines/test_loss.py::test_a[spark-file]", True),
        ("tests/engines/test_loss.py::test_a[postgres]", False),
        ("tests/engines/test_described.py::test_a[spark-sample]", False),
        ("tests/unit/test_schedule.py::test_a[tests/engines/test_loss.py::test_a[spark]]", False),
        ("tests/unit/test_font.py::test_a[noto]", True),
        ("tests/unit/test_font.py::test_a[dejavu]", True),
        ("tests/unit/test_font.py::test_a", False),
    ],
)
def test_what_is_proved_once_more_is_left_to_the_thorough_run(nodeid, left):
    assert (repeats(nodeid) is not None) is left


def test_what_takes_long_begins_first():
    long = [rank(f"{file}::test_a") for file in LONG if file.startswith("tests/")]
    assert long == sorted(long)
    assert max(long) < rank("tests/unit/test_errors.py::test_a")
