"""Where a user of the command line got stuck: errors that say nothing, terminals of another age."""

import io
import json
import re
import sys

import pytest

import discreet as ds

KEYS = ("--keys", "age,zip,sex")
WORD = "SECRET"


def broken(error):
    def run(*_, **__):
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (MemoryError(), "E03", "not enough memory"),
        (OSError(28, "No space left", "/somewhere/x"), "O08", "the disk is full"),
        (PermissionError(13, "Permission denied", "/somewhere/x.csv"), "E06", "x.csv"),
        (FileNotFoundError(2, "No usable temporary directory found in []"), "E06", "TMPDIR"),
        (ModuleNotFoundError("No module", name="numba"), "M04", "library numba"),
        (UnicodeEncodeError("ascii", WORD, 0, 1, "ordinal"), "E05", "encoding ascii"),
    ],
)
def test_a_problem_of_the_machine_is_told_plainly(run, monkeypatch, error, code, said):
    monkeypatch.setattr(ds, "check", broken(error))
    exit_code, _, err = run("check", "p.csv", *KEYS)
    assert (exit_code, f"[{code}]" in err, said in err) == (2, True, True), err
    assert "withheld" not in err
    assert "/somewhere" not in err


def test_what_is_withheld_names_the_switch_that_shows_it(run, monkeypatch):
    monkeypatch.setattr(ds, "check", broken(RuntimeError(WORD)))
    assert "discreet --debug" in run("check", "p.csv", *KEYS)[2]


def test_the_debug_switch_shows_the_traceback_and_warns(folder, monkeypatch, capsys):
    from discreet import cli

    monkeypatch.setenv("DISCREET_DEBUG", "")  # taken back afterwards
    monkeypatch.setattr(ds, "check", broken(RuntimeError(WORD)))
    monkeypatch.setattr(sys, "argv", ["discreet", "--debug", "check", "p.csv", *KEYS])
    with pytest.raises(SystemExit):
        cli.main()
    err = capsys.readouterr().err
    assert err.startswith("Debug: what follows may show values of the data.")
    assert WORD in err
    assert "Traceback" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "p.csv", "--keys", "agee"),
        ("check", "none.csv", *KEYS),
        ("check", "p.csv", *KEYS, "--k", "several"),
        ("check", "p.csv", *KEYS, "--unheard-of"),
        ("nonsense", "p.csv"),
        ("risk",),
    ],
)
def test_errors_are_json_where_json_was_asked_for(run, arguments):
    code, out, err = run(*arguments, "--json")
    found = json.loads(out)
    assert (code, err) == (2, "")
    assert found["exit_code"] == 2
    assert all(p["code"] and p["message"] for p in found["problems"])


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_of_another_age_is_written_to(folder, monkeypatch, encoding):
    from discreet import cli

    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "argv", ["discreet", "risk", "p.csv", *KEYS])
    with pytest.raises(SystemExit) as done:
        cli.main()
    stream.flush()
    assert not done.value.code
    assert "##" in stream.buffer.getvalue().decode(encoding)


def test_bars_and_dashes_have_plain_forms(monkeypatch):
    from discreet import cli

    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    cli._fall_back()
    stream.write("██ 0 – 3 … ≤ é word…\n")
    stream.flush()
    assert stream.buffer.getvalue() == b"## 0 - 3 ... <= ? word~\n"


@pytest.mark.parametrize("name", ["check", "ru-map", "add-noise", ""])
def test_the_help_fits_80_columns_in_plain_characters_too(monkeypatch, name):
    from discreet import cli

    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "argv", ["discreet", *name.split(), "--help"])
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        cli.main()
    stream.flush()
    lines = stream.buffer.getvalue().decode("ascii").splitlines()
    assert max(map(len, lines)) == 80


@pytest.mark.filterwarnings("always")
def test_hints_of_reading_are_in_the_words_of_a_terminal(run, folder):
    (folder / "d.csv").write_text("a;b\n1,5;1\n2,5;2\n")
    code, _, err = run("risk", "d.csv", "--keys", "a")
    assert (code, "Read it with --decimal ','." in err) == (0, True)
    assert "Note: 'a'" not in run("risk", "d.csv", "--keys", "a", "--decimal", ",")[2]


def test_a_warning_is_a_note(capsys, monkeypatch):
    from discreet import cli
    from discreet.errors import Problem, ReadHint, argument

    monkeypatch.setattr(sys, "argv", ["discreet", "risk", "d.csv"])
    cli._noted(ReadHint(Problem("D13", "it is text.", f"Use {argument('decimal', ',')}.")))
    assert capsys.readouterr().err == "Note: it is text. Use --decimal ','.\n"


def test_codes_that_mean_missing_are_said_per_column(run, folder):
    (folder / "d.csv").write_text("a,b,c\n-9,-9,?\n1,2,x\n")
    _, out, _ = run("risk", "d.csv", "--keys", "a", "--missing-in", "b=-9,-8", "--json")
    data = ds.read("d.csv", missing_values={"b": ["-9"]})
    assert json.loads(out)
    assert data.profile["a"][1] == 0
    both = run("check", "d.csv", "--keys", "a,b", "--missing", "refuse", "--missing-values", "?",
               "--missing-in", "b=-9", "--k", "1")  # fmt: skip
    assert both[0] == 2
    assert "'b' has 1 missing" in both[2]
    assert "'a' has" not in both[2]


# -- what protect wrote ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ("sample", "--fraction", "0.5", "--seed", "1"),
        ("microaggregate", "--columns", "age", "--k", "3"),  # the size of a group, no criterion
    ],
)
def test_a_masking_command_writes_the_report_of_what_it_wrote(run, folder, command):
    name, *options = command
    code, out, err = run(name, "p.csv", *KEYS, *options, "-o", "s.csv", "--report", "r.html")
    assert code == 0, err
    assert "The report is r.html" in out
    assert "<html" in (folder / "r.html").read_text(encoding="utf-8")
    taken = run("sample", "p.csv", *KEYS, "--fraction", "0.5", "--seed", "1", "-o", "s2.csv",
                "--report", "r.html")  # fmt: skip
    assert taken[0] == 2
    assert "r.html exists" in taken[2]  # it is no input
    assert not (folder / "s2.csv").exists()
    again = run(name, "p.csv", *KEYS, *options, "-o", "s.csv", "--report", "r.html", "--force")
    assert again[0] == 0, again[2]


def test_values_that_a_hierarchy_lacks_can_be_suppressed_from_the_terminal(run, folder):
    ages = "".join(f"{a};{a // 10 * 10}+;*\n" for a in range(40))
    (folder / "h" / "age.csv").write_text(ages)
    asked = ("protect", "p.csv", "--keys", "age", "--hierarchies", "h", "-o", "m.csv", "--k", "2")
    code, _, err = run(*asked)
    assert (code, "D20" in err, "--unmapped suppress" in err) == (2, True, True)
    assert "records)" in err
    assert run(*asked, "--unmapped", "suppress")[0] == 0


@pytest.mark.parametrize("command", ["risk", "suda"])
def test_what_comes_next_is_said_in_commands(run, command):
    code, out, _ = run(command, "p.csv", *KEYS, "--confidential", "illness")
    assert code == 0
    assert "Next: " in out
    assert not re.search(r"\bds\.", out)


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        (("protect", "p.csv", "--keys", "agee", "--k", "x", "--search", "y", "--hierarchies", "none",
          "-o", "m.txt", "--report", "m.pdf"), ["O01", "O01", "R01", "S01", "P07", "P16"]),
        (("check", "p.csv", *KEYS, "--k", "x", "--p", "0", "--closeness", "y", "--diversity", "z"),
         ["P07", "P07", "P18", "P18"]),
        (("risk", "p.csv", "--type", "age", "--missing-in", "x", "--decimal", ";", "--encoding", "x"),
         ["P03", "P04", "P05", "P26"]),
        (("ru-map", "nowhere.csv", *KEYS, "--k", "x", "--keep", "2", "--amount", "y"),
         ["S01", "P07", "P10", "P10"]),
    ],
)  # fmt: skip
def test_all_that_is_wrong_with_a_command_is_told_at_once(run, arguments, codes):
    code, out, _ = run(*arguments, "--json")
    found = [problem["code"] for problem in json.loads(out)["problems"]]
    assert (code, sorted(found)) == (2, sorted(codes)), out
