"""Partitions of multivariate records into groups of k to 2k - 1 neighbours."""

from discreet.kernels.multivariate.blocks import balanced_blocks
from discreet.kernels.multivariate.mdav import mdav
from discreet.kernels.multivariate.mixed import convex_median, mdav_mixed, median, plurality
from discreet.kernels.multivariate.variable import v_mdav

__all__ = [
    "balanced_blocks",
    "convex_median",
    "mdav",
    "mdav_mixed",
    "median",
    "plurality",
    "v_mdav",
]
