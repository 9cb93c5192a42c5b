"""The classification matrix C: c_ij records are in masked classes of size i and were in initial
classes of size j. Records are followed by identity, not by key value. Only cells with records
are kept; n × n arrays never exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import frames
from discreet.frames import FrameKind

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Classification:
    """The non-zero cells of C, by i, then j."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    c: NDArray[np.int64]
    kind: FrameKind = "arrow"

    @classmethod
    def from_arrow(cls, table: pa.Table, kind: FrameKind) -> Classification:
        """From rows (i, j, c) in any order."""
        i, j, c = (np.asarray(table.column(name), dtype=np.int64) for name in ("i", "j", "c"))
        order = np.lexsort([j, i])
        return cls(i[order], j[order], c[order], kind)

    @classmethod
    def of(cls, i: NDArray[np.int64], j: NDArray[np.int64], c: NDArray[np.int64]) -> Classification:
        """From numbers of records with their class sizes, which may repeat."""
        cells, at = np.unique(np.stack([i, j]), axis=1, return_inverse=True)
        totals = np.zeros(cells.shape[1], dtype=np.int64)
        np.add.at(totals, at.ravel(), c)
        return cls(cells[0], cells[1], totals)

    @property
    def t(self) -> int:
        """Number of released records."""
        return int(self.c.sum())

    def entries(self) -> Iterator[tuple[int, int, int]]:
        """The cells with records as (i, j, c_ij), ascending."""
        return iter(zip(self.i.tolist(), self.j.tolist(), self.c.tolist(), strict=True))

    def table(self, kind: FrameKind | None = None) -> Any:
        """The cells with records as a frame: masked size i, initial size j, records."""
        import pyarrow as pa

        columns = {"masked_size": self.i, "initial_size": self.j, "records": self.c}
        return frames.from_arrow(pa.table(columns), kind or self.kind)

    def chart(self) -> Any:
        """A heat map on logarithmic axes (needs the ``charts`` extra)."""
        from discreet.charts import classification_chart

        return classification_chart(list(self.entries()))

    def __repr__(self) -> str:
        return f"Classification: {len(self.c):,} cells of C with {self.t:,} records"
