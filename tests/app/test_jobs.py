"""Jobs: a process that is watched, can be ended for good, and whose failures quote no value."""

import os
import signal
import subprocess
import sys
import time

import pytest

import discreet as ds
from discreet.app.jobs.job import Job, Jobs
from tests.app.waiting import PATIENCE, ended, until

SECRET = "Tr0ub4dor"


@pytest.fixture(scope="module", autouse=True)
def processes_of_jobs():
    """As the app starts them."""


@pytest.fixture
def jobs():
    made = Jobs()
    yield made
    made.close()


@pytest.fixture
def begin(jobs, tmp_path):
    """Start a job on a table; it and what it finds."""

    def start(work="risk", rows="age,sex\n23,F\n37,M\n38,M\n", settings=None, **roles):
        (tmp_path / "t.csv").write_text(rows)
        document = {"source": {"file": "t.csv"}, "roles": roles or {"keys": ["age"]}}
        task = {"work": work, "document": document, "folder": str(tmp_path)}
        job, found = Job(work, work), []
        jobs.start(job, {**task, "settings": settings or {}}, tmp_path, found.append)
        return job, found

    return start


@pytest.fixture
def endless(monkeypatch):
    """Workers that say they have begun, and never end by themselves."""

    def use(lines):
        real, code = subprocess.Popen, f"import signal, sys, time\n{lines}\n"
        loop = 'print(\'{"stage": "on", "done": 1, "total": 4}\', flush=True)\ntime.sleep(600)'
        fake = [sys.executable, "-c", code + loop]
        monkeypatch.setattr(subprocess, "Popen", lambda _words, **how: real(fake, **how))

    return use


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_job_finds_what_the_library_finds(begin, tmp_path):
    job, found = begin()
    ended(job)
    assert job.state == "done", job.problems
    table = {"age": [23, 37, 38], "sex": ["F", "M", "M"]}
    figures = ds.risk(ds.read(table, keys=["age"])).to_dict()
    shown = found[0].value.figures
    assert {**shown, "computed_from": 0} == {**figures, "computed_from": 0}
    assert not is_alive(job.pid)
    assert not (tmp_path / ".working" / "result.pickle").exists()


def test_an_error_of_the_library_keeps_its_code_and_sentence(begin):
    job, found = begin(keys=["agee"])
    ended(job)
    assert (job.state, found) == ("failed", [])
    assert [p.code for p in job.problems] == ["R01"]
    assert "'age'" in job.problems[0].remedy


def test_an_unknown_error_is_named_by_its_type_alone(begin):
    job, _ = begin("record_risk", settings={"record_risk": {SECRET: 1}})
    ended(job)
    assert job.state == "failed"
    assert [p.code for p in job.problems] == ["E02"]
    assert "TypeError" in job.problems[0].what
    assert SECRET not in str(job.problems)


@pytest.mark.parametrize(
    "lines", ["", "signal.signal(signal.SIGTERM, signal.SIG_IGN)"], ids=["obeys", "ignores SIGTERM"]
)
def test_cancel_returns_when_the_process_is_gone(begin, jobs, endless, lines):
    endless(lines)
    job, found = begin()
    until(lambda: job.progress.stage == "on")
    assert (job.progress.percent, is_alive(job.pid)) == (25, True)
    jobs.cancel(job)
    assert not is_alive(job.pid)
    assert (job.state, found, job.problems) == ("cancelled", [], ())


def test_a_worker_that_is_killed_shows_as_failed(begin, endless):
    endless("")
    job, found = begin()
    until(lambda: job.progress.stage == "on")
    os.kill(job.pid, signal.SIGKILL)
    ended(job)
    assert (job.state, found) == ("failed", [])
    assert [p.code for p in job.problems] == ["E60"]


def test_two_jobs_run_and_the_third_waits(begin, jobs, endless):
    endless("")
    first, second, third = (begin()[0] for _ in range(3))
    until(lambda: first.progress.stage == second.progress.stage == "on")
    assert third.state == "waiting"
    jobs.cancel(first)
    until(lambda: third.state == "running")
    assert second.state == "running"


def test_a_job_that_waits_can_be_cancelled(begin, jobs, endless):
    endless("")
    *running, third = (begin()[0] for _ in range(3))
    until(lambda: all(job.state == "running" for job in running))
    jobs.cancel(third)
    assert (third.state, third.pid) == ("cancelled", None)


def test_closing_ends_all_jobs_and_starts_no_more(begin, jobs, endless):
    endless("")
    running = [begin()[0] for _ in range(3)]
    until(lambda: sum(job.state == "running" for job in running) == 2)
    jobs.close()
    assert {job.state for job in running} == {"cancelled"}
    assert not any(is_alive(job.pid) for job in running if job.pid)
    with pytest.raises(ds.DiscreetError, match="N62"):
        begin()


def test_a_worker_ends_when_the_app_is_gone(tmp_path):
    """The other end of its standard input closes when the app is killed."""
    task = b'{"work": "risk", "document": {}, "folder": ".", "settings": {}, "result": "r"}\n'
    worker = subprocess.Popen(
        [sys.executable, "-c", "import discreet.app.jobs.worker as w, time\n"
         "w._attempt = lambda *_: time.sleep(600)\nw.main()"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=tmp_path,
    )  # fmt: skip
    with worker:
        worker.stdin.write(task)
        worker.stdin.flush()
        time.sleep(0.5)
        assert worker.poll() is None
        worker.stdin.close()
        assert worker.wait(PATIENCE) == 1


def test_a_file_in_the_folder_of_the_table_is_not_imported(begin, tmp_path):
    (tmp_path / ".working").mkdir()
    (tmp_path / ".working" / "json.py").write_text("raise SystemExit(3)")
    job, _ = begin()
    ended(job)
    assert job.state == "done"
