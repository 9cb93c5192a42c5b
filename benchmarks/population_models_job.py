"""The models of the population in a process of its own: CPU seconds by case."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import numpy as np
from unit import unit

from discreet.kernels.fitted_model import chosen_margins
from discreet.kernels.loglinear import Grid, fit_of, fitted
from discreet.kernels.superpopulation import (
    SizeCounts,
    pitman,
    pitman_asymptotic,
    pitman_exact,
    shlosser,
    snb,
    zayatz,
)

SHARES = (0.01, 0.1, 0.5)
SHAPE = (10, 8, 6, 12, 5, 4, 9)  # a million cells


def histogram(classes: int, tail: float) -> SizeCounts:
    """Class sizes with a long tail, as surveys have them."""
    sizes = np.minimum(np.random.default_rng(1).zipf(tail, classes), 100_000)
    return SizeCounts(*np.unique(sizes, return_counts=True))


def uniqueness(found: SizeCounts, share: float) -> list[float | None]:
    """All that ``ds.population_uniqueness`` works out from the class sizes."""
    size = found.n / share
    theta, alpha = pitman(found) or (1.0, 0.5)
    classes = shlosser(found, size) or 1.0
    return [pitman_exact(theta, alpha, size), pitman_asymptotic(theta, alpha, size),
            zayatz(found, size), snb(found, size, classes)]  # fmt: skip


def survey() -> Grid:
    """A million people in a grid of a million cells, two pairs of keys going together."""
    rng = np.random.default_rng(2)
    log = rng.normal(0, 0.8, (10, 8, 1, 1, 1, 1, 1)) + rng.normal(0, 0.8, (1, 1, 6, 12, 1, 1, 1))
    for a, size in enumerate(SHAPE):
        log = log + rng.normal(0, 1, [size if a == b else 1 for b in range(len(SHAPE))])
    means = np.broadcast_to(np.exp(log), SHAPE)
    counts = rng.poisson(means * 1e6 / means.sum()).ravel()
    at = np.flatnonzero(counts)
    return Grid(np.unravel_index(at, SHAPE), counts[at], SHAPE)


def main() -> None:
    taken = {
        f"{found.u:,} classes of {found.n:,} records, {share:.0%}": _least(
            lambda found=found, share=share: uniqueness(found, share), 5
        )
        for found in (histogram(2_000, 1.7), histogram(100_000, 2.2), histogram(5_000_000, 2.5))
        for share in SHARES
    }
    grid = survey()
    shares = np.full(len(grid.counts), 0.05)
    pairs = [(0, 1), (2, 3), (1, 4)]
    model = {
        "a million cells, independent keys": _least(
            lambda: fit_of(grid, fitted(grid, [])[0], shares, 0.05), 3
        ),
        "a million cells, three pairs": _least(
            lambda: fit_of(grid, fitted(grid, pairs)[0], shares, 0.05), 2
        ),
        "a million cells, search": _least(lambda: chosen_margins(grid, shares, 0.05), 1),
    }
    print(json.dumps({"unit": unit(), "uniqueness": taken, "model": model}))


def _least(step: Callable[[], object], turns: int) -> float:
    """CPU seconds, the least of several turns."""
    found = []
    for _ in range(turns):
        start = time.process_time()
        step()
        found.append(time.process_time() - start)
    return min(found)


if __name__ == "__main__":
    main()
