"""A typed copy of a CSV table, so that jobs need not find out its types again.

Finding the types of a CSV file takes longer than any measure of it. The copy is Parquet, with the
same records in the same order. It is used while the source and the way it is read are the same,
and unless a number is declared nominal: then its text counts, and only the source has that.
A release is always made from the source itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import discreet as ds
from discreet.app.jobs.task import WORKING, JobTask
from discreet.formats import READ

GONE = "gone"  # the state of a file that is not there


def copy(data: Any, task: JobTask) -> None:
    """Keep a copy of a table that was just read; none where its names forbid it."""
    place, note = _places(task)
    note.unlink(missing_ok=True)
    place.unlink(missing_ok=True)
    given = Path(task.document["source"]["file"]).suffix.lower()
    if given in (place.suffix, *READ):
        return  # it is Parquet already, or says more of its columns than Parquet can
    try:
        data.write(place)
    except ds.DiscreetError:
        return
    note.write_text(_basis(task), encoding="utf-8")


def opened(task: JobTask) -> Any:
    """The table with its roles and types: the copy where it will do, else the source."""
    place, note = _places(task)
    if not note.exists() or note.read_text(encoding="utf-8") != _basis(task):
        return task.plan.open()
    if _texts_count(place, task.document.get("types", {})):
        return task.plan.open()
    source = {"file": str(place)} | _only(task.document["source"], "missing")
    parts = _only(task.document, "roles", "types")
    return ds.Plan.of({"source": source, **parts}, task.folder).open()


def _places(task: JobTask) -> tuple[Path, Path]:
    """The copy, which has the name of its source, and the note of what it was made from."""
    folder = task.folder / WORKING / "copy"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{Path(task.document['source']['file']).stem}.parquet", folder / "made-from"


def _basis(task: JobTask) -> str:
    source = task.document["source"]
    options = {name: given for name, given in source.items() if name != "missing"}
    return json.dumps([options, state_of(task.folder / source["file"])], sort_keys=True)


def _texts_count(place: Path, types: Mapping[str, Any]) -> bool:
    """Whether a column is declared nominal that the copy does not hold as text."""
    import pyarrow as pa
    from pyarrow import parquet

    nominal = {name for name, given in types.items() if given == "nominal"}
    schema = parquet.read_schema(place)
    return any(
        field.name in nominal
        and not (pa.types.is_string(field.type) or pa.types.is_large_string(field.type))
        for field in schema
    )


def _only(mapping: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: mapping[name] for name in names if name in mapping}


def state_of(file: Path) -> str:
    """What tells whether an original file is still the one that was read: size, time of the last
    change and place on the disk, in one word. Its owner may write to it while the app is open, and
    figures of two states must not stand beside each other.
    """
    try:
        found = file.stat()
    except OSError:
        return GONE
    return f"{found.st_size}-{found.st_mtime_ns}-{found.st_ino}"
