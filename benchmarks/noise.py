"""Noise on six columns of a million records and shuffling of three by five, from the fetched
columns to the masked ones, in units: the least CPU time of several runs. Hashing and fetching the
ids is timed by itself; and what an exchange between groups adds to MDAV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from figure import Figure
from perturbation import least
from unit import unit

RECORDS = 1_000_000
COLUMNS = [f"x{j}" for j in range(8)]


def run() -> Iterator[Figure]:
    from discreet.masking.add_noise import NoiseTask
    from discreet.masking.perturbation import drawn_records
    from discreet.masking.shuffle import dealt

    one, data = unit(), survey()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    taken = least(lambda: drawn_records(data, COLUMNS, seed=1), 3)
    yield Figure("1M: hash the ids, fetch eight columns, sort by hash", taken / one, "units")
    found = drawn_records(data, COLUMNS, seed=1)
    six = tuple(COLUMNS[:6])
    for kind in ("independent", "correlated", "exact-moments", "multiplicative"):
        taken = least(lambda kind=kind: NoiseTask(found, six, kind, 0.2, False).run())
        yield Figure(f"1M: {kind} noise on 6 columns", taken / one, "units", 2)
    taken = least(lambda: dealt(found, six[:3], tuple(COLUMNS[3:])))
    yield Figure("1M: shuffle 3 columns given 5", taken / one, "units", 6)
    yield from exchange(one)


def exchange(one: float) -> Iterator[Figure]:
    import numpy as np

    from discreet.kernels.multivariate.exchange import exchange
    from discreet.kernels.multivariate.mdav import mdav

    points = np.random.default_rng(1).lognormal(size=(100_000, 6))
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    groups = mdav(points, 3)
    yield Figure("100k × 6, k = 3: MDAV", least(lambda: mdav(points, 3), 2) / one, "units")
    taken = least(lambda: exchange(points, groups, 3), 2)
    yield Figure("100k × 6, k = 3: exchange after it", taken / one, "units")
    saved = 1 - squares(points, exchange(points, groups, 3)) / squares(points, groups)
    yield Figure("100k × 6, k = 3: SSE that the exchange saves", 100 * saved, "%")


def squares(points: Any, groups: Any) -> float:
    import numpy as np

    sizes = np.bincount(groups)
    return sum(float(((x - (np.bincount(groups, x) / sizes)[groups]) ** 2).sum()) for x in points.T)


def survey() -> Any:
    import numpy as np
    import pyarrow as pa

    import discreet as ds

    rng = np.random.default_rng(0)
    common = rng.normal(size=RECORDS)
    columns = {name: np.exp(common + rng.normal(size=RECORDS)) for name in COLUMNS}
    columns["x4"] = np.round(columns["x4"], 1)  # with equal values
    columns["x5"] = np.round(columns["x5"])
    table = pa.table({"rec": rng.permutation(RECORDS), **columns})
    return ds.read(table, keys=[], record_id="rec", types=dict.fromkeys(COLUMNS, "continuous"))
