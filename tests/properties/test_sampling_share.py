"""The largest share of a sample under a limit, against every number of records there is."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import discreet as ds


def largest_number(sizes, at_most, measure, sds):
    """The twin: the largest t of all whose expectation and margin are at or under the limit."""
    n = sum(sizes)
    y = [Fraction(1, j) if measure == "maximal" else Fraction(int(j == 1)) for j in sizes
         for _ in range(j)]  # fmt: skip
    mean = sum(y) / n
    variance = sum((one - mean) ** 2 for one in y) / (n - 1) if n > 1 else Fraction(0)
    limit = Fraction(str(at_most)) * n
    fits = [
        t
        for t in range(n + 1)
        if t * mean <= limit
        and Fraction(str(sds)) ** 2 * t * (1 - Fraction(t, n)) * variance <= (limit - t * mean) ** 2
    ]
    return max(fits)


def expected(sizes):
    return ds.sampling_risk(ds.read({"a": np.repeat(np.arange(len(sizes)), sizes)}, keys=["a"]))


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=12),
    st.decimals(0, 1, places=3),
    st.sampled_from(["minimal", "maximal"]),
    st.sampled_from([0, 0.5, 1, 2, 3]),
)
@example([1, 1, 3], 0.6, "maximal", 2)
def test_no_larger_share_keeps_the_limit(sizes, at_most, measure, sds):
    at_most = float(at_most)
    found = expected(sizes).fraction_for(at_most, measure, sds)
    assert found == largest_number(sizes, at_most, measure, sds) / sum(sizes)


def test_a_whole_file_under_the_limit_needs_no_margin():
    """Nothing is left to chance when all records are released, so the margin is 0."""
    risk = expected([1, 1, 3])
    assert risk.at(1.0).maximal == pytest.approx(0.6)
    assert risk.at(1.0).maximal_sd == 0
    assert risk.at(0.8).maximal + 2 * risk.at(0.8).maximal_sd > 0.6
    assert risk.fraction_for(0.6, sds=2) == 1.0


def test_the_share_found_draws_that_number_of_records():
    data = ds.read({"a": np.repeat(np.arange(30), 3)}, keys=["a"])
    risk = ds.sampling_risk(data)
    for at_most in (0.01, 0.1, 0.2, 0.3):
        share = risk.fraction_for(at_most, sds=2)
        assert ds.sample(data, fraction=share, seed=1).n == round(share * 90)


def test_as_plain_values_there_is_a_line_for_every_tenth():
    risk = expected([1, 1, 3])
    told = risk.to_dict()
    assert [line["fraction"] for line in told["lines"]] == [i / 10 for i in range(1, 11)]
    assert told["lines"] == [vars(risk.at(i / 10)) for i in range(1, 11)]
    assert told["n"] == 5
    assert told["fraction_for_maximal_0.05"] == risk.fraction_for(0.05)
