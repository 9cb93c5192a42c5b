"""Contributions: which share of a record's score each key has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import frames
from discreet.errors import did_you_mean, fail
from discreet.frames import FrameKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats


@dataclass(frozen=True, eq=False, repr=False)
class Contributions:
    """Shares, one row per record and one column per key.

    It is an array wherever one is asked for (``numpy.asarray``, ``[row, column]``), a column by the
    name of its key (``["age"]``), and a frame by ``table()``.

    Examples
    --------
    >>> found = Contributions(("age", "sex"), np.array([[1.0, 0.5], [0.0, 0.0]]), "arrow")
    >>> found["sex"].tolist(), found[0, 0].tolist(), found.shape
    ([0.5, 0.0], 1.0, (2, 2))
    """

    keys: tuple[str, ...]
    shares: Floats
    kind: FrameKind

    @property
    def shape(self) -> tuple[int, int]:
        """Records and keys."""
        return len(self.shares), len(self.keys)

    def __len__(self) -> int:
        return len(self.shares)

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, str):
            return self.shares[at]
        if at not in self.keys:
            remedy = did_you_mean(at, self.keys) or "Name one of the keys."
            fail("R01", f"{at!r} is not a key.", remedy)
        return self.shares[:, self.keys.index(at)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.shares, dtype=dtype, copy=copy is not False)

    def table(self, kind: FrameKind | None = None) -> Any:
        """As a frame: one row per record, one column per key; no cell of the data."""
        import pyarrow as pa

        columns = dict(zip(self.keys, self.shares.T, strict=True))
        return frames.from_arrow(pa.table(columns), kind or self.kind)

    def __repr__(self) -> str:
        return f"Contributions: {len(self):,} records, {', '.join(self.keys)}"
