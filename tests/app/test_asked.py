"""What must hold: every page says of which attributes it is asked."""

import pytest

from tests.app.releases import GENERALIZE, number, opened, protected, text_of
from tests.app.visitor import Visitor

WORDS = "2-sensitive 3-anonymity (p counts 'illness' only)"
ASKED = {"k": 3, "p": 2, "confidential": ["illness"]}
FIELDS = {**GENERALIZE, "max_suppressed-0": "50 %", "k": "3", "p": "2"}


@pytest.fixture(scope="module")
def visitor(server):
    return Visitor(server).logged_in()


@pytest.fixture(scope="module")
def workspace(visitor, patients):
    made = opened(visitor, patients)
    assert made.document["roles"]["confidential"] == ["illness", "income"]
    return made


def only(workspace):
    """The mark of the attribute that it is asked of."""
    return {"confidential": str(number(workspace, "illness"))}


def page(visitor, workspace, path):
    return text_of(visitor.get(f"/w/{workspace.id}/{path}"))


def test_a_criterion_of_some_attributes_names_them_wherever_it_is_said(visitor, workspace):
    workspace.change(lambda d: {**d, "criterion": ASKED})
    for path in ("roles", "protect"):
        said = page(visitor, workspace, path)
        assert f"As the plan has it: {WORDS}." in said
        assert "More requirements" in said
    protected(visitor, workspace, {**FIELDS, **only(workspace)})
    assert workspace.document["criterion"] == ASKED
    assert f"✓ {WORDS}" in page(visitor, workspace, "protect")
    assert f"Generalization for {WORDS}" in page(visitor, workspace, "protect")
    assert f"{WORDS} holds for all" in page(visitor, workspace, "compare/1")
    visitor.post(f"/w/{workspace.id}/compare/1/choose")
    assert f"✓ A criterion holds {WORDS} holds." in page(visitor, workspace, "release")


@pytest.mark.parametrize("form", ["protect", "roles/measure"])
def test_without_the_mark_it_is_asked_of_every_confidential_attribute(visitor, workspace, form):
    workspace.change(lambda d: {**d, "criterion": ASKED})
    fields = {**FIELDS, "released": "all", "share": ""}
    assert visitor.post(f"/w/{workspace.id}/{form}", fields).status == 303
    workspace.cancel()
    assert workspace.document["criterion"] == {"k": 3, "p": 2}
    assert "As the plan has it" not in page(visitor, workspace, "roles")


def test_nothing_asked_of_attributes_names_none(visitor, workspace):
    workspace.change(lambda d: {**d, "criterion": ASKED})
    visitor.post(f"/w/{workspace.id}/protect", {**FIELDS, "p": "", **only(workspace)})
    assert workspace.document["criterion"] == {"k": 3}
