"""Comparing: initial beside masked values of the released records, added up where they are.

What crosses are three rows of figures and one row per contingency table or entropy; never a record,
and of the values only extremes, quantiles and those that :meth:`Compared.pairs_of_values` is asked
for. Every sum is the same for every order of the records (``summation``).
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.engine.counts import portions, single_rows
from discreet.engine.links import Pair, linked
from discreet.engine.missing import LARGEST, number_of
from discreet.engine.source import Source, collected, kept
from discreet.engine.summation import ExactSum, columns_of, values_of
from discreet.errors import InfiniteValues
from discreet.kernels.moments import Summary

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

    from discreet.kernels.arrays import Floats

    Answer = tuple[float, float, float]

_MOST_SUMS = 300  # in one query


class Totals(NamedTuple):
    """What two looks at the records give: how many there are, in how many each attribute differs,
    in how many it is missing in one file only, and, over the ``m`` records that have all numbers,
    means and sums of differences. ``most_x`` and ``most_y`` are the largest distances from the
    means.
    """

    n: int
    differing: list[int]
    gaps: list[int]
    m: int
    mean_x: Floats
    mean_y: Floats
    relative: Floats
    known: Floats
    squares: Floats
    absolute: Floats
    most_x: Floats
    most_y: Floats


def compared(pair: Pair, link: tuple[str, str], names: Sequence[str]) -> Compared:
    """Initial beside masked values of the released records, kept in the engine."""
    return Compared(kept(pair.masked, linked(pair, link, names).drop("id")))


@dataclass(frozen=True, repr=False)
class Compared:
    """A table of initial (x0, …) and masked (y0, …) values, one row per released record."""

    source: Source

    def totals(self, number: int, numeric: int, alike: int | None = None) -> Totals:
        """Two looks at ``number`` attributes, of which the first ``numeric`` are numbers, and the
        first ``alike`` (all, unless said) are stored in both files so that they can be equal:
        counts and extremes, then the sums.
        """
        table, numbers = self.source.table, self._numbers(numeric)
        equal = number if alike is None else alike
        terms: dict[str, Any] = {}
        seen: dict[str, Any] = {"n": table.count(), "m": table.count()}
        for i in range(number):
            x, y = table[f"x{i}"], table[f"y{i}"]
            seen[f"g{i}"] = (x.isnull() != y.isnull()).sum()
            if i < equal:
                seen[f"d{i}"] = (~_equal(x, y)).sum()
        for i, (x, y) in enumerate(numbers):
            seen["m"], seen[f"k{i}"] = x.count(), (x != 0).sum()
            terms[f"x{i}"], terms[f"y{i}"] = x, y
            terms[f"r{i}"] = (x - y).abs() / x.abs().nullif(0)
            terms[f"s{i}"] = (x - y) * (x - y)
            terms[f"a{i}"] = (x - y).abs()
            seen[f"e{i}"] = sum(
                (table[f"{side}{i}"].cast("float64").abs() > LARGEST).sum().fill_null(0)
                for side in "xy"
            )
        for name, term in terms.items():
            seen[f"low_{name}"], seen[f"high_{name}"] = term.min(), term.max()
        row = _row(self.source, table, seen)
        if any(row[f"e{i}"] for i in range(numeric)):
            raise InfiniteValues
        m = int(row["m"])
        sums = {
            name: ExactSum(term, max(abs(v) for v in _ends(row, name)), m)
            for name, term in terms.items()
        }
        added = values_of(sums, _row(self.source, table, columns_of(sums))) if sums else {}

        def each(name: str) -> Floats:
            return np.array([added[f"{name}{i}"] for i in range(numeric)], dtype=np.float64)

        ends = {side: np.array([_ends(row, f"{side}{i}") for i in range(numeric)]) for side in "xy"}
        means = {
            side: np.clip(each(side) / max(m, 1), *ends[side].reshape(-1, 2).T) for side in "xy"
        }
        most = {
            side: np.abs(ends[side].reshape(-1, 2) - means[side][:, None]).max(axis=1, initial=0.0)
            for side in "xy"
        }
        return Totals(
            int(row["n"]),
            [int(row[f"d{i}"] or 0) for i in range(equal)],
            [int(row[f"g{i}"] or 0) for i in range(number)],
            m,
            means["x"],
            means["y"],
            each("r"),
            np.array([row[f"k{i}"] or 0.0 for i in range(numeric)], dtype=np.float64),
            each("s"),
            each("a"),
            most["x"],
            most["y"],
        )

    def moments(self, first: Totals, quantiles: Floats, low: Floats, high: Floats) -> Summary:
        """All sums, in a further look: around the means, nothing cancels."""
        number, m, at = len(first.mean_x), first.m, len(quantiles)
        numbers, asked = self._numbers(number), {}
        shares = [float(q) for q in (*quantiles, *low, *high)]
        for i, (x, y) in enumerate(numbers):
            asked[f"qx{i}"], asked[f"qy{i}"] = x.quantile(shares), y.quantile(shares[:at])
        sums = _central(
            [x - float(mean) for (x, _), mean in zip(numbers, first.mean_x, strict=True)],
            [y - float(mean) for (_, y), mean in zip(numbers, first.mean_y, strict=True)],
            first,
        )
        row = _row(self.source, self.source.table, {**asked, **columns_of(sums)})
        added = values_of(sums, row)

        def ordered(side: str) -> Floats:
            return np.array([row[f"q{side}{i}"] for i in range(number)], dtype=np.float64).T

        xx, yy, m22, m31 = (_of_pairs(added, kind, number) for kind in ("xx", "yy", "m22", "m31"))
        of_x = ordered("x")
        return Summary(
            m,
            first.mean_x,
            first.mean_y,
            xx / max(m - 1, 1),
            yy / max(m - 1, 1),
            first.relative,
            first.known,
            first.squares,
            first.absolute,
            m22 / m,
            m31 / m,
            of_x[:at],
            ordered("y"),
            of_x[at : 2 * at],
            of_x[2 * at :],
        )

    def _numbers(self, number: int) -> list[tuple[Any, Any]]:
        """The first attributes as numbers, missing in a record that does not have all of them."""
        table = self.source.table
        sides = [table[f"{side}{i}"] for i in range(number) for side in "xy"]
        if not sides:
            return []
        whole = functools.reduce(operator.and_, [column.notnull() for column in sides])
        numbers = [whole.ifelse(column.cast("float64"), None) for column in sides]
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def binned(self, bins: Mapping[int, tuple[Sequence[float], Sequence[float]]]) -> Compared:
        """The same with the number of a bin in place of each number of some attributes: how many of
        the first ends it is above, and of the second not below.
        """
        table, made = self.source.table, {}
        for i, (upto, since) in bins.items():
            for side in "xy":
                value = table[f"{side}{i}"].cast("float64")
                ends = [*(value > end for end in upto), *(value >= end for end in since)]
                passed = [end.ifelse(1, 0) for end in ends]
                made[f"{side}{i}"] = value.notnull().ifelse(
                    functools.reduce(operator.add, passed), None
                )
        return Compared(kept(self.source, table.mutate(**made))) if made else self

    def hellinger(self, attributes: Sequence[int], n: int) -> ir.Table:
        """To ask for: Σ (√f − √g)² over the cells of a contingency table."""
        table = self.source.table
        sides = [[table[f"{side}{i}"] for i in attributes] for side in "xy"]
        cells = _both_counted(table, sides[0], table, sides[1])
        apart = cells["f"].cast("float64").sqrt() - cells["g"].cast("float64").sqrt()
        return _answer(cells, _figure(apart * apart, n))

    def pairs_of_values(self, attribute: int) -> pa.Table:
        """The initial and masked values of an attribute that occur together, and how often."""
        table = self.source.table.select(
            x=self.source.table[f"x{attribute}"], y=self.source.table[f"y{attribute}"]
        )
        return collected(table.group_by(["x", "y"]).agg(n=table.count()), self.source)

    def entropy(self, attribute: int, n: int, *, number: bool = False) -> ir.Table:
        """To ask for: Σ over the at most ``n`` records of H(V | V′ = v′), in bits; of a number,
        also the records with another one than before, and those of them that are alone with it.
        """
        import ibis

        table = self.source.table
        both = table.select(x=table[f"x{attribute}"], y=table[f"y{attribute}"])
        pairs = both.group_by(["x", "y"]).agg(n=both.count())
        sized = pairs.mutate(of_y=pairs["n"].sum().over(ibis.window(group_by="y")))
        bits = sized["n"].cast("float64") * _bits(sized["of_y"], sized["n"])
        if not number:
            return _answer(sized, _figure(bits, n))
        differs = sized["x"].cast("float64") != sized["y"].cast("float64")
        alone = differs & (sized["of_y"] == 1)
        figures = (_figure(bits, n), sized["n"].sum(where=differs), sized["n"].sum(where=alone))
        return _answer(sized, *figures)

    def variation(self, attributes: Sequence[int], n: int) -> ir.Table:
        """To ask for: Σ |f − f′|/f over the cells of a contingency table with f > 0, the number of
        these, and the records in cells that are new.
        """
        table = self.source.table
        sides = [[table[f"{side}{i}"] for i in attributes] for side in "xy"]
        cells = _both_counted(table, sides[0], table, sides[1])
        f, g = cells["f"].cast("float64"), cells["g"].cast("float64")
        return _answer(
            cells,
            _figure((f - g).abs() / f.nullif(0), n),
            (cells["f"] > 0).sum(),
            cells["g"].sum(where=cells["f"] == 0),
        )

    def apart(self, attribute: int, scale: Sequence[str]) -> ir.Table:
        """To ask for: categories apart on an ordinal scale, over all records; missing is one
        step beyond it.
        """
        table = self.source.table
        x, y = (_step(table[f"{side}{attribute}"], scale) for side in "xy")
        return _answer(table, (x - y).abs().sum())

    def foreign(self, attribute: int, initial: Source, name: str, scale: Sequence[str]) -> ir.Table:
        """To ask for: the records whose masked value is neither a value of the attribute in the
        initial file nor a step of its scale.
        """
        table = self.source.table
        first = initial.table
        values = _both_counted(first, [first[initial.at(name)]], table, [table[f"y{attribute}"]])
        new = (values["f"] == 0) & values["v0"].notnull()
        if scale:
            new = new & (_step(values["v0"], scale) == len(scale))
        return _answer(values, values["g"].sum(where=new))

    def information(self, attribute: int, initial: Source, name: str, n: int) -> ir.Table:
        """To ask for: the bits that an attribute holds in all ``n`` initial records, and in those
        that are released.
        """
        import ibis

        table = self.source.table
        first = initial.table
        values = _both_counted(first, [first[initial.at(name)]], table, [table[f"x{attribute}"]])
        sized = values.mutate(all=values["f"].sum().over(ibis.window()))
        bits = _bits(sized["all"], sized["f"])
        f, g = sized["f"].cast("float64"), sized["g"].cast("float64")
        return _answer(sized, _figure(f * bits, n), _figure(g * bits, n))

    def answers(self, asked: Mapping[Hashable, ir.Table], n: int) -> dict[Hashable, Answer]:
        """What was asked for of at most ``n`` records, by one query for many questions."""
        found: dict[Hashable, Answer] = {}
        rows = single_rows(self.source, list(asked.values()))
        for name, row in zip(asked, rows, strict=True):
            a, b, c = (_told(row[figure], row[f"{figure}_fine"], n) for figure in "abc")
            found[name] = (a, b, c)
        return found


def _ends(row: Mapping[str, Any], name: str) -> tuple[float, float]:
    """The least and the largest of some terms; 0 where there is none."""
    return row[f"low_{name}"] or 0.0, row[f"high_{name}"] or 0.0


def _equal(x: Any, y: Any) -> Any:
    """Whether two values are the same, however they are stored: a number of 32 bits is held against
    another kind of number in 32 bits, since that is all it tells."""
    narrow = [column.type().is_float32() for column in (x, y)]
    if any(narrow) and not all(narrow):
        x, y = x.cast("float32"), y.cast("float32")
    return x.identical_to(y)


def _central(x: Sequence[Any], y: Sequence[Any], first: Totals) -> dict[str, ExactSum]:
    """Sums of products of deviations from the means."""
    sums: dict[str, ExactSum] = {}
    u, v, m = first.most_x.tolist(), first.most_y.tolist(), first.m
    for a, b in itertools.product(range(len(x)), repeat=2):
        most = u[a] * u[a] * u[a] * u[b]
        sums[f"m31_{a}_{b}"] = ExactSum(x[a] * x[a] * x[a] * x[b], most, m)
        if a <= b:
            sums[f"xx_{a}_{b}"] = ExactSum(x[a] * x[b], u[a] * u[b], m)
            sums[f"yy_{a}_{b}"] = ExactSum(y[a] * y[b], v[a] * v[b], m)
            most = u[a] * u[a] * u[b] * u[b]
            sums[f"m22_{a}_{b}"] = ExactSum(x[a] * x[a] * x[b] * x[b], most, m)
    return sums


def _of_pairs(row: Mapping[str, float], kind: str, number: int) -> Floats:
    """The sums of one kind as a matrix."""
    found = [[_of_pair(row, kind, a, b) for b in range(number)] for a in range(number)]
    return np.array(found, dtype=np.float64).reshape(number, number)


def _of_pair(row: Mapping[str, float], kind: str, a: int, b: int) -> float:
    first, second = (a, b) if f"{kind}_{a}_{b}" in row else (b, a)
    return float(row[f"{kind}_{first}_{second}"])


def _bits(whole: Any, part: Any) -> Any:
    return (whole.cast("float64") / part.cast("float64")).ln() / math.log(2)


def _both_counted(
    one: ir.Table, of_one: Sequence[Any], other: ir.Table, of_other: Sequence[Any]
) -> ir.Table:
    """Combinations of values with their number in one table (``f``) and in another (``g``)."""
    import ibis

    names = [f"v{i}" for i in range(len(of_one))]
    types = [column.type() for column in of_one]
    first = one.select(
        **dict(zip(names, of_one, strict=True)), f=ibis.literal(1), g=ibis.literal(0)
    )
    alike = [column.cast(kind) for column, kind in zip(of_other, types, strict=True)]
    second = other.select(
        **dict(zip(names, alike, strict=True)), f=ibis.literal(0), g=ibis.literal(1)
    )
    both = first.union(second)
    return both.group_by(names).agg(f=both["f"].sum(), g=both["g"].sum())


def _step(column: Any, scale: Sequence[str]) -> Any:
    """The step of a value on a scale, as ``discreet.data.attributes.steps`` reads it."""
    import ibis

    kind = column.type()
    if kind.is_boolean():
        places = [(column == (text.lower() == "true"), i) for i, text in enumerate(scale)]
    elif kind.is_numeric():
        numbers = ((number_of(text, kind), i) for i, text in enumerate(scale))
        places = [(column == number, i) for number, i in numbers if number is not None]
    else:
        texts = column if kind.is_string() else column.cast("string")
        places = [(texts == text, i) for i, text in enumerate(scale)]
    return ibis.cases(*places, else_=len(scale)) if places else ibis.literal(len(scale))


def _figure(term: Any, n: int) -> ExactSum:
    """A sum over at most 2n cells, of terms that are at most n records times 64 bits each."""
    return ExactSum(term, 64.0 * n, 2 * n)


def _told(coarse: int | None, fine: int | None, n: int) -> float:
    """A figure of an answer: a count, or a sum in two parts."""
    return float(coarse or 0) if fine is None else _figure(None, n).value(coarse, fine)


def _answer(table: ir.Table, *figures: Any) -> ir.Table:
    """Up to three figures, counts or sums, as one row, all answers alike."""
    import ibis

    asked, missing = {}, {}
    for name, figure in itertools.zip_longest("abc", figures):
        parts = figure.asked() if isinstance(figure, ExactSum) else (figure, None)
        for at, part in zip((name, f"{name}_fine"), parts, strict=True):
            if part is None:
                missing[at] = ibis.null("int64")
            else:
                asked[at] = part.cast("int64")
    return table.aggregate(**asked).mutate(**missing).select(*sorted({**asked, **missing}))


def _row(source: Source, table: ir.Table, sums: dict[str, Any]) -> dict[str, Any]:
    """Sums over a table, by few queries."""
    row: dict[str, Any] = {}
    for some in portions(list(sums.items()), _MOST_SUMS):
        row.update(collected(table.aggregate(**dict(some)), source).to_pylist()[0])
    return row
