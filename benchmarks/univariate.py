"""Time and loss of univariate microaggregation, as ratios to plain baselines of the same run."""

import time
from collections.abc import Callable

import numpy as np

from univariate import Floats, Ints, fixed_groups, optimal_groups

ROWS = 1_000_000
PLAIN_ROWS = 20_000
ABSOLUTE_ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)


def main() -> None:
    rng = np.random.default_rng(2003)
    values = rng.lognormal(size=ROWS)
    warm_up(values[:100])
    squares(values)
    absolute(rng)
    losses()


def warm_up(values: Floats) -> None:
    """Compile or load the kernels outside the clock."""
    start = time.perf_counter()
    optimal_groups(values, 3)
    optimal_groups(values, 3, "absolute")
    print(f"kernels ready in {time.perf_counter() - start:.2f} s\n")


def squares(values: Floats) -> None:
    sort = best_time(lambda: np.argsort(values, kind="stable"))
    print(f"{len(values):,} lognormal values, stable argsort {sort:.3f} s")
    print("    k   fixed s  /sort   optimal s  /sort   plain Python / optimal, per record")
    few = values[:PLAIN_ROWS]
    for k in (3, 10, 100):
        fixed = best_time(lambda k=k: fixed_groups(values, k))
        optimal = best_time(lambda k=k: optimal_groups(values, k))
        line = f"{k:5d} {fixed:9.3f} {fixed / sort:6.2f} {optimal:11.3f} {optimal / sort:6.2f}"
        if k <= 10:
            plain = best_time(lambda k=k: plain_groups(few, k), 1) / len(few)
            line += f" {plain / (optimal / len(values)):11.0f} x"
        print(line)


def absolute(rng: np.random.Generator) -> None:
    print('\nseconds with objective="absolute" (k = 3 | k = 10), and the larger over argsort')
    for n in ABSOLUTE_ROWS:
        for name, values in samples(rng, n).items():
            sort = best_time(lambda values=values: np.argsort(values, kind="stable"))
            spent = [
                best_time(lambda k=k, values=values: optimal_groups(values, k, "absolute"), 1)
                for k in (3, 10)
            ]
            ratio = max(spent) / sort
            print(f"{n:9,} {name:15} {spent[0]:7.3f} | {spent[1]:7.3f} {ratio:7.1f} x sort")


def samples(rng: np.random.Generator, n: int) -> dict[str, Floats]:
    signs, powers = rng.choice([-1.0, 1.0], n), rng.uniform(-20, 20, n)
    return {
        "lognormal": rng.lognormal(size=n),
        "Cauchy": rng.standard_cauchy(n),
        "whole ages": rng.integers(0, 100, n).astype(float),
        "70 % zero": np.where(rng.random(n) < 0.7, 0.0, rng.normal(size=n)),
        "± exp(uniform)": signs * np.exp(powers),
        "1000 outliers": np.r_[2.0 ** np.arange(1000), rng.normal(size=n - 1000) * 1e-3],
    }


def losses() -> None:
    print("\nloss of optimal / fixed groups, lognormal values: median of 25 samples")
    print("    k   rows   squares  absolute")
    for n in (30_000, 30_029):  # without and with a remainder, which joins the largest values
        for k in (3, 5, 10):
            shares = [loss_shares(np.random.default_rng(s).lognormal(size=n), k) for s in range(25)]
            squared, plain = np.median(shares, axis=0)
            print(f"{k:5d} {n:7,} {squared:8.3f} {plain:9.3f}")


def loss_shares(values: Floats, k: int) -> tuple[float, float]:
    fixed = fixed_groups(values, k)
    squared, plain = optimal_groups(values, k), optimal_groups(values, k, "absolute")
    return (
        loss(values, squared, 2) / loss(values, fixed, 2),
        loss(values, plain, 1) / loss(values, fixed, 1),
    )


def loss(values: Floats, groups: Ints, power: int) -> float:
    means = np.bincount(groups, values) / np.bincount(groups)
    return float((np.abs(values - means[groups]) ** power).sum())


def plain_groups(values: Floats, k: int) -> list[int]:
    """The O(kn) shortest path of Hansen and Mukherjee, in plain Python with prefix sums."""
    x = np.sort(values).tolist()
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
    return ends


def best_time(run: Callable[[], object], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
