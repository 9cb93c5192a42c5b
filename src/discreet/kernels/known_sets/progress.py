"""How many known sets are done, told to a hook between unions and between the parts of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from discreet.kernels.known_sets.arrays import Advance, Each
from discreet.kernels.known_sets.unions import Union


class SetProgress:
    """Counts the sets of a plan; the empty set, which is in no union, is done from the start."""

    def __init__(self, advance: Advance | None, sets: int, plan: Sequence[Union]) -> None:
        self._advance, self._sets = advance, sets
        self._done = sets - sum(len(union.members) for union in plan)

    def add(self, union: Union) -> None:
        """Count the sets of a union as done."""
        self._done += len(union.members)
        self._tell(self._done)

    def within(self, union: Union, each: Each) -> Each:
        """A map that tells how much of a union is done."""

        def mapped(step: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
            for i, found in enumerate(each(step, items)):
                self._tell(self._done + len(union.members) * i // len(items))
                yield found

        return mapped

    def _tell(self, done: int) -> None:
        if self._advance is not None:
            self._advance(done, self._sets)
