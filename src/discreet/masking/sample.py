"""Sampling: only a subset of the records is released.

Simple random sampling without replacement with sampling factor sf = t/n (Truta, Fotouhi &
Barth-Jones 2004, equation 2.1). A record is chosen when the MD5 hash of "seed:record id" is
among the t smallest: the same records on every engine, whatever the order of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet import attributes, engine
from discreet.criteria.criterion import is_number
from discreet.errors import Problem, fail, raise_all
from discreet.masking.masked import Masked, id_problems, masked_from, require_link, seed_problems
from discreet.microdata import Microdata

if TYPE_CHECKING:
    from numpy.typing import NDArray


def sample(
    data: Microdata,
    *,
    fraction: float | None = None,
    n: int | None = None,
    seed: int | None = None,
    by: Sequence[str] | str = (),
) -> Masked:
    """Draw a simple random sample without replacement.

    Parameters
    ----------
    data : Microdata
    fraction, n : float, int
        The share (0 to 1) or the number of records to release; one of the two. A share is
        rounded to the nearest number of records.
    seed : int
        The same seed chooses the same records wherever the record ids are the same.
    by : list of columns, optional
        Strata: each gets its share of the sample (by largest remainders when ``n`` is given),
        and one that would get no record is an error.

    Returns
    -------
    Masked
        Linked to the initial records.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.billing(1000, seed=1), keys=["Age", "Sex", "Zip"])
    >>> ds.sample(survey, fraction=0.1, seed=1).n
    100
    """
    if not isinstance(data, Microdata):
        fail("P09", "the first argument is not microdata.", "Open it with ds.read(…) first.")
    strata = attributes.names(by)
    raise_all([*_size_problems(data, fraction, n), *seed_problems(seed), *_unknown(data, strata)])
    assert seed is not None
    seed, n = int(seed), None if n is None else int(n)  # numpy integers are whole numbers too
    link = require_link(data)
    named = data.source.at(data.record_id) if data.record_id else link
    _require_ids(data, named)
    size = n if n is not None else nearest(fraction or 0.0, data.n)
    if size == 0:
        fail(
            "D06",
            f"a share of {fraction:g} of {data.n:,} records is no record.",
            "Raise fraction=, or give n=.",
        )
    if strata:
        source = _stratified(data, named, strata, fraction, size, seed)
    else:
        source = engine.sample(data.source, named, size, data.n, seed)
    parameters = {"fraction": fraction, "n": n, "seed": seed, "by": list(strata)}
    after = None if strata else size
    return masked_from(
        data, source, method="sample", parameters=parameters, promise=None, after=after
    )


def nearest(fraction: float, n: int) -> int:
    """The number of records nearest to a share of n, halves up."""
    return math.floor(fraction * n + 0.5)


def allocate(sizes: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Split a sample over strata in proportion to their sizes, by largest remainders.

    Equal remainders are served in the order of the strata.
    """
    exact = sizes * (total / sizes.sum())
    taken = np.floor(exact).astype(np.int64)
    rest = np.argsort(-(exact - taken), kind="stable")[: total - int(taken.sum())]
    taken[rest] += 1
    return taken


def _stratified(
    data: Microdata,
    named: str,
    strata: tuple[str, ...],
    fraction: float | None,
    size: int,
    seed: int,
) -> engine.Source:
    import pyarrow as pa

    found = data.frequency_set(strata)
    taken = (
        allocate(found.counts, size)
        if fraction is None
        else np.array([nearest(fraction, int(c)) for c in found.counts], dtype=np.int64)
    )
    small = int((taken == 0).sum())
    if small:
        fail(
            "D07",
            f"{small:,} of {len(taken):,} strata are too small to get a record.",
            "Merge small strata, or draw a larger sample.",
        )
    columns = [v.take(pa.array(c)) for v, c in zip(found.values, found.codes, strict=True)]
    table = pa.Table.from_arrays([*columns, pa.array(taken)], names=[*strata, "take"])
    return engine.stratified_sample(data.source, named, strata, table, seed)


def _size_problems(data: Microdata, fraction: float | None, n: int | None) -> list[Problem]:
    if (fraction is None) == (n is None):
        return [Problem("P14", "a sample needs fraction= or n=, one of the two.", "Give one.")]
    if fraction is not None and not (is_number(fraction) and 0 < fraction <= 1):
        return [Problem("P14", "fraction= lies above 0 and up to 1.", "Give for example 0.1.")]
    if n is not None and not (
        isinstance(n, int | np.integer) and not isinstance(n, bool) and 1 <= n <= data.n
    ):
        what = f"n= is not a whole number from 1 to the {data.n:,} records there are."
        return [Problem("P14", what, "Give a number in this range.")]
    return []


def _unknown(data: Microdata, strata: tuple[str, ...]) -> list[Problem]:
    return [
        attributes.unknown_column("stratum", name, data.columns, data.name)
        for name in strata
        if name not in data.columns
    ]


def _require_ids(data: Microdata, column: str) -> None:
    """Record ids the user named must tell the records apart."""
    if data.record_id is None:
        return
    if data.source.kinds[data.record_id] not in ("integer", "text"):
        fail(
            "D08",
            f"record id {data.record_id!r} is neither text nor a whole number.",
            "Its written form differs between engines: use another column.",
        )
    raise_all(id_problems(data, data.record_id, column))
