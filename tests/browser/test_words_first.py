"""The recommended way: what is offered in words, and how many clicks it takes to a release."""

import re

import pytest

import discreet as ds
from tests.app.releases import done
from tests.app.visitor import Visitor
from tests.browser import readable


class Hand:
    """A hand on the mouse: it counts."""

    def __init__(self, page):
        self.page, self.clicks = page, 0

    def click(self, selector, *, then):
        self.clicks += 1
        self.page.click(selector)
        self.page.wait_for_selector(then)

    def choose(self, selector, files):
        """A click on the field, and the files."""
        self.clicks += 1
        self.page.set_input_files(selector, files)

    def write(self, box, text):
        """A click into the field, and the words."""
        self.clicks += 1
        box.fill(text)

    def to_the_release(self):
        """From roles to the verified release, by what is recommended."""
        self.click("text=Next: Explore", then="h1:has-text('Explore')")
        self.click("text=Compute all nodes", then=".way")
        self.click(".way button.primary", then="text=Next: Compare")
        self.click("text=Next: Compare", then="text=Choose it")
        self.click("text=Choose this run and go to the release", then=".checklist")
        for box in self.page.locator("textarea[required]").all():
            self.write(box, "Agreed with the data protection officer.")
        self.click("text=Make the release", then="text=Verified")


def test_from_a_csv_to_a_verified_release_in_twelve_clicks(steward, tmp_path):
    place = tmp_path / "patients.csv"
    ds.read(ds.datasets.patients(2000, seed=1)).write(place)
    visit = steward()
    hand = Hand(visit.enter())
    hand.choose("#file", place)
    hand.click("form[action='/open'] button.primary", then="#columns-title")
    hand.click("text=Use the suggested roles", then="h1:has-text('Roles')")
    hand.click("text=Use the suggested hierarchies", then="text=All keys have one")
    hand.to_the_release()
    assert hand.clicks <= 12, hand.clicks
    assert visit.said == []


@pytest.mark.parametrize("records", [3_000, 30_162])
def test_adult_with_its_eight_hierarchies_in_twenty_clicks(
    steward, reference_data, tmp_path, records
):
    names = ("age", "education", "marital-status", "native-country", "occupation", "race", "sex",
             "workclass")  # fmt: skip
    files = [reference_data(f"adult/adult_hierarchy_{name}.csv") for name in names]
    lines = reference_data("adult/adult_30162x9.csv").read_text(encoding="utf-8").splitlines()
    table = tmp_path / "adult.csv"
    table.write_text("\n".join([*lines[: records + 1], ""]), encoding="utf-8")
    visit = steward()
    hand = Hand(visit.enter())
    hand.choose("#file", table)
    hand.click("form[action='/open'] button.primary", then="#columns-title")
    hand.click("text=Use the suggested roles", then="h1:has-text('Roles')")
    hand.choose("#files", files)
    hand.click("text=Use these files", then="text=All keys have one")
    assert set(visit.workspace.document["hierarchies"]) == set(names)
    hand.to_the_release()
    assert hand.clicks <= 20, hand.clicks


@pytest.fixture(scope="module")
def table():
    """A table whose best node is known: age must go, job may stay."""
    rows = [f"{20 + i % 60},{'cook baker smith'.split()[i % 3]}" for i in range(240)]
    return ("age,job\n" + "\n".join(rows) + "\n").encode()


@pytest.fixture(scope="module")
def swept(server, table):
    """The address of this table with its lattice swept."""
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("t.csv", table)
    at = f"/w/{workspace.id}"
    for number in (0, 1):
        visitor.post(f"{at}/roles/{number}", {f"role-{number}": "key", f"type-{number}": ""})
    visitor.post(f"{at}/hierarchies/suggested")
    visitor.post(f"{at}/explore/sweep")
    done(workspace)
    return at


def test_explore_leads_with_cards_in_words_and_the_lattice_stands_under_expert(steward, swept):
    visit = steward()
    page = visit.at(f"{swept}/explore")
    cards = [" ".join(text.split()) for text in page.locator(".way").all_inner_texts()]
    assert 1 <= len(cards) <= 3
    assert re.search("Keeps most", cards[0])
    assert all("record" in card and "left out" in card for card in cards)
    assert all(re.search(r"1 time in \d+ at worst", card) for card in cards)
    for card, way in zip(cards, page.locator(".way").all(), strict=True):
        node = int(way.locator("[name=node]").input_value())
        asked = visit.workspace.results["explore"].value.lattice.levels_of(node)
        for name, level in zip(("age", "job"), asked, strict=True):
            assert (f"{name} as it is" in card or "age, job as they are" in card) == (level == 0)
    said = " ".join(cards)
    assert said.count("Keeps most") == said.count("Balanced") == said.count("Safest") == 1
    assert not page.is_visible("svg.nodes[data-name]")
    page.click("#expert summary")
    assert page.is_visible("svg.nodes[data-name] >> nth=0")
    with page.expect_response("**/explore/found?*"):
        page.fill("#k", "4")
    assert page.is_visible("svg.nodes[data-name] >> nth=0")  # it stays open
    page.click(".way button >> nth=0")
    page.wait_for_selector("text=Next: Compare")
    step = visit.workspace.document["steps"][0]
    assert (step["do"], set(step["levels"])) == ("generalize", {"age", "job"})
    assert visit.said == []


def test_files_that_fit_no_column_or_miss_values_are_told_by_name_and_the_others_kept(
    steward, table
):
    visit = steward()
    page = visit.with_table("t.csv", table, "roles")
    good = b"cook;kitchen;*\nbaker;kitchen;*\nsmith;yard;*\n"
    files = [("job.csv", good), ("height.csv", good), ("x_age.csv", b"20;young;*\n")]
    page.set_input_files(
        "#files",
        [{"name": name, "mimeType": "text/csv", "buffer": content} for name, content in files],
    )
    page.click("text=Use these files")
    page.wait_for_selector("text=height.csv is not named after a column")
    assert "D20" in page.inner_text("main")
    assert set(visit.workspace.document["hierarchies"]) == {"job"}
    assert visit.workspace.document["roles"]["keys"] == ["job"]


@pytest.mark.parametrize("width", readable.WIDTHS)
def test_the_cards_fit_their_window_and_axe_finds_nothing(steward, swept, width):
    visit = steward(width)
    for screen in ("explore", "roles"):
        readable.look(visit.at(f"{swept}/{screen}"), width, screen)
