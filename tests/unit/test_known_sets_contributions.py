"""What each known set, and each attribute as sensitive, adds to the total risk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.known_sets.cells import record_sums
from discreet.kernels.known_sets.contributions import contributions
from discreet.kernels.known_sets.counts import whole_weights
from discreet.kernels.known_sets.unions import known_sets
from tests.known_sets_files import constants, drawn, files, ways
from tests.known_sets_twin import slow_contributions


def contributed(file, **more):
    reach, _, _ = record_sums(*file)
    return contributions(*file, reach, **more)


@given(files(), ways)
def test_equals_its_slow_twin(file, way) -> None:
    columns, _, sets, pk, weights = file
    with constants(**way):
        found = contributed(file)
    for ours, theirs in zip(found, slow_contributions(columns, sets, pk, weights), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


@given(files(), ways)
def test_both_add_up_to_the_total_risk(file, way) -> None:
    with constants(**way):
        reach, spent, total = record_sums(*file)
        by_set, by_attribute = contributions(*file, reach)
    assert by_set.sum() == pytest.approx((total * reach - spent).sum(), rel=1e-10, abs=1e-12)
    assert by_attribute.sum() == pytest.approx(by_set.sum(), rel=1e-10, abs=1e-12)


@given(files(), ways, st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter_to_the_last_bit(file, way, random) -> None:
    columns, *rest = file
    order = np.array(random.sample(range(len(columns[0])), len(columns[0])))
    with constants(**way):
        first = contributed(file)
        second = contributed(([c[order] for c in columns], *rest), threads=1)
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("room", [1, 2**12])
def test_a_set_that_knows_all_that_is_sensitive_adds_exactly_0(room) -> None:
    columns = drawn(1000, [7, 90, 5], seed=1)
    sets, pk = known_sets([0.9, 0.9, 0.9], 0, limit=10)
    weights = [np.linspace(0.1, 0.7, 7), None, np.array([0.3, 0, 1, 0.1, 0.9])]
    with constants(cells=room):
        by_set, by_attribute = contributed((columns, [7, 90, 5], sets, pk, weights))
    for known, part in zip(sets, by_set, strict=True):
        assert (part == 0) == ({0, 2} <= set(known))
    assert by_attribute[1] == 0


def test_nothing_sensitive_adds_nothing() -> None:
    columns = drawn(100, [7, 9], seed=2)
    by_set, by_attribute = contributed(
        (columns, [7, 9], *known_sets([0.5, 0.5], 0, limit=10), [None, np.zeros(9)])
    )
    assert not by_set.any()
    assert not by_attribute.any()


def test_whole_weights_stay_below_62_bits_over_all_records() -> None:
    weights = [np.array([0.1, 1.0]), None, np.array([0.7])]
    for n in (1, 1000, 10**9):
        whole, bits = whole_weights(weights, n)
        most = n * sum(int(w.max()) for w in whole if w is not None)
        assert 2**61 <= most <= 2**62  # and none of the bits is given away
        assert whole[0][0] / 2.0**bits == pytest.approx(0.1, abs=2.0**-bits)
