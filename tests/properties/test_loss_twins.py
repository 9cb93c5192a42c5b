"""Every loss equals its slow twin on random tables."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.kernels.linkage import own_is_nearest
from discreet.loss.categorical import categorical_loss
from discreet.loss.continuous import continuous_loss
from discreet.loss.generalization import precision
from discreet.loss.score import _interval_disclosure
from tests import loss_twin

CASES = settings(deadline=None, max_examples=250)


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
