"""How what a masking method is told stands in plans and commands, where it is more than words,
numbers and columns: which columns go together, which flag cells that stay, which lose the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.data import attributes
from discreet.parameters import Notation, is_whole

TOGETHER = "+"  # between the names of columns that go together


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(TOGETHER)]


# -- lists of columns ------------------------------------------------------------------------------


def _is_lists(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_names, value))


def _read_lists(text: str) -> list[list[str]]:
    """As a command has them: "size+type,size"."""
    return [_names(part) for part in text.split(",")]


LISTS = Notation(
    "a list of lists of columns",
    _is_lists,
    dump=lambda value: [list(attributes.names(one)) for one in value],
    schema={"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
    read=_read_lists,
)


# -- sets of keys ----------------------------------------------------------------------------------


def _is_subsets(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and is_whole(k) for name, k in value.items())
    return is_whole(value) or _is_lists(value)


def _dump_subsets(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_text(keys): int(k) for keys, k in value.items()}
    return int(value) if is_whole(value) else LISTS.dump(value)


def _text(keys: Any) -> str:
    return str(int(keys)) if is_whole(keys) else TOGETHER.join(attributes.names(keys))


def _read_subsets(text: str) -> Any:
    """As a command has them: "3", "2=5,3=3", "age+sex=5" or "age+sex,age+zip"."""
    if text.isdecimal():
        return int(text)
    parts = [part.strip() for part in text.split(",")]
    if all("=" in part for part in parts):
        pairs = [part.rpartition("=") for part in parts]
        return {keys.strip(): int(k) for keys, _, k in pairs}
    return _read_lists(text)


def keys_in(value: Any) -> list[str]:
    """The keys that a plan names in sets."""
    if isinstance(value, Mapping):
        named = [str(keys) for keys in value if not str(keys).isdecimal()]
        return [name for keys in named for name in keys.split(TOGETHER)]
    return [] if is_whole(value) else [name for keys in value for name in keys]


SUBSETS = Notation(
    'a number of keys, a table of these or of keys ("age+sex") and k, or a list of lists of keys',
    _is_subsets,
    dump=_dump_subsets,
    read=_read_subsets,
    schema={
        "anyOf": [
            {"type": "integer", "minimum": 1},
            {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
            LISTS.schema,
        ]
    },
)


# -- flags and linked attributes -------------------------------------------------------------------


def _is_flags(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and isinstance(flag, str) for key, flag in value.items()
    )


def _pairs(text: str) -> list[tuple[str, str]]:
    found = [part.partition("=") for part in text.split(",")]
    if not all(equals and value for _, equals, value in found):
        raise ValueError("a part without '='")
    return [(key.strip(), value.strip()) for key, _, value in found]


FLAGS = Notation(
    "a table of keys and columns that flag the cells that stay",
    _is_flags,
    dump=lambda value: {str(key): str(flag) for key, flag in value.items()},
    read=lambda text: dict(_pairs(text)),
    schema={"type": "object", "additionalProperties": {"type": "string"}},
)


def _is_linked(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and _is_names(names) for key, names in value.items()
    )


def _read_linked(text: str) -> dict[str, list[str]]:
    """As a command has them: "age=birth_year+age_group,zip=town"."""
    return {key: _names(names) for key, names in _pairs(text)}


LINKED = Notation(
    "a table of keys and lists of columns that lose the same cells",
    _is_linked,
    dump=lambda value: {str(key): list(attributes.names(names)) for key, names in value.items()},
    read=_read_linked,
    schema={
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "string"}},
    },
)


def names_in(value: Any) -> list[str]:
    """The columns of a table of keys and columns."""
    return [name for key, some in value.items() for name in (key, *attributes.names(some))]
