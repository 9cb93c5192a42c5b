"""Noise: random amounts are added to numbers, or numbers multiplied by random factors.

Against recognition by exact amounts. What users of the file compute from it stays right on average,
or exactly: the kinds of noise differ in what they keep (``kernels/noise.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pyarrow as pa
from annotated_doc import Doc
from annotated_types import Gt

from discreet.data.attributes import AttributeType
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata
from discreet.errors import Problem, argument, listed, raise_all
from discreet.kernels import noise as kernel
from discreet.kernels.draws import normals, stream, uniforms
from discreet.kernels.orthogonal import basis
from discreet.masking.attainable import column_of
from discreet.masking.method import (
    MaskedColumns,
    SecretSeed,
    Strata,
    WholeStays,
    masking,
)
from discreet.masking.noise import NoiseKind, NoiseWithin, as_floats, noise_of
from discreet.masking.perturbation import (
    DrawnRecords,
    drawn,
    not_amounts,
    places,
)
from discreet.parameters import (
    ColumnFacts,
    Columns,
    Label,
    Public,
    Unfit,
    Variant,
    Vary,
    is_number,
)

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats, Ints

_LARGEST_FACTOR = 2 / 3  # of an amount: factors stay positive


def noisy(column: ColumnFacts) -> list[Unfit]:
    """Why a column cannot have noise.

    Examples
    --------
    >>> noisy(ColumnFacts("text", "nominal", "nominal", 0))[0].what
    'is stored as text and cannot get noise'
    """
    return not_amounts(column, "cannot get noise")


@masking(
    title="Noise",
    done="blurred by noise",
    about="Random amounts are added to numbers, so that exact amounts are not recognised.",
    noun="noise",
    example="--keys age --columns income --amount 0.1 --seed 1",
    tells=("information_loss",),
    perturbs=True,
)
def add_noise(
    data: Microdata,
    columns: Annotated[MaskedColumns, Columns(fit=noisy), Doc("Numbers that get noise.")],
    amount: Annotated[
        float,
        Gt(0),
        Label("Amount"),
        Doc("Size of the noise, in standard deviations of a column; for factors, as a share."),
        Public,
        Vary(0.05, 0.1, 0.2, 0.5),
    ] = 0.1,
    *,
    kind: Annotated[
        NoiseKind,
        Label(
            "Kind of noise",
            {
                "correlated": "correlated: correlations stay on average",
                "independent": "independent: each column by itself",
                "exact-moments": "exact moments: means and covariances stay as they are",
                "multiplicative": "multiplicative: zeros and signs stay",
            },
        ),
        Doc("The kind of noise, and what it keeps."),
        Public,
        Variant,
    ] = "correlated",
    by: Annotated[
        Strata,
        Doc("Columns that make the strata: noise is scaled, and moments are kept, within each."),
    ] = (),
    keep_zeros: Annotated[
        bool,
        Label("Zeros stay"),
        Doc("Whether a 0 stays a 0; with multiplicative noise it always does."),
        Public,
    ] = False,
    round: Annotated[  # noqa: A002
        WholeStays, Doc("Round whole numbers and decimals to the digits that they had.")
    ] = False,
    seed: Annotated[SecretSeed, Doc("The same seed gives the same noise.")] = None,
) -> Masked:
    """Add noise to numbers, or multiply them by random factors.

    Parameters
    ----------
    data : Microdata
    columns : list of str
        Continuous attributes.
    amount : float
        With "independent" and "correlated" the standard deviation of the noise over that of the
        column. With "exact-moments", at most 1, the share of the noise in what is released: 1
        keeps nothing of a record but what it has in common with all. With "multiplicative",
        below 2/3, how far the two humps of factors are from 1.
    kind : {"correlated", "independent", "exact-moments", "multiplicative"}
        Correlated noise has the covariance of the columns, so that correlations stay on average.
        Exact moments: means, variances and covariances are what they were, in every stratum, also
        where some columns follow from others. Multiplicative: every number is multiplied by
        something from 1 − 3/2 to 1 − 1/2 of the amount, or from 1 + 1/2 to 1 + 3/2 of it, on the
        same side for all numbers of a record.
    by : list of columns, optional
        Strata: spreads and covariances are those of a stratum, and so is what is kept. Strata with
        too few records are an error.
    keep_zeros : bool
        A 0 stays a 0.
    round : bool
        Whole numbers stay whole, decimals keep their digits. Not with exact moments.
    seed : int
        The same seed gives the same noise wherever the record ids are the same. Who has it can take
        the noise away: keep it secret.

    Returns
    -------
    Masked
        Missing values stay missing. ``.outcome`` says what the noise came to.

    Notes
    -----
    Covariances of correlated noise are those of the records that have all columns. Exact moments
    are kept among the records of a stratum that have the same columns filled (and not 0, where
    zeros stay), and so for the stratum; there must be d + 2 of them for d columns, and 2r + 1 where
    r of the columns do not follow from others.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(200, seed=1), keys=["age"])
    >>> masked = ds.add_noise(survey, ["age", "income"], 0.3, kind="exact-moments", seed=1)
    >>> [round(float(data.to("pandas")["income"].std()), 6) for data in (survey, masked)]
    [37196.102622, 37196.102622]

    References
    ----------
    - Brand (2002), *Microdata protection through noise addition*. Inference Control in Statistical
      Databases, LNCS 2316: correlated noise; before it Kim (1986) and Tendick, Matloff (1994).
    - Burridge (2003), *Information preserving statistical obfuscation*. Statistics and Computing
      13; Muralidhar, Sarathy (2008): noise that keeps means and covariances.
    - Höhne (2004): multiplicative noise with two humps.
    """
    given = {"amount": amount, "kind": kind, "keep_zeros": keep_zeros, "round": round}
    also = _together(amount, kind, round)
    found = drawn(add_noise, data, columns, by, seed, given, also)
    chosen, strata = found.columns, found.by
    raise_all(data.unbounded_problems(chosen))
    task = NoiseTask(found, chosen, kind, float(amount), keep_zeros or kind == "multiplicative")
    made = task.run()
    unit = {name: _unit(found[name].type) if round else 0.0 for name in chosen}
    stored = {
        name: _stored(made[j], task.there[j], found[name].type, unit[name])
        for j, name in enumerate(chosen)
    }
    return found.masked(
        stored,
        method="add_noise",
        parameters={"columns": list(chosen), **given, "by": list(strata), "seed": found.seed},
        promise=NoiseWithin(data, chosen, strata, kind, task.amount, task.keep_zeros, unit),
        types={name: AttributeType("continuous") for name in chosen},
        outcome=task.outcome(stored),
    )


def _together(amount: float, kind: str, whole: bool) -> list[Problem]:
    """Arguments that do not go together."""
    problems: list[Problem] = []
    if not is_number(amount):
        return problems
    if kind == "exact-moments" and amount > 1:
        what = f"{argument('amount')} is more than 1: no moment could stay exactly the same."
        problems.append(Problem("P10", what, "Give a number up to 1.", "amount"))
    if kind == "multiplicative" and amount >= _LARGEST_FACTOR:
        what = f"{argument('amount')} is 2/3 or more: factors would not all be positive."
        problems.append(Problem("P10", what, "Give a number below 2/3.", "amount"))
    if kind == "exact-moments" and whole:
        what = f"{argument('round')} would change the moments that must stay the same."
        remedy = f"Leave it out, or choose {argument('kind', 'correlated')}."
        problems.append(Problem("P81", what, remedy, "round"))
    return problems


@dataclass(eq=False, repr=False)
class NoiseTask:
    """Numbers that get noise, a row for each column.

    Attributes
    ----------
    there, free : array (d, n)
        Where a value is, and where it gets noise.
    small : mapping
        How many groups of records were too few, by the columns that they have.
    """

    records: DrawnRecords
    columns: tuple[str, ...]
    kind: NoiseKind
    amount: float
    keep_zeros: bool
    values: Floats = field(init=False)
    there: np.ndarray = field(init=False)
    free: np.ndarray = field(init=False)
    small: dict[tuple[str, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = as_floats(self.records.table, self.columns)
        self.there = ~np.isnan(self.values)
        self.free = self.there & (self.values != 0) if self.keep_zeros else self.there

    def run(self) -> Floats:
        """The values with noise; all strata that are too small are an error at once."""
        made = self.values.copy()
        ways = {
            "independent": self._independent,
            "correlated": self._correlated,
            "exact-moments": self._exact,
            "multiplicative": self._multiplied,
        }
        with np.errstate(over="ignore", invalid="ignore"):  # looked at below
            for part in self.records.strata:
                ways[self.kind](part, made)
        raise_all([self._too_small(named, number) for named, number in self.small.items()])
        np.copyto(made, self.values, where=~self.free)
        finite = np.isfinite(made) | ~self.there
        lost = [c for j, c in enumerate(self.columns) if not finite[j].all()]
        what = "with noise is beyond the largest number that can be stored."
        raise_all([Problem("D12", f"{c!r} {what}", "Lower the amount.") for c in lost])
        return made

    def outcome(self, stored: Mapping[str, pa.Array]) -> Any:
        """What the noise came to, with what was rounded."""
        after = as_floats(pa.table(dict(stored)), self.columns)
        pairs = {
            name: (self.values[j][self.there[j]], after[j][self.there[j]])
            for j, name in enumerate(self.columns)
        }
        kind = self.records.data.source.kind
        return noise_of(pairs, self.kind, self.amount, kind)

    def _normals(self, part: Ints, attribute: str, number: int = 0) -> Floats:
        hashes = self.records.hashes[places(part, len(self.records))]
        return normals(hashes, stream("add_noise", attribute, number))

    def _independent(self, part: Ints, made: Floats) -> None:
        for j, name in enumerate(self.columns):
            own = part[self.there[j, part]]
            at = places(own, made.shape[1])
            if len(own) == 1:
                self._count((name,))
            elif len(own):
                z = self._normals(own, name)
                made[j, at] = kernel.independent(self.values[j, at], self.amount, z)

    def _correlated(self, part: Ints, made: Floats) -> None:
        n, everyone = made.shape[1], places(part, made.shape[1])
        whole = part[self.there[:, everyone].all(axis=0)]
        if len(whole) < len(self.columns) + 2:
            if self.there[:, everyone].any():
                self._count(self.columns)
            return
        found = basis(self.values[:, places(whole, n)])
        draw = lambda i: self._normals(part, "", i + 1)  # noqa: E731
        values = self.values[:, everyone]
        made[:, everyone] = kernel.correlated(found, values, self.amount, draw)

    def _exact(self, part: Ints, made: Floats) -> None:
        for rows, some in _patterns(self.free, self.there, part):
            own = self.values if len(rows) == len(made) else self.values[rows]
            at = places(some, made.shape[1])
            found = basis(own[:, at])
            if len(some) < max(2 * len(found.rows) + 1, len(rows) + 2):
                self._count(tuple(self.columns[j] for j in rows))
                continue
            draw = lambda i, some=some: self._normals(some, "", i + 1)  # noqa: E731
            noisy_ones = kernel.exact(found, own[:, at], self.amount, draw)
            for row, j in zip(noisy_ones, rows, strict=True):
                made[j, at] = row

    def _multiplied(self, part: Ints, made: Floats) -> None:
        at = places(part, made.shape[1])
        up = uniforms(self.records.hashes[at], stream("add_noise", "", 1))
        for j, name in enumerate(self.columns):
            within = uniforms(self.records.hashes[at], stream("add_noise", name))
            made[j, at] = self.values[j, at] * kernel.factors(self.amount, up, within)

    def _count(self, named: tuple[str, ...]) -> None:
        self.small[named] = self.small.get(named, 0) + 1

    def _too_small(self, named: tuple[str, ...], number: int) -> Problem:
        least = {
            "independent": 2,
            "correlated": len(named) + 2,
            "exact-moments": max(2 * len(named) + 1, 3),
        }[self.kind]
        have = f"values in {listed(named)}" if len(named) > 1 else f"a value in {named[0]!r}"
        if self.kind == "exact-moments" and len(self.columns) > 1:
            have += " and in no other column that gets noise"
        by = self.records.by
        word = "stratum" if number == 1 else "strata"
        where = f"in {number:,} {word} by {listed(by)} " if by else ""
        what = f"{where}too few records have {have}: {self.kind} noise needs {least:,} at least."
        remedy = "Merge small strata, or name fewer columns." if by else "Name fewer columns."
        return Problem("D07", what, remedy)


def _patterns(free: np.ndarray, there: np.ndarray, part: Ints) -> list[tuple[Ints, Ints]]:
    """The records of a stratum by the columns that get noise in them and those that have a value,
    and the columns that get noise."""
    at = places(part, free.shape[1])
    inside = free[:, at]
    if inside.all():
        return [(np.arange(len(free)), part)]
    packed = np.packbits(np.concatenate([inside, there[:, at]]), axis=0)
    _, first, which = np.unique(packed, axis=1, return_index=True, return_inverse=True)
    return [
        (np.flatnonzero(inside[:, at]), part[which.ravel() == number])
        for number, at in enumerate(first)
        if inside[:, at].any()
    ]


def _unit(dtype: pa.DataType) -> float:
    """What a type rounds to; 0 for floating-point numbers."""
    if pa.types.is_floating(dtype):
        return 0.0
    return 10.0 ** -(dtype.scale if pa.types.is_decimal(dtype) else 0)


def _stored(values: Floats, there: np.ndarray, dtype: pa.DataType, unit: float) -> pa.Array:
    """The column as it is written: rounded to its last digit where there is a unit."""
    if not unit:
        return pa.array(values, mask=~there)
    whole = np.rint(np.where(there, values, 0.0) / unit)
    if pa.types.is_decimal(dtype):
        digits = [int(v) for v in whole]
        wide = pa.decimal128(38, dtype.scale)
        made = column_of(np.array(digits, dtype=object), wide)
        return pa.array(
            [v if t else None for v, t in zip(made.to_pylist(), there, strict=True)], wide
        )
    if (abs(whole) < 2.0**63).all():
        return pa.array(whole.astype(np.int64), mask=~there)
    return pa.array(whole, mask=~there)  # floating-point numbers, which are whole as well
