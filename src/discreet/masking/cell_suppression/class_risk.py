"""A limit of risk as a criterion on classes: where the class of a record decides of its risk, cells
are chosen as for any other criterion."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.criteria.criterion import Criterion
from discreet.masking.cell_suppression.request import KeySet, SuppressionRequest
from discreet.masking.cell_suppression.run import CellAnswer, answer_if_any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata
    from discreet.frequency.classes import Classes
    from discreet.kernels.arrays import Floats, Ints
    from discreet.risks.record_level import ProtectableRisk

ClassRisk = Callable[["Ints", "Floats"], "Floats"]  # from the records and weights of classes


@dataclass(frozen=True, eq=False)
class RiskAtMost(Criterion):
    """No class has a risk above a limit.

    Attributes
    ----------
    risk : function
        From the records of classes and the sums of their weights; it falls with both.
    at_most : float
    weight : str
        The column of weights.
    worth : float64 array
        Its values, by their codes.
    most : int
        The records of the file.
    """

    risk: ClassRisk
    at_most: float
    weight: str
    worth: Floats
    most: int

    def __post_init__(self) -> None:
        """Nothing to check: no user gives it."""

    @property
    def least_size(self) -> int:
        """How many records pass where each has the largest weight; with fewer, none do."""
        return self._least(float(self.worth.max()))

    @property
    def counts_decide(self) -> bool:
        """Whether as many pass with the smallest weight."""
        return self.least_size == self._least(float(self.worth.min()))

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """The weights."""
        return (self.weight,)

    def failing(self, classes: Classes) -> Mapping[str, NDArray[np.bool_]]:
        """The classes above the limit."""
        held = classes.values[self.weight]
        total = held.per_class(held.count * self.worth[held.value])
        return {"risk": self.risk(held.size, np.asarray(total, np.float64)) > self.at_most}

    def describe(self) -> str:
        """In words."""
        return f"a risk of at most {self.at_most:g}"

    def _least(self, weight: float) -> int:
        """The least number of records of a weight that pass; more than there are if none does."""

        def passes(size: int) -> bool:
            return bool(self.risk(np.array([size]), np.array([size * weight]))[0] <= self.at_most)

        return 1 + bisect.bisect_left(range(1, self.most + 1), True, key=passes)


def blanked_by_class(
    data: Microdata,
    risk: ProtectableRisk,
    at_most: float,
    columns: Sequence[str],
    cost: Mapping[str, float],
) -> CellAnswer | None:
    """Blank cells of the records above a limit, and of no other, until none is above it; None where
    there is no such answer, or where more than its class decides of a record."""
    of_class = risk.of_class
    if of_class is None or data.missing == "wildcard":
        return None
    weight, keys = data.need_weight(), data.need_keys()
    worth = np.array(data.whole(weight).values[0].cast("float64"), dtype=np.float64)
    criterion = RiskAtMost(of_class, at_most, weight, worth, data.n)
    asked = SuppressionRequest(
        criterion=criterion,
        keys=keys,
        sets=(KeySet(keys, criterion.least_size),),
        cost={key: float(cost.get(key, 1.0)) for key in keys},
        counted=(weight,),
        stay=tuple(key for key in keys if key not in columns),
        only_failing=True,
    )
    return answer_if_any(data, asked)
