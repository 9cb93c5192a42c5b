"""Integer programmes: small ones by trying everything, limits, and what is said where nothing is
found."""

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels import integer_program
from discreet.kernels.integer_program import LinearConditions, available, granule, least_cost, solve
from tests.examples import examples


def covering(matrix, cost, wanted, most=2):
    """The least cost of columns that add up to what is wanted in each row."""
    rows, columns = np.nonzero(np.asarray(matrix))
    conditions = LinearConditions()
    conditions.add((rows, columns, 1), rows=len(matrix), least=wanted)
    cost = np.asarray(cost, dtype=float)
    return conditions.of(cost=cost, upper=np.full(len(cost), float(most)))


def by_trying(matrix, cost, wanted, most=2):
    matrix = np.asarray(matrix)
    found = [
        float(np.dot(cost, x))
        for x in itertools.product(range(most + 1), repeat=len(cost))
        if np.all(matrix @ np.array(x) >= wanted)
    ]
    return min(found, default=None)


@examples(60)
@given(st.data())
def test_the_answer_is_the_cheapest_of_all(data):
    rows, columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    bits = st.lists(st.integers(0, 1), min_size=columns, max_size=columns)
    matrix = data.draw(st.lists(bits, min_size=rows, max_size=rows))
    prices = st.sampled_from([0.0, 1.0, 2.0, 2.5])
    cost = data.draw(st.lists(prices, min_size=columns, max_size=columns))
    program, least = covering(matrix, cost, 2), by_trying(matrix, cost, 2)
    for found in (solve(program), least_cost(program)):
        if least is None:
            assert (found.values, found.bound, found.stopped) == (None, np.inf, "infeasible")
        else:
            assert found.objective == pytest.approx(least)
            assert found.bound == pytest.approx(least)
            assert found.proven
    assert solve(program, relaxed=True).bound <= (np.inf if least is None else least + 1e-9)


ODD = [[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 1, 1], [1, 0, 0, 0, 1]]


def test_the_linear_bound_of_an_odd_circle_is_half_of_a_column_each():
    program = covering(ODD, [1] * 5, 1)
    relaxed = solve(program, relaxed=True)
    assert relaxed.bound == pytest.approx(2.5)
    assert relaxed.reduced is not None
    assert solve(program).objective == 3
    assert solve(program).reduced is None


def test_what_limits_stop_is_said():
    rng = np.random.default_rng(0)
    matrix = (rng.random((60, 60)) < 0.1) | np.eye(60, dtype=bool)
    program = covering(matrix, np.ones(60), 1, most=1)
    stopped = solve(program, nodes=0)
    assert stopped.stopped in ("nodes", "proven")
    assert stopped.bound <= solve(program).objective


def test_the_same_programme_has_the_same_answer():
    program = covering(ODD, [1] * 5, 1)
    assert solve(program).values.tolist() == solve(program).values.tolist()


def test_prices_are_compared_with_the_smallest():
    assert granule(np.array([0.0, 0.3, 0.9])) == (0.3, 1.0)
    assert granule(np.array([0.0])) == (1.0, 1.0)
    assert granule(np.array([2.0, 5.0])) == (2.0, 0.0)


def test_without_the_solver_it_is_not_available(monkeypatch):
    assert available()
    monkeypatch.setitem(sys.modules, "highspy", None)
    monkeypatch.setattr(integer_program, "find_spec", lambda name: None)
    assert not available()
    with pytest.raises(ModuleNotFoundError):
        solve(covering(ODD, [1] * 5, 1))
