"""Searches of small random lattices against exhaustive enumeration, and the lemmas behind them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.masking.generalization.nodes import fewest_records
from discreet.masking.generalization.search import Conditions
from tests.twins.classes import fails_disclosure, fails_likeness

KEYS = ("a", "b")
HIERARCHIES = {
    "a": ds.Hierarchy.from_dict({str(v): [str(v // 2), str(v // 4), "*"] for v in range(6)}),
    "b": ds.Hierarchy.from_dict({str(v): [str(v // 3), "*"] for v in range(5)}),
}
records = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.sampled_from("xyz")), min_size=2, max_size=25
)
criteria = st.one_of(
    st.integers(1, 5).map(ds.KAnonymity),
    st.tuples(st.integers(1, 3), st.integers(3, 4)).map(lambda pk: ds.PSensitiveKAnonymity(*pk)),
    st.integers(1, 3).map(ds.LDiversity),
    st.integers(1, 3).map(lambda l: ds.LDiversity(l, "entropy")),
    st.integers(1, 3).map(lambda l: ds.LDiversity(l, "recursive", c=2)),
    st.sampled_from([0.1, 0.3, 0.5]).map(ds.TCloseness),
    st.sampled_from([0.1, 0.3, 0.5]).map(lambda t: ds.TCloseness(t, "ordered")),
    st.tuples(st.sampled_from([0.2, 0.5, 1, 2]), st.sampled_from(["basic", "enhanced"])).map(
        lambda bk: ds.BetaLikeness(*bk)
    ),
    st.tuples(st.sampled_from([0.3, 1, 1.5, 3]), st.sampled_from(["fail", "ignore"])).map(
        lambda da: ds.DeltaDisclosure(*da)
    ),
    st.sampled_from([0.1, 0.3, 0.6]).map(ds.DisclosureRiskAtMost),
    st.sampled_from([(0.2,), (0.5,), (0.9, 0.4), (0.6, 0.3, 0.2), (1, 0.5, 0.4)]).map(
        lambda given: ds.AverageRisk(*given)
    ),
)
sizes = st.one_of(st.just(0), st.integers(0, 8))


def read(rows):
    columns = dict(zip(("a", "b", "s"), (list(c) for c in zip(*rows, strict=True)), strict=True))
    return ds.read(columns, keys=KEYS, confidential=["s"])


def generalized(rows, levels):
    up = ({0: lambda v: v, 1: lambda v: v // 2, 2: lambda v: v // 4, 3: lambda v: "*"},
          {0: lambda v: v, 1: lambda v: v // 3, 2: lambda v: "*"})  # fmt: skip
    return [(up[0][levels[0]](a), up[1][levels[1]](b), s) for a, b, s in rows]


def classes_of(rows, levels):
    found = {}
    for record, (a, b, s) in enumerate(generalized(rows, levels)):
        found.setdefault((a, b), []).append((record, s))
    return list(found.values())


def fails(cls, criterion, rows):
    values = [s for _, s in cls]
    counts = sorted((values.count(v) for v in set(values)), reverse=True)
    if isinstance(criterion, ds.KAnonymity):
        return len(cls) < criterion.k
    if isinstance(criterion, ds.PSensitiveKAnonymity):
        return len(cls) < criterion.k or len(counts) < criterion.p
    whole = [s for _, _, s in rows]
    if isinstance(criterion, ds.TCloseness):
        return distance(values, whole, criterion.distance) > criterion.t + 1e-12
    if isinstance(criterion, ds.BetaLikeness):
        return fails_likeness(values, whole, criterion.beta, criterion.kind)
    if isinstance(criterion, ds.DeltaDisclosure):
        return fails_disclosure(values, whole, criterion.delta, criterion.absent)
    if criterion.kind == "distinct":
        return len(counts) < criterion.l
    shares = np.array(counts) / len(cls)
    if criterion.kind == "entropy":
        return -np.sum(shares * np.log(shares)) < np.log(criterion.l) - 1e-12
    return counts[0] >= criterion.c * sum(counts[criterion.l - 1 :])


def distance(values, whole, kind):
    order = sorted(set(whole))
    gap = [values.count(v) / len(values) - whole.count(v) / len(whole) for v in order]
    if kind == "equal":
        return sum(abs(g) for g in gap) / 2
    return sum(abs(sum(gap[: i + 1])) for i in range(len(gap))) / max(len(order) - 1, 1)


def suppressed_at(rows, levels, criterion, budget):
    """Records to suppress at a node, or None when it cannot be done within the budget."""
    found = classes_of(rows, levels)
    if isinstance(criterion, ds.DisclosureRiskAtMost):
        counts = [sum(r[:2] == o[:2] for o in rows) for r in rows]
        risk = [sum(1 / max(len(c), counts[r]) for r, _ in c) / len(rows) for c in found]
        best = None
        for gone in itertools.product((0, 1), repeat=len(found)) if len(found) <= 10 else ():
            left = sum(v for v, g in zip(risk, gone, strict=True) if not g)
            size = sum(len(c) for c, g in zip(found, gone, strict=True) if g)
            if left <= criterion.limit + 1e-12 and size <= budget:
                best = size if best is None else min(best, size)
        return best
    if isinstance(criterion, ds.AverageRisk):
        size = len(rows) - sum(left_by_average(sorted(map(len, found)), criterion))
        return size if size <= budget else None
    size = sum(len(c) for c in found if fails(c, criterion, rows))
    return size if size <= budget else None


def left_by_average(sizes, criterion):
    """The sizes that are left when the smallest classes go until the average risk is small."""
    while sizes and not low_on_average(sizes, criterion):
        sizes = sizes[1:]
    return sizes


def low_on_average(sizes, criterion):
    n = sum(sizes)
    above = sum(s for s in sizes if criterion.highest and 1 / s > criterion.highest)
    fine = len(sizes) / n <= criterion.at_most + 1e-12
    return fine and above / n <= (criterion.share_above or 0) + 1e-12


def exhaustive(rows, criterion, budget):
    nodes = list(itertools.product(range(4), range(3)))
    found = {n: suppressed_at(rows, n, criterion, budget) for n in nodes}
    feasible = {n for n, s in found.items() if s is not None}
    minimal = {
        n for n in feasible
        if not any(m != n and m[0] <= n[0] and m[1] <= n[1] for m in feasible)
    }  # fmt: skip
    return found, feasible, minimal


def small_enough(rows, criterion):
    """Subsets of classes are enumerated for a limit of the risk."""
    return not isinstance(criterion, ds.DisclosureRiskAtMost) or len({r[:2] for r in rows}) <= 10


@given(records, criteria, sizes)
def test_all_minimal_nodes_equal_exhaustive_search(rows, criterion, budget):
    budget = min(budget, len(rows))
    if not small_enough(rows, criterion):
        return
    found, feasible, minimal = exhaustive(rows, criterion, budget)
    if not feasible:
        with pytest.raises(ds.DiscreetError):
            ds.generalize(read(rows), HIERARCHIES, criterion, max_suppressed=budget)
        return
    searched = ds.generalize(
        read(rows), HIERARCHIES, criterion, max_suppressed=budget, search="all-minimal"
    )
    assert {tuple(n.levels.values()) for n in searched.minimal} == minimal
    for node in searched.minimal:
        assert node.suppressed == found[tuple(node.levels.values())]


@given(
    records,
    criteria,
    sizes,
    st.sampled_from(
        ["iyengar", "discernibility", "precision", "height", "entropy", "average-class-size"]
    ),
)
def test_the_optimal_node_has_the_least_loss_of_all_feasible_ones(rows, criterion, budget, loss):
    budget = min(budget, len(rows))
    if not small_enough(rows, criterion):
        return
    _, feasible, _ = exhaustive(rows, criterion, budget)
    if not feasible:
        return
    found = ds.generalize(read(rows), HIERARCHIES, criterion, max_suppressed=budget, loss=loss)
    lattice = found.task.lattice
    values = {
        n: found.search._counted(lattice.number(dict(zip(KEYS, n, strict=True)))).objective
        for n in feasible
    }
    least = min(values.values())
    expected = min(n for n, v in values.items() if v <= least + 1e-12)
    assert tuple(found.best.levels.values()) == expected
    assert found.best.objective == pytest.approx(least, abs=1e-9)


@given(records, criteria, sizes)
def test_samarati_returns_a_node_of_least_height(rows, criterion, budget):
    budget = min(budget, len(rows))
    if not small_enough(rows, criterion):
        return
    _, feasible, minimal = exhaustive(rows, criterion, budget)
    if not feasible:
        return
    found = ds.generalize(
        read(rows), HIERARCHIES, criterion, max_suppressed=budget, search="samarati"
    )
    assert tuple(found.best.levels.values()) in minimal
    assert found.best.height == min(map(sum, minimal))


@given(records, st.integers(1, 3), st.integers(3, 4), sizes)
def test_suppressing_small_classes_only_equals_exhaustive_search_too(rows, p, k, budget):
    budget = min(budget, len(rows))
    criterion = ds.PSensitiveKAnonymity(p, k)
    feasible = set()
    for n in itertools.product(range(4), range(3)):
        found = classes_of(rows, n)
        gone = sum(len(c) for c in found if len(c) < k)
        left = [c for c in found if len(c) >= k]
        if gone <= budget and all(len({s for _, s in c}) >= p for c in left):
            feasible.add(n)
    minimal = {
        n for n in feasible if not any(m != n and m[0] <= n[0] and m[1] <= n[1] for m in feasible)
    }
    options = {"max_suppressed": budget, "suppression": "k-only"}
    if not feasible:
        with pytest.raises(ds.DiscreetError):
            ds.generalize(read(rows), HIERARCHIES, criterion, **options)
        return
    found = ds.generalize(read(rows), HIERARCHIES, criterion, search="all-minimal", **options)
    assert {tuple(n.levels.values()) for n in found.minimal} == minimal
    first = ds.generalize(read(rows), HIERARCHIES, criterion, search="samarati", **options)
    assert first.best.height == min(map(sum, minimal))


@given(records, criteria)
def test_violations_never_grow_along_an_edge_for_criteria_that_declare_it(rows, criterion):
    if isinstance(criterion, ds.DisclosureRiskAtMost) or not criterion.monotone_with_suppression:
        return
    for n in itertools.product(range(3), range(2)):
        below = suppressed_at(rows, n, criterion, len(rows))
        for up in ((n[0] + 1, n[1]), (n[0], n[1] + 1)):
            assert suppressed_at(rows, up, criterion, len(rows)) <= below


@given(records, st.integers(1, 3))
def test_the_conditions_never_reject_a_node_that_satisfies(rows, p):
    values = [s for _, _, s in rows]
    conditions = Conditions.of({"s": np.array([values.count(v) for v in set(values)])})
    for n in itertools.product(range(4), range(3)):
        kept = [c for c in classes_of(rows, n) if len({s for _, s in c}) >= p]
        assert len(kept) <= conditions.max_classes(p)
        if kept:
            assert p <= conditions.max_p


@given(records, criteria, sizes)
def test_every_masking_satisfies_its_criterion_when_checked_afresh(rows, criterion, budget):
    data = read(rows)
    try:
        found = ds.generalize(data, HIERARCHIES, criterion, max_suppressed=min(budget, len(rows)))
    except ds.DiscreetError:
        return
    masked = found.best.mask()
    assert masked.n == len(rows) - found.best.suppressed
    if masked.n:
        assert ds.check(masked, criterion).satisfied


@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(0, 20)), min_size=1, max_size=8),
    st.integers(0, 60),
    st.integers(0, 20),
)
def test_the_fewest_records_are_found_as_by_trying_all_subsets(classes, limit, budget):
    size, value = np.array([c[0] for c in classes]), np.array([c[1] / 10 for c in classes])
    best = None
    for gone in itertools.product((False, True), repeat=len(classes)):
        chosen = np.array(gone)
        if value[~chosen].sum() <= limit / 10 + 1e-12 and size[chosen].sum() <= budget:
            best = size[chosen].sum() if best is None else min(best, size[chosen].sum())
    found = fewest_records(size, value, limit / 10, budget)
    assert (found is None) == (best is None)
    if found is not None:
        assert size[found].sum() == best
        assert value[~found].sum() <= limit / 10 + 1e-9
