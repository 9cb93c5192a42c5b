"""The slow, obvious twin of the search for minimal sample uniques: all sets, all records."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

NOTHING = object()


def minimal_uniques_twin(
    rows: Sequence[Sequence[object]], most: int | None = None, blank: object = NOTHING
) -> list[list[tuple[int, ...]]]:
    """Per record the sets of up to ``most`` attributes on which it is alone and on no subset; a set
    on which it has a ``blank`` is left out.
    """
    width = len(rows[0])
    found: list[list[tuple[int, ...]]] = [[] for _ in rows]
    for size in range(1, min(most or width, width) + 1):
        for chosen in itertools.combinations(range(width), size):
            cells = [tuple(row[a] for a in chosen) for row in rows]
            number = Counter(cells)
            for cell, mine in zip(cells, found, strict=True):
                if number[cell] > 1 or blank in cell:
                    continue
                if not any(set(less) < set(chosen) for less in mine):
                    mine.append(chosen)
    return found
