"""Log-linear models on a grid: the fit, its spread, and what it says of the cells with a record."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.fitted_model import (
    chosen_margins,
    closed_form,
    closed_projection,
    parts_of,
    underfits,
)
from discreet.kernels.loglinear import (
    Grid,
    fit_of,
    fitted,
    generators,
    projection,
    spread,
)


def grid_of(counts):
    """A grid from all of its cells."""
    at = np.flatnonzero(counts.ravel())
    return Grid(np.unravel_index(at, counts.shape), counts.ravel()[at], counts.shape)


def random_grid(shape=(3, 4, 2, 3), mean=2.0, seed=0):
    return grid_of(np.random.default_rng(seed).poisson(mean, shape))


def dense(grid):
    found = np.zeros(grid.shape)
    found.ravel()[grid.places()] = grid.counts
    return found


def test_independent_keys_have_the_product_of_their_shares():
    grid = random_grid()
    mu, error = fitted(grid, [])
    assert error == 0
    parts = parts_of([(0,), (1,), (2,), (3,)])
    assert mu.ravel()[grid.places()] == pytest.approx(closed_form(grid, parts), rel=1e-13)
    whole = dense(grid)
    for a in range(4):
        others = tuple(b for b in range(4) if b != a)
        assert mu.sum(axis=others) == pytest.approx(whole.sum(axis=others), rel=1e-13)


@pytest.mark.parametrize(
    "margins", [[(0, 1)], [(0, 1), (1, 2), (0, 2)], [(0, 1, 2)], [(0, 1), (2, 3)], [(0, 1, 2, 3)]]
)
def test_the_margins_of_the_fit_are_those_counted(margins):
    grid = random_grid(mean=0.7)
    mu, error = fitted(grid, margins)
    assert error <= 1e-10
    whole = dense(grid)
    for margin in generators(margins, 4):
        others = tuple(a for a in range(4) if a not in margin)
        assert mu.sum(axis=others) == pytest.approx(whole.sum(axis=others), abs=1e-8 * grid.n)


def test_all_keys_together_give_the_counts_themselves():
    grid = random_grid()
    assert fitted(grid, [(0, 1, 2, 3)])[0] == pytest.approx(dense(grid))


def test_two_margins_that_share_a_key_have_a_closed_form():
    """A decomposable model: n(a, b) n(b, c) / n(b)."""
    grid = random_grid((3, 4, 5))
    whole = dense(grid)
    closed = whole.sum(2)[:, :, None] * whole.sum(0)[None] / whole.sum((0, 2))[None, :, None]
    assert fitted(grid, [(0, 1), (1, 2)])[0] == pytest.approx(closed, rel=1e-9)


@pytest.mark.parametrize(
    "margins",
    [
        [(0, 1), (1, 2)],
        [(0, 1), (2, 3)],
        [(0, 1, 2), (1, 2, 3)],
        [(0, 1), (1, 2), (1, 3)],
        [(0, 1, 2, 3)],
        [],
    ],
)
def test_the_closed_form_is_the_fit_on_the_grid(margins):
    for weighted in (False, True):
        grid = random_grid(mean=0.6, seed=len(margins))
        if weighted:
            amounts = grid.counts * np.random.default_rng(1).uniform(0.2, 3, len(grid.counts))
            grid = dataclasses.replace(grid, weighted=amounts * grid.n / amounts.sum())
        full, _ = fitted(grid, margins)
        parts = parts_of(generators(margins, 4))
        assert closed_form(grid, parts) == pytest.approx(full.ravel()[grid.places()], rel=1e-8)


@pytest.mark.parametrize(
    "margins", [[(0, 1), (1, 2), (0, 2)], [(0, 1), (1, 2), (2, 3), (0, 3)], [(0, 1, 2), (0, 3), (2, 3)]]
)  # fmt: skip
def test_margins_in_a_circle_have_no_closed_form(margins):
    assert parts_of(generators(margins, 4)) is None


@given(st.lists(st.sets(st.integers(0, 4), min_size=1, max_size=3), max_size=5))
def test_a_model_can_be_taken_apart_just_if_its_graph_is_chordal_and_its_cliques_are_margins(sets):
    """Decomposable by its other definition, by brute force over the orders of the attributes."""
    margins = generators([tuple(sorted(s)) for s in sets], 5)
    linked = {frozenset(p) for m in margins for p in itertools.combinations(m, 2)}

    def clique(some):
        return all(frozenset(p) in linked for p in itertools.combinations(some, 2))

    cliques = [s for r in range(1, 6) for s in itertools.combinations(range(5), r) if clique(s)]
    graphical = all(any(set(c) <= set(m) for m in margins) for c in cliques)
    chordal = any(
        all(clique([b for b in order[i + 1 :] if frozenset((a, b)) in linked]) for i, a in enumerate(order))
        for order in itertools.permutations(range(5))
    )  # fmt: skip
    assert (parts_of(margins) is not None) == (graphical and chordal)


def test_weighted_counts_have_the_spread_of_their_weights():
    """Drawn again and again with unequal weights: the variance of Σ d ln μ̂ is near what is said."""
    rng = np.random.default_rng(4)
    means = np.exp(rng.normal(3, 0.3, (3, 4)))
    weights = rng.uniform(0.3, 3, (3, 4))
    slopes = rng.normal(size=12)
    sums, said = [], []
    for _ in range(400):
        drawn = rng.poisson(means) + 1
        scaled = (drawn * weights).ravel()
        grid, people = grid_of(drawn), scaled.sum()
        grid = dataclasses.replace(grid, weighted=scaled * grid.n / people)
        full, _ = fitted(grid, [])
        sums.append(float((slopes * np.log(full.ravel() * people / grid.n)).sum()))
        said.append(spread(grid, slopes, projection(grid, [], full, slopes)))
    assert np.mean(said) == pytest.approx(np.var(sums), rel=0.2)


def test_a_model_begun_at_a_smaller_one_ends_at_the_same_fit():
    grid = random_grid()
    small, _ = fitted(grid, [(0, 1)])
    begun, direct = (fitted(grid, [(0, 1), (1, 2), (0, 2)], s)[0] for s in (small, None))
    assert begun == pytest.approx(direct, rel=1e-7)


def test_sets_within_larger_ones_are_not_fitted_twice():
    assert generators([(1, 0), (0, 1, 2)], 4) == [(0, 1, 2), (3,)]


def test_the_spread_is_that_of_the_information_matrix():
    """X (Xᵀ diag(μ) X)⁻¹ Xᵀ between the slopes, written down."""
    grid = random_grid((3, 4, 2))
    slopes = np.random.default_rng(1).normal(size=len(grid.counts))
    d = np.zeros(grid.cells)
    d[grid.places()] = slopes
    for margins in ([], [(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]):
        mu, _ = fitted(grid, margins)
        columns = []
        for margin in generators(margins, 3):
            for values in itertools.product(*(range(grid.shape[a]) for a in margin)):
                cell = np.zeros(grid.shape)
                cell[tuple(dict(zip(margin, values, strict=True)).get(a, slice(None)) for a in range(3))] = 1  # fmt: skip
                columns.append(cell.ravel())
        x = np.array(columns).T
        right = d @ x @ np.linalg.pinv(x.T @ (mu.reshape(-1, 1) * x)) @ x.T @ d
        held = projection(grid, margins, mu, slopes)
        assert spread(grid, slopes, held) == pytest.approx(right, rel=1e-6)
        parts = parts_of(generators(margins, 3))
        assert (parts is None) == (len(margins) == 3)
        if parts:
            closed = closed_projection(grid, parts, slopes)
            assert closed == pytest.approx(held, rel=1e-6, abs=1e-9)
            assert spread(grid, slopes, closed) == pytest.approx(right, rel=1e-9)


def test_the_fit_is_summed_over_all_cells():
    """Against loops over every cell: expected cells of one and two records, B̂1 and its variance."""
    grid = random_grid(mean=0.3)
    mu, _ = fitted(grid, [])
    shares = np.random.default_rng(2).uniform(0.05, 0.5, len(grid.counts))
    found = fit_of(grid, mu, shares, 0.2)
    pi = np.full(grid.cells, 0.2)
    pi[grid.places()] = shares
    ones = twos = excess = variance = 0.0
    for f, m, p in zip(dense(grid).ravel(), mu.ravel(), pi, strict=True):
        lam = m / p
        ones += m * math.exp(-m)
        twos += m * m / 2 * math.exp(-m)
        # equation of Skinner and Shlomo (2008), with its variance
        weight = lam * math.exp(-lam) * (1 - p)
        excess += weight * ((f - p * lam) + (1 - p) * ((f - p * lam) ** 2 - f) / (2 * p))
        variance += weight**2 * (p * lam + (1 - p) ** 2 * lam**2 / 2)
    assert found.uniques == pytest.approx(ones)
    assert found.pairs == pytest.approx(twos)
    assert found.excess1 == pytest.approx(excess)
    assert found.sd1 == pytest.approx(math.sqrt(variance))


def test_the_second_excess_is_the_expansion_of_its_risk():
    """B̂2 by numerical derivatives of h₂(λ) = (1 − e^(−λ(1−π)))/(λ(1−π))."""
    grid = random_grid(mean=0.5)
    mu, _ = fitted(grid, [])
    pi = 0.1

    def risk(lam):
        return -np.expm1(-lam * (1 - pi)) / (lam * (1 - pi))

    lam, f, step = mu.ravel() / pi, dense(grid).ravel(), 1e-3
    slope = (risk(lam + step) - risk(lam - step)) / (2 * step)
    curve = (risk(lam + step) - 2 * risk(lam) + risk(lam - step)) / step**2
    m = mu.ravel()
    terms = -slope * (f - m) / pi + curve * ((f - m) ** 2 - f) / (2 * pi**2)
    found = fit_of(grid, mu, np.full(len(grid.counts), pi), pi)
    assert found.excess2 == pytest.approx((m * np.exp(-m) * terms).sum(), rel=1e-4)


def test_the_search_adds_the_margin_that_matters():
    rng = np.random.default_rng(3)
    shape = (5, 6, 4, 3)
    log = rng.normal(0, 1.2, (5, 6, 1, 1)) + rng.normal(0, 0.5, (1, 1, 4, 1))
    means = np.broadcast_to(np.exp(log), shape)
    grid = grid_of(rng.poisson(means / means.sum() * 400))
    shares = np.full(len(grid.counts), 0.02)
    steps = chosen_margins(grid, shares, 0.02)
    assert steps[0].added == ()
    assert underfits(steps[0].fit)
    assert steps[1].added == (0, 1)
    assert not underfits(steps[-1].fit)
    assert [step.score for step in steps] == sorted((s.score for s in steps), reverse=True)


def test_a_model_that_holds_is_left_alone():
    grid = random_grid((4, 4, 4), mean=1.0, seed=5)
    assert len(chosen_margins(grid, np.full(len(grid.counts), 0.1), 0.1)) == 1
