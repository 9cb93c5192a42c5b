"""A running app for the tests: the real server on a real socket, in a thread of the test."""

import threading
from contextlib import contextmanager

import pytest

import discreet as ds
from tests import template
from tests.app.visitor import Visitor
from tests.app.waiting import PATIENCE, until

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


@pytest.fixture(scope="module", autouse=True)
def processes_of_jobs():
    """Processes of jobs that start at once; a file that is about their start has its own."""
    with pytest.MonkeyPatch.context() as patch:
        if template.POSSIBLE:
            patch.setattr("discreet.app.jobs.job.subprocess", template.Subprocess())
        yield


@contextmanager
def running(folder, file=None, **options):
    """A server that answers; ended and erased in the end."""
    from discreet.app.server.service import Server

    folder.mkdir(mode=0o700, exist_ok=True)
    server = Server(folder, file, **options)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until(lambda: server.answers)
        yield server
    finally:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("app") / "work") as started:
        yield started


@pytest.fixture
def visitor(server):
    """Someone with the cookie."""
    return Visitor(server).logged_in()


@pytest.fixture(scope="session")
def patients(tmp_path_factory):
    """A small table as a file."""
    place = tmp_path_factory.mktemp("tables") / "patients.csv"
    ds.read(ds.datasets.patients(400, seed=1)).write(place)
    return place
