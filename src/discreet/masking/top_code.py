"""Top and bottom coding: numbers in a tail get one code. Against recognition by extreme values.

All values from a threshold on become the threshold, the mean of the tail, or a category "≥ t". The
threshold is given, or it is a quantile of the file. A code that fewer than k records share would
point at them, and is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from annotated_doc import Doc
from annotated_types import Ge

from discreet import engine
from discreet.data.attributes import AttributeType
from discreet.data.masked import Masked, masked_from
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, fail, raise_all
from discreet.masking.method import (
    WholeStays,
    column_problems,
    masking,
    unfit_columns,
)
from discreet.masking.perturbation import not_amounts
from discreet.parameters import (
    ColumnFacts,
    Columns,
    Label,
    Public,
    Unfit,
    as_written,
    is_number,
    parameters_of,
    problems_of,
    recorded,
)
from discreet.words import counted

TailCode = Literal["threshold", "mean", "category"]
Side = Literal["top", "bottom"]


def has_tails(column: ColumnFacts) -> list[Unfit]:
    """Why a column has no tails to code.

    Examples
    --------
    >>> has_tails(ColumnFacts("date", "continuous", "continuous", 0))[0].what
    'is stored as date and has no tails of numbers'
    """
    return not_amounts(column, "has no tails of numbers")


@masking(
    title="Top and bottom coding",
    done="coded in the tails",
    about="The largest or smallest numbers get one code, which many records share.",
    noun="top coding",
    example="--keys age --top income=0.99",
    tells=("information_loss",),
    public_facts=("replaced",),
)
def top_code(
    data: Microdata,
    top: Annotated[
        Mapping[str, float] | None,
        Columns(),
        Label("Top: code from here on"),
        Doc(
            "Columns, each with a quantile between 0 and 1 or a threshold: values at or "
            "above it are coded."
        ),
    ] = None,
    *,
    bottom: Annotated[
        Mapping[str, float] | None,
        Columns(),
        Label("Bottom: code up to here"),
        Doc(
            "Columns, each with a quantile between 0 and 1 or a threshold: values at or "
            "below it are coded."
        ),
    ] = None,
    replace: Annotated[
        TailCode,
        Label(
            "A tail becomes",
            {
                "threshold": "the threshold",
                "mean": "the mean of the tail, so that the mean of the column stays",
                "category": "a category, such as ≥ 90000; the column becomes text",
            },
        ),
        Doc("What the values of a tail become."),
        Public,
    ] = "threshold",
    k: Annotated[
        int,
        Ge(1),
        Label("k: least number in a tail"),
        Doc("Least number of records that share a code."),
        Public,
    ] = 3,
    round: Annotated[  # noqa: A002
        WholeStays,
        Doc("Round the mean of a tail of whole numbers or decimals to their last digit."),
    ] = False,
) -> Masked:
    """Give one code to the largest, or the smallest, numbers of a column.

    Parameters
    ----------
    data : Microdata
    top, bottom : mapping of column to number
        A float strictly between 0 and 1 is a quantile: the smallest value that this share of the
        records does not exceed. Any other number is a threshold. The top tail is all values at
        least as large, the bottom tail all at least as small.
    replace : {"threshold", "mean", "category"}
        What the values of a tail become. The mean keeps the mean of the column; a category makes
        the column text.
    k : int
        Least number of records in a tail; fewer are an error.
    round : bool
        Round the mean of a tail to the last digit that the column has; else the column becomes one
        of floating-point numbers.

    Returns
    -------
    Masked
        All values outside the tails stay as they are, and missing ones missing. Whole numbers stay
        whole with their threshold.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"income": [10, 20, 30, 40, 90]}, keys=["income"])
    >>> ds.top_code(survey, {"income": 40}, k=2).to("arrow")["income"].to_pylist()
    [10, 20, 30, 40, 40]
    >>> ds.top_code(survey, {"income": 0.6}, replace="mean").to("arrow")["income"].to_pylist()[2]
    53.333333333333336
    """
    require_microdata(data)
    sides: dict[Side, Mapping[str, Any]] = {"top": top or {}, "bottom": bottom or {}}
    given = {"replace": replace, "k": k, "round": round}
    raise_all([*problems_of(parameters_of(top_code), given), *_problems(data, sides)])
    columns = list(dict.fromkeys([*sides["top"], *sides["bottom"]]))
    problems: list[Problem] = []
    tails: list[CodedTail] = []
    tables = {}
    for name in columns:
        distribution = _Distribution.of(data, name)
        own = [distribution.tail(side, at[name], problems) for side, at in sides.items()
               if name in at]  # fmt: skip
        problems += distribution.too_few(own, k)
        if not problems:
            tables[name] = distribution.recoding(own, replace, rounds=round)
            tails += own
    raise_all(problems)
    return _masked(data, tables, tails, {"top": sides["top"], "bottom": sides["bottom"], **given})


def _masked(
    data: Microdata,
    tables: Mapping[str, pa.Table],
    tails: Sequence[CodedTail],
    given: Mapping[str, Any],
) -> Masked:
    source = engine.kept(engine.recoded(data.source, dict(tables)))
    kind = AttributeType("nominal" if given["replace"] == "category" else "continuous")
    sides = {side: {c: recorded(at) for c, at in given[side].items()} for side in ("top", "bottom")}
    number = {side: sum(t.records for t in tails if t.side == side) for side in sides}
    return masked_from(
        data,
        source,
        method="top_code",
        parameters={**given, **sides, "replaced": number},
        changed=frozenset(tables),
        complete=source,
        covers=tables,
        types=dict.fromkeys(tables, kind),
        promise=OneCode(tuple(tails), given["k"], tables, data.n),
        after=data.n,
    )


@dataclass(frozen=True)
class CodedTail:
    """A tail: which column and side, from which value on, and how many records are in it."""

    column: str
    side: Side
    threshold: Any
    records: int


@dataclass(frozen=True)
class _Distribution:
    """The values of a column in order, without missing ones, and how many records have each."""

    name: str
    values: pa.Array
    counts: np.ndarray
    missing: bool

    @classmethod
    def of(cls, data: Microdata, name: str) -> _Distribution:
        found = data.frequency_set([name])
        values = found.values[0].take(found.codes[0])
        there = values.is_valid().to_numpy(zero_copy_only=False)
        return cls(name, values.drop_null(), found.counts[there], not there.all())

    def tail(self, side: Side, given: Any, problems: list[Problem]) -> CodedTail:
        """The tail from a quantile or a threshold on."""
        at = self._threshold(given, problems)
        inside = self._inside(side, at)
        return CodedTail(self.name, side, at, int(self.counts[inside].sum()))

    def _threshold(self, given: Any, problems: list[Problem]) -> Any:
        share = as_written(given)
        if 0 < share < 1:
            below = np.cumsum(self.counts) * share.denominator >= share.numerator * self._n
            return self.values[int(np.argmax(below))].as_py() if self._n else 0
        at = _held(share, self.values.type)
        if at is None:
            what = (
                f"the threshold of {self.name!r} has more digits than its values, or is too large."
            )
            problems.append(Problem("P10", what, "Give one that the column could hold."))
        return at or 0

    def _inside(self, side: Side, at: Any) -> np.ndarray:
        edge = pa.scalar(at, self.values.type)
        compare = pc.greater_equal if side == "top" else pc.less_equal
        return compare(self.values, edge).to_numpy(zero_copy_only=False)

    @property
    def _n(self) -> int:
        return int(self.counts.sum())

    def too_few(self, tails: Sequence[CodedTail], k: int) -> list[Problem]:
        """Tails that fewer than k records are in, and tails that overlap."""
        problems = [
            Problem(
                "D48",
                f"the {t.side} tail of {self.name!r} has {counted(t.records, 'record')}, fewer "
                f"than k = {k:,}.",
                "Choose a threshold nearer to the middle, or lower k.",
            )
            for t in tails
            if t.records < k
        ]
        if len(tails) == 2 and not tails[1].threshold < tails[0].threshold:
            what = f"the two tails of {self.name!r} overlap."
            problems.append(Problem("P10", what, "Move the thresholds apart."))
        return problems

    def recoding(self, tails: Sequence[CodedTail], replace: TailCode, *, rounds: bool) -> pa.Table:
        """All values, each with what it becomes."""
        texts = replace == "category"
        labels = [str(v) for v in self.values.to_pylist()] if texts else self.values.to_pylist()
        for tail in tails:
            inside = self._inside(tail.side, tail.threshold)
            code = self._code(tail, inside, replace, rounds=rounds)
            labels = [code if i else v for v, i in zip(labels, inside.tolist(), strict=True)]
        dtype = pa.string() if texts else self.values.type
        if replace == "mean" and not rounds:
            dtype = pa.float64()
        blank = [None] if self.missing else []
        made = pa.array([*([*map(float, labels)] if dtype == "double" else labels), *blank], dtype)
        values = pa.array([*self.values.to_pylist(), *blank], self.values.type)
        return pa.table({"value": values, "label": made})

    def _code(self, tail: CodedTail, inside: np.ndarray, replace: str, *, rounds: bool) -> Any:
        if replace == "category":
            return f"{'≥' if tail.side == 'top' else '≤'} {tail.threshold}"
        if replace == "threshold":
            return tail.threshold
        chosen = self.values.filter(inside).to_pylist()
        numbers = self.counts[inside].tolist()
        if not rounds or isinstance(tail.threshold, float):
            return _mean([*map(float, chosen)], numbers)
        exact = sum(as_written(v) * c for v, c in zip(chosen, numbers, strict=True))
        return _in_digits(Fraction(exact, sum(numbers)), self.values.type)


def _mean(values: Sequence[float], counts: Sequence[int]) -> float:
    """The mean of values by their counts; exact where their sum would be infinite."""
    pairs, n = list(zip(values, counts, strict=True)), sum(counts)
    if math.isfinite(max(map(abs, values)) * n):
        return math.fsum(v * c for v, c in pairs) / n
    return float(sum(Fraction(v) * c for v, c in pairs) / n)


def _in_digits(number: Fraction, dtype: pa.DataType) -> Any:
    """The nearest number with the digits of a column, halves to the even one."""
    if not pa.types.is_decimal(dtype):
        return round(number)
    return Decimal(round(number * 10**dtype.scale)).scaleb(-dtype.scale, Context(prec=100))


def _held(number: Fraction, dtype: pa.DataType) -> Any:
    """A number as a column holds it; None where whole numbers or decimals of its kind cannot."""
    near = float(number) if pa.types.is_floating(dtype) else _in_digits(number, dtype)
    if near != number and not pa.types.is_floating(dtype):
        return None
    try:
        return pa.scalar(near, dtype).as_py()
    except (pa.ArrowInvalid, OverflowError):
        return None


def _problems(data: Microdata, sides: Mapping[Side, Mapping[str, Any]]) -> list[Problem]:
    wrong = [side for side, given in sides.items() if not isinstance(given, Mapping)]
    if wrong:
        what = f"{' and '.join(map(argument, wrong))} must be a table of columns and numbers."
        fail("P09", what, "Give for example {'income': 0.99}.")
    columns = list(dict.fromkeys(name for given in sides.values() for name in given))
    problems = column_problems(data, columns, to="code")
    problems += [
        Problem(
            "P10", f"what is given for {name!r} is not a number.", "Give a quantile or a value."
        )
        for given in sides.values()
        for name, at in given.items()
        if not (is_number(at) and math.isfinite(at))
    ]
    problems += unfit_columns(data, columns, {}, has_tails)
    return problems or data.infinite_problems(columns)


@dataclass(frozen=True)
class OneCode:
    """Each tail has one code, which k records or more share, and all other values stayed."""

    tails: tuple[CodedTail, ...]
    k: int
    tables: Mapping[str, pa.Table]
    n: int

    def broken(self, masked: Masked) -> list[str]:
        """The values of the released file are counted afresh."""
        problems = []
        for name, table in self.tables.items():
            found = masked.frequency_set([name])
            if found.n != self.n:
                problems.append(f"{counted(found.n, 'record')} of {self.n:,} are left in {name!r}")
            held = found.values[0].take(found.codes[0]).to_pylist()
            count = dict(zip(held, found.counts.tolist(), strict=True))
            before, after = (table.column(i).to_pylist() for i in (0, 1))
            for tail in (t for t in self.tails if t.column == name):
                top = tail.side == "top"
                inside = {after[i] for i, v in enumerate(before) if v is not None
                          and (v >= tail.threshold if top else v <= tail.threshold)}  # fmt: skip
                shared = sum(count.get(code, 0) for code in inside)
                if len(inside) != 1 or shared < max(self.k, tail.records):
                    problems.append(f"the {tail.side} tail of {name!r} has no code of its own")
            lost = set(count) - set(after)
            if lost:
                problems.append(f"{counted(len(lost), 'value')} of {name!r} not expected")
        return problems
