"""Blanked cells, counted record by record; and the fewest of them, by trying everything."""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.local_recoding.task import Cells
from discreet.kernels.local_suppression import category, cover_answer, subsets
from tests.examples import examples
from tests.properties.cells import (
    VALUES,
    cheapest,
    compatible,
    counts,
    covers,
    holds,
    pairs,
    tables,
    task_of,
)

SOLVERS = {
    "category, exact": ("category", category.exact),
    "wildcard, greedy": ("wildcard", partial(cover_answer.greedy, reading="wildcard")),
    "wildcard, exact": ("wildcard", partial(cover_answer.exact, reading="wildcard", nodes=30)),
    "target-source, greedy": (
        "target-source",
        partial(cover_answer.greedy, reading="target-source"),
    ),
    "target-source, exact": (
        "target-source",
        partial(cover_answer.exact, reading="target-source", nodes=1_000),
    ),
}
EXACT = [name for name in SOLVERS if name.endswith("exact")]
every = pytest.mark.parametrize("name", SOLVERS)
exact = pytest.mark.parametrize("name", EXACT)
RECORDS = st.integers(2, 4).flatmap(lambda keys: tables(keys, 14, missing=True, least=3))


def shuffled(task, seed):
    """The same items in another order, and where each went."""
    order = np.random.default_rng(seed).permutation(len(task.counts))
    return replace(task, codes=task.codes[order], counts=task.counts[order]), order


@every
@given(records=RECORDS, k=st.integers(2, 3), by=st.booleans())
def test_every_record_hides_among_k(name, records, k, by):
    reading, solve = SOLVERS[name]
    if by:
        records = [(r[0] or 0, *r[1:]) for r in records]
    task = task_of(records, k, by=by)
    found = solve(task)
    if found.cells is None:
        assert found.stopped == "infeasible"
        return
    made = pairs(task, found.cells)
    assert holds(reading, made, k)
    if reading != "category":
        assert all(y == x or any(v is not None for v in y[by:]) for x, y in made)
    assert found.bound is None or found.bound <= found.cells.price(task)


@exact
@given(
    table=st.one_of(tables(3, 4, least=3), tables(2, 7, least=3)),
    k=st.integers(2, 3),
    most=st.integers(1, 2),
)
def test_none_blanks_fewer_cells(name, table, k, most):
    reading, solve = SOLVERS[name]
    if reading == "category" and len(table) > 5:
        table = table[:5]
    fewest = cheapest(table, k, reading, most)
    task = task_of(table, k)
    found = solve(task, max_blanks=most)
    if fewest is None:
        assert found.cells is None or f"at most {most} blank" not in found.restriction
    else:
        assert (found.cells.price(task), found.bound, found.proven) == (fewest, fewest, True)


@given(table=tables(2, 6, missing=True, least=3), k=st.integers(2, 3))
def test_none_blanks_fewer_cells_where_some_miss_from_the_start(table, k):
    fewest = cheapest_with_missing(table, k)
    task = task_of(table, k)
    found = cover_answer.exact(task, "target-source", nodes=1_000)
    assert (None if found.cells is None else found.cells.price(task)) == fewest


def cheapest_with_missing(records, k):
    """The fewest cells in the target-source reading, where a record has one cell to lose."""
    best = None
    options = [[x, *masked(x)] for x in records]
    for released in itertools.product(*options):
        found = list(zip(records, released, strict=True))
        total = sum(x != y for x, y in found)
        if (best is None or total < best) and holds("target-source", found, k):
            best = total
    return best


def masked(x):
    """The records with one cell fewer that are not all blank."""
    found = [tuple(None if a == b else v for a, v in enumerate(x)) for b in range(len(x))]
    return [y for y in found if y != x and any(v is not None for v in y)]


@every
@examples(15)
@given(records=RECORDS, k=st.integers(2, 3), seed=st.integers(0, 99))
def test_the_order_of_the_items_changes_nothing(name, records, k, seed):
    solve = SOLVERS[name][1]
    task = task_of(records, k)
    other, order = shuffled(task, seed)
    first, second = solve(task).cells, solve(other).cells
    if first is None:
        assert second is None
        return
    rows = sorted(zip(order[second.item], map(tuple, second.node), second.count, strict=True))
    assert rows == sorted(zip(first.item, map(tuple, first.node), first.count, strict=True))


@every
@examples(15)
@given(records=RECORDS, k=st.integers(2, 3), factor=st.sampled_from([0.1, 3.0, 7.7]))
def test_a_constant_factor_of_the_prices_changes_nothing(name, records, k, factor):
    solve = SOLVERS[name][1]
    prices = [1.0, 2.0, 1.0, 3.0][: len(records[0])]
    task = task_of(records, k, prices=prices)
    dearer = task_of(records, k, prices=[factor * p for p in prices])
    first, second = solve(task), solve(dearer)
    assert (first.cells is None) == (second.cells is None)
    if first.cells is not None:
        assert first.cells.node.tolist() == second.cells.node.tolist()
        assert first.cells.count.tolist() == second.cells.count.tolist()
        if first.bound is not None:
            assert second.bound == pytest.approx(factor * first.bound)


@exact
@examples(15)
@given(records=tables(3, 12, least=5))
def test_a_larger_k_never_costs_less(name, records):
    solve = SOLVERS[name][1]
    prices = []
    for k in (2, 3, 4):
        task = task_of(records, k)
        found = solve(task, max_blanks=2)
        if found.cells is None or "at most 2 blanks" not in found.restriction:
            break
        prices.append(found.cells.price(task))
    assert prices == sorted(prices)


@every
@examples(20)
@given(records=tables(3, 12, least=4), data=st.data())
def test_cells_that_must_stay_do_and_weights_count(name, records, data):
    reading, solve = SOLVERS[name]
    size = len(records)
    fixed = data.draw(
        st.lists(
            st.sampled_from([(False,) * 3, (True, False, False)]), min_size=size, max_size=size
        )
    )
    weight = data.draw(st.lists(st.sampled_from([1.0, 2.5]), min_size=size, max_size=size))
    task = task_of(records, 2, fixed=fixed, weight=weight)
    found = solve(task)
    if found.cells is None:
        return
    cells = found.cells
    stays = task.fixed[cells.item]
    assert np.all(cells.node[stays] == task.codes[cells.item][stays])
    assert holds(reading, pairs(task, cells), 2)
    assert found.bound is None or found.bound <= cells.price(task) + 1e-9


@given(records=tables(3, 14, missing=True, least=4), data=st.data())
def test_cells_have_as_many_values_as_are_asked_for(records, data):
    values = data.draw(st.lists(st.integers(0, 2), min_size=len(records), max_size=len(records)))
    task = task_of(records, 2, values=values, distinct=(2,))
    found = category.exact(task)
    if found.cells is None:
        return
    seen = {}
    for item, node, count in zip(
        found.cells.item, found.cells.node, found.cells.count, strict=True
    ):
        seen.setdefault(tuple(node), []).extend([int(task.values[item, 0])] * int(count))
    assert all(len(v) >= 2 and len(set(v)) >= 2 for v in seen.values())
    assert found.bound <= found.cells.price(task) + 1e-9


@examples(20)
@given(records=RECORDS, k=st.integers(2, 3))
def test_without_a_proof_the_answer_is_valid_and_the_bound_no_higher(records, k):
    task = task_of(records, k)
    whole, found = category.exact(task), category.exact(task, proof=False)
    assert found.stopped in ("proven", "linear", "infeasible")
    if found.cells is not None:
        assert counts(pairs(task, found.cells))["category"] >= k
        assert found.bound <= whole.bound <= found.cells.price(task)


@examples(20)
@given(records=tables(3, 12, least=4), k=st.integers(2, 3))
def test_pieces_give_a_valid_answer_that_is_not_called_proven(records, k):
    task, sizes = task_of(records, k), (category.WHOLE, category.PIECE)
    try:
        category.WHOLE, category.PIECE = -1, 1
        found = category.exact(task)
    finally:
        category.WHOLE, category.PIECE = sizes
    if found.cells is not None:
        assert counts(pairs(task, found.cells))["category"] >= k
        assert (found.bound, found.stopped) == (None, "size")
        assert found.cells.price(task) >= category.exact(task, max_blanks=3).bound


@pytest.mark.parametrize("reading", ["category", "wildcard"])
@given(records=tables(4, 12, missing=True, least=4), k=st.integers(2, 3), size=st.integers(1, 4))
def test_every_set_of_keys_holds_in_the_end(reading, records, k, size):
    task = task_of(records, k)
    sets = [(keys, k) for keys in itertools.combinations(range(4), size)]
    solve = (
        category.exact
        if reading == "category"
        else partial(cover_answer.greedy, reading="wildcard")
    )
    cells = subsets.on_subsets(
        task, sets, lambda one: solve(one).cells, wildcard=reading == "wildcard"
    )
    if cells is None:
        return
    made = pairs(task, cells)
    same = compatible if reading == "wildcard" else lambda y, z: y == z
    for keys, _ in sets:
        shown = [tuple(y[a] for a in keys) for _, y in made]
        assert all(sum(same(y, z) for z in shown) >= k for y in shown)
    assert all(covers(y, x) for x, y in made)


@examples(20)
@given(records=tables(3, 10, least=4))
def test_all_keys_as_one_set_is_the_plain_task(records):
    task = task_of(records, 2)
    plain = category.exact(task).cells
    whole = subsets.on_subsets(task, [((0, 1, 2), 2)], lambda one: category.exact(one).cells)
    if plain is None:  # nobody can lend a record
        assert whole is None
        return
    assert isinstance(whole, Cells)
    assert whole.price(task) == plain.price(task)


def test_the_blank_is_the_last_node():
    task = task_of([(0, None)], 1)
    assert task.codes.tolist() == [[0, VALUES]]
