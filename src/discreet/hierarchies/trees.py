"""Hierarchies written as Python dictionaries: flat (leaf → labels) or as a tree from the top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from discreet.errors import fail, in_python
from discreet.hierarchies.texts import text_of

_ALONE = "Write {'leaf': ['*'], …}, or use"
_MOST = 100  # levels; a dictionary that contains itself has no end


def levels_of(mapping: Mapping[Any, Any]) -> list[pa.Array]:
    """The leaves and their labels, level by level, of a dictionary in either form."""
    if not isinstance(mapping, Mapping) or not mapping:
        fail("P23", "there is no leaf.", "Write {'leaf': ['level 1', 'level 2'], …}.")
    nested = any(isinstance(value, Mapping) for value in mapping.values())
    paths = list(_walk(mapping, ()) if nested else _flat(mapping))
    _refuse_uneven(paths)
    return [pa.array(column, pa.string()) for column in zip(*paths, strict=True)]


def _flat(mapping: Mapping[Any, Any]) -> Iterator[tuple[str | None, ...]]:
    for leaf, labels in mapping.items():
        several = isinstance(labels, Iterable) and not isinstance(labels, str | bytes)
        path = tuple(text_of(label) for label in labels) if several else (text_of(labels),)
        if leaf == "*" and set(path) != {"*"}:
            fail(
                "P23",
                "'*' is listed as a leaf: this reads as a tree of one level written as leaves.",
                f"{in_python(_ALONE)} {in_python('Hierarchy.suppress()')}.",
            )
        yield (text_of(leaf), *path)


def _walk(node: Any, above: tuple[str | None, ...]) -> Iterator[tuple[str | None, ...]]:
    """The paths from each leaf up, depth first."""
    if len(above) > _MOST:
        fail("P23", f"the tree has more than {_MOST} levels.", "It may contain itself.")
    if isinstance(node, Mapping):
        for label, below in node.items():
            yield from _walk(below, (text_of(label), *above))
    elif isinstance(node, Iterable) and not isinstance(node, str | bytes):
        for leaf in node:
            yield from _walk(leaf, above)
    else:
        yield (text_of(node), *above)


def _refuse_uneven(paths: list[tuple[str | None, ...]]) -> None:
    depths = Counter(len(path) - 1 for path in paths)
    if len(depths) > 1:
        found = ", ".join(f"{n:,} have {depth}" for depth, n in sorted(depths.items()))
        fail(
            "P23",
            f"the leaves have different numbers of levels above them: {found}.",
            "Where a branch ends early, repeat its label: {'Asia': {'Asia': ['JP']}}.",
        )
    if not depths or not next(iter(depths)):
        fail("P23", "there is no leaf with a level above it.", "Give each leaf its labels.")
