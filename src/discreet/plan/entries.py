"""The entries of a ledger: what was done, with which parameters and figures, without a value.

A plan may hold labels that its author wrote: scales, leaves of hierarchies, codes for missing
values. They are cell values of the data, too, and stand in the ledger as a number and a digest.
"""

from __future__ import annotations

import copy
import hashlib
import importlib.metadata
import json
import os
import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.errors import DiscreetError
from discreet.plan import criteria, measures
from discreet.plan.calls import files_of, plain, read_files
from discreet.plan.steps import hierarchies_in
from discreet.registry import maskings, origins

if TYPE_CHECKING:
    from discreet.plan.plan import Plan


def without_values(document: Mapping[str, Any]) -> dict[str, Any]:
    """A plan without the values that its author wrote, and without the folders of the machine."""
    shown = copy.deepcopy(dict(document))
    for table, name in files_of(shown):
        table[name] = Path(table[name]).name
    types = shown.get("types", {})
    shown |= {"types": {n: _counted(v) if isinstance(v, list) else v for n, v in types.items()}}
    source = shown.get("source", {})
    if "missing_values" in source:
        codes = source["missing_values"]
        source["missing_values"] = (
            {name: _counted(some) for name, some in codes.items()}
            if isinstance(codes, Mapping)
            else _counted(codes)
        )
    for part in (shown, *shown.get("steps", [])):
        _hide_leaves(part)
    for name, table in shown.get("measures", {}).items():
        for key in measures.hidden(name, table):
            table[key] = _counted(table[key])
    shown.get("outputs", {}).pop("note", None)  # free text may quote a value
    return {name: section for name, section in shown.items() if section}


def _hide_leaves(part: dict[str, Any]) -> None:
    inner = criteria.inner_tables(part.get("criterion"), "hierarchies")
    own = [one for _, one in hierarchies_in(part)]
    for hierarchy in (*part.get("hierarchies", {}).values(), *inner, *own):
        for name in {"leaves", "tree"} & set(hierarchy):
            hierarchy[name] = _counted(hierarchy[name])
    known = maskings[part["do"]].parameters if "do" in part else {}
    for name in (name for name in part if name in known and known[name].holds_values):
        part[name] = _counted(part[name])


def _counted(values: Any) -> dict[str, Any]:
    return {"number": _leaves(values), "sha256": fingerprint(values)}


def _leaves(values: Any) -> int:
    """How many leaves a table or a tree has; how many values a list."""
    if not isinstance(values, Mapping):
        return len(values)
    nested = any(isinstance(one, Mapping) for one in values.values())
    return sum(map(_leaves, values.values())) if nested else len(values)


def versions(engine: str, plan: Plan) -> dict[str, str]:
    """The versions that the bytes of the output depend on, of packages that add methods too."""
    found = {"discreet": ds.__version__, "python": platform.python_version(), **packages(plan)}
    for package in (engine, "ibis-framework", "pyarrow", "numpy"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue  # an engine that is no package of Python
    return found


def packages(plan: Plan) -> dict[str, str]:
    """The packages from outside whose methods, criteria and measures a plan names."""
    steps = plan.section("steps") or ()
    named = {str(step.get("do")) for step in steps} | {*plan.section("measures")}
    asked = [plan.criterion, *(criteria.built(one.get("criterion"), plan.folder) for one in steps)]
    return origins(named | {type(one).__name__ for several in asked for one in several})


def inputs(plan: Plan) -> list[dict[str, Any]]:
    """The files that the plan reads, with their digests."""
    return [entry(role, file) for role, file in input_files(plan)]


def input_files(plan: Plan) -> list[tuple[str, Path]]:
    """The files that the plan reads: the source, and those beside it."""
    outputs = set(plan.outputs.values())
    named = [plan.file(name) for name in read_files(plan.document)]
    files = [file for file in named if file not in outputs]
    return [("source" if file == plan.source else "beside", file) for file in files]


def entry(role: str, file: Path, *, name: str | None = None) -> dict[str, Any]:
    """A file by name, size and digest."""
    return {
        "role": role,
        "file": name or file.name,
        "bytes": size(file),
        "sha256": digest(file),
    }


def step_entry(step: Any, seconds: float) -> dict[str, Any]:
    """A step that was done: its parameters, records before and after, and how long it took."""
    return {
        "do": step.method,
        "parameters": plain(step.parameters),
        "records": {"before": step.before, "after": step.after},
        "seconds": round(seconds, 3),
    }


def figures(result: Any) -> Any:
    """What a result found, as plain values; None where it was not measured."""
    return None if result is None else plain(result.to_dict())


def measured(measure: Callable[..., Any], *files: Any) -> tuple[Any, str]:
    """A result; or None where the data or the roles do not allow it, and the reason."""
    try:
        return measure(*files), ""
    except DiscreetError as error:
        if error.code[0] not in "NR":
            raise
        return None, error.problems[0].text


def relative(file: Path, folder: Path) -> str:
    """The way from a folder to a file."""
    return Path(os.path.relpath(file, folder)).as_posix()


def without(names: tuple[str, ...], node: Any) -> Any:
    """Plain values without some keys, at any depth."""
    if isinstance(node, Mapping):
        return {name: without(names, one) for name, one in node.items() if name not in names}
    return [without(names, one) for one in node] if isinstance(node, list) else node


def digest(file: Path) -> str:
    """SHA-256 of a file; of a folder, of the digests of its files in order."""
    if file.is_dir():
        parts = sorted(digest(part) for part in file.rglob("*") if part.is_file())
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def size(file: Path) -> int:
    """Bytes of a file, or of the files of a folder."""
    files = file.rglob("*") if file.is_dir() else [file]
    return sum(part.stat().st_size for part in files if part.is_file())


def fingerprint(value: Any) -> str:
    """SHA-256 of plain values."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
