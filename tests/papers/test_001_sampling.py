"""Truta, Fotouhi, Barth-Jones (paper 001): Figures 2.1–2.3, with slip 3 repaired."""

import pytest

import discreet as ds
from tests.papers.tables import FIGURE_21, SAMPLES

WEIGHTS = {
    "W1": [[10]],
    "W2": [[0.25 * (j >= i) for j in range(10)] for i in range(5)],  # printed 0.4 (slip 3)
    "W3": [[6, 2], [0, 2]],
    "W4": [[3, 1, 0], [0, 3, 0], [0, 0, 3]],
}
C = {
    "S1": [(1, 1, 3), (1, 2, 1), (1, 3, 1)],
    "S2": [(1, 2, 1), (2, 2, 2), (2, 3, 2)],
    "S3": [(2, 2, 2), (3, 3, 3)],
}
FIGURE_22 = {"S1": [(1, 5, 5)], "S2": [(1, 1, 1), (2, 2, 4)], "S3": [(2, 1, 2), (3, 1, 3)]}
FIGURE_23 = {  # 0.3833, 0.3167, … where the paper truncates
    "S1": (3 / 10, 23 / 60, 19 / 60, 19 / 60),
    "S2": (0, 13 / 60, 1 / 20, 7 / 60),
    "S3": (0, 1 / 5, 1 / 30, 1 / 5),
}


@pytest.fixture(scope="module")
def initial():
    return ds.read(FIGURE_21, keys=["Age", "Sex"], record_id="RecNo")


@pytest.fixture(scope="module")
def risks(initial):
    found = {}
    for name, records in SAMPLES.items():
        rows = {c: [v[r - 1] for r in reversed(records)] for c, v in FIGURE_21.items()}
        released = ds.read(rows, keys=["Age", "Sex"])
        found[name] = ds.disclosure_risk(initial, released, on="RecNo")
    return found


@pytest.mark.parametrize("sample", SAMPLES)
def test_figure_22_characterises_the_data_by_cluster_sizes(risks, sample):
    assert (risks[sample].n, risks[sample].t) == (10, 5)
    assert list(risks[sample].initial_sizes) == [(1, 3, 3), (2, 2, 4), (3, 1, 3)]
    assert list(risks[sample].masked_sizes) == FIGURE_22[sample]


@pytest.mark.parametrize("sample", SAMPLES)
def test_classification_matrices_are_the_printed_ones(risks, sample):
    assert list(risks[sample].classification.entries()) == C[sample]


@pytest.mark.parametrize("sample", SAMPLES)
def test_figure_23_is_reproduced(risks, sample):
    weights = [ds.Weights.from_matrix(w) for w in WEIGHTS.values()]
    values = [risks[sample].weighted(w) for w in weights]
    assert values == pytest.approx(FIGURE_23[sample], abs=1e-12)
    assert (risks[sample].minimal, risks[sample].maximal) == pytest.approx(FIGURE_23[sample][:2])


def test_the_contributions_of_the_records_add_up_to_the_measure(risks):
    added = risks["S1"].contributions(kind="pandas")
    assert added["RecNo"].tolist() == [1, 2, 3, 4, 5]
    assert added["contribution"].sum() == pytest.approx(23 / 60)
    weighted = risks["S1"].contributions(ds.Weights.from_matrix(WEIGHTS["W3"]), kind="pandas")
    assert weighted["contribution"].sum() == pytest.approx(19 / 60)
