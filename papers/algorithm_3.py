"""Algorithm 3 of Truta & Vinay (2006), to the letter and with its slips repaired one by one.

It is here to show what the slips do, and is no part of discreet: plain Python over lists of
records, one confidential attribute, the suppression of the classes smaller than k.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Levels = tuple[int, ...]
Recoding = Sequence[Mapping[str, str]]  # per level: value → label


@dataclass(frozen=True)
class Problem:
    """Records as (key values, confidential value), and how each key is recoded by level."""

    records: Sequence[tuple[tuple[str, ...], str]]
    recodings: Sequence[Recoding]
    p: int
    k: int
    threshold: int

    def classes(self, levels: Levels) -> dict[tuple[str, ...], list[str]]:
        """The confidential values in each class of a node."""
        found: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for keys, value in self.records:
            chosen = zip(self.recodings, levels, keys, strict=True)
            found[tuple(recoding[level][key] for recoding, level, key in chosen)].append(value)
        return found

    def satisfied(self, levels: Levels, *, failing: bool = False) -> bool:
        """Algorithm 1, after the classes smaller than k, or all failing ones, are suppressed."""
        classes = self.classes(levels).values()
        left = [v for v in classes if len(v) >= self.k and (not failing or self._diverse(v))]
        gone = len(self.records) - sum(map(len, left))
        return gone <= self.threshold and all(map(self._diverse, left))

    def _diverse(self, values: list[str]) -> bool:
        return len(set(values)) >= self.p

    def most_classes(self) -> int:
        """Condition 2 on the initial file."""
        counts = Counter(value for _, value in self.records).most_common()
        covered = list(itertools.accumulate(count for _, count in counts))
        if self.p > len(covered):
            return 0
        n = len(self.records)
        return min((n - covered[self.p - i - 1]) // i for i in range(1, self.p))

    def at_height(self, height: int) -> list[Levels]:
        """The nodes of a height, in lexicographic order."""
        nodes = itertools.product(*(range(len(recoding)) for recoding in self.recodings))
        return [levels for levels in nodes if sum(levels) == height]


def algorithm_3(
    problem: Problem,
    *,
    go_on: bool = False,
    after_suppression: bool = False,
    try_the_top: bool = False,
) -> Levels | None:
    """The node that the algorithm returns, or None; by default as it is printed.

    Parameters
    ----------
    problem : Problem
    go_on : bool
        When a node has too many classes, try the next one of its height (slip 4).
    after_suppression : bool
        Compare Condition 2 with the classes that are left (slip 4b).
    try_the_top : bool
        Test the height at which the search ends, when no other was reached there.
    """
    low, high, found = 0, sum(len(recoding) - 1 for recoding in problem.recodings), None
    most = problem.most_classes()
    while low < high:
        middle = (low + high) // 2
        reached = _first(problem, middle, most, go_on, after_suppression)
        if reached is None:
            low = middle + 1
        else:
            high, found = middle, reached
    if found is None and try_the_top:
        found = _first(problem, low, most, go_on, after_suppression)
    return found


def _first(
    problem: Problem, height: int, most: int, go_on: bool, after_suppression: bool
) -> Levels | None:
    """The first node of a height that satisfies."""
    for levels in problem.at_height(height):
        sizes = [len(values) for values in problem.classes(levels).values()]
        counted = sum(size >= problem.k for size in sizes) if after_suppression else len(sizes)
        if counted > most:
            if go_on:
                continue
            return None
        if problem.satisfied(levels):
            return levels
    return None


def least_height(problem: Problem, *, failing: bool = False) -> int | None:
    """The least height of a node that satisfies, by trying each; None when there is none."""
    top = sum(len(recoding) - 1 for recoding in problem.recodings)
    for height in range(top + 1):
        if any(problem.satisfied(levels, failing=failing) for levels in problem.at_height(height)):
            return height
    return None
