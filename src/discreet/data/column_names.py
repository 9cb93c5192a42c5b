"""Names of columns: the words in them, and what they tell."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

_WEIGHTS = ("weight sampling", "sampling weight", "survey weight", "design weight", "wgt",
            "person weight", "pweight", "fnlwgt", "afnlwgt", "sample weight", "weights", "hhweight",
            "wt")  # fmt: skip
# "weight" alone may be that of a body: one of these words must stand beside it
_WEIGHED = {"sampling", "sample", "survey", "design", "person", "individual", "household", "hh",
            "family", "final", "analysis", "analytic", "population", "pop", "expansion", "base",
            "replicate", "calibration", "calibrated", "frequency", "grossing"}  # fmt: skip


@functools.cache
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name: ``birthDate``, ``birth_date`` and ``Birth date`` are the same."""
    parted = re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])", " ", name)
    return tuple(word for word in re.split(r"[^a-zà-ÿ]+", parted.casefold()) if word)


def says(words: Sequence[str], known: Sequence[str]) -> bool:
    """Whether one of the known terms stands among the words, or is made of all of them."""
    text = f" {' '.join(words)} "
    joined = "".join(words)
    return any(f" {name} " in text or name.replace(" ", "") == joined for name in known)


def is_weight(name: str, kind: str) -> bool:
    """Whether a column is one of sampling weights by its name: of numbers, then.

    Examples
    --------
    >>> [is_weight(name, "number") for name in ("wgt", "weight", "personWeight")]
    [True, False, True]
    >>> is_weight("wgt", "text")
    False
    """
    words = words_of(name)
    weighs = {"weight", "weights", "wgt", "wt"} & set(words)
    named = says(words, _WEIGHTS) or bool(weighs and _WEIGHED & set(words))
    return named and kind in ("integer", "number")
