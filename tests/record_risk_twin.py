"""The record risk, slow and obvious: every set of attributes, every record, by the definition."""

import itertools
import math

import numpy as np


def brute_sets(known, epsilon):
    """Every set of attributes with PK > ε, the empty one always."""
    likely = [a for a, p in known.items() if p > 0]
    found = {}
    for size in range(len(likely) + 1):
        for chosen in itertools.combinations(likely, size):
            pk = math.prod(known[a] for a in chosen)
            if size == 0 or pk > epsilon * (1 + 1e-12):
                found[chosen] = pk
    return found


def brute_risk(table, known, weight, alpha=100, epsilon=0.01, wildcard=False):
    """D(r) for a dict of columns; ``weight(attribute, value)`` is W(A) · W(v)."""
    n = len(next(iter(table.values())))
    risks = np.zeros(n)
    for chosen, pk in brute_sets(known, epsilon).items():
        for r in range(n):
            count = sum(
                all(same(table[a][r], table[a][s], wildcard) for a in chosen) for s in range(n)
            )
            unknown = [a for a in table if a not in chosen]
            risks[r] += pk / count * alpha * sum(weight(a, table[a][r]) for a in unknown)
    return risks


def same(one, other, wildcard):
    return one == other or (wildcard and (one is None or other is None))
