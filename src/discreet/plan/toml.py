"""Writing TOML: the same document always gives the same text, with notes as comments.

The standard library reads TOML and does not write it. A plan needs little of it: tables of
texts, numbers, truth values, dates, lists and tables.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from discreet.plan.lines import At

_WIDTH = 96
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = re.compile(r"[\x7f\u0080-\u009f\u2028\u2029]")


def to_toml(document: Mapping[str, Any], notes: Mapping[At, str] | None = None) -> str:
    r"""The text of a document; a note stands behind its key or item, or above its table.

    Examples
    --------
    >>> print(to_toml({"roles": {"keys": ["age"]}, "steps": [{"method": "sample", "seed": 1}]}))
    [roles]
    keys = ["age"]
    <BLANKLINE>
    [[steps]]
    method = "sample"
    seed = 1
    <BLANKLINE>
    """
    written = _Text(notes or {})
    written.table((), document)
    return "\n".join(written.lines).strip("\n") + "\n"


class _Text:
    """The lines so far."""

    def __init__(self, notes: Mapping[At, str]) -> None:
        self.notes, self.lines = notes, list[str]()

    def table(self, at: At, table: Mapping[str, Any]) -> None:
        """Plain keys first, then what needs a header of its own."""
        later = {name: value for name, value in table.items() if self._apart((*at, name), value)}
        for name, value in table.items():
            if name not in later:
                self._pair((*at, name), value)
        for name, value in later.items():
            way = (*at, name)
            if isinstance(value, Mapping):
                self._header(way, f"[{_dotted(way)}]")
                self.table(way, value)
            else:
                for i, one in enumerate(value):
                    self._header((*way, i), f"[[{_dotted(way)}]]")
                    self.table((*way, i), one)

    def _apart(self, at: At, value: Any) -> bool:
        """Sections, lists of tables at the top, and tables too long for a line stand apart."""
        if isinstance(value, Mapping):
            noted = any(way[: len(at)] == at and len(way) > len(at) for way in self.notes)
            return len(at) == 1 or noted or len(inline(value)) > _WIDTH - 20
        tables = isinstance(value, list) and all(isinstance(one, Mapping) for one in value)
        return tables and bool(value) and len(at) == 1

    def _header(self, at: At, header: str) -> None:
        note = self.notes.get(at)
        self.lines += ["", *([f"# {line}" for line in note.split("\n")] if note else []), header]

    def _pair(self, at: At, value: Any) -> None:
        start = f"{key_text(str(at[-1]))} = "
        noted = any(way[:-1] == at for way in self.notes if way)
        line = start + inline(value)
        if isinstance(value, list) and (noted or len(line) > _WIDTH):
            self.lines += [start + "[" + self._behind(at)]
            self.lines += [
                f"    {inline(one)},{self._behind((*at, i))}" for i, one in enumerate(value)
            ]
            self.lines += ["]"]
        else:
            self.lines += [line + self._behind(at)]

    def _behind(self, at: At) -> str:
        note = self.notes.get(at)
        return f"  # {note}" if note else ""


def key_text(name: str) -> str:
    """A key as it is written: in quotes unless it is plain."""
    return name if _BARE.fullmatch(name) else _quoted(name)


def _dotted(at: Sequence[str | int]) -> str:
    return ".".join(key_text(part) for part in at if isinstance(part, str))


def inline(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        pairs = [f"{key_text(str(name))} = {inline(one)}" for name, one in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(inline(one) for one in value)}]"
    return str(int(value))


def _number(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        return str(value)  # nan, inf and -inf are the same in TOML
    return repr(value)


def _quoted(text: str) -> str:
    """A basic string; JSON escapes the same signs, and a few more are escaped to be seen."""
    plain = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", plain)
