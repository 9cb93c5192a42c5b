"""Recoding: a hierarchy fitted to the values of an attribute, as arrays of codes.

The loss of a group is Iyengar's: (leaves covered − 1) / (leaves − 1).

A value that the rule has no place for is an error, or is suppressed: it is in the top group from
level 1 on, which counts as covering every leaf. A missing value stays a group of its own up to a
level that is one group for all.

References
----------
V. S. Iyengar (2002), Transforming data to satisfy privacy constraints, KDD, section 2.2.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import Problem, fail, raise_all
from discreet.frames import array_of, texts_of
from discreet.hierarchies.explicit import not_nested
from discreet.hierarchies.files import rows_of, write_rows
from discreet.hierarchies.placement import DistinctValues, Placement, Rule, codes_of
from discreet.hierarchies.texts import plain, text_form

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Recoding:
    """The groups of an attribute's values on every level.

    Attributes
    ----------
    attribute : str
    values : pyarrow.Array
        The distinct values in the order of their codes.
    maps : tuple of numpy arrays
        Per level the code of each value's group: ``maps[level][code]``; level 0 is the identity.
        Group codes are 0, 1, … in the order of their first value.
    labels : tuple of pyarrow.Array
        Per level the label of each group; null is the group of the missing value.
    leaves : tuple of numpy arrays
        Per level the number of leaves that each group covers; 0 for a missing value that is not
        a leaf. A group that holds suppressed values covers all.
    n_leaves : int
        Leaves of the whole hierarchy; with a builder, the values that are not missing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from discreet.hierarchies.hierarchy import Hierarchy
    >>> zips = Hierarchy.prefixes([5, 3, 0]).fit("zip", pa.array(["41076", "41099", "43102"]))
    >>> zips
    Recoding of 'zip': 3 values, 3 leaves, groups per level 3, 2, 1
    >>> zips.maps[1].tolist(), zips.labels[1].to_pylist(), zips.shares(1).tolist()
    ([0, 0, 1], ['410**', '431**'], [0.5, 0.0])
    """

    attribute: str
    values: pa.Array
    maps: tuple[NDArray[np.int32], ...]
    labels: tuple[pa.Array, ...]
    leaves: tuple[NDArray[np.int64], ...]
    n_leaves: int

    @property
    def height(self) -> int:
        """Number of levels above the values."""
        return len(self.maps) - 1

    @property
    def groups(self) -> tuple[int, ...]:
        """Number of groups on each level."""
        return tuple(len(labels) for labels in self.labels)

    def __repr__(self) -> str:
        groups = ", ".join(f"{n:,}" for n in self.groups)
        return (
            f"Recoding of {self.attribute!r}: {len(self.values):,} values, "
            f"{self.n_leaves:,} leaves, groups per level {groups}"
        )

    def shares(self, level: int) -> NDArray[np.float64]:
        """The loss of each group of a level: (leaves covered − 1)/(leaves − 1), from 0 to 1."""
        self._require(level)
        if self.n_leaves <= 1:
            return np.zeros(len(self.leaves[level]))
        return np.maximum(self.leaves[level] - 1, 0) / (self.n_leaves - 1)

    def table(self, level: int | None = None) -> pa.Table:
        """The values and their labels on every level, or on one. This shows values."""
        if level is not None:
            self._require(level)
        chosen = range(1, self.height + 1) if level is None else [level]
        columns = {f"level{i}": self.labels[i].take(pa.array(self.maps[i])) for i in chosen}
        return pa.table({"value": self.values, **columns})

    def covers(self) -> pa.Table:
        """Each value beside every label that holds it, on all levels above the values. This shows
        values.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from discreet.hierarchies.hierarchy import Hierarchy
        >>> Hierarchy.suppress().fit("sex", pa.array(["F", "M"])).covers().to_pydict()
        {'value': ['F', 'M'], 'label': ['*', '*']}
        """
        above = range(1, self.height + 1)
        labels = [self.labels[level].take(pa.array(self.maps[level])) for level in above]
        held = pa.chunked_array([self.values] * len(labels), self.values.type)
        return pa.table({"value": held, "label": pa.chunked_array(labels, pa.string())})

    def to_csv(
        self,
        path: str | os.PathLike[str],
        *,
        separator: str = ";",
        overwrite: bool = False,
    ) -> None:
        """Write the values and their labels as a hierarchy file. This shows values.

        The missing value is left out unless the hierarchy names it.
        """
        texts = self.table().set_column(0, "value", self.labels[0])
        kept = self.values.is_valid().to_numpy(zero_copy_only=False) | (self.leaves[0] > 0)
        rows = rows_of(texts.filter(pa.array(kept)))
        write_rows(rows, path, separator=separator, overwrite=overwrite)

    def tree(self, most: int = 40) -> str:
        """Draw the groups from the top down, ``most`` lines at most. This shows values.

        A group that holds nothing but a group with the same label is drawn once.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from discreet.hierarchies.hierarchy import Hierarchy
        >>> fitted = Hierarchy.prefixes([5, 3, 0]).fit("zip", pa.array(["41076", "41099", "43102"]))
        >>> print(fitted.tree())
        *
        ├── 410**
        │   ├── 41076
        │   └── 41099
        └── 431**
            └── 43102
        """
        below = [_Children(*pair) for pair in itertools.pairwise(self.maps)]
        roots = range(self.groups[-1])
        lines = list(itertools.islice(self._lines(self.height, roots, "", below), most + 1))
        return "\n".join([*lines[:most], *(["…"] if len(lines) > most else [])])

    def _lines(
        self, level: int, codes: range | NDArray[np.int64], indent: str, below: list[_Children]
    ) -> Iterator[str]:
        top = level == self.height
        for code in codes:
            last = code == codes[-1]
            yield indent + ("" if top else "└── " if last else "├── ") + self._name(level, code)
            depth, inner = self._single(level, int(code), below)
            if depth:
                further = indent + ("" if top else "    " if last else "│   ")
                yield from self._lines(depth - 1, below[depth - 1](inner), further, below)

    def _single(self, level: int, code: int, below: list[_Children]) -> tuple[int, int]:
        """Go down while a group holds one group with the same label."""
        while level:
            inner = below[level - 1](code)
            name = self._name(level - 1, inner[0])
            if len(inner) > 1 or name != self._name(level, code):
                break
            level, code = level - 1, int(inner[0])
        return level, code

    def _name(self, level: int, code: int | np.int64) -> str:
        name = self.labels[level][int(code)].as_py()
        return "(missing)" if name is None else name

    def _require(self, level: int) -> None:
        if not 0 <= level <= self.height:
            fail(
                "P24",
                f"{self.attribute!r} has no level {level}.",
                f"Give a level from 0 to {self.height}.",
            )


def recoding(
    attribute: str,
    values: pa.Array,
    labels: list[pa.Array],
    covered: list[NDArray[np.int64]],
    n_leaves: int,
) -> Recoding:
    """Code the labels of the values (level 0 first) and count the leaves of each group."""
    identity = np.arange(len(values), dtype=np.int32)
    maps = [identity, *(codes_of(level) for level in labels[1:])]
    firsts = [np.unique(codes, return_index=True)[1] for codes in maps]
    leaves = []
    for codes, first, members in zip(maps, firsts, covered, strict=True):
        largest = np.zeros(len(first), dtype=np.int64)
        np.maximum.at(largest, codes, members)  # the missing value covers none, its group may
        leaves.append(largest)
    names = [level.take(array_of(first)) for level, first in zip(labels, firsts, strict=True)]
    return Recoding(attribute, values, tuple(maps), tuple(names), tuple(leaves), n_leaves)


class _Children:
    """The groups of a level inside each group of the next one."""

    def __init__(self, lower: NDArray[np.int32], upper: NDArray[np.int32]) -> None:
        parent = np.zeros(int(lower.max(initial=-1)) + 1, dtype=np.int64)
        parent[lower] = upper
        self._order = np.argsort(parent, kind="stable")
        self._starts = np.searchsorted(
            parent[self._order], np.arange(int(upper.max(initial=-1)) + 2)
        )

    def __call__(self, code: int | np.int64) -> NDArray[np.int64]:
        return self._order[self._starts[code] : self._starts[code + 1]]


def fit(rule: Rule, attribute: str, values: Any, counts: Any, *, suppress: bool) -> Recoding:
    """Place the values, complete what has no place, and code the labels."""
    given = _distinct(attribute, values, counts)
    found = rule.place(given)
    if found.problem and not suppress:
        raise_all([found.problem])
    labels, covered = _completed(found, given.there)
    if found.problem:
        _require_nested(attribute, labels)
    covered = [found.known.astype(np.int64), *covered]
    return recoding(attribute, given.array, [given.texts, *labels], covered, found.n_leaves)


def unmatched(rule: Rule, attribute: str, values: Any, counts: Any) -> NDArray[np.bool_]:
    """Which values the rule has no place for; a missing one always has."""
    given = _distinct(attribute, values, counts)
    return np.asarray(given.there & ~rule.place(given).known)


def _distinct(attribute: str, values: Any, counts: Any) -> DistinctValues:
    array = _array(attribute, values)
    texts = text_form(attribute, array)
    return DistinctValues(attribute, array, texts, _counts(attribute, array, counts))


def _completed(
    found: Placement, there: NDArray[np.bool_]
) -> tuple[list[pa.Array], list[NDArray[np.int64]]]:
    """Put lost values into the top group, and the missing value where all values are one group."""
    lost, missing = there & ~found.known, ~there & ~found.known
    top = texts_of([(found.tops[-1] if found.tops else None) or "*"])[0]
    labels, covers = [], []
    for level, only, covered in zip(found.labels, found.tops, found.covered, strict=True):
        level = pc.if_else(array_of(lost), top, level)
        if only is not None:
            level = pc.if_else(array_of(missing), texts_of([only])[0], level)
        labels.append(level)
        whole = lost if only is None else lost | missing  # in a group of every leaf
        covers.append(np.where(whole, found.n_leaves, covered))
    return labels, covers


def _require_nested(attribute: str, labels: list[pa.Array]) -> None:
    """Suppressed values share the label of the top, which a file may use for a lower group."""
    codes = [codes_of(level) for level in labels]
    problems = [
        Problem(
            "D20",
            f"{attribute!r}: suppressed values would join a group of level {i}, which has the "
            f"label of the top but is not in the top group of level {i + 1}.",
            "Give that group another label.",
        )
        for i in range(1, len(codes))
        if not_nested(codes[i - 1], codes[i])
    ]
    raise_all(problems)


def _array(attribute: str, values: Any) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        unusable = Problem(
            "P24", f"{attribute!r}: the values are not an array.", "Give a pyarrow array."
        )
        given, values = values, None
        with contextlib.suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
            values = pa.array(given)
        raise_all([unusable] if values is None else [])
    return plain(values)


def _counts(attribute: str, values: pa.Array, counts: Any) -> NDArray[np.int64] | None:
    if counts is None:
        return None
    numbers = np.asarray(counts)
    if numbers.shape != (len(values),) or (len(values) and numbers.dtype.kind not in "iu"):
        fail("P24", f"{attribute!r}: there is not one count per value.", "Give one for each.")
    return numbers.astype(np.int64)
