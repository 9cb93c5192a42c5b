"""Records above a threshold: how many, and where they stand in the file; no cell."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import argument, fail
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class RecordsAbove:
    """The records whose risk is above a threshold.

    It is their number wherever a number is asked for (``int``, ``==``), and their positions in the
    file, from 0, wherever a sequence is (``len``, iteration, ``numpy.asarray``).
    """

    threshold: float
    count: int
    found: NDArray[np.intp] | Callable[[], NDArray[np.intp]] | None
    n: int

    @functools.cached_property
    def positions(self) -> NDArray[np.intp]:
        """Where they stand in the file, from 0."""
        if self.found is None:
            fail(
                "N02",
                "the records have no order in their engine, and no position.",
                "Use .column() to have the risk as a column there, or name the column that tells "
                f"the records apart with {argument('record_id')}.",
            )
        return self.found() if callable(self.found) else self.found

    def __len__(self) -> int:
        return self.count

    def __index__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        return iter(self.positions.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.positions, dtype=dtype, copy=copy is not False)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RecordsAbove):
            return self.count == other.count and np.array_equal(self.positions, other.positions)
        return self.count == other if isinstance(other, int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.count)

    def __repr__(self) -> str:
        return (
            f"{counted(self.count, 'record')} of {self.n:,} ({share(self.count, self.n)}) "
            f"above {self.threshold:g}"
        )
