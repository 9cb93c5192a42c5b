"""Every loss equals its slow twin on random tables."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.linkage import own_is_nearest
from discreet.loss.generalization import entropy_shares, precision
from discreet.loss.score import _interval_disclosure
from tests import loss_twin
from tests.examples import examples
from tests.loss_of_arrays import categorical_loss, continuous_loss

CASES = examples(250)


def columns(draw, n, d, values):
    return [draw(st.lists(values, min_size=n, max_size=n)) for _ in range(d)]


@st.composite
def two_files(draw, values, most=4):
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, most))
    return columns(draw, n, d, values), columns(draw, n, d, values)


whole = st.integers(-6, 9).map(float)


@CASES
@given(files=two_files(whole, most=3), scale=st.sampled_from([1.0, 0.125, 7e5]))
def test_continuous_losses_equal_their_twin(files, scale):
    x, y = ([[v * scale for v in column] for column in side] for side in files)
    for i, a in enumerate(x):
        assume(len(set(a)) > 1)
        for b in x[:i]:
            assume(abs(loss_twin.cor(a, b)) < 1 - 1e-9)
    found = continuous_loss(np.array(x).T, np.array(y).T)
    for name, expected in loss_twin.continuous(x, y).items():
        if expected is None:
            assert getattr(found, name) is None, name
        else:
            assert getattr(found, name) == pytest.approx(expected, rel=1e-7, abs=1e-7), name


@CASES
@given(
    files=two_files(st.integers(0, 3)),
    ordinal=st.lists(st.booleans(), min_size=4, max_size=4),
    dimension=st.integers(1, 3),
)
def test_categorical_losses_equal_their_twin(files, ordinal, dimension):
    x, y = files
    ordinal = ordinal[: len(x)]
    codes = [[np.array(column) for column in side] for side in files]
    found = categorical_loss(*codes, [4] * len(x), ordinal, dimension)
    dist, lost, per_cell, bits, cells, new = loss_twin.categorical(x, y, ordinal, dimension)
    assert (found.dist, found.cells, found.appeared) == (dist, cells, new)
    assert found.ctbil == pytest.approx(lost)
    assert found.actbil == pytest.approx(per_cell)
    assert found.ebil == pytest.approx(bits, abs=1e-12)


@CASES
@given(files=two_files(st.integers(-3, 3)), unit=st.sampled_from([1.0, 3.0, 0.7]))
def test_linkage_equals_its_twin_in_fractions(files, unit):
    x, y = (np.array(side, dtype=float).T for side in files)
    assert own_is_nearest(x / unit, y / unit) == pytest.approx(float(loss_twin.linked(x, y)))


@CASES
@given(
    files=two_files(st.integers(0, 8), most=2),
    times=st.sampled_from([1, 5, 10]),
)
def test_interval_disclosure_equals_its_twin_in_fractions(files, times):
    x, y = ([column * times for column in side] for side in files)  # longer: intervals have ranks
    found = _interval_disclosure(np.array(x, dtype=float).T, np.array(y, dtype=float).T)
    assert found == pytest.approx(float(loss_twin.interval_disclosure(x, y)))


@CASES
@given(
    steps=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=4),
    kept=st.integers(0, 20),
    suppressed=st.integers(0, 20),
)
def test_precision_equals_its_twin_with_and_without_suppressed_records(steps, kept, suppressed):
    assume(kept + suppressed > 0)
    levels, heights = [min(s) for s in steps], [max(s) for s in steps]
    n = kept + suppressed
    expected = float(loss_twin.precision(levels, heights, suppressed, n))
    assert precision(levels, heights, suppressed, n) == pytest.approx(expected)
    both = precision(levels, heights, np.array([suppressed, 0]), n)
    assert both[0] == pytest.approx(expected)
    assert both[1] == pytest.approx(float(loss_twin.precision(levels, heights, 0, n)))


def test_a_node_with_suppressed_records_has_the_precision_that_is_reckoned_by_hand():
    import discreet as ds

    data = ds.read({"a": [1, 1, 1, 1, 2], "b": [1, 1, 2, 2, 9]}, keys=["a", "b"])
    tree = {"a": ds.Hierarchy.suppress(), "b": ds.Hierarchy.intervals([2, 4], top="*")}
    found = ds.generalize(
        data, tree, ds.KAnonymity(2), max_suppressed=1, loss="precision", search="all-minimal"
    )
    assert found.best.levels == {"a": 0, "b": 0}
    assert found.best.suppressed == 1
    # one of five records is suppressed and counts 1; the others are as they were
    assert ds.information_loss(data, found.best.mask()).precision_loss == pytest.approx(1 / 5)


def test_entropy_of_levels_is_the_one_that_is_reckoned_by_hand():
    """Two keys, ten records: a unique value, and a level on which all values are one."""
    keys = FrequencySet(
        ("a", "b"),
        (None, None),
        (np.array([0, 1, 1]), np.array([0, 0, 1])),
        np.array([5, 4, 1]),
    )
    maps = [[np.array([0, 1]), np.array([0, 0])]] * 2
    found = entropy_shares(keys, maps)
    surprise = [[math.log(2), math.log(2)], [math.log(10 / 9), math.log(10)]]
    total = 5 * math.log(2) + 5 * math.log(2) + 9 * math.log(10 / 9) + math.log(10)
    for key, values in zip(found, surprise, strict=True):
        assert key[0] == pytest.approx([1 - g * 20 / total for g in values])
        assert key[1].tolist() == [1.0]


def test_contingency_tables_have_two_attributes_unless_told_otherwise():
    three = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 1, 1, 0])]
    found = categorical_loss(three, three, [2, 2, 2], [False] * 3)
    assert found.cells == 3 * 2 + 3 * 4


def test_the_score_is_made_of_its_parts_on_attributes_of_any_scale():
    import discreet as ds

    rng = np.random.default_rng(6)
    scales = np.array([1 / 1024, 1e6, 1.0])  # the last attribute is constant
    x = scales * np.column_stack([*rng.integers(1, 9, (2, 40)), np.full(40, 5)])
    y = x + scales * np.column_stack([*rng.integers(-3, 4, (2, 40)), np.zeros(40)])
    rec = np.arange(40)
    first, second, far = (
        ds.read(
            {"rec": rec, "a": v[:, 0], "b": v[:, 1], "c": v[:, 2]},
            keys=["a", "b", "c"],
            types=dict.fromkeys("abc", "continuous"),
        )
        for v in (x, y, 9 * y)
    )
    found = ds.score(first, second, on="rec")
    unit = np.array([*x[:, :2].std(axis=0, ddof=1), 1.0])
    near = float(loss_twin.linked(x / unit, y / unit))
    assert found.record_linkage == pytest.approx(100 * near / 40)
    inside = float(loss_twin.interval_disclosure(x.T.tolist(), y.T.tolist()))
    assert found.interval_disclosure == pytest.approx(100 * inside)
    assert found.disclosure_risk == pytest.approx(50 * (near / 40 + inside))
    loss = ds.information_loss(first, second, on="rec").il
    assert found.information_loss == min(loss, 100)
    assert found.value == pytest.approx((found.information_loss + found.disclosure_risk) / 2)
    assert found.maximal == 100 * ds.disclosure_risk(first, second, on="rec").maximal
    assert ds.information_loss(first, far, on="rec").il > 100
    worst = ds.score(first, far, on="rec")
    assert worst.information_loss == 100
    assert worst.value == pytest.approx(50 + worst.disclosure_risk / 2)


def test_linkage_in_blocks_is_the_sum_over_the_blocks(monkeypatch):
    from discreet.kernels.multivariate.blocks import balanced_blocks
    from discreet.loss import score as module

    x = np.random.default_rng(7).normal(size=(60, 2))
    y = x + 0.3
    assert module._linkage(x, y) == (own_is_nearest(x, y) / 60, 1)
    monkeypatch.setattr(module, "WHOLE", 60)
    assert module._linkage(x, y)[1] == 1
    monkeypatch.setattr(module, "WHOLE", 25)
    block = balanced_blocks(x, 25)
    assert block.max() == 2
    expected = sum(own_is_nearest(x[block == b], y[block == b]) for b in range(3)) / 60
    assert module._linkage(x, y) == (pytest.approx(expected), 3)
