"""No command writes over a file that it reads, by whatever name the file is reached."""

import hashlib
import os
from pathlib import Path

import pyarrow.csv
import pytest

import discreet as ds

KEYS = ["--keys", "age,sex"]
COMMANDS = {  # a command, and the files that it reads
    "sample": (["sample", "p.csv", *KEYS, "--n", "9", "--seed", "1"], ["p.csv"]),
    "protect": (
        ["protect", "p.csv", *KEYS, "--hierarchies", "h"],
        ["p.csv", "h/age.csv", "h/my_sex.csv"],
    ),
    "lattice": (["lattice", "p.csv", *KEYS, "--hierarchies", "h"], ["p.csv", "h/age.csv"]),
    "microaggregate": (["microaggregate", "p.csv", "--keys", "age"], ["p.csv"]),
    "record-risk": (["record-risk", "p.csv", "--settings", "risk.toml"], ["p.csv", "risk.toml"]),
    "protect-records": (
        ["protect-records", "p.csv", "--settings", "risk.toml", "--at-most", "9"],
        ["p.csv", "risk.toml"],
    ),
    "ru-map": (
        ["ru-map", "p.csv", *KEYS, "--hierarchies", "h"],
        ["p.csv", "h/age.csv", "h/my_sex.csv"],
    ),
    "report": (["report", "p.csv", "masked.csv", "--on", "ssn"], ["p.csv", "masked.csv"]),
    "init": (["init", "p.csv"], ["p.csv"]),
}
WAYS = ("itself", "another spelling", "a symbolic link", "a hard link")
CASES = [
    (name, file, way) for name, (_, files) in COMMANDS.items() for file in files for way in WAYS
]
PLAN = """
[source]
file = "{source}"
[roles]
keys = ["age", "sex"]
[hierarchies]
sex = {{ file = "h/my_sex.csv" }}
[criterion]
k = 2
[[steps]]
do = "generalize"
max_suppressed = 1.0
[outputs]
masked = "{masked}"
ledger = "{ledger}"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = ds.datasets.patients(60, 3)
    pyarrow.csv.write_csv(table, "p.csv")
    pyarrow.csv.write_csv(table, "masked.csv")
    (tmp_path / "h").mkdir()
    ages = sorted(set(table["age"].to_pylist()))
    (tmp_path / "h" / "age.csv").write_text("".join(f"{age};*\n" for age in ages))
    (tmp_path / "h" / "my_sex.csv").write_text("M;*\nF;*\n")
    (tmp_path / "risk.toml").write_text("[known]\nage = 0.5\n[sensitivity]\nillness = 1.0\n")
    return tmp_path


def reached(file, way):
    """A name that leads to a file; one that the command would write to."""
    other = Path(f"other{Path(file).suffix}")
    if way == "a symbolic link":
        other.symlink_to(Path(file).absolute())
    elif way == "a hard link":
        os.link(file, other)
    return {"itself": file, "another spelling": f"h/../{file}"}.get(way, str(other))


def state(folder):
    parts = ("st_mode", "st_ino", "st_nlink", "st_size", "st_mtime_ns")
    return {
        path: [
            hashlib.sha256(path.read_bytes()).digest(),
            *(getattr(path.lstat(), p) for p in parts),
        ]
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(("command", "file", "way"), CASES)
def test_an_output_that_is_an_input_is_refused(run, folder, command, file, way):
    place = reached(file, way)
    before = state(folder)
    code, _, said = run(*COMMANDS[command][0], "-o", place, "--force")
    assert code == 2
    assert "O03" in said
    assert "is an input, which is never changed" in said
    assert state(folder) == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("file", ["p.csv", "h/my_sex.csv", "release.json", "p.json"])
def test_a_plan_does_not_write_over_what_it_reads_nor_over_itself(run, folder, file, way):
    if file == "p.json":
        Path("p.csv").rename("p.json")
    source = "p.json" if file == "p.json" else "p.csv"
    Path("release.json").touch()
    place = reached(file, way)
    role = "ledger" if place.endswith(".json") else "masked"
    outputs = {"masked": "new.csv", "ledger": "new.json", role: place}
    Path("release.json").write_text(PLAN.format(source=source, **outputs), encoding="utf-8")
    before = state(folder)
    code, _, said = run("run", "release.json", "--force")
    assert code == 2
    assert "is an input, which is never changed" in said
    assert state(folder) == before


def test_a_name_that_is_taken_by_a_broken_link_is_not_free(run, folder):
    Path("out.csv").symlink_to("nowhere.csv")
    code, _, said = run(*COMMANDS["sample"][0], "-o", "out.csv")
    assert (code, "O03" in said) == (2, True)
    assert run(*COMMANDS["sample"][0], "-o", "out.csv", "--force")[0] == 0
    assert not Path("nowhere.csv").exists()  # the link was replaced, not followed
    assert not Path("out.csv").is_symlink()


def test_the_demo_replaces_links_and_follows_none(run, folder):
    Path("demo").mkdir()
    for name in ("patients.csv", "masked.csv", "release.html"):
        (Path("demo") / name).symlink_to(folder / "p.csv")
    before = Path("p.csv").read_bytes()
    assert run("demo", "--n", "200", "-o", "demo")[0] == 2
    assert run("demo", "--n", "200", "-o", "demo", "--force")[0] == 0
    assert Path("p.csv").read_bytes() == before


def test_in_python_no_result_is_written_over_the_files_it_was_made_from(folder):
    data = ds.read("p.csv", keys=["age", "sex"])
    sex = ds.Hierarchy.from_csv("h/my_sex.csv")
    found = ds.generalize(data, {"sex": sex}, ds.KAnonymity(2), max_suppressed=1.0)
    masked = found.best.mask()
    os.link("p.csv", "p.html")
    before = state(folder)
    for write in (
        lambda: data.write("p.csv", overwrite=True),
        lambda: masked.write("p.csv", overwrite=True),
        lambda: masked.write("h/my_sex.csv", overwrite=True),
        lambda: ds.sample(masked, n=5, seed=1).write("h/my_sex.csv", overwrite=True),
        lambda: ds.report(data, masked, "p.html", overwrite=True),
    ):
        with pytest.raises(ds.DiscreetError, match="is an input, which is never changed"):
            write()
    assert state(folder) == before


def test_a_plan_is_written_over_itself_but_not_over_its_source(folder):
    os.link("p.csv", "p.toml")
    plan = ds.Plan.first(ds.read("p.csv"))
    with pytest.raises(ds.DiscreetError, match="is an input, which is never changed"):
        plan.write("p.toml", overwrite=True)
    plan.write("release.toml")
    ds.Plan.read("release.toml").write("release.toml", overwrite=True)


def test_nothing_is_written_into_a_folder_that_is_read(folder):
    from discreet.files import is_among

    (folder / "parts.parquet" / "deep").mkdir(parents=True)
    parts = [folder / "parts.parquet"]
    assert is_among(folder / "parts.parquet", parts)
    assert is_among(folder / "parts.parquet" / "deep" / "new.csv", parts)
    assert not is_among(folder / "new.csv", parts)
