"""Risks that blanking a cell lowers: what local suppression asks of a risk of records.

A risk is measured on coded records, again and again while cells are blanked, and says for single
records how high theirs would be without one of their cells. That may be an estimate: it chooses the
cell to blank, and the risk is measured afresh before anything is handed out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet.kernels.packing import pack
from discreet.risks.exposure import CodedRecords, compatible_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats

    Rows = NDArray[np.intp]


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
