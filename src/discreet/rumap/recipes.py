"""Recipes: what to do to a file, said without a cell value, to be run on any microdata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from discreet.criteria import KAnonymity, PSensitiveKAnonymity
from discreet.hierarchy import Hierarchy
from discreet.loss.generalization import LossName
from discreet.masking.aggregation import Method
from discreet.masking.generalize import generalize
from discreet.masking.masked import Masked, masked_from
from discreet.masking.microaggregate import microaggregate
from discreet.masking.sample import sample
from discreet.microdata import Microdata

MAX_SUPPRESSED = 0.02


@runtime_checkable
class Recipe(Protocol):
    """What every recipe can do."""

    @property
    def method(self) -> str:
        """The method, in a word."""

    @property
    def label(self) -> str:
        """The method and what sets this recipe apart."""

    def run(self, data: Microdata) -> Masked:
        """Mask."""

    def to_dict(self) -> dict[str, Any]:
        """Its parameters as plain values, without a value of the data."""


@dataclass(frozen=True)
class Microaggregation:
    """Microaggregate some columns, the keys when none are named."""

    k: int
    method: Method = "mdav"
    columns: tuple[str, ...] | None = None

    @property
    def label(self) -> str:
        """Method and k."""
        return f"{self.method} k={self.k}"

    def run(self, data: Microdata) -> Masked:
        """Mask."""
        return microaggregate(data, self.columns, self.k, method=self.method)

    def to_dict(self) -> dict[str, Any]:
        """Its parameters."""
        columns = None if self.columns is None else list(self.columns)
        return {"method": self.method, "k": self.k, "columns": columns}


@dataclass(frozen=True)
class Generalization:
    """Generalize the keys to the node of least loss that is k-anonymous (and p-sensitive)."""

    k: int
    hierarchies: Mapping[str, Hierarchy] = field(repr=False)  # a hierarchy may list values
    p: int | None = None
    max_suppressed: float = MAX_SUPPRESSED
    loss: LossName = "iyengar"
    method: str = "generalization"

    @property
    def label(self) -> str:
        """Method, k and p; how many records may go, where it is not the usual share."""
        p = "" if self.p is None else f" p={self.p}"
        usual = self.max_suppressed == MAX_SUPPRESSED
        return f"{self.method} k={self.k}{p}{'' if usual else _amount(self.max_suppressed)}"

    def run(self, data: Microdata) -> Masked:
        """Mask."""
        criterion = KAnonymity(self.k) if self.p is None else PSensitiveKAnonymity(self.p, self.k)
        found = generalize(
            data, self.hierarchies, criterion, max_suppressed=self.max_suppressed, loss=self.loss
        )
        return found.best.mask()

    def to_dict(self) -> dict[str, Any]:
        """Its parameters; of the hierarchies the names."""
        return {
            "method": self.method,
            "k": self.k,
            "p": self.p,
            "max_suppressed": self.max_suppressed,
            "loss": self.loss,
            "hierarchies": sorted(self.hierarchies),
        }


@dataclass(frozen=True)
class Sampling:
    """Release a simple random sample."""

    fraction: float
    seed: int
    method: str = "sampling"

    @property
    def label(self) -> str:
        """Method and share."""
        return f"{self.method} {self.fraction:.12g}"

    def run(self, data: Microdata) -> Masked:
        """Mask."""
        return sample(data, fraction=self.fraction, seed=self.seed)

    def to_dict(self) -> dict[str, Any]:
        """Its parameters."""
        return {"method": self.method, "fraction": self.fraction, "seed": self.seed}


@dataclass(frozen=True)
class AsItIs:
    """Release the file unmasked: where every map begins."""

    method: str = "unmasked"
    label: str = "unmasked"

    def run(self, data: Microdata) -> Masked:
        """The same records, linked to themselves."""
        return masked_from(data, data.source, method="none", parameters={}, promise=None)

    def to_dict(self) -> dict[str, Any]:
        """Nothing but its name."""
        return {"method": self.method}


def _amount(given: float) -> str:
    """Records that may be suppressed: a share, or a number of them."""
    return f" (≤{100 * given:.12g}% out)" if isinstance(given, float) else f" (≤{given:,} out)"
