"""Microdata: a table with one record per person, household or firm, and what is said of it.

A :class:`Microdata` is a lazy table with roles, attribute types and a missing-value policy.
Nothing is loaded until a measure asks for counts, and no cell is ever shown.
"""

from __future__ import annotations

import functools
import html
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import numpy as np
import pyarrow as pa

from discreet import engine, formats, frames
from discreet.data import attributes
from discreet.data.attributes import Roles, Types, is_weight, unknown_column
from discreet.data.checks import checked, unfit_kinds, weights_beyond
from discreet.data.options import ALONE, MissingPolicy, Origin
from discreet.data.outputs import write_problems
from discreet.errors import Problem, argument, did_you_mean, fail, raise_all, told_columns
from discreet.files import beside
from discreet.frames import FrameKind
from discreet.frequency.classes import Classes, classes_with_values, compatible_classes
from discreet.frequency.frequency_set import FrequencySet, coded
from discreet.surface import function, in_python
from discreet.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.unchanged import Written
    from discreet.frequency.value_counts import Sum
    from discreet.plan.plan import Plan

_MANY = 100_000  # combinations: counting more leaves memory in reserve that is worth returning
POLICIES: tuple[MissingPolicy, ...] = get_args(MissingPolicy)


@dataclass(frozen=True, eq=False, repr=False)
class Microdata:
    """Records with roles, types and a missing-value policy. Made by ``ds.read``.

    Attributes
    ----------
    roles : Roles
        What each column is to an intruder; ``.keys`` and others name the columns of a role.
    types : mapping of column to type
        How each column is measured and stored.
    missing : str
        What a missing value is: "category", "wildcard" or "refuse".

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [23, 37, 38], "illness": ["flu", "flu", "none"]},
    ...                  keys=["age"], confidential=["illness"])
    >>> survey.n, survey.columns, survey.keys, survey.types["age"].measure
    (3, ('age', 'illness'), ('age',), 'continuous')
    """

    source: engine.Source
    roles: Roles
    types: Types
    missing: MissingPolicy
    origin: Origin = field(default_factory=Origin, kw_only=True)

    def __reduce__(self) -> NoReturn:
        """Refused: the records lie in an engine of this process, not in the object."""
        fail(
            "N15",
            "microdata cannot be pickled: the records stay in the engine of this process.",
            f"Write them with {in_python('.write(…)')} and read the file in the other process, or "
            f"pickle what a result says: {in_python('.to_dict()')}.",
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, in order."""
        return self.source.names

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Columns that name a person; never written."""
        return self.roles.identifiers

    @property
    def keys(self) -> tuple[str, ...]:
        """Key attributes: what an intruder may know."""
        return self.roles.keys

    @property
    def confidential(self) -> tuple[str, ...]:
        """Confidential attributes: what an intruder wants to learn."""
        return self.roles.confidential

    @property
    def weight(self) -> str | None:
        """Column of sampling weights."""
        return self.roles.weight

    @property
    def weight_columns(self) -> list[str]:
        """Columns of sampling weights: the one with that role, and those whose name says so."""
        kinds = {name: self.source.kinds[name] for name in self.columns}
        return [name for name in kinds if name == self.weight or is_weight(name, kinds[name])]

    @property
    def record_id(self) -> str | None:
        """Column that names the records; never written."""
        return self.roles.record_id

    @property
    def household(self) -> str | None:
        """Column that says who lives together; not written unless it is asked for."""
        return self.roles.household

    @property
    def subject(self) -> str | None:
        """Column that says which person a record is of; not written unless it is asked for."""
        return self.roles.subject

    @property
    def name(self) -> str:
        """Where the records come from: a file name, or a kind of frame."""
        return self.source.origin

    @functools.cached_property
    def n(self) -> int:
        """Number of records."""
        return engine.size(self.source)

    @functools.cached_property
    def profile(self) -> dict[str, tuple[int, int]]:
        """Per column the number of distinct values and the number of missing ones."""
        return engine.profile(self.source, self.columns)[1]

    def value_figures(self, names: Sequence[str]) -> dict[str, tuple[int, int, int]]:
        """Per column its number of values, of records that have one, and of records that alone
        have theirs; lists, structures and bytes are not counted and left out.
        """
        known = self.__dict__.setdefault("_value_figures", {})  # records do not change
        plain = [n for n in names if self.source.kinds[n] != "other"]
        asked = [n for n in plain if n not in known]
        known |= engine.value_figures(self.source, asked) if asked else {}
        return {name: known[name] for name in plain}

    def label(self, name: str) -> str:
        """A column in words, where the file that was read has a label for it; else empty."""
        book = self._first.origin.book
        return "" if book is None else book.label(name)

    @property
    def released(self) -> tuple[str, ...]:
        """The columns that may be written: all that are not held back."""
        return tuple(c for c in self.columns if c not in self.roles.held_back)

    def frequency_set(
        self,
        names: Sequence[str] | None = None,
        *,
        weighted: bool = False,
        inverse: bool = False,
    ) -> FrequencySet:
        """The frequency set of some attributes (default: the keys): combinations and counts, and
        the sum of the sampling weights of each, or of 1/weight, if asked for."""
        chosen = self._known(names if names is not None else self.need_keys())
        if not chosen:
            fail("P04", "no attribute is named.", "Name at least one.")
        scales = {name: self.types.scale(name) for name in chosen}
        weight = self.need_weight() if weighted or inverse else None
        found = engine.frequencies(self.source, chosen, scales, weight, inverse)
        if len(found) > _MANY:
            engine.give_back(self.source)
        self.__dict__.setdefault("n", found.n)  # counted on the way
        return found

    def some_values(
        self, keys: Sequence[str], most: Mapping[str, int | None]
    ) -> tuple[FrequencySet, dict[str, FrequencySet]]:
        """The frequency set of the keys; and the keys with the values of an attribute in each
        class: all of them, or up to so many, and a missing one, not with their counts.
        """
        whole = [name for name, limit in most.items() if limit is None]
        engine.need_few_pairs(self.source, keys, whole)
        chosen = self._known([*keys, *most])
        scales = {name: self.types.scale(name) for name in chosen}
        counted, values = engine.counts_and_values(self.source, chosen[: len(keys)], most)
        found = FrequencySet.from_arrow(keys, counted, scales)
        self.__dict__.setdefault("n", found.n)  # counted on the way
        return found, {
            name: FrequencySet.from_arrow([*keys, name], table, scales)
            for name, table in values.items()
        }

    def classes(
        self,
        distinct: Sequence[str] = (),
        values: Sequence[str] = (),
        sums: Sequence[Sum] | None = None,
    ) -> Classes:
        """The classes on the keys by size, with the numbers of distinct values in each of them,
        and with the values of some attributes; ``sums`` over these will do where they are given
        and another engine holds the records.

        Under ``missing="wildcard"`` there is no partition: the size of a record is the number of
        records compatible with it.
        """
        keys, chosen = self.need_keys(), self._known(distinct)
        if values and sums and not engine.is_near(self.source):
            return self._summed_classes(keys, chosen, sums)
        if values:
            return self._classes_with_values(keys, self._known([*distinct, *values]))
        if self.missing == "wildcard" and any(self.profile[key][1] for key in keys):
            by_value = {name: self.frequency_set([*keys, name]) for name in chosen}
            return compatible_classes(self.frequency_set(keys), by_value)
        skip_missing = self.missing == "wildcard"
        signatures = engine.class_signatures(self.source, keys, chosen, skip_missing)
        found = Classes.from_arrow(signatures, chosen)
        self.__dict__.setdefault("n", found.n)  # counted on the way
        return found

    def _classes_with_values(self, keys: tuple[str, ...], names: tuple[str, ...]) -> Classes:
        self.need_partition("counting the values of a class")
        if engine.is_near(self.source):
            pairs = {name: self.frequency_set([*keys, name]) for name in dict.fromkeys(names)}
            counted = self.frequency_set(keys)
        else:
            counted, pairs = self.some_values(keys, dict.fromkeys(names))
        whole = {name: self.whole(name, pairs[name]) for name in pairs}
        return classes_with_values(counted, pairs, whole)

    def _summed_classes(
        self, keys: tuple[str, ...], distinct: tuple[str, ...], sums: Sequence[Sum]
    ) -> Classes:
        self.need_partition("counting the values of a class")
        asked = [(name, kind, self._whole_source(name)) for name, kind in sums]
        found = Classes.from_arrow(
            engine.summed_classes(self.source, keys, distinct, asked), distinct, sums
        )
        self.__dict__.setdefault("n", found.n)  # counted on the way
        return found

    def _whole_source(self, name: str) -> engine.Source:  # noqa: ARG002
        """Where the distribution lies that classes are compared with."""
        return self.source

    def class_figures(self, sets: Sequence[Sequence[str]]) -> list[tuple[int, int, int]] | None:
        """Per set of attributes its classes, uniques and pairs within classes, counted where the
        records are; None where they can be brought together and rolled up.
        """
        far = engine.is_distributed(self.source)
        return engine.class_figures(self.source, sets) if far else None

    def whole(self, name: str, counted: FrequencySet | None = None) -> FrequencySet:
        """The distribution of an attribute in the whole file, which classes are compared with;
        ``counted`` holds it together with others, where that has been counted already.
        """
        return self.frequency_set([name]) if counted is None else counted.rollup([name])

    def need_partition(self, what: str) -> None:
        """Refuse wildcards where records must fall into classes."""
        if self.missing == "wildcard":
            fail(
                "N01",
                f"{what} needs classes, and with {argument('missing', 'wildcard')} there are none.",
                f"Read the data with {argument('missing', 'category')}.",
            )

    def infinite_problems(self, names: Sequence[str]) -> list[Problem]:
        """The problems of columns with infinite numbers, for what works with means."""
        return [
            Problem(
                "D12",
                f"{name!r} has {counted(number, 'infinite value')} and no mean.",
                f"Name them in {argument('missing_values')}, or drop the records.",
            )
            for name, number in engine.infinite(self.source, names).items()
        ]

    def unbounded_problems(self, names: Sequence[str]) -> list[Problem]:
        """The problems of columns with infinite numbers, or with some whose powers are, for what
        works with variances."""
        large = engine.infinite(self.source, names, engine.LARGEST)
        infinite = self.infinite_problems(list(large)) if large else []
        return infinite or [
            Problem(
                "D12",
                f"{name!r} has {counted(number, 'value')} above {engine.LARGEST:g} in size and no "
                "variance.",
                "Divide the column by a power of ten before it is read.",
            )
            for name, number in large.items()
        ]

    def class_sizes(self) -> NDArray[np.int64]:
        """The size of each record's class on the keys, in the order of the records."""
        self.need_partition("the class size of a record")
        return engine.class_sizes(self.source, self.need_keys(), self.n)

    def coded(self, name: str) -> tuple[pa.Array, NDArray[np.unsignedinteger]]:
        """The values of an attribute in order, missing last, and each record's rank among them, in
        the order of the records and in as few bytes as will do."""
        column = engine.collect(self.source, self._known([name])).column(0)
        values, codes = coded(column, self.types.scale(name))
        return values, codes.astype(np.min_scalar_type(max(len(values) - 1, 0)), copy=False)

    def compositions(self, household: str, keys: FrequencySet) -> pa.Table:
        """Households alike: the places in a frequency set of what their members have, how many
        members have it, the number of such households, and of records in each. Of persons, their
        records are the members.
        """
        return engine.compositions(self.source, household, keys.attributes, keys.combinations())

    @property
    def has_names(self) -> bool:
        """Whether its columns have names: else they may be the first record of a file."""
        return self.source.sure or bool(self.roles.all_named)

    def need_keys(self) -> tuple[str, ...]:
        """The keys, or an error that says how to name them."""
        if not self.keys:
            fail(
                "R05",
                f"no key attribute of {self.name} is named.",
                f"Name what an intruder may know: {argument('keys')}. "
                f"{told_columns(self.columns, self.has_names)}",
            )
        return self.keys

    def need_weight(self, at_least: float | None = None) -> str:
        """The column of sampling weights, or an error that says how to name it; none of them may be
        below a number, where one is given."""
        if self.weight is None:
            fail(
                "R13",
                f"no sampling weight of {self.name} is named.",
                f"Name the column that says how many people each record stands for: "
                f"{argument('weight')}. {told_columns(self.columns, self.has_names)}",
            )
        if at_least is not None:
            raise_all(weights_beyond(self, at_least))
        return self.weight

    def total_weight(self) -> float:
        """The exact sum of the sampling weights, of which none may be below 1: how many people of
        the population the records stand for."""
        return engine.number_summary(self.source, self.need_weight(at_least=1))[0]

    def need_household(self) -> str:
        """The column that says who lives together, or an error that says how to name it."""
        if self.household is None:
            fail(
                "R14",
                f"no household of {self.name} is named.",
                f"Name the column that says who lives together: {argument('household')}.",
            )
        return self.household

    def need_subject(self) -> str:
        """The column that says which person a record is of, or an error that says how to name
        it."""
        if self.subject is None:
            fail(
                "R16",
                f"no subject of {self.name} is named.",
                f"Name the column that says whose record each one is: {argument('subject')}.",
            )
        return self.subject

    def with_roles(self, **changes: Any) -> Microdata:
        """The same records with other roles: ``data.with_roles(keys=["age", "sex"])``."""
        unknown = set(changes) - set(Roles.__dataclass_fields__)
        raise_all(
            [
                Problem("P04", f"{u!r} is not a role.", did_you_mean(u, Roles.__dataclass_fields__))
                for u in sorted(unknown)
            ]
        )
        tidy: dict[str, Any] = {
            role: attributes.name(value, role) if role in ALONE else attributes.names(value)
            for role, value in changes.items()
        }
        roles = replace(self.roles, **tidy)
        declared = self._first.origin.types
        told = {n: t for n, t in roles.measured(self.source.kinds).items() if n not in declared}
        return checked(replace(self, roles=roles, types=self.types.but(told)))

    def native(self) -> Any:
        """The records as a table that stays where it is, without the columns that are
        held back: a Spark frame where Spark holds them, else an Ibis table.
        """
        return engine.native(self.source, self.released)

    def to(self, kind: FrameKind) -> Any:
        """The records as a frame, without the columns that are held back."""
        return frames.from_arrow(engine.collect(self.source, self.released), kind)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        identifiers: Sequence[str] | str = (),
        escape_formulas: bool = False,
        metadata: Sequence[str] = (),
    ) -> Written:
        """Write the records in their order, without the columns that are held back. The
        ending of the name says how: ``.csv``, ``.parquet``, or with the extra ``formats`` ``.sav``,
        ``.dta`` or ``.xlsx``, with the labels that the records were read with. What one of these
        files cannot hold, such as dates before 1900 in a sheet, is refused (O10).

        Parameters
        ----------
        path : str or path
            The file appears whole or not at all, with permissions not wider than the input's.
        overwrite : bool
        identifiers : list of str
            Identifiers, household or subject to write all the same; the record id never is.
        escape_formulas : bool
            In a CSV file, put an apostrophe before texts that a spreadsheet would run as a
            formula: those that begin with ``= + - @``, a tab or a carriage return.
        metadata : list of str
            What the file that was read said of itself and is written all the same: "file_label",
            "notes". It may name people, and is left out otherwise.

        Returns
        -------
        Written
            What left: ``.columns``, ``.unchanged``; what was left out: ``.dropped``.
        """
        asked, kept = attributes.names(identifiers), attributes.names(metadata)
        raise_all(self.write_problems(path, overwrite, asked, escape_formulas, kept))
        return self._write(Path(path), asked, escape_formulas, None, kept)

    def write_problems(
        self,
        path: str | os.PathLike[str],
        overwrite: bool = False,
        identifiers: Sequence[str] | str = (),
        escape_formulas: bool = False,
        metadata: Sequence[str] = (),
    ) -> list[Problem]:
        """All that stands in the way of ``.write``: ask before the work, not after it."""
        asked = attributes.names(identifiers)
        names = self._written(asked)
        return write_problems(self, names, path, overwrite, asked, escape_formulas, metadata)

    def _written(self, asked: Sequence[str]) -> tuple[str, ...]:
        return tuple(c for c in self.columns if c in self.released or c in asked)

    def _write(
        self,
        path: Path,
        asked: Sequence[str],
        escape: bool,
        seed: int | None,
        metadata: Sequence[str] = (),
    ) -> Written:
        from discreet.data.unchanged import Written

        names, origin = self._written(asked), self._first.origin
        if path.suffix in formats.WRITTEN:
            from discreet.formats.release import write_release

            table = engine.collect(self.source, names, seed)
            with beside(path, origin.file) as place:
                write_release(table, place, origin.book, metadata, self.weight)
        else:
            engine.write(self.source, names, path, engine.Form(seed, escape, origin.file))
        about = () if origin.book is None else tuple(origin.book.about)
        dropped = tuple(one for one in about if one not in metadata)
        return Written(path, self, tuple(asked), dropped)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that the records were made from, which are never written to."""
        return () if self.origin.file is None else (self.origin.file,)

    @property
    def _first(self) -> Microdata:
        """The microdata that were read."""
        return self

    def plan(
        self,
        output: str = "masked.csv",
        measures: Mapping[str, Mapping[str, Any]] | None = None,
        criterion: Any = None,
    ) -> Plan:
        """The plan that reads these records again and writes them (``ds.Plan``).

        It holds what was said of the data when they were read, and nothing that is in them.

        Parameters
        ----------
        output : str
            Name of the masked file.
        measures : mapping of measure to arguments, optional
            What is to be measured before and after: ``{"risk": {}}``.
        criterion : criterion or list of criteria, optional
            What must hold in the end; where it is not given, that of the last step.
        """
        from discreet.plan.calls import plan_of

        return plan_of(self, output, measured=measures, criterion=criterion)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per column: role, type, distinct values, missing values."""
        rows = [
            {"column": c, "role": self.roles.of(c), "type": str(self.types[c]),
             "distinct": self.profile[c][0], "missing": self.profile[c][1],
             **({"label": self.label(c)} if any(map(self.label, self.columns)) else {})}
            for c in self.columns
        ]  # fmt: skip
        return frames.from_arrow(pa.Table.from_pylist(rows), kind or self.source.kind)

    def __repr__(self) -> str:
        """The columns and their counts; as a traceback shows it too, it asks no other engine."""
        here = engine.is_near(self.source)
        n = (
            counted(self.n, "record")
            if here or "n" in self.__dict__
            else "records (not counted yet)"
        )
        profile = self.profile if here else self.__dict__.get("profile", {})
        width = max(len(c) for c in self.columns)
        lines = [f"Microdata: {n} of {self.name}, missing={self.missing!r}"]
        for c in self.columns:
            kind = str(self.types[c]) if here else self.types.said(c)
            line = f"  {c:<{width}}  {self.roles.of(c):<18}  {kind:<20}"
            if c in profile:
                distinct, missing = profile[c]
                line += f"  {distinct:>9,} distinct  {missing:>7,} missing"
            line += f"  {self.label(c)}"
            lines.append(line.rstrip())
        why = attributes.why_codes(self.types.codes()) if here else ""
        return "\n".join([*lines, *([f"  {why}"] if why else [])])

    def _repr_html_(self) -> str:
        why = html.escape(attributes.why_codes(self.types.codes()))
        rows = "".join(
            f"<tr><td>{html.escape(c)}</td><td>{self.roles.of(c)}</td><td>{self.types[c]}</td>"
            f"<td>{self.profile[c][0]:,}</td><td>{self.profile[c][1]:,}</td></tr>"
            for c in self.columns
        )
        return (
            f"<table><caption>{counted(self.n, 'record')} of {html.escape(self.name)}</caption>"
            "<thead><tr>"
            "<th>column</th><th>role</th><th>type</th><th>distinct</th><th>missing</th>"
            f"</tr></thead><tbody>{rows}</tbody></table>" + (f"<p>{why}</p>" if why else "")
        )

    def _known(self, given: Sequence[str]) -> tuple[str, ...]:
        names = attributes.names(given)
        raise_all(
            [
                unknown_column("attribute", name, self.columns, self.name, self.has_names)
                for name in names
                if name not in self.columns
            ]
        )
        raise_all(unfit_kinds(self, names))
        return names


def require_microdata(*files: object, named: str = "the first argument") -> None:
    """Refuse what is not microdata."""
    if not all(isinstance(data, Microdata) for data in files):
        fail("P09", f"{named} is not microdata.", f"Open it with {function('read', '…')} first.")
