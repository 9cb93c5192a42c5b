"""Households: how rare is who lives together.

The key of a household is the multiset of its members' keys: what an intruder knows who knows all
that live there. Few households have the same composition, where each member alone has many
doubles: a couple of 80 and 25 is rare, and neither of them is. 1 − Π(1 − 1/f) over the members,
the chance that one of them is recognised alone, knows nothing of that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.frequency.classes import Classes
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata

_TIE = 1e-12  # relative: two risks that differ by less are the same


@dataclass(frozen=True)
class Households:
    """What the compositions of households say, beside their members one by one.

    Attributes
    ----------
    number : int
        Number of households.
    alone : int
        Households of one record.
    mean_risk : float
        Mean over the records of 1/c, where c households have the composition.
    members_risk : float
        Mean over the records of 1 − Π(1 − 1/f) over the members of their household, where f
        records have the keys of a member.
    rarer_together : int
        Records of households whose composition is the riskier of the two.
    """

    number: int
    alone: int
    mean_risk: float
    members_risk: float
    rarer_together: int

    def explain(self, records: int) -> list[str]:
        """The two side by side, in sentences."""
        return [
            f"On average a household is recognised with probability {self.mean_risk:.1%} by its "
            f"composition, and one of its members alone with {self.members_risk:.1%}.",
            f"For {counted(self.rarer_together, 'record')} ({share(self.rarer_together, records)}) "
            "the composition gives away more than the members one by one.",
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return dict(vars(self))


def compositions(data: Microdata) -> tuple[Classes, Households]:
    """The classes of households alike: their size counts households, their records people."""
    household = data.need_household()
    data.need_partition("the composition of a household")
    keys = data.frequency_set(data.need_keys())
    table = data.compositions(household, keys)
    size = np.asarray(table["households"], dtype=np.int64)
    each = np.asarray(table["records"], dtype=np.int64)
    together = 1 / size
    members = members_risk(table, 1 / keys.counts)
    records = size * each
    figures = Households(
        number=int(size.sum()),
        alone=int(size[each == 1].sum()),
        mean_risk=math.fsum(records * together) / keys.n,
        members_risk=math.fsum(records * members) / keys.n,
        rarer_together=int(records[together > members * (1 + _TIE)].sum()),
    )
    return Classes(size, np.ones_like(size), records), figures


def members_risk(table: Any, risks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Per composition 1 − Π(1 − r) over the members, by the sum of logarithms; r is the risk of
    each combination of the keys.
    """
    import pyarrow.compute as pc

    held = table["combination"].combine_chunks()
    owner = np.asarray(pc.list_parent_indices(held))
    combination = np.asarray(pc.list_flatten(held))
    number = np.asarray(pc.list_flatten(table["members"].combine_chunks()))
    with np.errstate(divide="ignore"):  # who is found for certain: the logarithm of 0
        terms = number * np.log1p(-risks[combination])
    return -np.expm1(np.bincount(owner, terms, minlength=len(table)))
