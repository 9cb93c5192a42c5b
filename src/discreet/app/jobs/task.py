"""A task: the plan of a workspace and the settings of its forms, as plain values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discreet as ds

WORKING = ".working"  # files that are no part of a plan; no upload can have this name


@dataclass(frozen=True)
class JobTask:
    """What the process of a job gets."""

    document: Mapping[str, Any]
    folder: Path
    settings: Mapping[str, Any]
    slot: str = ""  # where the result is kept
    tell: Callable[[ds.Progress], None] = lambda _: None  # who watches it

    @property
    def plan(self) -> ds.Plan:
        """The plan."""
        return ds.Plan.of(self.document, self.folder)


@dataclass(frozen=True)
class JobOutcome:
    """What a job found, and the warnings of the library on the way."""

    value: Any
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """A kind of work.

    Attributes
    ----------
    title : str
        What the page says while it runs.
    result : str
        What the page calls its result.
    sections : tuple of str
        The sections of the plan that it looks at: when one changes, its result is out of date.
    do : function of JobTask
        Its result must survive pickling.
    screen : str
        The page it belongs to.
    settings : str, optional
        The settings that it looks at as well.
    beside : tuple of str
        Keys of these sections that do not matter to it.
    """

    title: str
    result: str
    sections: tuple[str, ...]
    do: Callable[[JobTask], Any]
    screen: str
    settings: str | None = None
    beside: tuple[str, ...] = ()

    def basis(self, document: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
        """Digests of all that the result depends on: the plan's part, and that of the settings."""
        seen = {name: self._seen(document.get(name, {})) for name in self.sections}
        asked = (settings.get(self.settings) or None) if self.settings else None
        return f"{_digest(seen)} {_digest(asked)}"

    def _seen(self, section: Any) -> Any:
        """A section without what does not matter; what must hold may be a list of tables."""
        if isinstance(section, list):
            return section
        return {k: v for k, v in section.items() if k not in self.beside}


def _digest(given: Any) -> str:
    text = json.dumps(given, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
