"""Weights by triangle: which cells belong to it, which rule holds where, and at which bounds."""

import numpy as np
import pytest

import discreet as ds

LOWER = [[4], [2, 2], [1, 1, 1]]
UPPER = [[4, 2, 1], [0, 4, 2], [0, 0, 4]]
BOTH = [[1, 1], [1, 1]]


def cells(*pairs):
    i, j = zip(*pairs, strict=True)
    return np.array(i), np.array(j)


@pytest.mark.parametrize(
    ("rows", "triangle"),
    [
        (LOWER, "lower"),
        (UPPER, "upper"),
        (BOTH, "both"),
        ([[1]], "both"),
        ([[2, 0], [0, 1]], "upper"),
        ([[2, 0], [0, 0]], "both"),
        ([[2], [1]], "lower"),
        ([[2, 1]], "upper"),
    ],
)
def test_the_triangle_of_a_matrix_is_where_its_weights_are(rows, triangle):
    assert ds.Weights.from_matrix(rows).triangle == triangle


def test_the_diagonal_belongs_to_both_triangles():
    for rows in (LOWER, UPPER, BOTH):
        ds.Weights.from_matrix(rows).require_fit(*cells((1, 1), (2, 2), (9, 9)))


def test_a_cell_beside_the_diagonal_belongs_to_one_triangle():
    lower, upper, both = (ds.Weights.from_matrix(rows) for rows in (LOWER, UPPER, BOTH))
    lower.require_fit(*cells((2, 1), (9, 8)))
    upper.require_fit(*cells((1, 2), (8, 9)))
    both.require_fit(*cells((1, 2), (2, 1)))
    with pytest.raises(ds.DiscreetError, match=r"lower triangle.* at i = 2, j = 3") as raised:
        lower.require_fit(*cells((1, 1), (2, 2), (2, 3), (1, 4)))
    assert raised.value.code == "P12"
    with pytest.raises(ds.DiscreetError, match=r"upper triangle, for sampling.* at i = 3, j = 2"):
        upper.require_fit(*cells((1, 1), (2, 2), (3, 2)))


def test_each_rule_holds_up_to_and_with_the_diagonal():
    for rows, where in [
        ([[4], [3, 3], [2, 2, 3]], "i = 3, j = 3"),
        ([[4, 3, 3], [0, 4, 3], [0, 0, 2]], "i = 3, j = 3"),
        ([[4], [2, 2], [3, 2, 2]], "i = 3, j = 1"),
        ([[4], [2, 1], [2, 2, 1]], "i = 3, j = 2"),
    ]:
        with pytest.raises(ds.DiscreetError, match=f"{where} breaks the rule") as raised:
            ds.Weights.from_matrix(rows)
        assert raised.value.code == "P13"


def test_the_rules_of_one_triangle_are_not_asked_of_the_other():
    lower = ds.Weights.from_matrix(LOWER)
    assert lower([1, 3], [2, 1]).tolist() == [0.0, 0.25]
    with pytest.raises(ds.DiscreetError, match="upper triangle"):  # both: then both are asked
        ds.Weights.from_matrix([[4, 1], [2, 0.5]])


def test_equal_weights_and_rounding_break_no_rule():
    ds.Weights.from_matrix([[1], [1, 1]])
    ds.Weights.from_matrix([[0.3], [0.1 + 0.2, 0.3]])
    with pytest.raises(ds.DiscreetError, match="breaks the rule"):
        ds.Weights.from_matrix([[1], [1 + 1e-9, 1]])


def test_weights_end_where_their_matrix_ends():
    weights = ds.Weights.from_matrix(LOWER)
    assert weights([3, 3, 4, 3], [3, 1, 1, 4]).tolist() == [0.25, 0.25, 0, 0]


def test_a_threshold_counts_classes_up_to_k_and_the_minimal_measure_uniques_only():
    i, j = cells((1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (3, 3))
    assert ds.Weights.threshold(2)(i, j).tolist() == [1, 1, 1, 0, 0, 0]
    assert ds.Weights.minimal()(i, j).tolist() == [1, 0, 0, 0, 0, 0]
    assert ds.Weights.maximal()(i, j).tolist() == [1] * 6
    assert ds.Weights.decay(0.25)(i, j).tolist() == [1, 0.75, 0.75, 0.5625, 0.5625, 0.5625]


@pytest.mark.parametrize("rate", [-0.001, 1.001, True, "0.5", None])
def test_a_rate_of_decay_lies_between_0_and_1(rate):
    with pytest.raises(ds.DiscreetError, match="between 0 and 1"):
        ds.Weights.decay(rate)


def test_only_weights_by_masked_size_are_called_so():
    assert all(
        w.by_masked_size
        for w in (ds.Weights.minimal(), ds.Weights.maximal(), ds.Weights.threshold(2))
    )
    assert ds.Weights.from_matrix([[4], [2, 2]]).by_masked_size
    assert not ds.Weights.from_matrix([[4], [2, 1]]).by_masked_size
    assert not ds.Weights.from_matrix([[4], [2]]).by_masked_size  # beyond its columns it is 0
    assert not ds.Weights.from_function(lambda i, j: 1 / max(i, j)).by_masked_size


def test_weights_are_written_as_they_were_given():
    assert ds.Weights.minimal().to_dict() == "minimal"
    assert ds.Weights.decay(0.5).to_dict() == {"decay": 0.5}
    assert ds.Weights.from_matrix([[4], [2, 2]]).to_dict() == {"matrix": [[4, 0], [2, 2]]}
    with pytest.raises(ds.DiscreetError) as raised:
        ds.Weights.from_function(lambda i, j: 1.0).to_dict()
    assert raised.value.code == "N20"
    assert ds.Weights.from_matrix([[1], [1, 1]]).explain().endswith("matters.")


def test_a_function_may_not_give_more_than_w11_nor_a_zero_or_endless_start():
    with pytest.raises(ds.DiscreetError, match="w_11 is not positive"):
        ds.Weights.from_function(lambda i, j: 0.0)
    with pytest.raises(ds.DiscreetError, match="not a number"):
        ds.Weights.from_function(lambda i, j: float("inf"))
    with pytest.raises(ds.DiscreetError, match="not a function"):
        ds.Weights.from_function(5)
    halved = ds.Weights.from_function(lambda i, j: 6 / max(i, j))
    assert halved([1, 3], [1, 2]).tolist() == [1, pytest.approx(1 / 3)]


def test_a_threshold_of_1_counts_uniques_and_the_scale_of_plain_weights_is_1():
    assert ds.Weights.threshold(1)([1, 2], [1, 1]).tolist() == [1, 0]
    assert ds.Weights.minimal().scale == 1
    assert "scaled" not in ds.Weights.maximal().explain()


def test_of_several_breaks_the_first_by_row_and_column_is_named():
    with pytest.raises(ds.DiscreetError, match="i = 2, j = 1"):
        ds.Weights.from_matrix([[1], [2, 1], [3, 1, 1]])


def test_the_rules_hold_for_cells_in_any_order():
    weights = ds.Weights.from_matrix(LOWER)
    order = np.array([3, 0, 5, 2, 4, 1])
    i, j = np.array([1, 2, 2, 3, 3, 3])[order], np.array([1, 1, 2, 1, 2, 3])[order]
    weights.require_rules(i, j)
    rising = ds.Weights("rising", lambda i, j: np.asarray(i / 3.0), "lower")
    with pytest.raises(ds.DiscreetError, match="i = 2, j = 1 breaks the rule"):
        rising.require_rules(i, j)


def test_a_function_that_gives_no_number_somewhere_is_refused():
    for odd in (None, "much"):
        with pytest.raises(ds.DiscreetError, match="i = 4, j = 1 is not a number"):
            ds.Weights.from_function(lambda i, j, odd=odd: odd if i > 3 else 1.0)


def test_a_matrix_is_named_by_its_rows_and_columns():
    assert ds.Weights.from_matrix([[3, 2, 1], [0, 3, 2]]).name == "2 × 3 matrix"
    with pytest.raises(ds.DiscreetError, match="i = 2, j = 3 is not a number"):
        ds.Weights.from_matrix([[3, 2, 1], [0, 3, -2]])
