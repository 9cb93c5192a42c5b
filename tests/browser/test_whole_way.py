"""From a table to its verified release in a real browser: by mouse, by keyboard, and when things
go wrong on the way.
"""

import os
import signal
from urllib.parse import urlsplit

import pytest

import discreet as ds
from tests.app.releases import CHAIN, GENERALIZE, number, opened, protected, released
from tests.app.test_jobs import endless, is_alive  # noqa: F401 - a fixture
from tests.app.visitor import Visitor
from tests.browser import readable

SECRET = "Tr0ub4dor"


@pytest.fixture(scope="module")
def table(patients):
    """A table one of whose cells must never be seen."""
    lines = patients.read_text(encoding="utf-8").splitlines()
    cells = lines[7].split(",")
    lines[7] = ",".join([*cells[:5], SECRET, *cells[6:]])
    return "\n".join([*lines, ""]).encode()


@pytest.fixture(scope="module")
def ready(server, patients):
    """A table with two runs, the first of which was released."""
    visitor = Visitor(server).logged_in()
    workspace = opened(visitor, patients)
    protected(visitor, workspace, GENERALIZE)
    protected(visitor, workspace, CHAIN)
    released(visitor, workspace, 1)
    return workspace


def quiet(visit):
    """Nothing was said, and nothing but the app was asked."""
    assert visit.said == []
    assert {urlsplit(url).netloc for url in visit.asked} == {f"127.0.0.1:{visit.server.known.port}"}


def kept(visit):
    """What the browser keeps."""
    page = visit.page
    stores = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"
    return page.evaluate(stores) + str(page.evaluate("performance.getEntries().map(e => e.name)"))


def same_figures(page, file):
    """The downloaded table measured with the library gives what the page shows."""
    roles = {"keys": ["age", "zip", "sex"], "confidential": ["illness", "income"]}
    names = [*roles["keys"], *roles["confidential"]]
    risk = ds.risk(ds.read(file, **roles, types=dict.fromkeys(names, "nominal")))
    figures = page.inner_text(".figures").replace("\n", " ")
    assert f"smallest class (k) {risk.k}" in figures
    assert f"records alone in their class {risk.uniques}" in figures
    assert f"released, {risk.n}" in f"released, {page.inner_text('tr.here td >> nth=0')}"


def test_the_whole_way_by_mouse(steward, table, tmp_path):
    visit = steward(alone=True)
    page = visit.open("patients.csv", table)
    seen = [page.content()]
    page.click("text=Use the suggested roles")
    for column, builder, field, text in (
        ("age", "intervals", "#widths", "10, 20, 40"),
        ("zip", "prefixes", "#lengths", "5, 3, 1, 0"),
    ):
        page.click(f"[aria-label='{column}: hierarchy']")
        page.check(f"[value={builder}]")
        page.fill(field, text)
        page.click("button:has-text('Save')")
    page.click("#results button:has-text('Measure')")
    page.wait_for_selector(".found figure svg")
    seen.append(page.content())
    page.click("nav >> text=Explore")
    page.click("text=Compute all nodes")
    page.wait_for_selector("#use")
    page.click("a.best")
    page.click("#use")
    page.wait_for_selector("text=In the plan")
    levels = visit.workspace.document["steps"][0]["levels"]
    seen.append(page.content())
    page.click("nav >> text=Protect")
    for name, level in levels.items():
        assert page.input_value(f"#level-0-{number(visit.workspace, name)}") == str(level)
    page.click("button:has-text('Run')")
    page.wait_for_selector("#results >> text=1. Generalization")
    seen.append(page.content())
    page.click("#results >> text=Compare")
    page.wait_for_selector("figure svg")
    seen.append(page.content())
    page.click("text=Choose this run and go to the release")
    page.wait_for_selector("text=Make the release")
    for box in page.locator("textarea[required]").all():
        box.fill("Agreed with the data protection officer.")
    page.click("text=Make the release")
    page.wait_for_selector("text=Verified")
    seen.append(page.content())
    with page.expect_download() as got:
        page.click("a:has-text('Masked table')")
    assert got.value.suggested_filename == "masked.csv"
    got.value.save_as(tmp_path / "masked.csv")
    page.click("text=run 1, Generalization")
    same_figures(page, tmp_path / "masked.csv")
    assert SECRET not in "".join(seen) + kept(visit)
    quiet(visit)
    folder = visit.workspace.folder
    page.click("nav >> text=Release")
    page.click("main >> text=Close and erase")
    page.wait_for_selector("h1:has-text('Close this table?')")
    assert folder.exists()
    assert "Not downloaded: Report for the public" in page.inner_text("main")
    page.click("text=Erase everything")
    page.wait_for_selector("h1:has-text('Closed')")
    assert not folder.exists()


class Keyboard:
    """A steward without a mouse."""

    def __init__(self, page):
        self.page = page

    def to(self, selector):
        """Press Tab until the focus is there."""
        for _ in range(150):
            if self.page.evaluate("s => document.activeElement?.matches(s)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not lead to {selector}")

    def press(self, selector, *, then):
        """Press Enter there, and wait for what comes."""
        self.to(selector)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(then)

    def write(self, selector, text):
        """Write into a field, over what is there."""
        self.to(selector)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def hierarchy(self, row, down, field, text):
        """Choose a builder by the arrow keys, and fill in its field."""
        self.press(f"#row-{row} a[href*=hierarchy]", then="[name=builder]")
        self.to("[name=builder]")
        for _ in range(down):
            self.page.keyboard.press("ArrowDown")
        self.write(field, text)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("h1:has-text('Roles')")


def test_the_whole_way_by_keyboard_alone(steward, patients, tmp_path):
    visit = steward()
    page = visit.enter()
    keyboard = Keyboard(page)
    keyboard.to("#file")
    with page.expect_file_chooser() as asked:
        page.keyboard.press("Space")
    asked.value.set_files(patients)
    keyboard.press("form[action='/open'] button", then="#columns-title")
    keyboard.press("form[action$=suggested] button", then="h1:has-text('Roles')")
    keyboard.hierarchy(2, 1, "#widths", "20, 40")
    keyboard.hierarchy(3, 3, "#lengths", "5, 3, 0")
    keyboard.press("#results button", then=".found figure svg")
    keyboard.press("nav a[href$=explore]", then="h1:has-text('Explore')")
    keyboard.press("form[action$=sweep] button", then="#found")
    keyboard.press("#expert summary", then="a.best")
    keyboard.press("a.best", then="#use:not([disabled])")
    keyboard.press("#use", then="text=In the plan")
    keyboard.press("nav a[href$=protect]", then="#max_suppressed-0")
    keyboard.write("#k", "3")
    page.keyboard.press("Enter")  # saves, and does not remove a step
    page.wait_for_selector("#k[value='3']")
    keyboard.press("[value=run]", then="#results a[href$='compare/1']")
    keyboard.press("#results a[href$='compare/1']", then="figure svg")
    keyboard.press("form[action$=choose] button", then="h1:has-text('Release')")
    for name in page.locator("textarea[required]").evaluate_all("all => all.map(e => e.id)"):
        keyboard.write(f"#{name}", "Agreed.")
    keyboard.press("form[action$=release] button", then="text=Verified")
    keyboard.to("a[href$=masked]")
    with page.expect_download() as got:
        page.keyboard.press("Enter")
    got.value.save_as(tmp_path / "masked.csv")
    keyboard.press("a[href$='compare/1']", then="figure svg")
    same_figures(page, tmp_path / "masked.csv")
    quiet(visit)


# -- when things go wrong ------------------------------------------------------------------------


@pytest.fixture
def at_work(steward, ready, endless):  # noqa: F811
    """A steward who watches a run that does not end by itself."""
    visit = steward(alone=True)  # it loses its connection
    page = visit.at(f"/w/{ready.id}/protect")
    endless("")
    page.click("button:has-text('Run')")
    page.wait_for_selector("#job progress[value='25']")
    yield visit
    ready.cancel()


def test_cancel_leaves_no_process_and_keeps_the_chain(at_work, ready):
    job, chain = ready.job, ready.document["steps"]
    assert is_alive(job.pid)
    at_work.page.click("text=Cancel")
    at_work.page.wait_for_selector("text=No result was kept.")
    assert not is_alive(job.pid)
    assert at_work.page.url.endswith("/protect")
    assert ready.document["steps"] == chain
    assert at_work.page.locator("#results tbody tr").count() == 2
    quiet(at_work)


def test_a_worker_that_is_killed_shows_as_failed_without_a_reload(at_work, ready):
    os.kill(ready.job.pid, signal.SIGKILL)
    at_work.page.wait_for_selector("#job:has-text('failed')")
    assert "E60" in at_work.page.inner_text("#job")
    assert at_work.page.is_enabled("button:has-text('Run')")
    assert at_work.page.inner_text("#status") == "Protecting the table: failed"


def test_ten_seconds_without_a_connection_a_reload_and_the_back_button_lose_nothing(at_work, ready):
    page = at_work.page
    page.fill("#fraction-0", "33")  # not saved yet
    at_work.context.set_offline(True)
    page.wait_for_selector("#lost:visible")
    page.wait_for_timeout(10_000)
    assert is_alive(ready.job.pid)
    at_work.context.set_offline(False)
    page.wait_for_selector("#lost", state="hidden")
    assert page.input_value("#fraction-0") == "33"
    page.click("text=Save without running")
    page.wait_for_selector("#fraction-0[value='33']")
    page.reload()
    page.wait_for_selector("#job progress")
    assert page.input_value("#fraction-0") == "33"
    page.click("nav >> text=Compare")
    page.wait_for_selector("#job progress")
    page.go_back()
    assert page.url.partition("#")[0].endswith("/protect")
    page.wait_for_selector("#job progress")
    page.fill("#fraction-0", "80")
    page.click("text=Save without running")
    page.wait_for_selector("#fraction-0[value='80']")


def test_two_tabs_with_two_tables_mix_nothing(steward, ready):
    visit = steward()
    first = visit.at(f"/w/{ready.id}/release")
    second = visit.tab()
    visit.page = second
    visit.open("few.csv", b"age,job\n" + b"".join(b"%d,cook\n" % (20 + i % 9) for i in range(90)))
    second.goto(second.url.replace("/data", "/roles"))
    with second.expect_response("**/roles/0"):
        second.select_option("#role-0", "key")
    second.click("nav >> text=Protect")
    second.click("text=Sampling")
    second.click("button:has-text('Run')")
    second.wait_for_selector("#results >> text=1. Sampling")
    first.reload()
    assert "patients.csv" in first.inner_text("header")
    assert "run 1, Generalization for 5-anonymity" in first.inner_text("main")
    assert first.is_visible("text=Verified")
    second.click("nav >> text=Release")
    assert "no run is chosen" in second.inner_text("main")
    with first.expect_download() as got:
        first.click("a:has-text('Masked table')")
    assert b"illness" in got.value.path().read_bytes()
    quiet(visit)


def test_a_role_that_changes_in_another_tab_blocks_the_download(steward, ready):
    visit = steward()
    first = visit.at(f"/w/{ready.id}/release")
    second = visit.tab()
    second.goto(f"{visit.server.address}/w/{ready.id}/roles")
    sex = number(ready, "sex")
    with second.expect_response(f"**/roles/{sex}"):
        second.select_option(f"#role-{sex}", "other")
    answer = visit.context.request.get(f"{visit.server.address}/w/{ready.id}/release/file/masked")
    assert (answer.status, "out of date" in answer.text()) == (409, True)
    first.reload()
    assert "it is out of date" in first.inner_text("main")
    assert first.is_disabled("text=Make the release")
    with second.expect_response(f"**/roles/{sex}"):
        second.select_option(f"#role-{sex}", "key")
    first.reload()
    assert first.is_visible("text=Verified")


# -- readable by everyone ------------------------------------------------------------------------


@pytest.mark.parametrize("width", readable.WIDTHS)
def test_every_page_and_state_fits_its_window_and_axe_finds_nothing(
    steward,
    ready,
    patients,
    endless,  # noqa: F811
    width,
):
    visit = steward(width)
    empty = opened(Visitor(visit.server).logged_in(), patients)

    def look(name):
        page.wait_for_load_state()  # with its style
        readable.look(page, width, name)

    page = visit.at(f"/w/{empty.id}/protect")
    look("protect, empty")
    for path in ("compare", "release"):
        page.goto(f"{visit.server.address}/w/{empty.id}/{path}")
        look(f"{path}, empty")
    page.goto(f"{visit.server.address}/w/{empty.id}/protect")
    added = {
        "Sampling": "#seed-0",
        "Generalization": "#max_suppressed-1",
        "Microaggregation": "#method-2",
    }
    for kind, field in added.items():
        page.click(f"text=+ {kind}")
        page.wait_for_selector(field)
    page.check("[name=choice-1][value=levels]")
    look("protect, a chain")
    page.fill("#k", "few")
    page.fill("#fraction-0", "all")
    page.click("button:has-text('Run')")
    page.wait_for_selector("text=P60")
    readable.look_at(page, "main", "protect, problems")
    for path in ("protect", "compare", "release"):
        page.goto(f"{visit.server.address}/w/{ready.id}/{path}")
        look(path)
    endless("")
    page.goto(f"{visit.server.address}/w/{ready.id}/protect")
    page.click("button:has-text('Run')")
    page.wait_for_selector("#job progress[value='25']")
    readable.look_at(page, "#job", "protect, running")
    page.click("text=Cancel")
    page.wait_for_selector("text=No result was kept.")
    readable.look_at(page, "#job", "protect, cancelled")
    page.click("button:has-text('Run')")
    page.wait_for_selector("#job progress[value='25']")
    os.kill(ready.job.pid, signal.SIGKILL)
    page.wait_for_selector("#job:has-text('failed')")
    readable.look_at(page, "#job", "protect, failed")
    sex = number(ready, "sex")
    visitor = Visitor(visit.server).logged_in()
    visitor.post(f"/w/{ready.id}/roles/{sex}", {f"role-{sex}": "other", f"type-{sex}": ""})
    for path in ("protect", "compare", "release"):
        page.goto(f"{visit.server.address}/w/{ready.id}/{path}")
        readable.look_at(page, "main", f"{path}, out of date")
    visitor.post(f"/w/{ready.id}/roles/{sex}", {f"role-{sex}": "key", f"type-{sex}": ""})
    visitor.post(f"/w/{empty.id}/close")
