"""Truta, Fotouhi, Barth-Jones (paper 000): C1–C3 and Table 3, with slips 1 and 2 repaired."""

import pytest

import discreet as ds
from tests.papers.tables import FIGURE_4
from tests.papers.tables import FIGURE_4_SEX as SEX

W1 = [[8]]
W2 = [[2 / 9] * (i + 1) for i in range(8)]  # printed 2/7; Σ w = 8 over 36 cells needs 2/9 (slip 2)
W3 = [[4], [2, 2]]
FILES = {"MM1": 2, "MM2": 4, "MM3": 8}
C = {"MM1": [(2, 1, 8)], "MM2": [(2, 1, 4), (4, 1, 4)], "MM3": [(2, 1, 2), (6, 1, 6)]}
TABLE_3 = {"MM1": (0, 0.5, 0.25), "MM2": (0, 0.375, 0.125), "MM3": (0, 0.25, 0.0625)}
FIGURE_5 = {"MM1": [(2, 4, 8)], "MM2": [(2, 2, 4), (4, 1, 4)], "MM3": [(2, 1, 2), (6, 1, 6)]}


@pytest.fixture(scope="module")
def initial():
    return ds.read({"Age": FIGURE_4["IM"], "Sex": SEX}, keys=["Age", "Sex"])


@pytest.mark.parametrize(("file", "k"), FILES.items())
def test_microaggregation_in_fixed_groups_gives_the_files_of_figure_4(initial, file, k):
    masked = ds.microaggregate(initial, ["Age"], k=k, method="fixed")
    assert masked.to("arrow")["Age"].to_pylist() == FIGURE_4[file]


@pytest.mark.parametrize(("file", "k"), FILES.items())
def test_classification_matrices_and_cluster_sizes_are_the_printed_ones(initial, file, k):
    found = ds.disclosure_risk(initial, ds.microaggregate(initial, ["Age"], k=k, method="fixed"))
    assert list(found.classification.entries()) == C[file]
    assert list(found.initial_sizes) == [(1, 8, 8)]
    assert list(found.masked_sizes) == FIGURE_5[file]


@pytest.mark.parametrize(("file", "k"), FILES.items())
def test_table_3_is_reproduced(initial, file, k):
    found = ds.disclosure_risk(initial, ds.microaggregate(initial, ["Age"], k=k, method="fixed"))
    values = [found.weighted(ds.Weights.from_matrix(w)) for w in (W1, W2, W3)]
    assert values == pytest.approx(TABLE_3[file], abs=1e-12)
    assert (found.minimal, found.maximal) == pytest.approx(TABLE_3[file][:2], abs=1e-12)


def test_the_printed_scale_of_w2_makes_no_difference(initial):
    found = ds.disclosure_risk(initial, ds.microaggregate(initial, ["Age"], k=4, method="fixed"))
    printed = ds.Weights.from_matrix([[2 / 7] * (i + 1) for i in range(8)])
    assert found.weighted(printed) == pytest.approx(0.375)


def test_where_masking_splits_equal_records_ours_counts_what_the_papers_sum_leaves_out():
    ages = ds.read({"age": [10, 10, 10, 20, 20, 20]}, keys=["age"])
    found = ds.disclosure_risk(ages, ds.microaggregate(ages, k=2, method="fixed"))
    assert list(found.classification.entries()) == [(2, 3, 6)]
    paper = sum(c / i for i, j, c in found.classification.entries() if j <= i) / found.n
    assert paper == 0
    assert found.maximal == pytest.approx(1 / 3)
    assert found.exact is False
    # masked 10 and 20: three initial records each; masked 15: all six
    assert found.maximal_compatible == pytest.approx((2 / 3 + 2 / 6 + 2 / 3) / 6)
