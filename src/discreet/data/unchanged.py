"""Unchanged columns: what is released unchanged, and on which of it many records are unique; and
what was written.

A criterion looks at the keys. A column that nobody called a key leaves with every value it had, and
where many records are unique on it, whoever knows that value of a person finds the record, however
safe the keys are: a household number, a sampling weight of many digits, an exact amount. So
whatever is released unchanged is listed, and such columns are flagged.

A column is flagged where 5 % of the records or more are unique on it, or where fewer than 5 records
share a value on average. What cannot be counted (lists, structures, bytes) is flagged as well. A
column of which single cells were changed is as it was in all others, and stays on the list.
"""

from __future__ import annotations

import functools
import html
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet import engine, frames
from discreet.data import attributes
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, listed
from discreet.frames import FrameKind
from discreet.results import Result
from discreet.words import counted, share

MANY = 0.05  # share of unique records from which a column is flagged
FEWEST = 5  # records that share a value on average: the usual limit of official statistics
RULE = (
    f"flagged where {MANY:.0%} of the records or more are unique on it, or where fewer than "
    f"{FEWEST} records share a value on average"
)


@dataclass(frozen=True)
class UnchangedColumn:
    """A column that is released unchanged.

    Attributes
    ----------
    column, role : str
    n : int
        Number of records that leave.
    distinct, filled, unique : int or None
        Number of its values, of records that have one, and of records that are unique on it; None
        for lists, structures and bytes, which are not counted.
    """

    column: str
    role: str
    n: int
    distinct: int | None
    filled: int | None
    unique: int | None

    @property
    def flagged(self) -> bool:
        """Whether many records are unique on it."""
        if self.distinct is None or self.filled is None or self.unique is None:
            return True
        return is_flagged(self.n, self.distinct, self.filled, self.unique)

    @property
    def confidential(self) -> bool:
        """Whether it is released on purpose."""
        return "confidential" in self.role

    def found(self) -> str:
        """How many records are unique on it, in words."""
        if self.distinct is None or self.filled is None or self.unique is None:
            return "it holds lists, structures or bytes, which are not counted"
        return found_in_words(self.n, self.distinct, self.filled, self.unique)

    def explain(self) -> str:
        """What a steward must know of a flagged column, in a sentence."""
        if self.unique is None:
            return f"{self.column}: {self.found()}. Look into it before release."
        if self.confidential:
            return (
                f"{self.column} is confidential and released on purpose, and {self.found()}: "
                "whoever knows the value of a person recognises the record and learns the rest of "
                "it."
            )
        which = "the record" if self.unique >= MANY * self.n else "the few records that share it"
        return f"{self.column}: {self.found()}. Whoever knows the value of a person finds {which}."

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**vars(self), "flagged": self.flagged}


@dataclass(frozen=True, eq=False, repr=False)
class Unchanged(Result):
    """The columns that are released unchanged.

    Attributes
    ----------
    columns : tuple of UnchangedColumn
        In the order of the file.
    released : int
        Number of columns that leave.
    scaled : tuple of str
        Those whose values a sample multiplied, as it must: weights. They tell records apart as
        before, and stay on the list.
    in_cells : tuple of str
        Those of which single cells were changed; all other cells are as they were.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [23, 37, 38] * 9, "fare": list(range(27))}, keys=["age"])
    >>> found = ds.unchanged(survey)
    >>> found.released, [one.column for one in found.flagged]
    (2, ['fare'])
    """

    columns: tuple[UnchangedColumn, ...]
    released: int
    kind: FrameKind
    scaled: tuple[str, ...] = ()
    in_cells: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """When a column is flagged, in words."""
        return RULE

    @property
    def flagged(self) -> tuple[UnchangedColumn, ...]:
        """Those on which many records are unique."""
        return tuple(one for one in self.columns if one.flagged)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per column: role, number of values, unique records, their share, flag."""
        numbers = {name: pa.int64() for name in ("distinct", "unique")}
        types = {"column": pa.string(), "role": pa.string(), **numbers, "share": pa.float64(),
                 "flagged": pa.bool_()}  # fmt: skip
        rows = [
            {"column": one.column, "role": one.role, "distinct": one.distinct,
             "unique": one.unique, "flagged": one.flagged,
             "share": None if one.unique is None else one.unique / max(one.n, 1)}
            for one in self.columns
        ]  # fmt: skip
        table = pa.Table.from_pylist(rows, pa.schema(list(types.items())))
        return frames.from_arrow(table, kind or self.kind)

    def explain(self) -> str:
        """What is released unchanged, and what to do with the columns that are flagged."""
        if not self.columns:
            return "No column is released unchanged."
        lines = self._listed()
        lines += [
            f"The weights in {name} were divided by the share drawn, and tell records apart as "
            "before."
            for name in self.scaled
        ]
        if not self.flagged:
            none = "It does not make" if len(self.columns) == 1 else "None of them makes"
            return "\n".join([*lines, f"{none} many records unique."])
        lines += [f"Warning: {one.explain()}" for one in self.flagged]
        lines.append(
            "Leave such a column out (identifiers), mask it, or be able to say why it may be "
            "released: a public release needs the reason in writing."
        )
        return "\n".join(lines)

    def _listed(self) -> list[str]:
        """The columns by name: those that are unchanged, then those with some changed cells."""
        whole = [one.column for one in self.columns if one.column not in self.in_cells]
        verb = "is" if len(whole) == 1 else "are"
        out_of = counted(self.released, "column")
        lines = [f"{len(whole):,} of {out_of} {verb} released unchanged: {listed(whole, 20)}."]
        lines = lines if whole else ["No column is released wholly unchanged."]
        partly = f"Only some cells of {listed(self.in_cells, 20)} were changed."
        return [*lines, *([partly] if self.in_cells else [])]

    def problems(self, reasons: Mapping[str, str], remedy: str) -> list[Problem]:
        """What stands in the way of a public release: a flagged column without a reason."""
        bare = [one for one in self.flagged if not str(reasons.get(one.column) or "").strip()]
        if not bare:
            return []
        said = "; ".join(
            f"{one.column!r}{' (confidential)' if one.confidential else ''}"
            f"{' (some cells changed)' if one.column in self.in_cells else ''}: {one.found()}"
            for one in bare
        )
        how = "unchanged, or in some cells only," if self.in_cells else "unchanged"
        what = (
            f"a public release needs a reason in writing for each column that is released {how} "
            f"and tells many records apart: {said}."
        )
        return [Problem("O09", what, f"Leave it out (identifiers), mask it, or {remedy}")]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {"released": self.released, "columns": [one.to_dict() for one in self.columns]}

    def __repr__(self) -> str:
        return self.explain()


def unchanged(
    data: Microdata,
    *,
    changed: Collection[str] | None = None,
    identifiers: Sequence[str] | str = (),
) -> Unchanged:
    """List the columns that are released unchanged, and flag those that make many records unique.

    Parameters
    ----------
    data : Microdata
        What is to be released: masked microdata, or a file as it is.
    changed : list of str, optional
        Columns whose values were changed; by default those that the maskings changed, and not
        in single cells only.
    identifiers : list of str
        Identifiers that are written all the same.

    Returns
    -------
    Unchanged
        ``.columns``, ``.flagged``, ``.table()``.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [23, 37, 38] * 9, "fare": list(range(27))}, keys=["age"])
    >>> [(one.column, one.unique, one.flagged) for one in ds.unchanged(survey).columns]
    [('age', 0, False), ('fare', 27, True)]
    """
    require_microdata(data, named="the argument")
    masked = data.changed - data.in_cells if isinstance(data, Masked) else frozenset()
    touched = masked if changed is None else frozenset(changed)
    free = {*data.released, *attributes.names(identifiers)}
    leaving = [c for c in data.columns if c in free]
    names = [c for c in leaving if c not in touched]
    figures = data.value_figures(names)
    columns = [
        UnchangedColumn(name, data.roles.of(name), data.n, *figures.get(name, (None, None, None)))
        for name in names
    ]
    steps = data.steps if isinstance(data, Masked) else ()
    weights = {step.parameters["weight"]["column"] for step in steps if "weight" in step.parameters}
    scaled = tuple(name for name in names if name in weights)
    partly = data.in_cells if isinstance(data, Masked) and changed is None else frozenset()
    in_cells = tuple(name for name in names if name in partly)
    return Unchanged(tuple(columns), len(leaving), data.source.kind, scaled, in_cells)


def is_flagged(n: int, distinct: int, filled: int, unique: int) -> bool:
    """The rule: many records are unique, or few share a value."""
    return (unique > 0 and unique >= MANY * n) or filled < FEWEST * distinct


def found_in_words(n: int, distinct: int, filled: int, unique: int) -> str:
    """How many records are unique on a column; where few are, how many share a value."""
    if unique == n:
        return f"all {n:,} records are unique on it"
    verb = "is" if unique == 1 else "are"
    said = f"{unique:,} of {counted(n, 'record')} ({share(unique, n)}) {verb} unique on it"
    if unique >= MANY * n:
        return said
    few = f"on average {filled / max(distinct, 1):.1f} records share a value of it"
    return f"{few}; {said}" if unique else few


# -- What was written: the file, its records and columns, and what of it left as it was ------------


@dataclass(frozen=True, eq=False, repr=False)
class Written(Result):
    """What ``.write`` gave out.

    Attributes
    ----------
    path : Path
    data : Microdata
        What was written.
    identifiers : tuple of str
        Identifiers that were written all the same.
    dropped : tuple of str
        What the file that was read said of itself and was left out, by name: "notes".

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [10, 30, 20, 20, 10], "sex": list("MMMFF")}, keys=["age", "sex"])
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = survey.write(f"{folder}/survey.csv")
    >>> written.path.name, written.identifiers
    ('survey.csv', ())
    """

    path: Path
    data: Microdata
    identifiers: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were written."""
        held = (*self.data.released, *self.identifiers)
        return tuple(c for c in self.data.columns if c in held)

    @functools.cached_property
    def unchanged(self) -> Unchanged:
        """What left as it was; counted where the records are, when first asked for."""
        return unchanged(self.data, identifiers=self.identifiers)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per column that left as it was."""
        return self.unchanged.table(kind)

    def explain(self) -> str:
        """What was written, and what of it left as it was."""
        said = f"{counted(self.data.n, 'record')} written to {self.path.name}."
        if self.dropped:
            named = ", ".join(one.replace("_", " ") for one in self.dropped)
            said += f" Metadata left out: {named}."
        return f"{said}\n{self.unchanged.explain()}"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "written": self.path.name,
            "records": self.data.n,
            "columns": list(self.columns),
            "unchanged": self.unchanged.to_dict(),
            **({"dropped": list(self.dropped)} if self.dropped else {}),
        }

    def __repr__(self) -> str:
        """In full where the records are here; it asks no other engine."""
        if engine.is_near(self.data.source) or "unchanged" in self.__dict__:
            return self.explain()
        return f"{counted(len(self.columns), 'column')} written to {self.path.name}."

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in repr(self).split("\n"))
