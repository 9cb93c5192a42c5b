"""Local recoding on small random tasks: always valid, never below a bound, whatever the order; and
slow, obvious twins of its kernels."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.local_recoding import assignment as kernels
from discreet.kernels.local_recoding import peel
from discreet.kernels.local_recoding.assignment import assignment
from discreet.kernels.local_recoding.bound import bound
from discreet.kernels.local_recoding.instance import (
    cheapest_cuts,
    closures,
    instance,
    joined,
    lifted_nodes,
)
from discreet.kernels.local_recoding.mondrian import mondrian
from discreet.kernels.local_recoding.peel import peel_state, peeled
from discreet.kernels.local_recoding.search import improved, recoded, settled, shaken, twin
from discreet.kernels.local_recoding.task import CellTask, KeyTree
from tests.cell_tasks import assert_valid, path
from tests.examples import examples
from tests.kernels import from_python

COSTS = [0.0, 0.125, 0.25, 0.5]  # sums are exact
FEW = examples(150)
enough, move, nearest, rise, varied = (
    from_python(getattr(kernels, name)) for name in ("enough", "move", "nearest", "rise", "varied")
)
group = from_python(peel.group)


@st.composite
def trees(draw, values):
    """Nodes 0 … values - 1 that items have, and some above them; costs grow towards the top."""
    nodes = values + draw(st.integers(0, 3))
    parent = [
        draw(st.integers(min(n + 1, nodes - 1), nodes - 1)) if n < nodes - 1 else n
        for n in range(nodes)
    ]
    for n in range(nodes):
        if draw(st.integers(0, 9)) == 0:
            parent[n] = n  # another top
    cost = [0.0] * nodes
    for n in range(nodes):  # a parent comes after its children
        if parent[n] != n:
            cost[parent[n]] = max(cost[parent[n]], cost[n] + draw(st.sampled_from(COSTS)))
    return KeyTree(np.array(parent, np.int32), np.array(cost))


@st.composite
def tasks(draw, most=7, extras=True, records=3):
    keys = draw(st.integers(1, 3))
    forest = tuple(draw(trees(draw(st.integers(1, 4)))) for _ in range(keys))
    items = draw(st.integers(0, most))
    codes = [
        [draw(st.integers(0, min(3, len(t.parent) - 1))) for t in forest] for _ in range(items)
    ]
    counts = [draw(st.integers(1, records)) for _ in range(items)]
    more = {}
    if extras and draw(st.booleans()):
        more["weight"] = np.array([draw(st.sampled_from([0.5, 1.0, 2.0])) for _ in range(items)])
    if extras and draw(st.booleans()):
        fixed = [[draw(st.integers(0, 7)) == 0 for _ in forest] for _ in range(items)]
        more["fixed"] = np.array(fixed, np.bool_).reshape(items, keys)
    if extras and draw(st.booleans()):
        values = [[draw(st.integers(0, 2)) for _ in range(2)] for _ in range(items)]
        more["values"] = np.array(values, np.int32).reshape(items, 2)
        more["distinct"] = (draw(st.integers(1, 3)), draw(st.integers(1, 2)))
    return CellTask(
        np.array(codes, np.int32).reshape(items, keys),
        np.array(counts, np.int64),
        forest,
        draw(st.integers(1, 4)),
        **more,
    )


ANSWERS = {
    "quick": lambda task: recoded(task, "quick"),
    "default": recoded,
    "strict": mondrian,
    "relaxed": lambda task: mondrian(task, relaxed=True),
}


def cheapest(task):
    """The least price of all partitions of the records, None where none serves them all."""
    records = [i for i, count in enumerate(task.counts) for _ in range(count)]
    best = [np.inf]

    def place(at, parts):
        if at == len(records):
            best[0] = min(best[0], sum(price_together(task, part) for part in parts))
            return
        for part in parts:
            part.append(records[at])
            place(at + 1, parts)
            part.pop()
        if len(parts) < max(1, len(records) // task.k):
            parts.append([records[at]])
            place(at + 1, parts)
            parts.pop()

    place(0, [])
    return None if best[0] == np.inf else best[0]


def price_together(task, part):
    """What some records cost as one class."""
    weight = np.ones(len(task.counts)) if task.weight is None else task.weight
    cell, price = [], 0.0
    for a, tree in enumerate(task.trees):
        paths = [path(tree, task.codes[i, a]) for i in part]
        shared = [node for node in paths[0] if all(node in other for other in paths)]
        if not shared:
            return np.inf
        cell.append(shared[0])
        price += sum(weight[i] * (tree.cost[shared[0]] - tree.cost[task.codes[i, a]]) for i in part)
    enough_values = all(
        len({task.values[i, j] for i in part}) >= p for j, p in enumerate(task.distinct)
    )
    serves = len(part) >= task.k and enough_values and all(can_show(task, i, cell) for i in part)
    return price if serves else np.inf


@FEW
@given(tasks(), st.sampled_from(list(ANSWERS)))
def test_every_answer_is_valid(task, answer):
    assert_valid(task, ANSWERS[answer](task))


@FEW
@given(tasks())
def test_whoever_can_be_served_is_served(task):
    if task.fixed is not None:
        return
    top = np.array(
        [[path(t, c)[-1] for t, c in zip(task.trees, row, strict=True)] for row in task.codes]
    )
    for answer in ANSWERS.values():
        left = answer(task).left
        for i in range(len(task.counts)):
            alike = (top == top[i]).all(axis=1)
            enough_values = all(
                len(set(task.values[alike, j])) >= p for j, p in enumerate(task.distinct)
            )
            assert (left[i] == 0) == bool(task.counts[alike].sum() >= task.k and enough_values)


@FEW
@given(tasks(most=4, records=2))
def test_no_answer_is_cheaper_than_the_cheapest_and_no_bound_dearer(task):
    least = cheapest(task)
    if least is None:
        return
    assert bound(task) <= least + 1e-9
    assert bound(task, reads=1) <= least + 1e-9
    for answer in ANSWERS.values():
        found = answer(task)
        if found.left.sum() == 0:
            assert found.price(task) >= least - 1e-9


@FEW
@given(tasks(), st.sampled_from(list(ANSWERS)), st.randoms(use_true_random=False))
def test_the_order_of_the_items_changes_nothing(task, answer, random):
    order = list(range(len(task.counts)))
    random.shuffle(order)
    order = np.array(order, np.int64)
    other = CellTask(
        task.codes[order],
        task.counts[order],
        task.trees,
        task.k,
        None if task.weight is None else task.weight[order],
        None if task.fixed is None else task.fixed[order],
        task.values[order] if task.distinct else task.values,
        task.distinct,
    )
    one, two = ANSWERS[answer](task), ANSWERS[answer](other)
    assert np.isclose(one.price(task), two.price(other), rtol=0, atol=1e-9)
    assert rows(task, one) == rows(other, two)


def rows(task, cells):
    """What is released, by what the items are and not by where they are."""
    found = []
    for item, node, count in zip(cells.item, cells.node.tolist(), cells.count, strict=True):
        what = (
            task.codes[item].tolist(),
            task.counts[item],
            None if task.weight is None else task.weight[item],
            None if task.fixed is None else task.fixed[item].tolist(),
            task.values[item].tolist() if task.distinct else [],
        )
        found.append((what, node, count))
    return sorted(found, key=repr)


@FEW
@given(tasks(), st.integers(0, 6), st.sampled_from([0.25, 1.0]))
def test_records_are_left_out_only_within_the_budget_and_where_it_pays(task, most, cost):
    without = recoded(task)
    found = recoded(task, max_suppressed=most, suppressed_cost=cost)
    assert_valid(task, found)
    assert found.left.sum() <= max(most, without.left.sum())
    weight = np.ones(len(task.counts)) if task.weight is None else task.weight
    prices = [one.price(task) + cost * float(one.left @ weight) for one in (found, without)]
    assert prices[0] <= prices[1] + 1e-9
    if without.left.sum() == 0:
        assert bound(task, max_suppressed=most, suppressed_cost=cost) <= prices[0] + 1e-9


@FEW
@given(tasks(extras=False), st.integers(1, 3))
def test_a_criterion_that_counts_do_not_decide(task, most_share):
    """No value of the first key in more than its share: merging keeps it, moving need not."""

    def passes(item, count, label, classes):
        size = np.bincount(label, count, classes)
        value = task.codes[item, 0]
        most = np.zeros(classes)
        for v in np.unique(value):
            most = np.maximum(most, np.bincount(label[value == v], count[value == v], classes))
        return most * (most_share + 1) <= size * most_share

    for found in (recoded(task, passes=passes), mondrian(task, passes=passes)):
        assert_valid(task, found)
        if len(found.item):
            _, label = np.unique(found.node, axis=0, return_inverse=True)
            assert passes(found.item, found.count, label.ravel(), label.max() + 1).all()


# -- twins -----------------------------------------------------------------------------------------


def tree_path(at, node):
    return path(KeyTree(at.parent, at.cost), node)


def common_twin(at, one, two):
    return next((n for n in tree_path(at, one) if n in tree_path(at, two)), -1)


@FEW
@given(tasks())
def test_the_lowest_common_node_and_closures(task):
    at = instance(task)
    first, second = at.codes.ravel(), at.codes[::-1].ravel()
    expected = [common_twin(at, a, b) for a, b in zip(first, second, strict=True)]
    assert joined(first, second, at.tree).tolist() == expected
    lifted = lifted_nodes(at.tree)
    for depth, node in product(range(len(lifted)), range(len(at.parent))):
        above = [n for n in tree_path(at, node) if at.depth[n] <= depth]
        assert lifted[depth, node] == above[0]
    label = np.arange(len(at.codes)) % 2
    cells = closures(label, 2, at.codes, at.tree)
    for c, a in product(range(2), range(len(at.keys))):
        node = -1
        for code in at.codes[label == c, a]:
            node = code if node < 0 else common_twin(at, node, code)
            if node < 0:
                break
        if node >= 0:
            assert cells[c, a] == node


@FEW
@given(tasks())
def test_items_that_look_alike_under_a_cut(task):
    at = instance(task)
    if len(at.codes) == 0:
        return
    cuts, work = cheapest_cuts(at, 1000), peel_state(at)
    assert len({tuple(depth) for depth in cuts.depth}) == len(cuts.depth)
    for depth in cuts.depth:
        cells = group(at, cuts, depth, work)
        shown = [
            tuple(cuts.lifted[d, c] for d, c in zip(depth, row, strict=True)) for row in at.codes
        ]
        stays = (at.fixed & (np.array(shown) != at.codes)).any(axis=1)
        found = work.left["offer"]
        assert (found < 0).tolist() == stays.tolist()
        assert len({s for s, moved in zip(shown, stays, strict=True) if not moved}) == cells
        for i, j in product(np.flatnonzero(~stays), repeat=2):
            assert (found[i] == found[j]) == (shown[i] == shown[j])
        for c in range(cells):
            assert work.cells[c].records == at.counts[found == c].sum()


@FEW
@given(tasks(extras=False))
def test_the_peel_releases_the_cheapest_cell_first(task):
    at = instance(task)
    if len(at.codes) == 0:
        return
    cuts = cheapest_cuts(at, 1000)
    left, expected = set(range(len(at.codes))), []
    while True:
        offers = []
        for number, depth in enumerate(cuts.depth):
            cells = {}
            for i in sorted(left):
                cell = tuple(cuts.lifted[d, c] for d, c in zip(depth, at.codes[i], strict=True))
                cells.setdefault(cell, []).append(i)
            for cell, items in cells.items():
                if at.counts[items].sum() >= at.k:
                    offers.append((at.cost[list(cell)].sum(), number, items))
        if not offers:
            break
        cheap = min(offers)[0]
        offers = [offer for offer in offers if offer[0] <= cheap * 1.03]
        number = min(number for _, number, _ in offers)
        for _, other, items in offers:
            if other == number:
                expected.append(items)
                left -= set(items)
    found = peeled(at, 1000, at.k)
    classes = [found.item[found.label == c].tolist() for c in np.unique(found.label)]
    alone = [[i] for i in left]
    assert sorted(classes) == sorted(expected + alone)


@FEW
@given(tasks(), st.integers(0, 3))
def test_an_assignment_adds_up_after_every_step(task, salt):
    at = instance(task)
    if len(at.codes) == 0:
        return
    now = assignment(at, *peeled(at, 1000, 1), spare=8)
    consistent(at, now)
    for i in range(len(at.codes)):
        row = (at.codes, at.fixed, i, at.weight[i])
        each = [
            rise(at, now, c, *row, np.inf) if now.size[c] else np.inf for c in range(len(now.size))
        ]
        for c in np.flatnonzero(now.size):
            assert each[c] == rise_twin(at, now, c, at.codes[i], at.fixed[i], at.weight[i])
        found, least = nearest(at, now, *row, -1, np.inf, 0.0)
        assert least == min(each)
        assert found < 0 or each[found] == least
    settled(at, now)
    consistent(at, now)
    assert all(enough(at, now, c) for c in np.flatnonzero(now.size))
    last = price(now)
    while improved(at, now, 1):
        consistent(at, now)
        assert price(now) < last
        last = price(now)
    shaken(at, now, twin(now), np.arange(len(now.size)), 3, salt)
    consistent(at, now)
    assert price(now) <= last
    assert all(enough(at, now, c) for c in np.flatnonzero(now.size))


def price(now):
    return (now.weight * now.cost).sum()


def rise_twin(at, now, c, nodes, fixed, weight):
    joint = [common_twin(at, a, b) for a, b in zip(now.node[c], nodes, strict=True)]
    for a, node in enumerate(joint):
        if (
            node < 0
            or (fixed[a] and node != nodes[a])
            or (now.fixed[c, a] and node != now.node[c, a])
        ):
            return np.inf
    return (now.weight[c] + weight) * at.cost[joint].sum() - now.weight[c] * now.cost[c]


def consistent(at, now):
    """Everything that is kept about classes follows from their pieces."""
    for c in range(len(now.size)):
        pieces, piece, before = [], now.classes[c].first, -1
        while piece >= 0:
            assert (now.owner[piece], now.pieces[piece].before) == (c, before)
            pieces.append(piece)
            before, piece = piece, now.pieces[piece].after
        assert set(pieces) == set(np.flatnonzero(now.owner == c))
        items, records = now.item[pieces], now.records[pieces]
        assert now.size[c] == records.sum()
        assert now.weight[c] == (at.weight[items] * records).sum()
        if not pieces:
            assert now.classes[c].shelf == -1
            continue
        label = np.zeros(len(items), np.int64)
        assert now.node[c].tolist() == closures(label, 1, at.codes[items], at.tree)[0].tolist()
        assert now.cost[c] == at.cost[now.node[c]].sum()
        assert now.fixed[c].tolist() == at.fixed[items].any(axis=0).tolist()
        assert now.classes[c].shelf == now.node[c, 0]
        values = at.values[items]
        assert varied(at, now.pieces, now.classes["first"][c], -1) == all(
            len(set(values[:, j])) >= p for j, p in enumerate(at.distinct)
        )
    served = np.bincount(now.item[now.owner >= 0], now.records[now.owner >= 0], len(at.codes))
    assert (served <= at.counts).all()
    assert now.free[0] == (now.owner < 0).sum()


@FEW
@given(tasks())
def test_parts_of_an_item_can_be_moved_and_moved_back(task):
    at = instance(task)
    if len(at.codes) == 0:
        return
    now = assignment(at, np.arange(len(at.codes)), at.counts, np.arange(len(at.codes)), spare=1)
    empty = len(at.codes)
    for piece in range(len(at.codes)):
        move(at, now, piece, max(1, at.counts[piece] // 2), empty)
        consistent(at, now)
        move(at, now, piece, now.records[piece], now.item[piece])
        consistent(at, now)


def mondrian_twin(task):
    """Strict Mondrian as a recursion over lists; the price of what it releases."""
    at = instance(task)
    stays = at.fixed.any(axis=0)

    def serves(items):
        return at.counts[items].sum() >= at.k and all(
            len(set(at.values[items, j])) >= p for j, p in enumerate(at.distinct)
        )

    def released(items):
        node = closures(np.zeros(len(items), np.int64), 1, at.codes[items], at.tree)[0]
        options = []
        for a in range(len(at.keys)):
            sides = {}
            for i in items:
                above = tree_path(at, at.codes[i, a])
                child = above[max(above.index(node[a]) - 1, 0)]
                sides.setdefault(child, []).append(i)
            if stays[a] or len(sides) < 2 or not all(serves(side) for side in sides.values()):
                continue
            gain = sum(
                (at.counts[side] * at.weight[side]).sum() * (at.cost[node[a]] - at.cost[child])
                for child, side in sides.items()
            )
            options.append((-gain, a, list(sides.values())))
        if not options:
            return (at.cost[node].sum() * at.counts[items] * at.weight[items]).sum()
        return sum(released(side) for side in min(options)[2])

    tops = {}
    for i, row in enumerate(at.codes):
        top = tuple(c if stays[a] else tree_path(at, c)[-1] for a, c in enumerate(row))
        tops.setdefault(top, []).append(i)
    parts = [items for items in tops.values() if serves(items)]
    own = sum((at.cost[at.codes[i]].sum() * at.counts[i] * at.weight[i]) for p in parts for i in p)
    return sum(released(items) for items in parts) - own


@FEW
@given(tasks())
def test_strict_mondrian_is_a_plain_recursion(task):
    assert np.isclose(mondrian(task).price(task), mondrian_twin(task), rtol=0, atol=1e-9)


@FEW
@given(tasks(most=5))
def test_the_bound_is_the_cheapest_cell_that_covers_enough(task):
    total = 0.0
    weight = np.ones(len(task.counts)) if task.weight is None else task.weight
    for i in range(len(task.counts)):
        best = np.inf
        for cell in product(*(path(t, c) for t, c in zip(task.trees, task.codes[i], strict=True))):
            if can_show(task, i, cell):
                who = [j for j in range(len(task.counts)) if can_show(task, j, cell)]
                ok = task.counts[who].sum() >= task.k and all(
                    len(set(task.values[who, j])) >= p for j, p in enumerate(task.distinct)
                )
                if ok:
                    best = min(
                        best,
                        sum(
                            t.cost[n] - t.cost[c]
                            for t, n, c in zip(task.trees, cell, task.codes[i], strict=True)
                        ),
                    )
        total += task.counts[i] * weight[i] * (1.0 if best == np.inf else best)
    assert np.isclose(bound(task), total, rtol=0, atol=1e-9)


def can_show(task, i, cell):
    for a, (tree, node) in enumerate(zip(task.trees, cell, strict=True)):
        if node not in path(tree, task.codes[i, a]):
            return False
        if task.fixed is not None and task.fixed[i, a] and node != task.codes[i, a]:
            return False
    return True
