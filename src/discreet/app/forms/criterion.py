"""The form of what must hold, made from what each criterion says of itself.

Every kind of criterion has its fields, those of a package from outside too. It is asked for where
one of its fields says something. The attributes that all of them look at are ticked once, as a plan
names them beside its criteria. Pages Roles, Explore and Protect share the form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.app.forms.draft import Document, with_attributes
from discreet.app.forms.fields import (
    FormField,
    Reading,
    called,
    field_of,
    labelled,
    numbers_of,
    sent_in,
    shown,
)
from discreet.criteria.kind import CriterionKind
from discreet.errors import DiscreetError, Problem
from discreet.parameters import Parameter
from discreet.plan.criteria import NAMED, inline_kinds, kinds_in, nested_kinds, tables_of
from discreet.registry import criteria

Said = dict[str, Any]  # by the name of a field what is said in it
WHERE = "What must hold"


@dataclass(frozen=True)
class Requirement:
    """A kind of criterion with its fields, as a page draws it."""

    kind: CriterionKind
    fields: tuple[FormField, ...]

    @property
    def asked(self) -> bool:
        """Whether it is asked for: an option of it that was filled in is never dropped."""
        first, *others = self.fields
        return bool(first.value) or not all(one.usual for one in others)


@dataclass(frozen=True)
class CriterionFields:
    """The form as a page draws it: what stands in front, what is asked more rarely, and the
    attributes that it is asked of."""

    front: tuple[Requirement, ...]
    more: tuple[Requirement, ...]
    named: FormField
    attributes: tuple[tuple[int, str], ...]  # the numbers and labels of confidential columns
    columns: tuple[tuple[int, str], ...]  # and of all

    def beside(self, names: Collection[str]) -> CriterionFields:
        """The form without fields that a page has in another shape."""
        front, more = (
            tuple(one for one in some if one.fields[0].name not in names)
            for some in (self.front, self.more)
        )
        return replace(self, front=front, more=more)

    @property
    def open(self) -> bool:
        """Whether something is asked for beyond what stands in front."""
        return any(one.asked for one in self.more)


def _kinds() -> list[tuple[CriterionKind, tuple[Parameter, ...]]]:
    """Every kind with the parameters that are its own: k first, then what looks at classes, then
    what compares files; packages from outside come last.
    """
    found: list[tuple[CriterionKind, tuple[Parameter, ...]]] = []
    seen = {NAMED}
    inline = sorted(inline_kinds(), key=lambda k: (bool(k.entry.package), len(k.needed)))
    nested = sorted(
        nested_kinds().values(), key=lambda k: (bool(k.entry.package), k.made.compares_files)
    )
    for kind in (*inline, *nested):
        own = tuple(
            p
            for p in kind.parameters.values()
            if not p.python_only and p.name not in (seen if kind.inline else {NAMED})
        )
        found += [(kind, own)] if own else []
        seen |= {p.name for p in own} if kind.inline else set()  # keys of one table
    return found


def _named() -> Parameter:
    return next(k.parameters[NAMED] for k in criteria.all() if NAMED in k.parameters)


def _name(kind: CriterionKind, p: Parameter) -> str:
    """The name of a field."""
    return p.name if kind.inline else f"{kind.key}-{p.name}"


def fields() -> dict[str, Parameter]:
    """All fields by their names."""
    own = {_name(kind, p): p for kind, parameters in _kinds() for p in parameters}
    return {**own, NAMED: _named()}


# -- from the plan to the form ---------------------------------------------------------------------


def said_of(criterion: Any, columns: Sequence[str]) -> Said:
    """What the fields say of the first table of a plan's criterion."""
    head: Document = next(iter(tables_of(criterion)), {})
    return {
        name: numbers_of(value or (), columns)
        if p.kind == "columns"
        else shown(p, p.default if value is None and p.kind in ("choice", "flag") else value)
        for name, p, value in _values(head)
    }


def _values(head: Document) -> Iterator[tuple[str, Parameter, Any]]:
    """Every field with its value in a table; None where it says nothing."""
    for kind, own in _kinds():
        table = head if kind.inline else _inner(head, kind)
        for p in own:
            yield _name(kind, p), p, table.get(p.name)
    yield NAMED, _named(), head.get(NAMED)


def _inner(head: Document, kind: CriterionKind) -> Document:
    """The parameters of a kind that has a key of its own."""
    given = head.get(kind.key, {})
    return given if isinstance(given, Mapping) else {kind.first.name: given}


def sent(form: Any, columns: Sequence[str]) -> Said:
    """The fields as they were sent."""
    found = {name: sent_in(form, p, name, len(columns)) for name, p in fields().items()}
    ticks = [name for name, p in fields().items() if p.kind == "flag" and not p.optional]
    return found | {name: "yes" if found[name] else "no" for name in ticks}


def drawn(
    said: Said, labels: Sequence[str], confidential: set[int], files: Sequence[str] = ()
) -> CriterionFields:
    """The form as a page draws it; the columns have labels, and some are confidential. Files that
    were added can be named."""
    made = [Requirement(kind, tuple(_drawn(kind, own, said, files))) for kind, own in _kinds()]
    front, *more = made
    named = field_of(_named(), NAMED, said[NAMED])
    every = tuple(enumerate(labels))
    offered = tuple(one for one in every if one[0] in confidential | said[NAMED])
    return CriterionFields((front,), tuple(more), named, offered, every)


def _drawn(
    kind: CriterionKind, own: Sequence[Parameter], said: Said, files: Sequence[str]
) -> Iterator[FormField]:
    for p in own:
        name = _name(kind, p)
        field = field_of(p, name, said[name], files)
        nothing = (("", "not required"),) if p is own[0] and field.sort == "choose" else ()
        yield replace(field, choices=(*nothing, *field.choices))


# -- from the form to the plan ---------------------------------------------------------------------


def criterion_in(
    said: Said, before: Any, columns: Sequence[str], folder: Path, files: Sequence[str] = ()
) -> tuple[Any, list[Problem]]:
    """What must hold, and all that is wrong with it.

    The form stands for the first table of the plan; others stay, and where it says what the plan
    says, that stays as it is written.

    Parameters
    ----------
    said : dict
    before : mapping or list of mappings
        The criterion of the plan.
    columns : sequence of str
        All columns, in their order.
    folder : Path
        That files of the plan are relative to.
    files : sequence of str
        Names of files there that a criterion may name.
    """
    head, *others = tables_of(before) or [{}]
    problems: list[Problem] = []
    if said != said_of(before, columns):
        reading = _CriterionReading(WHERE, columns, problems, said, head, files)
        head = with_attributes(reading.table())
        problems = problems or _unsound(head, folder)
    return ([head, *others] if others else head), problems


@dataclass
class _CriterionReading(Reading):
    """Reads the fields into a table of a plan, which had another one before."""

    said: Said
    before: Document
    files: Sequence[str]

    def table(self) -> dict[str, Any]:
        """The table that the fields stand for."""
        made: dict[str, Any] = {}
        for kind, own in _kinds():
            if Requirement(kind, tuple(_drawn(kind, own, self.said, ()))).asked:
                self.where = f"{WHERE}, {kind.title}"
                table = self._own(kind, own)
                inner = _inner(self.before, kind)
                made |= table if kind.inline else {kind.key: _nested(kind, table, inner)}
        self.where = WHERE
        self._companions(made)
        if self.said[NAMED]:
            made[NAMED] = self.value(_named(), self.said[NAMED])
        return made

    def _own(self, kind: CriterionKind, own: Sequence[Parameter]) -> dict[str, Any]:
        found = {p.name: self._value(_name(kind, p), p) for p in own}
        return {
            p.name: found[p.name]
            for p in own
            if found[p.name] is not None and (p is own[0] or found[p.name] != p.default)
        }

    def _value(self, name: str, p: Parameter) -> Any:
        known = {n: value for n, _, value in _values(self.before)}[name]
        if known is not None and self.said[name] == said_of(self.before, self.columns)[name]:
            return known  # may name a file
        if p.file and self.said[name]:
            return self._file(p, self.said[name])
        if self.said[name]:
            return self.value(p, self.said[name])
        if p.needed:
            self.missing(p)
        return None

    def _file(self, p: Parameter, name: str) -> str | None:
        """The name of a file, if it is one of those that were added: no other is ever read."""
        if name in self.files:
            return name
        self.say(f"{called(p)} is not a table that was added", "Choose one of the list.")
        return None

    def _companions(self, made: Document) -> None:
        """What a parameter needs beside it: p needs k."""
        for kind in inline_kinds():
            first = kind.first.name
            for other in kind.needed:
                if first in made and not self.said[other]:
                    remedy = f"Write {other}, at least as large as {first}."
                    self.say(f"{first} needs a {other} beside it", remedy)


def _nested(kind: CriterionKind, table: dict[str, Any], before: Document) -> Any:
    """As a plan writes it: in short where its first parameter says it all; attributes of its own
    stay."""
    table |= {NAMED: before[NAMED]} if NAMED in before else {}
    return table[kind.first.name] if set(table) == {kind.first.name} else table


def _unsound(made: Document, folder: Path) -> list[Problem]:
    """What the criteria themselves find wrong."""
    found: list[Problem] = []
    for kind, table in kinds_in(made):
        try:
            kind.of(table, folder)
        except DiscreetError as error:
            found += [labelled(p, WHERE, kind.parameters.values()) for p in error.problems]
    return found


def aimless(criterion: Any, confidential: Sequence[str]) -> list[Problem]:
    """Criteria that look at confidential attributes where there are none."""
    looking = [
        kind.title
        for table in tables_of(criterion)
        for kind, given in kinds_in(table)
        if NAMED in kind.parameters and not given.get(NAMED)
    ]
    if confidential or not looking:
        return []
    what = (
        f"{' and '.join(looking)}: these look at confidential attributes, and no "
        "column has that role."
    )
    return [Problem("P60", what, "Give a column that role, or leave these fields empty.")]
