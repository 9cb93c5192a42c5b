"""Sums over related tuples: by patterns, by a walk, and by all pairs."""

import numpy as np
import pytest

from discreet.kernels.related_tuples import (
    CellRelation,
    alike_sums,
    pattern_sums,
    related_sums,
    walked_sums,
)


def relation(matrix):
    left, right = np.nonzero(matrix)
    return CellRelation.of_pairs(left, right, *matrix.shape)


def groups(rng, values):
    """Values that stand for themselves, perhaps a group, perhaps a blank; and the blank's code."""
    columns = list(np.eye(values, dtype=bool))
    if rng.random() < 0.3:
        columns = [np.arange(values) % 2 == i for i in range(2)]  # the second may hold none
    elif rng.random() < 0.5:
        columns.append(np.arange(values) <= values // 2)
    blank = len(columns) if rng.random() < 0.7 else -1
    return np.column_stack([*columns, *([np.ones(values, bool)] if blank >= 0 else [])]), blank


def anything(rng, values):
    return rng.random((values, rng.integers(1, 5))) < 0.5, -1


def distinct(rng, cardinalities, rows=30):
    drawn = np.column_stack([rng.integers(0, c, rows) for c in cardinalities])
    found = np.unique(drawn, axis=0)
    rng.shuffle(found)
    return found, rng.integers(1, 9, len(found))


@pytest.mark.parametrize("kind", [groups, anything])
@pytest.mark.parametrize("seed", range(40))
def test_the_sums_are_those_over_all_pairs(kind, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 6, rng.integers(1, 5))
    drawn = [kind(rng, c) for c in values]
    matrices, blanks = [m for m, _ in drawn], [b for _, b in drawn]
    left, of_left = distinct(rng, values)
    right, of_right = distinct(rng, [m.shape[1] for m in matrices])
    pairs = np.ones((len(left), len(right)), dtype=bool)
    alike = np.ones((len(right), len(right)), dtype=bool)
    for a, m in enumerate(matrices):
        pairs &= m[left[:, a]][:, right[:, a]]
        common = (m.T.astype(int) @ m) > 0
        alike &= common[right[:, a]][:, right[:, a]]
    relations = [relation(m) for m in matrices]
    expected = (pairs @ of_right).tolist(), (pairs.T @ of_left).tolist()
    for way in (related_sums, walked_sums, pattern_sums):
        found = way(list(left.T), list(right.T), relations, of_left, of_right)
        assert tuple(one.tolist() for one in found) == expected
    found = alike_sums(list(right.T), relations, blanks, of_right)
    assert found.tolist() == (alike @ of_right).tolist()


def test_many_layers_are_left_to_the_walk():
    values = 20
    chain = relation(np.tril(np.ones((values, values), dtype=bool)))  # each code holds the next one
    every = [np.arange(values)]
    ones = np.ones(values, dtype=np.int64)
    assert pattern_sums(every, every, [chain], ones, ones) is None
    known, shown = related_sums(every, every, [chain], ones, ones)
    assert known.tolist() == list(range(1, values + 1))
    assert shown.tolist() == list(range(values, 0, -1))


def test_whether_codes_are_related_is_looked_up():
    matrix = np.array([[True, False, True], [False, False, True]])
    found = relation(matrix)
    assert found.holds(*np.indices(matrix.shape).reshape(2, -1)).tolist() == matrix.ravel().tolist()
    nothing = relation(np.zeros((2, 2), dtype=bool))
    assert not nothing.holds(np.array([0, 1]), np.array([0, 1])).any()
