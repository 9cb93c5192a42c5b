"""Local suppression: cells of risky records are blanked until no record's risk is above a limit.

In each round every record above the limit loses the cell that brings its risk nearest to the limit
per unit of cost, judged by the counts of the round before; then all is counted anew. A blank is
counted by the file's policy on missing values. As a wildcard that matches every value it never
raises the risk of anyone. As a category of its own it may set its record apart, which is then
looked at in the next round, and it leaves behind those who shared the value.

Records at or below the limit are left alone. Where one of them would come above it, because others
left it behind, these get their known cells back and from then on lose only cells that nobody knows,
which count for no one else. Only where this does not suffice for one of them may it lose known
cells all the same, and those whom it leaves behind above the limit are drawn in. A record goes
through these states once, and a blank is taken back only on the way, so it ends. A record whose
sensitive cells are all blank has no record risk. Its individual risk depends on how many are so:
where nothing is left to blank, others join them, once each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.risks.exposure import CellRisk, CodedRecords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Bools, Floats, Ints

    Rows = NDArray[np.intp]

_ROUNDING = 1e-12  # a risk that is added up in another order may come out a little higher
_AT_ONCE = 100_000  # records that lose a cell in one round: bounds the memory


@dataclass(frozen=True, eq=False)
class Protection:
    """What is to be protected, and at what price.

    ``risk`` is what must not be above the limit ``at_most``, ``blankable`` are the attributes that
    may lose cells, ``cost`` what a cell of each is worth, ``risky`` the records that were above the
    limit when their risk was measured.
    """

    risk: CellRisk
    at_most: float
    blankable: tuple[int, ...]
    cost: Floats
    risky: Bools


@dataclass(frozen=True, eq=False)
class Blanked:
    """Which cells were blanked, per attribute; how many records are still above the limit; and
    which ones lost a cell though they were not above it at first."""

    cells: dict[int, Bools]
    left: int
    drawn_in: Rows


def suppressed(problem: Protection, tell: Callable[[int], None]) -> Blanked:
    """Blank cells until the risk of every record is at most the limit, or nothing is left to blank;
    ``tell`` hears how many records are above it."""
    working, states = with_blanks(problem.risk.records), _States.of(problem)
    while True:
        risk, found = problem.risk.risks(working)
        if states.took_back(working, risk):
            continue
        risky = np.flatnonzero(states.involved & (risk > problem.at_most))
        tell(len(risky))
        open_cells = states.open_cells(working, risky)
        if states.freed(working, risky[~open_cells.any(axis=0)]):
            continue
        rows, cells = _choice(working, problem, found, risk, risky, open_cells)
        if not len(rows):
            if len(risky) and states.joined(working):
                continue
            break
        for a in problem.blankable:
            working.columns[a][rows[cells == a]] = working.missing[a]
    blanks = {a: working.columns[a] != states.original[a] for a in problem.blankable}
    changed = np.any(list(blanks.values()), axis=0)
    drawn_in = np.flatnonzero(changed & ~problem.risky)
    return Blanked({a: b for a, b in blanks.items() if b.any()}, len(risky), drawn_in)


@dataclass(eq=False)
class _States:
    """Who may lose which cells.

    Attributes
    ----------
    involved : flags
        Records that may lose cells: the risky ones, and those drawn in.
    careful : flags
        Those that may lose only cells that nobody knows.
    free : flags
        Those that could not be brought down so, and may lose any.
    helping : flags
        Those that lost all their cells for others.
    known : tuple of int
        The attributes that may lose cells and are in some known set.
    """

    problem: Protection
    original: list[NDArray[np.unsignedinteger]]
    involved: Bools
    careful: Bools
    free: Bools
    helping: Bools
    known: tuple[int, ...]
    first: Floats | None = None

    @classmethod
    def of(cls, problem: Protection) -> _States:
        n, known = len(problem.risky), problem.risk.known
        return cls(
            problem,
            [column.copy() for column in with_blanks(problem.risk.records).columns],
            problem.risky.copy(),
            np.zeros(n, dtype=bool),
            np.zeros(n, dtype=bool),
            np.zeros(n, dtype=bool),
            tuple(a for a in problem.blankable if a in known),
        )

    def took_back(self, working: CodedRecords, risk: Floats) -> bool:
        """Whether blanks were taken back that brought records above the limit which were not; those
        for whom none can be taken back are drawn in."""
        self.first = risk if self.first is None else self.first
        as_before = self.first * (1 + _ROUNDING)
        hurt = ~self.involved & (risk > np.maximum(self.problem.at_most, as_before))
        if not hurt.any():
            return False
        blamed = np.zeros(len(hurt), dtype=bool)
        for a in self.known:
            blank = working.columns[a] != self.original[a]
            blamed |= blank & np.isin(self.original[a], np.unique(self.original[a][hurt]))
        blamed &= ~self.free
        if not blamed.any():
            self.involved |= hurt
            return False
        for a in self.known:
            working.columns[a][blamed] = self.original[a][blamed]
        self.careful |= blamed
        return True

    def open_cells(self, working: CodedRecords, risky: Rows) -> Bools:
        """Per attribute, which of the risky records may lose their cell."""
        return np.array(
            [
                (working.columns[a][risky] != working.missing[a])
                & ~(self.careful[risky] & (a in self.known))
                for a in self.problem.blankable
            ]
        ).reshape(len(self.problem.blankable), -1)

    def joined(self, working: CodedRecords) -> bool:
        """Whether a combination more lost all its cells, so that records that have none left are
        less alone: the one with most blanks, of these the riskiest, of these the last by its
        values."""
        chosen = self.problem.blankable
        cells = [working.columns[a] for a in chosen]
        blanks = np.sum([working.columns[a] == working.missing[a] for a in chosen], axis=0)
        able = (blanks < len(cells)) & ~self.careful & ~self.helping
        if not able.any() or self.first is None:
            return False
        able &= blanks == blanks[able].max()
        rows = np.flatnonzero(able)
        last = rows[np.lexsort([*(c[rows] for c in cells), self.first[rows]])[-1]]
        alike = able & np.all([c == c[last] for c in cells], axis=0)
        for a in chosen:
            working.columns[a][alike] = working.missing[a]
        self.helping |= alike
        self.involved |= alike
        return True

    def freed(self, working: CodedRecords, stuck: Rows) -> bool:
        """Whether careful records that have nothing left to lose may now lose known cells."""
        stuck = stuck[self.careful[stuck]]
        left = [working.columns[a][stuck] != working.missing[a] for a in self.known]
        stuck = stuck[np.any(left, axis=0)] if left else stuck[:0]
        self.careful[stuck], self.free[stuck] = False, True
        return len(stuck) > 0


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
    records: CodedRecords,
    problem: Protection,
    found: Any,
    risk: Floats,
    risky: Rows,
    open_cells: Bools,
) -> tuple[Rows, Ints]:
    """The records that lose a cell in this round, and which: those of highest risk first."""
    able = open_cells.any(axis=0)
    order = np.argsort(-risk[risky[able]], kind="stable")[:_AT_ONCE]
    rows, open_cells = risky[able][order], open_cells[:, able][:, order]
    if not len(rows):
        return rows, np.empty(0, np.int64)
    gain = risk[rows] - problem.risk.without(records, found, rows, problem.blankable)
    useful = np.minimum(gain, risk[rows] - problem.at_most)
    worth = useful / problem.cost[list(problem.blankable), None]
    harmless = np.array([records.sensitivity(rows, a) for a in problem.blankable])
    worth = np.where(gain > 0, worth, harmless * 1e-9 - 1)  # no gain: what is most sensitive goes
    worth = np.where(open_cells, worth, -np.inf)
    best = worth.max(axis=0)
    tied = np.where(worth >= best - np.abs(best) * 1e-12 - 1e-300, gain, -np.inf)
    tied = np.where(open_cells, tied, -np.inf)
    return rows, np.array(problem.blankable)[tied.argmax(axis=0)]
