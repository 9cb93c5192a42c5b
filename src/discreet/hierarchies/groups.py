"""Groups of a hierarchy by hand: values are put together, renamed and ordered, level by level.

Whatever is done, the levels nest: what is put into a group of a level follows that group on all
higher levels. Groups are named by their number, in the order of their first value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from discreet.errors import fail
from discreet.hierarchies.explicit import Explicit
from discreet.hierarchies.placement import Rule
from discreet.hierarchies.recoding import Recoding
from discreet.hierarchies.texts import leaf_form

_MISSING = "missing"  # the label of the missing value
LONGEST = 200  # characters of a label


@dataclass(frozen=True, repr=False)
class ValueGroups:
    """Values and their labels.

    Attributes
    ----------
    rows : tuple of tuple
        For each value its text, None for the missing one, and its label on each level.
    counts : tuple of int
        Records of each value.

    Examples
    --------
    >>> import pyarrow as pa
    >>> jobs = pa.array(["cook", "spy", "baker"])
    >>> import discreet as ds
    >>> made = ds.Hierarchy.suppress().groups("job", jobs, [9, 2, 5]).with_level(1)
    >>> made = made.put(1, [0, 2], "kitchen").renamed(1, 1, "secret")
    >>> made.labels(1), made.sizes(1)
    (('kitchen', 'secret'), (14, 2))
    >>> ds.Hierarchy.from_dict(made.leaves()).fit("job", jobs).labels[1].to_pylist()
    ['kitchen', 'secret']
    """

    rows: tuple[tuple[str | None, ...], ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, rule: Rule, fitted: Recoding, counts: Any) -> ValueGroups:
        """What a hierarchy makes of the values of an attribute, and of leaves of its own.

        The missing value is among them where the hierarchy names it.
        """
        levels = [
            fitted.labels[level].take(pa.array(fitted.maps[level])).to_pylist()
            for level in range(fitted.height + 1)
        ]
        own = _leaves(rule, fitted.values.type)
        found = {
            row[0]: (row, int(n))
            for row, n in zip(zip(*levels, strict=True), counts, strict=True)
            if row[0] is not None or None in own
        }
        every = {leaf: (row, 0) for leaf, row in own.items()} | found
        return cls(tuple(row for row, _ in every.values()), tuple(n for _, n in every.values()))

    @property
    def height(self) -> int:
        """Levels above the values."""
        return len(self.rows[0]) - 1

    def labels(self, level: int) -> tuple[str | None, ...]:
        """The labels of a level, in their order."""
        return tuple(dict.fromkeys(row[level] for row in self.rows))

    def members(self, level: int) -> tuple[int, ...]:
        """The number of each value's group on a level; on level 0 every value has its own."""
        numbers = {label: i for i, label in enumerate(self.labels(level))}
        return tuple(numbers[row[level]] for row in self.rows)

    def sizes(self, level: int) -> tuple[int, ...]:
        """Records of each group of a level."""
        found = [0] * len(self.labels(level))
        for group, n in zip(self.members(level), self.counts, strict=True):
            found[group] += n
        return tuple(found)

    def put(self, level: int, items: Sequence[int], label: str) -> ValueGroups:
        """Put groups of the level below into the group of this label, an old or a new one."""
        self._check(level, items, level - 1)
        label = _label(label)
        below = self.members(level - 1)
        moved = {i for i, group in enumerate(below) if group in set(items)}
        target = next((row for row in self.rows if row[level] == label), None)
        above = (target or self.rows[min(moved)])[level + 1 :]
        rows = [
            (*row[:level], label, *above) if i in moved else row for i, row in enumerate(self.rows)
        ]
        return replace(self, rows=tuple(rows))

    def merged(self, level: int, groups: Sequence[int], label: str) -> ValueGroups:
        """Make one group of several."""
        self._check(level, groups, level)
        pairs = zip(self.members(level - 1), self.members(level), strict=True)
        return self.put(level, sorted({b for b, group in pairs if group in set(groups)}), label)

    def renamed(self, level: int, group: int, label: str) -> ValueGroups:
        """Give a group another label; that of another group is refused."""
        self._check(level, [group], level)
        label, old = _label(label), self.labels(level)[group]
        if label != old and label in self.labels(level):
            fail("P24", "another group has this name.", "Merge the two, or choose another name.")
        rows = [
            (*row[:level], label, *row[level + 1 :]) if row[level] == old else row
            for row in self.rows
        ]
        return replace(self, rows=tuple(rows))

    def moved(self, level: int, group: int, by: int) -> ValueGroups:
        """Move a group up (by −1) or down in the order of its level."""
        self._check(level, [group], level)
        order = list(range(len(self.labels(level))))
        order.insert(max(0, group + by), order.pop(group))
        rank, members = {old: new for new, old in enumerate(order)}, self.members(level)
        at = sorted(range(len(self.rows)), key=lambda i: rank[members[i]])
        return ValueGroups(tuple(self.rows[i] for i in at), tuple(self.counts[i] for i in at))

    def with_level(self, level: int) -> ValueGroups:
        """Put a level in that has the groups of the one below, to be put together further."""
        self._check(level, (), level)
        rows = [(*row[:level], row[level - 1] or _MISSING, *row[level:]) for row in self.rows]
        return replace(self, rows=tuple(rows))

    def without_level(self, level: int) -> ValueGroups:
        """Take a level out."""
        self._check(level, (), level)
        if self.height == 1:
            fail("P24", "a hierarchy needs at least one level.", "Change its groups instead.")
        return replace(self, rows=tuple((*r[:level], *r[level + 1 :]) for r in self.rows))

    def leaves(self) -> dict[str | None, list[str | None]]:
        """Each value with its labels, as a hierarchy is made of it."""
        return {leaf: list(labels) for leaf, *labels in self.rows}

    def _check(self, level: int, groups: Sequence[int], of: int) -> None:
        known = range(len(self.labels(of))) if 0 <= of <= self.height else ()
        if not 1 <= level <= self.height or any(one not in known for one in groups):
            fail("P24", "there is no such level or group.", "Choose one of those that are there.")


def _label(given: Any) -> str:
    text = given.strip() if isinstance(given, str) else ""
    if not text or len(text) > LONGEST:
        what = f"a label has between 1 and {LONGEST} characters."
        fail("P24", what, "Write for example: 15–19.")
    return text


def _leaves(rule: Rule, kind: pa.DataType) -> dict[str | None, tuple[Any, ...]]:
    """The rows of a hierarchy that lists its leaves, written like the values."""
    if not isinstance(rule, Explicit):
        return {}
    written = [leaf_form(rule.levels[0], kind), *rule.levels[1:]]
    return {row[0]: row for row in zip(*(level.to_pylist() for level in written), strict=True)}
