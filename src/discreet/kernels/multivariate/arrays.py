"""Array types and the compiler settings that all multivariate kernels share."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.kernels.arrays import Ints
from discreet.kernels.compilation import njit

Shorts = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]

# What a loop over records notes its progress in: records done, and whether it shall end early.
Watch = Ints

_F = TypeVar("_F", bound=Callable[..., Any])

# Smaller and larger of two numbers may ignore NaN and the sign of zero: that vectorises them.
# Nothing else is relaxed. Sums keep their order and products are not fused into sums, so that two
# ways to the same distance give the same bits.
kernel: Callable[[_F], _F] = njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz"}
)


def unwatched() -> Watch:
    """Progress that no one looks at."""
    return np.zeros(2, np.int64)
