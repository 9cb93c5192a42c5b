"""Output files: written beside their place and renamed, so that they appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from discreet.errors import Problem, fail, raise_all


def need_free(target: Path, *, overwrite: bool, suffixes: tuple[str, ...]) -> None:
    """Refuse a place that cannot be written to, with all that is in the way."""
    problems = []
    if target.suffix not in suffixes:
        allowed = " or ".join(suffixes)
        problems.append(Problem("O01", f"{target.name} does not end in {allowed}.", "Name it so."))
    if not target.parent.is_dir():
        problems.append(
            Problem("O02", f"the folder of {target.name} does not exist.", "Make it first.")
        )
    elif target.is_dir() or (target.exists() and not overwrite):
        remedy = "Choose another name, or overwrite it (overwrite=True, --force)."
        problems.append(Problem("O03", f"{target.name} exists.", remedy))
    raise_all(problems)


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """A new file next to the target that takes its place when all went well."""
    handle, name = _made_beside(target)
    os.close(handle)
    try:
        yield Path(name)
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)


def _made_beside(target: Path) -> tuple[int, str]:
    try:
        return tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError:
        pass  # the message names a path of the machine
    fail("O05", f"{target.name} cannot be written there.", "Check the folder's permissions.")


def write_text(target: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file."""
    need_free(target, overwrite=overwrite, suffixes=(target.suffix,))
    with beside(target) as place:
        place.write_text(text, encoding="utf-8")
