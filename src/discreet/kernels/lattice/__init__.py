"""Kernels on the generalization lattice: the sweep of all nodes, and the search without it."""
