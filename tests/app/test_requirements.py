"""What must hold: no page lowers it unsaid, and a release is held against what is wanted now."""

import itertools
import re

import pytest

from discreet.app.forms import draft
from discreet.app.jobs.protection import Run
from discreet.app.screens import explore
from discreet.app.server import runs
from discreet.app.server.runs import runs_of
from discreet.app.server.workspaces import ASKED
from tests.app.conftest import running
from tests.app.lattice_tables import hierarchies, table
from tests.app.releases import GENERALIZE, done, downloaded, number, released, text_of
from tests.app.threads import in_threads
from tests.app.visitor import Visitor

KS, PS = (None, 2, 6, 10, 60), (None, 2, 3)
SLIDERS = [(k, p) for k in (2, 6, 11, 50) for p in (1, 2)]


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        in_threads(patch)
        with running(tmp_path_factory.mktemp("app") / "work") as server:
            yield Visitor(server).logged_in()


@pytest.fixture(scope="module")
def workspace(visitor):
    """A small table whose lattice was swept."""
    made = visitor.open("t.csv", table("12"))
    for name in (*hierarchies("12"), "illness"):
        n, role = number(made, name), "confidential" if name == "illness" else "key"
        visitor.post(f"/w/{made.id}/roles/{n}", {f"role-{n}": role, f"type-{n}": ""})
    made.change(lambda d: {**d, "hierarchies": hierarchies("12")})
    visitor.post(f"/w/{made.id}/explore/sweep")
    done(made)
    return made


def asked(k, p, diversity=None, closeness=None):
    """A criterion as a plan has it; p needs a k beside it."""
    k = max(k or 0, p) if p else k
    given = {"k": k, "p": p, "diversity": diversity, "closeness": closeness}
    return {name: value for name, value in given.items() if value is not None}


# -- Use this node -------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"diversity": {"l": 2, "kind": "entropy"}, "closeness": 0.9}])
@pytest.mark.parametrize(("k", "p"), list(itertools.product(KS, PS)))
def test_using_a_node_never_makes_the_plan_ask_for_less(visitor, workspace, k, p, more):
    before = asked(k, p, **more)
    for (slider, values), node in zip(SLIDERS, itertools.cycle((0, 5, 11))):
        workspace.change(
            lambda d: {n: v for n, v in d.items() if n != "steps"} | {"criterion": before}
        )
        fields = {"k": slider, "p": values, "limit": 100, "node": node}
        answer = visitor.post(f"/w/{workspace.id}/explore/use", fields)
        assert answer.status == 303, text_of(answer)
        after = workspace.document["criterion"]
        assert after["k"] == max(before.get("k", 1), slider, values, before.get("p", 1))
        assert after.get("p", 1) == max(before.get("p", 1), values)
        assert {n: v for n, v in after.items() if n not in ("k", "p")} == more
    assert "✓ In the plan." in text_of(visitor.get(answer.place))


@pytest.fixture
def weaker(workspace):
    """Ten records are asked for; the fields of a node that has too few of them, but two."""
    workspace.change(
        lambda d: {n: v for n, v in d.items() if n != "steps"} | {"criterion": {"k": 10}}
    )
    workspace.set(ASKED, [])
    found = explore._explored(workspace)
    lattice = {
        k: explore.LatticeFigures(found, workspace.folder, explore.State(k=k, limit=3.0))
        for k in (2, 10)
    }
    between = [n for n in range(12) if lattice[2].feasible[n] and not lattice[10].feasible[n]]
    return {"k": 2, "p": 1, "limit": 3, "node": between[0]}


def test_a_node_that_does_not_hold_for_what_is_asked_for_is_refused_with_the_numbers(
    visitor, workspace, weaker
):
    fields, before = weaker, workspace.document
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    page = visitor.get(f"/w/{workspace.id}/explore?{query}")
    assert "The plan asks for k = 10. With that, the node suppresses" in text_of(page)
    answer = visitor.post(f"/w/{workspace.id}/explore/use", fields)
    assert (answer.status, "N67" in answer.text) == (422, True)
    assert "for k = 10, which the plan asks for" in text_of(answer)
    assert workspace.document == before


def test_a_weaker_node_is_used_only_after_a_question_with_two_answers(visitor, workspace, weaker):
    at, node = f"/w/{workspace.id}/explore", weaker["node"]
    query = "&".join(f"{name}={value}" for name, value in weaker.items())
    page = visitor.get(f"{at}?{query}").text
    use = re.search(r'<button id="use"[^>]*>', page)[0]
    assert 'type="button"' in use  # it sends nothing
    assert f'popovertarget="ask-{node}-here"' in use
    asked = re.search(rf'<div id="ask-{node}-here" .*?</div>', page, re.DOTALL)[0]
    words = " ".join(re.sub(r"<[^>]*>", " ", asked).split())
    assert "Ask for less than before? The plan asks for k = 10." in words
    assert "It is good enough for k = 2 only." in words
    assert re.findall(r"<button[^>]*>([^<]*)", asked) == [
        "No, keep k = 10",
        "Yes, ask for k = 2 and use it",
    ]
    assert visitor.post(f"{at}/use", {**weaker, "lower": "perhaps"}).status == 422
    assert workspace.document["criterion"] == {"k": 10}
    assert visitor.post(f"{at}/use", {**weaker, "lower": "yes"}).status == 303
    assert workspace.document["criterion"] == {"k": 2}
    assert workspace.document["steps"][0]["levels"]
    assert workspace.settings[ASKED] == [{"k": 10}]
    made = run({"k": 2}, k=2)
    assert runs.earlier(workspace, made) == ["10-anonymity"]  # the release says it


def test_a_card_for_less_than_the_plan_asks_for_asks_too(visitor, workspace, weaker):
    page = visitor.get(f"/w/{workspace.id}/explore?k=2&p=1&limit=3").text
    found = explore._explored(workspace)
    held = explore.LatticeFigures(found, workspace.folder, explore.State(k=10, limit=3.0))
    cards = re.findall(r'<section class="card way".*?</section>', page, re.DOTALL)
    weak = [
        card
        for card in cards
        if not held.feasible[int(re.search(r'name="node" value="(\d+)"', card)[1])]
    ]
    assert weak
    for card in cards:
        assert ('popovertarget="ask-' in card) == (card in weak)


def test_an_answer_never_lowers_what_need_not_be(visitor, workspace, weaker):
    fields = {**weaker, "node": 11, "limit": 100, "lower": "yes"}
    assert visitor.post(f"/w/{workspace.id}/explore/use", fields).status == 303
    assert workspace.document["criterion"] == {"k": 10}
    assert workspace.settings[ASKED] == []


@pytest.mark.parametrize(
    ("criterion", "marks"),
    [
        ({"k": 10}, {"k": 10}),
        ({"k": 10, "p": 2}, {"k": 10, "p": 2}),
        ({"k": 60}, {}),  # beyond the slider: said in words
        ({}, {}),
    ],
)
def test_what_is_required_is_marked_on_its_slider(visitor, workspace, criterion, marks):
    others = {n: v for n, v in workspace.document.items() if n not in ("steps", "criterion")}
    workspace.change(lambda _: {**others, **({"criterion": criterion} if criterion else {})})
    page = visitor.get(f"/w/{workspace.id}/explore")
    found = re.findall(r'<datalist id="required-(\w)"><option value="(\d+)">', page.text)
    assert {name: int(value) for name, value in found} == marks
    assert re.findall(r'type="range" list="required-(\w)"', page.text) == list(marks)
    assert re.findall(r"▲ required: (\d+)", page.text) == [str(one) for one in marks.values()]
    assert ("k = 60" in text_of(page)) == (criterion.get("k") == 60)


def test_the_page_says_that_a_lower_slider_does_not_lower_the_plan(visitor, workspace):
    workspace.change(
        lambda d: {n: v for n, v in d.items() if n != "steps"} | {"criterion": {"k": 10}}
    )
    at = f"/w/{workspace.id}/explore?p=1&limit=100&node=11&k="
    assert "The plan asks for k = 10. This page does not lower that" in text_of(
        visitor.get(f"{at}6")
    )
    assert "does not lower" not in text_of(visitor.get(f"{at}10"))
    fields = {"k": 6, "p": 1, "limit": 100, "node": 11}
    answer = visitor.post(f"/w/{workspace.id}/explore/use", fields, {"HX-Request": "true"})
    assert "is in the plan, with k = 10." in answer.headers["hx-trigger"]


def test_a_form_that_changes_the_first_criterion_leaves_the_others_whole(visitor, workspace):
    both = [{"k": 5}, {"k": 8, "p": 2, "confidential": ["illness"]}]
    workspace.change(lambda d: {**d, "criterion": both})
    visitor.post(f"/w/{workspace.id}/protect", {"do": "save", "k": "6"})
    assert workspace.document["criterion"] == [{"k": 6}, both[1]]
    workspace.change(lambda d: draft.with_steps(d, [], {}))


# -- the checklist -------------------------------------------------------------------------------


def run(criterion, satisfied=True, k=1, p=None):
    risk = {"k": k, "p": p or {}}
    figures = {"risk": {"before": {}, "after": risk}}
    return Run("", {"criterion": criterion}, satisfied, "", "masked.csv", figures, ())


KINDS = ({}, {"diversity": 2}, {"diversity": {"l": 3, "kind": "entropy"}}, {"closeness": 0.3})
NUMBERS = list(itertools.product((1, 5, 10), (None, 2, 3)))


def _values(given):
    """The different values of a class that are asked for: p, and the distinct kind of diversity."""
    distinct = given.get("diversity", 0)
    return max(given.get("p", 0), distinct if isinstance(distinct, int) else 0)


@pytest.mark.parametrize(("wanted", "made"), list(itertools.product(NUMBERS, NUMBERS)))
def test_a_run_meets_what_is_wanted_only_where_it_was_made_for_as_much_or_measured_so(wanted, made):
    """The slow twin: every number by itself."""
    for more, own, (size, values) in itertools.product(KINDS, KINDS, [(1, 1), (5, 2), (10, 3)]):
        want, given = {**asked(*wanted), **more}, {**asked(*made), **own}
        for satisfied in (True, False):
            made_for = given if satisfied else {}
            expected = want.get("k", 0) <= max(size, made_for.get("k", 0))
            expected &= _values(want) <= max(values, _values(made_for))
            expected &= more in ({}, {"diversity": 2}) or (own == more and satisfied)
            found = runs.unmet(want, run(given, satisfied, size, {"illness": values}), ("illness",))
            assert (not found) == expected, (want, given, size, values)


@pytest.mark.parametrize(
    ("wanted", "own", "met"),
    [
        ({"closeness": 0.3}, {"closeness": 0.2}, True),
        ({"closeness": 0.2}, {"closeness": 0.3}, False),
        ({"closeness": 0.2}, {"closeness": {"t": 0.2, "distance": "equal"}}, True),
        ({"closeness": 0.2}, {"closeness": {"t": 0.1, "distance": "ordered"}}, False),
        ({"diversity": {"l": 2, "kind": "entropy"}}, {"diversity": {"l": 3, "kind": "entropy"}}, True),
        ({"diversity": {"l": 2, "kind": "entropy"}}, {"diversity": 3}, False),
        ({"k": 2, "p": 2}, {"k": 2, "p": 2, "confidential": ["a"]}, False),
        ({"k": 2, "p": 2, "confidential": ["a"]}, {"k": 2, "p": 2}, True),
        ({"disclosure_risk": 0.1}, {"disclosure_risk": 0.05}, True),
        ({"disclosure_risk": 0.1}, {"disclosure_risk": {"limit": 0.05, "weights": "minimal"}}, False),
        ([{"k": 2}, {"k": 9}], {"k": 5}, False),
        ([{"k": 2}, {"k": 5}], [{"k": 5}], True),
        ({}, {}, True),
    ],
)  # fmt: skip
def test_parts_of_the_same_kind_are_compared_by_their_numbers(wanted, own, met):
    found = runs.unmet(wanted, run(own, True), ("a", "b"))
    assert (not found) == met


def test_values_that_no_attribute_was_measured_for_are_not_met():
    assert runs.unmet({"k": 2, "p": 2}, run({}, True, 9), ())


def wanted(visitor, workspace, **fields):
    """Say on the page Roles what must hold."""
    answer = visitor.post(f"/w/{workspace.id}/roles/measure", {"released": "all", **fields})
    assert answer.status == 303, text_of(answer)
    done(workspace)


def released_with(visitor, workspace, k):
    """A table released for a k."""
    visitor.post(
        f"/w/{workspace.id}/protect",
        {"do": "run", **GENERALIZE, "k": k, "max_suppressed-0": "50 %"},
    )
    done(workspace)
    released(visitor, workspace, len(runs_of(workspace)))


def test_a_release_is_held_against_what_is_wanted_now(visitor, workspace, tmp_path):
    at = f"/w/{workspace.id}"
    released_with(visitor, workspace, "5")
    size = runs_of(workspace)[-1].k[1]
    assert size >= 5
    assert visitor.get(f"{at}/release/file/masked").status == 200
    assert "6 Release ✓ (done)" in text_of(visitor.get(f"{at}/release"))
    assert "✓ A criterion holds 5-anonymity holds." in text_of(visitor.get(f"{at}/release"))
    more = str(size + 1)
    wanted(visitor, workspace, k=more)
    page = text_of(visitor.get(f"{at}/release"))
    words = f"{more}-anonymity is required now, and the run was made for 5-anonymity."
    assert f"✗ A criterion holds {words} Its smallest group has {size} records." in page
    assert "made before the last change." in page
    assert "6 Release ! (out of date)" in page
    assert "accepted: criterion" not in page  # that was said of something else
    for path in ("compare", "protect"):
        assert f"✗ {more}-anonymity is required now" in text_of(visitor.get(f"{at}/{path}"))
    assert visitor.get(f"{at}/release/file/masked").status == 409
    said = {f"ack-{name}": "x" for name in ("identifiers", "groups", "told")}
    refused = visitor.post(f"{at}/release", {"format": ".csv", **said})
    assert (refused.status, refused.text.count("<code>P61</code>")) == (422, 1)
    released(visitor, workspace, len(runs_of(workspace)))
    report = downloaded(visitor, workspace, tmp_path, "report")["report"].read_text(
        encoding="utf-8"
    )
    assert f"Not met, and acknowledged: A criterion holds. {words}" in report
    wanted(visitor, workspace, k="400")  # and more again
    assert visitor.get(f"{at}/release/file/masked").status == 409
    wanted(visitor, workspace, k="3")
    page = text_of(visitor.get(f"{at}/release"))
    assert "✓ A criterion holds 3-anonymity is required now, and holds." in page
    assert "✗ No requirement was lowered on the way" in page
    assert visitor.get(f"{at}/release/file/masked").status == 409


def test_what_nobody_looked_at_is_not_met(visitor, workspace):
    at = f"/w/{workspace.id}"
    wanted(visitor, workspace, k="3")
    released_with(visitor, workspace, "3")
    wanted(visitor, workspace, k="2", **{"closeness-t": "0.9"})
    page = text_of(visitor.get(f"{at}/release"))
    assert "✗ A criterion holds 2-anonymity and 0.9-closeness" in page
    assert "This run was not checked for it: run it again on the page Protect." in page
