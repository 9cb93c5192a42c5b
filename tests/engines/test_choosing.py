"""Candidates for keys, R-U maps and reports: the same wherever the records are."""

import re

import pytest

import discreet as ds
from tests.engines.tables import ROLES, hierarchies, survey, ugly


@pytest.mark.verb("key_candidates")
@pytest.mark.parametrize("table", [ugly, lambda: survey(300)])
def test_the_candidates_for_keys_are_the_same_sets_with_the_same_counts(engine, table):
    expected = ds.key_candidates(ds.read(table()), up_to=2)
    found = ds.key_candidates(engine.read(table()), up_to=2)
    assert found.attributes == expected.attributes
    assert list(found) == list(expected)


@pytest.mark.verb("ru_map")
def test_the_points_of_a_map_are_the_same(engine):
    recipes = ds.grid(
        methods=["generalization", "sampling"],
        k=[5],
        hierarchies={"zip": ds.Hierarchy.prefixes([5, 2, 0])},
        max_suppressed=1.0,
        fractions=[0.5],
        seed=1,
    )
    figures = [
        [(p.label, p.risk, p.loss) for p in ds.ru_map(read(survey(300), **ROLES), recipes).points]
        for read in (engine.read, ds.read)
    ]
    for (label, risk, loss), expected in zip(*figures, strict=True):
        assert (label, risk) == expected[:2]
        assert loss == pytest.approx(expected[2], rel=1e-9)


@pytest.mark.verb("report")
@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_report_says_the_same(engine, tmp_path, audience):
    said = []
    for number, read in enumerate((engine.read, ds.read)):
        data = read(survey(300), **ROLES)
        masked = ds.generalize(data, hierarchies(), ds.KAnonymity(5)).best.mask()
        path = tmp_path / f"{number}.html"
        written = ds.report(data, masked, path, audience=audience, criterion=ds.KAnonymity(5))
        assert written.satisfied
        body = re.sub(r"<(script|style).*?</\1>", "", path.read_text(), flags=re.DOTALL)
        said.append(re.findall(r"\d[\d.,]*%?", re.sub(r"<[^>]+>", " ", body)))
    assert said[0] == said[1]
