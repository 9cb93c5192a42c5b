"""Cells: from counts of records that are alike to the records, and what a cell may show."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import InvalidData
from discreet.kernels.local_recoding.task import Cells
from discreet.masking.cells import (
    blank_nodes,
    cell_task,
    changed_cells,
    fixed_nodes,
    hierarchy_nodes,
    items_of,
)


def tree(hierarchy, values):
    return hierarchy_nodes(hierarchy.fit("x", pa.array(values)))


def explicit(*rows):
    return ds.Hierarchy.from_dict({row[0]: list(row[1:]) for row in rows})


def test_a_label_that_repeats_upwards_is_one_node():
    nodes = tree(explicit(("a", "a", "*"), ("b", "bc", "*"), ("c", "bc", "*")), ["a", "b", "c"])
    assert nodes.labels.to_pylist() == ["a", "b", "c", "bc", "*"]
    assert nodes.tree.parent.tolist() == [4, 3, 3, 4, 4]
    assert nodes.tree.cost.tolist() == [0, 0, 0, 0.5, 1]


def test_a_missing_value_stays_missing_up_to_where_all_are_one():
    nodes = tree(ds.Hierarchy.prefixes([2, 1, 0]), ["aa", "ab", None])
    assert nodes.labels.to_pylist() == ["aa", "ab", None, "a*", "*"]
    assert nodes.tree.parent.tolist() == [3, 3, 4, 4, 4]
    assert nodes.tree.cost.tolist() == [0, 0, 0, 1, 1]


def test_a_hierarchy_with_several_tops_has_several():
    nodes = tree(ds.Hierarchy.prefixes([2, 1], top=None), ["aa", "ba"])
    assert nodes.tree.parent.tolist() == [2, 3, 2, 3]


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "a", "*"), ("b", "a", "*"), ("c", "c", "*")],  # a value, and a group that holds more
        [("a", "x", "u"), ("b", "y", "x")],  # a group of one level, and another of the next
    ],
)
def test_a_label_of_two_groups_is_refused(rows):
    with pytest.raises(InvalidData, match="D23"):
        tree(explicit(*rows), [row[0] for row in rows])


def test_a_cell_that_is_missing_costs_nothing_and_is_the_blank():
    nodes = blank_nodes(pa.array(["a", "b", None]), 2.0)
    assert nodes.tree.parent.tolist() == [2, 2, 2]
    assert nodes.tree.cost.tolist() == [0, 0, 2]


# -- to the records --------------------------------------------------------------------------------

TABLE = {"id": [f"r{i}" for i in range(8)], "age": [1, 1, 1, 1, 1, 2, 2, None],
         "sex": list("MMMMMFFF"), "pay": list(range(8))}  # fmt: skip


def draws(ids, seed):
    return sorted(ids, key=lambda one: hashlib.md5(f"{seed}:{one}".encode()).hexdigest())


def opened(table):
    return ds.read(table, keys=["age", "sex"], record_id="id")


def blanked(survey, seed=0, gone=None, linked=None):
    """Two of the records (1, M) lose their age, one its sex."""
    counted = items_of(survey, survey.keys)
    nodes = {name: blank_nodes(v) for name, v in zip(survey.keys, counted.values, strict=True)}
    codes = cell_task(counted, nodes, k=2).codes
    blank = [one.tree.parent[0] for one in nodes.values()]
    item = np.array([0, 0, 0, 1, 2])
    node = codes[item].copy()
    node[0, 0], node[1, 1] = blank
    cells = Cells(item, node, np.array([2, 1, 2, 2, 1]))
    return changed_cells(survey, counted, nodes, cells, seed=seed, gone=gone, linked=linked)


def rows(source, *names):
    from discreet import engine

    found = engine.collect(source, ["id", *names]).to_pylist()
    return {row["id"]: tuple(row[name] for name in names) for row in found}


@pytest.mark.parametrize("seed", [0, 7])
def test_records_with_the_smallest_draws_are_changed(seed):
    made = blanked(opened(TABLE), seed)
    order = draws([f"r{i}" for i in range(5)], seed)
    found = rows(made.source, "age", "sex")
    assert [found[one] for one in order] == [
        (None, "M"),
        (None, "M"),
        (1, None),
        (1, "M"),
        (1, "M"),
    ]
    assert [found[f"r{i}"] for i in (5, 6, 7)] == [(2, "F"), (2, "F"), (None, "F")]
    assert made.changes == {"age": 2, "sex": 1}


def test_the_order_of_the_rows_changes_nothing():
    turned = {name: values[::-1] for name, values in TABLE.items()}
    one, other = (rows(blanked(opened(t)).source, "age", "sex") for t in (TABLE, turned))
    assert one == other


def test_a_blanked_column_keeps_its_type_and_a_linked_one_loses_the_same_cells():
    from discreet import engine

    made = blanked(opened(TABLE), linked={"age": ["pay"], "sex": ["pay"]})
    found = engine.collect(made.source, ["age", "pay"])
    assert found.schema.field("age").type == pa.int64()
    assert found["pay"].null_count == 3


def test_what_is_gone_is_left_out_and_stays_in_the_complete_file():
    gone = np.array([True, False, False, False, True])
    made = blanked(opened(TABLE), gone=gone)
    order = draws([f"r{i}" for i in range(5)], 0)
    assert sorted(rows(made.source)) == sorted([*order[2:], "r5", "r6"])
    assert len(rows(made.complete)) == 8
    assert made.changes == {"sex": 1}


def test_labels_replace_values_and_strata_stay():
    survey = opened(TABLE)
    counted = items_of(survey, survey.keys)
    fitted = ds.Hierarchy.intervals([10]).fit("age", counted.values[0])
    nodes = {"age": hierarchy_nodes(fitted), "sex": fixed_nodes(2)}
    codes = cell_task(counted, nodes, k=2).codes
    top = codes.copy()
    top[:, 0] = len(nodes["age"].tree.parent) - 1
    cells = Cells(np.arange(3), top, counted.counts)
    found = rows(changed_cells(survey, counted, nodes, cells, seed=0).source, "age", "sex")
    assert set(found.values()) == {("*", "M"), ("*", "F")}
