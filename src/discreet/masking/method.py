"""Masking methods: each is described once, by the mark on its function and its signature.

    @masking(title="Microaggregation", done="microaggregated",
             about="Similar records form groups, and all get the average of their group.")
    def microaggregate(data: Microdata, columns: Annotated[…] = None, k: Annotated[…] = 3, …)

A plan, the command line, the app, reports, maps and the docs take from it what they show and what
they accept. Two methods need more than one call: one argument is measured first
(``measures={"risk": record_risk}``), or what the function finds is turned into masked microdata
(``finish=``). The parameters of these calls are parameters of the method, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import pyarrow as pa
from annotated_doc import Doc

from discreet import engine
from discreet.data import attributes
from discreet.data.masked import (
    Masked,
    masked_from,
    require_ids,
    require_link,
    require_records,
)
from discreet.errors import Problem, fail
from discreet.parameters import (
    Amount,
    ColumnFacts,
    Columns,
    Label,
    Parameter,
    Public,
    Seed,
    Shared,
    Unfit,
    parameters_of,
    unread_parameters,
)
from discreet.registry import Entry, measures
from discreet.surface import in_python, speaking

if TYPE_CHECKING:
    from discreet.data.attributes import AttributeType
    from discreet.data.masked import Promise
    from discreet.data.microdata import Microdata

Fit = Callable[[ColumnFacts], Sequence[Unfit]]
_Function = TypeVar("_Function", bound=Callable[..., Any])
MEASURE = "measure"  # the parameter that names what is measured first
# Parameters of several methods; where they have no ``Doc``, a method says what it does with them.
MaskedColumns = Annotated[Sequence[str] | str, Label("Columns"), Public]
Strata = Annotated[Sequence[str] | str, Columns(), Label("Strata"), Public]
SecretSeed = Annotated[int | None, Seed, Label("Seed (keep it secret)")]
WhatMustHold = Annotated[
    Any, Shared("criterion"), Label("What must hold"), Doc("One criterion, or several.")
]
MostSuppressed = Annotated[
    float,
    Amount,
    Label("Records that may be left out"),
    Doc("Share (0.02) or number (20) of records that may be suppressed."),
    Public,
]
WholeStays = Annotated[bool, Label("whole numbers stay whole"), Public]


@dataclass(frozen=True)
class Done:
    """What a method gives: the masked file, for a search what it found, and figures of its own
    with a sentence that says them.
    """

    masked: Any
    found: Any = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""


@dataclass(frozen=True, eq=False)
class Method:
    """A masking method as every surface knows it.

    Attributes
    ----------
    entry : Entry
        Its name, and the package from outside that it came with.
    title, about, done : str
        "Microaggregation", a sentence for those who do not know it, "microaggregated".
    noun : str
        On a map of maskings: "generalization".
    example : str
        Options of an example in the help of the command.
    tells : tuple of str
        Measures that the command shows after it.
    measures : mapping of argument to function
        Arguments that are measured first, on the same data, and by which measure as a rule; another
        one that gives a risk of every record can be named: ``measure = "individual_risk"``.
    finish : function, optional
        What turns the result of the function into masked microdata.
    public_facts : tuple of str
        What it found and records with its step, and everybody may know.
    outcome : function, optional
        From what was measured first and the arguments to figures of its own, and a sentence.
    holds : function, optional
        Whether the criterion that it is given holds of the released file as a check counts it, with
        these arguments; always where there is none.
    perturbs : bool or function
        Whether a released value may be one that the record never had, so that records that look
        alike need not have been alike: classes counted on such columns say little about who can be
        recognised. A function where it depends on the arguments.
    cautions : function, optional
        From the recorded parameters of a step to sentences that everybody must know who reads of
        it; the report says them.
    """

    entry: Entry
    function: Callable[..., Any]
    title: str
    about: str
    done: str
    noun: str
    example: str = ""
    tells: tuple[str, ...] = ()
    measures: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    finish: Callable[..., Any] | None = None
    public_facts: tuple[str, ...] = ()
    outcome: Callable[..., tuple[Mapping[str, Any], str]] | None = None
    holds: Callable[[Mapping[str, Any]], bool] | None = None
    perturbs: bool | Callable[[Mapping[str, Any]], bool] = False
    cautions: Callable[[Mapping[str, Any]], Sequence[str]] = lambda _recorded: ()

    @property
    def name(self) -> str:
        """By which plans, the ledger and Python know it."""
        return self.entry.name

    @property
    def command(self) -> str:
        """On the command line."""
        return self.entry.command

    @functools.cached_property
    def parameters(self) -> dict[str, Parameter]:
        """All that can be said of it, in order: of the function, of what is measured first and of
        what is done at the end.
        """
        found = {p.name: p for p in parameters_of(self.function) if p.name not in self.measures}
        if len(self.choices) > 1:
            found[MEASURE] = self._choice
        for call in (*self.choices.values(), self.finish):
            if call is not None:
                found |= {p.name: p for p in parameters_of(call) if not p.python_only}
        return found

    @functools.cached_property
    def choices(self) -> dict[str, Callable[..., Any]]:
        """The measures that may be taken first, by name, the usual one before the others."""
        usual = {call.__name__: call for call in self.measures.values()}
        others = {m.name: m.function for m in measures.all() if m.per_record} if usual else {}
        return {**usual, **others}

    @property
    def unread(self) -> list[str]:
        """The parameters of its function of which no surface knows what they may be."""
        return unread_parameters(self.function, 1, *self.measures)

    @property
    def _choice(self) -> Parameter:
        titles = {name: measures[name].title.lower() for name in self.choices}
        return Parameter(
            MEASURE,
            "choice",
            next(iter(titles)),
            optional=False,
            doc="Which risk of the records is lowered.",
            label="Risk of a record",
            choices=tuple(titles),
            choice_labels=titles,
            marks=frozenset({"Public"}),
        )

    def measured_first(self, given: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
        """Per argument that is measured first, the measure that the arguments choose."""
        named = given.get(MEASURE)
        return {
            argument: self.choices.get(str(named), usual)
            for argument, usual in self.measures.items()
        }

    def needed(self, given: Mapping[str, Any]) -> tuple[str, ...]:
        """The parameters that must be given, beside these."""
        return tuple(name for name, p in self.applicable(given).items() if p.needed)

    def applicable(self, given: Mapping[str, Any]) -> dict[str, Parameter]:
        """The parameters that can be said with the measure that the arguments choose."""
        other = self._of_others(given)
        return {name: p for name, p in self.parameters.items() if name not in other}

    def unasked(self, given: Mapping[str, Any]) -> list[str]:
        """Those of the arguments that are for a measure which is not the chosen one."""
        other = self._of_others(given)
        return [name for name in given if name in other]

    def _of_others(self, given: Mapping[str, Any]) -> set[str]:
        """The parameters of measures that are not chosen."""
        chosen = self.measured_first(given).values()
        calls = (self.function, *chosen, *([self.finish] if self.finish else []))
        own = {p.name for call in calls for p in parameters_of(call)}
        every = {p.name for call in self.choices.values() for p in parameters_of(call)}
        return every - own

    def perturbing(self, recorded: Mapping[str, Any]) -> bool:
        """Whether a step with these parameters perturbs the columns that it changes."""
        return self.perturbs if isinstance(self.perturbs, bool) else self.perturbs(recorded)

    def published(self, recorded: Mapping[str, Any]) -> dict[str, Any]:
        """What everybody may know of a step: what is marked so, and nothing else."""
        known = {p.name for p in self.parameters.values() if p.public} | {*self.public_facts}
        return {name: value for name, value in recorded.items() if name in known}

    @functools.cached_property
    def files(self) -> dict[str, Parameter]:
        """What a file can say in place of parameters, on the command line."""
        calls = (self.function, *self.choices.values())
        return {p.name: p for call in calls for p in parameters_of(call) if p.file}

    def takes(self, section: str) -> bool:
        """Whether it takes a section of the plan that steps share: hierarchies, criterion."""
        return any(p.shared == section for p in self.parameters.values())

    @property
    def seed(self) -> Parameter | None:
        """The parameter that makes it repeatable, where it draws at random."""
        return next((p for p in self.parameters.values() if p.is_seed), None)

    @property
    def variant(self) -> Parameter | None:
        """The parameter whose choices are methods of their own on a map."""
        return next((p for p in self.parameters.values() if p.is_variant), None)

    @property
    def groups(self) -> dict[str, list[str]]:
        """Parameters of which exactly one must be given, by group."""
        found: dict[str, list[str]] = {}
        for parameter in self.parameters.values():
            if parameter.group:
                found.setdefault(parameter.group, []).append(parameter.name)
        return found

    def word(self, given: Mapping[str, Any]) -> str:
        """The method, or the variant of it, in a word: "mdav", "sampling"."""
        variant = self.variant
        return str(given.get(variant.name, variant.default)) if variant else self.noun

    def run(self, data: Any, given: Mapping[str, Any]) -> Done:
        """Carry it out with arguments by name."""
        with speaking(self.name):
            done: Done = self.entry.call(self._run, data, given)
            is_step = isinstance(done.masked, Masked) and done.masked.steps[-1].method == self.name
            what = f"gave back no masked microdata with a step {self.name!r}"
            self.entry.need(done, as_it_should=is_step, what=what)
            require_records(done.masked)
            return done

    def _run(self, data: Any, given: Mapping[str, Any]) -> Done:
        said = arguments_of(self.function, given)
        for argument, measure in self.measured_first(given).items():
            said[argument] = measure(data, **arguments_of(measure, given))
        made = self.function(data, **said)
        if self.outcome is not None:
            return Done(made, None, *self.outcome(**said))
        if self.finish is None:
            return Done(made)
        return Done(self.finish(made, **arguments_of(self.finish, given)), made)


def arguments_of(call: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the arguments that a call takes."""
    own = {p.name for p in parameters_of(call) if p.file or not p.python_only}
    return {name: value for name, value in given.items() if name in own}


def masking(
    *,
    title: str,
    about: str,
    done: str,
    name: str = "",  # noqa: ARG001 - read from the source, for methods of our own
    command: str = "",  # noqa: ARG001
    noun: str = "",
    **more: Any,
) -> Callable[[_Function], _Function]:
    """Describe a masking method; the signature of the function says the rest.

    Parameters
    ----------
    title, about, done : str
        Its name in words, a sentence for those who do not know it, and what records then are.
    name, command : str, optional
        In plans and on the command line, for methods of discreet; the name of the function when not
        given, which is that of every method of another package.
    noun : str, optional
        On a map of maskings.
    **more
        The other attributes of :class:`Method`.
    """

    def described(function: _Function) -> _Function:
        def description(entry: Entry) -> Method:
            return Method(entry, function, title, about, done, noun or title.lower(), **more)

        function.description = description  # type: ignore[attr-defined]
        return function

    return described


# -- what a method may use, also one of another package --------------------------------------------


def unknown_columns(data: Microdata, columns: Sequence[str], word: str = "column") -> list[Problem]:
    """The columns that the data do not have; ``word`` is what they are to the method."""
    absent = [name for name in columns if name not in data.columns]
    return [
        attributes.unknown_column(word, name, data.columns, data.name, data.has_names)
        for name in absent
    ]


def column_problems(
    data: Microdata, columns: Sequence[str], by: Sequence[str] = (), *, to: str = "mask"
) -> list[Problem]:
    """What is wrong with the columns that a method masks, and with those of its strata: none is
    named, not there, named twice, or what links records, households and persons.
    """
    problems = [*unknown_columns(data, columns), *unknown_columns(data, by, "stratum")]
    if not columns:
        problems.append(Problem("P04", "no column is named.", f"Name the columns to {to}."))
    problems += [
        Problem("R02", f"column {c!r} is named more than once.", "Name it once.")
        for c in dict.fromkeys(columns)
        if list(columns).count(c) > 1
    ]
    problems += [
        Problem("R02", f"column {c!r} is masked and makes strata.", "Choose other strata.")
        for c in dict.fromkeys(columns)
        if c in by
    ]
    needed = {data.record_id: "record id, which links the records",
              data.household: "household, which says who lives together",
              data.subject: "subject, which says which person a record is of"}  # fmt: skip
    return problems + [
        Problem("R04", f"{c!r} is the {needed[c]}.", "Name other columns.")
        for c in dict.fromkeys(columns)
        if c in needed
    ]


def unfit_columns(
    data: Microdata, columns: Sequence[str], given: Mapping[str, Any], fit: Fit
) -> list[Problem]:
    """The columns that a method cannot work with; ``fit`` is what its ``Columns(fit=…)`` asks.

    Parameters
    ----------
    data : Microdata
    columns : list of str
        Those that the data do not have are passed over.
    given : mapping of name to value
        The other arguments of the method, with which it may work all the same.
    fit : function
        From the facts of a column to the reasons against it.
    """
    there = [name for name in columns if name in data.columns]
    profile = engine.profile(data.source, there)[1] if there else {}
    return [
        Problem(unfit.code, f"{name!r} {unfit.what}.", unfit.remedy.format(column=name))
        for name in there
        for unfit in fit(_facts(data, name, profile[name][1]))
        if unfit.holds(given)
    ]


def _facts(data: Microdata, name: str, missing: int) -> ColumnFacts:
    kind = data.types[name]
    return ColumnFacts(data.source.kinds[name], kind.measure, str(kind), missing)


def records_of(data: Microdata, columns: Sequence[str]) -> pa.Table:
    """The values of some columns, one row per record, always in the same order.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [8, 10], "sex": ["M", "F"]}, keys=["age"])
    >>> records_of(survey, ["age"])["age"].to_pylist()
    [8, 10]
    """
    return linked_records(data, columns).select(list(columns))


def masked_with(
    data: Microdata,
    values: Mapping[str, Any],
    *,
    method: str,
    parameters: Mapping[str, Any],
    types: Mapping[str, AttributeType] | None = None,
    promise: Promise | None = None,
) -> Masked:
    """Masked microdata: some columns with other values, in the order of :func:`records_of`.

    Parameters
    ----------
    data : Microdata
    values : mapping of column to array
        As many values as there are records.
    method, parameters
        What is recorded as the step: the name of the method and its arguments, as plain values.
    types : mapping of column to AttributeType, optional
        Where a column is measured differently now.
    promise : Promise, optional
        What the method promises of the masked file; it is held against it before it is handed out.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [8, 10], "sex": ["M", "F"]}, keys=["age"])
    >>> masked_with(survey, {"age": [10, 10]}, method="tens", parameters={}).to("arrow")["age"][0]
    <pyarrow.Int64Scalar: 10>
    """
    link = linked_records(data, list(values))
    step = {"method": method, "parameters": parameters, "types": types, "promise": promise}
    return masked_columns(data, link, values, **step)


def masked_columns(
    data: Microdata, link: pa.Table, values: Mapping[str, Any], **step: Any
) -> Masked:
    """Masked microdata: some columns with other values, in the order of a table of links; ``step``
    is what :func:`discreet.data.masked.masked_from` is told of how they came about.
    """
    source = replaced_columns(data, link, values)
    return masked_from(data, source, changed=frozenset(values), complete=source, **step)


def replaced_columns(data: Microdata, link: pa.Table, values: Mapping[str, Any]) -> engine.Source:
    """The records with other values in some columns, in the order of a table of links."""
    table = link.select([engine.LINK])
    for name, column in values.items():
        made = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column)
        if len(made) != len(link):
            what = f"{name!r} has {len(made):,} values for {len(link):,} records."
            fail(
                "P09",
                what,
                f"Give one for each record, in the order of {in_python('records_of(…)')}.",
            )
        table = table.append_column(name, made)
    return engine.replaced(data.source, require_link(data), table)


def linked_records(data: Microdata, columns: Sequence[str]) -> pa.Table:
    """The same as :func:`records_of` with the link of each record, by which values go back."""
    if engine.is_distributed(data.source):
        what = "the records are spread over the machines of Spark, and this method needs them here."
        fail("N08", what, "Draw a sample, write it as Parquet, and read that.")
    link = require_link(data)
    require_ids(data)
    order = data.source.at(data.record_id) if data.record_id else link
    return engine.records(data.source, link, list(columns), order)
