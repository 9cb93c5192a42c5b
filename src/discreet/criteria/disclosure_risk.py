"""A limit on the global disclosure risk: the masked file is safe when DR_W is at most a threshold.

The safe/unsafe threshold of Truta, Fotouhi & Barth-Jones (2005), section 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from discreet.criteria.criterion import is_number
from discreet.errors import fail
from discreet.risks.weights import Weights


@dataclass(frozen=True)
class DisclosureRiskAtMost:
    """DR_W of the masked file against its initial file is at most ``limit``.

    Parameters
    ----------
    limit : float
        Between 0 and 1.
    weights : Weights, optional
        DR_max when not given.
    """

    limit: float
    weights: Weights = field(default_factory=Weights.maximal)

    def __post_init__(self) -> None:
        if not is_number(self.limit):
            fail(
                "P10", "the limit of the disclosure risk is not a number.", "Give for example 0.05."
            )
        if not 0 <= self.limit <= 1:
            fail("P10", "the limit of the disclosure risk lies between 0 and 1.", "Give 0.05, say.")
        if not isinstance(self.weights, Weights):
            fail("P11", "the weights are not ds.Weights.", "Give ds.Weights.from_matrix(rows).")
        object.__setattr__(self, "limit", float(self.limit))

    @property
    def monotone(self) -> bool:
        """True: larger classes lower every term of the sum."""
        return True

    @property
    def monotone_with_suppression(self) -> bool:
        """Whether the weights depend on the masked class size alone."""
        return self.weights.by_masked_size

    def describe(self) -> str:
        """The criterion in words."""
        return f"disclosure risk of at most {self.limit:g} (weights: {self.weights.name})"

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        return {
            "criterion": type(self).__name__,
            "limit": self.limit,
            "weights": self.weights.name,
        }
