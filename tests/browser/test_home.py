"""The first page and what leads back to it, in a real browser."""

import shutil

import pytest

from tests.app.conftest import running
from tests.app.releases import GENERALIZE, protected
from tests.app.test_server import logged_in, started
from tests.app.visitor import Visitor
from tests.app.waiting import until
from tests.browser import drops, readable
from tests.browser.steward import Steward, patient


@pytest.fixture(scope="module")
def kept(tmp_path_factory, patients):
    """The folder of projects, with one that has a run, of an upload."""
    folder = tmp_path_factory.mktemp("kept")
    with running(folder / "work", projects=folder / "data") as server:
        visitor = Visitor(server).logged_in()
        workspace = visitor.open(patients)
        visitor.post(f"/w/{workspace.id}/data/suggested")
        visitor.post(f"/w/{workspace.id}/hierarchies/suggested")
        protected(visitor, workspace, {**GENERALIZE, "max_suppressed-0": "20 %"})
    return folder


@pytest.mark.parametrize("width", readable.WIDTHS)
def test_a_project_is_taken_up_on_pages_that_fit_and_axe_finds_nothing(
    browser, kept, tmp_path, patients, width
):
    shutil.copytree(kept / "data", tmp_path / "data")
    (tmp_path / "data").chmod(0o700)
    with running(tmp_path / "work", projects=tmp_path / "data") as server:
        visit = Steward.alone(browser, server, width)

        def looked_at(name):
            readable.look(visit.page, width, name)

        page = visit.enter()
        looked_at("home")
        page.click("button:has-text('Continue')")
        page.wait_for_selector("text=Choose again")
        assert "Out of date" not in page.inner_text("main")  # nobody knows before it is read
        looked_at("asked")
        page.set_input_files("#files", patients)
        page.click("button:has-text('Go on')")
        page.wait_for_selector("#columns-title")
        until(lambda: not visit.workspace.is_busy)
        at = page.url.removesuffix("/data")
        page.goto(f"{at}/compare")
        page.fill("#name", "first try")
        page.click("text=Save the name")
        page.wait_for_selector("text=1. first try")
        looked_at("compare")
        page.click("text=Undo:")
        page.wait_for_selector("button:has-text('Redo:')")
        page.click("a:has-text('History')")
        page.wait_for_selector("h1:has-text('History')")
        looked_at("history")
        page.goto(f"{at}/close")
        looked_at("closing")
        page.click("text=Close, and keep the project")
        page.wait_for_selector("text=The project is kept")
        page.goto(f"{server.address}/")
        assert not page.is_visible("text=patients.csv")
        visit.context.clear_cookies()
        page.goto(f"{server.address}/")
        page.wait_for_selector("text=press Enter")
        looked_at("back")
        page.goto(server.link)
        page.wait_for_selector("button:has-text('Continue')")
        assert [
            said for said in visit.said if "401" not in said
        ] == []  # of the page that was refused
        visit.leave()


def test_after_a_kill_only_what_was_being_typed_is_lost(browser, tmp_path, patients):
    table = tmp_path / "house" / "patients.csv"
    table.parent.mkdir(mode=0o700)
    shutil.copy(patients, table)
    page = patient(browser.new_context()).new_page()

    def release(app):
        page.goto(app.link())
        page.wait_for_selector("#columns-title")
        page.goto(page.url.replace("/data", "/release"))
        return page.url.removesuffix("/release")

    with started(tmp_path / "tmp", table, "--no-browser") as app:
        visitor, landing = logged_in(link := app.link())
        until(lambda: "records, 7 columns" in visitor.get(landing).text)
        at = landing.removesuffix("/data")
        visitor.post(f"{at}/data/suggested")
        steps = {"do": "run", "do-0": "sample", "fraction-0": "50", "seed-0": "7", "k": "", "p": ""}
        visitor.post(f"{at}/protect", steps)
        until(lambda: visitor.post(f"{at}/compare/1/choose").status == 303)
        page.goto(link)
        page.wait_for_selector("h1")
        page.goto(link.partition("/?")[0] + f"{at}/release")
        for box in page.locator("textarea[required]").all():
            box.fill("Agreed.")
        page.click("text=Make the release")
        page.wait_for_selector("text=Verified")
        with page.expect_download() as before:
            page.click("a:has-text('Masked table')")
        page.fill("#remark", "half a sente")
        app.process.kill()
        app.process.wait()
        page.evaluate("window.dispatchEvent(new Event('online'))")
        page.wait_for_selector("#lost:visible >> text=The app does not answer: it has ended.")
    with started(tmp_path / "tmp", table, "--no-browser") as app:
        release(app)
        page.wait_for_selector("text=Verified")  # made again, without a click
        with page.expect_download() as after:
            page.click("a:has-text('Masked table')")
        assert after.value.path().read_bytes() == before.value.path().read_bytes()
        assert page.input_value("#remark") == ""
        written = page.locator("textarea[required]").evaluate_all("all => all.map(e => e.value)")
        assert set(written) == {"Agreed."}
    page.context.close()


@pytest.mark.parametrize("rule", drops.RULES, ids=lambda rule: rule.__name__)
def test_a_dropped_file_goes_into_its_field_and_nowhere_else(steward, rule):
    drops.holds(steward().at("/"), rule)


def test_a_file_that_is_dropped_is_opened(steward):
    visit = steward()
    page = visit.at("/")
    drops.dropped(page, ".drop", ["t.csv"])
    page.wait_for_selector("#columns-title")
    assert visit.workspace.name == "t.csv"
