"""Explicit hierarchies: every leaf is listed with its label on each level.

Sweeney's value generalization hierarchy as a table: one row per leaf, one column per level.
Leaves are counted in the hierarchy, whether or not they occur in the data.

They are also written as Python dictionaries: flat (leaf → labels) or as a tree from the top.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import Problem, fail, raise_all
from discreet.frames import array_of, numbers_of, texts_of
from discreet.hierarchies.placement import DistinctValues, Placement, codes_of, members, present
from discreet.hierarchies.texts import leaf_form, text_of
from discreet.surface import in_python
from discreet.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray
_ALONE = "Write {'leaf': ['*'], …}, or use"
_MOST = 100  # levels; a dictionary that contains itself has no end


@dataclass(frozen=True, repr=False)
class Explicit:
    """A table of leaves and labels that nests; ``levels[0]`` are the leaves, each once."""

    levels: tuple[pa.Array, ...]
    origin: str
    file: Path | None = field(default=None, compare=False)
    separator: str | None = field(default=None, compare=False)

    @classmethod
    def of(cls, levels: Sequence[pa.Array], origin: str) -> Explicit:
        """Check a table of leaves and labels; a leaf repeated with the same labels counts once."""
        first, conflicts = _first_rows(levels)
        distinct = tuple(level.take(array_of(first)) for level in levels)
        raise_all(
            [
                *_unlabelled(levels, origin),
                *_repeated(conflicts, origin),
                *_not_nested(distinct, origin),
            ]
        )
        return cls(distinct, origin)

    @property
    def height(self) -> int:
        """Number of levels above the leaves."""
        return len(self.levels) - 1

    def describe(self) -> str:
        """The number of leaves and levels, and where they come from."""
        return f"{len(self.levels[0]):,} leaves, height {self.height}, from {self.origin}"

    def to_dict(self) -> dict[str, Any]:
        """The file, or else each leaf with its labels; the missing value is the leaf ''."""
        if self.file is not None:
            chosen = {} if self.separator is None else {"separator": self.separator}
            return {"file": str(self.file), **chosen}
        rows = zip(*(level.to_pylist() for level in self.levels), strict=True)
        return {"leaves": {leaf or "": labels for leaf, *labels in rows}}

    @functools.cached_property
    def covered(self) -> tuple[NDArray[np.int64], ...]:
        """Per level ≥ 1 the number of leaves in each leaf's group."""
        every = np.ones(len(self.levels[0]), dtype=np.bool_)
        return tuple(members(level, every) for level in self.levels[1:])

    def table(self) -> pa.Table:
        """The leaves and their labels."""
        names = ["value", *(f"level{i}" for i in range(1, len(self.levels)))]
        return pa.table(list(self.levels), names=names)

    def place(self, values: DistinctValues) -> Placement:
        """Look each value up among the leaves, by its text form."""
        written, texts = self._written_like(values.array.type), values.texts
        # a missing value finds the missing leaf, where the hierarchy names it
        rows = pc.index_in(texts, value_set=written.levels[0])
        known = present(rows)
        at = numbers_of(rows, 0)
        return Placement(
            labels=tuple(level.take(rows) for level in written.levels[1:]),
            covered=tuple(np.where(known, covered[at], 0) for covered in written.covered),
            tops=tuple(_only_label(level) for level in written.levels[1:]),
            known=known,
            n_leaves=len(written.levels[0]),
            problem=written._unmapped(values, ~known & present(texts)),
        )

    def _written_like(self, kind: pa.DataType) -> Explicit:
        leaves = leaf_form(self.levels[0], kind)
        if leaves.equals(self.levels[0]):
            return self
        return Explicit.of([leaves, *self.levels[1:]], self.origin)

    def _unmapped(self, values: DistinctValues, lost: NDArray[np.bool_]) -> Problem | None:
        if not lost.any():
            return None
        texts = _folded(values.texts.filter(pa.array(lost)))
        n = pc.is_in(texts, value_set=_folded(self.levels[0])).true_count
        differ = "differs" if n == 1 else "differ"
        hint = f"{n:,} of them {differ} only in blanks or case. " if n else ""
        what = f"in {self.origin}."
        return values.problem(lost, "D20", what, f"{hint}Add what is missing there.")


def not_nested(
    lower: NDArray[np.int32], upper: NDArray[np.int32], among: NDArray[np.bool_] | None = None
) -> int:
    """How many groups of a level have members in different groups of the next."""
    if among is not None:
        lower, upper = lower[among], upper[among]
    if not len(lower):
        return 0
    parent = np.zeros(int(lower.max()) + 1, dtype=np.int32)
    parent[lower] = upper
    return len(np.unique(lower[parent[lower] != upper]))


def _first_rows(levels: Sequence[pa.Array]) -> tuple[NDArray[np.int64], int]:
    """The first row of each leaf, and how many leaves have a later row with other labels."""
    leaf = codes_of(levels[0])
    _, first = np.unique(leaf, return_index=True)
    differs = np.zeros(len(leaf), dtype=np.bool_)
    for level in levels[1:]:
        codes = codes_of(level)
        differs |= codes != codes[first[leaf]]
    return first, len(np.unique(leaf[differs]))


def _unlabelled(levels: Sequence[pa.Array], origin: str) -> list[Problem]:
    nothing = texts_of([""])[0]
    empty = [
        (i, level.null_count + pc.equal(level, nothing).true_count)
        for i, level in enumerate(levels[1:], 1)
    ]
    remedy = "Where a branch ends early, repeat its last label up to the top."
    return [
        Problem("S11", f"{origin}: level {i} has {counted(n, 'empty label')}.", remedy)
        for i, n in empty
        if n
    ]


def _repeated(conflicts: int, origin: str) -> list[Problem]:
    what = f"{origin}: {counted(conflicts, 'leaf')} listed more than once, with different labels."
    return [Problem("S12", what, "List each leaf once.")] if conflicts else []


def _not_nested(levels: Sequence[pa.Array], origin: str) -> list[Problem]:
    codes = [codes_of(level) for level in levels]
    torn = [
        (i, not_nested(codes[i], codes[i + 1], present(levels[i])))
        for i in range(1, len(codes) - 1)
    ]
    remedy = "Values that are together on a level must be together on every higher one."
    return [
        Problem(
            "S13",
            f"{origin}: level {i} does not nest in level {i + 1} ({counted(n, 'group')}).",
            remedy,
        )
        for i, n in torn
        if n
    ]


def _only_label(level: pa.Array) -> str | None:
    distinct = level.unique()
    return distinct[0].as_py() if len(distinct) == 1 else None


def _folded(texts: pa.Array) -> pa.Array:
    return pc.utf8_lower(pc.utf8_trim_whitespace(texts))


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
                "'*' is listed as a leaf, and the leaves as its labels: they are swapped.",
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
        found = ", ".join(
            f"{counted(n, 'leaf')} {'has' if n == 1 else 'have'} {depth}"
            for depth, n in sorted(depths.items())
        )
        fail(
            "P23",
            f"leaves have different numbers of levels above them: {found}.",
            "Where a branch ends early, repeat its label: {'Asia': {'Asia': ['JP']}}.",
        )
    if not depths or not next(iter(depths)):
        fail("P23", "there is no leaf with a level above it.", "Give each leaf its labels.")
