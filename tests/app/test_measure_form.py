"""Further measures: ticked on a page, kept in the plan, taken of every run and of the release."""

import tomllib

import pytest

from discreet.app.forms import draft
from discreet.app.forms import measures as form
from tests.app.releases import CHAIN, downloaded, opened, protected, released, text_of
from tests.app.visitor import Visitor

FORMULA = "income ~ age"
FIELDS = {"measure-regression_loss": "yes", "regression_loss-formula": FORMULA}


@pytest.fixture(scope="module")
def visitor(server):
    return Visitor(server).logged_in()


@pytest.fixture(scope="module")
def workspace(visitor, patients):
    return opened(visitor, patients)


def sent(visitor, workspace, fields):
    return visitor.post(f"/w/{workspace.id}/roles/measures", fields)


def test_every_measure_that_no_page_shows_anyway_has_its_fields(visitor, workspace):
    page = visitor.get(f"/w/{workspace.id}/roles").text
    for measure in form.offered():
        assert f'name="measure-{measure.name}"' in page
        for parameter in form.own_parameters(measure):
            assert f'name="{measure.name}-{parameter.name}"' in page, parameter.name


def test_what_is_ticked_stands_in_the_plan_and_what_is_not_leaves_it(visitor, workspace):
    assert sent(visitor, workspace, {**FIELDS, "measure-score": "yes"}).status == 303
    assert workspace.document["measures"] == {"score": {}, "regression_loss": {"formula": FORMULA}}
    page = visitor.get(f"/w/{workspace.id}/roles").text
    assert 'name="measure-score" value="yes" checked' in page
    assert f'value="{FORMULA}"' in page
    assert sent(visitor, workspace, {}).status == 303
    assert "measures" not in workspace.document


def test_all_that_is_wrong_is_said_at_once_and_nothing_is_kept(visitor, workspace):
    answer = sent(visitor, workspace, {"measure-regression_loss": "yes", "measure-score": "yes"})
    assert answer.status == 422
    assert "Regression loss: “Formula” is missing." in text_of(answer)
    assert "measures" not in workspace.document


def test_a_run_the_release_and_its_report_have_it(visitor, workspace, tmp_path):
    assert sent(visitor, workspace, FIELDS).status == 303
    protected(visitor, workspace, CHAIN)
    assert "What was measured" in text_of(visitor.get(f"/w/{workspace.id}/compare/1"))
    released(visitor, workspace, 1)
    files = downloaded(visitor, workspace, tmp_path, "plan", "report", "ledger")
    plan = tomllib.loads(files["plan"].read_text(encoding="utf-8"))
    assert plan["measures"] == {"regression_loss": {"formula": FORMULA}}
    assert "Regression loss" in files["report"].read_text(encoding="utf-8")
    assert '"regression_loss"' in files["ledger"].read_text(encoding="utf-8")


def test_a_measure_of_columns_that_are_gone_leaves_the_plan():
    document = {"measures": {"score": {}, "regression_loss": {"formula": FORMULA}}}
    assert draft.within(document, ["age"])["measures"] == {"score": {}}
    assert draft.within(document, ["age", "income"])["measures"] == document["measures"]
