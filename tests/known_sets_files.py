"""Small coded files for the kernels on known sets, and how to send them the ways of large ones."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import strategies as st

from discreet.kernels.known_sets import counts, refinement
from discreet.kernels.known_sets import unions as planning
from discreet.kernels.known_sets.unions import known_sets

WITHOUT_WEIGHTS = 2**31 - 1  # three of them exceed 63 bits; a table of weights would be too large


@contextmanager
def constants(cells=2**12, part=2**16, stretch=2**17, block=2**15):
    """Small files take the ways of large ones: refined sets, several parts, blocks and threads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "_FEWEST", cells)
        patch.setattr(refinement, "_PART", part)
        patch.setattr(counts, "_STRETCH", stretch)
        patch.setattr(counts, "_BLOCK", block)
        yield


@st.composite
def files(draw):
    """Columns, cardinalities, known sets, PK and weights; the last code often stands for missing."""
    radices = draw(
        st.lists(st.sampled_from([1, 2, 3, 5, 300, WITHOUT_WEIGHTS]), min_size=1, max_size=6)
    )
    n = draw(st.integers(1, 40))
    columns, weights = [], []
    for radix in radices:
        few = sorted({0, min(1, radix - 1), radix // 2, radix - 1})  # classes must be common
        codes = draw(st.lists(st.sampled_from(few), min_size=n, max_size=n))
        columns.append(np.array(codes, dtype=np.min_scalar_type(radix)))
        weights.append(draw(tables(radix)) if radix != WITHOUT_WEIGHTS else None)
    likely = [draw(st.sampled_from([0, 0.05, 0.3, 0.8, 1])) for _ in radices]
    epsilon = draw(st.sampled_from([0, 0.01, 0.1, 0.5, 1]))
    return columns, radices, *known_sets(likely, epsilon, limit=100), weights


@st.composite
def tables(draw, radix):
    if not draw(st.booleans()):
        return None
    values = np.resize(np.array(draw(st.lists(st.floats(0, 1), min_size=1, max_size=5))), radix)
    if draw(st.booleans()):
        values[-1] = 0.0  # missing
    return values


ways = st.fixed_dictionaries(
    {
        "cells": st.sampled_from([1, 8, 2**12]),
        "part": st.sampled_from([1, 5, 2**16]),
        "stretch": st.sampled_from([3, 2**17]),
        "block": st.sampled_from([2, 2**15]),
    }
)


def drawn(n, radices, seed, dtype=np.int32):
    rng = np.random.default_rng(seed)
    return [(radix * rng.random(n) ** 1.5).astype(dtype) for radix in radices]
