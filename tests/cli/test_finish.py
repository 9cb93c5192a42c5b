"""The commands as a whole: help, completion, width of the terminal, pipes, exit codes."""

import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import pyarrow.csv
import pytest

import discreet as ds
from discreet.cli import main
from discreet.cli.commands import app
from tests.cli.test_commands import discreet

PROMISED = {
    "demo", "init", "risk", "check", "sample", "protect", "microaggregate", "compare",
    "record-risk", "ru-map", "lattice", "run", "verify", "report",
}  # fmt: skip
COMMANDS = sorted(c.name or c.callback.__name__.replace("_", "-") for c in app.registered_commands)
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def in_a_terminal(*arguments, columns=80, cwd=None):
    """What a command prints in a terminal of some width."""
    leader, follower = pty.openpty()
    ioctl(follower, TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    command = [sys.executable, "-c", "from discreet.cli import command; command()", *arguments]
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    with subprocess.Popen(
        command, stdout=follower, stderr=follower, stdin=follower, cwd=cwd, env=environment
    ) as running:
        os.close(follower)
        parts = []
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
        running.wait()
    os.close(leader)
    return ESCAPE.sub("", b"".join(parts).decode()), running.returncode


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("finish")
    pyarrow.csv.write_csv(ds.datasets.patients(400, 3), path / "patients.csv")
    return path


def test_every_promised_command_is_there():
    assert set(COMMANDS) >= PROMISED


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_shows_an_example_and_fits_80_columns(name):
    text, code = in_a_terminal(name, "--help")
    assert code == 0
    assert f"Example: discreet {name}" in re.sub(r"\s+", " ", text)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80


def test_the_overview_fits_80_columns_and_names_the_exit_codes():
    text, _ = in_a_terminal("--help")
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "Exit codes" in text


def test_the_shell_can_complete_commands():
    command = Path(sys.executable).with_name("discreet")
    asked = {"_DISCREET_COMPLETE": "complete_bash", "COMP_WORDS": "discreet ri", "COMP_CWORD": "1"}
    done = subprocess.run(
        [command], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["risk", "risky-combinations"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("risk", "patients.csv", "--keys", "age,sex"),
        ("check", "patients.csv", "--keys", "sex", "--k", "5"),
        ("candidates", "patients.csv", "--identifiers", "name,ssn"),
    ],
)
def test_what_is_printed_into_a_pipe_is_what_a_terminal_shows(folder, arguments):
    shown, code = in_a_terminal(*arguments, cwd=folder)
    piped = discreet(*arguments, cwd=folder)
    assert piped.returncode == code
    assert "\x1b" not in piped.stdout
    assert shown.replace("\r\n", "\n") == piped.stdout


def test_json_is_json_whatever_the_width(folder):
    shown, _ = in_a_terminal(
        "risk", "patients.csv", "--keys", "age", "--json", columns=40, cwd=folder
    )
    assert json.loads(shown)["n"] == 400


@pytest.mark.parametrize("name", [c for c in COMMANDS if c not in ("demo", "app")])
def test_a_mistake_is_told_without_a_traceback(name, folder):
    done = discreet(name, "nowhere.csv", "--no-such-option", cwd=folder)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_demo_writes_a_release_and_says_where(tmp_path):
    done = discreet("demo", "--n", "400", "-o", "demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo/release.html").as_uri() in done.stdout
    masked = ds.read(tmp_path / "demo/masked.csv", keys=["age", "zip", "sex"])
    assert ds.check(masked, ds.KAnonymity(5)).satisfied
    again = discreet("demo", "--n", "400", "-o", "demo", cwd=tmp_path)
    assert again.returncode == 2
    assert "O03" in again.stderr
    assert "--force" in again.stderr


def test_the_handlers_of_signals_are_given_back(monkeypatch, capsys):
    """A command that is called within a program leaves its Ctrl-C as it was."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    monkeypatch.setattr(sys, "argv", ["discreet", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


CLOSED = [
    (("check", "patients.csv", "--keys", "sex", "--k", "5"), 0),
    (("check", "patients.csv", "--keys", "age,zip", "--k", "5"), 1),
    (("check", "patients.csv", "--keys", "age,zip", "--k", "5", "--json"), 1),
    (("check", "patients.csv", "--keys", "agee", "--k", "5"), 2),
    (("check", "patients.csv", "--keys", "agee", "--k", "5", "--json"), 2),
    (("candidates", "patients.csv", "--identifiers", "name,ssn"), 0),
    (("risk", "--help"), 0),
    (("--version",), 0),
]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(("arguments", "code"), CLOSED)
def test_a_reader_that_closes_the_pipe_changes_no_exit_code(folder, arguments, code, unbuffered):
    reads, writes = os.pipe()
    os.close(reads)
    command = [sys.executable, "-m", "discreet", *arguments]
    done = subprocess.run(
        command, stdout=writes, stderr=subprocess.PIPE, text=True, check=False, cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )  # fmt: skip
    os.close(writes)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "roken" not in done.stderr


def test_a_command_goes_on_where_nobody_reads_what_it_prints(folder, tmp_path):
    """Neither output nor errors have a reader, or they are closed from the start."""
    made = f"sample patients.csv --identifiers name,ssn --fraction 0.5 --seed 1 -o {tmp_path}"
    call = f'"{sys.executable}" -c "from discreet.cli import command; command()" {made}'
    for how, name in (("2>&1 | true", "piped.csv"), (">&- 2>&-", "closed.csv")):
        script = f"set -o pipefail; {call}/{name} {how}"
        done = subprocess.run(["bash", "-c", script], cwd=folder, check=False)
        assert done.returncode == 0
        assert (tmp_path / name).exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("unbuffered", "more"), [("", ["--k", "999"]), ("1", []), ("1", ["--json"])]
)
def test_an_output_that_is_full_is_told_and_not_passed_for_a_criterion(folder, unbuffered, more):
    command = [sys.executable, "-c", "from discreet.cli import command; command()",
               "check", "patients.csv", "--keys", "sex", *more]  # fmt: skip
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("[O08]") == 1
    assert "Traceback" not in done.stderr
