"""Slow, obvious twins: every node is recounted from the tuples with np.unique."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.lattice_adult import Coded


def classes_of(data: Coded, node: tuple[int, ...], masks: list[NDArray[np.uint64]]) -> Any:
    """Return size, loss share and number of distinct confidential values (1 if none) by class."""
    level = [to[l][code] for to, l, code in zip(data.maps, node, data.codes, strict=True)]
    tuples, at = np.unique(np.stack(level, 1), axis=0, return_inverse=True)
    size = np.zeros(len(tuples), np.int64)
    np.add.at(size, at.ravel(), data.counts)
    share = sum(
        by[l][tuples[:, a]] for a, (by, l) in enumerate(zip(data.shares, node, strict=True))
    )
    distinct = np.ones(len(tuples), np.int64)
    if masks:
        unions = np.zeros((len(masks), len(tuples)), np.uint64)
        for union, mask in zip(unions, masks, strict=True):
            np.bitwise_or.at(union, at.ravel(), mask)
        distinct = np.array([[int(u).bit_count() for u in union] for union in unions]).min(0)
    return size, share, distinct


def nodes(data: Coded) -> list[tuple[int, ...]]:
    """Return every node, the first attribute's level most significant."""
    return list(product(*(range(len(to)) for to in data.maps)))


def outcome(
    data: Coded, node: tuple[int, ...], masks: list[NDArray[np.uint64]], k: int, p: int
) -> tuple[int, int, int, float]:
    """Return kept classes, suppressed records, discernibility and Iyengar loss of a node."""
    size, share, distinct = classes_of(data, node, masks)
    keep = (size >= k) & (distinct >= p)
    records, keys = int(data.counts.sum()), len(node)
    suppressed = int(size[~keep].sum())
    loss = ((size * share)[keep].sum() + suppressed * keys) / (records * keys)
    discernibility = int((size[keep] ** 2).sum()) + records * suppressed
    return int(keep.sum()), suppressed, discernibility, float(loss)


@st.composite
def lattices(draw: st.DrawFn, keys: int = 4, leaves: int = 6, records: int = 40) -> Coded:
    """Draw tuples with nested hierarchies; many ties, many two-valued attributes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    d = draw(st.integers(1, keys))
    sizes = [draw(st.integers(1, leaves)) for _ in range(d)]
    maps = [_hierarchy(rng, size, draw(st.integers(1, 4))) for size in sizes]
    shares = [[(np.bincount(to) - 1) / max(len(m[0]) - 1, 1) for to in m] for m in maps]
    rows = rng.integers(0, sizes, (draw(st.integers(1, records)), d))
    tuples, counts = np.unique(rows, axis=0, return_counts=True)
    counts = counts * rng.integers(1, 4, len(counts))
    return Coded(tuple(tuples.T.astype(np.int32)), counts, maps, shares)


def _hierarchy(rng: np.random.Generator, leaves: int, levels: int) -> list[NDArray[np.int32]]:
    maps = [np.arange(leaves, dtype=np.int32)]
    for _ in range(levels - 1):
        groups = rng.integers(1, maps[-1].max() + 2)
        merged = rng.integers(0, groups, maps[-1].max() + 1)
        maps.append(np.unique(merged[maps[-1]], return_inverse=True)[1].astype(np.int32))
    return maps
