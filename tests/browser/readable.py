"""A page that everyone can read: it fits its window, in light and dark, and enlarged; axe agrees."""

import pytest

CONTRAST = ["color-contrast"]


def look(page, width, name):
    """Look at a page as it is, in the dark, and at 200 %, which is a window of half the width."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

    def faults(**options):
        found = axe.run(page, options=options or None).response["violations"]
        return [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found]

    def fits(wide):
        return page.evaluate("document.documentElement.scrollWidth") <= wide

    assert fits(width), name
    assert page.locator("h1").count() == 1, name
    assert faults() == [], name
    page.emulate_media(color_scheme="dark")
    assert faults(runOnly=CONTRAST) == [], f"{name}, dark"
    page.emulate_media(color_scheme="light")
    if width > 800:  # a phone has less than half of it anyway
        page.set_viewport_size({"width": width // 2, "height": 450})
        assert fits(width // 2), f"{name} at 200 %"
        assert faults(rules={rule: {"enabled": False} for rule in CONTRAST}) == [], f"{name}, 200 %"
        page.set_viewport_size({"width": width, "height": 900})
