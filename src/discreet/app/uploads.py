"""Uploads: a file from the browser gets a tame name, and lies in the folder of its workspace."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

_UNFIT = re.compile(r"[^\w. -]+")
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


def link(file: Path, folder: Path) -> str:
    """Have a file of the command line in a folder: a link to it, or a copy where there are none."""
    place = _free(folder, tame(file.name, "table.csv"))
    try:
        place.symlink_to(file)
    except OSError:
        shutil.copyfile(file, place)
    return place.name


def _free(folder: Path, name: str) -> Path:
    """A place that is not taken."""
    places = (folder / one for one in _numbered(name))
    return next(place for place in places if not (place.exists() or place.is_symlink()))


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
