"""Compiled kernels are kept while no file of the kernels changes, and not longer."""

import importlib.util
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


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_kernel_is_compiled_so(path):
    assert "numba import njit" not in path.read_text()
