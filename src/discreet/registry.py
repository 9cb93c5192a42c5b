"""Registries: what maskings, criteria and measures there are, found where they are described.

A method of the package is found by the mark on its function or class, ``@masking(…)``, without
loading its module: so the command line can list all of them at once. A package from outside adds
its own through entry points, and is treated alike; its name and version are told wherever a
result depends on it.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from discreet.errors import did_you_mean, fail, listed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


@dataclass(frozen=True)
class Entry:
    """Where a method stands, and what it says of itself in one line.

    Attributes
    ----------
    name : str
        By which plans, commands and the ledger know it.
    title, about : str
        In words; empty for a package from outside until it is loaded.
    module, attribute : str
        Where it is.
    command : str
        On the command line.
    package, version : str
        The package from outside that it came with; empty for our own.
    """

    name: str
    title: str
    about: str
    module: str
    attribute: str
    command: str = ""
    package: str = ""
    version: str = ""

    def loaded(self) -> Any:
        """The function or class itself."""
        return getattr(importlib.import_module(self.module), self.attribute)

    @property
    def origin(self) -> str:
        """The package and version it came from; empty for our own."""
        return f"{self.package} {self.version}" if self.package else ""


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
        return _loaded(self, known[name])

    def all(self) -> list[Any]:
        """All descriptions; every module is loaded."""
        return [self[name] for name in self]


@functools.cache
def _entries(registry: Registry) -> dict[str, Entry]:
    found = {entry.name: entry for entry in _ours(registry)}
    for entry in _from_outside(registry):
        if entry.name in found:
            other = found[entry.name].origin or "discreet"
            fail(
                "N80",
                f"the {registry.sort} {entry.name!r} of {entry.origin} has the name of one of "
                f"{other}.",
                f"Remove {entry.package}, or ask its authors to choose another name.",
            )
        found[entry.name] = entry
    return found


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
        )


def _from_outside(registry: Registry) -> Iterator[Entry]:
    for point in sorted(_points().select(group=registry.group), key=lambda one: one.name):
        about = point.dist
        package = about.name if about else "a package"
        version = about.version if about else ""
        command = point.name.replace("_", "-")
        yield Entry(point.name, "", "", point.module, point.attr, command, package, version)


@functools.cache
def _points() -> EntryPoints:
    """What all installed packages offer: looked up once, whatever is asked of it."""
    from importlib.metadata import entry_points

    return cast("EntryPoints", entry_points())


@functools.cache
def _loaded(registry: Registry, entry: Entry) -> Any:
    try:
        return entry.loaded().description(entry)
    except (ImportError, AttributeError):
        if not entry.package:
            raise
    fail(
        "N81",
        f"the {registry.sort} {entry.name!r} of {entry.origin} cannot be loaded.",
        f"Install {entry.package} again, or remove it.",
    )


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
