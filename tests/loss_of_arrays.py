"""Losses of two arrays of values or codes, without a file around them."""

from discreet.kernels.coded_tuples import attribute_sets
from discreet.kernels.moments import Summary
from discreet.loss.categorical import (
    added_up,
    attribute_dist,
    attribute_ebil,
    table_variation,
)
from discreet.loss.continuous import loss_of


def continuous_loss(x, y):
    """Original values x against masked values y, one column per attribute, rows linked."""
    return loss_of(Summary.of(x, y))


def categorical_loss(x, y, cardinalities, ordinal, dimension=2):
    """Original codes x against masked codes y, one array per attribute, records linked."""
    dist = [attribute_dist(a, b, o) for a, b, o in zip(x, y, ordinal, strict=True)]
    ebil = [attribute_ebil(a, b, c) for a, b, c in zip(x, y, cardinalities, strict=True)]
    tables = [
        table_variation(x, y, cardinalities, chosen) for chosen in attribute_sets(len(x), dimension)
    ]
    return added_up(dist, ebil, tables)
