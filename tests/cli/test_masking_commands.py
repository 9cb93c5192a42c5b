"""The commands that mask, run in this process: what they write, print, and exit with."""

import json

import pandas as pd
import pytest

import discreet as ds
from discreet.errors import UNMET
from tests.cli.conftest import WORD

KEYS = ["--keys", "age,zip,sex"]


PROTECT = ["protect", "p.csv", *KEYS, "--hierarchies", "h", "--k", "5"]


def test_what_protect_writes_passes_the_check_that_gates_the_release(run, folder):
    assert run("check", "p.csv", *KEYS, "--k", "5")[0] == 1
    code, out, _ = run(*PROTECT, "--identifiers", "name,ssn", "-o", "m.csv", "--json")
    assert (code, json.loads(out)["written"]) == (0, "m.csv")
    assert run("check", "m.csv", *KEYS, "--k", "5")[0] == 0
    written = pd.read_csv(folder / "m.csv")
    assert len(written) == json.loads(out)["records"]
    assert not {"name", "ssn"} & set(written.columns)


def test_the_order_of_the_rows_and_a_second_run_do_not_change_what_is_found(run, folder):
    first = run(*PROTECT, "-o", "m.csv", "--json")[1]
    pd.read_csv(folder / "p.csv", dtype=str).iloc[::-1].to_csv(folder / "r.csv", index=False)
    again = run(*[w.replace("p.csv", "r.csv") for w in PROTECT], "-o", "n.csv", "--json")[1]
    assert json.loads(again)["best"] == json.loads(first)["best"]


def test_a_written_sample_is_compared_with_its_file_to_the_same_risk(run):
    drawn = run(
        "sample", "p.csv", *KEYS, "--fraction", "0.2", "--seed", "7", "-o", "s.csv", "--json"
    )
    measured = run("compare", "p.csv", "s.csv", "--on", "rec", *KEYS, "--json")
    found = json.loads(drawn[1])["disclosure_risk"]
    assert (drawn[0], measured[0]) == (0, 0)
    assert json.loads(measured[1])["maximal"] == found["maximal"]
    limited = ["compare", "p.csv", "s.csv", "--on", "rec", *KEYS, "--at-most"]
    assert [run(*limited, limit)[0] for limit in ("0", "1")] == [1, 0]


def test_lattice_lists_the_minimal_nodes_and_draws_them(run, folder):
    code, out, _ = run("lattice", *PROTECT[1:], "-o", "l.svg")
    assert code == 0
    assert "   1  Node(age" in out
    assert (folder / "l.svg").read_text(encoding="utf-8").startswith("<svg")


def test_of_two_files_that_fit_the_one_named_exactly_for_the_key_is_taken(run, folder):
    (folder / "h" / "old_age.csv").write_text("1;*\n")
    assert run(*PROTECT, "-o", "m.csv")[0] == 0


SAMPLE = ["sample", "p.csv", *KEYS, "--n", "9", "--seed", "1"]
MISTAKES = {
    "the output exists": ([*PROTECT, "-o", "old.csv"], "O03"),
    "the output is the input": ([*PROTECT, "-o", "p.csv", "--force"], "O03"),
    "the sample is the input": ([*SAMPLE, "-o", "./p.csv", "--force"], "O03"),
    "no such folder": ([*PROTECT, "-o", "no/m.csv"], "O02"),
    "no data file": ([*PROTECT, "-o", "m.txt"], "O01"),
    "a drawing over data": (["lattice", *PROTECT[1:], "-o", "old.csv", "--force"], "O01"),
    "a place that cannot be written to": ([*SAMPLE, "-o", "/proc/m.csv"], ""),
    "no hierarchy, too much to suppress": (["protect", "p.csv", *KEYS, "-o", "m.csv"], "D31"),
    "everything suppressed": (
        ["protect", "p.csv", *KEYS, "--max-suppressed", "100%", "-o", "m.csv"],
        "D32",
    ),
    "no folder of hierarchies": (
        ["protect", "p.csv", *KEYS, "--hierarchies", "x", "-o", "m.csv"],
        "S01",
    ),
    "no number": ([*PROTECT, "--max-suppressed", "some", "-o", "m.csv"], "P14"),
    "too large a share": ([*PROTECT, "--max-suppressed", "200%", "-o", "m.csv"], "P14"),
    "an unknown search": ([*PROTECT, "--search", "best", "-o", "m.csv"], "P16"),
    "p without a confidential attribute": ([*PROTECT, "--p", "2", "-o", "m.csv"], "R06"),
    "values that no hierarchy has": (
        ["protect", "p.csv", "--keys", "note", "--hierarchies", "bad", "-o", "m.csv"],
        "D20",
    ),
    "a name over two lines": (["check", "p.csv", "--keys", "age\nzip"], "P04"),
    "both sizes": ([*SAMPLE, "--fraction", "0.1", "-o", "m.csv"], "P14"),
    "small strata": ([*SAMPLE, "--by", "note", "-o", "m.csv"], "D07"),
    "a masked file with other records": (["compare", "old.csv", "p.csv", "--on", "rec"], "R05"),
    "a limit above 1": (
        ["compare", "p.csv", "p.csv", "--on", "rec", *KEYS, "--at-most", "7"],
        "P10",
    ),
    "an id that repeats": (["compare", "p.csv", "p.csv", "--on", "sex", *KEYS], "D09"),
}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["pram", "--columns", "zip", "--seed", "1", "--within", "{zip={}}"], "P33", "no builder"),
        (["pram", "--columns", "zip", "--seed", "1", "--within", "{zip={prefixs=[5]}}"], "P33", ""),
        (["pram", "--columns", "zip"], "P15", "--seed is missing"),
        (["top-code", "--top", "salary=.9,salary=.5"], "P16", "names 'salary' twice"),
        (["suppress-cells", "--cost", "age=1,age=2"], "P16", "names 'age' twice"),
    ],
)
def test_a_mapping_is_refused_where_it_says_too_little_or_too_much(run, words, code, said):
    exit_code, _, err = run(words[0], "p.csv", *KEYS, *words[1:], "-o", "m.csv")
    assert (exit_code, f"[{code}]" in err, said in err) == (2, True, True), err


def test_a_check_of_the_disclosure_risk_leads_to_the_command_that_has_both_files(run):
    assert "discreet compare initial masked" in run(
        "check", "p.csv", *KEYS, "--disclosure-risk", "0.05"
    )[2]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("suppress-cells", "--k", "700", "-o", "m.csv"), "D45"),
        (("recode", "--k", "700", "-o", "m.csv"), "D31"),
        (("recommend", "--k", "700"), "D51"),
    ],
)
def test_what_nothing_can_meet_ends_with_1_on_every_command_also_as_json(run, words, code):
    command, *more = words
    exit_code, out, err = run(command, "p.csv", "--keys", "sex", *more)
    assert (exit_code, out, f"[{code}]" in err) == (1, "", True)
    exit_code, out, err = run(command, "p.csv", "--keys", "sex", *more, "--json")
    found = json.loads(out)
    assert (exit_code, found["exit_code"], found["problems"][0]["code"], err) == (1, 1, code, "")


@pytest.mark.parametrize(("arguments", "code"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_said_with_its_code_and_leaves_every_file_as_it_was(
    run, folder, arguments, code
):
    (folder / "old.csv").write_text("rec\n1\n")
    (folder / "bad").mkdir()
    (folder / "bad" / "note.csv").write_text("x;*\n")
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    exit_code, out, err = run(*arguments)
    assert (exit_code, out) == (1 if code in UNMET else 2, "")
    assert f"[{code}" in err
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before


def test_a_failure_that_nobody_foresaw_exits_with_2_and_withholds_its_message(run, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError(WORD)

    monkeypatch.setattr(ds, "check", broken)
    code, _, err = run("check", "p.csv", *KEYS)
    assert code == 2
    assert "E02" in err


def test_a_share_above_one_is_refused_and_never_taken_for_a_percentage(run, folder):
    code, _, err = run(
        "sample", "p.csv", "--keys", "age", "--fraction", "2", "--seed", "1", "-o", "s.csv"
    )
    assert code == 2
    assert "--fraction" in err
    assert not (folder / "s.csv").exists()
    assert (
        run("sample", "p.csv", "--keys", "age", "--fraction", "50%", "--seed", "1", "-o", "s.csv")[
            0
        ]
        == 0
    )


def test_recode_says_what_was_lost_and_writes_what_passes_the_check(run, folder):
    recode = ["recode", *PROTECT[1:], "--search", "quick"]
    assert run(*recode, "-o", "m.csv")[0] == 2  # "20+" is a group of ten ages and one of twenty
    ages = [f"{age};{age // 10 * 10}s;*" for age in range(120)]
    (folder / "h" / "age.csv").write_text("\n".join(ages))
    code, out, err = run(*recode, "-o", "m.csv", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (code, found["written"]) == (0, "m.csv")
    assert 0 <= found["bound"] <= found["loss"]
    assert run("check", "m.csv", *KEYS, "--k", "5")[0] == 0
    assert "Coarser cells per key: " in run(*recode, "-o", "n.csv")[1]


@pytest.mark.parametrize(
    "words",
    [
        ["add-noise", "--columns", "income", "--seed", "1"],
        ["shuffle", "--columns", "income", "--seed", "1"],
        ["microaggregate", "--columns", "age,income", "--method", "individual", "--k", "3"],
        ["rank-swap", "--columns", "income", "--seed", "1"],
        ["top-code", "--top", "income=0.9"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_says_alike_what_it_wrote_and_what_is_unchanged(run, folder, words):
    code, out, _ = run(
        words[0], "p.csv", *KEYS, "--identifiers", "name,ssn", *words[1:], "-o", "m.csv", "--json"
    )
    told = json.loads(out)
    assert code == 0
    assert told["columns"] == list(pd.read_csv(folder / "m.csv").columns)
    assert told["unchanged"]["released"] == len(told["columns"])
    assert "income" in told.get("outcome", {}).get("columns", ["income"])
    if words[0] == "add-noise":
        assert told["outcome"]["unchanged"] == {"income": 0}
        assert told["spreads"] == told["outcome"]["spreads"]


def test_a_file_is_masked_also_where_a_gap_matches_every_value(run, folder):
    words = ["add-noise", "p.csv", *KEYS, "--missing", "wildcard", "--columns", "income"]
    code, out, _ = run(*words, "--seed", "1", "-o", "m.csv", "--json")
    assert code == 0
    assert (folder / "m.csv").exists()
    assert json.loads(out)["information_loss"]["il1"] > 0
