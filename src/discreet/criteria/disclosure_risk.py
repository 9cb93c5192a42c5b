"""A limit on the global disclosure risk: the masked file is safe when DR_W is at most a threshold.

The safe/unsafe threshold of Truta, Fotouhi & Barth-Jones (2005), section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_doc import Doc
from annotated_types import Interval

from discreet.criteria.criterion import Criterion
from discreet.criteria.kind import criterion
from discreet.errors import Problem, fail
from discreet.parameters import AtMost, Label, Public, Vary
from discreet.risks.weights import WEIGHTS, Weights
from discreet.surface import function

if TYPE_CHECKING:
    from discreet.frequency.classes import Classes
    from discreet.kernels.arrays import Bools


@criterion(
    title="limit of the disclosure risk",
    about="The disclosure risk of the masked file against its initial file is at most a limit.",
    key="disclosure_risk",
    option="at_most",
)
@dataclass(frozen=True)
class DisclosureRiskAtMost(Criterion):
    """DR_W of the masked file against its initial file is at most ``limit``.

    Parameters
    ----------
    limit : float
        Between 0 and 1.
    weights : Weights, optional
        DR_max when not given.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [10, 30, 20, 20, 10], "sex": list("MMMFF")}, keys=["age", "sex"])
    >>> masked = ds.sample(survey, n=2, seed=1)
    >>> ds.check(masked, ds.DisclosureRiskAtMost(0.5)).satisfied
    True
    >>> ds.DisclosureRiskAtMost(0.5, ds.Weights.minimal()).describe()
    'disclosure risk of at most 0.5 (weights: minimal)'

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2005), *Global disclosure risk measures and k-anonymity property
      for microdata*: equation (6).
    """

    compares_files: ClassVar[bool] = True

    limit: Annotated[
        float,
        Interval(ge=0, le=1),
        Label("disclosure risk, at most"),
        Doc("Largest disclosure risk, between 0 and 1."),
        Public,
        Vary(0.05),
        AtMost,
    ]
    weights: Annotated[
        Weights, WEIGHTS, Label("Weights"), Doc("How much a record counts; DR_max by default.")
    ] = field(default_factory=Weights.maximal)

    def problems(self) -> list[Problem]:
        """What is wrong with its parameters."""
        problems = super().problems()
        if not isinstance(self.weights, Weights):
            what = f"the weights are not {function('Weights')}."
            problems.append(
                Problem("P11", what, f"Give {function('Weights.from_matrix', 'rows')}.")
            )
        return problems

    monotone = True  # larger classes lower every term of the sum

    @property
    def monotone_with_suppression(self) -> bool:
        """Whether the weights depend on the masked class size alone."""
        return self.weights.by_masked_size

    def failing(self, classes: Classes) -> Mapping[str, Bools]:  # noqa: ARG002
        """It is no condition on a class by itself."""
        fail("P09", f"{self.describe()} compares two files.", "Check the masked file as a whole.")

    def describe(self) -> str:
        """The criterion in words."""
        return f"disclosure risk of at most {self.limit:g} (weights: {self.weights.name})"

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        return {**super().to_dict(), "weights": self.weights.name}
