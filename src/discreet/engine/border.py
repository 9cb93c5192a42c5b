"""The border between records that are held in this process and those that an engine holds.

A verb of the engine is said in Ibis. Where records are held here, its twin answers, with numpy on
codes and to the same bits; here, and nowhere else, is that decided. A verb without a twin, or whose
twin gives ``NotImplemented`` for what only the engine knows, hands the records to the embedded one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from discreet.engine.failures import attempted
from discreet.engine.source import Source

P = ParamSpec("P")
R = TypeVar("R")


def with_twin(twin: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have another function answer where the records are held here: all of them, of a pair."""

    def chosen(verb: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(verb)
        def called(*given: P.args, **named: P.kwargs) -> R:
            if all(source.held is not None for source in _sources(given[0])):
                origin = _sources(given[0])[0].origin
                found = attempted(lambda: twin(*given, **named), origin)
                if found is not NotImplemented:
                    return found
            return verb(*given, **named)

        return called

    return chosen


def _sources(given: Any) -> tuple[Source, ...]:
    """The source that a verb is given, or both of a pair."""
    return (given,) if isinstance(given, Source) else (given.initial, given.masked)
