"""Floors of dependencies: each has one, and it can be installed and tried (``make lowest``)."""

import pytest

from tests.lowest import constraints, floors


def test_every_dependency_has_a_floor():
    found = dict(one.split("==") for one in constraints())
    assert {"numpy", "numba", "pandas", "pyarrow", "pyreadstat"} <= set(found)
    assert found["pandas"] >= "2.2.2"  # older ones do not work with numpy 2


def test_the_highest_floor_counts_and_none_is_an_error():
    project = {
        "project": {"dependencies": ["a>=1.2", "b>=1"], "optional-dependencies": {"x": ["a>=1.10"]}}
    }
    assert floors(project) == {"a": "1.10", "b": "1"}
    project["project"]["dependencies"].append("c")
    with pytest.raises(AssertionError, match="c has no floor"):
        floors(project)
