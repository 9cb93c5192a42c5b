"""Registries: what maskings, criteria and measures there are, found where they are described.

A method of the package is found by the mark on its function or class, ``@masking(…)``, without
loading its module: so the command line can list all of them at once. A package from outside adds
its own through entry points, and is treated alike; its name and version are told wherever a
result depends on it.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from discreet.errors import (
    DEBUG,
    DiscreetError,
    did_you_mean,
    fail,
    failure,
    listed,
    raise_all,
    show_if_debug,
)
from discreet.surface import in_python

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


@dataclass(frozen=True)
class Entry:
    """Where a method stands, and what it says of itself in one line.

    Attributes
    ----------
    name : str
        By which plans, commands and the ledger know it.
    title, about : str
        In words; empty for a package from outside whose source does not lie beside it.
    module, attribute : str
        Where it is.
    command : str
        On the command line.
    package, version : str
        The package from outside that it came with; empty for our own.
    sort : str
        What one of its registry is called: "masking".
    """

    name: str
    title: str
    about: str
    module: str
    attribute: str
    command: str = ""
    package: str = ""
    version: str = ""
    sort: str = ""

    def loaded(self) -> Any:
        """The function or class itself; of a package from outside once its description is read."""
        if self.package:
            _described(self)
        return self.made()

    def made(self) -> Any:
        """The function or class itself, whatever is wrong with it."""
        return getattr(importlib.import_module(self.module), self.attribute)

    @property
    def origin(self) -> str:
        """The package and version it came from; empty for our own."""
        return f"{self.package} {self.version}" if self.package else ""

    @property
    def words(self) -> str:
        """What it is and where it came from, in words."""
        return f"the {self.sort} {self.name!r}{f' of {self.origin}' if self.package else ''}"

    def call(self, work: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Call what belongs to it. Where that is code of a package from outside, an error that is
        not one of ours may quote a value, and the package is named in its place.
        """
        if not self.package:
            return work(*given, **named)
        try:
            return work(*given, **named)
        except DiscreetError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, it may quote a value
            problem = failure(error, "E50", f"{self.words} failed", ours=False)
        raise_all([problem])

    def need(self, given: Any, *, as_it_should: bool, what: str) -> Any:
        """What code of a package from outside gave back, if it is as it should be."""
        if self.package and not as_it_should:
            fail("E50", f"{self.words} {what}.", f"Tell the authors of {self.package}.")
        return given


@dataclass(frozen=True)
class Registry:
    """All methods of one sort.

    Parameters
    ----------
    sort : str
        What one of them is called: "masking".
    packages : tuple of str
        Our packages whose modules are looked through.
    group : str
        The group of entry points.
    """

    sort: str
    packages: tuple[str, ...]
    group: str

    def entries(self) -> Mapping[str, Entry]:
        """All of them by name, ours first; none of them is loaded."""
        return _entries(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries())

    def __contains__(self, name: object) -> bool:
        return name in self.entries()

    def __getitem__(self, name: str) -> Any:
        """The description of a method; its module is loaded."""
        known = self.entries()
        if name not in known:
            remedy = did_you_mean(name, known) or f"Use one of {listed(known)}."
            fail("P16", f"{name!r} is not a {self.sort}.", remedy)
        return _described(known[name])

    def all(self) -> list[Any]:
        """All descriptions; every module is loaded."""
        return list(_all(self))


@functools.cache
def _all(registry: Registry) -> tuple[Any, ...]:
    """All descriptions; none from outside has a word of a plan that another one has."""
    found = tuple(registry[name] for name in registry)
    taken: dict[str, Entry] = {}
    for one in found:
        for word in getattr(one, "words_of_plans", ()):
            if word in taken and one.entry.package:
                refuse_name(one.entry, f"the key {word!r}", taken[word].origin)
            taken.setdefault(word, one.entry)
    return found


@functools.cache
def _entries(registry: Registry) -> dict[str, Entry]:
    return {entry.name: entry for entry in (*_ours(registry), *_added()[registry.sort])}


@functools.cache
def _added() -> dict[str, list[Entry]]:
    """What packages from outside add, by sort; each has a name of its own in Python."""
    every = (maskings, criteria, measures)
    found = {registry.sort: list(_from_outside(registry)) for registry in every}
    if any(found.values()):
        top = Path(__file__).parent
        ours = {*importlib.import_module(__package__).__all__, *(one.stem for one in top.iterdir())}
        ours |= {entry.name for registry in every for entry in _ours(registry)}
        taken = dict.fromkeys(ours, "")
        for entry in (one for added in found.values() for one in added):
            if entry.name in taken:
                refuse_name(entry, "a name", taken[entry.name])
            taken[entry.name] = entry.origin
    return found


def refuse_name(entry: Entry, what: str, other: str) -> NoReturn:
    """Refuse a name of a package from outside that another package, or discreet, has."""
    fail(
        "N80",
        f"{entry.words} has {what} that {other or 'discreet'} has already.",
        f"Remove {entry.package}, or ask its authors to choose another name.",
    )


def _ours(registry: Registry) -> Iterator[Entry]:
    top = Path(__file__).parent
    for package in registry.packages:
        for file in sorted((top / package).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if f"\n@{registry.sort}(" in text:
                inner = file.relative_to(top).with_suffix("").parts
                yield from _marked(text, registry, ".".join(["discreet", *inner]))


def _marked(text: str, registry: Registry, module: str) -> Iterator[Entry]:
    """The functions and classes of a module that bear the mark, with its words.

    Only the marks are parsed: a command looks through all modules before it does anything.
    """
    begun = rf"^(@{registry.sort}\(.*?)^(?:def|class) (\w+)"
    for marks, attribute in re.findall(begun, text, re.DOTALL | re.MULTILINE):
        function = cast("ast.FunctionDef", ast.parse(f"{marks}def {attribute}(): ...").body[0])
        mark = cast("ast.Call", function.decorator_list[0])
        said = {str(k.arg): k.value.value for k in mark.keywords
                if isinstance(k.value, ast.Constant)}  # fmt: skip
        name = str(said.get("name", attribute))
        yield Entry(
            name,
            str(said.get("title", "")),
            str(said.get("about", "")),
            module,
            attribute,
            str(said.get("command", "")) or name.replace("_", "-"),
            sort=registry.sort,
        )


def _from_outside(registry: Registry) -> Iterator[Entry]:
    for point in sorted(_points().select(group=registry.group), key=lambda one: one.name):
        about = point.dist
        package = about.name if about else "a package"
        version = about.version if about else ""
        where = (point.module, point.attr, point.name.replace("_", "-"))
        words = _words_outside(point, registry)
        yield Entry(point.name, *words, *where, package, version, registry.sort)


def _words_outside(point: EntryPoint, registry: Registry) -> tuple[str, str]:
    """Title and sentence of a method from outside, read from its source: it is not imported."""
    about, inner = point.dist, point.module.replace(".", "/")
    if about is None:
        return "", ""
    for name in (f"{inner}.py", f"{inner}/__init__.py"):
        with contextlib.suppress(OSError, SyntaxError, ValueError):
            text = Path(str(about.locate_file(name))).read_text(encoding="utf-8")
            for one in _marked(text, registry, point.module):
                if one.attribute == point.attr:
                    return one.title, one.about
    return "", ""


@functools.cache
def _points() -> EntryPoints:
    """What all installed packages offer: looked up once, whatever is asked of it."""
    from importlib.metadata import entry_points

    return cast("EntryPoints", entry_points())


@functools.cache
def _described(entry: Entry) -> Any:
    """The description of a method. What is wrong with one of a package from outside is said of that
    package, whatever its code does when it is imported.
    """
    if not entry.package:
        return entry.made().description(entry)
    try:
        made = entry.made()
        name = made.__name__
        found = made.description(entry) if hasattr(made, "description") else None
        unread = [] if found is None else found.unread
    except (Exception, SystemExit) as error:  # noqa: BLE001 - what it says may quote a value
        show_if_debug(error)
        reason, remedy = f"importing it fails ({type(error).__name__})", f"or remove it. {_WHY}"
    else:
        reason, remedy = _unmade(entry, name, found, unread), "or tell its authors."
        if not reason:
            return found
    fail("N81", f"{entry.words} cannot be loaded: {reason}.", f"Update {entry.package}, {remedy}")


_WHY = f"To see why, run it again with {in_python(f'{DEBUG}=1 in the environment')}."


def _unmade(entry: Entry, name: str, found: Any, unread: Sequence[str]) -> str:
    """What is wrong with a method that could be imported; nothing is empty."""
    if found is None:
        return f"{name!r} has no mark @{entry.sort}(…)"
    if name != entry.name:
        return f"its entry point must be called {name!r}, as what it leads to"
    if unread:
        return f"Annotated[…] does not say what {listed(unread)} may be"
    return ""


maskings = Registry("masking", ("masking",), "discreet.maskings")
criteria = Registry("criterion", ("criteria",), "discreet.criteria")
measures = Registry("measure", ("risks", "loss"), "discreet.measures")


def everything() -> dict[str, Entry]:
    """All maskings, criteria and measures by the names that Python has for them."""
    every = [entry for registry in (maskings, criteria, measures)
             for entry in registry.entries().values()]  # fmt: skip
    return {entry.name if entry.package else entry.attribute: entry for entry in every}


def origins(names: Iterable[str]) -> dict[str, str]:
    """The packages from outside that methods of these names came with, and their versions."""
    known = everything()
    found = [known[name] for name in names if name in known and known[name].package]
    return {entry.package: entry.version for entry in found}
