"""Statistics before and after: what users of a file compute first, attribute by attribute."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_doc import Doc

from discreet.data import attributes
from discreet.data.link import fail_incomplete, link, shared_codes
from discreet.data.microdata import Microdata
from discreet.errors import argument, fail, raise_all
from discreet.frames import FrameKind
from discreet.kernels.moments import QUANTILES, Summary
from discreet.loss.comparison import Asked, compare
from discreet.loss.continuous import correlations
from discreet.loss.information import continuous_attributes
from discreet.measures import measure
from discreet.parameters import Columns, Label, Notation, Public
from discreet.results import Computed, Provenance
from discreet.risks.linkage import unknown_columns
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.loss.continuous import Matrix


_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


Row = tuple[str, str, float | None, float | None]


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(names, list) and names and all(isinstance(one, str) for one in names)
        for names in value
    )


def _names_in(value: Any) -> list[str]:
    """The columns that tables of a plan name."""
    return [one for names in value for one in names] if _are_tables(value) else []


_TABLES = Notation(
    "a list of lists of columns",
    _are_tables,
    read=lambda text: [[one.strip() for one in part.split("+")] for part in text.split(",")],
    schema={"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
)


@dataclass(frozen=True)
class Statistics(Computed):
    """Means, standard deviations, quantiles and correlations before and after.

    Attributes
    ----------
    rows : tuple of (attribute, statistic, initial, masked)
        The correlation of an attribute that does not vary is None.
    tables : tuple of TableDifference
        How much the counts of the tables changed that were asked for.
    left_out : int
        Released records that miss one of the numbers, before or after: all rows are of the others.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> masked = ds.microaggregate(ages, k=2, method="fixed")
    >>> found = ds.compare_statistics(ages, masked)
    >>> [(attribute, statistic) for attribute, statistic, _, _ in found.rows][:3]
    [('age', 'mean'), ('age', 'standard deviation'), ('age', 'quantile 5%')]
    """

    rows: tuple[Row, ...]
    provenance: Provenance
    tables: tuple[TableDifference, ...] = ()
    left_out: int = 0

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per attribute (or pair of attributes) and statistic."""
        names = ("attribute", "statistic", "initial", "masked")
        columns = {name: [row[i] for row in self.rows] for i, name in enumerate(names)}
        return self._frame(columns, kind)

    def chart(self) -> Any:
        """Small multiples: quantiles of each attribute before and after (``charts`` extra)."""
        from discreet.charts import quantile_chart

        found = [
            (name, statistic, before, after)
            for name, statistic, before, after in self.rows
            if statistic.startswith("quantile") and before is not None and after is not None
        ]
        return quantile_chart(found)

    def explain(self) -> str:
        """The largest change of each kind of statistic, relative to the initial value."""
        lines = []
        for word in ("mean", "standard deviation", "quantile", "correlation"):
            rows = [r for r in self.rows if r[1].startswith(word)]
            found = [(n, b, a) for n, _, b, a in rows if b is not None and a is not None]
            if found:
                name, before, after = max(found, key=_change)
                lines.append(f"Largest change of a {word}: {name}, {before:.4g} to {after:.4g}.")
        if self.left_out:
            lines.append(self._without())
        lines += [
            f"Table {' × '.join(one.attributes)}: a count changes by {one.absolute:.3g} on "
            f"average, {one.relative:.1%} of itself; {one.new:,} of "
            f"{counted(one.cells, 'cell')} are new."
            for one in self.tables
        ]
        lines += self.provenance.unweighted()
        return "\n".join(lines)

    @property
    def mean_change(self) -> float | None:
        """Largest change of a mean, as a share of the initial one; None where all were 0."""
        return self._largest("mean")

    @property
    def deviation_change(self) -> float | None:
        """Largest change of a standard deviation, as a share of the initial one."""
        return self._largest("standard deviation")

    @property
    def quantile_change(self) -> float | None:
        """Largest change of a quantile, as a share of the initial one."""
        return self._largest("quantile")

    @property
    def correlation_change(self) -> float | None:
        """Largest change of a correlation; None where there is none."""
        return max((abs(a - b) for b, a in self._pairs("correlation")), default=None)

    @property
    def table_change(self) -> float | None:
        """Largest mean relative change of the counts of a table; None where none is named."""
        return max((one.relative for one in self.tables), default=None)

    def table_differences(self, kind: FrameKind | None = None) -> Any:
        """One row per table that was named."""
        rows = [{**vars(one), "attributes": " × ".join(one.attributes)} for one in self.tables]
        return self._frame(rows, kind)

    def _without(self) -> str:
        """How many records these figures are not of."""
        return (
            f"{counted(self.left_out, 'released record')} with a missing number, before or after, "
            "left out of these figures."
        )

    def _largest(self, word: str) -> float | None:
        return max((abs(a - b) / abs(b) for b, a in self._pairs(word) if b), default=None)

    def _pairs(self, word: str) -> list[tuple[float, float]]:
        """Before and after of each statistic of a kind."""
        rows = [row for row in self.rows if row[1].startswith(word)]
        return [(b, a) for _, _, b, a in rows if b is not None and a is not None]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        names = ("attribute", "statistic", "initial", "masked")
        return {
            "statistics": [dict(zip(names, row, strict=True)) for row in self.rows],
            "left_out": self.left_out,
            **self._plain("tables"),
            "computed_from": self.provenance.to_dict(),
        }


@measure(
    title="Statistics before and after",
    about="Means, spreads, quantiles and correlations of the released records, before and after.",
    side="loss",
    figures={
        "mean_change": "largest relative change of a mean",
        "deviation_change": "largest relative change of a standard deviation",
        "quantile_change": "largest relative change of a quantile",
        "correlation_change": "largest change of a correlation",
        "table_change": "largest mean relative change of the counts of a table",
    },
)
def compare_statistics(
    initial: Microdata,
    masked: Microdata,
    *,
    on: str | None = None,
    tables: Annotated[
        Sequence[Sequence[str]] | None,
        Columns(named=_names_in),
        _TABLES,
        Label("Tables"),
        Doc("Columns of each table whose counts are compared: age+sex,sex in a command."),
        Public,
    ] = None,
) -> Statistics:
    """Means, standard deviations, quantiles and correlations before and after masking.

    Both are computed on the released records that have all the numbers in both files: what masking
    changed, not what was left out or blanked. ``.left_out`` says how many have not. A
    quantile of the initial file is the value of a record: keep the result inside.

    Parameters
    ----------
    initial, masked : Microdata
        As for :func:`disclosure_risk`.
    on : str, optional
        Column that links the records of a file masked elsewhere.
    tables : list of lists of str, optional
        Tables whose counts are compared, too: those of the whole initial file, and those of the
        masked one scaled to as many records.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> found = ds.compare_statistics(ages, ds.microaggregate(ages, k=2, method="fixed"))
    >>> found.rows[0]
    ('age', 'mean', 35.0, 35.0)
    """
    linked = link(initial, masked, on, classed=False, by_order=False)
    names = continuous_attributes(linked)
    differences = table_differences(initial, masked, _named_tables(tables))
    provenance = Provenance.of(initial, masked)
    if not names and differences:
        return Statistics((), provenance, differences)
    if not names:
        fail("N07", "no continuous attribute can be compared.", "Compare numeric attributes.")
    compared = compare(linked, Asked(tuple(names)))
    found = compared.continuous
    if found is None:
        fail_incomplete()
    rows = [row for a, name in enumerate(names) for row in _of(name, found, a)]
    every = (*rows, *_correlations(names, found))
    return Statistics(every, provenance, differences, compared.left_out)


def _named_tables(given: Any) -> list[list[str]]:
    """The columns of each table; one that is named alone is a table of its own."""
    tables = [] if given is None else [given] if isinstance(given, str) else list(given)
    found = [list(dict.fromkeys(attributes.names(one))) for one in tables]
    if not all(found):
        fail("P16", f"{argument('tables')} has a table without a column.", "Name its columns.")
    return found


def _of(name: str, found: Summary, a: int) -> list[Row]:
    rows: list[Row] = [
        (name, "mean", float(found.mean_x[a]), float(found.mean_y[a])),
        (name, "standard deviation", math.sqrt(found.cov_x[a, a]), math.sqrt(found.cov_y[a, a])),
    ]
    at = [int(np.argmin(np.abs(QUANTILES - q))) for q in _QUANTILES]
    return rows + [
        (name, f"quantile {q:.0%}", float(found.quantiles_x[i, a]), float(found.quantiles_y[i, a]))
        for q, i in zip(_QUANTILES, at, strict=True)
    ]


def _correlations(names: list[str], found: Summary) -> list[Row]:
    return [
        (
            f"{one}, {other}",
            "correlation",
            _correlation(found.cov_x, a, b),
            _correlation(found.cov_y, a, b),
        )
        for (a, one), (b, other) in itertools.combinations(enumerate(names), 2)
    ]


def _correlation(cov: Matrix, a: int, b: int) -> float | None:
    """None where one of the two does not vary."""
    return float(correlations(cov)[a, b]) if cov[a, a] > 0 and cov[b, b] > 0 else None


def _change(row: tuple[str, float, float]) -> float:
    return abs(row[2] - row[1]) / max(abs(row[1]), 1e-12)


@dataclass(frozen=True)
class TableDifference:
    """How the counts of a table differ before (f) and after (g), over its cells.

    Counts of a masked file with fewer records are scaled up to those of the initial file.

    Attributes
    ----------
    attributes : tuple of str
    cells : int
        Cells with a record in one of the files.
    absolute : float
        Mean of |f − g|.
    relative : float
        Mean of |f − g|/f over the cells with f > 0.
    root : float
        Mean of |√f − √g|, in which large and small cells count alike.
    new : int
        Cells that only the masked file has.
    """

    attributes: tuple[str, ...]
    cells: int
    absolute: float
    relative: float
    root: float
    new: int

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**vars(self), "attributes": list(self.attributes)}


def table_differences(
    initial: Microdata, masked: Microdata, tables: Sequence[Sequence[str]]
) -> tuple[TableDifference, ...]:
    """The difference of each table that is named; all unknown columns at once."""
    named = [name for names in tables for name in names]
    raise_all(unknown_columns((initial, masked), named, "the table's column"))
    return tuple(_difference(initial, masked, tuple(names)) for names in tables)


def _difference(initial: Microdata, masked: Microdata, names: tuple[str, ...]) -> TableDifference:
    sets = [data.frequency_set(names) for data in (initial, masked)]
    first, second = (one.combinations() for one in sets)
    codes = [shared_codes(first[f"s{a}"], second[f"s{a}"], None)[:2] for a in range(len(names))]
    rows = np.vstack([np.column_stack([pair[side] for pair in codes]) for side in (0, 1)])
    cells, at = np.unique(rows, axis=0, return_inverse=True)
    at = at.ravel()
    f = np.bincount(at[: len(sets[0])], weights=sets[0].counts, minlength=len(cells))
    g = np.bincount(at[len(sets[0]) :], weights=sets[1].counts, minlength=len(cells))
    g *= f.sum() / g.sum()
    known = f > 0
    return TableDifference(
        names,
        len(cells),
        math.fsum(np.abs(f - g)) / len(cells),
        math.fsum(np.abs(f - g)[known] / f[known]) / int(known.sum()),
        math.fsum(np.abs(np.sqrt(f) - np.sqrt(g))) / len(cells),
        int((~known).sum()),
    )
