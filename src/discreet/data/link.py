"""Linking: which masked record is which initial record, and what is counted along that link.

Masked microdata made here know their initial file; a file masked elsewhere is linked by a record
id that both files hold.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pyarrow as pa

from discreet import engine
from discreet.data import attributes
from discreet.data.masked import Masked, id_problems, require_ids, require_link
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import InfiniteValues, Problem, argument, fail, raise_all
from discreet.frequency.frequency_set import steps
from discreet.hierarchies.texts import texts_of
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


_FILES = ("the initial file", "the masked file")
_RELEASES = ("the first release", "the second release")
_FEW = 2_000_000  # records: the values of more are added up where they are
LARGEST = engine.LARGEST
NUMERIC = ("integer", "number")
TIMES = ("date", "timestamp", "time")


@dataclass(frozen=True, eq=False)
class Linked:
    """An initial and a masked file whose records are linked.

    Attributes
    ----------
    pair : engine.Pair
    link : tuple of str
        The engine's columns that link the records.
    on : str or None
        The column that links a file masked elsewhere.
    """

    initial: Microdata
    masked: Microdata
    pair: engine.Pair
    link: tuple[str, str]
    on: str | None

    @property
    def made_here(self) -> bool:
        """Whether the masking was done here, so that all its steps are known."""
        return isinstance(self.masked, Masked) and self.on is None

    @property
    def in_order(self) -> bool:
        """Whether the records are linked by nothing but their order."""
        return self.on is None and not self.made_here

    @property
    def method(self) -> str:
        """How the file was masked."""
        steps = self.masked.steps if isinstance(self.masked, Masked) and self.made_here else ()
        return ", then ".join(step.method for step in steps) or "elsewhere"

    @property
    def id_name(self) -> str:
        """What the records are named by: a column, or the row number of the initial file."""
        return self.on or self.initial.record_id or "record"

    def classification(self) -> tuple[pa.Table, pa.Table]:
        """C as rows (i, j, c), and the initial classes as rows (j, F)."""
        return engine.classification(self.pair)

    def record_sizes(self) -> pa.Table:
        """For each released record its id, masked and initial class size (id, i, j)."""
        named = self.initial.record_id
        if self.on is not None or named is None:
            return engine.record_sizes(self.pair, self.link)
        column = self.initial.source.at(named)
        raise_all(id_problems(self.initial, named, column))
        return engine.record_sizes(self.pair, (column, column))

    def key_counts(self) -> pa.Table:
        """Which initial keys (x0, …) became which masked ones (y0, …) in how many records (n)."""
        return engine.linked_counts(self.pair, self.link)

    def numbered(self, name: str, numbers: pa.Table, *, by_initial: bool) -> engine.Source:
        """The masked records with a number as a further column, still lazy: ``numbers`` holds
        combinations of the masked keys, or of the initial ones, and last their numbers.
        """
        if by_initial:
            return engine.by_initial(self.pair, self.link, numbers, name)
        return engine.looked_up(self.masked.source, self.pair.keys, numbers, name)

    def values(self, names: Sequence[str]) -> tuple[pa.Table, pa.Table]:
        """The named columns of the released records: initial values, and masked values."""
        found = engine.linked_values(self.pair, self.link, names)
        initial = found.select([f"x{i}" for i in range(len(names))]).rename_columns(list(names))
        masked = found.select([f"y{i}" for i in range(len(names))]).rename_columns(list(names))
        return initial, masked

    @functools.cached_property
    def near(self) -> bool:
        """Whether the values may be brought together here: few, and in this process already."""
        return engine.is_near(self.pair.masked) and self.masked.n <= _FEW

    def compared(self, names: Sequence[str]) -> engine.Compared:
        """Initial beside masked values of the named columns, in the engine."""
        return engine.compared(self.pair, self.link, names)

    def compatible(self) -> pa.Table:
        """How many released records (t) are compatible with how many initial ones (size)."""
        assert isinstance(self.masked, Masked)
        return engine.compatible(self.pair, self.masked.complete, self.link)


def link(
    initial: Microdata,
    masked: Microdata,
    on: str | None,
    *,
    classed: bool = True,
    keyed: bool = True,
    by_order: bool = True,
) -> Linked:
    """Link the records of two files, or say all that is in the way.

    What is not ``classed`` needs no classes, and can do with a file masked elsewhere that has the
    record id of the initial one, or as many records: then they are linked in their order, if
    ``by_order`` allows that. What is not ``keyed`` either looks at columns that were named, and can
    do without keys.
    """
    require_microdata(initial, masked, named="an argument")
    on = attributes.name(on, "on")
    keys = initial.need_keys() if keyed else initial.keys
    policy = _policy_problems(initial, masked) if classed else []
    raise_all([*_key_problems(initial, masked), *policy])
    if on is None and by_order and not classed and not isinstance(masked, Masked):
        if initial.record_id is not None and initial.record_id in masked.columns:
            on = initial.record_id
        elif _in_one_order(initial, masked):
            return _linked_in_order(initial, masked, keys)
    if on is not None:
        return _linked_by_column(initial, masked, on, keys)
    if not isinstance(masked, Masked) or masked.initial.source is not initial.source:
        fail(
            "N03",
            f"the masked file ({masked.name}) was not made here from the initial file "
            f"({initial.name}).",
            f"Say which column links the records of both files: {argument('on')}.",
        )
    column = require_link(masked.initial)
    if masked.initial.source.row is None:  # then the record id is the link
        require_ids(masked.initial)
    by_keys = not (masked.changed & set(keys))
    ids = (column, column)
    pair = engine.Pair(initial.source, masked.source, keys, None if by_keys else ids)
    return Linked(initial, masked, pair, ids, None)


def _key_problems(
    initial: Microdata, masked: Microdata, words: tuple[str, str] = _FILES
) -> list[Problem]:
    absent = [key for key in initial.keys if key not in masked.columns]
    problems = [
        attributes.unknown_column("key attribute", k, masked.columns, masked.name) for k in absent
    ]
    if masked.keys and set(masked.keys) != set(initial.keys):
        what = f"the keys of {words[1]} ({masked.name}) are not those of {words[0]}."
        problems.append(Problem("R07", what, "Name the same keys for both files."))
    return problems


def _policy_problems(initial: Microdata, masked: Microdata) -> list[Problem]:
    if "wildcard" not in (initial.missing, masked.missing):
        return []
    what = (
        f"the classification matrix needs classes, and with {argument('missing', 'wildcard')} "
        "there are none."
    )
    return [Problem("N01", what, f"Read both files with {argument('missing', 'category')}.")]


def _in_one_order(initial: Microdata, masked: Microdata) -> bool:
    """Whether both files have an order, and as many records."""
    ordered = initial.source.row is not None and masked.source.row is not None
    near = engine.same_engine(initial.source, masked.source)
    return ordered and near and initial.n == masked.n


def _linked_in_order(initial: Microdata, masked: Microdata, keys: tuple[str, ...]) -> Linked:
    rows = initial.source.row, masked.source.row
    assert rows[0] is not None
    assert rows[1] is not None
    pair = engine.Pair(initial.source, masked.source, keys, (rows[0], rows[1]))
    return Linked(initial, masked, pair, (rows[0], rows[1]), None)


def in_both(first: Microdata, second: Microdata, on: str) -> Linked:
    """The records that two releases have in common, by a record id; each may have others."""
    keys = first.need_keys()
    raise_all(_key_problems(first, second, _RELEASES))
    return _linked_by_column(first, second, on, keys, _RELEASES)


def _linked_by_column(
    initial: Microdata,
    masked: Microdata,
    on: str,
    keys: tuple[str, ...],
    words: tuple[str, str] = _FILES,
) -> Linked:
    one, other = initial.name, masked.name
    if one == other:  # as of two frames
        one, other = (f"{word} ({one})" for word in words)
    raise_all(
        [
            attributes.unknown_column("record id", on, data.columns, name, data.has_names)
            for data, name in ((initial, one), (masked, other))
            if on not in data.columns
        ]
    )
    kinds = initial.source.kinds[on], masked.source.kinds[on]
    if kinds[0] != kinds[1]:
        fail(
            "D10",
            f"record id {on!r} is {kinds[0]} in {one} and {kinds[1]} in {other}.",
            "Write it the same way in both files.",
        )
    if not engine.same_engine(initial.source, masked.source):
        fail(
            "N04",
            f"{one} and {other} are held by different engines.",
            "Open both in the same one.",
        )
    ids = initial.source.at(on), masked.source.at(on)
    raise_all([*id_problems(initial, on, ids[0], one), *id_problems(masked, on, ids[1], other)])
    pair = engine.Pair(initial.source, masked.source, keys, ids)
    alone = engine.unlinked(pair) if words == _FILES else 0  # releases may each have others
    if alone:
        fail(
            "D11",
            f"the id {on!r} of {counted(alone, 'record')} of {other} is not in {one}.",
            "Give the initial file the masked one was made from.",
        )
    return Linked(initial, masked, pair, ids, on)


# -- Columns of an initial and a masked file side by side: as numbers, and as codes of both --------


def stored_alike(linked: Linked, name: str) -> bool:
    """Whether the values of both files can be held against each other: numbers, or one kind."""
    kinds = linked.initial.source.kinds[name], linked.masked.source.kinds[name]
    return kinds[0] == kinds[1] or all(kind in NUMERIC for kind in kinds)


def need_finite(linked: Linked, names: Sequence[str]) -> None:
    """Refuse numbers that are infinite, or whose powers are: they have no variance."""
    files = (linked.initial, linked.masked)
    problems = [one for data in files for one in data.unbounded_problems(names)]
    raise_all(list(dict.fromkeys(problems)))


def fail_incomplete() -> NoReturn:
    """Refuse to compare numbers where every released record misses one."""
    remedy = "Fill the missing values, or suppress fewer single values."
    fail("D06", "no released record is complete.", remedy)


def complete_numbers(
    x: pa.Table, y: pa.Table, names: Sequence[str]
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Continuous attributes as matrices, without the records that miss a value (their number);
    a value that is infinite, or whose powers are, is an error."""
    if not names:
        return 0, np.empty((0, 0)), np.empty((0, 0))
    xs = np.column_stack([as_numbers(x[n]) for n in names])
    ys = np.column_stack([as_numbers(y[n]) for n in names])
    if any((np.abs(numbers) > LARGEST).any() for numbers in (xs, ys)):
        raise InfiniteValues
    whole = ~(np.isnan(xs).any(axis=1) | np.isnan(ys).any(axis=1))
    return int((~whole).sum()), xs[whole], ys[whole]


def as_numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """A column as floating-point numbers, times in microseconds; NaN where a value is missing."""
    if pa.types.is_temporal(column.type):
        plain = pa.types.is_time(column.type)
        column = (column if plain else column.cast(pa.timestamp("us"), safe=False)).cast(pa.int64())
    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def shared_codes(
    x: pa.ChunkedArray, y: pa.ChunkedArray, scale: Sequence[str] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Original and masked values coded alike, by rank or by the scale; missing is one value."""
    if scale:
        first, second = (on_scale(column, scale) for column in (x, y))
        return first, second, len(scale) + 1
    sides = [distinct_texts(column) for column in (x, y)]
    order = sorted({text for texts, _ in sides for text in texts})
    rank, end = {text: i for i, text in enumerate(order)}, len(order)
    first, second = (
        np.array([*(rank[text] for text in texts), end], dtype=np.int64)[at] for texts, at in sides
    )
    return first, second, end + 1


def on_scale(column: pa.ChunkedArray, scale: Sequence[str]) -> NDArray[np.int64]:
    """The step of every record on a scale; the number of steps where the value is missing or not
    on it."""
    values, at = _distinct(column)
    return np.array([*steps(values, scale), len(scale)], dtype=np.int64)[at]


def distinct_texts(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """The text form of the distinct values of a column, and the place of every record: the last,
    missing."""
    values, at = _distinct(column)
    texts = texts_of(values)
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}  # 0.0 and -0.0 are one
    return list(place), np.array([*(place[text] for text in texts), len(place)])[at]


def _distinct(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int64]]:
    """The distinct values of a column, and the place of every record: the last, missing."""
    if pa.types.is_dictionary(column.type):  # its dictionary may hold a missing value, or one twice
        column = column.cast(column.type.value_type)
    coded = column.combine_chunks().dictionary_encode()
    at = coded.indices.cast(pa.int64()).fill_null(len(coded.dictionary))
    return coded.dictionary, at.to_numpy(zero_copy_only=False)
