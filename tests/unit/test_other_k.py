"""Other k without another search: ``found.lattice.at(k=…)`` and ``found.by_k([…])``."""

import numpy as np
import pytest

import discreet as ds

HIERARCHIES = {"age": ds.Hierarchy.intervals([5, 20]), "sex": ds.Hierarchy.suppress()}


@pytest.fixture(scope="module")
def found():
    data = ds.read(ds.datasets.patients(200, 1), keys=["age", "sex"], confidential="illness")
    return ds.generalize(data, HIERARCHIES, ds.KAnonymity(3), max_suppressed=0.05)


def test_the_best_node_for_another_k_can_be_masked(found):
    at = found.lattice.at(k=5, max_suppressed=0.05)
    assert ds.check(at.best.mask(), ds.KAnonymity(5)).satisfied
    assert at.best.loss == pytest.approx(at.loss, rel=1e-12)
    assert at.best.suppressed == at.suppressed


def test_its_repr_is_a_line_and_its_table_has_the_minimal_nodes(found):
    at = found.lattice.at(k=5)
    assert repr(at).startswith("At k = 5, at most 4 suppressed: best Node(age ")
    assert len(repr(at)) < 150
    assert at.table("arrow").num_rows == len(at.minimal)
    assert at.to_dict()["best"]["levels"] == at.best.levels


def test_figures_of_all_nodes_are_arrays_apart(found):
    nodes = found.lattice.at(k=5).nodes
    assert isinstance(nodes.loss, np.ndarray)
    assert len(nodes.suppressed) == found.lattice.nodes


def test_where_no_node_is_feasible_that_is_said():
    data = ds.read({"age": [1, 2, 3]}, keys="age")
    found = ds.generalize(data, {}, ds.KAnonymity(1))
    at = found.lattice.at(k=2, max_suppressed=0)
    assert (at.best, at.loss, at.suppressed, at.minimal) == (None, None, None, ())
    assert "No node satisfies" in at.explain()


def test_a_table_of_k_against_loss_and_suppression(found):
    by_k = found.by_k([2, 3, 10])
    table = by_k.table("arrow").to_pylist()
    assert [row["k"] for row in table] == [2, 3, 10]
    assert table[1]["loss"] == pytest.approx(found.best.loss)
    assert [set(row) for row in table] == [
        {"k", "loss", "suppressed", "suppressed_share", "classes", "age", "sex"}
    ] * 3
    losses = [row["loss"] for row in table]
    assert losses == sorted(losses)
    assert by_k.explain().splitlines()[0].startswith("k = 2: loss ")


def test_no_k_is_an_error(found):
    with pytest.raises(ds.DiscreetError, match="P04"):
        found.by_k([])
