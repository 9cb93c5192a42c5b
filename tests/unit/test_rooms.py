"""Rooms: a killed process leaves what the next one removes, whatever it was doing."""

import contextlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError

import pytest

from discreet.errors import DiscreetError
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


def test_files_of_two_runs_at_once_do_not_mix(tmp_path, monkeypatch):
    """Each run waits for the other one after its first file, were it not kept out."""
    move, both = rooms.take_place, Barrier(2)

    def slowly(place, target):
        move(place, target)
        with contextlib.suppress(BrokenBarrierError):
            both.wait(timeout=0.5)

    monkeypatch.setattr(rooms, "take_place", slowly)
    targets = [tmp_path / "masked.csv", tmp_path / "ledger.json"]

    def written(name):
        with rooms.together(targets, None, overwrite=True) as places:
            for place in places.values():
                place.write_text(name)

    with ThreadPoolExecutor() as threads:
        list(threads.map(written, "AB"))
    assert len({target.read_text(encoding="utf-8") for target in targets}) == 1


def test_a_file_that_came_to_be_meanwhile_is_kept(tmp_path):
    targets = [tmp_path / "masked.csv", tmp_path / "ledger.json"]

    def written():
        with rooms.together(targets, None, overwrite=False) as places:
            for place in places.values():
                place.write_text("ours")
            targets[1].write_text("theirs")

    with pytest.raises(DiscreetError, match=r"O03.*ledger\.json exists"):
        written()
    assert left(tmp_path) == ["ledger.json"]
    assert targets[1].read_text(encoding="utf-8") == "theirs"
