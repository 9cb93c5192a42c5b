"""Record linkage: how many people of the initial file are found again in the masked one.

An intruder has the values of some attributes, from a register or by acquaintance, and takes the
nearest masked record for the person's. Distances are those of ``coordinates``: Euclid after
division by the initial standard deviation. Of records that are equally near, as the k of a group of
microaggregation are, one is taken at random: each person counts the share of the right one.

For names there is another way: pairs of records weigh what their agreement in each attribute tells
(Fellegi and Sunter), and the heaviest is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_doc import Doc

from discreet.data.link import Linked, link
from discreet.data.masked import require_records
from discreet.data.microdata import Microdata
from discreet.errors import fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.measures import FigureKind, measure
from discreet.parameters import Columns, Label, Public, parameters_of, problems_of
from discreet.results import Provenance, Result
from discreet.risks.coordinates import chosen_columns, coordinates
from discreet.risks.method_knowledge import known_intervals, need_known_method
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats, Ints

Method = Literal["distance", "assignment", "probabilistic"]
_DECILES = np.arange(1, 10) / 10
_HIGH = 0.05  # of the records linked: worth a word


@dataclass(frozen=True, eq=False, repr=False)
class Linkage(Result):
    """How many records are linked to their own.

    Attributes
    ----------
    n : int
        Released records: each is looked for by its initial values.
    columns : tuple of str
        What the intruder knows.
    sizes : mapping of int to int
        Among how many equally near masked records the own one is, and for how many records.
    method : {"distance", "assignment", "probabilistic"}
        How records are linked.
    total_distance : float or None
        Of the assignment of all records together.
    weights : tuple of mappings
        By attribute, of probabilistic linkage: the probability that a right pair of records agrees
        in it (``m``), and that another one does (``u``), and what agreement weighs, in bits.
    knows_method : bool
        Whether the intruder knows how the file was masked.
    told : tuple of str
        The attributes in which that rules out masked values.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> found = ds.linkage(ages, ds.microaggregate(ages, k=2, method="fixed"))
    >>> found.expected_correct, found.group_share, dict(found.sizes)
    (4.0, 1.0, {2: 8})

    References
    ----------
    - Domingo-Ferrer, Torra (2001), *A quantitative comparison of disclosure control methods for
      microdata*. In: Confidentiality, Disclosure, and Data Access.
    - Nin, Herranz, Torra (2008), *Rethinking rank swapping to decrease disclosure risk*. Data &
      Knowledge Engineering 64 (1).
    """

    n: int
    columns: tuple[str, ...]
    sizes: Mapping[int, int]
    method: Method
    weights: tuple[Mapping[str, Any], ...]
    total_distance: float | None
    knows_method: bool
    told: tuple[str, ...]
    provenance: Provenance
    kind: FrameKind

    @property
    def expected_correct(self) -> float:
        """Expected number of records that are linked to their own."""
        return math.fsum(records / size for size, records in self.sizes.items())

    @property
    def correct_share(self) -> float:
        """Expected share of the records that are linked to their own."""
        return self.expected_correct / self.n

    @property
    def group_share(self) -> float:
        """Share of the records whose own one is among the nearest."""
        return sum(self.sizes.values()) / self.n

    def table(self, kind: FrameKind | None = None) -> Any:
        """Among how many equally near masked records the own one is, for how many records, and how
        many of these are expected to be linked to it; 0 where another record is nearer."""
        beyond = self.n - sum(self.sizes.values())
        rows = [{"equally near": 0, "records": beyond, "expected correct": 0.0}] if beyond else []
        rows += [
            {"equally near": size, "records": records, "expected correct": records / size}
            for size, records in self.sizes.items()
        ]
        return self._frame(rows, kind)

    def agreement(self, kind: FrameKind | None = None) -> Any:
        """One row per attribute: m, u and the weight of agreement, of probabilistic linkage."""
        return self._frame(self.weights, kind)

    def explain(self) -> str:
        """The number, what it means, and what to try next."""
        by, those = "nearest masked record", "nearest"
        if self.method == "probabilistic":
            by, those = "masked record whose agreement weighs most", "heaviest"
        if self.method == "assignment":
            by, those = "assignment of all records that is nearest in sum", "equal ones assigned"
        knows = f"knows {listed(self.columns)}"
        knows += " and how the file was masked" if self.knows_method else ""
        lines = [
            f"Someone who {knows} links {self.expected_correct:,.1f} of "
            f"{counted(self.n, 'released record')} ({self.correct_share:.1%}) to the right one, by "
            f"the {by}; chance alone links 1.",
            f"The right one is among the {those} for {self.group_share:.1%} of them.",
        ]
        if self.knows_method and not self.told:
            lines.append("The method rules out no masked value of these attributes.")
        elif self.told:
            lines.append(f"The method rules out masked values of {listed(self.told)}.")
        lines += self.provenance.unweighted()
        if self.correct_share > _HIGH:
            lines.append(
                "Next: mask these attributes more strongly, or more of them together, and compare."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "n": self.n,
            "columns": list(self.columns),
            "expected_correct": self.expected_correct,
            "correct_share": self.correct_share,
            "group_share": self.group_share,
            "method": self.method,
            "total_distance": self.total_distance,
            "weights": [dict(row) for row in self.weights],
            "sizes": {str(size): records for size, records in self.sizes.items()},
            "knows_method": self.knows_method,
            "told": list(self.told),
            "computed_from": self.provenance.to_dict(),
        }


@measure(
    title="Record linkage",
    about="How many people are found again by the nearest masked record.",
    side="risk",
    figures={
        "expected_correct": FigureKind("records expected to be linked to their own"),
        "correct_share": FigureKind("share of the records expected to be linked to their own"),
        "group_share": FigureKind("share of the records whose own one is among the nearest"),
    },
    public=("n", "columns", "expected_correct", "correct_share", "group_share"),
    compiles=True,
)
def linkage(
    initial: Microdata,
    masked: Microdata,
    columns: Annotated[
        Sequence[str] | None,
        Columns(),
        Label("Columns"),
        Doc("What the intruder knows; the keys by default."),
        Public,
    ] = None,
    *,
    on: str | None = None,
    method: Annotated[
        Method,
        Label(
            "Linkage",
            {
                "distance": "by distance, one by one",
                "assignment": "by distance, all together",
                "probabilistic": "by agreement",
            },
        ),
        Doc("By distance, one by one or all together, or by weights of agreement."),
        Public,
    ] = "distance",
    knows_method: Annotated[
        bool,
        Label("The intruder knows the method"),
        Doc("Rule out what the windows of rank_swap and the groups of microaggregate rule out."),
        Public,
    ] = False,
) -> Linkage:
    """Count how many records the nearest masked record gives away.

    Numbers, dates and steps of ordinal scales are in units of their initial standard deviation,
    names are 1 apart where they differ. A missing value is 0 from another missing one, and 1 from
    every value. Whoever was left out of the masked file is not looked for.

    Parameters
    ----------
    initial, masked : Microdata
        As for :func:`disclosure_risk`.
    columns : list of str, optional
        What the intruder knows; the keys by default.
    on : str, optional
        Column that links the records of a file masked elsewhere.
    method : {"distance", "assignment", "probabilistic"}
        By the nearest masked record; by the assignment of all masked records, each to one initial
        record, of least total distance, of at most 5,000 records; or by the weights of agreement in
        at most 15 attributes, which the EM algorithm finds. Numbers then agree that lie between the
        same two deciles.
    knows_method : bool
        Whether the intruder knows how the file was masked: the window of ``rank_swap``, and the
        groups of ``microaggregate``. For files masked here.

    Returns
    -------
    Linkage

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(400, seed=1), keys=["age", "income"])
    >>> masked = ds.microaggregate(survey, k=5)
    >>> ds.linkage(survey, masked).expected_correct < 80
    True
    >>> ds.linkage(survey, masked, knows_method=True).group_share
    1.0

    References
    ----------
    - Domingo-Ferrer, Torra (2001), *A quantitative comparison of disclosure control methods for
      microdata*. In: Confidentiality, Disclosure, and Data Access.
    - Nin, Herranz, Torra (2008), *Rethinking rank swapping to decrease disclosure risk*. Data &
      Knowledge Engineering 64 (1).
    - Jaro (1989), *Advances in record-linkage methodology as applied to matching the 1985 census of
      Tampa, Florida*. Journal of the American Statistical Association 84 (406).
    """
    given = {"knows_method": knows_method, "method": method}
    raise_all(problems_of(parameters_of(linkage), given))
    linked = link(initial, masked, on, classed=False, keyed=not columns)
    require_records(masked)
    chosen = chosen_columns(linked, columns)
    weights: tuple[Mapping[str, Any], ...] = ()
    told: tuple[str, ...] = ()
    total = None
    if knows_method and method != "distance":
        fail("P16", "knows_method= is for linkage by distance.", "Leave one of the two out.")
    if method == "probabilistic":
        near, weights = _agreeing(linked, chosen)
    elif method == "assignment":
        near, total = _assigned(linked, chosen)
    else:
        near, told = _near(linked, chosen, knows_method)
    sizes, records = np.unique(near[near > 0], return_counts=True)
    return Linkage(
        n=len(near),
        columns=chosen,
        sizes=dict(zip(sizes.tolist(), records.tolist(), strict=True)),
        method=method,
        weights=weights,
        total_distance=total,
        knows_method=bool(knows_method),
        told=told,
        provenance=Provenance.of(initial),
        kind=masked.source.kind,
    )


def _near(linked: Linked, columns: Sequence[str], knows: bool) -> tuple[Ints, tuple[str, ...]]:
    """Per record how many masked ones are as near as its own, and what the method rules out."""
    from discreet.kernels.linkage import equally_near

    if knows:
        need_known_method(linked)
    found = coordinates(linked, columns)
    within, told = known_intervals(linked, found) if knows else (None, ())
    names = len(found.columns) - found.numbers
    return equally_near(found.initial, found.masked, names, within), told


def _assigned(linked: Linked, columns: Sequence[str]) -> tuple[Ints, float]:
    """Per record how many masked ones are equal to its own, if it was assigned one of them."""
    from discreet.kernels.best_assignment import MOST_RECORDS, best_assignment, equally_assigned

    if linked.masked.n > MOST_RECORDS:
        what = f"{linked.masked.n:,} records are too many to be assigned all together."
        fail("P17", what, f"Draw a sample of at most {MOST_RECORDS:,}, or link them one by one.")
    found = coordinates(linked, columns)
    names = len(found.columns) - found.numbers
    to, total = best_assignment(found.initial, found.masked, names)
    return equally_assigned(found.masked, to), total


def _agreeing(linked: Linked, columns: Sequence[str]) -> tuple[Ints, tuple[Mapping[str, Any], ...]]:
    """Per record how many masked ones weigh as much as its own, and the weights."""
    from discreet.kernels.agreement import MOST_COLUMNS, agreement

    if len(columns) > MOST_COLUMNS:
        what = f"{len(columns)} columns have too many patterns of agreement."
        fail("P17", what, f"Name at most {MOST_COLUMNS} columns.")
    found = coordinates(linked, columns)
    pairs = [
        _classed(found.initial[:, a], found.masked[:, a], number=a < found.numbers)
        for a in range(len(found.columns))
    ]
    x, y = (np.column_stack([pair[side] for pair in pairs]) for side in (0, 1))
    m, u, near = agreement(x, y)
    rows = tuple(
        {"attribute": name, "m": p, "u": q, "weight": math.log2(p / q)}
        for name, p, q in zip(found.columns, m.tolist(), u.tolist(), strict=True)
    )
    return near, rows


def _classed(x: Floats, y: Floats, *, number: bool) -> tuple[Ints, Ints]:
    """What is compared for equality: codes, and of numbers with many values the deciles."""
    known = x[~np.isnan(x)]
    values = np.unique(np.concatenate([known, y[~np.isnan(y)]]))
    cuts = values
    if number and len(np.unique(known)) > len(_DECILES) + 1:
        cuts = np.unique(np.quantile(known, _DECILES))
    first, second = (
        np.where(np.isnan(side), len(cuts) + 1, np.searchsorted(cuts, side, side="right"))
        for side in (x, y)
    )
    return first, second
