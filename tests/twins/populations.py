"""What a sample says of its population: the models written down from their definitions, with loops
over people and cells.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import discreet as ds
from tests.twins.classes import keys_of
from tests.twins.tables import tables
from tests.twins.twin import same, twin

FACTORS = (1, 2, 3, 10, 40)


@st.composite
def sampled(draw):
    """A table, and how many times as many people there are."""
    table = draw(tables(most=20, keys=3, confidential=0))
    return [(table, factor) for factor in FACTORS]


# -- population uniqueness ------------------------------------------------------------------------


def likelihood(sizes: list[int], theta: float, alpha: float) -> float:
    """Pitman's formula, a person after the other: a new class with probability (θ + uα)/(θ + i), a
    class of size j with probability (j − α)/(θ + i)."""
    found, seen = 0.0, 0
    for classes, size in enumerate(sizes):
        for j in range(size):
            share = theta + classes * alpha if j == 0 else j - alpha
            if seen:
                found += math.log(share / (theta + seen))
            seen += 1
    return found


def zayatz(sizes: list[int], people: int) -> Fraction:
    """By Bayes' rule with binomial coefficients."""
    n, ones = sum(sizes), sizes.count(1)
    drawn = {j: Fraction(j * math.comb(people - j, n - 1), math.comb(people, n)) for j in {*sizes}}
    total = sum(drawn[j] for j in sizes)
    return Fraction(ones, n) * (ones * drawn[1] / total) if ones else Fraction(0)


def shlosser(sizes: list[int], pi: float) -> float:
    """Haas et al. (1995), as printed, in terms of f_i."""
    ones = sizes.count(1)
    first = sum(j * pi**2 * (1 - pi**2) ** (j - 1) for j in sizes)
    second = sum((1 - pi) ** j * ((1 + pi) ** j - 1) for j in sizes)
    third = sum((1 - pi) ** j for j in sizes) / sum(j * pi * (1 - pi) ** (j - 1) for j in sizes)
    return len(sizes) + ones * first / second * third**2


def snb_fits(sizes: list[int], pi: float, k: float, share: float) -> bool:
    """Whether some a has the share K b^a/N of uniques and gives both numbers of classes."""
    n, people = sum(sizes), sum(sizes) / pi
    wanted = [sizes.count(1) / n, sizes.count(2) / n]
    uniques = share * people / k  # b^a
    best = math.inf
    low, high = -12.0, 12.0
    for _ in range(6):  # a finer grid around the best each time
        grid = [low + (high - low) * i / 400 for i in range(401)]
        found = []
        for level in grid:
            a = math.exp(level)
            b = uniques ** (1 / a)
            big = 1 - (1 - b) * (1 - pi)
            c, d = math.exp(a * (math.log(b) - math.log(big))) if b else 0.0, (1 - b) / big
            p1 = pi * c * (1 + (1 - pi) * a * d)
            p2 = pi**2 * c * a * d * (1 + (1 - pi) * (a + 1) * d / 2)
            found.append((abs(k * p1 / n - wanted[0]) + abs(k * p2 / n - wanted[1]), level))
        best, at = min(found)
        step = (high - low) / 200
        low, high = at - step, at + step
    return best < 1e-4


@twin("population uniqueness", sampled())
def compare_uniqueness(case: Any) -> None:
    table, factor = case
    sizes = sorted(Counter(keys_of(table)).values())
    n, people = table.n, table.n * factor
    found = ds.population_uniqueness(table.data, population=people)
    same("zayatz", found.zayatz, zayatz(sizes, people))
    whole, equal, unique = factor == 1, len(sizes) == 1, len(sizes) == n
    if whole or equal or unique:
        same("pitman of a file that tells nothing", found.pitman, None)
    elif found.pitman is not None:
        theta, alpha = found.theta, found.alpha
        top = likelihood(sizes, theta, alpha)
        for t, a in itertools.product((0.9, 1, 1.1), (-0.03, 0, 0.03)):
            if 0 <= alpha + a < 1 and (theta + alpha) * t - alpha - a > -alpha - a:
                other = likelihood(sizes, (theta + alpha) * t - alpha - a, alpha + a)
                same("the highest likelihood", other <= top + 1e-9, True)
        share = math.prod((theta + alpha + i - 1) / (theta + i) for i in range(1, people))
        same("pitman", found.pitman, share)
    if not whole:
        same("classes of the population", found.population_classes, shlosser(sizes, n / people))
    if found.snb is not None and found.snb > 1e-9:
        fits = snb_fits(sizes, n / people, found.population_classes, found.snb)
        same("snb solves its equations", fits, True)


# -- the log-linear model -------------------------------------------------------------------------


@st.composite
def modelled(draw):
    table = draw(tables(most=12, keys=3, confidential=0))
    pairs = [None, *itertools.combinations(table.keys, 2)]
    return [(table, pair, 1 / factor) for pair in pairs for factor in (2, 10)]


@twin("model risk", modelled())
def compare_model(case: Any) -> None:
    table, pair, pi = case
    found = ds.model_risk(table.data, [pair] if pair else None, fraction=pi)
    keys, n = keys_of(table), table.n
    at = [table.keys.index(name) for name in pair] if pair else []
    sets = [at] if at else []
    sets += [[a] for a in range(len(table.keys)) if a not in at]
    shares = [Counter(tuple(key[a] for a in chosen) for key in keys) for chosen in sets]

    def mean(cell: tuple[Any, ...]) -> float:
        parts = [c[tuple(cell[a] for a in s)] / n for s, c in zip(sets, shares, strict=True)]
        return n * math.prod(parts)

    counts = Counter(keys)
    risks = {}
    for cell, f in counts.items():
        x = mean(cell) * (1 - pi) / pi
        risks[cell] = sum(
            math.exp(-x + j * math.log(x) - math.lgamma(j + 1)) / (f + j) for j in range(400)
        )
    for got, key in zip(found.values.tolist(), keys, strict=True):
        same("risk of a record", got, risks[key])
    alone = [cell for cell, f in counts.items() if f == 1]
    same("tau2", found.tau2, math.fsum(risks[cell] for cell in alone))
    same("tau1", found.tau1, math.fsum(math.exp(-mean(c) * (1 - pi) / pi) for c in alone))
    values = [sorted({key[a] for key in keys}, key=repr) for a in range(len(table.keys))]
    cells = list(itertools.product(*values))
    same("expected uniques", found.expected_counts["uniques"]["expected"],
         math.fsum(mean(c) * math.exp(-mean(c)) for c in cells))  # fmt: skip
    same("score of tau1", found.scores[0], _score(cells, counts, mean, pi), 1e-7)


def _score(cells: Any, counts: Any, mean: Any, pi: float) -> float:
    """B̂1 and its standard deviation, Skinner and Shlomo (2008)."""
    excess = variance = 0.0
    for cell in cells:
        lam, f = mean(cell) / pi, counts[cell]
        weight = lam * math.exp(-lam) * (1 - pi)
        away = f - pi * lam
        excess += weight * (away + (1 - pi) * (away**2 - f) / (2 * pi))
        variance += weight**2 * (pi * lam + (1 - pi) ** 2 * lam**2 / 2)
    return excess / math.sqrt(variance) if variance > 0 else 0.0
