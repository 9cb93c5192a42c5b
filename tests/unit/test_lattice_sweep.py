"""The sweep equals a recount of every node, and ARX where ARX has an answer."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.kernels.lattice import layout
from discreet.kernels.lattice.conditions import ClassConditions, ValuePairs
from discreet.kernels.lattice.rollup import fresh_stamp
from discreet.kernels.lattice.sweep import Sweep, sweep
from tests import lattice_adult as adult
from tests import lattice_twin as twin
from tests.examples import examples
from tests.lattice_adult import Coded

GOLDEN = adult.DATA / "golden" / "arx_adult.csv"
needs_data = pytest.mark.skipif(not GOLDEN.exists(), reason="needs golden/arx_adult.csv")
slowly = examples(60)


@pytest.fixture(autouse=True, scope="module")
def own_layouts():
    """Small lattices stand for large ones here: none is short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "_SHORT", 0)
        yield


def recount(data: Coded, masks: list[NDArray[np.uint64]], cap: int, p: int) -> Sweep:
    levels = tuple(len(to) for to in data.maps)
    shape = (int(np.prod(levels)), 1 if p == 1 else 2)
    found = Sweep(
        levels,
        int(data.counts.sum()),
        p,
        np.zeros((*shape, cap + 2), np.int32),
        np.zeros((*shape, cap + 2)),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
    )
    for index, node in enumerate(twin.nodes(data)):
        for size, share, distinct in zip(*twin.classes_of(data, node, masks), strict=True):
            place = index, int(1 < p <= distinct)
            slot = min(size, cap + 1)
            found.classes[place][slot] += 1
            found.loss[place][slot] += size * share
            if size > cap:
                found.large_records[place] += size
                found.large_squares[place] += size**2
    return found


def assert_equal(found: Sweep, expected: Sweep) -> None:
    assert found.levels == expected.levels
    assert (found.records, found.p) == (expected.records, expected.p)
    np.testing.assert_array_equal(found.classes, expected.classes)
    np.testing.assert_array_equal(found.large_records, expected.large_records)
    np.testing.assert_array_equal(found.large_squares, expected.large_squares)
    np.testing.assert_allclose(found.loss, expected.loss, rtol=1e-12, atol=0)


def draw_masks(data: Coded, seed: int, attributes: int) -> list[NDArray[np.uint64]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(1, 64, len(data.counts), np.uint64) for _ in range(attributes)]


@slowly
@given(data=twin.lattices(), cap=st.integers(1, 8))
def test_every_node_equals_its_recount(data: Coded, cap: int) -> None:
    assert_equal(sweep(*data, cap=cap), recount(data, [], cap, 1))


@slowly
@given(data=twin.lattices(), cap=st.integers(1, 8), seed=st.integers(0, 99), p=st.integers(2, 4))
def test_short_walks_equal_their_recount(data: Coded, cap: int, seed: int, p: int) -> None:
    masks = draw_masks(data, seed, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "_SHORT", 2**20)
        plain, by_values = sweep(*data, cap=cap), sweep(*data, cap=cap, masks=masks, p=p)
    assert_equal(plain, recount(data, [], cap, 1))
    assert_equal(by_values, recount(data, masks, cap, p))


@slowly
@given(
    data=twin.lattices(),
    cap=st.integers(1, 8),
    p=st.integers(1, 4),
    seed=st.integers(0, 99),
    attributes=st.integers(1, 2),
)
def test_distinct_values_equal_their_recount(
    data: Coded, cap: int, p: int, seed: int, attributes: int
) -> None:
    masks = draw_masks(data, seed, attributes)
    found = sweep(*data, cap=cap, masks=masks, p=p)
    assert_equal(found, recount(data, masks, cap, p))


@slowly
@given(
    data=twin.lattices(leaves=2),
    seed=st.integers(0, 99),
    p=st.integers(2, 8),
    cap=st.integers(1, 9),
)
def test_two_valued_keys_keep_their_confidential_values_apart(
    data: Coded, seed: int, p: int, cap: int
) -> None:
    value = np.random.default_rng(seed).integers(0, 8, len(data.counts), np.uint64)
    masks = [np.uint64(1) << value]
    assert_equal(sweep(*data, cap=cap, masks=masks, p=p), recount(data, masks, cap, p))


def recount_conditions(data: Coded, people, pairs, asked: ClassConditions, cap: int) -> Sweep:
    """Every class of every node held against the conditions, one after the other."""
    levels = tuple(len(to) for to in data.maps)
    shape = (int(np.prod(levels)), 2)
    sizes, large = (*shape, cap + 2), np.zeros((2, *shape), np.int64)
    arrays = np.zeros(sizes, np.int32), np.zeros(sizes), *large, np.zeros(shape[0], np.bool_)
    found = Sweep(levels, int(data.counts.sum()), 0, *arrays)
    dense = np.zeros((len(data.counts), len(asked.high)), np.int64)
    np.add.at(dense, (pairs.owner, pairs.value), pairs.records)
    for index, node in enumerate(twin.nodes(data)):
        level = [to[l][code] for to, l, code in zip(data.maps, node, data.codes, strict=True)]
        tuples, at = np.unique(np.stack(level, 1), axis=0, return_inverse=True)
        for cls, codes in enumerate(tuples):
            own = at.ravel() == cls
            size, behind = int(data.counts[own].sum()), int(people[own].sum())
            values = dense[own].sum(axis=0)
            share = sum(data.shares[a][l][codes[a]] for a, l in enumerate(node))
            if size == 0:
                found.vacant[index] |= asked.low_people > 0
                continue
            few = (values < asked.low * size) & ((values > 0) | ~asked.optional)
            holds = not (few | (values > asked.high * size)).any()
            for chosen, least in asked.groups:
                holds &= np.count_nonzero(values[list(chosen)]) >= least
            holds &= behind >= asked.least_people
            if behind:
                holds &= asked.low_people * behind <= size <= asked.high_people * behind
            place, slot = (index, int(holds)), min(size, cap + 1)
            found.classes[place][slot] += 1
            found.loss[place][slot] += size * share
            found.large_records[place] += size * (size > cap)
            found.large_squares[place] += size**2 * (size > cap)
    return found


@pytest.mark.parametrize("looked_at", ["people", "values", "both"])
@examples(25)
@given(data=twin.lattices(leaves=3), seed=st.integers(0, 2**32), cap=st.integers(1, 8))
def test_conditions_equal_their_recount(looked_at: str, data: Coded, seed: int, cap: int) -> None:
    rng, values = np.random.default_rng(seed), 5
    counts = rng.integers(0 if looked_at != "values" else 1, 4, len(data.counts))
    counts *= rng.choice([1, 30])  # small classes and large ones take different ways
    people = counts + rng.integers(1, 5, len(counts))
    if looked_at == "values":
        people = np.zeros_like(counts)
    value = rng.integers(0, values, counts.sum())
    owner = np.repeat(np.arange(len(counts)), counts)
    places, number = np.unique(owner * values + value, return_counts=True)
    pairs = ValuePairs(places // values, places % values, number)
    low, high = np.sort(rng.choice([0.0, 0.1, 0.25, 0.5, 1.0], (2, values)), axis=0)
    asked = ClassConditions(
        low=low if looked_at != "people" else np.zeros(values),
        high=high if looked_at != "people" else np.ones(values),
        optional=rng.random(values) < 0.5,
        groups=() if looked_at == "people" or seed % 2 else (((0, 1), 1), ((2, 3, 4), 2)),
        least_people=int(rng.choice([0, 1, 3, 4, 100, 2**40])) if looked_at != "values" else 0,
        low_people=float(rng.choice([0, 0.2])) if looked_at != "values" else 0.0,
        high_people=float(rng.choice([0.5, np.inf])) if looked_at != "values" else np.inf,
    )
    table = data._replace(counts=counts)
    found = sweep(
        *table,
        cap=cap,
        people=None if looked_at == "values" else people,
        pairs=None if looked_at == "people" else pairs,
        conditions=asked,
        threads=1 + seed % 2,
    )
    expected = recount_conditions(table, people, pairs, asked, cap)
    kept = slice(1, None)  # what has no record is not a class
    np.testing.assert_array_equal(found.classes[:, :, kept], expected.classes[:, :, kept])
    np.testing.assert_array_equal(found.large_records, expected.large_records)
    np.testing.assert_array_equal(found.large_squares, expected.large_squares)
    np.testing.assert_allclose(found.loss[:, :, kept], expected.loss[:, :, kept], rtol=1e-12)
    np.testing.assert_array_equal(found.vacant, expected.vacant)


@pytest.mark.parametrize("values", [17, 33, 64])
def test_masks_of_any_width_are_followed(values: int) -> None:
    rng = np.random.default_rng(values)
    tree = [np.arange(4, dtype=np.int32) // 2**level for level in range(3)]
    share = [(np.bincount(to) - 1) / 3 for to in tree]
    tuples = np.array(list(np.ndindex(4, 4, 2)), np.int32)
    flag = [np.arange(2, dtype=np.int32), np.zeros(2, np.int32)]
    keys = [tree, tree, flag], [share, share, [np.zeros(2), np.ones(1)]]
    data = Coded(tuple(tuples.T), rng.integers(1, 9, len(tuples)), *keys)
    bits = rng.integers(0, 2, (len(tuples), values)).astype(bool)
    bits[np.arange(len(tuples)), rng.integers(0, values, len(tuples))] = True
    bits[0, -1] = True  # the last value occurs: it decides the width of the masks
    masks = [np.array([sum(1 << int(v) for v in np.flatnonzero(row)) for row in bits], np.uint64)]
    for p in (2, values // 2, values, values + 1):
        assert_equal(sweep(*data, cap=20, masks=masks, p=p), recount(data, masks, 20, p))


@slowly
@given(data=twin.lattices())
def test_keys_of_several_words_give_the_same(data: Coded) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "WORD_BITS", 6)
        wide = sweep(*data, cap=3)
    assert_equal(wide, recount(data, [], 3, 1))


def test_keys_wider_than_64_bits_are_counted() -> None:
    rng = np.random.default_rng(1)
    leaves = 3000
    one = [np.arange(leaves, dtype=np.int32), np.arange(leaves, dtype=np.int32) // 1000]
    share = [(np.bincount(to) - 1) / (leaves - 1) for to in one]
    codes = tuple(rng.permutation(leaves).astype(np.int32) for _ in range(6))
    data = Coded(codes, np.ones(leaves, np.int64), [one] * 6, [share] * 6)
    assert_equal(sweep(*data, cap=5), recount(data, [], 5, 1))


def test_large_sets_are_merged_part_by_part() -> None:
    rng = np.random.default_rng(1)
    top = [np.arange(60, dtype=np.int32), np.arange(60, dtype=np.int32) % 7]
    share = [(np.bincount(to) - 1) / 59 for to in top]
    tuples, counts = np.unique(rng.integers(0, 60, (30_000, 3)), axis=0, return_counts=True)
    data = Coded(tuple(tuples.T.astype(np.int32)), counts, [top] * 3, [share] * 3)
    assert_equal(sweep(*data, cap=5), recount(data, [], 5, 1))


@slowly
@given(data=twin.lattices(), k=st.integers(1, 7), p=st.integers(2, 4), seed=st.integers(0, 99))
@pytest.mark.parametrize("sensitive", [True, False])
def test_outcomes_for_every_k_equal_their_recount_with_p_and_without(
    sensitive: bool, data: Coded, k: int, p: int, seed: int
) -> None:
    masks = draw_masks(data, seed, 1)
    found = sweep(*data, cap=6, masks=masks, p=p)
    p = p if sensitive else 1
    expected = np.array([twin.outcome(data, node, masks, k, p) for node in twin.nodes(data)])
    np.testing.assert_array_equal(found.kept_classes(k, p), expected[:, 0])
    np.testing.assert_array_equal(found.suppressed(k, p), expected[:, 1])
    np.testing.assert_array_equal(found.discernibility(k, p), expected[:, 2])
    np.testing.assert_allclose(found.iyengar(k, p), expected[:, 3], rtol=1e-12, atol=1e-15)


@slowly
@given(data=twin.lattices(), seed=st.integers(0, 99), threads=st.integers(2, 3))
def test_neither_threads_nor_row_order_change_a_bit(data: Coded, seed: int, threads: int) -> None:
    order = np.random.default_rng(seed).permutation(len(data.counts))
    shuffled = data._replace(codes=tuple(c[order] for c in data.codes), counts=data.counts[order])
    one, other = sweep(*data, cap=4), sweep(*shuffled, cap=4, threads=threads)
    for name in ("classes", "loss", "large_records", "large_squares"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_memory_guard_gives_up_cells_without_changing_the_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flag = [np.array([0, 1], np.int32), np.array([0, 0], np.int32)]
    share = [np.zeros(2), np.ones(1)]
    codes = tuple(np.array(column, np.int32) for column in ([0, 0, 1, 1], [0, 1, 0, 1]))
    data = Coded(codes, np.array([1, 2, 3, 4]), [flag, flag], [share, share])
    monkeypatch.setattr(layout, "_SMALL", 0)
    monkeypatch.setattr(layout, "_COLUMNS", 0)
    assert_equal(sweep(*data, cap=3), recount(data, [], 3, 1))


def test_stamps_start_over_before_they_overflow() -> None:
    table = np.full(4, 9, np.uint32)
    assert fresh_stamp(table, np.uint64(9), 5) == 9
    assert table.all()
    assert fresh_stamp(table, np.uint64(2**32 - 5), 5) == 1
    assert not table.any()


def test_broken_input_is_refused() -> None:
    fine, coarse = np.array([0, 0, 1], np.int32), np.array([0, 1, 1], np.int32)
    codes, counts = (np.array([0, 1, 2], np.int32),), np.ones(3, np.int64)
    shares = [[np.zeros(3), np.zeros(2), np.zeros(2)]]
    with pytest.raises(ValueError, match="not a function of level 1"):
        sweep(codes, counts, [[np.arange(3, dtype=np.int32), fine, coarse]], shares)
    with pytest.raises(ValueError, match="that nobody has"):
        sweep(codes, 0 * counts, [[np.arange(3, dtype=np.int32)]], [[np.zeros(3)]])
    with pytest.raises(ValueError, match="no records"):
        sweep((codes[0][:0],), counts[:0], [[np.arange(3, dtype=np.int32)]], [[np.zeros(3)]])
    masks = [np.array([1, 0, 1], np.uint64)]
    with pytest.raises(ValueError, match="no confidential value"):
        sweep(codes, counts, [[np.arange(3, dtype=np.int32)]], [[np.zeros(3)]], masks=masks)
    found = sweep(codes, counts, [[np.arange(3, dtype=np.int32)]], [[np.zeros(3)]], cap=2)
    with pytest.raises(ValueError, match="larger cap"):
        found.suppressed(4)
    with pytest.raises(ValueError, match="this p"):
        found.suppressed(2, 2)


@needs_data
@pytest.mark.parametrize(("keys", "confidential"), [(9, None), (8, "occupation")])
def test_best_nodes_of_adult_are_those_of_arx(keys: int, confidential: str | None) -> None:
    """ARX 3.9.2; the level order of the file is that of `adult.NINE`."""
    names = adult.NINE if keys == 9 else adult.EIGHT
    data, masks = adult.coded(adult.read_columns(), names, confidential)
    found = sweep(*data, masks=[masks] if confidential else (), p=5)
    with GOLDEN.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if int(row["qis"]) == keys]
    models = {"k-anonymity": 1, "k-anonymity + distinct 5-diversity of occupation": 5}
    rows = [row for row in rows if row["model"] in models]
    assert len(rows) == (3 if keys == 9 else 5)
    for row in rows:
        k, p = int(row["k"]), models[row["model"]]
        best = found.best(k, p, int(float(row["max_suppressed"]) * found.records))
        assert best is not None
        assert " ".join(map(str, found.node(best))) == row["best_levels"]
        assert found.suppressed(k, p)[best] == int(row["suppressed"])
        assert found.iyengar(k, p)[best] == pytest.approx(float(row["loss"]), abs=1e-6)


class Backwards:
    """Stands for threads of which the last one is the first to run."""

    def __init__(self, threads: int) -> None:
        assert threads > 1

    def __enter__(self) -> Backwards:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def map(self, visit, parts):  # type: ignore[no-untyped-def]
        return [visit(part) for part in reversed(parts)]


@pytest.mark.parametrize("keys", [1, 2])
@pytest.mark.parametrize("levels", [2, 3])
def test_parts_of_the_lattice_may_be_visited_in_any_order(
    monkeypatch: pytest.MonkeyPatch, keys: int, levels: int
) -> None:
    tree = [np.arange(4, dtype=np.int32) // 4**level for level in range(levels)]
    share = [(np.bincount(to) - 1) / 3 for to in tree]
    tuples = np.array(list(np.ndindex(*[4] * keys)), np.int32)
    counts = np.arange(1, len(tuples) + 1)
    data = Coded(tuple(tuples.T), counts, [tree] * keys, [share] * keys)
    monkeypatch.setattr("discreet.kernels.lattice.sweep.ThreadPoolExecutor", Backwards)
    assert_equal(sweep(*data, cap=3, threads=2), recount(data, [], 3, 1))
