"""Files that the app is given: from the browser, under a tame name, or by a link.

The source lies in a folder of its own, where nothing else is ever written: no file of ours can
come to have its name, whatever its owner called it.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from discreet.app.jobs.plan_run import is_output
from discreet.app.jobs.task import WORKING
from discreet.errors import fail
from discreet.files import copy_new

SOURCE = ".source"  # the folder of the source; no upload can have this name
_UNFIT = re.compile(r"[^\w. ()+,&'@=-]+")  # what is left is a name on any system
_LONGEST = 80


def tame(name: str | None, otherwise: str) -> str:
    r"""The last part of a file name without anything that means something to a system.

    Examples
    --------
    >>> tame("../../etc/passwd", "table.csv"), tame("C:\\data\\my table.csv", "table.csv")
    ('passwd', 'my table.csv')
    >>> tame("..", "table.csv"), tame(None, "table.csv")
    ('table.csv', 'table.csv')
    """
    last = re.split(r"[\\/]", name or "")[-1]
    plain = _UNFIT.sub("_", last).strip(" .-")
    stem, dot, suffix = plain.rpartition(".")
    short = f"{stem[:_LONGEST]}{dot}{suffix[:10]}" if dot else plain[:_LONGEST]
    return short or otherwise


def keep(file: IO[bytes], folder: Path, name: str) -> str:
    """Write an upload into a folder and say under which name it lies there."""
    place = _free(folder, name)
    with place.open("xb") as written:
        shutil.copyfileobj(file, written, 1 << 20)
    return place.name


def digest_of(file: IO[bytes]) -> str:
    """SHA-256 of an upload, which is read from its begin afterwards."""
    found = hashlib.sha256()
    while block := file.read(1 << 20):
        found.update(block)
    file.seek(0)
    return found.hexdigest()


@contextlib.contextmanager
def room(folder: Path) -> Iterator[Path]:
    """A folder among the working files of a workspace, which is gone afterwards."""
    working = folder / WORKING
    working.mkdir(mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix="upload-", dir=working, ignore_cleanup_errors=True
    ) as made:
        yield Path(made)


@contextlib.contextmanager
def drafted(file: IO[bytes], folder: Path, name: str, what: str) -> Iterator[Path]:
    """An upload as a file to be looked at before it gets its place in a workspace; not under the
    name of a file that a release writes. ``what`` it is, in a word.
    """
    if is_output(name):
        said = f"a release writes a file named {name}, and a {what} cannot have that name."
        fail("P60", said, "Give your file another name, and choose it again.")
    with room(folder) as made:
        yield made / keep(file, made, name)


def keep_source(file: IO[bytes], folder: Path, name: str) -> str:
    """Write an uploaded table into the folder of a workspace; the way to it from there."""
    return f"{SOURCE}/{keep(file, source_folder(folder), name)}"


def link_source(file: Path, folder: Path) -> str:
    """Have a file of the command line in the folder of a workspace, and say the way to it.

    It is a link, or a copy where there are none, and has the name that its owner gave it.
    """
    name = file.name if file.name.isprintable() else tame(file.name, "table.csv")
    place = source_folder(folder) / name
    try:
        place.symlink_to(file)
    except OSError:
        copy_new(file, place)
    return f"{SOURCE}/{place.name}"


def source_folder(folder: Path) -> Path:
    """The folder of the source, which nothing else is in."""
    made = folder / SOURCE
    made.mkdir(mode=0o700)
    return made


def _free(folder: Path, name: str) -> Path:
    """A place that is not taken."""
    places = (folder / one for one in _numbered(name))
    return next(place for place in places if not os.path.lexists(place))


def unlike(name: str, taken: Iterable[str]) -> str:
    """A name that no other one is taken for, on any system.

    Examples
    --------
    >>> unlike("jobs.csv", ["Jobs.csv"]), unlike("jobs.csv", [])
    ('jobs-2.csv', 'jobs.csv')
    """
    others = {one.casefold() for one in taken}
    return next(one for one in _numbered(name) if one.casefold() not in others)


def _numbered(name: str) -> Iterator[str]:
    """name.csv, name-2.csv, …."""
    yield name
    for number in itertools.count(2):
        yield f"{Path(name).stem}-{number}{Path(name).suffix}"
