"""Every criterion, alone and with another one, by every search and both kinds of suppression, on keys
that are confidential, scales with steps that do not occur, missing values and samples: each answer
equals that of a twin which goes through all nodes by the definitions alone.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from tests.examples import examples
from tests.generalization_twin import (
    HIERARCHIES,
    OF_S,
    SCALE,
    Asked,
    at_node,
    iyengar,
    minimal,
)

MANY = examples(25)
SEARCHES = ("all-minimal", "samarati", "optimal")
WEIGHTS = st.sampled_from(
    [
        ds.Weights.maximal(),
        ds.Weights.minimal(),
        ds.Weights.threshold(2),
        ds.Weights.from_function(lambda i, j: 1 / (i + j - 1) if i >= j else 1 / (2 * j - 1)),
        ds.Weights.from_function(
            lambda i, j: 1 / (i + j - 1) if i >= j else (i + j) / (2 * j * (2 * j - 1))
        ),
    ]
)


some_missing = st.one_of(st.none(), st.integers(0, 5))


def records(keys=some_missing, most=9):
    return st.lists(
        st.tuples(keys, st.integers(0, 4), st.sampled_from([*"pprt", None])),
        min_size=2,
        max_size=most,
    )


whole_keys = records(st.integers(0, 5))
named = st.sampled_from([None, ("s",)])
sizes = st.integers(1, 3).map(ds.KAnonymity)
distinct = st.one_of(
    st.builds(lambda p, k, c: ds.PSensitiveKAnonymity(p, max(p, k), c), st.integers(1, 3), st.integers(1, 3), named),
    st.builds(lambda l, c: ds.LDiversity(l, confidential=c), st.integers(1, 3), named),
)  # fmt: skip
values = st.one_of(
    st.builds(lambda l, c: ds.LDiversity(l, "entropy", confidential=c), st.integers(1, 3), named),
    st.builds(lambda l, c, n: ds.LDiversity(l, "recursive", c, n), st.integers(1, 3), st.sampled_from([1, 2]), named),
    st.builds(
        lambda t, d, c: ds.TCloseness(t, d, confidential=c),
        st.sampled_from([0.1, 0.25, 0.375, 0.5, 0.75]), st.sampled_from(["equal", "ordered"]), named,
    ),
    st.sampled_from([0.2, 0.3, 0.5]).map(lambda t: ds.TCloseness(t, "hierarchical", OF_S, ("s",))),
)  # fmt: skip
limits = st.builds(ds.DisclosureRiskAtMost, st.sampled_from([0.0, 0.1, 0.25, 0.4, 0.6]), WEIGHTS)
criteria = st.one_of(sizes, distinct, values, limits)
several = st.lists(criteria, min_size=1, max_size=2).map(tuple)
modes = st.sampled_from(["failing", "k-only"])
budgets = st.integers(0, 9)


def read(rows, counted=("s",)):
    columns = {name: [r[at] for r in rows] for at, name in enumerate("abs")}
    return ds.read(columns, keys=["a", "b"], confidential=counted, types={"s": list(SCALE), "a": "nominal", "b": "nominal"})  # fmt: skip


def chosen(counted):
    return {key: h for key, h in HIERARCHIES.items() if key not in counted}


def answers(data, asked, **options):
    """What the searches find, or None where they say that there is none."""
    found = {}
    for search in SEARCHES:
        try:
            found[search] = ds.generalize(
                data, chosen(asked.counted), list(asked.criteria), search=search,
                max_suppressed=asked.budget, suppression=asked.suppression, **options,
            )  # fmt: skip
        except ds.DiscreetError as error:
            if error.code not in ("D30", "D31"):
                raise
            found[search] = None
    return found


def assert_as_the_twin(rows, asked, data, first=None):
    expected = {levels: at_node(rows, levels, asked, first) for levels in asked.levels}
    feasible = {levels for levels, gone in expected.items() if gone is not None}
    found = answers(data, asked)
    assert all((one is None) == (not feasible) for one in found.values())
    if not feasible:
        return None
    of = {name: [tuple(n.levels.values()) for n in one.minimal] for name, one in found.items()}
    assert set(of["all-minimal"]) == minimal(feasible)
    assert of["samarati"][0] in minimal(feasible)
    assert sum(of["samarati"][0]) == min(map(sum, feasible))
    for one in found.values():
        assert one.complete
        for levels in asked.levels:
            node = one.lattice.node(dict(zip("ab", levels, strict=True)))
            assert node.feasible == (levels in feasible)
            if node.feasible:
                assert node.suppressed == expected[levels]
    return found


@MANY
@given(records(), several, budgets, modes, st.booleans())
def test_every_search_finds_what_going_through_all_nodes_finds(rows, criteria, budget, mode, keyed):
    counted = ("s", "b") if keyed else ("s",)
    asked = Asked(criteria, min(budget, len(rows)), mode, counted)
    assert_as_the_twin(rows, asked, read(rows, counted))


@MANY
@given(whole_keys, st.lists(st.one_of(sizes, distinct, values), min_size=1, max_size=2), budgets, modes)  # fmt: skip
def test_the_best_node_loses_least_of_all_that_are_feasible(rows, criteria, budget, mode):
    asked = Asked(tuple(criteria), min(budget, len(rows)), mode)
    losses = {
        n: iyengar(rows, n, asked) for n in asked.levels if at_node(rows, n, asked) is not None
    }
    found = answers(read(rows), asked)["optimal"]
    if found is not None:
        assert tuple(found.best.levels.values()) == min(losses, key=lambda n: (losses[n], n))
        assert found.best.loss == pytest.approx(float(min(losses.values())), abs=1e-12)


@MANY
@given(records(most=12), several, budgets, modes, st.integers(1, 11))
def test_a_search_in_a_sample_weighs_the_initial_twins(rows, criteria, budget, mode, n):
    limits_too = (*criteria, ds.DisclosureRiskAtMost(0.3))
    drawn = ds.sample(read(rows), n=min(n, len(rows)), seed=1)
    table = drawn.to("arrow").to_pydict()
    kept = list(zip(table["a"], table["b"], table["s"], strict=True))
    asked = Asked(limits_too, min(budget, len(kept)), mode)
    assert_as_the_twin(kept, asked, drawn, rows)


@MANY
@given(records(), several, budgets, modes)
def test_what_is_masked_satisfies_all_that_was_asked_for(rows, criteria, budget, mode):
    data = read(rows)
    asked = Asked(criteria, min(budget, len(rows)), mode)
    for found in answers(data, asked).values():
        if found is not None:
            masked = found.best.mask()
            assert masked.n == len(rows) - found.best.suppressed <= len(rows)
            assert masked.n == 0 or ds.check(masked, list(criteria)).satisfied


@MANY
@given(records(), budgets, modes, st.integers(1, 4), st.integers(1, 3), st.sampled_from(["iyengar", "height", "precision", "entropy"]))  # fmt: skip
def test_the_lattice_answers_for_another_k_and_p_as_a_search_for_them(
    rows, budget, mode, k, p, loss
):
    data, asked = read(rows), Asked((ds.PSensitiveKAnonymity(p, max(k, p)),), min(budget, len(rows)), mode)  # fmt: skip
    anything = ds.PSensitiveKAnonymity(1, 1)
    start = ds.generalize(data, HIERARCHIES, anything, suppression=mode, loss=loss)
    at = start.lattice.at(k=asked.k, p=p, max_suppressed=asked.budget)
    expected = {n: at_node(rows, n, asked) for n in asked.levels}
    feasible = {n for n, gone in expected.items() if gone is not None}
    assert [bool(f) for f in at.nodes.feasible] == [n in feasible for n in asked.levels]
    assert {tuple(n.levels.values()) for n in at.minimal} == minimal(feasible)
    both = zip(expected.values(), at.nodes.suppressed.tolist(), strict=True)
    assert all(gone == found for gone, found in both if gone is not None)
    searched = answers(data, asked, loss=loss)["optimal"]
    best = None if at.best is None else at.best.levels
    assert best == (None if searched is None else searched.best.levels)
