"""Kernels compiled once: by the worker that needs one first, while the others wait for it.

Numba keeps what it compiled beside the sources, and finds it there; but workers that begin at the
same time would each compile the same.
"""

import fcntl
import hashlib
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np

_ours = threading.RLock()  # the threads of one process come one by one


@contextmanager
def _turn(function):
    """Hold a lock that all workers know; kernels that call others take theirs within it."""
    name = f"{function.__code__.co_filename}:{function.__qualname__}"
    digest = hashlib.sha256(name.encode()).hexdigest()[:24]
    with _ours, (Path(tempfile.gettempdir()) / f"discreet-kernel-{digest}").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compile_once():
    """Have this process compile in turn with the others."""
    from numba.core.dispatcher import Dispatcher

    compiled = Dispatcher.compile

    def in_turn(self, sig):
        with _turn(self.py_func):
            return compiled(self, sig)

    Dispatcher.compile = in_turn


def in_plain_python():
    """Let the kernels of the lattice run where nothing is compiled: classes have their fields by
    name there too, and bits are counted without the instruction of the processor."""
    from discreet.kernels.lattice import layout, tally

    compiled = layout.class_dtype
    layout.class_dtype = lambda *asked: np.dtype((np.record, compiled(*asked)))
    tally._popcount = lambda word: np.uint64(int(word).bit_count())


def compile_large_ones():
    """Compile what takes a minute, so that no test that comes first is ended for it."""
    import discreet as ds

    table = {"sex": list("MMFFMMFFMM"), "zip": ["1", "1", "1", "2", "2", "2", "3", "3", "4", "5"]}
    survey = ds.read(table, keys=["sex", "zip"])
    above = {"sex": ds.Hierarchy.suppress(), "zip": ds.Hierarchy.suppress()}
    for method in ("local", "mondrian"):
        ds.recode(survey, above, ds.KAnonymity(2), method=method)
    for reading in ("category", "wildcard", "target-source"):
        ds.suppress_cells(survey, ds.KAnonymity(2), reading=reading, search="quick")


if __name__ == "__main__":
    compile_large_ones()
