"""Sets of attributes, by number: how many there are up to a size, and which."""

from __future__ import annotations

import itertools
import math


def number_of_sets(attributes: int, up_to: int) -> int:
    """How many sets of 1 to ``up_to`` attributes there are.

    Examples
    --------
    >>> number_of_sets(27, 4)
    20853
    """
    return sum(math.comb(attributes, size) for size in range(1, min(up_to, attributes) + 1))


def attribute_sets(attributes: int, up_to: int) -> list[tuple[int, ...]]:
    """All sets of 1 to ``up_to`` attributes: by size, then in the order of the attributes."""
    sizes = range(1, min(up_to, attributes) + 1)
    return [chosen for size in sizes for chosen in itertools.combinations(range(attributes), size)]
