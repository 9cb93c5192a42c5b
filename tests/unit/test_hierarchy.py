"""Hierarchies: laws, dictionaries, and what fitting them to values gives."""

import csv
import datetime as dt
import decimal
import time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidData, InvalidParameter, UnreadableSource
from discreet.hierarchies.hierarchy import Hierarchy, fit_all
from tests.fitted_hierarchies import COUNTRIES, error_codes, moments, rows

HEIGHTS = {
    "sex": 1,
    "age": 4,
    "race": 1,
    "marital-status": 2,
    "education": 3,
    "native-country": 2,
    "workclass": 2,
    "occupation": 2,
    "salary-class": 1,
}


# -- published ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("attribute", "height"), HEIGHTS.items())
def test_the_nine_adult_hierarchies_of_arx_fit_the_values_of_adult(
    reference_data, attribute, height
):
    path = reference_data(f"adult/adult_hierarchy_{attribute}.csv")
    data = reference_data("adult/adult_30162x9.csv")
    options = pa.csv.ParseOptions(delimiter=";")
    counted = pa.csv.read_csv(data, parse_options=options)[attribute].value_counts()
    counts = counted.field("counts").to_numpy()
    fitted = Hierarchy.from_csv(path).fit(attribute, counted.field("values"), counts)
    assert fitted.height == height
    assert fitted.n_leaves == len(path.read_text(encoding="utf-8").splitlines())
    assert fitted.labels[height].to_pylist() == ["*"]
    assert fitted.shares(height).tolist() == [1.0]
    listed = {
        row[0]: row
        for row in csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter=";")
    }
    for level in range(height + 1):
        assert rows(fitted, level) == [listed[v][level] for v in rows(fitted, 0)]


def test_figure_3_of_p_sensitive_k_anonymity_has_three_zip_levels_and_two_sex_levels():
    """Truta & Vinay 2006, Figure 3: Z1 the first three digits, Z2 and S1 one group."""
    zips = pa.array(["41076", "41099", "43102", "43103", "48201", "48202"])
    fitted = Hierarchy.prefixes([5, 3, 0]).fit("ZipCode", zips)
    assert rows(fitted, 0) == zips.to_pylist()
    assert rows(fitted, 1) == ["410**", "410**", "431**", "431**", "482**", "482**"]
    assert rows(fitted, 2) == ["*"] * 6
    sexes = Hierarchy.suppress().fit("Sex", pa.array(["F", "M"]))
    assert (rows(sexes, 1), sexes.height) == (["*", "*"], 1)


# -- laws ---------------------------------------------------------------------------------------

ALPHABET = st.text("ab1*é", max_size=4)
DATES = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
CASES = st.one_of(
    st.tuples(
        st.sampled_from([Hierarchy.intervals([10, 20, 100]), Hierarchy.intervals([5], origin=3)]),
        st.sets(st.integers(-300, 300)),
    ),
    st.tuples(
        st.sampled_from(
            [
                Hierarchy.intervals([0.1, 0.5], bottom_code=-1.25, top_code=2),
                Hierarchy.intervals([0.25, 1], top=None),
            ]
        ),
        st.sets(st.floats(-1e6, 1e6)),
    ),
    st.tuples(
        st.sampled_from([Hierarchy.prefixes([4, 2, 1]), Hierarchy.prefixes([9, 3], top=None)]),
        st.sets(ALPHABET),
    ),
    st.tuples(
        st.sampled_from([Hierarchy.by_frequency(), Hierarchy.by_frequency([3, 1])]),
        st.sets(ALPHABET),
    ),
    st.tuples(
        st.sampled_from([Hierarchy.dates(), Hierarchy.dates(["day", "year"], top=None)]),
        st.sets(DATES),
    ),
    st.tuples(st.just(Hierarchy.suppress()), st.sets(ALPHABET)),
)


@given(CASES, st.booleans(), st.randoms(use_true_random=False))
def test_levels_nest_leaves_add_up_and_shares_never_fall(case, missing, random):
    hierarchy, distinct = case
    values = pa.array([*sorted(distinct), *([None] if missing else [])])
    fitted = hierarchy.fit("x", values, [random.randint(1, 9) for _ in values])
    assert_lawful(fitted)
    assert fitted.n_leaves == len(distinct)
    assert all(leaves.sum() == fitted.n_leaves for leaves in fitted.leaves)


def assert_lawful(fitted):
    assert fitted.maps[0].tolist() == list(range(len(fitted.values)))
    before = np.zeros(len(fitted.values))
    for level, (codes, labels) in enumerate(zip(fitted.maps, fitted.labels, strict=True)):
        assert codes.dtype == np.int32
        assert list(dict.fromkeys(codes.tolist())) == list(range(len(labels)))  # first leaf first
        shares = fitted.shares(level)[codes]
        assert ((shares >= before) & (shares <= 1)).all()
        before = shares
    for lower, upper in zip(fitted.maps, fitted.maps[1:], strict=False):
        assert len(set(zip(lower.tolist(), upper.tolist(), strict=True))) == len(
            set(lower.tolist())
        )


@st.composite
def trees(draw):
    """Random parents, level by level, for a handful of leaves."""
    codes = list(range(draw(st.integers(1, 12))))
    paths = [[f"leaf{i}"] for i in codes]
    for _ in range(draw(st.integers(1, 4))):
        parent = draw(st.lists(st.integers(0, 5), min_size=12, max_size=12))
        codes = [parent[code] for code in codes]
        for path, code in zip(paths, codes, strict=True):
            path.append(f"group{code}")
    return {leaf: labels for leaf, *labels in paths}


@given(trees(), st.data())
def test_an_explicit_hierarchy_counts_its_own_leaves_whichever_occur(paths, data):
    hierarchy = Hierarchy.from_dict(paths)
    assert_lawful(whole := hierarchy.fit("x", pa.array(list(paths))))
    assert all(leaves.sum() == len(paths) for leaves in whole.leaves)
    some = data.draw(st.lists(st.sampled_from(list(paths)), unique=True))
    fitted = hierarchy.fit("x", pa.array(some, pa.string()))
    assert_lawful(fitted)
    for level in range(1, whole.height + 1):
        slow = [
            sum(p[level - 1] == paths[leaf][level - 1] for p in paths.values()) for leaf in some
        ]
        assert fitted.leaves[level][fitted.maps[level]].tolist() == slow


@given(
    st.lists(st.decimals(-1000, 1000, places=2), unique=True),
    st.sampled_from(["0.1", "0.25", "3", "0.7"]),
    st.sampled_from(["0", "0.05", "-7"]),
)
def test_intervals_equal_their_slow_twin_in_exact_decimals(numbers, width, origin):
    width, origin = Decimal(width), Decimal(origin)
    hierarchy = Hierarchy.intervals([width, width * 4], origin=origin)
    fitted = hierarchy.fit("x", pa.array([float(x) for x in numbers], pa.float64()))
    for level, w in [(1, width), (2, width * 4)]:
        lows = [
            ((x - origin) / w).to_integral_value(decimal.ROUND_FLOOR) * w + origin for x in numbers
        ]
        assert rows(fitted, level) == [f"[{plain(low)}, {plain(low + w)})" for low in lows]


def plain(number):
    return format(number.normalize() + 0, "f")


@given(trees())
def test_what_is_written_reads_back_the_same(tmp_path_factory, paths):
    path = tmp_path_factory.mktemp("h") / "h.csv"
    hierarchy = Hierarchy.from_dict(paths)
    hierarchy.to_csv(path)
    assert Hierarchy.from_csv(path).table().equals(hierarchy.table())


# -- dictionaries -------------------------------------------------------------------------------


def test_a_tree_and_its_leaves_are_the_same_hierarchy():
    flat = {"DE": ["Europe", "*"], "FR": ["Europe", "*"], "JP": ["Asia", "*"]}
    assert Hierarchy.from_dict(COUNTRIES) == Hierarchy.from_dict(flat)
    fitted = Hierarchy.from_dict(COUNTRIES).fit("country", pa.array(["FR", "JP"]))
    assert rows(fitted, 1) == ["Europe", "Asia"]
    assert fitted.leaves[1].tolist() == [2, 1]
    assert fitted.shares(1).tolist() == [0.5, 0.0]


def test_a_label_alone_is_a_list_of_one():
    assert Hierarchy.from_dict({"a": "*", "b": "*"}) == Hierarchy.from_dict(
        {"a": ["*"], "b": ["*"]}
    )


def test_leaves_may_be_numbers_booleans_dates_and_missing():
    leaves = {2.0: "n", False: "b", dt.date(2024, 5, 1): "d", None: "m"}
    table = Hierarchy.from_dict(leaves).table()
    assert table["value"].to_pylist() == ["2", "false", "2024-05-01", None]


def endless():
    tree = {}
    tree["a"] = tree
    return tree


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({}, "no leaf"),
        ([], "no leaf"),
        ({"*": {"Asia": ["JP"], "Europe": {"West": ["FR"]}}}, "1 leaf has 2, 1 leaf has 3"),
        ({"a": ["x", "*"], "b": ["*"]}, "1 leaf has 1, 1 leaf has 2"),
        ({"a": []}, "no leaf with a level"),
        ({"*": {"Europe": []}}, "no leaf with a level"),
        ({"*": ["a", "b"]}, "they are swapped"),
        (endless(), "may contain itself"),
    ],
)
def test_a_wrong_dictionary_is_refused(mapping, message):
    with pytest.raises(InvalidParameter, match=message) as error:
        Hierarchy.from_dict(mapping)
    assert error_codes(error) == ["P23"]


def test_a_dictionary_that_does_not_nest_is_refused():
    with pytest.raises(UnreadableSource, match="level 1 does not nest in level 2"):
        Hierarchy.from_dict({"a": ["x", "1"], "b": ["x", "2"]})
    with pytest.raises(UnreadableSource, match="S12"):
        Hierarchy.from_dict({"*": {"x": ["a"], "y": ["a"]}})


def test_the_same_label_on_two_levels_is_no_problem():
    fitted = Hierarchy.from_dict({"*": {"Asia": {"Asia": ["JP"]}, "Europe": {"West": ["FR"]}}}).fit(
        "country", pa.array(["FR", "JP"])
    )
    assert rows(fitted, 1) == ["West", "Asia"]
    assert rows(fitted, 2) == ["Europe", "Asia"]


# -- matching -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "leaves"),
    [
        (pa.array([39, 40]), ["39", "40"]),
        (pa.array([39, 40], pa.uint8()), ["39.0", "40.00"]),
        (pa.array([39.0, 0.5]), ["39", "0.50"]),
        (pa.array([0.5, 0.7], pa.float32()), ["0.5", "0.7"]),
        (pa.array([-0.0, 1e16]), ["0", "10000000000000000"]),
        (pa.array([Decimal("39.00"), Decimal("0.50")]), ["39", "0.5"]),
        (pa.array([False, True]), ["FALSE", "True"]),
        (pa.array([dt.date(2024, 5, 1), dt.date(2024, 5, 2)]), ["2024-05-01", "2024-05-02"]),
        (
            moments("2024-05-01", "2024-05-01T08:30:00.5"),
            ["2024-05-01", "2024-05-01 08:30:00.5"],
        ),
        (pa.array([dt.time(8, 30), dt.time(9)]), ["08:30:00", "09:00:00.0"]),
        (pa.array(["39", "x"]), ["39", "x"]),
        (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
        (pa.array(["a", "b"], pa.large_string()), ["a", "b"]),
        (pa.array(["a", "b"], pa.string_view()), ["a", "b"]),
        (pa.chunked_array([["a"], ["b"]]), ["a", "b"]),
        (["a", "b"], ["a", "b"]),
    ],
)
def test_values_match_the_hierarchy_by_their_text_form(values, leaves):
    hierarchy = Hierarchy.from_dict({leaf: [f"g{i}", "*"] for i, leaf in enumerate(leaves)})
    assert rows(hierarchy.fit("x", values), 1) == ["g0", "g1"]


def test_text_is_not_taken_for_a_number():
    hierarchy = Hierarchy.from_dict({"39": ["*"]})
    with pytest.raises(InvalidData, match="D20"):
        hierarchy.fit("x", pa.array(["39.0"]))


def test_leaves_that_are_the_same_number_must_have_the_same_labels():
    hierarchy = Hierarchy.from_dict({"39": ["x"], "39.0": ["y"]})
    assert hierarchy.fit("x", pa.array(["39", "39.0"])).n_leaves == 2
    with pytest.raises(UnreadableSource, match="S12"):
        hierarchy.fit("x", pa.array([39]))


def test_lists_and_bytes_have_no_levels():
    for values in (pa.array([[1]]), pa.array([b"x"])):
        with pytest.raises(InvalidData, match="D22"):
            Hierarchy.suppress().fit("x", values)


# -- values without a place ---------------------------------------------------------------------


def test_unmapped_values_are_counted_and_never_shown():
    with pytest.raises(InvalidData) as error:
        Hierarchy.from_dict(COUNTRIES).fit("country", pa.array([" fr", "JP", "secret"]), [3, 4, 5])
    assert error_codes(error) == ["D20"]
    text = str(error.value)
    assert "'country': 2 of 3 values (8 records) are not in the dictionary" in text
    assert "1 of them differs only in blanks or case" in text
    assert "secret" not in text


def test_a_missing_value_is_not_among_the_values_that_are_counted():
    with pytest.raises(InvalidData, match=r"1 of 2 values \(4 records\) is not in the dictionary"):
        Hierarchy.from_dict(COUNTRIES).fit("country", pa.array(["FR", "XX", None]), [3, 4, 5])


def test_suppressed_values_are_in_the_top_group_from_level_1_on():
    hierarchy = Hierarchy.from_dict(COUNTRIES, unmapped="suppress")
    fitted = hierarchy.fit("country", pa.array(["FR", "JP", "XX", None]))
    assert rows(fitted, 0) == ["FR", "JP", "XX", None]
    assert rows(fitted, 1) == ["Europe", "Asia", "*", None]
    assert rows(fitted, 2) == ["*", "*", "*", "*"]
    assert fitted.n_leaves == 3
    assert fitted.shares(0).tolist() == [0, 0, 0, 0]
    assert fitted.shares(1)[fitted.maps[1]].tolist() == [0.5, 0, 1, 0]
    assert_lawful(fitted)


def test_suppressed_values_are_a_group_of_their_own_where_there_is_no_top():
    hierarchy = Hierarchy.from_dict({"a": ["x"], "b": ["y"]}).with_unmapped("suppress")
    assert rows(hierarchy.fit("x", pa.array(["a", "b", "c"])), 1) == ["x", "y", "*"]


def test_a_label_of_the_top_below_the_top_does_not_swallow_suppressed_values():
    paths = {"a": ["*", "x", "*"], "b": ["y", "y", "*"]}
    hierarchy = Hierarchy.from_dict(paths, unmapped="suppress")
    assert hierarchy.fit("x", pa.array(["a", "b"])).height == 3
    with pytest.raises(InvalidData, match="level 1, which has the label of the top"):
        hierarchy.fit("x", pa.array(["a", "b", "c"]))


def test_builders_count_what_they_cannot_read_and_can_suppress_it():
    for hierarchy, values in [
        (Hierarchy.intervals([10]), pa.array(["23", "secret", "1e400"])),
        (Hierarchy.intervals([10]), pa.array([23.0, float("inf"), 1e300])),
        (Hierarchy.dates(), pa.array(["2024-02-29", "2024-02-31", "secret"])),
    ]:
        with pytest.raises(InvalidData, match=r"D21.*2 of 3 values") as error:
            hierarchy.fit("x", values)
        assert "secret" not in str(error.value)
        fitted = hierarchy.with_unmapped("suppress").fit("x", values)
        assert rows(fitted, 1)[1:] == ["*", "*"]
        assert fitted.n_leaves == 1


def test_unmapped_takes_two_words_only():
    with pytest.raises(InvalidParameter, match="P24"):
        Hierarchy.suppress().with_unmapped("ignore")


def test_several_attributes_tell_all_their_problems_together():
    h = Hierarchy.from_dict(COUNTRIES)
    values, counts = pa.array(["XX"]), np.array([1])
    with pytest.raises(InvalidData) as error:
        fit_all(
            {"born": h, "lives": h},
            {"born": values, "lives": values},
            dict.fromkeys(["born", "lives"], counts),
        )
    assert error_codes(error) == ["D20", "D20"]
    assert list(fit_all({"a": Hierarchy.suppress()}, {"a": values}, {"a": counts})) == ["a"]


# -- missing values -----------------------------------------------------------------------------


def test_a_missing_value_is_a_group_of_its_own_until_all_are_one():
    fitted = Hierarchy.intervals([10]).fit("age", pa.array([23, 25, 37, None]))
    assert rows(fitted, 1) == ["[20, 30)", "[20, 30)", "[30, 40)", None]
    assert rows(fitted, 2) == ["*"] * 4
    assert fitted.n_leaves == 3
    assert fitted.leaves[1].tolist() == [2, 1, 0]
    assert fitted.shares(1).tolist() == [0.5, 0, 0]
    assert fitted.shares(2).tolist() == [1.0]


def test_a_missing_value_alone_in_the_group_of_all_leaves_loses_as_much_as_they_would():
    """Found by a brute-force twin: no leaf of the group occurs in the data."""
    tree = Hierarchy.from_dict({"low": ["any", "*"], "mid": ["any", "*"]}, unmapped="suppress")
    fitted = tree.fit("a", ["new", None])
    assert [labels.to_pylist() for labels in fitted.labels[1:]] == [["*", "any"], ["*"]]
    assert [fitted.shares(level).tolist() for level in (0, 1, 2)] == [[0, 0], [1, 1], [1]]


def test_a_missing_value_does_not_join_a_group_that_is_alone_by_chance():
    fitted = Hierarchy.from_dict(COUNTRIES).fit("country", pa.array(["DE", "FR", None]))
    assert rows(fitted, 1) == ["Europe", "Europe", None]
    assert rows(fitted, 2) == ["*", "*", "*"]


@pytest.mark.parametrize(
    "hierarchy",
    [
        Hierarchy.intervals([10]),
        Hierarchy.prefixes([5, 3]),
        Hierarchy.dates(),
        Hierarchy.by_frequency(),
        Hierarchy.suppress(),
        Hierarchy.from_dict(COUNTRIES),
    ],
)
def test_no_value_or_none_but_the_missing_one_fits_every_hierarchy(hierarchy):
    nothing = hierarchy.fit("x", pa.array([], pa.null()), [])
    assert nothing.groups == (0,) * (nothing.height + 1)
    missing = hierarchy.fit("x", pa.array([None]), [3])
    assert missing.groups == (1,) * (missing.height + 1)
    assert [missing.shares(level).tolist() for level in (0, 1)] == [[0.0], [0.0]]


def test_one_leaf_alone_loses_nothing():
    fitted = Hierarchy.suppress().fit("x", pa.array(["a"]))
    assert fitted.shares(1).tolist() == [0.0]


# -- showing ------------------------------------------------------------------------


def test_no_repr_holds_a_value():
    hierarchy = Hierarchy.from_dict({"secret": ["hidden", "*"], "b": ["hidden", "*"]})
    fitted = hierarchy.fit("x", pa.array(["secret"]))
    shown = repr(hierarchy) + repr(fitted) + repr(hierarchy.rule) + str(fitted)
    assert "secret" not in shown
    assert "hidden" not in shown
    assert repr(fitted) == "Recoding of 'x': 1 values, 2 leaves, groups per level 1, 1, 1"


@pytest.mark.parametrize(
    ("hierarchy", "text"),
    [
        (Hierarchy.intervals([0.5, 10.0]), "Hierarchy(intervals of 0.5, 10, then *)"),
        (Hierarchy.intervals([10], top=None), "Hierarchy(intervals of 10)"),
        (Hierarchy.prefixes([5, 3, 0]), "Hierarchy(prefixes of 3, then *)"),
        (Hierarchy.prefixes([5]), "Hierarchy(*)"),
        (Hierarchy.dates(["year"]), "Hierarchy(dates by year, then *)"),
        (Hierarchy.suppress(top="all"), "Hierarchy(all values as all)"),
        (Hierarchy.by_frequency([9, 3]), "Hierarchy(most frequent categories, 9, 3 kept, then *)"),
        (
            Hierarchy.from_dict(COUNTRIES, unmapped="suppress"),
            "Hierarchy(3 leaves, height 2, from the dictionary, unmapped values suppressed)",
        ),
    ],
)
def test_a_hierarchy_describes_itself(hierarchy, text):
    assert repr(hierarchy) == text


def test_the_table_has_the_values_as_they_are_and_a_column_per_level():
    fitted = Hierarchy.intervals([10]).fit("age", pa.array([23, None]))
    assert fitted.table().to_pydict() == {
        "value": [23, None],
        "level1": ["[20, 30)", None],
        "level2": ["*", "*"],
    }
    assert fitted.table(2).column_names == ["value", "level2"]
    assert fitted.table(0).column_names == ["value", "level0"]
    for level in (3, -1):
        with pytest.raises(InvalidParameter, match="P24"):
            fitted.table(level)
        with pytest.raises(InvalidParameter, match="P24"):
            fitted.shares(level)


def test_the_tree_is_drawn_from_the_top_and_cut_at_a_number_of_lines():
    countries = {"*": {"Asia": {"Asia": ["JP"]}, "Europe": {"West": ["FR", "NL"], "East": ["PL"]}}}
    fitted = Hierarchy.from_dict(countries).fit("country", pa.array(["FR", "JP", "NL", "PL", None]))
    assert fitted.tree().splitlines() == [
        "*",
        "├── Europe",
        "│   ├── West",
        "│   │   ├── FR",
        "│   │   └── NL",
        "│   └── East",
        "│       └── PL",
        "├── Asia",
        "│   └── JP",
        "└── (missing)",
    ]
    assert fitted.tree(most=2).splitlines() == ["*", "├── Europe", "…"]


def test_the_tree_of_a_forest_has_several_roots():
    fitted = Hierarchy.prefixes([2, 1], top=None).fit("x", pa.array(["a1", "b1"]))
    assert fitted.tree().splitlines() == ["a*", "└── a1", "b*", "└── b1"]


def test_values_that_are_no_array_are_refused_without_being_shown():
    with pytest.raises(InvalidParameter, match="P24") as error:
        Hierarchy.suppress().fit("x", ["secret", 1])
    assert "secret" not in str(error.value)
    assert error.value.__context__ is None


def test_a_hundred_thousand_values_are_fitted_in_well_under_a_second():
    codes = pa.array([f"{i:06d}" for i in range(100_000)])
    listed = Hierarchy.from_dict({c: [c[:3], "*"] for c in codes.to_pylist()})
    started = time.perf_counter()
    assert Hierarchy.prefixes([6, 4, 2]).fit("x", codes).groups == (100_000, 1000, 10, 1)
    assert listed.fit("x", codes).groups == (100_000, 100, 1)
    assert time.perf_counter() - started < 1.0
