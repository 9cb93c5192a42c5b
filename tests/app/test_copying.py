"""The typed copy of a CSV table: what is measured on it is what is measured on its source."""

import numpy as np
import pytest

import discreet as ds
from discreet.app.jobs import lattice, risk, table, typed_copy
from discreet.app.jobs.task import WORKING, JobTask
from discreet.errors import ReadHint

ROWS = [
    "id,zip,age,size,born,seen,job,note",
    "1,01234,23,1.0,2001-02-03,2020-01-01 10:00:00,cook,a",
    "2,01234,?,1,2001-02-03,2020-01-01 10:00:00.5,,b",
    '3,99999,23,1e3,1999-12-31,,"",c',
    "4,99999,-9,NaN,,2020-01-01 10:00:00,smith,a",
    "5,01235,41,0.1,2001-02-04,2020-01-01 11:00:00,Smith,?",
]
COLUMNS = ROWS[0].split(",")
SOURCE = {"file": "t.csv", "missing_values": ["?", "-9"]}


@pytest.fixture
def task(tmp_path):
    """A task on a table that was opened, with roles and types."""
    (tmp_path / "t.csv").write_text("\n".join([*ROWS, ""]))
    (tmp_path / WORKING).mkdir()
    table.opened(JobTask({"source": SOURCE}, tmp_path, {}))

    def make(source=SOURCE, **document):
        return JobTask({"source": source, **document}, tmp_path, {})

    return make


def is_copy(data):
    return data.name == "t.parquet"


@pytest.mark.parametrize("column", COLUMNS[1:])
@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_the_copy_gives_the_same_figures_as_the_source(task, column, missing):
    others = [name for name in COLUMNS[1:] if name != column]
    given = task({**SOURCE, "missing": missing}, roles={"keys": [column], "confidential": others})
    copied, source = typed_copy.opened(given), given.plan.open()
    assert is_copy(copied)
    assert not is_copy(source)
    assert copied.types == source.types
    assert copied.profile == source.profile
    first, second = (ds.risk(data).to_dict() | {"computed_from": 0} for data in (copied, source))
    assert first == second
    assert copied.frequency_set([column]) == source.frequency_set([column])


def test_the_records_keep_their_order(task):
    given = task(roles={"keys": ["zip"]})
    rows = [data.class_sizes() for data in (typed_copy.opened(given), given.plan.open())]
    assert np.array_equal(*rows)
    samples = [
        ds.sample(d, n=3, seed=1).to("arrow") for d in (typed_copy.opened(given), given.plan.open())
    ]
    assert samples[0].to_pylist() == samples[1].to_pylist()


def test_a_number_that_is_declared_nominal_is_read_from_the_source(task):
    """1.0 and 1 are one number and two texts; NaN is a text."""
    number = typed_copy.opened(task(roles={"keys": ["size"]}))
    nominal = typed_copy.opened(task(roles={"keys": ["size"]}, types={"size": "nominal"}))
    assert is_copy(number)
    assert not is_copy(nominal)
    assert (number.profile["size"][0], nominal.profile["size"][0]) == (3, 5)
    assert is_copy(typed_copy.opened(task(types={"job": "nominal"})))


def test_another_way_of_reading_or_a_changed_file_takes_the_source(task, tmp_path):
    with pytest.warns(ReadHint, match="missing_values="):
        assert not is_copy(typed_copy.opened(task({"file": "t.csv"})))
    (tmp_path / "t.csv").write_text("\n".join([*ROWS, "6,1,2,3,,,,", ""]))
    changed = typed_copy.opened(task())
    assert not is_copy(changed)
    assert changed.n == 6


def test_without_a_copy_the_source_is_measured(task, tmp_path):
    (tmp_path / "t.csv").write_text("a,A\n1,2\n1,2\n")  # a Parquet file may not hold these names
    given = task({"file": "t.csv"}, roles={"keys": ["a"]})
    table.opened(JobTask({"source": {"file": "t.csv"}}, tmp_path, {}))
    assert risk.risk(given).figures["k"] == 2


def test_what_weights_say_of_the_population_stands_on_the_page(tmp_path):
    """The range over the models in words, and on what it rests; and what households, and all
    records of a person, give away."""
    rows = ["age,w,home,who", *(f"{20 + i % 9},{5 + i % 3},{i // 2},{i // 4}" for i in range(40))]
    (tmp_path / "t.csv").write_text("\n".join([*rows, ""]))
    (tmp_path / WORKING).mkdir()
    source = {"file": "t.csv"}
    table.opened(JobTask({"source": source}, tmp_path, {}))
    roles = {"keys": ["age"], "weight": "w", "household": "home", "subject": "who"}
    given = JobTask({"source": source, "roles": roles}, tmp_path, {})
    words = [line for block in risk.risk(given).blocks for line in getattr(block, "lines", ())]
    first, *_, last = ds.population_range(given.plan.open()).sentences()
    assert first.startswith("Between ")
    assert "by two models (individual risk and log-linear), could be recognised by" in first
    assert {first, last} <= set(words)
    assert any("live in 20 households" in line for line in words)
    assert any("are of 10 people" in line for line in words)
    with pytest.raises(ds.DiscreetError, match="This page counts records"):
        lattice.explored(given)
