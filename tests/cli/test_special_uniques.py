"""Commands of special uniques and risky combinations, made from their descriptions."""

import json

from tests.cli.conftest import WORD

KEYS = ["--keys", "age,zip,sex"]


def test_special_uniques_are_shown_in_words_and_as_json(run, folder):
    code, out, _ = run("suda", "p.csv", *KEYS, "--fraction", "0.05")
    assert code == 0
    assert "special uniques" in out
    asked = ("--max-size", "2", "--score", "alternative", "--json")
    found = json.loads(run("suda", "p.csv", *KEYS, *asked)[1])
    assert (found["n"], found["score"], found["max_size"]) == (300, "alternative", 2)
    assert WORD not in json.dumps(json.loads(run("suda", "p.csv", "--keys", "note", "--json")[1]))


def test_risky_combinations_are_counted(run, folder):
    asked = ("--at-most", "1", "--size", "2", "--json")
    code, out, _ = run("risky-combinations", "p.csv", *KEYS, *asked)
    found = json.loads(out)
    assert code == 0
    assert (found["n"], found["at_most"], len(found["sets"])) == (300, 1, 6)


def test_what_cannot_be_read_is_refused_by_the_names_of_the_options(run, folder):
    code, _, err = run("suda", "p.csv", *KEYS, "--fraction", "2", "--max-size", "none")
    assert code == 2
    assert "--fraction" in err
    assert "--max-size" in err
