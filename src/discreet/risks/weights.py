"""Weights: how much a record counts, by the size i of its masked and j of its initial class.

The weight matrix W of Truta, Fotouhi & Barth-Jones, as a function of (i, j): it is never
stored whole. Their rules say that the rarer a record is, the more it may count. For
microaggregation and generalization (i ≥ j, lower triangle; 2005, section 2):

    w_jj ≥ w_(j+1)j ≥ …    w_i1 ≥ w_i2 ≥ … ≥ w_ii    w_j1 ≥ w_(j+1)2 ≥ …

and for sampling (i ≤ j, upper triangle; 2004, equation 2.12):

    w_jj ≥ w_j(j+1) ≥ …    w_1j ≤ w_2j ≤ … ≤ w_jj    w_1j ≥ w_2(j+1) ≥ …

Their last rule, Σ w = n, fixes the scale only. DR_W divides by w_11 and does not depend on
it: any scale is accepted and brought to w_11 = 1.
"""

from __future__ import annotations

import csv
import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import Problem, argument, fail, raise_all
from discreet.parameters import Notation, is_number, is_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

Sizes = Any  # an array of class sizes
# A function is checked before it is used: for all sizes up to 100, and for some up to 1,000.
_GRID = np.r_[1:101, np.geomspace(100, 1000, 61).round().astype(np.int64)[1:]]
_MOST_CELLS = 250_000  # of the sizes that occur, all pairs are checked where they are so few


@dataclass(frozen=True)
class Weights:
    """A weight for every pair of class sizes, w_11 = 1. Made by its class methods.

    ``by_masked_size`` says that where i ≥ j, as after generalization, the weight depends on the
    masked class size i alone.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [10, 30, 20, 20, 10], "sex": list("MMMFF")}, keys=["age", "sex"])
    >>> risk = ds.disclosure_risk(survey, ds.sample(survey, n=2, seed=1))
    >>> risk.weighted(ds.Weights.maximal()) == risk.maximal
    True
    >>> print(ds.Weights.threshold(2).explain())
    Weights: threshold(2); only their ratio to w_11 matters.

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2004), *Disclosure risk measures for the sampling disclosure
      control method*. ACM Symposium on Applied Computing: (2.12).
    - Truta, Fotouhi, Barth-Jones (2005), *Global disclosure risk measures and k-anonymity property
      for microdata*: equation (6).
    """

    name: str
    function: Callable[[Sizes, Sizes], Any] = field(repr=False, compare=False)
    triangle: str = "both"
    scale: float = 1.0
    extent: tuple[int, int] | None = None
    by_masked_size: bool = field(default=False, repr=False)
    given: Any = field(default=None, repr=False)

    @classmethod
    def minimal(cls) -> Weights:
        """Only w_11 counts: DR_W is DR_min.

        Examples
        --------
        >>> import discreet as ds
        >>> ages = ds.read({"age": [8, 10, 19, 23]}, keys=["age"])
        >>> masked = ds.microaggregate(ages, k=2, method="fixed")
        >>> ds.disclosure_risk(ages, masked).weighted(ds.Weights.minimal())
        0.0
        """
        return cls(
            "minimal", lambda i, j: (np.maximum(i, j) == 1).astype(float), by_masked_size=True
        )

    @classmethod
    def maximal(cls) -> Weights:
        """All weights are equal: DR_W is DR_max.

        Examples
        --------
        >>> import discreet as ds
        >>> ages = ds.read({"age": [8, 10, 19, 23]}, keys=["age"])
        >>> masked = ds.microaggregate(ages, k=2, method="fixed")
        >>> ds.disclosure_risk(ages, masked).weighted(ds.Weights.maximal())
        0.5
        """
        return cls("maximal", lambda i, j: np.ones(np.broadcast(i, j).shape), by_masked_size=True)

    @classmethod
    def threshold(cls, k: int) -> Weights:
        """1 where max(i, j) ≤ k, else 0: classes of more than k records are held to be safe.

        Where i ≥ j for all records, DR_W = 0 exactly when the masked file is (k+1)-anonymous;
        for a sample, when every released record has more than k initial twins.

        Examples
        --------
        >>> import discreet as ds
        >>> ages = ds.read({"age": [8, 10, 19, 23]}, keys=["age"])
        >>> masked = ds.microaggregate(ages, k=2, method="fixed")
        >>> ds.disclosure_risk(ages, masked).weighted(ds.Weights.threshold(2))
        0.5
        """
        if not (is_whole(k) and k >= 1):
            fail(
                "P07",
                "k must be a whole number of at least 1.",
                f"Give for example {argument('k', 2)}.",
            )
        return cls(
            f"threshold({k})",
            lambda i, j: (np.maximum(i, j) <= k).astype(float),
            by_masked_size=True,
            given=int(k),
        )

    @classmethod
    def decay(cls, rate: float) -> Weights:
        """(1 − rate)^(max(i, j) − 1): rate 0 is DR_max, rate 1 is DR_min.

        Examples
        --------
        >>> import discreet as ds
        >>> ages = ds.read({"age": [8, 10, 19, 23]}, keys=["age"])
        >>> masked = ds.microaggregate(ages, k=2, method="fixed")
        >>> ds.disclosure_risk(ages, masked).weighted(ds.Weights.decay(0.5))
        0.25
        """
        if not (is_number(rate) and 0 <= rate <= 1):
            fail("P10", "the rate of decay must lie between 0 and 1.", "Give for example 0.5.")
        return cls(
            f"decay({float(rate):g})",
            lambda i, j: (1.0 - float(rate)) ** (np.maximum(i, j) - 1),
            by_masked_size=True,
            given=float(rate),
        )

    @classmethod
    def from_function(cls, function: Callable[[int, int], float]) -> Weights:
        """w_ij = function(i, j), which must keep the papers' rules.

        It is asked for sizes up to 1,000 at once, and again for the class sizes that occur in the
        files it is used on; for one i and j it must always give the same number.

        Examples
        --------
        >>> import discreet as ds
        >>> ages = ds.read({"age": [8, 10, 19, 23]}, keys=["age"])
        >>> masked = ds.microaggregate(ages, k=2, method="fixed")
        >>> weights = ds.Weights.from_function(lambda i, j: 1 / max(i, j))
        >>> ds.disclosure_risk(ages, masked).weighted(weights)
        0.25
        """
        if not callable(function):
            fail("P11", "the weights are not a function of i and j.", "Give lambda i, j: ….")
        value = functools.cache(functools.partial(_value, function))

        def vector(i: Sizes, j: Sizes) -> NDArray[np.float64]:
            return np.array([value(int(a), int(b)) for a, b in zip(i, j, strict=True)], dtype=float)

        first = vector([1], [1])[0]
        _positive_start(float(first))
        made = cls(
            "from a function", lambda i, j: vector(i, j) / first, scale=float(first), given=function
        )
        made.require_rules(*_pairs(_GRID))
        return made

    @classmethod
    def from_matrix(cls, rows: Sequence[Sequence[float]]) -> Weights:
        """The matrix as printed: row = masked class size i, column = initial class size j, from 1.

        Any scale; 0 beyond what is given. A lower triangle is for microaggregation and
        generalization, an upper one for sampling; rows of a lower triangle may end early.

        Examples
        --------
        >>> Weights.from_matrix([[4], [2, 2]])
        Weights(name='2 × 2 matrix', triangle='lower', scale=4.0, extent=(2, 2))
        """
        matrix = _matrix(rows)
        _positive_start(float(matrix[0, 0]))
        extent = (matrix.shape[0], matrix.shape[1])
        scaled = matrix / matrix[0, 0]

        def look_up(i: Sizes, j: Sizes) -> NDArray[np.float64]:
            i, j = np.asarray(i), np.asarray(j)
            inside = (i <= extent[0]) & (j <= extent[1])
            found = scaled[np.where(inside, i, 1) - 1, np.where(inside, j, 1) - 1]
            return np.where(inside, found, 0.0)

        name = f"{extent[0]} × {extent[1]} matrix"
        made = cls(
            name,
            look_up,
            _triangle(matrix),
            float(matrix[0, 0]),
            extent,
            _rows_constant(matrix),
            scaled.tobytes(),
        )
        i, j = (a.ravel() + 1 for a in np.indices(extent))
        made.require_rules(i, j)
        return made

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str]) -> Weights:
        r"""A matrix from a CSV file: one row per masked class size, no header.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights.csv"
        >>> _ = path.write_text("4\n2,2\n")
        >>> Weights.from_csv(path).extent
        (2, 2)
        """
        if not isinstance(path, str | os.PathLike):
            fail("S01", "what was given is not a path.", "Give a CSV file of weights.")
        file = Path(path)
        if not file.is_file():
            fail("S01", f"{file.name} is not a file.", "Give a CSV file of weights.")
        try:
            with file.open(newline="", encoding="utf-8-sig") as text:
                rows = [[float(cell or 0) for cell in row] for row in csv.reader(text) if row]
        except (ValueError, csv.Error):
            rows = []
        if not rows:
            fail(
                "P11",
                f"{file.name} holds no matrix of numbers.",
                "One row per masked size, no header.",
            )
        return cls.from_matrix(rows)

    def __call__(self, i: Sizes, j: Sizes) -> NDArray[np.float64]:
        """The weights of cells (i, j), relative to w_11."""
        return np.asarray(self.function(np.asarray(i), np.asarray(j)), dtype=float)

    def explain(self) -> str:
        """What the weights mean for the measure."""
        scaled = f" The given w_11 = {self.scale:g} is scaled to 1." if self.scale != 1 else ""
        return f"Weights: {self.name}; only their ratio to w_11 matters.{scaled}"

    def to_dict(self) -> dict[str, Any] | str:
        """As a plan writes them: a name, or a kind with its parameter.

        Examples
        --------
        >>> Weights.maximal().to_dict(), Weights.threshold(3).to_dict()
        ('maximal', {'threshold': 3})
        """
        if self.given is None:
            return self.name
        if callable(self.given):
            fail("N20", "weights from a function cannot be written down.", "Give a matrix.")
        if self.extent is None:
            return {self.name.partition("(")[0]: self.given}
        rows = np.frombuffer(self.given).reshape(self.extent) * self.scale
        return {"matrix": rows.tolist()}

    def require_rules(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> None:
        """Check the rules on given cells; the error names the first cell and rule broken."""
        w = self(i, j)
        raise_all(list(_broken_rules(i, j, w, self.triangle)))
        above = np.flatnonzero(w > 1 + 1e-12)
        if len(above):
            what = f"the weight at i = {i[above[0]]}, j = {j[above[0]]} is larger than w_11."
            fail("P13", what, "The rules together allow no weight above w_11.")

    def require_fit(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> None:
        """Refuse weights that do not belong to the class sizes i and j of the records: a triangular
        matrix whose empty triangle holds some (the other paper's), or a function that breaks a rule
        on these sizes."""
        outside = i < j if self.triangle == "lower" else i > j
        if self.triangle in ("lower", "upper") and bool(outside.any()):
            at = int(np.flatnonzero(outside)[0])
            meant = (
                "microaggregation and generalization" if self.triangle == "lower" else "sampling"
            )
            fail(
                "P12",
                f"the weights are only the {self.triangle} triangle, for {meant}, but C has "
                f"records at i = {i[at]}, j = {j[at]}, where they are empty.",
                "Give the matrix that belongs to this masking, or both triangles.",
            )
        if callable(self.given):
            self.require_rules(*_joined(i, j))


def _value(function: Callable[[int, int], float], i: int, j: int) -> float:
    try:
        value = float(function(i, j))
    except (TypeError, ValueError, ArithmeticError):
        value = -1.0
    if not (np.isfinite(value) and value >= 0):
        fail("P11", f"the weight at i = {i}, j = {j} is not a number ≥ 0.", "Weights are ≥ 0.")
    return value


def _pairs(sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of sizes."""
    i, j = np.meshgrid(sizes, sizes, indexing="ij")
    return i.ravel(), j.ravel()


def _joined(
    i: NDArray[np.int64], j: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells with those that the rules lead over from one to another: the first of each row, column
    and diagonal, and all pairs of the sizes that occur unless they are too many."""
    sizes = np.unique(np.concatenate([i, j, [1]]))
    one, apart = np.ones_like(i), np.abs(i - j) + 1
    cells = [(i, j), (i, one), (one, j), (i, i), (j, j)]
    cells += [(np.where(i > j, apart, one), np.where(i > j, one, apart))]
    if len(sizes) ** 2 <= _MOST_CELLS:
        cells.append(_pairs(sizes))
    both = np.unique(np.concatenate([np.stack(pair) for pair in cells], axis=1), axis=1)
    return both[0], both[1]


def _positive_start(first: float) -> None:
    if not first > 0:
        fail("P11", "w_11 is not positive.", "DR_W is relative to w_11: give it a positive weight.")


def _matrix(rows: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    try:
        wide = max((len(row) for row in rows), default=0)
        matrix = np.array([[*map(float, row), *[0.0] * (wide - len(row))] for row in rows])
    except (TypeError, ValueError):
        matrix = np.empty((0, 0))
    if matrix.ndim != 2 or matrix.size == 0:
        fail("P11", "the weights are not rows of numbers.", "Give a list of lists.")
    bad = np.argwhere(~(np.isfinite(matrix) & (matrix >= 0)))
    if len(bad):
        i, j = bad[0] + 1
        fail("P11", f"the weight at i = {i}, j = {j} is not a number ≥ 0.", "Weights are ≥ 0.")
    return matrix


def _triangle(matrix: NDArray[np.float64]) -> str:
    below, above = np.tril(matrix, -1).any(), np.triu(matrix, 1).any()
    diagonal = not below and not above and np.diagonal(matrix)[1:].any()
    if diagonal:  # only the rules of sampling allow w_ii > w_i1 = 0
        return "upper"
    return "lower" if below and not above else "upper" if above and not below else "both"


def _rows_constant(matrix: NDArray[np.float64]) -> bool:
    """Whether each row of the lower triangle holds one weight."""
    square = matrix.shape[1] >= matrix.shape[0]
    return square and all((row[: i + 1] == row[0]).all() for i, row in enumerate(matrix))


_LOWER = (
    ("w_jj ≥ w_(j+1)j ≥ …", (1, 0), "falls"),
    ("w_i1 ≥ w_i2 ≥ … ≥ w_ii", (0, 1), "falls"),
    ("w_j1 ≥ w_(j+1)2 ≥ …", (1, 1), "falls"),
)
_UPPER = (
    ("w_jj ≥ w_j(j+1) ≥ …", (0, 1), "falls"),
    ("w_1j ≤ w_2j ≤ … ≤ w_jj", (1, 0), "rises"),
    ("w_1j ≥ w_2(j+1) ≥ …", (1, 1), "falls"),
)


def _broken_rules(
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    w: NDArray[np.float64],
    triangle: str,
) -> Iterable[Problem]:
    """The first broken rule of each triangle that applies, found along rows, columns, diagonals."""
    for name, rules in (("lower", _LOWER), ("upper", _UPPER)):
        if triangle not in ("both", name):
            continue
        inside = i >= j if name == "lower" else i <= j
        for rule, step, way in rules:
            cell = _first_break(i[inside], j[inside], w[inside], step, way)
            if cell is not None:
                yield Problem(
                    "P13",
                    f"the weight at i = {cell[0]}, j = {cell[1]} breaks the rule {rule}.",
                    f"It is a rule of the {name} triangle; see docs/why-disclosure-risk.md.",
                )
                return


def _first_break(
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    w: NDArray[np.float64],
    step: tuple[int, int],
    way: str,
) -> tuple[int, int] | None:
    """The first cell, by row and column, whose weight is on the wrong side of the one before it
    in the direction of ``step`` (down a column, along a row, along a diagonal)."""
    line = {(1, 0): j, (0, 1): i, (1, 1): i - j}[step]
    along = j if step == (0, 1) else i
    order = np.lexsort([along, line])
    same_line = line[order][1:] == line[order][:-1]
    change = np.diff(w[order]) if way == "falls" else -np.diff(w[order])
    wrong = change > 1e-12 * np.maximum(w[order][1:], w[order][:-1])
    broken = order[1:][same_line & wrong]
    if not len(broken):
        return None
    first = min(broken, key=lambda at: (i[at], j[at]))
    return int(i[first]), int(j[first])


# -- weights in a plan -----------------------------------------------------------------------------


def _fit(value: Any) -> bool:
    """``"minimal"``, ``"maximal"``, or a table of one kind."""
    if value in ("minimal", "maximal"):
        return True
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    kind, given = next(iter(value.items()))
    return kind in _KINDS and _KINDS[kind][0](given)


def _loaded(value: Any, folder: Path) -> Weights:
    if isinstance(value, str):
        return Weights.minimal() if value == "minimal" else Weights.maximal()
    kind, given = next(iter(value.items()))
    return _KINDS[kind][1](folder / given if kind == "file" else given)


# by kind what fits, and what makes the weights
_KINDS: dict[str, tuple[Callable[[Any], bool], Callable[[Any], Weights]]] = {
    "threshold": (lambda k: is_whole(k) and k >= 1, Weights.threshold),
    "decay": (lambda rate: is_number(rate) and 0 <= rate <= 1, Weights.decay),
    "file": (lambda name: isinstance(name, str) and bool(name), Weights.from_csv),
    "matrix": (lambda rows: isinstance(rows, list), Weights.from_matrix),
}


def _script(value: Any) -> str:
    if isinstance(value, str):
        return f"ds.Weights.{value}()"
    kind, given = next(iter(value.items()))
    verb = {"file": "from_csv", "matrix": "from_matrix"}.get(kind, kind)
    return f"ds.Weights.{verb}({given!r})"


WEIGHTS = Notation(
    "minimal, maximal, or a table such as { threshold = 3 } or { decay = 0.5 }",
    _fit,
    _loaded,
    Weights.to_dict,
    _script,
    {
        "anyOf": [
            {"enum": ["minimal", "maximal"]},
            {
                "type": "object",
                "properties": {
                    "threshold": {"type": "integer", "minimum": 1},
                    "decay": {"type": "number", "minimum": 0, "maximum": 1},
                    "file": {"type": "string"},
                    "matrix": {"type": "array", "items": {"type": "array"}},
                },
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
            },
        ]
    },
)
