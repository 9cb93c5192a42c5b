"""Sums over known sets, slow and obvious: every set, every record, by dictionaries of counts."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np


def slow_known_sets(probabilities, epsilon):
    """Every set of attributes, the unlikely ones struck out; by size, then by attribute numbers."""
    numbers = range(len(probabilities))
    found = {}
    for size in range(len(probabilities) + 1):
        for known in itertools.combinations(numbers, size):
            pk = math.prod(probabilities[a] for a in known)
            if not known or pk > epsilon * (1 + 1e-12):
                found[known] = pk
    return found


def slow_shares(columns, sets, pk, weights):
    """Per known set, record and attribute: PK/count, and the sensitivity of the value."""
    n = len(columns[0])
    share = np.zeros((len(sets), n))
    for k, known in enumerate(sets):
        tuples = [tuple(int(columns[a][r]) for a in known) for r in range(n)]
        counts = Counter(tuples)
        share[k] = [pk[k] / counts[own] for own in tuples]
    value = np.array(
        [
            [0.0 if w is None else float(w[c[r]]) for c, w in zip(columns, weights, strict=True)]
            for r in range(n)
        ]
    )
    return share, value


def slow_sums(columns, sets, pk, weights):
    """Reach, spent and total of every record."""
    share, value = slow_shares(columns, sets, pk, weights)
    inside = np.array([[sum(row[a] for a in known) for row in value] for known in sets])
    return share.sum(axis=0), (share * inside).sum(axis=0), value.sum(axis=1)


def slow_contributions(columns, sets, pk, weights):
    """Σ_r PK/count · w_A over the attributes A outside the set, by set and by attribute."""
    share, value = slow_shares(columns, sets, pk, weights)
    unknown = np.array([[a not in known for a in range(len(columns))] for known in sets])
    parts = (share @ value) * unknown
    return parts.sum(axis=1), parts.sum(axis=0)
