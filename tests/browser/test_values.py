"""What pages show of the values: groups of five records or more, in a real browser.

A rare value is planted into a column of every type, and looked for in the source of every page and
in every answer of the server.
"""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.app.server import service
from tests.app.conftest import running
from tests.browser import readable
from tests.browser.steward import Steward

N = 200


ANSWERS = []  # every byte that the server sends


def _heard(app):
    """The application, with an ear at all that it sends."""

    async def listening(scope, receive, send):
        async def tell(message):
            ANSWERS.append(message.get("body", b"") + repr(message.get("headers")).encode())
            await send(message)

        await app(scope, receive, tell)

    return listening


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service, "_uvicorn", lambda app, own=service._uvicorn: own(_heard(app)))
        with running(tmp_path_factory.mktemp("app") / "work") as started:
            started.workspaces.most = 100
            yield started


@pytest.fixture(scope="module")
def context(browser, server):
    """One that has been let in here."""
    first = Steward.alone(browser, server)
    first.enter().close()
    yield first.context
    first.context.close()


def planted(common, rare, times=4):
    """A column in which a value is in four records: one fewer than is shown."""
    return [rare if i % 50 == 7 and i < 50 * times else common[i % len(common)] for i in range(N)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A column of every type with a planted value, and what of it must never be seen."""
    day, moment = dt.date, dt.datetime
    columns = {
        "job": pa.array(planted(["cook", "baker", "smith"], "Tr0ub4dor")),
        "code": pa.array(planted([1, 2, 3], 77881)),
        "size": pa.array(planted(list(range(40)), 918273)),
        "income": pa.array(planted([i * 3.25 for i in range(60)], 7391284.65)),
        "price": pa.array(
            planted([Decimal(i) * 3 for i in range(60)], Decimal("5647382")), pa.decimal128(12, 2)
        ),
        "born": pa.array(planted([day(1980, 1 + i % 12, 3) for i in range(30)], day(1813, 7, 9))),
        "seen": pa.array(
            planted([moment(2001, 2, 3 + i % 20) for i in range(40)], moment(1797, 5, 6))
        ),
        "at": pa.array(planted([dt.time(8), dt.time(9)], dt.time(23, 58, 59))),
        "sick": pa.array(planted([False], True)),
        "lots": pa.array([f"Uniq{i:05}" for i in range(N)]),
    }
    place = tmp_path_factory.mktemp("tables") / "planted.parquet"
    pq.write_table(pa.table(columns), place)
    told = ["Tr0ub4dor", "77881", "918273", "7391284", "7,391", "5647382", "5,647", "1813-07"]
    return place.read_bytes(), [*told, "1797-05", "23:58", ">True<", "Uniq0"]


def test_a_rare_value_is_in_no_page_and_in_no_answer(steward, table):
    content, told = table
    visit = steward()
    page = visit.enter()
    ANSWERS.clear()
    file = {"name": "planted.parquet", "mimeType": "application/x", "buffer": content}
    page.set_input_files("#file", file)
    page.click("form[action='/open'] button.primary")
    page.wait_for_selector("#columns-title")
    seen = [page.content()]
    at = f"{visit.server.address}/w/{visit.workspace.id}"
    for number, column in enumerate(visit.workspace.columns):
        page.goto(f"{at}/values/{number}")
        assert column.name in page.inner_text("h1")
        seen.append(page.content())
        with page.expect_response("**/roles/*"):
            page.goto(f"{at}/roles")
            page.select_option(f"#role-{number}", "key")
        if "ordinal" in page.inner_text(f"#type-{number}"):
            with page.expect_response("**/roles/*"):
                page.select_option(f"#type-{number}", "ordinal")
            page.wait_for_selector(f"#scale-{number}")
        seen.append(page.content())
        for builder in ("by_frequency", "suppress", "dates", "intervals&widths=10"):
            page.goto(f"{at}/hierarchy/{number}")
            page.goto(f"{at}/hierarchy/{number}/preview?builder={builder}&dates=year")
            seen.append(page.content())
    assert "cook" in "".join(seen)
    assert len(ANSWERS) > 100
    everything = "".join(seen) + b"".join(ANSWERS).decode("utf-8", "replace")
    assert [word for word in told if word in everything + "".join(visit.said)] == []


def test_k_of_the_view_can_be_set_and_never_below_five(steward, table):
    visit = steward()
    jobs = ["cook"] * 30 + ["baker"] * 6 + ["smith"] * 4
    content = "job,n\n" + "".join(f"{job},{i}\n" for i, job in enumerate(jobs))
    page = visit.with_table("jobs.csv", content.encode())
    assert page.inner_text("tbody tr:nth-child(2) .badge") == "different in every record"
    page.click("[aria-label^='Values of job']")
    page.wait_for_selector("h1:has-text('Values of job')")
    assert page.locator("tbody th").all_inner_texts() == ["cook", "baker"]
    assert "1 value is not named, in 4 records" in page.inner_text("main")
    page.fill("#least", "4")
    page.click("button:has-text('Save')")
    assert page.evaluate("document.querySelector('#least').validity.rangeUnderflow")
    refused = visit.context.request.post(
        f"{visit.server.address}/w/{visit.workspace.id}/values/least",
        form={"least": "4"},
        headers={"Origin": visit.server.address, "Sec-Fetch-Site": "same-origin"},
    )
    assert (refused.status, "P60" in refused.text()) == (422, True)
    page.fill("#least", "10")
    page.click("button:has-text('Save')")
    page.wait_for_selector("h2:has-text('Groups of 10')")
    assert page.locator("tbody th").all_inner_texts() == ["cook"]
    assert visit.workspace.least == 10
    assert "baker" not in page.content()


def test_values_that_a_hierarchy_misses_are_shown_where_five_records_have_them(steward, tmp_path):
    visit = steward()
    jobs = ["cook"] * 30 + ["baker"] * 6 + ["Tr0ub4dor"] * 3
    page = visit.with_table("jobs.csv", ("job\n" + "\n".join(jobs) + "\n").encode())
    visit.give(0, "key")
    page.goto(page.url.replace("/data", "/hierarchy/0"))
    page.check("[value=file]")
    file = {"name": "jobs.csv", "mimeType": "text/csv", "buffer": b"cook;kitchen;*\nsmith;yard;*\n"}
    page.set_input_files("#file", file)
    page.click("button:has-text('Save')")
    page.wait_for_selector("text=D20")
    said = " ".join(page.inner_text("#preview").split())
    assert "Not in the hierarchy: baker 6 records and 1 value in 3 records" in said
    assert "Tr0ub4dor" not in page.content()
    page.check("[value=file]")
    page.set_input_files("#file", file)
    page.select_option("#unmapped", "suppress")
    page.click("button:has-text('Save')")
    page.wait_for_selector("#preview td")
    assert "Not in the hierarchy: baker" in page.inner_text("#preview")
    assert "Tr0ub4dor" not in page.content()


def test_the_scale_of_an_ordinal_column_is_not_typed_blind(steward):
    visit = steward()
    page = visit.with_table("t.csv", b"size\n" + b"low\n" * 9 + b"high\n" * 8 + b"odd\n", "roles")
    with page.expect_response("**/roles/0"):
        page.select_option("#type-0", "ordinal")
    page.wait_for_selector("#scale-0")
    said = " ".join(page.inner_text("#row-0").split())
    assert "In 5 records or more: low high and 1 other value" in said


@pytest.mark.parametrize("width", readable.WIDTHS)
def test_the_pages_of_values_fit_their_window_and_axe_finds_nothing(steward, table, width):
    visit = steward(width)
    page = visit.with_table("planted.parquet", table[0])
    at = f"{visit.server.address}/w/{visit.workspace.id}"
    for path in ("data", "values/0", "values/3", "values/5", "values/9"):
        page.goto(f"{at}/{path}")
        readable.look(page, width, path)
    assert visit.said == []
