"""Small tables for kernels that blank cells, and the four counts of a file with blanks, record by
record as they are defined. A missing cell is None."""

import itertools

import numpy as np
from hypothesis import strategies as st

from discreet.kernels.local_recoding.task import CellTask, KeyTree

VALUES = 3


def tree(price=1.0):
    """A key with the values 0, 1, 2; the blank is node 3."""
    return KeyTree(np.full(VALUES + 1, VALUES, np.int32), np.array([0.0] * VALUES + [price]))


def stratum():
    """A key that is never blanked: all tops."""
    return KeyTree(np.arange(VALUES + 1, dtype=np.int32), np.zeros(VALUES + 1))


def task_of(
    records, k, *, prices=None, by=False, values=None, distinct=(), weight=None, fixed=None
):
    """A task in which each different record is an item; with weights each record is one."""
    keys = len(records[0])
    prices = prices or [1.0] * keys
    trees = [stratum() if by and a == 0 else tree(prices[a]) for a in range(keys)]
    full = list(zip(records, values or [0] * len(records), weight or [1.0] * len(records),
                    fixed or [(False,) * keys] * len(records), strict=True))  # fmt: skip
    found = sorted(set(full), key=repr)
    return CellTask(
        np.array([[VALUES if v is None else v for v in one[0]] for one in found], np.int32),
        np.array([full.count(one) for one in found]),
        tuple(trees),
        k,
        None if weight is None else np.array([one[2] for one in found]),
        None if fixed is None else np.array([one[3] for one in found]),
        np.array([[one[1]] for one in found], np.int32) if distinct else np.empty((0, 0), np.int32),
        tuple(distinct),
    )


def pairs(task, cells):
    """The initial and the released tuple of every record."""
    assert np.bincount(cells.item, cells.count, len(task.counts)).tolist() == task.counts.tolist()
    found = []
    for item, node, count in zip(cells.item, cells.node, cells.count, strict=True):
        before = tuple(named(v, t) for v, t in zip(task.codes[item], task.trees, strict=True))
        after = tuple(named(v, t) for v, t in zip(node, task.trees, strict=True))
        found += [(before, after)] * int(count)
    return found


def named(code, key):
    plain = np.all(key.parent == np.arange(len(key.parent)))
    return None if not plain and code == VALUES else int(code)


def covers(released, original):
    return all(r is None or r == o for r, o in zip(released, original, strict=True))


def compatible(left, right):
    return all(a is None or b is None or a == b for a, b in zip(left, right, strict=True))


def counts(found):
    """Category, wildcard, target and source: the least of each."""
    return {
        "category": min(sum(y == other for _, other in found) for _, y in found),
        "wildcard": min(sum(compatible(y, other) for _, other in found) for _, y in found),
        "target": min(sum(covers(other, x) for _, other in found) for x, _ in found),
        "source": min(sum(covers(y, other) for other, _ in found) for _, y in found),
    }


def holds(reading, found, k):
    """Whether a file meets a reading, and blanks cover what was there."""
    least = counts(found)
    wanted = ("target", "source") if reading == "target-source" else (reading,)
    return all(covers(y, x) for x, y in found) and all(least[name] >= k for name in wanted)


def cheapest(records, k, reading, max_blanks):
    """The fewest cells by trying everything, within what the exact answers are restricted to; None
    where nothing does."""
    keys = len(records[0])
    kept = {r: k for r in records if records.count(r) >= k}
    best = None
    for masks in itertools.product(allowed(keys, max_blanks, reading), repeat=len(records)):
        total = sum(map(len, masks))
        if best is not None and total >= best:
            continue
        found = [
            (x, tuple(None if a in mask else v for a, v in enumerate(x)))
            for x, mask in zip(records, masks, strict=True)
        ]
        if reading == "category":
            fine = all(sum(x == y == r for x, y in found) >= n for r, n in kept.items())
        else:
            fine = all(x == y or sum(covers(y, o) for o in records) >= k for x, y in found)
        if fine and holds(reading, found, k):
            best = total
    return best


def allowed(keys, max_blanks, reading):
    most = min(max_blanks, keys if reading == "category" else keys - 1)
    return [s for size in range(most + 1) for s in itertools.combinations(range(keys), size)]


def tables(keys, most, *, missing=False, least=1):
    """Lists of records."""
    value = st.sampled_from([None, 0, 1, 2] if missing else [0, 1, 2])
    return st.lists(st.tuples(*[value] * keys), min_size=least, max_size=most)
