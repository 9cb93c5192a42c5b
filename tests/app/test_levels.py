"""Levels of a chain: used as long as the plan is what they were chosen for, and not a moment longer."""

import pytest

from discreet.app.forms import draft
from tests.app.lattice_tables import planned, swept
from tests.app.releases import text_of
from tests.app.visitor import Visitor
from tests.app.waiting import ended

UNUSED = "The levels in the plan are not used"


@pytest.fixture(scope="module")
def visitor(server):
    return Visitor(server).logged_in()


@pytest.fixture(scope="module")
def small(visitor):
    """A lattice of 12 nodes."""
    return swept(visitor, "12")


@pytest.fixture
def with_a_node(visitor, small):
    """The small lattice with its top node in the plan; taken back to that in the end."""
    fields = {"k": 5, "p": 1, "limit": 2, "node": 11}
    assert visitor.post(f"/w/{small.id}/explore/use", fields).status == 303
    before = small.document, small.settings
    yield small
    small.document, small.settings = before


def is_used(visitor, workspace):
    """Whether the levels go into a run, and whether every page agrees."""
    pages = [visitor.get(f"/w/{workspace.id}/{path}") for path in ("protect", "roles", "banner")]
    said = {UNUSED not in text_of(page) for page in pages}
    shown = 'value="levels" checked' in pages[0].text
    used = bool(draft.levels_of(workspace.sections))
    assert said == {shown} == {used} == {bool(draft.levels_of(workspace.plan.document))}
    return used


def column(visitor, workspace, name, role="key", kind=""):
    n = [c.name for c in workspace.columns].index(name)
    visitor.post(f"/w/{workspace.id}/roles/{n}", {f"role-{n}": role, f"type-{n}": kind})


def hierarchy(visitor, workspace, widths):
    fields = {"builder": "intervals", "widths": widths, "unmapped": "error"}
    visitor.upload(f"/w/{workspace.id}/hierarchy/0", [], fields)


def missing(visitor, workspace, policy):
    visitor.post(f"/w/{workspace.id}/roles/missing", {"missing": policy})


CHANGES = {
    "a key": (column, ("key1", "other"), ("key1",)),
    "a new key": (column, ("illness", "key"), ("illness", "confidential")),
    "a type": (column, ("key1", "key", "continuous"), ("key1",)),
    "a hierarchy": (hierarchy, ("4",), ("2",)),
    "the missing policy": (missing, ("wildcard",), ("category",)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_node_is_not_used_after_a_change_and_is_again_when_that_is_taken_back(
    visitor, with_a_node, what
):
    change, there, back = CHANGES[what]
    with_a_node.change(lambda d: draft.with_entry(d, "hierarchies", "key0", {"intervals": [2]}))
    visitor.post(f"/w/{with_a_node.id}/protect", chain(with_a_node))
    assert is_used(visitor, with_a_node)
    change(visitor, with_a_node, *there)
    assert not is_used(visitor, with_a_node)
    assert draft.generalization(with_a_node.sections)[1] == {
        "do": "generalize",
        "max_suppressed": 0.02,
    }
    change(visitor, with_a_node, *back)
    assert is_used(visitor, with_a_node)


def chain(workspace, k="5", choice="levels"):
    """The form of Protect with the levels of the plan."""
    (levels,) = draft.levels_of(workspace.document)
    named = {f"level-0-{i}": level for i, level in enumerate(levels.values())}
    first = {"do-0": "generalize", "max_suppressed-0": "2 %", "choice-0": choice}
    return {"do": "save", **first, **named, "k": k, "p": ""}


def test_another_k_drops_the_node_with_a_sentence_and_does_not_run_something_else(
    visitor, with_a_node
):
    job, at = with_a_node.job, f"/w/{with_a_node.id}/protect"
    answer = visitor.post(at, {**chain(with_a_node, "6"), "do": "run"})
    assert (answer.status, "P62" in answer.text) == (422, True)
    assert "are not used. Run again to search for the levels" in text_of(answer)
    assert 'value="best" checked' in answer.text
    assert with_a_node.job is job
    assert not is_used(visitor, with_a_node)
    visitor.post(at, chain(with_a_node, "6"))  # "these levels" once more: chosen anew
    assert is_used(visitor, with_a_node)
    visitor.post(at, chain(with_a_node, "7", "best"))
    assert draft.levels_of(with_a_node.document) == []
    assert UNUSED not in text_of(visitor.get(at))


def test_the_same_node_can_be_used_for_another_k(visitor, with_a_node):
    visitor.post(f"/w/{with_a_node.id}/explore/use", {"k": 9, "p": 1, "limit": 2, "node": 11})
    assert with_a_node.document["criterion"] == {"k": 9}
    assert is_used(visitor, with_a_node)


def test_after_a_key_is_gone_the_chain_runs_and_finds_its_levels(visitor):
    workspace = planned(visitor, "12")
    levels = {"key0": 2, "key1": 1, "key2": 1}
    workspace.change(lambda d: draft.with_node(d, {"k": 5}, 0.02, levels))
    column(visitor, workspace, "key2", "other")
    page = visitor.get(f"/w/{workspace.id}/protect")
    assert UNUSED in text_of(page)
    visitor.post(f"/w/{workspace.id}/protect", {**chain(workspace, choice="best"), "do": "run"})
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems
