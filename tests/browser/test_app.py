"""The app in a real browser: the way of a steward, and pages of others that want in."""

import http.server
import os
import signal
import threading
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

import discreet as ds
from tests.app.conftest import running
from tests.app.inside import HOSTILE, hostile_table
from tests.app.test_jobs import endless, is_alive  # noqa: F401 - a fixture
from tests.app.visitor import Visitor
from tests.app.waiting import ended, until
from tests.browser import readable
from tests.browser.conftest import QUIET, executable
from tests.browser.steward import Steward, patient


@pytest.fixture(scope="module")
def table(patients):
    return patients.read_bytes()


@pytest.fixture(scope="module")
def opened(server, table):
    """The address of a table that was opened, with roles, and measured."""
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("patients.csv", table)
    visitor.post(f"/w/{workspace.id}/data/suggested")
    visitor.post(f"/w/{workspace.id}/roles/measure")
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems
    return f"/w/{workspace.id}"


def measure(page):
    page.click("#results button:has-text('Measure')")
    page.wait_for_selector(".found figure svg")


# -- the way of a steward ------------------------------------------------------------------------


def test_a_table_is_opened_and_measured_quietly_and_nothing_leaves_the_machine(
    steward, table, patients
):
    visit = steward(alone=True)
    page = visit.open("patients.csv", table)
    page.click("text=Use the suggested roles")
    measure(page)
    risk = ds.risk(ds.read(patients, **ds.suggest_roles(ds.read(patients)).roles))
    assert f"smallest class (k)\n{risk.k}" in page.inner_text("#results")
    assert f"{risk.uniques:,}" in page.inner_text("#results .figures")
    assert visit.said == []
    assert {urlsplit(url).netloc for url in visit.asked} == {f"127.0.0.1:{visit.server.known.port}"}
    assert "token" not in page.url
    assert page.evaluate("Object.keys(localStorage)") == []
    assert page.evaluate("Object.values(sessionStorage).join()").count("patients") == 0
    assert page.evaluate("document.cookie") == ""


def test_a_role_is_saved_on_change_by_keyboard_and_the_focus_stays(steward, opened):
    visit = steward()
    page = visit.at(f"{opened}/roles")
    page.focus("#role-6")
    with page.expect_response("**/roles/6"):
        page.keyboard.press("Home")  # the first role
    page.wait_for_selector("text=Out of date: computed before the last change.")
    assert page.evaluate("document.activeElement.id") == "role-6"
    assert page.inner_text("#status") == "Saved."
    assert "Out of date" in page.inner_text("#banner")
    page.reload()
    assert page.input_value("#role-6") == "other"
    with page.expect_response("**/roles/6"):
        page.select_option("#role-6", "confidential")
    page.wait_for_selector(".stamp", state="detached")
    assert visit.said == []


def test_a_hierarchy_is_tried_and_kept(steward, opened):
    visit = steward()
    page = visit.at(f"{opened}/roles")
    page.click("[aria-label='age: hierarchy']")
    page.wait_for_selector("[value=intervals]")
    assert not page.is_visible("#widths")
    page.check("[value=intervals]")
    page.fill("#widths", "10, 20")
    page.click("text=Preview")
    page.wait_for_selector("#preview table")
    assert "20–39" in page.inner_text("#preview")
    page.click("button:has-text('Save')")
    page.wait_for_selector("[aria-label='age: hierarchy']:has-text('intervals')")
    kept = {"age": {"intervals": [10, 20], "labels": "closed"}}
    assert visit.workspace.plan.section("hierarchies") == kept
    assert visit.said == []


def test_two_tabs_two_tables_and_the_back_button_mix_nothing(steward, opened):
    visit = steward()
    first = visit.at(f"{opened}/data")
    here = first.url
    second = visit.tab()
    visit.page = second
    visit.with_table("few.csv", b"age,job\n23,cook\n37,smith\n")
    assert "few.csv" in second.inner_text("header")
    first.click("text=Use the suggested roles")
    first.wait_for_selector("text=Attributes")
    first.go_back()
    assert first.url == here
    assert "patients.csv" in first.inner_text("header")
    second.reload()
    assert "2 columns" in second.inner_text("#columns-title")
    assert visit.said == []


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(steward):
    visit = steward()
    page = visit.at("/")
    assert page.get_attribute("#file", "data-most") == str(200 << 20)
    large = {"name": "t.csv", "mimeType": "text/csv", "buffer": b"a\n" * 200}
    page.evaluate("document.getElementById('file').dataset.most = 399")  # not to send so much here
    page.set_input_files("#file", large)
    page.click("form[action='/open'] button.primary")
    assert "larger" in page.evaluate("document.getElementById('file').validationMessage")
    assert not any(url.endswith("/open") for url in visit.asked)


def test_a_closed_table_is_gone(steward, table):
    visit = steward()
    page = visit.with_table("patients.csv", table)
    here, folder = page.url, visit.workspace.folder
    page.click("text=Close this table")
    page.click("text=Erase everything")
    page.wait_for_selector("h1:has-text('Closed')")
    assert not folder.exists()
    assert page.goto(here).status == 404


# -- jobs ----------------------------------------------------------------------------------------


@pytest.fixture
def at_work(steward, opened, endless):  # noqa: F811
    """A steward who watches a job that does not end by itself."""
    visit = steward(alone=True)  # it loses its connection
    page = visit.at(f"{opened}/roles")
    endless("")
    page.click("#results button:has-text('Measure')")
    page.wait_for_selector("#job progress[value='25']")
    yield visit
    visit.workspace.cancel()


def test_cancel_leaves_no_process(at_work):
    job = at_work.workspace.job
    assert is_alive(job.pid)
    at_work.page.click("text=Cancel")
    at_work.page.wait_for_selector("text=No result was kept.")
    assert not is_alive(job.pid)
    assert at_work.page.url.endswith("/roles")
    assert at_work.said == []


def test_a_worker_that_is_killed_shows_as_failed_without_a_reload(at_work):
    os.kill(at_work.workspace.job.pid, signal.SIGKILL)
    at_work.page.wait_for_selector("#job:has-text('failed')")
    assert "E60" in at_work.page.inner_text("#job")
    at_work.page.wait_for_selector("#results button:enabled:has-text('Measure')")
    until(lambda: at_work.page.inner_text("#status") == "Measuring the risk: failed")


def test_a_lost_connection_is_said_and_the_job_goes_on(at_work):
    page = at_work.page
    at_work.context.set_offline(True)
    page.wait_for_selector("#lost:visible >> text=This browser is offline")
    page.wait_for_timeout(500)
    assert is_alive(at_work.workspace.job.pid)
    at_work.context.set_offline(False)
    page.wait_for_selector("#lost", state="hidden")
    seconds = page.inner_text("#job .quiet")
    until(lambda: page.inner_text("#job .quiet") != seconds)
    page.reload()
    page.wait_for_selector("#job progress")
    other = at_work.tab()
    other.goto(page.url)
    assert other.is_visible("text=Cancel")


def test_a_server_that_has_ended_is_told_from_a_lost_connection(browser, tmp_path, table):
    ask = "window.dispatchEvent(new Event('online'))"  # what asks every five seconds, at once
    with running(tmp_path / "work") as server:
        visit = Steward.alone(browser, server)
        page = visit.with_table("patients.csv", table)
        page.evaluate(ask)
        page.wait_for_function("performance.getEntriesByName(location.origin + '/static/icon.svg')")
        assert page.is_hidden("#lost")
        visit.context.clear_cookies()
        page.evaluate(ask)
        page.wait_for_selector("#lost:visible >> text=can no longer reach the app")
    page.set_viewport_size({"width": 1400, "height": 400})
    page.evaluate("window.scrollTo(0, 10000)")
    page.evaluate(ask)
    page.wait_for_selector("#lost:visible >> text=The app does not answer: it has ended.")
    box = page.locator("#lost").bounding_box()
    assert 0 <= box["y"] < 400, "the bar stays in view"
    assert page.locator("#lost [data-why]:visible").count() == 1
    visit.leave()


def test_tabs_say_how_far_they_are_and_terms_are_explained_where_they_stand(steward, opened):
    page = steward().at(f"{opened}/roles")

    def states():
        return [" ".join(text.split()) for text in page.locator(".steps li").all_text_contents()]

    assert states()[:3] == [
        "1 Data ✓ (done)",
        "2 Roles & risk ✓ (done)",
        "3 Explore ○ (nothing yet)",
    ]
    with page.expect_response("**/roles/2"):
        page.select_option("#role-2", "other")
    page.wait_for_selector(".steps >> text=(out of date)", state="attached")
    assert states()[1] == "2 Roles & risk ! (out of date)"
    assert page.get_attribute(".steps [aria-current]", "href").endswith("/roles")
    with page.expect_response("**/roles/2"):
        page.select_option("#role-2", "key")
    page.click("[aria-label='What does “key” mean?']")
    assert "What an intruder may know from elsewhere" in page.inner_text(".meaning:popover-open")
    page.keyboard.press("Escape")
    assert page.locator(".meaning:popover-open").count() == 0


def test_of_300_columns_some_are_found_and_get_a_role_at_once(steward):
    names = [f"{'visit' if i % 3 else 'money'}_{i}" for i in range(300)]
    rows = [",".join(str((i * j + j) % 7) for i in range(300)) for j in range(40)]
    page = steward().with_table("wide.csv", "\n".join([",".join(names), *rows]).encode(), "roles")
    page.fill("#find", "Money")
    assert page.inner_text("#found-columns") == "100 of 300 columns"
    assert page.locator("table.roles tbody tr:visible").count() == 100
    page.check("#pick-all")
    page.select_option("#many", "key")
    page.click("text=Give this role")
    page.wait_for_selector("#figures >> text=100 key")
    page.select_option("#having", "key")
    assert page.inner_text("#found-columns") == "100 of 300 columns"
    with page.expect_response("**/roles/0"):
        page.select_option("#role-0", "confidential")
    page.wait_for_selector("#figures >> text=99 key")
    page.wait_for_selector("#figures >> text=1 confidential")
    box = page.locator("#figures").bounding_box()
    assert 0 < box["y"] < 900 - box["height"] + 1, "the panel stays in view"
    took = page.evaluate(
        """() => { const begun = performance.now();
            const find = document.getElementById('find');
            find.value = 'visit_1'; find.dispatchEvent(new Event('input'));
            return performance.now() - begun; }"""
    )
    assert took < 500  # milliseconds, on a busy machine


# -- others that want in -------------------------------------------------------------------------


@contextmanager
def site(text):
    """A page on another port, and the headers of all that asks for it."""
    heard = []

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(dict(self.headers))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    try:
        yield served.server_address[1], heard
    finally:
        served.shutdown()
        served.server_close()


@pytest.fixture(scope="module")
def misled(browser):
    """A browser that takes evil.test for this machine."""
    opened = browser.browser_type.launch(
        executable_path=executable(),
        args=[*QUIET, "--host-resolver-rules=MAP evil.test 127.0.0.1"],
    )
    yield opened
    opened.close()


def test_a_name_that_is_turned_to_this_machine_does_not_get_in(misled, server):
    page = patient(misled.new_context()).new_page()
    port = server.known.port
    assert page.goto(f"http://evil.test:{port}/").status == 421
    assert page.goto(f"http://evil.test:{port}/?token={server.known.token}").status == 421
    assert page.context.cookies() == []


ATTACK = """async (target) => {
    const form = new FormData();
    for (const [name, value] of [["separator", ""], ["encoding", "utf-8"], ["header", ""]])
        form.set(name, value);
    form.set("file", new File(["age\\n23\\n"], "planted.csv"));
    const tried = async (work) => { try { return await work(); } catch { return "failed"; } };
    const asked = (path, how) => tried(async () => {
        const answer = await fetch(target + path, {credentials: "include", ...how});
        return answer.type === "opaque" ? "blind" : "read " + answer.status;
    });
    return {
        read: await asked("/", {}),
        blind: await asked("/", {mode: "no-cors"}),
        post: await asked("/open", {method: "POST", body: form}),
        planted: await asked("/open", {method: "POST", body: form, mode: "no-cors"}),
        socket: await new Promise((done) => {
            const line = new WebSocket(target.replace("http", "ws") + "/");
            line.onopen = () => done("open");
            line.onerror = () => done("failed");
        }),
        script: await new Promise((done) => {
            const script = document.createElement("script");
            script.src = target + "/static/app.js";
            script.onload = () => done("loaded");
            script.onerror = () => done("failed");
            document.body.append(script);
        }),
        frame: await new Promise((done) => {
            const frame = document.createElement("iframe");
            frame.onload = () => { try { done(frame.contentDocument ? "same" : "closed"); }
                                   catch { done("closed"); } };
            frame.src = target + "/";
            document.body.append(frame);
        }),
    };
}"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "evil.test"])
def test_a_page_on_another_port_or_host_reads_and_changes_nothing(misled, server, host):
    context = patient(misled.new_context())
    page = context.new_page()
    page.goto(server.link)
    page.wait_for_url(f"{server.address}{server.known.listing}")
    before = len(server.workspaces._all)
    with site("<!DOCTYPE html><body>") as (port, heard):
        page.goto(f"http://{host}:{port}/")
        found = page.evaluate(ATTACK, server.address)
        assert found["read"] == found["post"] == found["socket"] == found["script"] == "failed"
        assert found["frame"] == "closed"
        sent = heard[0].get("Cookie", "")
    assert len(server.workspaces._all) == before
    # cookies do not tell ports apart: another server of 127.0.0.1 gets ours, so that the cookie
    # alone opens no table
    assert (server.known.cookie in sent) == (host == "127.0.0.1")
    context.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "evil.test"])
def test_a_form_on_another_port_or_host_opens_nothing(misled, server, host):
    context = patient(misled.new_context())
    page = context.new_page()
    page.goto(server.link)
    page.wait_for_url(f"{server.address}{server.known.listing}")
    before = len(server.workspaces._all)
    form = (
        f'<!DOCTYPE html><form method="post" action="{server.address}/open">'
        '<input name="separator"><button>Win</button></form>'
    )
    with site(form) as (port, _):
        page.goto(f"http://{host}:{port}/")
        with page.expect_navigation() as led:
            page.click("text=Win")
        assert led.value.status in (401, 403)
    assert len(server.workspaces._all) == before
    context.close()


def test_the_app_opens_from_a_file_and_from_a_link_on_another_site(misled, server, tmp_path):
    from discreet.app.server.service import redirect_file

    file = redirect_file(server.link, tmp_path)
    page = patient(misled.new_context()).new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("h1:has-text('Open a table')")
    assert "token" not in page.url
    with site(f'<!DOCTYPE html><a href="{server.link}">app</a>') as (port, _):
        other = patient(misled.new_context()).new_page()
        other.goto(f"http://evil.test:{port}/")
        other.click("text=app")
        other.wait_for_selector("h1:has-text('Open a table')")


# -- hostile text --------------------------------------------------------------------------------


def test_hostile_column_names_stay_text(steward):
    visit = steward()
    page = visit.with_table("hostile.csv", hostile_table(), "roles")
    for n in range(len(HOSTILE)):
        visit.give(n, "key" if n else "confidential")
    page.reload()
    measure(page)
    pages = [
        page.url,
        page.url.replace("/roles", "/data"),
        page.url.replace("/roles", "/hierarchy/1"),
    ]
    for url in pages:
        page.goto(url.partition("#")[0])
        assert page.evaluate("window.pwned") is None
        assert (
            page.evaluate("document.querySelectorAll('main script, img, iframe, [onload]').length")
            == 0
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 1400
    assert visit.said == []


def test_the_policy_stops_a_script_that_gets_in(steward):
    visit = steward()
    page = visit.at("/")
    page.evaluate(
        """() => {
            const script = document.createElement('script');
            script.textContent = 'window.pwned = 1';
            document.body.append(script);
            document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.pwned=2">');
        }"""
    )
    until(lambda: page.evaluate("1") and len(visit.said) > 1)  # both were refused
    assert page.evaluate("window.pwned") is None
    assert any("Content Security Policy" in line for line in visit.said)


# -- readable by everyone ------------------------------------------------------------------------


@pytest.mark.parametrize("width", readable.WIDTHS)
def test_every_page_fits_its_window_and_axe_finds_nothing(steward, opened, width):
    visit = steward(width)

    def look(name):
        readable.look(page, width, name)

    page = visit.at("/")
    page.click("summary")
    look("home")
    page = visit.at(f"{opened}/data")
    page.click("summary:has-text('How the file is read')")
    look("data")
    page.click("text=Roles & risk")
    page.click("summary:has-text('Risk of every record')")
    look("risk")
    with page.expect_response("**/roles/2"):
        page.select_option("#role-2", "other")
    page.wait_for_selector(".stamp")
    look("out of date")
    with page.expect_response("**/roles/2"):
        page.select_option("#role-2", "key")
    page.click("[aria-label='zip: hierarchy']")
    page.check("[value=prefixes]")
    page.fill("#lengths", "5, 3")
    page.click("text=Preview")
    page.wait_for_selector("#preview table")
    look("hierarchy")
    page.goto(f"{visit.server.address}/none")
    look("error")
