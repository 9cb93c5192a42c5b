"""Commands that are built when they are used: their options come from descriptions, whose modules
take longer to load than the list of the commands may take.
"""

from __future__ import annotations

import collections
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import typer

from discreet.cli import shown
from discreet.cli.program import app
from discreet.cli.usage import Command
from discreet.registry import Entry, Registry, refuse_name

Build = Callable[[], Callable[..., None]]


def lazily(name: str, about: str, build: Build) -> None:
    """Add a command by its name and what it is about; ``build`` makes its function."""
    app.command(name, help=about)(_not_built)
    BUILT[name] = build


def reading_on_use(
    asked: Callable[[Any, dict[str, Any]], Any] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command of its own that reads a file, about what its first line says; ``asked`` as for
    :func:`discreet.cli.source.reads_data`.
    """

    def added(command: Callable[..., None]) -> Callable[..., None]:
        about = (command.__doc__ or "").partition("\n\n")[0]
        lazily(command.__name__.replace("_", "-"), about, lambda: _reads_data(command, asked))
        return command

    return added


def _reads_data(
    command: Callable[..., None], asked: Callable[[Any, dict[str, Any]], Any] | None
) -> Callable[..., None]:
    from discreet.cli.source import reads_data

    return reads_data(command, asked)


def _not_built() -> None:
    """What stands for a command in the list of the commands."""


def built(name: str) -> Any:
    """The command of a name that is built when it is used; None for others."""
    if name not in BUILT:
        return None
    alone = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    alone.command(name, cls=Command)(BUILT[name]())
    return legible(alone)


def legible(program: typer.Typer) -> Any:
    """The command of a program, its help in characters that the terminal has."""
    made: Any = typer.main.get_command(program)
    parts = [made, *getattr(made, "commands", {}).values()]
    for one in [*parts, *(option for part in parts for option in part.params)]:
        for name in _TEXTS:
            if isinstance(text := getattr(one, name, None), str):
                setattr(one, name, shown(text))
    return made


_TEXTS = ("help", "short_help", "epilog", "metavar")


def each_lazily(registry: Registry, build: Callable[[str], Callable[..., None]]) -> None:
    """Add the commands of all methods of a sort but those of ``_BY_HAND``."""
    for entry in registry.entries().values():
        if entry.name not in _BY_HAND:
            about = f"{entry.title or entry.name}{_origin(entry)}. {entry.about}"
            if entry.package:
                _OUTSIDE.append(entry)
            lazily(entry.command, about, functools.partial(build, entry.name))


def _origin(entry: Entry) -> str:
    return f" (from {entry.origin})" if entry.package else ""


def about_of(described: Any) -> str:
    """What the help of a command says of a method: of one from outside where it came from, too."""
    return f"{described.about.removesuffix('.')}{_origin(described.entry)}."


def need_names_apart() -> None:
    """Refuse a package from outside of which a command has the name of another one."""
    every = collections.Counter(map(name_of, app.registered_commands))
    for entry in _OUTSIDE:
        if every[entry.command] > 1:
            others = [one.origin for one in _OUTSIDE if one.command == entry.command]
            other = others[1] if others[1:] else ""
            refuse_name(entry, f"the command {entry.command!r}", other)


def name_of(command: Any) -> str:
    """How a command is called."""
    return str(command.name or getattr(command.callback, "__name__", ""))


_OUTSIDE: list[Entry] = []
_BY_HAND = ("record_risk", "disclosure_risk")  # what more can be asked of: record-risk, compare


def reading(
    run: Callable[..., None],
    described: Sequence[inspect.Parameter | str],
    about: str,
    example: str,
    asked: Callable[[Any, dict[str, Any]], Any] | None = None,
) -> Callable[..., None]:
    """A command that reads a file; ``asked`` reads its options.

    These are the ones described, then those that its function has by itself; a name among those
    described is that of one which stands there.
    """
    data = inspect.Parameter("data", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    every = inspect.signature(run, eval_str=True).parameters.values()
    own = {one.name: one for one in every if one.kind is inspect.Parameter.KEYWORD_ONLY}
    options = [own.pop(one) if isinstance(one, str) else one for one in described]
    options += own.values()
    needed = [one for one in options if one.default is inspect.Parameter.empty]
    others = [one for one in options if one.default is not inspect.Parameter.empty]
    run.__signature__ = inspect.Signature([data, *needed, *others])  # type: ignore[attr-defined]
    run.__doc__ = f"{about}\n\n{example}"
    return _reads_data(run, asked)


def options_of(arguments: list[str]) -> dict[str, str]:
    """The options of the command that arguments name, by the names of what they stand for."""
    group: Any = typer.main.get_command(app)
    named = next((one for one in arguments if one in group.commands), "")
    chosen = built(named) or group.commands.get(named)
    every = [*group.params, *(chosen.params if chosen is not None else ())]
    return {one.name: one.opts[0] for one in every if one.opts and one.opts[0].startswith("-")}


BUILT: dict[str, Build] = {}
