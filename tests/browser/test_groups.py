"""The editor of groups in a real browser: by mouse and by keyboard, and no rare value in it."""

import pytest

from tests.app.releases import number
from tests.app.visitor import Visitor
from tests.browser import readable

RARE = "zeppelin pilot"  # in one record
JOBS = ["baker"] * 9 + ["cook"] * 8 + ["nurse"] * 7 + ["surgeon"] * 6 + [RARE]


@pytest.fixture(scope="module")
def workspace(server):
    visitor = Visitor(server).logged_in()
    rows = [f"{job},{15 + i % 20}" for i, job in enumerate(JOBS)]
    found = visitor.open("jobs.csv", "\n".join(["job,age", *rows, ""]).encode())
    for at in (0, 1):
        visitor.post(f"/w/{found.id}/roles/{at}", {f"role-{at}": "key", f"type-{at}": ""})
    return found


def file_of(workspace, name):
    return (workspace.folder / workspace.document["hierarchies"][name]["file"]).read_text(
        encoding="utf-8"
    )


def test_groups_are_made_by_mouse_and_keyboard_and_a_rare_value_is_not_shown(
    steward, server, workspace
):
    visit = steward()
    at = f"/w/{workspace.id}/hierarchy/{number(workspace, 'job')}"
    page = visit.at(at)
    page.click("text=Edit the groups by hand")
    page.click("text=Add a level below")
    page.wait_for_selector("[data-group='3']")
    # by keyboard: tick two, name the group, put them there
    page.focus("[name=item][value='0']")
    page.keyboard.press("Space")
    page.focus("[name=item][value='1']")
    page.keyboard.press("Space")
    page.fill("#label", "kitchen")
    page.focus("#editor [value=put]")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-group] input[value=kitchen]")
    # by mouse: a value is dragged onto a group
    page.drag_and_drop("[data-item]:has-text('surgeon')", "[data-group]:has(input[value=nurse])")
    page.wait_for_selector("[data-item]:has-text('surgeon') >> text=in nurse")
    name = page.locator("[data-group] input[value=nurse]")
    name.fill("hospital")
    name.press("Enter")
    page.wait_for_selector("[data-group] input[value=hospital]")
    page.click("[aria-label='kitchen down']")
    page.wait_for_selector("[data-group='0'] input[value=hospital]")
    assert file_of(workspace, "job").splitlines() == [
        "nurse;hospital;*", "surgeon;hospital;*", "baker;kitchen;*", "cook;kitchen;*",
        f"{RARE};{RARE};*",
    ]  # fmt: skip
    assert "value 1, rare" in page.inner_text("#editor")
    assert "2 groups" not in page.inner_text("#preview tbody")
    page.click("#editor [value=put]")
    page.wait_for_selector("text=nothing is ticked")
    for width in (readable.ENLARGED, readable.WIDE):
        readable.look(page, width, "groups")
    visitor = Visitor(server).logged_in()
    for path in ("", "/groups", "/groups?level=2", "/preview?builder=by_frequency"):
        assert RARE not in visitor.get(at + path).text, path
    assert RARE not in page.content()
    assert all("422" in line for line in visit.said)


def test_unequal_cut_points_have_labels_that_a_reader_expects(steward, workspace):
    visit = steward()
    page = visit.at(f"/w/{workspace.id}/hierarchy/{number(workspace, 'age')}")
    page.check("[value=cuts]")
    page.fill("#cuts", "18, 21, 30\n21")
    page.click("text=Preview")
    page.wait_for_selector("#preview >> text=21–29")
    page.click("button:text-is('Save')")
    page.wait_for_url("**/roles**")
    kept = workspace.document["hierarchies"]["age"]
    assert kept == {"cuts": [[18, 21, 30], [21]], "labels": "closed"}
