"""Types that the kernels on known sets share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats, Ints

Array = NDArray[Any]
Rows = NDArray[np.int32]
Columns = Sequence[Array]
Set = tuple[int, ...]  # ascending attribute numbers
Weights = Sequence[Floats | None]  # per attribute: by code, or None if all are 0
Whole = Sequence[Ints | None]  # the same as whole numbers
Each = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]  # a map
Advance = Callable[[int, int], None]
