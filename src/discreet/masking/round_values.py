"""Rounding: numbers become multiples of a base, unbiased or to the nearest.

Unbiased rounding goes up with the probability of what is left over: 149 with base 100 becomes 200
with probability 0.49, so that it is right on average. Against recognition by exact amounts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from annotated_doc import Doc
from annotated_types import Gt

from discreet.data.attributes import names
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, raise_all
from discreet.kernels.draws import stream, uniforms
from discreet.masking.method import (
    MaskedColumns,
    SecretSeed,
    column_problems,
    masking,
    unfit_columns,
)
from discreet.masking.noise import as_floats
from discreet.masking.perturbation import (
    drawn_records,
    not_amounts,
    record_pairs,
)
from discreet.parameters import (
    ColumnFacts,
    Columns,
    Label,
    Public,
    Unfit,
    Vary,
    as_written,
    parameters_of,
    problems_of,
    recorded,
    seed_problems,
)
from discreet.words import counted

RoundingKind = Literal["unbiased", "nearest"]
_EXACT = 2.0**52  # from here on floating-point numbers are whole
_WIDER = (pa.int64(), pa.uint64(), pa.decimal128(38, 0))


def roundable(column: ColumnFacts) -> list[Unfit]:
    """Why the values of a column cannot be rounded.

    Examples
    --------
    >>> roundable(ColumnFacts("text", "nominal", "nominal", 0))[0].what
    'is stored as text and cannot be rounded'
    """
    return not_amounts(column, "cannot be rounded")


def _draws(recorded: Mapping[str, Any]) -> bool:
    """Rounding to the nearest joins values and draws nothing: classes mean what they say."""
    return bool(recorded.get("kind", "unbiased") == "unbiased")


@masking(
    title="Rounding",
    done="rounded",
    about="Numbers become multiples of a base, so that exact amounts are not recognised.",
    example="--keys age --columns income --base 100 --seed 1",
    tells=("information_loss",),
    perturbs=_draws,
)
def round_values(
    data: Microdata,
    columns: Annotated[MaskedColumns, Columns(fit=roundable), Doc("Numbers to round.")],
    base: Annotated[
        float,
        Gt(0),
        Label("Base"),
        Doc("What the rounded numbers are multiples of."),
        Public,
        Vary(5, 10, 100, 1000),
    ],
    *,
    kind: Annotated[
        RoundingKind,
        Label(
            "Rounding",
            {
                "unbiased": "unbiased: up or down at random, right on average",
                "nearest": "to the nearest multiple",
            },
        ),
        Doc("Up or down at random, right on average; or to the nearest multiple."),
        Public,
    ] = "unbiased",
    seed: Annotated[
        SecretSeed, Doc("The same seed rounds the same records up; to the nearest needs none.")
    ] = None,
) -> Masked:
    """Round numbers to multiples of a base.

    Parameters
    ----------
    data : Microdata
    columns : list of str
        Continuous attributes.
    base : float
        What the rounded numbers are multiples of. Whole numbers need a whole base, decimals one
        with no more digits than they have.
    kind : {"unbiased", "nearest"}
        Unbiased: up with the probability of what is left over, so that every number is right on
        average. Nearest: halves to the even multiple.
    seed : int
        For unbiased rounding: the same seed rounds the same records up. Keep it secret.

    Returns
    -------
    Masked
        Numbers differ by less than the base from what they were, and multiples stay as they are.
        Whole numbers and decimals stay so; missing values stay missing.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"income": [149, 200, 251]}, keys=["income"])
    >>> ds.round_values(survey, "income", 100, kind="nearest").to("arrow")["income"].to_pylist()
    [100, 200, 300]
    """
    require_microdata(data)
    chosen = names(columns)
    given = {"base": base, "kind": kind}
    problems = problems_of(parameters_of(round_values), given) + column_problems(data, chosen)
    problems += seed_problems(seed) if kind != "nearest" or seed is not None else []
    problems += unfit_columns(data, chosen, given, roundable)
    raise_all(problems)
    raise_all(data.infinite_problems(chosen))
    found, exact = drawn_records(data, chosen, (), seed or 0, "round_values"), as_written(base)
    raise_all([problem for name in chosen for problem in _base_problems(name, found[name], exact)])
    made = {}
    for name in chosen:
        draws = uniforms(found.hashes, stream("round_values", name)) if kind != "nearest" else None
        made[name] = _rounded(found[name].combine_chunks(), exact, draws)
    return found.masked(
        made,
        method="round_values",
        parameters={
            "columns": list(chosen),
            **given,
            "base": base if isinstance(base, int | float) else recorded(base),
            "seed": seed,
        },
        promise=OnMultiples(data, chosen, exact, kind),
    )


def _rounded(column: pa.Array, base: Fraction, draws: Any) -> pa.Array:
    """A column with its values rounded: up where the draw is below what is left over, or to the
    nearest without draws. It keeps its type where the multiples fit into it."""
    there = column.is_valid().to_numpy(zero_copy_only=False)
    used = None if draws is None else draws[there]
    if pa.types.is_floating(column.type):
        made = _as_exact(_of_floats(column.drop_null().to_numpy(), base, used), column.type)
    else:
        digits = _digits(column.type)
        unit = int(base * 10**digits)
        whole, back = _whole(column.drop_null(), unit)
        made = back(_of_whole(whole, unit, used))
    place = np.full(len(column), -1)
    place[there] = np.arange(len(made))
    return made.take(pa.array(place, mask=~there))


def _as_exact(values: np.ndarray, dtype: pa.DataType) -> pa.Array:
    """Floating-point numbers in the type that the column has, where it holds all of them exactly;
    else in 64 bits."""
    narrow = values.astype(dtype.to_pandas_dtype())
    return pa.array(narrow if np.array_equal(narrow.astype(np.float64), values) else values)


def _of_floats(column: np.ndarray, base: Fraction, draws: Any) -> np.ndarray:
    """What is stored as a multiple would be is one, though the quotient is off by a bit."""
    values = column.astype(np.float64)
    parts = values * base.denominator / base.numerator
    near = np.rint(parts)
    stored = (near * base.numerator / base.denominator).astype(column.dtype)
    parts = np.where(stored == column, near, parts)
    if draws is None:
        multiple = np.rint(parts)
    else:
        multiple = np.floor(parts) + (draws < parts - np.floor(parts))
    made = multiple * base.numerator / base.denominator
    return np.where(abs(parts) >= _EXACT, values, made + 0.0)  # −0 becomes 0


def _of_whole(values: np.ndarray, base: int, draws: Any) -> np.ndarray:
    low, over = values // base, values % base
    if draws is None:
        up = (2 * over > base) | ((2 * over == base) & (low % 2 == 1))
    else:
        up = draws < over / base
    return (low + up) * base


def _whole(column: pa.Array, unit: int) -> tuple[np.ndarray, Callable[[np.ndarray], pa.Array]]:
    """Whole numbers, or decimals in units of their last digit, and the way back. Python's own where
    64 bits might not do."""
    if pa.types.is_integer(column.type):
        ends = pc.min_max(column).as_py() if len(column) else {"min": 0, "max": 0}
        room = 2**62 - unit
        if -room < ends["min"] and ends["max"] < room:
            return column.cast(pa.int64()).to_numpy(), lambda made: _narrow(made, column.type)
        return np.array(column.to_pylist(), dtype=object), lambda made: _narrow(made, column.type)
    from decimal import Context, Decimal

    exact, digits = Context(prec=80), _digits(column.type)
    values = [int(exact.scaleb(v, digits)) for v in column.to_pylist()]

    def back(made: np.ndarray) -> pa.Array:
        found = [exact.scaleb(Decimal(int(v)), -digits) for v in made]
        return _narrow(found, column.type)

    return np.array(values, dtype=object), back


def _narrow(made: Any, dtype: pa.DataType) -> pa.Array:
    """As the type that the column has, or the next one that holds the multiples: of decimals with
    as many digits as it takes."""
    found = made.tolist() if isinstance(made, np.ndarray) else made
    for wider in (dtype, *([] if pa.types.is_decimal(dtype) else _WIDER)):
        try:
            return pa.array(found, wider)
        except (pa.ArrowInvalid, OverflowError):
            continue
    return pa.array(found)


def _digits(dtype: pa.DataType) -> int:
    """Digits after the point."""
    return int(dtype.scale) if pa.types.is_decimal(dtype) else 0


def _base_problems(name: str, column: pa.ChunkedArray, base: Fraction) -> list[Problem]:
    """Why multiples of the base would not be whole numbers, or decimals with as many digits."""
    digits = _digits(column.type)
    if pa.types.is_floating(column.type) or (base * 10**digits).denominator == 1:
        return []
    holds = f"decimals with {counted(digits, 'digit')}" if digits else "whole numbers"
    what = f"{argument('base')} has more digits than {name!r}, which holds {holds}."
    return [Problem("P10", what, "Give a coarser base.", "base")]


@dataclass(frozen=True)
class OnMultiples:
    """All values are multiples of the base, and differ by less than it from what they were; to the
    nearest, by half of it at most."""

    before: Microdata
    columns: tuple[str, ...]
    base: Fraction
    kind: str

    def broken(self, masked: Masked) -> list[str]:
        """Both files are fetched, record by record."""
        old, new = record_pairs(self.before, masked, self.columns)
        problems = []
        for name in self.columns:
            if not old[name].is_valid().equals(new[name].is_valid()):
                problems.append(f"missing values of {name!r} moved")
            x, y = (as_floats(table, [name])[0] for table in (old, new))
            base = float(self.base)
            far = abs(x - y) > base * (0.5 if self.kind == "nearest" else 1) + 1e-9 * abs(x)
            off = abs(y / base - np.rint(y / base)) > 1e-9 * np.maximum(1, abs(y / base))
            wrong = int((far | off).sum())
            if wrong:
                problems.append(f"{counted(wrong, 'value')} of {name!r} not rounded as asked for")
        return problems
