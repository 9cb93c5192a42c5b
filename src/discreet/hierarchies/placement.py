"""Placement: where a rule puts the values of an attribute, level by level."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from discreet.errors import Problem, argument
from discreet.frames import array_of, numbers_of, texts_of
from discreet.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNMAPPED = argument("unmapped", "suppress", written='with_unmapped("suppress")')
SUPPRESS = f"Or suppress them with {_UNMAPPED}: from level 1 on they get the top label."


@dataclass(frozen=True, eq=False, repr=False)
class Placement:
    """The groups of each value from level 1 on.

    Attributes
    ----------
    labels : tuple of pyarrow.Array
        Per level the label of each value's group; null where the value has no place.
    covered : tuple of numpy arrays
        Per level the number of leaves in each value's group; 0 where it has no place.
    tops : tuple of str or None
        Per level the label of its one group, where the rule puts everything into one.
    known : numpy array
        Which values have a place.
    n_leaves : int
    problem : Problem or None
        What to say of the values that are there but have no place.
    """

    labels: tuple[pa.Array, ...]
    covered: tuple[NDArray[np.int64], ...]
    tops: tuple[str | None, ...]
    known: NDArray[np.bool_]
    n_leaves: int
    problem: Problem | None = None


@dataclass(frozen=True, eq=False, repr=False)
class DistinctValues:
    """The values of an attribute, as they are and as text, each once; missing ones are null.

    Attributes
    ----------
    counts : array of int, or None
        How many records have each value.
    """

    attribute: str
    array: pa.Array
    texts: pa.Array
    counts: NDArray[np.int64] | None

    @functools.cached_property
    def there(self) -> NDArray[np.bool_]:
        """Which of them are not missing."""
        return present(self.array)

    def problem(self, lost: NDArray[np.bool_], code: str, what: str, remedy: str) -> Problem | None:
        """The problem of values that are not ``what``, in numbers; None where there are none."""
        if not lost.any():
            return None
        known = self.counts
        records = "" if known is None else f" ({counted(int(known[lost].sum()), 'record')})"
        values = counted(int((self.there | lost).sum()), "value")
        number = f"{self.attribute!r}: {lost.sum():,} of {values}{records}"
        verb = "is" if lost.sum() == 1 else "are"
        return Problem(code, f"{number} {verb} not {what}", f"{remedy} {SUPPRESS}")


class Rule(Protocol):
    """How values get their labels."""

    @property
    def height(self) -> int | None:
        """Number of levels above the values; None when the data decide."""

    def describe(self) -> str:
        """The rule in a few words, without a value of the data."""

    def to_dict(self) -> dict[str, Any]:
        """The builder by name with its parameters, as a plan writes it."""

    def place(self, values: DistinctValues) -> Placement:
        """Place the values of an attribute."""


def placed(
    labels: Sequence[pa.Array],
    top: str | None,
    known: NDArray[np.bool_],
    problem: Problem | None = None,
) -> Placement:
    """The placement by a builder, whose leaves are the values of the data that have a place. A last
    level is one group, where it has a name."""
    tops: list[str | None] = [None] * len(labels)
    if top is not None:
        labels, tops = [*labels, _everything(top, known)], [*tops, top]
    return Placement(
        labels=tuple(labels),
        covered=tuple(np.where(known, members(label, known), 0) for label in labels),
        tops=tuple(tops),
        known=known,
        n_leaves=int(known.sum()),
        problem=problem,
    )


def members(labels: pa.Array, counted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each position, how many of the counted positions have the same label."""
    codes = codes_of(labels)
    return np.bincount(codes, weights=counted, minlength=1).astype(np.int64)[codes]


def codes_of(labels: pa.Array) -> NDArray[np.int32]:
    """Codes 0, 1, … of labels in order of first appearance; null is a label of its own."""
    encoded = labels.dictionary_encode(null_encoding="encode")
    return numbers_of(encoded.indices).astype(np.int32, copy=False)


def present(values: pa.Array) -> NDArray[np.bool_]:
    """Which values are not missing."""
    return numbers_of(values.is_valid())


def _everything(label: str, known: NDArray[np.bool_]) -> pa.Array:
    """The labels of a level that is one group."""
    return texts_of(["", label]).take(array_of(known.astype(np.int8), known))
