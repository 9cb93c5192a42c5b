"""The experiment of paper 001, as the example runs it."""

import importlib.util

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location(
        "sampling", ROOT / "examples/paper_001_sampling.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows(example):
    return example.experiment()


def test_the_line_of_ka1_lies_above_that_of_ka2(example, rows):
    by = {(r["n"], r["keys"], r["sf"]): r for r in rows}
    for n in example.SIZES:
        for sf in example.FACTORS:
            for measure in ("DR_min", "DR_max"):
                assert by[n, "KA1", sf][measure] > by[n, "KA2", sf][measure] or (
                    by[n, "KA2", sf][measure] == 0
                )


def test_both_measures_are_nearly_linear_in_the_sampling_factor(example, rows):
    for n in example.SIZES:
        for keys in example.KEYS:
            line = [r for r in rows if (r["n"], r["keys"]) == (n, keys)]
            assert example.linearity(line, "DR_max") > 0.999
            assert example.linearity(line, "DR_min") > 0.97


def test_the_closed_form_predicts_the_lines(rows):
    for r in rows:
        assert r["DR_max"] == pytest.approx(r["E DR_max"], rel=0.1, abs=0.003)


def test_the_chart_has_a_panel_for_each_size(example, rows):
    pytest.importorskip("altair")
    from discreet.charts import svg

    drawn = svg(example.chart(rows))
    assert all(str(n) in drawn.replace(",", "") for n in example.SIZES)
