"""Errors: one shape, all problems at once, and every code explained in the docs."""

import ast
import pickle
import re
from pathlib import Path

import pytest

from discreet.errors import _FAMILY, DiscreetError, Problem, did_you_mean, fail, listed, raise_all

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "discreet").rglob("*.py"))
CODE = re.compile(r"[A-Z]\d\d")
ROW = re.compile(r"^\| (?P<code>\S+) \| (?P<meaning>.+) \| (?P<remedy>.+) \|$", re.MULTILINE)


def problems_in(path):
    """Every call that names a code: the code, and what it says is wrong where that is written."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        said = node.args if getattr(node.func, "id", "") in ("fail", "Problem") else []
        said = node.args[1:] if getattr(node.func, "attr", "") == "problem" else said  # of a plan
        if said and isinstance(said[0], ast.Constant) and CODE.fullmatch(str(said[0].value)):
            yield said[0].value, said[1]


@pytest.fixture(scope="module")
def problems():
    """Every problem that the package can tell: where it stands, its code, what it says."""
    return [(f"{p.stem}:{w.lineno}", code, w) for p in SOURCES for code, w in problems_in(p)]


@pytest.fixture(scope="module")
def failures():
    """The codes of errors of others, which errors.failure() puts into words."""
    said = re.compile(r'failure\(error, "([A-Z]\d\d)"')
    return {code for path in SOURCES for code in said.findall(path.read_text(encoding="utf-8"))}


def test_every_code_is_explained_in_the_docs_and_no_other(problems, failures):
    rows = ROW.findall((ROOT / "docs" / "errors.md").read_text(encoding="utf-8"))
    explained = [code for code, *_ in rows if CODE.fullmatch(code)]
    assert len(explained) == len(set(explained))
    assert set(explained) == {code for _, code, _ in problems} | failures


def test_a_problem_is_a_sentence_of_a_known_family(problems):
    def sentence(what):
        end = what.values[-1] if isinstance(what, ast.JoinedStr) else what
        return not isinstance(end, ast.Constant) or end.value.endswith(".")

    assert [where for where, code, _ in problems if code[0] not in _FAMILY] == []
    assert [where for where, _, what in problems if not sentence(what)] == []


def test_a_single_problem_reads_as_one_line():
    with pytest.raises(DiscreetError) as caught:
        fail("R01", "key attribute 'zpi' is not a column of survey.csv.", "Did you mean 'zip'?")
    assert str(caught.value) == (
        "InvalidRole[R01]: key attribute 'zpi' is not a column of survey.csv. Did you mean 'zip'?"
    )


def test_several_problems_are_numbered_and_the_first_gives_the_class_and_the_code():
    with pytest.raises(DiscreetError) as caught:
        raise_all([Problem("P07", "k is wrong.", "Mend it."), Problem("R01", "no zip.", "")])
    assert type(caught.value).__name__ == "InvalidParameter"
    assert caught.value.code == "P07"
    assert str(caught.value).splitlines() == [
        "InvalidParameter: 2 problems",
        "  1. [P07] k is wrong. Mend it.",
        "  2. [R01] no zip.",
    ]


def test_no_problems_raise_nothing():
    raise_all([])


@pytest.mark.parametrize("family", _FAMILY.values())
def test_an_error_survives_a_process_boundary(family):
    error = family(Problem("E01", "one.", "a"), Problem("E01", "two.", "b"))
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.problems, str(again)) == (family, error.problems, str(error))


def test_near_names_are_suggested_whatever_their_case():
    assert did_you_mean("ZPI", ["zip", "age"]) == "Did you mean 'zip'?"
    assert did_you_mean("income", ["zip", "age"]) == ""


def test_long_lists_of_names_are_cut():
    assert listed("abc", most=2) == "'a', 'b' and 1 more"
