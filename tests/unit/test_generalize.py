"""Generalization of microdata: results, drawings, large lattices, chains."""

import json
import re

import numpy as np
import pytest

import discreet as ds
from discreet.masking.generalization import search as search_module

KEYS = ["age", "zip", "sex"]
HIERARCHIES = {
    "age": ds.Hierarchy.intervals([5, 10, 20], top="*"),
    "zip": ds.Hierarchy.prefixes([5, 3, 2, 0]),
    "sex": ds.Hierarchy.suppress(),
}


@pytest.fixture(scope="module")
def patients():
    table = ds.datasets.patients(2000, seed=4)
    return ds.read(table, identifiers=["name", "ssn"], keys=KEYS, confidential=["illness"])


@pytest.fixture(scope="module")
def found(patients):
    return ds.generalize(
        patients, HIERARCHIES, ds.PSensitiveKAnonymity(p=2, k=5), max_suppressed=0.05
    )


def test_the_masked_file_satisfies_the_criterion_and_says_how_it_was_made(patients, found):
    masked = found.best.mask()
    assert ds.check(masked, ds.PSensitiveKAnonymity(p=2, k=5)).satisfied
    assert masked.n == patients.n - found.best.suppressed
    assert masked.steps[0].to_dict()["levels"] == found.best.levels
    assert "generalize" in repr(masked)
    assert set(masked.to("arrow").column_names) == {"age", "zip", "sex", "illness", "income"}


def test_the_mapping_that_was_applied_can_be_exported(found):
    masked = found.best.mask()
    moved = [key for key, level in found.best.levels.items() if level]
    assert set(masked.mapping()) == set(moved)
    table = masked.mapping(moved[0])
    assert table.column_names == ["value", "label"]
    stays = [key for key in KEYS if key not in moved]
    for key in stays:
        with pytest.raises(ds.DiscreetError, match="was not generalized"):
            masked.mapping(key)


def test_results_show_themselves(found):
    assert json.loads(json.dumps(found.to_dict()))["best"]["levels"] == found.best.levels
    assert "Loss" in found.explain()
    assert found.table("pandas").shape[0] == len(found.minimal)
    assert found.lattice.table("arrow").num_rows == found.lattice.nodes
    assert "<p>" in found._repr_html_()
    assert "Node(" in repr(found.best)
    drawing = found.lattice.svg()
    assert drawing.count("<circle") == found.lattice.nodes
    assert "★" in drawing
    assert "<script" not in drawing


def test_the_chart_of_the_lattice_renders(found):
    pytest.importorskip("altair")
    from discreet.charts import svg

    assert svg(found.lattice.chart()).startswith("<svg")


def test_column_names_with_markup_do_not_break_out_of_the_drawing():
    data = ds.read({"<b>&": list("aabb")}, keys=["<b>&"])
    drawing = ds.generalize(data, {"<b>&": ds.Hierarchy.suppress()}, ds.KAnonymity(2)).lattice.svg()
    assert "<b>" not in drawing


def test_the_caption_of_a_drawing_takes_the_room_of_its_lines():
    data = ds.read({"a": list("aabb")}, keys=["a"])
    lattice = ds.generalize(data, {"a": ds.Hierarchy.suppress()}, ds.KAnonymity(2)).lattice
    with_it, without = lattice.svg(), lattice.svg(caption=False)
    tall, short = (int(re.search(r'height="(\d+)"', one)[1]) for one in (with_it, without))
    lines = [int(y) for y in re.findall(r'<text x="10" y="(\d+)"', with_it)]
    assert len(lines) == 2
    assert (lines[0], lines[-1] + lines[1] - lines[0]) == (short, tall)
    assert f'viewBox="0 0 340 {tall}"' in with_it
    assert "filled: feasible" not in re.sub("<desc>.*?</desc>", "", without)


def test_a_large_lattice_is_drawn_in_part_and_says_so(monkeypatch, found):
    from discreet.masking.generalization import view

    monkeypatch.setattr(view, "WHOLE", 5)
    assert "nodes are drawn" in found.lattice.svg()


@pytest.mark.parametrize("p", [1, 2, 3, 7])
def test_the_lattice_answers_for_any_p_as_a_search_for_it_does(patients, found, p):
    at = found.lattice.at(k=7, p=p, max_suppressed=0.1)
    criterion = ds.PSensitiveKAnonymity(p=p, k=7)
    again = ds.generalize(patients, HIERARCHIES, criterion, max_suppressed=0.1)
    assert at.best.levels == again.best.levels
    assert at.best.mask().n == again.best.mask().n
    searched = again.lattice.at(k=7, p=p, max_suppressed=0.1)
    np.testing.assert_array_equal(at.nodes.suppressed, searched.nodes.suppressed)
    np.testing.assert_allclose(at.nodes.loss, searched.nodes.loss, rtol=1e-12)
    assert found.lattice.at(k=5, p=2, max_suppressed=0.05).best.levels == found.best.levels


def test_the_lattice_of_a_search_without_values_knows_no_p(patients):
    found = ds.generalize(patients, HIERARCHIES, ds.KAnonymity(5), max_suppressed=0.05)
    with pytest.raises(ds.DiscreetError, match="k up to 51 and p = 1"):
        found.lattice.at(k=5, p=2)


def test_a_key_without_a_hierarchy_stays_as_it_is_and_that_is_said(patients):
    some = {"age": HIERARCHIES["age"], "zip": HIERARCHIES["zip"]}
    found = ds.generalize(patients, some, ds.KAnonymity(3))
    assert found.best.levels["sex"] == 0
    assert found.as_they_are == ("sex",)
    assert "No hierarchy is given for sex" in found.explain()


def test_a_lattice_too_large_to_sweep_is_searched_best_first_to_the_same_end(monkeypatch, patients):
    swept = ds.generalize(patients, HIERARCHIES, ds.KAnonymity(5), max_suppressed=0.05)
    monkeypatch.setattr(search_module, "MAX_SWEPT", 10)
    searched = ds.generalize(patients, HIERARCHIES, ds.KAnonymity(5), max_suppressed=0.05)
    assert searched.complete
    assert searched.best.levels == swept.best.levels
    assert searched.best.loss == pytest.approx(swept.best.loss)
    cut = ds.generalize(patients, HIERARCHIES, ds.KAnonymity(5), max_suppressed=0.05, seconds=0.0)
    assert not cut.complete
    assert "not proven" in cut.explain()
    assert ds.check(cut.best.mask(), ds.KAnonymity(5)).satisfied


def test_maskings_chain_in_any_order(patients):
    sampled = ds.sample(patients, fraction=0.5, seed=1)
    then = ds.generalize(sampled, HIERARCHIES, ds.KAnonymity(3)).best.mask()
    risk = ds.disclosure_risk(patients, then)
    assert (risk.n, risk.t) == (2000, then.n)
    assert risk.maximal_compatible <= risk.maximal + 1e-12
    first = ds.generalize(patients, HIERARCHIES, ds.KAnonymity(3)).best.mask()
    again = ds.disclosure_risk(patients, ds.sample(first, fraction=0.5, seed=1))
    assert again.exact is False  # 1/max(i, j) forgets what sampling took away
    assert again.maximal_compatible < again.maximal


def test_the_risk_can_drive_the_search_of_a_sample(patients):
    sampled = ds.sample(patients, fraction=0.5, seed=1)
    limit = ds.DisclosureRiskAtMost(0.05)
    found = ds.generalize(sampled, HIERARCHIES, [limit, ds.KAnonymity(2)], max_suppressed=0.1)
    masked = found.best.mask()
    assert ds.check(patients, masked, limit).satisfied
    assert ds.check(masked, ds.KAnonymity(2)).satisfied


def test_missing_key_values_keep_a_class_of_their_own_until_everything_is_one():
    table = {"age": [20, 21, 22, None, None, 40], "sex": list("MMMFFF")}
    data = ds.read(table, keys=["age", "sex"])
    h = {"age": ds.Hierarchy.intervals([10], top="*"), "sex": ds.Hierarchy.suppress()}
    masked = ds.generalize(data, h, ds.KAnonymity(2), max_suppressed=1).best.mask()
    assert ds.check(masked, ds.KAnonymity(2)).satisfied
    assert masked.to("arrow")["age"].null_count == 2


def test_the_same_node_is_found_whatever_the_order_of_the_rows(patients):
    table = ds.datasets.patients(2000, seed=4)
    turned = table.take(np.random.default_rng(0).permutation(2000))
    other = ds.read(turned, identifiers=["name", "ssn"], keys=KEYS, confidential=["illness"])
    for criterion in (ds.KAnonymity(5), ds.LDiversity(2, "entropy")):
        one = ds.generalize(patients, HIERARCHIES, criterion).best
        two = ds.generalize(other, HIERARCHIES, criterion).best
        assert (one.levels, one.loss, one.suppressed) == (two.levels, two.loss, two.suppressed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "fast"}, "search= is not known"),
        ({"loss": "cost"}, "loss= is not known"),
        ({"suppression": "none"}, "suppression= is not known"),
        ({"max_suppressed": 1.5}, "max_suppressed="),
        ({"max_suppressed": -1}, "max_suppressed="),
        ({"max_suppressed": True}, "max_suppressed="),
    ],
)
def test_options_that_are_not_known_are_refused(patients, options, message):
    with pytest.raises(ds.DiscreetError, match=message):
        ds.generalize(patients, HIERARCHIES, ds.KAnonymity(2), **options)


def test_hierarchies_must_fit_the_keys(patients):
    with pytest.raises(ds.DiscreetError, match="Did you mean 'age'"):
        ds.generalize(patients, {"aeg": HIERARCHIES["age"]}, ds.KAnonymity(2))
    with pytest.raises(ds.DiscreetError, match="not a key attribute"):
        ds.generalize(patients, {"illness": ds.Hierarchy.suppress()}, ds.KAnonymity(2))
    with pytest.raises(ds.DiscreetError, match="not a hierarchy"):
        ds.generalize(patients, {"age": [1, 2]}, ds.KAnonymity(2))
    with pytest.raises(ds.DiscreetError, match="'sex'"):
        ds.generalize(patients, {"sex": ds.Hierarchy.from_dict({"M": ["*"]})}, ds.KAnonymity(2))
    wild = ds.read(ds.datasets.patients(50, seed=1), keys=["age"], missing="wildcard")
    with pytest.raises(ds.DiscreetError, match="wildcard"):
        ds.generalize(wild, {}, ds.KAnonymity(2))


def test_problems_of_all_hierarchies_are_told_at_once():
    data = ds.read({"a": ["x", "y"], "b": ["u", "v"], "c": ["p", "q"]}, keys=["a", "b", "c"])
    short = {"a": ds.Hierarchy.from_dict({"x": ["*"]}), "b": ds.Hierarchy.from_dict({"u": ["*"]})}
    with pytest.raises(ds.DiscreetError) as error:
        ds.generalize(data, short, ds.KAnonymity(2))
    assert [problem.code for problem in error.value.problems] == ["D20", "D20"]
