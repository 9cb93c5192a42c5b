"""A declared scale: the order of the values of an ordinal attribute, also of absent ones."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def steps(values: pa.Array, scale: Sequence[str]) -> list[int]:
    """The step of each value on a scale; the number of steps where a value is not on it.

    Numbers are compared by value, so that 1 and 1.0 are the same step.
    """
    import pyarrow as pa

    read: Callable[[str], Any] = str
    if pa.types.is_floating(values.type):
        read = float
    elif pa.types.is_integer(values.type) or pa.types.is_decimal(values.type):
        read = decimal.Decimal
    elif pa.types.is_boolean(values.type):
        read = {"true": True, "false": False, "True": True, "False": False}.__getitem__
    else:
        values = values.cast(pa.string())
    step = {_read(text, read): i for i, text in enumerate(scale)}
    return [step.get(value, len(scale)) for value in values.to_pylist()]


def _read(text: str, read: Callable[[str], Any]) -> Any:
    try:
        return read(text)
    except (ValueError, ArithmeticError, KeyError):
        return text
