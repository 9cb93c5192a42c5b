"""The font of the charts: the same picture on every machine, whatever fonts it has."""

import io
import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

import discreet as ds
from discreet import font
from discreet.charts import before_after_chart, svg
from tests import font_sets

OTHER = ["возраст", "ηλικία", "łódź", "年齢の区分", "عمر", "வயது", "e\u0301", "👍🏽"]
DRAWN = """
import hashlib, io, json, sys
import discreet as ds
from discreet.charts import before_after_chart, correlation_chart, svg
names = json.load(sys.stdin)
rows = [(name, file, 0.5) for name in names for file in ("before", "after")]
saved = io.StringIO()
before_after_chart(rows, of="share").save(saved, format="svg")
data = ds.read({"age": [1, 2, 3, 4] * 9, names[0]: ["a", "b", "c"] * 12}, keys=["age", names[0]])
found = ds.generalize(
    data, {"age": ds.Hierarchy.intervals([2, 4]), names[0]: ds.Hierarchy.suppress()},
    ds.KAnonymity(3),
)
map = ds.ru_map(data, {"a half": lambda d: ds.sample(d, fraction=0.5, seed=1)})
drawn = [
    svg(before_after_chart(rows, of="share")), saved.getvalue(), svg(map.chart()),
    svg(correlation_chart([(f"{name}, age", 0.1, 0.9) for name in names])), found.lattice.svg(),
]
print(*(hashlib.sha256(text.encode()).hexdigest() for text in drawn))
"""


def digests(environment):
    done = subprocess.run(
        [sys.executable, "-c", DRAWN],
        input=json.dumps(["other (9 categories)", *OTHER]),
        env={**environment, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.fixture(scope="module")
def drawn_without(absent, tmp_path_factory):
    return digests(font_sets.surroundings("none", tmp_path_factory.mktemp("none"), absent))


@pytest.mark.parametrize("name", font_sets.INSTALLED)
def test_the_same_bytes_are_drawn_whatever_fonts_are_installed(
    name, absent, tmp_path, drawn_without
):
    drawn = digests(font_sets.surroundings(name, tmp_path, absent))
    assert len(drawn) == 5
    assert drawn == drawn_without


# -- widths --------------------------------------------------------------------------------------


def drawn_width(text, *, bold=False):
    """The room that the renderer gives a label, in whole pixels."""
    axis = {"labelLimit": 0, "labelFontSize": 20, "labelPadding": 0, "labelFont": font.MEASURE,
            "ticks": False, "domain": False, "labelFontWeight": "bold" if bold else "normal"}  # fmt: skip
    spec = {
        "data": {"values": [{"c": text}]},
        "mark": "point",
        "width": 50,
        "padding": 0,
        "encoding": {"y": {"field": "c", "type": "nominal", "title": None, "axis": axis}},
        "config": {"view": {"stroke": None}},
    }
    from discreet.charts import _renderer

    return float(re.search(r'width="([\d.]+)"', _renderer().vegalite_to_svg(spec))[1]) - 50


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize(
    "text", ["other (9 categories)", "AVATAR To fi", "0 ≤ x → 1 ★", *OTHER[:5]]
)
def test_a_width_is_that_which_the_renderer_lays_out_with(text, bold):
    assert drawn_width(text, bold=bold) == pytest.approx(font.width(text, 20, bold=bold), abs=1)


@pytest.mark.parametrize("text", OTHER[5:])
def test_marks_that_join_a_letter_are_never_measured_too_small(text):
    assert 20 <= drawn_width(text) <= font.width(text, 20) + 1 or text == "e\u0301"


def test_every_character_has_a_width():
    for weight in font.WEIGHTS:
        starts, widths = font._advances(weight)
        assert starts == sorted(starts)
        assert starts[0] == 0
        assert len(starts) == len(widths)
        assert all(0 <= width <= 1.5 for width in widths)
    assert font.width("\U0010ffff", 10) == 10


def test_the_width_of_a_text_is_the_sum_of_its_letters():
    text = "Wide AVATAR, 12 ★"
    assert font.width(text, 12) == pytest.approx(sum(font.width(letter, 12) for letter in text))


# -- what is carried -----------------------------------------------------------------------------


def files_in(sheet):
    return [
        next(name for name in font.FILES if font._data(name) == address)
        for address in re.findall(r"url\((data:[^)]*)\)", sheet)
    ]


def test_only_the_scripts_and_weights_that_occur_are_carried():
    assert files_in(font.faces("age 0–9 ★")) == ["latin-400.woff2", "latin-700.woff2"]
    assert files_in(font.faces("δ", [400])) == ["greek-400.woff2"]
    assert files_in(font.faces("年齢")) == []
    assert files_in(font.faces(font.every())) == list(font.FILES)


def test_a_chart_carries_its_letters_and_stays_small():
    drawn = svg(before_after_chart([("возраст", "before", 0.5)], of="share"))
    root = ET.fromstring(drawn)
    sheet = root.find("{http://www.w3.org/2000/svg}style").text
    assert files_in(sheet) == ["latin-400.woff2", "cyrillic-400.woff2"]
    assert len(drawn) < 30_000
    assert font.MEASURE not in drawn
    assert not re.search(r"url\((?!data:font/woff2;base64,|#)", drawn)


def test_a_column_named_like_the_font_that_measures_keeps_its_name():
    name = f'<text font-family="{font.MEASURE}">'
    drawn = svg(before_after_chart([(name, "before", 0.5)], of="share"))
    assert any(name[:20] in (text or "") for text in ET.fromstring(drawn).itertext())


def test_a_chart_that_a_user_saves_carries_the_font_too(tmp_path):
    chart = ds.risk(ds.read({"a": [1, 2, 3, 3]}, keys=["a"])).chart()
    chart.save(str(tmp_path / "a.svg"))
    chart.properties(width=200).save(tmp_path / "b.svg")
    text = io.StringIO()
    chart.save(text, format="svg")
    saved = [(tmp_path / f"{n}.svg").read_text("utf-8") for n in "ab"] + [text.getvalue()]
    assert saved[0] == saved[2]
    for drawn in saved:
        assert files_in(drawn) == ["latin-400.woff2", "latin-700.woff2"]  # its title is bold
    chart.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_charts_still_stand_beside_each_other_and_take_another_font():
    import altair as alt

    chart = ds.risk(ds.read({"a": [1, 2, 3, 3]}, keys=["a"])).chart()
    assert type(chart).__name__ == "Chart"
    assert isinstance(chart | chart, alt.HConcatChart)
    assert chart.to_dict()["config"]["font"] == font.STACK
    assert "config" not in (chart | chart).to_dict()["hconcat"][0]
    other = chart.configure(font="Courier")
    assert other.to_dict()["config"]["font"] == "Courier"
    assert 'font-family="Courier"' in svg(other)


@pytest.mark.parametrize("name", ["sans-400.ttf", "sans-700.ttf", "measure-400.ttf"])
def test_no_file_bears_a_reserved_name(name):
    """The licence asks it of a changed font, and fonts of the machine are not taken for ours."""
    data = (font.FOLDER / name).read_bytes()
    tables = {data[at : at + 4]: struct.unpack(">II", data[at + 8 : at + 16])
              for at in range(12, 12 + 16 * struct.unpack(">H", data[4:6])[0], 16)}  # fmt: skip
    start, length = tables[b"name"]
    said = data[start : start + length].decode("utf-16-be", "replace")
    assert "Discreet" in said
    assert not any(word in said for word in ("Liberation", "Arimo", "Tinos", "Cousine"))
    assert "Red Hat" in said


def test_the_licence_lies_beside_the_files():
    said = (font.FOLDER / "OFL.txt").read_text("utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in said
    assert "Reserved Font Name Liberation" in said


# -- the caption of a lattice --------------------------------------------------------------------


def test_long_names_of_keys_are_wrapped_below_the_lattice_and_not_cut_off():
    keys = {f"a rather long name of a key {i}": [1, 2] * 5 for i in range(4)}
    data = ds.read({**keys, "word" * 40: [1, 2] * 5}, keys=[*keys, "word" * 40])
    hierarchies = {name: ds.Hierarchy.suppress() for name in data.keys}
    drawn = ds.generalize(data, hierarchies, ds.KAnonymity(5)).lattice.svg()
    root = ET.fromstring(drawn)
    lines = [
        text for text in root.iter("{http://www.w3.org/2000/svg}text") if text.get("x") == "10"
    ]
    room = float(root.get("width")) - 20
    assert len(lines) > 3
    assert all(font.width(line.text, 11) <= room for line in lines)
    assert all(float(line.get("y")) < float(root.get("height")) for line in lines)
    assert all(name in " ".join(line.text for line in lines) for name in keys)
