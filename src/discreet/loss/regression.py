"""What an analyst would notice: the change in the coefficients of a regression.

The same linear model is fitted by least squares to the initial and to the masked records.
Nominal attributes enter as indicators of their values, the first one being the reference.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import attributes, frames
from discreet.errors import fail, raise_all
from discreet.frames import FrameKind
from discreet.linking import Linked, link
from discreet.loss.comparison import need_finite
from discreet.microdata import Microdata

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_MOST_VALUES = 50


@dataclass(frozen=True, eq=False, repr=False)
class RegressionLoss:
    """Coefficients before and after masking.

    Attributes
    ----------
    terms : tuple of str
        The intercept, the numeric attributes, and for nominal ones the attribute and the number
        of its value (values are not shown).
    initial, masked : tuple of float
        Coefficients on the initial and on the masked file.
    largest_change : float
        Largest change of a coefficient in units of its standard error on the initial file.
    r2_initial, r2_masked : float
    """

    formula: str
    terms: tuple[str, ...]
    initial: tuple[float, ...]
    masked: tuple[float, ...]
    standard_errors: tuple[float, ...]
    r2_initial: float
    r2_masked: float
    kind: FrameKind

    @property
    def largest_change(self) -> float:
        """Largest change of a coefficient in standard errors."""
        pairs = zip(self.initial, self.masked, self.standard_errors, strict=True)
        return max((abs(a - b) / e if e else 0.0 for a, b, e in pairs), default=0.0)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per coefficient."""
        import pyarrow as pa

        columns = {
            "term": self.terms,
            "initial": self.initial,
            "masked": self.masked,
            "standard_error": self.standard_errors,
        }
        return frames.from_arrow(pa.table(columns), kind or self.kind)

    def explain(self) -> str:
        """The change in a sentence or two."""
        return (
            f"{self.formula}: R² {self.r2_initial:.3f} before, {self.r2_masked:.3f} after.\n"
            f"The coefficient that moved most moved by {self.largest_change:.1f} standard errors."
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "formula": self.formula,
            "terms": list(self.terms),
            "initial": list(self.initial),
            "masked": list(self.masked),
            "standard_errors": list(self.standard_errors),
            "r2": [self.r2_initial, self.r2_masked],
        }

    def __repr__(self) -> str:
        return f"RegressionLoss: {self.explain().splitlines()[1]}"

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.explain().split("\n"))


def regression_loss(
    initial: Microdata, masked: Microdata, formula: str, *, on: str | None = None
) -> RegressionLoss:
    """Fit ``"income ~ age + sex"`` to both files and compare the coefficients.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(500, seed=1), keys=["age", "sex"])
    >>> masked = ds.microaggregate(survey, ["age"], k=5)
    >>> ds.regression_loss(survey, masked, "income ~ age + sex").terms
    ('intercept', 'age', 'sex (value 2)')
    """
    linked = link(initial, masked, on)
    response, predictors = _parsed(formula, linked)
    x, y = linked.values([response, *predictors])
    order = {name: _values(x[name], name) for name in predictors if not _numeric(linked, name)}
    terms = _terms(predictors, order)
    first = _fit(*_design(x, response, predictors, order))
    second = _fit(*_design(y, response, predictors, order))
    return RegressionLoss(
        formula,
        terms,
        tuple(first[0]),
        tuple(second[0]),
        tuple(first[1]),
        first[2],
        second[2],
        masked.source.kind,
    )


def _parsed(formula: str, linked: Linked) -> tuple[str, list[str]]:
    parts = formula.split("~") if isinstance(formula, str) else []
    names = [t.strip() for t in re.split(r"\+", parts[1])] if len(parts) == 2 else []
    if not names or not all(names) or not parts[0].strip():
        fail("P25", "the formula cannot be read.", "Write it like 'income ~ age + sex'.")
    response = parts[0].strip()
    raise_all(
        [
            attributes.unknown_column("the formula's", name, data.columns, data.name)
            for data in (linked.initial, linked.masked)
            for name in (response, *names)
            if name not in data.columns
        ]
    )
    if not _numeric(linked, response):
        fail("D12", f"{response!r} is not a number in both files.", "Regress a numeric attribute.")
    need_finite(linked, [name for name in (response, *names) if _numeric(linked, name)])
    return response, names


def _numeric(linked: Linked, name: str) -> bool:
    kinds = (linked.initial.source.kinds[name], linked.masked.source.kinds[name])
    nominal = linked.initial.types[name].measure == "nominal"
    return not nominal and all(kind in ("integer", "number") for kind in kinds)


def _values(column: pa.ChunkedArray, name: str) -> list[str]:
    found = sorted({str(v) for v in column.to_pylist() if v is not None})
    if len(found) > _MOST_VALUES:
        fail(
            "P25",
            f"{name!r} has {len(found):,} values and would need as many coefficients.",
            f"Name attributes with at most {_MOST_VALUES} values.",
        )
    return found


def _terms(predictors: Sequence[str], order: dict[str, list[str]]) -> tuple[str, ...]:
    terms = ["intercept"]
    for name in predictors:
        if name in order:
            terms += [f"{name} (value {i})" for i in range(2, len(order[name]) + 1)]
        else:
            terms.append(name)
    return tuple(terms)


def _design(
    table: pa.Table, response: str, predictors: Sequence[str], order: dict[str, list[str]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The matrix of predictors with the intercept, and the response, complete records only."""
    import pyarrow as pa

    y = np.asarray(table[response].cast(pa.float64(), safe=False).to_numpy(), dtype=float)
    columns = [np.ones(len(y))]
    for name in predictors:
        if name in order:
            texts = [None if v is None else str(v) for v in table[name].to_pylist()]
            known = np.array([t is not None for t in texts])
            for value in order[name][1:]:
                indicator = np.array([t == value for t in texts], dtype=float)
                columns.append(np.where(known, indicator, np.nan))
        else:
            numbers = table[name].cast(pa.float64(), safe=False).to_numpy()
            columns.append(np.asarray(numbers, dtype=float))
    matrix = np.column_stack(columns)
    whole = ~(np.isnan(matrix).any(axis=1) | np.isnan(y))
    return matrix[whole], y[whole]


def _fit(
    matrix: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[list[float], list[float], float]:
    """Coefficients, their standard errors, and R², by least squares."""
    if len(y) <= matrix.shape[1]:
        fail("P25", "there are too few complete records for this formula.", "Name fewer terms.")
    beta, *_ = np.linalg.lstsq(matrix, y, rcond=None)
    rest = y - matrix @ beta
    variance = float(rest @ rest) / (len(y) - matrix.shape[1])
    spread = np.diag(np.linalg.pinv(matrix.T @ matrix)) * variance
    total = float(((y - y.mean()) ** 2).sum())
    r2 = 1 - float(rest @ rest) / total if total else 0.0
    return beta.tolist(), np.sqrt(np.maximum(spread, 0)).tolist(), r2
