"""The bounds of a search: what may be suppressed, what p allows, what a risk leaves, and what can be said
of a lattice that is too large to be visited whole.
"""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.criteria.criterion import Criterion
from discreet.masking.generalization import search as searching
from discreet.masking.generalization.lattice import budget_of
from discreet.masking.generalization.nodes import _not_beaten, fewest_for_all
from discreet.masking.generalization.search import Conditions, Search
from tests.generalization_twin import Asked, at_node
from tests.properties.test_search_of_everything import HIERARCHIES, read

# -- the budget ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "n", "records"),
    [
        (0.29, 100, 29),  # 28.999999999999996 in binary numbers
        (0.29, 100_000_000, 29_000_000),  # lacks 4e-9
        (0.57, 10**10, 5_700_000_000),
        (1 - 0.9, 10, 1),
        (20 / 70, 70, 20),
        (0.299, 100, 29),
        (0.9999, 1000, 999),
        (1.0, 7, 7),
        (0.0, 7, 0),
        (3, 7, 3),
    ],
)
def test_a_share_is_rounded_down_but_not_for_want_of_binary_digits(share, n, records):
    assert budget_of(share, n) == records


@given(st.integers(1, 10**9), st.integers(0, 100))
def test_a_share_in_per_cent_is_what_it_is_in_whole_numbers(n, per_cent):
    assert budget_of(per_cent / 100, n) == n * per_cent // 100


@given(st.integers(1, 10**6), st.data())
def test_a_number_of_records_survives_as_a_share(n, data):
    records = data.draw(st.integers(0, n))
    assert budget_of(records / n, n) == records


# -- the conditions of Truta & Vinay -------------------------------------------------------------


def most_classes(frequencies, p):
    """Condition 2 as printed: min over i = 1 … p − 1 of ⌊(n − cf_(p−i)) / i⌋."""
    n = sum(frequencies[0])
    cf = [max(sum(sorted(f, reverse=True)[:i]) for f in frequencies) for i in range(p + 1)]
    return min((n - cf[p - i]) // i for i in range(1, p))


@pytest.mark.parametrize(
    ("frequencies", "p", "expected"),
    [
        ([10, 3, 2], 2, 5),  # i = 1 alone: 15 − 10
        ([6, 3, 1], 3, 1),  # i = 1 decides: 10 − 9, and not (10 − 6)/2
        ([8, 2, 2, 2], 3, 3),  # i = 2 decides: (14 − 8)/2, and not 14 − 10
        ([9, 6, 3, 3, 3], 4, 4),  # i = 2 decides: (24 − 15)/2, and not 24 − 18 or (24 − 9)/3
        ([12, 3, 3, 3, 3], 4, 4),  # i = 3 decides: (24 − 12)/3, and not 24 − 18 or (24 − 15)/2
    ],
)
def test_condition_2_takes_the_least_over_all_of_its_range(frequencies, p, expected):
    assert Conditions.of({"s": np.array(frequencies)}).max_classes(p) == expected
    assert most_classes([frequencies], p) == expected


@given(
    st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=6), min_size=1, max_size=2),
    st.integers(2, 6),
)
def test_condition_2_is_the_printed_formula(frequencies, p):
    n = max(map(sum, frequencies))
    padded = [[*f, *([n - sum(f)] if n > sum(f) else [])] for f in frequencies]
    conditions = Conditions.of({str(i): np.array(f) for i, f in enumerate(padded)})
    if p > min(map(len, padded)):
        assert conditions.max_classes(p) == 0
    else:
        assert conditions.max_classes(p) == most_classes(padded, p)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7), st.integers(2, 3))
def test_condition_2_is_never_less_than_the_classes_there_can_be(values, p):
    """All ways to part a few records into classes: none has more with p values each."""
    counts = np.array([values.count(v) for v in set(values)])
    bound = Conditions.of({"s": counts}).max_classes(p)
    for parts in partitions(list(range(len(values)))):
        assert sum(len({values[i] for i in part}) >= p for part in parts) <= bound


def partitions(items):
    if not items:
        yield []
        return
    first, *rest = items
    for parts in partitions(rest):
        yield [[first], *parts]
        for i, part in enumerate(parts):
            yield [*parts[:i], [first, *part], *parts[i + 1 :]]


SENSITIVE = [(0, 0, "p"), (0, 0, "q"), (1, 0, "p"), (1, 0, "p"), (2, 0, "p"), (2, 0, "p")]


UNCHANGED = {"a": ds.Hierarchy.from_dict({str(v): [str(v)] for v in range(6)})}


@pytest.mark.parametrize("search", ["samarati", "all-minimal", "optimal"])
@pytest.mark.parametrize("more", [[], [ds.TCloseness(1.0)], [ds.DisclosureRiskAtMost(1.0)]])
def test_classes_that_are_suppressed_for_p_do_not_count_against_it(search, more):
    """Three classes of two, one of them 2-sensitive: with one q, Condition 2 allows one class.

    Each further class costs k = 2 records, and four may be suppressed: the bottom is feasible,
    also where another criterion, which holds everywhere, makes that nodes are counted one by one.
    """
    asked = [ds.PSensitiveKAnonymity(2, 2), *more]
    options = {"search": search, "loss": "height"}
    found = ds.generalize(read(SENSITIVE), HIERARCHIES, asked, max_suppressed=4, **options)
    assert found.best.levels == {"a": 0, "b": 0}
    assert found.best.suppressed == 4
    with pytest.raises(ds.DiscreetError, match=r"\[D31\]"):
        ds.generalize(read(SENSITIVE), UNCHANGED, asked, max_suppressed=3, **options)


@pytest.mark.parametrize("search", ["samarati", "all-minimal", "optimal"])
def test_with_small_classes_only_none_goes_for_p(search):
    asked = [ds.PSensitiveKAnonymity(2, 2), ds.TCloseness(1.0)]
    options = {"max_suppressed": 4, "search": search, "suppression": "k-only"}
    found = ds.generalize(read(SENSITIVE), HIERARCHIES, asked, **options)
    assert found.best.levels["a"] == 2  # v // 4: all are one class


# -- the risk of a sample ------------------------------------------------------------------------


def test_in_a_sample_the_risk_of_a_node_is_that_of_the_larger_class():
    """Two of four twins are drawn: each is found with 1/4, not with 1/2."""
    initial = ds.read({"a": [1, 1, 1, 1, 2, 2, 2, 2]}, keys=["a"])
    drawn = ds.sample(initial, n=4, by=["a"], seed=1)
    risk = ds.disclosure_risk(initial, drawn).maximal
    assert risk == pytest.approx(4 / 4 / 8)
    one = {"a": ds.Hierarchy.suppress()}
    found = ds.generalize(drawn, one, ds.DisclosureRiskAtMost(0.125), max_suppressed=0)
    assert found.best.levels == {"a": 0}
    with pytest.raises(ds.DiscreetError):
        ds.generalize(drawn, one, ds.DisclosureRiskAtMost(0.1), max_suppressed=0)
    assert ds.check(found.best.mask(), ds.DisclosureRiskAtMost(0.125)).satisfied


def test_in_a_sample_suppressed_records_may_come_back_with_more_risk():
    """Not monotone: below, a unique record goes and one of ten twins is left; above, both are."""
    initial = [(0, 0, "p"), *[(1, 0, "p")] * 10]
    data = read(initial)
    found = []
    for seed in range(60):
        drawn = ds.sample(data, n=2, seed=seed)
        table = drawn.to("arrow").to_pydict()
        kept = list(zip(table["a"], table["b"], table["s"], strict=True))
        if {r[0] for r in kept} != {0, 1}:
            continue
        asked = Asked((ds.DisclosureRiskAtMost(0.01),), 1)
        expected = {n for n in asked.levels if at_node(kept, n, asked, initial) is not None}
        assert (0, 0) in expected
        assert (3, 2) not in expected
        one = ds.generalize(
            drawn, HIERARCHIES, asked.criteria[0], max_suppressed=1, search="samarati"
        )
        assert not one.task.monotone
        found.append(one.best.levels)
    assert found
    assert all(levels == {"a": 0, "b": 0} for levels in found)


@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=8
    ),
    st.integers(0, 30),
    st.integers(0, 30),
    st.integers(0, 15),
)
def test_the_fewest_records_for_two_limits_are_found_as_by_trying_all(classes, one, other, budget):
    size = np.array([c[0] for c in classes])
    sums = [
        (np.array([c[at] / 10 for c in classes]), limit / 10)
        for at, limit in ((1, one), (2, other))
    ]
    best = None
    for gone in itertools.product((False, True), repeat=len(classes)):
        out = np.array(gone)
        if all(v[~out].sum() <= limit + 1e-9 for v, limit in sums) and size[out].sum() <= budget:
            best = size[out].sum() if best is None else min(best, size[out].sum())
    found = fewest_for_all(size, sums, budget)
    assert (None if found is None else size[found].sum()) == best
    if found is not None:
        assert all(v[~found].sum() <= limit + 1e-9 for v, limit in sums)


def test_a_class_for_each_of_two_limits_goes():
    """What is the fewest for one limit alone leaves the other one exceeded."""
    size = np.array([3, 1, 2, 1])
    one, other = np.array([0.4, 0.0, 0.3, 0.0]), np.array([0.0, 0.0, 0.0, 0.5])
    found = fewest_for_all(size, [(one, 0.4), (other, 0.1)], 4)
    assert found.tolist() == [False, False, True, True]
    assert fewest_for_all(size, [(one, 0.4), (other, 0.1)], 2) is None
    assert fewest_for_all(size, [(one, 0.9), (other, 0.1)], 1).tolist() == [False] * 3 + [True]


def test_only_ways_that_no_other_one_beats_are_kept():
    """Few ways stay few: a way is beaten by fewer records that bring no less of each sum."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        used, gained = rng.integers(0, 4, 8), rng.integers(0, 4, (8, 2)) / 2
        ways = [(int(u), *map(float, g)) for u, g in zip(used, gained, strict=True)]

        def beaten(way, by):
            return by != way and by[0] <= way[0] and by[1] >= way[1] and by[2] >= way[2]

        best = sorted({way for way in ways if not any(beaten(way, by) for by in ways)})
        assert sorted(ways[at] for at in _not_beaten(used, gained)) == best


# -- what may not be monotone --------------------------------------------------------------------

GOOD_BELOW = {"a": [0, 0, 1, 1, 1, 1], "s": list("xyxxxx")}
MERGED = {"a": ds.Hierarchy.intervals([2, 4])}


@pytest.mark.parametrize("search", ["samarati", "all-minimal", "optimal"])
@pytest.mark.parametrize("kind", [("entropy",), ("recursive", 2)])
def test_a_class_that_spoils_the_one_it_is_merged_with_may_go_below(search, kind):
    """Four records of one value go at the bottom; above they are in one class with the others,
    which is not diverse. Sizes alone would be monotone."""
    data = ds.read(GOOD_BELOW, keys=["a"], confidential=["s"], types={"a": "continuous"})
    asked = [ds.KAnonymity(2), ds.LDiversity(2, *kind)]
    found = ds.generalize(data, MERGED, asked, max_suppressed=4, search=search)
    assert found.best.levels == {"a": 0}
    assert not found.task.monotone


@dataclass(frozen=True)
class FewerThan(Criterion):
    """A condition that more general nodes break: no class has so many records."""

    most: int

    def failing(self, classes):
        return {"class size": classes.size >= self.most}

    def describe(self):
        return f"fewer than {self.most} records"


@pytest.mark.parametrize("search", ["samarati", "all-minimal", "optimal"])
def test_a_criterion_that_says_nothing_of_itself_is_not_held_to_be_monotone(search):
    data = ds.read(GOOD_BELOW, keys=["a"], confidential=["s"], types={"a": "continuous"})
    asked = [ds.KAnonymity(2), FewerThan(5)]
    found = ds.generalize(data, MERGED, asked, max_suppressed=0, search=search)
    assert found.best.levels == {"a": 0}


RISK = ds.DisclosureRiskAtMost(1.0)


@pytest.mark.parametrize(
    ("asked", "gone", "mode", "monotone"),
    [
        ([ds.KAnonymity(2)], 0, "failing", True),
        ([ds.KAnonymity(2)], 1, "failing", True),
        ([ds.KAnonymity(2)], 1, "k-only", True),
        ([ds.PSensitiveKAnonymity(2, 2)], 1, "failing", True),
        ([ds.PSensitiveKAnonymity(2, 2)], 0, "k-only", True),
        ([ds.PSensitiveKAnonymity(2, 2)], 1, "k-only", False),
        ([ds.KAnonymity(2), RISK], 1, "k-only", False),
        ([ds.KAnonymity(2), RISK], 0, "k-only", True),
        ([ds.TCloseness(0.5)], 0, "failing", True),
        ([ds.TCloseness(0.5)], 1, "failing", False),
    ],
)
def test_what_stays_feasible_above(asked, gone, mode, monotone):
    """Where small classes alone go, they may come back in one that fails p, or adds to a risk."""
    table = {"a": [0, 0, 1, 1], "s": list("xyxy")}
    data = ds.read(table, keys=["a"], confidential=["s"], types={"a": "continuous"})
    found = ds.generalize(data, MERGED, asked, max_suppressed=gone, suppression=mode)
    assert found.task.monotone is monotone


def test_a_node_says_by_how_many_records_it_is_not_feasible():
    data = ds.read(GOOD_BELOW, keys=["a"], confidential=["s"], types={"a": "continuous"})
    found = ds.generalize(data, MERGED, ds.LDiversity(2, "entropy"), max_suppressed=4)
    excess = {n: found.search.figures(n).excess for n in range(found.task.lattice.nodes)}
    assert excess == {0: 0, 1: 2, 2: 2, 3: 2}  # four may go, four and six would have to
    small_only = Search(replace(found.task, suppression="k-only"))
    assert [small_only.figures(n).excess for n in range(4)] == [4, 6, 6, 6]


@pytest.mark.parametrize(("gone", "hope"), [(1, False), (2, True), (3, True)])
def test_what_is_too_small_at_a_node_is_so_below_and_must_fit_the_budget(gone, hope):
    data = ds.read(GOOD_BELOW, keys=["a"], confidential=["s"], types={"a": "continuous"})
    asked = [ds.KAnonymity(3), ds.LDiversity(2, "entropy")]
    found = ds.generalize(data, MERGED, asked, max_suppressed=6)
    assert Search(replace(found.task, budget=gone)).figures(0).hope is hope


# -- lattices that are too large to visit whole --------------------------------------------------

SEVEN = [f"k{i}" for i in range(7)]
WIDE = {key: ds.Hierarchy.intervals([2, 4, 8, 16, 32]) for key in SEVEN}


@pytest.fixture(scope="module")
def two_points():
    """Twenty records at 0 with two values in equal parts, eighty at 63 with one: 823,543 nodes, of
    which all but the top suppress the eighty, and the top would have to suppress all."""
    columns = {key: [0] * 20 + [63] * 80 for key in SEVEN}
    return ds.read({**columns, "s": list("ab") * 10 + ["a"] * 80}, keys=SEVEN, confidential=["s"])


def test_a_feasible_node_below_a_top_that_fails_is_found(two_points):
    criterion = ds.LDiversity(2, "entropy")
    found = ds.generalize(two_points, WIDE, criterion, max_suppressed=0.8, seconds=2.0)
    assert found.lattice.nodes == 823_543
    assert found.best.suppressed == 80
    assert not found.complete
    assert found.to_dict()["complete"] is False
    assert "stopped early" in found.explain()
    masked = found.best.mask()
    assert masked.n == 20
    assert ds.check(masked, criterion).satisfied


def test_what_is_not_found_in_time_is_not_said_not_to_be(two_points):
    with pytest.raises(ds.DiscreetError) as caught:
        ds.generalize(
            two_points, WIDE, ds.LDiversity(2, "entropy"), max_suppressed=0.8, seconds=0.0
        )
    assert caught.value.code == "D33"
    assert "within 0 seconds" in str(caught.value)
    assert "There may still be one" in str(caught.value)


def test_what_cannot_be_by_size_alone_is_said_not_to_be(two_points):
    criteria = [ds.KAnonymity(101), ds.LDiversity(2, "entropy")]
    with pytest.raises(ds.DiscreetError) as caught:
        ds.generalize(two_points, WIDE, criteria, max_suppressed=0.8, seconds=0.0)
    assert caught.value.code == "D31"


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 4), st.sampled_from("prt")),
        min_size=2,
        max_size=12,
    ),
    st.sampled_from(
        [
            (ds.LDiversity(2, "entropy"),),
            (ds.LDiversity(2, "recursive", c=1),),
            (ds.TCloseness(0.25, "ordered"),),
            (ds.KAnonymity(2), ds.TCloseness(0.4)),
            (ds.PSensitiveKAnonymity(2, 2), ds.DisclosureRiskAtMost(0.3)),
        ]
    ),
    st.integers(1, 8),
    st.sampled_from(["failing", "k-only"]),
)
def test_a_large_lattice_that_is_searched_to_the_end_gives_the_best_node(
    rows, criteria, gone, mode
):
    """As if two nodes were too many: the answer is that of the lattice that is visited whole."""
    options = {"max_suppressed": min(gone, len(rows)), "suppression": mode}

    def best():
        try:
            found = ds.generalize(read(rows), HIERARCHIES, list(criteria), **options)
        except ds.DiscreetError as error:
            return error.code
        assert found.complete
        return found.best.levels, found.best.suppressed

    expected = best()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "MAX_SWEPT", 2)
        assert best() == expected


@pytest.mark.parametrize(
    ("search", "said"),
    [("samarati", "heights were tried one by one"), ("optimal", "every node was judged by itself"),
     ("all-minimal", "every node was judged by itself"), ("bounded", "no node was ruled out")],
)  # fmt: skip
def test_what_is_done_where_a_feasible_node_says_nothing_of_those_above_is_said(search, said):
    table = {"sex": list("MF") * 6, "zip": list("123") * 4, "illness": list("aabbcc") * 2}
    survey = ds.read(table, keys=["sex", "zip"], confidential="illness")
    above = {"sex": ds.Hierarchy.suppress(), "zip": ds.Hierarchy.suppress()}
    for criterion, told in (
        (ds.DeltaDisclosure(5, absent="ignore"), True),
        (ds.KAnonymity(2), False),
    ):
        found = ds.generalize(survey, above, criterion, search=search)
        assert (f"need not be feasible here: {said}" in found.explain()) is told
