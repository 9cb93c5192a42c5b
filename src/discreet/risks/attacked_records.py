"""Records of an initial and a masked file as rows of numbers, for attacks on the masked one.

Unlike :mod:`discreet.risks.linkage`, it knows labels: which initial values each stands for, by
the steps of the masking or by hierarchies.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.link import (
    NUMERIC,
    Linked,
    as_numbers,
    distinct_texts,
    need_finite,
    on_scale,
    stored_alike,
)
from discreet.errors import Problem, fail, raise_all
from discreet.kernels.attacks import LABEL, NAME, NUMBER, ColumnKinds, MaskedPoints
from discreet.kernels.draws import mixed, stream
from discreet.kernels.linkage import distinct_rows
from discreet.risks.key_covers import key_cover, tables_of
from discreet.risks.linkage import unit_of

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Floats, Ints

_MOST_PAIRS = 10**8  # of an initial value and a label
_Three = tuple["pa.ChunkedArray", "pa.ChunkedArray", "pa.ChunkedArray"]


@dataclass(frozen=True, eq=False)
class AttackedRecords:
    """The released records of two files, row by row, in an order of their own values.

    Attributes
    ----------
    columns : tuple of str
    kinds : ColumnKinds
    initial, masked : arrays of shape (n, d)
    population : tuple of arrays
        Different initial records, of people left out too, and how often each occurs; only the
        columns that singling out needs hold values.
    """

    columns: tuple[str, ...]
    kinds: ColumnKinds
    initial: Floats
    masked: Floats
    population: tuple[Floats, Ints]

    @property
    def n(self) -> int:
        """Released records."""
        return len(self.masked)

    def at(self, names: Sequence[str]) -> Ints:
        """The places of columns."""
        return np.array([self.columns.index(name) for name in names], dtype=np.int64)

    def widths(self, at: Ints, width: float) -> Floats:
        """How far a value may be away to be right: numbers some, names and labels not at all."""
        return np.where(self.kinds.kinds[at] == NUMBER, width, 0.0)

    @functools.cached_property
    def _points(self) -> tuple[Floats, Ints]:
        return distinct_rows(self.masked)

    @functools.cached_property
    def points(self) -> MaskedPoints:
        """Different masked records."""
        rows, of_record = self._points
        return MaskedPoints(rows, np.bincount(of_record, minlength=len(rows)))

    @property
    def own(self) -> Ints:
        """Which of the points each record's masked one is."""
        return self._points[1]

    def drawn(self, number: int, seed: int) -> tuple[Ints, Ints]:
        """Two groups of as many people, at random. Records with the same values may stand for one
        another, so that neither the order of the rows nor their ids matter."""
        order = np.lexsort(np.hstack([self.initial, self.masked]).T)
        places = np.arange(self.n, dtype=np.uint64)
        random = np.argsort(mixed(places, stream("attack", "", seed % 2**64)), kind="stable")
        chosen = order[random[: 2 * number]]
        return chosen[:number], chosen[number:]


def attacked_records(
    linked: Linked, columns: Sequence[str], known: Sequence[str], hierarchies: Any
) -> AttackedRecords:
    """The named columns of all released records, and the ``known`` ones of all initial records; or
    all that is in the way."""
    numbers = [c for c in columns if linked.initial.source.kinds[c] in NUMERIC]
    need_finite(linked, [c for c in numbers if linked.masked.source.kinds[c] in NUMERIC])
    tables = tables_of(linked.initial, linked.masked, hierarchies)
    x, y = linked.values(columns)
    counted = linked.initial.frequency_set(known)
    people = counted.combinations()
    made, problems = [], []
    for name in columns:
        of_all = people[f"s{known.index(name)}"] if name in known else x[name].slice(0, 0)
        one = _coded(linked, name, (of_all, x[name], y[name]), tables)
        if isinstance(one, Problem):
            problems.append(one)
        else:
            made.append(one)
    raise_all(problems)
    population = np.full((len(counted.counts), len(columns)), np.nan)
    for a, one in enumerate(made):
        if columns[a] in known:
            population[:, a] = one.people
    return AttackedRecords(
        tuple(columns),
        _kinds(made),
        np.column_stack([one.initial for one in made]),
        np.column_stack([one.masked for one in made]),
        (population, counted.counts.astype(np.int64)),
    )


@dataclass(frozen=True, eq=False)
class _CodedColumn:
    kind: int
    people: Floats
    initial: Floats
    masked: Floats
    fits: Any = None  # per initial value and label


def _kinds(made: Sequence[_CodedColumn]) -> ColumnKinds:
    tables = [one.fits if one.fits is not None else np.empty((0, 0), np.uint8) for one in made]
    sizes = np.array([table.size for table in tables], dtype=np.int64)
    return ColumnKinds(
        np.array([one.kind for one in made], dtype=np.int64),
        np.cumsum(sizes) - sizes,
        np.array([table.shape[1] for table in tables], dtype=np.int64),
        np.concatenate([table.ravel() for table in tables]),
    )


def _coded(
    linked: Linked, name: str, values: _Three, tables: Mapping[str, Sequence[Any]]
) -> _CodedColumn | Problem:
    """A column of all people, of the released ones, and of their masked records."""
    kinds = linked.initial.source.kinds[name], linked.masked.source.kinds[name]
    measured = linked.initial.types[name].measure != "nominal"
    if name in tables and not (measured and all(kind in NUMERIC for kind in kinds)):
        return _labels(name, values, tables[name])
    if not stored_alike(linked, name) or kinds[0] == "other":
        return _unknown(name, "is not stored alike in both files.")
    if measured:
        return _numbers(name, values, linked.initial.types.scale(name))
    return _names(name, values)


def _unknown(name: str, what: str) -> Problem:
    remedy = "Where values became groups, give the hierarchies; else leave the column out."
    return Problem("N07", f"{name!r} {what}", remedy)


def _numbers(name: str, values: _Three, scale: Sequence[str] | None) -> _CodedColumn | Problem:
    """Numbers, times, or steps on a scale, in units of the initial standard deviation."""
    if scale:
        found = [_on_scale(column, scale) for column in values]
        missing = [_plain(column).null_count for column in values]
        if [int(np.isnan(side).sum()) for side in found] != missing:
            return _unknown(name, "has masked values that are not on its scale.")
    else:
        found = [as_numbers(column) for column in values]
    unit = unit_of(np.sort(found[1][~np.isnan(found[1])]))
    return _CodedColumn(NUMBER, *(side / unit for side in found))


def _names(name: str, values: _Three) -> _CodedColumn | Problem:
    texts = sorted({text for column in values[:2] for text in distinct_texts(column)[0]})
    found = _ranked(values, {text: i for i, text in enumerate(texts)})
    if found is None:
        return _unknown(name, "has masked values that are not in the initial file.")
    return _CodedColumn(NAME, *found)


def _on_scale(column: pa.ChunkedArray, scale: Sequence[str]) -> Floats:
    """The step of each value; NaN where there is none."""
    found = on_scale(column, scale)
    return np.where(found < len(scale), found, np.nan)


def _ranked(values: _Three, rank: Mapping[str, int]) -> list[Floats] | None:
    """The number of each text; None where one has none."""
    found = []
    for column in values:
        texts, at = distinct_texts(column)
        if not set(texts) <= set(rank):
            return None
        found.append(np.array([*(rank[text] for text in texts), np.nan])[at])
    return found


def _labels(name: str, values: _Three, tables: Sequence[Any]) -> _CodedColumn | Problem:
    """Codes of initial values and of labels, and which label fits which value."""
    import pyarrow as pa

    people, initial, masked = (_plain(column) for column in values)
    held, codes = _sorted_codes(pa.concat_arrays([people, initial]))
    labels, shown = _sorted_codes(masked)
    if len(held) * len(labels) > _MOST_PAIRS:
        fail("N07", f"{name!r} has too many labels for its values.", "Leave it out.")
    cover = key_cover(name, held, labels, tables)
    if (np.diff(cover.start) == 0).any():
        return _unknown(name, "has labels that stand for no initial value.")
    fits = np.zeros((len(held), len(labels)), np.uint8)
    fits[cover.pairs] = 1
    return _CodedColumn(LABEL, codes[: len(people)], codes[len(people) :], shown, fits)


def _plain(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    whole = column.combine_chunks()
    return whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole


def _sorted_codes(column: pa.Array) -> tuple[pa.Array, Floats]:
    """The different values in their order, whichever record has them first, and the place of each
    record's; NaN where it is missing."""
    import pyarrow.compute as pc

    values = column.drop_null().unique()
    values = values.take(pc.sort_indices(values))
    places = pc.index_in(column, value_set=values, skip_nulls=True)
    return values, np.asarray(places.cast("float64").to_numpy(zero_copy_only=False))
