"""How it was chosen: the report speaks of the levels that the masked file has."""

import pytest

import discreet as ds

pytest.importorskip("altair")

from discreet.reports import choice
from discreet.reports.blocks import Figure, Words
from discreet.reports.facts import ReportInput, gather

LEVELS = {"age": ds.Hierarchy.intervals([10, 20], top="*"), "sex": ds.Hierarchy.suppress()}


@pytest.fixture(scope="module")
def people():
    rows = {"age": [*range(20, 60)] * 2, "sex": ["f", "m"] * 40}
    return ds.read(rows, keys=["age", "sex"])


def chosen(data, found, node, audience):
    given = ReportInput(found=found)
    facts = gather(data, node.mask(), given, on=None, audience=audience, threshold=None)
    blocks = choice.section(facts).blocks
    said = " ".join(line for b in blocks if isinstance(b, Words) for line in b.lines)
    return said, [b for b in blocks if isinstance(b, Figure)]


def searched(data, **given):
    return ds.generalize(data, LEVELS, ds.KAnonymity(5), max_suppressed=0, **given)


@pytest.mark.parametrize("audience", ["public", "internal"])
def test_levels_that_someone_chose_are_not_said_to_be_found_by_the_search(people, audience):
    found = searched(people)
    other = found.lattice.node({"age": 3, "sex": 1})
    assert other.levels != found.best.levels
    said, figures = chosen(people, found, other, audience)
    assert said.startswith("The levels were chosen by hand.")
    assert "chose the one of least loss" not in said
    if audience == "public":
        assert "Levels of generalization, 0 being the value as it is: age 3, sex 1." in said
        return
    (lattice,) = figures
    (star,) = [row for row in lattice.table.rows if "★" in str(row[0])]
    assert star[1:3] == (3, 1)
    drawn = str(lattice.svg)
    assert drawn.partition("★")[0].rpartition("<text")[0].rstrip().endswith(">31</text>")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "chose the one of least loss."),
        ({"loss": "height"}, "chose the one of least loss, by height."),
        ({"search": "all-minimal"}, "chose the one of least loss among the minimal ones."),
        ({"search": "samarati"}, "chose one of the least height."),
    ],
)
def test_what_a_search_chose_is_said_as_it_was_asked(people, given, words):
    found = searched(people, **given)
    said, _ = chosen(people, found, found.best, "public")
    assert f"a search for 5-anonymity {words}" in said
    inside, _ = chosen(people, found, found.best, "internal")
    assert inside[0].isupper()
    assert "by hand" not in inside
