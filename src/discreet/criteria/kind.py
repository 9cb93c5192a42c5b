"""Kinds of criteria: each is described once, by the mark on its class and its fields.

    @criterion(title="l-diversity", about="…", key="diversity")
    @dataclass(frozen=True)
    class LDiversity(Criterion):
        l: Annotated[int, Ge(1), Doc("…")]

A plan writes it under its key: ``diversity = 3`` where its first parameter says it all, or a table
of its parameters. The parameters of an *inline* one are keys of the criterion's table themselves:
``k = 5``. On the command line it is an option of the same name.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from discreet.criteria.criterion import Criterion
from discreet.errors import DiscreetError, Problem, argument, fail, raise_all
from discreet.parameters import Parameter, parameters_of, read_problem, unread_parameters
from discreet.registry import Entry

if TYPE_CHECKING:
    from discreet.frequency.classes import Classes

_Class = TypeVar("_Class", bound=type)


@dataclass(frozen=True, eq=False)
class CriterionKind:
    """A kind of criterion as every surface knows it.

    Attributes
    ----------
    entry : Entry
        Its name, and the package from outside that it came with.
    made : type
        The class.
    title, about : str
        Its name in words, and a sentence for those who do not know it.
    key : str
        In a plan, and as an option of the command line.
    inline : bool
        Whether its parameters are keys of the criterion's table.
    option : str
        Another name of its option on the command line.
    """

    entry: Entry
    made: type[Criterion]
    title: str
    about: str
    key: str
    inline: bool = False
    option: str = ""

    @property
    def name(self) -> str:
        """Its class, as Python has it."""
        return self.entry.attribute

    @functools.cached_property
    def parameters(self) -> dict[str, Parameter]:
        """What can be said of it, in order."""
        return {p.name: p for p in parameters_of(self.made)}

    @property
    def unread(self) -> list[str]:
        """The fields of which no surface knows what they may be."""
        return unread_parameters(self.made, 0)

    @property
    def words_of_plans(self) -> list[str]:
        """The words of a plan, and of the command line, that no kind of another package has."""
        if self.inline:  # attributes are named for all of them together
            return [n for n in self.parameters if not (self.entry.package and n == "confidential")]
        return [self.key, *([self.option] if self.option else [])]

    @property
    def first(self) -> Parameter:
        """The parameter that says it all where nothing else is said."""
        return next(iter(self.parameters.values()))

    @property
    def needed(self) -> tuple[str, ...]:
        """The parameters that must be given."""
        return tuple(p.name for p in self.parameters.values() if p.required)

    def of(self, table: Mapping[str, Any], folder: Path) -> Criterion:
        """The criterion that a table of a plan stands for; files are relative to the folder."""
        self._need_all(table)
        return self.made(**{name: self._loaded(name, v, folder) for name, v in table.items()})

    @property
    def files(self) -> tuple[str, ...]:
        """The parameters that are files."""
        return tuple(p.name for p in self.parameters.values() if p.file)

    def _need_all(self, given: Mapping[str, Any]) -> None:
        raise_all(
            [
                Problem(
                    "P32",
                    f"{argument(name)} is missing.",
                    f"Give {self.parameters[name].words}.",
                    name,
                )
                for name in self.needed
                if name not in given
            ]
        )

    def _loaded(self, name: str, value: Any, folder: Path) -> Any:
        parameter = self.parameters[name]
        if parameter.written is not None:
            return parameter.written.load(value, folder)
        return tuple(value) if parameter.kind == "columns" else value

    def written(self, criterion: Criterion) -> dict[str, Any]:
        """A criterion as a plan writes it, without what it does not say."""
        found: dict[str, Any] = {}
        for name, parameter in self.parameters.items():
            value = getattr(criterion, name)
            if value is None:
                continue
            if parameter.written is not None:
                found[name] = parameter.written.dump(value)
            else:
                found[name] = list(value) if parameter.kind == "columns" else value
        return found

    def covers(self, own: Criterion, other: Criterion) -> bool:
        """Whether a criterion of this kind that holds tells that another one does: of the same
        kind, of all attributes of the other, and no weaker.
        """
        if not type(own) is type(other) is self.made:
            return False
        mine, asked = self.written(own), self.written(other)
        return all(p.covers(mine.get(n), asked.get(n)) for n, p in self.parameters.items())

    def from_text(self, text: str) -> Criterion:
        """The criterion that an option stands for: its numbers and words in order, apart by
        colons: ``3``, ``entropy:3``, ``recursive:3:4``, ``0.2:ordered``, or by name:
        ``recursive:3:c=4``; attributes by name: ``3:confidential=illness+income``; a file by name,
        and last: ``5:population=all.csv``.
        """
        text, files = self._without_file(text)
        given = {name: self._from_file(name, file) for name, file in files.items()}
        for part in text.split(":"):
            name, equals, value = part.partition("=")
            if not equals:
                name, value = self._meant(part, given), part
            if name in given or name not in self.parameters:
                example = f"Write {argument(self.key, self.example)}."
                fail("P18", f"{argument(self.key)} cannot be read.", example)
            given[name] = self._read(self.parameters[name], value)
        self._need_all(given)
        return self.made(**given)

    def files_in(self, text: str) -> list[Path]:
        """The files that an option names."""
        return list(self._without_file(text)[1].values())

    def _without_file(self, text: str) -> tuple[str, dict[str, Path]]:
        """An option without the file that it names, and that file; colons may be part of it."""
        for name in self._by_file:
            before, found, file = text.partition(f":{name}=")
            if found:
                return before, {name: Path(file).expanduser()}
        return text, {}

    @property
    def _by_file(self) -> list[str]:
        """The parameters that an option gives as a file: a hierarchy is one, too."""
        every = self.parameters.values()
        return [p.name for p in every if p.file or (p.written and p.written.section)]

    def _from_file(self, name: str, file: Path) -> Any:
        form = self.parameters[name].written
        return form.load({"file": str(file)}, Path()) if form and form.section else file

    def _meant(self, part: str, given: Mapping[str, Any]) -> str:
        """The parameter that a word or a number without a name is for; '' if there is none."""
        kinds = ("whole", "number") if _is_number(part) else ("choice",)
        left = [p for p in self.parameters.values() if p.kind in kinds and p.name not in given]
        return next((p.name for p in left if p.kind != "choice" or part in p.choices), "")

    def _read(self, parameter: Parameter, text: str) -> Any:
        if parameter.kind == "columns":
            return tuple(text.split("+"))
        try:
            return parameter.read(text)
        except ValueError:
            what = f"{argument(self.key)}: {parameter.name} must be {parameter.words}."
            code = read_problem(parameter).code
            fail(code, what, f"Write for example {argument(self.key, self.example)}.", self.key)

    @property
    def example(self) -> str:
        """What its option may look like."""
        plain = [p for p in self.parameters.values() if p.name in self.needed and not p.file]
        files = [f"{name}={name}.csv" for name in self.files]
        return ":".join([*(p.example for p in plain or [self.first]), *files])

    @property
    def examples(self) -> str:
        """What its option may look like with each of its choices: ``3, or entropy:3``."""
        words = [word for p in self.parameters.values() for word in p.choices[1:]]
        return ", ".join([self.example, *map(self._example_with, words)]) + "."

    def _example_with(self, word: str) -> str:
        """What its option looks like with a choice, and with what that choice needs."""
        text = f"{word}:{self.example}"
        try:
            self.from_text(text)
        except DiscreetError as error:
            lacking = [p.parameter for p in error.problems if p.parameter in self.parameters]
            shown = {name: f"{name}.csv" for name in self._by_file}
            parts = [f"{n}={shown.get(n) or self.parameters[n].example}" for n in lacking]
            return ":".join([text, *parts])
        return text


def _is_number(text: str) -> bool:
    try:
        float(text.removesuffix("%"))
    except ValueError:
        return False
    return True


def criterion(
    *, title: str, about: str, key: str, inline: bool = False, option: str = ""
) -> Callable[[_Class], _Class]:
    """Describe a kind of criterion; the fields of the dataclass say the rest.

    Parameters
    ----------
    title, about : str
        Its name in words, and a sentence for those who do not know it.
    key : str
        In a plan and on the command line.
    inline : bool
        Whether its parameters are keys of the criterion's table themselves.
    option : str, optional
        Another name of its option on the command line.
    """

    def described(made: _Class) -> _Class:
        def description(entry: Entry) -> CriterionKind:
            if entry.package:
                _guard(made, entry)
            return CriterionKind(entry, made, title, about, key, inline, option)

        made.description = staticmethod(description)  # type: ignore[attr-defined]
        return made

    return described


def _guard(made: type, entry: Entry) -> None:
    """Have all that a class of a package from outside says of itself fail in the package's name."""
    outside = [one for one in made.__mro__ if one.__module__.partition(".")[0] != "discreet"]
    own = {name for one in outside for name in vars(one)}
    for name in own & {name for name in vars(Criterion) if not name.startswith("_")}:
        member = inspect.getattr_static(made, name)
        if isinstance(member, property):
            setattr(made, name, property(_guarded(member.fget, entry)))
        elif inspect.isfunction(member):
            is_failing = name == "failing"
            setattr(made, name, _failing(member, entry) if is_failing else _guarded(member, entry))


def _guarded(own: Any, entry: Entry) -> Callable[..., Any]:
    @functools.wraps(own)
    def called(*given: Any, **named: Any) -> Any:
        return entry.call(own, *given, **named)

    return called


def _failing(own: Callable[..., Any], entry: Entry) -> Callable[..., Any]:
    """What says which classes fail; it must say it of each class, as yes or no."""

    @functools.wraps(own)
    def failing(self: Criterion, classes: Classes) -> Any:
        found = entry.call(own, self, classes)
        fits = isinstance(found, Mapping) and bool(found)
        fits = fits and all(_is_of_classes(one, classes) for one in found.values())
        what = "did not say of each class, by reason, whether it fails"
        return entry.need(found, as_it_should=fits, what=what)

    return failing


def _is_of_classes(mask: Any, classes: Classes) -> bool:
    same = getattr(mask, "shape", None) == (len(classes.size),)
    return same and mask.dtype == np.bool_
