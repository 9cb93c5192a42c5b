"""Perturbation: the one way in which a method that draws at random gets its records.

The columns that it masks, those of the strata and a hash of each record, made from the seed and the
record id where the records are, are fetched once. They come in the order of the hash, then of the
record id: neither the order of the rows nor the engine nor the number of threads changes it. What
is masked goes back by a join with the link.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet import engine
from discreet.data.attributes import names
from discreet.data.masked import Masked, require_draws, require_link
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, listed, raise_all
from discreet.frequency.frequency_set import coded
from discreet.kernels.draws import mixed, stream
from discreet.kernels.packing import merged
from discreet.masking.method import column_problems, masked_columns, unfit_columns
from discreet.parameters import (
    ColumnFacts,
    Unfit,
    as_type,
    parameters_of,
    problems_of,
    seed_problems,
)
from discreet.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Ints


@dataclass(frozen=True, eq=False, repr=False)
class DrawnRecords:
    """The records as a perturbing method sees them, in the order of their hashes.

    Attributes
    ----------
    data : Microdata
        Where they are from.
    table : table
        The link, then the columns to mask and those of the strata.
    hashes : array
        64 random bits of each record: what ``kernels.draws`` makes random numbers from.
    columns : tuple of str
        What is masked.
    by : tuple of str
        The columns of the strata.
    seed : int
    """

    data: Microdata
    table: pa.Table
    hashes: NDArray[np.uint64]
    columns: tuple[str, ...]
    by: tuple[str, ...]
    seed: int

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        """The values of a column."""
        return self.table.column(name)

    def __len__(self) -> int:
        return len(self.hashes)

    @functools.cached_property
    def strata(self) -> list[Ints]:
        """The places of the records of each stratum, in the order of the strata's values; all
        records where there are no strata."""
        return strata_of(self.table, self.by)

    def parts(self, names: Sequence[str], least: int) -> dict[str, list[Ints]]:
        """For each column, the places of the records that have a value in it, by stratum.

        A stratum with some, but fewer than ``least`` of them is an error, since the method could
        not mask it; so is a file without strata that has too few.
        """
        strata, problems, found = self.strata, [], {}
        for name in names:
            there = self[name].is_valid().to_numpy()
            parts = [part[there[part]] for part in strata]
            found[name] = [part for part in parts if len(part)]
            problems += self._too_small(name, found[name], least)
        raise_all(problems)
        return found

    def _too_small(self, name: str, parts: Sequence[Ints], least: int) -> list[Problem]:
        small = sum(len(part) < least for part in parts)
        if not small:
            return []
        if not self.by:
            what = f"{name!r} has a value in {counted(len(parts[0]), 'record')}, and the method "
            return [Problem("D07", f"{what}needs {least:,}.", "Leave the column out.")]
        what = f"{small:,} of {len(parts):,} strata by {listed(self.by)} have fewer than "
        what += f"{counted(least, 'record')} with a value of {name!r}."
        return [Problem("D07", what, "Merge small strata, or name fewer columns for them.")]

    def masked(self, values: Mapping[str, Any], **step: Any) -> Masked:
        """Masked microdata: some columns with other values, in the order of the records here.

        Parameters
        ----------
        values : mapping of column to array
        **step
            What :func:`discreet.data.masked.masked_from` takes: ``method``, ``parameters``,
            ``promise``, ``types``, ``outcome``, ``asked``.
        """
        link = self.table.select([engine.LINK])
        return masked_columns(self.data, link, values, after=self.data.n, **step)


def drawn_records(
    data: Microdata,
    columns: Sequence[str],
    by: Sequence[str] = (),
    seed: int = 0,
    method: str = "",
) -> DrawnRecords:
    """Fetch the columns that a method masks, and a hash of each record with the seed.

    A method that was used before with the same seed gets other hashes: two steps that draw the same
    numbers would not be two, and would tie to each other what each of them changes.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [8, 10, 12], "sex": ["M", "F", "F"]}, keys=["age"])
    >>> found = drawn_records(survey, ["age"], ["sex"], seed=1)
    >>> len(found), [len(part) for part in found.strata]
    (3, [2, 1])
    """
    link, ids = require_link(data), require_draws(data)
    every = list(dict.fromkeys([*columns, *by]))
    table, hashes = engine.hashed_records(data.source, link, every, ids, int(seed), data.n)
    before = sum(
        step.method == method and step.parameters.get("seed") == seed
        for step in (data.steps if isinstance(data, Masked) else ())
    )
    if before:
        hashes = mixed(hashes, stream(method, round=before))
    return DrawnRecords(data, table, hashes, tuple(columns), tuple(by), int(seed))


def strata_of(records: pa.Table, by: Sequence[str]) -> list[Ints]:
    """The places of the records of each stratum, in the order of the strata's values."""
    if not by:
        return [np.arange(records.num_rows)]
    which = alike(records, by)
    sizes = np.bincount(which)
    few = which.astype(np.min_scalar_type(len(sizes)))  # small numbers are sorted quick
    return np.split(np.argsort(few, kind="stable"), np.cumsum(sizes)[:-1])


def alike(records: pa.Table, columns: Sequence[str], *beside: Ints) -> Ints:
    """Which records have the same values, and the same numbers beside them: numbers from 0 on, in
    the order of the values."""
    found = [coded(records.column(name), None) for name in columns]
    codes: list[Any] = [*(own for _, own in found), *beside]
    sizes = [*(len(values) for values, _ in found), *(int(b.max(initial=0)) + 1 for b in beside)]
    if not codes:
        return np.zeros(records.num_rows, dtype=np.int64)
    return merged(codes, sizes)[1].astype(np.int64)


def places(part: Ints, n: int) -> Ints | slice:
    """The places of some of n records; all of them at once, without a copy."""
    return slice(None) if len(part) == n else part


def record_pairs(
    before: Microdata, masked: Masked, columns: Sequence[str], by: Sequence[str] = ()
) -> tuple[pa.Table, pa.Table]:
    """Columns before a step and after it, fetched afresh, record by record; those of the strata
    from the file before. What a promise is held against.
    """
    link, ids = require_link(before), require_draws(before)
    every = list(dict.fromkeys([*columns, *by]))
    return (
        engine.records(before.source, link, every, ids),
        engine.records(masked.source, require_link(masked), list(columns), ids),
    )


def joined(first: pa.ChunkedArray, second: pa.ChunkedArray) -> pa.ChunkedArray:
    """Two columns, one behind the other."""
    return pa.chunked_array([*first.chunks, *second.chunks])


@dataclass(frozen=True)
class SameValues:
    """Every column has the values that it had in each stratum, and none is missing elsewhere."""

    before: Microdata
    columns: tuple[str, ...]
    by: tuple[str, ...]

    def broken(self, masked: Masked) -> list[str]:
        """Both files are fetched, record by record."""
        old, new = record_pairs(self.before, masked, self.columns, self.by)
        strata, problems = strata_of(old, self.by), []
        for name in self.columns:
            there = old[name].is_valid()
            if old[name].type != new[name].type:
                problems.append(f"{name!r} is stored differently")
                continue
            if not there.equals(new[name].is_valid()):
                problems.append(f"missing values of {name!r} moved")
                continue
            both = joined(old[name], new[name]).combine_chunks()
            sort = np.split(sortable(both, self.before.types.scale(name)), 2)
            valued = [part[there.to_numpy()[part]] for part in strata]
            problems += self._of_column(name, valued, *sort)
        return problems

    def _of_column(
        self, name: str, parts: Sequence[Ints], old: np.ndarray, new: np.ndarray
    ) -> list[str]:
        same = all(np.array_equal(np.sort(old[part]), np.sort(new[part])) for part in parts)
        return [] if same else [f"{name!r} has other values than before"]


def not_amounts(column: ColumnFacts, cannot: str) -> list[Unfit]:
    """Why a column that holds no amounts cannot be masked by a method for these.

    Examples
    --------
    >>> not_amounts(ColumnFacts("integer", "nominal", "nominal", 0), "cannot be rounded")[0].what
    'is nominal and cannot be rounded'
    """
    if column.kind not in ("integer", "number"):
        what = f"is stored as {column.kind} and {cannot}"
        return [Unfit("D12", what, "Name numeric columns only.")]
    if column.measure != "continuous":
        remedy = f"If its numbers are amounts, read it with {as_type('continuous')}."
        return [Unfit("D12", f"is {column.type} and {cannot}", remedy)]
    return []


def rankable(column: ColumnFacts) -> list[Unfit]:
    """Why the values of a column have no ranks.

    Examples
    --------
    >>> rankable(ColumnFacts("text", "nominal", "nominal", 0))[0].what
    'is nominal, and its values have no order'
    """
    if column.kind != "other" and column.measure != "nominal":
        return []
    order = as_type("'low<middle<high'", "[…]")
    remedy = f"Name numbers, dates or ordinal columns, or give it an order with {order}."
    return [Unfit("D12", f"is {column.type}, and its values have no order", remedy)]


def sortable(column: pa.Array, scale: tuple[str, ...] | None) -> np.ndarray:
    """Numbers that sort as the values do, anything where one is missing."""
    plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if scale is None and plain:
        return column.fill_null(0).to_numpy(zero_copy_only=False)
    return coded(pa.chunked_array([column]), scale)[1]


def drawing_problems(
    data: Microdata, columns: Sequence[str], by: Sequence[str], seed: object
) -> list[Problem]:
    """The problems of the columns, of the strata and of the seed."""
    return [*column_problems(data, columns, by), *seed_problems(seed)]


def drawn(
    method: Callable[..., Any],
    data: Microdata,
    columns: Any,
    by: Any,
    seed: int | None,
    given: Mapping[str, Any],
    also: Sequence[Problem] = (),
) -> DrawnRecords:
    """The records as a method sees them, where nothing is wrong: with the columns, the strata and
    the seed, with what the description of the method tells of the other arguments and of columns,
    and nothing else that was found.
    """
    require_microdata(data)
    chosen, strata, described = names(columns), names(by or ()), parameters_of(method)
    fits = [p.columns.fit for p in described if p.name == "columns" and p.columns is not None]
    problems = problems_of(described, given) + drawing_problems(data, chosen, strata, seed)
    problems += [p for fit in fits if fit for p in unfit_columns(data, chosen, given, fit)]
    raise_all([*problems, *also])
    assert seed is not None
    return drawn_records(data, chosen, strata, seed, method.__name__)
