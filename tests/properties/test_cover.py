"""The greedy cover, step by step without a heap: what is best is looked for among all, each time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.local_suppression.cover import (
    blanked_first,
    cover_task,
    greedy_cover,
    no_units,
)
from discreet.kernels.local_suppression.suppression import blanks_of, in_order
from tests.properties.cells import tables, task_of

TABLES = st.integers(2, 4).flatmap(lambda keys: tables(keys, 11, least=3))


class Slow:
    """The same in sets and dictionaries: items by number, groups as lists of members."""

    def __init__(self, cover):
        self.cover = cover
        self.groups = [
            cover.member[a:b].tolist() for a, b in zip(cover.start, cover.start[1:], strict=False)
        ]
        self.served = dict.fromkeys(range(len(cover.item)), 0)
        self.blanked = dict.fromkeys(range(len(cover.item)), 0)
        self.units = []

    def lacks(self, v):
        c = self.cover
        gone = c.settle and self.blanked[v] == c.stock[v]
        return 0 if gone else max(0, int(c.lack[v]) - self.served[v])

    def blank(self, item, group, times, price):
        c = self.cover
        own = int(c.place[item])
        for v in self.groups[group]:
            if v != own:
                self.served[v] += times
        if own >= 0:
            self.blanked[own] += times
        self.units += [(int(item), group, price)] * times

    def actions(self):
        """What each action removes per price, with its number; the best first."""
        c = self.cover
        for g, members in enumerate(self.groups):
            lent = sum(item == c.donor[g] for item, *_ in self.units)
            if c.donor[g] >= 0 and lent < c.records[c.donor[g]]:
                gain = sum(self.lacks(v) > 0 for v in members)
                yield gain / c.donor_price[g], -g, (c.donor[g], g, 1, c.donor_price[g])
        for v in range(len(c.item)) if c.settle else ():
            own, best = self.lacks(v), None
            for g, members in enumerate(self.groups):
                if own and v in members:
                    e = c.start[g] + members.index(v)
                    times = int(c.stock[v])
                    others = [self.lacks(o) for o in members if o != v and self.lacks(o)]
                    gain = own + min(times * len(others), sum(others))
                    worth = gain / (times * c.price[e])
                    if c.usable[e] and (best is None or worth > best[0]):
                        number = -len(self.groups) - v
                        best = worth, number, (c.item[v], g, times, c.price[e])
            if best:
                yield best

    def run(self):
        while any(self.lacks(v) for v in self.served):
            worth, _, best = max(self.actions(), default=(0, 0, None), key=lambda a: a[:2])
            if worth <= 0:
                return None
            self.blank(*best)
        return self.taken_back()

    def taken_back(self, first=0):
        given, made = self.units[:first], self.units[first:]
        order = sorted(range(len(made)), key=lambda u: (-made[u][2], -u))
        for u in order:
            rest = given + [unit for w, unit in enumerate(made) if w != u and unit]
            if self.enough(rest):
                made[u] = None
        return given + [unit for unit in made if unit]

    def enough(self, units):
        again = Slow(self.cover)
        for item, group, price in units:
            again.blank(item, group, 1, price)
        return not any(again.lacks(v) for v in again.served)


def covers_of(records, k):
    task, _ = in_order(task_of(records, k))
    return task, blanks_of(task)


@given(records=TABLES, k=st.integers(2, 4))
def test_the_heap_takes_what_is_best_among_all(records, k):
    task, blanks = covers_of(records, k)
    cover = cover_task(task, blanks, k - task.counts, None, 2)
    fast, slow = greedy_cover(cover, no_units()), Slow(cover).run()
    if slow is None:
        assert fast is None
    else:
        assert list(zip(fast.item, fast.group, strict=True)) == [unit[:2] for unit in slow]


@given(records=TABLES, k=st.integers(2, 4))
def test_records_that_must_be_blanked_are_and_stay_so(records, k):
    task, blanks = covers_of(records, k)
    cover = cover_task(task, blanks, k - task.counts, task.counts < k, 2)
    first = blanked_first(cover, 0.5)
    if first is None:
        return
    slow = Slow(cover)
    for item, group in zip(first.item, first.group, strict=True):
        slow.blank(item, int(group), 1, 1.0)
    assert (
        np.bincount(first.item, minlength=len(task.counts)).tolist()
        == np.where(task.counts < k, task.counts, 0).tolist()
    )
    size = len(slow.units)
    while any(slow.lacks(v) for v in slow.served):
        worth, _, best = max(slow.actions(), default=(0, 0, None), key=lambda a: a[:2])
        if worth <= 0:
            assert greedy_cover(cover, first) is None
            return
        slow.blank(*best)
    wanted = [unit[:2] for unit in slow.taken_back(size)]
    fast = greedy_cover(cover, first)
    assert list(zip(fast.item, fast.group, strict=True)) == wanted


@given(records=TABLES, k=st.integers(2, 4))
def test_a_group_holds_those_who_agree_in_the_keys_that_are_shown(records, k):
    task, blanks = covers_of(records, k)
    cover = cover_task(task, blanks, k - task.counts, None, 2)
    seen = set()
    for g, (a, b) in enumerate(zip(cover.start, cover.start[1:], strict=False)):
        shown = ~cover.masks[cover.mask[g]]
        members = cover.item[cover.member[a:b]]
        agree = np.all(task.codes[:, shown] == task.codes[members[0]][shown], axis=1)
        assert task.counts[agree].sum() >= k
        assert sorted(members) == np.flatnonzero(agree & (task.counts < k)).tolist()
        lenders = np.flatnonzero(agree & (task.counts >= k))
        most = task.counts[lenders].max(initial=0)
        assert (cover.donor[g] < 0) == (len(lenders) == 0)
        assert cover.donor[g] < 0 or task.counts[cover.donor[g]] == most
        seen.add((tuple(shown), tuple(members)))
    assert len(seen) == len(cover.donor)
