"""Phrasing: what a message says of arguments, in the words of those who do not write Python.

Messages name arguments as Python has them: ``missing_values=``, ``header=True``. In a terminal
these are options, on the pages of the app they are fields. What stands in quotes is the name of a
column or a file and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

_ARGUMENT = re.compile(
    r"""(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""  # a name, as repr() writes it
    r"""|(?<![\w."-])(?P<name>[a-z_]+)="""
    r"""(?:"(?P<text>[^"]*)"|(?P<word>True|False|\d[\w.]*)|(?P<any>\[…\]|…))?"""
)
_OTHER_NAMES = {"overwrite": "force", "as_json": "json"}


def for_terminal(text: str, options: Collection[str]) -> str:
    """With the options of a command line, where there is one of that name."""

    def option(name: str, value: str) -> str | None:
        flag = f"--{_OTHER_NAMES.get(name, name).replace('_', '-')}"
        if flag not in options:
            return None
        return flag if value in ("", "True", "False") else f"{flag} {value}"

    return _rephrased(text.replace(", in ds.settings(…)", ""), option)


def for_pages(text: str, fields: Mapping[str, str], words: Mapping[str, str]) -> str:
    """With the labels of fields, and words for what else Python has."""

    def field(name: str, value: str) -> str | None:
        label = fields.get(f"{name}={value}", fields.get(name))
        if label is None:
            return None
        shown = (
            "" if value in ("", "True", "False") or f"{name}={value}" in fields else f": {value}"
        )
        return f"“{label}”{shown}"

    for python, word in words.items():
        text = text.replace(python, word)
    return _rephrased(text, field)


def _rephrased(text: str, called: Callable[[str, str], str | None]) -> str:
    def one(match: re.Match[str]) -> str:
        if match["quoted"]:
            return match[0]
        other = called(match["name"], match["text"] or match["word"] or "")
        return match[0] if other is None else other

    return _ARGUMENT.sub(one, text)
