"""Project files: one for each table, sealed, and for the eyes of their owner alone.

A project lies beside the table that was named on the command line, with the name of that table and
``.discreet`` after it; where others may write to that folder, or nobody, and for uploads, in the
data folder of the user. What is read is what this user's app has written, to the last bit: the seal
is made with a key that lies in the data folder. So a file that was cut off, edited by hand or made
by someone else is refused in words, and nothing in it has to be doubted.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from discreet.errors import DiscreetError, Problem, fail
from discreet.files import beside

SUFFIX = ".discreet"
VERSION = 1
MOST_BYTES = 64 << 20
MOST_LISTED = 100
_NAME = "discreet project"
_KEY = "key"
_HEAD = 1_000  # bytes that the first line has at most
_AWAY = "Move it away, and start again; a plan that was downloaded can be opened instead."

Content = Mapping[str, Any]


def user_folder() -> Path:
    """Where projects of uploads are kept, on this system."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "discreet" / "projects"


@dataclass(frozen=True)
class ListedProject:
    """A project as the first page lists it.

    Attributes
    ----------
    id : str
        By which a page names it.
    place : Path
        Of its file.
    content : mapping
        What is in it; empty where it is refused.
    saved : float
        When, in seconds as the system counts them.
    problem : Problem or None
        Why it is refused.
    """

    id: str
    place: Path
    content: Content
    saved: float
    problem: Problem | None = None


class ProjectFolder:
    """The data folder of a user: projects of uploads, and where those beside tables lie.

    Parameters
    ----------
    folder : Path
        Made when something is kept there first.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    # -- where they lie --------------------------------------------------------------------------

    def place_for(self, table: Path) -> Path:
        """The place of the project of a table that was named on the command line."""
        own = table.with_name(table.name + SUFFIX)
        if os.path.lexists(own) or (os.access(table.parent, os.W_OK) and _is_guarded(table.parent)):
            return own
        return self.entry(table)

    def new(self) -> Path:
        """A free place for the project of an upload."""
        return self.folder / f"{secrets.token_hex(16)}{SUFFIX}"

    def entry(self, table: Path) -> Path:
        """The file of the data folder that belongs to a table of the command line."""
        return self.folder / f"{hashlib.sha256(os.fsencode(table)).hexdigest()[:32]}{SUFFIX}"

    def listed(self) -> list[ListedProject]:
        """All projects, the last that was saved first; those that are refused say why."""
        places = sorted(self.folder.glob(f"*{SUFFIX}"), key=_time, reverse=True)
        found = [one for place in places[:MOST_LISTED] if (one := self._listed(place)) is not None]
        return sorted(found, key=lambda one: one.saved, reverse=True)

    def _listed(self, place: Path) -> ListedProject | None:
        try:
            content = self.read(place)
            where = self.place_of(content, place)
            if where != place:
                if not os.path.lexists(where):
                    return None  # its owner has removed it
                content = {**self.read(where), "path": content["beside"]}
        except DiscreetError as error:
            return ListedProject(place.stem, place, {}, _time(place), error.problems[0])
        return ListedProject(place.stem, where, content, _time(where))

    @staticmethod
    def place_of(content: Content, place: Path) -> Path:
        """Where a project lies: in this file, or beside the table that it names."""
        named = content.get("beside")
        return place if named is None else Path(f"{named}{SUFFIX}")

    # -- reading and writing ---------------------------------------------------------------------

    def read(self, place: Path) -> Content:
        """What a project holds, or in words why it is refused."""
        head, _, body = _bytes(place).partition(b"\n")
        try:
            said = json.loads(head[:_HEAD])
            version, seal = said[_NAME], str(said["seal"])
        except (ValueError, TypeError, KeyError, RecursionError):
            _refuse(place, "is no project, or only a part of one.")
        if version != VERSION:
            what = f"{place.name} was written by another version of the app."
            fail("N66", what, "Open it with that version, or move it away and start again.")
        if not hmac.compare_digest(seal.encode(), self._seal(body).encode()):
            _refuse(place, "was not written by your app, or was changed since.")
        found: Content = json.loads(body)
        return found

    def write(self, place: Path, content: Content) -> None:
        """Write a project, whole or not at all."""
        body = json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
        if len(body) > MOST_BYTES - _HEAD:
            what = f"the project is larger than {MOST_BYTES >> 20} MB with its hierarchy files."
            fail("N66", what, "Download the plan; what was saved before stays.")
        if not _is_guarded(place.parent):
            _refuse(place, "lies in a folder to which others may write.")
        head = json.dumps({_NAME: VERSION, "seal": self._seal(body)}).encode()
        with beside(place, like=self._key()) as draft:
            draft.write_bytes(head + b"\n" + body + b"\n")

    def note(self, table: Path) -> None:
        """Keep in mind that a table has its project beside it."""
        entry = self.entry(table)
        if not entry.exists():
            self.write(entry, {"beside": str(table)})

    def remove(self, place: Path) -> None:
        """Erase a project, and the note of it."""
        place.unlink(missing_ok=True)
        if place.parent != self.folder:
            self.entry(place.with_suffix("")).unlink(missing_ok=True)

    def _seal(self, body: bytes) -> str:
        key = _bytes(self._key())
        return hmac.new(key, body.rstrip(b"\n"), hashlib.sha256).hexdigest()

    def _key(self) -> Path:
        """The key of all seals, made when it is needed first."""
        place = self.folder / _KEY
        if not place.exists():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = place.with_name(f".{secrets.token_hex(8)}")
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as key:
                key.write(secrets.token_hex(32))
            with contextlib.suppress(FileExistsError):  # another start of the app was faster
                os.link(draft, place)
            draft.unlink()
        return place


def _bytes(place: Path) -> bytes:
    """What is in a file that nobody else can have written; links are not followed."""
    if place.is_symlink():
        _refuse(place, "is a link, and is not followed.")
    if not place.is_file():
        _refuse(place, "is not a file.")
    try:
        opened = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        _refuse(place, "cannot be opened.")
    with os.fdopen(opened, "rb") as file:
        found = os.fstat(opened)
        for what in _doubts(found):
            _refuse(place, what)
        if not _is_guarded(place.parent):
            _refuse(place, "lies in a folder to which others may write.")
        return file.read()


def _doubts(found: os.stat_result) -> Iterator[str]:
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        yield "belongs to another user."
    if hasattr(os, "geteuid") and found.st_mode & 0o022:
        yield "can be written by others."
    if found.st_size > MOST_BYTES:
        yield f"is larger than {MOST_BYTES >> 20} MB."


def _is_guarded(folder: Path) -> bool:
    """Whether others may not write to a folder; one that is not there yet will be ours."""
    try:
        found = folder.stat()
    except OSError:
        return not os.path.lexists(folder)
    return not (hasattr(os, "geteuid") and found.st_mode & 0o002)


def _time(place: Path) -> float:
    try:
        return place.lstat().st_mtime
    except OSError:
        return 0.0


def _refuse(place: Path, what: str) -> NoReturn:
    fail("N66", f"the project {place.name} {what}", _AWAY)
