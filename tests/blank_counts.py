"""The four counts of a file with blanks, record against record: slow, and plain to see.

Written from the definitions, to hold what a suppression of cells releases against them.
"""

import itertools

import numpy as np


def coded(before, after, names):
    """Both files as whole numbers, −1 for a missing cell; the same number for the same value."""
    columns = []
    for name in names:
        both = [*before[name].to_pylist(), *after[name].to_pylist()]
        number = {value: i for i, value in enumerate(dict.fromkeys(both)) if value is not None}
        columns.append([-1 if value is None else number[value] for value in both])
    made = np.array(columns, dtype=np.int64).T.reshape(-1, len(names))
    return made[: before.num_rows], made[before.num_rows :]


def four_counts(x, y, strata=None):
    """Per record: how many records show the same; may be the same in the released file; may be the
    person, for who knows the initial values; how many people a released record may be."""
    strata = np.zeros(len(x)) if strata is None else strata
    found = {name: np.zeros(len(x), dtype=int) for name in ("category", "wildcard", "target", "source")}  # fmt: skip
    for i in range(len(x)):
        here = strata == strata[i]
        found["category"][i] = np.sum(here & (y == y[i]).all(axis=1))
        found["wildcard"][i] = np.sum(here & ((y == y[i]) | (y < 0) | (y[i] < 0)).all(axis=1))
        found["target"][i] = np.sum(here & ((y == x[i]) | (y < 0)).all(axis=1))
        found["source"][i] = np.sum(here & ((x == y[i]) | (y[i] < 0)).all(axis=1))
    return found


IN_READING = {
    "category": ("category",),
    "target-source": ("target", "source"),
    "wildcard": ("wildcard",),
}


def short(before, after, keys, k, reading="category", by=()):
    """How many records have fewer than k others like them in a reading; also checks that released
    cells are blank or what they were."""
    x, y = coded(before, after, keys)
    assert ((y == x) | (y < 0)).all()
    strata = None
    if by:
        x_by, _ = coded(before, after, list(by))
        strata = np.unique(x_by, axis=0, return_inverse=True)[1].ravel()
    counts = four_counts(x, y, strata)
    return int(sum((counts[name] < k).sum() for name in IN_READING[reading]))


def blanked(before, after, keys):
    """Cells that were blanked, per key that lost some."""
    lost = {key: after[key].null_count - before[key].null_count for key in keys}
    return {key: number for key, number in lost.items() if number}


def fewest(x, k, reading="category", most=None, price=None):
    """The least cost of all answers, by trying all of them: every record loses every set of cells."""
    n, keys = x.shape
    price = np.ones(keys) if price is None else np.asarray(price)
    patterns = [np.array(p, dtype=bool) for p in itertools.product([False, True], repeat=keys)]
    patterns = [p for p in patterns if most is None or p.sum() <= most]
    best = np.inf
    for chosen in itertools.product(patterns, repeat=n):
        blank = np.array(chosen)
        cost = float((((x >= 0) & blank) * price).sum())
        if cost >= best:
            continue
        y = np.where(blank, -1, x)
        counts = four_counts(x, y)
        if all((counts[name] >= k).all() for name in IN_READING[reading]):
            best = cost
    return best
