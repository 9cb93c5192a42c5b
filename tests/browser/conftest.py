"""A real browser for the tests: Chromium of the system, driven by Playwright, one for the session.

Nothing is downloaded. Without a browser the tests of this folder are skipped by name, or fail where
DISCREET_REQUIRE names chromium; DISCREET_BROWSER names another executable.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests import font_sets
from tests.app.conftest import patients, processes_of_jobs, running  # noqa: F401 - fixtures
from tests.app.waiting import MILLISECONDS
from tests.browser.steward import Steward

# first the one without a window, which is the same but for that, and quicker
NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"
)  # fmt: skip
# Parts of the window around a page: drawn as pages of their own, they cost two thirds of a test.
WINDOW = (
    "InitialWebUI", "WebUIToolbar", "WebUILocationBar", "WebUIReloadButton",
    "WebUIBackForwardButton", "WebUIHomeButton", "WebUISplitTabsButton", "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "PreloadTopChromeWebUI", "Glic", "LensOverlay", "ReadAnything",
)  # fmt: skip
# What Playwright switches off; naming other features would switch it on again.
USUAL = (
    "AcceptCHFrame", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose",
    "DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "LazyFrameLoading",
    "MediaRouter", "OptimizationHints", "PaintHolding", "ThirdPartyStoragePartitioning",
    "Translate",
)  # fmt: skip
QUIET = [
    "--no-sandbox",
    "--disable-gpu",  # there is none: it would be imitated
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    f"--disable-features={','.join((*WINDOW, *USUAL))}",
]


def executable():
    given = os.environ.get("DISCREET_BROWSER")
    return given or next((path for path in map(shutil.which, NAMES) if path), None)


@pytest.fixture(scope="session")
def browser(absent):
    path = executable()
    if path is None or not Path(path).exists():
        absent(
            "chromium",
            "none found; install chromium-headless-shell or chromium, or set DISCREET_BROWSER",
        )
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def browser_with(browser, absent, tmp_path_factory):
    """A function that gives a browser on a machine with one set of fonts alone."""
    folder, opened = tmp_path_factory.mktemp("fonts"), {}

    def one(name):
        if name not in opened:
            opened[name] = browser.browser_type.launch(
                executable_path=executable(),
                args=QUIET,
                env=font_sets.surroundings(name, folder, absent),
            )
        return opened[name]

    yield one
    for each in opened.values():
        each.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The app, one for all tests of a worker."""
    with running(tmp_path_factory.mktemp("app") / "work") as started:
        started.workspaces.most = 1000
        yield started


@pytest.fixture(scope="session")
def context(browser, server):
    """What all stewards share: a context that has been let in."""
    first = Steward.alone(browser, server)
    first.enter().close()
    yield first.context
    first.context.close()


@pytest.fixture
def steward(browser, server, context):
    """A function that gives a steward at a page of a width; alone, where it changes its context."""
    made = []

    def one(width=1400, *, alone=False):
        made.append(
            Steward.alone(browser, server, width) if alone else Steward(context, server, width)
        )
        return made[-1]

    yield one
    for each in made:
        each.leave()


class Visit:
    """A page that was opened, and all it said and asked for on the way."""

    def __init__(self, browser, path, width):
        self.page = browser.new_page(viewport={"width": width, "height": 900})
        self.page.set_default_timeout(MILLISECONDS)
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(f"dialog {dialog.message}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())


@pytest.fixture
def visit(browser):
    """A function that opens a file at a width."""
    visits = []

    def open_file(path, width=1400):
        visits.append(Visit(browser, path, width))
        return visits[-1]

    yield open_file
    for opened in visits:
        opened.page.close()
