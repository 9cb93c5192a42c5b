"""The parts of a report: bins and categories that show no single record, pictures, names, cells."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.charts import before_after_chart, svg
from discreet.reports import bins, fragments
from discreet.reports.blocks import Code, Share, Table, Words, cut, rounded, shown
from discreet.reports.distributions import distributions
from discreet.reports.fragments import picture
from discreet.reports.names import clean, distinct, shortened
from discreet.reports.sentences import sentence

# -- numbers in bins -------------------------------------------------------------------------------


def counts_of(values):
    found = Counter(values)
    return np.array(list(found), dtype=float), np.array(list(found.values()), dtype=np.int64)


numbers = st.lists(
    st.one_of(
        st.integers(-1000, 1000).map(float),
        st.floats(-1e12, 1e12, allow_nan=False),
        st.sampled_from([0.0, 918273645.0, 1e-9]),
    ),
    min_size=1,
    max_size=80,
)


@given(numbers, numbers, st.integers(1, 9))
def test_bins_hold_no_records_or_enough_and_all_of_them(before, after, threshold):
    at = bins.edges(*counts_of(before))
    files = [bins.counted(*counts_of(values), at) for values in (before, after)]
    runs = bins.merged(files, threshold)
    if min(len(before), len(after)) < threshold:
        assert runs == []
        return
    assert [low for low, _ in runs] == [0, *(high for _, high in runs[:-1])]
    for values, counts in zip((before, after), files, strict=True):
        sums = [int(counts[low:high].sum()) for low, high in runs]
        assert sum(sums) == len(values)
        assert all(n == 0 or n >= threshold for n in sums)


@given(numbers)
def test_edges_are_round_ascending_and_few(values):
    at = bins.edges(*counts_of(values))
    assert list(at) == sorted(set(at))
    assert 1 <= len(at) <= 13
    largest = max(abs(at))
    for edge in at:  # multiples of the unit of the third digit of the largest
        unit = 10.0 ** (np.floor(np.log10(largest)) - 2) if largest else 1.0
        assert abs(edge / unit - round(edge / unit)) < 1e-6 or abs(edge) < unit


def test_a_value_falls_into_the_bin_that_its_label_says():
    values, counts = counts_of([5.0] * 9 + [25.0] * 6 + [95.0] * 7)
    at = np.array([10.0, 20.0, 30.0])
    files = [bins.counted(values, counts, at)]
    runs = bins.merged(files, 5)
    assert bins.labels(at, runs, bins.number_text) == [
        "under 10", "10 to 20", "20 to 30", "30 or more",
    ]  # fmt: skip
    assert files[0].tolist() == [9, 0, 6, 7]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([918273645.0 + i % 3 for i in range(60)], "918273645"),
        ([7391.28465] * 60, "7391.28"),
        ([float(i) for i in range(500)] + [918273645.0], "918"),
    ],
)
def test_labels_tell_neither_the_digits_of_a_value_nor_the_largest(values, told):
    values, counts = counts_of(values)
    at = bins.edges(values, counts)
    files = [bins.counted(values, counts, at)]
    labels = bins.labels(at, bins.merged(files, 5), bins.number_text)
    assert labels
    assert not any(told in label.replace(",", "") for label in labels)


def test_no_finite_value_gives_no_edge_and_one_bin():
    at = bins.edges(np.array([np.inf]), np.array([9]))
    assert bins.labels(at, bins.merged([np.array([9])], 5), str) == ["all values"]


# -- distributions ---------------------------------------------------------------------------------


def rows_of(found):
    return {label: tuple(counts.values()) for d in found for label, counts in d.rows}


@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60),
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60),
    st.integers(1, 9),
)
def test_a_category_is_named_only_where_it_holds_enough_records(before, after, threshold):
    initial, masked = ds.read({"x": before}), ds.read({"x": after})
    found = rows_of(distributions(initial, masked, "x", threshold))
    if min(len(before), len(after)) < threshold:
        assert found == {}
        return
    named = {label: counts for label, counts in found.items() if not label.startswith("other")}
    for label, counts in named.items():
        assert counts == (before.count(label), after.count(label))
        assert all(n == 0 or n >= threshold for n in counts)
    assert tuple(map(sum, zip(*found.values(), strict=True))) == (len(before), len(after))


def test_the_distribution_of_a_generalized_key_is_that_of_its_labels():
    data = ds.read({"age": [i % 60 for i in range(300)], "sex": ["f", "m"] * 150}, keys=["age"])
    found = ds.generalize(data, {"age": ds.Hierarchy.intervals([20])}, ds.KAnonymity(50))
    [only] = distributions(data, found.best.mask(), "age", 5)
    assert [label for label, _ in only.rows] == ["[0, 20)", "[20, 40)", "[40, 60)"]
    assert {counts["before"] for _, counts in only.rows} == {100}


def test_a_key_that_was_generalized_twice_is_shown_before_and_after():
    data = ds.read({"age": [i % 60 for i in range(300)]}, keys=["age"])
    first = ds.generalize(data, {"age": ds.Hierarchy.intervals([20], top=None)}, ds.KAnonymity(50))
    tops = ds.Hierarchy.from_dict({f"[{low}, {low + 20})": ["all"] for low in (0, 20, 40)})
    second = ds.generalize(first.best.mask(), {"age": tops}, ds.KAnonymity(200))
    found = distributions(data, second.best.mask(), "age", 5)
    assert [tuple(d.totals) for d in found] == [("before",), ("after",)]


def test_missing_values_are_counted_apart_and_hidden_when_few():
    many = ds.read({"x": [1.5, 2.5] * 20 + [None] * 6})
    few = ds.read({"x": [1.5, 2.5] * 20 + [None] * 2})
    assert rows_of(distributions(many, many, "x", 5))["missing"] == (6, 6)
    [hidden] = distributions(few, few, "x", 5)
    assert "missing" not in rows_of([hidden])
    assert "missing values are not shown" in hidden.note


def test_a_whole_number_is_one_category_however_a_file_stores_it():
    roles = {"keys": ["x"], "types": {"x": "nominal"}}
    whole, parts = ds.read({"x": [1, 2] * 20}, **roles), ds.read({"x": [1.0, 2.0] * 20}, **roles)
    assert rows_of(distributions(whole, parts, "x", 5)) == {"1": (20, 20), "2": (20, 20)}


def test_dates_are_counted_in_months():
    import datetime as dt

    days = [dt.date(2020, 1 + i % 12, 1 + i % 28) for i in range(240)]
    found = rows_of(distributions(ds.read({"x": days}), ds.read({"x": days}), "x", 5))
    assert "2020-03 to 2020-05" in found
    assert not any(re.search(r"\d{4}-\d\d-\d\d", label) for label in found)


def test_a_file_of_fewer_records_than_the_threshold_has_no_distribution():
    data = ds.read({"x": [1, 2, 3], "y": ["a", "b", "c"]})
    assert distributions(data, data, "x", 5) == distributions(data, data, "y", 5) == []


# -- names, cells, pictures ------------------------------------------------------------------------


@given(st.text(max_size=300))
def test_clean_text_can_stand_in_xml(text):
    import xml.etree.ElementTree as ET

    element = ET.Element("t", {"a": clean(text)})
    element.text = clean(text)
    assert ET.fromstring(ET.tostring(element, encoding="unicode")) is not None


@given(st.lists(st.text(max_size=120), max_size=8, unique=True))
def test_short_names_are_short_and_different(names):
    found = distinct(names)
    assert len(set(found.values())) == len(names)
    assert all(len(short) <= 100 for short in found.values())


def test_a_name_of_ten_thousand_characters_is_cut_and_says_so():
    assert shortened("x" * 10_000) == "x" * 60 + "… (10,000 characters)"


def test_cells_are_shown_by_what_they_are():
    assert [shown(c) for c in (1234, 0.5, True, None, "<b>", Share(0, 0), Share(1, 10_000))] == [
        "1,234", "0.5", "yes", "–", "<b>", "–", "<0.1%",
    ]  # fmt: skip
    assert rounded(float("inf")) == "inf"


def test_a_long_table_is_cut_and_says_how_long_it_was():
    table = cut(Table("t", ("a",), tuple((i,) for i in range(100))), 10)
    assert len(table.rows) == 10
    assert table.note == "The first 10 of 100 rows."


@pytest.mark.parametrize("block", [Words(("<b>&\"'",)), Code("<b>&\"'", "<b>&\"'")])
def test_text_is_escaped(block):
    found = fragments.html(block)
    assert "<b>" not in found
    assert "&lt;b&gt;&amp;&#34;&#39;" in found


BAD_SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 width="9" height="9" onload="x()" style="a:b"><script>x()</script><style>a{}</style>
 <foreignObject><p>x</p></foreignObject><image xlink:href="https://example.org/a.png"/>
 <a href="javascript:x()"><text>x</text></a><defs><clipPath id="clip0"><rect/></clipPath></defs>
 <g clip-path="url(#clip0)" onclick="x()" fill="url(https://example.org/a)"><text>kept</text></g>
</svg>"""


def test_only_what_draws_is_left_of_a_picture():
    found = picture(BAD_SVG, prefix="p1", alt='a "chart" <b>')
    gone = "script style foreignObject image onload onclick xlink href javascript http://e https"
    assert [word for word in gone.split() if word in found.replace("http://www.w3.org", "")] == []
    assert 'id="p1-clip0"' in found
    assert 'clip-path="url(#p1-clip0)"' in found
    assert "kept" in found
    assert 'aria-label="a &quot;chart&quot; &lt;b&gt;"' in found


def test_a_chart_has_neither_style_attributes_nor_remote_fonts():
    chart = before_after_chart([("<b>", "before", 0.5), ("<b>", "after", 0.4)], of="share")
    found = picture(svg(chart), prefix="p", alt="x")
    assert not re.search(r"style=|class=|@font-face|url\(h", found)
    assert "&lt;b&gt;" in found


def test_a_fragment_of_class_sizes_has_a_row_for_each_size_of_either_file():
    found = fragments.class_size_figure({"before": [("1", 9), ("2", 4)], "after": [("1", 0)]})
    assert [row[0] for row in found.table.rows] == ["1", "2"]
    assert found.table.rows[1][1:] == (4, Share(4, 13), 0, Share(0, 0))
    assert "<figure" in fragments.html(found)


def test_every_measure_of_loss_has_a_sentence():
    from discreet.loss.information import MEASURES

    own = {name: sentence(name, 0.25, meaning) for name, (meaning, _) in MEASURES.items()}
    plain = {name: sentence("unknown", 0.25, meaning) for name, (meaning, _) in MEASURES.items()}
    assert [name for name in MEASURES if own[name] == plain[name]] == []


def test_a_block_that_no_template_draws_is_an_error():
    with pytest.raises(TypeError, match="object"):
        fragments.html(object())
