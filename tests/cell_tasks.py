"""Tasks of local recoding from the reference data, for tests and benchmarks."""

import csv
from pathlib import Path

import numpy as np

from discreet.kernels.local_recoding.task import CellTask, KeyTree

ADULT = "sex age race marital-status education native-country workclass salary-class".split()
IHSN = "urbrur roof walls water electcon relat sex".split()
FIVE = "urbrur roof walls relat sex".split()


def table(path, delimiter=","):
    with Path(path).open(encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=delimiter)
    return {
        name: list(column) for name, column in zip(header, zip(*rows, strict=True), strict=True)
    }


def hierarchy(path, keys):
    """The tree of a hierarchy file and the code of each value."""
    with Path(path).open(encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter=";"))
    ids, parent, leaves = {}, [], []
    for row in rows:
        ids[0, row[0]] = len(parent)
        parent.append(0)
        leaves.append(0)
    for level in range(1, len(rows[0])):
        for row in rows:
            if (level, row[level]) not in ids:
                ids[level, row[level]] = len(parent)
                parent.append(len(parent))
                leaves.append(0)
            parent[ids[level - 1, row[level - 1]]] = ids[level, row[level]]
    for row in rows:
        for level, label in enumerate(row):
            leaves[ids[level, label]] += 1
    cost = (np.array(leaves) - 1) / (len(rows) - 1) / keys
    return KeyTree(np.array(parent, np.int32), cost), {row[0]: ids[0, row[0]] for row in rows}


def grouped(codes, values):
    rows, counts = np.unique(np.column_stack([codes, values]), axis=0, return_counts=True)
    keys = codes.shape[1]
    return (
        rows[:, :keys].astype(np.int32),
        rows[:, keys:].astype(np.int32),
        counts.astype(np.int64),
    )


def adult(folder, k=5, keys=ADULT, distinct=(), repeat=1):
    """Adult with ARX's hierarchies; `distinct` asks for values of the occupation."""
    records = table(Path(folder) / "adult/adult_30162x9.csv", ";")
    trees, columns = [], []
    for key in keys:
        tree, ids = hierarchy(Path(folder) / f"adult/adult_hierarchy_{key}.csv", len(keys))
        trees.append(tree)
        columns.append([ids[value] for value in records[key]])
    codes, values = np.column_stack(columns), np.zeros((len(columns[0]), 0), int)
    if distinct:
        values = np.unique(records["occupation"], return_inverse=True)[1][:, None]
    codes, values, counts = grouped(codes, values)
    return CellTask(codes, counts * repeat, tuple(trees), k, values=values, distinct=distinct)


def ihsn(folder, k=3, keys=IHSN):
    """The IHSN file, where a cell stays or is blank and a blank costs 1."""
    records = table(Path(folder) / "ihsn_testdata_4580x15.csv")
    trees, columns = [], []
    for key in keys:
        names, column = np.unique(records[key], return_inverse=True)
        top = len(names)
        cost = np.append(np.zeros(top), 1.0)
        trees.append(KeyTree(np.full(top + 1, top, np.int32), cost))
        columns.append(column)
    codes, _, counts = grouped(np.column_stack(columns), np.zeros((len(columns[0]), 0), int))
    return CellTask(codes, counts, tuple(trees), k)


def assert_valid(task, cells):
    """Covered, counted, varied and fixed, by code that knows nothing of the search."""
    served = np.zeros(len(task.counts), np.int64)
    np.add.at(served, cells.item, cells.count)
    assert (served + cells.left == task.counts).all()
    assert (cells.count > 0).all()
    assert (cells.left >= 0).all()
    size, values = {}, {}
    for item, node, count in zip(cells.item, cells.node.tolist(), cells.count, strict=True):
        for a, tree in enumerate(task.trees):
            assert node[a] in path(tree, task.codes[item, a])
            if task.fixed is not None and task.fixed[item, a]:
                assert node[a] == task.codes[item, a]
        cell = tuple(node)
        size[cell] = size.get(cell, 0) + count
        for j in range(len(task.distinct)):
            values.setdefault((cell, j), set()).add(task.values[item, j])
    assert min(size.values(), default=task.k) >= task.k
    assert all(len(seen) >= task.distinct[j] for (_, j), seen in values.items())


def path(tree, node):
    """A node and all above it."""
    found = [node]
    while tree.parent[found[-1]] != found[-1]:
        found.append(tree.parent[found[-1]])
    return found
