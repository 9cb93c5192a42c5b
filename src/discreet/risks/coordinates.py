"""Records of an initial and a masked file as points: what an intruder measures distances between.

Numbers, dates and steps of ordinal scales are in units of the standard deviation that the initial
values have; one that does not vary stays as it is. Names are codes: equal, or 1 apart. A missing
value is one of its own: 0 from another missing one and 1 from every other value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.data import attributes
from discreet.data.link import Linked
from discreet.data.masked import Masked
from discreet.data.paired_columns import (
    NUMERIC,
    as_numbers,
    need_finite,
    shared_codes,
    stored_alike,
)
from discreet.errors import Problem, raise_all
from discreet.kernels.moments import spreads

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Floats


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The released records of two files, row by row.

    Attributes
    ----------
    columns : tuple of str
        The attributes, numbers first.
    numbers : int
        How many of them are numbers; the others hold codes.
    initial, masked : arrays of shape (n, d)
    """

    columns: tuple[str, ...]
    numbers: int
    initial: Floats
    masked: Floats


def coordinates(linked: Linked, columns: Sequence[str]) -> Coordinates:
    """The named attributes of all released records as points, or all that is in the way."""
    raise_all(_unknown(linked, columns) or _not_comparable(linked, columns))
    types = linked.initial.types
    numbers = [name for name in columns if types[name].measure != "nominal"]
    names = [name for name in columns if name not in numbers]
    kinds = linked.initial.source.kinds
    need_finite(linked, [name for name in numbers if kinds[name] in NUMERIC])
    x, y = linked.values([*numbers, *names])
    sides = [_steps(linked, name, x[name], y[name]) for name in numbers]
    sides += [_codes(x[name], y[name]) for name in names]
    return Coordinates(
        (*numbers, *names),
        len(numbers),
        np.column_stack([first for first, _ in sides]),
        np.column_stack([second for _, second in sides]),
    )


def chosen_columns(linked: Linked, columns: Sequence[str] | str | None) -> tuple[str, ...]:
    """The columns that were named, or the keys: what an intruder may know."""
    return tuple(dict.fromkeys(attributes.names(columns))) or linked.initial.keys


def _unknown(linked: Linked, columns: Sequence[str]) -> list[Problem]:
    return [
        attributes.unknown_column("the column", name, data.columns, data.name)
        for data in (linked.initial, linked.masked)
        for name in columns
        if name not in data.columns
    ]


def _not_comparable(linked: Linked, columns: Sequence[str]) -> list[Problem]:
    """Columns whose values cannot be held against each other."""
    steps = linked.masked.steps if isinstance(linked.masked, Masked) else ()
    recoded = {key for step in steps for key in step.labelled}
    remedy = "Leave it out: distances are between values of one kind."
    problems = [
        Problem("N07", f"{name!r} was recoded to labels, which have no distance.", remedy)
        for name in columns
        if name in recoded
    ]
    kinds = linked.initial.source.kinds
    return problems + [
        Problem("N07", f"{name!r} is not stored alike in both files.", remedy)
        for name in columns
        if name not in recoded and (not stored_alike(linked, name) or kinds[name] == "other")
    ]


def _steps(
    linked: Linked, name: str, x: pa.ChunkedArray, y: pa.ChunkedArray
) -> tuple[Floats, Floats]:
    """Numbers, times, or steps on a scale, in units of the initial standard deviation."""
    scale = linked.initial.types.scale(name)
    if scale:
        first, second, cards = shared_codes(x, y, scale)
        values = [np.where(code == cards - 1, np.nan, code) for code in (first, second)]
    else:
        values = [as_numbers(column) for column in (x, y)]
    known = values[0][~np.isnan(values[0])]
    spread = float(spreads(known[:, None])[0]) if len(known) else 0.0
    unit = spread if spread > 0 else 1.0
    return values[0] / unit, values[1] / unit


def _codes(x: pa.ChunkedArray, y: pa.ChunkedArray) -> tuple[Floats, Floats]:
    first, second, _ = shared_codes(x, y, None)
    return first.astype(np.float64), second.astype(np.float64)
