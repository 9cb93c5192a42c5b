"""The four counts of a file with blanks: their lemmas, and a slow, obvious twin."""

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.risks.readings import READINGS, four_counts
from tests.examples import examples

KEYS = ["age", "town", "sex"]
TREES = {  # per key the labels above each value, from the value up
    "age": {"1": ["1-2", "1-4"], "2": ["1-2", "1-4"], "3": ["3-4", "1-4"], "4": ["3-4", "1-4"]},
    "town": {"a": ["x"], "b": ["x"], "c": ["y"], None: []},
    "sex": {"f": [], "m": []},
}


@st.composite
def releases(draw):
    """Initial and released key tuples: every cell kept, blanked, or a group that holds it."""
    rows, shown = [], []
    for _ in range(draw(st.integers(1, 14))):
        row = [draw(st.sampled_from(list(TREES[key]))) for key in KEYS]
        above = [TREES[key][cell] for key, cell in zip(KEYS, row, strict=True)]
        rows.append(row)
        shown.append(
            [
                draw(st.sampled_from([cell, None, *labels]))
                for cell, labels in zip(row, above, strict=True)
            ]
        )
    return rows, shown


def microdata(rows, **how):
    columns = {key: pa.array([row[i] for row in rows], pa.string()) for i, key in enumerate(KEYS)}
    return ds.read(pa.table(columns), keys=KEYS, **how)


def tables():
    """All pairs of a value and a label that may stand for it."""
    return {
        key: pa.table(
            {
                "value": pa.array([v for v, up in tree.items() for _ in up], pa.string()),
                "label": pa.array([label for up in tree.values() for label in up], pa.string()),
            }
        )
        for key, tree in TREES.items()
    }


def stands_for(key, label, value, unknown_fits=False):
    if label is None or label == value or (value is None and unknown_fits):
        return True
    return label in TREES[key].get(value, ())


def twin(rows, shown, unknown_fits=False):
    """The definitions, over all pairs of records."""

    def covers(y, x):
        return all(stands_for(k, a, b, unknown_fits) for k, a, b in zip(KEYS, y, x, strict=True))

    def alike(y, z):
        return all(
            any(stands_for(k, a, value) and stands_for(k, b, value) for value in TREES[k])
            for k, a, b in zip(KEYS, y, z, strict=True)
        )

    return {
        "category": [sum(z == y for z in shown) for y in shown],
        "wildcard": [sum(alike(y, z) for z in shown) for y in shown],
        "target": [sum(covers(z, x) for z in shown) for x in rows],
        "source": [sum(covers(y, z) for z in rows) for y in shown],
    }


def counts(rows, shown, unknown_fits=False):
    """The counts of every record, by the fast way."""
    pairs = Counter(zip(map(tuple, rows), map(tuple, shown), strict=True))
    names = [f"{side}{i}" for side in "xy" for i in range(len(KEYS))]
    cells = [(*x, *y) for x, y in pairs]
    columns = [pa.array([row[i] for row in cells], pa.string()) for i in range(len(names))]
    table = pa.table([*columns, pa.array(pairs.values())], names=[*names, "n"])
    by_key = {key: (one,) for key, one in tables().items()}
    found = four_counts(tuple(KEYS), table, by_key, unknown_fits=unknown_fits)
    assert not any(found.lost)
    known, here = (places(one) for one in (found.known, found.shown))
    return {
        name: [
            int(numbers[known[tuple(x)] if name == "target" else here[tuple(y)]])
            for x, y in zip(rows, shown, strict=True)
        ]
        for name, numbers in found.numbers.items()
    }


def places(combinations):
    """Where each combination stands."""
    return {tuple(row.values()): i for i, row in enumerate(combinations.combinations().to_pylist())}


@examples(200)
@given(releases(), st.booleans())
def test_the_counts_are_those_of_the_definitions(release, unknown_fits):
    assert counts(*release, unknown_fits) == twin(*release, unknown_fits)


@examples(5)
@given(releases(), st.sampled_from(["category", "wildcard"]))
def test_the_counts_of_files_are_those_of_the_definitions(release, missing):
    before, after = (microdata(rows, missing=missing) for rows in release)
    found = ds.readings(before, after, hierarchies=tables())
    shown = {name: getattr(found, name).tolist() for name in READINGS}
    assert shown == twin(*release, missing == "wildcard")


@examples(100)
@given(releases())
def test_no_count_is_below_the_category_count_and_none_above_the_wildcard_count(release):
    found = {name: np.array(values) for name, values in counts(*release).items()}
    for name in ("target", "source"):
        assert (found["category"] <= found[name]).all()
        assert (found[name] <= found["wildcard"]).all()
    for name in READINGS:  # k by the category count is k by all
        assert found[name].min() >= found["category"].min()


@examples(100)
@given(releases(), st.data())
def test_one_more_blank_lowers_no_count_but_that_of_the_category(release, data):
    rows, shown = release
    row = data.draw(st.integers(0, len(rows) - 1))
    key = data.draw(st.integers(0, len(KEYS) - 1))
    further = [list(one) for one in shown]
    further[row][key] = None
    before, after = counts(rows, shown), counts(rows, further)
    for name in ("wildcard", "target", "source"):
        assert (np.array(before[name]) <= after[name]).all()


@examples(20)
@given(releases(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_changes_nothing(release, random):
    order = list(range(len(release[0])))
    random.shuffle(order)
    moved = counts(*([side[i] for i in order] for side in release))
    assert moved == {name: [v[i] for i in order] for name, v in counts(*release).items()}


def test_the_category_count_can_fall_with_a_blank():
    rows = [["1", "a", "f"], ["1", "a", "f"]]
    assert counts(rows, rows)["category"] == [2, 2]
    assert counts(rows, [rows[0], ["1", None, "f"]])["category"] == [1, 1]


def test_a_file_as_it_was_has_four_equal_counts():
    rows = [["1", "a", "f"], ["1", "a", "f"], ["3", "b", "m"]]
    assert set(map(tuple, counts(rows, rows).values())) == {(2, 2, 1)}
