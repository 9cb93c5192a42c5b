"""The commands that help to choose, keys and maskings, run in this process."""

import json

import pytest

COLUMNS = ["--columns", "age,zip,sex,illness"]
MAP = ["ru-map", "p.csv", "--keys", "age,zip,sex", "--k", "3,10"]


def test_candidates_lists_sets_and_says_what_to_do(run):
    code, out, _ = run("candidates", "p.csv", *COLUMNS, "--up-to", "2")
    assert code == 0
    assert "10 sets of up to 2 attributes were counted in 300 records." in out
    assert "By size, the most separating first:" in out


def test_candidates_names_the_smallest_sets_that_reach_a_ratio(run):
    code, out, _ = run("candidates", "p.csv", *COLUMNS, "--unique", "0.9", "--json")
    plain = json.loads(out)
    assert code == 0
    assert plain["number_of_sets"] == 14
    assert ["age", "zip"] in [c["attributes"] for c in plain["minimal"]]
    assert (
        "Smallest sets that reach it: none."
        in run("candidates", "p.csv", "--columns", "sex", "--unique", "0.9")[1]
    )


def test_candidates_refuses_too_many_sets(run):
    code, _, err = run("candidates", "p.csv", "--limit", "5")
    assert (code, "[P50]" in err) == (2, True)


def test_ru_map_compares_maskings_and_draws_them(run, folder):
    code, out, _ = run(
        *MAP, "--methods", "mdav,generalization,sampling", "--hierarchies", "h", "--seed", "1",
        "--max-suppressed", "0.02,10%", "-o", "map.svg",
    )  # fmt: skip
    assert code == 0
    assert "generalization k=10 (≤10% out)" in out
    assert (folder / "map.svg").read_text(encoding="utf-8").startswith("<svg")


def test_ru_map_names_the_best_masking_under_a_limit(run):
    code, out, _ = run(*MAP, "--risk-at-most", "0.15")
    assert (code, "Least loss with a risk of at most 0.15: mdav k=10" in out) == (0, True)
    code, out, _ = run(*MAP, "--risk-at-most", "0.15", "--score", "--json")
    plain = json.loads(out)
    assert plain["best"]["label"] == "mdav k=10"
    assert "score" not in plain["points"][0]  # zip and sex were changed too
    numbers = ["ru-map", "p.csv", "--keys", "age,income", "--k", "3"]
    plain = json.loads(run(*numbers, "--score", "--json")[1])
    assert plain["points"][0]["score"]["score"] > 0


def test_ru_map_reads_an_option_as_the_methods_that_are_asked_for(run):
    noise = [
        "ru-map",
        "p.csv",
        "--keys",
        "age",
        "--methods",
        "add_noise",
        "--columns",
        "age",
        "--seed",
        "1",
    ]
    found = json.loads(run(*noise, "--kind", "independent", "--loss", "il1", "--json")[1])
    assert {point["method"] for point in found["points"]} == {"independent"}
    code, _, err = run(*noise, "--kind", "nearest", "--loss", "il1")
    assert (code, "Use one of correlated, independent" in err) == (2, True)
    blanks = ["ru-map", "p.csv", "--keys", "sex,zip", "--methods", "suppress_cells"]
    assert run(*blanks, "--k", "2", "--search", "quick")[0] == 0
    assert "add_noise: The kind" in run("ru-map", "--help")[1]


def test_ru_map_refuses_a_loss_that_applies_to_no_masking(run):
    code, _, err = run(*MAP, "--loss", "il")
    assert code == 2
    assert "[N50]: il applies to none of the maskings. The first: il does not apply" in err


def test_ru_map_exits_with_1_when_no_masking_keeps_the_limit(run):
    code, out, err = run(*MAP, "--risk-at-most", "0.01", "--json")
    assert code == 1
    assert json.loads(out)["best"] is None
    assert "[D50]: no masking has a risk of at most 0.01: the lowest risk is 0.1" in err


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--methods", "mdva"], "P52"),
        (["--methods", "generalization"], "P52"),
        (["--methods", "sampling"], "P15"),
        (["--k", "3,some"], "P07"),
        (["--methods", "sampling", "--fractions", "half", "--seed", "1"], "P10"),
        (["--risk", "much"], "P16"),
        (["--loss", "much"], "P16"),
        (["--risk-at-most", "-1"], "P10"),
        (["-o", "map.png"], "O01"),
    ],
)
def test_ru_map_exits_with_2_on_a_mistake(run, options, code):
    ended, _, err = run(*MAP, *options)
    assert (ended, f"[{code}]" in err) == (2, True)
