"""discreet: measure and limit disclosure risk in microdata.

    import discreet as ds

    survey = ds.read("survey.csv", keys=["age", "zip", "sex"], confidential=["illness"])
    print(ds.risk(survey).explain())

Names are imported when first used, so that ``import discreet`` costs nothing. Which there are, and
where, stands in ``__init__.pyi`` alone.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from discreet._version import __version__ as __version__


@functools.cache
def _homes() -> dict[str, str]:
    """The module of each public name, as type checkers read it."""
    import ast
    from pathlib import Path

    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_bytes())
    lines = [line for line in stub.body if isinstance(line, ast.ImportFrom)]
    return {name.name: str(line.module) for line in lines for name in line.names}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_homes())
    if name not in _homes():
        return _described(name)
    home = _homes()[name]
    inner = home == __name__  # a module that is public itself
    module = importlib.import_module(f"{home}.{name}" if inner else home)
    value = module if inner else getattr(module, name)
    globals()[name] = value
    return value


def _described(name: str) -> Any:
    """What is described and found by its registry: also what other packages add."""
    if not name.startswith("_"):
        from discreet.registry import everything

        found = everything()
        if name in found:
            return found[name].loaded()
        raise AttributeError(_not_here(name, frozenset([*_homes(), *found])))
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def _not_here(name: str, known: frozenset[str]) -> str:
    """That there is no such name; and which one was meant, where that can be told."""
    from discreet.errors import did_you_mean
    from discreet.synonyms import hint

    said = hint(name, known) or f" {did_you_mean(name, known)}".rstrip()
    return f"module 'discreet' has no attribute {name!r}.{said}"


def __dir__() -> list[str]:
    return sorted(_homes())
