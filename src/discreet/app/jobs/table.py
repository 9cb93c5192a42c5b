"""Reading a table: its columns with counts and suggested roles, and no cell.

How often each value occurs is left in files of the workspace, for previews of hierarchies; they
are erased with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discreet as ds
from discreet.app.jobs import typed_copy
from discreet.app.jobs.task import WORKING, JobTask
from discreet.errors import fail
from discreet.parameters import ColumnFacts

MOST_COLUMNS = 1_000  # more than a page can show
MOST_VALUES = 200_000  # of a column whose values are kept for previews


@dataclass(frozen=True)
class TableColumn:
    """What is known of a column."""

    name: str
    type: str
    distinct: int
    missing: int
    suggested: str
    reason: str
    kind: str = ""  # how it is stored, such as "date"
    why: str = ""  # why it has its type, where that needs saying
    unique: str = ""  # where many records are unique on it: how many, in words

    def facts(self, declared: Any = None) -> ColumnFacts:
        """What a method may ask of it; its type may be declared in the plan."""
        own = self.type.split(" ")[0]
        measure = "ordinal" if isinstance(declared, list) else declared or own
        said = self.type if measure == own else measure
        return ColumnFacts(self.kind or "text", measure, said, self.missing)


@dataclass(frozen=True)
class Opened:
    """What is known of a table."""

    n: int
    columns: tuple[TableColumn, ...]


def opened(task: JobTask) -> Opened:
    """Read the table of the plan's source."""
    document = {"source": task.document["source"]}
    data = ds.Plan.of(document, task.folder).open()
    if len(data.columns) > MOST_COLUMNS:
        what = f"{data.name} has {len(data.columns):,} columns, and a page shows {MOST_COLUMNS:,}."
        fail("N60", what, "Leave out columns first, or use the command line.")
    columns = _columns(data)
    _keep_values(data, columns, task.folder)
    typed_copy.copy(data, task)
    return Opened(data.n, columns)


def _columns(data: Any) -> tuple[TableColumn, ...]:
    suggested = ds.suggest_roles(data).suggestions
    unique = {one.column: one.found() for one in ds.unchanged(data).flagged}
    return tuple(
        TableColumn(
            row["column"],
            row["type"],
            row["distinct"],
            row["missing"],
            one.role,
            one.reason,
            data.source.kinds[row["column"]],
            data.types[row["column"]].why,
            unique.get(row["column"], ""),
        )
        for row, one in zip(data.table("arrow").to_pylist(), suggested, strict=True)
    )


def _keep_values(data: Any, columns: tuple[TableColumn, ...], folder: Path) -> None:
    import pyarrow as pa
    from pyarrow import feather

    for number, column in enumerate(columns):
        place = values_file(folder, number)
        place.unlink(missing_ok=True)
        if column.distinct <= MOST_VALUES:
            try:
                counted = data.frequency_set([column.name])
            except ds.DiscreetError:
                continue  # lists, structures or bytes have no values to count
            table = pa.table({"value": counted.values[0], "records": counted.counts})
            feather.write_feather(table, str(place))


def values_file(folder: Path, number: int) -> Path:
    """Where the values of a column lie."""
    return folder / WORKING / f"values-{number}.arrow"
