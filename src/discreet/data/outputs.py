"""What stands in the way of a file that is to be written: its place, names, roles and format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discreet import engine, formats
from discreet.errors import Problem, argument, listed
from discreet.files import place_problems

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata

_SUFFIXES = (".csv", ".parquet", *formats.WRITTEN)


def write_problems(
    data: Microdata, names: Sequence[str], path: object, overwrite: bool,
    identifiers: Sequence[str], escape_formulas: bool, metadata: Sequence[str],
) -> list[Problem]:  # fmt: skip
    """All that stands in the way of these columns as a file."""
    if not isinstance(path, str | os.PathLike):
        remedy = f"Give the name of a {_SUFFIXES[0]} or {_SUFFIXES[1]} file."
        return [Problem("O01", "what was given is not a path.", remedy)]
    target = Path(path)
    return [
        *_not_to_be_written(data, identifiers),
        *_unwritable(names),
        *_unescapable(names, target, escape_formulas),
        *place_problems(target, overwrite=overwrite, suffixes=_SUFFIXES, inputs=data.inputs),
        *_unreleasable(data, names, target, metadata),
    ]


def _unwritable(names: Sequence[str]) -> list[Problem]:
    """The problem of names that a file cannot tell apart, or cannot hold."""
    folded = [name.casefold() for name in names]
    alike = [name for name, low in zip(names, folded, strict=True) if folded.count(low) > 1]
    problems = []
    if alike:
        what = f"the columns {listed(alike)} differ in case only."
        problems.append(Problem("O04", what, "Rename them: other programs mix them up."))
    if "" in names:
        problems.append(Problem("O04", "a column has no name.", "Give it one."))
    return problems


def _not_to_be_written(data: Microdata, asked: Sequence[str]) -> list[Problem]:
    may = [c for c in data.columns if c in data.roles.held_back and c != data.record_id]
    remedy = f"Its identifiers are {listed(may)}." if may else ""
    problems = [
        Problem(
            "R12", f"{argument('identifiers')} names {name!r}, which is not an identifier.", remedy
        )
        for name in asked
        if name not in data.roles.held_back
    ]
    if data.record_id in asked:
        what = f"{data.record_id!r} is the record id, which links to the initial records."
        problems.append(Problem("R12", what, "It is never written: leave it out."))
    return problems


def _unreleasable(
    data: Microdata, names: Sequence[str], path: Path, metadata: Sequence[str]
) -> list[Problem]:
    """What stands in the way of a file of another program."""
    if path.suffix not in formats.WRITTEN and not metadata:
        return []
    from discreet.formats.release import release_problems

    records = data.n if path.suffix == ".xlsx" else None
    lists = [
        Problem("O10", f"a {path.suffix} file cannot hold {name!r}.", "Leave the column out.")
        for name in names
        if data.source.kinds[name] == "other" and path.suffix in formats.WRITTEN
    ]
    return [*release_problems(names, path, metadata, records), *lists]


def _unescapable(names: Sequence[str], target: Path, escape: bool) -> list[Problem]:
    if not escape:
        return []
    if target.suffix == ".parquet":
        what = f"{argument('escape_formulas')} is for CSV files."
        return [Problem("O07", what, "Leave it out: other files hold no formulas.")]
    return [
        Problem("O07", f"the name of column {name!r} would be run as a formula.", "Rename it.")
        for name in names
        if name.startswith(engine.FORMULA)
    ]
