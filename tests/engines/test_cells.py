"""Cells are changed where the records are, in the same records on every engine."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet import engine as engines
from discreet.kernels.local_recoding.task import Cells
from discreet.masking.cells import blank_nodes, cell_task, changed_cells, hierarchy_nodes, items_of
from tests.engines.tables import ROLES, hierarchies, rows, survey

TABLE = pa.table(
    {
        "id": [f"r{i}" for i in range(12)],
        "age": pa.array([31, 31, 31, 31, 31, 32, 32, None, 40, 40, 40, None], pa.int64()),
        "sex": list("MMMMMFFFFFFM"),
        "born": pa.array([3] * 12, pa.date32()),
    }
)


@pytest.mark.parametrize("turned", [False, True])
def test_the_same_records_get_the_same_cells(engine, turned):
    """Beside a label and a blank, a column of dates keeps its type where it is blanked."""
    table = TABLE.take(list(range(11, -1, -1))) if turned else TABLE
    survey = engine.read(table, keys=["age", "sex", "born"], record_id="id")
    counted = items_of(survey, survey.keys)
    fitted = ds.Hierarchy.intervals([10]).fit("age", counted.values[0])
    nodes = {"age": hierarchy_nodes(fitted), "sex": blank_nodes(counted.values[1]),
             "born": blank_nodes(counted.values[2])}  # fmt: skip
    codes = cell_task(counted, nodes, k=2).codes
    at = [i for i, n in enumerate(counted.counts) if n == 5]
    item = np.array(sorted([*range(len(counted)), *at, *at]))
    node, count = codes[item].copy(), counted.counts[item].copy()
    first = int(np.flatnonzero(item == at[0])[0])
    count[first : first + 3] = [1, 2, 2]
    node[first, 0] = nodes["age"].tree.parent[node[first, 0]]
    node[first + 1, 1:] = [one.tree.parent[0] for one in (nodes["sex"], nodes["born"])]
    made = changed_cells(survey, counted, nodes, Cells(item, node, count), seed=3)
    found = engines.collect(made.source, ["id", "age", "sex", "born"])
    assert pa.types.is_date(found.schema.field("born").type)
    got = {row["id"]: (row["age"], row["sex"], row["born"] is None) for row in found.to_pylist()}
    alike = sorted(
        (f"r{i}" for i in range(5)), key=lambda one: hashlib.md5(f"3:{one}".encode()).hexdigest()
    )
    assert [got.pop(one) for one in alike] == [
        ("[30, 40)", "M", False), ("31", None, True), ("31", None, True),
        ("31", "M", False), ("31", "M", False),
    ]  # fmt: skip
    assert got["r7"] == (None, "F", False)
    assert len(got) == 7
    assert made.changes == {"age": 1, "sex": 2, "born": 2}


@pytest.mark.verb("recode")
def test_a_local_recoding_is_the_same(engine):
    table = survey(200)
    here, there = (
        ds.recode(read(table, **ROLES), hierarchies(), ds.KAnonymity(3), search="quick", seed=2)
        for read in (ds.read, engine.read)
    )
    assert rows(there) == rows(here)
    assert there.loss == here.loss


def cell_maskings(data):
    """A local recoding and a suppression of cells: what is released, in the order of the ids."""
    recoded = ds.recode(data, hierarchies(), ds.KAnonymity(3), seed=2)
    blanked = ds.suppress_cells(data, ds.KAnonymity(3), seed=2)
    return rows(recoded), recoded.loss, rows(blanked), blanked.changes


def test_neither_order_nor_threads_change_a_cell(unheld):
    table, found = survey(200), []
    for order in (list(range(200)), list(range(199, -1, -1))):
        for threads in (1, 2):
            with ds.settings(threads=threads):
                found.append(cell_maskings(ds.read(table.take(order), **ROLES)))
    assert all(one == found[0] for one in found)


@pytest.mark.verb("suppress_cells")
def test_a_suppression_of_cells_is_the_same(engine):
    table = survey(200)
    here, there = (
        ds.suppress_cells(read(table, **ROLES), ds.KAnonymity(3), search="quick", seed=2)
        for read in (ds.read, engine.read)
    )
    assert rows(there) == rows(here)
    assert there.changes == here.changes
