"""What is wrong with the words of a command: unknown options, numbers that are none, what is
missing. All of it is told at once, and together with what is wrong with the files.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from typer.core import TyperCommand, TyperGroup

from discreet.errors import Problem, argument, did_you_mean, nearest, noted, raise_all
from discreet.parameters import Parameter, parameter_of, read_problem

_WRONG: ContextVar[tuple[Problem, ...]] = ContextVar("wrong", default=())


def all_told(problems: list[Problem], work: Callable[[], None], others: Callable[[], Any]) -> None:
    """Do the work of a command. Where it cannot be done, ``others`` looks for what else is wrong,
    and all of it is raised.
    """
    if not problems:
        with noted(problems):
            work()
    if problems:
        found: list[Problem] = []
        with noted(found):
            others()
        problems += [one for one in found if one not in problems]
    raise_all(problems)


def checks(*steps: Callable[[], Any]) -> None:
    """Take all steps, and raise what is wrong with any of them."""
    problems: list[Problem] = []
    for step in steps:
        with noted(problems):
            step()
    raise_all(problems)


def look_at_both(data: Any, given: dict[str, Any]) -> None:
    """Read the other files of a command, and look for the columns that all files need."""
    from discreet.cli.options import names_in
    from discreet.masking.method import unknown_columns

    problems: list[Problem] = []
    others, on = [], given["on"]
    for file in given.get("others") or [given.get("masked")]:
        if file is not None:
            with noted(problems):
                others.append(given["read_alike"](file))
    for one in (data, *others):
        if one is not None and on is not None:
            problems += unknown_columns(one, [on], "record id")
    keys = names_in(given.get("other_keys") or []) or (data.keys if data is not None else ())
    for other in others:
        problems += unknown_columns(other, keys, "key attribute")
    raise_all(problems)


def telling(others: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Have a command tell all that is wrong; ``others`` takes what it was given, and looks."""

    def around(command: Callable[..., None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            all_told(wrong_words(), lambda: command(**given), lambda: others(**given))

        run.__name__, run.__doc__ = command.__name__, command.__doc__
        run.__signature__ = inspect.signature(command, eval_str=True)  # type: ignore[attr-defined]
        return tells(run)

    return around


def tells(command: Callable[..., None]) -> Callable[..., None]:
    """Mark a command that raises :func:`wrong_words` itself, with what else it finds."""
    command.tells = True  # type: ignore[attr-defined]
    return command


def wrong_words() -> list[Problem]:
    """What is wrong with the words of the command that runs."""
    return list(_WRONG.get())


@contextlib.contextmanager
def noting() -> Iterator[None]:
    """Note what is wrong within, to be told with the words of the command."""
    problems: list[Problem] = []
    with noted(problems):
        yield
    _WRONG.set((*_WRONG.get(), *problems))


class Command(TyperCommand):
    """A command that notes what is wrong with its words, and goes on without them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words."""
        if ctx.resilient_parsing:  # a shell completes a word
            return super().parse_args(ctx, args)
        words = _Words(self, ctx).read(args)
        _WRONG.set((*_WRONG.get(), *words.problems))
        return super().parse_args(ctx, [*words.options, "--", *words.arguments])

    def invoke(self, ctx: Any) -> Any:
        """Run the command; one that does not tell what is wrong does not begin."""
        if not getattr(self.callback, "tells", False):
            raise_all(wrong_words())
        return super().invoke(ctx)


class Program(TyperGroup):
    """The program: its own options, and the commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words before the name of the command."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        words = _Words(self, ctx).read(args)
        _WRONG.set(tuple(words.problems))
        if not words.options and not words.arguments:
            raise_all(wrong_words())
        return super().parse_args(ctx, [*words.options, *words.arguments])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of a name: one that is built when it is used is built here."""
        from discreet.cli.lazy import built

        name, *words = args
        if name not in self.commands:
            if ctx.resilient_parsing:
                return super().resolve_command(ctx, args)
            remedy = did_you_mean(name, self.commands) or "discreet --help lists the commands."
            raise_all([*wrong_words(), Problem("P00", f"{name!r} is not a command.", remedy)])
        return name, built(name) or self.commands[name], words


class _Words:
    """The words of a command, sorted: options with their values, arguments, and problems."""

    def __init__(self, command: Any, ctx: Any) -> None:
        params = command.get_params(ctx)
        self.flags = {
            flag: param for param in params for flag in (*param.opts, *param.secondary_opts)
            if flag.startswith("-")
        }  # fmt: skip
        self.places = [param for param in params if param.param_type_name == "argument"]
        self.commands = getattr(command, "commands", None)
        self.types = inspect.signature(command.callback, eval_str=True).parameters
        self.help = f"{ctx.command_path} --help lists what there is."
        self.options: list[str] = []
        self.arguments: list[str] = []
        self.problems: list[Problem] = []
        self._given: set[Any] = set()
        self._doubtful: dict[int, bool] = {}  # arguments that may belong to an unknown option

    def read(self, words: list[str]) -> _Words:
        """Sort all words; of the program itself those before the name of the command."""
        left = list(words)
        while left:
            word = left.pop(0)
            if word == "--":
                self.arguments += left
                break
            if word.startswith("-") and len(word) > 1:
                self._option(word, left)
            elif self.commands is None:
                self.arguments.append(word)
            else:
                self.arguments += [word, *left]
                break
        if self.commands is None:
            self._count_arguments()
            self._note_missing()
        elif 0 in self._doubtful and self.arguments[0] not in self.commands:
            rest = self.arguments[1:]
            self.arguments, self._doubtful = [], {}
            return self.read(rest)
        return self

    def _option(self, word: str, left: list[str]) -> None:
        """Take an option and its value."""
        name, equals, value = word.partition("=")
        if name not in self.flags and not word.startswith("--") and word[:2] in self.flags:
            name, equals, value = word[:2], "=", word[2:]
        param = self.flags.get(name)
        if param is None:
            self._unknown(name, left if not equals else [])
            return
        self._given.add(param)
        if param.is_flag:
            if equals:
                self._wrong(f"{name} takes no value.", f"Write {name} alone.")
            self.options.append(name)
        elif not equals and not left:
            self._wrong(f"{name} has no value.", f"Write it behind {name}, or leave {name} out.")
        else:
            self._value(param, name, value if equals else left.pop(0))

    def _unknown(self, name: str, left: list[str]) -> None:
        """Note an unknown option; the word behind it may be its value, or an argument."""
        self._wrong(f"{name!r} is not an option.", did_you_mean(name, self.flags) or self.help)
        if left and not left[0].startswith("-"):
            near = nearest(name, self.flags)
            has_value = bool(near) and not self.flags[near[0]].is_flag
            self._doubtful[len(self.arguments)] = has_value

    def _value(self, param: Any, name: str, text: str) -> None:
        described = parameter_of(param.name, self.types[param.name].annotation, param.default)
        if described.kind not in ("whole", "number"):
            self.options += [name, text]
            return
        problems = _number_problems(described, text)
        self.problems += problems
        self.options += [] if problems else [name, str(described.read(text))]

    def _count_arguments(self) -> None:
        """Note arguments that are too many; what may belong to an unknown option is no argument."""
        over = max(len(self.arguments) - len(self.places), 0)
        if any(place.nargs == -1 for place in self.places):  # which takes any number of words
            over = min(over, len(self._doubtful))
        doubtful = sorted(self._doubtful, key=lambda at: not self._doubtful[at])[:over]
        self.arguments = [one for at, one in enumerate(self.arguments) if at not in doubtful]
        over -= len(doubtful)
        if over > 0:
            del self.arguments[-over:]
            what = "one word too many." if over == 1 else f"{over} words too many."
            remedy = "Separate names by commas only (age,zip,sex); quote a name that has blanks."
            self._wrong(f"the command has {what}", remedy)

    def _note_missing(self) -> None:
        given = {*self.places[: len(self.arguments)], *self._given}
        if any(param.is_eager for param in given):  # help is asked for
            return
        for param in dict.fromkeys([*self.places, *self.flags.values()]):
            if param.required and param not in given:
                option = param.param_type_name == "option"
                name = argument(param.name) if option else param.name.upper()
                remedy = f"Give it: {_lowered(param.help)}"
                self.problems.append(Problem("P32", f"{name} is missing.", remedy, param.name))
                param.required = False  # it is told above, with the rest

    def _wrong(self, what: str, remedy: str) -> None:
        self.problems.append(Problem("P00", what, remedy))


def _lowered(sentence: str) -> str:
    """A sentence to go on with behind a colon; an acronym stays as it is."""
    first = sentence.split(" ", maxsplit=1)[0]
    small = len(first) == 1 or first[1:].islower()
    return sentence[0].lower() + sentence[1:] if small else sentence


def _number_problems(described: Parameter, text: str) -> list[Problem]:
    try:
        return described.problems(described.read(text))
    except ValueError:
        return [read_problem(described)]
