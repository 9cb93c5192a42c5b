"""Propensity: how well a model tells masked records from original ones.

Both files are put on top of each other, and a logistic regression estimates for every record the
chance p̂ that it is a masked one. Where masking changed nothing that the model sees, p̂ is everywhere
the share c of masked records. pMSE is the mean of (p̂ − c)²: 0 for files alike, c·(1 − c) at most.
The largest distance between the distributions of p̂ in both files (Kolmogorov–Smirnov, "SPECKS")
stands beside it.

The model has main effects and, as far as it stays small, products of pairs of attributes and
squares of numbers: with main effects alone it sees means and shares, which many maskings keep.
Numbers enter as they are, with an indicator of missing ones; all else as indicators of values. Rows
are counted, not records: what crosses from another engine are combinations of values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_doc import Doc

from discreet.data import attributes
from discreet.data.link import LARGEST, NUMERIC, TIMES, as_numbers, shared_codes
from discreet.data.masked import Masked, require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.measures import FigureKind, measure, need_fit
from discreet.parameters import Columns, Label, Public
from discreet.results import Computed, Provenance
from discreet.risks.linkage import unknown_columns

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Floats

_FIGURES = ("pmse", "largest", "share", "ks", "expected", "deviation", "ratio")
_MOST_VALUES = 50  # of an attribute with indicators; the rarer ones share one
_MOST_TERMS = 500
_MOST_WORK = 1e9  # rows times squared terms, with products of pairs: about a second
_DIGITS = 10  # of a chance: what is alike so far is alike
_LITTLE, _MUCH = 0.05, 0.25  # of the largest pMSE: what words are used for


@dataclass(frozen=True, eq=False, repr=False)
class Propensity(Computed):
    """How well masked records can be told from original ones.

    Attributes
    ----------
    pmse : float
        Mean of (p̂ − c)²: 0 where the model cannot tell them apart.
    largest : float
        The largest value that it can have, c·(1 − c).
    ks : float
        The largest distance between the distributions of p̂ in the two files, from 0 to 1.
    expected, deviation : float or None
        Mean and standard deviation of pMSE for a file drawn independently from the same
        distribution. None for a masked file that is linked to the initial one: left unchanged, its
        pMSE is 0.
    parameters : int
        Coefficients of the model, with the intercept.
    dropped : int
        Terms that follow from others and were left out.
    certain : bool
        Whether some records are told apart for certain.
    columns : tuple of str
        What the model looked at.
    grouped : tuple of str
        Attributes of whose many values the rarer ones were merged.
    interactions : bool
        Whether it had products of pairs and squares.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(300, seed=1), keys=["age", "income"])
    >>> same = ds.sample(survey, fraction=1.0, seed=1)
    >>> masked = ds.microaggregate(survey, k=50, preserve_variance=False)
    >>> given = {"columns": ["age", "income"]}
    >>> ds.propensity(survey, same, **given).pmse
    0.0
    >>> ds.propensity(survey, masked, **given).pmse > 0
    True

    References
    ----------
    - Woo, Reiter, Oganian, Karr (2009), *Global measures of data utility for microdata masked for
      disclosure limitation*. Journal of Privacy and Confidentiality 1 (1).
    - Snoke, Raab, Nowok, Dibben, Slavkovic (2018), *General and specific utility measures for
      synthetic data*. Journal of the Royal Statistical Society A 181 (3).
    """

    pmse: float
    largest: float
    ks: float
    expected: float | None
    deviation: float | None
    parameters: int
    dropped: int
    certain: bool
    columns: tuple[str, ...]
    grouped: tuple[str, ...]
    interactions: bool
    provenance: Provenance
    shown = (
        *_FIGURES, "parameters", "dropped", "certain", "columns", "grouped", "interactions",
    )  # fmt: skip

    @property
    def share(self) -> float:
        """The pMSE as a share of its largest value."""
        return self.pmse / self.largest

    @property
    def ratio(self) -> float | None:
        """The pMSE over what is expected of an independent file; None where there is none."""
        return self.pmse / self.expected if self.expected else None

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per figure."""
        figures = self._plain(*_FIGURES)
        return self._frame({"figure": list(figures), "value": list(figures.values())}, kind)

    def explain(self) -> str:
        """The number, what it means, and what to try next."""
        how = "hardly" if self.share <= _LITTLE else "well" if self.share > _MUCH else "in part"
        lines = [
            f"pMSE {self.pmse:.3g}, {self.share:.1%} of its largest value {self.largest:.3g}: "
            f"the model can {how} tell masked records from original ones.",
            f"The distributions of its chances are {self.ks:.3f} apart, from 0 to 1.",
        ]
        if self.expected is None:
            lines.append(
                "Each masked record comes from an original one: if nothing had been "
                "changed, pMSE would be 0."
            )
        elif self.ratio is not None:
            lines.append(
                f"A file drawn independently from the same distribution has {self.expected:.3g} on "
                f"average (standard deviation {self.deviation:.2g}); this is {self.ratio:.3g} "
                "times that."
            )
        if self.certain:
            lines.append(
                "Some records can be told apart with certainty: they have values that "
                "occur in one file only."
            )
        if self.dropped:
            lines.append(f"{self.dropped} of the terms follow from others and were left out.")
        if self.grouped:
            lines.append(f"The rarer values of {listed(self.grouped)} were merged.")
        if not self.interactions:
            lines.append(
                "It has main effects alone: it sees means and shares of each attribute, and no "
                "correlation. With fewer columns it can see more."
            )
        return "\n".join([*lines, *self.provenance.unweighted()])


@measure(
    title="Propensity",
    about="How well a model tells masked records from original ones.",
    side="loss",
    figures={
        "pmse": "pMSE, mean squared distance of the chances from the share of masked records",
        "share": "pMSE as a share of its largest value",
        "ks": "largest distance between the distributions of the chances",
        "largest": FigureKind("largest value of pMSE", axis=False),
    },
    public=("pmse", "largest", "share", "ks", "parameters", "certain", "columns", "interactions"),
)
def propensity(
    initial: Microdata,
    masked: Microdata,
    *,
    on: str | None = None,
    columns: Annotated[
        Sequence[str] | None,
        Columns(),
        Label("Columns"),
        Doc("What the model looks at; by default all columns that both files release."),
        Public,
    ] = None,
    interactions: Annotated[
        bool,
        Label("Interactions"),
        Doc(
            "Whether the model also has products of pairs of attributes and squares of numbers, "
            "if it stays small."
        ),
        Public,
    ] = True,
) -> Propensity:
    """Measure how well a model tells masked records from original ones.

    Parameters
    ----------
    initial, masked : Microdata
        They need not be linked.
    on : str, optional
        A column that names the records of both files: it is left out of the model, and says that
        each masked record stems from an initial one.
    columns : list of str, optional
        What the model looks at; by default all columns that both files release, but for weights.
    interactions : bool
        Whether the model has products of pairs of attributes and squares of numbers, too. They are
        left out where there would be too many of them: ``.interactions`` says so. With main effects
        alone it sees means and shares, and no correlation.

    Returns
    -------
    Propensity

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(300, seed=1), keys=["age", "income"])
    >>> masked = ds.microaggregate(survey, k=5)
    >>> ds.propensity(survey, masked, columns=["age", "income"]).interactions
    True

    References
    ----------
    - Woo, Reiter, Oganian, Karr (2009), *Global measures of data utility for microdata masked for
      disclosure limitation*. Journal of Privacy and Confidentiality 1 (1).
    - Snoke, Raab, Nowok, Dibben, Slavkovic (2018), *General and specific utility measures for
      synthetic data*. Journal of the Royal Statistical Society A 181 (3).
    """
    from discreet.kernels.logistic import logistic

    need_fit(propensity, interactions=interactions)
    require_microdata(initial, masked, named="an argument")
    require_records(masked)
    names = _looked_at(initial, masked, attributes.names(columns), on)
    model = _model(initial, masked, names, interactions=bool(interactions))
    fit = logistic(model.design, model.masked, model.records)
    n = float(model.records.sum())
    c = float(model.masked.sum()) / n
    apart = np.abs(fit.chances - c)
    k = int(fit.used.sum())
    paired = on is not None or (
        isinstance(masked, Masked) and masked.initial.source is initial.source
    )
    scale = (1 - c) ** 2 * c / n
    return Propensity(
        pmse=math.fsum(model.records * apart**2) / n,
        largest=c * (1 - c),
        ks=_distance(fit.chances, model.masked, model.records),
        expected=None if paired else (k - 1) * scale,
        deviation=None if paired else math.sqrt(2 * (k - 1)) * scale,
        parameters=k,
        dropped=int((~fit.used).sum()),
        certain=fit.certain,
        columns=tuple(names),
        grouped=model.grouped,
        interactions=model.interactions,
        provenance=Provenance.of(initial, kind=masked.source.kind),
    )


def _looked_at(
    initial: Microdata, masked: Microdata, columns: Sequence[str], on: str | None
) -> list[str]:
    """The columns that were named, or all that both files release."""
    raise_all(unknown_columns((initial, masked), (*columns, *([] if on is None else [on]))))
    if columns:
        return list(dict.fromkeys(columns))
    apart = {initial.weight, masked.weight, on}
    held = [n for n in initial.released if n in masked.released and n not in apart]
    kinds = initial.source.kinds
    return [n for n in held if kinds[n] != "other"] or fail(
        "N07", "the files have no column in common.", "Name columns alike in both files."
    )


@dataclass(frozen=True, eq=False)
class _PropensityModel:
    """A row for each combination of values of each file: its terms, how many masked records it has,
    and how many records."""

    design: Floats
    masked: Floats
    records: Floats
    grouped: tuple[str, ...]
    interactions: bool


def _model(
    initial: Microdata, masked: Microdata, names: Sequence[str], *, interactions: bool
) -> _PropensityModel:
    sets = [data.frequency_set(names) for data in (initial, masked)]
    first, second = (one.combinations() for one in sets)
    zeros, ones = (one.counts.astype(np.float64) for one in sets)
    records = np.concatenate([zeros, ones])
    blocks, numeric, grouped = [], [], []
    for a, name in enumerate(names):
        x, y = (one[f"s{a}"] for one in (first, second))
        numeric.append(_is_number(initial, masked, name))
        if numeric[-1]:
            blocks.append(_number_terms(x, y, records))
        else:
            block, rare = _value_terms(x, y, records)
            blocks.append(block)
            grouped += [name] if rare else []
    widths = [block.shape[1] for block in blocks]
    if sum(widths) >= _MOST_TERMS:
        what = f"the model would have {1 + sum(widths):,} terms."
        fail("N13", what, f"Name columns with at most {_MOST_TERMS} terms together.")
    number = 1 + sum(widths) + sum(numeric) + (sum(widths) ** 2 - sum(w * w for w in widths)) // 2
    small = number <= _MOST_TERMS and len(records) * number**2 <= _MOST_WORK
    products = _products(blocks, numeric) if interactions and small else []
    design = np.hstack([np.ones((len(records), 1)), *blocks, *products])
    told = np.concatenate([np.zeros(len(zeros)), ones])
    return _PropensityModel(design, told, records, tuple(grouped), bool(products))


def _is_number(initial: Microdata, masked: Microdata, name: str) -> bool:
    kinds = initial.source.kinds[name], masked.source.kinds[name]
    alike = all(kind in NUMERIC for kind in kinds) or (kinds[0] == kinds[1] and kinds[0] in TIMES)
    return alike and initial.types[name].measure == "continuous"


def _number_terms(x: pa.ChunkedArray, y: pa.ChunkedArray, records: Floats) -> Floats:
    """A number in standard deviations from its mean, 0 where it is missing; then whether it is."""
    values = np.concatenate([as_numbers(x), as_numbers(y)])
    if (np.abs(values) > LARGEST).any():
        what = f"a column has infinite values, or some above {LARGEST:g} in size, and no variance."
        fail("D12", what, "Name other columns.")
    missing = np.isnan(values)
    known, times = values[~missing], records[~missing]
    n = max(times.sum(), 1.0)
    apart = np.zeros(len(values))
    apart[~missing] = known - math.fsum(times * known) / n
    spread = math.sqrt(math.fsum(times * apart[~missing] ** 2) / n)
    scaled = apart / spread if spread > 0 else apart
    return np.column_stack([scaled, missing] if missing.any() else [scaled])


def _value_terms(x: pa.ChunkedArray, y: pa.ChunkedArray, records: Floats) -> tuple[Floats, bool]:
    """Whether a record has each of the values but the most frequent one, and whether the rarer ones
    were merged."""
    first, second, cards = shared_codes(x, y, None)
    codes = np.concatenate([first, second])
    frequency = np.bincount(codes, weights=records, minlength=cards)
    order = np.argsort(-frequency, kind="stable")  # of equally frequent ones, the first by name
    order = order[frequency[order] > 0]
    place = np.full(cards, _MOST_VALUES)
    place[order[:_MOST_VALUES]] = np.arange(min(len(order), _MOST_VALUES))
    kept = min(len(order), _MOST_VALUES + 1)
    found = place[codes][:, None] == np.arange(1, kept)
    return found.astype(np.float64), len(order) > _MOST_VALUES


def _products(blocks: list[Floats], numeric: list[bool]) -> list[Floats]:
    """Products of the terms of two attributes, and squares of numbers."""
    squares = [block[:, :1] ** 2 for block, number in zip(blocks, numeric, strict=True) if number]
    pairs = [
        (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)
        for i, one in enumerate(blocks)
        for other in blocks[i + 1 :]
    ]
    return [*squares, *pairs]


def _distance(chances: Floats, masked: Floats, records: Floats) -> float:
    """The largest distance between the distributions of the chances of masked and other records."""
    values, at = np.unique(chances.round(_DIGITS), return_inverse=True)
    ones, zeros = (
        np.cumsum(np.bincount(at, weights=weights, minlength=len(values)))
        for weights in (masked, records - masked)
    )
    return float(np.abs(ones / ones[-1] - zeros / zeros[-1]).max())
