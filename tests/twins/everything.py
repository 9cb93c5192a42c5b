"""All twins: who imports this has the whole table."""

from tests.twins import (
    classes,
    groups,
    lattices,
    losses,
    maps,
    populations,
    records,
    registers,
    releases,
    uniques,
)
from tests.twins.twin import TWINS

__all__ = [
    "TWINS",
    "classes",
    "groups",
    "lattices",
    "losses",
    "maps",
    "populations",
    "records",
    "registers",
    "releases",
    "uniques",
]
