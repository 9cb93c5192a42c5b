"""Cuts through the trees: a depth for each key shows every item at the nodes of that depth, or
lower where its own node is higher."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels import draws
from discreet.kernels.arrays import Floats
from discreet.kernels.local_recoding.instance import Instance, Nodes, lifted_nodes


class Cuts(NamedTuple):
    """The cheapest cuts, and each node at each depth."""

    depth: Nodes  # cuts × keys
    least: Floats  # per cut what its cheapest cell may cost at least
    lifted: Nodes  # depths × nodes: the node itself or the one above it, no deeper than that
    mixed: NDArray[np.uint64]  # the same as 64 bits that look random


def cheapest_cuts(at: Instance, most: int) -> Cuts:
    """The cuts of least mean cost, cheapest first.

    Key by key: what is not among the cheapest for some keys is not among them for all.
    """
    lifted = lifted_nodes(at.tree)
    kept, mean, least = np.zeros((1, 0), np.int32), np.zeros(1), np.zeros(1)
    for column in at.codes.T:
        depths = np.arange(at.depth[column].max(initial=0), -1, -1, dtype=np.int32)
        cost = at.cost[lifted[depths][:, column]]
        total = (mean[:, None] + cost @ at.counts / at.counts.sum()).ravel()
        lowest = (least[:, None] + cost.min(axis=1)).ravel()
        best = np.argsort(total, kind="stable")[:most]
        kept = np.column_stack([np.repeat(kept, len(depths), 0), np.tile(depths, len(kept))])
        kept, mean, least = kept[best], total[best], lowest[best]
    return Cuts(np.ascontiguousarray(kept), least, lifted, mixed(lifted))


def mixed(nodes: Nodes) -> NDArray[np.uint64]:
    """Numbers as 64 bits that look random (splitmix64)."""
    return draws.mixed(nodes.astype(np.uint64) * np.uint64(draws.STEP), 0)
