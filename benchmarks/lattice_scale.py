"""The generalization lattice of 1.2 million records × 9 keys, 5,184 nodes, nearly all combinations
distinct, so that no set of classes is small: minutes."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from lattice import scaled


def run() -> Iterator[Figure]:
    yield from scaled("nearly all distinct", "sparse", k=5)
