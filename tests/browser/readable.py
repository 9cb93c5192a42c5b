"""A page that everyone can read: it fits its window, in light and dark, and enlarged; axe agrees."""

import functools
from pathlib import Path

import pytest

CONTRAST = "color-contrast"
PHONE, ENLARGED, WIDE = WIDTHS = 400, 700, 1400  # enlarged: a wide window at 200 %
# only what is wrong is described, and nothing is fetched for rules that are off
RUN = """([part, options]) => axe.run(part, {...options, resultTypes: ["violations"], preload: false})
    .then((found) => found.violations.map((one) => [one.id, one.nodes.slice(0, 3).map((n) => n.html)]))"""


def faults(page, part="html", **options):
    """What axe finds on a page or a part of it, with the elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{_axe()}; undefined")
    return page.evaluate(RUN, [part, options])


@functools.cache
def _axe():
    """The script, read as what it is: its package reads it in the encoding of the locale."""
    package = Path(pytest.importorskip("axe_playwright_python").__file__).parent
    return (package / "axe.min.js").read_text(encoding="utf-8")


def look(page, width, name):
    """Look at a page of a width as it is, and in the dark."""
    page.wait_for_load_state()  # its style sheet, too: what it says is there before
    page.set_viewport_size({"width": width, "height": 450 if width == ENLARGED else 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert page.locator("h1").count() == 1, name
    assert faults(page) == [], name
    page.emulate_media(color_scheme="dark")
    assert faults(page, runOnly=[CONTRAST]) == [], f"{name}, dark"
    page.emulate_media(color_scheme="light")


def look_at(page, part, name):
    """Look at a part of a page, in light and dark: the rest of it was looked at."""
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert faults(page, part) == [], f"{name}, {scheme}"
