"""Counting in four readings: initial and released keys, which of them fit, and for how many.

Only distinct combinations of initial and released keys cross from the engine, with their numbers;
what was counted for a combination is joined to its records there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from discreet.data.link import Linked
from discreet.errors import listed
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.related_tuples import alike_sums, related_sums
from discreet.risks.key_covers import key_cover
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Ints

READINGS = ("category", "wildcard", "target", "source")


@dataclass(frozen=True, eq=False, repr=False)
class ReadingCounts:
    """One number per combination of keys.

    Attributes
    ----------
    numbers, records : arrays
        The number of each combination, and how many released records have it.
    made : function
        The masked records with their number as a further column of a name, still lazy.
    """

    numbers: Ints
    records: Ints
    made: Callable[[str], Any]

    @property
    def least(self) -> int:
        """The smallest number."""
        return int(self.numbers.min())

    def below(self, k: int) -> int:
        """How many records have a smaller number than k."""
        return int(self.records[self.numbers < k].sum())


@dataclass(frozen=True, eq=False)
class FourCounts:
    """What is counted for combinations of keys.

    Attributes
    ----------
    known, shown : FrequencySet
        Initial and released keys of the released records.
    numbers : mapping of reading to array
        Per released combination, for the target count per initial one.
    lost : tuple of int
        Per key in how many records the released value does not stand for the initial one; where
        there are some, only the category count is taken.
    """

    known: FrequencySet
    shown: FrequencySet
    numbers: Mapping[str, Ints]
    lost: tuple[int, ...]


def four_counts(
    keys: tuple[str, ...], pairs: pa.Table, tables: Mapping[str, Any], *, unknown_fits: bool
) -> FourCounts:
    """Count by distinct pairs of initial (x0, …) and released (y0, …) keys and their number.

    ``tables`` holds per key which label may stand for which value, see :func:`key_cover`.
    """
    names = pairs.column_names[:-1]
    both, p = FrequencySet.from_arrow(names, pairs), len(keys)
    known, shown = (replace(both.rollup(part), attributes=keys) for part in (names[:p], names[p:]))
    held = [
        (key, known.values[i], shown.values[i], tables.get(key, ())) for i, key in enumerate(keys)
    ]
    strict = [key_cover(*one) for one in held]
    lost = tuple(
        int(both.counts[~cover.holds(both.codes[i], both.codes[p + i])].sum())
        for i, cover in enumerate(strict)
    )
    if any(lost):
        return FourCounts(known, shown, {"category": shown.counts}, lost)
    covers = [key_cover(*one, unknown_fits=True) for one in held] if unknown_fits else strict
    target, source = related_sums(known.codes, shown.codes, covers, known.counts, shown.counts)
    wildcard = alike_sums(shown.codes, strict, shown.missing, shown.counts)
    numbers = (shown.counts, wildcard, target, source)
    return FourCounts(known, shown, dict(zip(READINGS, numbers, strict=True)), lost)


def reading_counts(
    linked: Linked, tables: Mapping[str, Any]
) -> tuple[dict[str, ReadingCounts], dict[str, str]]:
    """The counts that can be taken of two files, and why others cannot."""
    unknown = "wildcard" in (linked.initial.missing, linked.masked.missing)
    keys = linked.pair.keys
    found = four_counts(keys, linked.key_counts(), tables, unknown_fits=unknown)
    counts = {}
    for name, numbers in found.numbers.items():
        by_initial = name == "target"
        held = found.known if by_initial else found.shown
        made = functools.partial(_numbered, linked, held, numbers, by_initial=by_initial)
        counts[name] = ReadingCounts(numbers, held.counts, made)
    reason = _uncovered(linked, found.lost)
    return counts, {name: reason for name in READINGS if name not in counts}


def _numbered(
    linked: Linked,
    combinations: FrequencySet,
    numbers: Ints,
    name: str,
    *,
    by_initial: bool,
) -> Any:
    import pyarrow as pa

    table = combinations.combinations().append_column("number", pa.array(numbers))
    return linked.numbered(name, table, by_initial=by_initial)


def _uncovered(linked: Linked, lost: Sequence[int]) -> str:
    """Why the released values do not tell for whom they stand."""
    named = listed([key for key, n in zip(linked.pair.keys, lost, strict=True) if n])
    order = (
        " The records were linked row by row: if the masked file is in another order, name a "
        "column that links them."
        if linked.in_order
        else ""
    )
    verb = "has" if max(lost) == 1 else "have"
    return (
        f"{counted(max(lost), 'record')} {verb} a released value that does not stand for the "
        f"initial one ({named}). Where values became groups, give the hierarchies; where they were "
        f"perturbed, only the category count can be taken.{order}"
    )
