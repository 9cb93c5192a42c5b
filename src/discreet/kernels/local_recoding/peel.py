"""Peel: cells with enough records are released, the cheapest first.

Items that look alike under a cut form a cell. Cells that have enough are released by increasing
cost, each at the closure of its members, which may be cheaper than the cell itself. The cut that
changes nothing costs nothing: what has enough stays as it is.

What stays with more than k records can spare some. A cell with too few takes them in; as they pay,
too, it counts as k / records times as dear.

A cut is looked at again only when its cheapest cell is due: cells only lose records and get dearer,
so none can come up earlier.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import inlined, inner, njit
from discreet.kernels.local_recoding.instance import (
    Cuts,
    Instance,
    Nodes,
    Records,
    cheapest_cuts,
    records_of,
    varied,
)

Codes = NDArray[np.uint32]
Mixes = NDArray[np.uint64]
Passes = Callable[[Ints, Ints, Ints, int], Bools]
"""Which classes pass, by item, count and label of each row, and the number of classes."""

_STEP = 1.03  # cells whose costs differ by less are released in the order of the cuts
_NOT, _LACKING = -1, -2  # no offer; none unless donors help


class Rows(NamedTuple):
    """Records of items and the class of each."""

    item: Ints
    records: Ints
    label: Ints


LEFT = np.dtype((np.record, [("of", "i8"), ("records", "i8"), ("offer", "i8"), ("after", "i8")]))
DONOR = np.dtype((np.record, [("of", "i8"), ("spare", "i8"), ("lent", "i8"), ("given", "i8")]))
CELL = np.dtype(
    (
        np.record,
        [("mix", "u8"), ("records", "i8"), ("first", "i8"), ("last", "i8"), ("state", "i8")],
    )
)


class PeelState(NamedTuple):
    """What the search for cells works on.

    What is left has the number of its item (`of`), its records, its cell or later the number of the
    offer, and the next of its cell (`after`). A donor is an item with more than k records: it has
    how many it can spare, to which offer it lent some, and how many. A cell has its mixed nodes,
    its records, the first and the last of what is left in it, and the number of the offer, `_NOT`
    or `_LACKING` (`state`).

    Sums of mixed nodes tell cells apart. Should two ever agree, their members are released
    together, at a cell that covers them all.
    """

    left: Records
    codes: Codes  # keys × what is left
    donors: Records
    donor_codes: Codes  # keys × donors
    cells: Records  # room for all
    table: Nodes  # of open addressing: the number of a cell, -1 where there is none


def peeled(at: Instance, most: int, least: int, passes: Passes | None = None) -> Rows:
    """Classes of items and of parts of items; what found no cell is a class of its own.

    `most` is the number of cuts that are tried, `least` the number of records from which on a cell
    may take in what others can spare.
    """
    cuts = cheapest_cuts(at, most)
    due = cuts.least.copy()
    classes, rows = 0, []
    work = peel_state(at)
    while len(work.left) and np.isfinite(due).any():
        limit, cut = due.min() * _STEP, 0
        while True:
            cut, offers = _next_offer(at, cuts, due, limit, cut, least, work)
            if offers == 0:
                break
            offer = work.left["offer"]
            if passes is not None:
                offer, offers = _passing(at, work, offer, offers, passes)
            taken, gives = offer >= 0, work.donors[work.donors["given"] > 0]
            some = work.left[taken]
            rows.append(Rows(some["of"], some["records"], offer[taken] + classes))
            rows.append(Rows(gives["of"], gives["given"], gives["lent"] + classes))
            work.donors["spare"] -= work.donors["given"]
            classes, work = classes + offers, _with_left(work, np.flatnonzero(~taken))
        if limit == 0 and rows and passes is None and len(at.distinct) == 0:
            work = _with_donors(at, work, rows)
    left = work.left
    rows.append(Rows(left["of"], left["records"], classes + np.arange(len(left))))
    return _told_apart(at, Rows(*(np.concatenate(part) for part in zip(*rows, strict=True))))


def peel_state(at: Instance) -> PeelState:
    """All items are left, and there are no donors."""
    items = np.arange(len(at.codes))
    left = records_of(LEFT, of=items, records=at.counts, offer=_NOT, after=-1)
    return PeelState(
        left=left,
        codes=_columns(at, items),
        donors=np.empty(0, DONOR),
        donor_codes=_columns(at, items[:0]),
        cells=np.empty(len(items), CELL),
        table=np.empty(2 << len(items).bit_length(), np.int32),
    )


def _with_left(work: PeelState, kept: Ints) -> PeelState:
    """The same with fewer items left."""
    return work._replace(left=work.left[kept], codes=np.take(work.codes, kept, axis=1))


def _columns(at: Instance, items: Ints) -> Codes:
    return np.ascontiguousarray(at.codes[items].T, dtype=np.uint32)


def _with_donors(at: Instance, work: PeelState, rows: list[Rows]) -> PeelState:
    """Items that are a class of their own as they are, with more than k records, can spare some."""
    item = np.concatenate([part.item for part in rows])
    label = np.concatenate([part.label for part in rows])
    alone = item[np.bincount(label)[label] == 1]
    donor = alone[(at.counts[alone] > at.k) & ~at.bound[alone]]
    donors = records_of(DONOR, of=donor, spare=at.counts[donor] - at.k, lent=_NOT, given=0)
    return work._replace(donors=donors, donor_codes=_columns(at, donor))


def _told_apart(at: Instance, rows: Rows) -> Rows:
    """The rows by item; what donors gave is taken from what they had."""
    gave = np.bincount(rows.item, rows.records, len(at.counts)).astype(np.int64) - at.counts
    order = np.lexsort((rows.label, rows.item))
    item, count, label = (part[order] for part in rows)
    first = np.flatnonzero(np.diff(item, prepend=-1))
    count[first] -= gave  # the first class of a donor is its own
    return Rows(item, count, label)


def _passing(
    at: Instance, work: PeelState, offer: Ints, offers: int, passes: Passes
) -> tuple[Ints, int]:
    """The offers that pass, numbered anew; -1 for the others."""
    rows = offer >= 0
    some = work.left[rows]
    good = passes(at.item[some["of"]], some["records"], offer[rows], offers)
    number = np.where(good, np.cumsum(good) - 1, _NOT)
    return np.where(rows, number[offer], _NOT), int(good.sum())


@njit(cache=True, nogil=True)
def _next_offer(
    at: Instance, cuts: Cuts, due: Floats, limit: float, cut: int, least: int, work: PeelState
) -> tuple[int, int]:
    """The next cut with cells that have enough and cost no more than the limit.

    Return the cut after it and the number of such cells; `work` says which items are in them.
    """
    while cut < len(due):
        if due[cut] <= limit:
            offers, due[cut] = _offers(at, cuts, cuts.depth[cut], limit, least, work)
            if offers:
                return cut + 1, offers
        cut += 1
    return cut, 0


@inlined
def _offers(
    at: Instance, cuts: Cuts, depth: Nodes, limit: float, least: int, work: PeelState
) -> tuple[int, float]:
    """How many cells of a cut are offered, and the cost of the next that may be."""
    cells = group(at, cuts, depth, work)
    offers, lacking, following = 0, 0, np.inf
    for c in range(cells):
        cell = work.cells[c]
        cell.state = _NOT
        if cell.records < at.k and (cell.records < least or len(work.donors) == 0):
            continue
        cost = cell_cost(at, cuts, depth, work, cell.first)
        if cell.records < at.k:
            cost *= at.k / cell.records
        if cost > limit:
            following = min(following, cost)
        elif cell.records < at.k:
            cell.state = _LACKING
            lacking += 1
        elif varied(at, work.left, cell.first, np.int64(-1)):
            cell.state = offers
            offers += 1
    for d in range(len(work.donors)):
        work.donors[d].given = 0
    if lacking:
        offers += _borrow(at, cuts, depth, work, cells, np.int64(offers))
    _note_offers(work)
    return offers, following


@inlined
def _note_offers(work: PeelState) -> None:
    """What is left knows the number of its offer instead of its cell."""
    for r in range(len(work.left)):
        if work.left[r].offer >= 0:
            work.left[r].offer = max(work.cells[work.left[r].offer].state, _NOT)


@inner
def cell_cost(at: Instance, cuts: Cuts, depth: Nodes, work: PeelState, first: int) -> float:
    """What the cell of something left costs under a cut."""
    cost = 0.0
    for a in range(len(depth)):
        cost += at.tree[cuts.lifted[depth[a], work.codes[a, first]]].cost
    return cost


@inner
def group(at: Instance, cuts: Cuts, depth: Nodes, work: PeelState) -> int:
    """Find the cell of each left item, -1 where a node must stay; the number of cells."""
    mix = _mixed(cuts, depth, work.codes)
    table = _room(work)
    table[:] = -1
    cells = 0
    for r in range(len(mix)):
        one = work.left[r]
        one.offer, one.after = _NOT, -1
        if at.items[one.of].bound and _moved(at, one.of, depth):
            continue
        slot = _place(table, work.cells, mix[r])
        c = table[slot]
        if c < 0:
            c, table[slot] = cells, cells
            work.cells[c].mix, work.cells[c].records, work.cells[c].first = mix[r], 0, r
            cells += 1
        else:
            work.left[work.cells[c].last].after = r
        work.cells[c].last = r
        work.cells[c].records += one.records
        one.offer = c
    return cells


@inner
def _room(work: PeelState) -> Nodes:
    """As much of the table as what is left needs."""
    size = 4
    while size < 2 * len(work.left):
        size *= 2
    return work.table[:size]


@inner
def _mixed(cuts: Cuts, depth: Nodes, codes: Codes) -> Mixes:
    """The sum of the mixed nodes that each item shows under a cut."""
    total = np.zeros(codes.shape[1], np.uint64)
    for a in range(len(depth)):
        shown, column = cuts.mixed[depth[a]], codes[a]
        for r in range(len(total)):
            total[r] += shown[column[r]]
    return total


@inner
def _place(table: Nodes, cells: Records, mix: np.uint64) -> np.int64:
    """Where the number of a cell is in the table, or would be."""
    slot = np.int64(mix >> np.uint64(24)) & (len(table) - 1)
    while table[slot] >= 0 and cells[table[slot]].mix != mix:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@inlined
def _borrow(
    at: Instance, cuts: Cuts, depth: Nodes, work: PeelState, cells: int, offers: int
) -> int:
    """Offer cells that lack records, too, where donors can spare them; how many more.

    The first donors give first.
    """
    mix, table, more = _mixed(cuts, depth, work.donor_codes), _room(work), 0
    help_ = np.zeros(cells, np.int64)
    for d in range(len(mix)):
        c = table[_place(table, work.cells, mix[d])]
        work.donors[d].lent = _NOT
        if c >= 0 and work.cells[c].state == _LACKING:
            help_[c] += work.donors[d].spare
            work.donors[d].lent = c
    for c in range(cells):
        cell = work.cells[c]
        if cell.state == _LACKING and cell.records + help_[c] >= at.k:
            cell.state = offers + more
            more += 1
    for d in range(len(mix)):
        one = work.donors[d]
        if one.lent >= 0 and work.cells[one.lent].state >= 0:
            cell = work.cells[one.lent]
            one.lent, one.given = cell.state, min(at.k - cell.records, one.spare)
            cell.records += one.given
    return more


@inlined
def _moved(at: Instance, i: int, depth: Nodes) -> bool:
    """Whether a cut changes a node that must stay."""
    moved = False
    for a in range(len(depth)):
        moved |= at.fixed[i, a] and at.tree[at.codes[i, a]].depth > depth[a]
    return moved
