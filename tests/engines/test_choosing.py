"""Candidates for keys, R-U maps and reports: the same wherever the records are."""

import re

import pytest

import discreet as ds
from tests.engines.tables import ROLES, hierarchies, recipes, survey, ugly
from tests.reasons import reasons


@pytest.mark.verb("key_candidates")
@pytest.mark.parametrize(
    "table",
    [ugly().select(["town", "flag", "rate", "seen"]), survey(300).select(["age", "zip", "sex"])],
    ids=["ugly", "survey"],
)
def test_the_candidates_for_keys_are_the_same_sets_with_the_same_counts(engine, table):
    expected = ds.key_candidates(ds.read(table), up_to=2)
    found = ds.key_candidates(engine.read(table), up_to=2)
    assert found.attributes == expected.attributes
    assert list(found) == list(expected)


@pytest.mark.verb("ru_map")
def test_the_points_of_a_map_are_the_same(engine):
    figures = [
        [(p.label, p.risk, p.loss) for p in ds.ru_map(read(survey(300), **ROLES), recipes()).points]
        for read in (engine.read, ds.read)
    ]
    for (label, risk, loss), expected in zip(*figures, strict=True):
        assert (label, risk) == expected[:2]
        assert loss == pytest.approx(expected[2], rel=1e-9)


@pytest.fixture(scope="module")
def releases(engine):
    """The initial and the masked file, in the engine and here."""
    files = [read(survey(300), **ROLES) for read in (engine.read, ds.read)]
    found = [ds.generalize(data, hierarchies(), ds.KAnonymity(5)) for data in files]
    return [(data, one.best.mask()) for data, one in zip(files, found, strict=True)]


@pytest.mark.verb("report")
@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_report_says_the_same(releases, tmp_path, audience):
    said = []
    for number, (data, masked) in enumerate(releases):
        path = tmp_path / f"{number}.html"
        given = {"criterion": ds.KAnonymity(5), "unique_columns": reasons(masked)}
        written = ds.report(data, masked, path, audience=audience, **given)
        assert written.satisfied
        body = re.sub(
            r"<(script|style).*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        said.append(re.findall(r"\d[\d.,]*%?", re.sub(r"<[^>]+>", " ", body)))
    assert said[0] == said[1]
