"""Charts on machines with other fonts: nothing is cut off, and every width is the measured one."""

import pytest

import discreet as ds
from discreet.charts import before_after_chart
from papers.gallery import FOLDER as GALLERY
from tests import font_sets
from tests.app.lattice_tables import swept
from tests.app.releases import CHAIN, GENERALIZE, opened, protected
from tests.app.visitor import Visitor
from tests.app.waiting import ended
from tests.browser.conftest import Visit
from tests.browser.drawings import cut_off, drawings, foreign, wider_than_measured
from tests.browser.steward import Steward
from tests.browser.test_report import NAMES, reports  # noqa: F401 - a fixture

WIDTHS = [400, 1400]
SCRIPTS = {
    "возраст по группам": ["моложе тридцати пяти", "тридцать пять и старше", "неизвестно"],
    "ηλικία": ["κάτω των τριάντα", "τριάντα και άνω", "άγνωστη"],
    "ściśle określony wiek": ["poniżej trzydziestu", "trzydzieści i więcej", "żółć"],
    "年齢の区分と職業の分類": ["三十歳未満の回答者", "三十歳以上の回答者", "不明"],
    "العمر بالسنوات": ["أقل من ثلاثين", "ثلاثون وأكثر", "غير معروف"],
    "வயது பிரிவு": ["முப்பதுக்கு கீழ்", "முப்பதும் அதற்கு மேலும்", "தெரியாது"],
    "👍🏽 emoji 🧪": ["👍🏽👍🏽👍🏽👍🏽", "👩‍🔬 in a lab", "🇷🇴"],
}


@pytest.fixture(params=font_sets.INSTALLED)
def fonts(request):
    return request.param


@pytest.fixture
def visit(browser_with, fonts):
    """A function that opens a file at a width, on a machine with these fonts."""
    visits = []

    def open_file(path, width=1400):
        visits.append(Visit(browser_with(fonts), path, width))
        return visits[-1]

    yield open_file
    for each in visits:
        each.page.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_report_keeps_its_text_within_its_charts_and_its_window(visit, reports, name):  # noqa: F811
    for width in WIDTHS:
        seen = visit(reports[name], width)
        assert cut_off(seen.page) == []
        assert wider_than_measured(seen.page) == []
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.said == []
        assert seen.asked == [reports[name].as_uri()]


@pytest.fixture(scope="session")
def many_scripts(tmp_path_factory):
    """A report of a table whose names and values are in many scripts."""
    columns = {name: [values[i // 100 % 3] for i in range(900)] for name, values in SCRIPTS.items()}
    data = ds.read({"rec": list(range(900)), **columns}, keys=list(SCRIPTS), record_id="rec")
    other = {name: values[100:] + values[:100] for name, values in columns.items()}
    masked = ds.read({"rec": list(range(900)), **other})
    path = tmp_path_factory.mktemp("scripts") / "scripts.html"
    ds.report(data, masked, path, on="rec")
    return path


def test_text_that_the_font_has_not_falls_back_and_has_room(visit, many_scripts):
    for width in WIDTHS:
        seen = visit(many_scripts, width)
        assert len(drawings(seen.page)) >= len(SCRIPTS)
        assert cut_off(seen.page) == []
        assert wider_than_measured(seen.page) == []
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.said == []


def test_a_chart_in_a_file_of_its_own_keeps_its_text_within_its_frame(visit, tmp_path):
    chart = before_after_chart([("other (9 categories)", "before", 0.5)], of="share")
    chart.save(tmp_path / "saved.svg")
    files = [tmp_path / "saved.svg", *sorted(GALLERY.glob("*.svg"))]
    assert len(files) > 5
    for path in files:
        seen = visit(path)
        assert cut_off(seen.page) == [], path.name
        assert wider_than_measured(seen.page) == [], path.name
        assert seen.said == []
        seen.page.close()


# -- the app -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def addresses(server, patients):
    """Pages with drawings: measured roles, a small and a larger lattice, two runs on a map."""
    visitor = Visitor(server).logged_in()
    measured = opened(visitor, patients)
    protected(visitor, measured, GENERALIZE)
    protected(visitor, measured, CHAIN)
    visitor.post(f"/w/{measured.id}/roles/measure")
    ended(measured.job)
    few, many = swept(visitor, "12"), swept(visitor, "480")
    explored = [
        f"/w/{each.id}/explore{asked}" for each in (few, many) for asked in ("", "?map=risk")
    ]
    return [f"/w/{measured.id}/roles", f"/w/{measured.id}/compare", *explored]


# a node's levels stand in its shape, and other text in the card around the drawing
_OUTSIDE = """() => [...document.querySelectorAll('main svg text')].filter(text => {
    const shape = text.parentElement.querySelector(':scope > rect, :scope > circle');
    const around = text.matches('.node > text:not(.number)') && shape ? shape : text.closest('.card');
    const box = text.getBoundingClientRect(), room = around.getBoundingClientRect();
    return box.left < room.left || box.right > room.right;
}).map(text => text.textContent)"""


@pytest.mark.parametrize("width", WIDTHS)
def test_the_drawings_of_the_app_keep_their_text(browser_with, fonts, server, addresses, width):
    steward = Steward.alone(browser_with(fonts), server, width)
    for address in addresses:
        page = steward.at(address)
        page.wait_for_load_state("networkidle")
        page.evaluate("document.querySelectorAll('.expert').forEach(one => { one.open = true; })")
        name = address.split("/", 3)[3]
        assert drawings(page, "main svg"), name
        assert page.evaluate(_OUTSIDE) == [], name
        assert wider_than_measured(page) == [], name
        assert foreign(page) == [], name
        assert cut_off(page, "main .drawing svg") == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert steward.said == []
    fetched = {url.rpartition("/")[2] for url in steward.asked if "/static/font/" in url}
    assert fetched <= {"latin-400.woff2", "latin-700.woff2"}
    assert fetched
    steward.leave()
