"""How what post-randomization is told stands in plans and commands: groups within which values
change, and the probability of categories to stay."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.hierarchies.written import HIERARCHY
from discreet.parameters import Notation, is_number, is_whole

LEVEL = "level"


def _is_within(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(one, Mapping) and is_whole(one.get(LEVEL, 1)) for one in value.values()
    )


def _split(one: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """What builds the hierarchy, and the level."""
    return {key: part for key, part in one.items() if key != LEVEL}, one.get(LEVEL, 1)


def _load_within(value: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    pairs = {name: _split(one) for name, one in value.items()}
    return {name: (HIERARCHY.load(built, folder), level) for name, (built, level) in pairs.items()}


def _dump_within(value: Mapping[str, Any]) -> dict[str, Any]:
    pairs = {n: one if isinstance(one, tuple | list) else (one, 1) for n, one in value.items()}
    return {
        name: {**HIERARCHY.dump(hierarchy), **({} if level == 1 else {LEVEL: int(level)})}
        for name, (hierarchy, level) in pairs.items()
    }


def _script_within(value: Mapping[str, Any]) -> str:
    pairs = {name: _split(one) for name, one in value.items()}
    shown = [f"{name!r}: ({HIERARCHY.script(built)}, {level})" for name, (built, level) in
             pairs.items()]  # fmt: skip
    return f"{{{', '.join(shown)}}}"


def _read(text: str) -> Any:
    """A table as a plan writes it: ``{ edu = { file = "edu.csv" } }``."""
    try:
        return tomllib.loads(f"given = {text}")["given"]
    except tomllib.TOMLDecodeError:
        raise ValueError("not a table") from None


WITHIN = Notation(
    "a table of columns, each with a hierarchy and a level",
    _is_within,
    _load_within,
    _dump_within,
    _script_within,
    {"type": "object", "additionalProperties": {"type": "object"}},
    section="hierarchies",
    read=_read,
)


def _is_diagonals(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(one, Mapping) and all(is_number(p) and 0 <= p <= 1 for p in one.values())
        for one in value.values()
    )


DIAGONALS = Notation(
    "a table of columns, each with a table of categories and probabilities",
    _is_diagonals,
    dump=lambda value: {n: {str(c): float(p) for c, p in o.items()} for n, o in value.items()},
    schema={
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
        },
    },
    read=_read,
)
