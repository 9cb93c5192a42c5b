"""Each guard matters: with it taken out, an attack that the app holds against succeeds.

The guards: the Host list, the refusal of handshakes, the token, the cookie, Sec-Fetch-Site, Origin,
the six headers, the limits of forms and uploads; one file per upload, the number of tables, one
job per table, the id of a workspace, choices and column numbers, tame file names, escaping,
withheld messages, erasing.
"""

import io
import json

import pytest

from discreet.app import guard, pages, uploads, worker, workspaces
from tests.app import attacks, inside
from tests.app.conftest import running


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


MUTATIONS = {
    "two_files": (pages, "form_of", lambda request, *, files=0: request.form()),
    "guessed_workspace": (
        workspaces.Workspaces,
        "get",
        lambda self, _: next(iter(self._all.values()), None),
    ),
    "too_many_tables": (workspaces.Workspaces, "_make_room", lambda self: None),
    "two_jobs": (workspaces.Workspace, "is_busy", property(lambda self: False)),
    "path_as_name": (uploads, "tame", lambda name, otherwise: name),
    "left_behind": (workspaces.shutil, "rmtree", lambda *_, **__: None),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_without_the_rule_it_is_broken(tmp_path, monkeypatch, name):
    place, attribute, mutant = MUTATIONS[name]
    with running(tmp_path / "work") as server:
        inside.RULES[name](server)
    with running(tmp_path / "other") as server:
        monkeypatch.setattr(place, attribute, mutant)
        if name == "two_files":
            monkeypatch.setattr("discreet.app.routes.data.form_of", mutant)
        gives_way(inside.RULES[name], server)
        monkeypatch.undo()


def test_without_escaping_a_name_becomes_a_script(tmp_path, monkeypatch):
    with running(tmp_path / "work") as server:
        inside.hostile_name(server)
        monkeypatch.setattr(pages.environment(), "autoescape", False)
        pages.environment().cache.clear()
        gives_way(inside.hostile_name, server)
    monkeypatch.undo()
    pages.environment().cache.clear()


def test_without_withholding_a_message_leaves_the_process(monkeypatch, tmp_path):
    def said():
        out = io.StringIO()
        task = {"work": "no such work " + inside.SECRET, "document": {}, "folder": str(tmp_path)}
        worker._attempt({**task, "settings": {}, "result": str(tmp_path / "r")}, out)
        return json.loads(out.getvalue())["failed"]

    assert inside.SECRET not in str(said())
    assert said()[0][0] == "E02"
    from discreet.errors import Problem

    monkeypatch.setattr("discreet.app.jobs.unknown_failure", lambda e: Problem("E02", str(e), ""))
    assert inside.SECRET in str(said())
