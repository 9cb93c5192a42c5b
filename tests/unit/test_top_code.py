"""Top and bottom coding: one code for a tail, of k records or more."""

import decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import InvalidData, InvalidParameter
from discreet.masking.top_code import CodedTail, OneCode


def survey(values, **more):
    return ds.read({"x": values}, keys=["x"], types={"x": "continuous"}, **more)


def coded(values, *given, **more):
    return ds.top_code(survey(values), *given, **more).to("arrow")["x"]


INCOMES = [10, 20, 20, 30, 40, 50, 60, 70, 80, 900]


def test_a_threshold_and_a_quantile():
    assert coded(INCOMES, {"x": 60}).to_pylist() == [10, 20, 20, 30, 40, 50, 60, 60, 60, 60]
    # the smallest value that 0.7 of the records do not exceed is the seventh
    assert coded(INCOMES, {"x": 0.7}).to_pylist() == [10, 20, 20, 30, 40, 50, 60, 60, 60, 60]
    assert coded(INCOMES, bottom={"x": 0.2}).to_pylist() == [
        20,
        20,
        20,
        30,
        40,
        50,
        60,
        70,
        80,
        900,
    ]


def test_one_is_a_threshold_and_a_quantile_lies_between():
    assert coded([1, 2, 3, 4, 5], {"x": 1}).to_pylist() == [1, 1, 1, 1, 1]
    assert coded([1, 2, 3, 4, 5], {"x": 1.0}).to_pylist() == [1, 1, 1, 1, 1]
    assert coded([1, 2, 3, 4, 5], {"x": 0.5}).to_pylist() == [1, 2, 3, 3, 3]


def test_the_mean_of_a_tail_keeps_the_mean_of_the_column():
    values = np.random.default_rng(1).lognormal(8, 1, 1000)
    made = coded(values, {"x": 0.9}, bottom={"x": 0.1}, replace="mean").to_numpy()
    assert made.mean() == pytest.approx(values.mean(), rel=1e-12)
    assert len(set(made)) == 1000 - 100 - 101 + 2


def test_whole_numbers_stay_whole_unless_a_mean_is_asked_for():
    assert coded(pa.array(INCOMES, pa.int16()), {"x": 60}).type == pa.int16()
    assert coded(INCOMES, {"x": 60}, replace="mean").type == pa.float64()
    rounded = coded(INCOMES, {"x": 60}, replace="mean", round=True)
    assert rounded.type == pa.int64()
    assert rounded.to_pylist()[-1] == 278  # 277.5, to the even one
    price = pa.array([decimal.Decimal(x) / 4 for x in range(9)], pa.decimal128(9, 2))
    made = coded(price, {"x": 1.5}, replace="mean", round=True)
    assert made.type == pa.decimal128(9, 2)
    assert made.to_pylist()[-1] == decimal.Decimal("1.75")


def test_a_category_makes_text():
    masked = ds.top_code(survey(INCOMES), {"x": 60}, bottom={"x": 20}, replace="category")
    assert masked.to("arrow")["x"].to_pylist()[:4] == ["≤ 20", "≤ 20", "≤ 20", "30"]
    assert masked.to("arrow")["x"].to_pylist()[-1] == "≥ 60"
    assert masked.types["x"].measure == "nominal"


def test_missing_values_stay_missing():
    assert coded([1.0, None, 5.0, 6.0, 7.0], {"x": 5}).to_pylist() == [1.0, None, 5.0, 5.0, 5.0]


def test_a_tail_of_few_is_refused_with_its_size():
    with pytest.raises(InvalidData, match=r"\[D48\]: the top tail of 'x' has 1 record, fewer than"):
        coded(INCOMES, {"x": 0.99})
    with pytest.raises(InvalidData, match="0 records"):
        coded(INCOMES, {"x": 10_000}, k=1)


def test_problems_are_told_at_once():
    data = ds.read({"x": [1, 2, 3], "sex": list("MFM"), "rec": [1, 2, 3]}, record_id="rec")
    with pytest.raises(InvalidParameter) as caught:
        ds.top_code(data, {"sex": 0.5, "rec": 2, "y": 1, "x": "?"}, k=0, replace="median")
    codes = {p.code for p in caught.value.problems}
    assert codes == {"P07", "P16", "R01", "R04", "P10", "D12"}
    assert "?" not in str(caught.value)
    with pytest.raises(InvalidParameter, match="no column is named"):
        ds.top_code(data)
    with pytest.raises(InvalidParameter, match="two tails of 'x' overlap"):
        coded(INCOMES, {"x": 20}, bottom={"x": 60})
    with pytest.raises(InvalidParameter, match="more digits than its values"):
        coded(INCOMES, {"x": 60.5})


def test_coding_does_not_perturb_and_says_how_many():
    masked = ds.top_code(survey(INCOMES), {"x": 60})
    assert masked.perturbed == frozenset()
    assert masked.steps[-1].parameters["replaced"] == {"top": 4, "bottom": 0}
    assert ds.risk(masked).k == 1  # 10 is alone
    assert ds.readings(masked.initial, masked).source is not None


def test_a_broken_promise_is_noticed():
    masked = ds.top_code(survey(INCOMES), {"x": 60})
    table = masked.covers["x"][0]
    tail = CodedTail("x", "top", 60, 4)
    assert OneCode((tail,), 3, {"x": table}, 10).broken(masked) == []
    assert OneCode((tail,), 5, {"x": table}, 11).broken(masked) != []


@pytest.mark.parametrize("bottom", [None, {"c": -1e308}])
def test_the_mean_of_a_tail_is_finite_where_its_sum_is_not(bottom):
    values = [1.7e308, 1.6e308, 1.5e308, -1.7e308, -1.6e308, -1.5e308, 1.0, 2.0, 3.0]
    made = ds.top_code(ds.read({"c": values}), {"c": 1e308}, bottom=bottom, replace="mean")
    found = made.to("arrow")["c"].to_pylist()
    assert found[:3] == [1.6e308] * 3
    assert found[3:6] == ([-1.6e308] * 3 if bottom else values[3:6])


def test_a_threshold_is_taken_exactly():
    large = 2**53
    assert coded([large - 1, large, large + 1, large + 2], {"x": large + 1}, k=2).to_pylist() == [
        large - 1, large, large + 1, large + 1,
    ]  # fmt: skip
    prices = pa.array([decimal.Decimal(v) for v in ("1.00", "1.10", "1.15", "3.00")])
    assert coded(prices, {"x": 1.1}, k=2).to_pylist() == list(
        map(decimal.Decimal, ("1.00", *["1.10"] * 3))
    )
    with pytest.raises(InvalidParameter, match=r"P10.* has more digits"):
        coded(prices, {"x": 1.105}, k=1)  # 1.10 is not in its tail, and 1.105 cannot be stored
    with pytest.raises(InvalidParameter, match=r"P10.* or is too large"):
        coded(pa.array([1, 2, 3], pa.int8()), bottom={"x": 200})


def test_a_share_is_a_quantile_whatever_kind_of_number_it_is():
    for half in (0.5, np.float32(0.5), Fraction(1, 2)):
        assert coded([1.0, 2.0, 3.0, 4.0, 5.0], {"x": half}).to_pylist() == [
            1.0,
            2.0,
            3.0,
            3.0,
            3.0,
        ]


def test_the_rounded_mean_of_long_decimals_keeps_all_of_its_digits():
    long = [decimal.Decimal(f"12345678901234567890123456789.{end}") for end in ("10", "30", "50")]
    made = coded(pa.array(long, pa.decimal128(38, 2)), {"x": 0.5}, replace="mean", round=True, k=2)
    assert made.to_pylist()[1:] == [decimal.Decimal("12345678901234567890123456789.40")] * 2
