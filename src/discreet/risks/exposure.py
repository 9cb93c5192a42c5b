"""Exposure: per record, what knowing each set of attributes identifies and what it leaves to learn.

reach(r) = Σ PK/count, spent(r) = Σ PK·S_KS(r)/count over the known sets KS, T(r) the sensitivity of
all values of the record: D(r) = α · [T(r)·reach(r) − spent(r)].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet.errors import Problem, argument, raise_all
from discreet.kernels.compatible import compatible_counts, compatible_totals
from discreet.kernels.packing import pack
from discreet.progress import stage
from discreet.risks.sensitivity import RiskSettings
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata
    from discreet.kernels.arrays import Floats

    Sets = list[tuple[int, ...]]
    CodedColumn = tuple[pa.Array, NDArray[np.unsignedinteger]]  # values, and each record's rank
    Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Exposure:
    """What the risk of each record is made of.

    ``shares()`` gives the part of the total risk over α, per known set and per attribute as
    sensitive.
    """

    reach: Floats
    spent: Floats
    sensitivity: Floats
    shares: Callable[[], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class CodedRecords:
    """The attributes of the records as codes, with the sensitivity of what each code stands for."""

    columns: tuple[NDArray[np.unsignedinteger], ...]
    cardinalities: tuple[int, ...]
    missing: tuple[int, ...]
    weights: tuple[Floats | None, ...]

    @classmethod
    def of(cls, data: Microdata, settings: RiskSettings) -> CodedRecords:
        """Code the attributes of the settings, in their order."""
        found = [data.coded(name) for name in settings.attributes]
        return cls._of(found, _weights(data, settings, found))

    @classmethod
    def plain(cls, data: Microdata, names: Sequence[str]) -> CodedRecords:
        """Code some attributes, none of which is sensitive."""
        return cls._of([data.coded(name) for name in names], (None,) * len(names))

    @classmethod
    def _of(cls, coded: Sequence[CodedColumn], weights: tuple[Floats | None, ...]) -> CodedRecords:
        return cls(
            tuple(codes for _, codes in coded),
            tuple(len(values) for values, _ in coded),
            tuple(len(values) - 1 if values.null_count else -1 for values, _ in coded),
            weights,
        )

    def sensitivity(self, rows: NDArray[np.intp], a: int) -> Floats:
        """The sensitivity of one value of some records."""
        weights = self.weights[a]
        return np.zeros(len(rows)) if weights is None else weights[self.columns[a][rows]]


def _weights(
    data: Microdata, settings: RiskSettings, coded: Sequence[CodedColumn]
) -> tuple[Floats | None, ...]:
    """The sensitivity of each code; values that a table does not list are an error, by count."""
    weights: list[Floats | None] = []
    problems = []
    for name, (values, codes) in zip(settings.attributes, coded, strict=True):
        found = settings.weights(name, values)
        unlisted = np.isnan(found)
        if unlisted.any():
            records = int(np.bincount(codes, minlength=len(found))[unlisted].sum())
            what = (
                f"a value of {name!r} has no weight, in {counted(records, 'record')} "
                f"of {data.name}."
            )
            remedy = (
                f"Add {counted(int(unlisted.sum()), 'missing value')} to its table, or give "
                f"{argument('default')}."
            )
            problems.append(Problem("D40", what, remedy))
        weights.append(found if found.any() else None)
    raise_all(problems)
    return tuple(weights)


def exposure(
    data: Microdata, settings: RiskSettings, sets: Sets, probabilities: Floats
) -> Exposure:
    """Count every known set and add up what it identifies, by the file's policy on missing values:
    a category of its own, or a wildcard that matches every value."""
    records = CodedRecords.of(data, settings)
    return of_records(records, sets, probabilities, wildcard=data.missing == "wildcard")


def of_records(
    records: CodedRecords, sets: Sets, probabilities: Floats, *, wildcard: bool = False
) -> Exposure:
    """The exposure of coded records."""
    from discreet.kernels.known_sets.cells import record_sums

    with stage("counting known sets", len(sets)) as advance:
        if wildcard and any(m >= 0 for m in records.missing):
            return _compatible(records, sets, probabilities, advance)
        reach, spent, sensitivity = record_sums(
            records.columns,
            records.cardinalities,
            sets,
            probabilities,
            records.weights,
            advance=lambda done, _: advance(done),
        )
    return Exposure(reach, spent, sensitivity, lambda: _shares(records, sets, probabilities, reach))


def _shares(
    records: CodedRecords, sets: Sets, probabilities: Floats, reach: Floats
) -> tuple[Floats, Floats]:
    from discreet.kernels.known_sets.contributions import contributions

    return contributions(
        records.columns, records.cardinalities, sets, probabilities, records.weights, reach
    )


def _compatible(
    records: CodedRecords, sets: Sets, probabilities: Floats, advance: Callable[[int], None]
) -> Exposure:
    """A set at a time, each record counting those that agree with it wherever both have a value."""
    n = len(records.columns[0])
    reach, spent = np.zeros(n), np.zeros(n)
    total = _sensitivity(records, range(len(records.columns)))
    by_set, by_value = np.zeros(len(sets)), np.zeros(len(records.columns))
    for number, (known, pk) in enumerate(zip(sets, probabilities, strict=True)):
        part = pk / compatible_sizes(records, known)
        inside = _sensitivity(records, known)
        reach += part
        spent += part * inside
        by_set[number] = math.fsum(part * (total - inside))
        for a in set(range(len(records.columns))) - set(known):
            by_value[a] += math.fsum(part * _sensitivity(records, [a]))
        advance(number)
    return Exposure(reach, spent, total, lambda: (by_set, by_value))


def compatible_sizes(records: CodedRecords, known: Sequence[int]) -> NDArray[np.int64]:
    """How many records each record is compatible with on a known set."""
    n = len(records.columns[0])
    if not known:
        return np.full(n, n)
    codes = [records.columns[a] for a in known]
    cards = [records.cardinalities[a] for a in known]
    missing = [records.missing[a] for a in known]
    return compatible_sums(codes, cards, missing, n)


def compatible_sums(
    codes: Sequence[NDArray[np.unsignedinteger]],
    cards: Sequence[int],
    missing: Sequence[int],
    n: int,
    weights: Floats | None = None,
) -> NDArray[Any]:
    """How many of the first n records are compatible with each of all, or their weights."""
    packed, _ = pack(codes, cards)
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    tuples = [column[first].astype(np.int64) for column in codes]
    held: Any = np.bincount(inverse[:n], weights, len(first))
    summed = compatible_counts if weights is None else compatible_totals
    return summed(tuples, cards, missing, held)[inverse]


def _sensitivity(records: CodedRecords, attributes: Iterable[int]) -> Floats:
    """The sensitivity of some values of each record, added in the order of the attributes."""
    total = np.zeros(len(records.columns[0]))
    for a in attributes:
        weights = records.weights[a]
        if weights is not None:
            total += weights[records.columns[a]]
    return total


# -- Risks that blanking a cell lowers: what local suppression asks of a risk of records -----------
#
# A risk is measured on coded records, again and again while cells are blanked, and says for single
# records how high theirs would be without one of their cells. That may be an estimate: it chooses
# the cell to blank, and the risk is measured afresh before anything is handed out.


class CellRisk(Protocol):
    """A risk of records that depends on their cells."""

    @property
    def records(self) -> CodedRecords:
        """The attributes that make the risk, with no cell blanked yet."""

    @property
    def known(self) -> tuple[int, ...]:
        """Those of them by which others are found, too: a blank there counts for other records."""

    def risks(self, records: CodedRecords) -> tuple[Floats, Any]:
        """The risk of every record with some cells blank, and what ``without`` is told of it."""

    def without(
        self, records: CodedRecords, found: Any, rows: Rows, attributes: Sequence[int]
    ) -> Floats:
        """Per attribute, about how high the risk of some records would be if that cell were blank
        as well, and all else unchanged."""


def sums_with_blanks(
    records: CodedRecords,
    known: Sequence[int],
    within: Sequence[int],
    rows: Rows,
    *,
    wildcard: bool,
    weights: Floats | None = None,
) -> list[Any]:
    """How many records share the values of some records on a set of attributes: now, and with each
    of the attributes ``within`` blank; or the sum of their weights. A record counts itself."""
    cards = [records.cardinalities[b] for b in known]
    codes = [_asked(records, b, within, rows) for b in known]
    n = len(records.columns[0])
    if wildcard:  # the record matches itself before and after
        missing = [records.missing[b] for b in known]
        sums = compatible_sums(codes, cards, missing, n, weights)[n:]
        return np.split(sums, len(within) + 1)
    packed, bound = pack(codes, cards)
    if bound <= 8 * n:
        sums = np.bincount(packed[:n], weights, bound)[packed[n:]]
    else:
        values, owner = np.unique(packed[:n], return_inverse=True)
        found = np.bincount(owner, weights, len(values))
        at = np.minimum(np.searchsorted(values, packed[n:]), len(values) - 1)
        sums = np.where(values[at] == packed[n:], found[at], 0)
    now, *then = np.split(sums, len(within) + 1)
    own = 1 if weights is None else weights[rows]
    return [now, *(size + own for size in then)]  # the record itself moves in


def _asked(
    records: CodedRecords, b: int, within: Sequence[int], rows: Rows
) -> NDArray[np.unsignedinteger]:
    """A column of all records, then of those asked about as they are, then with each blank."""
    column = records.columns[b]
    some = column[rows]
    blank = np.full(len(rows), records.missing[b], column.dtype)
    return np.concatenate([column, some, *(blank if a == b else some for a in within)])
