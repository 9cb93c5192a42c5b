"""A table of marked values goes through every command, with good and bad options: the marks appear
in the masked data where they belong, and nowhere else — not on the screen, not in a plan that
was written, a ledger, a public extract, a drawing or a report.

Driven by the list of registered commands: a new command without a case here fails.
"""

import contextlib
import csv
import gc
import json
import re
import sys
from dataclasses import dataclass

import pytest

from discreet import cli
from discreet.cli.commands import app

SECRET, LABEL = "SECRET", "LABEL"  # rare values, and categories of many records
NUMBER, FRACTION = 918273645, 7391.28465
MARKS = (SECRET, LABEL, str(NUMBER), f"{NUMBER:,}", "7391.28", "7,391.28")
N = 60
CELLS = {
    "rec": [f"{SECRET}-{(i * 37) % N:03}" for i in range(N)],
    "person": [f"{SECRET}-{i:03}" for i in range(N)],
    "place": [None if i % 11 == 0 else f"{SECRET} place {i % 17}" for i in range(N)],
    "income": [NUMBER * 10 + i for i in range(N)],
    "score": [FRACTION + i for i in range(N)],
    "grade": [f"{LABEL}{i % 3}" for i in range(N)],
    "illness": [f"{LABEL}-{i % 4}" for i in range(N)],
}
GRADES = [f"{LABEL}{i}" for i in range(3)]
MASKED = ("m.csv", "m.parquet")  # where values belong
INTERNAL = ("r.html",)  # may name a category that many records share
WRITING = (
    "sample", "protect", "microaggregate", "protect-records", "recode", "suppress-cells", "run",
    "verify", "add-noise", "pram", "rank-swap", "round-values", "shuffle", "swap-records", "top-code",
)  # fmt: skip
GIVEN = (
    "t.csv",
    "bad.csv",
    "plan.toml",
    "full.toml",
    "wrong.toml",
    "lost.toml",
    "settings.toml",
    "h",
    "short",
)

ROLES = [
    "--identifiers",
    "person",
    "--record-id",
    "rec",
    "--keys",
    "place,grade",
    "--confidential",
    "illness,score",
]
BAD = [
    ["--keys", "plce"],
    ["--keys", "place", "--missing", "refuse"],
    ["--keys", "grade", "--type", f"grade={GRADES[0]}<{GRADES[1]}"],
    ["--keys", "person", "--type", "person=continuous"],
    ["--keys", "place", "--weight", "person"],
    ["--keys", "place", "--separator", "S"],
    ["--keys", "place", "--record-id", "grade"],
    ["--names", "a,b", "--keys", "a"],
]


@dataclass(frozen=True)
class Case:
    """Ways to call a command; ``bad`` ones are tried with each way that data can be misread."""

    good: tuple[list[str], ...]
    bad: tuple[list[str], ...] = ()
    reads: bool = True


CASES = {
    "risk": Case((["risk", "t.csv", *ROLES], ["risk", "t.csv", *ROLES, "--json"])),
    "check": Case((["check", "t.csv", *ROLES], ["check", "t.csv", *ROLES, "--p", "2", "--json"])),
    "candidates": Case((["candidates", "t.csv"], ["candidates", "t.csv", "--json"])),
    "sample": Case(
        (["sample", "t.csv", *ROLES, "--n", "30", "--seed", "1", "-o", "m.csv"],),
        (["sample", "t.csv", *ROLES, "--n", "30", "--seed", "1", "--by", "person", "-o", "m.csv"],),
    ),
    "protect": Case(
        (
            ["protect", "t.csv", *ROLES, "--hierarchies", "h", "--max-suppressed", "50", "-o", "m.csv"],
            ["protect", "t.csv", *ROLES, "--hierarchies", "h", "--json", "--max-suppressed", "50",
             "--p", "2", "-o", "m.parquet"],
        ),
        (
            ["protect", "t.csv", *ROLES, "--hierarchies", "short", "-o", "m.csv"],
            ["protect", "t.csv", *ROLES, "--max-suppressed", "0", "-o", "m.csv"],
        ),
    ),
    "recode": Case(
        (["recode", "t.csv", *ROLES, "--hierarchies", "h", "--max-suppressed", "50", "--k", "3",
          "-o", "m.csv"],),
        (["recode", "t.csv", *ROLES, "--hierarchies", "short", "--k", "3", "-o", "m.csv"],),
    ),
    "add-noise": Case(
        (["add-noise", "t.csv", *ROLES, "--columns", "income", "--seed", "1", "-o", "m.csv"],),
        (["add-noise", "t.csv", *ROLES, "--columns", "place", "--seed", "1", "-o", "m.csv"],
         ["add-noise", "t.csv", *ROLES, "--columns", "income", "--by", "person", "--seed", "1",
          "-o", "m.csv"]),
    ),
    "shuffle": Case(
        (["shuffle", "t.csv", *ROLES, "--columns", "income", "--seed", "1", "-o", "m.csv"],),
        (["shuffle", "t.csv", *ROLES, "--columns", "income", "--given", "place", "--seed", "1",
          "-o", "m.csv"],
         ["shuffle", "t.csv", *ROLES, "--columns", "income", "--by", "person", "--seed", "1",
          "-o", "m.csv"]),
    ),
    "pram": Case(
        (["pram", "t.csv", *ROLES, "--columns", "place,grade", "--seed", "1", "-o", "m.csv"],),
        (["pram", "t.csv", *ROLES, "--columns", "place", "--by", "person", "--seed", "1",
          "-o", "m.csv"],
         ["pram", "t.csv", *ROLES, "--columns", "grade", "--within", "{ grade = { file = 'short' } }",
          "-o", "m.csv"]),
    ),
    "rank-swap": Case(
        (["rank-swap", "t.csv", *ROLES, "--columns", "income", "--seed", "1", "-o", "m.csv"],),
        (["rank-swap", "t.csv", *ROLES, "--columns", "place", "--seed", "1", "-o", "m.csv"],
         ["rank-swap", "t.csv", *ROLES, "--columns", "income", "--by", "person", "--seed", "1",
          "-o", "m.csv"]),
    ),
    "round-values": Case(
        (["round-values", "t.csv", *ROLES, "--columns", "income", "--base", "10", "--seed", "1",
          "-o", "m.csv"],),
        (["round-values", "t.csv", *ROLES, "--columns", "place", "--base", "0.5", "-o", "m.csv"],),
    ),
    "swap-records": Case(
        (["swap-records", "t.csv", *ROLES, "--geography", "grade", "--swap-records-keys", "place", "--seed", "1",
          "-o", "m.csv"],),
        (["swap-records", "t.csv", *ROLES, "--geography", "person", "--similar", "place+gone",
          "-o", "m.csv"],),
    ),
    "top-code": Case(
        (["top-code", "t.csv", *ROLES, "--top", "income=0.9", "-o", "m.csv"],),
        (["top-code", "t.csv", *ROLES, "--top", "income=0.99,place=2", "--top-code-k", "90",
          "-o", "m.csv"],),
    ),
    "suppress-cells": Case(
        (["suppress-cells", "t.csv", *ROLES, "--k", "3", "--search", "quick", "-o", "m.csv"],),
        (["suppress-cells", "t.csv", *ROLES, "--k", "3", "--by", "person", "-o", "m.csv"],),
    ),
    "recommend": Case(
        (["recommend", "t.csv", *ROLES, "--k", "3", "-o", "proposed.toml"],),
        (["recommend", "t.csv", *ROLES, "--k", "3", "--risk", SECRET],),
    ),
    "compare-releases": Case(
        (["compare-releases", "t.csv", "t.csv", "--on", "rec", *ROLES, "--json"],),
        (
            ["compare-releases", "t.csv", "bad.csv", "--on", "rec", *ROLES],
            ["compare-releases", "t.csv", "t.csv", "--on", "grade", *ROLES],
        ),
    ),
    "advise": Case(
        (["advise", "t.csv", *ROLES, "--hierarchies", "h", "--k", "50", "--max-suppressed", "0"],),
        (["advise", "t.csv", *ROLES, "--hierarchies", "short", "--k", "3"],),
    ),
    "readings": Case(
        (["readings", "t.csv", "t.csv", "--on", "rec", *ROLES, "--json"],),
        (
            ["readings", "t.csv", "bad.csv", "--on", "rec", *ROLES],
            ["readings", "t.csv", "t.csv", "--on", "grade", *ROLES],
        ),
    ),
    "lattice": Case(
        (["lattice", "t.csv", *ROLES, "--hierarchies", "h", "--max-suppressed", "50", "-o", "l.svg"],),
        (["lattice", "t.csv", *ROLES, "--hierarchies", "short"],),
    ),
    "microaggregate": Case(
        (["microaggregate", "t.csv", *ROLES, "--columns", "income,score", "-o", "m.csv"],),
        (
            ["microaggregate", "t.csv", *ROLES, "--columns", "place", "-o", "m.csv"],
            ["microaggregate", "t.csv", *ROLES, "--columns", "income", "--by", "person", "-o", "m.csv"],
        ),
    ),
    "compare": Case(
        (["compare", "t.csv", "t.csv", "--on", "rec", *ROLES, "--json"],),
        (
            ["compare", "t.csv", "t.csv", "--on", "grade", *ROLES],
            ["compare", "t.csv", "bad.csv", "--on", "rec", *ROLES],
            ["compare", "t.csv", "t.csv", "--on", "rec", *ROLES, "--weights", "t.csv"],
        ),
    ),
    "report": Case(
        (
            ["report", "t.csv", "t.csv", "--on", "rec", *ROLES, "-o", "r.html"],
            ["report", "t.csv", "t.csv", "--on", "rec", *ROLES, "--public", "-o", "p.html"],
        ),
        (["report", "t.csv", "bad.csv", "--on", "rec", *ROLES, "-o", "r.html"],),
    ),
    "information-loss": Case(
        (["information-loss", "t.csv", "t.csv", "--on", "rec", *ROLES, "--json"],),
        (
            ["information-loss", "t.csv", "bad.csv", "--on", "rec", *ROLES],
            ["information-loss", "t.csv", "t.csv", "--on", "rec", *ROLES, "--scope", SECRET],
        ),
    ),
    "compare-statistics": Case(
        (["compare-statistics", "t.csv", "t.csv", "--on", "rec", *ROLES],),
        (["compare-statistics", "t.csv", "t.csv", "--on", "grade", *ROLES],),
    ),
    "regression-loss": Case(
        (["regression-loss", "t.csv", "t.csv", "--on", "rec", *ROLES, "--formula", "score ~ income"],),
        (["regression-loss", "t.csv", "t.csv", "--on", "rec", *ROLES, "--formula", SECRET],),
    ),
    "score": Case(
        (["score", "t.csv", "t.csv", "--on", "rec", "--keys", "income,score", "--json"],),
        (["score", "t.csv", "bad.csv", "--on", "rec", "--keys", "income,score"],),
    ),
    "attack": Case(
        (["attack", "t.csv", "t.csv", "--on", "rec", *ROLES, "--json"],),
        (
            ["attack", "t.csv", "bad.csv", "--on", "rec", *ROLES],
            ["attack", "t.csv", "t.csv", "--on", "grade", *ROLES],
            ["attack", "t.csv", "t.csv", "--on", "rec", *ROLES, "--seed", SECRET],
        ),
    ),
    "linkage": Case(
        (["linkage", "t.csv", "t.csv", "--on", "rec", *ROLES, "--json"],),
        (
            ["linkage", "t.csv", "bad.csv", "--on", "rec", *ROLES],
            ["linkage", "t.csv", "t.csv", "--on", "grade", *ROLES],
        ),
    ),
    "interval-disclosure": Case(
        (["interval-disclosure", "t.csv", "t.csv", "--on", "rec", *ROLES, "--json"],),
        (["interval-disclosure", "t.csv", "t.csv", "--on", "rec", *ROLES, "--columns", "grade"],),
    ),
    "propensity": Case(
        (["propensity", "t.csv", "t.csv", "--on", "rec", *ROLES, "--json"],),
        (["propensity", "t.csv", "t.csv", *ROLES, "--columns", "plce"],),
    ),
    "individual-risk": Case(
        (["individual-risk", "t.csv", *ROLES, "--weight", "income", "-o", "risks.csv"],),
        (["individual-risk", "t.csv", *ROLES, "--weight", "person"],),
    ),
    "population-range": Case(
        (["population-range", "t.csv", *ROLES, "--fraction", "0.1"],),
        (["population-range", "t.csv", *ROLES, "--fraction", SECRET],),
    ),
    "population-uniqueness": Case(
        (["population-uniqueness", "t.csv", *ROLES, "--fraction", "0.1", "--json"],),
        (["population-uniqueness", "t.csv", *ROLES, "--population", SECRET],),
    ),
    "model-risk": Case(
        (["model-risk", "t.csv", *ROLES, "--fraction", "0.1"],),
        (["model-risk", "t.csv", *ROLES, "--margins", "search", "--fraction", SECRET],),
    ),
    "record-risk": Case(
        (["record-risk", "t.csv", "--settings", "settings.toml", "-o", "risks.csv"],),
        (["record-risk", "t.csv", "--settings", "t.csv"],),
    ),
    "suda": Case(
        (["suda", "t.csv", *ROLES], ["suda", "t.csv", *ROLES, "--score", "alternative", "--json"]),
        (["suda", "t.csv", *ROLES, "--fraction", "2", "--max-size", SECRET],),
    ),
    "risky-combinations": Case(
        (
            ["risky-combinations", "t.csv", *ROLES],
            ["risky-combinations", "t.csv", *ROLES, "--size", "1", "--json"],
        ),
        (["risky-combinations", "t.csv", *ROLES, "--at-most", "0"],),
    ),
    "protect-records": Case(
        (["protect-records", "t.csv", "--identifiers", "person,rec", "--settings", "settings.toml",
          "--at-most", "90", "-o", "m.csv"],),
        (["protect-records", "t.csv", "--identifiers", "person,rec", "--settings", "settings.toml",
          "--at-most", "0", "-o", "m.csv"],),
    ),
    "ru-map": Case(
        (["ru-map", "t.csv", *ROLES, "--methods", "sampling", "--fractions", "0.5", "--seed", "1"],),
        (["ru-map", "t.csv", *ROLES, "--methods", "magic", "--k", "3"],),
    ),
    "schema": Case((["schema"],), reads=False),
    "init": Case(
        (["init", "t.csv", "-o", "first.toml"], ["init", "t.csv", "--json", "-o", "first.toml"]),
        (["init", "bad.csv", "-o", "first.toml"],),
    ),
    "run": Case(
        (
            ["run", "full.toml"],
            ["run", "plan.toml", "--json"],
            ["run", "plan.toml", "--dry-run"],
        ),
        (
            ["run", "wrong.toml"],
            ["run", "lost.toml"],
            ["run", "t.csv"],
            ["run", "plan.toml", "--ledger", "t.csv"],
        ),
        reads=False,
    ),
    "verify": Case(
        (
            ["verify", "m.csv", "--ledger", "m.ledger.json"],
            ["verify", "m.csv", "--initial", "t.csv", "--json"],
        ),
        (
            ["verify", "t.csv", "--ledger", "m.ledger.json"],
            ["verify", "bad.csv", "--ledger", "m.ledger.json", "--initial", "bad.csv", "--json"],
            ["verify", "m.csv", "--ledger", "t.csv"],
            ["verify", "m.csv", "--plan", "t.csv", "--initial", "t.csv"],
        ),
        reads=False,
    ),
    "demo": Case((["demo", "--n", "200"],), (["demo", "--n", "many"],), reads=False),
    "app": Case((), (["app", "--max-upload", "0"],), reads=False),  # its tests show it served
}  # fmt: skip

PLAN = f"""\
[source]
file = "t.csv"
missing_values = ["{SECRET} place 3"]
[roles]
identifiers = ["person"]
keys = ["place", "grade"]
confidential = ["illness", "score"]
record_id = "rec"
[types]
grade = {json.dumps(GRADES)}
[hierarchies]
place = {{ suppress = true }}
grade = {{ leaves = {{ {", ".join(f'{g} = ["{LABEL} x", "*"]' for g in GRADES)} }} }}
[criterion]
k = 5
p = 2
[[steps]]
do = "generalize"
max_suppressed = 30
[[steps]]
do = "microaggregate"
columns = ["income"]
[outputs]
masked = "m.csv"
public = "public.json"
unique_columns = {{ score = "of nobody" }}
"""
REPORTS = 'report = "r.html"\npublic_report = "p.html"\n'


def registered():
    """The names of all commands."""
    return {one.name or one.callback.__name__.replace("_", "-") for one in app.registered_commands}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [list(CELLS), *zip(*CELLS.values(), strict=True)]
        )
    text = (tmp_path / "t.csv").read_text(encoding="utf-8")
    (tmp_path / "bad.csv").write_text(text + f'{SECRET},"{LABEL}\n{NUMBER}\n')
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "full.toml").write_text(PLAN + REPORTS)
    (tmp_path / "lost.toml").write_text(PLAN.replace('"place"', '"plase"'))
    (tmp_path / "wrong.toml").write_text(
        PLAN.replace(
            "max_suppressed = 30", f'max_suppressed = "{SECRET}"\nsearch = {NUMBER}'
        ).replace('grade = ["', f'score = {{ a = "{SECRET}" }}\ngrade = ["{GRADES[0]}", "')
    )
    (tmp_path / "settings.toml").write_text(
        "default = 0.5\n[known]\nplace = 0.3\ngrade = 0.5\n[sensitivity]\nillness = 1.0\n"
        f'[value_sensitivity.illness]\n"{LABEL}-0" = 0.2\n'
    )
    for name, leaves in (("h", 17), ("short", 9)):  # the second lacks leaves that are there
        (tmp_path / name).mkdir()
        places = "".join(f"{SECRET} place {i};{LABEL} {i % 2};*\n" for i in range(leaves))
        (tmp_path / name / "place.csv").write_text(places)
        (tmp_path / name / "grade.csv").write_text("".join(f"{g};*\n" for g in GRADES))
    return tmp_path


@pytest.fixture
def call(folder, monkeypatch, capfd):
    """Run a command; what it prints, and writes beside the masked data, bears no mark."""

    def run(arguments):
        monkeypatch.setattr(sys, "argv", ["discreet", *arguments])
        with contextlib.suppress(SystemExit):
            cli.main()
        gc.collect()
        shown = "".join(capfd.readouterr())
        assert shown
        assert "Traceback" not in shown
        assert_no_mark(shown, f"what {arguments[0]} prints")
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).parts[0]
            if file.is_file() and name not in GIVEN:
                assert_clean(file)

    return run


def assert_clean(file):
    text = file.read_bytes().decode("utf-8", "replace")
    if file.name in MASKED:
        assert not re.search(f"{SECRET}-\\d", text), (
            "an identifier or record id is in the masked data"
        )
    elif file.name in INTERNAL:
        assert SECRET not in text, "the internal report names a rare value"
    else:
        assert_no_mark(text, file.name)


def assert_no_mark(text, where):
    assert not [mark for mark in MARKS if mark in text], f"{where} shows a cell"


def misread(case):
    """The first good call, but the data are described wrongly, or are damaged.

    All commands read the same way: one of them is tried with everything that can be said wrong.
    """
    if not case.reads:
        return
    verb, _, *rest = case.good[0]
    rest = [word for word in rest if word not in ROLES]
    hidden = ["--identifiers", "person,rec"]
    for options in BAD if verb == "risk" else BAD[:2]:
        yield [verb, "t.csv", *rest, *hidden, *options]
    yield [verb, "bad.csv", *rest, *hidden, "--keys", "place"]


def test_every_command_has_a_case():
    assert set(CASES) == registered()


@pytest.mark.parametrize("name", CASES)
def test_no_cell_leaves_a_command_but_in_the_masked_data(name, folder, call):
    case = CASES[name]
    if name == "verify":
        call(["run", "plan.toml"])
        assert (folder / "m.csv").exists()
    for arguments in case.good:
        call([*arguments, *(["--force"] if "-o" in arguments or name == "run" else [])])
    written = [file for file in MASKED if (folder / file).exists()]
    assert bool(written) == (name in WRITING)  # the good calls did their work
    for arguments in (*case.bad, *misread(case)):
        call([*arguments, *(["--force"] if "-o" in arguments else [])])
