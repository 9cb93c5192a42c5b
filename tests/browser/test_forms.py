"""Forms in a real browser: what is shown beside a file that was just chosen."""

import pytest

from tests.app.test_forms import EDU, OTHER, number, with_keys
from tests.app.visitor import Visitor
from tests.app.waiting import until


@pytest.fixture
def visit(steward):
    return steward()


def file(content):
    return {"name": "edu.csv", "mimeType": "text/csv", "buffer": content}


def test_a_file_just_chosen_is_never_beside_the_groups_of_the_one_before(visit, server):
    workspace = with_keys(Visitor(server).logged_in())
    page = visit.at(f"/w/{workspace.id}/hierarchy/{number(workspace, 'edu')}")
    page.check("[value=file]")
    for content in (EDU, OTHER):
        page.wait_for_load_state("load")  # a page just shown does not listen yet
        page.set_input_files("#file", file(content))
        page.wait_for_selector("#preview:has-text('Save to see the groups of this file.')")
        assert page.locator("#preview table").count() == 0
        page.click("button:has-text('Preview')")
        page.wait_for_selector("#preview:has-text('Save to see the groups of this file.')")
        assert page.locator("#preview table").count() == 0
        page.click("button:has-text('Save')")
        page.wait_for_selector("#preview h2:has-text('What edu.csv does with the values')")
        assert page.locator("#preview table").count() == 1
    assert visit.said == []
    assert (workspace.folder / "edu.csv").read_bytes() == OTHER


def test_a_column_that_has_no_average_cannot_be_ticked(visit, server):
    visitor = Visitor(server).logged_in()
    workspace = with_keys(visitor)
    page = visit.at(f"/w/{workspace.id}/protect")
    page.click("button:has-text('+ Microaggregation')")
    boxes = page.locator("[name=columns-0]")
    assert [boxes.nth(i).is_enabled() for i in range(5)] == [False, False, True, True, True]
    page.click("button:has-text('Run')")
    page.wait_for_selector("#results td")
    assert "of job, edu, age" in page.inner_text("#results")


def test_what_is_wanted_is_kept_when_its_field_is_left(visit, server):
    workspace = with_keys(Visitor(server).logged_in())
    page = visit.at(f"/w/{workspace.id}/roles")
    page.fill("#k", "10")
    page.keyboard.press("Tab")
    until(lambda: page.text_content("#status") == "Saved.")
    page.wait_for_selector("#saved:not(.bad):has-text('Saved.')")  # seen, too
    assert workspace.document["criterion"] == {"k": 10}
    page.fill("#k", "many")
    page.keyboard.press("Tab")
    until(lambda: page.text_content("#status").startswith("Not saved"))
    page.select_option("#missing", "wildcard")
    until(lambda: page.text_content("#status") == "Saved.")
    assert "must be a whole number of at least 1" in page.inner_text("#saved.bad")  # not mended yet
    page.reload()
    assert page.input_value("#k") == "10"
    page.fill("#k", "12")
    page.click("button:has-text('Measure')")
    page.wait_for_selector("#results .found")
    assert workspace.document["criterion"] == {"k": 12}
    assert visit.said == []


@pytest.mark.parametrize("path", ["roles", "protect"])
def test_more_requirements_stay_closed_until_one_is_asked_for(visit, server, path):
    workspace = with_keys(Visitor(server).logged_in())
    page = visit.at(f"/w/{workspace.id}/{path}")
    field = page.locator("[name='disclosure_risk-limit']")
    assert page.locator("#k").is_visible()
    assert not field.is_visible()
    page.click("summary:has-text('More requirements')")
    field.fill("20 %")
    if path == "roles":
        page.keyboard.press("Tab")
        until(lambda: page.text_content("#status") == "Saved.")
    else:
        with page.expect_navigation():
            page.keyboard.press("Enter")
    assert workspace.document["criterion"] == {"disclosure_risk": 0.2}
    page.reload()
    assert field.is_visible()
    assert field.input_value() == "0.2"
    assert visit.said == []


def test_the_share_of_a_sample_is_asked_for_where_a_sample_is_released(visit, server):
    """A share beside "the whole table" would be said to be saved, and asked of nothing."""
    workspace = with_keys(Visitor(server).logged_in())
    page = visit.at(f"/w/{workspace.id}/roles")
    assert not page.is_visible("#share")
    page.select_option("#released", "sample")
    assert page.is_visible("#share")
    page.fill("#share", "25")
    page.keyboard.press("Tab")
    until(lambda: workspace.settings.get("risk") == {"share": 0.25})
    page.reload()
    assert page.input_value("#share") == "25"
    assert page.is_visible("#share")
