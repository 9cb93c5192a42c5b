"""Where something stands in a plan: the file and the line, or the way to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from discreet.errors import Problem
from discreet.plan.lines import At
from discreet.plan.toml import key_text


@dataclass(frozen=True)
class Where:
    """The plan's file and the lines of its keys; both empty for a plan made in Python."""

    file: str = ""
    lines: Mapping[At, int] = field(default_factory=dict)

    def problem(self, at: At, code: str, what: str, remedy: str) -> Problem:
        """A problem that says where it is."""
        return Problem(code, f"{self.said(at)}: {what}", remedy)

    def all(self, at: At, problems: Iterable[Problem]) -> list[Problem]:
        """The problems that were found at a place."""
        return [self.problem(at, p.code, p.what, p.remedy) for p in problems]

    def in_order(self, problems: Iterable[Problem]) -> list[Problem]:
        """Problems in the order of their lines; those without one come last."""
        lines = ((re.match(rf"{re.escape(self.file)}:(\d+) ", p.what), p) for p in problems)
        numbered = [(int(line[1]) if line else 10**9, p) for line, p in lines]
        return [p for _, p in sorted(numbered, key=lambda pair: pair[0])]

    def said(self, at: At) -> str:
        """``release.toml:7 (roles.keys)``, or ``roles.keys`` where there is no file."""
        way = spelled(at) or "the plan"
        if not self.file:
            return way
        known = next((at[:n] for n in range(len(at), 0, -1) if at[:n] in self.lines), ())
        line = f":{self.lines[known]}" if known else ""
        return f"{self.file}{line} ({way})" if at else self.file


def spelled(at: At) -> str:
    """``steps[0].method``."""
    text = ""
    for part in at:
        text += f"[{part}]" if isinstance(part, int) else f".{key_text(part)}"
    return text.removeprefix(".")
