"""What an analyst would notice: the change in the coefficients of a regression.

The same linear model is fitted by least squares to the initial and to the masked records. What is
a number in both files enters as a number, everything else as categories: indicators of its values,
the first one being the reference. Where the masking gave an attribute other values, the labels of
the masked file are its categories there. Labels that stand for one value each are compared with
it; others have coefficients of their own, which are not compared.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_doc import Doc
from numpy.typing import NDArray

from discreet.data.link import Linked, as_numbers, distinct_texts, link, need_finite
from discreet.data.microdata import Microdata
from discreet.errors import fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.kernels.least_squares import CollinearError, Fit, least_squares
from discreet.measures import measure
from discreet.parameters import Columns, Label, Notation
from discreet.results import Computed, Provenance
from discreet.risks.linkage import unknown_columns

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_VALUES = 50
_NUMBERS = ("integer", "number")
_INTERCEPT = "intercept"


@dataclass(frozen=True, eq=False, repr=False)
class RegressionLoss(Computed):
    """Coefficients before and after masking.

    Attributes
    ----------
    formula : str
        The model that was fitted.
    terms : tuple of str
        The intercept, the numeric attributes, and for others the attribute and the number of its
        value, or of its label in the masked file (neither is shown).
    initial, masked : tuple of float or None
        Coefficients on the initial and on the masked file; None where a file has no such term.
    standard_errors : tuple of float or None
        Of the coefficients on the initial file.
    r2_initial, r2_masked : float or None
        Share of the variance that the model explains; None where the response does not vary.
    recoded : tuple of str
        Attributes whose labels in the masked file stand for several values, or in part for
        others: neither their coefficients nor the intercepts are compared.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [23, 25, 37, 38, 51, 52], "income": [20, 22, 30, 35, 41, 40]}
    >>> survey = ds.read(table, keys=["age"])
    >>> masked = ds.microaggregate(survey, ["age"], k=2, method="fixed")
    >>> found = ds.regression_loss(survey, masked, "income ~ age")
    >>> found.terms, [round(one, 2) for one in found.initial]
    (('intercept', 'age'), [4.56, 0.71])
    >>> [round(one, 2) for one in found.masked]
    [4.66, 0.71]
    """

    formula: str
    terms: tuple[str, ...]
    initial: tuple[float | None, ...]
    masked: tuple[float | None, ...]
    standard_errors: tuple[float | None, ...]
    r2_initial: float | None
    r2_masked: float | None
    recoded: tuple[str, ...]
    provenance: Provenance

    @property
    def largest_change(self) -> float | None:
        """Largest change of a coefficient in units of its standard error on the initial file.

        Infinite where a coefficient without an error changed; None when none can be compared.
        """
        changes = [
            _in_errors(abs(a - b), e)
            for term, a, b, e in zip(
                self.terms, self.initial, self.masked, self.standard_errors, strict=True
            )
            if a is not None and b is not None and e is not None
            if not (self.recoded and term == _INTERCEPT)
        ]
        return max(changes, default=None)

    @property
    def not_applicable(self) -> Mapping[str, str]:
        """Why there is no largest change, where there is none."""
        if self.largest_change is not None:
            return {}
        why = "no term is in both files."
        if self.recoded:
            why = f"the labels of {listed(self.recoded)} in the masked file stand for other values."
        return {"largest_change": why}

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per coefficient."""
        columns = {
            "term": self.terms,
            "initial": self.initial,
            "masked": self.masked,
            "standard_error": self.standard_errors,
        }
        return self._frame(columns, kind)

    def explain(self) -> str:
        """The change in a few sentences."""
        before, after = (
            "not defined" if r2 is None else f"{r2:.3f}" for r2 in (self.r2_initial, self.r2_masked)
        )
        change = self.largest_change
        lines = [
            f"{self.formula}: R² {before} before, {after} after.",
            "No coefficient can be compared."
            if change is None
            else f"The coefficient that moved most moved by {change:.1f} standard errors.",
        ]
        if self.recoded:
            lines.append(
                f"Recoded: {', '.join(self.recoded)}. The labels enter as categories; neither "
                "their coefficients nor the intercept are compared."
            )
        lines += self.provenance.unweighted()
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self._plain("formula", "terms", "initial", "masked", "standard_errors"),
            "r2": [self.r2_initial, self.r2_masked],
            "recoded": list(self.recoded),
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        return f"RegressionLoss: {self.explain().splitlines()[1]}"


def _names_in(formula: Any) -> list[str]:
    """The response and the predictors of a formula; none where it is no formula."""
    parts = formula.split("~") if isinstance(formula, str) else []
    names = [parts[0], *parts[1].split("+")] if len(parts) == 2 else []
    names = [name.strip() for name in names]
    return names if all(names) and len(set(names)) == len(names) else []


_FORMULA = Notation(
    "a formula such as income ~ age + sex",
    lambda value: bool(_names_in(value)),
    schema={"type": "string", "pattern": "~"},
)


@measure(
    title="Regression loss",
    about="How far the coefficients of a regression move, in their standard errors.",
    side="loss",
    figures={"largest_change": "largest change of a coefficient, in standard errors"},
    example='--formula "income ~ age"',
)
def regression_loss(
    initial: Microdata,
    masked: Microdata,
    formula: Annotated[
        str,
        Columns(named=_names_in),
        _FORMULA,
        Label("Formula"),
        Doc("The response and its predictors: income ~ age + sex."),
    ],
    *,
    on: str | None = None,
) -> RegressionLoss:
    """Fit ``"income ~ age + sex"`` to both files and compare the coefficients.

    Parameters
    ----------
    initial
        The file before masking.
    masked
        The file after it.
    formula
        The response and its predictors: ``"income ~ age + sex"``. Numbers enter as they are,
        all else as one term per value except the first.
    on
        Column that links the records of a file masked elsewhere to the initial ones.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(500, seed=1), keys=["age", "sex"])
    >>> masked = ds.microaggregate(survey, ["age"], k=5)
    >>> ds.regression_loss(survey, masked, "income ~ age + sex").terms
    ('intercept', 'age', 'sex (value 2)')
    """
    linked = link(initial, masked, on, classed=False, by_order=False)
    response, predictors = _parsed(formula, linked)
    names = [response, *predictors]
    x, y = linked.values(names)
    numeric = {name for name in names if _numeric(linked, name)}
    files = [_complete(table, names, numeric) for table in (x, y)]
    terms = [_Term(_INTERCEPT, "", "", "")]
    recoded = []
    for name in predictors:
        if name in numeric:
            terms.append(_Term(name, name, "", ""))
        else:
            _need_few(linked, name, files)
            found, alike = _categories(name, files[0][name], files[1][name], x[name], y[name])
            terms += found
            recoded += [] if alike else [name]
    asked = [(t.name, t.attribute, t.initial) for t in terms]
    first = _fit(files[0], response, asked, initial, "P25")
    asked = [(t.name, t.attribute, t.masked) for t in terms]
    second = _fit(files[1], response, asked, masked, "N07")  # what fits one file alone
    return RegressionLoss(
        formula,
        tuple(term.name for term in terms),
        tuple(first[0]),
        tuple(second[0]),
        tuple(first[1]),
        first[2],
        second[2],
        tuple(recoded),
        Provenance.of(initial, masked),
    )


def _parsed(formula: str, linked: Linked) -> tuple[str, list[str]]:
    response, *names = _names_in(formula) or fail(
        "P25",
        "the formula cannot be read, or names a column twice.",
        "Write it like 'income ~ age + sex'.",
    )
    files = (linked.initial, linked.masked)
    raise_all(unknown_columns(files, (response, *names), "the formula's"))
    if not _numeric(linked, response):
        fail("D12", f"{response!r} is not a number in both files.", "Regress a numeric attribute.")
    need_finite(linked, [name for name in (response, *names) if _numeric(linked, name)])
    return response, names


def _numeric(linked: Linked, name: str) -> bool:
    return _is_number(linked.initial, name) and linked.masked.source.kinds[name] in _NUMBERS


def _is_number(data: Microdata, name: str) -> bool:
    return data.types[name].measure != "nominal" and data.source.kinds[name] in _NUMBERS


@dataclass(frozen=True)
class _Term:
    """A term of the model: an attribute and, for a category, its text in each file.

    A text is "" for a number and None where the file has no such category.
    """

    name: str
    attribute: str
    initial: str | None
    masked: str | None


@dataclass(frozen=True, eq=False)
class _Category:
    """The values of an attribute as text, and for each record the place of its own."""

    texts: list[str]
    at: NDArray[np.int64]


_Column = NDArray[np.float64] | _Category


def _complete(
    table: pa.Table, names: Sequence[str], numeric: Collection[str]
) -> dict[str, _Column]:
    """The columns of the records that have all values, as numbers or categories."""
    numbers = {name: as_numbers(table[name]) for name in names if name in numeric}
    texts = {name: distinct_texts(table[name]) for name in names if name not in numeric}
    whole = np.ones(table.num_rows, dtype=bool)
    for values in numbers.values():
        whole &= ~np.isnan(values)
    for known, at in texts.values():
        whole &= at < len(known)  # beyond stands the missing value
    kept = {name: _Category(known, at[whole]) for name, (known, at) in texts.items()}
    return {name: kept[name] if name in kept else numbers[name][whole] for name in names}


def _categories(
    name: str, first: _Column, second: _Column, x: pa.ChunkedArray, y: pa.ChunkedArray
) -> tuple[list[_Term], bool]:
    """The terms of an attribute that enters as categories, and whether they can be compared."""
    values, labels = (_present(column) for column in (first, second))
    partner = _partners(values, labels, x, y)
    if partner is None:
        return [
            *(_Term(f"{name} (value {i})", name, v, None) for i, v in _after_first(values)),
            *(_Term(f"{name} (label {i})", name, None, v) for i, v in _after_first(labels)),
        ], False
    reference = next((value for value in values if value in partner), None)
    return [
        _Term(f"{name} (value {i})", name, value, partner.get(value))
        for i, value in enumerate(values, 1)
        if value != reference
    ], True


def _need_few(linked: Linked, name: str, files: Sequence[Mapping[str, _Column]]) -> None:
    """Refuse an attribute with too many values to be categories: of numbers that were recoded to
    labels it is the masking that makes categories of them.
    """
    most = max(len(_present(columns[name])) for columns in files)
    if most <= _MOST_VALUES:
        return
    if _is_number(linked.initial, name):
        fail(
            "N07",
            f"the numbers of {name!r} are labels in the masked file, and its {most:,} values are "
            "too many for categories.",
            f"Name attributes that stay numbers, or that have at most {_MOST_VALUES} values.",
        )
    fail(
        "P25",
        f"{name!r} has {most:,} values and would need as many coefficients.",
        f"Name attributes with at most {_MOST_VALUES} values.",
    )


def _after_first(texts: list[str]) -> list[tuple[int, str]]:
    return list(enumerate(texts, 1))[1:]


def _present(column: _Column) -> list[str]:
    """The values of an attribute that occur, in order."""
    assert isinstance(column, _Category)
    return sorted({column.texts[at] for at in np.unique(column.at)})


def _partners(
    values: list[str], labels: list[str], x: pa.ChunkedArray, y: pa.ChunkedArray
) -> dict[str, str] | None:
    """Which label stands for which value: the same one, or the one it was recoded to.

    None when labels are new and stand for several values, or for parts of one.
    """
    if set(labels) <= set(values):
        return {label: label for label in labels}
    (before, at), (after, to) = distinct_texts(x), distinct_texts(y)
    both = (at < len(before)) & (to < len(after))
    met = np.unique(at[both] * len(after) + to[both])
    found = ((before[i], after[j]) for i, j in zip(*np.divmod(met, len(after)), strict=True))
    pairs = {(value, label) for value, label in found if value in values and label in labels}
    one_to_one = len(pairs) == len({v for v, _ in pairs}) == len({label for _, label in pairs})
    return dict(pairs) if one_to_one and {label for _, label in pairs} == set(labels) else None


def _fit(
    columns: dict[str, _Column],
    response: str,
    terms: Sequence[tuple[str, str, str | None]],
    data: Microdata,
    code: str,
) -> tuple[list[float | None], list[float | None], float | None]:
    """Coefficients and their standard errors, one per term, and R²; None for absent terms. The code
    is that of the error where they are not determined.
    """
    present = [i for i, (_, _, text) in enumerate(terms) if text is not None]
    y = columns[response]
    assert not isinstance(y, _Category)
    if len(y) <= len(present):
        what = f"{data.name} has too few complete records for this formula."
        fail(code, what, "Name fewer terms.")
    design = [_column(columns[terms[i][1]], terms[i][2]) for i in present[1:]]
    named = [terms[i][0] for i in present[1:]]
    fit = _solved(np.array(design).reshape(-1, len(y)), y, named, data, code)
    coefficients: list[float | None] = [None] * len(terms)
    errors: list[float | None] = [None] * len(terms)
    for i, coefficient, error in zip(present, fit.coefficients, fit.standard_errors, strict=True):
        coefficients[i], errors[i] = float(coefficient), float(error)
    return coefficients, errors, fit.r2


def _column(column: _Column, text: str | None) -> NDArray[np.float64]:
    """A column of the design: the numbers, or 1 where a record has the category."""
    if not isinstance(column, _Category):
        return column
    own = np.array([known == text for known in column.texts], dtype=np.float64)
    return own[column.at]


def _solved(
    design: NDArray[np.float64],
    y: NDArray[np.float64],
    names: Sequence[str],
    data: Microdata,
    code: str,
) -> Fit:
    try:
        return least_squares(design, y)
    except CollinearError as error:
        dependent = [names[i] for i in error.columns]
    verb = "is" if len(dependent) == 1 else "are"
    fail(
        code,
        f"{listed(dependent)} {verb} constant or collinear with the other terms in {data.name}.",
        "Leave such terms out: their coefficients are not determined.",
    )


def _in_errors(change: float, error: float) -> float:
    """A change in units of a standard error."""
    if error > 0:
        return change / error
    return math.inf if change else 0.0
