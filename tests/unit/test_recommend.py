"""Recommendations: the proposal meets the criterion by a count of its own, loses least, and runs."""

import collections
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import discreet as ds
from discreet.cli.commands import app
from discreet.errors import DiscreetError, InvalidParameter
from discreet.rumap.point import frontier

KEYS = ["age", "region", "sex"]
HIERARCHIES = {
    "age": ds.Hierarchy.intervals([10, 20, 40]),
    "region": ds.Hierarchy.suppress(),
    "sex": ds.Hierarchy.suppress(),
}


def table(n, seed):
    rng = np.random.default_rng(seed)
    return {"age": rng.integers(18, 70, n), "region": rng.choice(list("abcd"), n),
            "sex": rng.choice(["F", "M"], n), "ill": rng.choice(["x", "y", "z"], n)}  # fmt: skip


def read(rows):
    return ds.read(rows, keys=KEYS, confidential=["ill"], types={"age": "continuous"})


def classes(masked, keys, confidential):
    """Records and distinct values per combination of keys, row by row."""
    found = collections.defaultdict(list)
    for row in masked.to("arrow").to_pylist():
        found[tuple(row[key] for key in keys)].append(row[confidential])
    return [(len(values), len(set(values))) for values in found.values()]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("p", [1, 2])
def test_the_proposal_meets_the_criterion_by_an_independent_count(seed, p):
    survey = read(table(150, seed))
    criterion = ds.PSensitiveKAnonymity(p, 4) if p > 1 else ds.KAnonymity(4)
    found = ds.recommend(survey, criterion, HIERARCHIES, max_suppressed=0.1)
    for point in found.map.frontier:
        counted = classes(point.masked, KEYS, "ill")
        assert min(size for size, _ in counted) >= 4
        assert min(values for _, values in counted) >= p
    alive = [point for point in found.map.points if not point.failed]
    assert found.proposal in frontier(alive)
    assert found.proposal.loss == min(point.loss for point in alive)
    tried = {point.method for point in found.map.points}
    assert {"generalization", "local recoding", "local suppression", "mdav"} <= tried
    assert not found.not_tried
    assert ds.check(found.masked, criterion).satisfied


def test_the_same_as_asking_each_method_by_itself():
    survey = read(table(200, 9))
    found = ds.recommend(survey, ds.KAnonymity(5), HIERARCHIES)
    alone = {
        "mdav k=5": ds.microaggregate(survey, k=5),
        "local suppression k=5": ds.suppress_cells(survey, ds.KAnonymity(5)),
        "generalization k=5 (≤0 out)": ds.generalize(
            survey, HIERARCHIES, ds.KAnonymity(5), max_suppressed=0
        ).best.mask(),
    }
    for label, masked in alone.items():
        assert found.map[label].loss == ds.information_loss(survey, masked).ebil_share
        assert found.map[label].risk == ds.disclosure_risk(survey, masked).maximal


def test_what_is_found_is_said_in_words():
    survey = read(table(200, 2))
    found = ds.recommend(survey, ds.KAnonymity(5))
    said = found.explain()
    assert said.startswith(f"Proposed for 5-anonymity: {found.proposal.label}.")
    assert "It loses least of 2 maskings that do: ebil_share" in said
    assert "Not tried: generalization: it needs hierarchies." in said
    assert set(found.not_tried) == {"generalization", "local recoding"}
    assert len(found.table("arrow")) == 2
    shown = json.loads(json.dumps(found.to_dict()))
    assert shown["proposal"]["label"] == found.proposal.label
    assert shown["reasons"] == found.reasons
    assert repr(found).startswith("Recommendation: Proposed for 5-anonymity")
    limit = max(point.risk for point in found.map.points) - 1e-9
    other = ds.recommend(survey, ds.KAnonymity(5), risk_at_most=limit)
    assert other.proposal.risk < limit
    assert other.proposal.label != max(found.map.points, key=lambda p: p.risk).label


def test_a_method_whose_file_fails_is_not_proposed():
    rows = table(60, 3)
    rows["ill"] = ["x"] * 59 + ["y"]
    found = ds.recommend(read(rows), ds.PSensitiveKAnonymity(2, 3), HIERARCHIES, max_suppressed=1.0)
    failed = {point.label: point.problem for point in found.map.failed}
    assert "the masked file does not meet 2-sensitive 3-anonymity." in failed["mdav k=3"].what
    assert not any(point.failed for point in found.map.frontier)


def test_where_no_method_does_the_error_says_why_of_each():
    rows = {**table(40, 1), "ill": ["x"] * 40}
    with pytest.raises(DiscreetError, match=r"\[D51\]: no method was found that meets") as caught:
        ds.recommend(read(rows), ds.PSensitiveKAnonymity(2, 3), HIERARCHIES)
    for name in ("mdav k=3", "local recoding", "generalization"):
        assert name in str(caught.value)


def test_all_bad_arguments_are_named_at_once():
    with pytest.raises(InvalidParameter) as caught:
        ds.recommend(read(table(20, 1)), ds.KAnonymity(2), max_suppressed=2.0, risk_at_most=-1)
    assert [p.code for p in caught.value.problems] == ["P14", "P10"]
    with pytest.raises(InvalidParameter, match="not microdata"):
        ds.recommend(table(20, 1), ds.KAnonymity(2))


def test_the_command_writes_a_plan_that_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(pa.table(table(120, 5)), "t.csv")
    given = ["recommend", "t.csv", "--keys", ",".join(KEYS), "--k", "4"]
    ran = CliRunner().invoke(app, [*given, "-o", "p.toml"])
    assert (ran.exit_code, ran.output.startswith("Proposed for 4-anonymity: ")) == (0, True)
    plan = ds.Plan.read("p.toml")
    masked = plan.mask()
    assert min(size for size, _ in classes(masked, KEYS, "ill")) >= 4
    release = plan.run()
    assert release.satisfied
    ran = CliRunner().invoke(app, [*given, "--json"])
    assert json.loads(ran.output)["proposal"]["failed"] is None
    ran = CliRunner().invoke(app, [*given[:-1], "500"])
    assert ran.exit_code == 1
    assert "[D51]" in str(ran.exception)


def test_a_plan_may_be_given_a_criterion_of_its_own():
    survey = read(table(50, 1))
    plan = ds.microaggregate(survey, k=3).plan(criterion=ds.KAnonymity(3))
    assert plan.document["criterion"] == {"k": 3}


def test_on_adult_every_proposal_meets_the_criterion(reference_data):
    keys = ["age", "sex", "race", "marital-status"]
    files = {key: reference_data(f"adult/adult_hierarchy_{key}.csv") for key in keys}
    survey = ds.read(
        reference_data("adult/adult_30162x9.csv"), keys=keys, confidential=["occupation"]
    )
    hierarchies = {key: ds.Hierarchy.from_csv(file) for key, file in files.items()}
    found = ds.recommend(survey, ds.PSensitiveKAnonymity(2, 5), hierarchies)
    for point in found.map.frontier:
        counted = classes(point.masked, keys, "occupation")
        assert min(size for size, _ in counted) >= 5
        assert min(values for _, values in counted) >= 2
    assert found.proposal.loss < 0.3
