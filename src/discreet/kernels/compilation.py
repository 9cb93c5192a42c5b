"""Compilation: ``njit`` of Numba with a cache that knows the sources of all kernels.

Numba keeps a compiled function as long as its own file is the same. What it calls is compiled into
it, also from other files, and would be kept as it was. Here a function is kept as long as all files
of the kernels are the same.

What a kernel calls is a part of it: see :class:`_PartLibrary`.

Compiled functions lie beside the sources, else in the user's cache directory. Where neither can be
written to, they go to a private temporary folder; where there is none, they last as long as the
process. ``NUMBA_CACHE_DIR`` names another place. What is compiled is announced, see
:func:`discreet.progress.compiled`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.dispatcher import Dispatcher
from numba.core.types import Record
from numba.extending import register_jitable

from discreet.progress import compiled as tell

Decorator = Callable[[Callable[..., Any]], Any]
_NO_PLACE = "no locator available"  # what Numba says where it can write nowhere


def _fields_named(record: Record) -> tuple[str, tuple[str]]:
    """The name of a type of records, the same in every process."""
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest()[:16],)


Record.mangling_args = property(_fields_named)  # type: ignore[method-assign, assignment]


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
        whole = {"pipeline_class": _KernelCompiler, "no_cfunc_wrapper": True, **options}
        made = _made(function, whole, _ear())
        kept = getattr(getattr(made, "_cache", None), "_cache_file", None)
        if kept is not None:  # not without cache=True, nor where nothing is compiled
            kept._source_stamp = (kept._source_stamp, sources())
        if isinstance(made, Dispatcher):  # kernels that call it take it as a part
            part = numba.njit(**{**options, **_PART})(function)
            vars(made).update(
                get_call_template=part.get_call_template, get_overload=part.get_overload
            )
        return made

    return compiled


_F = TypeVar("_F", bound=Callable[..., Any])

# Divides as numpy does, without a test for 0, which would keep loops from being vectorised.
numeric: Callable[[_F], _F] = njit(cache=True, nogil=True, error_model="numpy")


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call, without what Python needs to call it.

    It is compiled into each of its callers, and kept with them.
    """
    return numba.njit(nogil=True, **_PART)(function)


def shared(function: Callable[..., Any]) -> Any:
    """Leave a function as it is for Python, and compile it into the kernels that call it."""
    return register_jitable(nogil=True, **_PART)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Write a function into its caller before that is compiled.

    It pays for large ones with one caller that call many others: these are gone over again in every
    kernel above them.
    """
    return numba.njit(nogil=True, inline="always")(function)


def _made(function: Callable[..., Any], options: dict[str, Any], ear: _Ear) -> Any:
    """The function with a cache where there is a place for one, else without."""
    made = _cached(function, options)
    if made is None and (folder := private_folder()) is not None:
        numba.config.CACHE_DIR = str(folder)
        made = _cached(function, options)
    if made is not None:
        return made
    ear.kept = False
    return numba.njit(**{**options, "cache": False})(function)


def _cached(function: Callable[..., Any], options: dict[str, Any]) -> Any | None:
    """The function with its cache; None where Numba finds no place for one."""
    try:
        return numba.njit(**options)(function)
    except RuntimeError as error:
        if _NO_PLACE not in str(error):
            raise
        return None


@functools.cache
def private_folder() -> Path | None:
    """A folder for temporary files that nobody else may enter; None where none can be made.

    What lies there is run: a folder that somebody else made in our name is not taken.
    """
    user = os.getuid() if hasattr(os, "getuid") else ""
    with contextlib.suppress(OSError):
        folder = Path(tempfile.gettempdir()) / f"discreet-kernels-{user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
        if own and stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077:
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    return None


class _Ear(event.Listener):  # type: ignore[misc]
    """Hears when a kernel is compiled because none was kept."""

    def __init__(self) -> None:
        self.done, self.kept = 0, True

    def on_start(self, heard: Any) -> None:
        if self._is_kernel(heard):
            tell(self.done, kept=self.kept)

    def on_end(self, heard: Any) -> None:
        if self._is_kernel(heard):
            self.done += 1
            tell(self.done, kept=self.kept)

    @staticmethod
    def _is_kernel(heard: Any) -> bool:
        return str(heard.data["dispatcher"].py_func.__module__).startswith("discreet.")


@functools.cache
def _ear() -> _Ear:
    ear = _Ear()
    event.register("numba:compile", ear)
    return ear


@functools.cache
def sources() -> str:
    """A digest of all files of the kernels."""
    folder, digest = Path(__file__).parent, hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that kernels call: they link it in and optimise it as their own.

    Numba would optimise it here, too, and turn it into machine code that nobody runs: a third of
    the time that a first use takes.
    """

    def _optimize_final_module(self) -> None:
        """Nothing: the caller does."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, env: Any) -> None:
        """Nothing: there is no machine code that could look for it."""


class _PartCompiler(Compiler):  # type: ignore[misc]
    """Compiles a function as a part of its callers."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class _KernelCompiler(Compiler):  # type: ignore[misc]
    """Compiles a function with all of its parts."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        done = super().compile_extra(func)
        for environment in done._find_referenced_environments():  # those of the parts, too
            done.library.codegen.set_env(environment.env_name, environment)
        return done


_PART = {
    "pipeline_class": _PartCompiler,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "cache": False,
}
