"""All twins: who imports this has the whole table."""

from tests.twins import (
    blanks,
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
    "blanks",
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
