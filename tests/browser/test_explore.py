"""Explore in a real browser: by mouse, by keyboard alone, without scripts, small and wide."""

import re

import pytest

from discreet.app.forms import draft
from tests.app.lattice_tables import TABLES, planned, swept
from tests.app.test_explore import hostile, lattice
from tests.app.test_jobs import endless, is_alive  # noqa: F401 - a fixture
from tests.app.visitor import Visitor
from tests.app.waiting import until
from tests.browser import readable
from tests.browser.steward import patient

WIDTHS = [400, 1400]


@pytest.fixture(scope="module")
def all_swept(server):
    """Swept tables by their number of nodes, each made when it is asked for."""
    visitor, made = Visitor(server).logged_in(), {}

    def one(name):
        if name not in made:
            made[name] = hostile(visitor) if name == "hostile" else swept(visitor, name)
        return made[name]

    return one


@pytest.fixture
def look(steward, all_swept):
    """A function that opens the page of a lattice."""

    def open_page(name, width=1400, **asked):
        visit = steward(width)
        query = "&".join(f"{key}={value}" for key, value in asked.items())
        visit.at(f"/w/{all_swept(name).id}/explore?{query}")
        visit.page.evaluate("document.querySelector('#expert').open = true")
        return visit

    return open_page


def selected(page):
    return int(page.get_attribute("#found", "data-node"))


def moved(page, act):
    """What is selected after an act that asks the server."""
    with page.expect_response("**/explore/found?*"):
        act()
    until(lambda: page.get_attribute("#found", "data-node") == page.input_value("#node"))
    return selected(page)


@pytest.mark.parametrize("name", TABLES)
def test_a_click_selects_in_lattice_map_panel_and_table(look, all_swept, name):
    visit = look(name)
    page = visit.page
    here = lattice(all_swept(name), node=selected(page))
    there = here.moves["up"]
    assert moved(page, lambda: page.click(f"#n{there}")) == there
    label = here.node(there).label
    assert label in page.inner_text("#node-title")
    assert page.get_attribute(f"#n{there}", "aria-current") == "true"
    assert page.get_attribute(f"#m{there}", "aria-current") == "true"
    assert page.evaluate("document.activeElement.id") == f"n{there}"
    assert f"node={there}" in page.evaluate("location.search")
    page.reload()
    assert selected(page) == there
    back = next(iter(lattice(all_swept(name), node=there).below(there).values()))
    if page.locator(f"#m{back}").count():
        assert moved(page, lambda: page.locator(f"#m{back}").dispatch_event("click")) == back
    other = page.locator("table.list tbody a").nth(2)
    number = int(other.get_attribute("data-node"))
    assert moved(page, other.click) == number
    assert visit.said == []


@pytest.mark.parametrize("name", TABLES)
def test_the_keyboard_alone_goes_along_the_edges_and_keeps_the_focus(look, all_swept, name):
    visit = look(name)
    page = visit.page
    page.focus(".lattice svg a[aria-current]")
    for key, way in (("Up", "up"), ("Down", "down"), ("Left", "left"), ("Right", "right")):
        here = lattice(all_swept(name), node=selected(page))
        if (there := here.moves.get(way)) is None:
            continue
        assert moved(page, lambda key=key: page.keyboard.press(f"Arrow{key}")) == there
        assert page.evaluate("document.activeElement.id") == f"n{there}"
    page.keyboard.press("Tab")  # one stop for the lattice, the next is the map
    assert page.evaluate("document.activeElement.id") == f"m{selected(page)}"
    here = lattice(all_swept(name), node=selected(page))
    there = here.moves["up"]
    assert moved(page, lambda: page.keyboard.press("ArrowUp")) == there
    assert page.evaluate("document.activeElement.id") == f"m{there}"
    assert visit.said == []


@pytest.mark.parametrize("key", ["Enter", " "])
def test_enter_and_space_select_the_node_that_has_the_focus(look, key):
    page = look("12", node=0).page
    page.evaluate("document.getElementById('n7').focus()")
    assert moved(page, lambda: page.keyboard.press(key)) == 7
    assert page.evaluate("document.activeElement.id") == "n7"


def test_a_level_is_stepped_by_keyboard_and_the_focus_stays_on_the_page(look):
    page = look("12", node=0).page
    page.focus("#coarser-0")
    assert moved(page, lambda: page.keyboard.press("Enter")) == 4
    assert page.evaluate("document.activeElement.id") == "coarser-0"
    assert moved(page, lambda: page.keyboard.press("Enter")) == 8
    assert page.evaluate("document.activeElement.id") == "n8"  # there is no coarser level


def test_sliders_answer_at_once_and_say_what_changed(look, all_swept):
    visit = look("480")
    page = visit.page
    page.focus("#k")
    for _ in range(4):
        with page.expect_response("**/explore/found?*"):
            page.keyboard.press("ArrowRight")
    until(lambda: "k=9&" in page.evaluate("location.search"))
    there = lattice(all_swept("480"), 9, 1, 2.0)
    assert page.inner_text("output[for=k]") == "9"
    assert selected(page) == there.best  # the selection follows the sliders
    said = f"{there.feasible.sum()} of 480 nodes feasible, {there.minimal.sum()} minimal"
    until(lambda: page.inner_text("#status") == said)
    assert page.evaluate("document.activeElement.id") == "k"
    page.select_option("#show", "minimal")
    count = int(there.minimal.sum()) + (not there.minimal[selected(page)])
    until(lambda: page.locator(".lattice svg a").count() == count)
    page.select_option("#map", "risk")
    page.wait_for_selector("svg.map >> text=mean risk of those left")
    assert visit.said == []


def test_a_node_is_used_by_keyboard_and_the_page_says_so(look, all_swept):
    visit = look("12", k=5, p=1, limit=2, node=11)
    page = visit.page
    page.focus("#use")
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel .done")
    assert all_swept("12").document["steps"][0]["levels"] == {"key0": 2, "key1": 1, "key2": 1}
    assert "is in the plan" in page.inner_text("#status")
    assert page.evaluate("document.activeElement.id") == "use"
    page.click("#n0")
    page.wait_for_selector("#use:disabled")
    assert "Only a feasible node can be used." in page.inner_text("#panel")
    assert visit.said == []


def test_a_weaker_node_asks_first_and_both_answers_are_given_by_mouse_and_keyboard(look, all_swept):
    workspace = all_swept("12")
    before = workspace.document
    workspace.change(lambda d: {**draft.without_levels(d), "criterion": {"k": 20}})
    feasible = [lattice(workspace, k, 1, 3.0).feasible for k in (2, 20)]
    node = next(n for n in range(12) if feasible[0][n] and not feasible[1][n])
    visit = look("12", k=2, p=1, limit=3, node=node)
    page = visit.page
    question = page.locator(f"#ask-{node}-here")
    focused = "words => document.activeElement.textContent === words"
    page.click("#use")
    question.wait_for(state="visible")
    assert question.locator("h3").inner_text() == "Ask for less than before?"
    assert "The plan asks for k = 20" in question.inner_text()
    assert readable.faults(page) == []
    question.locator("text=No, keep k = 20").click()
    question.wait_for(state="hidden")
    page.focus("#use")
    page.keyboard.press("Enter")
    page.wait_for_function(focused, arg="No, keep k = 20")
    page.keyboard.press("Escape")
    question.wait_for(state="hidden")
    page.wait_for_function(focused, arg="Use this node")
    assert workspace.document["criterion"] == {"k": 20}
    page.keyboard.press("Enter")
    page.wait_for_function(focused, arg="No, keep k = 20")
    page.keyboard.press("Tab")
    page.wait_for_function(focused, arg="Yes, ask for k = 2 and use it")
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel .done")
    assert workspace.document["criterion"] == {"k": 2}, page.inner_text("#panel")
    assert visit.said == []
    workspace.change(lambda _: before)


def test_a_lattice_is_swept_and_appears_without_a_reload(steward, server):
    workspace = planned(Visitor(server).logged_in(), "12")
    visit = steward()
    page = visit.at(f"/w/{workspace.id}/explore")
    page.click("text=Compute all nodes")
    page.wait_for_selector(".way")
    page.click("#expert summary")
    page.focus(".lattice svg a[aria-current]")
    moved(page, lambda: page.keyboard.press("ArrowUp"))
    assert visit.said == []


def test_a_sweep_shows_its_percentage_and_cancel_leaves_no_process(steward, server, endless):  # noqa: F811
    workspace = planned(Visitor(server).logged_in(), "12")
    visit = steward()
    page = visit.at(f"/w/{workspace.id}/explore")
    endless("")
    page.click("text=Compute all nodes")
    page.wait_for_selector("#job progress[value='25']")
    assert is_alive(workspace.job.pid)
    assert page.get_attribute("#job", "data-said") == "Computing all nodes: 20 %"  # in tens
    assert page.is_disabled("text=Compute all nodes")
    page.click("text=Cancel")
    page.wait_for_selector("text=No result was kept.")
    assert not is_alive(workspace.job.pid)
    assert page.url.endswith("/explore")
    assert page.is_enabled("text=Compute all nodes")
    assert visit.said == []


def test_without_scripts_links_and_forms_work(browser, server, all_swept):
    workspace = all_swept("12")
    context = patient(browser.new_context(java_script_enabled=False))
    page = context.new_page()
    page.goto(server.link)
    page.wait_for_selector("h1")
    page.goto(f"{server.address}/w/{workspace.id}/explore?k=5&p=1&limit=2&node=0")
    page.click("#n11")
    page.wait_for_url("**node=11**")
    page.select_option("#show", "minimal")
    page.click("#sliders button >> text=Show")
    until(lambda: page.locator(".lattice svg a").count() == 4)
    page.click("#use")
    page.wait_for_selector("text=In the plan.")
    context.close()


@pytest.mark.parametrize("name", [*TABLES, "hostile"])
@pytest.mark.parametrize("width", readable.WIDTHS)
def test_the_page_fits_its_window_and_axe_finds_nothing(look, width, name):
    visit = look(name, width)
    page = visit.page
    for state in ("", "?show=minimal&map=risk&k=12"):
        page.goto(re.sub(r"\?.*", "", page.url) + state)
        page.evaluate("document.querySelector('#expert').open = true")
        readable.look(page, width, state)
        assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.querySelectorAll('main script, img, iframe').length") == 0
    assert visit.said == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_of_a_drawing_is_cut_off(look, width):
    page = look("12", width).page
    outside = page.evaluate(
        """() => [...document.querySelectorAll('svg.nodes[data-name] text')].filter((text) => {
            const frame = text.closest('.card').getBoundingClientRect();
            const box = text.getBoundingClientRect();
            return box.left < frame.left || box.right > frame.right || box.top < frame.top;
        }).map((text) => text.textContent)"""
    )
    assert outside == []
