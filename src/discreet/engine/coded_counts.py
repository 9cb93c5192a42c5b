"""Counting records that are held here: the twins of :mod:`discreet.engine.counts`."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet.engine.held import Held, HeldColumn, held_of
from discreet.engine.summation import ExactSum
from discreet.frames import array_of
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.packing import merged
from discreet.kernels.summation import group_totals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.engine.source import Source

_BLANKS = " \t\n\r\v\f"


def columns_of(source: Source, names: Sequence[str]) -> list[HeldColumn]:
    """The named columns of what is held."""
    held = held_of(source)
    return [held[source.at(name)] for name in names]


def size(source: Source) -> int:
    return len(held_of(source))


def is_empty(source: Source) -> bool:
    return size(source) == 0


def profile(source: Source, names: Sequence[str]) -> tuple[int, dict[str, tuple[int, int]]]:
    found = {}
    for name, column in zip(names, columns_of(source, names), strict=True):
        values, at = column.coded[0], column.missing
        found[name] = len(values) - (at >= 0), int((column.coded[1] == at).sum())
    return size(source), found


def codes(source: Source, names: Sequence[str], most: int, each: int) -> list[str]:
    found = []
    n, figures = profile(source, names)
    for name, column in zip(names, columns_of(source, names), strict=True):
        distinct, missing = figures[name]
        if 1 <= distinct <= most and n - missing >= each * distinct:
            values = [v for v in column.coded[0].to_pylist() if v is not None]
            if all(map(is_whole, values)):
                found.append(name)
    return found


def is_whole(value: Any) -> bool:
    """Whether a number is whole; neither infinite nor one that is none."""
    return bool(math.isfinite(value) and value == math.floor(value))


def value_figures(source: Source, names: Sequence[str]) -> dict[str, tuple[int, int, int]]:
    found = {}
    for name, column in zip(names, columns_of(source, names), strict=True):
        values, at = column.coded
        sizes = np.bincount(at, minlength=len(values))[: len(values) - (column.missing >= 0)]
        found[name] = len(sizes), int(sizes.sum()), int((sizes == 1).sum())
    return found


def frequencies(
    source: Source,
    by: Sequence[str],
    scales: Mapping[str, Sequence[str] | None],
    weight: str | None = None,
    inverse: bool = False,
) -> FrequencySet | Any:
    declared = tuple(scales.get(name) for name in by)
    columns = columns_of(source, by)
    coded = [column.on_scale(scale) for column, scale in zip(columns, declared, strict=True)]
    values, at = tuple(v for v, _ in coded), tuple(c for _, c in coded)
    first, owner = merged(at, [len(v) for v in values])
    weights = None
    if weight is not None:
        (terms,) = columns_of(source, [weight])
        if not terms.is_exact:
            return NotImplemented
        each = 1.0 / terms.numbers if inverse else terms.numbers
        weights = _exact_sums(each, owner, len(first))
    groups = np.bincount(owner, minlength=len(first))
    return FrequencySet(tuple(by), values, tuple(c[first] for c in at), groups, declared, weights)


def _exact_sums(
    terms: NDArray[np.float64], owner: NDArray[np.intp], groups: int
) -> NDArray[np.float64]:
    """The sums of the terms of each group, cut and put together as those of every engine are."""
    exact = ExactSum(None, float(np.abs(terms).max(initial=0.0)), len(terms))
    parts = []
    for part in exact.cut(terms):
        sums = np.zeros(groups, dtype=np.int64)
        np.add.at(sums, owner, part)
        parts.append(array_of(sums))
    return group_totals(exact.values(*parts), np.arange(groups), groups)


def counts(source: Source, by: Sequence[str]) -> pa.Table:
    found = frequencies(source, by, {})
    table = found.combinations().rename_columns([f"k{i}" for i in range(len(by))])
    return table.append_column("n", array_of(found.counts))


def class_signatures(
    source: Source, by: Sequence[str], distinct: Sequence[str], skip_missing: bool
) -> pa.Table:
    owner, groups = owners(held_of(source), columns_of(source, by))
    shape = [np.bincount(owner, minlength=groups)]
    for column in columns_of(source, distinct):
        values, at = column.coded
        first, _ = merged([owner, at], [groups, len(values)])
        if skip_missing:
            first = first[at[first] != column.missing]
        shape.append(np.bincount(owner[first], minlength=groups))
    first, alike = merged(shape, [int(part.max(initial=0)) + 1 for part in shape])
    names = ["size", *(f"d{i}" for i in range(len(distinct)))]
    columns = {name: array_of(part[first]) for name, part in zip(names, shape, strict=True)}
    return pa.table({**columns, "classes": array_of(np.bincount(alike, minlength=len(first)))})


def owners(held: Held, columns: Sequence[HeldColumn]) -> tuple[NDArray[np.intp], int]:
    """The number of each record's class on some columns, and how many classes there are."""
    if not columns:
        return np.zeros(len(held), dtype=np.intp), min(len(held), 1)
    coded = [column.coded for column in columns]
    first, owner = merged([at for _, at in coded], [len(values) for values, _ in coded])
    return owner, len(first)


def class_sizes(source: Source, by: Sequence[str], n: int) -> NDArray[np.int64]:  # noqa: ARG001
    owner, groups = owners(held_of(source), columns_of(source, by))
    return np.bincount(owner, minlength=groups)[owner]


def infinite(
    source: Source, names: Sequence[str], above: float = sys.float_info.max
) -> dict[str, int]:
    columns = zip(names, columns_of(source, names), strict=True)
    floating = {name: column for name, column in columns if pa.types.is_floating(column.type)}
    found = {name: int((np.abs(column.numbers) > above).sum()) for name, column in floating.items()}
    return {name: number for name, number in found.items() if number}


def missing(source: Source, name: str) -> int:
    (column,) = columns_of(source, [name])
    values, at = column.coded
    bare = np.array([v is None or (isinstance(v, str) and not v.strip(_BLANKS))
                     for v in values.to_pylist()], dtype=np.bool_)  # fmt: skip
    return int(bare[at].sum())


def not_positive(source: Source, name: str) -> int:
    (column,) = columns_of(source, [name])
    return _unlike(column.numbers, column.numbers > 0)


def beyond(source: Source, name: str, least: float, most: float) -> int:
    (column,) = columns_of(source, [name])
    return _unlike(column.numbers, (column.numbers >= least) & (column.numbers <= most))


def _unlike(numbers: NDArray[np.float64], good: NDArray[np.bool_]) -> int:
    return int((~(good & np.isfinite(numbers))).sum())


def number_above(source: Source, name: str, threshold: float) -> int:
    (column,) = columns_of(source, [name])
    return int((column.numbers > threshold).sum())
