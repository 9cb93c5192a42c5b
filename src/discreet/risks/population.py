"""The population that a sample was drawn from: how many people there are, and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.data.microdata import Microdata
from discreet.errors import argument, fail, raise_all
from discreet.parameters import Parameter, as_written, problems_of


@dataclass(frozen=True)
class Population:
    """The size of a population.

    Attributes
    ----------
    size : float
        Number of people.
    n : int
        Number of records of the sample.
    basis : str
        What says so: "population", "fraction" or "weights".
    """

    size: float
    n: int
    basis: str

    @property
    def fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.n / self.size

    @property
    def words(self) -> str:
        """Its size and what says so, for a sentence."""
        said = {
            "population": "as it was given",
            "fraction": f"the records are {self.fraction:.3g} of them"
            if self.fraction < 1
            else "the records are all of them",
            "weights": "the sum of the weights",
        }
        return f"{round(self.size):,} people ({said[self.basis]})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"size": self.size, "fraction": self.fraction, "basis": self.basis}


def population_of(
    data: Microdata, n: int, given: Mapping[str, Any], known: tuple[Parameter, ...]
) -> Population:
    """The population that is ``given`` by ``population`` or ``fraction``, or else by the weights;
    ``known`` are the parameters that describe them.
    """
    raise_all(problems_of(known, given))
    said = {name: value for name, value in given.items() if value is not None}
    if len(said) > 1:
        fail(
            "P45",
            "the size of the population is given twice.",
            f"Give {argument('population')} or {argument('fraction')}.",
        )
    if not said and data.weight is None:
        fail(
            "P45",
            "the size of the population is not known.",
            f"Give {argument('population')} or {argument('fraction')}, or read the data with "
            f"{argument('weight')}.",
        )
    if not said:
        return Population(data.total_weight(), n, "weights")
    (name, value), *_ = said.items()
    size = float(value if name == "population" else n / as_written(value))
    if size < n:
        what = f"the population is smaller than the sample: {size:,.0f} people, {n:,} records."
        fail("P45", what, "Give the number of people that the records were drawn from.", name)
    return Population(size, n, name)
