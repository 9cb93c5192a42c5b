"""Interval disclosure: how many original values lie in a narrow interval around the masked ones.

Whoever reads a masked record takes its values for the person's, give or take something. A record is
disclosed where every one of its original values lies within that distance: a share of the standard
deviation, or a share of the records by rank.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_doc import Doc
from annotated_types import Gt

from discreet.data import attributes
from discreet.data.link import NUMERIC, Linked, as_numbers, link, need_finite
from discreet.data.masked import require_records
from discreet.data.microdata import Microdata
from discreet.errors import Problem, fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.summation import spreads
from discreet.measures import measure, need_fit
from discreet.parameters import Columns, Label, Public, as_written
from discreet.results import Provenance, Result
from discreet.risks.linkage import unknown_columns
from discreet.surface import argument
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools


Unit = Literal["original", "masked"]
Distance = Literal["deviation", "rank"]
_HIGH = 0.1  # of the records: worth a word
_ROUNDING = 1e-12  # of a width: what is as near counts


@dataclass(frozen=True, eq=False, repr=False)
class IntervalDisclosure(Result):
    """The share of the records whose original values lie close to the masked ones.

    Attributes
    ----------
    share : float
        Share of the released records with every attribute within the interval.
    by_attribute : mapping of str to float
        The share of each attribute by itself.
    n : int
        Released records.
    missing : int
        Those with a value that is missing in one of the files: they are not disclosed.
    width, sd, distance
        As asked for.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> masked = ds.microaggregate(ages, k=2, method="fixed")
    >>> ds.interval_disclosure(ages, masked, width=0.05).share
    0.25
    >>> ds.interval_disclosure(ages, masked, width=0.1).share
    0.75

    References
    ----------
    - Domingo-Ferrer, Torra (2001), *A quantitative comparison of disclosure control methods for
      microdata*. In: Confidentiality, Disclosure, and Data Access.
    """

    share: float
    by_attribute: Mapping[str, float]
    n: int
    missing: int
    width: float
    sd: Unit
    distance: Distance
    provenance: Provenance
    kind: FrameKind
    shown = ("share", "highest", "by_attribute", "n", "missing", "width", "sd", "distance")

    @property
    def highest(self) -> float:
        """The largest share of a single attribute."""
        return max(self.by_attribute.values())

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per attribute: the share of the records within the interval."""
        held = {"attribute": list(self.by_attribute), "share": list(self.by_attribute.values())}
        return self._frame(held, kind)

    def explain(self) -> str:
        """The number, what it means, and what to try next."""
        near = f"{self.width:g} standard deviations of the {self.sd} values"
        if self.distance == "rank":
            near = f"{self.width:.1%} of the ranks"
        every = "the original value lies" if len(self.by_attribute) == 1 else "all originals lie"
        most = max(self.by_attribute, key=lambda name: self.by_attribute[name])
        lines = [
            f"For {self.share:.1%} of {counted(self.n, 'released record')} {every} within {near} "
            f"of the masked {listed(list(self.by_attribute))}."
        ]
        if len(self.by_attribute) > 1:
            lines.append(f"Of single attributes, {most!r} reveals most: {self.highest:.1%}.")
        if self.missing:
            lines.append(
                f"{counted(self.missing, 'record')} with a missing value counted as not disclosed."
            )
        lines += [*self.provenance.by_record(), *self.provenance.unweighted()]
        if max(self.share, self.highest) > _HIGH:
            lines.append("Next: mask more strongly the attributes that reveal most, and compare.")
        return "\n".join(lines)


@measure(
    title="Interval disclosure",
    about="How many original values lie in a narrow interval around the masked ones.",
    side="risk",
    figures={
        "share": "share of the records with every value within the interval",
        "highest": "largest share of the records with the value of one attribute within it",
    },
    public=("share", "highest", "n", "width", "sd", "distance"),
)
def interval_disclosure(
    initial: Microdata,
    masked: Microdata,
    *,
    on: str | None = None,
    width: Annotated[
        float,
        Gt(0),
        Label("Width"),
        Doc("How far off a value may be, in standard deviations or as a share of the ranks."),
        Public,
    ] = 0.05,
    columns: Annotated[
        Sequence[str] | None,
        Columns(),
        Label("Columns"),
        Doc("Numeric columns; by default all keys and confidential attributes that are numeric."),
        Public,
    ] = None,
    sd: Annotated[
        Unit,
        Label("Standard deviation", {"original": "of the original", "masked": "of the masked"}),
        Doc("Which values the standard deviation is taken from."),
        Public,
    ] = "original",
    distance: Annotated[
        Distance,
        Label("Distance", {"deviation": "in standard deviations", "rank": "in ranks"}),
        Doc("Whether the width is in standard deviations or a share of the ranks."),
        Public,
    ] = "deviation",
) -> IntervalDisclosure:
    """Measure how precisely masked numbers tell the original ones.

    The ends of an interval belong to it. A value that is missing in one of the files is not
    disclosed, and neither is its record. An attribute that does not vary is disclosed where it is
    unchanged.

    Parameters
    ----------
    initial, masked : Microdata
        As for :func:`disclosure_risk`.
    on : str, optional
        Column that links the records of a file masked elsewhere.
    width : float
        How far an original value may be away on either side: in standard deviations, or as a share
        of the ranks.
    columns : list of str, optional
        Numeric attributes; by default the keys and the confidential attributes that are numbers.
    sd : {"original", "masked"}
        Of which values the standard deviation is taken; sdcMicro takes that of the masked ones,
        which gets smaller as values are averaged.
    distance : {"deviation", "rank"}
        Whether ``width`` is in standard deviations or a share of the ranks: a masked value then
        tells the original one if at most that share of the records lies between them.

    Returns
    -------
    IntervalDisclosure

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(400, seed=1), keys=["age", "income"])
    >>> masked = ds.microaggregate(survey, k=5)
    >>> close, wide = (ds.interval_disclosure(survey, masked, width=w).share for w in (0.01, 0.5))
    >>> close < wide
    True

    References
    ----------
    - Domingo-Ferrer, Torra (2001), *A quantitative comparison of disclosure control methods for
      microdata*. In: Confidentiality, Disclosure, and Data Access.
    """
    need_fit(interval_disclosure, width=width, sd=sd, distance=distance)
    linked = link(initial, masked, on, classed=False, keyed=not columns)
    require_records(masked)
    names = _numbers_among(linked, attributes.names(columns))
    need_finite(linked, names)
    x, y = linked.values(names)
    pairs = [(as_numbers(x[name]), as_numbers(y[name])) for name in names]
    inside = np.array([_inside(first, second, width, sd, distance) for first, second in pairs])
    gaps = np.array([np.isnan(first) | np.isnan(second) for first, second in pairs])
    return IntervalDisclosure(
        share=float(inside.all(axis=0).mean()),
        by_attribute=dict(zip(names, inside.mean(axis=1).tolist(), strict=True)),
        n=x.num_rows,
        missing=int(gaps.any(axis=0).sum()),
        width=float(width),
        sd=sd,
        distance=distance,
        provenance=Provenance.of(initial),
        kind=masked.source.kind,
    )


def _numbers_among(linked: Linked, columns: Sequence[str]) -> list[str]:
    """The columns that were named, or the keys and confidential attributes that are numbers."""
    initial, masked = linked.initial, linked.masked

    def numeric(name: str) -> bool:
        kinds = initial.source.kinds[name], masked.source.kinds[name]
        return all(kind in NUMERIC for kind in kinds)

    if columns:
        chosen = list(dict.fromkeys(columns))
        unknown = unknown_columns((initial, masked), chosen)
        what = "is not a number in both files and has no intervals."
        raise_all(
            unknown
            or [
                Problem("D12", f"{name!r} {what}", "Name numeric columns only.")
                for name in chosen
                if not numeric(name)
            ]
        )
        return chosen
    held = [n for n in dict.fromkeys((*initial.keys, *initial.confidential)) if n in masked.columns]
    found = [n for n in held if initial.types[n].measure == "continuous" and numeric(n)]
    return found or fail(
        "N07",
        "no continuous attribute can be compared.",
        f"Name numeric columns: {argument('columns', written='columns=[…]')}.",
    )


def _inside(x: Floats, y: Floats, width: float, sd: Unit, distance: Distance) -> Bools:
    """Which records have their original value within the interval around the masked one.

    Deviation and ranks are those of all released records that have a value, also where the masked
    file has a gap: to blank what lies apart must not narrow the interval around the others.
    """
    found = np.zeros(len(x), np.bool_)
    known = ~(np.isnan(x) | np.isnan(y))
    if not known.any():
        return found
    originals = x[~np.isnan(x)]
    if distance == "rank":
        found[known] = within_ranks(x[known], y[known], as_written(width), originals)
        return found
    spread = float(spreads((originals if sd == "original" else y[~np.isnan(y)])[:, None])[0])
    found[known] = np.abs(x[known] - y[known]) <= width * spread * (1 + _ROUNDING)
    return found


def within_ranks(x: Floats, y: Floats, share: Fraction, every: Floats | None = None) -> Bools:
    """Which originals lie at most a share of the ranks from their masked value, in whole numbers;
    the ranks are those among ``every``, where more originals are known.

    Examples
    --------
    >>> x, y = np.array([10.0, 20.0, 30.0, 40.0]), np.array([10.0, 30.0, 35.0, 10.0])
    >>> within_ranks(x, y, Fraction(1, 4)).tolist()
    [True, True, True, False]
    """
    ranks = len(x if every is None else every)
    return np.asarray(half_ranks_apart(x, y, every) <= math.floor(2 * share * ranks))


# -- Ranks between an original and its masked value: how precisely the one tells the other ---------


def half_ranks_apart(x: Floats, y: Floats, every: Floats | None = None) -> Ints:
    """By how many half ranks the masked value of each record is away from its original one.

    Equal values share their ranks, and the nearest counts. A masked value that no record has
    lies half a rank from its neighbours, above and below. The ranks are those among the originals,
    or among all values of the original file where ``every`` gives more of them.

    Examples
    --------
    >>> x = np.array([10.0, 20.0, 30.0, 40.0])
    >>> half_ranks_apart(x, np.array([10.0, 30.0, 35.0, 25.0])).tolist()
    [0, 2, 1, 3]
    """
    ordered = np.sort(x if every is None else every)
    below, upto = (np.searchsorted(ordered, y, side=s) for s in ("left", "right"))
    first, last = (np.searchsorted(ordered, x, side=s) for s in ("left", "right"))
    between = np.where(x > y, first - upto, below - last)  # values that lie in between
    return np.where(x == y, 0, 2 * between + np.where(upto > below, 2, 1)).astype(np.int64)
