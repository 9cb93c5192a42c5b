"""Coded tuples: what a frequency set is for the kernels that look at sets of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from discreet.kernels.arrays import Ints
from discreet.kernels.packing import Codes


class CodedTuples(NamedTuple):
    """Distinct tuples of codes, and how many records have each.

    Attributes
    ----------
    codes : sequence of integer arrays
        One column per attribute, one entry per distinct tuple, 0 ≤ code < cardinality.
    cardinalities : sequence of int
    counts : array
        Records per tuple.
    missing : sequence of int, optional
        Per attribute a code that stands for no value, or −1: a tuple that has it is left out of the
        sets with the attribute.
    """

    codes: Codes
    cardinalities: Sequence[int]
    counts: Ints
    missing: Sequence[int] | None = None
