"""Each guard matters: with it taken out, an attack that the app holds against succeeds.

The guards are the keys of the tables below, and a few that need more than one line:

- ``guard.GUARDS``: the list of Host names, no handshake, token, cookie, Sec-Fetch-Site, Origin;
- ``guard.HEADERS``: here only that a header is missed. What the attacker gains without the parts of
  the policy, COOP, CORP, HttpOnly and SameSite is shown in Chromium, in
  ``tests/browser/test_guards_by_mutation.py``; without nosniff, Referrer-Policy and no-store nothing
  was found that succeeds in a browser of today, so these are held by their headers alone;
- the limits of bodies, declared and counted;
- ``RULES``: one file per upload, the id of a table, the number of tables, one job per table and two
  in all, tame names, choices and column numbers, the address of the socket, modes of folders and of
  the file with the token, nothing in a log, rare labels, withheld messages of pages, erasing;
- the two archives of a release, in ``archives.py``: what is in them, and what is not;
- escaping; withheld messages of jobs; files that only their owner may read; what the end of the app
  leaves: no job and no file. Sliders are held by ``test_explore.py``.
"""

import functools
import inspect
import io
import json
import logging
import os
import queue
import socket
import stat
import tempfile
import threading
import zipfile
from contextlib import contextmanager, nullcontext

import pytest
import uvicorn

from discreet.app.jobs import job as jobs
from discreet.app.jobs import plan_run, worker
from discreet.app.server import application, guard, pages, uploads, workspaces
from discreet.app.server import service as servers
from discreet.files import pack
from tests.app import archives, attacks, inside
from tests.app.conftest import running
from tests.app.test_jobs import endless, is_alive  # noqa: F401 - a fixture
from tests.app.visitor import Visitor
from tests.app.waiting import PATIENCE, until


@pytest.fixture(scope="module", autouse=True)
def processes_of_jobs():
    """As the app starts them."""


def without(mapping, name):
    return {key: value for key, value in mapping.items() if key != name}


def gives_way(attack, *arguments):
    with pytest.raises(AssertionError):
        attack(*arguments)


def test_every_guard_has_an_attack():
    assert set(attacks.ATTACKS) == set(guard.GUARDS)
    assert set(attacks.HEADERS) == set(guard.HEADERS)


@pytest.mark.parametrize("name", guard.GUARDS)
def test_without_the_guard_its_attacks_succeed(tmp_path, name):
    with running(tmp_path / "work", guards=without(guard.GUARDS, name)) as server:
        for attack in attacks.ATTACKS[name]:
            gives_way(attack, server)


@pytest.mark.parametrize("name", guard.HEADERS)
def test_without_the_header_it_is_missed(tmp_path, name):
    with running(tmp_path / "work", headers=without(guard.HEADERS, name)) as server:
        gives_way(attacks.HEADERS[name], server)


def test_without_limits_large_bodies_come_in(tmp_path):
    with running(tmp_path / "work", most_bytes=None, most_upload=3 << 20) as server:
        for attack in attacks.SIZES:
            gives_way(attack, server)


# -- rules inside the app ------------------------------------------------------------------------


def open_to_all(make):
    """A function that makes a file or folder, without the mode that it is given."""

    def made(place, *given, mode=None, **more):
        return make(place, *given, **more)

    return made


def for_all(place, flags, mode=0o777, *, make=os.open, **more):
    return make(place, flags, mode | 0o044, **more)


def everywhere():
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.bind(("0.0.0.0", 0))
    made.listen(128)
    return made


def any_column(request, _):
    return int(request.path_params["column"])


def any_choice(form, name, _):
    return form.get(name)


def talkative(app, make=uvicorn.Config, **given):
    logging.getLogger("uvicorn.access").propagate = True  # servers of other tests turned it off
    return make(app, **{**given, "access_log": True})


ROUTES = "discreet.app.screens"
# what is put in place of each rule: where it is, and the mutant
RULES = {
    inside.two_files: {f"{ROUTES}.home.form_of": lambda request, *, files=0: request.form()},
    inside.guessed_workspace: {
        (workspaces.Workspaces, "get"): lambda self, _: next(iter(self._all.values()), None)
    },
    inside.too_many_tables: {(workspaces.Workspaces, "_make_room"): lambda _: None},
    inside.two_jobs: {(workspaces.Workspace, "_is_at_work"): property(lambda _: False)},
    inside.path_as_name: {(uploads, "tame"): lambda name, _: name},
    inside.left_behind: {(workspaces.shutil, "rmtree"): lambda *_, **__: None},
    inside.choice_not_offered: {
        f"{ROUTES}.{screen}.chosen": any_choice for screen in ("roles", "release")
    },
    inside.column_not_there: {
        f"{ROUTES}.{screen}.column_of": any_column for screen in ("roles", "hierarchy")
    },
    inside.three_jobs: {"discreet.app.server.workspaces.Jobs": functools.partial(jobs.Jobs, 3)},
    inside.other_address: {(servers, "_own_socket"): everywhere},
    inside.folder_for_all: {"pathlib.Path.mkdir": open_to_all(workspaces.Path.mkdir)},
    inside.token_for_all: {"discreet.app.server.service.os.open": for_all},
    inside.token_in_the_log: {"uvicorn.Config": talkative},
    inside.rare_label: {(workspaces, "LEAST"): 1},
    inside.quoted_error: {
        (application, "unknown_failure"): lambda error: jobs.Problem("E02", str(error), "")
    },
}


def mutate(monkeypatch, places):
    for place, mutant in places.items():
        where = (place, mutant) if isinstance(place, str) else (*place, mutant)
        monkeypatch.setattr(*where)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_without_the_rule_it_is_broken(tmp_path, monkeypatch, request, rule):
    needed = [name for name in inspect.signature(rule).parameters if name != "server"]
    more = [request.getfixturevalue(name) for name in needed]
    with running(tmp_path / "work") as server:
        rule(server, *more)
    with monkeypatch.context() as mutated:
        mutate(mutated, RULES[rule])
        with running(tmp_path / "other") as server:
            gives_way(rule, server, *more)


# -- the archives of a release --------------------------------------------------------------------


def also(*roles):
    """As if more might leave the house."""
    return {(plan_run, "GIVEN"): (*plan_run.GIVEN, *roles)}


def packing(change):
    """The archives with other files than were chosen, or otherwise written."""
    return {(plan_run, "pack"): lambda target, files: change(target, list(files))}


def with_the_source(target, files):
    rows = "\n".join(archives.NAMES)
    (target.parent / "t.csv").write_text(rows, encoding="utf-8")
    pack(target, [*files, target.parent / "t.csv"])


def with_the_original_in_a_report(target, files):
    report = next(file for file in files if file.name == "public-report.html")
    report.write_text(f"{report.read_text(encoding='utf-8')}{archives.NAMES[0]}", encoding="utf-8")
    pack(target, files)


def without_hierarchies(target, files):
    pack(target, [file for file in files if file.name != "job.csv"])


def with_folders_and_times(target, files):
    with zipfile.ZipFile(target, "w") as archive:
        for file in files:
            archive.write(file)


def another_table(target, files):
    if target.name == plan_run.NAMES["given"]:
        masked = next(file for file in files if file.name == "masked.csv")
        before = masked.read_bytes()
        masked.write_bytes(before + b"\n")
        pack(target, files)
        masked.write_bytes(before)
    else:
        pack(target, files)


ARCHIVES = [
    (archives.only_what_may_leave_is_given, also("report")),
    (archives.only_what_may_leave_is_given, also("plan")),
    (archives.no_seed_is_given, also("ledger")),
    (archives.no_seed_is_given, also("script")),
    (archives.no_record_is_packed, packing(with_the_source)),
    (archives.no_record_is_packed, packing(with_the_original_in_a_report)),
    (archives.all_is_kept, packing(without_hierarchies)),
    (archives.what_is_given_is_what_is_kept, packing(another_table)),
    (archives.names_are_plain_and_tell_no_time, packing(with_folders_and_times)),
]


def test_every_rule_of_the_archives_is_broken_by_a_mutant():
    assert {rule for rule, _ in ARCHIVES} == set(archives.RULES)


@pytest.mark.parametrize(("rule", "mutant"), ARCHIVES)
def test_without_it_an_archive_holds_what_it_must_not(tmp_path, monkeypatch, rule, mutant):
    mutate(monkeypatch, mutant)
    gives_way(rule, archives.made(tmp_path / "table"))


def test_without_escaping_a_name_becomes_a_script(server, monkeypatch):
    inside.hostile_name(server)
    with monkeypatch.context() as mutated:
        mutated.setattr(pages.environment(), "autoescape", False)
        pages.environment().cache.clear()
        gives_way(inside.hostile_name, server)
    pages.environment().cache.clear()


def test_without_withholding_a_message_leaves_the_process(monkeypatch, tmp_path):
    def said():
        out = io.StringIO()
        task = {"work": "no such work " + inside.SECRET, "document": {}, "folder": str(tmp_path)}
        worker._attempt({**task, "settings": {}, "result": str(tmp_path / "r")}, out)
        return json.loads(out.getvalue())["failed"]

    assert inside.SECRET not in str(said())
    assert said()[0][0] == "E02"
    told = lambda error: jobs.Problem("E02", str(error), "")  # noqa: E731
    monkeypatch.setattr("discreet.app.jobs.job.unknown_failure", told)
    assert inside.SECRET in str(said())


# -- the end of the app --------------------------------------------------------------------------


@contextmanager
def served(folder, file, monkeypatch):
    """The app as its command runs it, but for signals: they belong to the main thread."""
    met = queue.Queue()
    monkeypatch.setattr(servers, "_ended_by_signals", lambda _: nullcontext())
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    given = {"most_upload": 1 << 20, "ready": lambda *both: met.put(both)}
    thread = threading.Thread(target=servers.serve, args=(file,), kwargs=given, daemon=True)
    thread.start()
    server, room = met.get(timeout=PATIENCE)
    try:
        until(lambda: server.answers)
        yield server, room
    finally:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def file_for_all(folder, table, monkeypatch):
    """All files that the app makes are for their owner, and so are the folders they lie in."""
    with served(folder, table, monkeypatch) as (server, room):
        made = Visitor(server).logged_in().open("u.csv", table.read_bytes())
        assert made.job.state == "done", made.job.problems
        there = [path for path in room.rglob("*") if not path.is_symlink()]
        modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in there}
        assert modes == {(True, 0o700), (False, 0o600)}
    assert list(folder.iterdir()) == []


def test_without_the_mask_others_may_read_a_file(tmp_path, patients, monkeypatch):
    file_for_all(tmp_path, patients, monkeypatch)
    monkeypatch.setattr("discreet.app.server.service.os.umask", lambda _: 0)
    gives_way(file_for_all, tmp_path, patients, monkeypatch)


def left_at_the_end(folder):
    with running(folder) as server:
        made = inside.read_table(server)
        assert made.folder.exists()
    assert list(folder.iterdir()) == []


def test_without_erasing_at_the_end_tables_are_left(tmp_path, monkeypatch):
    left_at_the_end(tmp_path / "work")
    monkeypatch.setattr(workspaces.Workspaces, "close_all", lambda self: self.jobs.close())
    gives_way(left_at_the_end, tmp_path / "other")


def job_left_at_the_end(folder, ended):
    with running(folder) as server:
        job = inside.read_table(server).begin("risk")
        ended.append((server.workspaces.jobs, job))
        until(lambda: job.progress.stage == "on")
    assert not is_alive(job.pid)


def test_without_ending_jobs_one_outlives_the_server(tmp_path, monkeypatch, endless):  # noqa: F811
    endless("")
    begun = []
    job_left_at_the_end(tmp_path / "work", begun)
    with monkeypatch.context() as mutated:
        mutated.setattr(workspaces.Workspaces, "close_all", lambda _: None)
        gives_way(job_left_at_the_end, tmp_path / "other", begun)
    for all_jobs, job in begun:  # what the mutant left
        all_jobs.cancel(job)
        assert not is_alive(job.pid)
