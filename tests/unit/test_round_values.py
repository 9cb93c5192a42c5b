"""Rounding: right on average, never far off, in the type that the column has."""

import decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import InvalidParameter
from discreet.masking.round_values import OnMultiples, _rounded


def rounded(values, base, kind="nearest", seed=None):
    data = ds.read({"x": values}, keys=["x"], types={"x": "continuous"})
    return ds.round_values(data, "x", base, kind=kind, seed=seed).to("arrow")["x"]


def test_halves_go_to_the_even_multiple():
    assert rounded([50, 150, 250, -50, -150], 100).to_pylist() == [0, 200, 200, 0, -200]
    assert rounded([0.5, 1.5, 2.5, -0.5], 1).to_pylist() == [0.0, 2.0, 2.0, 0.0]


def test_a_base_is_taken_as_it_is_written():
    assert rounded([0.3, 0.7, 0.55], 0.1, "nearest").to_pylist() == [0.3, 0.7, 0.6]
    assert rounded([0.3, 0.7], 0.1, "unbiased", 1).to_pylist() == [0.3, 0.7]  # multiples stay


@given(
    st.lists(
        st.tuples(st.integers(-(2**40), 2**40), st.floats(0, 1, exclude_max=True)), min_size=1
    ),
    st.integers(1, 999),
)
def test_whole_numbers_stay_whole_and_near(cases, base):
    values, draws = pa.array([x for x, _ in cases]), np.array([u for _, u in cases])
    for kind, used in (("unbiased", draws), ("nearest", None)):
        made = _rounded(values, Fraction(base), used)
        assert made.type == pa.int64()
        for (x, u), y in zip(cases, made.to_pylist(), strict=True):
            assert y % base == 0
            assert abs(x - y) < base if kind == "unbiased" else 2 * abs(x - y) <= base
            if kind == "unbiased":
                assert (y > x) == (u < (x % base) / base)


@pytest.mark.parametrize("value", [149, 0.1, 99.9, -37.5])
def test_unbiased_rounding_is_right_on_average(value):
    n = 20_000
    made = rounded(pa.array([float(value)] * n), 100, "unbiased", 3).to_numpy()
    low = np.floor(value / 100) * 100
    p = (value - low) / 100
    assert abs(made.mean() - value) < 3 * 100 * np.sqrt(p * (1 - p) / n)
    assert set(made) <= {low, low + 100}


@pytest.mark.parametrize(
    ("values", "base", "expected"),
    [
        (pa.array([1, None, 99], pa.int8()), 100, pa.int8()),
        (pa.array([1, None, 127], pa.int8()), 100, pa.int8()),
        (pa.array([1, None, 127], pa.int8()), 200, pa.int64()),  # 200 does not fit into a byte
        (pa.array([2**62 + 5, None], pa.int64()), 10, pa.int64()),
        (pa.array([1.5, None], pa.float32()), 1, pa.float32()),
        (
            pa.array([decimal.Decimal("1.26"), None], pa.decimal128(10, 2)),
            0.5,
            pa.decimal128(10, 2),
        ),
    ],
)
def test_types_stay_where_the_multiples_fit(values, base, expected):
    made = rounded(values, base)
    assert made.null_count == 1
    assert made.type == expected
    for x, y in zip(values.to_pylist(), made.to_pylist(), strict=True):
        assert x is None or Fraction(y) % Fraction(str(base)) == 0


def test_a_base_finer_than_the_numbers_is_refused():
    with pytest.raises(
        InvalidParameter, match=r"base= has more digits than 'x', which holds whole"
    ):
        rounded([1, 2], 0.5)
    price = pa.array([decimal.Decimal("1.26")], pa.decimal128(10, 2))
    with pytest.raises(InvalidParameter, match=r"which holds decimals with 2 digits"):
        rounded(price, 0.005)


def test_problems_are_told_at_once():
    data = ds.read({"x": ["a", "b"], "y": [1.0, 2.0]}, keys=["x"])
    with pytest.raises(InvalidParameter) as caught:
        ds.round_values(data, ["x", "z"], base=0, kind="down")
    assert sorted(p.code for p in caught.value.problems) == ["D12", "P10", "P15", "P16", "R01"]
    with pytest.raises(ds.DiscreetError, match=r"D12.* infinite"):
        rounded([1.0, float("inf")], 10)


def test_only_rounding_at_random_perturbs():
    data = ds.read({"x": [1, 12, 27]}, keys=["x"], types={"x": "continuous"})
    assert ds.round_values(data, "x", 10, seed=1).perturbed == {"x"}
    assert ds.round_values(data, "x", 10, kind="nearest").perturbed == frozenset()


def test_a_broken_promise_is_noticed():
    data = ds.read({"x": [1.0, 12.0, None]}, keys=["x"], types={"x": "continuous"})
    masked = ds.round_values(data, "x", 10, seed=1)
    assert OnMultiples(data, ("x",), Fraction(10), "unbiased").broken(masked) == []
    assert "not rounded" in OnMultiples(data, ("x",), Fraction(7), "unbiased").broken(masked)[0]


@pytest.mark.parametrize("kind", ["nearest", "unbiased"])
@pytest.mark.parametrize(("base", "wide"), [(0.1, True), (0.01, True), (0.5, False), (10, False)])
def test_floats_of_32_bits_become_wider_where_they_do_not_hold_the_multiples(kind, base, wide):
    data = ds.read(pa.table({"c": pa.array([12.34, 56.78, 99.99, None], pa.float32())}))
    seed = {"seed": 1} if kind == "unbiased" else {}
    made = ds.round_values(data, ["c"], base, kind=kind, **seed).to("arrow")["c"]
    assert made.type == (pa.float64() if wide else pa.float32())
    assert made.null_count == 1
    for one in made.to_pylist()[:3]:
        assert one / base == pytest.approx(round(one / base))


LIMITS = {
    "int64": ([2**63 - 1, 5, 6], 10, [2**63 + 2, 0, 10]),
    "negative": ([-(2**63), 1, 4], 5, [-(2**63) - 2, 0, 5]),
    "uint64": ([2**64 - 1, 1, 6], 10, [2**64 + 4, 0, 10]),
}


@pytest.mark.parametrize(("values", "base", "rounded"), LIMITS.values(), ids=list(LIMITS))
def test_whole_numbers_at_the_limits_of_64_bits_are_rounded_exactly(values, base, rounded):
    kind = pa.uint64() if max(values) > 2**63 else pa.int64()
    data = ds.read(pa.table({"c": pa.array(values, kind)}), types={"c": "continuous"})
    made = ds.round_values(data, ["c"], base, kind="nearest").to("arrow")["c"].to_pylist()
    assert [int(one) for one in made] == rounded


@pytest.mark.parametrize(("value", "base"), [(1e9 + 0.25, 1), (6e8 + 0.5, 1), (1e12 + 25, 100)])
def test_large_amounts_are_rounded_up_as_often_as_small_ones(value, base):
    n = 2000
    made = rounded(pa.array([value] * n), base, "unbiased", 3).to_numpy()
    up = value % base / base
    assert abs(((made - value) / base).mean()) < 4 * np.sqrt(up * (1 - up) / n)


@given(st.integers(-(10**9), 10**9), st.sampled_from([1, 3, 7, 12, 100, 0.1, 0.3, 0.07]))
def test_multiples_of_a_base_stay_as_they_are_stored(number, base):
    multiple = number * Fraction(str(base))
    for dtype in (pa.float64(), pa.float32()):
        made = _rounded(pa.array([float(multiple)], dtype), Fraction(str(base)), np.array([0.0]))
        assert made.cast(dtype).to_pylist() == pa.array([float(multiple)], dtype).to_pylist()
