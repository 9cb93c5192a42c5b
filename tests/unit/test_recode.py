"""Local recoding as users call it: what it says, refuses, records and gives out."""

import pytest

import discreet as ds
from discreet.errors import DiscreetError, InvalidData

TABLE = {
    "id": [f"r{i}" for i in range(10)],
    "sex": list("MFMMFMMFMM"),
    "zip": ["41076", "41099", "41099", "41076", "43102", "43102", "43102", "43103", "48202", "48201"],
    "ill": list("ababababaa"),
}  # fmt: skip
HIERARCHIES = {"sex": ds.Hierarchy.suppress(), "zip": ds.Hierarchy.prefixes([5, 3, 0])}


@pytest.fixture(scope="module")
def survey():
    return ds.read(TABLE, keys=["sex", "zip"], confidential="ill", record_id="id")


@pytest.fixture(scope="module")
def masked(survey):
    return ds.recode(survey, HIERARCHIES, ds.KAnonymity(2))


def test_it_says_what_was_lost_and_what_is_proven(masked):
    assert masked.loss == pytest.approx(0.14)
    assert 0 < masked.bound <= masked.loss
    assert masked.outcome.explain().startswith("Loss 0.140000 for 2-anonymity; ")
    assert masked.changes == {"sex": 2, "zip": 4}
    assert masked.outcome.to_dict()["by_class_size"]["zip"] == {"1": 4}


@pytest.mark.parametrize("large", [3, 200_000])
@pytest.mark.parametrize("method", ["local", "mondrian", "mondrian-relaxed"])
def test_an_average_of_the_whole_file_holds_however_it_is_cut(method, large, monkeypatch):
    monkeypatch.setattr("discreet.kernels.local_recoding.search.LARGE", large)
    table = {"a": [0, 0, 0, 1, 2, 3, 3, 4], "b": [0, 0, 0, 1, 1, 0, 2, 1]}
    above = {"a": ds.Hierarchy.intervals([2, 4], top="*"), "b": ds.Hierarchy.suppress()}
    masked = ds.recode(ds.read(table, keys=["a", "b"]), above, ds.AverageRisk(0.3), method=method)
    assert ds.risk(masked).mean_risk <= 0.3


def test_a_file_too_large_to_search_is_said_to_be_split(survey, masked, monkeypatch):
    assert masked.outcome.searched
    monkeypatch.setattr("discreet.kernels.local_recoding.search.LARGE", 3)
    split = ds.recode(survey, HIERARCHIES, ds.KAnonymity(2), seconds=1)
    assert not split.outcome.searched
    assert "split by relaxed Mondrian" in split.outcome.explain()
    assert "Searched for" not in split.outcome.explain()
    asked = ds.recode(survey, HIERARCHIES, ds.KAnonymity(2), method="mondrian-relaxed")
    assert split.loss <= asked.loss
    assert "too many" not in asked.outcome.explain()


def test_the_recoding_can_be_exported_class_by_class(masked):
    rows = masked.recoding("arrow").to_pylist()
    assert sum(row["records"] for row in rows) == 10
    assert {"sex", "zip", "sex (released)", "zip (released)", "records"} == set(rows[0])
    with pytest.raises(DiscreetError, match="R09"):
        ds.sample(masked, n=5, seed=1).recoding()


def test_a_key_without_a_coarser_cell_keeps_its_type():
    survey = ds.read({"age": [1, 1, 2, 2], "zip": ["a1", "a2", "b1", "b1"]}, keys=["age", "zip"],
                     types={"age": "continuous"})  # fmt: skip
    hierarchies = {"age": ds.Hierarchy.intervals([5]), "zip": ds.Hierarchy.prefixes([2, 1, 0])}
    masked = ds.recode(survey, hierarchies, ds.KAnonymity(2))
    assert masked.changes == {"zip": 2}
    assert masked.to("arrow")["age"].to_pylist() == [1, 1, 2, 2]
    assert masked.types["age"].measure == "continuous"
    assert masked.types["zip"].measure == "nominal"


def test_where_everything_holds_nothing_is_changed():
    masked = ds.recode(ds.read({"a": list("xxyy")}, keys="a"), {}, ds.KAnonymity(2))
    assert masked.loss == masked.bound == 0
    assert masked.outcome.explain() == "No cell had to be recoded: 2-anonymity held already."


def test_records_that_no_cell_can_hold_are_an_error_or_left_out():
    survey = ds.read({"a": list("xxyyz"), "b": list("12345")}, keys=["a", "b"])
    hierarchies = {"b": ds.Hierarchy.suppress()}
    with pytest.raises(InvalidData, match="D31") as told:
        ds.recode(survey, hierarchies, ds.KAnonymity(2))
    assert "1 record cannot be brought" in str(told.value)
    masked = ds.recode(survey, hierarchies, ds.KAnonymity(2), max_suppressed=1)
    assert masked.n == 4
    assert masked.loss == pytest.approx((4 + 2) / 10)
    assert ds.information_loss(survey, masked).loss == pytest.approx(masked.loss)


@pytest.mark.parametrize("method", ["local", "mondrian", "mondrian-relaxed"])
def test_what_leaving_out_other_records_might_reach_is_not_called_impossible(method):
    survey = ds.read({"a": list("xxx"), "s": list("uuv")}, keys=["a"], confidential=["s"])
    diverse = ds.LDiversity(2, "entropy")
    assert ds.check(
        ds.read({"a": list("xx"), "s": list("uv")}, keys="a", confidential="s"), diverse
    )
    with pytest.raises(InvalidData, match="D31") as told:
        ds.recode(survey, {"a": ds.Hierarchy.suppress()}, diverse, method=method, max_suppressed=1)
    assert "was found for 3 records; at most 1 may be left out" in str(told.value)
    assert "cannot" not in str(told.value)


def test_all_that_is_wrong_is_said_at_once(survey):
    with pytest.raises(DiscreetError) as told:
        ds.recode(survey, {"zp": ds.Hierarchy.suppress()}, ds.KAnonymity(2), method="best",
                  search="slow", max_suppressed=-1, seconds=-1, seed="x")  # fmt: skip
    said = str(told.value)
    for word in ("'zp'", "method=", "search=", "max_suppressed=", "seconds=", "seed="):
        assert word in said, word


def test_a_limit_of_the_risk_is_checked_in_the_end(survey):
    with pytest.raises(DiscreetError, match="N14"):
        ds.recode(survey, HIERARCHIES, ds.DisclosureRiskAtMost(0.5))
    both = [ds.KAnonymity(2), ds.DisclosureRiskAtMost(0.01)]
    with pytest.raises(InvalidData, match="D35"):
        ds.recode(survey, HIERARCHIES, both)
    both = [ds.KAnonymity(2), ds.DisclosureRiskAtMost(0.9)]
    assert ds.recode(survey, HIERARCHIES, both).n == 10


def test_wildcards_and_a_key_that_the_criterion_counts_are_refused():
    wild = ds.read(TABLE, keys=["sex", "zip"], missing="wildcard")
    with pytest.raises(DiscreetError, match="N01"):
        ds.recode(wild, HIERARCHIES, ds.KAnonymity(2))
    both = ds.read(TABLE, keys=["sex", "zip"], confidential="zip")
    with pytest.raises(DiscreetError, match="R11"):
        ds.recode(both, HIERARCHIES, ds.LDiversity(2))


def test_of_a_recoding_only_the_loss_is_known(survey, masked):
    found = ds.information_loss(survey, masked)
    assert found.loss == pytest.approx(masked.loss)
    assert found.precision_loss is None
    assert "whole columns" in found.not_applicable["precision_loss"]


def test_a_wrong_cell_is_found_before_it_is_handed_out(survey, masked):
    from discreet.masking.local_recoding.outcome import CellsCover

    fitted = [
        HIERARCHIES[key].fit(key, survey.frequency_set([key]).values[0]) for key in survey.keys
    ]
    kept = CellsCover(survey, fitted, ds.KAnonymity(2), masked.changes, masked.loss)
    assert kept.broken(masked) == []
    other = {"sex": fitted[0], "zip": ds.Hierarchy.prefixes([5, 1, 0]).fit("zip", fitted[1].values)}
    wrong = CellsCover(survey, list(other.values()), ds.KAnonymity(11), masked.changes, 0.5)
    told = " ".join(wrong.broken(masked))
    for word in ("11-anonymity", "cover no value", "the loss"):
        assert word in told


def test_a_plan_repeats_it_and_the_ledger_is_verified(tmp_path):
    import csv

    with (tmp_path / "survey.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(TABLE)
        writer.writerows(zip(*TABLE.values(), strict=True))
    document = {
        "source": {"file": "survey.csv"},
        "roles": {"keys": ["sex", "zip"], "confidential": ["ill"], "record_id": "id"},
        "types": {"zip": "nominal"},
        "hierarchies": {"sex": {"suppress": True}, "zip": {"prefixes": [5, 3]}},
        "criterion": {"k": 2},
        "steps": [{"do": "recode"}],
    }
    release = ds.Plan.of(document, tmp_path).run()
    step = release.ledger.document["steps"][0]["parameters"]
    assert step["loss"] == pytest.approx(0.14)
    assert step["seed"] == 0
    found = release.ledger.verify(tmp_path / "masked.csv", initial=tmp_path / "survey.csv")
    assert found.satisfied, found.explain()


@pytest.mark.parametrize("method", ["local", "mondrian", "mondrian-relaxed"])
def test_classes_are_counted_within_strata(method):
    """Without strata "a" and "b" of the same town would do together."""
    table = {"zip": ["a1", "a1", "a2", "a2", "b1", "b1"], "round": [1, 2, 1, 2, 1, 1]}
    survey = ds.read(table, keys=["zip"])
    above = {"zip": ds.Hierarchy.prefixes([2, 1, 0])}
    assert ds.recode(survey, above, ds.KAnonymity(2), method=method).changes == {}
    masked = ds.recode(survey, above, ds.KAnonymity(2), by="round", method=method)
    assert masked.to("arrow")["zip"].to_pylist() == ["a*", "a*", "a*", "a*", "b1", "b1"]
    assert masked.steps[-1].parameters["by"] == ["round"]


def test_a_stratum_that_is_too_small_is_refused_or_left_out(survey):
    table = {"zip": ["a1", "a1", "a1"], "round": [1, 1, 2]}
    survey = ds.read(table, keys=["zip"])
    above = {"zip": ds.Hierarchy.prefixes([2, 1, 0])}
    with pytest.raises(InvalidData, match="D45"):
        ds.recode(survey, above, ds.KAnonymity(2), by=["round"])
    left = ds.recode(survey, above, ds.KAnonymity(2), by=["round"], max_suppressed=1)
    assert (left.n, left.changes) == (2, {})


def test_strata_that_are_none_are_all_named(survey):
    with pytest.raises(DiscreetError) as caught:
        ds.recode(survey, HIERARCHIES, ds.KAnonymity(2), by=["zip", "regoin"])
    assert "R15" in str(caught.value)
    assert "regoin" in str(caught.value)


def test_seconds_are_recorded(survey):
    masked = ds.recode(survey, HIERARCHIES, ds.KAnonymity(2), seconds=0.1)
    assert masked.steps[-1].parameters["seconds"] == 0.1
    assert masked.steps[-1].parameters["by_clock"] is True
    assert "Searched for 0.1 seconds" in masked.outcome.explain()
