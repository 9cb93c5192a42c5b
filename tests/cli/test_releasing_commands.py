"""init, run and verify in this process: what they write, print, and exit with."""

import json

import pytest

import discreet as ds


def test_from_init_over_run_to_verify(run, folder):
    code, out, _ = run("init", "patients.csv")
    assert code == 0
    assert "ssn      identifier    by its name, a social security or national number" in out
    assert out.splitlines()[-1].endswith("discreet run release.toml")
    code, out, _ = run("run", "release.toml")
    assert code == 0
    assert "5-anonymity holds" in out
    assert run("check", "patients.masked.csv", "--keys", "age,zip,sex", "--k", "5")[0] == 0
    code, out, _ = run("verify", "patients.masked.csv", "--initial", "patients.csv", "--json")
    assert (code, json.loads(out)["satisfied"]) == (0, True)
    with (folder / "patients.masked.csv").open("a") as file:
        file.write("x\n")
    code, out, _ = run("verify", "patients.masked.csv")
    assert code == 1
    assert "NOT as the ledger says" in out


def test_a_run_as_json_equals_the_api(run, folder):
    run("init", "patients.csv")
    code, out, _ = run("run", "release.toml", "--json")
    release = ds.Plan.read("release.toml").run(overwrite=True)
    assert code == 0
    assert json.loads(out) == json.loads(json.dumps(release.to_dict()))


def test_a_dry_run_checks_everything_and_writes_nothing(run, folder):
    run("init", "patients.csv")
    before = sorted(file.name for file in folder.iterdir())
    code, out, _ = run("run", "release.toml", "--dry-run")
    assert code == 0
    assert "Must hold: 5-anonymity." in out
    assert json.loads(run("run", "release.toml", "--dry-run", "--json")[1])["criterion"] == {"k": 5}
    assert sorted(file.name for file in folder.iterdir()) == before
    text = (folder / "release.toml").read_text(encoding="utf-8")
    (folder / "release.toml").write_text(text.replace('"zip",', '"zpi",'))
    code, _, err = run("run", "release.toml", "--dry-run")
    assert code == 2
    assert "(hierarchies.zip): is not a key." in err
    assert "(roles.keys[1]): 'zpi' is not a column of patients.csv. Did you mean 'zip'?" in err


def test_a_run_again_needs_force_and_says_so_before_the_work(run, folder):
    run("init", "patients.csv")
    run("run", "release.toml")
    code, _, err = run("run", "release.toml")
    assert code == 2
    assert err.count("exists") == 2
    assert run("run", "release.toml", "--force")[0] == 0


FIRST_STEP = """\
[source]
file = "patients.csv"
[roles]
keys = ["age", "zip"]
[criterion]
k = 5
[[steps]]
do = "sample"
fraction = 0.5
seed = 1
"""


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ('do = "generalize"\nmax_suppressed = 0', "Raise max_suppressed, lower the criterion"),
        ('do = "rank_swap"\ncolumns = ["zip"]', "'zip' = ['low', 'middle', 'high'] in [types]."),
    ],
)
def test_a_step_that_fails_says_its_line_and_the_words_of_the_plan(run, folder, step, words):
    (folder / "release.toml").write_text(f"{FIRST_STEP}[[steps]]\n{step}\n", encoding="utf-8")
    _, _, err = run("run", "release.toml")
    assert "release.toml:11 (steps[1]): " in err
    assert words in err


def test_a_run_with_a_ledger_takes_its_seeds_and_compares(run, folder):
    text = '[source]\nfile = "patients.csv"\n[[steps]]\ndo = "sample"\nn = 99\n'
    (folder / "s.toml").write_text(text)
    assert run("run", "s.toml")[0] == 0
    first = (folder / "masked.csv").read_bytes()
    (folder / "masked.ledger.json").rename(folder / "first.json")
    assert run("run", "s.toml", "--force")[0] == 0
    assert (folder / "masked.csv").read_bytes() != first
    code, out, _ = run("run", "s.toml", "--ledger", "first.json", "--force")
    assert code == 0
    assert out.splitlines()[-1].startswith("As the ledger says: digest of the masked file")
    assert (folder / "masked.csv").read_bytes() == first
    told = json.loads((folder / "first.json").read_text(encoding="utf-8"))
    told["outputs"][0]["sha256"] = "0" * 64
    (folder / "first.json").write_text(json.dumps(told))
    code, out, _ = run("run", "s.toml", "--ledger", "first.json", "--force", "--json")
    assert code == 1
    assert json.loads(out)["repeated"]["differences"]


def test_a_criterion_that_does_not_hold_exits_with_1_and_writes_nothing(run, folder):
    run("init", "patients.csv")
    with (folder / "release.toml").open("a") as file:
        file.write('\n[[steps]]\ndo = "sample"\nfraction = 0.2\nseed = 1\n')
    code, out, _ = run("run", "release.toml")
    assert code == 1
    assert "Nothing was written" in out
    assert not (folder / "patients.masked.csv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "none.toml"],
        ["run", "patients.csv"],
        ["verify", "patients.csv"],
        ["verify", "patients.csv", "--ledger", "patients.csv"],
        ["init", "none.csv"],
        ["init", "patients.csv", "-o", "plan.txt"],
    ],
)
def test_a_mistake_exits_with_2_and_says_what_to_do(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") <= 2


def test_init_keeps_a_plan_that_is_there_unless_forced(run, folder):
    (folder / "release.toml").write_text("mine")
    assert run("init", "patients.csv")[0] == 2
    assert (folder / "release.toml").read_text(encoding="utf-8") == "mine"
    assert run("init", "patients.csv", "--force")[0] == 0


def test_a_plan_in_another_folder_finds_its_source(run, folder):
    (folder / "plans").mkdir()
    assert run("init", "patients.csv", "-o", "plans/release.toml")[0] == 0
    assert 'file = "../patients.csv"' in (folder / "plans" / "release.toml").read_text(
        encoding="utf-8"
    )
    assert run("run", "plans/release.toml")[0] == 0


LATE = {
    "sample": ["--n", "5", "--seed", "1"],
    "protect": [],
    "microaggregate": ["--columns", "age"],
    "lattice": [],
}


@pytest.mark.parametrize("verb", LATE)
def test_an_output_that_exists_is_refused_before_the_file_is_even_read(run, folder, verb):
    name = "m.svg" if verb == "lattice" else "m.csv"
    (folder / name).write_text("kept")
    (folder / "bad.csv").write_text("a,b\n1\n")  # reading it would be another error
    code, _, err = run(verb, "bad.csv", "--keys", "a", *LATE[verb], "-o", name)
    assert code == 2
    assert "[O03]" in err
    assert (folder / name).read_text(encoding="utf-8") == "kept"


def test_names_that_cannot_be_written_are_refused_before_the_work(run, folder, monkeypatch):
    (folder / "t.csv").write_text("age,Age\n1,2\n3,4\n")
    monkeypatch.setattr(ds, "sample", None)  # it is not called
    code, _, err = run("sample", "t.csv", "--n", "1", "--seed", "1", "-o", "m.csv")
    assert code == 2
    assert "[O04]" in err


def test_init_says_the_command_that_runs_the_plan_where_it_lies(run, folder):
    (folder / "my plans").mkdir()
    code, out, _ = run("init", "patients.csv", "-o", "my plans/first.toml")
    assert code == 0
    assert out.endswith("Correct it, then: discreet run 'my plans/first.toml'\n")
    plan = ds.Plan.read(folder / "my plans" / "first.toml")
    plan.write(folder / "my plan.toml")
    assert "discreet run 'my plan.toml'" in ds.Plan.read(folder / "my plan.toml").to_python()
