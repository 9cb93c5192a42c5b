"""The pictures of the six screens in docs/app.md, made anew: python -m tests.browser.pictures."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import discreet as ds
from tests.app.conftest import running
from tests.app.releases import CHAIN, GENERALIZE, done, opened, protected, released
from tests.app.visitor import Visitor
from tests.browser.conftest import QUIET, executable

FOLDER = Path(__file__).parents[2] / "docs" / "images"
SCREENS = ("data", "roles", "explore", "protect", "compare", "release")
WINDOW = {"width": 1200, "height": 860}


def released_table(server, folder):
    """A table that went all the way, with three runs."""
    table = folder / "patients.csv"
    ds.read(ds.datasets.patients(400, seed=1)).write(table)
    visitor = Visitor(server).logged_in()
    workspace = opened(visitor, table)
    visitor.post(f"/w/{workspace.id}/hierarchies/suggested")
    for work in ("roles/measure", "explore/sweep"):
        visitor.post(f"/w/{workspace.id}/{work}")
        done(workspace)
    for chain in (CHAIN, GENERALIZE, {**GENERALIZE, "k": "10"}):
        protected(visitor, workspace, chain)
    released(visitor, workspace, 3)
    return workspace


def main():
    """Open each screen, and keep what a window shows of it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "work") as server,
        sync_playwright() as driver,
    ):
        workspace = released_table(server, Path(folder))
        browser = driver.chromium.launch(executable_path=executable(), args=QUIET)
        page = browser.new_page(viewport=WINDOW, color_scheme="light")
        page.goto(server.link)
        page.wait_for_selector("h1")
        for screen in SCREENS:
            page.goto(f"{server.address}/w/{workspace.id}/{screen}")
            page.wait_for_load_state("networkidle")
            page.screenshot(path=FOLDER / f"app-{screen}.png")
        browser.close()


if __name__ == "__main__":
    main()
