"""Lifetimes: tables that the engine holds for us have names of ours, and go when nothing refers
to them any more.
"""

from __future__ import annotations

import itertools
import os
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from discreet.engine.turns import between_turns

if TYPE_CHECKING:
    import ibis.expr.types as ir

_counter = itertools.count()


def fresh_name() -> str:
    """A name for a table that no other table has."""
    return f"discreet_{os.getpid()}_{next(_counter)}"


def when_unused(table: ir.Table, release: Callable[[], object]) -> None:
    """Release what the engine holds once no expression refers to it any more."""
    weakref.finalize(table.op(), _released, release).atexit = False


def _released(release: Callable[[], object]) -> None:
    if not sys.is_finalizing():
        between_turns(release)
