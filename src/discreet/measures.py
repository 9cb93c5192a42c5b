"""Measures: each is described once, by the mark on its function and its signature.

    @measure(title="Disclosure risk", about="…", side="risk", of="files",
             figures={"maximal": "DR_max"}, public=("n", "t", "minimal", "maximal"))
    def disclosure_risk(initial: Microdata, masked: Microdata, *, on: str | None = None)

A measure of one file is taken before and after; a measure of two compares them. Plans
(``[measures]``), the ledger, its verification, reports and the axes of R-U maps take it from here.
Nothing of it is public that is not named so. A figure is a number or it is None with a reason: it
never holds the value of a cell.
"""

from __future__ import annotations

import functools
import html
import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from discreet.errors import DiscreetError, Problem, argument, did_you_mean, listed, raise_all
from discreet.parameters import Parameter, parameters_of, problems_of, unread_parameters
from discreet.registry import Entry, measures
from discreet.surface import python, said, speaking

Side = Literal["risk", "loss"]
Number = int | float
_Function = TypeVar("_Function", bound=Callable[..., Any])
_ABSENT = "RND"  # families of errors that say why a measure does not apply to a file
_SAID = 4  # figures in the sentence of a measure


@dataclass(frozen=True)
class FigureKind:
    """A number that a measure gives.

    Attributes
    ----------
    title : str
        What it is, in words.
    lower_is_better : bool
    axis : bool
        Whether it can be an axis of a map; a sum of risk and loss is none.
    of_smallest_class : bool
        Whether it tells how small the smallest class is: a public report shows it only where that
        class has enough records.
    """

    title: str
    lower_is_better: bool = True
    axis: bool = True
    of_smallest_class: bool = False


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure as every surface knows it.

    Attributes
    ----------
    entry : Entry
        Its name, and the package from outside that it came with.
    title, about : str
        Its name in words, and a sentence for those who do not know it.
    side : {"risk", "loss"}
        What it tells: what is left to an intruder, or what users lose.
    of : {"file", "files"}
        Whether it looks at one file, or at the initial and the masked one together.
    figures : mapping of name to FigureKind
        Its numbers, attributes of what it returns.
    public : tuple of str
        What of ``to_dict()`` and of its figures everybody may know.
    by_equality : bool
        Whether it asks only which records have equal values: then types do not matter, and it can
        be computed again from the released file alone.
    example : str
        Options of an example on the command line, besides the keys.
    per_record : bool
        Whether it gives a risk of every record that can be brought down to a limit
        (``ds.protect_records``): a ``ProtectableRisk``.
    needs_roles : tuple of str
        Roles that the records must have for it: ``("weight",)``.
    """

    entry: Entry
    function: Callable[..., Any]
    title: str
    about: str
    side: Side
    of: Literal["file", "files"] = "files"
    figures: Mapping[str, FigureKind] = field(default_factory=dict)
    public: tuple[str, ...] = ()
    by_equality: bool = False
    example: str = ""
    per_record: bool = False
    needs_roles: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """By which plans, the ledger and Python know it."""
        return self.entry.name

    @functools.cached_property
    def parameters(self) -> dict[str, Parameter]:
        """What can be said of it, in order."""
        return {p.name: p for p in parameters_of(self.function) if not p.python_only}

    @property
    def unread(self) -> list[str]:
        """The parameters of which no surface knows what they may be."""
        return unread_parameters(self.function, 1 if self.of == "file" else 2, "on")

    @property
    def own(self) -> dict[str, Parameter]:
        """Those that a plan or a form says of it. What other sections of a plan share with it is
        for files masked elsewhere: a file masked by the plan knows it.
        """
        return {name: p for name, p in self.parameters.items() if not p.shared}

    @functools.cached_property
    def files(self) -> dict[str, Parameter]:
        """What a file can say in place of parameters, on the command line."""
        return {p.name: p for p in parameters_of(self.function) if p.file}

    @property
    def of_records(self) -> bool:
        """Whether it finds a number for each record, which ``write`` puts into a file."""
        return hasattr(typing.get_type_hints(self.function).get("return"), "write")

    @property
    def needed(self) -> tuple[str, ...]:
        """The parameters that must be given."""
        return tuple(p.name for p in self.parameters.values() if p.needed)

    def published(self, recorded: Mapping[str, Any]) -> dict[str, Any]:
        """What everybody may know of what it found: what is marked so, and nothing else."""
        return {name: value for name, value in recorded.items() if name in self.public}

    def problems(self, given: Mapping[str, Any]) -> list[Problem]:
        """What is wrong with arguments of Python, as far as the description tells."""
        unknown = [
            Problem(
                "P16",
                f"{name!r} is not a parameter of {self.name}.",
                did_you_mean(name, self.parameters) or f"Use one of {listed(self.parameters)}.",
            )
            for name in given
            if name not in self.parameters
        ]
        missing = [
            Problem("P16", f"{self.name} needs {argument(name)}.", self.parameters[name].doc, name)
            for name in self.needed
            if name not in given
        ]
        return [*unknown, *missing, *problems_of(list(self.parameters.values()), given)]

    def columns_in(self, table: Mapping[str, Any]) -> set[str]:
        """The columns that the table of a plan names."""
        known = self.parameters
        named = (known[name].columns_in(value) for name, value in table.items() if name in known)
        return set().union(*named)

    def loaded(self, table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """The arguments that a table of a plan stands for; files are relative to the folder."""
        known = self.parameters
        return {
            name: form.load(value, folder) if (form := known[name].written) else value
            for name, value in table.items()
        }

    def taken(
        self,
        initial: Any,
        masked: Any,
        given: Mapping[str, Any],
        on: str | None = None,
        absent: str = _ABSENT,
    ) -> Taken:
        """Measure a masked file; ``on`` links one that was masked elsewhere. Errors of the
        families ``absent`` say why it does not apply.
        """
        try:
            return self.figures_of(self.result(initial, masked, given, on))
        except DiscreetError as error:
            if error.code[0] not in absent:
                raise
            reason = error.problems[0].text
            return Taken(None, dict.fromkeys(self.figures), dict.fromkeys(self.figures, reason))

    def result(
        self, initial: Any, masked: Any, given: Mapping[str, Any], on: str | None = None
    ) -> Any:
        """What its function returns."""
        with speaking(self.name):
            if self.of == "file":
                return self.entry.call(self.function, masked, **given)
            return self.entry.call(self.function, initial, masked, on=on, **given)

    def to_dict(self, result: Any) -> dict[str, Any]:
        """What its function returned as plain values: a figure that is no number is None there,
        with the reason.
        """
        found: dict[str, Any] = dict(self.entry.call(result.to_dict))
        reasons = self.figures_of(result).reasons
        wrong = {name: why for name, why in reasons.items() if found.get(name) is not None}
        if not wrong:
            return found
        why = {**found.get("not_applicable", {}), **wrong}
        return {**found, **dict.fromkeys(wrong), "not_applicable": why}

    def figures_of(self, result: Any) -> Taken:
        """The figures of what its function returned."""
        return self.entry.call(self._figures_of, result)

    def _figures_of(self, result: Any) -> Taken:
        found = {name: _number(getattr(result, name)) for name in self.figures}
        told: Mapping[str, str] = getattr(result, "not_applicable", {})
        reasons = {n: told.get(n) or why for n, (_, why) in found.items() if why}
        return Taken(result, {n: value for n, (value, _) in found.items()}, reasons)


def _number(value: Any) -> tuple[Number | None, str]:
    """A figure as a plain number, or why it is none."""
    plain = value.item() if hasattr(value, "item") else value
    if plain is None:
        return None, "it does not apply to this masking."
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        return None, "it is not a number."
    return (plain, "") if math.isfinite(plain) else (None, "it is not a finite number.")


@dataclass(frozen=True, eq=False, repr=False)
class Taken:
    """What a measure found on one occasion.

    Attributes
    ----------
    result : object
        As the function returns it; None where the measure does not apply.
    figures : mapping of name to number or None
    reasons : mapping of name to str
        Why a figure is None; each surface words it, see :func:`discreet.surface.said`.
    """

    result: Any
    figures: Mapping[str, Number | None]
    reasons: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The figures, and why some do not apply, as plain values."""
        why = {name: said(reason, python) for name, reason in self.reasons.items()}
        return {**self.figures, **({"not_applicable": why} if why else {})}

    def __repr__(self) -> str:
        return f"Taken: {dict(self.figures)}"


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """What a measure found of a release.

    Attributes
    ----------
    measure : Measure
    after : Taken
        Of the masked file, or of both files together.
    before : Taken or None
        Of the initial file, for a measure of one file.
    """

    measure: Measure
    after: Taken
    before: Taken | None = None

    @property
    def result(self) -> Any:
        """What the function returned for the masked file; None where it does not apply."""
        return self.after.result

    def explain(self) -> str:
        """A sentence with its first figures."""
        title, known = self.measure.title, self.after.figures
        figures = [self._figure(name) for name in known if known[name] is not None]
        if not figures:
            why = next(iter(self.after.reasons.values()), "it gives no figure.")
            return f"{title} does not apply: {said(why)}"
        more = f"; and {len(figures) - _SAID} more" if len(figures) > _SAID else ""
        return f"{title}: {'; '.join(figures[:_SAID])}{more}."

    def _figure(self, name: str) -> str:
        first = None if self.before is None else self.before.figures[name]
        earlier = "" if first is None else f" (before {first:.4g})"
        return f"{self.measure.figures[name].title} = {self.after.figures[name]:.4g}{earlier}"

    def to_dict(self) -> dict[str, Any]:
        """The figures before and after, as plain values."""
        before = {} if self.before is None else {"before": self.before.to_dict()}
        return {**before, "after": self.after.to_dict()}

    def __repr__(self) -> str:
        return f"Measured: {self.explain()}"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.explain())}</p>"


def asked_problems(asked: Any) -> list[Problem]:
    """What is wrong with measures and their arguments by name; one that was taken is right."""
    if not isinstance(asked, Mapping):
        what = f"{argument('measures')} is not a mapping of measures and their arguments."
        return [Problem("P16", what, 'Write {"record_risk": {"known": {"age": 0.3}, …}}.')]
    problems = []
    for name, given in asked.items():
        if name not in measures:
            near = did_you_mean(str(name), measures) or f"Use one of {listed(measures, 20)}."
            problems.append(Problem("P16", f"{name!r} is not a measure.", near))
        elif isinstance(given, Mapping):
            problems += measures[name].problems(given)
        elif not isinstance(given, Measured):
            what = f"the arguments of {name} are not a mapping."
            problems.append(Problem("P16", what, "Give {} where it needs none."))
    return problems


def need_fit(function: Callable[..., Any], **given: Any) -> None:
    """Refuse arguments of a function that do not fit their descriptions."""
    raise_all(problems_of(parameters_of(function), given))


def measured(
    name: str,
    initial: Any,
    masked: Any,
    given: Mapping[str, Any] | Measured,
    on: str | None = None,
) -> Measured:
    """Take a measure of a release: of one file before and after, of two once; what was taken
    already is given back.
    """
    if isinstance(given, Measured):
        return given
    found: Measure = measures[name]
    before = found.taken(None, initial, given) if found.of == "file" else None
    return Measured(found, found.taken(initial, masked, given, on), before)


def measure(
    *,
    title: str,
    about: str,
    side: Side,
    figures: Mapping[str, FigureKind | str] | None = None,
    **more: Any,
) -> Callable[[_Function], _Function]:
    """Describe a measure; the signature of the function says the rest.

    Parameters
    ----------
    title, about, side
        As in :class:`Measure`.
    figures : mapping of name to FigureKind or words
        Its numbers; of one that is given in words, lower is better.
    **more
        Its other attributes.
    """
    known = {
        name: one if isinstance(one, FigureKind) else FigureKind(one)
        for name, one in (figures or {}).items()
    }

    def described(function: _Function) -> _Function:
        def description(entry: Entry) -> Measure:
            return Measure(entry, function, title, about, side, figures=known, **more)

        function.description = description  # type: ignore[attr-defined]
        return function

    return described
