"""Bad frames and things that are no frames."""

import datetime as dt
import decimal

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
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
    "lists of durations": pa.array([[1]], pa.list_(pa.duration("us"))),
    "a structure with a duration": pa.array([{"x": 1}], pa.struct([("x", pa.duration("us"))])),
    "lists of durations in polars": pl.Series([[dt.timedelta(1)]]),
    "lists of nanoseconds no engine has": pa.array([[1]], pa.list_(pa.timestamp("ns", "UTC"))),
    "lists of calendar intervals": pa.array([[pa.MonthDayNano([1, 2, 3])]]),
    "views of lists of nothing": pa.array([[]], pa.list_view(pa.null())),
    "a structure of nothing": pa.array([{}], pa.struct([])),
    "a structure with a name twice": pa.array([{"x": 1, "X": 2}]),
    "runs of durations": pa.RunEndEncodedArray.from_arrays([1], pa.array([1], pa.duration("s"))),
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


TOO_FEW_DIGITS = {
    "hundreds": pa.array([100, 200], pa.decimal128(5, -2)),
    "hundreds of many digits": pa.array([100, 200], pa.decimal256(50, -2)),
    "as many hundreds as there are": pa.array([100, 200], pa.decimal128(38, -2)),
    "more digits after the point than there are": pa.Array.from_buffers(
        pa.decimal128(2, 5), 2, pa.array([11, 12], pa.decimal128(2, 0)).buffers()
    ),
}


@pytest.mark.parametrize("column", TOO_FEW_DIGITS.values(), ids=TOO_FEW_DIGITS.keys())
def test_decimals_with_an_odd_scale_are_numbers(column, tmp_path):
    data = ds.read({"a": column, "l": [[one] for one in column]}, keys=["a"])
    assert data.to("arrow")["a"].to_pylist() == column.to_pylist()
    data.write(tmp_path / "out.csv")
    assert ds.risk(data).uniques == 2


EXTREME = {
    "seconds": pa.array([-(2**63)]).view(pa.timestamp("s")),
    "milliseconds": pa.array([2**60]).view(pa.timestamp("ms")),
    "microseconds": pa.array([-(2**63)]).view(pa.timestamp("us")),
    "infinite microseconds": pa.array([2**63 - 1]).view(pa.timestamp("us")),
    "infinite nanoseconds": pa.array([1 - 2**63]).view(pa.timestamp("ns")),
    "seconds of a zone": pa.array([2**62], pa.timestamp("s", "UTC")),
    "days": pa.array([2**31 - 1], pa.int32()).view(pa.date32()),
    "milliseconds of days": pa.array([2**62]).view(pa.date64()),
    "year 0": pa.array([-719_163], pa.int32()).view(pa.date32()),
    "year 10,000": pa.array([2_932_897], pa.int32()).view(pa.date32()),
    "year 99,999": pd.Series(np.array(["99999-01-01"], dtype="datetime64[s]")),
    "24:00": pa.array([86_400_000_000]).view(pa.time64("us")),
    "before 0:00": pa.array([-1]).view(pa.time64("us")),
    "24:00 in seconds": pa.array([86_400], pa.int32()).view(pa.time32("s")),
    "far from a day": pa.array([-(2**62) // 1000 * 1000]).view(pa.time64("ns")),
    "categories": pa.array([2**60]).view(pa.timestamp("s")).dictionary_encode(),
    "runs": pa.RunEndEncodedArray.from_arrays([1], pa.array([2**60]).view(pa.timestamp("s"))),
    "lists": pa.array([[2**60]], pa.list_(pa.timestamp("s"))),
    "structures": pa.array([{"x": [2**60]}], pa.struct([("x", pa.list_(pa.timestamp("s")))])),
    "maps": pa.array([[(1, 2**60)]], pa.map_(pa.int64(), pa.timestamp("s"))),
}


@pytest.mark.parametrize("column", EXTREME.values(), ids=EXTREME.keys())
def test_a_date_or_time_that_no_file_holds_is_refused_by_the_name_of_its_column(column):
    for roles in ({}, {"keys": ["odd"]}, {"household": "odd"}, {"subject": "odd"}):
        with pytest.raises(ds.DiscreetError, match=r"S08.*column 'odd' has a date or time"):
            ds.read({"odd": column, "good": [1]}, **roles)


YEAR_1, YEAR_9999 = -62_135_596_800_000_000, 253_402_300_799_999_999  # microseconds


def test_the_first_and_the_last_date_and_time_are_read_and_written(tmp_path):
    moments = pa.array([YEAR_1, YEAR_9999, None], pa.timestamp("us"))
    times = pa.table(
        {
            "day": [dt.date.min, dt.date.max, None],
            "moment": moments,
            "zoned": moments.view(pa.timestamp("us", "Europe/Berlin")),
            "time": [dt.time.min, dt.time.max, None],
            "none": pa.nulls(3, pa.date32()),
        }
    )
    pq.write_table(times, tmp_path / "in.parquet")
    for source in (times, tmp_path / "in.parquet"):
        data = ds.read(source, keys=["day", "moment", "time"])
        assert ds.risk(data).uniques == 3
        data.write(tmp_path / "out.csv", overwrite=True)
        assert data.to("arrow")["moment"].to_pylist() == times["moment"].to_pylist()
        assert len(data.to("pandas")) == len(data.to("polars")) == 3


def test_what_is_cut_off_from_a_frame_is_not_refused():
    odd = pa.array([[(1, 2**60)], [(1, 2)], None], pa.map_(pa.int64(), pa.timestamp("s")))
    texts = pa.array([b"Z\xff", b"a", b"b"]).view(pa.string())
    assert ds.read(pa.table({"a": odd.slice(1), "b": texts.slice(1)}), keys=["b"]).n == 2


NOT_TEXT = pa.array([b"Z\xff", b"a"]).view(pa.string())
NOT_TEXTS = {
    "texts": NOT_TEXT,
    "large texts": NOT_TEXT.cast(pa.binary()).cast(pa.large_binary()).view(pa.large_string()),
    "categories": NOT_TEXT.dictionary_encode(),
    "lists": pa.ListArray.from_arrays([0, 1, 2], NOT_TEXT),
    "structures": pa.StructArray.from_arrays([NOT_TEXT], ["x"]),
}


@pytest.mark.parametrize("column", NOT_TEXTS.values(), ids=NOT_TEXTS.keys())
def test_texts_that_are_not_utf_8_are_refused_by_the_name_of_their_column(column):
    for roles in ({}, {"keys": ["odd"]}, {"household": "odd"}, {"record_id": "odd"}):
        with pytest.raises(ds.DiscreetError, match=r"S05.*column 'odd' has text") as error:
            ds.read({"odd": column, "good": [1, 2]}, **roles)
        assert "Z" not in str(error.value)


def test_all_columns_that_cannot_be_held_are_named_at_once():
    table = {"a": EXTREME["days"], "b": MIXED["durations"], "c": [1], "d": NOT_TEXT.slice(0, 1)}
    with pytest.raises(ds.DiscreetError) as error:
        ds.read(table)
    assert [problem.code for problem in error.value.problems] == ["S08", "S08", "S05"]


NOT_PLAIN = {
    "empty lists": [[], []],
    "empty large lists": pa.array([[], None], pa.large_list(pa.null())),
    "lists of a length of nothing": pa.array([[None], [None]], pa.list_(pa.null(), 1)),
    "structures of nothing": [{"x": None}, {"x": None}],
    "maps to nothing": pa.array([[("k", None)], []], pa.map_(pa.string(), pa.null())),
    "lists of half precision": pa.array([[np.float16(1)], []], pa.list_(pa.float16())),
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
