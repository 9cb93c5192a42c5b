"""What an intruder may know and how harmful that is: the settings of the record risk.

Per attribute the probability that its value is publicly known, and a sensitivity weight; per value
of a sensitive attribute a weight as well. All lie between 0 and 1, and what is not listed has
probability 0 and weight 0. Equations (3) and (4) and Table 2 of Orooji & Knapp (2018).
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.attributes import unknown_column
from discreet.errors import Problem, argument, did_you_mean, fail, raise_all
from discreet.parameters import Notation, is_number
from discreet.risks.value_weights import ValueTable, is_share, value_table

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata

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

    def weights(self, name: str, values: pa.Array) -> NDArray[np.float64]:
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
        if isinstance(self.sensitivity, Mapping) and not any(self.sensitivity.values()):
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
        unknown_column(word, name, data.columns, data.name)
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
