"""Compiled kernels are kept while no file of the kernels changes, and not longer."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import discreet
from discreet.kernels import compilation

KERNELS = sorted((Path(discreet.__file__).parent / "kernels").rglob("*.py"))
SOURCE = """
from discreet.kernels.compilation import njit

@njit(cache=True)
def twice(number):
    return 2 * number
"""


@pytest.fixture
def compiled(tmp_path):
    """Import the file anew, call what it holds, and tell whether it was kept."""
    path = tmp_path / "doubled.py"
    path.write_text(SOURCE)

    def call():
        spec = importlib.util.spec_from_file_location("doubled", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert module.twice(3) == 6
        return bool(module.twice.stats.cache_hits)

    return call


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_kernel_is_kept_until_any_of_them_changes(compiled, monkeypatch):
    assert [compiled(), compiled()] == [False, True]
    monkeypatch.setattr(compilation, "sources", lambda: "another")
    assert [compiled(), compiled()] == [False, True]


def test_every_kernel_is_compiled_so():
    assert [
        path.stem for path in KERNELS if "numba import njit" in path.read_text(encoding="utf-8")
    ] == []


RECORDS = """
import sys
import numpy as np
from discreet.kernels.compilation import njit

@njit(cache=True)
def counted(rows, n):
    found = np.zeros(8, dtype=np.int64)
    for k in range(n):
        for i in range(len(rows)):
            if rows[i].last % (k + 2):
                found[(rows[i].last * k) % 8] += rows[i].last
            else:
                found = np.concatenate((found, rows["last"]))
    return found.sum()

@njit(cache=True)
def total(rows):
    return counted(rows, len(rows)) + counted(rows[1:], len(rows)) + counted(rows[2:], len(rows))

def rows(fields):
    made = np.zeros(4, dtype=[*((f"f{i}", np.int64) for i in range(fields)), ("last", np.int64)])
    made["last"] = [1, 2, 3, 4]
    return made

print(*(total(rows(int(fields))) for fields in sys.argv[1:]))
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_kernels_that_several_processes_kept_for_other_records_are_not_mistaken(tmp_path):
    """Numba numbers types of records by process: kept kernels had one name for two types."""
    (tmp_path / "totals.py").write_text(RECORDS)

    def said(*fields):
        call = [sys.executable, "totals.py", *fields]
        done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.split()

    [narrow], [wide] = said("0"), said("5")
    assert narrow == wide
    assert said("0", "5") == [narrow, wide]


FIRST_USES = """
import discreet as ds
from numba.core import event
from tests.kernels import survey

class Count(event.Listener):
    compiled = 0
    def on_start(self, heard): pass
    def on_end(self, heard): self.compiled += 1

count, data = Count(), survey()
event.register("numba:compile", count)
above = {"sex": ds.Hierarchy.suppress(), "zip": ds.Hierarchy.suppress()}
for verb in (
    lambda: ds.generalize(data, above, ds.KAnonymity(2)).best.mask(),
    lambda: ds.generalize(data, above, ds.KAnonymity(2), max_suppressed=1),
    lambda: ds.microaggregate(data, ["age"], k=2),
    lambda: ds.microaggregate(data, ["age", "sex"], k=2),
):
    before = count.compiled
    verb()
    print(count.compiled - before)
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_first_use_compiles_few_functions(tmp_path):
    """Seconds that a user waits for: one call of numpy inside a kernel, such as a sort or the
    assignment of a slice, makes Numba compile a dozen functions of its own, and a literal given to
    a function makes it compile that twice."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    call = [sys.executable, "-c", FIRST_USES]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=True)
    counted = [int(number) for number in done.stdout.split()]
    assert all(n <= most for n, most in zip(counted, (8, 24, 17, 10), strict=True)), counted
    assert done.stderr.count("Compiling kernels. This takes some seconds") == 1  # announced, once
