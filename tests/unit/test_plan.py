"""Plans: what they say is what the calls do, and all that is wrong with one is said at once."""

import datetime as dt
import json
import warnings
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow.csv
import pytest

import discreet as ds
from discreet.hierarchies.written import built
from discreet.hierarchies.written import written as dump
from discreet.plan import criteria
from discreet.plan.words import in_plan
from discreet.registry import maskings
from discreet.surface import Reference

H = ds.Hierarchy


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(ds.datasets.patients(200, 3), "patients.csv")
    (tmp_path / "sex.csv").write_text("M;*\nF;*\n")
    (tmp_path / "weights.csv").write_text("4\n2,2\n")
    return tmp_path


def read(**more):
    roles = {
        "identifiers": ["name", "ssn"],
        "keys": ["age", "zip", "sex"],
        "confidential": ["illness"],
    }
    return ds.read("patients.csv", **{**roles, **more})


HIERARCHIES = {
    "age": H.intervals([5, 10, 20, 40], top_code=90, bottom_code=0),
    "zip": H.prefixes([5, 3, 2, 1, 0]),
    "sex": H.suppress(),
}

PLAN = """\
[source]
file = "patients.csv"

[roles]
identifiers = ["name", "ssn"]
keys = ["age", "zip", "sex"]
confidential = ["illness"]

[hierarchies]
age = { intervals = [5, 10, 20, 40], top_code = 90 }
zip = { prefixes = [5, 3, 2, 1, 0] }
sex = { file = "sex.csv" }

[criterion]
k = 5
p = 2

[[steps]]
do = "generalize"
max_suppressed = 0.05

[outputs]
masked = "masked.csv"
"""


def written(text, name="release.toml"):
    Path(name).write_text(text, encoding="utf-8")
    return name


# -- every call shows the plan that repeats it ---------------------------------------------------


def generalized(data):
    return ds.generalize(
        data, HIERARCHIES, ds.PSensitiveKAnonymity(2, 5), max_suppressed=0.05
    ).best.mask()


def by_hand(data):
    found = ds.generalize(data, HIERARCHIES, ds.KAnonymity(4), max_suppressed=0.1)
    return found.lattice.node({"age": 5, "zip": 4, "sex": 1}).mask()


def towards_several(data):
    close = ds.TCloseness(0.95, "hierarchical", H.by_frequency([3]), confidential="illness")
    limit = ds.DisclosureRiskAtMost(0.5, ds.Weights.from_matrix([[4], [2, 2]]))
    several = [ds.KAnonymity(3), ds.LDiversity(2, "entropy"), close, limit]
    tree = {"*": {"all": ["M", "F"]}}
    other = {**HIERARCHIES, "sex": H.from_dict(tree, unmapped="suppress")}
    return ds.generalize(data, other, several, search="all-minimal").best.mask()


def targeted(data):
    risk = ds.record_risk(
        data,
        {"age": 0.3, "sex": 0.8},
        {"illness": 1.0, "income": 0.5},
        {"income": [(None, 40_000, 1.0), (40_000, None, 0.5)]},
        alpha=50,
        epsilon=0.05,
    )
    return ds.protect_records(data, risk, at_most=0.8 * float(risk.values.max()), columns=["age"])


MASKINGS = {
    "a sample": lambda data: ds.sample(data, fraction=0.3, seed=7),
    "a stratified sample": lambda data: ds.sample(data, n=99, seed=2, by="sex"),
    "groups of similar records": lambda data: ds.microaggregate(data, ["age", "income"], 4),
    "groups within strata": lambda data: ds.microaggregate(
        data, "income", 3, method="optimal-univariate", by=["sex"], round=True
    ),
    "a generalization": generalized,
    "a node chosen by hand": by_hand,
    "several criteria": towards_several,
    "a chain": lambda data: ds.sample(
        ds.microaggregate(generalized(data), ["income"], 3), n=50, seed=1
    ),
    "risky records only": targeted,
    "cells recoded": lambda data: ds.recode(
        data, HIERARCHIES, ds.PSensitiveKAnonymity(2, 5), search="quick", max_suppressed=3, seed=4
    ),
    "single cells": lambda data: ds.suppress_cells(
        data, ds.KAnonymity(3), cost={"age": 2}, search="quick", subsets={2: 3}, seed=4
    ),
    "categories drawn anew": lambda data: ds.pram(
        data, ["illness", "sex"], 0.7, diagonals={"illness": {"asthma": 0.9}}, seed=4
    ),
    "values of near ranks": lambda data: ds.rank_swap(
        data, ["income"], window=0.2, by=["sex"], seed=4
    ),
    "noise": lambda data: ds.add_noise(
        data, ["age", "income"], 0.2, kind="correlated", round=True, seed=4
    ),
    "values shuffled": lambda data: ds.shuffle(data, ["income"], given=["age"], seed=4),
    "tails": lambda data: ds.top_code(data, {"income": 0.9}, bottom={"age": 30}),
    "rounded values": lambda data: ds.round_values(data, ["income"], base=500, seed=4),
    "places swapped": lambda data: ds.swap_records(
        data, ["zip"], ["age", "sex"], k=2, rate=0.1, seed=4
    ),
}


@pytest.mark.parametrize("mask", MASKINGS.values(), ids=MASKINGS)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_plan_of_a_masking_and_its_script_write_the_same_bytes(folder, mask, suffix):
    masked = mask(read(types={"sex": "nominal"}, missing_values={"zip": ["?"]}))
    masked.write(f"api.{suffix}")
    plan = masked.plan(f"masked.{suffix}")
    plan.write("release.toml")
    again = ds.Plan.read("release.toml")
    assert again.to_toml() == plan.to_toml()
    release = again.run()
    assert [file.name for file in release.files] == [f"masked.{suffix}", "masked.ledger.json"]
    wanted = (folder / f"api.{suffix}").read_bytes()
    assert (folder / f"masked.{suffix}").read_bytes() == wanted
    (folder / f"masked.{suffix}").unlink()
    exec(compile(plan.to_python(), "script", "exec"), {})
    assert (folder / f"masked.{suffix}").read_bytes() == wanted


def test_every_masking_verb_is_tried_above_and_has_a_step(folder):
    done = {step.method for mask in MASKINGS.values() for step in mask(read()).steps}
    assert done == set(maskings)


def test_what_was_found_shows_the_plan_of_its_best_node(folder):
    found = ds.generalize(read(), HIERARCHIES, ds.KAnonymity(5))
    assert found.plan().to_dict() == found.best.mask().plan().to_dict()
    other = found.lattice.node({"age": 5}).mask().plan().section("steps")[0]
    assert other["levels"] == {"age": 5, "zip": 0, "sex": 0}


def test_the_plan_of_microdata_reads_them_the_same_way(folder):
    (folder / "t.csv").write_text("1;5;?\n2;6;x\n", encoding="latin-1")
    data = ds.read(
        "t.csv",
        names=["a", "b", "c"],
        separator=";",
        encoding="latin-1",
        missing_values=["?"],
        keys="a",
        weight="b",
        missing="wildcard",
        types={"a": ["1", "2"]},
    )
    plan = data.plan()
    again = plan.open()
    assert repr(again) == repr(data)
    assert again.types == data.types
    with pytest.raises(ds.DiscreetError, match="has no step"):
        plan.run()


def test_codes_of_any_kind_are_written_down_as_they_are_matched(folder):
    (folder / "t.csv").write_text("a,b,c\n1.5,-9,2020-01-02\n2.5,3,2021-01-01\n")
    codes = [Decimal("1.5"), np.int64(-9), dt.date(2020, 1, 2), None]
    data = ds.read("t.csv", missing_values=codes, keys=["a"])
    assert [missing for _, missing in data.profile.values()] == [1, 1, 1]
    plan = data.plan()
    plan.write("t.toml")
    assert ds.Plan.read("t.toml").open().profile == data.profile


def test_a_plan_of_a_frame_says_that_it_must_be_saved(folder):
    table = {"age": [1, 2, 3], "sex": list("MFF")}
    plan = ds.sample(ds.read(table, keys=["age"]), n=2, seed=1).plan()
    assert "came from a frame" in plan.to_toml()
    with pytest.raises(ds.DiscreetError, match=r"names no file") as caught:
        plan.open()
    assert caught.value.code == "P32"
    pyarrow.csv.write_csv(pyarrow.table(table), "t.csv")
    assert plan.on("t.csv").mask().n == 2


def test_a_plan_holds_nothing_that_was_found_in_the_data(folder):
    plan = towards_several(read()).plan()
    values = set(read().to("pandas")["zip"].astype(str))
    assert not [v for v in values if v in plan.to_toml()]
    assert "by_frequency = [3]" in plan.to_toml()


def test_a_plan_does_not_follow_a_later_change_of_what_it_was_made_of(folder):
    document = ds.Plan.read(written(PLAN)).to_dict()
    plan = ds.Plan.of(document)
    document["roles"]["keys"].append("income")
    plan.to_dict()["roles"]["keys"].append("income")
    assert plan.section("roles")["keys"] == ["age", "zip", "sex"]


def test_a_plan_that_is_moved_names_its_files_from_its_new_folder(folder):
    (folder / "plans").mkdir()
    ds.Plan.read(written(PLAN)).write("plans/release.toml")
    moved = ds.Plan.read("plans/release.toml")
    assert moved.section("source")["file"] == "../patients.csv"
    assert moved.section("hierarchies")["sex"] == {"file": "../sex.csv"}
    assert moved.run().files[0] == folder / "plans" / ".." / "masked.csv"


@pytest.mark.parametrize("given", [{"at_most": 0.01}, {"risk": "suda", "at_most": 0.01}])
def test_what_can_be_given_in_python_only_is_refused_in_a_plan_and_not_passed_over(given):
    step = {"do": "suppress_cells", **given}
    with pytest.raises(ds.DiscreetError) as caught:
        ds.Plan.of({"criterion": {"k": 2}, "steps": [step], "outputs": {"masked": "m.csv"}})
    said = [str(problem) for problem in caught.value.problems if problem.code == "P30"]
    assert [name for name in given if not any(f"'{name}'" in one for one in said)] == []


def test_weights_from_a_function_cannot_stand_in_a_plan(folder):
    limit = ds.DisclosureRiskAtMost(0.9, ds.Weights.from_function(lambda i, j: 1 / max(i, j)))
    found = ds.generalize(read(), HIERARCHIES, [ds.KAnonymity(5), limit])
    with pytest.raises(ds.DiscreetError, match="cannot be written down"):
        found.plan()


# -- what a plan may say -------------------------------------------------------------------------

SAME = {
    'age = { intervals = [10], origin = 5, top = "all" }': H.intervals([10], origin=5, top="all"),
    "age = { intervals = [0.5, 1.5], top = false }": H.intervals([0.5, 1.5], top=None),
    "zip = { prefixes = [5, 3], top = false }": H.prefixes([5, 3], top=None),
    'zip = { by_frequency = [5, 2], other = "rest" }': H.by_frequency([5, 2], other="rest"),
    "zip = { by_frequency = 3 }": H.by_frequency(3),
    "zip = { by_frequency = true }": H.by_frequency(),
    'age = { dates = ["year"] }': H.dates(["year"]),
    'sex = { suppress = true, top = "-", unmapped = "suppress" }': H.suppress(
        top="-"
    ).with_unmapped("suppress"),
    'sex = { leaves = { M = ["*"], F = ["*"], "" = ["*"] } }': H.from_dict(
        {"M": ["*"], "F": ["*"], None: ["*"]}
    ),
    'sex = { tree = { "*" = { a = ["M", ""], b = ["F"] } } }': H.from_dict(
        {"*": {"a": ["M", None], "b": ["F"]}}
    ),
}


@pytest.mark.parametrize("line", SAME)
def test_every_builder_of_a_plan_is_that_of_the_api_and_is_written_back(folder, line):
    plan = ds.Plan.read(written(f'[roles]\nkeys = ["age", "zip", "sex"]\n[hierarchies]\n{line}\n'))
    [hierarchy] = plan.hierarchies.values()
    assert hierarchy == SAME[line]
    assert built(dump(hierarchy), folder) == hierarchy


CRITERIA = {
    "k = 5": [ds.KAnonymity(5)],
    'k = 5\np = 2\nconfidential = ["illness"]': [ds.PSensitiveKAnonymity(2, 5, "illness")],
    "diversity = 3": [ds.LDiversity(3)],
    'diversity = { l = 3, kind = "recursive", c = 4.0 }': [ds.LDiversity(3, "recursive", 4.0)],
    'closeness = { t = 0.2, distance = "ordered" }': [ds.TCloseness(0.2, "ordered")],
    "disclosure_risk = 0.05": [ds.DisclosureRiskAtMost(0.05)],
    'disclosure_risk = { limit = 0.1, weights = "minimal" }': [
        ds.DisclosureRiskAtMost(0.1, ds.Weights.minimal())
    ],
    "disclosure_risk = { limit = 0.1, weights = { decay = 0.123456789 } }": [
        ds.DisclosureRiskAtMost(0.1, ds.Weights.decay(0.123456789))
    ],
    'disclosure_risk = { limit = 0.1, weights = { file = "weights.csv" } }': [
        ds.DisclosureRiskAtMost(0.1, ds.Weights.from_matrix([[4], [2, 2]]))
    ],
    "k = 3\ndiversity = 2\ncloseness = 0.5\ndisclosure_risk = 0.2": [
        ds.KAnonymity(3),
        ds.LDiversity(2),
        ds.TCloseness(0.5),
        ds.DisclosureRiskAtMost(0.2),
    ],
}


@pytest.mark.parametrize("text", CRITERIA)
def test_every_criterion_of_a_plan_is_that_of_the_api_and_is_written_back(folder, text):
    plan = ds.Plan.read(written(f"[criterion]\n{text}\n"))
    assert plan.criterion == CRITERIA[text]
    assert criteria.built(criteria.written(plan.criterion), folder) == plan.criterion


def test_criteria_that_name_different_attributes_stand_in_tables_of_their_own(folder):
    several = [ds.PSensitiveKAnonymity(2, 5, "illness"), ds.PSensitiveKAnonymity(3, 5, "income")]
    tables = criteria.written(several)
    assert [table["confidential"] for table in tables] == [["illness"], ["income"]]
    assert ds.Plan.of({"criterion": tables}).criterion == several


# -- all that is wrong, at once, with its line ---------------------------------------------------

WRONG = """\
[source]
file = "patients.csv"
seperator = ","
encoding = "ebcdic"

[roles]
keys = ["age", "zpi", "sex"]
identifiers = "name"

[types]
sex = "binary"
ilness = "nominal"

[hierarchies]
age = { intervals = [5, 7] }
zip = { prefix = [5, 3] }
sex = { file = "gender.csv" }
income = { suppress = true }

[criterion]
k = 2
p = 3
closeness = 1.5

[[steps]]
do = "generalise"

[[steps]]
do = "sample"
fraction = 1.5
n = 10
seed = "x"
by = ["sexx"]

[[steps]]
do = "microaggregate"
metod = "mdav"

[outputs]
masked = "masked.docx"
ledger = "a.json"
public = "a.json"

[output]
"""


def test_all_problems_are_reported_together_with_their_lines_and_remedies(folder):
    with pytest.raises(ds.DiscreetError) as caught:
        ds.Plan.read(written(WRONG))
    said = [f"{p.code} {p}" for p in caught.value.problems]
    expected = [
        "P30 release.toml:44 (output): 'output' is not known in this part of a plan. Did you mean 'outputs'",
        "P30 release.toml:3 (source.seperator): 'seperator' is not known in this part of a plan. Did you mean 'separator'?",
        "P31 release.toml:4 (source.encoding): must be an encoding that Python knows, such as utf-8 or cp1252.",
        "P31 release.toml:8 (roles.identifiers): must be a list of column names.",
        "P31 release.toml:11 (types.sex): must be continuous, nominal, or the list",
        "P20 release.toml:15 (hierarchies.age): the width of level 2 (7) is not a multiple",
        "P33 release.toml:16 (hierarchies.zip): names no builder. Did you mean 'prefixes'?",
        "S01 release.toml:17 (hierarchies.sex): gender.csv does not exist",
        "R10 release.toml:18 (hierarchies.income): is not a key.",
        "P31 release.toml:23 (criterion.closeness): must be a number from 0 to 1, or a table.",
        "P31 release.toml:26 (steps[0].do): is not a kind of step. Did you mean 'generalize'?",
        "P31 release.toml:30 (steps[1].fraction): must be a number above 0 and up to 1.",
        "P31 release.toml:32 (steps[1].seed): must be a whole number.",
        "P32 release.toml:28 (steps[1]): needs fraction or n, one of the two.",
        "P30 release.toml:37 (steps[2].metod): 'metod' is not known in this part of a plan. Did you mean 'method'?",
        "O01 release.toml:40 (outputs.masked): does not end in .csv, .parquet, .sav, .zsav, .dta or .xlsx.",
        "P34 release.toml:41 (outputs.ledger): names the same file as 'public'.",
        "R01 release.toml:7 (roles.keys[1]): 'zpi' is not a column of patients.csv. Did you mean 'zip'?",
        "R01 release.toml:12 (types.ilness): 'ilness' is not a column of patients.csv. Did you mean 'illness'?",
        "R01 release.toml:33 (steps[1].by[0]): 'sexx' is not a column of patients.csv. Did you mean 'sex'?",
    ]
    for start in expected:
        assert any(line.startswith(start) for line in said), start
    assert len(said) >= len(expected)


def test_a_key_named_twice_and_a_hierarchy_of_no_key_are_said_with_their_lines(folder):
    text = PLAN.replace('"age", "zip", "sex"]', '"age",\n"zpi", "age"]')
    with pytest.raises(ds.DiscreetError) as caught:
        ds.Plan.read(written(text))
    said = [f"{p.code} {p}" for p in caught.value.problems]
    assert any(one.startswith("R02 release.toml:7 (roles.keys[2])") for one in said)
    assert not any("Did you mean 'zpi'" in one for one in said)


def test_values_without_a_place_are_told_in_the_words_of_a_plan():
    reference = Reference("argument", "unmapped", "suppress", 'with_unmapped("suppress")')
    assert in_plan(reference) == 'unmapped = "suppress"'


def test_p_above_k_is_said_with_the_line_of_the_criterion(folder):
    with pytest.raises(ds.DiscreetError, match=r"release.toml:1 \(criterion\): p = 3 is larger"):
        ds.Plan.read(written("[criterion]\nk = 2\np = 3\n"))


def test_columns_that_are_not_there_are_said_with_their_lines_before_any_work(folder):
    text = PLAN.replace('"illness"', '"ilness"').replace('"ssn"', '"sssn"')
    plan = ds.Plan.read(written(text + '\n[types]\nagee = "continuous"\n'))
    with pytest.raises(ds.DiscreetError) as caught:
        plan.run()
    assert [str(p).partition(":")[2][:9] for p in caught.value.problems] == [
        "5 (roles.",
        "7 (roles.",
        "26 (types",
    ]
    assert not (folder / "masked.csv").exists()


def test_what_reading_finds_wrong_is_said_of_the_source(folder):
    plan = ds.Plan.read(written(PLAN.replace('"illness"', '"name"')))
    with pytest.raises(
        ds.DiscreetError, match=r"release.toml:1 \(source\): 'name' is an identifier"
    ):
        plan.open()
    plan = ds.Plan.read(written(PLAN.replace("patients.csv", "patient.csv")))
    with pytest.raises(ds.DiscreetError, match=r"patient.csv does not exist. Did you mean"):
        plan.open()


BROKEN = {
    "no file": (lambda: ds.Plan.read("none.toml"), "S01"),
    "no path": (lambda: ds.Plan.read(None), "S01"),
    "a folder": (lambda: ds.Plan.read("."), "S01"),
    "not TOML": (lambda: ds.Plan.read(written("[source\nfile = 1\n")), "S20"),
    "data in place of a plan": (lambda: ds.Plan.read("patients.csv"), "S20"),
    "not UTF-8": (lambda: ds.Plan.read(latin()), "S05"),
    "no table": (lambda: ds.Plan.of([1]), "P31"),
    "a section that is a number": (lambda: ds.Plan.of({"source": 5, "steps": {}}), "P31"),
    "a step without a verb": (lambda: ds.Plan.of({"steps": [{"k": 5}]}), "P32"),
    "no criterion": (lambda: ds.Plan.of({"steps": [{"do": "generalize"}]}), "P32"),
    "two builders": (
        lambda: ds.Plan.of(
            {"roles": {"keys": ["a"]}, "hierarchies": {"a": {"suppress": True, "prefixes": [1]}}}
        ),
        "P33",
    ),
    "a plan of another ending": (lambda: ds.Plan.of({}).write("plan.txt"), "O01"),
}


def latin():
    Path("l.toml").write_bytes("# é\n".encode("latin-1"))
    return "l.toml"


@pytest.mark.parametrize(("attempt", "code"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_plan_is_refused_by_code(folder, attempt, code):
    with pytest.raises(ds.DiscreetError) as caught:
        attempt()
    assert caught.value.code == code


# -- running -------------------------------------------------------------------------------------


def test_running_the_same_plan_again_gives_the_same_bytes(folder):
    plan = ds.Plan.read(written(PLAN))
    for suffix in ("csv", "parquet"):
        document = plan.to_dict()
        document["outputs"] = {"masked": f"m.{suffix}", "public": "p.json", "report": "r.html"}
        document["outputs"]["unique_columns"] = {"income": "of nobody: simulated"}
        several = ds.Plan.of(document)
        several.run()
        first = [(folder / name).read_bytes() for name in (f"m.{suffix}", "r.html", "p.json")]
        several.run(overwrite=True)
        again = [(folder / name).read_bytes() for name in (f"m.{suffix}", "r.html", "p.json")]
        assert again == first
        for name in ("p.json", "r.html", "m.ledger.json"):
            (folder / name).unlink()


def test_a_seed_that_the_plan_leaves_open_is_drawn_and_taken_from_the_ledger_again(folder):
    text = '[source]\nfile = "patients.csv"\n[[steps]]\ndo = "sample"\nn = 100\n'
    plan = ds.Plan.read(written(text))
    first = plan.run()
    bytes_first = (folder / "masked.csv").read_bytes()
    other = plan.run(overwrite=True)
    assert (folder / "masked.csv").read_bytes() != bytes_first
    assert other.plan.section("steps")[0]["seed"] != first.plan.section("steps")[0]["seed"]
    plan.run(overwrite=True, ledger=first.ledger)
    assert (folder / "masked.csv").read_bytes() == bytes_first
    with pytest.raises(ds.DiscreetError, match="has no seeds"):
        plan.run(overwrite=True, ledger=first.ledger.public())


def test_nothing_is_written_where_the_criterion_does_not_hold(folder):
    text = PLAN + '\n[[steps]]\ndo = "sample"\nfraction = 0.2\nseed = 1\n'
    release = ds.Plan.read(written(text)).run()
    assert not release.satisfied
    assert release.files == ()
    assert "Nothing was written" in release.explain()
    assert not list(folder.glob("masked*"))


def test_the_script_of_a_plan_ends_before_it_writes_where_the_criterion_does_not_hold(folder):
    text = PLAN.replace('"generalize"\nmax_suppressed = 0.05', '"sample"\nn = 90\nseed = 1')
    plan = ds.Plan.read(written(text + 'report = "report.html"\n'))
    with pytest.raises(SystemExit, match="does not hold"):
        exec(compile(plan.to_python(), "script", "exec"), {})
    assert not [*folder.glob("masked*"), *folder.glob("*.html")]


def test_the_script_of_a_plan_writes_its_reports_and_names_what_only_a_run_writes(folder):
    outputs = """
report = "report.html"
public_report = "public.html"
public = "public.json"
note = "seen by two of us"
unique_columns = { income = "of nobody: simulated" }
"""
    plan = ds.Plan.read(written(PLAN + outputs))
    plan.run()
    told = {name: Path(name).read_bytes() for name in ("masked.csv", "report.html", "public.html")}
    for name in told:
        Path(name).unlink()
    script = plan.to_python()
    exec(compile(script, "script", "exec"), {})
    assert told == {name: Path(name).read_bytes() for name in told}
    assert "# Only a run of the plan writes public.json and masked.ledger.json: discreet" in script


def test_levels_that_suppress_more_than_may_be_are_refused_by_a_plan_and_in_python(folder):
    text = PLAN.replace("max_suppressed = 0.05", "levels = { age = 3 }")
    with pytest.raises(ds.DiscreetError, match=r"would suppress .* at most 4 may be") as caught:
        ds.Plan.read(written(text)).run()
    assert caught.value.code == "D34"
    found = ds.generalize(read(), HIERARCHIES, ds.KAnonymity(5))
    with pytest.raises(ds.DiscreetError, match="would suppress"):
        found.mask(levels={"age": 3})
    masked = found.lattice.node({"age": 3, "zip": 3}).mask()  # by hand, without a limit
    assert masked.plan().mask().n == masked.n
    with pytest.raises(ds.DiscreetError, match="A key that is left out stays at level 0"):
        found.lattice.node({"illness": 1})


def test_outputs_that_exist_or_are_inputs_are_refused_before_the_work(folder):
    plan = ds.Plan.read(written(PLAN))
    plan.run()
    with pytest.raises(ds.DiscreetError) as caught:
        plan.run()
    assert [p.code for p in caught.value.problems] == ["O03", "O03"]
    for name in ("patients.csv", "sex.csv"):
        own = ds.Plan.read(written(PLAN.replace('"masked.csv"', f'"{name}"')))
        with pytest.raises(ds.DiscreetError, match="is an input, which is never changed"):
            own.run(overwrite=True)


def test_what_write_would_refuse_is_said_before_the_work(folder):
    text = PLAN + 'identifiers = ["age"]\nescape_formulas = true\n'
    plan = ds.Plan.read(written(text.replace("masked.csv", "masked.parquet")))
    with pytest.raises(ds.DiscreetError) as caught:
        plan.rehearse()
    assert [p.code for p in caught.value.problems] == ["R12", "O07"]


def test_an_input_that_changes_during_the_run_is_an_error(folder, monkeypatch):
    plan = ds.Plan.read(written(PLAN))
    step = ds.Plan.step

    def meanwhile(self, data, one):
        with Path("patients.csv").open("a", encoding="utf-8") as file:
            file.write("\n")
        return step(self, data, one)

    monkeypatch.setattr(ds.Plan, "step", meanwhile)
    with pytest.raises(ds.DiscreetError, match="changed during the run") as caught:
        plan.run()
    assert caught.value.code == "S22"
    assert not (folder / "masked.csv").exists()


def test_a_release_shows_itself(folder):
    release = ds.Plan.read(written(PLAN)).run()
    assert release.satisfied
    assert release.disclosure_risk.t == release.masked.n
    assert "2-sensitive 5-anonymity holds" in release.explain()
    assert list(release.table("pandas")["role"]) == ["masked"]
    assert json.dumps(release.to_dict())
    assert release._repr_html_().startswith("<p>masked.csv")
    assert "Must hold: 2-sensitive 5-anonymity" in release.plan.explain()
    assert repr(release.plan) == "Plan for patients.csv: generalize"


# -- the first plan ------------------------------------------------------------------------------


def test_a_first_plan_runs_as_it_is_and_gives_the_reasons(folder):
    plan = ds.Plan.first(ds.read("patients.csv"))
    text = plan.to_toml()
    assert '    "ssn",  # by its name, a social security or national number' in text
    written(text)
    release = ds.Plan.read("release.toml").run()
    assert release.satisfied
    assert not {"name", "ssn"} & set(release.masked.released)


def test_a_first_plan_keeps_the_roles_that_were_given(folder):
    plan = ds.Plan.first(read(keys=["illness"], confidential=["age"]))
    roles = plan.section("roles")
    assert roles["keys"] == ["illness", "zip", "sex"]
    assert roles["confidential"] == ["age", "income"]


def test_a_first_plan_holds_no_cell_value(folder):
    text = ds.Plan.first(ds.read("patients.csv")).to_toml()
    frame = ds.read("patients.csv").to("pandas")
    for column in ("name", "ssn", "zip", "illness", "income"):
        assert not [
            value for value in frame[column].astype(str) if len(value) > 3 and value in text
        ]


def test_what_is_wrong_with_a_plan_is_told_without_hints_on_a_source_that_it_reads_well(folder):
    rows = "".join(f"{day:02}.05.2024;{20 + day}\n" for day in range(1, 29))
    (folder / "visits.csv").write_text(f"visit;age\n{rows}")
    text = '[source]\nfile = "visits.csv"\ndate_format = "dd.mm.yyyy"\n\n[criterion]\nk = "five"\n'
    with warnings.catch_warnings():
        warnings.simplefilter("error", ds.errors.ReadHint)
        with pytest.raises(ds.DiscreetError, match=r"criterion\.k"):
            ds.Plan.read(written(text))


def test_a_run_tells_risk_and_cost_in_words(folder):
    release = ds.Plan.read(written(PLAN)).run()
    said = release.explain()
    risk = release.disclosure_risk
    assert f"{risk.minimal:.2%} of the people for certain (DR_min), and {risk.maximal:.2%}" in said
    assert f"(Iyengar) {release.information_loss.loss:.4g}" in said


def test_a_folder_that_does_not_exist_is_named(folder):
    with pytest.raises(ds.DiscreetError, match=r"\[O02\].*'spring', the folder of masked.csv"):
        ds.Plan.read(written(PLAN.replace('"masked.csv"', '"spring/masked.csv"'))).run()


def test_keys_that_are_no_names_are_told_with_their_line_beside_hierarchies(tmp_path):
    place = tmp_path / "release.toml"
    place.write_text("[roles]\nkeys = [1]\n\n[hierarchies]\nage = { suppress = true }\n")
    with pytest.raises(ds.DiscreetError, match=r"release\.toml:2 \(roles\.keys\)"):
        ds.Plan.read(place)


def test_what_a_step_cannot_work_with_is_said_before_the_work(tmp_path):
    (tmp_path / "survey.csv").write_text("age,town\n1,a\n2,b\n")
    noise = {"do": "add_noise", "columns": ["town"], "amount": 0.1}
    plan = {"source": {"file": "survey.csv"}, "roles": {"keys": ["age"]}}
    with pytest.raises(ds.DiscreetError, match="D12"):
        ds.Plan.of({**plan, "steps": [noise]}, tmp_path).rehearse()
    sample = {"do": "sample", "n": 1}  # after which a column may be another
    ds.Plan.of({**plan, "steps": [sample, noise]}, tmp_path).rehearse()
