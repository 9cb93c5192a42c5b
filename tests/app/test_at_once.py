"""Two requests at once: neither undoes what the other has changed."""

import threading

import pytest

from tests.app.releases import CHAIN, GENERALIZE, opened, protected
from tests.app.visitor import Visitor
from tests.app.waiting import PATIENCE, ended

OTHER = {"closeness": {"t": 0.5}}  # no form has fields for a second table of criteria
ASKED = {"k": "7", "p": "", "released": "all", "share": ""}


class WatchedLock:
    """The lock of a workspace, which tells when it is asked for."""

    def __init__(self, lock):
        self.lock, self.asked_for = lock, threading.Event()

    def __enter__(self):
        self.asked_for.set()
        return self.lock.__enter__()

    def __exit__(self, *error):
        return self.lock.__exit__(*error)


def meanwhile(monkeypatch, workspace, send, change):
    """Have a request wait for the plan, which another one changes first; its answer."""
    own, answers = workspace.lock, []
    watched = WatchedLock(own)
    asking = threading.Thread(target=lambda: answers.append(send()))
    with own:
        monkeypatch.setattr(workspace, "lock", watched)
        asking.start()
        assert watched.asked_for.wait(PATIENCE)
        change()
    asking.join(PATIENCE)
    monkeypatch.undo()
    if workspace.job is not None:
        ended(workspace.job)
    return answers[0].status


@pytest.fixture(scope="module")
def visitor(server):
    return Visitor(server).logged_in()


@pytest.fixture(scope="module")
def workspace(visitor, patients):
    made = opened(visitor, patients)
    protected(visitor, made, CHAIN)
    protected(visitor, made, CHAIN)
    return made


@pytest.mark.parametrize("form", ["roles/wanted", "roles/measure", "protect"])
def test_what_must_hold_keeps_what_another_request_has_added(monkeypatch, visitor, workspace, form):
    workspace.change(lambda d: {**d, "criterion": {"k": 3}})
    fields = {**GENERALIZE, **ASKED}
    status = meanwhile(
        monkeypatch,
        workspace,
        lambda: visitor.post(f"/w/{workspace.id}/{form}", fields),
        lambda: workspace.change(lambda d: {**d, "criterion": [{"k": 3}, OTHER]}),
    )
    assert status < 400
    assert workspace.document["criterion"] == [{"k": 7}, OTHER]


def test_explore_keeps_k_as_another_request_has_set_it(monkeypatch, visitor, workspace):
    workspace.change(lambda d: {**d, "criterion": {"k": 20}})
    status = meanwhile(
        monkeypatch,
        workspace,
        lambda: visitor.post(f"/w/{workspace.id}/explore/wanted", {"closeness-t": "0.5"}),
        lambda: workspace.change(lambda d: {**d, "criterion": {"k": 2}}),
    )
    assert status < 400
    assert workspace.document["criterion"]["k"] == 2


def test_runs_that_are_named_at_once_keep_both_names(monkeypatch, visitor, workspace):
    status = meanwhile(
        monkeypatch,
        workspace,
        lambda: visitor.post(f"/w/{workspace.id}/compare/1/name", {"name": "first"}),
        lambda: workspace.set("run_names", {"run-2": "second"}),
    )
    assert status < 400
    assert workspace.settings["run_names"] == {"run-1": "first", "run-2": "second"}
