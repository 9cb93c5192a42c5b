"""Shown values: groups of five records or more, and nothing of what is rarer."""

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.reports.shown_values import LEAST, column_values

counts = st.lists(st.integers(1, 40), min_size=1, max_size=60)


def twin(labels, numbers, least):
    """The rule in a line: what is in enough records, and the rest by number."""
    named = {a: n for a, n in zip(labels, numbers, strict=True) if n >= least}
    return named, len(labels) - len(named), sum(numbers) - sum(named.values())


@given(counts, st.integers(LEAST, 50))
def test_a_category_is_named_where_enough_records_have_it(numbers, least):
    labels = [f"v{i}" for i in range(len(numbers))]
    shown = column_values(pa.array(labels), np.array(numbers), "nominal").shown(least)
    named, others, records = twin(labels, numbers, least)
    if len([n for n in numbers if n >= LEAST]) <= 50:  # all of them fit the page
        assert (dict(shown.groups), shown.others, shown.records) == (named, others, records)
    assert all(n >= least for _, n in shown.groups)
    assert sum(n for _, n in shown.groups) + shown.records == sum(numbers)


@given(counts, st.integers(LEAST, 50), st.booleans())
def test_a_bin_holds_enough_records_or_none_and_all_are_in_one(numbers, least, dates):
    start = dt.date(1950, 1, 1)
    values = [start + dt.timedelta(97 * i) if dates else 0.37 * i * i
              for i in range(len(numbers))]  # fmt: skip
    shown = column_values(pa.array(values), np.array(numbers), "continuous").shown(least)
    held = [n for _, n in shown.groups]
    assert all(n == 0 or n >= least for n in held)
    assert sum(held) == (sum(numbers) if sum(numbers) >= least else 0)
    assert [0] not in (held[:1], held[-1:])


def test_both_ends_of_bins_are_open_so_that_the_smallest_and_the_largest_are_not_told():
    values = pa.array([*range(137, 160), 170])
    shown = column_values(values, np.full(len(values), 2), "continuous").shown()
    assert shown.groups[0][0].startswith("under ")
    assert shown.groups[-1][0].endswith(" or more")
    assert "137" not in str(shown.groups)
    assert "170" not in str(shown.groups)


RARE = {
    "text": (["plain", "Tr0ub4dor"], "Tr0ub4dor"),
    "whole": ([1, 987654], "987"),
    "number": ([0.5, 98765.4321], "98"),
    "decimal": ([decimal.Decimal("1.25"), decimal.Decimal("98765.43")], "98"),
    "date": ([dt.date(2000, 1, 1), dt.date(1911, 11, 11)], "1911"),
    "time of day": ([dt.time(8), dt.time(23, 59, 58)], "23:59"),
    "timestamp": ([dt.datetime(2000, 1, 1), dt.datetime(1911, 11, 11)], "1911"),  # noqa: DTZ001
    "boolean": ([False, True], "True"),
}


@pytest.mark.parametrize("measure", ["nominal", "continuous"])
@pytest.mark.parametrize("kind", RARE)
def test_a_rare_value_is_in_nothing_that_is_shown(kind, measure):
    values, told = RARE[kind]
    for rare in range(1, LEAST):
        shown = column_values(pa.array(values), np.array([100, rare]), measure).shown()
        assert told not in repr(shown)
    enough = column_values(pa.array(values), np.array([100, LEAST]), "nominal").shown()
    assert told in repr(enough)


def test_a_few_missing_values_are_not_a_group_and_many_are():
    values = pa.array(["a", None])
    few, many = (column_values(values, np.array([9, n]), "nominal").shown() for n in (4, 5))
    assert (few.groups, few.others, few.records) == ((("a", 9),), 1, 4)
    assert many.groups == (("a", 9), ("missing", 5))


def test_steps_of_a_scale_come_in_its_order():
    values, scale = pa.array(["high", "low", "mid"]), ("low", "mid", "high")
    shown = column_values(values, np.array([9, 8, 7]), "ordinal", scale).shown()
    assert [label for label, _ in shown.groups] == list(scale)


def test_fewer_than_five_is_refused():
    found = column_values(pa.array(["a"]), np.array([9]), "nominal")
    with pytest.raises(ds.DiscreetError, match="never shown"):
        found.shown(4)


@pytest.mark.parametrize(
    ("hierarchy", "values", "lost"),
    [
        (ds.Hierarchy.from_dict({"a": "x", "b": "x"}), ["a", "c", None], [False, True, False]),
        (ds.Hierarchy.intervals([10]), ["1", "many", None], [False, True, False]),
        (ds.Hierarchy.dates(), ["2000-01-31", "31.1.2000", None], [False, True, False]),
        (ds.Hierarchy.suppress(), ["a", "c", None], [False, False, False]),
    ],
)
def test_a_hierarchy_says_which_values_it_has_no_place_for(hierarchy, values, lost):
    assert hierarchy.unmatched("job", pa.array(values)).tolist() == lost
