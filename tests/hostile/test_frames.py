"""Bad frames and things that are no frames."""

import decimal

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as ds


def code_of(source, **roles):
    with pytest.raises(ds.DiscreetError) as error:
        ds.read(source, **roles)
    assert error.value.__cause__ is None
    assert error.value.__context__ is None
    return error.value.code


NOT_TABLES = {
    "nothing": None,
    "a number": 5,
    "bytes": b"t.csv",
    "a list": [1, 2],
    "a list of dicts": [{"a": 1}],
    "a tuple": (1,),
    "a class": pd.DataFrame,
    "a module": pd,
    "a pandas series": pd.Series([1]),
    "a polars series": pl.Series([1]),
    "an index": pd.Index([1]),
    "a numpy array": np.ones((2, 2)),
    "an Arrow array": pa.array([1]),
    "an Arrow stream": pa.table({"a": [1]}).to_reader(),
    "an Ibis column": ibis.memtable(pa.table({"a": [1]})).a,
    "an Ibis number": ibis.memtable(pa.table({"a": [1]})).a.sum(),
    "microdata": ds.read({"a": [1]}),
}


@pytest.mark.parametrize("source", NOT_TABLES.values(), ids=NOT_TABLES.keys())
def test_what_is_no_table_is_refused(source):
    assert code_of(source) == "S09"


EMPTY = {
    "pandas": pd.DataFrame({"a": []}),
    "pandas without columns": pd.DataFrame(index=[1, 2]),
    "polars": pl.DataFrame({"a": []}),
    "lazy polars": pl.LazyFrame({"a": []}),
    "Arrow": pa.table({"a": pa.array([], pa.int64())}),
    "Arrow without columns": pa.table({}),
    "a dict": {},
    "Ibis": ibis.memtable(pa.table({"a": [1]})).filter(False),
}


@pytest.mark.parametrize("frame", EMPTY.values(), ids=EMPTY.keys())
def test_a_frame_without_records_is_refused(frame):
    assert code_of(frame) == "S02"


MIXED = {
    "number and text": pd.Series([1, "x"], dtype=object),
    "text and number": pd.Series(["x", 1], dtype=object),
    "truth and number": pd.Series([True, 1], dtype=object),
    "large number and text": pd.Series([2**70, "x"], dtype=object),
    "objects": pd.Series([object(), object()]),
    "complex numbers": np.array([1 + 2j]),
    "a matrix": np.ones((2, 2)),
    "durations": pd.to_timedelta(["1D"]),
    "calendar intervals": pa.array([pa.MonthDayNano([1, 2, 3])]),
    "a union": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]),
    "decimals no engine has": pa.array([decimal.Decimal(10) ** 50], pa.decimal256(60, 0)),
    "integers no engine has": [2**200],
    "nanoseconds no engine has": pa.array([1], pa.timestamp("ns", "UTC")),
    "times no engine has": pa.array([1], pa.time64("ns")),
    "a number": 5,
    "a text": "abc",
    "a set": {1, 2},
    "a dict": {"x": 1},
}


@pytest.mark.parametrize("column", MIXED.values(), ids=MIXED.keys())
def test_a_column_without_a_type_is_refused_by_name(column):
    with pytest.raises(ds.DiscreetError, match=r"S08.*column 'odd' holds") as error:
        ds.read({"odd": column, "good": [1]})
    assert [problem.code for problem in error.value.problems] == ["S08"]


NOT_PLAIN = {
    "lists": [[1], [2]],
    "structures": [{"x": 1}, {"x": 2}],
    "bytes": [b"x", b"y"],
    "maps": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("column", NOT_PLAIN.values(), ids=NOT_PLAIN.keys())
@pytest.mark.parametrize("role", ["keys", "confidential"])
def test_what_is_not_plain_is_no_key_and_not_confidential_but_may_stay(column, role):
    table = {"odd": column, "a": [1, 2]}
    assert code_of(table, **{role: ["odd"]}) == "D01"
    assert code_of(table, types={"odd": ["1"]}) == "D02"
    data = ds.read(table, keys=["a"])
    assert (ds.risk(data).k, "odd" in repr(data)) == (1, True)


DUPLICATES = {
    "pandas": pd.DataFrame([[1, 2]], columns=["a", "a"]),
    "pandas, alike as text": pd.DataFrame([[1, 2]], columns=[1, "1"]),
    "Arrow": pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"]),
    "a dict, alike as text": {1: [1], "1": [2]},
}


@pytest.mark.parametrize("frame", DUPLICATES.values(), ids=DUPLICATES.keys())
def test_duplicate_columns_are_refused(frame):
    assert code_of(frame) == "S04"


def test_columns_of_different_lengths_are_refused():
    assert code_of({"a": [1, 2], "b": [1]}) == "S06"


LAZY = {
    "a cast that fails": pl.LazyFrame({"a": ["x"]}).with_columns(pl.col("a").cast(pl.Int64)),
    "a column that is not there": pl.LazyFrame({"a": ["x"]}).select("zip"),
    "an Ibis cast that fails": ibis.memtable(pa.table({"a": ["x"]})).mutate(
        a=ibis._.a.cast("int64")
    ),
    "an Ibis table of no backend": ibis.table({"a": "int64"}, name="t"),
}


@pytest.mark.parametrize("frame", LAZY.values(), ids=LAZY.keys())
def test_a_lazy_frame_that_cannot_be_computed_is_an_error_of_the_engine(frame):
    with pytest.raises(ds.DiscreetError, match="E01") as error:
        ds.risk(ds.read(frame, keys=["a"]))
    assert error.value.__context__ is None


@pytest.mark.parametrize(
    ("frame", "key"),
    [
        (pd.DataFrame([[1, 2], [1, 3]]), 0),
        (pd.DataFrame([[1, 2], [1, 3]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
         [("a", 1)]),
        (pd.DataFrame([[1, 2], [1, 3]], columns=[float("nan"), "b"]), ["nan"]),
        ({0: [1, 1]}, [0]),
    ],
    ids=["numbers", "tuples", "NaN", "dict"],
)  # fmt: skip
def test_columns_that_are_not_named_by_text_are_named_by_its_form(frame, key):
    assert ds.risk(ds.read(frame, keys=key)).k == 2


def test_an_all_missing_key_is_one_class():
    for cells in ([None, None], [float("nan")] * 2, pd.array([pd.NaT, pd.NaT])):
        for policy in ("category", "wildcard"):
            assert ds.risk(ds.read({"a": cells}, keys=["a"], missing=policy)).k == 2


def test_one_record_is_alone():
    found = ds.risk(ds.read({"a": [1], "s": [None]}, keys=["a"], confidential=["s"]))
    assert (found.n, found.k, found.uniques, found.p) == (1, 1, 1, {"s": 1})
