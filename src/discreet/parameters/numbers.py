"""Numbers as arguments: what counts as one, and what is said of another."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from discreet.errors import Problem, argument, fail


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, of numpy's kinds too; a truth value is none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a real number, of numpy's kinds too; a truth value is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Whether a value is a real number that is neither infinite nor undefined."""
    return is_number(value) and math.isfinite(value)


def as_written(value: Any) -> Fraction:
    """A real number exactly as it is written: 0.29 is 29/100, not the binary number next to it.

    Examples
    --------
    >>> as_written(0.29)
    Fraction(29, 100)
    """
    return Fraction(value) if isinstance(value, Rational) else Fraction(str(value))


def nearest(fraction: float, n: int) -> int:
    """The number of records nearest to a share of n, halves up."""
    return math.floor(as_written(fraction) * n + Fraction(1, 2))


def whole_number(name: str, value: object, least: int) -> list[Problem]:
    """The problem of an argument that is not a whole number of at least ``least``."""
    if is_whole(value) and value >= least:  # type: ignore[operator]
        return []
    what = f"{argument(name)} must be a whole number of at least {least}."
    return [Problem("P07", what, f"Give {argument(name, least)} or more.", name)]


def seed_problems(seed: object, name: str = "seed") -> list[Problem]:
    """The problem of a seed that is missing or none: without one a step could not be repeated."""
    if is_whole(seed):
        return []
    what = f"{argument(name)} is {'missing' if seed is None else 'not a whole number'}."
    remedy = "Give any whole number: with it the step can be repeated."
    return [Problem("P15", what, remedy, name)]


def need_confidence(value: Any) -> None:
    """Refuse a confidence of an interval that is none."""
    if not (is_number(value) and 0 < value < 1):
        fail("P10", "the confidence is not a number between 0 and 1.", "Give for example 0.9.")
