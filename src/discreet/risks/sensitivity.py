"""What an intruder may know and how harmful that is: the settings of the record risk.

Per attribute the probability that its value is publicly known, and a sensitivity weight; per value
of a sensitive attribute a weight as well. All lie between 0 and 1, and what is not listed has
probability 0 and weight 0. Equations (3) and (4) and Table 2 of Orooji & Knapp (2018).

Values are listed, and matched with the data by their text form, or ranges of numbers with
above < x ≤ up_to.
"""

from __future__ import annotations

import decimal
import itertools
import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.attributes import unknown_column
from discreet.errors import Problem, argument, did_you_mean, fail, raise_all
from discreet.hierarchies.texts import leaf_form, plain, text_form, text_of
from discreet.parameters import Notation, is_number
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.data.microdata import Microdata
    from discreet.kernels.arrays import Floats

_TOP = ("alpha", "epsilon", "default", "known", "sensitivity", "value_sensitivity")


@dataclass(frozen=True)
class RiskSettings:
    """The settings of a record risk.

    Attributes
    ----------
    known : mapping of attribute to probability
        How likely an intruder knows a person's value.
    sensitivity : mapping of attribute to weight
        How harmful it is when the value becomes known.
    value_sensitivity : mapping of attribute to values or ranges
        ``{value: weight}``, or ``[(above, up_to, weight), …]`` for numbers with above < x ≤ up_to
        and None for no bound. An attribute without has value weight 1.
    alpha : float
        The consequence coefficient α, at least 1.
    epsilon : float
        Known sets are kept while their probability is above ε.
    default : float, optional
        The weight of values that a table does not list; without it they are an error.

    Examples
    --------
    >>> settings = RiskSettings(known={"age": 0.3}, sensitivity={"illness": 1.0})
    >>> settings.epsilon
    0.01

    References
    ----------
    - Orooji, Knapp (2018), *A novel microdata privacy disclosure risk measure*. IISE Annual
      Conference.
    """

    known: Mapping[str, float] = field(default_factory=dict)
    sensitivity: Mapping[str, float] = field(default_factory=dict)
    value_sensitivity: Mapping[str, Any] = field(default_factory=dict)
    alpha: float = 100
    epsilon: float = 0.01
    default: float | None = None

    def __post_init__(self) -> None:
        raise_all(self._problems())

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> RiskSettings:
        r"""Read settings from a TOML file.

        Tables ``[known]`` and ``[sensitivity]``; ``[value_sensitivity.illness]`` with a weight per
        value, or ``[[value_sensitivity.income]]`` with above, up_to and weight; on top alpha,
        epsilon, default.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "risk.toml"
        >>> _ = path.write_text("[known]\nage = 0.3\n[sensitivity]\nillness = 1.0\n")
        >>> RiskSettings.from_toml(path).known
        {'age': 0.3}
        """
        return cls(**settings_in(Path(path)))

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute that is known or sensitive, in the order of the settings."""
        return tuple(dict.fromkeys([*self.known, *self.sensitivity]))

    def tables(self) -> dict[str, ValueTable]:
        """The value tables, read."""
        return {name: value_table(name, t)[0] for name, t in self.value_sensitivity.items()}

    def weights(self, name: str, values: pa.Array) -> Floats:
        """W(A) · W(v) for each value of an attribute; 0 where the value is missing, NaN where the
        table does not list it."""
        weight = float(self.sensitivity.get(name, 0.0))
        table = self.tables().get(name)
        present = ~np.asarray(values.is_null())
        if table is None or weight == 0:
            return np.where(present, weight, 0.0)
        found = table.weights(values)
        if self.default is not None:
            found = np.where(np.isnan(found), self.default, found)
        return np.where(present, weight * found, 0.0)

    def require_fit(self, data: Microdata) -> None:
        """Check the settings against the columns of a file: all problems at once."""
        problems = unknown_attributes(data, self.known, self.sensitivity)
        for name, table in self.tables().items():
            if name in data.columns:
                problems += table.problems(name, data.source.kinds[name])
        raise_all(problems)

    def to_dict(self) -> dict[str, Any]:
        """As plain values; of the value tables only how many entries they have."""
        return {
            "known": dict(self.known),
            "sensitivity": dict(self.sensitivity),
            "value_tables": {name: len(table) for name, table in self.value_sensitivity.items()},
            "alpha": self.alpha,
            "epsilon": self.epsilon,
            "default": self.default,
        }

    def __repr__(self) -> str:
        return (
            f"RiskSettings: {len(self.known)} known and {len(self.sensitivity)} sensitive "
            f"attributes, {len(self.value_sensitivity)} value tables, α = {self.alpha:g}, "
            f"ε = {self.epsilon:g}"
        )

    def _problems(self) -> list[Problem]:
        problems: list[Problem] = []
        for word, given in (("known", self.known), ("sensitivity", self.sensitivity)):
            problems += _weights_problems(word, given)
        if not (is_number(self.alpha) and 1 <= self.alpha < math.inf):
            problems.append(
                Problem("P40", f"{argument('alpha')} is not a number of at least 1.", "Give 100.")
            )
        if not is_share(self.epsilon):
            problems.append(
                Problem(
                    "P40",
                    f"{argument('epsilon')} is not between 0 and 1.",
                    "Give for example 0.01.",
                )
            )
        if self.default is not None and not is_share(self.default):
            problems.append(
                Problem(
                    "P40",
                    f"{argument('default')} is not between 0 and 1.",
                    "Give a weight, such as 1.",
                )
            )
        weights = self.sensitivity.values() if isinstance(self.sensitivity, Mapping) else [None]
        if all(is_number(weight) and weight == 0 for weight in weights):
            what = "no attribute is sensitive: every risk would be 0."
            problems.append(
                Problem("P40", what, f"Give one in {argument('sensitivity')}, such as 1.0.")
            )
        return problems + self._table_problems()

    def _table_problems(self) -> list[Problem]:
        if not isinstance(self.value_sensitivity, Mapping):
            what = f"{argument('value_sensitivity')} is not a mapping of attribute to values."
            return [Problem("P41", what, 'Write {"illness": {"flu": 0.2, …}}.')]
        problems = []
        for name, given in self.value_sensitivity.items():
            problems += value_table(name, given)[1]
            if isinstance(self.sensitivity, Mapping) and name not in self.sensitivity:
                what = f"the values of {name!r} have weights, but {name!r} has no sensitivity."
                problems.append(
                    Problem("P41", what, f"Give it one in {argument('sensitivity')}, such as 1.0.")
                )
        return problems


def settings_in(place: Path) -> dict[str, Any]:
    """The settings of a TOML file, as the arguments of :class:`RiskSettings`."""
    given = _toml(place)
    unknown = [name for name in given if name not in _TOP]
    raise_all([_unknown_setting(name, place.name) for name in unknown])
    tables = given.pop("value_sensitivity", {})
    if not isinstance(tables, dict):
        fail("P41", "value_sensitivity is not a table.", "Write [value_sensitivity.illness].")
    ranges = {name: _ranges(name, table) for name, table in tables.items()}
    return {**given, "value_sensitivity": ranges}


def unknown_attributes(data: Microdata, known: Any, sensitivity: Any) -> list[Problem]:
    """The problems of attributes that are not columns of the data."""
    return [
        unknown_column(word, name, data.columns, data.name, data.has_names)
        for word, names in (("known attribute", known), ("sensitive attribute", sensitivity))
        if isinstance(names, Mapping)
        for name in names
        if name not in data.columns
    ]


def _weights_problems(word: str, given: Any) -> list[Problem]:
    if not isinstance(given, Mapping):
        remedy = f'Write {word}={{"age": 0.3, …}}.'
        return [
            Problem("P40", f"{argument(word)} is not a mapping of attribute to number.", remedy)
        ]
    return [
        Problem("P40", f"{word} of {name!r} is not between 0 and 1.", "Give a number in between.")
        for name, value in given.items()
        if not is_share(value)
    ]


def _toml(place: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(place.read_text(encoding="utf-8"))
    except OSError:
        pass
    except tomllib.TOMLDecodeError as error:
        where = str(error).rpartition("(")[2].rstrip(")")  # "at line 3, column 5"; no text of it
        fail("S40", f"{place.name} is not TOML {where}.", "Correct the line.")
    except UnicodeDecodeError:
        fail("S40", f"{place.name} is not text in UTF-8.", "Save it as UTF-8.")
    fail("S01", f"{place.name} cannot be read.", "Check the path.")


def _unknown_setting(name: str, file: str) -> Problem:
    hint = did_you_mean(name, _TOP) or f"Use one of {', '.join(_TOP)}."
    return Problem("P41", f"{name!r} of {file} is not a setting of the record risk.", hint)


def _ranges(name: str, table: Any) -> Any:
    """A list of tables with above, up_to and weight, as tuples."""
    if not isinstance(table, list):
        return table
    if not _table_fits(table):
        what = f"a range of {name!r} is not made of above, up_to and weight."
        fail("P41", what, "Write above = 40000, up_to = 70000, weight = 0.7.")
    return ranges_of(table)


# -- weights of values -----------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class ListedValues:
    """A weight per value, by its text form."""

    entries: tuple[tuple[str, float], ...]

    def weights(self, values: pa.Array) -> Floats:
        """The weight of each value; NaN where it is not listed."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values = plain(values)
        listed = leaf_form(pa.array([text for text, _ in self.entries], pa.string()), values.type)
        texts = text_form("the attribute", values).cast(pa.string())
        at = pc.fill_null(pc.index_in(texts, value_set=listed), -1).to_numpy(zero_copy_only=False)
        weights = np.array([*(w for _, w in self.entries), math.nan])
        return weights[at]

    def problems(self, name: str, kind: str) -> list[Problem]:
        """Values of any plain kind have a text form."""
        if kind != "other":
            return []
        what = f"{name!r} holds lists, structures or bytes and has no values to weigh."
        return [Problem("D41", what, "Use a column of plain values.")]


@dataclass(frozen=True, repr=False)
class Ranges:
    """A weight per range of numbers; ranges do not overlap."""

    rows: tuple[tuple[float, float, float], ...]

    def weights(self, values: pa.Array) -> Floats:
        """The weight of each number; NaN outside all ranges."""
        import pyarrow as pa

        found = np.full(len(values), math.nan)
        whole = pa.types.is_integer(values.type)
        known = values.is_valid().to_numpy(zero_copy_only=False)
        # a whole number above 2⁵³ is no float: whole numbers are compared with whole bounds
        numbers = values.fill_null(0) if whole else values.cast(pa.float64(), safe=False)
        cells = numbers.to_numpy(zero_copy_only=False)
        for above, up_to, weight in self.rows:
            low, high = (_floor(above), _floor(up_to)) if whole else (above, up_to)
            over = known if above == -math.inf else known & (cells > low)  # open: −∞ too
            found[over & (cells <= high)] = weight
        return found

    def problems(self, name: str, kind: str) -> list[Problem]:
        """Only numbers lie in ranges."""
        if kind in ("integer", "number"):
            return []
        what = f"{name!r} has weights of ranges and is stored as {kind}."
        return [Problem("D41", what, "List its values, or convert the column to numbers.")]


ValueTable = ListedValues | Ranges


def value_table(name: str, given: Any) -> tuple[ValueTable, list[Problem]]:
    """Read ``{value: weight}`` or ``[(above, up_to, weight), …]``, with what is wrong with it."""
    if isinstance(given, Mapping):
        return _listed(name, given)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return _number_ranges(name, given)
    what = f"the weights of the values of {name!r} are neither a mapping nor a list of ranges."
    remedy = 'Write {"flu": 0.2} or [(None, 40_000, 1.0), (40_000, 70_000, 0.7)].'
    return ListedValues(()), [Problem("P41", what, remedy)]


def _listed(name: str, given: Mapping[Any, Any]) -> tuple[ValueTable, list[Problem]]:
    texts = [text_of(value) for value in given]
    bad = sum(not is_share(weight) for weight in given.values())
    problems = [_bad_weights(name, bad)] if bad else []
    if len(set(texts)) < len(texts) or None in texts:
        what = f"a value of {name!r} is listed twice, or is a missing one."
        problems.append(Problem("P41", what, "List each value once; a missing value weighs 0."))
    entries = zip(texts, given.values(), strict=True)
    return ListedValues(tuple((t or "", float(w)) for t, w in entries if is_share(w))), problems


def _number_ranges(name: str, given: Sequence[Any]) -> tuple[ValueTable, list[Problem]]:
    rows = []
    for row in given:
        if not (isinstance(row, Sequence) and len(row) == 3 and all(map(_is_bound, row[:2]))):
            what = f"a range of {name!r} is not (above, up_to, weight)."
            return Ranges(()), [
                Problem("P41", what, "Write (40_000, 70_000, 0.7); None for an open end.")
            ]
        above = -math.inf if row[0] is None else _bound(row[0])
        up_to = math.inf if row[1] is None else _bound(row[1])
        rows.append((above, up_to, row[2]))
    bad = sum(not is_share(row[2]) for row in rows)
    problems = [_bad_weights(name, bad)] if bad else []
    rows.sort(key=lambda row: row[:2])
    pairs = itertools.pairwise(rows)
    if any(a >= b for a, b, _ in rows) or any(one[1] > other[0] for one, other in pairs):
        what = f"ranges of {name!r} overlap, or end before they begin."
        problems.append(Problem("P41", what, "Give each number one weight: above < x ≤ up_to."))
    return Ranges(tuple((a, b, float(w)) for a, b, w in rows if is_share(w))), problems


def _bad_weights(name: str, number: int) -> Problem:
    verb = "is" if number == 1 else "are"
    what = f"{counted(number, 'weight')} of values of {name!r} {verb} not between 0 and 1."
    return Problem("P40", what, "Give numbers in between.")


def is_share(value: Any) -> bool:
    """Whether a parameter is a number between 0 and 1."""
    return is_number(value) and bool(0 <= value <= 1)


def _is_bound(value: Any) -> bool:
    decimals = isinstance(value, decimal.Decimal)
    return value is None or ((is_number(value) or decimals) and not math.isnan(value))


def _bound(value: Any) -> float:
    """A bound as a number; a whole one stays whole, since a float may not hold it."""
    return int(value) if isinstance(value, int | np.integer) else float(value)


def _floor(bound: float) -> float:
    """What a whole number above the bound is above, too."""
    return bound if math.isinf(bound) else math.floor(bound)


# -- value tables in a plan ------------------------------------------------------------------------


def _table_fits(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(is_number(one) for one in value.values())
    known = {"above", "up_to", "weight"}
    return isinstance(value, list) and all(
        isinstance(row, Mapping) and {"weight"} <= set(row) <= known for row in value
    )


def ranges_of(table: Any) -> Any:
    """Ranges of numbers as ``record_risk`` takes them; TOML has no word for "no bound"."""
    if isinstance(table, Mapping):
        return dict(table)
    return [(row.get("above"), row.get("up_to"), row["weight"]) for row in table]


def _written(table: Any) -> Any:
    """Weights of values, or of ranges, whose open ends TOML leaves out."""
    if isinstance(table, Mapping):
        return dict(table)
    rows = [dict(zip(("above", "up_to", "weight"), row, strict=True)) for row in table]
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


_WEIGHT = {"type": "number", "minimum": 0, "maximum": 1}
VALUE_TABLES = Notation(
    "per column a table of values and weights, or a list of ranges",
    lambda tables: isinstance(tables, Mapping) and all(map(_table_fits, tables.values())),
    lambda tables, _: {name: ranges_of(table) for name, table in tables.items()},
    lambda tables: {name: _written(table) for name, table in tables.items()},
    schema={
        "type": "object",
        "additionalProperties": {
            "anyOf": [
                {"type": "object", "additionalProperties": _WEIGHT},
                {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "above": {"type": "number"},
                            "up_to": {"type": "number"},
                            "weight": _WEIGHT,
                        },
                        "required": ["weight"],
                        "additionalProperties": False,
                    },
                },
            ]
        },
    },
)
