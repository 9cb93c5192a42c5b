"""Lifetimes: tables that the engine holds for us have names of ours, and go when nothing refers
to them any more.
"""

from __future__ import annotations

import itertools
import os
import secrets
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from discreet.engine.turns import between_turns

if TYPE_CHECKING:
    import ibis.expr.types as ir

_counter = itertools.count()
_token = secrets.token_hex(4)  # two machines may have a process of one number


def fresh_name() -> str:
    """A name for a table that no other table has."""
    return f"discreet_{os.getpid()}_{_token}_{next(_counter)}"


def when_unused(
    table: ir.Table, release: Callable[[], object], *, outlives_us: bool = False
) -> None:
    """Release what the engine holds once no expression refers to it any more; when this process
    ends only what would outlive it.
    """
    weakref.finalize(table.op(), _released, release).atexit = outlives_us


def _released(release: Callable[[], object]) -> None:
    if not sys.is_finalizing():
        between_turns(release)
