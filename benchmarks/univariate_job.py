"""Univariate microaggregation in a process of its own: ``times``, ``losses`` or ``absolute``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping

import numpy as np
from processes import Clock

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.univariate import fixed_groups, optimal_groups

SEED = 2003


def times(k: int, records: int, plain_records: int) -> dict[str, float]:
    """CPU seconds on lognormal values; the plain loop on the first of them only."""
    clock = Clock()
    values = np.random.default_rng(SEED).lognormal(size=records)
    optimal_groups(values[:100], k)  # loads the kernels
    found = _least(
        {
            "sort": lambda: np.argsort(values, kind="stable"),
            "fixed": lambda: fixed_groups(values, k),
            "optimal": lambda: optimal_groups(values, k),
        },
        7,
    )
    few = values[:plain_records]
    found |= _least({"plain": lambda: plain_groups(few, k)}, 3)
    if not np.array_equal(plain_groups(few, k), optimal_groups(few, k)):
        raise RuntimeError("the plain loop and the kernel differ in their groups")
    return {**found, "megabytes": clock.outcome()["megabytes"]}


def losses(k: int, records: int, samples: int) -> dict[str, float]:
    """Loss of fixed groups over that of optimal ones: the median of several samples."""
    ratios = []
    for seed in range(samples):
        values = np.random.default_rng(seed).lognormal(size=records)
        fixed = fixed_groups(values, k)
        squares, absolute = optimal_groups(values, k), optimal_groups(values, k, "absolute")
        ratios.append(
            (
                _loss(values, fixed, 2) / _loss(values, squares, 2),
                _loss(values, fixed, 1) / _loss(values, absolute, 1),
            )
        )
    squared, plain = np.median(ratios, axis=0)
    return {"squares": float(squared), "absolute": float(plain)}


def absolute(records: int) -> dict[str, dict[str, float]]:
    """CPU seconds with ``objective="absolute"`` and k = 10, and their ratio to sorting."""
    rng = np.random.default_rng(SEED)
    optimal_groups(rng.normal(size=100), 3, "absolute")  # loads the kernels
    found = {}
    for name, values in _shapes(rng, records).items():
        taken = _least(
            {
                "sort": lambda values=values: np.argsort(values, kind="stable"),
                "groups": lambda values=values: optimal_groups(values, 10, "absolute"),
            },
            2,
        )
        found[name] = {"seconds": taken["groups"], "ratio": taken["groups"] / taken["sort"]}
    return found


def _shapes(rng: np.random.Generator, n: int) -> dict[str, Floats]:
    signs, powers = rng.choice([-1.0, 1.0], n), rng.uniform(-20, 20, n)
    return {
        "lognormal": rng.lognormal(size=n),
        "Cauchy": rng.standard_cauchy(n),
        "whole ages": rng.integers(0, 100, n).astype(float),
        "70 % zero": np.where(rng.random(n) < 0.7, 0.0, rng.normal(size=n)),
        "± exp(uniform)": signs * np.exp(powers),
        "1000 outliers": np.r_[2.0 ** np.arange(1000), rng.normal(size=n - 1000) * 1e-3],
    }


def _loss(values: Floats, groups: Ints, power: int) -> float:
    means = np.bincount(groups, values) / np.bincount(groups)
    return float((np.abs(values - means[groups]) ** power).sum())


def plain_groups(values: Floats, k: int) -> Ints:
    """The O(kn) shortest path of Hansen and Mukherjee, in plain Python with prefix sums."""
    order = np.argsort(values, kind="stable").tolist()
    x = values[order].tolist()
    n = len(x)
    sums, squared = [0.0], [0.0]
    for value in x:
        sums.append(sums[-1] + value)
        squared.append(squared[-1] + value * value)
    least, ends = [float("inf")] * n + [0.0], [0] * n
    for i in range(n - k, -1, -1):
        for j in range(i + k, min(i + 2 * k, n + 1)):
            total = sums[j] - sums[i]
            found = squared[j] - squared[i] - total * total / (j - i) + least[j]
            if found < least[i]:
                least[i], ends[i] = found, j
    groups, label, end = np.empty(n, np.int64), -1, 0
    for i, place in enumerate(order):
        if i == end:
            label, end = label + 1, ends[i]
        groups[place] = label
    return groups


def _least(steps: Mapping[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """CPU seconds of each step, the least of several turns."""
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(turns):
        for name, step in steps.items():
            start = time.process_time()
            step()
            taken[name].append(time.process_time() - start)
    return {name: min(seconds) for name, seconds in taken.items()}


if __name__ == "__main__":
    what, *numbers = sys.argv[1:]
    jobs = {"times": times, "losses": losses, "absolute": absolute}
    print(json.dumps(jobs[what](*map(int, numbers))))
