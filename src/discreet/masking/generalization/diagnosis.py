"""The diagnosis of a search that found nothing: which condition cannot hold, and how near the
nearest node came.

What fails for all records together as one class fails, for a monotone criterion, at every node of
every lattice as long as nothing is suppressed: if each class satisfied it, their union would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import listed
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.masking.generalization.search import Search

_EACH = 400  # nodes that are counted one by one to find the nearest
_SHOWN = 8  # keys whose levels are told


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Why no node is feasible.

    Attributes
    ----------
    search : Search
        That found none.
    """

    search: Search

    @property
    def beyond(self) -> tuple[Any, ...]:
        """The monotone criteria that all records fail as one class."""
        found = self.search.counter.as_one_class()
        return tuple(part for part, records in found if records and part.monotone)

    @property
    def without_top(self) -> tuple[str, ...]:
        """The keys that have several values on their highest level, so that classes stay apart."""
        return tuple(r.attribute for r in self.search.task.recodings if len(r.labels[-1]) > 1)

    @property
    def nearest(self) -> int:
        """The node of which the fewest records would have to go beyond those that may."""
        search, lattice = self.search, self.search.task.lattice
        if search.swept:
            gone = search.every.suppressed
            return int(np.lexsort([np.arange(len(gone)), search.losses, gone])[0])
        if lattice.nodes <= _EACH:
            return min(range(lattice.nodes), key=self._distance)
        at = lattice.nodes - 1
        while True:  # downhill from the top
            near = min([at, *lattice.predecessors(at)], key=self._distance)
            if near == at:
                return at
            at = near

    def _distance(self, node: int) -> tuple[float, float, int]:
        found = self.search.figures(node)
        return found.excess, found.objective, node

    def sentences(self) -> list[str]:
        """What is known, in sentences that hold names and counts only."""
        told = [
            f"All records as one class fail {part.describe()}: no node can meet it unless "
            "records are suppressed."
            for part in self.beyond
        ]
        if self.without_top:
            told.append(
                f"Several values are left on the highest level of {listed(self.without_top)}."
            )
        return [*told, self._nearest_words()]

    def _nearest_words(self) -> str:
        search, node = self.search, self.nearest
        levels = search.task.lattice.named(node)
        names = ", ".join(f"{key} {level}" for key, level in list(levels.items())[:_SHOWN])
        more = ", …" if len(levels) > _SHOWN else ""
        found = search.figures(node)
        by = [
            f"{counted(records, 'record')} for {part.describe()}"
            for part, records in search.counter.by_part(search.task.lattice.levels_of(node))
            if records
        ]
        parts = f": {', '.join(by)}" if len(search.task.parts) > 1 and by else ""
        if found.suppressed <= search.task.budget:
            return f"The nearest node ({names}{more}) still does not satisfy it."
        gone = counted(found.suppressed, "record")
        return f"The nearest node ({names}{more}) would suppress {gone}{parts}."
