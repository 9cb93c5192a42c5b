"""Which initial values a released one may stand for.

A value stands for itself and a blank for every value; a label stands for the values that a table
of pairs, from a hierarchy or from the steps of a masking, puts under it. Values and labels are
matched by their text form, as hierarchies and data are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_doc import Doc

from discreet.data.masked import Masked
from discreet.data.microdata import Microdata
from discreet.errors import Problem, did_you_mean, raise_all
from discreet.hierarchies.hierarchy import Hierarchy, by_key
from discreet.hierarchies.texts import plain, text_form
from discreet.kernels.related_tuples import CellRelation
from discreet.parameters import Label, Shared
from discreet.surface import function

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Ints

    Numbered = dict[str | None, int]

Meanings = Annotated[
    Mapping[str, Hierarchy] | None,
    Shared("hierarchies"),
    Label("Hierarchies"),
    Doc("What the labels of a file masked elsewhere stand for."),
]


def tables_of(
    initial: Microdata, masked: Microdata, hierarchies: Any
) -> dict[str, tuple[pa.Table, ...]]:
    """Per key the tables of values and labels: of the steps of a masking, and of hierarchies."""
    found = dict(masked.covers) if isinstance(masked, Masked) else {}
    for key, table in _given(hierarchies, initial).items():
        found[key] = (*found.get(key, ()), table)
    return found


def key_cover(
    attribute: str,
    values: pa.Array,
    labels: pa.Array,
    tables: Sequence[pa.Table],
    *,
    unknown_fits: bool = False,
    blank_fits: bool = True,
) -> CellRelation:
    """Which of some distinct values (left) each of some distinct labels (right) may stand for.

    Parameters
    ----------
    attribute : str
        Named in errors.
    values, labels : pyarrow arrays
        Initial and released values of the attribute, missing ones included.
    tables : sequence of tables
        All pairs of a value and a label that may stand for it, one table per step: the labels of a
        step may be values of the next one.
    unknown_fits : bool
        Whether a value that is missing in the initial file may stand behind every label.
    blank_fits : bool
        Whether a label that is missing may stand for every value. If not, it stands for a missing
        value alone.

    Examples
    --------
    >>> import pyarrow as pa
    >>> ages = pa.table({"value": [21, 24, 30], "label": ["20-29", "20-29", "30-39"]})
    >>> found = key_cover("age", pa.array([21, 24, 30]), pa.array(["20-29", "30", None]), [ages])
    >>> left, right = found.pairs
    >>> list(zip(left.tolist(), right.tolist()))
    [(0, 0), (1, 0), (2, 1), (0, 2), (1, 2), (2, 2)]
    """
    number: Numbered = {}
    own = _numbers(attribute, values, number)
    shown = _numbers(attribute, labels, number)
    known = np.empty((2, 0), dtype=np.int64)
    for table in tables:
        step = np.stack([_numbers(attribute, table.column(i), number) for i in (0, 1)])
        known = np.unique(np.hstack([known, step, _chained(known, step)]), axis=1)
    held = np.hstack([known, np.stack([own, own])])  # a value stands for itself
    to_label = _chained(np.stack([np.arange(len(own)), own]), held)
    left, right = _chained(to_label, np.stack([shown, np.arange(len(shown))]))
    blank = np.flatnonzero(labels.is_null().to_numpy(zero_copy_only=False) & blank_fits)
    unknown = np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False) & unknown_fits)
    pairs = [
        (left, right),
        (np.tile(np.arange(len(values)), len(blank)), np.repeat(blank, len(values))),
        (np.repeat(unknown, len(labels)), np.tile(np.arange(len(labels)), len(unknown))),
    ]
    lefts, rights = (np.concatenate(side).astype(np.int64) for side in zip(*pairs, strict=True))
    return CellRelation.of_pairs(lefts, rights, len(values), len(labels))


def _numbers(attribute: str, values: Any, number: Numbered) -> Ints:
    """The number of each text; a new text gets the next one."""
    import pyarrow as pa

    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    texts = text_form(attribute, plain(whole)).to_pylist()
    return np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int64)


def _chained(known: Ints, step: Ints) -> Ints:
    """Pairs of what is on the left of one list and on the right of the other, joined in between."""
    order = np.argsort(step[0], kind="stable")
    values, labels = step[0][order], step[1][order]
    low = np.searchsorted(values, known[1])
    times = np.searchsorted(values, known[1], side="right") - low
    within = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    return np.stack([np.repeat(known[0], times), labels[np.repeat(low, times) + within]])


def _given(hierarchies: Any, initial: Microdata) -> dict[str, pa.Table]:
    """The tables of hierarchies, fitted to the initial values, and those that are given."""
    if hierarchies is None:
        return {}
    given = by_key(hierarchies)
    raise_all([p for key, one in given.items() for p in _problems(key, one, initial)])
    return {
        key: _fitted(key, one, initial) if isinstance(one, Hierarchy) else one
        for key, one in given.items()
    }


def _fitted(key: str, hierarchy: Hierarchy, initial: Microdata) -> pa.Table:
    found = initial.frequency_set([key])
    return hierarchy.fit(key, found.values[0], found.counts).covers()


def _problems(key: Any, one: Any, initial: Microdata) -> list[Problem]:
    import pyarrow as pa

    if key not in initial.keys:
        what = f"a hierarchy is given for {key!r}, which is not a key attribute."
        return [Problem("R10", what, did_you_mean(str(key), initial.keys) or "Name it as a key.")]
    if isinstance(one, Hierarchy) or (isinstance(one, pa.Table) and one.num_columns == 2):
        return []
    what = f"what is given for {key!r} is neither a hierarchy nor a table of values and labels."
    return [Problem("P19", what, f"Build one with {function('Hierarchy')}.")]
