"""Class sizes: from packed codes against a slow twin, and the engine's column of sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as ds
from discreet import engine
from discreet.kernels import packing

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
HUGE = 2**40  # three of them exceed 64 bits


def class_sizes(codes: list[np.ndarray], cardinalities: list[int]) -> np.ndarray:
    _, owner = packing.merged(codes, cardinalities)
    return np.bincount(owner)[owner]


def slow_class_sizes(codes: list[np.ndarray]) -> np.ndarray:
    """Distinct rows, their counts, and the count of each row's own."""
    rows = np.column_stack([np.asarray(c).astype(np.int64) for c in codes])
    _, inverse, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return counts[inverse.ravel()]


def drawn(n: int, cardinalities: list[int], seed: int, dtype: type = np.int64) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, c, n).astype(dtype) for c in cardinalities]


def test_records_alike_count_each_other() -> None:
    codes = [np.array([1, 3, 2, 2, 1]), np.array([0, 0, 0, 0, 1])]
    assert class_sizes(codes, [4, 2]).tolist() == [1, 1, 2, 2, 1]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("cardinalities", [[7, 2, 5], [100, 100, 100, 100, 100]])
def test_every_integer_type_gives_the_same_sizes(dtype: type, cardinalities: list[int]) -> None:
    codes = drawn(3000, [min(c, 9) for c in cardinalities], seed=1, dtype=dtype)
    assert np.array_equal(class_sizes(codes, cardinalities), slow_class_sizes(codes))


def test_columns_may_differ_in_type_and_in_layout() -> None:
    codes = drawn(1000, [3, 4, 5, 6], seed=2)
    mixed = [
        codes[0].astype(np.int8),
        codes[1].astype(np.uint64),
        np.repeat(codes[2], 2)[::2],
        codes[3].astype(np.int32),
    ]
    mixed[0].flags.writeable = False
    for cardinalities in ([3, 4, 5, 6], [3, HUGE, HUGE, 6]):
        assert np.array_equal(class_sizes(mixed, cardinalities), slow_class_sizes(codes))


@pytest.mark.parametrize("cardinalities", [[5], [5, 5], [HUGE] * 3, [0, HUGE]])
def test_no_records_have_no_sizes(cardinalities: list[int]) -> None:
    sizes = class_sizes([np.empty(0, dtype=np.int64) for _ in cardinalities], cardinalities)
    assert sizes.shape == (0,)
    assert sizes.dtype == np.int64


@pytest.mark.parametrize("cardinalities", [[1], [5, 5], [HUGE] * 3])
def test_one_record_is_alone(cardinalities: list[int]) -> None:
    assert class_sizes([np.array([0]) for _ in cardinalities], cardinalities).tolist() == [1]


@pytest.mark.parametrize("cardinality", [1, 2, 1000, 2**24, 2**24 + 1, 2**62, 2**63])
def test_one_column_of_any_cardinality(cardinality: int) -> None:
    codes = [np.array([0, cardinality - 1, 0, 0, (cardinality - 1) // 2], dtype=np.int64)]
    assert np.array_equal(class_sizes(codes, [cardinality]), slow_class_sizes(codes))


@pytest.mark.parametrize("integer", [int, np.int32, np.int64])
def test_a_product_beyond_64_bits_does_not_wrap_around(integer: type) -> None:
    cardinalities = [integer(2**16)] * 5  # 2**80, which wraps around to 0
    codes = [np.minimum(c * 2**15, 2**16 - 1) for c in drawn(2000, [3] * 5, seed=3)]
    assert np.array_equal(class_sizes(codes, cardinalities), slow_class_sizes(codes))


def test_the_last_cell_of_a_full_table_is_counted() -> None:
    cardinalities = [2**8, 2**8, 2**8]
    codes = [np.array([255, 0, 255]), np.array([255, 0, 255]), np.array([255, 0, 255])]
    assert class_sizes(codes, cardinalities).tolist() == [2, 1, 2]


@pytest.mark.parametrize("n", [packing._BLOCK - 1, packing._BLOCK, packing._BLOCK + 1, 50_000])
def test_blocks_join_without_a_seam(n: int) -> None:
    codes = drawn(n, [50, 20, 4], seed=n)
    assert np.array_equal(class_sizes(codes, [50, 20, 4]), slow_class_sizes(codes))


@pytest.mark.parametrize("values", [1, 2, 1000, 2**40])
@pytest.mark.parametrize("n", [1, 2, 2048, 40_961])
def test_parts_of_any_size_are_counted(n: int, values: int) -> None:
    codes = drawn(n, [values, 1], seed=4)
    assert np.array_equal(class_sizes(codes, [HUGE, HUGE]), slow_class_sizes(codes))


def test_the_codes_are_not_changed() -> None:
    codes = drawn(500, [4, 4], seed=5)
    before = [c.copy() for c in codes]
    class_sizes(codes, [4, 4])
    class_sizes(codes, [HUGE, HUGE])
    assert all(np.array_equal(a, b) for a, b in zip(codes, before, strict=True))


@settings(deadline=None)  # the first call compiles
@given(data=st.data())
def test_equals_its_slow_twin(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 60))
    limits = st.sampled_from([1, 2, 3, 10, 300, 2**20, 2**33, 2**62])
    cardinalities = data.draw(st.lists(limits, min_size=1, max_size=6))
    codes = [
        np.array(data.draw(st.lists(_codes_below(c), min_size=n, max_size=n)))
        for c in cardinalities
    ]
    assert np.array_equal(class_sizes(codes, cardinalities), slow_class_sizes(codes))


def _codes_below(cardinality: int) -> st.SearchStrategy[int]:
    # few values, near both ends: classes of more than one record must be common
    low, high = st.integers(0, min(2, cardinality - 1)), st.just(cardinality - 1)
    return st.one_of(low, high)


# -- the engine's sizes ------------------------------------------------------------------------


def test_the_engine_gives_the_sizes_of_the_kernel_in_the_order_of_the_records() -> None:
    codes = drawn(5000, [6, 3, 4], seed=6)
    frame = dict(zip("abc", codes, strict=True))
    found = ds.read(frame, keys=["a", "b", "c"]).class_sizes()
    assert found.dtype == np.int64
    assert np.array_equal(found, class_sizes(codes, [6, 3, 4]))


def test_a_missing_key_is_a_category_of_its_own() -> None:
    frame = {"a": [1.0, None, None, 1.0, 2.0], "b": ["x", "y", "y", None, None]}
    assert ds.read(frame, keys=["a", "b"]).class_sizes().tolist() == [1, 2, 2, 1, 1]


def test_class_sizes_hold_no_second_copy_of_the_table(tmp_path) -> None:
    path = tmp_path / "billing.parquet"
    ds.read(ds.datasets.billing(100)).write(path)
    data = ds.read(path, keys=["Age", "Sex"])
    table = engine.with_class_size(data.source, data.keys, "size")
    # a common table expression that is used twice is materialised by DuckDB
    assert "WITH" not in table.get_backend().compile(table)
    assert table.columns == (*data.source.table.columns, "size")
