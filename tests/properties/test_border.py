"""Both sides of the border: records that are held in this process, and the same records in the
embedded engine, give the same to the last bit."""

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet import engine
from tests.examples import examples

TEXTS = ["", " ", "a", "A", "ä", "b'c", "ab", "NULL", "1"]
COLUMNS = {
    "town": (pa.string(), st.sampled_from(TEXTS)),
    "size": (pa.int64(), st.integers(-3, 3) | st.just(2**62)),
    "small": (pa.uint8(), st.integers(0, 4)),
    "rate": (pa.float64(), st.sampled_from([0.0, -0.0, math.nan, 0.1, 1e300, -2.5, math.inf])),
    "short": (pa.float32(), st.sampled_from([0.0, -0.0, 0.5, 1.25])),
    "flag": (pa.bool_(), st.booleans()),
    "born": (pa.date32(), st.dates(dt.date(1999, 12, 30), dt.date(2000, 1, 2))),
    "price": (pa.decimal128(9, 2), st.decimals(-1, 1, places=1)),
}
WEIGHTS = st.sampled_from([1.0, 2.5, 0.1, 1e-9, 3e15, 7.0])
KEYS = list(COLUMNS)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 30))
    columns = {
        name: pa.array([draw(st.none() | cell) for _ in range(n)], kind)
        for name, (kind, cell) in COLUMNS.items()
    }
    columns["weight"] = pa.array([draw(WEIGHTS) for _ in range(n)])
    return pa.table({**columns, "id": [f"r{(7 * i) % 31}" for i in range(n)]})


def both(table, **roles):
    """The same records, held here and in the engine."""
    here = ds.read(table, **roles)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.engine.held.MOST_CELLS", 0)
        there = ds.read(table, **roles)
    assert here.source.held is not None
    assert there.source.held is None
    return here, there


few = examples(15)
names = st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True)


@few
@given(tables(), names)
def test_frequency_sets_and_sums_of_weights(table, chosen):
    here, there = both(table, keys=chosen, weight="weight")
    assert here.frequency_set() == there.frequency_set()
    found, expected = here.frequency_set(weighted=True), there.frequency_set(weighted=True)
    assert found == expected
    assert [v.type for v in found.values] == [v.type for v in expected.values]


@few
@given(tables(), st.sampled_from(["town", "size", "rate"]))
def test_frequency_sets_on_a_scale(table, name):
    cells = ds.read(table).to("arrow")[name].unique().drop_null().to_pylist()
    if cells:
        here, there = both(table, types={name: [str(one) for one in reversed(cells)]})
        assert here.frequency_set([name]) == there.frequency_set([name])


@few
@given(tables(), names, st.sampled_from(["category", "wildcard"]))
def test_classes_and_their_values(table, chosen, policy):
    roles = {"keys": chosen, "confidential": ["town", "rate"], "missing": policy}
    shapes = []
    for data in both(table, **roles):
        found = data.classes(["town", "rate"])
        rows = [found.size, found.number, found.records, *found.distinct.values()]
        shapes.append([part.tolist() for part in rows])
    assert shapes[0] == shapes[1]
    if policy == "category":
        here, there = both(table, **roles)
        assert here.class_sizes().tolist() == there.class_sizes().tolist()


@few
@given(tables())
def test_what_is_said_of_columns(table):
    here, there = both(table)
    assert here.source.kinds == there.source.kinds
    assert here.profile == there.profile
    assert here.value_figures(KEYS) == there.value_figures(KEYS)
    assert here.types.codes() == there.types.codes()
    assert here.n == there.n
    one, other = here.source, there.source
    assert engine.infinite(one, KEYS) == engine.infinite(other, KEYS)
    assert engine.missing(one, "town") == engine.missing(other, "town")
    for name in ("size", "small", "short", "rate", "weight"):
        assert engine.not_positive(one, name) == engine.not_positive(other, name)
        assert engine.beyond(one, name, 0.5, 2.5) == engine.beyond(other, name, 0.5, 2.5)
        assert engine.number_above(one, name, 0.25) == engine.number_above(other, name, 0.25)


@few
@given(tables())
def test_records_as_they_are_given_out(table):
    here, there = both(table, record_id="id")
    assert here.to("arrow").equals(there.to("arrow"))
    for link, order in (("row", "row"), ("row", here.source.at("id"))):
        asked = (link, ["town", "rate"], order)
        assert engine.records(here.source, *asked).equals(engine.records(there.source, *asked))
    asked = ("row", ["size"], here.source.at("id"), 5, here.n)
    found, expected = (engine.hashed_records(d.source, *asked) for d in (here, there))
    assert found[0].equals(expected[0])
    assert found[1].tolist() == expected[1].tolist()


@few
@given(
    tables(), st.integers(1, 30), st.sampled_from([None, "id"]), st.sampled_from([(), ("flag",)])
)
def test_samples_and_their_weights(table, size, record_id, by):
    size = min(size, table.num_rows)
    drawn = [
        ds.sample(data, fraction=size / table.num_rows, by=by, seed=3).to("arrow")
        for data in both(table, keys=KEYS, weight="weight", record_id=record_id)
    ]
    assert drawn[0].equals(drawn[1])


@few
@given(tables(), st.integers(0, 3))
def test_values_recoded_and_records_left_out(table, number):
    found = []
    for data in both(table):
        values = data.frequency_set(["town"]).values[0]
        words = [None if i == number else "xyz"[i % 3] for i in range(len(values))]
        labels = pa.array(words, pa.string())
        mapped = pa.table({"value": values, "label": labels})
        source = engine.recoded(data.source, {"town": mapped, "flag": _flags(data)})
        gone = data.frequency_set(["size", "rate"]).combinations().slice(0, number)
        left = engine.kept(engine.without(source, ["size", "rate"], gone))
        found.append(engine.collect(left, data.columns))
        again = engine.frequencies(left, ["town", "size"], {}) if engine.size(left) else None
        found.append(again)
    assert found[0].equals(found[2])
    assert found[1] == found[3]


def _flags(data):
    """Some values of a column only: the records with others are dropped, as a join does it."""
    values = data.frequency_set(["flag"]).values[0].slice(0, 2)
    return pa.table({"value": values, "label": pa.array(["f"] * len(values), pa.string())})


@few
@given(tables(), st.randoms(use_true_random=False))
def test_values_replaced_by_their_link_and_linked_again(table, random):
    rows = list(range(table.num_rows))
    random.shuffle(rows)
    rows = rows[: max(len(rows) - 2, 1)]
    values = pa.table({"row": pa.array(rows, pa.int64()),
                       "rate": pa.array([float(r) for r in rows]),
                       "town": pa.array([f"t{r % 4}" for r in rows])})  # fmt: skip
    found = []
    for data in both(table, record_id="id"):
        made = engine.replaced(data.source, "row", values.rename_columns(["link", "rate", "town"]))
        found.append(engine.collect(made, data.columns))
        pair = engine.Pair(data.source, made, ("town",), ("row", "row"))
        links = [("row", "row"), (data.source.at("id"),) * 2]
        found += [engine.linked_values(pair, link, ["rate", "town", "size"]) for link in links]
        found += [_rows(engine.cell_pairs(pair, link, ["town", "size", "flag"])) for link in links]
    half = len(found) // 2
    for one, other in zip(found[:half], found[half:], strict=True):
        assert one == other


def _rows(tables):
    """Tables whose rows stand in any order."""
    columns = [zip(*(table[name].to_pylist() for name in "xyn"), strict=True) for table in tables]
    return [sorted(rows, key=repr) for rows in columns]


def test_the_border_is_crossed_by_size_alone():
    """Few cells are held, more of them are not; what is made of held records is held."""
    edge = engine.held.MOST_CELLS
    few = ds.read({"a": np.zeros(edge, dtype=np.int8)})
    many = ds.read({"a": np.zeros(edge + 1, dtype=np.int8)})
    assert few.source.held is not None
    assert many.source.held is None
    assert ds.sample(many, fraction=0.5, seed=1).source.held is None
    small = ds.read({"a": [1, 2, 3, 4]})
    assert ds.sample(small, fraction=0.5, seed=1).source.held is not None


def test_a_file_that_was_read_is_held_as_its_frame_is(tmp_path):
    frame = {"a": [1, 2, None], "b": ["x", "", "z"], "c": [0.5, -0.0, math.inf]}
    ds.read(frame).write(tmp_path / "t.parquet")
    for data in (ds.read(tmp_path / "t.parquet"), ds.read(frame, missing_values=["none"])):
        assert data.source.held is not None
        assert data.to("arrow").equals(ds.read(frame).to("arrow"))
