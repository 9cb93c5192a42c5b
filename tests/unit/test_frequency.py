"""Frequency sets: coding, roll-up, class sizes per record, and the path past 64 bits."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.packing import fits, pack


def frequency_set(columns, names=None):
    data = ds.read(columns, keys=list(columns))
    return data.frequency_set(names)


def as_counts(found):
    rows = zip(
        *(v.take(pa.array(c)).to_pylist() for v, c in zip(found.values, found.codes, strict=True)),
        strict=True,
    )
    return dict(zip(rows, found.counts.tolist(), strict=True))


def test_a_frequency_set_counts_each_combination_and_a_missing_value_is_one_of_them():
    found = frequency_set({"a": [2, 1, None, 2], "b": ["x", "y", "x", "x"]})
    assert as_counts(found) == {(1, "y"): 1, (2, "x"): 2, (None, "x"): 1}
    assert (len(found), found.n, found.missing) == (3, 4, (2, -1))


def test_codes_are_ranks_with_missing_last():
    found = frequency_set({"a": ["b", None, "a", "B"]})
    assert found.values[0].to_pylist() == ["B", "a", "b", None]


def test_codes_follow_an_ordinal_scale_where_there_is_one():
    data = ds.read(
        {"e": ["high", "low", "middle"]}, keys=["e"], types={"e": ["low", "middle", "high"]}
    )
    assert data.frequency_set().values[0].to_pylist() == ["low", "middle", "high"]


def test_frequency_sets_are_equal_whatever_the_order_of_the_rows():
    columns = {"a": [2, 1, 2, 3], "b": ["x", "y", "x", "z"]}
    turned = {name: column[::-1] for name, column in columns.items()}
    assert frequency_set(columns) == frequency_set(turned)
    assert frequency_set(columns) != frequency_set({"a": [2, 1, 2, 2], "b": ["x", "y", "x", "z"]})


tables = st.integers(1, 4).flatmap(
    lambda d: st.lists(
        st.tuples(*[st.one_of(st.none(), st.integers(0, 3))] * d), min_size=1, max_size=40
    )
)


@given(tables, st.data())
def test_rolling_up_equals_counting_again(rows, draw):
    columns = {
        f"k{i}": pa.array(column, pa.int64()) for i, column in enumerate(zip(*rows, strict=True))
    }
    chosen = draw.draw(st.permutations(list(columns)))[: draw.draw(st.integers(1, len(columns)))]
    rolled = frequency_set(columns).rollup(chosen)
    assert as_counts(rolled) == as_counts(frequency_set(columns, chosen))


@given(tables)
def test_class_sizes_of_records_equal_a_plain_count(rows):
    columns = {
        f"k{i}": pa.array(column, pa.int64()) for i, column in enumerate(zip(*rows, strict=True))
    }
    found = ds.read(columns, keys=list(columns))
    assert found.class_sizes().tolist() == [rows.count(row) for row in rows]


def test_class_sizes_look_up_the_codes_of_any_records():
    codes = (np.array([0, 0, 1], dtype=np.int32), np.array([0, 1, 0], dtype=np.int32))
    values = (pa.array([1, 2]), pa.array(["x", "y"]))
    found = FrequencySet(("a", "b"), values, codes, np.array([5, 6, 7]))
    asked = (np.array([1, 1, 0]), np.array([0, 1, 1]))
    assert found.class_sizes(asked).tolist() == [7, 0, 6]


def test_packing_is_safe_when_the_product_of_cardinalities_overflows():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2, 200) * (2**40 - 1) for _ in range(6)]
    cardinalities = [2**40] * 6
    assert not fits(cardinalities)
    packed, _ = pack(columns, cardinalities)
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    assert len(set(packed.tolist())) == len(set(rows))
    assert [rows[i] for i in np.argsort(packed, kind="stable")] == sorted(rows)


def test_packing_is_safe_when_a_single_column_nearly_fills_64_bits():
    codes = [np.arange(5), np.array([2**62 - 1, 0, 1, 2, 3])]
    packed, bound = pack(codes, [5, 2**62])
    assert len(set(packed.tolist())) == 5
    assert packed.max() < bound


def test_rolling_up_to_an_unknown_attribute_names_what_may_be_meant():
    with pytest.raises(ds.DiscreetError, match="Did you mean 'age'"):
        frequency_set({"age": [1, 2]}).rollup(["aeg"])
