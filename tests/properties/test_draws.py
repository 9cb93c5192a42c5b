"""Draws against their definition in whole numbers of Python and a normal quantile from elsewhere."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.draws import (
    mixed,
    normal_quantiles,
    normals,
    splitmix64,
    stream,
    uniforms,
)

WORDS = st.integers(0, 2**64 - 1)


def slow_splitmix64(x):
    """Written down a second time, from the reference implementation in C."""
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    z = x
    z = ((z ^ (z // 2**30)) * 0xBF58476D1CE4E5B9) % 2**64
    z = ((z ^ (z // 2**27)) * 0x94D049BB133111EB) % 2**64
    return z ^ (z // 2**31)


def test_the_published_numbers_of_splitmix64():
    # the first outputs of the reference implementation with seed 1234567
    state, step = 1234567, 0x9E3779B97F4A7C15
    found = [splitmix64((state + i * step) % 2**64) for i in range(3)]
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(st.lists(WORDS, max_size=20), WORDS)
def test_uniform_deviates_are_the_definition(hashes, of):
    slow = [(slow_splitmix64(h ^ of) >> 11) * 2.0**-53 for h in hashes]
    given_ = np.array(hashes, dtype=np.uint64)
    assert uniforms(given_, of).tolist() == slow
    assert mixed(given_, of).tolist() == [slow_splitmix64(h ^ of) for h in hashes]
    assert given_.tolist() == hashes  # the input is as it was


@given(st.floats(1e-16, 1 - 1e-16))
def test_normal_deviates_are_those_of_the_standard_library(share):
    found = normal_quantiles(np.array([share]))[0]
    assert found == pytest.approx(statistics.NormalDist().inv_cdf(share), rel=1e-14, abs=1e-16)


@pytest.mark.parametrize("share", [2.0**-53, 1e-300, 1e-12, 0.074999, 0.075, 0.075001, 0.925])
def test_normal_deviates_at_the_seams_of_the_formula(share):
    got = normal_quantiles(np.array([max(share, 2.0**-54)]))[0]
    assert got == pytest.approx(statistics.NormalDist().inv_cdf(max(share, 2.0**-54)), rel=1e-14)


def test_a_share_of_nothing_is_a_number():
    assert np.isfinite(normal_quantiles(np.array([0.0, 1 - 2.0**-53]))).all()


def test_streams_differ_by_method_attribute_and_round():
    names = [stream(m, a, r) for m in ("pram", "noise") for a in ("", "x", "y") for r in range(3)]
    assert len(set(names)) == len(names)
    assert stream("ab", "c") != stream("a", "bc")


def test_draws_of_two_streams_are_uniform_and_unrelated():
    hashes = mixed(np.arange(200_000, dtype=np.uint64), 7)
    first, second = uniforms(hashes, stream("a")), uniforms(hashes, stream("b"))
    assert 0 <= first.min() < first.max() < 1
    assert abs(first.mean() - 0.5) < 3 * np.sqrt(1 / 12 / 200_000)
    assert abs(np.corrcoef(first, second)[0, 1]) < 3 / np.sqrt(200_000)
    assert abs(normals(hashes, stream("a")).std() - 1) < 0.006
