"""Limits: how much memory, how many threads and which folder the embedded engine may use, and
where a database may keep tables of ours.

    ds.settings(memory_limit="2GB", threads=2, temp_directory="/fast/disk")

    with ds.settings(memory_limit="2GB"):
        ds.risk(survey)

They hold for the whole process, and results never depend on them.
What does not fit into memory is laid down in a private folder that goes with the process; one that
a killed process has left is removed by the next one.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from discreet.errors import NotSupported, Problem, argument, raise_all
from discreet.files.rooms import lasting_room
from discreet.results import Result

DEFAULT = "default"
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT])(i?)B\s*", re.IGNORECASE)
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4}
_LEAST = 64 * 10**6  # bytes: with less the engine cannot even sort
_MOST_THREADS = 1024
_VARIABLE = "DISCREET_"


@dataclass(frozen=True)
class Limits:
    """What may be used; None for what the engine takes by itself."""

    memory_limit: str | None = None
    threads: int | None = None
    temp_directory: Path | None = None
    schema: str | None = None


_in_force: list[Limits] = []  # the one; none before the environment was asked
_spill: dict[Path, Path] = {}  # the private folder within each folder that was named


def limits_in_force() -> Limits:
    """The limits in force; at first those of the environment."""
    if not _in_force:
        _in_force.append(_from_environment())
    return _in_force[0]


def set_limits(new: Limits) -> None:
    """Put limits in force, for the engine that is open as well."""
    from discreet.engine.embedded import adjust

    adjust(limits_in_force(), new)
    _in_force[0] = new


def restore_limits(before: Limits) -> None:
    """Put limits back; a folder in which something was laid down stays the one in use."""
    try:
        set_limits(before)
    except NotSupported:
        set_limits(replace(before, temp_directory=limits_in_force().temp_directory))


def configuration(chosen: Limits) -> dict[str, Any]:
    """The limits as settings of the embedded engine."""
    given = {"memory_limit": chosen.memory_limit, "threads": chosen.threads}
    known = {name: value for name, value in given.items() if value is not None}
    return {**known, "temp_directory": str(spill_folder(chosen))}


def spill_folder(chosen: Limits) -> Path:
    """The private folder for what does not fit into memory; the engine makes it when needed."""
    folder = chosen.temp_directory or Path(tempfile.gettempdir())
    if folder not in _spill:
        _spill[folder] = lasting_room(folder) / "spill"
    return _spill[folder]


def leave_spill_folders() -> None:
    """Have another engine lay down what does not fit in folders of its own; they all go with the
    process."""
    _spill.clear()


def _from_environment() -> Limits:
    names = {one.name: _VARIABLE + one.name.upper() for one in fields(Limits)}
    given: dict[str, Any] = {n: os.environ[v] for n, v in names.items() if os.environ.get(v)}
    if str(given.get("threads", "")).isdecimal():
        given["threads"] = int(given["threads"])
    return _checked(Limits(), given, _VARIABLE + "{}")


def _checked(before: Limits, given: Mapping[str, Any], name: str) -> Limits:
    problems: list[Problem] = []
    accepted: dict[str, Any] = {}
    for limit, value in given.items():
        shown = argument(limit) if name.endswith("=") else name.format(limit.upper())
        accepted[limit] = None if value == DEFAULT else _CHECKS[limit](value, shown, problems)
    raise_all(problems)
    return replace(before, **accepted)


def _memory(value: Any, shown: str, problems: list[Problem]) -> str | None:
    """A size as the engine writes it."""
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        problems.append(Problem("P70", f"{shown} is not a size.", 'Write "2GB" or "512MB".'))
        return None
    number, unit, binary = found[1], found[2].upper(), found[3]
    if float(number) * (1024 if binary else 1000) ** _POWERS[unit] < _LEAST:
        problems.append(Problem("P70", f"{shown} is below 64 MB.", "Give the engine more."))
    return f"{number}{unit}{'i' if binary else ''}B"


def _threads(value: Any, shown: str, problems: list[Problem]) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole and 1 <= value <= _MOST_THREADS:
        return int(value)
    what = f"{shown} is not a whole number from 1 to {_MOST_THREADS}."
    problems.append(Problem("P70", what, "Give the number of cores to use."))
    return None


def _folder(value: Any, shown: str, problems: list[Problem]) -> Path | None:
    if isinstance(value, str | os.PathLike):
        folder = Path(value).absolute()
        if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
            return folder
    what = f"{shown} is not a folder in which files can be made."
    problems.append(Problem("P70", what, "Name one on a disk with free space."))
    return None


def _schema(value: Any, shown: str, problems: list[Problem]) -> str | None:
    if isinstance(value, str) and value.strip() == value != "":
        return value
    problems.append(Problem("P70", f"{shown} is not a name.", "Name a schema of the database."))
    return None


_CHECKS = {
    "memory_limit": _memory,
    "threads": _threads,
    "temp_directory": _folder,
    "schema": _schema,
}


@dataclass(frozen=True)
class Settings(Result):
    """The settings in force; as a context manager, those before are put back in the end.

    Attributes
    ----------
    memory_limit : str or None
        What the embedded engine may hold in memory; None: 80% of the machine's memory.
    threads : int or None
        How many threads it may use; None: one for each core.
    temp_directory : str or None
        Where it lays down what does not fit, in a private folder; None: the system's.
    schema : str or None
        Of a database, where steps are kept as tables; None: in temporary tables alone.

    Examples
    --------
    >>> import discreet as ds
    >>> with ds.settings(threads=2) as inside:
    ...     inside.threads, inside.to_dict()["memory_limit"]
    (2, None)
    """

    memory_limit: str | None
    threads: int | None
    temp_directory: str | None
    schema: str | None
    _before: Limits = field(repr=False, compare=False)

    def explain(self) -> str:
        """The settings in words."""
        memory = self.memory_limit or "80% of the machine's memory"
        return (
            f"Memory of the embedded engine: {memory}; threads: {self.threads or 'one per core'}; "
            f"what does not fit goes to {self.temp_directory or 'a private folder of the system'}."
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        names = ("memory_limit", "threads", "temp_directory", "schema")
        return {name: getattr(self, name) for name in names}

    def __enter__(self) -> Settings:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        restore_limits(self._before)


def settings(
    *,
    memory_limit: str | None = None,
    threads: int | str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    schema: str | None = None,
) -> Settings:
    """Limit what the engines use, for the process or, with ``with``, for a block.

    What is not given stays as it is; ``"default"`` takes a limit away. At the start the variables
    ``DISCREET_MEMORY_LIMIT``, ``DISCREET_THREADS``, ``DISCREET_TEMP_DIRECTORY`` and
    ``DISCREET_SCHEMA`` of the environment hold.

    Parameters
    ----------
    memory_limit : str, optional
        Such as ``"2GB"``: what the embedded engine may hold. What goes beyond is laid down on
        disk; a step for which that does not suffice is an error. Frequency sets and what is
        computed on them come on top.
    threads : int, optional
        Of the embedded engine.
    temp_directory : path, optional
        A folder that exists. In it, a folder that nobody else may enter is made, and removed with
        the process. It cannot be changed any more once something was laid down there.
    schema : str, optional
        A schema of a PostgreSQL database in which steps may be kept as tables, where temporary
        tables are not allowed; they are dropped when nothing refers to them.

    Returns
    -------
    Settings
        Those in force.

    Examples
    --------
    >>> import discreet as ds
    >>> with ds.settings(memory_limit="2GB", threads=2) as inside:
    ...     inside.memory_limit, inside.threads
    ('2GB', 2)
    >>> ds.settings().memory_limit is None
    True
    """
    before = limits_in_force()
    asked = {
        "memory_limit": memory_limit,
        "threads": threads,
        "temp_directory": temp_directory,
        "schema": schema,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    if given:
        set_limits(_checked(before, given, "{}="))
    now = limits_in_force()
    folder = None if now.temp_directory is None else str(now.temp_directory)
    return Settings(now.memory_limit, now.threads, folder, now.schema, before)
