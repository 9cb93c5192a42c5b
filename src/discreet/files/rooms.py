"""Rooms: private folders next to the outputs, in which files are made before they are shown.

Several files that belong together take their places together. Renaming one file is atomic,
renaming several is not: a journal in a room says which files are ready, and whoever comes next
finishes what a killed process has begun. Rooms that were left before that are removed. Whoever
moves files that belong together is alone in their folders meanwhile.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from discreet.errors import fail, raise_all
from discreet.files import no_wider, settle, take_place, taken

_PREFIX = ".discreet-"
_lasting: list[tuple[int, Path, IO[bytes]]] = []
_LOCK, _JOURNAL, _LEADER = "lock", "journal", "leader"


@contextmanager
def room(target: Path) -> Iterator[Path]:
    """A private folder next to the target, gone in the end."""
    folder = target.absolute().parent
    tidy(folder)
    made, lock = _locked_room(folder, target.name)
    try:
        yield made
    finally:
        _remove(made)
        lock.close()


@contextmanager
def together(
    targets: Sequence[Path], like: Path | None, *, overwrite: bool
) -> Iterator[dict[Path, Path]]:
    """A name for a new file per target; all take their places when all went well, in order.

    They get the permissions of new files, but never wider ones than the file ``like`` has. What
    came to be in one of the places meanwhile stays, unless it may be overwritten: O03.
    """
    with ExitStack() as stack:
        rooms: dict[Path, Path] = {}
        for target in targets:
            folder = target.absolute().parent
            rooms[folder] = rooms.get(folder) or stack.enter_context(room(target))
        places = {target: rooms[target.absolute().parent] / target.name for target in targets}
        yield places
        for place in places.values():
            no_wider(place, like)
            settle(place)
        leader, *others = rooms.values()
        for other in others:
            _note(other / _LEADER, os.path.relpath(leader, other.parent))
        ready = [os.path.relpath(place, leader.parent) for place in places.values()]
        with _alone_in(rooms):
            raise_all([] if overwrite else [taken(t) for t in targets if os.path.lexists(t)])
            # from here on the new files count: whoever finds the journal moves what is left
            _note(leader / _JOURNAL, json.dumps(ready))
            for target, place in places.items():
                take_place(place, target)


def lasting_room(folder: Path) -> Path:
    """A private folder that is there as long as the process; see :func:`vacate`."""
    tidy(folder)
    made, lock = _locked_room(folder, "temporary files")
    if not _lasting:
        atexit.register(vacate)
    _lasting.append((os.getpid(), made, lock))
    return made


def vacate() -> None:
    """Remove the lasting rooms of this process, not those of one that it was forked from."""
    while _lasting:
        owner, made, lock = _lasting.pop()
        if owner == os.getpid():
            _remove(made)
        lock.close()


def tidy(folder: Path) -> None:
    """Finish what a killed process has begun to show in a folder, and remove what it left."""
    for found in sorted(folder.glob(f"{_PREFIX}*")):
        if not _is_ours(found):
            continue
        with _taken(found) as abandoned:
            if abandoned:
                leader = _leader(found)
                with _alone_in({_outside(place) for place in _ready(leader)}):
                    _finish(leader)
                _remove(found)


@contextmanager
def _alone_in(folders: Iterable[Path]) -> Iterator[None]:
    """Wait until no other process moves files that belong together into one of the folders."""
    with ExitStack() as stack:
        # in one order, so that no two wait for each other
        for folder in sorted({folder.resolve() for folder in folders}):
            with contextlib.suppress(ImportError, OSError):  # a system without such locks
                import fcntl

                door = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, door)
                fcntl.flock(door, fcntl.LOCK_EX)
        yield


def _locked_room(folder: Path, name: str) -> tuple[Path, IO[bytes]]:
    """A new room and its lock, which the system lets go of when the process ends."""
    with contextlib.suppress(OSError):  # the message names a path of the machine
        while True:
            made = Path(tempfile.mkdtemp(dir=folder, prefix=_PREFIX))
            try:
                lock = (made / _LOCK).open("wb")
            except FileNotFoundError:  # someone who tidies was faster
                continue
            if _lock(lock) is not False and (made / _LOCK).exists():
                return made, lock
            lock.close()  # again
    fail("O05", f"{name} cannot be written there.", "Check the folder's permissions.")


def _lock(file: IO[bytes]) -> bool | None:
    """Whether the lock could be taken; None where the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


@contextmanager
def _taken(found: Path) -> Iterator[bool]:
    """Whether a killed process worked in a room; its lock is held meanwhile."""
    with ExitStack() as stack:
        try:
            lock = stack.enter_context((found / _LOCK).open("rb"))
        except OSError:  # it is about to get one, or was left without: it is empty then
            with contextlib.suppress(OSError):
                found.rmdir()
            yield False
        else:
            yield _lock(lock) is True


def _remove(made: Path) -> None:
    """Remove a room, its lock last: killed meanwhile, the next one finds it and goes on."""
    with contextlib.suppress(OSError):
        for inside in made.iterdir():
            if inside.is_dir() and not inside.is_symlink():
                shutil.rmtree(inside, ignore_errors=True)
            elif inside.name != _LOCK:
                inside.unlink()
        (made / _LOCK).unlink()
        made.rmdir()


def _is_ours(found: Path) -> bool:
    """Whether it is a folder, not a link to one, and belongs to the user of this process."""
    try:
        there = found.lstat()
    except FileNotFoundError:
        return False
    mine = not hasattr(os, "geteuid") or there.st_uid == os.geteuid()
    folder = found.is_dir() and not found.is_symlink()
    return mine and folder and found.name.startswith(_PREFIX)


def _leader(found: Path) -> Path:
    """The room that holds the journal: this one, or the one it names."""
    try:
        return found.parent / (found / _LEADER).read_text(encoding="utf-8")
    except FileNotFoundError:
        return found


def _ready(leader: Path) -> list[Path]:
    """The files of a journal, in the rooms where they were made."""
    journal = leader / _JOURNAL
    if not _is_ours(leader) or not journal.exists():
        return []
    return [leader.parent / ready for ready in json.loads(journal.read_text("utf-8"))]


def _outside(place: Path) -> Path:
    """The folder that a file in a room is meant for."""
    return place.parent.parent


def _finish(leader: Path) -> None:
    """Move the files of a journal that have not taken their places yet."""
    for place in _ready(leader):
        if _is_ours(place.parent):
            with contextlib.suppress(FileNotFoundError):  # it has
                take_place(place, _outside(place) / place.name)


def _note(file: Path, text: str) -> None:
    """Write a note that is there whole or not at all."""
    draft = file.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    settle(draft)
    draft.replace(file)
