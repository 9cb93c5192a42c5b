"""Compilation: ``njit`` of Numba with a cache that knows the sources of all kernels.

Numba keeps a compiled function as long as its own file is the same. What it calls is compiled into
it, also from other files, and would be kept as it was. Here a function is kept as long as all files
of the kernels are the same.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

Decorator = Callable[[Callable[..., Any]], Any]


def njit(**options: Any) -> Decorator:
    """Compile a function as Numba does, and keep it while no kernel changes.

    Examples
    --------
    >>> @njit(nogil=True)
    ... def twice(number):
    ...     return 2 * number
    >>> twice(3)
    6
    """

    def compiled(function: Callable[..., Any]) -> Any:
        made = numba.njit(**options)(function)
        kept = getattr(getattr(made, "_cache", None), "_cache_file", None)
        if kept is not None:  # not without cache=True, nor where nothing is compiled
            kept._source_stamp = (kept._source_stamp, sources())
        return made

    return compiled


@functools.cache
def sources() -> str:
    """A digest of all files of the kernels."""
    folder, digest = Path(__file__).parent, hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
