"""Reading a table: its columns with counts and suggested roles, and no cell.

How often each value occurs is left in files of the workspace, for previews of hierarchies; they
are erased with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import discreet as ds
from discreet.app.jobs import typed_copy
from discreet.app.jobs.task import WORKING, JobTask
from discreet.errors import fail
from discreet.parameters import ColumnFacts
from discreet.plan.suggested_hierarchies import suggested_hierarchy
from discreet.reports.shown_values import ColumnValues, column_values

MOST_COLUMNS = 1_000  # more than a page can show
MOST_VALUES = 200_000  # of a column whose values are kept for previews
MOST_NUMBERS = 5_000_000  # of a column whose numbers or dates are counted in bins


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
    values: ColumnValues | None = None  # what may be shown of them; None where they are too many
    badges: tuple[str, ...] = ()
    hierarchy: Mapping[str, Any] = field(default_factory=dict)  # suggested, if it is a key
    remark: str = ""  # on that hierarchy

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
    digest: str = ""  # of its file: a project is known again by it


def opened(task: JobTask) -> Opened:
    """Read the table of the plan's source."""
    document = {"source": task.document["source"]}
    data = ds.Plan.of(document, task.folder).open()
    if len(data.columns) > MOST_COLUMNS:
        wide = len(data.columns)
        what = f"{data.name} has {wide:,} columns; the app shows at most {MOST_COLUMNS:,}."
        fail("N60", what, "Leave out columns first, or use the command line.")
    columns = _with_values(data, _columns(data), task.folder)
    typed_copy.copy(data, task)
    with (task.folder / task.document["source"]["file"]).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Opened(data.n, columns, digest)


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
            badges=_badges(data, row),
            hierarchy=given,
            remark=remark,
        )
        for row, one in zip(data.table("arrow").to_pylist(), suggested, strict=True)
        for given, remark in (_hierarchy(data, one),)
    )


def _hierarchy(data: Any, one: Any) -> tuple[Mapping[str, Any], str]:
    """How its values could become coarser, as a first plan would have it, with its remark."""
    if data.source.kinds[one.column] == "other":
        return {}, ""
    try:
        return suggested_hierarchy(data, one.column, one.reason)
    except ds.DiscreetError:
        return {}, ""


def _badges(data: Any, row: Mapping[str, Any]) -> tuple[str, ...]:
    """What a steward should notice of a column at once."""
    found = []
    if row["distinct"] == data.n > 1 and not row["missing"]:
        found.append("different in every record")
    if data.types[row["column"]].codes:
        found.append("whole numbers with few values: codes?")
    return tuple(found)


def _with_values(
    data: Any, columns: tuple[TableColumn, ...], folder: Path
) -> tuple[TableColumn, ...]:
    """Count the values of each column: for previews, and for what may be shown of them."""
    return tuple(
        replace(column, values=_values(data, column, values_file(folder, number)))
        for number, column in enumerate(columns)
    )


def _values(data: Any, column: TableColumn, place: Path) -> ColumnValues | None:
    import pyarrow as pa
    from pyarrow import feather

    place.unlink(missing_ok=True)
    given, is_text = data.types[column.name], column.kind == "text"
    if column.distinct > (MOST_VALUES if is_text else MOST_NUMBERS):
        return None
    try:
        counted = data.frequency_set([column.name])
    except ds.DiscreetError:
        return None  # lists, structures or bytes have no values to count
    if column.distinct <= MOST_VALUES:
        table = pa.table({"value": counted.values[0], "records": counted.counts})
        feather.write_feather(table, str(place))
    return column_values(counted.values[0], counted.counts, given.measure, given.scale)


def values_file(folder: Path, number: int) -> Path:
    """Where the values of a column lie."""
    return folder / WORKING / f"values-{number}.arrow"
