"""Record linkage: how many people of the initial file are found again in the masked one.

An intruder has the values of some attributes, from a register or by acquaintance, and takes the
nearest masked record for the person's. Numbers, dates and steps of ordinal scales are in units of
the standard deviation that the initial values have; one that does not vary stays as it is. Names
are codes: equal, or 1 apart. A missing value is one of its own: 0 from another missing one and 1
from every other value. Of records that are equally near, as the k of a group of microaggregation
are, one is taken at random: each person counts the share of the right one.

For names there is another way: pairs of records weigh what their agreement in each attribute tells
(Fellegi and Sunter), and the heaviest is taken.

Masking methods are published, and so are their parameters. Whoever knows that values were swapped
within a window of ranks looks only within that window, in every attribute at once [1]_. Groups of
microaggregation are taken as known, which is the most that the method can give away: of numbers
that were grouped one by one, their ranks tell the groups.

References
----------
.. [1] Nin, Herranz, Torra, "Rethinking rank swapping to decrease disclosure risk", Data & Knowledge
   Engineering 64 (1), 2008.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_doc import Doc

from discreet.data import attributes
from discreet.data.link import (
    NUMERIC,
    Linked,
    as_numbers,
    link,
    need_finite,
    shared_codes,
    stored_alike,
)
from discreet.data.masked import Masked, Step, require_records
from discreet.data.microdata import Microdata
from discreet.errors import Problem, fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.kernels.summation import spreads
from discreet.measures import FigureKind, measure, need_fit
from discreet.parameters import Columns, Label, Public, as_written
from discreet.results import Provenance, Result
from discreet.surface import argument
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Floats, Ints
    from discreet.kernels.linkage import Windows

    Limits = tuple[Floats, Floats]


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
        in it (``m``), and that another one does (``u``), and what agreement weighs, in bits; 0
        where right pairs agree no more often than others.
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
    shown = (
        "n", "columns", "expected_correct", "correct_share", "group_share", "method",
        "total_distance", "weights", "sizes", "knows_method", "told",
    )  # fmt: skip

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
            by, those = (
                "assignment of all records with the smallest total distance",
                "equal ones assigned",
            )
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
        lines += [*self.provenance.by_record(), *self.provenance.unweighted()]
        if self.correct_share > _HIGH:
            lines.append(
                "Next: mask these attributes more strongly, or more of them together, and compare."
            )
        return "\n".join(lines)


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
        Doc("How to link: by distance, one by one or all together, or by weights of agreement."),
        Public,
    ] = "distance",
    knows_method: Annotated[
        bool,
        Label("The intruder knows the method"),
        Doc("The intruder also uses the windows of rank_swap and the groups of microaggregate."),
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
    need_fit(linkage, knows_method=knows_method, method=method)
    linked = link(initial, masked, on, classed=False, keyed=not columns)
    require_records(masked)
    chosen = chosen_columns(linked, columns)
    weights: tuple[Mapping[str, Any], ...] = ()
    told: tuple[str, ...] = ()
    total = None
    if knows_method and method != "distance":
        fail(
            "P16",
            f"{argument('knows_method')} is for linkage by distance.",
            "Leave one of the two out.",
        )
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
    return equally_near(found.initial, found.masked, found.names, within), told


def _assigned(linked: Linked, columns: Sequence[str]) -> tuple[Ints, float]:
    """Per record how many masked ones are equal to its own, if it was assigned one of them."""
    from discreet.kernels.linkage import MOST_RECORDS, best_assignment, equally_assigned

    if linked.masked.n > MOST_RECORDS:
        what = f"{linked.masked.n:,} records are too many to be assigned all together."
        fail("P17", what, f"Draw a sample of at most {MOST_RECORDS:,}, or link them one by one.")
    found = coordinates(linked, columns)
    to, total = best_assignment(found.initial, found.masked, found.names)
    return equally_assigned(found.masked, to), total


def _agreeing(linked: Linked, columns: Sequence[str]) -> tuple[Ints, tuple[Mapping[str, Any], ...]]:
    """Per record how many masked ones weigh as much as its own, and the weights."""
    from discreet.kernels.linkage import MOST_COLUMNS, agreement

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
        {"attribute": name, "m": p, "u": q, "weight": max(math.log2(p / q), 0.0)}
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


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The released records of two files, row by row.

    Attributes
    ----------
    columns : tuple of str
        The attributes, numbers first.
    numbers : int
        How many of them are numbers; the others hold codes.
    initial, masked : arrays of shape (n, d)
    """

    columns: tuple[str, ...]
    numbers: int
    initial: Floats
    masked: Floats

    @property
    def names(self) -> int:
        """How many of the columns are no numbers, which stand last."""
        return len(self.columns) - self.numbers


def coordinates(linked: Linked, columns: Sequence[str]) -> Coordinates:
    """The named attributes of all released records as points, or all that is in the way."""
    unknown = unknown_columns((linked.initial, linked.masked), columns)
    raise_all(unknown or _not_comparable(linked, columns))
    types = linked.initial.types
    numbers = [name for name in columns if types[name].measure != "nominal"]
    names = [name for name in columns if name not in numbers]
    kinds = linked.initial.source.kinds
    need_finite(linked, [name for name in numbers if kinds[name] in NUMERIC])
    x, y = linked.values([*numbers, *names])
    sides = [_steps(linked, name, x[name], y[name]) for name in numbers]
    sides += [_codes(x[name], y[name]) for name in names]
    return Coordinates(
        (*numbers, *names),
        len(numbers),
        np.column_stack([first for first, _ in sides]),
        np.column_stack([second for _, second in sides]),
    )


def chosen_columns(linked: Linked, columns: Sequence[str] | str | None) -> tuple[str, ...]:
    """The columns that were named, or the keys: what an intruder may know."""
    return tuple(dict.fromkeys(attributes.names(columns))) or linked.initial.keys


def unknown_columns(
    files: Sequence[Microdata], columns: Sequence[str], word: str = "the column"
) -> list[Problem]:
    """The problems of columns that one of the files does not have."""
    return [
        attributes.unknown_column(word, name, data.columns, data.name, data.has_names)
        for data in files
        for name in dict.fromkeys(columns)
        if name not in data.columns
    ]


def _not_comparable(linked: Linked, columns: Sequence[str]) -> list[Problem]:
    """Columns whose values cannot be held against each other."""
    steps = linked.masked.steps if isinstance(linked.masked, Masked) else ()
    recoded = {key for step in steps for key in step.labelled}
    remedy = "Leave it out: distances are between values of one kind."
    problems = [
        Problem("N07", f"{name!r} was recoded to labels, which have no distance.", remedy)
        for name in columns
        if name in recoded
    ]
    kinds = linked.initial.source.kinds
    return problems + [
        Problem("N07", f"{name!r} is not stored alike in both files.", remedy)
        for name in columns
        if name not in recoded and (not stored_alike(linked, name) or kinds[name] == "other")
    ]


def _steps(
    linked: Linked, name: str, x: pa.ChunkedArray, y: pa.ChunkedArray
) -> tuple[Floats, Floats]:
    """Numbers, times, or steps on a scale, in units of the initial standard deviation."""
    scale = linked.initial.types.scale(name)
    if scale:
        first, second, cards = shared_codes(x, y, scale)
        values = [np.where(code == cards - 1, np.nan, code) for code in (first, second)]
    else:
        values = [as_numbers(column) for column in (x, y)]
    unit = unit_of(values[0][~np.isnan(values[0])])
    return values[0] / unit, values[1] / unit


def unit_of(numbers: Floats) -> float:
    """The standard deviation, or 1 where numbers do not vary."""
    spread = float(spreads(numbers[:, None])[0]) if len(numbers) else 0.0
    return spread if spread > 0 else 1.0


def _codes(x: pa.ChunkedArray, y: pa.ChunkedArray) -> tuple[Floats, Floats]:
    first, second, _ = shared_codes(x, y, None)
    return first.astype(np.float64), second.astype(np.float64)


def known_intervals(linked: Linked, found: Coordinates) -> tuple[Windows, tuple[str, ...]]:
    """Per record and attribute between which masked values the own one must lie, and the attributes
    of which the method tells something."""
    from discreet.kernels.linkage import Windows

    shape = found.initial.shape
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    told = []
    for a, name in enumerate(found.columns):
        step = _step(linked, name)
        if step is not None:
            low[:, a], high[:, a] = _KNOWN[step.method](
                found.initial[:, a], found.masked[:, a], step.parameters
            )
            told.append(name)
    return Windows(low, high), tuple(told)


def need_known_method(linked: Linked) -> None:
    """Refuse a file masked elsewhere, whose method is not known."""
    if not linked.made_here:
        fail(
            "N07",
            f"how {linked.masked.name} was masked is not known here.",
            f"Leave {argument('knows_method')} out, or mask it here.",
        )


def _step(linked: Linked, name: str) -> Step | None:
    """The one step that changed a column, where its method tells an intruder something."""
    assert isinstance(linked.masked, Masked)
    steps = [step for step in linked.masked.steps if name in step.changed]
    one = steps[0] if len(steps) == 1 else None
    return one if one is not None and one.method in _KNOWN and _of_all(linked, one) else None


def _of_all(linked: Linked, step: Step) -> bool:
    """Whether ranks were those of the whole file, all of which is released."""
    whole = linked.masked.n == linked.initial.n == step.before
    return step.method != "rank_swap" or (whole and not step.parameters.get("by"))


def _own_group(_initial: Floats, masked: Floats, _given: Any) -> Limits:
    """The records of the own group: they all have the own masked value."""
    known = ~np.isnan(masked)
    return np.where(known, masked, -np.inf), np.where(known, masked, np.inf)


def _own_window(initial: Floats, masked: Floats, given: Any) -> Limits:
    """The values within the window of ranks: a swap leaves them all in the column."""
    known = ~np.isnan(initial)
    ordered = np.sort(masked[~np.isnan(masked)])
    n = len(ordered)
    reach = int(as_written(given["window"]) * n)
    first = np.searchsorted(ordered, initial[known], side="left")
    last = np.searchsorted(ordered, initial[known], side="right") - 1
    low, high = np.full(len(initial), -np.inf), np.full(len(initial), np.inf)
    low[known] = ordered[np.maximum(np.minimum(first, n - 1) - reach, 0)]
    high[known] = ordered[np.minimum(np.maximum(last, 0) + reach, n - 1)]
    return low, high


_KNOWN: dict[str, Callable[[Floats, Floats, Any], Limits]] = {
    "microaggregate": _own_group,
    "rank_swap": _own_window,
}
