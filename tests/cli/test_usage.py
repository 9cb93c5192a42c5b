"""What is wrong with the words of a command is told at once, whatever the command is."""

import inspect
import json
import os
import re
import subprocess
import sys

import pytest
import typer

from discreet.cli.commands import app
from discreet.cli.lazy import built
from discreet.parameters import parameter_of

PROGRAM = typer.main.get_command(app)
NUMBERS = ("whole", "number")


def command(name):
    return built(name) or PROGRAM.commands[name]


def numbers(one):
    """The options that take a number, by what a command says of them."""
    types = inspect.signature(one.callback, eval_str=True).parameters
    options = [p for p in one.params if p.param_type_name == "option" and not p.is_flag]
    kinds = {
        p.name: parameter_of(p.name, types[p.name].annotation, p.default).kind for p in options
    }
    return [p.opts[0] for p in options if kinds[p.name] in NUMBERS or p.metavar == "NUMBER"]


def told(run, *words):
    """The problems that a command tells, as one text for each."""
    code, out, err = run(*words, "--json")
    assert (code, err) == (2, "")
    return [problem["message"] for problem in json.loads(out)["problems"]]


def test_the_help_of_a_map_shows_no_default_for_p_which_is_asked_for_only_where_it_is_given():
    shown = {p.name: p.show_default for p in command("ru-map").params}
    assert not shown["p"]
    assert shown["k"]


@pytest.mark.parametrize("name", ["check", "protect", "recode", "suppress-cells", "advise"])
def test_the_help_says_that_k_is_asked_for_beside_other_criteria(name):
    (said,) = (p.help for p in command(name).params if p.name == "k")
    assert "beside other criteria" in said


@pytest.mark.parametrize("name", sorted(PROGRAM.commands))
def test_no_help_holds_brackets_that_are_taken_for_markup(name):
    """The terminal would leave them out: "TOML file with [measures.NAME]" lost its middle."""
    one = command(name)
    said = [one.help or "", *(getattr(p, "help", None) or "" for p in one.params)]
    assert [text for text in said if re.search(r"\[[a-z#/@]", text)] == []


@pytest.mark.parametrize("name", sorted(PROGRAM.commands))
def test_every_command_tells_all_that_is_wrong_with_its_words_at_once(run, name):
    """Unknown options, numbers that are none, a file that is not there, and what is missing."""
    one = command(name)
    wrong = [word for flag in numbers(one) for word in (flag, "x")]
    places = [p for p in one.params if p.param_type_name == "argument"]
    needed = [p.opts[0] for p in one.params if p.required and p not in places]
    has_json = any("--json" in p.opts for p in one.params)
    found = told(run, name, *["none.csv"] * len(places), "--unheard-of", "--josn", *wrong)
    assert any(said.startswith("'--unheard-of' is not an option. ") for said in found)
    assert any(said.startswith("'--josn' is not an option. ") for said in found)
    assert any("Did you mean '--json'" in said for said in found) == has_json
    for flag in (*wrong[::2], *needed):
        assert any(said.startswith(f"{flag} ") for said in found), (flag, found)
    reads = any(p.required for p in places)
    assert any("none.csv does not exist" in said for said in found) == reads, found
    assert len(found) == len(set(found)), "told twice"
    assert "x" not in {word for said in found for word in said.split()}, "what was given is quoted"


def test_there_are_commands_with_numbers_of_every_kind():
    """The test above would pass where it finds none."""
    found = {name: numbers(command(name)) for name in ("candidates", "compare", "record-risk")}
    assert found == {
        "candidates": ["--up-to", "--unique", "--separation", "--distinct", "--limit"],
        "compare": ["--at-most"],
        "record-risk": ["--above", "--at-most"],
    }
    assert "--k" in numbers(command("check"))
    assert "--seed" in numbers(command("demo"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("candidates", "p.csv", "--up-to", "0", "--unique", "2", "--distinct", "-1", "--limit", "0",
          "--columns", "agee"),
         ["--up-to must be", "--unique must be", "--distinct must be", "--limit must be",
          "attribute 'agee' is not a column"]),
        (("compare", "p.csv", "p.csv", "--keys", "age", "--on", "recc", "--at-most", "7",
          "--weights", "none.csv"),
         ["--at-most must be", "'recc'", "'recc'", "none.csv is not a file"]),
        (("record-risk", "p.csv", "--above", "-1", "--at-most", "x", "--settings", "none.toml"),
         ["--above must be", "--at-most must be", "none.toml"]),
        (("risk", "p.csv", "--keys", "agee", "--fail-above", "mean_risk=x,nothing=1"),
         ["key attribute 'agee'", "the limit of mean_risk", "'nothing' is not a figure"]),
        (("report", "p.csv", "none.csv", "--keys", "age", "--on", "rec", "-o", "r.html", "--k", "x",
          "--unique-column", "age", "--measures", "none.toml"),
         ["none.csv does not exist", "--k must be", "--unique-column is not", "none.toml"]),
        (("compare-releases", "p.csv", "none.csv", "--on", "rec", "--keys", "age", "--k", "x"),
         ["none.csv does not exist", "--k must be"]),
        (("run", "none.toml", "--ledger", "none.json", "--unique-column", "x"),
         ["none.toml does not exist", "none.json does not exist", "--unique-column is not"]),
        (("verify", "none.csv", "--plan", "none.toml", "--bogus"),
         ["none.csv does not exist", "none.ledger.json does not exist", "none.toml does not exist",
          "'--bogus' is not an option"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_files_numbers_and_columns_is_told_together(run, words, said):
    found = told(run, *words)
    for part in said:
        assert any(part in one for one in found), (part, found)
    assert len(found) == len(said), found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--unheard-of", "p.csv"), ["'--unheard-of' is not an option"]),  # the file is the file
        (("p.csv", "--ke", "5"), ["'--ke' is not an option"]),  # the word behind it is its value
        (("--keyz", "age", "p.csv"), ["'--keyz' is not an option. Did you mean '--keys'?"]),
        (("--unheard-of", "p.csv", "--keyz", "age"), ["'--unheard-of'", "'--keyz'"]),
        (("p.csv", "--keys", "age,", "zip"), ["one word too many", "key attribute ''"]),
        (("p.csv", "more.csv", "others.csv"), ["2 words too many"]),
        (("p.csv", "--keys"), ["--keys has no value"]),
        (("p.csv", "--header=yes"), ["--header takes no value"]),
        ((), ["FILE is missing. Give it: a file"]),
    ],
)
def test_a_word_behind_an_unknown_option_may_be_its_value_or_an_argument(run, words, said):
    code, out, err = run("risk", *words)
    assert (code, out) == (2, "")
    for part in said:
        assert part in err, err
    assert err.count("[") == len(said), err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rik", "p.csv"), ["'rik' is not a command. Did you mean 'risk'?"]),
        (("--thread", "4", "rik"), ["'--thread' is not an option. Did you mean '--threads'?", "'rik'"]),
        (("--threads", "0", "--memory-limit", "x", "risk", "none.csv", "--key", "age"),
         ["--threads must be", "--memory-limit is not a size", "none.csv", "'--key'"]),
        (("--bogus",), ["'--bogus' is not an option"]),
        (("--version", "--bogus"), ["'--bogus' is not an option"]),
        (("--threads", "2"), ["no command is named"]),
    ],
)  # fmt: skip
def test_the_words_before_the_name_of_a_command_are_told_with_the_others(run, words, said):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    for part in said:
        assert part in err, err
    assert err.count("[") == len(said), err


@pytest.mark.parametrize("words", [("risk", "--bogus", "--help"), ("--bogus", "--help")])
def test_help_is_given_whatever_else_is_wrong(run, words):
    code, out, _ = run(*words)
    assert (code, "Usage: " in out) == (0, True)


@pytest.mark.parametrize(
    ("words", "offered"), [("discreet risk --ke", "--keys"), ("discreet nonsense --ke", "")]
)
def test_a_shell_completes_the_options_of_a_command(words, offered):
    asked = {"_DISCREET_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "2"}
    code = "import sys; sys.argv[0] = 'discreet'; from discreet.cli import command; command()"
    start = [sys.executable, "-c", code]
    done = subprocess.run(
        start, env={**os.environ, **asked}, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, offered, "")


def test_an_option_is_named_though_an_option_of_the_program_has_a_value(run):
    code, _, err = run("--threads", "2", "check", "p.csv", "--keys", "age", "--k", "x")
    assert (code, "--k must be" in err) == (2, True), err


def test_a_share_may_be_written_in_percent(run):
    asked = ("candidates", "p.csv", "--columns", "age,zip", "--json", "--unique")
    assert run(*asked, "50%") == run(*asked, "0.5")


def test_what_fails_in_the_middle_of_the_work_is_told_with_what_else_is_wrong(run, monkeypatch):
    import discreet as ds
    from discreet.errors import fail

    def broken(*_, **__):
        fail("D03", "a value is missing.", "")

    monkeypatch.setattr(ds, "check", broken)
    assert told(run, "check", "p.csv", "--keys", "age") == ["a value is missing."]
