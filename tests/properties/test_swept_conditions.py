"""One sweep of the lattice says what counting its nodes one by one says, for every criterion on
counts: of values, of the people of a population, of the whole file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import DiscreetError
from discreet.masking.generalization.search import Search

KEYS = ["zip", "sex", "flag"]
ABOVE = {
    "zip": ds.Hierarchy.prefixes([2, 1, 0]),
    "sex": ds.Hierarchy.suppress(),
    "flag": ds.Hierarchy.suppress(),
}


@st.composite
def files(draw):
    """A population, and some of its people as a file."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(8, 80))
    town = {
        "zip": [f"{a}{b}" for a, b in rng.integers(0, 3, (n, 2))],
        "sex": rng.choice(list("MF"), n).tolist(),
        "flag": rng.choice(list("ab"), n).tolist(),
        "ill": rng.choice(list("xyzw"), n, p=[0.5, 0.3, 0.15, 0.05]).tolist(),
        "job": rng.choice(list("uv"), n).tolist(),
    }
    chosen = np.flatnonzero(rng.random(n) < draw(st.sampled_from([0.2, 0.6, 1.0])))
    if not len(chosen):
        chosen = np.array([0])
    file = {name: [column[i] for i in chosen] for name, column in town.items()}
    return town, file


def criteria(town):
    small = st.integers(1, 6)
    share = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])
    limits = st.tuples(share, share).map(sorted)
    return st.one_of(
        st.builds(ds.KMap, small, st.just(town)),
        limits.map(lambda two: ds.DeltaPresence(*two, population=town)),
        st.builds(ds.BetaLikeness, st.floats(0.1, 4), st.sampled_from(["basic", "enhanced"])),
        st.builds(ds.DeltaDisclosure, st.floats(0.2, 3), st.sampled_from(["fail", "ignore"])),
        st.builds(ds.AverageRisk, st.floats(0.02, 1)),
        st.builds(ds.AverageRisk, st.floats(0.05, 1), st.floats(0.1, 1), st.floats(0, 1)),
        st.builds(ds.KAnonymity, small),
        st.builds(ds.LDiversity, st.integers(1, 3)),
        st.builds(ds.PSensitiveKAnonymity, p=st.just(2), k=st.integers(2, 4)),
    )


@given(data=st.data(), both=files(), loss=st.sampled_from(["iyengar", "entropy", "precision"]))
def test_a_sweep_says_of_every_node_what_counting_it_says(data, both, loss):
    town, file = both
    asked = data.draw(st.lists(criteria(town), min_size=1, max_size=3))
    suppression = data.draw(st.sampled_from(["failing", "failing", "k-only"]))
    survey = ds.read(file, keys=KEYS, confidential=["ill", "job"])
    limit = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    try:
        found = ds.generalize(
            survey, ABOVE, asked, max_suppressed=limit, loss=loss, suppression=suppression
        )
    except DiscreetError:
        found = ds.generalize(survey, ABOVE, asked, max_suppressed=1.0, loss=loss)
    swept, counted = Search(found.task), Search(found.task, by_node=True)
    assert swept.judged
    for node in range(found.task.lattice.nodes):
        one, every = counted.figures(node), swept.every
        assert every.feasible[node] == one.feasible
        if one.feasible:
            assert (every.suppressed[node], every.classes[node]) == (one.suppressed, one.classes)
        if swept.swept:
            assert every.loss[node] == pytest.approx(one.loss, abs=1e-12)
            assert every.objective[node] == pytest.approx(one.objective, abs=1e-12)
        elif one.feasible:
            assert every.loss[node] <= one.loss + 1e-12
            assert every.objective[node] <= one.objective + 1e-12
    by_sweep, by_count = Search(found.task).run("optimal"), counted.run("optimal")
    assert by_sweep.best == by_count.best
    assert Search(found.task).run("all-minimal").nodes == counted.run("all-minimal").nodes
