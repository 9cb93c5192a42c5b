"""The mistakes of a steward, each made in a real browser, and caught in words before the release."""

import pytest

from tests.app.releases import number, protected
from tests.app.visitor import Visitor

N = 300
GENERALIZE = {"do-0": "generalize", "max_suppressed-0": "5 %", "choice-0": "best", "p": ""}


@pytest.fixture
def at(steward):
    """A function that opens a page."""
    return steward().at


@pytest.fixture(scope="module")
def table():
    """Codes, a weight, an amount that is different in every record, and a decimal comma."""
    head = "sex,age,region,wgt,account_sum,height\n"
    rows = [
        f'{1 + i % 2},{20 + i % 10},{"nsew"[i % 4]},{1 + i % 5},{1000 + i * 37},"1,{60 + i % 30}"'
        for i in range(N)
    ]
    return (head + "\n".join(rows) + "\n").encode()


@pytest.fixture
def opened(server, table):
    """A table with keys, of which nothing was measured."""
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("survey.csv", table)
    for column in workspace.columns:
        give(visitor, workspace, column.name, "other")
    for name in ("sex", "age", "region"):
        give(visitor, workspace, name, "key")
    for name in ("account_sum", "height"):
        give(visitor, workspace, name, "identifier")
    for name in ("age", "region"):
        at = f"/w/{workspace.id}/hierarchy/{number(workspace, name)}"
        whole = {"builder": "suppress", "unmapped": "error"}
        assert visitor.upload(at, [], whole).status == 303
    return visitor, workspace


def give(visitor, workspace, name, role, kind=""):
    at = number(workspace, name)
    visitor.post(f"/w/{workspace.id}/roles/{at}", {f"role-{at}": role, f"type-{at}": kind})


def run(opened, fields):
    """Run a chain, choose it, and say where it is released."""
    visitor, workspace = opened
    protected(visitor, workspace, fields)
    last = max(int(s.removeprefix("run-")) for s in workspace.results if s.startswith("run-"))
    assert visitor.post(f"/w/{workspace.id}/compare/{last}/choose").status == 303
    return f"/w/{workspace.id}/release"


def unmet(page):
    """What the checklist says is not met."""
    return " ".join(" ".join(page.locator("li.unmet p").all_inner_texts()).split())


def refused_without_words(page, name):
    """Nothing is made until a reason is written."""
    assert page.locator(f"#ack-{name}[required]").count() == 1
    page.click("text=Make the release")
    assert page.url.endswith("/release")
    assert page.locator("text=Verified").count() == 0


def test_a_code_that_is_averaged_as_a_number(at, opened):
    visitor, workspace = opened
    page = at(f"/w/{workspace.id}/data")
    row = page.locator("tr:has(th:has-text('sex'))")
    assert "whole numbers with few values: codes?" in row.inner_text()
    give(visitor, workspace, "sex", "key", "continuous")
    columns = [str(number(workspace, name)) for name in ("sex", "age")]
    step = {"do-0": "microaggregate", "k-0": "40", "method-0": "mdav", "columns-0": columns}
    page = at(run(opened, {**step, "k": "", "p": ""}))
    assert "✗ Codes were not averaged sex: these few whole numbers look like codes" in unmet(page)
    refused_without_words(page, "codes")
    give(visitor, workspace, "sex", "key")
    page = at(run(opened, {**step, "k": "", "p": ""}))
    assert "Codes were not averaged" not in page.inner_text(".checklist")


def test_a_column_that_is_different_in_every_record(at, opened):
    visitor, workspace = opened
    give(visitor, workspace, "account_sum", "other")
    page = at(run(opened, {**GENERALIZE, "k": "5"}))
    assert "makes many records unique account_sum: all" in unmet(page)
    refused_without_words(page, "unique")


def test_a_requirement_that_is_lowered_on_the_way(at, opened):
    _visitor, _workspace = opened
    page = at(run(opened, {**GENERALIZE, "k": "40"}))
    assert "lowered" not in page.inner_text(".checklist")
    page = at(run(opened, {**GENERALIZE, "k": "2"}))
    said = unmet(page)
    assert "✗ No requirement was lowered on the way Required before" in said
    assert "40-anonymity" in said
    refused_without_words(page, "lowered")


def test_more_that_is_wanted_after_the_run(at, opened):
    visitor, workspace = opened
    release = run(opened, {**GENERALIZE, "k": "2"})
    visitor.post(f"/w/{workspace.id}/roles/wanted", {"k": "400", "p": "", "released": "all"})
    page = at(release)
    assert "400-anonymity is required now, and the run was made for 2-anonymity" in unmet(page)
    refused_without_words(page, "criterion")


def test_a_run_that_is_out_of_date(at, opened):
    visitor, workspace = opened
    release = run(opened, {**GENERALIZE, "k": "5"})
    give(visitor, workspace, "region", "other")
    page = at(release)
    assert "✗ The run is up to date The plan or the original file has changed" in unmet(page)
    assert page.is_disabled("text=Make the release")


def test_a_weight_that_is_left_after_sampling(at, opened):
    visitor, workspace = opened
    chain = {"do-0": "sample", "fraction-0": "50", "seed-0": "7", "k": "", "p": ""}
    page = at(run(opened, chain))
    assert "✗ Weights fit the released records The weights of wgt add up to" in unmet(page)
    refused_without_words(page, "weights")
    give(visitor, workspace, "wgt", "weight")
    page = at(run(opened, chain))
    assert "✓ Weights fit the released records" in page.inner_text(".checklist")


def test_a_hierarchy_that_misses_values(at, opened):
    _visitor, workspace = opened
    page = at(f"/w/{workspace.id}/hierarchy/{number(workspace, 'region')}")
    page.check("[value=file]")
    file = {"name": "r.csv", "mimeType": "text/csv", "buffer": b"n;up;*\ns;down;*\ne;up;*\n"}
    page.set_input_files("#file", file)
    page.click("button:has-text('Save')")
    page.wait_for_selector("text=D20")
    assert f"Not in the hierarchy: w {N // 4} records" in " ".join(
        page.inner_text("#preview").split()
    )
    assert "file" not in workspace.document["hierarchies"]["region"]


def test_a_decimal_comma(at, opened):
    page = at(f"/w/{opened[1].id}/data")
    said = page.inner_text("#results .note-bar")
    assert "'height' is read as text: most of its values have a decimal comma" in said
    page.select_option("#decimal", ",")  # the form is open already
    page.click("text=Read again")
    page.wait_for_selector("tr:has(th:has-text('height')) >> text=continuous")
    assert page.locator("#results .note-bar").count() == 0


def test_erasing_asks_first_and_names_what_was_not_downloaded(at, opened):
    _visitor, workspace = opened
    page = at(run(opened, {**GENERALIZE, "k": "5"}))
    for box in page.locator("textarea[required]").all():
        box.fill("Agreed.")
    page.click("text=Make the release")
    page.wait_for_selector("text=Verified")
    with page.expect_download():
        page.click("a:has-text('Masked table')")
    page.click("main >> text=Close and erase")
    page.wait_for_selector("h1:has-text('Close this table?')")
    said = page.inner_text("main .note-bar.bad")
    assert "Report for the public" in said
    assert "Masked table" not in said
    assert "1 run, with all figures" in page.inner_text("main")
    assert workspace.folder.exists()
    page.click("text=Back to the files")
    page.wait_for_selector(".files a")
    for link in page.locator(".files a").all():
        with page.expect_download():
            link.click()
    page.click("footer >> text=Close this table")
    page.wait_for_selector("text=All files of the release were downloaded.")
    page.click("text=Erase everything")
    page.wait_for_selector("h1:has-text('Closed')")
    assert not workspace.folder.exists()
