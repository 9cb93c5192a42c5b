"""Rooms: a killed process leaves what the next one removes, whatever it was doing."""

import sys
import tempfile

import pytest

from discreet.files import rooms
from tests.processes import run


def left(folder):
    return sorted(p.name for p in folder.iterdir())


def test_a_room_in_use_is_left_alone_and_goes_in_the_end(tmp_path):
    with rooms.room(tmp_path / "out.csv") as made:
        (made / "out.csv").write_text("new")
        rooms.tidy(tmp_path)
        assert (made / "out.csv").read_text(encoding="utf-8") == "new"
    assert left(tmp_path) == []


def test_a_room_killed_before_it_had_its_lock_is_removed(tmp_path):
    tempfile.mkdtemp(dir=tmp_path, prefix=".discreet-")
    rooms.tidy(tmp_path)
    assert left(tmp_path) == []


DYING = """
import os, sys
from pathlib import Path
from discreet.files import rooms

count, unlink = iter(range(100)), Path.unlink

def dying(path, *rest, **more):
    if next(count) == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
    unlink(path, *rest, **more)

Path.unlink = dying
with rooms.room(Path(sys.argv[1]) / "out.csv") as made:
    for name in ("a", "b", "m", "z"):
        (made / name).write_text("of a person")
"""


@pytest.mark.parametrize("step", range(4))
def test_a_process_killed_while_it_removes_its_room_leaves_no_file(tmp_path, step):
    """Before the first, second, … file is unlinked; the lock is the last of them."""
    done = run([sys.executable, "-c", DYING, tmp_path, str(step)], timeout=60)
    assert done.returncode == -9
    (room,) = tmp_path.iterdir()
    assert "lock" in left(room)
    rooms.tidy(tmp_path)
    assert left(tmp_path) == []


def test_one_who_tidies_may_be_faster_than_the_lock(tmp_path, monkeypatch):
    make, count = tempfile.mkdtemp, iter(range(100))

    def swept(**options):
        made = make(**options)
        if next(count) < 2:
            rooms.tidy(tmp_path)
        return made

    monkeypatch.setattr(tempfile, "mkdtemp", swept)
    with rooms.room(tmp_path / "out.csv") as made:
        assert left(made) == ["lock"]
    assert next(count) == 3


def test_a_folder_of_files_without_a_lock_is_not_ours_to_remove(tmp_path):
    other = tmp_path / ".discreet-notes"
    other.mkdir()
    (other / "mine.txt").write_text("keep")
    rooms.tidy(tmp_path)
    assert (other / "mine.txt").read_text(encoding="utf-8") == "keep"
