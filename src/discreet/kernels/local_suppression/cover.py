"""Cover: items that too few others can be taken for are hidden by blanks in other records.

A record that is released with a mask can be taken for any member of its group. Each item that
needs it lacks a number of such records; whoever blanks one for a group serves all its members at
once. In the wildcard reading an item is also settled when all its records are blanked.

The greedy answer takes what removes most of what lacks per price, and looks again only at what is
on top of the heap, since what an action removes never grows. At the end every blank that is not
needed any more is taken back, the dearest and latest first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.kernels.compilation import njit
from discreet.kernels.labels import label
from discreet.kernels.local_suppression.suppression import Blanks, groups_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Bools, Floats, Ints
    from discreet.kernels.local_recoding.task import CellTask

_TINY = 1e-9  # a price above 0, for what costs nothing
_ROUNDS = 3
_NOTHING = tuple(np.empty(0, kind) for kind in ("i8", "i4", "?", "f8", "i8", "f8"))


class CoverTask(NamedTuple):
    """What lacks, and what can be done about it.

    Attributes
    ----------
    codes : int32 array; blank : bool array, items × keys
        All items, and which cells miss from the start.
    records : int64 array
        Records of all items.
    place : int64 array
        Of all items, the place in `item`, or −1.
    item, lack : int64 arrays
        The items that need others, and how many; or that must be blanked.
    stock : int64 array
        Their records.
    must : bool array
        Whether all of them must be blanked.
    start : int64 array; member : int32 array
        The groups: the places in `item` of the members of group g are
        ``member[start[g] : start[g + 1]]``.
    usable : bool array
        Of each membership, whether the item may be released with the mask of the group.
    price : float64 array
        Of each membership, what one record costs then.
    donor : int64 array
        Of each group, the item that lends a record to it, or −1: the cheapest of those that lack
        nothing, then the one with most records.
    donor_price : float64 array
    mask : int64 array
        Of each group, the place of its mask in `masks`.
    masks : bool array
    alike : bool
        Whether one item may be taken for another from the start: some cells miss, or two items have
        the same codes.
    settle : bool
        The wildcard reading: an item whose records are all blanked lacks nothing, and a cell that
        misses fits both ways.
    """

    codes: NDArray[np.int32]
    blank: Bools
    records: Ints
    place: Ints
    item: Ints
    lack: Ints
    stock: Ints
    must: Bools
    start: Ints
    member: NDArray[np.int32]
    usable: Bools
    price: Floats
    donor: Ints
    donor_price: Floats
    mask: Ints
    masks: Bools
    alike: bool
    settle: bool


class Units(NamedTuple):
    """Records that are blanked, one each: the item, and the group that it serves."""

    item: Ints
    group: Ints


def cover_task(
    task: CellTask, blanks: Blanks, lack: Ints, must: Bools | None, max_blanks: int
) -> CoverTask:
    """The groups of at least k records with a member that lacks something.

    ``lack``: of each item, how many more records it needs that it can be taken for. ``must``: whose
    records must be blanked; None in the wildcard reading.
    """
    lack = np.maximum(lack, 0)
    needs = (lack > 0) if must is None else (lack > 0) | must
    item = np.flatnonzero(needs)
    place = np.full(len(lack), -1, dtype=np.int64)
    place[item] = np.arange(len(item))
    parts, mask = [], []
    masks: list[Bools] = []
    for groups in groups_of(task, blanks, max_blanks, all_blank=False):
        usable = groups.usable & (groups.lost > 0)
        if not usable.any():
            continue
        labels, found = label(groups.group)
        kept, size = _kept(labels, found, groups.member, task.counts, place, task.k)
        part = _filled_groups(
            kept, size, labels, groups.member, usable, groups.price, task.counts, place
        )
        parts.append((size, *part))
        mask.append(np.full(len(size), len(masks)))
        masks.append(groups.mask)
    size, member, may, price, donor, donor_price = (
        np.concatenate(p) for p in zip(_NOTHING, *parts, strict=True)
    )
    return CoverTask(
        codes=task.codes,
        blank=blanks.blank,
        records=task.counts,
        place=place,
        item=item,
        lack=lack[item],
        stock=task.counts[item],
        must=np.zeros(len(item), bool) if must is None else must[item],
        start=np.append(0, np.cumsum(size)),
        member=member,
        usable=may,
        price=price,
        donor=donor,
        donor_price=donor_price,
        mask=np.concatenate([_NOTHING[0], *mask]),
        masks=np.array(masks, dtype=bool).reshape(-1, len(task.trees)),
        alike=bool(blanks.blank.any()) or _repeated(task.codes),
        settle=must is None,
    )


def _repeated(codes: NDArray[np.int32]) -> bool:
    """Whether items, in the order of their codes, have the same ones."""
    return bool(np.any(np.all(codes[1:] == codes[:-1], axis=1)))


@njit(cache=True, nogil=True)
def _kept(labels, number, member, counts, place, k):  # type: ignore[no-untyped-def]
    """The groups of k records with members that lack something: the new number of each, or −1, and
    how many such members each has."""
    records = np.zeros(number, np.int64)
    lacking = np.zeros(number, np.int64)
    for m in range(member.size):
        records[labels[m]] += counts[member[m]]
        lacking[labels[m]] += place[member[m]] >= 0
    renamed = np.full(number, -1, np.int64)
    size = np.empty(number, np.int64)
    kept = 0
    for g in range(number):
        if records[g] >= k and lacking[g] > 0:
            renamed[g] = kept
            size[kept] = lacking[g]
            kept += 1
    return renamed, size[:kept].copy()


@njit(cache=True, nogil=True)
def _filled_groups(renamed, size, labels, member, usable, price, counts, place):  # type: ignore[no-untyped-def]
    """The members of each group that lack something, whether each may be released so and at what
    price; and the donor of each group and its price."""
    free = np.cumsum(size) - size
    who = np.empty(size.sum(), np.int32)
    may = np.empty(who.size, np.bool_)
    cost = np.empty(who.size, np.float64)
    donor = np.full(size.size, -1, np.int64)
    lowest = np.full(size.size, np.inf, np.float64)
    for m in range(member.size):
        g = renamed[labels[m]]
        i = member[m]
        if g >= 0 and place[i] >= 0:
            who[free[g]] = place[i]
            may[free[g]] = usable[m]
            cost[free[g]] = price[m]
            free[g] += 1
        elif g >= 0 and usable[m]:
            same = price[m] == lowest[g] and counts[i] > counts[donor[g]]
            if price[m] < lowest[g] or same:
                donor[g] = i
                lowest[g] = price[m]
    return who, may, cost, donor, lowest


def no_units() -> Units:
    """Nothing is blanked."""
    return Units(np.empty(0, np.int64), np.empty(0, np.int64))


def greedy_cover(cover: CoverTask, given: Units) -> Units | None:
    """Blank records until nothing lacks; None where that cannot be done.

    ``given``: records that are blanked already and stay so.
    """
    first = len(given.item)
    most = first + int(cover.lack.sum() + cover.stock.sum())
    units = Units(np.empty(most, np.int64), np.empty(most, np.int64))
    units.item[:first], units.group[:first] = given
    groups, items = len(cover.donor), len(cover.item)
    none = np.zeros(items, np.int64)
    state = CoverState(none, none.copy(), np.zeros((groups, 2), np.int32))
    price = np.zeros(most)
    heap = Heap(np.empty(groups + items), np.empty(groups + items, np.int64))
    made, left = _greedy(cover, _memberships(cover), state, heap, units, first, price)
    if left > 0:
        return None
    order = first + np.lexsort((-np.arange(first, made), -price[first:made]))
    kept = np.ones(made, dtype=bool)
    _take_back(cover, state, units, order, kept)
    return Units(units.item[:made][kept], units.group[:made][kept])


def blanked_first(cover: CoverTask, worth: float) -> Units | None:
    """Blank all records that must be; None where an item has no group.

    Each item takes the group whose price, less what it does for others, is least; then each may
    choose again, as the others have chosen. ``worth``: of one record that an item lacks less, in
    the smallest price.
    """
    chosen = np.full(len(cover.item), -1, dtype=np.int64)
    served = np.zeros(len(cover.item), np.int64)
    of = _memberships(cover)
    for _ in range(_ROUNDS):
        _choose(cover, of, worth, served, chosen)
    if np.any(chosen[cover.must] < 0):
        return None
    times = cover.stock[cover.must]
    group = of.group[chosen[cover.must]].astype(np.int64)
    return Units(np.repeat(cover.item[cover.must], times), np.repeat(group, times))


class CoverState(NamedTuple):
    """How far it is.

    Attributes
    ----------
    served, blanked : int64 arrays
        Of each item that lacks something: records of others that serve it, and its own that are
        blanked.
    lacking : int32 array, groups × 2
        How many members lack something, and how much in all.
    """

    served: Ints
    blanked: Ints
    lacking: NDArray[np.int32]


class Heap(NamedTuple):
    """Actions; the largest key is on top, then the smallest number.

    Action g < number of groups: blank one record of the donor for group g. Action groups + v: blank
    all records of item v that are left, for the best of its groups.
    """

    key: Floats
    action: Ints


class Memberships(NamedTuple):
    """The groups of each item: those of item v stand from start[v] to start[v + 1]."""

    start: Ints
    group: NDArray[np.int32]
    usable: Bools
    price: Floats


def _memberships(cover: CoverTask) -> Memberships:
    size = len(cover.member)
    sizes = np.bincount(cover.member, minlength=len(cover.item))
    found = Memberships(
        np.append(0, np.cumsum(sizes)),
        np.empty(size, np.int32),
        np.empty(size, np.bool_),
        np.empty(size),
    )
    _enter(cover, found, found.start[:-1].copy())
    return found


@njit(cache=True, nogil=True)
def _enter(c, of, free):  # type: ignore[no-untyped-def]
    """Write the members of the groups down by item."""
    for g in range(c.donor.size):
        for e in range(c.start[g], c.start[g + 1]):
            m = free[c.member[e]]
            free[c.member[e]] += 1
            of.group[m] = g
            of.usable[m] = c.usable[e]
            of.price[m] = c.price[e]


@njit(cache=True, nogil=True)
def _begin(c, state):  # type: ignore[no-untyped-def]
    """Count what lacks in each group; how many items lack something."""
    for g in range(c.donor.size):
        for e in range(c.start[g], c.start[g + 1]):
            state.lacking[g, 0] += c.lack[c.member[e]] > 0
            state.lacking[g, 1] += c.lack[c.member[e]]
    left = 0
    for v in range(c.lack.size):
        left += c.lack[v] > 0
    return left


@njit(cache=True, nogil=True)
def _greedy(c, of, state, heap, units, made, price):  # type: ignore[no-untyped-def]
    """Fill the units; how many there are, and how many items still lack something."""
    m = 0
    left = _begin(c, state)
    for u in range(made):  # what is given
        v = c.place[units.item[u]]
        if v >= 0:
            state.blanked[v] += 1
        left -= _serve(c, of, state, units.item[u], units.group[u], 1)
    lent = np.zeros(c.records.size, np.int64)
    size = _filled(c, of, state, heap)
    while left > 0 and size > 0:
        action = heap.action[0]
        before = heap.key[0]
        v = action - c.donor.size
        if v >= 0:  # an item that lacks something is blanked itself
            heap.key[0], m = _best(c, of, state, v)
        else:
            spent = lent[c.donor[action]] >= c.records[c.donor[action]]
            heap.key[0] = -1.0 if spent else _worth(c, state, action)
        if heap.key[0] <= 0:
            size -= 1
            heap.key[0] = heap.key[size]
            heap.action[0] = heap.action[size]
            _sink(heap, size, 0)
            continue
        if heap.key[0] < before:  # others may be better now
            _sink(heap, size, 0)
            continue
        g = of.group[m] if v >= 0 else action
        i = c.item[v] if v >= 0 else c.donor[g]
        records = c.stock[v] - state.blanked[v] if v >= 0 else 1
        lacking = state.lacking[g, 1]
        if v >= 0:
            _note(c, of, state, v, state.served[v] - c.lack[v])
            state.blanked[v] += records
            left -= 1
        else:
            lent[i] += 1
        left -= _serve(c, of, state, i, g, records)
        if state.lacking[g, 1] == lacking:  # the donor was taken for all of them from the start
            state.lacking[g, 0] = 0
            continue
        for _ in range(records):
            units.item[made] = i
            units.group[made] = g
            price[made] = of.price[m] if v >= 0 else c.donor_price[g]
            made += 1
    return made, left


@njit(cache=True, nogil=True)
def _choose(c, of, worth, served, chosen):  # type: ignore[no-untyped-def]
    """Let each item that must be blanked choose among its groups, given what the others chose."""
    for v in range(c.item.size):
        if not c.must[v]:
            continue
        if chosen[v] >= 0:
            _count(c, served, v, of.group[chosen[v]], -c.stock[v])
        best = np.inf
        for m in range(of.start[v], of.start[v + 1]):
            if of.usable[m]:
                cost = of.price[m] * c.stock[v] - worth * _helped(c, served, v, of.group[m])
                if cost < best:
                    best = cost
                    chosen[v] = m
        if chosen[v] >= 0:
            _count(c, served, v, of.group[chosen[v]], c.stock[v])


@njit(cache=True, nogil=True)
def _helped(c, served, v, g):  # type: ignore[no-untyped-def]
    """How much of what others lack the records of an item remove."""
    total = 0
    for e in range(c.start[g], c.start[g + 1]):
        o = c.member[e]
        if served[o] < c.lack[o] and _serves(c, c.item[v], o):
            total += min(c.stock[v], c.lack[o] - served[o])
    return total


@njit(cache=True, nogil=True)
def _count(c, served, v, g, records):  # type: ignore[no-untyped-def]
    """Add records of an item to what serves the members of a group."""
    for e in range(c.start[g], c.start[g + 1]):
        if _serves(c, c.item[v], c.member[e]):
            served[c.member[e]] += records


@njit(cache=True, nogil=True)
def _filled(c, of, state, heap):  # type: ignore[no-untyped-def]
    """Fill the heap; how many actions there are."""
    size = 0
    groups = c.donor.size
    for g in range(groups):
        if c.donor[g] >= 0:
            heap.key[size] = _worth(c, state, g)
            heap.action[size] = g
            size += 1
    for v in range(c.item.size):
        if c.settle:
            heap.key[size] = _best(c, of, state, v)[0]
            heap.action[size] = groups + v
            size += 1
    for at in range(size // 2 - 1, -1, -1):
        _sink(heap, size, at)
    return size


@njit(cache=True, nogil=True)
def _worth(c, state, g):  # type: ignore[no-untyped-def]
    """What a record of the donor removes of what lacks in a group, per price."""
    return state.lacking[g, 0] / max(c.donor_price[g], _TINY)


@njit(cache=True, nogil=True)
def _best(c, of, state, v):  # type: ignore[no-untyped-def]
    """For which group it is best to blank all records of an item that are left: what that removes
    per price, and the membership; −1 where there is no need or no group."""
    best = -1.0
    chosen = of.start[v]
    if _settled(c, state, v):
        return best, chosen
    records = c.stock[v] - state.blanked[v]
    own = c.lack[v] - state.served[v]
    for m in range(of.start[v], of.start[v + 1]):
        if of.usable[m]:
            g = of.group[m]
            others = min(records * (state.lacking[g, 0] - 1), state.lacking[g, 1] - own)
            worth = (own + others) / (records * max(of.price[m], _TINY))
            if worth > best:
                best = worth
                chosen = m
    return best, chosen


@njit(cache=True, nogil=True)
def _sink(heap, size, at):  # type: ignore[no-untyped-def]
    """Let an action sink to its place in the heap."""
    if at >= size:
        return
    key = heap.key[at]
    action = heap.action[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and (
            heap.key[child + 1] > heap.key[child]
            or (
                heap.key[child + 1] == heap.key[child]
                and heap.action[child + 1] < heap.action[child]
            )
        ):
            child += 1
        if heap.key[child] < key or (heap.key[child] == key and heap.action[child] > action):
            break
        heap.key[at] = heap.key[child]
        heap.action[at] = heap.action[child]
        at = child
    heap.key[at] = key
    heap.action[at] = action


@njit(cache=True, nogil=True)
def _settled(c, state, v):  # type: ignore[no-untyped-def]
    """Whether an item lacks nothing any more."""
    return state.served[v] >= c.lack[v] or (c.settle and state.blanked[v] == c.stock[v])


@njit(cache=True, nogil=True)
def _serves(c, i, v):  # type: ignore[no-untyped-def]
    """Whether a blanked record of item i is new to the member v of its group."""
    j = c.item[v]
    if i == j or not c.alike:
        return i != j
    for a in range(c.codes.shape[1]):
        if (
            c.codes[i, a] != c.codes[j, a]
            and not c.blank[i, a]
            and not (c.settle and c.blank[j, a])
        ):
            return True
    return False


@njit(cache=True, nogil=True)
def _serve(c, of, state, i, g, records):  # type: ignore[no-untyped-def]
    """Count records of item i that are blanked for a group; how many members lack nothing from
    now on."""
    done = 0
    for e in range(c.start[g], c.start[g + 1]):
        v = c.member[e]
        if not _serves(c, i, v):
            continue
        if not _settled(c, state, v):
            rest = c.lack[v] - state.served[v]
            _note(c, of, state, v, -min(records, rest))
            done += rest <= records
        state.served[v] += records
    return done


@njit(cache=True, nogil=True)
def _note(c, of, state, v, change):  # type: ignore[no-untyped-def]
    """Tell all groups of an item that it lacks less, or nothing any more."""
    closed = c.lack[v] - state.served[v] + change == 0
    for m in range(of.start[v], of.start[v + 1]):
        state.lacking[of.group[m], 0] -= closed
        state.lacking[of.group[m], 1] += change


@njit(cache=True, nogil=True)
def _take_back(c, state, units, order, kept):  # type: ignore[no-untyped-def]
    """Drop every unit, in the given order, without which still nothing lacks."""
    for u in order:
        i = units.item[u]
        g = units.group[u]
        own = c.place[i]
        needed = (
            own >= 0
            and c.settle
            and state.blanked[own] == c.stock[own]
            and state.served[own] < c.lack[own]
        )
        for e in range(c.start[g], c.start[g + 1]):
            v = c.member[e]
            if needed:
                break
            blanked = c.settle and state.blanked[v] == c.stock[v]
            needed = not blanked and state.served[v] <= c.lack[v] and _serves(c, i, v)
        if not needed:
            kept[u] = False
            for e in range(c.start[g], c.start[g + 1]):
                state.served[c.member[e]] -= _serves(c, i, c.member[e])
            if own >= 0:
                state.blanked[own] -= 1
