"""Disclosure risk of files masked elsewhere, bad input, and how the result shows itself."""

import json

import pyarrow as pa
import pytest

import discreet as ds
from tests.papers.tables import FIGURE_21

KEYS = ["Age", "Sex"]


@pytest.fixture(scope="module")
def initial():
    return ds.read(FIGURE_21, keys=KEYS)


def masked(**changes):
    table = {name: column[:4] for name, column in FIGURE_21.items()} | changes
    return ds.read(
        {k: v for k, v in table.items() if v is not None}, keys=[k for k in KEYS if table[k]]
    )


def test_types_of_the_keys_may_differ_between_the_files(initial):
    recoded = masked(Age=["young", "old", "old", "old"])
    found = ds.disclosure_risk(initial, recoded, on="RecNo")
    # young M; old M, old M; old F: initial classes of 2, 1, 3 and 1 records
    assert list(found.classification.entries()) == [(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 3, 1)]


def test_a_masked_file_needs_no_keys_of_its_own_when_the_names_are_there(initial):
    bare = ds.read({name: column[:4] for name, column in FIGURE_21.items()})
    assert ds.disclosure_risk(initial, bare, on="RecNo").t == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"RecNo": [1, 1, 2, 3]}, "repeated in 1 record"),
        ({"RecNo": [1, None, 2, 3]}, "missing in 1 record"),
        ({"RecNo": [1, 2, 3, 99]}, "1 record.* not in"),
        ({"RecNo": ["1", "2", "3", "4"]}, "is integer in .* and text in"),
        ({"RecNo": None}, "'RecNo' is not a column"),
        ({"Sex": None}, "'Sex' is not a column"),
    ],
)
def test_a_file_that_cannot_be_linked_is_refused_by_name_and_count(initial, changes, message):
    with pytest.raises(ds.DiscreetError, match=message):
        ds.disclosure_risk(initial, masked(**changes), on="RecNo")


def test_ids_repeated_in_the_initial_file_are_refused():
    initial = ds.read(FIGURE_21 | {"RecNo": [1] * 10}, keys=KEYS)
    with pytest.raises(ds.DiscreetError, match="repeated in 9 records"):
        ds.disclosure_risk(initial, masked(), on="RecNo")


def test_a_file_made_elsewhere_needs_the_column_that_links_it(initial):
    with pytest.raises(ds.DiscreetError, match=r"on="):
        ds.disclosure_risk(initial, masked())
    other = ds.read(FIGURE_21, keys=KEYS)
    with pytest.raises(ds.DiscreetError, match="was not made here"):
        ds.disclosure_risk(other, ds.sample(initial, n=2, seed=1))


def test_other_keys_and_wildcards_are_refused(initial):
    with pytest.raises(ds.DiscreetError, match="Name the same keys"):
        ds.disclosure_risk(initial, masked().with_roles(keys=["Age"]), on="RecNo")
    wild = ds.read(FIGURE_21, keys=KEYS, missing="wildcard")
    with pytest.raises(ds.DiscreetError, match="wildcard"):
        ds.disclosure_risk(wild, masked(), on="RecNo")
    with pytest.raises(ds.DiscreetError, match="wildcard"):
        ds.sampling_risk(wild)


def test_a_limit_on_the_risk_is_checked_on_two_files_or_on_a_masking_made_here(initial):
    sample = ds.sample(initial, n=3, seed=1)
    value = ds.disclosure_risk(initial, sample).maximal
    assert ds.check(initial, sample, ds.DisclosureRiskAtMost(value)).satisfied
    failed = ds.check(sample, ds.DisclosureRiskAtMost(value / 2))
    assert not failed
    assert failed.to_dict()["value"] == value
    assert "Unsafe" in failed.explain()
    assert "Unsafe" in failed._repr_html_()
    assert ds.check(initial, masked(), ds.DisclosureRiskAtMost(1.0), on="RecNo").satisfied
    only_uniques = ds.DisclosureRiskAtMost(0.0, weights=ds.Weights.minimal())
    assert ds.check(initial, ds.microaggregate(initial, ["Age"], k=10), only_uniques).satisfied


def test_several_criteria_with_a_risk_limit_among_them_are_checked_together(initial):
    sample = ds.sample(initial, n=5, seed=3)
    both = ds.check(sample, [ds.KAnonymity(1), ds.DisclosureRiskAtMost(1.0)])
    assert both
    assert len(both.to_dict()["checks"]) == 2
    assert not ds.check(sample, [ds.KAnonymity(2), ds.DisclosureRiskAtMost(1.0)])
    assert "Unsafe" in ds.check(sample, [ds.KAnonymity(1), ds.DisclosureRiskAtMost(0.0)]).explain()


@pytest.mark.parametrize("wrong", [(), (1,), ("x", "y"), (1, 2, 3)])
def test_what_cannot_be_checked_is_refused(wrong):
    with pytest.raises(ds.DiscreetError):
        ds.check(*wrong)


def test_a_risk_limit_needs_two_files_and_other_criteria_one(initial):
    with pytest.raises(ds.DiscreetError, match="one is given"):
        ds.check(initial, ds.DisclosureRiskAtMost(0.1))
    with pytest.raises(ds.DiscreetError, match="on one file"):
        ds.check(initial, masked(), ds.KAnonymity(2))
    for limit in (-1, 2, "x", True):
        with pytest.raises(ds.DiscreetError):
            ds.DisclosureRiskAtMost(limit)


def test_the_result_shows_itself(initial):
    found = ds.disclosure_risk(initial, ds.sample(initial, n=5, seed=3))
    assert json.loads(json.dumps(found.to_dict()))["t"] == 5
    assert found.table("pandas")["measure"].tolist()[0] == "DR_min"
    assert found.classification.table("arrow").num_columns == 3
    assert "DR_max is exact" in found.explain()
    assert "DR_max" in repr(found)
    assert "<p>" in found._repr_html_()
    elsewhere = ds.disclosure_risk(initial, masked(), on="RecNo")
    assert (elsewhere.maximal_compatible, elsewhere.exact) == (None, None)
    assert "is an upper bound" in elsewhere.explain()


def test_contributions_are_named_by_the_row_number_without_record_ids(initial):
    found = ds.disclosure_risk(initial, ds.sample(initial, n=5, seed=3))
    added = found.contributions(kind="arrow")
    assert added.column_names[0] == "record"
    assert sum(added["contribution"].to_pylist()) == pytest.approx(found.maximal)


def test_charts_render_to_static_svg(initial):
    pytest.importorskip("altair")
    from discreet.charts import svg

    found = ds.disclosure_risk(initial, ds.sample(initial, n=5, seed=3))
    for chart in (found.chart(), ds.sampling_risk(initial).chart()):
        assert svg(chart).startswith("<svg")


def test_the_prediction_answers_which_share_keeps_the_risk_under_a_limit():
    data = ds.read(ds.datasets.billing(2000, seed=1), keys=["Age", "Sex"])
    risk = ds.sampling_risk(data)
    share = risk.fraction_for(0.05)
    assert risk.at(share).maximal <= 0.05 + 1e-12
    assert risk.at(min(1, share + 1 / 1000)).maximal > 0.05 or share == 1
    careful = risk.fraction_for(0.02, sds=2)
    at = risk.at(careful)
    assert at.maximal + 2 * at.maximal_sd <= 0.02 + 1e-12
    assert careful <= risk.fraction_for(0.02)
    assert risk.fraction_for(1.0) == 1.0
    assert risk.fraction_for(0.0) == 0.0
    assert risk.at(1.0).maximal_sd == 0
    assert json.loads(json.dumps(risk.to_dict()))["n"] == 2000
    assert risk.table(kind="arrow").num_rows == 10
    assert "at most 5%" in risk.explain()
    for call in (
        lambda: risk.at(2),
        lambda: risk.fraction_for(-1),
        lambda: risk.fraction_for(0.1, "mean"),
    ):
        with pytest.raises(ds.DiscreetError):
            call()


def test_parquet_and_csv_files_link_by_record_id(tmp_path):
    import pyarrow.csv
    import pyarrow.parquet

    table = ds.datasets.billing(300, seed=2).append_column("rec", pa.array(range(300)))
    pyarrow.parquet.write_table(table, tmp_path / "initial.parquet")
    kept = table.slice(50, 100)
    pyarrow.csv.write_csv(kept.take(list(range(99, -1, -1))), tmp_path / "masked.csv")
    first = ds.read(tmp_path / "initial.parquet", keys=["Age", "Sex"])
    second = ds.read(tmp_path / "masked.csv", keys=["Age", "Sex"])
    found = ds.disclosure_risk(first, second, on="rec")
    assert (found.n, found.t) == (300, 100)
    assert found.maximal == pytest.approx(
        sum(found.contributions(kind="arrow")["contribution"].to_pylist())
    )


def test_no_link_is_certain_where_keys_were_changed_at_random():
    survey = ds.read({"age": list(range(20)), "pay": [10 * i for i in range(20)]}, keys=["age"])
    swapped = ds.rank_swap(survey, ["age"], window=0.3, seed=1)
    found = ds.disclosure_risk(survey, swapped)
    assert (found.minimal, found.maximal, found.exact) == (1.0, 1.0, None)
    said = found.explain()
    assert "DR_max is neither exact nor an upper bound" in said
    assert "surely linked" not in said
    assert "DR_max is exact" not in said
    assert "for certain" not in found.in_short()
    assert "values of 'age' were changed at random" in found.in_short()
    other = ds.disclosure_risk(survey, ds.rank_swap(survey, ["pay"], window=0.3, seed=1))
    assert other.exact  # no key was changed
    assert "100.00% of the people for certain" in other.in_short()


def test_contributions_name_the_records_whatever_the_record_id_is_called():
    columns = {"masked_size": list(range(10)), "k": [1, 2] * 5}
    data = ds.read(columns, keys=["k"], record_id="masked_size")
    found = ds.disclosure_risk(data, ds.sample(data, n=4, seed=1)).contributions(kind="pandas")
    assert list(found) == ["masked_size", "masked_size_", "initial_size", "contribution"]
    assert found["masked_size"].is_unique
