"""What every criterion offers, and the checks of their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet.attributes import names
from discreet.errors import Problem, fail, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.classes import Classes

CLASS_SIZE = "class size"
Sum = tuple[str, str]  # an attribute, and what is added up of its values: entropy, distance, …


class Criterion(Protocol):
    """A condition on every equivalence class."""

    @property
    def monotone(self) -> bool:
        """Whether merging classes that satisfy the criterion always gives one that does."""
        ...

    @property
    def monotone_with_suppression(self) -> bool:
        """Whether merging classes, failing ones too, never leaves more records in failing ones."""
        ...

    def needs(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The confidential attributes whose distinct values per class it must know."""
        ...

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The confidential attributes whose values per class it must count."""
        ...

    def failing(self, classes: Classes) -> Mapping[str, NDArray[np.bool_]]:
        """Which classes fail, by reason: the class size, or a confidential attribute."""
        ...

    def describe(self) -> str:
        """The criterion in words."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        ...


def whole_number(name: str, value: object, least: int) -> list[Problem]:
    """The problem of a parameter that is not a whole number of at least ``least``."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least:
        return []
    return [
        Problem(
            "P07",
            f"{name} must be a whole number of at least {least}.",
            f"Give {name}={least} or more.",
        )
    ]


def is_number(value: object) -> bool:
    """Whether a parameter is a real number, of numpy's kinds too; a truth value is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def as_written(value: Any) -> Fraction:
    """A real number exactly as it is written: 0.29 is 29/100, not the binary number next to it.

    Examples
    --------
    >>> as_written(0.29)
    Fraction(29, 100)
    """
    return Fraction(value) if isinstance(value, Rational) else Fraction(str(value))


def named(confidential: Any) -> tuple[str, ...] | None:
    """The attributes a criterion names, as a tuple; None for all confidential ones."""
    return None if confidential is None else names(confidential)


def only(given: tuple[str, ...] | str | None) -> str:
    """The attributes that a criterion names, for its words; empty where it takes all."""
    return "" if given is None else f"{listed(names(given))} only"


def chosen_attributes(
    given: tuple[str, ...] | str | None, confidential: Sequence[str], word: str
) -> tuple[str, ...]:
    """The attributes a criterion applies to: the named ones, or all confidential attributes."""
    chosen = tuple(confidential) if given is None else names(given)
    if not chosen:
        fail(
            "R06",
            f"{word} needs a confidential attribute and none is named.",
            "Name them with confidential=[…] when reading the data.",
        )
    return chosen
