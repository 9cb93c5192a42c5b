"""The original file while the app is open: what was found in another one is out of date."""

import os
import re

import pytest

from discreet.app.jobs.typed_copy import GONE, state_of
from tests.app.conftest import running
from tests.app.releases import CHAIN, done, protected, released, text_of
from tests.app.visitor import Visitor
from tests.app.waiting import ended

CHANGED = "The original file has changed since it was opened. Read it again"
GONE_WORDS = "the original file is no longer there. Put it back, or open another one."
READING = {"separator": "", "encoding": "utf-8", "header": "", "missing_values": ""}


@pytest.fixture
def original(tmp_path, patients):
    place = tmp_path / "patients.csv"
    place.write_bytes(patients.read_bytes())
    return place


@pytest.fixture
def opened(tmp_path, original):
    """A file of the command line; someone who looks at it, and its workspace."""
    with running(tmp_path / "work", original) as server:
        visitor = Visitor(server)
        landing = re.search(r"/w/([^/]+)/", visitor.get(f"/?token={server.known.token}").text)[1]
        workspace = server.workspaces.get(landing)
        ended(workspace.job)
        visitor.logged_in().post(f"/w/{workspace.id}/data/suggested")
        yield visitor, workspace


def page(visitor, workspace, path):
    return text_of(visitor.get(f"/w/{workspace.id}/{path}"))


def append(original):
    last = original.read_bytes().splitlines()[-1]
    with original.open("ab") as file:
        file.write(last + b"\n")


def measured(visitor, workspace):
    assert visitor.post(f"/w/{workspace.id}/roles/measure").status == 303
    done(workspace)
    return workspace.results["risk"].value.figures


def test_what_was_found_in_a_file_that_has_changed_is_out_of_date(opened, original):
    visitor, workspace = opened
    assert measured(visitor, workspace)["n"] == 400
    assert CHANGED not in page(visitor, workspace, "roles")
    append(original)
    for path in ("data", "roles", "protect", "release"):
        assert CHANGED in page(visitor, workspace, path)
    assert workspace.out_of_date == ("open", "risk")
    assert "risk by classes: the original file has changed since" in page(
        visitor, workspace, "roles"
    )
    answer = visitor.post(f"/w/{workspace.id}/roles/measure")  # not with the columns of another
    assert (answer.status, "N65" in answer.text) == (422, True)
    assert visitor.post(f"/w/{workspace.id}/data", READING).status == 303
    done(workspace)
    assert workspace.table.n == 401
    assert CHANGED not in page(visitor, workspace, "roles")
    assert workspace.out_of_date == ("risk",)
    assert measured(visitor, workspace)["n"] == 401
    assert workspace.out_of_date == ()


def test_a_release_of_a_file_that_has_changed_is_refused(opened, original):
    visitor, workspace = opened
    protected(visitor, workspace, CHAIN)
    released(visitor, workspace, 1)
    at = f"/w/{workspace.id}/release"
    assert visitor.get(f"{at}/file/masked").status == 200
    before, state = original.read_bytes(), original.stat()
    append(original)
    for answer in (visitor.get(f"{at}/file/masked"), visitor.post(at, {"format": ".csv"})):
        assert answer.status == 409
        assert "the original file has changed since it was opened" in text_of(answer)
    assert visitor.post(f"/w/{workspace.id}/compare/1/choose").status == 409
    assert "They cannot be downloaded" in page(visitor, workspace, "release")
    original.write_bytes(before)
    os.utime(original, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert visitor.get(f"{at}/file/masked").status == 200


def test_levels_that_were_chosen_for_another_file_are_not_used(opened, original):
    _, workspace = opened
    key = workspace.document["roles"]["keys"][0]
    step = {"do": "generalize", "max_suppressed": 1.0, "levels": {key: 0}}
    workspace.change(lambda d: {**d, "criterion": {"k": 2}, "steps": [step]})
    assert workspace.levels_fit
    append(original)
    assert not workspace.levels_fit


def test_a_file_that_is_gone_is_said_with_what_to_do(opened, original):
    visitor, workspace = opened
    away = original.rename(original.with_suffix(".away"))
    for path, fields in (("roles/measure", {}), ("explore/sweep", {}), ("data", READING)):
        answer = visitor.post(f"/w/{workspace.id}/{path}", fields)
        assert answer.status == 422
        assert GONE_WORDS in text_of(answer)
    assert "The original file is no longer there" in page(visitor, workspace, "protect")
    away.rename(original)
    assert workspace.source_problem is None
    assert measured(visitor, workspace)["n"] == 400


def test_the_state_of_a_file_tells_its_size_its_time_and_its_place(tmp_path):
    place, other = tmp_path / "t.csv", tmp_path / "u.csv"
    assert state_of(place) == GONE
    place.write_text("a\n1\n")
    os.utime(place, ns=(5, 5))
    first = state_of(place)
    assert state_of(place) == first
    os.utime(place, ns=(5, 6))
    assert state_of(place) != first
    place.write_text("a\n1\n2\n")
    os.utime(place, ns=(5, 5))
    assert state_of(place) != first
    other.write_text("a\n1\n")
    os.utime(other, ns=(5, 5))
    other.replace(place)
    assert state_of(place) != first
    link = tmp_path / "link.csv"
    link.symlink_to(place)
    assert state_of(link) == state_of(place)
