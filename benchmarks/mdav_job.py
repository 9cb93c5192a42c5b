"""MDAV in a process of its own: ``times n d k repetitions`` or ``plain n d k``."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from processes import Grown

from discreet.kernels.multivariate import mdav


def simulated(n: int, d: int) -> np.ndarray:
    """Correlated lognormal columns, standardised."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)))
    points = np.exp(points / points.std(axis=0))
    return (points - points.mean(axis=0)) / points.std(axis=0, ddof=1)


def times(n: int, d: int, k: int, repetitions: int) -> dict[str, float]:
    """CPU seconds, and the growth of the peak memory in multiples of the data."""
    points = simulated(n, d)
    mdav(points[: min(n, 20 * k)], k)  # loads the kernels
    mdav(points[: min(n, max(5000, 700 * k))], k)
    grown = Grown()
    best = min(_cpu(points, k) for _ in range(repetitions))
    return {"cpu": best, "memory": grown.megabytes() * 1e6 / points.nbytes}


def plain(n: int, d: int, k: int) -> dict[str, float]:
    """CPU seconds of MDAV as a numpy user writes it: every step looks at all records left."""
    points, started = simulated(n, d), time.process_time()
    left = np.arange(n)
    while len(left) >= 3 * k:
        seed = points[left[_squares(points[left], points[left].mean(axis=0)).argmax()]]
        for _ in range(2):
            squares = _squares(points[left], seed)
            left = np.delete(left, np.argpartition(squares, k - 1)[:k])
            seed = points[left[_squares(points[left], seed).argmax()]]
    return {"cpu": time.process_time() - started}


def _squares(points: np.ndarray, centre: np.ndarray) -> np.ndarray:
    return ((points - centre) ** 2).sum(axis=1)


def _cpu(points: np.ndarray, k: int) -> float:
    started = time.process_time()
    mdav(points, k)
    return time.process_time() - started


if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    print(json.dumps({"times": times, "plain": plain}[name](*map(int, numbers))))
