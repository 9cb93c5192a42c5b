"""Disclosure risk of two linked files, and what is to be expected of a sample, from the
definitions: every released record is looked up in both files; all samples are drawn.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import discreet as ds
from tests.twins.classes import keys_of
from tests.twins.lattices import Brute, Task
from tests.twins.tables import ARROW, Table, columns, tables
from tests.twins.twin import same, twin


@dataclass(frozen=True)
class Release:
    """An initial table, and a masked one made elsewhere: some records, in any order."""

    table: Table
    masked: dict[str, list[Any]]
    order: tuple[int, ...]  # the initial record of each masked one

    @functools.cached_property
    def files(self) -> tuple[ds.Microdata, ds.Microdata]:
        """Both files, linked by the column "rec"."""
        table = self.table
        first = table.arrow().append_column("rec", [list(range(table.n))])
        arrays = {n: pa.array(c, ARROW[table.kinds[n]]) for n, c in self.masked.items()}
        second = pa.table({**arrays, "rec": list(self.order)})
        options = {"keys": list(table.keys), "types": {**table.types, "rec": "nominal"}}
        return ds.read(first, **options), ds.read(second, **options)

    @property
    def pairs(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Initial and masked values of every released record."""
        rows = self.table.rows
        return [
            (rows[i], {name: column[at] for name, column in self.masked.items()})
            for at, i in enumerate(self.order)
        ]


@st.composite
def releases(draw, **options) -> Release:
    table = draw(tables(**options))
    order = draw(st.permutations(range(table.n)))[: draw(st.integers(1, table.n))]
    masked = {}
    for name in table.keys:
        own = [table.columns[name][i] for i in order]
        blanks = options.get("blanks", True)
        other = draw(columns(table.kinds[name], len(own), blanks, options.get("extreme", True)))
        change = draw(st.sampled_from(["none", "some", "all", "merged"]))
        if change == "merged":  # equal values stay equal
            to = dict(zip(own, other, strict=True))
            masked[name] = [to[v] for v in own]
        elif change == "some":
            flips = draw(st.lists(st.booleans(), min_size=len(own), max_size=len(own)))
            masked[name] = [b if f else a for a, b, f in zip(own, other, flips, strict=True)]
        else:
            masked[name] = own if change == "none" else other
    return Release(table, masked, tuple(order))


def classification(pairs: list[tuple[Any, Any]], initial: Counter) -> Counter:
    """c_ij: released records in masked classes of size i that were in initial ones of size j."""
    released = Counter(masked for _, masked in pairs)
    return Counter((released[masked], initial[own]) for own, masked in pairs)


WEIGHTS: dict[str, tuple[Any, Any]] = {
    "minimal": (ds.Weights.minimal, lambda i, j: Fraction(i == j == 1)),
    "maximal": (ds.Weights.maximal, lambda i, j: Fraction(1)),
    "threshold": (lambda: ds.Weights.threshold(2), lambda i, j: Fraction(max(i, j) <= 2)),
    "decay": (lambda: ds.Weights.decay(0.5), lambda i, j: Fraction(1, 2 ** (max(i, j) - 1))),
    "matrix": (
        lambda: ds.Weights.from_matrix([[4 - max(i, j) for j in range(1, 4)] for i in range(1, 4)]),
        lambda i, j: Fraction(max(4 - max(i, j), 0), 3),
    ),
    "function": (
        lambda: ds.Weights.from_function(lambda i, j: 1 / max(i, j)),
        lambda i, j: Fraction(1, max(i, j)),
    ),
}


def same_risk(found: Any, c: Counter, n: int, t: int) -> None:
    entries = [(i, j, c[i, j]) for i, j in sorted(c)]
    same("classification", list(found.classification.entries()), entries)
    same("n", found.n, n)
    same("t", found.t, t)
    same("minimal", found.minimal, Fraction(c[1, 1], n))
    for name, (weights, w) in WEIGHTS.items():
        value = sum((w(i, j) * m / max(i, j) for (i, j), m in c.items()), Fraction(0)) / n
        same(f"DR with {name} weights", found.weighted(weights()), value)
        if name == "maximal":
            same("maximal", found.maximal, value)


@twin("disclosure risk", releases(confidential=0), 2)
def compare_disclosure_risk(release: Release) -> None:
    """Of a file masked elsewhere."""
    table = release.table
    found = ds.disclosure_risk(*release.files, on="rec")
    values = [tuple(row[k] for k in table.keys) for pair in release.pairs for row in pair]
    pairs = list(zip(values[::2], values[1::2], strict=True))
    same_risk(found, classification(pairs, Counter(keys_of(table))), table.n, len(pairs))
    same("compatible", found.maximal_compatible, None)


@st.composite
def maskings(draw):
    table = draw(tables(most=9, keys=2, confidential=0, laddered=True, extreme=False))
    levels = {}
    for key in table.keys:
        height = len(table.ladders[key].climb(table.columns[key]))
        levels[key] = draw(st.integers(0, height))
    steps = draw(st.sampled_from(["generalize", "sample", "generalize, sample",
                                  "sample, generalize"]))  # fmt: skip
    return table, levels, steps, draw(st.integers(1, table.n)), draw(st.integers(1, 3))


@twin("disclosure risk of a chain", maskings(), 2)
def compare_chain(case: Any) -> None:
    """Of maskings done here, with the records that really are compatible."""
    table, levels, steps, size, k = case
    numbered = table.arrow().append_column("rec", [list(range(table.n))])
    first = ds.read(numbered, keys=list(table.keys), types={**table.types, "rec": "nominal"})
    now: Any = first
    mapped = keys_of(table)  # what each record is masked to, released or not
    for step in steps.split(", "):
        if step == "sample":
            now = ds.sample(now, n=min(size, now.n), seed=7)
        else:
            fits = now.to("arrow").to_pydict()
            try:
                found = ds.generalize(now, table.hierarchies, ds.KAnonymity(k), max_suppressed=1.0)
            except ds.DiscreetError:
                return
            chosen = {
                key: min(levels[key], found.recoding(key).height) for key in table.keys
            }  # a builder on a sample may have fewer levels
            now = found.lattice.node(chosen).mask()
            mapped = _mapped(table, fits, chosen)
            if not now.n:
                return
    found = ds.disclosure_risk(first, now)
    released = now.to("arrow")["rec"].to_pylist()
    own = keys_of(table)
    if any(mapped[i] is None for i in released):
        raise AssertionError("a released record is not masked")
    pairs = [(own[i], mapped[i]) for i in released]
    same_risk(found, classification(pairs, Counter(own)), table.n, len(released))
    total = Fraction(0)
    for i in released:
        origins = {own[j] for j in range(table.n) if mapped[j] == mapped[i]}
        total += Fraction(1, sum(key in origins for key in own))
    same("compatible", found.maximal_compatible, total / table.n)
    if steps == "generalize":
        _same_losses(table, tuple(chosen.values()), k, ds.information_loss(first, now))


def _same_losses(table: Table, levels: tuple[int, ...], k: int, found: Any) -> None:
    """The measures of a generalization, as :class:`Brute` counts them."""
    brute = Brute(Task(table, [ds.KAnonymity(k)], None, 1.0, "failing", "iyengar"))
    kept = brute.outcomes[levels].choices[0]
    for measure, name in (
        ("loss", "iyengar"), ("precision_loss", "precision"), ("entropy", "entropy"),
        ("discernibility", "discernibility"), ("average_class_size", "average-class-size"),
    ):  # fmt: skip
        expected: float | None = float(brute.loss(levels, kept, name))
        if name == "entropy" and all(len(set(table.columns[key])) == 1 for key in table.keys):
            # the keys tell nothing: there is nothing to lose, by a masking or by none
            expected = None if any(levels) or found.missing_records else 0.0
        same(f"{measure} of the masked file", getattr(found, measure), expected)


def _mapped(table: Table, data: dict[str, list[Any]], levels: dict[str, int]) -> list[Any]:
    """What the recoding makes of the keys of each record, of those left out before, too; None where
    it does not know a value.
    """
    groups = []
    for key in table.keys:
        found, _ = table.ladders[key].recode(data[key])[levels[key]]
        groups.append(dict(zip(data[key], found, strict=True)))
    return [
        tuple((levels[k], g[v]) for k, g, v in zip(table.keys, groups, own, strict=True))
        if all(v in g for g, v in zip(groups, own, strict=True)) else None
        for own in keys_of(table)
    ]  # fmt: skip


@st.composite
def expected(draw):
    table = draw(tables(most=8, confidential=0))
    shares = st.sampled_from([0.0, 0.1, 0.25, 0.29, 0.5, 0.75, 1.0])
    limits = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.3, 0.5, 1.0])
    return [(table, draw(shares), draw(limits), draw(st.sampled_from([0, 1, 2]))) for _ in range(3)]


@twin("sampling risk", expected(), 1)
def compare_sampling_risk(case: Any) -> None:
    """All samples of a size, one by one."""
    table, share, limit, sds = case
    n, own = table.n, keys_of(table)
    sizes = Counter(own)
    each = {"maximal": [Fraction(1, sizes[k]) for k in own],
            "minimal": [Fraction(sizes[k] == 1) for k in own]}  # fmt: skip
    risk = ds.sampling_risk(table.data)
    found = risk.at(share)
    t = math.floor(Fraction(str(share)) * n + Fraction(1, 2))  # nearest, halves up
    same("records", found.t, t)
    for name, terms in each.items():
        mean, variance = _moments(terms, t, n)
        same(f"mean of DR {name}", getattr(found, name), mean)
        same(f"sd of DR {name}", getattr(found, f"{name}_sd"), math.sqrt(variance), 1e-7)
        reached = 0
        for number in range(n + 1):
            mean, variance = _moments(terms, number, n)
            if float(mean) + sds * math.sqrt(variance) <= limit + 1e-12:
                reached = number
        same("largest share", risk.fraction_for(limit, name, sds), Fraction(reached, n))


def _moments(terms: list[Fraction], t: int, n: int) -> tuple[Fraction, Fraction]:
    values = [sum(chosen, Fraction(0)) / n for chosen in itertools.combinations(terms, t)]
    mean = sum(values, Fraction(0)) / len(values)
    return mean, sum(((v - mean) ** 2 for v in values), Fraction(0)) / len(values)


@st.composite
def strata(draw):
    sizes = draw(st.lists(st.integers(1, 60), min_size=1, max_size=5))
    values = [str(i) for i, size in enumerate(sizes) for _ in range(size)]
    table = Table({"s": values}, {"s": "nominal"}, ("s",))
    numbers = st.one_of(
        st.integers(1, sum(sizes)).map(lambda n: (n, None)),
        st.integers(1, 100).map(lambda share: (None, share / 100)),
    )
    return [(sizes, table, *draw(numbers)) for _ in range(4)]


@twin("allocation of a sample", strata(), 1)
def compare_allocation(case: Any) -> None:
    """By largest remainders, equal ones in the order of the strata; a share is rounded, halves up."""
    sizes, table, number, fraction = case
    data, total = table.data, sum(sizes)
    if number is None:
        share = Fraction(str(fraction))
        expected_sizes = [math.floor(share * size + Fraction(1, 2)) for size in sizes]
        whole = math.floor(share * total + Fraction(1, 2))
        if whole:
            same("sample without strata", ds.sample(data, fraction=fraction, seed=1).n, whole)
    else:
        exact = [Fraction(size * number, total) for size in sizes]
        expected_sizes = [math.floor(e) for e in exact]
        rest = sorted(range(len(sizes)), key=lambda i: (expected_sizes[i] - exact[i], i))
        for i in rest[: number - sum(expected_sizes)]:
            expected_sizes[i] += 1
    options = {"n": number} if fraction is None else {"fraction": fraction}
    if min(expected_sizes) == 0:
        try:
            ds.sample(data, seed=1, by=["s"], **options)
        except ds.DiscreetError:
            return
        raise AssertionError("a stratum without a record is accepted")
    drawn = Counter(ds.sample(data, seed=1, by=["s"], **options).to("arrow")["s"].to_pylist())
    same("allocation", [drawn[str(i)] for i in range(len(sizes))], expected_sizes)
