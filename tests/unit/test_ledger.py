"""Ledgers: what they record, that verification finds every change, and what the public gets."""

import copy
import hashlib
import json
import shutil
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import discreet as ds

ROLES = {
    "identifiers": ["name", "ssn"],
    "keys": ["age", "zip", "sex"],
    "confidential": ["illness", "income"],
}


NEEDS_ORIGINAL = (
    "the steps, disclosure risk, information loss, what is unchanged, which need the original"
)


def document(suffix="csv", **more):
    return {
        "source": {"file": "patients.csv", "missing_values": ["?"]},
        "roles": ROLES,
        "types": {"sex": ["F", "M"]},
        "hierarchies": {
            "age": {"intervals": [5, 10, 20, 40]},
            "zip": {"prefixes": [5, 3, 2, 1, 0]},
            "sex": {"leaves": {"M": ["*"], "F": ["*"]}},
        },
        "criterion": {"k": 5, "p": 2},
        "steps": [
            {"do": "sample", "n": 350, "seed": 9_182_736_455},
            {"do": "generalize", "max_suppressed": 0.05},
        ],
        "outputs": {
            "masked": f"m.{suffix}",
            "public": "public.json",
            "unique_columns": {"income": "of nobody: simulated"},
        },
        **more,
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One release of each kind, made once; tests work on copies."""
    folder = tmp_path_factory.mktemp("made")
    for suffix in ("csv", "parquet"):
        place = folder / suffix
        place.mkdir()
        pyarrow.csv.write_csv(ds.datasets.patients(400, 3), place / "patients.csv")
        plan = ds.Plan.of(document(suffix), place)
        plan.write(place / "release.toml")
        assert ds.Plan.read(place / "release.toml").run().satisfied
    return folder


@pytest.fixture(params=["csv", "parquet"])
def release(request, made, tmp_path):
    shutil.copytree(made / request.param, tmp_path / "r")
    return tmp_path / "r", f"m.{request.param}"


def verify(folder, name, **more):
    return ds.Ledger.read(folder / Path(name).with_suffix(".ledger.json")).verify(
        folder / name, **more
    )


def test_a_ledger_records_versions_digests_steps_counts_and_figures(release):
    folder, name = release
    found = ds.Ledger.read(folder / "m.ledger.json").to_dict()
    source = found["inputs"][0]
    assert source["sha256"] == hashlib.sha256((folder / "patients.csv").read_bytes()).hexdigest()
    masked = found["outputs"][0]
    assert masked["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    assert masked["columns"] == ["age", "zip", "sex", "illness", "income"]
    assert found["discreet"] == found["versions"]["discreet"] == ds.__version__
    assert found["engine"] in found["versions"]
    assert [step["do"] for step in found["steps"]] == ["sample", "generalize"]
    counts = [step["records"] for step in found["steps"]]
    assert counts[0] == {"before": 400, "after": 350}
    assert counts[1]["before"] == 350
    assert found["records"] == {"before": 400, "after": counts[1]["after"]}
    assert found["plan"]["steps"][0]["seed"] == 9_182_736_455
    assert found["check"]["satisfied"] is True
    assert found["risk"]["k"] >= 5
    assert 0 <= found["disclosure_risk"]["minimal"] <= found["disclosure_risk"]["maximal"] <= 1
    assert found["information_loss"]["loss"] > 0
    assert found["seconds"] >= sum(step["seconds"] for step in found["steps"])


def test_labels_and_codes_of_the_plan_stand_in_the_ledger_as_numbers_and_digests(release):
    plan = ds.Ledger.read(release[0] / "m.ledger.json").to_dict()["plan"]
    assert plan["types"]["sex"]["number"] == 2
    assert plan["source"]["missing_values"]["number"] == 1
    assert plan["hierarchies"]["sex"]["leaves"]["number"] == 2
    assert plan["hierarchies"]["age"] == {"intervals": [5, 10, 20, 40]}


def test_a_file_that_is_as_it_was_is_verified(release):
    folder, name = release
    found = verify(folder, name)
    assert found.satisfied
    assert "whether 2-sensitive 5-anonymity holds" in found.agreed
    assert {"digest of public.json", "outputs", "plan"} <= set(found.agreed)
    assert found.not_compared == (NEEDS_ORIGINAL,)


def test_a_release_without_roles_is_verified(tmp_path):
    (tmp_path / "survey.csv").write_text("age,sex\n23,F\n37,M\n38,M\n")
    steps = [{"do": "sample", "n": 2, "seed": 1}]
    plan = ds.Plan.of({"source": {"file": "survey.csv"}, "steps": steps}, tmp_path)
    ledger = plan.run().ledger
    assert ledger.verify(tmp_path / "masked.csv", initial=tmp_path / "survey.csv").satisfied


def test_with_the_original_the_plan_is_run_again_and_gives_the_same_bytes(release):
    folder, name = release
    found = verify(folder, name, initial=folder / "patients.csv")
    assert found.satisfied, found.explain()
    assert {
        "digest of the original",
        "digest of the masked file, made again",
        "disclosure risk, made again",
    } <= set(found.agreed)
    assert "The same when the plan is run again: digest of the masked file, " in found.explain()


def tampered(folder, name, change):
    table = ds.read(folder / name).to("pandas")
    changed = change(table)
    if name.endswith("csv"):
        changed.to_csv(folder / name, index=False)
    else:
        pq.write_table(pyarrow.Table.from_pandas(changed, preserve_index=False), folder / name)


TAMPERED = {
    "a record more": (lambda t: t.iloc[[*range(len(t)), 0]], "records"),
    "a record less": (lambda t: t.iloc[1:], "records"),
    "another order": (lambda t: t.iloc[::-1], "digest of the masked file"),
    "another key": (lambda t: t.assign(zip=["x", *t["zip"][1:]]), "whether 2-sensitive"),
    "another class": (lambda t: t.assign(sex="M"), "class sizes and risks, classes"),
    "another value": (
        lambda t: t.assign(income=[1, *t["income"][1:]]),
        "digest of the masked file",
    ),
    "one illness for all": (lambda t: t.assign(illness="a"), "whether 2-sensitive"),
    "a column less": (lambda t: t.drop(columns="income"), "columns"),
    "a column more": (lambda t: t.assign(ssn=1), "columns"),
    "a column renamed": (lambda t: t.rename(columns={"age": "years"}), "columns"),
}


@pytest.mark.parametrize(("change", "what"), TAMPERED.values(), ids=TAMPERED)
def test_every_change_of_the_masked_file_is_found(release, change, what):
    folder, name = release
    tampered(folder, name, change)
    found = verify(folder, name)
    assert not found
    assert "digest of the masked file" in [d.what for d in found.differences]
    assert [d for d in found.differences if d.what.startswith(what)]
    assert "NOT as the ledger says" in found.explain()
    assert len(found.table("pandas")) == len(found.differences)


@pytest.mark.parametrize("at", [0, 4, 100, -5, -1])
def test_every_changed_byte_is_found(release, at):
    folder, name = release
    raw = bytearray((folder / name).read_bytes())
    raw[at] ^= 1
    (folder / name).write_bytes(bytes(raw))
    assert not verify(folder, name).satisfied


LEDGER_CHANGES = {
    "fewer records": lambda d: d["records"].update(after=1),
    "another k": lambda d: d["risk"].update(k=99),
    "a stricter criterion": lambda d: d["plan"]["criterion"].update(k=50),
    "a weaker criterion": lambda d: d["plan"]["criterion"].update(k=2),
    "another digest": lambda d: d["outputs"][0].update(sha256="0" * 64),
    "another digest of the extract": lambda d: d["outputs"][1].update(sha256="0" * 64),
    "other columns": lambda d: d["outputs"][0]["columns"].append("x"),
    "a criterion that does not hold": lambda d: d["check"].update(satisfied=False),
    "no check": lambda d: d.update(check=None),
    "no risk": lambda d: d.update(risk=None),
    "no extract": lambda d: d["outputs"].pop(),
    "another plan": lambda d: d["plan"]["steps"][1].update(max_suppressed=0.5),
    "a plan without steps": lambda d: d["plan"]["steps"].clear(),
    "a file more": lambda d: d["inputs"].append({**d["inputs"][0], "role": "beside"}),
    "a measure more": lambda d: d.update(measures={"risk": {"before": {}, "after": {}}}),
}


@pytest.mark.parametrize("change", LEDGER_CHANGES.values(), ids=LEDGER_CHANGES)
def test_a_ledger_that_claims_something_else_is_found_out(release, change):
    folder, name = release
    path = folder / "m.ledger.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    change(told)
    path.write_text(json.dumps(told))
    assert not verify(folder, name).satisfied


RERUN_CHANGES = {
    "another risk": lambda d: d["disclosure_risk"].update(maximal=0.0),
    "another loss": lambda d: d["information_loss"].update(loss=0.0),
    "another original": lambda d: d["inputs"][0].update(sha256="0" * 64),
    "another seed": lambda d: d["plan"]["steps"][0].update(seed=1),
    "no steps": lambda d: d["steps"].clear(),
    "other levels": lambda d: d["steps"][1]["parameters"]["levels"].update(age=0),
    "fewer records before": lambda d: d["records"].update(before=1),
    "no disclosure risk": lambda d: d.update(disclosure_risk=None),
    "no loss": lambda d: d.update(information_loss=None),
    "nothing unchanged": lambda d: d.update(unchanged=None),
}


def test_figures_that_need_the_original_are_found_out_with_it(made, tmp_path):
    shutil.copytree(made / "csv", tmp_path / "r")
    folder = tmp_path / "r"
    text = (folder / "release.toml").read_text(encoding="utf-8")
    (folder / "release.toml").write_text(text.replace("seed = 9182736455\n", ""))  # the ledger's
    path = folder / "m.ledger.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["plan_file"]["sha256"] = hashlib.sha256((folder / "release.toml").read_bytes()).hexdigest()
    path.write_text(json.dumps(told))
    assert verify(folder, "m.csv", initial=folder / "patients.csv").satisfied
    for change in RERUN_CHANGES.values():
        other = copy.deepcopy(told)
        change(other)
        path.write_text(json.dumps(other))
        assert verify(folder, "m.csv").satisfied
        assert not verify(folder, "m.csv", initial=folder / "patients.csv").satisfied


def test_a_hierarchy_that_was_changed_is_named_with_and_without_the_original(tmp_path):
    (tmp_path / "survey.csv").write_text("age,sex\n23,F\n37,M\n38,M\n41,F\n")
    (tmp_path / "hh").mkdir()
    (tmp_path / "hh" / "sex.csv").write_text("F;*\nM;*\nX;*\n")
    told = {
        "source": {"file": "survey.csv"},
        "roles": {"keys": ["sex"]},
        "hierarchies": {"sex": {"file": "hh/sex.csv"}},
        "steps": [{"do": "sample", "n": 3, "seed": 1}],
    }
    ds.Plan.of(told, tmp_path).write(tmp_path / "release.toml")
    ds.Plan.read(tmp_path / "release.toml").run()
    assert "digest of sex.csv" in verify(tmp_path, "masked.csv").agreed
    (tmp_path / "hh" / "sex.csv").write_text("F;*\nM;*\nY;*\n")
    for initial in (None, tmp_path / "survey.csv"):
        found = verify(tmp_path, "masked.csv", initial=initial)
        assert [d.what for d in found.differences] == ["digest of sex.csv"]
    (tmp_path / "hh" / "sex.csv").unlink()
    found = verify(tmp_path, "masked.csv")
    assert "the plan, which cannot be read: S01" in found.not_compared


def test_a_plan_that_is_named_must_be_there(made):
    with pytest.raises(ds.DiscreetError, match=r"nope\.toml does not exist") as caught:
        verify(made / "csv", "m.csv", plan=made / "csv" / "nope.toml")
    assert caught.value.code == "S01"


def test_a_public_extract_whose_criterion_does_not_hold_is_found_out(release):
    folder, name = release
    told = json.loads((folder / "public.json").read_text(encoding="utf-8"))
    told["disclosure_risk"]["maximal"] = 0.0001
    public = ds.Ledger(told, folder)
    assert NEEDS_ORIGINAL in public.verify(folder / name).not_compared
    told["check"]["satisfied"] = False
    found = public.verify(folder / name)
    assert [d.what for d in found.differences] == ["whether 2-sensitive 5-anonymity holds"]


def test_a_plan_that_was_changed_is_not_run_again_and_that_is_said(release):
    folder, name = release
    with (folder / "release.toml").open("a") as file:
        file.write("# later\n")
    found = verify(folder, name, initial=folder / "patients.csv")
    assert found.satisfied
    assert found.not_compared == ("a second run, for the plan was changed since",)
    given = verify(folder, name, initial=folder / "patients.csv", plan=folder / "release.toml")
    assert [d.what for d in given.differences] == ["digest of the plan"]


def test_criteria_that_compare_with_the_original_are_said_not_to_be_compared(made, tmp_path):
    shutil.copytree(made / "csv", tmp_path / "r")
    folder = tmp_path / "r"
    close = document(criterion={"k": 5, "closeness": 0.9, "disclosure_risk": 0.5})
    close["outputs"] = {"masked": "c.csv"}
    ds.Plan.of(close, folder).write(folder / "close.toml")
    ds.Plan.read(folder / "close.toml").run()
    found = verify(folder, "c.csv")
    assert found.satisfied
    assert found.not_compared == (
        "closeness, which needs the original",
        "disclosure_risk, which needs the original",
        NEEDS_ORIGINAL,
    )
    again = verify(folder, "c.csv", initial=folder / "patients.csv")
    assert "the check, made again" in again.agreed


def test_two_criteria_hold_and_one_holds(made, tmp_path):
    shutil.copytree(made / "csv", tmp_path / "r")
    folder = tmp_path / "r"
    two = document(criterion={"k": 5, "diversity": 2}, outputs={"masked": "c.csv"})
    ds.Plan.of(two, folder).write(folder / "two.toml")
    ds.Plan.read(folder / "two.toml").run()
    agreed = verify(folder, "c.csv").agreed
    assert "whether 5-anonymity and distinct 2-diversity hold" in agreed


def test_the_public_extract_has_no_seed_and_nothing_of_the_original(release):
    folder, _ = release
    whole = ds.Ledger.read(folder / "m.ledger.json")
    text = (folder / "public.json").read_text(encoding="utf-8")
    assert whole.public().to_json() == text
    public = json.loads(text)
    for secret in (
        whole.document["inputs"][0]["sha256"],
        whole.document["plan_file"]["sha256"],
        whole.document["plan"]["types"]["sex"]["sha256"],
        "9182736455",
        "seed",
        "patients.csv",
        "initial_sizes",
        "classification",
        "identifiers",
        "ssn",
    ):
        assert secret not in text, secret
    assert public["outputs"][0]["sha256"] == whole.output("masked")["sha256"]
    assert set(public["disclosure_risk"]) == {"n", "t", "minimal", "maximal"}


def test_the_public_extract_verifies_the_published_file(release):
    folder, name = release
    public = ds.Ledger.read(folder / "public.json")
    assert public.is_public
    found = public.verify(folder / name)
    assert found.satisfied
    assert "whether 2-sensitive 5-anonymity holds" in found.agreed
    (folder / name).write_bytes((folder / name).read_bytes() + b"\n")
    assert not public.verify(folder / name).satisfied


def test_a_masked_file_with_escaped_formulas_is_verified(tmp_path):
    cells = ["=1", "'=1", "@a", "b", None, ""] * 20
    table = pyarrow.table({"t": cells, "k": [i % 3 for i in range(120)]})
    pq.write_table(table, tmp_path / "t.parquet")
    told = {
        "source": {"file": "t.parquet"},
        "roles": {"keys": ["t", "k"], "confidential": ["t"]},
        "criterion": {"k": 2},
        "steps": [{"do": "sample", "n": 100, "seed": 1}],
        "outputs": {"masked": "m.csv", "escape_formulas": True},
    }
    ds.Plan.of(told, tmp_path).run()
    found = verify(tmp_path, "m.csv")
    assert found.satisfied, found.explain()
    assert ds.Ledger.read(tmp_path / "m.ledger.json").output("masked")["formulas_escaped"] is True


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"ledger": 2}', "{", '{"ledger": 1}', "a;b"])
def test_what_is_no_ledger_is_refused(tmp_path, text):
    (tmp_path / "l.json").write_text(text)
    with pytest.raises(ds.DiscreetError) as caught:
        ds.Ledger.read(tmp_path / "l.json")
    assert caught.value.code == "S21"


@pytest.mark.parametrize(
    "gone", ["check", "engine", "versions", "risk", "disclosure_risk", "unchanged", "inputs"]
)
def test_a_ledger_that_lacks_what_a_run_writes_is_none(made, tmp_path, gone):
    told = json.loads((made / "csv" / "m.ledger.json").read_text(encoding="utf-8"))
    for changed in ({n: v for n, v in told.items() if n != gone}, {**told, "outputs": []}):
        (tmp_path / "l.json").write_text(json.dumps(changed))
        with pytest.raises(ds.DiscreetError) as caught:
            ds.Ledger.read(tmp_path / "l.json")
        assert caught.value.code == "S21"


def test_a_masked_file_that_is_not_there_is_an_error(release):
    folder, name = release
    (folder / name).unlink()
    with pytest.raises(ds.DiscreetError, match="does not exist"):
        verify(folder, name)


def test_a_ledger_shows_itself(release):
    ledger = ds.Ledger.read(release[0] / "m.ledger.json")
    assert repr(ledger).startswith("Ledger: m.")
    assert "1. sample: 400 records before, 350 after." in ledger.explain()
    ledger.write(release[0] / "copy.json")
    assert ds.Ledger.read(release[0] / "copy.json").to_dict() == ledger.to_dict()
    found = ledger.verify(release[0] / release[1])
    assert json.dumps(found.to_dict())
    assert found._repr_html_().startswith("<p>As the ledger says")


def test_lists_of_the_same_length_say_in_which_row_they_differ(release):
    then = ds.Ledger.read(release[0] / "m.ledger.json")
    now = copy.deepcopy(dict(then.document))
    now["information_loss"]["by_attribute"][1]["attribute"] = "other"
    (found,) = then.compare(ds.Ledger(now, then.folder)).differences
    assert found.what == "information loss, by_attribute, 2, attribute"
    assert found.found == "other"
