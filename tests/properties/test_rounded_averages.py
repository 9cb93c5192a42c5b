"""Rounded averages: exact means of numbers of any size, as values that the attribute can take."""

import decimal
import statistics
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import discreet as ds
from discreet.masking.aggregation import mean_and_spread, rescaled, whole_means
from tests.examples import examples

INT64 = st.integers(-(2**63), 2**63 - 1)
UINT64 = st.integers(0, 2**64 - 1)
EDGES = [2**63 - 1, -(2**63), 2**53 + 1, -(2**53) - 1, 0]
METHODS = ["mdav", "v-mdav", "pca", "individual", "optimal-univariate"]


def rounded(numbers, kind=None, k=1, **options):
    data = ds.read(pa.table({"x": pa.array(numbers, kind)}), keys=["x"])
    return ds.microaggregate(data, ["x"], k=k, round=True, **options).to("arrow")["x"]


def exact_mean(values):
    """The twin: the mean as a fraction, rounded with halves to the even number."""
    return round(sum(map(Fraction, values), Fraction(0)) / len(values))


@examples(10)
@pytest.mark.parametrize("preserve", [True, False])
@pytest.mark.parametrize(("kind", "values"), [("int64", INT64), ("uint64", UINT64)])
@given(st.data())
def test_groups_of_one_keep_their_values(kind, values, preserve, data):
    numbers = data.draw(st.lists(values, min_size=1, max_size=8))
    masked = rounded(numbers, kind, preserve_variance=preserve)
    assert masked.to_pylist() == numbers
    assert masked.type == kind


@pytest.mark.parametrize("method", METHODS)
def test_the_largest_numbers_are_left_alone_by_groups_of_one(method):
    assert rounded(EDGES, "int64", method=method).to_pylist() == EDGES
    assert rounded(EDGES, "int64", method=method, preserve_variance=True).to_pylist() == EDGES


@examples(200)
@given(st.lists(INT64 | st.integers(-3, 3) | UINT64, min_size=1, max_size=9), st.data())
@example([2**63 - 1] * 3, None)
def test_whole_means_are_exact(numbers, data):
    cut = data.draw(st.integers(0, len(numbers))) if data else 0
    groups = np.array([int(at >= cut) for at in range(len(numbers))]) - (1 if cut == 0 else 0)
    found = whole_means(np.array(numbers, dtype=object), groups).tolist()
    parts = [numbers[:cut], numbers[cut:]]
    expected = [exact_mean(p) for p in parts for _ in p]
    assert found == expected


@examples(10)
@given(st.lists(INT64, min_size=2, max_size=9))
@example([2**63 - 1, 2**63 - 2])
@example([1, 2, 2, 3])
def test_a_group_of_all_gets_the_mean_of_all(numbers):
    masked = rounded(numbers, "int64", k=len(numbers)).to_pylist()
    assert masked == [exact_mean(numbers)] * len(numbers)


def test_halves_go_to_the_even_number():
    assert rounded([1, 2], k=2).to_pylist() == [2, 2]
    assert rounded([2, 3], k=2).to_pylist() == [2, 2]
    assert rounded([-1, -2], k=2).to_pylist() == [-2, -2]
    assert rounded([2**60, 2**60 + 1], k=2).to_pylist() == [2**60] * 2


def test_large_numbers_are_grouped_by_their_exact_order():
    """As floating-point numbers the eight are one and the same."""
    numbers = [2**63 - 1 - (5 * i) % 8 for i in range(8)]
    ordered = sorted(numbers)
    pairs = {v: exact_mean(ordered[at : at + 2]) for at in (0, 2, 4, 6) for v in ordered[at:at + 2]}  # fmt: skip
    for method in METHODS:
        masked = rounded(numbers, "int64", k=2, method=method, preserve_variance=False)
        assert masked.to_pylist() == [pairs[v] for v in numbers], method


@examples(20)
@given(st.lists(INT64 | st.integers(0, 40), min_size=4, max_size=25), st.integers(1, 4))
@example([0, 0, 0, 0, 100, 100, 100, 103], 3)
def test_a_rounded_average_lies_within_the_range(numbers, k):
    for method in ("mdav", "fixed"):
        masked = rounded(numbers, "int64", k, method=method, preserve_variance=True)
        assert min(numbers) <= min(masked.to_pylist())
        assert max(masked.to_pylist()) <= max(numbers)
        assert masked.type == "int64"


def test_rescaled_averages_would_leave_the_range_and_are_brought_back():
    numbers = [0, 0, 0, 1, 60, 61, 61, 61, 61]
    data = ds.read({"x": numbers}, keys=["x"])
    free = np.array(ds.microaggregate(data, k=3).to("arrow")["x"])
    assert free.max() > 61.5
    assert max(rounded(numbers, k=3).to_pylist()) == 61


def test_few_values_average_to_one_of_them():
    """Codes that were said to be continuous: no group gets a code that does not exist."""
    rng = np.random.default_rng(3)
    codes = rng.choice([1, 2, 4, 9], 400)
    data = ds.read(
        {"roof": codes, "size": rng.normal(size=400)},
        keys=["roof", "size"],
        types={"roof": "continuous"},
    )
    for preserve in (True, False):
        masked = ds.microaggregate(data, k=7, round=True, preserve_variance=preserve)
        assert set(masked.to("arrow")["roof"].to_pylist()) <= {1, 2, 4, 9}
        plain = ds.microaggregate(data, k=7, preserve_variance=preserve).to("arrow")["roof"]
        assert len(set(plain.to_pylist()) - {1, 2, 4, 9}) > 0


def test_of_two_values_equally_near_the_lower_one_is_taken():
    data = ds.read({"x": [1] * 100 + [9] * 100}, keys=["x"], types={"x": "continuous"})
    found = ds.microaggregate(data, k=200, round=True).to("arrow")["x"].to_pylist()
    assert found == [1] * 200


def test_few_values_of_many_records_are_meant_not_few_records():
    assert rounded([1, 9], k=2).to_pylist() == [5, 5]


def test_decimals_keep_their_digits():
    numbers = [decimal.Decimal(v) for v in ("0.10", "0.11", "0.12", "7.00", "7.01")]
    masked = rounded(numbers, pa.decimal128(10, 2), k=2, preserve_variance=False)
    assert masked.type == pa.decimal128(10, 2)
    groups = [numbers[:2], numbers[2:]], [numbers[:3], numbers[3:]]
    expected = [
        [decimal.Decimal(round(100 * sum(map(Fraction, p)) / len(p))).scaleb(-2) for p in g
         for _ in p]
        for g in groups
    ]  # fmt: skip
    assert masked.to_pylist() in expected
    assert rounded(numbers, pa.decimal128(10, 2)).to_pylist() == numbers
    wide = [decimal.Decimal(10**37 + 3), decimal.Decimal(10**37 + 4), decimal.Decimal(-5)]
    assert rounded(wide, pa.decimal128(38, 0)).to_pylist() == wide


def test_numbers_that_are_not_exact_are_not_rounded():
    data = ds.read({"x": [0.25, 0.5, 3.0, 4.0]}, keys=["x"])
    masked = ds.microaggregate(data, k=2, round=True, preserve_variance=False).to("arrow")["x"]
    assert masked.to_pylist() == [0.375, 0.375, 3.5, 3.5]


def test_without_rounding_averages_stay_as_they_are():
    data = ds.read({"x": [1, 2, 10, 13]}, keys=["x"])
    masked = ds.microaggregate(data, k=2, preserve_variance=False).to("arrow")["x"]
    assert masked.to_pylist() == [1.5, 1.5, 11.5, 11.5]


# -- means and spreads ---------------------------------------------------------------------------


@examples(100)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_mean_and_spread_are_those_of_a_sample(values):
    mean, spread = mean_and_spread(np.array(values))
    exact = list(map(Fraction, values))
    assert mean == pytest.approx(float(statistics.mean(exact)), rel=1e-9, abs=1e-9)
    of_sample = float(statistics.stdev(exact)) if len(values) > 1 else 0.0
    assert spread == pytest.approx(of_sample, rel=1e-9, abs=1e-8)


def test_the_spread_of_a_sample_is_by_one_record_less():
    assert mean_and_spread(np.array([1.0, 3.0])) == (2.0, 2**0.5)
    assert mean_and_spread(np.array([1.0, 2.0, 6.0])) == (3.0, 7**0.5)
    assert mean_and_spread(np.array([5.0])) == (5.0, 0.0)


def test_what_is_rescaled_has_the_mean_and_spread_of_the_original():
    masked, original = np.array([1.0, 1, 5, 5]), np.array([0.0, 2, 3, 7])
    found = mean_and_spread(rescaled(masked, original))
    assert found == pytest.approx(mean_and_spread(original))
    constant = np.array([3.0, 3, 3, 3])
    assert rescaled(constant, original) is constant
    same = original[::-1].copy()
    assert rescaled(same, original) is same


# -- strata --------------------------------------------------------------------------------------


@examples(10)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 50)), min_size=12, max_size=40),
    st.sampled_from([2, 3]),
)
def test_means_and_variances_of_the_strata_are_preserved(rows, k):
    rows = [*rows, *(("a", i) for i in range(3)), *(("b", i) for i in range(3))]
    data = ds.read({"s": [s for s, _ in rows], "x": [float(x) for _, x in rows]}, keys=["x"])
    for method in ("mdav", "fixed"):
        masked = ds.microaggregate(data, k=k, by="s", preserve_variance=True, method=method)
        plain = ds.microaggregate(data, k=k, by="s", preserve_variance=False, method=method)
        now, means = (np.array(m.to("arrow")["x"]) for m in (masked, plain))
        for stratum in "ab":
            at = np.array([s == stratum for s, _ in rows])
            before = np.array([x for _, x in rows], dtype=float)[at]
            assert now[at].mean() == pytest.approx(before.mean(), abs=1e-9)
            if means[at].std() > 1e-9:  # one average for all has no variance to preserve
                assert now[at].std() == pytest.approx(before.std(), rel=1e-9)
