"""Local suppression: cells of risky records are blanked until no record's risk is above a limit.

In each round every record above the limit loses the cell that brings its risk nearest to the limit
per unit of cost, judged by the counts of the round before; then all is counted anew. A blank is
counted by the file's policy on missing values. As a category of its own it may set its record, or
those it leaves behind, apart: their risk rises and they are looked at in the next round. As a
wildcard that matches every value it never raises the risk of anyone. Every round blanks a cell of
each record that is still above the limit, so it ends; a record whose sensitive cells are all blank
has risk 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.compatible import compatible_counts
from discreet.kernels.packing import pack
from discreet.risks.exposure import CodedRecords, Exposure, of_records

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Rows = NDArray[np.intp]

_AT_ONCE = 100_000  # records that lose a cell in one round: bounds the memory


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be protected, and at what price.

    ``blankable`` are the attributes that may lose cells, ``cost`` what a cell of each is worth.
    """

    sets: list[tuple[int, ...]]
    probabilities: Floats
    alpha: float
    at_most: float
    blankable: tuple[int, ...]
    cost: Floats
    wildcard: bool


@dataclass(frozen=True, eq=False)
class Blanked:
    """Which cells were blanked, per attribute, and how many records are still above the limit."""

    cells: dict[int, NDArray[np.bool_]]
    left: int


def suppressed(records: CodedRecords, problem: Problem, tell: Callable[[int], None]) -> Blanked:
    """Blank cells until the risk of every record is at most the limit, or nothing is left to blank;
    ``tell`` hears how many records are above it."""
    working = with_blanks(records)
    while True:
        found = of_records(working, problem.sets, problem.probabilities, wildcard=problem.wildcard)
        risk = problem.alpha * (found.sensitivity * found.reach - found.spent)
        risky = np.flatnonzero(risk > problem.at_most)
        tell(len(risky))
        rows, cells = _choice(working, problem, found, risk, risky)
        if not len(rows):
            break
        for a in problem.blankable:
            working.columns[a][rows[cells == a]] = working.missing[a]
    blanks = {
        a: working.columns[a] != records.columns[a].astype(working.columns[a].dtype)
        for a in problem.blankable
    }
    return Blanked({a: cells for a, cells in blanks.items() if cells.any()}, len(risky))


def with_blanks(records: CodedRecords) -> CodedRecords:
    """A copy whose attributes all have a code for a missing value, of weight 0."""
    missing = [
        m if m >= 0 else c for m, c in zip(records.missing, records.cardinalities, strict=True)
    ]
    cards = [max(c, m + 1) for m, c in zip(missing, records.cardinalities, strict=True)]
    weights = [
        None if w is None else np.concatenate([w, np.zeros(c - len(w))])
        for w, c in zip(records.weights, cards, strict=True)
    ]
    columns = [
        codes.astype(np.min_scalar_type(c - 1), copy=True)
        for codes, c in zip(records.columns, cards, strict=True)
    ]
    return CodedRecords(tuple(columns), tuple(cards), tuple(missing), tuple(weights))


def _choice(
    records: CodedRecords, problem: Problem, found: Exposure, risk: Floats, risky: Rows
) -> tuple[Rows, Ints]:
    """The records that lose a cell in this round, and which: those of highest risk first."""
    open_cells = np.array(
        [records.columns[a][risky] != records.missing[a] for a in problem.blankable]
    ).reshape(len(problem.blankable), -1)
    able = open_cells.any(axis=0)
    order = np.argsort(-risk[risky[able]], kind="stable")[:_AT_ONCE]
    rows, open_cells = risky[able][order], open_cells[:, able][:, order]
    if not len(rows):
        return rows, np.empty(0, np.int64)
    gain = risk[rows] - _risks_without(records, problem, found, rows)
    useful = np.minimum(gain, risk[rows] - problem.at_most)
    worth = useful / problem.cost[list(problem.blankable), None]
    harmless = np.array([_own_sensitivity(records, rows, a) for a in problem.blankable])
    worth = np.where(gain > 0, worth, harmless * 1e-9 - 1)  # no gain: what is most sensitive goes
    worth = np.where(open_cells, worth, -np.inf)
    best = worth.max(axis=0)
    tied = np.where(worth >= best * (1 - 1e-12) - 1e-300, gain, -np.inf)
    tied = np.where(open_cells, tied, -np.inf)
    return rows, np.array(problem.blankable)[tied.argmax(axis=0)]


def _own_sensitivity(records: CodedRecords, rows: Rows, a: int) -> Floats:
    weights = records.weights[a]
    return np.zeros(len(rows)) if weights is None else weights[records.columns[a][rows]]


def _risks_without(records: CodedRecords, problem: Problem, found: Exposure, rows: Rows) -> Floats:
    """Per attribute that may be blanked, the risk of some records if that cell were blank and all
    else unchanged."""
    own = {a: _own_sensitivity(records, rows, a) for a in range(len(records.columns))}
    reach = dict.fromkeys(problem.blankable, found.reach[rows])
    spent = dict.fromkeys(problem.blankable, found.spent[rows])
    for known, pk in zip(problem.sets, problem.probabilities, strict=True):
        within = [a for a in known if a in reach]
        if not within:
            continue
        now, *then = _counts(records, known, within, rows, wildcard=problem.wildcard)
        inside = sum((own[b] for b in known), np.zeros(len(rows)))
        for a, count in zip(within, then, strict=True):
            reach[a] = reach[a] + pk / count - pk / now
            spent[a] = spent[a] + pk * (inside - own[a]) / count - pk * inside / now
    total = found.sensitivity[rows]
    return problem.alpha * np.array([(total - own[a]) * reach[a] - spent[a] for a in reach])


def _counts(
    records: CodedRecords, known: Sequence[int], within: list[int], rows: Rows, *, wildcard: bool
) -> list[Ints]:
    """How many records share the values of some records on a known set: now, and with each of the
    attributes ``within`` blank. A record counts itself."""
    cards = [records.cardinalities[b] for b in known]
    codes = [_asked(records, b, within, rows) for b in known]
    n = len(records.columns[0])
    packed, bound = pack(codes, cards)
    if wildcard:  # the record matches itself before and after
        missing = [records.missing[b] for b in known]
        return np.split(_compatible(codes, packed, cards, missing, n), len(within) + 1)
    if bound <= 8 * n:
        sizes = np.bincount(packed[:n], minlength=bound)[packed[n:]]
    else:
        values, counts = np.unique(packed[:n], return_counts=True)
        at = np.minimum(np.searchsorted(values, packed[n:]), len(values) - 1)
        sizes = np.where(values[at] == packed[n:], counts[at], 0)
    now, *then = np.split(sizes, len(within) + 1)
    return [now, *(size + 1 for size in then)]  # the record itself moves in


def _asked(
    records: CodedRecords, b: int, within: list[int], rows: Rows
) -> NDArray[np.unsignedinteger]:
    """A column of all records, then of those asked about as they are, then with each blank."""
    column = records.columns[b]
    some = column[rows]
    blank = np.full(len(rows), records.missing[b], column.dtype)
    return np.concatenate([column, some, *(blank if a == b else some for a in within)])


def _compatible(
    codes: list[NDArray[np.unsignedinteger]],
    packed: Ints,
    cards: Sequence[int],
    missing: Sequence[int],
    n: int,
) -> Ints:
    """How many of the first n records are compatible with each of the others."""
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    counts = np.bincount(inverse[:n], minlength=len(first)).astype(np.int64)
    tuples = [column[first].astype(np.int64) for column in codes]
    return compatible_counts(tuples, cards, missing, counts)[inverse[n:]]
