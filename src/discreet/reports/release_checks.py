"""Release checks: mistakes that no criterion notices, looked for in the masked file.

Weights say how many people of the population a record stands for. Where records went and the
weights stayed as they were, all estimates of totals are too small. Codes, such as 1 and 2 for the
sexes, have no mean: where they were averaged, the file holds codes that no one had.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.reports.distributions import tally_of

if TYPE_CHECKING:
    import discreet as ds

TOLERANCE = 0.05  # share by which a sum of weights may differ before it is said
_ERRORS = 3.0  # standard errors of a sum that chance may explain


@dataclass(frozen=True)
class WeightSum:
    """The sum of the weights of a column, before and after masking.

    Attributes
    ----------
    column : str
    before, after : float
    chance : float
        Share by which a sample may differ by chance.
    """

    column: str
    before: float
    after: float
    chance: float

    @property
    def fits(self) -> bool:
        """Whether the records that leave stand for as many people as before."""
        return abs(self.after - self.before) <= max(TOLERANCE, self.chance) * abs(self.before)

    def explain(self) -> str:
        """What a steward must know of it, in a sentence."""
        if not self.before:
            return f"the weights of {self.column} added up to nothing."
        said = f"the weights of {self.column} add up to {self.after / self.before:.1%} of"
        if self.fits:
            return f"{said} what they did."
        return (
            f"{said} what they did: totals that are estimated from the masked file are wrong by as "
            "much. Give the column the role of the sampling weight, so that a sample adjusts it."
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"column": self.column, "fits": self.fits, "words": self.explain()}


def weight_sums(masked: ds.Masked) -> list[WeightSum]:
    """The sums of all weights that leave: of the column with that role, and of those whose name
    says so.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [30] * 200, "wgt": [10.0] * 200}, keys=["age"])
    >>> [one.fits for one in weight_sums(ds.sample(survey, fraction=0.5, seed=1))]
    [False]
    """
    initial = masked.initial
    names = [n for n in initial.weight_columns if n in masked.released]
    return [_sum(initial, masked, name) for name in names]


def _sum(initial: ds.Microdata, masked: ds.Masked, name: str) -> WeightSum:
    values, counts = _numbers(initial, name)
    after, records = _numbers(masked, name)
    n, m = max(int(counts.sum()), 1), max(int(records.sum()), 1)
    mean = float(values @ counts) / n
    spread = float(np.sqrt(max(float(values**2 @ counts) / n - mean**2, 0.0)))
    error = spread / abs(mean) / np.sqrt(m) * np.sqrt(1 - min(m / n, 1.0)) if mean else 0.0
    return WeightSum(name, mean * n, float(after @ records), _ERRORS * float(error))


def averaged_codes(masked: ds.Masked) -> list[str]:
    """Columns of codes that were called continuous, and that hold numbers now that no record had.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"sex": [1, 2] * 50, "age": list(range(100))}
    >>> survey = ds.read(table, keys=["sex", "age"], types={"sex": "continuous"})
    >>> averaged_codes(ds.microaggregate(survey, ["sex", "age"], k=3))
    ['sex']
    """
    initial = masked.initial
    asked = [
        n for n in initial.types.called_continuous() if n in masked.changed & {*masked.released}
    ]
    return [name for name in asked if _is_new(initial, masked, name)]


def _is_new(initial: ds.Microdata, masked: ds.Masked, name: str) -> bool:
    if masked.source.kinds[name] not in ("integer", "number"):
        return False  # recoded to labels
    return bool(np.setdiff1d(_numbers(masked, name)[0], _numbers(initial, name)[0]).size)


def _numbers(data: ds.Microdata, name: str) -> tuple[Any, Any]:
    """The numbers of a column and how many records have each; missing ones left out."""
    found = tally_of(data, name)
    return found.numbers(), found.counts
