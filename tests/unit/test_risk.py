"""Risk by classes: the class-size table, prosecutor risks, and how results show themselves."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from tests.papers.tables import FIGURE_21


@pytest.fixture(scope="module")
def figure_21():
    return ds.risk(ds.read(FIGURE_21, keys=["Age", "Sex"], record_id="RecNo"))


def test_figure_22_gives_the_class_sizes_of_the_initial_microdata(figure_21):
    assert (figure_21.n, figure_21.classes, figure_21.k, figure_21.uniques) == (10, 6, 1, 3)
    assert list(figure_21.class_sizes) == [(1, 3, 3), (2, 2, 4), (3, 1, 3)]


def test_prosecutor_risks_follow_from_the_class_sizes(figure_21):
    assert figure_21.highest_risk == 1
    assert figure_21.mean_risk == pytest.approx(6 / 10)  # F / n
    assert figure_21.share_above(0.4) == pytest.approx(0.7)
    assert figure_21.share_above(1) == 0
    with pytest.raises(ds.DiscreetError, match="between 0 and 1"):
        figure_21.share_above(2)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab")), min_size=1, max_size=30))
def test_identities_22_to_24_hold(rows):
    found = ds.risk(
        ds.read({"a": [r[0] for r in rows], "b": [r[1] for r in rows]}, keys=["a", "b"])
    )
    assert all(n == i * F for i, F, n in found.class_sizes)  # (2.2)
    assert sum(F for _, F, _ in found.class_sizes) == found.classes == len(set(rows))  # (2.3)
    assert sum(n for _, _, n in found.class_sizes) == found.n == len(rows)  # (2.4)


def test_a_missing_confidential_value_is_a_value_of_its_own_as_a_category():
    table = {"a": [1, 1], "s": ["x", None], "t": [None, None]}
    assert ds.risk(ds.read(table, keys=["a"], confidential=["s", "t"])).p == {"s": 2, "t": 1}
    one = ds.read(table, keys=["a"], confidential=["s"])
    assert ds.risk(one).p == {"s": 2}


def test_a_missing_confidential_value_is_unknown_and_not_counted_under_wildcards():
    table = {"a": [1, 1], "s": ["x", None]}
    data = ds.read(table, keys=["a"], confidential=["s"], missing="wildcard")
    assert ds.risk(data).p == {"s": 1}


def test_under_wildcards_a_record_counts_all_compatible_records_and_the_result_says_so():
    table = {"a": [1, 1, 2, None], "b": ["x", "y", "x", "x"]}
    found = ds.risk(ds.read(table, keys=["a", "b"], missing="wildcard"))
    assert (found.k, found.partition) == (1, False)
    assert list(found.class_sizes) == [(1, 1, 1), (2, 2, 2), (3, 1, 1)]
    assert "compatible" in found.explain()


def test_a_key_that_is_confidential_too_has_one_value_in_each_class():
    data = ds.read({"a": [1, 1, 2, 2]}, keys=["a"], confidential=["a"])
    assert ds.risk(data).p == {"a": 1}


def test_results_become_json_frames_html_and_bars(figure_21):
    plain = json.loads(json.dumps(figure_21.to_dict()))
    assert plain["class_sizes"][0] == {"size": 1, "classes": 3, "records": 3}
    assert plain["computed_from"]["engine"] == "duckdb"
    assert figure_21.table("pandas")["records"].tolist() == [3, 4, 3]
    assert figure_21.table("polars")["classes"].to_list() == [3, 2, 1]
    assert "<table>" in figure_21._repr_html_()
    assert figure_21.bars().count("█") > 3


def test_a_frame_comes_back_as_the_kind_it_came_in():
    import pandas as pd
    import polars as pl

    for frame in (pd.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": [1, 2]})):
        data = ds.read(frame, keys=["a"])
        assert isinstance(ds.risk(data).table(), type(frame))
        assert isinstance(data.table(), type(frame))


def test_the_chart_renders_to_static_svg(figure_21):
    pytest.importorskip("altair")
    from discreet.charts import svg

    drawn = svg(figure_21.chart())
    assert drawn.startswith("<svg")
    assert "<script" not in drawn


def test_checks_show_themselves_and_are_true_or_false():
    data = ds.read({"a": [1, 1, 2]}, keys=["a"])
    failed, passed = ds.check(data, ds.KAnonymity(2)), ds.check(data, ds.KAnonymity(1))
    assert not failed
    assert passed
    assert "1 record (33.3%) in 1 class" in failed.explain()
    assert "holds for all 3" in passed.explain()
    assert failed.to_dict()["by"]["class size"] == {"classes": 1, "records": 1}
    assert failed.table("arrow").to_pylist() == [
        {"reason": "class size", "classes": 1, "records": 1}
    ]


def test_criteria_declare_what_they_need_and_that_they_are_monotone():
    assert ds.KAnonymity(3).monotone
    assert ds.KAnonymity(3).needs(("illness",)) == ()
    assert ds.PSensitiveKAnonymity(2, 3).monotone
    assert ds.PSensitiveKAnonymity(2, 3).needs(("illness",)) == ("illness",)
    data = ds.read({"a": [1]}, keys=["a"])
    with pytest.raises(ds.DiscreetError, match="confidential"):
        ds.check(data, ds.PSensitiveKAnonymity(2, 3))


def test_no_module_of_the_package_hides_a_public_name():
    import pkgutil

    import discreet

    modules = {m.name for m in pkgutil.iter_modules(discreet.__path__)}
    assert modules & set(discreet.__all__) == {"datasets", "errors"}
