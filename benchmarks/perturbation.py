"""Post-randomization, rank swapping and rounding of a million records, in units: the least CPU time
of several runs. Hashing and fetching the ids is timed by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from figure import Figure
from unit import unit

RECORDS = 1_000_000
CATEGORIES = 8


def run() -> Iterator[Figure]:
    from fractions import Fraction

    import numpy as np

    from discreet.kernels.draws import normals, stream, uniforms
    from discreet.masking.perturbation import drawn_records
    from discreet.masking.pram import ChangeRequest, all_changed
    from discreet.masking.rank_swap import _swapped
    from discreet.masking.round_values import _rounded

    one, data = unit(), survey()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    found = drawn_records(data, ["edu", "income"], ["region"], seed=1)
    taken = least(lambda: drawn_records(data, ["edu", "income"], ["region"], seed=1), 3)
    yield Figure("1M: hash the ids, fetch three columns, sort by hash", taken / one, "units")

    whole = drawn_records(data, ["edu", "income"], seed=1)
    for words, of_whom, exact, bound in (
        ("at random", whole, False, 0.5),
        ("exact", whole, True, 0.5),
        ("at random, 20 strata", found, False, None),
    ):
        asked = ChangeRequest(0.8, exact, "any", {}, {}, every=False)
        taken = least(lambda a=asked, f=of_whom: all_changed(f, ["edu"], a))
        yield Figure(f"1M: pram, {CATEGORIES} categories, {words}", taken / one, "units", bound)

    parts = found.parts(["income"], 2)["income"]
    everybody = [np.arange(RECORDS)]
    for words, own, bound in (("", everybody, 1.5), (", 20 strata", parts, None)):
        taken = least(lambda own=own: _swapped(found, "income", own, 0.05))
        yield Figure(f"1M: rank swap, window 5%{words}", taken / one, "units", bound)

    column, of = found["income"].combine_chunks(), stream("round_values", "income")
    taken = least(lambda: _rounded(column, Fraction(100), uniforms(found.hashes, of)))
    yield Figure("1M: unbiased rounding", taken / one, "units")
    taken = least(lambda: normals(found.hashes, of))
    yield Figure("1M: normal deviates", taken / one, "units")


def least(work: Callable[[], Any], times: int = 7) -> float:
    """CPU seconds of the fastest of several runs."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def survey() -> Any:
    import numpy as np
    import pyarrow as pa

    import discreet as ds

    rng = np.random.default_rng(0)
    share = 0.5 ** np.arange(1, CATEGORIES + 1)
    edu = pa.array([f"level {i}" for i in range(CATEGORIES)])
    table = pa.table(
        {
            "rec": rng.permutation(RECORDS),
            "edu": edu.take(pa.array(rng.choice(CATEGORIES, RECORDS, p=share / share.sum()))),
            "region": rng.integers(0, 20, RECORDS),
            "income": rng.lognormal(10, 1, RECORDS),
        }
    )
    return ds.read(table, keys=["edu"], record_id="rec")
