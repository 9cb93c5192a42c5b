"""Both maps: every point lies where its figures say, and equal ones are one, with their number."""

import html
import itertools
import math
import re

import pytest

from discreet.app.jobs.lattice import explored
from discreet.app.jobs.protection import Run
from discreet.app.jobs.table import Opened, TableColumn
from discreet.app.jobs.task import WORKING, JobTask
from discreet.app.screens import node_map
from discreet.app.screens.lattice_figures import LatticeFigures, State
from discreet.app.server.workspaces import WorkResult
from tests.app.lattice_tables import hierarchies, table
from tests.app.visitor import Visitor

POINT = re.compile(
    r'<a [^>]*?aria-label="(?P<said>[^"]*)".*?<(?:circle [^>]*?cx="(?P<x>[\d.]+)" cy="(?P<y>[\d.]+)"'
    r'|path d="M(?P<px>[\d.]+) (?P<py>[\d.]+))(?P<rest>.*?)</a>',
    re.DOTALL,
)

# -- Explore -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """The lattice of a table, swept once."""
    known = {}

    def find(name):
        if name not in known:
            folder = tmp_path_factory.mktemp(f"lattice-{name}")
            (folder / WORKING).mkdir()
            (folder / "t.csv").write_bytes(table(name))
            roles = {"keys": list(hierarchies(name)), "confidential": ["illness"]}
            document = {
                "source": {"file": "t.csv"},
                "roles": roles,
                "hierarchies": hierarchies(name),
            }
            known[name] = explored(JobTask(document, folder, {})), folder
        return known[name]

    return find


def drawn(lattice):
    """Per point of the map: its place, the nodes that it names, and the number that it shows."""
    found = []
    for point in POINT.finditer(str(node_map.drawing(lattice, "/x"))):
        labels = re.findall(r"⟨[\d,]+⟩", point["said"])
        number = re.search(r'class="number"[^>]*>×(\d+)<', point["rest"])
        size = 6.5 if len(node_map.places(lattice)) <= 60 else 4.2
        if point["x"] is not None:
            place = float(point["x"]), float(point["y"])
        else:  # a star, which begins at its top
            place = float(point["px"]), float(point["py"]) + 1.35 * size
        found.append((place, labels, int(number[1]) if number else 1))
    return found


@pytest.mark.parametrize("name", ["12", "480"])
@pytest.mark.parametrize("map_", ["suppressed", "risk"])
def test_every_node_is_drawn_where_its_figures_say_and_equal_ones_once(swept, name, map_):
    known, folder = swept(name)
    for k, show, node in itertools.product((2, 5, 30), ("all", "minimal"), (None, 0)):
        lattice = LatticeFigures(
            known, folder, State(k=k, limit=5.0, show=show, map=map_, node=node)
        )
        low, high = node_map._ends(lattice)
        points = drawn(lattice)
        at = {label: place for place, labels, _ in points for label in labels}
        assert len(at) == sum(len(labels) for _, labels, _ in points) == len(lattice.drawn)
        assert len({place for place, _, _ in points}) == len(points)
        for number in lattice.drawn:
            one = lattice.node(number)
            up = one.mean_risk if map_ == "risk" else one.suppressed / known.n
            x, y = at[one.label]
            across = node_map.RIGHT - node_map.LEFT
            assert x == pytest.approx(
                node_map.LEFT + across * (one.loss - low) / (high - low), abs=0.2
            )
            tall = node_map.BOTTOM - node_map.TOP
            assert y == pytest.approx(node_map.BOTTOM - tall * math.sqrt(up), abs=0.2)
        assert all(number == len(labels) for _, labels, number in points)


def test_from_a_point_of_several_nodes_each_is_reached(swept):
    known, folder = swept("480")
    start = LatticeFigures(known, folder, State(k=5, limit=5.0))
    several = next(one for one in node_map.places(start).values() if 2 < len(one) < 9)
    seen, node = [], several[0]
    for _ in several:
        lattice = LatticeFigures(known, folder, State(k=5, limit=5.0, node=node))
        assert set(node_map.beside(lattice)) == set(several)
        svg = str(node_map.drawing(lattice, "/x"))
        here = re.search(rf'<a id="m{node}" [^>]*data-node="(\d+)"[^>]*aria-current="true"', svg)
        seen.append(node)
        node = int(here[1])
    assert sorted(seen) == several
    assert node == several[0]


# -- Compare -------------------------------------------------------------------------------------


def run(risk, loss, label, left=()):
    after = {"k": 5, "uniques": 0, "p": {}}
    figures = {
        "records": {"before": 100, "after": 90},
        "risk": {"before": {"k": 1, "uniques": 3}, "after": after},
        "disclosure_risk": {"before": {"maximal": 0.7}, "after": {"maximal": risk}},
        "information_loss": {"ebil_share": loss},
        "statistics": [],
        "left": list(left),
    }
    return Run(label, {}, True, "5-anonymity", "masked.csv", figures, ())


@pytest.fixture
def compared(server):
    """The page Compare of a table with runs of given risk and loss."""
    visitor = Visitor(server).logged_in()
    made = server.workspaces.create()
    (made.folder / "t.csv").write_bytes(b"age\n1\n2\n")
    made.document = {"source": {"file": "t.csv"}, "roles": {"keys": ["age"]}}
    columns = (TableColumn("age", "continuous", 2, 0, "key", ""),)
    made.results["open"] = WorkResult("open", Opened(2, columns), (), made.basis("open"))

    def show(figures, shown=None, label="masking {}", left=(), chosen=None):
        kept = {"open": made.results["open"]}
        made.settings = {"release": {"run": f"run-{chosen}"}} if chosen else {}
        for i, (risk, loss) in enumerate(figures, 1):
            value = run(risk, loss, label.format(i), left)
            kept[f"run-{i}"] = WorkResult("protect", value, (), made.basis("protect"))
        made.results = kept
        answer = visitor.get(f"/w/{made.id}/compare{f'/{shown}' if shown else ''}")
        assert answer.status == 200
        return answer.text

    yield show
    server.workspaces.close(made)


def spots(page):
    """The points of the map: their places, the runs they name, and where they lead."""
    svg = page[page.index('<figure class="card runs-map"') : page.index("</figure>")]
    found = []
    for link in re.findall(r"<a .*?</a>", svg.partition("</svg>")[0], re.DOTALL):
        place = re.search(r'<circle class="spot[^>]*cx="([\d.]+)" cy="([\d.]+)"', link)
        runs = tuple(map(int, re.findall(r"Run (\d+):", html.unescape(link))))
        leads = int(re.search(r'href="[^"]*/compare/(\d+)"', link)[1])
        found.append(((float(place[1]), float(place[2])), runs, leads))
    return found


FIGURES = {
    "close ones": [(0.0058, 0.5), (0.0061, 0.502), (0.02, 0.49), (0.6, 0.1)],
    "equal ones": [(0.2, 0.3)] * 3 + [(0.4, 0.1)] * 2 + [(0.1, 0.9)],
    "all equal": [(0.05, 0.05)] * 20,
    "zero": [(0.0, 0.0), (0.0, 0.0), (0.7, 0.0), (0.0, 1.0)],
    "a row": [(0.01 * i, 0.4) for i in range(20)],
    "a heap": [(0.3 + 0.002 * (i % 5), 0.4 + 0.002 * (i // 5)) for i in range(20)],
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_run_is_drawn_where_its_figures_say_and_equal_ones_once(compared, name):
    figures = FIGURES[name]
    page = compared(figures)
    found = spots(page)
    at = {run: place for place, runs, _ in found for run in runs}
    assert sorted(at) == list(range(1, len(figures) + 1))
    assert sum(len(runs) for _, runs, _ in found) == len(figures)
    assert len(found) == len(set(figures))
    marks = re.findall(r'<text class="mark" x="([\d.]+)" y="298" [^>]*>([\d.]+)</text>', page)
    left, right = float(marks[0][1]), float(marks[-1][1])
    far = left > 0  # an axis of logarithms has no 0
    assert far == (name == "close ones")
    assert far == ("DR_max (log scale)" in page)
    ups = re.findall(r'<text class="mark" x="-8" y="([\d.]+)" [^>]*>([\d.]+)</text>', page)
    top = float(ups[-1][1])
    for number, (risk, loss) in enumerate(figures, 1):
        share = math.log(risk / left) / math.log(right / left) if far else risk / right
        assert at[number][0] == pytest.approx(460 * share, abs=0.06)
        assert at[number][1] == pytest.approx(280 * (1 - loss / top), abs=0.06)


def test_a_safer_run_never_looks_riskier(compared):
    found = {runs[0]: x for (x, _), runs, _ in spots(compared(FIGURES["a heap"]))}
    for one, other in itertools.combinations(range(1, 21), 2):
        risks = FIGURES["a heap"][one - 1][0], FIGURES["a heap"][other - 1][0]
        assert (found[one] < found[other]) == (risks[0] < risks[1])


@pytest.mark.parametrize("name", FIGURES)
def test_tags_lie_neither_on_each_other_nor_on_points(compared, name):
    page = compared(FIGURES[name])
    points = [place for place, _, _ in spots(page)]
    boxes = [
        tuple(map(float, box))
        for box in re.findall(
            r'<rect class="tag" x="([\d.-]+)" y="([\d.-]+)" width="([\d.]+)" height="([\d.]+)"',
            page,
        )
    ]
    assert len(boxes) == len(points)
    for (x, y, wide, high), (u, v, broad, tall) in itertools.combinations(boxes, 2):
        assert x + wide <= u or u + broad <= x or y + high <= v or v + tall <= y
    for (x, y, wide, high), (u, v) in itertools.product(boxes, points):
        assert not (x < u < x + wide and y < v < y + high)
        assert x >= 0
        assert x + wide <= 504


def test_runs_at_one_place_are_counted_listed_and_each_is_reached(compared):
    page = compared(FIGURES["equal ones"])
    assert re.findall(r'class="number"[^>]*>([^<]*)<', page) == ["1, 2, 3 ×3", "4, 5 ×2", "6"]
    lists = re.findall(r'<p class="note same">(.*?)</p>', page)
    assert [re.findall(r"run (\d+)</a>", one) for one in lists] == [["1", "2", "3"], ["4", "5"]]
    shown, seen = 1, []
    for _ in range(3):
        seen.append(shown)
        shown = next(
            leads for _, runs, leads in spots(compared(FIGURES["equal ones"], shown)) if 1 in runs
        )
    assert (seen, shown) == ([1, 2, 3], 1)


def test_a_run_without_figures_is_not_on_the_map(compared):
    assert 'class="card runs-map"' not in compared([(None, None)])


LEFT = [
    {"attribute": "age", "lost": 1.0, "light": "bad", "words": "nothing left of age"},
    {"attribute": "zip", "lost": 0.61, "light": "late", "words": "partly kept"},
    {"attribute": "sex", "lost": 0.0, "light": "good", "words": "as it was"},
    {"attribute": "job", "lost": None, "light": "unknown", "words": "not measured"},
]


def test_a_light_for_each_attribute_stands_first_with_its_word(compared):
    page = compared([(0.1, 0.5)], left=LEFT)
    lights = re.search(r'<ul class="lights">(.*?)</ul>', page, re.DOTALL)[1]
    rows = [
        (light, " ".join(re.sub(r"<[^>]*>", "", words).split()))
        for light, words in re.findall(r'<li class="(\w+)">(.*?)</li>', lights)
    ]
    assert rows == [
        ("bad", "○ age nothing left of age EBIL, share 1.00"),
        ("late", "◐ zip partly kept EBIL, share 0.61"),
        ("good", "● sex as it was"),
        ("unknown", "– job not measured"),
    ]
    assert 'class="lights"' not in compared([(0.1, 0.5)])


def rows_of(page):
    """The runs in each row of the table."""
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)[1:]
    return [[int(n) for n in re.findall(r'/compare/(\d+)"', row)] for row in rows]


def test_runs_that_did_the_same_with_the_same_outcome_are_one_row(compared):
    figures = [(0.2, 0.3), (0.1, 0.9), (0.2, 0.3), (0.2, 0.3)]
    page = compared(figures, label="microaggregated")
    assert rows_of(page) == [[1, 3, 4], [2]]
    assert "the same: <a" in page
    assert rows_of(compared(figures, label="microaggregated", chosen=3)) == [[3, 1, 4], [2]]
    assert rows_of(compared(figures)) == [[1], [2], [3], [4]]  # other steps
