"""Paper 002's experiment on simulated school records, as the example runs it."""

import importlib.util

import pytest

import discreet as ds
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("schools", ROOT / "examples/paper_002_schools.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def students():
    return ds.datasets.school_records(10_000)


def test_111_known_sets_are_left_of_27_attributes(students):
    risk = ds.record_risk(ds.read(students), **ds.datasets.school_settings())
    assert students.num_columns == 27
    assert len(risk.known_sets) == 111
    assert sum(risk.histogram().counts) + risk.histogram().zeros == 10_000
    assert 0 < risk.above(0.01).count < 2_000


def test_protecting_the_risky_records_only_loses_far_less(example, students):
    settings = ds.datasets.school_settings()
    k, lost = example.cells_lost_by_k_anonymity(students, settings, at_most=10)
    targeted = example.cells_lost_by_targeting(students, settings, 10, "category")
    assert k is not None
    assert 0 < targeted < lost / 20
