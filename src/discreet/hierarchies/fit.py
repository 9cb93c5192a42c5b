"""Fitting: from a rule and the distinct values of an attribute to a recoding.

A value that the rule has no place for is an error, or is suppressed: it is in the top group from
level 1 on, which counts as covering every leaf. A missing value stays a group of its own up to a
level that is one group for all.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import Problem, fail, raise_all
from discreet.hierarchies.explicit import not_nested
from discreet.hierarchies.placement import Placement, Rule, codes_of, present
from discreet.hierarchies.recoding import Recoding, recoding
from discreet.hierarchies.texts import plain, text_form

if TYPE_CHECKING:
    from numpy.typing import NDArray


def fit(rule: Rule, attribute: str, values: Any, counts: Any, *, suppress: bool) -> Recoding:
    """Place the values, complete what has no place, and code the labels."""
    array = _array(attribute, values)
    texts = text_form(attribute, array)
    found = rule.place(attribute, array, texts, _counts(attribute, array, counts))
    if found.problem and not suppress:
        raise_all([found.problem])
    labels, covered = _completed(found, present(array))
    if found.problem:
        _require_nested(attribute, labels)
    covered = [found.known.astype(np.int64), *covered]
    return recoding(attribute, array, [texts, *labels], covered, found.n_leaves)


def unmatched(rule: Rule, attribute: str, values: Any, counts: Any) -> NDArray[np.bool_]:
    """Which values the rule has no place for; a missing one always has."""
    array = _array(attribute, values)
    counted = _counts(attribute, array, counts)
    found = rule.place(attribute, array, text_form(attribute, array), counted)
    return np.asarray(present(array) & ~found.known)


def _completed(
    found: Placement, there: NDArray[np.bool_]
) -> tuple[list[pa.Array], list[NDArray[np.int64]]]:
    """Put lost values into the top group, and the missing value where all values are one group."""
    lost, missing = there & ~found.known, ~there & ~found.known
    top = (found.tops[-1] if found.tops else None) or "*"
    labels, covers = [], []
    for level, only, covered in zip(found.labels, found.tops, found.covered, strict=True):
        level = pc.if_else(pa.array(lost), top, level)
        labels.append(level if only is None else pc.if_else(pa.array(missing), only, level))
        whole = lost if only is None else lost | missing  # in a group of every leaf
        covers.append(np.where(whole, found.n_leaves, covered))
    return labels, covers


def _require_nested(attribute: str, labels: list[pa.Array]) -> None:
    """Suppressed values share the label of the top, which a file may use for a lower group."""
    codes = [codes_of(level) for level in labels]
    problems = [
        Problem(
            "D20",
            f"{attribute!r}: suppressed values would join a group of level {i}, which has the "
            f"label of the top but is not in the top group of level {i + 1}.",
            "Give that group another label.",
        )
        for i in range(1, len(codes))
        if not_nested(codes[i - 1], codes[i])
    ]
    raise_all(problems)


def _array(attribute: str, values: Any) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        unusable = Problem(
            "P24", f"{attribute!r}: the values are no array.", "Give a pyarrow array."
        )
        given, values = values, None
        with contextlib.suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
            values = pa.array(given)
        raise_all([unusable] if values is None else [])
    return plain(values)


def _counts(attribute: str, values: pa.Array, counts: Any) -> NDArray[np.int64] | None:
    if counts is None:
        return None
    numbers = np.asarray(counts)
    if numbers.shape != (len(values),) or (len(values) and numbers.dtype.kind not in "iu"):
        fail("P24", f"{attribute!r}: there is not one count per value.", "Give one for each.")
    return numbers.astype(np.int64)
