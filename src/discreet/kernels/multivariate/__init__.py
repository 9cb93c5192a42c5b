"""Partitions of multivariate records into groups of k to 2k - 1 neighbours."""
