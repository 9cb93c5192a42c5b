"""Records that are held in this process: columns of Arrow, coded when they are first counted.

A table that is small is held once it was read, so that no query is planned for it: a verb on it
works with numpy on codes (``engine/coded_*.py``). ``with_twin`` of ``engine/source.py`` says which
side does what.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from discreet.frames import array_of, numbers_of
from discreet.frequency.frequency_set import coded, in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from discreet.engine.source import Source

Kind = Literal["integer", "number", "boolean", "text", "date", "timestamp", "time", "other"]

MOST_CELLS = 2_000_000  # of a table that is held: codes take 4 bytes each
_KINDS: tuple[tuple[Kind, Any], ...] = (
    ("boolean", types.is_boolean),
    ("integer", types.is_integer),
    ("number", types.is_floating),
    ("number", types.is_decimal),
    ("text", types.is_string),
    ("date", types.is_date32),
    ("timestamp", types.is_timestamp),
    ("time", types.is_time64),
)
_PLAIN = (types.is_boolean, types.is_integer, types.is_string, types.is_date32)


class HeldColumn:
    """A column: its cells, or its different values and which of them each record has."""

    def __init__(
        self, cells: Any = None, coded: tuple[pa.Array, NDArray[np.int32]] | None = None
    ) -> None:
        self._cells, self._coded = cells, coded

    @classmethod
    def of_codes(cls, values: pa.Array, codes: NDArray[np.int32]) -> HeldColumn:
        """A column of codes; values may be equal, or not occur."""
        distinct, rank = coded(values, None)
        return cls(coded=_occurring(distinct, rank[codes]))

    @property
    def type(self) -> pa.DataType:
        """The type of the cells."""
        return self._cells.type if self._coded is None else self._coded[0].type

    @property
    def kind(self) -> Kind:
        """How the cells are stored."""
        if types.is_decimal(self.type) and self.type.scale == 0:
            return "integer"
        return next((kind for kind, test in _KINDS if test(self.type)), "other")

    @property
    def cells(self) -> pa.Array:
        """The cells, in the order of the records."""
        if self._cells is None:
            values, codes = self._coded  # type: ignore[misc]
            self._cells = values.take(array_of(codes))
        return self._cells

    @property
    def coded(self) -> tuple[pa.Array, NDArray[np.int32]]:
        """The values that occur, in order, missing last, and each record's rank among them."""
        if self._coded is None:
            self._coded = coded(self._cells, None)
        return self._coded

    def on_scale(self, scale: Sequence[str] | None) -> tuple[pa.Array, NDArray[np.int32]]:
        """The same in the order of a scale."""
        return self.coded if scale is None else in_order(*self.coded, scale)

    @property
    def missing(self) -> int:
        """The code of a missing value, or −1."""
        values = self.coded[0]
        return len(values) - 1 if values.null_count else -1

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The cells as floating-point numbers, a missing one as NaN."""
        return numbers_of(self.cells.cast(pa.float64(), safe=False))

    @property
    def is_exact(self) -> bool:
        """Whether every cell is there, finite, and a floating-point number or a whole one."""
        binary = types.is_integer(self.type) or types.is_floating(self.type)
        return bool(binary and np.isfinite(self.numbers).all())

    def __len__(self) -> int:
        return len(self._cells if self._cells is not None else self.coded[1])

    def chosen(self, rows: NDArray[np.integer]) -> HeldColumn:
        """The cells of some records."""
        if self._coded is None:
            return HeldColumn(self._cells.take(array_of(rows)))
        values, codes = self._coded
        return HeldColumn(coded=_occurring(values, codes[rows]))


class Held:
    """Columns by the name that the engine has for them, in the order of the records."""

    def __init__(self, columns: Mapping[str, HeldColumn]) -> None:
        self._columns = dict(columns)
        self._opened: tuple[Any, ir.Table] | None = None  # the engine, and its table

    @classmethod
    def of(cls, table: pa.Table) -> Held:
        """The columns of an Arrow table."""
        return cls({name: HeldColumn(_whole(table.column(name))) for name in table.column_names})

    def __getitem__(self, at: str) -> HeldColumn:
        return self._columns[at]

    def __len__(self) -> int:
        """Number of records."""
        return len(next(iter(self._columns.values())))

    def chosen(self, rows: NDArray[Any]) -> Held:
        """Some records, by their places or by a mark for each, in their order."""
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        if len(places) == len(self) and rows.dtype == np.bool_:
            return self
        return Held({at: column.chosen(places) for at, column in self._columns.items()})

    def but(self, changed: Mapping[str, HeldColumn]) -> Held:
        """The same records with some columns changed, or more of them."""
        return Held({**self._columns, **changed})

    def arrow(self) -> pa.Table:
        """All columns as an Arrow table."""
        return pa.table({at: column.cells for at, column in self._columns.items()})

    @property
    def opened(self) -> ir.Table:
        """The same as a table of the embedded engine, which reads it in place; handed to it once,
        and again where the engine had to be opened anew."""
        from discreet.engine.embedded import embedded, uploaded

        engine = embedded()
        if self._opened is None or self._opened[0] is not engine:
            self._opened = engine, uploaded(engine, self.arrow())
        return self._opened[1]


def is_small(records: int, columns: int) -> bool:
    """Whether a table is held in this process once it is read."""
    return records * columns <= MOST_CELLS


def held_of(source: Source) -> Held:
    """What a source holds, which the caller knows."""
    assert source.held is not None
    return source.held


def as_given_back(column: pa.ChunkedArray) -> pa.Array | None:
    """A column of a frame as the embedded engine would give it back: one missing value (no NaN),
    one zero (no −0.0). None where only the engine knows."""
    cells = _whole(column)
    if types.is_large_string(cells.type) or types.is_string_view(cells.type):
        return cells.cast(pa.string())
    if types.is_floating(cells.type):
        return one_zero(cells)
    return cells if any(test(cells.type) for test in _PLAIN) else None


def one_zero(cells: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Numbers with one missing value (no NaN) and one zero (no −0.0); all else as it is."""
    if not types.is_floating(cells.type):
        return cells
    zero, missing = array_of(np.zeros(1))[0].cast(cells.type), pa.nulls(1, cells.type)[0]
    return pc.if_else(pc.is_nan(cells), missing, pc.add(cells, zero))


def is_plain(table: pa.Table) -> bool:
    """Whether every column holds plain values: no lists, structures or bytes."""
    return all(HeldColumn(_whole(column)).kind != "other" for column in table.columns)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _occurring(values: pa.Array, codes: NDArray[np.int32]) -> tuple[pa.Array, NDArray[np.int32]]:
    """Without the values that do not occur."""
    used = np.zeros(len(values), dtype=np.bool_)
    used[codes] = True
    if used.all():
        return values, codes
    return values.filter(array_of(used)), (np.cumsum(used, dtype=np.int32) - 1)[codes]
