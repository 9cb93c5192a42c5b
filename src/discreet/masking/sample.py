"""Sampling: only a subset of the records is released.

Simple random sampling without replacement with sampling factor sf = t/n (Truta, Fotouhi &
Barth-Jones 2004, equation 2.1). A record is chosen when the MD5 hash of "seed:record id" is
among the t smallest: the same records on every engine, whatever the order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pyarrow as pa
from annotated_doc import Doc
from annotated_types import Ge, Interval

from discreet import engine
from discreet.data import attributes
from discreet.data.attributes import AttributeType
from discreet.data.masked import Masked, masked_from, require_draws
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import (
    Problem,
    argument,
    fail,
    listed,
    raise_all,
)
from discreet.masking.method import SecretSeed, Strata, masking, unknown_columns
from discreet.parameters import (
    Label,
    OneOf,
    Public,
    Share,
    Vary,
    as_written,
    is_number,
    is_whole,
    nearest,
    seed_problems,
)

if TYPE_CHECKING:
    from discreet.kernels.arrays import Ints


@masking(
    title="Sampling",
    done="sampled",
    about="Only some records are released. Nobody can be sure that a person is among them.",
    example="--keys age,sex --fraction 0.1 --seed 1",
    tells=("disclosure_risk",),
    public_facts=("weight",),
)
def sample(
    data: Microdata,
    *,
    fraction: Annotated[
        float | None,
        Interval(gt=0, le=1),
        Share,
        OneOf("size"),
        Label("Share of the records"),
        Doc("Share of the records to release."),
        Public,
        Vary(0.1, 0.25, 0.5, shown="{}"),
    ] = None,
    n: Annotated[
        int | None,
        Ge(1),
        OneOf("size"),
        Label("Number of records"),
        Doc("Number of records to release."),
        Public,
    ] = None,
    seed: Annotated[SecretSeed, Doc("The same seed draws the same records.")] = None,
    by: Annotated[
        Strata, Doc("Columns that make the strata: each gets its share of the sample.")
    ] = (),
) -> Masked:
    """Draw a simple random sample without replacement.

    Parameters
    ----------
    data : Microdata
    fraction, n : float, int
        The share (0 to 1) or the number of records to release; one of the two. A share is
        taken as it is written and rounded to the nearest number of records, halves up: 0.29
        of 50 records is 15.
    seed : int
        The same seed chooses the same records wherever the record ids are the same.
    by : list of columns, optional
        Strata: each gets its share of the sample, and one that would get no record is an error.
        When ``n`` is given, by largest remainders; of equal ones the first stratum, in the
        order of its values, is served first.

    Returns
    -------
    Masked
        Linked to the initial records. Weights (``weight=`` of :func:`read`) are divided by the
        share that was really drawn, of the file or of the stratum: a weight w becomes w · N/n. So
        whole numbers become fractions, unless all records are drawn.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.billing(1000, seed=1), keys=["Age", "Sex", "Zip"])
    >>> ds.sample(survey, fraction=0.1, seed=1).n
    100

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2004), *Disclosure risk measures for the sampling disclosure
      control method*. ACM Symposium on Applied Computing.
    """
    require_microdata(data)
    strata = attributes.names(by)
    raise_all(
        [
            *_size_problems(data, fraction, n),
            *seed_problems(seed),
            *unknown_columns(data, strata, "stratum"),
        ]
    )
    assert seed is not None
    seed, n = int(seed), None if n is None else int(n)  # numpy integers are whole numbers too
    fraction = None if fraction is None else float(as_written(fraction))
    named = require_draws(data)
    size = n if n is not None else nearest(fraction or 0.0, data.n)
    if size == 0:
        fail(
            "D06",
            f"a share of {fraction:g} of {data.n:,} records gives no record.",
            f"Raise {argument('fraction')}, or give {argument('n')}.",
        )
    if strata:
        source, factors = _stratified(data, named, strata, fraction, size, seed)
    else:
        source = engine.sample(data.source, named, size, data.n, seed)
        factors = [data.n / size]
        if data.weight is not None and factors != [1.0]:
            source = engine.multiplied(source, data.weight, *factors)
    parameters = {"fraction": fraction, "n": n, "seed": seed, "by": list(strata)}
    weighted = _weighted(data, factors)
    return masked_from(
        data,
        source,
        method="sample",
        parameters={**parameters, **({"weight": weighted} if weighted else {})},
        types={weighted["column"]: AttributeType("continuous")} if weighted else {},
        scaled=[weighted["column"]] if weighted else [],
        promise=None,
        after=None if strata else size,
    )


def _weighted(data: Microdata, factors: Sequence[float]) -> dict[str, Any]:
    """What was done with the weights: the column, and by what it was multiplied, or from what to
    what where that differs between strata; empty where there are none, or all were drawn."""
    low, high = min(factors), max(factors)
    if data.weight is None or high == 1:
        return {}
    return {"column": data.weight, "multiplied_by": low if low == high else [low, high]}


def allocate(sizes: Ints, total: int) -> Ints:
    """Split a sample over strata in proportion to their sizes, by largest remainders.

    Equal remainders are served in the order of the strata. In whole numbers, of any size: the
    remainders of two strata are equal or they are not.
    """
    given = [int(size) for size in sizes]
    records = sum(given)
    shares = [divmod(size * total, records) for size in given]
    taken = np.array([whole for whole, _ in shares], dtype=np.int64)
    by_remainder = sorted(range(len(given)), key=lambda stratum: -shares[stratum][1])
    taken[by_remainder[: total - int(taken.sum())]] += 1
    return taken


def _stratified(
    data: Microdata,
    named: str,
    strata: tuple[str, ...],
    fraction: float | None,
    size: int,
    seed: int,
) -> tuple[engine.Source, list[float]]:
    """The records drawn, and how many initial ones each stands for, by stratum."""
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
            f"{small:,} of {len(taken):,} strata by {listed(strata)} are too small to get a "
            "record.",
            "Merge small strata, or draw a larger sample.",
        )
    columns = [v.take(pa.array(c)) for v, c in zip(found.values, found.codes, strict=True)]
    factors = [int(all_) / int(drawn) for all_, drawn in zip(found.counts, taken, strict=True)]
    table = pa.Table.from_arrays(
        [*columns, pa.array(taken), pa.array(factors, pa.float64())],
        names=[*strata, "take", "factor"],
    )
    weight = data.weight if max(factors) > 1 else None
    drawn = engine.stratified_sample(data.source, named, strata, table, seed, weight)
    return drawn, factors


def _size_problems(data: Microdata, fraction: float | None, n: int | None) -> list[Problem]:
    if (fraction is None) == (n is None):
        return [
            Problem(
                "P14",
                f"a sample needs {argument('fraction')} or {argument('n')}, one of the two.",
                "Give one.",
            )
        ]
    if fraction is not None and not (is_number(fraction) and 0 < fraction <= 1):
        return [
            Problem(
                "P14",
                f"{argument('fraction')} must be above 0 and at most 1.",
                "Give for example 0.1.",
            )
        ]
    if n is not None and not (is_whole(n) and 1 <= n <= data.n):
        what = f"{argument('n')} is not a whole number from 1 to the {data.n:,} records there are."
        return [Problem("P14", what, "Give a number in this range.")]
    return []
