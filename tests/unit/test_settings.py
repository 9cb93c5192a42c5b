"""Settings: memory, threads and disk of the embedded engine, for the process or for a block."""

import os
import stat
import subprocess
import sys

import pytest

import discreet as ds
from discreet.engine.embedded import embedded

COMMAND = "from discreet.cli import command; command()"


def of_engine(name):
    query = f"SELECT value FROM duckdb_settings() WHERE name = '{name}'"
    return embedded().con.sql(query).fetchall()[0][0]


@pytest.fixture(autouse=True)
def opened():
    """The engine is open, and has its own limits again in the end."""
    embedded()
    with ds.settings():
        yield
    assert ds.settings().to_dict() == dict.fromkeys(
        ["memory_limit", "threads", "temp_directory", "schema"]
    )


def test_a_block_has_its_own_limits_and_those_before_come_back():
    before = of_engine("memory_limit"), of_engine("threads")
    with ds.settings(memory_limit="2GB", threads=1) as outer:
        assert (of_engine("memory_limit"), of_engine("threads")) == ("1.8 GiB", "1")
        with ds.settings(memory_limit="512 mib"):
            assert (of_engine("memory_limit"), of_engine("threads")) == ("512.0 MiB", "1")
        assert of_engine("memory_limit") == "1.8 GiB"
        assert outer.to_dict()["memory_limit"] == "2GB"
    assert (of_engine("memory_limit"), of_engine("threads")) == before


def test_they_come_back_after_an_error():
    with pytest.raises(ZeroDivisionError), ds.settings(threads=1):
        1 / 0  # noqa: B018
    assert ds.settings().threads is None


def test_a_plain_call_holds_until_another_one():
    ds.settings(memory_limit="1GB", threads=1)
    assert ds.settings(threads="default").to_dict()["memory_limit"] == "1GB"
    assert "1GB" in ds.settings().explain()
    ds.settings(memory_limit="default")
    assert ds.settings().memory_limit is None


def test_results_do_not_depend_on_them():
    data = ds.read(ds.datasets.billing(20_000), keys=["Age", "Zip"])
    alone = ds.risk(data).to_dict()
    with ds.settings(memory_limit="100MB", threads=1):
        assert ds.risk(data).to_dict() == alone


@pytest.mark.parametrize(
    "given",
    [
        {"memory_limit": "lots"},
        {"memory_limit": 2},
        {"memory_limit": "2"},
        {"memory_limit": "1KB"},
        {"memory_limit": "2GB'; DROP TABLE x; --"},
        {"threads": 0},
        {"threads": True},
        {"threads": "two"},
        {"threads": 10**6},
        {"temp_directory": "/nowhere/at/all"},
        {"temp_directory": 3},
        {"schema": ""},
        {"schema": " x"},
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(given):
    with pytest.raises(ds.DiscreetError, match="P70"):
        ds.settings(**given)
    assert ds.settings().to_dict()[next(iter(given))] is None


def test_all_problems_come_at_once():
    with pytest.raises(ds.DiscreetError) as caught:
        ds.settings(memory_limit="lots", threads=0, temp_directory="/nowhere")
    assert [p.code for p in caught.value.problems] == ["P70"] * 3


# -- where things are laid down, in processes of their own ---------------------------------------

SPILLING = """
import os, sys
from pathlib import Path
import discreet as ds
from discreet.engine.embedded import embedded
ds.settings(memory_limit="64MB", threads=1, temp_directory=sys.argv[1])
con = embedded().con
con.execute("CREATE TEMP TABLE t AS SELECT i, md5(i::VARCHAR) AS m FROM range(1_500_000) AS r(i)")
(room,) = Path(sys.argv[1]).iterdir()
files = list((room / "spill").iterdir())
print(oct(room.stat().st_mode & 0o777), bool(files))
{then}
"""


def spilled(tmp_path, then=""):
    place = tmp_path / "it's a disk"
    place.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", SPILLING.format(then=then), place],
        capture_output=True,
        text=True,
        check=False,
    )
    return done, place


def test_what_does_not_fit_lies_in_a_private_folder_that_goes_with_the_process(tmp_path):
    done, place = spilled(tmp_path)
    assert done.stdout == "0o700 True\n", done.stderr
    assert list(place.iterdir()) == []


def test_what_a_killed_process_leaves_is_private_and_removed_by_the_next(tmp_path):
    done, place = spilled(tmp_path, "os.kill(os.getpid(), 9)")
    assert done.returncode == -9
    (room,) = place.iterdir()
    assert stat.S_IMODE(room.stat().st_mode) == 0o700
    spilled(tmp_path)
    assert list(place.iterdir()) == []


def test_the_folder_cannot_be_changed_once_it_was_used(tmp_path):
    then = """
with ds.settings(threads=2):
    pass
try:
    ds.settings(temp_directory="default")
except ds.DiscreetError as error:
    print(error.code, ds.settings().temp_directory == sys.argv[1])
"""
    done, _ = spilled(tmp_path, then)
    assert done.stdout.splitlines()[1:] == ["N70 True"], done.stderr


def test_nothing_is_laid_down_in_the_working_folder(tmp_path):
    code = SPILLING.partition("(room,)")[0].replace(", temp_directory=sys.argv[1]", "")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert list(tmp_path.iterdir()) == []


def test_the_environment_says_what_holds_at_the_start(tmp_path):
    code = "import discreet as ds; print(*ds.settings().to_dict().values())"
    given = {"MEMORY_LIMIT": "1GB", "THREADS": "1", "TEMP_DIRECTORY": tmp_path, "SCHEMA": "scratch"}
    env = {**os.environ, **{f"DISCREET_{name}": str(value) for name, value in given.items()}}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"1GB 1 {tmp_path} scratch\n"
    broken = subprocess.run(
        [sys.executable, "-c", code],
        env={**env, "DISCREET_THREADS": "two"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "P70" in broken.stderr
    assert "DISCREET_THREADS" in broken.stderr


def test_the_command_line_takes_them_before_the_verb(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n1,2\n")
    command = [sys.executable, "-c", COMMAND, "--memory-limit", "1GB", "--threads", "1"]
    command += ["--temp-directory", tmp_path]
    verb = ["check", tmp_path / "t.csv", "--keys", "a", "--k", "2"]
    assert subprocess.run([*command, *verb], check=False, capture_output=True).returncode == 0
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    wrong = subprocess.run(
        [*command[:3], "--threads", "0", *verb], check=False, capture_output=True, text=True
    )
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("InvalidParameter[P07]: --threads ")


def test_a_child_process_does_not_remove_the_folder_of_its_parent(tmp_path):
    then = """
if (child := os.fork()) == 0:
    from discreet.files.rooms import vacate
    vacate()
    os._exit(0)
os.waitpid(child, 0)
print(room.exists())
"""
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    done, _ = spilled(tmp_path, then)
    assert done.stdout.splitlines()[1:] == ["True"], done.stderr
