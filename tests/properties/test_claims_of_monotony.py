"""What criteria claim of themselves, on random small lattices: every node against every one above.

``monotone``: where no class fails, none fails above. ``monotone_with_suppression``: no more records
are in failing classes above. A claim that is not made is shown to be rightly not made.
"""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as ds
from tests.examples import examples
from tests.properties.test_lattice_search import (
    HIERARCHIES,
    classes_of,
    fails,
    generalized,
    low_on_average,
    read,
    records,
)

NODES = list(itertools.product(range(4), range(3)))
ABOVE = [
    (low, high)
    for low in NODES
    for high in NODES
    if low != high and low[0] <= high[0] and low[1] <= high[1]
]
beta = st.sampled_from([0.1, 0.2, 0.5, 1.0, 2.0])
delta = st.sampled_from([0.3, 1.0, 1.5, 3.0])
CRITERIA = {
    "basic": beta.map(ds.BetaLikeness),
    "enhanced": beta.map(lambda b: ds.BetaLikeness(b, "enhanced")),
    "fail": delta.map(ds.DeltaDisclosure),
    "ignore": delta.map(lambda d: ds.DeltaDisclosure(d, "ignore")),
}


def failing_records(rows, criterion):
    """Per node, the records in classes that fail."""
    return {
        node: sum(len(c) for c in classes_of(rows, node) if fails(c, criterion, rows))
        for node in NODES
    }


@pytest.mark.parametrize("kind", CRITERIA)
@settings(deadline=None)
@given(rows=records, data=st.data())
def test_what_is_claimed_holds(kind, rows, data):
    criterion = data.draw(CRITERIA[kind])
    gone = failing_records(rows, criterion)
    for low, high in ABOVE:
        if criterion.monotone and not gone[low]:
            assert not gone[high]
        if criterion.monotone_with_suppression:
            assert gone[high] <= gone[low]


def test_ignoring_absent_values_is_not_monotone():
    """All r, half r half s, all s: each class is near enough, the first two together are not."""
    rows = [*[(0, 0, "r")] * 100, *[(1, 0, "r"), (1, 0, "s")] * 2, *[(4, 0, "s")] * 100]
    criterion = ds.DeltaDisclosure(1.5, "ignore")
    gone = failing_records(rows, criterion)
    assert not gone[0, 0]
    assert gone[1, 0] == 104
    assert not criterion.monotone


@pytest.mark.parametrize("criterion", [ds.BetaLikeness(0.5), ds.DeltaDisclosure(1.0, "fail")])
def test_a_failing_class_may_spoil_a_good_one(criterion):
    rows = [*[(0, 0, s) for s in "xyz"], *[(1, 0, "x")] * 6, *[(4, 0, s) for s in "xxyyyzzz" * 2]]
    gone = failing_records(rows, criterion)
    assert gone[0, 0] == 6
    assert gone[1, 0] == 9
    assert not criterion.monotone_with_suppression


@settings(deadline=None)
@given(records, beta, delta)
def test_the_stricter_kind_implies_the_other(rows, b, d):
    for strict, other in (
        (ds.BetaLikeness(b, "enhanced"), ds.BetaLikeness(b)),
        (ds.DeltaDisclosure(d), ds.DeltaDisclosure(d, "ignore")),
    ):
        strictly, otherwise = (failing_records(rows, one) for one in (strict, other))
        assert all(otherwise[node] <= strictly[node] for node in NODES)


@given(records)
def test_a_gain_without_a_limit_asks_for_nothing(rows):
    assert not any(failing_records(rows, ds.BetaLikeness(1e9)).values())


# -- of the whole file -----------------------------------------------------------------------------

averages = st.sampled_from([(0.15,), (0.3,), (0.5,), (0.9, 0.4), (0.6, 0.3, 0.2), (1, 0.5, 0.4)])
class_sizes = st.lists(st.integers(1, 8), min_size=1, max_size=9)


@given(class_sizes, averages)
def test_the_smallest_classes_are_the_fewest_records_for_an_average(sizes, limits):
    """Of all ways to suppress whole classes; with a share above a risk others may fit better."""
    criterion = ds.AverageRisk(*limits)
    keys = [i for i, size in enumerate(sizes) for _ in range(size)]
    data = ds.read({"a": keys}, keys=["a"])
    gone = ds.check(data, criterion).violating_records
    ways = [
        sum(sizes) - sum(left)
        for number in range(len(sizes) + 1)
        for left in itertools.combinations(sizes, number)
        if not left or low_on_average(left, criterion)
    ]
    assert gone == min(ways) if criterion.highest is None else gone >= min(ways)
    found = ds.generalize(data, {}, criterion, max_suppressed=len(keys))
    assert found.best.suppressed == gone


@given(records, averages)
def test_an_average_that_holds_holds_above(rows, limits):
    criterion = ds.AverageRisk(*limits)
    holds = {n: low_on_average([len(c) for c in classes_of(rows, n)], criterion) for n in NODES}
    assert all(holds[high] for low, high in ABOVE if holds[low])


def test_more_may_have_to_go_above_for_a_share_of_the_records():
    """Of two classes of 3 one may stay beside 20; as one of 6 they must go together."""
    rows = [*[(0, 0, "x")] * 3, *[(1, 0, "x")] * 3, *[(4, 0, "x")] * 20]
    data = read(rows)
    criterion = ds.AverageRisk(1, highest=0.1, share_above=0.15)
    found = ds.generalize(data, HIERARCHIES, criterion, max_suppressed=1.0)
    assert [found.lattice.node({"a": a}).suppressed for a in (0, 1)] == [3, 6]
    assert not criterion.monotone_with_suppression


# -- against a population --------------------------------------------------------------------------

more = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.just("x")), max_size=40)
shares = st.tuples(st.sampled_from([0.0, 0.1, 0.3]), st.sampled_from([0.3, 0.5, 1.0]))


def behind(rows, people, node):
    """Per class of a node its records and its people, classes without a record too."""
    ours, theirs = ([(a, b) for a, b, _ in generalized(some, node)] for some in (rows, people))
    return {key: (ours.count(key), theirs.count(key)) for key in set(theirs)}


def outcome(rows, people, criterion, node):
    """Records in classes that fail, and whether people without a record stand against it."""
    gone, against = 0, False
    for records_, people_ in behind(rows, people, node).values():
        if isinstance(criterion, ds.KMap):
            gone += records_ if people_ < criterion.k else 0
        elif not criterion.low <= records_ / people_ <= criterion.high:
            gone += records_
            against |= not records_
    return gone, against


def table_of(rows):
    return {"a": [r[0] for r in rows], "b": [r[1] for r in rows]}


@examples(12)
@given(rows=records, others=more, k=st.integers(1, 6), limits=shares, budget=st.integers(0, 6))
def test_searches_against_a_population_equal_exhaustive_search(rows, others, k, limits, budget):
    people, budget = rows + others, min(budget, len(rows))
    population = table_of(people)
    for criterion in (ds.KMap(k, population), ds.DeltaPresence(*limits, population)):
        found = {node: outcome(rows, people, criterion, node) for node in NODES}
        feasible = {n for n, (gone, against) in found.items() if gone <= budget and not against}
        _check_claims(criterion, found)
        minimal = {
            n for n in feasible if not any(low in feasible for low, high in ABOVE if high == n)
        }
        search = lambda name, c=criterion: ds.generalize(  # noqa: E731
            read(rows), HIERARCHIES, c, max_suppressed=budget, search=name
        )
        if not feasible:
            with pytest.raises(ds.DiscreetError, match="D31"):
                search("optimal")
            continue
        every = search("all-minimal")
        assert {tuple(n.levels.values()) for n in every.minimal} == minimal
        best = search("optimal").best
        assert tuple(best.levels.values()) in feasible
        assert search("bounded").best.levels == best.levels
        assert search("samarati").best.height == min(map(sum, minimal))
        assert best.suppressed == found[tuple(best.levels.values())][0]
        assert ds.check(best.mask(), criterion) if best.suppressed < len(rows) else True


def _check_claims(criterion, found):
    for low, high in ABOVE:
        if found[low] == (0, False):
            assert found[high] == (0, False)
        if criterion.monotone_with_suppression:
            assert found[high][0] <= found[low][0]


@examples(12)
@given(records, st.integers(1, 5), st.integers(0, 6))
def test_the_file_as_its_population_makes_a_map_k_anonymous(rows, k, budget):
    data, budget = read(rows), min(budget, len(rows))
    both = []
    for criterion in (ds.KAnonymity(k), ds.KMap(k, population=data)):
        try:
            found = ds.generalize(data, HIERARCHIES, criterion, max_suppressed=budget)
            both.append((found.best.levels, found.best.suppressed, round(found.best.loss, 12)))
        except ds.DiscreetError as error:
            both.append(error.problems[0].code)
        assert ds.check(data, criterion).violating_records == sum(
            len(c) for c in classes_of(rows, (0, 0)) if len(c) < k
        )
    assert both[0] == both[1]


@examples(12)
@given(records, more)
def test_any_presence_between_none_and_all_holds(rows, others):
    assert ds.check(read(rows), ds.DeltaPresence(0, 1, table_of(rows + others)))
