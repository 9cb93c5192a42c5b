"""Options made from descriptions: of parameters, of criteria, and what they stand for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.options import (
    Hierarchies,
    Unmapped,
    flag,
    hierarchies_in,
    metavar,
    names_in,
    option,
    parameter_option,
)
from discreet.cli.source import TAKEN, place, place_of
from discreet.criteria.kind import CriterionKind
from discreet.errors import DiscreetError, Problem, argument, noted, raise_all
from discreet.masking.method import MEASURE, Method, unknown_columns
from discreet.measures import Measure
from discreet.parameters import Parameter, parameters_of, read_problem
from discreet.registry import criteria, maskings
from discreet.surface import speaking

USUAL_K = 5
# -- parameters of a masking method or a measure ---------------------------------------------------


@dataclass(frozen=True)
class Verb:
    """A function that is neither masking nor measure: its signature describes it as well."""

    function: Callable[..., Any]
    files: Mapping[str, Parameter] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in Python."""
        return self.function.__name__

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Its parameters, but for the data."""
        return {p.name: p for p in parameters_of(self.function)}

    @property
    def needed(self) -> tuple[str, ...]:
        """The parameters that must be given."""
        return tuple(p.name for p in self.parameters.values() if p.needed)


Described = Method | Measure | Verb


def method_options(method: Described) -> list[inspect.Parameter]:
    """The options of all parameters of a method, and of files that can say them."""
    found: list[inspect.Parameter] = []
    for parameter in method.parameters.values():
        if parameter.shared == "criterion":
            found += criterion_options()
        elif parameter.shared == "hierarchies":
            found.append(option(parameter.name, Hierarchies, None))
            found.append(option("unmapped", Unmapped, "error"))
        elif not _only_in_files(parameter):
            found.append(parameter_option(parameter, place(parameter.name, method.name)))
    for parameter in method.files.values():
        about = typer.Option(flag(parameter.name), help=parameter.file, show_default=False)
        found.append(option(parameter.name, Annotated[Path | None, about], None))
    return found


def _only_in_files(parameter: Parameter) -> bool:
    """Values of the data do not belong into the history of a shell."""
    unsaid = parameter.holds_values or not parameter.written
    return bool(parameter.file) or (parameter.kind == "special" and unsaid)


def method_arguments(method: Described, data: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that the options stand for; all that cannot be read is said at once.

    There may be no data, where the file cannot be read: then the other problems are wanted.
    """
    with speaking(method.name):
        return _arguments(method, data, given)


def _arguments(method: Described, data: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    problems: list[Problem] = []
    found: dict[str, Any] = {}
    for name, parameter in method.parameters.items():
        with noted(problems):
            if parameter.shared == "criterion":
                found[name] = criteria_in(given)
            elif parameter.shared == "hierarchies":
                found[name] = hierarchies_in(data, given[name], given.get("unmapped") or "error")
            elif name not in method.files:
                said = given.get(place(name, method.name))
                if said not in (None, []):
                    found[name] = _read(parameter, said, method.name)
                if name in found and parameter.kind == "table" and data is not None:
                    raise_all(unknown_columns(data, sorted(parameter.columns_in(found[name]))))
    files = {name: given[name] for name in method.files if given.get(name) is not None}
    needed = method.needed(found) if isinstance(method, Method) else method.needed
    problems += [] if files else _missing([method.parameters[name] for name in needed], found)
    if isinstance(method, Method):
        problems += _of_others(method, {**found, **files})
    raise_all(problems)
    return {**found, **files}


def _of_others(method: Method, given: Mapping[str, Any]) -> list[Problem]:
    """Arguments that are for another measure than the one that a method takes first."""
    remedy = f"Leave it out, or name its measure with {argument(MEASURE)}."
    return [
        Problem(
            "P16",
            f"{argument(name)} does not belong to the measure that is named.",
            remedy,
            name,
        )
        for name in method.unasked(given)
    ]


def _read(parameter: Parameter, given: Any, method: str = "") -> Any:
    if isinstance(given, bool):
        return given
    text = given if isinstance(given, str) else ",".join(_quoted(names_in(given)))
    try:
        if parameter.written is not None:
            from discreet.plan.criteria import need_hierarchies, plain_in

            plain = parameter.read(text) if parameter.written.read else plain_in(parameter, text)
            need_hierarchies({"do": method, parameter.name: plain})
            return parameter.written.load(plain, Path())
        return parameter.read(text)
    except ValueError:
        pass
    raise_all([read_problem(parameter)])


def _quoted(names: Iterable[str]) -> list[str]:
    return ['"' + name.replace('"', '""') + '"' if "," in name else name for name in names]


def _missing(parameters: Iterable[Parameter], found: Mapping[str, Any]) -> list[Problem]:
    return [
        Problem("P32", f"{argument(p.name)} is missing.", f"Give {p.words}.", p.name)
        for p in parameters
        if p.needed and p.name not in found
    ]


# -- a grid of maskings ----------------------------------------------------------------------------


def _varied() -> dict[str, dict[str, Parameter]]:
    """The parameters of all methods that a grid may vary, and the numbers of the usual criterion,
    by their names and by the methods; a loss that is minimised is not the loss of the map.
    """
    from discreet.rumap.grid import ALSO

    found: dict[str, dict[str, Parameter]] = {}
    for kind in _kinds():
        if kind.inline:
            for p in kind.parameters.values():
                if p.kind != "columns":
                    found.setdefault(p.name, {})["criterion"] = p
    every = [(method, p) for method in maskings.all() for p in method.parameters.values()]
    for method, p in every:
        if not (p.shared or p.is_seed or p.is_variant or p.kind == "special"):
            found.setdefault(p.name, {})[method.name] = p
    for method, p in every:  # a word of its own on a map, and said in this way, too
        if p.is_variant and p.name in found:
            found[p.name][method.name] = p
    return {name: of for name, of in found.items() if name not in {*TAKEN, *_OF_MAPS, *ALSO}}


# what the command of a map has by itself
_OF_MAPS = ("hierarchies", "loss", "measures", "methods", "risk", "risk_at_most", "score", "seed",
            "with_score")  # fmt: skip


def grid_options() -> list[inspect.Parameter]:
    """An option for each parameter that a grid may vary; several values apart by commas."""
    from discreet.rumap.grid import ALSO

    found = []
    for name, of in _varied().items():
        parameter = next(iter(of.values()))
        of_criterion = [*of] == ["criterion"]  # asked for only where it is given
        varied = ",".join(parameter.text(value) for value in parameter.vary)
        usual = "" if of_criterion else varied
        shown = "" if parameter.kind in ("columns", "table") else " Separate several by commas."
        names = [name, *(also for also, real in ALSO.items() if real == name)]
        about = typer.Option(
            *map(flag, names),
            help=f"{_docs(of)}{shown if varied else ''}",
            metavar="WORD" if parameter.kind == "choice" else metavar(parameter, "WORD"),
            show_default=usual or False,
        )
        found.append(option(name, Annotated[list[str], about], []))
    return found


def _docs(of: Mapping[str, Parameter]) -> str:
    """What a name means; of each method where they differ."""
    meant: dict[str, list[str]] = {}
    for method, parameter in of.items():
        meant.setdefault(parameter.doc, []).append(method)
    if len(meant) == 1:
        return next(iter(meant))
    return " ".join(f"{', '.join(methods)}: {doc}" for doc, methods in meant.items())


def grid_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values that the options stand for, as the methods that are asked for read them; all that
    cannot be read is said at once.
    """
    from discreet.rumap.grid import method_words

    words = method_words()
    chosen = {words[one][0].name for one in names_in(given.get("methods") or []) if one in words}
    problems: list[Problem] = []
    found: dict[str, Any] = {}
    for name, of in _varied().items():
        texts = names_in(given.get(name) or [])
        if texts:
            asked = [p for method, p in of.items() if method in chosen] or list(of.values())
            with noted(problems):
                found[name] = _first_read(asked, texts)
    raise_all(problems)
    return found


def _first_read(parameters: Iterable[Parameter], texts: list[str]) -> Any:
    """What the first of several parameters that can read it makes of an option."""
    wrong: list[DiscreetError] = []
    for parameter in parameters:
        together = parameter.kind in ("columns", "table")
        try:
            values = [_read(parameter, one) for one in ([texts] if together else texts)]
        except DiscreetError as error:
            wrong.append(error)
        else:
            return values[0] if together else values
    raise wrong[0]


# -- criteria --------------------------------------------------------------------------------------

_BESIDE_OTHERS = "It is asked for beside other criteria, too: 1 asks for nothing."


def criterion_options(usual_k: int | None = USUAL_K) -> list[inspect.Parameter]:
    """An option for each number of an inline kind, and for each other kind of criterion."""
    found: dict[str, inspect.Parameter] = {}
    for kind in _kinds():
        if kind.inline:
            for p in kind.parameters.values():
                if p.kind != "columns":
                    usual = str(usual_k) if p.name == "k" and usual_k is not None else None
                    said = p.doc if usual is None else f"{p.doc} {_BESIDE_OTHERS}"
                    about = typer.Option(flag(p.name), help=said, metavar=metavar(p))
                    found.setdefault(p.name, option(p.name, Annotated[str | None, about], usual))
        else:
            here = place_of(kind)
            names = [flag(here), *([flag(kind.option)] if kind.option else [])]
            said = f"{kind.about} For example {kind.examples}"
            about = typer.Option(*names, help=said, metavar=kind.example, show_default=False)
            found[here] = option(here, Annotated[str | None, about], None)
    return list(found.values())


def _kinds() -> list[CriterionKind]:
    return sorted(criteria.all(), key=lambda kind: (not kind.inline, kind.key))


def criteria_in(given: Mapping[str, Any]) -> list[Any]:
    """The criteria that the options stand for; all that is wrong with them is said at once."""
    from discreet.plan.criteria import inline_kinds

    said = {name: value for name, value in given.items() if value is not None}
    problems: list[Problem] = []
    found: list[Any] = []
    for kind in inline_kinds():
        if all(name in said for name in kind.needed):
            texts = {name: said.pop(name) for name in kind.needed}
            with noted(problems):
                found.append(kind.made(**_numbers(kind, texts)))
    for kind in _kinds():
        if not kind.inline and place_of(kind) in said:
            with noted(problems):
                found.append(kind.from_text(said[place_of(kind)]))
    raise_all(problems)
    return found


def _numbers(kind: CriterionKind, texts: Mapping[str, str]) -> dict[str, Any]:
    problems: list[Problem] = []
    found: dict[str, Any] = {}
    for name, text in texts.items():
        with noted(problems):
            found[name] = _read(kind.parameters[name], text)
    raise_all(problems)
    return found
