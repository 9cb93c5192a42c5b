"""Local recoding: figures on the reference data, each answer counted afresh."""

import numpy as np
import pytest

from discreet.kernels.local_recoding import search
from discreet.kernels.local_recoding.mondrian import mondrian
from discreet.kernels.local_recoding.search import recoded
from tests import cell_tasks


@pytest.fixture
def folder(reference_data):
    return reference_data("README.md").parent


def test_adult_loses_little(folder):
    task = cell_tasks.adult(folder)
    found = recoded(task, "quick")
    cell_tasks.assert_valid(task, found)
    assert found.price(task) / 30162 <= 0.0280


def test_adult_with_two_occupations_in_each_class(folder):
    task = cell_tasks.adult(folder, distinct=(2,))
    found = recoded(task, "quick")
    cell_tasks.assert_valid(task, found)
    assert found.price(task) / 30162 <= 0.0285


@pytest.mark.parametrize(
    ("keys", "k", "most"),
    [(cell_tasks.FIVE, 3, 72), (cell_tasks.FIVE, 5, 182), (cell_tasks.IHSN, 3, 398)],
)
def test_few_cells_are_blanked_quickly(folder, keys, k, most):
    task = cell_tasks.ihsn(folder, k, keys)
    found = recoded(task, "quick")
    cell_tasks.assert_valid(task, found)
    assert found.left.sum() == 0
    assert found.price(task) <= most


def test_more_effort_loses_less(folder):
    task = cell_tasks.adult(folder)
    found = recoded(task)
    cell_tasks.assert_valid(task, found)
    assert found.price(task) / 30162 <= 0.0268


def test_mondrian_on_adult(folder):
    task = cell_tasks.adult(folder)
    strict, relaxed = mondrian(task), mondrian(task, relaxed=True)
    cell_tasks.assert_valid(task, strict)
    cell_tasks.assert_valid(task, relaxed)
    assert round(strict.price(task) / 30162, 4) == 0.1002
    assert relaxed.price(task) / 30162 <= 0.0340


def test_nine_keys(folder):
    keys = [*cell_tasks.ADULT, "occupation"]
    task = cell_tasks.adult(folder, keys=keys)
    found = recoded(task, "quick")
    cell_tasks.assert_valid(task, found)
    assert found.left.sum() == 0
    assert found.price(task) / 30162 <= 0.0520


def test_entropy_diversity_of_the_occupation(folder):
    task = cell_tasks.adult(folder, distinct=(1,))
    values = int(task.values.max()) + 1

    def passes(item, count, label, classes):
        table = np.bincount(label * values + task.values[item, 0], count, classes * values)
        share = table.reshape(classes, values) / np.bincount(label, count, classes)[:, None]
        logs = np.log(share, where=share > 0, out=np.zeros_like(share))
        return -(share * logs).sum(axis=1) >= np.log(3) - 1e-12

    found = recoded(task, "quick", passes=passes)
    cell_tasks.assert_valid(task, found)
    assert found.left.sum() == 0
    _, label = np.unique(found.node, axis=0, return_inverse=True)
    assert passes(found.item, found.count, label.ravel(), int(label.max()) + 1).all()
    assert found.price(task) / 30162 <= 0.0600


def test_rounds_are_repeatable_and_said(folder):
    task = cell_tasks.ihsn(folder, 5, cell_tasks.FIVE)
    one, two = recoded(task), recoded(task)
    assert one.rounds == two.rounds > 0
    assert one.node.tolist() == two.node.tolist()
    assert recoded(task, seconds=0.0).rounds == 0


def test_a_large_task_is_left_to_mondrian(folder, monkeypatch):
    monkeypatch.setattr(search, "LARGE", 100)
    task = cell_tasks.ihsn(folder, 3, cell_tasks.FIVE)
    found = recoded(task)
    cell_tasks.assert_valid(task, found)
    assert found.price(task) == mondrian(task, relaxed=True).price(task)
