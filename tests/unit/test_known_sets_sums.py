"""Reach, spent and total of every record: the kernel against its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.known_sets.cells import cells, record_sums
from discreet.kernels.known_sets.unions import known_sets, unions
from tests.known_sets_files import constants, drawn, files, ways
from tests.known_sets_twin import slow_sums


def assert_same(found, expected) -> None:
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@given(files(), ways)
def test_equals_its_slow_twin(file, way) -> None:
    columns, radices, sets, pk, weights = file
    with constants(**way):
        found = record_sums(columns, radices, sets, pk, weights)
    assert_same(found, slow_sums(columns, sets, pk, weights))


@given(files(), ways, st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter_to_the_last_bit(file, way, random) -> None:
    columns, radices, sets, pk, weights = file
    order = np.array(random.sample(range(len(columns[0])), len(columns[0])))
    with constants(**way):
        first = record_sums(columns, radices, sets, pk, weights)
        second = record_sums([c[order] for c in columns], radices, sets, pk, weights)
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one[order], other)


@given(files(), st.sampled_from([1, 8, 2**12]))
def test_threads_parts_and_blocks_do_not_matter_to_the_last_bit(file, room) -> None:
    with constants(cells=room):
        whole = record_sums(*file, threads=1)
    with constants(cells=room, part=3, stretch=2, block=2):
        split = record_sums(*file, threads=3)
    for one, other in zip(whole, split, strict=True):
        assert np.array_equal(one, other)


@given(files(), ways, st.randoms(use_true_random=False))
def test_cells_counted_elsewhere_give_the_same_sums_to_the_last_bit(file, way, random) -> None:
    """What an engine does: GROUP BY each union, cells in any order, look up, add in the order."""
    columns, radices, sets, pk, weights = file
    n = len(columns[0])
    reach, spent = np.full(n, pk[0] / n), np.zeros(n)
    with constants(**way):
        for union in unions(sets, radices, n):
            rows = np.column_stack([columns[a].astype(np.int64) for a in union.attributes])
            tuples, at, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
            order = np.array(random.sample(range(len(counts)), len(counts)))
            back = np.argsort(order)[at.ravel()]
            codes = [tuples[order, i] for i in range(len(union.attributes))]
            sums = cells(union, codes, counts[order], radices, sets, pk, weights)
            reach, spent = reach + sums[0][back], spent + sums[1][back]
        found = record_sums(columns, radices, sets, pk, weights)
    assert np.array_equal(found[0], reach)
    assert np.array_equal(found[1], spent)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("room", [1, 2**12])
def test_a_larger_file_with_tables_refined_sets_and_real_threads(threads, room) -> None:
    radices = [900, 40, 12, 5, 2]
    columns = [c[:300_000] for c in drawn(300_000, radices, seed=1)]
    sets, pk = known_sets([0.4, 0.5, 0.6, 0.5, 0.9], 0.02, limit=100)
    weights = [None, np.linspace(0, 1, 40), None, np.array([0, 0.2, 1, 0.5, 0]), np.ones(2)]
    with constants(cells=room):
        reach, spent, total = record_sums(columns, radices, sets, pk, weights, threads=threads)
    expected = np.zeros(300_000)
    for known, probability in zip(sets, pk, strict=True):
        packed = np.zeros(300_000, dtype=np.int64)
        for a in known:
            packed = packed * radices[a] + columns[a]
        _, at, counts = np.unique(packed, return_inverse=True, return_counts=True)
        unknown = [a for a in (1, 3, 4) if a not in known]
        expected += probability / counts[at] * sum(weights[a][columns[a]] for a in unknown)
    np.testing.assert_allclose(total * reach - spent, expected, rtol=1e-11)


def test_one_record_reaches_the_sum_of_all_pk() -> None:
    sets, pk = known_sets([0.5, 0.25], 0, limit=10)
    reach, spent, total = record_sums(
        [np.array([0]), np.array([2])], [1, 3], sets, pk, [np.array([0.5]), np.array([0, 0, 1.0])]
    )
    assert reach.tolist() == [1 + 0.5 + 0.25 + 0.125]
    assert spent.tolist() == [0.5 * 0.5 + 0.25 * 1 + 0.125 * 1.5]
    assert total.tolist() == [1.5]


def test_no_records_have_no_sums() -> None:
    empty = np.empty(0, np.uint8)
    found = record_sums(
        [empty, empty], [2, 5000], [(), (0,), (1,)], np.array([1, 0.5, 0.5]), [None] * 2
    )
    assert [len(part) for part in found] == [0, 0, 0]


def test_constant_columns_tell_nothing() -> None:
    columns = [np.zeros(50, np.uint8), np.full(50, 6, np.uint8)]
    sets, pk = known_sets([0.5, 0.5], 0, limit=10)
    reach, spent, _ = record_sums(columns, [1, 7], sets, pk, [None, None])
    assert np.allclose(reach, (1 + 0.5 + 0.5 + 0.25) / 50)
    assert not spent.any()


@pytest.mark.parametrize("room", [1, 2**12])
def test_everything_known_leaves_nothing_but_what_the_smaller_sets_leave(room) -> None:
    columns = drawn(200, [4, 30], seed=2)
    sets, pk = known_sets([1.0, 1.0], 0, limit=10)
    weights = [np.linspace(0.1, 1, 4), np.linspace(0, 0.7, 30)]
    with constants(cells=room):
        found = record_sums(columns, [4, 30], sets, pk, weights)
    assert_same(found, slow_sums(columns, sets, pk, weights))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("room", [1, 2**12])
def test_every_integer_type_and_layout_gives_the_same_sums(dtype, room) -> None:
    columns, radices = drawn(500, [7, 90], seed=3), [7, 90]
    sets, pk = known_sets([0.5, 0.5], 0, limit=10)
    weights = [np.linspace(0, 1, 7), None]
    other = [columns[0].astype(dtype), np.repeat(columns[1].astype(dtype), 2)[::2]]
    other[0].flags.writeable = False
    with constants(cells=room):
        first = record_sums(columns, radices, sets, pk, weights)
        second = record_sums(other, radices, sets, pk, weights)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_the_input_is_not_changed() -> None:
    columns, weights = drawn(500, [7, 900], seed=4), [np.linspace(0, 1, 7), None]
    before = [c.copy() for c in columns], weights[0].copy()
    with constants(cells=8):
        record_sums(columns, [7, 900], *known_sets([0.5, 0.5], 0, limit=10), weights)
    assert all(np.array_equal(a, b) for a, b in zip(columns, before[0], strict=True))
    assert np.array_equal(weights[0], before[1])


@pytest.mark.parametrize("room", [1, 100, 2**12])
def test_progress_is_told_in_sets_and_ends_with_all_of_them(room) -> None:
    columns, told = drawn(3000, [40, 30, 20, 2], seed=5), []
    sets, pk = known_sets([0.5] * 4, 0, limit=100)
    with constants(cells=room, part=100):
        record_sums(
            columns, [40, 30, 20, 2], sets, pk, [None] * 4,
            advance=lambda done, total: told.append((done, total)),
        )  # fmt: skip
    assert told == sorted(told)
    assert {total for _, total in told} == {len(sets)}
    assert told[-1] == (len(sets), len(sets))
    assert room > 1 or len(told) > 10


def test_a_step_that_stops_the_work_is_heard() -> None:
    def stop(done, total):
        raise KeyboardInterrupt

    columns = drawn(3000, [40, 30], seed=6)
    with pytest.raises(KeyboardInterrupt):
        record_sums(columns, [40, 30], *known_sets([0.5] * 2, 0, 10), [None] * 2, advance=stop)
