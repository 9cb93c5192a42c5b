"""The form of a chain of maskings, made from what each method says of itself.

Every parameter of a method is a field: a number, a choice, columns to tick. Two have fields of
their own: the levels of a generalization, and what is measured before a method begins, which
stands on the page Roles. A step that draws at random has its seed in the plan, so that it can be
repeated. Columns are addressed by number.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from discreet.app.forms.fields import (
    FormField,
    Reading,
    called,
    field_of,
    numbers_of,
    sent_in,
    text_in,
    whole_in,
)
from discreet.app.forms.fields import shown as text_of
from discreet.errors import Problem
from discreet.masking.method import MEASURE, Method
from discreet.parameters import ColumnFacts, Parameter, Unfit, parameters_of
from discreet.registry import maskings, measures
from discreet.surface import place

Fields = dict[str, Any]
MOST_STEPS = 10
MOST_SEED = 2**63 - 1
LEVELS = "levels"  # the parameter with a field for each key


@dataclass(frozen=True)
class Known:
    """What the form needs to know of the workspace.

    Attributes
    ----------
    columns : sequence of str
        All columns, in their order.
    keys : sequence of str
    measured : mapping
        By measure the settings that it was measured with, on the page Roles.
    levels_fit : bool
        Whether levels of the chain were chosen for the plan as it stands.
    facts : mapping
        What is known of a column, by its name, where anything is.
    recoded : collection of str
        Columns that hierarchies may turn into labels: nothing is known of them after it.
    suggested : mapping
        Values to begin with, by parameter.
    roles : collection of str
        Roles of one column each that are given: weight, household, subject.
    """

    columns: Sequence[str]
    keys: Sequence[str]
    measured: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    levels_fit: bool = True
    facts: Mapping[str, ColumnFacts] = field(default_factory=dict)
    recoded: Collection[str] = ()
    suggested: Mapping[str, Any] = field(default_factory=dict)
    roles: Collection[str] = ()

    def after(self, kinds: Iterable[str]) -> Known:
        """What is known of the columns after steps of these kinds."""
        if not any(maskings[kind].takes("hierarchies") for kind in kinds):
            return self
        kept = {name: one for name, one in self.facts.items() if name not in self.recoded}
        return replace(self, facts=kept)

    def unfit(self, parameter: Parameter, name: str) -> tuple[Unfit, ...]:
        """Why the method cannot work with a column, or not with all of its options."""
        fit = parameter.columns.fit if parameter.columns else None
        known = self.facts.get(name)
        return tuple(fit(known)) if fit is not None and known is not None else ()

    def never(self, parameter: Parameter, name: str) -> str:
        """Why the method can never work with a column; empty where it can."""
        return next((one.what for one in self.unfit(parameter, name) if not one.unless), "")

    def note(self, parameter: Parameter, name: str) -> str:
        """What is said beside the name of a column."""
        never = self.never(parameter, name)
        if never:
            return f"It {never}"
        return next(
            (f"It {one.what}" for one in self.unfit(parameter, name) if one.code == "D03"), ""
        )


def own_parameters(method: Method) -> list[Parameter]:
    """What the form of a step asks for: not what the plan has for all steps, nor what is measured
    before.
    """
    before = {p.name for call in method.choices.values() for p in parameters_of(call)}
    return [
        p
        for p in method.parameters.values()
        if not (p.shared or p.python_only or p.name == LEVELS or p.name in before)
    ]


def is_main(parameter: Parameter) -> bool:
    """Whether it stands in front, and not among further options."""
    return bool(
        parameter.needed
        or parameter.vary
        or parameter.group
        or _drawn_afresh(parameter)
        or parameter.is_variant
        or (parameter.columns and parameter.columns.fit)
    )


def _says_what_is_masked(parameter: Parameter) -> bool:
    """Whether it names the columns that are masked, by default the keys; others may be empty."""
    return bool(parameter.columns and parameter.columns.fit and parameter.default != ())


def _drawn_afresh(parameter: Parameter) -> bool:
    """Whether it is a seed that must be new; one that has a usual value only breaks ties."""
    return parameter.is_seed and parameter.default is None


# -- a step to begin with --------------------------------------------------------------------------


def first(kind: str, known: Known) -> dict[str, Any]:
    """A step as it is when it is added."""
    method = maskings[kind]
    made: dict[str, Any] = {"do": kind}
    chosen = {group: names[0] for group, names in method.groups.items()}
    for p in filter(is_main, own_parameters(method)):
        if _drawn_afresh(p):
            made[p.name] = new_seed()
        elif _says_what_is_masked(p):
            made |= _fitting(p, known)
        elif p.name in known.suggested:
            made[p.name] = known.suggested[p.name]
        elif p.group:
            made |= {p.name: p.vary[-1]} if chosen[p.group] == p.name else {}
        elif p.needed:
            made |= {p.name: p.vary[0]} if p.vary else {}
        else:
            made[p.name] = p.default
    made |= first_measure(method, known)
    return made | _measured(method, made, known)


def first_measure(method: Method, known: Known) -> dict[str, Any]:
    """The measure to begin with, where it is not the usual one: nobody has said what that must be
    told, and there is one for the roles that the table has.
    """
    for call in method.measures.values():
        told = known.measured.get(call.__name__, {})
        if all(told.get(p.name) for p in parameters_of(call) if p.needed):
            return {}
    for name in method.choices:
        roles = measures[name].needs_roles
        if roles and set(roles) <= set(known.roles):
            return {MEASURE: name}
    return {}


def new_seed() -> int:
    """A seed that nobody can try out: all that an integer of TOML holds."""
    return secrets.randbelow(MOST_SEED + 1)


def _fitting(parameter: Parameter, known: Known) -> dict[str, Any]:
    """The keys that the method can work with, and the arguments that it takes for it."""
    fit = [name for name in known.keys if not known.never(parameter, name)]
    unfit = [one for name in fit for one in known.unfit(parameter, name)]
    needed = {name: values[0] for one in unfit for name, values in one.unless.items()}
    return {parameter.name: fit, **needed}


def _measured(method: Method, step: Mapping[str, Any], known: Known) -> dict[str, Any]:
    """The settings of what is measured before, as a step has them."""
    made: dict[str, Any] = {}
    for call in method.measured_first(step).values():
        needed: dict[str, Any] = {p.name: {} for p in parameters_of(call) if p.needed}
        given = {**needed, **known.measured.get(call.__name__, {})}
        made |= {name: part for name, part in given.items() if part or name in needed}
    return made


# -- from the plan to the form -------------------------------------------------------------------


def fields_of(step: Mapping[str, Any], known: Known) -> Fields:
    """The fields of a step: by parameter a text, or the numbers of columns."""
    found: Fields = {"do": step["do"]}
    for p in own_parameters(maskings[step["do"]]):
        given = step.get(p.name)
        if p.kind == "columns":
            names = known.keys if given is None and _says_what_is_masked(p) else given or ()
            fit = [name for name in names if not known.never(p, name)]
            found[p.name] = numbers_of(fit, known.columns)
        elif given is None and (p.group or (p.kind == "flag" and p.optional)):
            found[p.name] = ""
        else:
            found[p.name] = text_of(p, p.default if given is None else given)
    levels = step.get(LEVELS, {})
    found["choice"] = "levels" if levels and known.levels_fit else "best"
    number = {name: i for i, name in enumerate(known.columns)}
    found[LEVELS] = {number[n]: str(level) for n, level in levels.items() if n in number}
    return found


def fields_in(form: Any, most: int) -> list[Fields]:
    """The fields of all steps as they were sent; ``most`` is the number of columns."""
    found = []
    for i in range(MOST_STEPS):
        if (kind := text_in(form, f"do-{i}")) in maskings:
            fields: Fields = {"do": kind, "choice": text_in(form, f"choice-{i}")}
            for p in own_parameters(maskings[kind]):
                fields[p.name] = sent_in(form, p, f"{p.name}-{i}", most)
            levels = {c: text_in(form, f"level-{i}-{c}") for c in range(most)}
            fields[LEVELS] = {c: level for c, level in levels.items() if level}
            found.append(fields)
    return found


# -- from the form to the plan -------------------------------------------------------------------


@dataclass
class _StepReading(Reading):
    """Reads the fields of one step."""

    known: Known

    def step(self, fields: Fields) -> dict[str, Any]:
        """The step that the fields stand for."""
        method = maskings[fields["do"]]
        made: dict[str, Any] = {}
        for p in own_parameters(method):
            value = self._said(p, fields[p.name])
            if value is not None and (is_main(p) or value != p.default):
                made[p.name] = value
        self._groups(method, made)
        self._columns(method, made)
        if LEVELS in method.parameters and fields["choice"] == "levels":
            made[LEVELS] = self._levels(fields[LEVELS])
        return {"do": method.name, **made, **self._measured(method, made)}

    def _said(self, p: Parameter, sent: Any) -> Any:
        if not sent and p.kind != "flag":
            return self._nothing(p)
        value = self.value(p, sent) if sent or not p.optional else None
        if p.is_seed and value is not None and not 0 <= value <= MOST_SEED:
            self.say("the seed is negative or too large", f"Write one from 0 to {MOST_SEED}.")
        return value

    def unreadable(self, p: Parameter, sent: str) -> None:
        """A seed that is secret has no example."""
        if _drawn_afresh(p):
            self.say(f"{called(p)} must be {p.words}", "Leave it empty to have one drawn.")
        else:
            super().unreadable(p, sent)

    def _nothing(self, p: Parameter) -> Any:
        """An empty field: not said, or the usual."""
        if _drawn_afresh(p):
            return new_seed()
        if p.kind == "columns":
            if p.needed or _says_what_is_masked(p):
                self.missing(p)
        elif p.needed or (p.default is not None and p.kind in ("whole", "amount")):
            self.missing(p)
        return None

    def _groups(self, method: Method, made: dict[str, Any]) -> None:
        for names in method.groups.values():
            given = [name for name in names if name in made]
            labels = " or ".join(f"“{method.parameters[name].label}”" for name in names)
            if len(given) > 1:
                self.say(f"both are given, {labels}", "Leave one empty.")
            if not given and not self.problems:
                self.say(f"{labels} is missing", "Write one of them.")

    def _columns(self, method: Method, made: dict[str, Any]) -> None:
        """Columns that the method cannot work with, with these options."""
        usual = {p.name: p.default for p in method.parameters.values()}
        for p in own_parameters(method):
            for name in made.get(p.name, ()) if p.kind == "columns" else ():
                for unfit in self.known.unfit(p, name):
                    if unfit.holds({**usual, **made}):
                        self.say(f"{name!r} {unfit.what}", _remedy(method, unfit))

    def _levels(self, sent: Mapping[int, str]) -> dict[str, int]:
        given = {self.known.columns[c]: level for c, level in sent.items()}
        if not set(given) & set(self.known.keys):
            self.say("no level is given", "Write one for each key, or let them be found.")
        return {key: self._level(given.get(key, "0")) for key in self.known.keys}

    def _level(self, text: str) -> int:
        if (level := whole_in(text)) is not None:
            return level
        self.say("a level is not a whole number of at least 0", "Write for example 1.")
        return 0

    def _measured(self, method: Method, made: Mapping[str, Any]) -> dict[str, Any]:
        for call in method.measured_first(made).values():
            given = self.known.measured.get(call.__name__, {})
            if any(p.needed and not given.get(p.name) for p in parameters_of(call)):
                remedy = "On the page Roles & risk, measure every record first."
                self.say("nothing says what is known and what is sensitive", remedy)
        return _measured(method, made, self.known)


def _remedy(method: Method, unfit: Unfit) -> str:
    """What to choose so that a column fits."""
    for name, values in unfit.unless.items():
        parameter, value = method.parameters[name], str(values[0])
        word = parameter.choice_labels.get(value, value)
        return f"Choose “{word}” under “{parameter.label}”, or leave it out."
    return "Leave it out."


def steps_in(all_fields: Sequence[Fields], known: Known) -> tuple[list[Any], list[Problem]]:
    """The steps that the fields stand for, and all that is wrong with them."""
    steps: list[Any] = []
    problems: list[Problem] = []
    for i, fields in enumerate(all_fields, 1):
        here = known.after(one["do"] for one in all_fields[: i - 1])
        own: list[Problem] = []
        where = place(("steps", i - 1), f"steps[{i - 1}]", fields["do"])
        steps.append(_StepReading(where, here.columns, own, here).step(fields))
        problems += own
    return steps, problems


# -- what a page shows -----------------------------------------------------------------------------


def shown(fields: Fields, number: int) -> tuple[list[FormField], list[FormField]]:
    """The fields of a step: those in front, and further options."""
    every = [
        field_of(p, f"{p.name}-{number}", fields.get(p.name, ""))
        for p in own_parameters(maskings[fields["do"]])
    ]
    main = [one for one in every if is_main(one.parameter)]
    return main, [one for one in every if not is_main(one.parameter)]
