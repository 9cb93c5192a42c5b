"""Truta, Vinay (paper 003): conditions, Figure 3 with Table 4, Algorithm 3 with its slips."""

import numpy as np
import pytest

import discreet as ds
from discreet.masking.generalization.lattice import Lattice
from discreet.masking.generalization.search import Conditions

FIGURE_3 = {
    "Sex": list("MFMMFMMFMM"),
    "ZipCode": "41076 41099 41099 41076 43102 43102 43102 43103 48202 48201".split(),
}
HIERARCHIES = {"Sex": ds.Hierarchy.suppress(), "ZipCode": ds.Hierarchy.prefixes([5, 3, 0])}
VIOLATING = {(0, 0): 10, (1, 0): 7, (0, 1): 7, (1, 1): 2, (0, 2): 0, (1, 2): 0}
TABLE_4 = {
    **dict.fromkeys((0, 1), {(0, 2)}),
    **dict.fromkeys(range(2, 7), {(0, 2), (1, 1)}),
    **dict.fromkeys((7, 8, 9), {(1, 0), (0, 1)}),
    10: {(0, 0)},
}


@pytest.fixture(scope="module")
def figure_3():
    return ds.read(FIGURE_3, keys=["Sex", "ZipCode"])


def search(data, ts, **options):
    return ds.generalize(data, HIERARCHIES, ds.KAnonymity(3), max_suppressed=ts, **options)


def test_figure_3_counts_the_records_that_violate_3_anonymity_at_every_node(figure_3):
    table = search(figure_3, 10).lattice.table("arrow").to_pylist()
    assert {(r["Sex"], r["ZipCode"]): r["suppressed"] for r in table} == VIOLATING


@pytest.mark.parametrize("ts", range(11))
def test_table_4_lists_the_3_minimal_generalizations_for_every_threshold(figure_3, ts):
    found = search(figure_3, ts, search="all-minimal")
    assert {tuple(node.levels.values()) for node in found.minimal} == TABLE_4[ts]


@pytest.mark.parametrize("ts", range(11))
def test_samaratis_search_returns_a_minimal_node_of_least_height(figure_3, ts):
    found = search(figure_3, ts, search="samarati").best
    assert tuple(found.levels.values()) in TABLE_4[ts]
    assert found.height == min(sum(levels) for levels in TABLE_4[ts])


def test_paper_000_table_2_follows_from_its_violating_counts():
    counts = {(0, 0): 10, (1, 0): 7, (0, 1): 4, (1, 1): 4, (0, 2): 3, (1, 2): 0}
    lattice = Lattice(("S", "Z"), (2, 3))
    violating = np.array([counts[lattice.levels_of(node)] for node in range(6)])
    expected = {
        **dict.fromkeys((0, 1, 2), {(1, 2)}),
        3: {(0, 2)},
        **dict.fromkeys((4, 5, 6), {(0, 1)}),
        **dict.fromkeys((7, 8, 9), {(1, 0), (0, 1)}),
        **dict.fromkeys((10, 11), {(0, 0)}),
    }
    for ts, nodes in expected.items():
        assert {lattice.levels_of(int(n)) for n in lattice.minimal(violating <= ts)} == nodes


def test_frequencies_900_90_5_3_2_allow_10_classes_for_p_3():
    assert Conditions.of({"S": np.array([900, 90, 5, 3, 2])}).max_classes(3) == 10


def test_example_1_allows_300_100_50_and_25_classes():
    tables_5 = {
        "S1": np.array([300, 300, 200, 100, 100]),
        "S2": np.array([500, 300, 100, 40, 35, 25]),
        "S3": np.array([700, 200, 50, 10, 10, 10, 10, 5, 3, 2]),
    }
    conditions = Conditions.of(tables_5)
    assert (conditions.max_p, conditions.narrowest) == (5, "S1")
    assert [conditions.max_classes(p) for p in (2, 3, 4, 5, 6)] == [300, 100, 50, 25, 0]


def test_slip_4b_classes_are_counted_after_suppression():
    table = {"key": [1, 1, 2, 2, 3], "s": list("ababa")}  # {ab}, {ab}, {a}
    data = ds.read(table, keys=["key"], confidential=["s"])
    criterion = ds.PSensitiveKAnonymity(p=2, k=2)
    for search_name in ("samarati", "all-minimal", "optimal"):
        found = ds.generalize(
            data, {"key": ds.Hierarchy.suppress()}, criterion, max_suppressed=1, search=search_name
        )
        assert found.best.levels == {"key": 0}
        assert found.best.suppressed == 1


def test_slip_5_suppressing_small_classes_only_is_not_monotone_and_has_a_name():
    # two classes of one record each merge into one of size 2 with a single value
    table = {"key": ["a1", "a2", "b1", "b1"], "s": ["x", "x", "x", "y"]}
    data = ds.read(table, keys=["key"], confidential=["s"])
    h = {"key": ds.Hierarchy.from_dict({"a1": ["a"], "a2": ["a"], "b1": ["b"]})}
    criterion = ds.PSensitiveKAnonymity(p=2, k=2)
    literal = ds.generalize(
        data, h, criterion, max_suppressed=2, search="all-minimal", suppression="k-only"
    )
    assert [n.levels for n in literal.minimal] == [{"key": 0}]
    assert not literal.lattice.node({"key": 1}).found.task.monotone
    assert not literal.search.figures(1).feasible
    default = ds.generalize(data, h, criterion, max_suppressed=2, search="all-minimal")
    assert default.search.figures(1).feasible


def test_a_p_that_cannot_be_reached_is_explained_in_the_papers_terms():
    data = ds.read(
        {"key": [1, 1, 2, 2], "income": [1, 2, 1, 2]}, keys=["key"], confidential=["income"]
    )
    with pytest.raises(ds.DiscreetError, match=r"'income' has 2 distinct values, so p ≤ 2"):
        ds.generalize(data, {}, ds.PSensitiveKAnonymity(p=3, k=3))
    with pytest.raises(
        ds.DiscreetError, match=r"0 classes .* 4 records; at most 0 may be suppressed"
    ):
        ds.generalize(data, {}, ds.PSensitiveKAnonymity(p=2, k=3), max_suppressed=0)
