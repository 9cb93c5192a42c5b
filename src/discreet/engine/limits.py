"""Limits: how much memory, how many threads and which folder the embedded engine may use, and
where a database may keep tables of ours.

What does not fit into memory is laid down in a private folder that goes with the process; one that
a killed process has left is removed by the next one.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from discreet.errors import NotSupported, Problem, argument, raise_all
from discreet.files.rooms import lasting_room

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


def limits_with(given: Mapping[str, Any]) -> Limits:
    """The limits in force with some of them changed; ``"default"`` for the engine's own."""
    return _checked(limits_in_force(), given, "{}=")


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
    names = {field.name: _VARIABLE + field.name.upper() for field in fields(Limits)}
    given: dict[str, Any] = {n: os.environ[v] for n, v in names.items() if os.environ.get(v)}
    if str(given.get("threads", "")).isdecimal():
        given["threads"] = int(given["threads"])
    return _checked(Limits(), given, _VARIABLE + "{}")


def _checked(before: Limits, given: Mapping[str, Any], name: str) -> Limits:
    problems: list[Problem] = []
    accepted: dict[str, Any] = {}
    for field, value in given.items():
        shown = argument(field) if name.endswith("=") else name.format(field.upper())
        accepted[field] = None if value == DEFAULT else _CHECKS[field](value, shown, problems)
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
