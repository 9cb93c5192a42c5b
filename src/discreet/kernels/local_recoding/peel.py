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
from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.cuts import Cuts, cheapest_cuts
from discreet.kernels.local_recoding.instance import Instance, Nodes, among

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


class PeelState(NamedTuple):
    """What the search for cells works on.

    Sums of mixed nodes tell cells apart. Should two ever agree, their members are released
    together, at a cell that covers them all.
    """

    left: Ints  # items that are in no class yet
    codes: Codes  # keys × left items
    offer: Ints  # per left item its cell, later the number of the offer
    chain: Ints  # per left item the next of its cell
    donor: Ints  # items that can spare records
    donor_codes: Codes  # keys × donors
    spare: Ints  # how many records each donor can spare
    lent: Ints  # per donor like offer
    given: Ints  # how many records each donor gives to that offer
    table: Nodes  # of open addressing: the number of a cell, -1 where there is none
    mix: Mixes  # per cell
    records: Ints
    first: Ints  # its first left item
    last: Ints
    state: Ints  # _NOT, _LACKING or the number of the offer


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
            offer = work.offer[: len(work.left)]
            if passes is not None:
                offer, offers = _passing(at, work, offer, offers, passes)
            taken, gives = offer >= 0, np.flatnonzero(work.given)
            item = work.left[taken]
            rows.append(Rows(item, at.counts[item], offer[taken] + classes))
            rows.append(Rows(work.donor[gives], work.given[gives], work.lent[gives] + classes))
            work.spare[gives] -= work.given[gives]
            classes, work = classes + offers, _with_left(work, np.flatnonzero(~taken))
        if limit == 0 and rows and passes is None and len(at.distinct) == 0:
            work = _with_donors(at, work, rows)
    left = work.left
    rows.append(Rows(left, at.counts[left], classes + np.arange(len(left))))
    return _told_apart(at, Rows(*(np.concatenate(part) for part in zip(*rows, strict=True))))


def peel_state(at: Instance) -> PeelState:
    """All items are left, and there are no donors."""
    items = np.arange(len(at.codes))
    none, room = items[:0], np.empty((6, len(items)), np.int64)
    return PeelState(
        left=items,
        codes=_columns(at, items),
        offer=room[0],
        chain=room[1],
        donor=none,
        donor_codes=_columns(at, none),
        spare=none,
        lent=none,
        given=none,
        table=np.empty(2 << len(items).bit_length(), np.int32),
        mix=np.empty(len(items), np.uint64),
        records=room[2],
        first=room[3],
        last=room[4],
        state=room[5],
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
    none = np.zeros(len(donor), np.int64)
    return work._replace(
        donor=donor,
        donor_codes=_columns(at, donor),
        spare=at.counts[donor] - at.k,
        lent=none,
        given=none.copy(),
    )


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
    item = work.left[rows]
    good = passes(at.item[item], at.counts[item], offer[rows], offers)
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


@njit(cache=True, nogil=True)
def _offers(
    at: Instance, cuts: Cuts, depth: Nodes, limit: float, least: int, work: PeelState
) -> tuple[int, float]:
    """How many cells of a cut are offered, and the cost of the next that may be."""
    cells = group(at, cuts, depth, work)
    offers, lacking, following = 0, 0, np.inf
    for c in range(cells):
        work.state[c], records = _NOT, work.records[c]
        if records < at.k and (records < least or len(work.donor) == 0):
            continue
        cost = 0.0
        for a in range(len(depth)):
            cost += at.cost[cuts.lifted[depth[a], work.codes[a, work.first[c]]]]
        cost *= max(at.k / records, 1.0)
        if cost > limit:
            following = min(following, cost)
        elif records < at.k:
            work.state[c] = _LACKING
            lacking += 1
        elif chain_varied(at, work, work.first[c]):
            work.state[c] = offers
            offers += 1
    work.given[:] = 0
    if lacking:
        offers = _borrow(at, cuts, depth, work, cells, offers)
    for r in range(len(work.left)):
        if work.offer[r] >= 0:
            work.offer[r] = max(work.state[work.offer[r]], _NOT)
    return offers, following


@njit(cache=True, nogil=True)
def group(at: Instance, cuts: Cuts, depth: Nodes, work: PeelState) -> int:
    """Find the cell of each left item, -1 where a node must stay; the number of cells."""
    mix = _mixed(cuts, depth, work.codes)
    size = 4
    while size < 2 * len(mix):
        size *= 2
    table = work.table[:size]
    table[:] = -1
    cells = 0
    for r in range(len(mix)):
        i = work.left[r]
        work.offer[r], work.chain[r] = _NOT, -1
        if at.bound[i] and _moved(at, i, depth):
            continue
        slot = _place(table, work.mix, mix[r])
        c = table[slot]
        if c < 0:
            c, table[slot] = cells, cells
            work.mix[c], work.records[c], work.first[c] = mix[r], 0, r
            cells += 1
        else:
            work.chain[work.last[c]] = r
        work.last[c] = r
        work.records[c] += at.counts[i]
        work.offer[r] = c
    return cells


@njit(cache=True, nogil=True)
def _mixed(cuts: Cuts, depth: Nodes, codes: Codes) -> Mixes:
    """The sum of the mixed nodes that each item shows under a cut."""
    total = np.zeros(codes.shape[1], np.uint64)
    for a in range(len(depth)):
        shown, column = cuts.mixed[depth[a]], codes[a]
        for r in range(len(total)):
            total[r] += shown[column[r]]
    return total


@njit(cache=True, nogil=True)
def _place(table: Nodes, known: Mixes, mix: np.uint64) -> np.int64:
    """Where the number of a cell is in the table, or would be."""
    slot = np.int64(mix >> np.uint64(24)) & (len(table) - 1)
    while table[slot] >= 0 and known[table[slot]] != mix:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@njit(cache=True, nogil=True)
def _borrow(
    at: Instance, cuts: Cuts, depth: Nodes, work: PeelState, cells: int, offers: int
) -> int:
    """Offer cells that lack records, too, where donors can spare them; the number of all offers.

    The first donors give first.
    """
    mix = _mixed(cuts, depth, work.donor_codes)
    size = 4
    while size < 2 * len(work.left):
        size *= 2
    table = work.table[:size]
    help_ = np.zeros(cells, np.int64)
    for d in range(len(mix)):
        c = table[_place(table, work.mix, mix[d])]
        work.lent[d] = _NOT
        if c >= 0 and work.state[c] == _LACKING:
            help_[c] += work.spare[d]
            work.lent[d] = c
    for c in range(cells):
        if work.state[c] == _LACKING and work.records[c] + help_[c] >= at.k:
            work.state[c] = offers
            offers += 1
    for d in range(len(mix)):
        c = work.lent[d]
        if c >= 0 and work.state[c] >= 0:
            work.lent[d] = work.state[c]
            work.given[d] = min(at.k - work.records[c], work.spare[d])
            work.records[c] += work.given[d]
    return offers


@njit(cache=True, nogil=True)
def _moved(at: Instance, i: int, depth: Nodes) -> bool:
    """Whether a cut changes a node that must stay."""
    moved = False
    for a in range(len(depth)):
        moved |= at.fixed[i, a] and at.depth[at.codes[i, a]] > depth[a]
    return moved


@njit(cache=True, nogil=True)
def chain_varied(at: Instance, work: PeelState, first: int) -> bool:
    """Whether the items of a chain have enough different values of every attribute."""
    for j in range(len(at.distinct)):
        seen = np.empty(at.distinct[j], np.int32)
        found = 0
        r = np.int64(first)
        while r >= 0 and found < len(seen):
            value = at.values[work.left[r], j]
            if not among(value, seen, found):
                seen[found] = value
                found += 1
            r = work.chain[r]
        if found < len(seen):
            return False
    return True
