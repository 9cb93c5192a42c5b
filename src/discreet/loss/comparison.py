"""What the measures of loss see of two files: sums and counts, here or where the records are.

Values that are in this process are compared record by record; those of another engine, or of very
many records, are added up by the engine, and nothing but sums and counts leaves it.

The Hellinger distance is √(½ Σ (√p − √q)²) = √(1 − Σ √(p·q)) over the values of an attribute, or
the pairs of values of two: 0 where both files have the same shares, 1 where they have no value in
common. Numbers are put into bins between the original quantiles 5 %, 10 %, … 95 %; a number that is
more than one of these is a bin of its own. A missing value is a value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.link import (
    Linked,
    as_numbers,
    complete_numbers,
    distinct_texts,
    need_finite,
    on_scale,
    shared_codes,
    stored_alike,
)
from discreet.data.microdata import Microdata
from discreet.errors import InfiniteValues
from discreet.hierarchies.texts import texts_of
from discreet.loss.categorical import (
    attribute_dist,
    attribute_ebil,
    bits,
    changed_and_alone,
    is_blind,
    pairs_by_attribute,
    table_variation,
    tables_of,
)
from discreet.loss.continuous import QUANTILES, Summary, around

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Floats, Ints
MOST_PAIRED = 30  # attributes: of more, pairs are not compared
_ROUNDING = 1e-9  # of a quantile: engines round it differently


@dataclass(frozen=True)
class Asked:
    """Attributes that are compared, by how.

    Attributes
    ----------
    continuous, categorical : tuple of str
        Compared as numbers and as names.
    labels : tuple of str
        Those whose masked values are no values of the attribute, but stand for some.
    bits : tuple of str
        Whose bits are counted.
    dimension : int
        Of the contingency tables.
    """

    continuous: tuple[str, ...]
    categorical: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    bits: tuple[str, ...] = ()
    dimension: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """All attributes that are looked at value by value."""
        return (*self.continuous, *self.categorical, *self.labels)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Initial and masked values of some attributes, compared.

    Attributes
    ----------
    n : int
        Released records that are linked to an initial one.
    left_out : int
        Those that miss a continuous value.
    touched : tuple of str
        The attributes that differ in some record.
    gaps : tuple of str
        Those with a value that is missing in one file only.
    foreign : tuple of str
        The categorical attributes with masked values that the initial file does not have.
    continuous : Summary or None
    dist, ebil : mappings
        Per attribute; EBIL of the labels too.
    tables : tuple
        Per contingency table its attributes, the variation, its cells and the records in new cells.
    bits : mapping
        Per attribute its bits in all initial records, in the released ones, and those left open.
    hellinger : mapping
        Per attribute, and per pair of them, the distance of the two distributions.
    blind : tuple of str
        The numbers of which bits do not see the change.
    """

    n: int
    left_out: int
    touched: tuple[str, ...]
    gaps: tuple[str, ...]
    foreign: tuple[str, ...]
    continuous: Summary | None
    dist: Mapping[str, float]
    ebil: Mapping[str, float]
    tables: Mapping[tuple[str, ...], tuple[float, int, int]]
    bits: Mapping[str, tuple[float, float, float]]
    hellinger: Mapping[tuple[str, ...], float]
    blind: tuple[str, ...]


def compare(linked: Linked, asked: Asked) -> Comparison:
    """Compare the values of the released records; infinite ones cannot be."""
    try:
        return _here(linked, asked) if linked.near else _there(linked, asked)
    except InfiniteValues:
        need_finite(linked, asked.continuous)
        raise


def summary_of(linked: Linked, names: Sequence[str]) -> Summary | None:
    """The sums of continuous attributes; None when no record has all of them."""
    return compare(linked, Asked(tuple(names))).continuous


def differing(linked: Linked, names: Sequence[str]) -> list[str]:
    """The attributes that differ in some released record, or are stored differently."""
    alike = [name for name in names if stored_alike(linked, name)]
    if not alike:
        return list(names)
    if linked.near:
        x, y = linked.values(alike)
        equal = {name for name in alike if _equal(x[name], y[name])}
    else:
        found = linked.compared(alike).totals(len(alike), 0).differing
        equal = {name for name, number in zip(alike, found, strict=True) if not number}
    return [name for name in names if name not in equal]


def _here(linked: Linked, asked: Asked) -> Comparison:
    x, y = linked.values(asked.names)
    left_out, xs, ys = complete_numbers(x, y, asked.continuous)
    types = linked.initial.types
    coded = (*asked.categorical, *asked.labels)
    codes = {
        n: shared_codes(x[n], y[n], None if n in asked.labels else types.scale(n)) for n in coded
    }
    alike = {n for n in asked.names if stored_alike(linked, n)}
    first = [codes[n][0] for n in asked.categorical]
    second = [codes[n][1] for n in asked.categorical]
    cards = [codes[n][2] for n in asked.categorical]
    summary = Summary.of(xs, ys) if asked.continuous and len(xs) else None
    touched = tuple(n for n in asked.names if n not in alike or not _equal(x[n], y[n]))
    pairs = pairs_by_attribute(linked, asked.bits, x, y)
    return Comparison(
        x.num_rows,
        left_out,
        touched,
        tuple(n for n in asked.names if not x[n].is_null().equals(y[n].is_null())),
        tuple(n for n in asked.categorical if _is_foreign(linked.initial, n, x[n], y[n])),
        summary,
        {
            n: attribute_dist(codes[n][0], codes[n][1], types[n].measure == "ordinal")
            for n in asked.categorical
        },
        {n: attribute_ebil(*codes[n]) for n in coded},
        {
            tuple(asked.categorical[a] for a in chosen): table_variation(
                first, second, cards, chosen
            )
            for chosen in tables_of(len(asked.categorical), asked.dimension)
        },
        {name: bits(linked.initial.frequency_set([name]), pairs[name]) for name in asked.bits},
        _hellinger(asked, summary, touched, x, y, codes),
        tuple(n for n in _counted(asked) if is_blind(*changed_and_alone(pairs[n]))),
    )


def _counted(asked: Asked) -> list[str]:
    """The numbers whose bits are counted."""
    return [name for name in asked.continuous if name in asked.bits]


def _hellinger(
    asked: Asked,
    summary: Summary | None,
    touched: Sequence[str],
    x: pa.Table,
    y: pa.Table,
    codes: Mapping[str, tuple[Ints, Ints, int]],
) -> dict[tuple[str, ...], float]:
    """Distances of the distributions, where values are compared as numbers or names."""
    sets = _compared_sets(asked, summary, touched)
    binned = {
        name: (bins.codes(as_numbers(x[name])), bins.codes(as_numbers(y[name])))
        for name, bins in _bins(asked, summary).items()
        if sets
    }
    named = {name: codes[name][:2] for name in asked.categorical}
    return distances({**binned, **named}, sets)


def _bins(asked: Asked, summary: Summary | None) -> dict[str, Bins]:
    """Of each number the bins between its original quantiles."""
    if summary is None:
        return {}
    return {n: Bins.between(summary.quantiles_x[:, a]) for a, n in enumerate(asked.continuous)}


def _compared_sets(
    asked: Asked, summary: Summary | None, touched: Sequence[str]
) -> list[tuple[str, ...]]:
    """The attributes and pairs of which distributions are compared."""
    names = [*(asked.continuous if summary is not None else ()), *asked.categorical]
    return [one for one in pairs_of(names, touched) if len(one) <= asked.dimension]


def _is_foreign(initial: Microdata, name: str, x: pa.ChunkedArray, y: pa.ChunkedArray) -> bool:
    """Whether a masked value is neither a value of the initial file nor a step of the scale."""
    scale = initial.types.scale(name)
    if scale:
        y = y.filter(on_scale(y, scale) == len(scale))
    others = {*distinct_texts(y)[0]} - {*distinct_texts(x)[0]}
    if not others:
        return False
    return bool(others - {*texts_of(initial.frequency_set([name]).values[0].drop_null())})


def _equal(x: pa.ChunkedArray, y: pa.ChunkedArray) -> bool:
    """Whether two columns hold the same values, however they are stored."""
    import pyarrow as pa

    x, y = (c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in (x, y))
    if x.type != y.type and pa.types.is_floating(y.type):
        x = x.cast(y.type, safe=False)
    elif x.type != y.type:
        y = y.cast(x.type, safe=False)
    return bool(x.equals(y))


def _there(linked: Linked, asked: Asked) -> Comparison:
    """In four queries: counts and extremes, sums, sums around the means, and a row for each
    further figure."""
    # what is stored alike comes first: the values of the rest are not held against each other
    alike = [n for n in asked.names if stored_alike(linked, n)]
    names = [*alike, *(n for n in asked.names if n not in alike)]
    every = [*names, *(n for n in asked.bits if n not in names)]
    found, at = linked.compared(every), {name: i for i, name in enumerate(every)}
    totals = found.totals(len(names), len(asked.continuous), len(alike))
    summary = None
    if asked.continuous and totals.m:
        sums = found.moments(totals, QUANTILES, *around(totals.m))
        summary = Summary(**sums._asdict())
    types, initial, n = linked.initial.types, linked.initial.source, linked.initial.n
    scales = {name: scale for name in asked.categorical if (scale := types.scale(name))}
    tables = [
        tuple(asked.categorical[a] for a in chosen)
        for chosen in tables_of(len(asked.categorical), asked.dimension)
    ]
    entropies = dict.fromkeys((*asked.categorical, *asked.labels, *asked.bits))
    rows: dict[Any, Any] = {
        ("apart", name): found.apart(at[name], scale) for name, scale in scales.items()
    }
    numbers = set(asked.continuous)
    rows |= {
        ("entropy", name): found.entropy(at[name], n, number=name in numbers) for name in entropies
    }
    rows |= {("table", t): found.variation([at[name] for name in t], n) for t in tables}
    rows |= {("bits", name): found.information(at[name], initial, name, n) for name in asked.bits}
    rows |= {
        ("foreign", name): found.foreign(at[name], initial, name, scales.get(name, ()))
        for name in asked.categorical
    }
    told = found.answers(rows, n)
    differs = dict(zip(alike, totals.differing, strict=True))
    touched = tuple(n for n in asked.names if differs.get(n, 1))
    return Comparison(
        totals.n,
        totals.n - totals.m,
        touched,
        tuple(n for n in asked.names if totals.gaps[at[n]]),
        tuple(n for n in asked.categorical if told["foreign", n][0]),
        summary,
        {n: told["apart", n][0] if n in scales else float(differs[n]) for n in asked.categorical},
        {n: told["entropy", n][0] for n in (*asked.categorical, *asked.labels)},
        {
            t: (told["table", t][0], int(told["table", t][1]), int(told["table", t][2]))
            for t in tables
        },
        {n: (*told["bits", n][:2], told["entropy", n][0]) for n in asked.bits},
        _hellinger_there(found, at, asked, summary, touched, totals.n),
        tuple(n for n in _counted(asked) if is_blind(*told["entropy", n][1:])),
    )


def _hellinger_there(
    found: Any,  # what Link.compared gives
    at: Mapping[str, int],
    asked: Asked,
    summary: Summary | None,
    touched: Sequence[str],
    n: int,
) -> dict[tuple[str, ...], float]:
    """The same distances, from tables that the engine counts."""
    bins = {at[name]: (one.upto, one.since) for name, one in _bins(asked, summary).items()}
    sets = _compared_sets(asked, summary, touched)
    if not sets:
        return {}
    binned = found.binned(bins)
    told = binned.answers({s: binned.hellinger([at[name] for name in s], n) for s in sets}, n)
    return {s: distance_of(told[s][0], n) for s in sets}


@dataclass(frozen=True, eq=False)
class Bins:
    """Where bins of numbers end: each of ``upto`` belongs to the bin below it, each of ``since`` to
    the one above.

    Examples
    --------
    >>> bins = Bins.between(np.array([0.0, 0.0, 3.0, 7.0]))
    >>> bins.codes(np.array([-1.0, 0.0, 2.0, 3.0, 9.0, np.nan])).tolist()
    [0, 1, 2, 2, 4, 5]
    """

    upto: tuple[float, ...]
    since: tuple[float, ...]

    @classmethod
    def between(cls, quantiles: Floats) -> Bins:
        """Bins between quantiles; one that occurs twice is a bin of its own."""
        upto: list[float] = []
        since: list[float] = []
        twice = False
        for value in np.sort(quantiles).tolist():
            near = _ROUNDING * abs(value)
            if not upto or value - near > upto[-1]:
                upto.append(value + near)
                twice = False
            elif not twice:
                since.append(value - near)
                twice = True
        return cls(tuple(upto), tuple(since))

    def codes(self, values: Floats) -> Ints:
        """The bin of each number, in order; the last is that of missing ones."""
        found = np.searchsorted(np.array(self.upto), values, side="left")
        found = found + np.searchsorted(np.array(self.since), values, side="right")
        return np.where(np.isnan(values), len(self.upto) + len(self.since) + 1, found)


def pairs_of(names: Sequence[str], changed: Sequence[str]) -> list[tuple[str, ...]]:
    """The attributes, and the pairs of which one was changed: the others are as they were."""
    pairs = itertools.combinations(names if len(names) <= MOST_PAIRED else (), 2)
    return [*((name,) for name in names), *(p for p in pairs if p[0] in changed or p[1] in changed)]


def distances(
    codes: Mapping[str, tuple[Ints, Ints]], asked: Sequence[tuple[str, ...]]
) -> dict[tuple[str, ...], float]:
    """The distance for each set of attributes, from the codes of original and masked values."""
    return {names: _distance([codes[name] for name in names]) for names in asked}


def _distance(codes: Sequence[tuple[Ints, Ints]]) -> float:
    n = len(codes[0][0])
    first, second = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for x, y in codes:
        cards = int(max(x.max(initial=0), y.max(initial=0))) + 1
        first, second = first * cards + x, second * cards + y
    cells, at = np.unique(np.concatenate([first, second]), return_inverse=True)
    f, g = (np.bincount(part, minlength=len(cells)) for part in (at[:n], at[n:]))
    return distance_of(math.fsum((np.sqrt(f) - np.sqrt(g)) ** 2), n)


def distance_of(squares: float, n: int) -> float:
    """The distance, from Σ (√f − √g)² over the cells of two tables of n records."""
    return math.sqrt(min(squares / (2 * n), 1.0)) if n else 0.0
