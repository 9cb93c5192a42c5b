"""Screen 3, Explore: figures of the library at every slider, the node in the plan, and no cell."""

import html
import math
import re
import statistics
import time

import numpy as np
import pytest

import discreet as ds
from discreet.app.forms import draft
from discreet.app.jobs import lattice as exploring
from discreet.app.screens import lattice_figures, node_map
from discreet.app.screens.lattice_figures import BAND, WHOLE, LatticeFigures, State
from tests.app.inside import HOSTILE, SECRET, hostile_table
from tests.app.lattice_tables import LEVELS, hierarchies, planned, swept, table
from tests.app.test_jobs import is_alive
from tests.app.visitor import Visitor
from tests.app.waiting import ended, until

STATES = [(2, 1, 0.0), (5, 1, 2.0), (5, 2, 5.0), (7, 3, 20.0), (50, 4, 1.5)]


@pytest.fixture(scope="module")
def visitor(server):
    server.workspaces.most = 100
    return Visitor(server).logged_in()


@pytest.fixture(scope="module")
def small(visitor):
    """A lattice of 12 nodes."""
    return swept(visitor, "12")


@pytest.fixture(scope="module")
def medium(visitor):
    """A lattice of 480 nodes."""
    return swept(visitor, "480")


@pytest.fixture(scope="module")
def large(visitor):
    """A lattice of 12,960 nodes."""
    return swept(visitor, "12960")


def library(name, folder):
    """The same search by the library, with everything allowed to go."""
    (folder / "t.csv").write_bytes(table(name))
    data = ds.read(folder / "t.csv", keys=list(hierarchies(name)), confidential="illness")
    plan = ds.Plan.of(
        {"roles": {"keys": list(hierarchies(name))}, "hierarchies": hierarchies(name)}
    )
    criterion = ds.PSensitiveKAnonymity(p=2, k=2)
    return ds.generalize(data, plan.hierarchies, criterion, max_suppressed=1.0)


def lattice(workspace, *state, **more):
    return LatticeFigures(
        workspace.results["explore"].value, workspace.folder, State(*state, **more)
    )


def at(workspace, path="", **asked):
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    return f"/w/{workspace.id}/explore{path}?{query}"


def text_of(answer):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", answer.text)))


# -- the figures ---------------------------------------------------------------------------------


def test_every_node_has_the_figures_of_the_library_at_every_slider(medium, tmp_path):
    found = library("480", tmp_path)
    for k, p, limit in STATES:
        mine, theirs = lattice(medium, k, p, limit), found.lattice.at(
            k=k, p=p, max_suppressed=limit / 100
        )  # fmt: skip
        for name in ("suppressed", "classes", "loss", "feasible"):
            assert np.array_equal(getattr(mine, name), getattr(theirs.nodes, name)), (name, k, p)
        named = [dict(zip(hierarchies("480"), mine.levels_of(n), strict=True)) for n in range(480)]
        assert [named[n] for n in np.flatnonzero(mine.minimal)] == [
            n.levels for n in theirs.minimal
        ]
        assert (None if mine.best is None else named[mine.best]) == (
            None if theirs.best is None else theirs.best.levels
        )


def test_the_smallest_class_is_that_of_the_masked_table(small, tmp_path):
    found = library("12", tmp_path)
    mine = lattice(small, 5, 1, 20.0)
    keys = list(hierarchies("12"))
    data = found.data
    plan = ds.Plan.of({"roles": {"keys": keys}, "hierarchies": hierarchies("12")})
    exact = ds.generalize(data, plan.hierarchies, ds.KAnonymity(5), max_suppressed=0.2)
    for n in np.flatnonzero(mine.feasible).tolist():
        levels = dict(zip(keys, mine.levels_of(n), strict=True))
        masked = exact.lattice.node(levels).mask()
        risk = ds.risk(masked)
        left = mine.smallest(n, left=True)
        assert risk.k == left if left is not None else risk.k > exploring.MOST_K
        assert risk.mean_risk == pytest.approx(mine.node(n).mean_risk)


def test_neighbours_differ_by_one_level_of_one_key(medium):
    mine = lattice(medium)
    for n in (0, 1, 137, 479):
        for key, up in mine.above(n).items():
            step = np.subtract(mine.levels_of(up), mine.levels_of(n))
            assert step.tolist() == [int(i == key) for i in range(5)]
            assert mine.below(up)[key] == n
    assert mine.above(479) == mine.below(0) == {}


def test_a_k_below_p_is_taken_for_p(small):
    assert lattice(small, 2, 4).k == 4
    assert np.array_equal(lattice(small, 2, 4).suppressed, lattice(small, 4, 4).suppressed)


def test_arrow_keys_reach_every_node(medium):
    reached, new = set(), {lattice(medium).selected}
    while new:
        reached |= new
        new = {
            to for n in new for to in lattice(medium, node=n).moves.values()
        } - reached  # fmt: skip
    assert reached == set(range(480))


# -- what is drawn -------------------------------------------------------------------------------


@pytest.mark.parametrize("show", ["all", "feasible", "minimal"])
def test_the_selected_node_is_drawn_whatever_is_left_out(medium, show):
    mine = lattice(medium, show=show, node=0)
    wanted = {"all": np.ones(480, bool), "feasible": mine.feasible, "minimal": mine.minimal}[show]
    assert set(mine.drawn) == {*np.flatnonzero(wanted).tolist(), 0}
    drawn = str(lattice_figures.drawing(mine, "/x"))
    assert len(re.findall('<a id="n', drawn)) == len(mine.drawn)
    assert drawn.count('aria-current="true"') == 1


def test_of_a_large_lattice_a_band_is_drawn(large):
    mine = lattice(large)
    assert mine.nodes == math.prod(LEVELS["12960"]) == 12_960 > WHOLE
    near = {*mine.above(mine.selected).values(), *mine.below(mine.selected).values()}
    assert near < set(mine.drawn)
    assert len(mine.drawn) <= BAND + 1
    assert all(mine.minimal[n] for n in set(mine.drawn) - near - {mine.selected})


def test_drawings_stay_within_their_frames(medium):
    for show in ("all", "minimal"):
        mine = lattice(medium, 5, 2, 10.0, show)
        assert 'aria-label="Lattice: ' in lattice_figures.drawing(mine, "/x")
        for drawn in (lattice_figures.drawing(mine, "/x"), node_map.drawing(mine, "/x")):
            wide, high = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', drawn).groups())
            for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', drawn):
                assert 6 <= float(x) <= wide - 6
                assert 6 <= float(y) <= high - 6


# -- the page ------------------------------------------------------------------------------------


def test_without_hierarchies_the_page_says_what_is_missing(visitor):
    workspace = visitor.open("t.csv", table("12"))
    page = visitor.get(f"/w/{workspace.id}/explore")
    assert "Choose keys first" in text_of(page)
    assert "disabled" in page.text
    assert visitor.get(f"/w/{workspace.id}/explore/found").status == 404


def test_the_page_shows_the_best_node_in_words(visitor, small, tmp_path):
    best = library("12", tmp_path).lattice.at(k=5, max_suppressed=0.02).best
    page = text_of(visitor.get(at(small)))
    label = "⟨" + ",".join(map(str, best.levels.values())) + "⟩"
    assert f"Selected {label} ★ minimal, least loss" in page
    assert "level 1 of 2 – intervals of 2, 4 groups" in page
    assert "11 of 12 nodes are feasible, 3 minimal" in page
    assert page.count("Explore") > 0


def test_the_address_holds_all_that_is_asked_for(visitor, small):
    page = visitor.get(at(small, k=9, p=2, limit=7.5, show="feasible", map="risk", node=3))
    assert '<output for="k">9</output>' in page.text
    assert '<output for="limit">7.5 %</output>' in page.text
    assert 'value="feasible" selected' in page.text
    assert re.search(r'id="n3"[^>]*aria-current', page.text)
    assert "mean risk of those left</text>" in page.text


@pytest.mark.parametrize(
    "asked",
    [
        {"k": 1}, {"k": 51}, {"k": "five"}, {"p": 0}, {"p": 6}, {"limit": -1}, {"limit": "nan"},
        {"limit": 101}, {"show": "some"}, {"map": "x"}, {"node": -1}, {"node": 12}, {"node": "1e1"},
    ],
)  # fmt: skip
def test_what_the_sliders_do_not_offer_is_refused(visitor, small, asked):
    assert visitor.get(at(small, **asked)).status == 422
    assert visitor.get(at(small, "/found", **asked)).status == 422


def test_without_the_check_of_the_sliders_what_they_do_not_offer_is_answered(
    visitor, small, monkeypatch
):
    """By mutation: a k beyond the slider, and any word for what is shown."""

    def whatever(given, name, usual, *_, **__):
        return float(given.get(name) or usual or 0)

    monkeypatch.setattr("discreet.app.screens.explore._number", whatever)
    assert visitor.get(at(small, k=51, node=3)).status == 200
    assert visitor.get(at(small, node=-1)).status != 422
    monkeypatch.setattr("discreet.app.screens.explore._choice", lambda given, name, *_: given[name])
    wrong = at(small, show="all", map="anything", node=0)
    assert visitor.get(wrong).status == 500  # it gets as far as the drawing


def test_without_scripts_links_and_forms_do_it_all(visitor, small):
    page = visitor.get(at(small, node=0)).text
    links = [html.unescape(link) for link in re.findall(r'href="(/w/[^"]+\?[^"]+)"', page)]
    assert {int(re.search(r"node=(\d+)", link)[1]) for link in links} == set(range(12))
    assert visitor.get(links[5]).status == 200
    assert re.search(r'<form id="sliders"[^>]*method="get"', page)
    assert "<noscript><button>" in page


def test_a_node_is_used_and_the_plan_repeats_it(visitor, small, tmp_path):
    fields = {"k": 5, "p": 2, "limit": 4, "node": 7}
    assert visitor.post(f"/w/{small.id}/explore/use", fields).status == 303
    levels = dict(zip(hierarchies("12"), (1, 1, 1), strict=True))
    assert small.document["criterion"] == {"k": 5, "p": 2}
    step = {"do": "generalize", "max_suppressed": 0.04, "levels": levels}
    assert small.document["steps"] == [step]
    masked = small.plan.mask()
    node = lattice(small, 5, 2, 4.0).node(7)
    assert small.table.n - masked.n == node.suppressed
    assert masked.steps[-1].parameters["loss"] == pytest.approx(node.loss)
    page = text_of(visitor.get(f"/w/{small.id}/explore"))  # as the plan says
    assert "Selected ⟨1,1,1⟩" in page
    assert f"Iyengar's loss {node.loss:.3f} of 1" in page
    assert "✓ In the plan." in page
    assert "✓ In the plan." not in text_of(visitor.get(at(small, k=6)))


def test_with_scripts_the_answer_says_that_the_plan_changed(visitor, small):
    fields = {"k": 5, "p": 1, "limit": 2, "node": 11}
    answer = visitor.post(f"/w/{small.id}/explore/use", fields, {"HX-Request": "true"})
    assert answer.status == 204
    assert "changed" in answer.headers["hx-trigger"]
    assert "is in the plan, with k = 5 and p = 2." in answer.headers["hx-trigger"]
    assert small.document["criterion"] == {"k": 5, "p": 2}  # as before: it is not lowered


def test_a_node_that_does_not_hold_is_not_used(visitor, small):
    before = small.document
    answer = visitor.post(f"/w/{small.id}/explore/use", {"k": 5, "limit": 0, "node": 0})
    assert (answer.status, "N67" in answer.text) == (422, True)
    assert small.document == before


def test_other_steps_and_criteria_of_the_plan_stay():
    sample = {"do": "sample", "fraction": 0.5, "seed": 1}
    old = {"do": "generalize", "max_suppressed": 0.1}
    before = {"steps": [sample, old], "criterion": {"k": 3, "p": 2, "closeness": 0.2}}
    after = draft.with_node(before, {"k": 5}, 0.02, {"age": 1})
    made = {"do": "generalize", "max_suppressed": 0.02, "levels": {"age": 1}}
    assert after["steps"] == [sample, made]
    assert after["criterion"] == {"k": 5, "p": 2, "closeness": 0.2}
    assert draft.with_node({}, {"k": 5}, 0.02, {"age": 1})["steps"] == [made]
    assert draft.generalization(after) == (after["criterion"], made)
    assert draft.generalization({}) == ({}, {})


def test_a_change_of_roles_or_hierarchies_puts_the_lattice_out_of_date(visitor):
    workspace = swept(visitor, "12")
    given = workspace.document["hierarchies"]
    workspace.change(lambda d: draft.with_entry(d, "hierarchies", "key1", None))
    page = text_of(visitor.get(at(workspace)))
    assert "Out of date" in page
    assert "Compute all nodes again" in page
    answer = visitor.post(f"/w/{workspace.id}/explore/use", {"node": 11})
    assert (answer.status, "N67" in answer.text) == (422, True)
    assert "the lattice" in visitor.get(f"/w/{workspace.id}/banner").text
    workspace.change(lambda d: {**d, "hierarchies": given})
    assert "Out of date" not in text_of(visitor.get(at(workspace)))
    workspace.change(lambda d: draft.with_entry(d, "hierarchies", "key1", None))
    visitor.post(f"/w/{workspace.id}/explore/sweep")
    ended(workspace.job)
    assert "of 6 nodes" in text_of(visitor.get(at(workspace)))
    assert len(list((workspace.folder / ".working").glob("sweep-*"))) == 1


@pytest.mark.parametrize("confidential", [[], ["illness"]])
def test_the_progress_of_a_sweep_grows_to_the_end_over_all_its_parts(
    visitor, small, tmp_path, confidential
):
    (tmp_path / ".working").mkdir()
    (tmp_path / "t.csv").write_bytes(table("480"))
    roles = {"keys": list(hierarchies("480")), "confidential": confidential}
    document = {"source": {"file": "t.csv"}, "roles": roles, "hierarchies": hierarchies("480")}
    heard = []
    exploring.explored(exploring.JobTask(document, tmp_path, {}, tell=heard.append))
    shares = [progress.done / progress.total for progress in heard]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(set(shares)) > 50


def test_a_sweep_can_be_cancelled_and_leaves_neither_process_nor_figures(visitor):
    workspace = planned(visitor, "12960")
    assert visitor.post(f"/w/{workspace.id}/explore/sweep").status == 303
    job = workspace.job
    until(lambda: job.pid is not None)
    answer = visitor.post(f"/w/{workspace.id}/job/cancel", {"here": "explore"})
    assert answer.place == f"/w/{workspace.id}/explore"
    assert not is_alive(job.pid)
    assert (job.state, "explore" in workspace.results) == ("cancelled", False)
    assert list((workspace.folder / ".working").glob("sweep-*")) == []
    assert not (workspace.folder / ".working" / "job").exists()
    page = visitor.get(f"/w/{workspace.id}/explore")
    assert "Computing all nodes: cancelled. No result was kept." in text_of(page)


def test_a_lattice_that_is_too_large_is_refused_with_its_size(visitor, monkeypatch, tmp_path):
    monkeypatch.setattr(exploring, "MOST_NODES", 10)
    workspace = planned(visitor, "12")
    task = exploring.JobTask(workspace.plan.to_dict(), workspace.folder, {})
    with pytest.raises(ds.DiscreetError, match="12 nodes") as error:
        exploring.explored(task)
    assert error.value.code == "N06"


def test_p_counts_confidential_attributes_of_few_values_alone(visitor):
    lines = "\n".join(f"{i % 7},{i},{'ab'[i % 2]}" for i in range(140))
    workspace = visitor.open("t.csv", f"age,income,illness\n{lines}\n".encode())
    roles = {"keys": ["age"], "confidential": ["income", "illness"]}
    workspace.change(
        lambda d: {**d, "roles": roles, "hierarchies": {"age": {"intervals": [2], "top": "*"}}}
    )
    visitor.post(f"/w/{workspace.id}/explore/sweep")
    ended(workspace.job)
    explored = workspace.results["explore"].value
    assert (explored.counted, explored.most_p) == (("illness",), 2)
    page = text_of(visitor.get(at(workspace)))
    assert "Here p counts the values of illness only. Not counted: income (more than 64" in page
    assert "it may leave out more records than this page says, or may not hold" in page
    visitor.post(f"/w/{workspace.id}/explore/use", {"k": 5, "p": 2, "limit": 2, "node": 2})
    assert workspace.document["criterion"] == {"k": 5, "p": 2}  # of both
    assert workspace.plan.mask().n == 140


def test_a_slider_at_its_end_does_not_lower_what_the_plan_asks_for(visitor):
    workspace = swept(visitor, "12")
    asked = {"k": 60, "p": 5, "confidential": ["illness"]}
    workspace.change(lambda d: {**d, "criterion": asked})
    page = text_of(visitor.get(at(workspace)))
    assert "The plan also asks for k = 60 and p = 5." in page
    fields = {"k": 50, "p": 4, "limit": 20, "node": 11}
    assert visitor.post(f"/w/{workspace.id}/explore/use", fields).status == 303
    assert workspace.document["criterion"] == asked
    assert "✓ In the plan." in text_of(visitor.get(at(workspace, limit=20)))
    visitor.post(f"/w/{workspace.id}/explore/use", {**fields, "k": 49, "p": 2})
    assert workspace.document["criterion"] == asked
    page = text_of(visitor.get(at(workspace, k=49, p=2, limit=20, node=11)))
    assert "The plan asks for k = 60 and p = 5. This page does not lower that" in page


# -- how fast ------------------------------------------------------------------------------------


def answer_times(visitor, workspace):
    found = []
    for k in range(3, 13):
        start = time.process_time()  # the server is a thread of this process
        answer = visitor.get(at(workspace, "/found", k=k, limit=k / 2))
        found.append(time.process_time() - start)
        assert answer.status == 200
    return found


@pytest.mark.parametrize("name", ["medium", "large"])
def test_a_slider_is_answered_within_a_tenth_of_a_second(visitor, name, request):
    times = answer_times(visitor, request.getfixturevalue(name))
    assert statistics.median(times) < 0.1


def test_the_sliders_of_the_adult_lattice_are_answered_within_a_tenth_of_a_second(
    visitor, reference_data
):
    source = reference_data("adult/adult_30162x9.csv")
    names = ds.read(source).columns
    workspace = visitor.open(source)
    for name in names:
        file = reference_data(f"adult/adult_hierarchy_{name}.csv")
        (workspace.folder / file.name).write_bytes(file.read_bytes())
    given = {name: {"file": f"adult_hierarchy_{name}.csv"} for name in names}
    workspace.change(lambda d: {**d, "roles": {"keys": list(names)}, "hierarchies": given})
    visitor.post(f"/w/{workspace.id}/explore/sweep")
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems
    assert lattice(workspace).nodes == 12_960
    assert statistics.median(answer_times(visitor, workspace)) < 0.1


# -- what no page shows --------------------------------------------------------------------------


def test_a_planted_value_is_nowhere(visitor):
    words = ["flu", "cold", "flu", "gout"] * 20
    lines = "\n".join(f"{SECRET if i == 7 else 'x'},{i % 9},{w}" for i, w in enumerate(words))
    workspace = visitor.open("t.csv", f"job,age,illness\n{lines}\n".encode())
    roles = {"keys": ["job", "age"], "confidential": ["illness"]}
    given = {"job": {"by_frequency": [1]}, "age": {"intervals": [3], "top": "*"}}
    workspace.change(lambda d: {**d, "roles": roles, "hierarchies": given})
    visitor.post(f"/w/{workspace.id}/explore/sweep")
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems
    for path in ("", "/results", "/found"):
        answer = visitor.get(at(workspace, path, k=2, node=0))
        assert answer.status == 200
        assert SECRET not in answer.text
        assert SECRET not in str(answer.headers)
    for file in (workspace.folder / ".working").glob("sweep-*/*"):
        assert SECRET.encode() not in file.read_bytes()
    assert SECRET not in repr(workspace.results["explore"].value)


def hostile(visitor):
    workspace = visitor.open("hostile.csv", hostile_table())
    names = [column.name for column in workspace.columns]
    roles = {"keys": names[:6], "confidential": [names[6]]}
    given = {name: {"suppress": True} for name in names[:6]}
    workspace.change(lambda d: {**d, "roles": roles, "hierarchies": given})
    visitor.post(f"/w/{workspace.id}/explore/sweep")
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems
    return workspace


def test_hostile_names_stay_text(visitor):
    workspace = hostile(visitor)
    page = visitor.get(at(workspace)).text
    assert "&lt;script&gt;window" in page
    for text in ("<script>window", "<img", "<svg onload", "a" * 200):
        assert text not in page
    assert len(HOSTILE) == 7


def test_asking_changes_nothing(visitor, small):
    def state():
        files = sorted((p, p.stat().st_mtime_ns) for p in small.folder.rglob("*") if p.is_file())
        return small.document, small.settings, dict(small.results), small.job, files

    before = state()
    for path in ("", "/results", "/found", "/sweep", "/use"):
        assert visitor.get(at(small, path, k=7, node=3)).status in (200, 405)
    assert state() == before
