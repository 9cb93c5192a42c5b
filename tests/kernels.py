"""Kernels compiled once: by the worker that needs one first, while the others wait for it.

Numba keeps what it compiled beside the sources, and finds it there; but workers that begin at the
same time would each compile the same.
"""

import fcntl
import hashlib
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np

_PLACE = Path(tempfile.gettempdir()) / "discreet-tests"  # whatever a test makes of it
_ours = threading.RLock()  # the threads of one process come one by one


@contextmanager
def _turn(function):
    """Hold a lock that all workers know; kernels that call others take theirs within it."""
    name = f"{function.__code__.co_filename}:{function.__qualname__}"
    digest = hashlib.sha256(name.encode()).hexdigest()[:24]
    _PLACE.mkdir(exist_ok=True)
    with _ours, (_PLACE / digest).open("a") as lock:
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
    from discreet.kernels.lattice import layout, sweep, tally

    compiled, amounts = layout.class_dtype, sweep.amount_dtype
    layout.class_dtype = lambda *asked: np.dtype((np.record, compiled(*asked)))
    sweep.amount_dtype = lambda *asked: np.dtype((np.record, amounts(*asked)))
    tally.popcount = lambda word: np.uint64(int(word).bit_count())
    tally.narrow = lambda wide, like: type(like)(wide)


def from_python(kernel):
    """A kernel that only kernels call, so that a test can."""
    import numba

    @numba.njit
    def call(*given):
        return kernel(*given)

    return call


def survey():
    """A table that every large kernel can be called with."""
    import discreet as ds

    zips = ["1", "1", "1", "2", "2", "2", "3", "3", "4", "5"]
    table = {"sex": list("MMFFMMFFMM"), "zip": zips, "age": [*range(20, 30)]}
    return ds.read(table, keys=["sex", "zip"], types={"age": "continuous"})


def recode_cells():
    import discreet as ds

    for method in ("local", "mondrian"):
        ds.recode(survey(), above(), ds.KAnonymity(2), method=method)


def sweep_nodes():
    """The nodes of a lattice, counted in each of the ways there are."""
    import discreet as ds

    town = ds.read({"sex": list("MF") * 20, "zip": [*"12345"] * 8})
    for criterion in (
        ds.KAnonymity(2),
        ds.PSensitiveKAnonymity(p=2, k=2, confidential=["age"]),
        ds.BetaLikeness(9.0, confidential=["age"]),
        ds.KMap(2, town),
    ):
        ds.generalize(survey(), above(), criterion)


def protect_otherwise():
    import discreet as ds

    for reading in ("category", "wildcard", "target-source"):
        ds.suppress_cells(survey(), ds.KAnonymity(2), reading=reading, search="quick")
    ds.microaggregate(survey(), ["age"], k=2)
    ds.microaggregate(survey(), ["age", "sex"], k=2)


def above():
    """Hierarchies of its keys."""
    import discreet as ds

    return {"sex": ds.Hierarchy.suppress(), "zip": ds.Hierarchy.suppress()}


# What takes longest to compile: no test that comes first is to be ended for it.
LARGE = (recode_cells, sweep_nodes, protect_otherwise)


def compile_large_ones():
    """Compile what takes long, at the same time, and what Python makes of the tests beside it."""
    works = [["-m", "tests.kernels", work.__name__] for work in LARGE]
    tests = ["-m", "pytest", "--collect-only", "-q", "-q", "-m", "long and not long"]
    begun = [
        subprocess.Popen([sys.executable, *call], stdout=subprocess.DEVNULL)
        for call in (*works, tests)
    ]
    codes = [process.wait() for process in begun]
    if any(codes[: len(works)]):
        sys.exit("the kernels do not compile")


if __name__ == "__main__":
    if sys.argv[1:]:
        compile_once()
        {work.__name__: work for work in LARGE}[sys.argv[1]]()
    else:
        compile_large_ones()
