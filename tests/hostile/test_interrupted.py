"""Stopped halfway, or out of disk or memory: an error with a code, no half-written output, and no
temporary file is left, neither beside the output nor where the engine lays down what does not fit.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds
from discreet.engine.embedded import embedded

COMMAND = "from discreet.cli import command; command()"
ENDLESS = "SELECT i % 7 AS a, i % 11 AS b FROM range(1_000_000_000_000) AS t(i)"


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Enough records for writing them to take a while: shuffled by a hash."""
    path = tmp_path_factory.mktemp("input") / "records.parquet"
    i = np.arange(3_000_000)
    pq.write_table(pa.table({"a": i % 97, "b": i // 1000, "c": i * 7919 % 1_000_003}), path)
    return path


@pytest.fixture
def run(tmp_path):
    """Starts the command with folders of its own for output and temporary files."""
    for name in ("out", "tmp"):
        (tmp_path / name).mkdir()

    def start(*arguments, **options):
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, *map(str, arguments)],
            env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    return start


def sampled(records, out):
    """The arguments that have all records written."""
    return ("sample", records, "--fraction", "0.9", "--seed", "1", "--output", out)


def asked(query, *names):
    """A table of the embedded engine that a query computes."""
    return embedded().sql(query, schema=dict.fromkeys(names, "int64"))


def left(tmp_path):
    """What is left in the folders of output and temporary files."""
    found = [p for name in ("out", "tmp") for p in sorted((tmp_path / name).rglob("*"))]
    return [str(p.relative_to(tmp_path)) for p in found]


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.005)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_command_leaves_nothing_behind(run, records, tmp_path, number, code):
    with run(*sampled(records, tmp_path / "out" / "m.parquet")) as process:
        until(lambda: list((tmp_path / "out").iterdir()))  # it has begun to write
        process.send_signal(number)
        began = time.monotonic()
        _, said = process.communicate(timeout=60)
    assert time.monotonic() - began < 20
    assert process.returncode == code
    assert said == "Stopped; nothing was written.\n"
    assert left(tmp_path) == []


def test_what_a_killed_command_leaves_is_removed_by_the_next_one(run, records, tmp_path):
    with run(*sampled(records, tmp_path / "out" / "m.parquet")) as process:
        until(lambda: list((tmp_path / "out").iterdir()))
        process.kill()
    rooms = [*(tmp_path / "out").iterdir(), *(tmp_path / "tmp").iterdir()]
    assert len(rooms) == 2
    for room in rooms:
        assert room.name.startswith(".discreet-")
        assert room.stat().st_mode & 0o077 == 0  # nobody else may look meanwhile
    few = tmp_path / "few.parquet"
    pq.write_table(pa.table({"a": [1, 1, 2, 2], "b": [1, 1, 1, 1], "c": [1, 1, 1, 1]}), few)
    with run(*sampled(few, tmp_path / "out" / "m.parquet")) as process:
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert left(tmp_path) == ["out/m.parquet"]


def no_larger_than(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("name", ["m.parquet", "m.csv"])
def test_a_full_disk_is_an_error_and_the_old_output_stays(run, records, tmp_path, name):
    out = tmp_path / "out" / name
    out.write_text("old")
    command = (*sampled(records, out), "--force")
    with run(*command, preexec_fn=no_larger_than(1_000_000)) as process:
        _, said = process.communicate(timeout=120)
    assert process.returncode == 2
    assert said.startswith("OutputError[O08]")
    assert out.read_text(encoding="utf-8") == "old"
    assert left(tmp_path) == [f"out/{name}"]


def test_a_full_disk_for_temporary_files_is_an_error_of_its_own(run, records, tmp_path):
    limits = ("--memory-limit", "64MB", "--threads", "1")
    command = (*limits, *sampled(records, tmp_path / "out" / "m.parquet"))
    with run(*command, preexec_fn=no_larger_than(500_000)) as process:
        _, said = process.communicate(timeout=120)
    assert process.returncode == 2
    assert said.startswith("EngineFailure[E04]")
    assert "--temp-directory" in said
    assert left(tmp_path) == []


def test_too_little_memory_is_an_error_that_says_what_to_raise():
    query = "SELECT unnest(list(i)) AS a FROM range(60_000_000) AS t(i)"
    data = ds.read(asked(query, "a"), keys=["a"])
    with (
        ds.settings(memory_limit="64MB"),
        pytest.raises(ds.DiscreetError, match=r"E03.*memory_limit="),
    ):
        ds.risk(data)


# -- within a process that goes on ---------------------------------------------------------------


@pytest.fixture
def count_for_ever():
    """A call and not the table: what a failed test shows of a table has it counted."""
    data = ds.read(asked(ENDLESS, "a", "b"), keys=["a", "b"])
    return lambda: ds.risk(data)


@pytest.fixture
def usable():
    """Whatever was stopped, the engine serves the next call."""
    yield
    assert ds.risk(ds.read({"a": [1, 1, 2]}, keys=["a"])).uniques == 1


@pytest.mark.usefixtures("usable")
def test_ctrl_c_stops_a_query_of_the_engine(count_for_ever):
    main = threading.main_thread().ident
    timer = threading.Timer(0.4, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        count_for_ever()
    assert time.monotonic() - began < 10


@pytest.mark.usefixtures("usable")
def test_a_callback_hears_of_a_long_query_and_can_stop_it(count_for_ever):
    heard = []

    class Enough(Exception):
        pass

    def listen(progress):
        heard.append(progress)
        if len(heard) == 3:
            raise Enough

    with pytest.raises(Enough), ds.on_progress(listen):
        count_for_ever()
    assert {(p.stage, p.total) for p in heard} == {("counting records", 100)}
    assert [p.done for p in heard] == sorted(p.done for p in heard)


def test_a_short_query_says_nothing():
    heard = []
    with ds.on_progress(heard.append):
        ds.risk(ds.read({"a": [1, 1, 2]}, keys=["a"]))
    assert heard == []


@pytest.mark.usefixtures("usable")
def test_an_error_in_the_thread_that_works_is_raised_in_the_one_that_waits():
    query = "SELECT error('xyzzy')::BIGINT AS a FROM range(3)"
    with pytest.raises(ds.DiscreetError, match="E01") as caught:
        ds.risk(ds.read(asked(query, "a"), keys=["a"]))
    assert "xyzzy" not in str(caught.value)
    assert caught.value.__context__ is None
