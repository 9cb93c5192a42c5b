"""The slow, obvious twin of the separation kernel: each set of attributes counted by itself."""

import itertools
from collections import Counter


def separation_twin(columns, counts, up_to):
    """For each set by size, then by attribute: classes, uniques and pairs in the same class."""
    found = []
    for size in range(1, min(up_to, len(columns)) + 1):
        for chosen in itertools.combinations(columns, size):
            classes = Counter()
            for row, count in zip(zip(*chosen, strict=True), counts, strict=True):
                classes[row] += count
            sizes = list(classes.values())
            pairs = sum(f * (f - 1) // 2 for f in sizes)
            found.append((len(sizes), sum(f == 1 for f in sizes), pairs))
    return found
