"""The lines on which the keys of a TOML file stand, so that a problem can say where it is.

The file was read by ``tomllib`` before: what is scanned here is well formed, and only the
places of keys and of the items of arrays are looked for.
"""

from __future__ import annotations

import bisect
import re
import tomllib
from collections.abc import Mapping

At = tuple[str | int, ...]  # the way to a value: ("steps", 0, "method")

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\n]+")
_TEXTS = (
    re.compile(r'"""(?:[^\\]|\\.)*?"""+', re.DOTALL),
    re.compile(r"'''.*?'''+", re.DOTALL),
    re.compile(r'"(?:[^"\\]|\\.)*"'),
    re.compile(r"'[^']*'"),
)


def lines_of(text: str) -> Mapping[At, int]:
    r"""The line of each key and each item of an array.

    Examples
    --------
    >>> dict(lines_of('[roles]\nkeys = ["age",\n"zip"]'))[("roles", "keys", 1)]
    3
    """
    return _Scan(text).found


class _Scan:
    """One pass over the text."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.found: dict[At, int] = {}
        self.rows: dict[At, int] = {}  # how many tables an array of tables has so far
        self._file()

    def _file(self) -> None:
        inside: At = ()
        while self._skip():
            if self._takes("[["):
                inside = self._header(array=True)
            elif self._takes("["):
                inside = self._header(array=False)
            else:
                self._pair(inside)

    def _header(self, *, array: bool) -> At:
        way: At = ()
        start, parts = self.at, self._key()
        for i, part in enumerate(parts):
            way = (*way, part)
            if array and i == len(parts) - 1:
                self.rows[way] = self.rows.get(way, -1) + 1
            if way in self.rows:
                self._put(way, start)
                way = (*way, self.rows[way])
        self._put(way, start)
        self.at = self.text.index("]", self.at) + (2 if array else 1)
        return way

    def _pair(self, inside: At) -> None:
        start = self.at
        for part in self._key():
            inside = (*inside, part)
            self._put(inside, start)
        self._skip()
        self.at += 1  # the equals sign
        self._value(inside)

    def _value(self, way: At) -> None:
        self._skip()
        if self._takes("["):
            number = 0
            while self._skip() and not self._takes("]"):
                self._put((*way, number), self.at)
                self._value((*way, number))
                number += 1
                self._skip()
                self._takes(",")
        elif self._takes("{"):
            while self._skip() and not self._takes("}"):
                self._pair(way)
                self._skip()
                self._takes(",")
        elif not self._text():
            scalar = _SCALAR.match(self.text, self.at)
            self.at = scalar.end() if scalar else len(self.text)

    def _key(self) -> list[str]:
        parts: list[str] = []
        while self._skip():
            start = self.at
            if not self._text():
                bare = _BARE_KEY.match(self.text, self.at)
                assert bare is not None
                self.at = bare.end()
            parts += tomllib.loads(f"{self.text[start : self.at]} = 0")
            self._skip()
            if not self._takes("."):
                break
        return parts

    def _text(self) -> bool:
        for form in _TEXTS:
            found = form.match(self.text, self.at)
            if found:
                self.at = found.end()
                return True
        return False

    def _skip(self) -> bool:
        """Go past blanks and comments; whether there is more."""
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at
        return self.at < len(self.text)

    def _takes(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True

    def _put(self, way: At, start: int) -> None:
        self.found.setdefault(way, bisect.bisect_right(self.starts, start))
