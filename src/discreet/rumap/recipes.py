"""Recipes: what to do to a file, said without a cell value, to be run on any microdata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from discreet.data.masked import Masked, masked_from
from discreet.data.microdata import Microdata
from discreet.masking.method import Method
from discreet.parameters import Parameter


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
class MaskingRecipe:
    """A masking method with its arguments.

    Attributes
    ----------
    masking : Method
    given : mapping
        The arguments by name.
    """

    masking: Method
    given: Mapping[str, Any] = field(repr=False)  # a hierarchy may list values

    @property
    def method(self) -> str:
        """The method, or the variant of it, in a word."""
        return self.masking.word(self.given)

    @property
    def label(self) -> str:
        """The method and what a map varies of it."""
        parts = [
            _shown(parameter, self.given[name])
            for name, parameter in self.masking.parameters.items()
            if name in self.given and (parameter.vary or parameter.shared == "criterion")
        ]
        return " ".join([self.method, *filter(None, parts)])

    def run(self, data: Microdata) -> Masked:
        """Mask."""
        masked: Masked = self.masking.run(data, self.given).masked
        return masked

    def to_dict(self) -> dict[str, Any]:
        """Its parameters; of what may list values only the names."""
        found: dict[str, Any] = {"method": self.method}
        for name, parameter in self.masking.parameters.items():
            value = self.given.get(name)
            if parameter.shared == "criterion" and value is not None:
                found[name] = value.describe()
                found |= {n: v for n, v in vars(value).items() if isinstance(v, int | float)}
            elif not parameter.is_variant and value is not None:
                found[name] = _plain(parameter, value)
        return found


def _plain(parameter: Parameter, value: Any) -> Any:
    if parameter.shared == "hierarchies" or parameter.holds_values:
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


def _shown(parameter: Parameter, value: Any) -> str:
    """A value as it stands on a map; what a map does not vary is shown where it is not usual."""
    if parameter.shared == "criterion":
        return str(value.short())
    if len(parameter.vary) == 1 and value == parameter.default:
        return ""
    return parameter.on_map.format(parameter.text(value).replace(" ", ""))


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
