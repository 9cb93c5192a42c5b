"""Builders for codes and categories: prefixes, one group for all, rare ones together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import Problem, argument, fail, raise_all
from discreet.hierarchies.placement import DistinctValues, Placement, placed
from discreet.parameters import is_whole


@dataclass(frozen=True, repr=False)
class Prefixes:
    """The first characters of a code from level 1 on, the others shown as ``*``."""

    lengths: tuple[int, ...]  # of the levels 1, 2, …
    top: str | None
    first: int = field(default=0, compare=False)  # of level 0, which is the code as it is

    @classmethod
    def of(cls, lengths: Sequence[Any], top: str | None) -> Prefixes:
        """Check the lengths, which are listed from level 0 on."""
        given = list(lengths) if np.iterable(lengths) else [lengths]
        raise_all(_length_problems(given))
        kept = tuple(int(n) for n in given[1:] if n)
        if given[-1] == 0:
            top = top or "*"
        if not kept and top is None:
            fail("P21", "there is no level above the codes.", "Give the length of level 1.")
        return cls(kept, top, int(given[0]))

    @property
    def height(self) -> int:
        """Number of levels above the codes."""
        return len(self.lengths) + (self.top is not None)

    def describe(self) -> str:
        """The lengths."""
        lengths = ", ".join(map(str, self.lengths))
        words = [f"prefixes of {lengths}"] if lengths else []
        return ", then ".join([*words, *([self.top] if self.top else [])])

    def to_dict(self) -> dict[str, Any]:
        """The lengths from level 0 on."""
        return {"prefixes": [self.first, *self.lengths], "top": self.top}

    def place(self, values: DistinctValues) -> Placement:
        """Cut each code."""
        labels = [_cut(values.texts, length) for length in self.lengths]
        return placed(labels, self.top, values.there)


@dataclass(frozen=True, repr=False)
class Suppress:
    """Everything in one group on level 1."""

    top: str

    @property
    def height(self) -> int:
        """One level."""
        return 1

    def describe(self) -> str:
        """The label of the one group."""
        return f"all values as {self.top}"

    def to_dict(self) -> dict[str, Any]:
        """The label."""
        return {"suppress": True, "top": self.top}

    def place(self, values: DistinctValues) -> Placement:
        """Put everything into one group."""
        return placed([], self.top, values.there)


@dataclass(frozen=True, repr=False)
class ByFrequency:
    """The most frequent categories kept, fewer on each level, the others in one group."""

    steps: tuple[int, ...] | int | None
    other: str
    top: str

    @classmethod
    def of(cls, steps: Any, other: str, top: str) -> ByFrequency:
        """Check the steps."""
        if steps is None or _is_count(steps):
            return cls(steps, other, top)
        given = list(steps) if np.iterable(steps) and not isinstance(steps, str) else []
        if not given or not all(map(_is_count, given)) or given != sorted(set(given), reverse=True):
            fail(
                "P22",
                f"{argument('steps')} does not say how many categories each level keeps.",
                "Give whole numbers of at least 1, each smaller than the one before: "
                f"{argument('steps', '[10, 5, 2]')}.",
            )
        return cls(tuple(int(n) for n in given), other, top)

    @property
    def height(self) -> int | None:
        """Known beforehand when the categories kept on each level are given."""
        return len(self.steps) + 1 if isinstance(self.steps, tuple) else None

    def describe(self) -> str:
        """The steps."""
        kept = "their number halved"
        if isinstance(self.steps, tuple):
            kept = f"{', '.join(map(str, self.steps))} kept"
        return f"most frequent categories, {kept}, then {self.top}"

    def to_dict(self) -> dict[str, Any]:
        """The steps; True when the number kept is halved down to one."""
        steps = list(self.steps) if isinstance(self.steps, tuple) else self.steps
        return {
            "by_frequency": True if steps is None else steps,
            "other": self.other,
            "top": self.top,
        }

    def place(self, values: DistinctValues) -> Placement:
        """Rank the categories by their counts, ties by the order of the values."""
        known, counts = values.there, values.counts
        if counts is None:
            fail(
                "P24",
                f"{values.attribute!r}: the counts are not given.",
                f"Give {argument('counts')} when fitting.",
            )
        order = np.lexsort((np.arange(len(known)), -counts, ~known))  # the missing value last
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        labels = [
            pc.if_else(pa.array(~known | (rank < kept)), values.texts, self.other)
            for kept in self._kept(int(known.sum()))
        ]
        return placed(labels, self.top, known)

    def _kept(self, categories: int) -> list[int]:
        if isinstance(self.steps, tuple):
            return list(self.steps)
        # a group of one would only hide a name: two categories go straight to the top
        halvings = categories.bit_length() - 1 if categories > 2 else 0
        most = halvings if self.steps is None else min(self.steps, halvings)
        return [categories >> level for level in range(1, most + 1)]


def _length_problems(lengths: list[Any]) -> list[Problem]:
    if not lengths:
        return [Problem("P21", "no length is given.", "List the lengths from level 0 on: 5, 3, 0.")]
    problems = [
        Problem("P21", f"the length of level {level} is not a whole number ≥ 0.", "Correct it.")
        for level, length in enumerate(lengths)
        if not is_whole(length) or length < 0
    ]
    if problems:
        return problems
    return [
        Problem(
            "P21",
            f"the prefix of level {level} is not shorter than that of level {level - 1}.",
            "List the lengths from level 0 on, each shorter than the one before.",
        )
        for level in range(1, len(lengths))
        if lengths[level] >= lengths[level - 1]
    ]


def _is_count(number: Any) -> bool:
    return is_whole(number) and number >= 1


def _cut(texts: pa.Array, length: int) -> pa.Array:
    """The first characters, then ``*`` up to the length of the code; shorter codes stay."""
    hidden = pc.max_element_wise(pc.subtract(pc.utf8_length(texts), length), 0, skip_nulls=False)
    stars = pc.binary_repeat(pa.scalar("*"), hidden)
    return pc.binary_join_element_wise(pc.utf8_slice_codeunits(texts, 0, length), stars, "")
