"""Distributions of an attribute before and after masking, without the value of a single record.

A category is named only where it holds at least a threshold of records in each file that has it;
the others are one row, "other". Numbers and times are counted in bins (see ``bins``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.reports import bins
from discreet.reports.names import shortened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import discreet as ds

_MOST = 12  # categories that are named
_EXACT = 2**53  # whole numbers up to here are floating point numbers as well
MISSING = "missing"


@dataclass(frozen=True)
class Distribution:
    """Records of an attribute by category or bin: rows of (label, records in each file)."""

    attribute: str
    rows: tuple[tuple[str, Mapping[str, int]], ...]
    totals: Mapping[str, int]
    note: str


@dataclass(frozen=True)
class ValueTally:
    """The values of an attribute in a file and how many records have each."""

    values: pa.Array
    counts: NDArray[np.int64]
    missing: int

    @classmethod
    def of(cls, values: pa.Array, counts: NDArray[np.int64]) -> ValueTally:
        """Missing values counted apart."""
        present = np.array(values.is_valid())
        return cls(values.drop_null(), counts[present], int(counts[~present].sum()))

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum()) + self.missing

    def with_missing(self) -> tuple[pa.Array, NDArray[np.int64]]:
        """Values and counts, a missing value among them."""
        if not self.missing:
            return self.values, self.counts
        gap = pa.nulls(1, self.values.type)
        return pa.concat_arrays([self.values, gap]), np.append(self.counts, self.missing)

    @property
    def whole(self) -> bool:
        """Whether they are whole numbers."""
        return bool(pa.types.is_integer(self.values.type))

    def numbers(self) -> NDArray[np.float64]:
        """Numbers as they are; times as months since year 0."""
        if family(self.values) != "date":
            return np.asarray(self.values.cast(pa.float64(), safe=False), dtype=np.float64)
        year, month = (np.asarray(part(self.values), np.float64) for part in (pc.year, pc.month))
        return 12 * year + month - 1


def distributions(
    initial: ds.Microdata, masked: ds.Microdata, name: str, threshold: int
) -> list[Distribution]:
    """The distribution before and after: one where both can be counted alike, else two."""
    before, after = tally_of(initial, name), tally_of(masked, name)
    measure = initial.types[name].measure
    continuous, ordered = measure == "continuous", measure == "ordinal"
    recoded = _recoded(masked, name, before)
    files = {"before": recoded or before, "after": after}
    alike = family(before.values) == family(after.values)
    found: list[Distribution | None]
    if recoded is not None or (continuous and few_small_numbers(before, after)):
        found = [_categories(name, files, threshold, ordered=True)]
    elif continuous and alike and family(before.values) != "text":
        found = [_bins(name, files, threshold)]
    elif not continuous and alike:
        found = [_categories(name, files, threshold, ordered)]
    else:
        found = [_alone(name, {file: one}, threshold, ordered) for file, one in files.items()]
    return [one for one in found if one is not None]


def _alone(
    name: str, file: dict[str, ValueTally], threshold: int, ordered: bool
) -> Distribution | None:
    [found] = file.values()
    if family(found.values) == "text":
        return _categories(name, file, threshold, ordered)
    return _bins(name, file, threshold)


def tally_of(data: ds.Microdata, name: str) -> ValueTally:
    """The values of a column, and how many records have each."""
    found = data.frequency_set([name])
    return ValueTally.of(found.values[0].take(pa.array(found.codes[0])), np.asarray(found.counts))


def _recoded(masked: Any, name: str, before: ValueTally) -> ValueTally | None:
    """The initial values as the masking labelled them, where it is known how."""
    if name not in getattr(masked, "mappings", {}):
        return None
    table = masked.mapping(name).combine_chunks()
    values, counts = before.with_missing()
    if table.column("value").type != values.type:
        return None
    at = pc.index_in(values, value_set=table.column("value").combine_chunks())
    if at.null_count:
        return None  # generalized more than once: the last mapping begins with labels
    labels = table.column("label").combine_chunks().cast(pa.string()).take(at)
    order = labels.unique()
    codes = np.asarray(pc.index_in(labels, value_set=order), dtype=np.int64)
    sums = np.zeros(len(order), dtype=np.int64)
    np.add.at(sums, codes, counts)
    return ValueTally.of(order, sums)


def family(values: pa.Array) -> str:
    """Whether values are numbers, dates or something else."""
    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    return "date" if pa.types.is_date(kind) or pa.types.is_timestamp(kind) else "text"


def few_small_numbers(*files: ValueTally) -> bool:
    """Whether all are whole numbers of up to three digits, and so few that each has a row."""
    if not all(found.whole for found in files):
        return False
    values = {value for found in files for value in found.values.to_pylist()}
    return len(values) <= _MOST and all(abs(value) < 1000 for value in values)


# -- categories ------------------------------------------------------------------------------------


def _categories(
    name: str, files: Mapping[str, ValueTally], threshold: int, ordered: bool = False
) -> Distribution | None:
    """Named where each file has none or enough; the most frequent come first, or in order."""
    totals = {file: found.n for file, found in files.items()}
    if min(totals.values()) < threshold:
        return None
    counts = _by_label(files)
    enough = [label for label, n in counts.items() if _enough(n, threshold)]
    named = sorted(enough, key=lambda label: (-sum(counts[label].values()), label))[:_MOST]
    in_order = sorted(counts, key=_as_number) if _all_numbers(counts) else list(counts)
    shown = [label for label in in_order if label in set(named)] if ordered else named
    rows = [(shortened(label, 40), counts[label]) for label in shown]
    others = [n for label, n in counts.items() if label not in set(named)]
    if others:
        label = f"other ({len(others):,} {'category' if len(others) == 1 else 'categories'})"
        rows.append((label, {file: sum(n[file] for n in others) for file in files}))
    return Distribution(name, tuple(rows), totals, _said(others, threshold))


def _by_label(files: Mapping[str, ValueTally]) -> dict[str, dict[str, int]]:
    """Records of each file by the text of the category; a missing value is one. A whole number has
    one text, however a file stores it: 1 is 1.0."""
    found: dict[str, dict[str, int]] = {}
    for file, counted in files.items():
        pairs = [*zip(counted.values.to_pylist(), counted.counts.tolist(), strict=True)]
        pairs += [(MISSING, counted.missing)] if counted.missing else []
        for value, count in pairs:
            whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT
            label = str(int(value)) if whole else str(value)
            of = found.setdefault(label, dict.fromkeys(files, 0))
            of[file] += count
    return found


def _all_numbers(labels: Iterable[str]) -> bool:
    return all(_as_number(label) < math.inf for label in labels if label != MISSING)


def _as_number(label: str) -> float:
    try:
        return float(label)
    except ValueError:
        return math.inf  # "missing" comes last


def _enough(counts: Mapping[str, int], threshold: int) -> bool:
    return all(n == 0 or n >= threshold for n in counts.values())


def _said(others: Sequence[Any], threshold: int) -> str:
    if not others:
        return ""
    few = f"Categories of fewer than {threshold:,} records in a file"
    return f"{few}, or beyond the {_MOST} most frequent, are merged as 'other'."


# -- numbers and times -----------------------------------------------------------------------------


def _bins(name: str, files: Mapping[str, ValueTally], threshold: int) -> Distribution | None:
    first = next(iter(files.values()))
    months = family(first.values) == "date"
    numbers = {file: found.numbers() for file, found in files.items()}
    at = bins.edges(numbers[next(iter(files))], first.counts, whole=first.whole, months=months)
    counts = {file: bins.counted(numbers[file], files[file].counts, at) for file in files}
    runs = bins.open_ended(list(counts.values()), threshold)
    if not runs:
        return None
    text: Callable[[float], str] = bins.month_text if months else bins.number_text
    labels = bins.labels(at, runs, text)
    rows = [
        (label, {file: int(counts[file][low:high].sum()) for file in files})
        for label, (low, high) in zip(labels, runs, strict=True)
    ]
    missing = {file: found.missing for file, found in files.items()}
    if any(missing.values()) and _enough(missing, threshold):
        rows.append((MISSING, missing))
    hidden = any(missing.values()) and not _enough(missing, threshold)
    note = (
        "A bin begins with its first number and ends before its second; "
        f"bins of fewer than {threshold:,} records are merged."
        + (f" Fewer than {threshold:,} missing values are not shown." if hidden else "")
    )
    return Distribution(name, tuple(rows), {f: found.n for f, found in files.items()}, note)
