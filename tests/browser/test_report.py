"""The report in a real browser: quiet, whole, within the window, and readable by everyone."""

import pytest

import discreet as ds
from tests.browser import readable
from tests.browser.conftest import Visit
from tests.browser.drawings import drawings

WIDTHS = [400, 1400]
HOSTILE = [
    "<script>window.pwned = 1</script>",
    "<img src=x onerror=window.pwned=2>",
    "'\"><svg onload=window.pwned=3>",
    "</style></title></textarea>{{ 7 * 7 }}{% raw %}",
    '=HYPERLINK("https://example.org","x")',
    "name with \u202e turned text",
    "a" * 10_000,
    "a" * 9_999 + "b",
]


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """One report of each kind."""
    folder = tmp_path_factory.mktemp("reports")
    return {
        **generalized(folder),
        "microaggregated": microaggregated(folder),
        "hostile": hostile(folder),
    }


def survey(**roles):
    table = ds.datasets.patients(800, seed=1)
    given = {"keys": ["age", "zip", "sex"], "confidential": ["illness", "income"]}
    return ds.read(table, identifiers=["name", "ssn"], **{**given, **roles})


def generalized(folder):
    data = survey()
    hierarchies = {
        "age": ds.Hierarchy.intervals([10, 20, 40]),
        "zip": ds.Hierarchy.prefixes([5, 2, 0]),
        "sex": ds.Hierarchy.suppress(),
    }
    criterion = ds.PSensitiveKAnonymity(2, 5)
    found = ds.generalize(data, hierarchies, criterion, max_suppressed=0.05, search="all-minimal")
    more = {
        "found": found,
        "ru_map": ds.ru_map(data, ds.grid(methods=["mdav", "fixed"], k=[3, 9], columns=["age"])),
        "record_risk": ds.record_risk(data, known={"zip": 0.4}, sensitivity={"illness": 1.0}),
    }
    paths = {name: folder / f"{name}.html" for name in ("internal", "public")}
    for audience, path in paths.items():
        why = {"income": "of nobody: simulated"}
        more |= {"audience": audience, "unique_columns": why}
        ds.report(data, found.best.mask(), path, note="A remark.", **more)
    return paths


def microaggregated(folder):
    data = survey(keys=["age", "income"], confidential=["illness"])
    masked = ds.microaggregate(data, k=5)
    path = folder / "microaggregated.html"
    limits = [ds.KAnonymity(9), ds.DisclosureRiskAtMost(0.5)]
    ds.report(data, masked, path, criterion=limits, score=ds.score(data, masked))
    return path


def hostile(folder):
    columns = {name: [i // 40 % 2 for i in range(400)] for name in HOSTILE}
    data = ds.read({"rec": list(range(400)), **columns}, keys=HOSTILE, record_id="rec")
    other = {name: [1 - v for v in values] for name, values in columns.items()}
    masked = ds.read({"rec": list(range(400)), **other})
    path = folder / "hostile.html"
    ds.report(data, masked, path, on="rec", title=HOSTILE[0], note="\n".join(HOSTILE))
    return path


NAMES = ["internal", "public", "microaggregated", "hostile"]


@pytest.fixture(scope="module")
def seen(browser, reports):
    """A function that gives a report at a width, opened once; nothing is changed on it."""
    opened = {}

    def one(name, width=1400):
        if (name, width) not in opened:
            opened[name, width] = Visit(browser, reports[name], width)
        return opened[name, width]

    yield one
    for each in opened.values():
        each.page.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_it_opens_quietly_asks_for_nothing_and_stays_within_the_window(seen, reports, name, width):
    opened = seen(name, width)
    assert opened.said == []
    assert opened.asked == [reports[name].as_uri()]
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_all_charts_are_drawn_and_no_text_in_them_is_cut_off(seen, name, width):
    charts = drawings(seen(name, width).page)
    assert charts
    assert all(width > 50 and height > 20 and marks for width, height, marks, _ in charts)
    assert [out for *_, out in charts if out] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_says_what_it_shows_and_has_a_table_of_its_numbers(seen, name):
    page = seen(name).page
    figures = page.evaluate(
        """() => [...document.querySelectorAll('figure')].map(f => [
            f.querySelector('svg').getAttribute('aria-label').length,
            f.querySelectorAll('table tbody tr').length, f.querySelectorAll('caption').length])"""
    )
    assert figures
    assert all(alt > 40 and rows and captions == 1 for alt, rows, captions in figures)


@pytest.mark.parametrize("width", readable.WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(seen, name, width):
    readable.look(seen(name, width).page, width, name)


def test_hostile_names_stay_text(seen):
    page = seen("hostile").page
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.querySelectorAll('script, img, iframe, [onload]').length") == 0
    assert HOSTILE[0] in page.inner_text("h1")
    assert "{{ 7 * 7 }}" in page.inner_text("main")


def test_the_policy_of_the_page_stops_a_script_and_a_style_that_get_in(visit, reports):
    opened = visit(reports["internal"])
    opened.page.evaluate(
        """() => {
            const script = document.createElement('script');
            script.textContent = 'window.pwned = 1';
            document.body.append(script);
            document.body.setAttribute('style', 'display: none');
        }"""
    )
    assert opened.page.evaluate("window.pwned") is None
    assert opened.page.evaluate("getComputedStyle(document.body).display") == "block"
    assert any("Content Security Policy" in line for line in opened.said)


@pytest.mark.parametrize("name", NAMES)
def test_no_two_elements_have_the_same_id_and_every_link_leads_somewhere(seen, name):
    page = seen(name).page
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    links = page.evaluate("[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))")
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in links} <= set(ids)


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_on_paper(visit, reports, name):
    page = visit(reports[name], 680).page  # A4 less its margins
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
