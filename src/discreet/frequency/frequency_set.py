"""The frequency set: distinct combinations of attributes and how many records have each.

Definition 4 of Truta & Vinay (2006). Values are coded by their rank, missing last, so that
the same records give the same frequency set to the last bit whatever engine counted them.
"""

from __future__ import annotations

import decimal
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import did_you_mean, fail
from discreet.frames import array_of, numbers_of
from discreet.kernels.coded_tuples import CodedTuples
from discreet.kernels.compatible import compatible_counts, compatible_totals
from discreet.kernels.packing import added, merged, pack
from discreet.kernels.summation import group_totals

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class FrequencySet:
    """Distinct combinations of coded attributes with their counts, in the order of the codes.

    Attributes
    ----------
    attributes : tuple of str
    values : tuple of pyarrow.Array
        What the codes of each attribute stand for: ``values[a][code]``; a missing value is last.
    codes : tuple of numpy arrays
        One column of codes per attribute.
    counts : numpy array
    scales : tuple
        The declared scale of each attribute, or None; empty where none has one.
    weights : numpy array or None
        The sum of the sampling weights of each combination, where it was asked for.

    An attribute may stand twice in it: a key that is confidential, beside the keys.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [10, 30, 20, 20, 10], "sex": list("MMMFF")}, keys=["age", "sex"])
    >>> found = survey.frequency_set(["sex"])
    >>> found.values[0].to_pylist(), found.counts.tolist()
    (['F', 'M'], [2, 3])
    """

    attributes: tuple[str, ...]
    values: tuple[pa.Array, ...]
    codes: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int64]
    scales: tuple[Sequence[str] | None, ...] = ()
    weights: NDArray[np.float64] | None = None

    @classmethod
    def from_arrow(
        cls,
        attributes: Sequence[str],
        table: pa.Table,
        scales: Mapping[str, Sequence[str] | None] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> FrequencySet:
        """Code a table of combinations (one column per attribute, then the count); ``weights`` are
        their sums of weights.

        Examples
        --------
        >>> import pyarrow as pa
        >>> table = pa.table({"sex": ["F", "M"], "count": [2, 3]})
        >>> found = FrequencySet.from_arrow(["sex"], table)
        >>> found.codes[0].tolist(), found.counts.tolist()
        ([0, 1], [2, 3])
        """
        declared = tuple((scales or {}).get(name) for name in attributes)
        columns = table.columns[-2::-1]  # by place: a key that is confidential stands there twice
        counts = np.array(table.columns[-1], dtype=np.int64)
        del table  # a column is let go as soon as it is coded
        ranked = [coded(columns.pop(), scale) for scale in declared]
        values, codes = tuple(v for v, _ in ranked), tuple(c for _, c in ranked)
        return _merged(tuple(attributes), values, codes, counts, declared, weights)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """Number of values of each attribute."""
        return tuple(len(v) for v in self.values)

    @functools.cached_property
    def missing(self) -> tuple[int, ...]:
        """The code that stands for a missing value, per attribute, or −1."""
        return tuple(len(v) - 1 if v.null_count else -1 for v in self.values)

    def tuples(self, *, blank: bool) -> CodedTuples:
        """For the kernels; a missing value is a value, or none where ``blank``."""
        missing = self.missing if blank else None
        return CodedTuples(self.codes, self.cardinalities, self.counts, missing)

    def __len__(self) -> int:
        return len(self.counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrequencySet):
            return NotImplemented
        return (
            self.attributes == other.attributes
            and all(a.equals(b) for a, b in zip(self.values, other.values, strict=True))
            and all(np.array_equal(a, b) for a, b in zip(self.codes, other.codes, strict=True))
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self._weights, other._weights)
        )

    @property
    def _weights(self) -> NDArray[np.float64]:
        return np.empty(0) if self.weights is None else self.weights

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"FrequencySet: {len(self):,} combinations of {', '.join(self.attributes)} "
            f"in {self.n:,} records"
        )

    def rollup(self, attributes: Sequence[str]) -> FrequencySet:
        """The frequency set of some of the attributes, in the order given, from these counts."""
        for name in attributes:
            if name not in self.attributes:
                fail(
                    "R01",
                    f"{name!r} is not an attribute of the frequency set.",
                    did_you_mean(name, self.attributes) or "Choose among its attributes.",
                )
        if tuple(attributes) == self.attributes:
            return self
        at = [self.attributes.index(name) for name in attributes]
        if not at:
            fail("P04", "no attribute is named.", "Name at least one of the frequency set.")
        return _merged(
            tuple(attributes),
            tuple(self.values[a] for a in at),
            tuple(self.codes[a] for a in at),
            self.counts,
            tuple(self.scales[a] for a in at) if self.scales else (),
            self.weights,
        )

    def combinations(self) -> pa.Table:
        """The combinations as a table of values, a column per attribute, in order."""
        import pyarrow as pa

        coded = zip(self.values, self.codes, strict=True)
        columns = [values.take(array_of(codes)) for values, codes in coded]
        return pa.Table.from_arrays(columns, names=[f"s{i}" for i in range(len(columns))])

    def compatible(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Per combination the number of records that are compatible with it, when a missing value
        matches every value, and the sum of their weights."""
        held = self.codes, self.cardinalities, self.missing
        return compatible_counts(*held, self.counts), compatible_totals(*held, self._weights)

    def places(self, a: int) -> tuple[NDArray[np.int64], int]:
        """The place of each value of attribute number ``a`` among all that it may take, and the
        last place there is: on its scale, steps that do not occur included, with a missing value
        after the last step; without a scale, among the values that occur.
        """
        scale = self.scales[a] if self.scales else None
        if scale is None:
            return np.arange(len(self.values[a])), max(len(self.values[a]) - 1, 0)
        at = np.array(steps(self.values[a], scale), dtype=np.int64)
        return at, max(len(scale) - 1, int(at.max(initial=0)))

    def class_sizes(self, codes: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
        """The count of each record's combination, given the records' codes; 0 if there is none."""
        joint = [
            np.concatenate([mine, theirs]) for mine, theirs in zip(self.codes, codes, strict=True)
        ]
        packed, _ = pack(joint, self.cardinalities)
        mine, theirs = packed[: len(self)], packed[len(self) :]
        at = np.minimum(np.searchsorted(mine, theirs), len(self) - 1)
        return np.where(mine[at] == theirs, self.counts[at], 0)


def _merged(
    attributes: tuple[str, ...],
    values: tuple[pa.Array, ...],
    codes: tuple[NDArray[np.int32], ...],
    counts: NDArray[np.int64],
    scales: tuple[Sequence[str] | None, ...],
    weights: NDArray[np.float64] | None,
) -> FrequencySet:
    """A frequency set of combinations in any order; equal ones are added up."""
    first, owner = merged(codes, [len(v) for v in values])
    return FrequencySet(
        attributes,
        values,
        tuple(c[first] for c in codes),
        added(owner, counts, len(first)),
        scales,
        None if weights is None else group_totals(weights, owner, len(first)),
    )


def coded(
    column: pa.Array | pa.ChunkedArray, scale: Sequence[str] | None
) -> tuple[pa.Array, NDArray[np.int32]]:
    """Values in order (of the scale where there is one), missing last, and each cell's rank."""
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = whole.dictionary_encode(null_encoding="encode")
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return in_order(encoded.dictionary, numbers_of(encoded.indices), scale)


def in_order(
    values: pa.Array, codes: NDArray[np.int32], scale: Sequence[str] | None
) -> tuple[pa.Array, NDArray[np.int32]]:
    """Different values put in order (of the scale where there is one), missing last, and codes
    that stand for them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if scale is None:
        order = pc.sort_indices(values)  # nulls are placed at the end
    else:
        order = pa.array(np.argsort(np.array(steps(values, scale), dtype=np.int64), kind="stable"))
    rank = np.empty(len(order), dtype=np.int32)
    rank[numbers_of(order)] = np.arange(len(order), dtype=np.int32)
    return values.take(order), rank[codes]


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
