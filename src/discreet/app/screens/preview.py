"""Previews of a hierarchy: what each level makes of the values, without showing a rare one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.app.jobs.lattice import level_words
from discreet.app.jobs.table import values_file
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError, fail
from discreet.reports.shown_values import ShownValues, column_values

if TYPE_CHECKING:
    from discreet.hierarchies.groups import ValueGroups

_LABELS = 8


@dataclass(frozen=True)
class Level:
    """A level of a hierarchy, fitted to the values of a column: its groups of enough records, some
    by their labels, and how many more there are of these, and of smaller ones."""

    number: int
    groups: int
    smallest: int
    labels: tuple[str, ...]
    more: int
    rare: int


def preview(workspace: Workspace, number: int, given: Mapping[str, Any]) -> tuple[Level, ...]:
    """The levels that a hierarchy gives a column; what does not fit is said.

    Parameters
    ----------
    workspace : Workspace
        It says how many records a group needs for its label to be shown.
    number : int
        Of the column.
    given : mapping
        The hierarchy as a plan writes it.
    """
    hierarchy, name, values, counts = _asked(workspace, number, given)
    fitted = hierarchy.fit(name, values, counts)
    levels = range(fitted.height + 1)
    return tuple(_level(fitted, level, counts, workspace.least) for level in levels)


def unmatched(workspace: Workspace, number: int, given: Mapping[str, Any]) -> ShownValues | None:
    """The values that a hierarchy has no place for, those of enough records; None where all have,
    or where they cannot be counted.

    The parameters are those of :func:`preview`.
    """
    try:
        hierarchy, name, values, counts = _asked(workspace, number, given)
        lost = hierarchy.unmatched(name, values, counts)
        if not lost.any():
            return None
        return column_values(values.filter(lost), counts[lost], "nominal").shown(workspace.least)
    except DiscreetError:
        return None


def levels_in_words(workspace: Workspace, number: int, given: Mapping[str, Any]) -> tuple[str, ...]:
    """What each level makes of the values, in words; nothing where they cannot be counted.

    The parameters are those of :func:`preview`.
    """
    try:
        hierarchy, name, values, counts = _asked(workspace, number, given)
        return level_words(given, hierarchy.fit(name, values, counts))
    except DiscreetError:
        return ()


def groups_of(workspace: Workspace, number: int, given: Mapping[str, Any]) -> ValueGroups:
    """What a hierarchy makes of the values of a column, to be changed by hand.

    The parameters are those of :func:`preview`.
    """
    hierarchy, name, values, counts = _asked(workspace, number, given)
    return hierarchy.groups(name, values, counts)


def _asked(
    workspace: Workspace, number: int, given: Mapping[str, Any]
) -> tuple[ds.Hierarchy, str, Any, Any]:
    """A hierarchy, the column, and the values and counts that it is held against."""
    place, name = values_file(workspace.folder, number), workspace.names[number]
    if not place.exists():
        what = "the column has too many values, or values that cannot be counted."
        fail("N60", what, "Choose another column, or try the hierarchy by protecting the table.")
    document = {"roles": {"keys": [name]}, "hierarchies": {name: dict(given)}}
    hierarchy = ds.Plan.of(document, workspace.folder).hierarchies[name]
    return hierarchy, name, *_counted(place)


def _counted(place: Path) -> tuple[Any, Any]:
    from pyarrow import feather

    table = feather.read_table(str(place)).combine_chunks()
    return table.column("value").combine_chunks(), table.column("records").to_numpy()


def _level(fitted: Any, level: int, counts: Any, least: int) -> Level:
    import numpy as np

    groups = fitted.groups[level]
    records = np.bincount(fitted.maps[level], weights=counts, minlength=groups).astype(np.int64)
    enough = np.flatnonzero(records >= least).tolist()
    shown: list[str] = []
    if level > 0:  # level 0 are the values themselves
        labels = fitted.labels[level].to_pylist()
        shown = ["missing" if labels[i] is None else str(labels[i]) for i in enough[:_LABELS]]
    more, rare = len(enough) - len(shown), groups - len(enough)
    return Level(level, groups, int(records.min()), tuple(shown), more, rare)
