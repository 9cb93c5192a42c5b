"""Machines as they are: nowhere to write, a terminal of another age, too little memory."""

import importlib.util
import os
import sys

import numba
import pytest
from numba.core import caching

import discreet as ds
from discreet import cli, on_progress, progress
from discreet.kernels import compilation

KERNEL = """
from discreet.kernels.compilation import njit

@njit(cache=True)
def twice(number):
    return 2 * number
"""
JIT = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.fixture
def locked(tmp_path, monkeypatch):
    """A function that imports a kernel where neither the installation nor the home directory can
    be written to; root may write everywhere, so that the places are refused by name."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(compilation.tempfile, "gettempdir", lambda: str(temporary))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(progress, "_compiling", progress._Compiling())
    compilation._ear().kept = True
    ensure = caching._CacheLocator.ensure_cache_path

    def refused(self):
        if not os.access(temporary, os.F_OK) or str(temporary) not in self.get_cache_path():
            raise PermissionError("read-only")
        ensure(self)

    monkeypatch.setattr(caching._CacheLocator, "ensure_cache_path", refused)

    def kernel():
        compilation.private_folder.cache_clear()
        (tmp_path / "probe.py").write_text(KERNEL)
        spec = importlib.util.spec_from_file_location("discreet.probe", tmp_path / "probe.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.twice

    yield kernel, temporary
    compilation._ear().kept = True
    compilation.private_folder.cache_clear()


@JIT
def test_a_read_only_install_keeps_its_kernels_in_a_private_folder(locked):
    kernel, temporary = locked
    assert kernel()(3) == 6
    (folder,) = temporary.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert next(folder.rglob("*.nbi"), None)


@JIT
def test_without_any_writable_folder_kernels_are_compiled_and_that_is_said(
    locked, monkeypatch, capsys
):
    kernel, temporary = locked
    temporary.rmdir()
    monkeypatch.setattr(progress, "_UNNOTICED", 0)
    assert kernel()(3) == 6
    assert "NUMBA_CACHE_DIR" in capsys.readouterr().err


def test_a_folder_that_somebody_else_may_enter_holds_no_kernels(locked):
    _, temporary = locked
    folder = temporary / f"discreet-kernels-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    assert compilation.private_folder.__wrapped__() is None
    folder.chmod(0o700)
    assert compilation.private_folder.__wrapped__() == folder


@JIT
def test_the_first_use_is_announced_once(locked, monkeypatch, capsys):
    kernel, _ = locked
    monkeypatch.setattr(progress, "_UNNOTICED", 0)
    called = kernel()
    assert [called(3), called(0.5)] == [6, 1.0]
    assert capsys.readouterr().err.count("Compiling kernels") == 1


@JIT
def test_a_callback_hears_of_compiling_and_nothing_is_printed(locked, monkeypatch, capsys):
    kernel, _ = locked
    monkeypatch.setattr(progress, "_UNNOTICED", 0)
    seen = []
    with on_progress(seen.append):
        kernel()(3)
    assert {p.stage for p in seen} == {progress.COMPILING}
    assert seen[1].done == seen[0].done + 1
    assert "Compiling" not in capsys.readouterr().err


class Notebook:
    """Stands for IPython within a notebook: it has a kernel, and shows what it is given."""

    kernel = True

    def __init__(self):
        self.shown = []

    def get_ipython(self):
        return self

    def display(self, line, display_id):
        self.shown.append(line)
        return self

    def update(self, line):
        self.shown.append(line)

    def HTML(self, text):
        return text


def test_a_notebook_shows_a_bar(monkeypatch):
    notebook = Notebook()
    monkeypatch.setitem(progress.sys.modules, "IPython", notebook)
    monkeypatch.setitem(progress.sys.modules, "IPython.display", notebook)
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    with progress.stage("grouping", 10) as advance:
        advance(4)
    assert 'grouping <progress value="4" max="10">' in notebook.shown[0]
    assert notebook.shown[-1] == ""


def test_a_name_that_is_no_text_is_told_plainly_and_not_by_the_engine(tmp_path):
    place = tmp_path / os.fsdecode(b"\xff.csv")
    place.write_text("age\n1\n2\n")
    data = ds.read({"age": [1, 2]})
    for step in (lambda: ds.read(place), lambda: data.write(place, overwrite=True)):
        with pytest.raises(ds.DiscreetError, match=r"E05.*PYTHONUTF8=1"):
            step()
    assert place.read_text() == "age\n1\n2\n"


def test_a_command_with_a_word_that_is_no_text_is_told_plainly(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["discreet", "risk", "t.csv", "--keys", os.fsdecode(b"\xff")])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    assert "[E05]" in capsys.readouterr().err
