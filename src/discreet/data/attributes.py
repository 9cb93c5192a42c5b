"""Attributes: the role a column plays for an intruder, and the type that says how it is measured.

An *identifier* names a person and is never released. A *key attribute* (quasi-identifier) may
be known to an intruder. A *confidential attribute* is what the intruder wants to learn. One
column may be key and confidential at once; an identifier is nothing else. One column may hold
*weights*, one name the records, one the *household*: those who live together share its value; and
one the *subject*: the person, of whom there may be several records.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from discreet import engine
from discreet.data.options import ALONE, TypeSpec
from discreet.errors import Problem, argument, fail, listed, meant
from discreet.surface import said

if TYPE_CHECKING:
    from discreet.engine import Kind, Source


Measure = Literal["continuous", "ordinal", "nominal"]
_NUMERIC = ("integer", "number", "date", "timestamp", "time")
_NUMBERS = ("integer", "number")
MOST_CODES = 20  # values of a column of codes
RECORDS_PER_CODE = 10  # on average
CODES = (  # the rule in words; every surface that says why takes them from here
    f"whole numbers with at most {MOST_CODES} values, each in {RECORDS_PER_CODE} records or more "
    "on average, are taken for codes and have no mean"
)
_WEIGHTS = ("weight sampling", "sampling weight", "survey weight", "design weight", "wgt",
            "person weight", "pweight", "fnlwgt", "afnlwgt", "sample weight", "weights", "hhweight",
            "wt")  # fmt: skip
# "weight" alone may be that of a body: one of these words must stand beside it
_WEIGHED = {"sampling", "sample", "survey", "design", "person", "individual", "household", "hh",
            "family", "final", "analysis", "analytic", "population", "pop", "expansion", "base",
            "replicate", "calibration", "calibrated", "frequency", "grossing"}  # fmt: skip


@dataclass(frozen=True)
class AttributeType:
    """How an attribute is measured; an ordinal one carries its scale, lowest first.

    ``codes`` tells that nothing was said of the attribute and its few whole numbers are taken for
    codes.
    """

    measure: Measure
    scale: tuple[str, ...] | None = None
    codes: bool = field(default=False, compare=False)

    @property
    def why(self) -> str:
        """Why an attribute nothing was said of has this type, where that needs saying."""
        return CODES if self.codes else ""

    def __str__(self) -> str:
        if self.codes:
            return f"{self.measure} (codes)"
        return f"{self.measure} ({len(self.scale)} steps)" if self.scale else self.measure

    def __repr__(self) -> str:
        return f"AttributeType({self})"  # the scale consists of values: it is not shown


@dataclass(frozen=True)
class Roles:
    """Which columns play which role."""

    identifiers: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    confidential: tuple[str, ...] = ()
    weight: str | None = None
    record_id: str | None = None
    household: str | None = None
    subject: str | None = None

    def of(self, name: str) -> str:
        """The role of a column, in words."""
        played = [(word.removesuffix(" attribute"), names) for word, names in self._named()]
        return " + ".join(word for word, names in played if name in names) or "other"

    def measured(self, kinds: Mapping[str, Kind]) -> dict[str, AttributeType]:
        """The type that a role tells: a weight is an amount, however few values it has, and the
        number of a household or of a person is a name."""
        numbered = (self.household, self.subject)
        told = {name: AttributeType("nominal") for name in numbered if name is not None}
        number = self.weight is not None and kinds.get(self.weight) in _NUMBERS
        return told | ({self.weight: AttributeType("continuous")} if self.weight and number else {})

    def problems(self, columns: Sequence[str], origin: str, sure: bool = True) -> list[Problem]:
        """Everything wrong with the roles for a table of these columns."""
        return [
            *self._unknown(columns, origin, sure),
            *self._repeated(),
            *self._contradictions(),
        ]

    @property
    def held_back(self) -> frozenset[str]:
        """The columns that are not written: identifiers, record id, household and subject."""
        alone = (self.record_id, self.household, self.subject)
        return frozenset([*self.identifiers, *(name for name in alone if name is not None)])

    def _alone(self) -> list[tuple[str, str]]:
        """The roles that one column plays, in words, and the columns that play them."""
        played = [(role.replace("_", " "), getattr(self, role)) for role in ALONE]
        return [(word, name) for word, name in played if name is not None]

    def _named(self) -> list[tuple[str, tuple[str, ...]]]:
        return [
            ("identifier", self.identifiers),
            ("key attribute", self.keys),
            ("confidential attribute", self.confidential),
            *((word, (name,)) for word, name in self._alone()),
        ]

    @property
    def all_named(self) -> frozenset[str]:
        """The columns that play a role."""
        return frozenset(name for _, names in self._named() for name in names)

    def _unknown(self, columns: Sequence[str], origin: str, sure: bool) -> list[Problem]:
        return [
            unknown_column(word, name, columns, origin, sure)
            for word, names in self._named()
            for name in dict.fromkeys(names)
            if name not in columns
        ]

    def _repeated(self) -> list[Problem]:
        return [
            Problem("R02", f"{word} {name!r} is named more than once.", "Name it once.")
            for word, names in self._named()
            for name in dict.fromkeys(names)
            if names.count(name) > 1
        ]

    def _contradictions(self) -> list[Problem]:
        named = [
            Problem(
                "R03",
                f"{name!r} is an identifier and a {self._other(name)}.",
                "An identifier is removed on release, so it cannot have another "
                "role: drop one of the two.",
            )
            for name in dict.fromkeys([*self.keys, *self.confidential])
            if name in self.identifiers
        ]
        return named + [
            Problem("R04", f"{name!r} is the {word} and {other}.", "Give it one of the two roles.")
            for name, word, other in self._doubled()
        ]

    def _doubled(self) -> Iterator[tuple[str, str, str]]:
        """Columns with a role that stands alone and another one; a record id is an identifier."""
        played = self._alone()
        for i, (word, name) in enumerate(played):
            if name in (*self.keys, *self.confidential):
                yield name, word, f"a {self._other(name)}"
            if name in self.identifiers and word != "record id":
                yield name, word, "an identifier"
            yield from ((name, word, f"the {more}") for more, one in played[i + 1 :] if one == name)

    def _other(self, name: str) -> str:
        return "key attribute" if name in self.keys else "confidential attribute"


def unknown_column(
    word: str, name: str, columns: Sequence[str], origin: str, sure: bool = True
) -> Problem:
    """The problem of a name that is not a column, with what may have been meant."""
    hint = meant(name, columns, sure)
    return Problem("R01", f"{word} {name!r} is not a column of {origin}.", hint)


def names(given: Any) -> tuple[str, ...]:
    """Column names as a tuple; a single text or number is one name, a set is taken in order."""
    if given is None:
        return ()
    if isinstance(given, set | frozenset):
        return tuple(sorted(str(name) for name in given))
    one = isinstance(given, str) or not isinstance(given, Iterable)
    return (str(given),) if one else tuple(str(name) for name in given)


def name(given: Any, role: str) -> str | None:
    """The name of the one column that plays a role, or None."""
    if isinstance(given, list | set | frozenset | Mapping):
        fail("R08", f"{argument(role)} names one column, not several.", f"Write {role}='column'.")
    return None if given is None else str(given)


class Types(Mapping[str, AttributeType]):
    """The type of every column: as it was given, else inferred from the column.

    Numbers and times are continuous, all else is nominal; and so are whole numbers with at most
    20 values, each in 10 records or more on average: codes such as 1 and 2 for the sexes, which
    have no mean. To know that, columns of numbers are counted, once, when the type of one of them
    is first asked for.

    Parameters
    ----------
    given : mapping
        What was said of columns.
    source : Source
        The table that was read. Types of a masked file are those of the file it was made from.
    """

    def __init__(self, given: Mapping[str, AttributeType], source: Source) -> None:
        self._given = dict(given)
        self._source = source

    def __getitem__(self, name: str) -> AttributeType:
        if name in self._given:
            return self._given[name]
        kind = self._source.kinds[name]
        if kind in _NUMBERS and name in self._codes:
            return AttributeType("nominal", codes=True)
        return AttributeType("continuous" if kind in _NUMERIC else "nominal")

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._source.names, *self._given]))

    def __len__(self) -> int:
        return len({*self._source.names, *self._given})

    def __repr__(self) -> str:
        return f"Types of {len(self)} columns"  # scales consist of values

    def scale(self, name: str) -> tuple[str, ...] | None:
        """The scale of an ordinal attribute; nothing is counted for it."""
        known = self._given.get(name)
        return None if known is None else known.scale

    def scales(self) -> dict[str, tuple[str, ...]]:
        """The scales of all ordinal attributes."""
        return {name: one.scale for name, one in self._given.items() if one.scale}

    def said(self, name: str) -> str:
        """The type in words, as far as it is known without counting."""
        is_open = name not in self._given and self._source.kinds[name] in _NUMBERS
        return "number" if is_open and "_codes" not in self.__dict__ else str(self[name])

    def codes(self) -> list[str]:
        """The columns whose few whole numbers are taken for codes."""
        return [name for name in self if self[name].codes]

    def called_continuous(self) -> list[str]:
        """The columns that would be taken for codes, had they not been called continuous."""
        kinds = self._source.kinds
        given = [n for n, one in self._given.items() if one.measure == "continuous" and n in kinds]
        numbers = [name for name in given if kinds[name] in _NUMBERS]
        return sorted(engine.codes(self._source, numbers, MOST_CODES, RECORDS_PER_CODE))

    def but(self, changed: Mapping[str, AttributeType]) -> Types:
        """The same types but for some columns, which may be new."""
        more = Types({**self._given, **changed}, self._source)
        if "_codes" in self.__dict__:
            more.__dict__["_codes"] = self._codes  # counted already
        return more

    @functools.cached_property
    def _codes(self) -> frozenset[str]:
        kinds = self._source.kinds
        numbers = [n for n in kinds if kinds[n] in _NUMBERS and n not in self._given]
        return frozenset(engine.codes(self._source, numbers, MOST_CODES, RECORDS_PER_CODE))


def why_codes(names: Sequence[str]) -> str:
    """Why columns were taken for codes, and how to say otherwise; empty where none was."""
    if not names:
        return ""
    amount = argument("types", f"{names[0]}=continuous", f"{{{names[0]!r}: 'continuous'}}")
    return said(f"{listed(names)}: {CODES}. If one is an amount, say so: {amount}.")


def declared(
    types: Mapping[Any, TypeSpec] | None,
    kinds: Mapping[str, Kind],
    origin: str,
    sure: bool = True,
) -> tuple[dict[str, AttributeType], list[Problem]]:
    """The types as given, checked against how the columns are stored."""
    found: dict[str, AttributeType] = {}
    problems: list[Problem] = []
    if types is not None and not isinstance(types, Mapping):
        return {}, [
            Problem(
                "P05", f"{argument('types')} is not a mapping.", "Write {'age': 'continuous', …}."
            )
        ]
    for name, spec in {str(given): spec for given, spec in (types or {}).items()}.items():
        if name not in kinds:
            problems.append(unknown_column("the typed attribute", name, tuple(kinds), origin, sure))
            continue
        kind, problem = _one(name, spec, kinds[name])
        if problem:
            problems.append(problem)
        elif kind:
            found[name] = kind
    return found, problems


def _one(name: str, spec: Any, kind: Kind) -> tuple[AttributeType | None, Problem | None]:
    if isinstance(spec, AttributeType):
        return spec, None
    if isinstance(spec, str):
        if spec == "continuous" and kind not in _NUMERIC:
            return None, Problem(
                "D02",
                f"{name!r} is stored as {kind} and cannot be continuous.",
                "Declare it nominal.",
            )
        if spec == "ordinal":
            return None, Problem(
                "P05",
                f"the ordinal attribute {name!r} has no scale.",
                "Give its values in order as a list.",
            )
        if spec not in ("continuous", "nominal"):
            return None, Problem(
                "P05",
                f"the type of {name!r} is not known.",
                "Use 'continuous', 'nominal', or the list of its values in order (ordinal).",
            )
        return AttributeType(cast("Measure", spec)), None
    if kind == "other":
        return None, Problem(
            "D02",
            f"{name!r} holds lists, structures or bytes and cannot be ordinal.",
            "Leave its type out.",
        )
    ordered = isinstance(spec, Iterable) and not isinstance(spec, set | frozenset | Mapping)
    scale = tuple(str(v) for v in spec) if ordered else ()
    if not scale or len(set(scale)) < len(scale):
        return None, Problem(
            "P05",
            f"the scale of {name!r} is empty or names a value twice.",
            "List each value once, lowest first.",
        )
    return AttributeType("ordinal", scale), None


@functools.cache
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name: ``birthDate``, ``birth_date`` and ``Birth date`` are the same."""
    parted = re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])", " ", name)
    return tuple(word for word in re.split(r"[^a-zà-ÿ]+", parted.casefold()) if word)


def says(words: Sequence[str], known: Sequence[str]) -> bool:
    """Whether one of the known terms stands among the words, or is made of all of them."""
    text = f" {' '.join(words)} "
    joined = "".join(words)
    return any(f" {name} " in text or name.replace(" ", "") == joined for name in known)


def is_weight(name: str, kind: str) -> bool:
    """Whether a column is one of sampling weights by its name: of numbers, then.

    Examples
    --------
    >>> [is_weight(name, "number") for name in ("wgt", "weight", "personWeight")]
    [True, False, True]
    >>> is_weight("wgt", "text")
    False
    """
    words = words_of(name)
    weighs = {"weight", "weights", "wgt", "wt"} & set(words)
    named = says(words, _WEIGHTS) or bool(weighs and _WEIGHED & set(words))
    return named and kind in ("integer", "number")
