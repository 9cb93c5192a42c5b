"""Reading: what a table becomes, whatever it is stored in; and that it stays as it was."""

import datetime as dt
import decimal
import gzip
import sys

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds
from discreet import csvfile, frames
from discreet.engine import csv as engine_csv

PLAIN = engine_csv._Form()
HINTED = pytest.mark.filterwarnings("ignore::discreet.errors.ReadHint")  # most are numbers

UTC = dt.UTC


@pytest.fixture
def csv(tmp_path):
    def write(content, name="t.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


def column(data, name="a"):
    return data.to("arrow")[name]


def kind(data, name="a"):
    return data.source.kinds[name]


# -- CSV: a type is chosen only where it loses nothing -----------------------------------------


@pytest.mark.parametrize(
    ("cells", "stored", "values"),
    [
        (["1", "-2"], "integer", [1, -2]),
        ([" 1", "2 "], "integer", [1, 2]),
        (["1", ""], "integer", [1, None]),
        (["02139", "10001"], "text", ["02139", "10001"]),
        (["1", "-01"], "text", ["1", "-01"]),
        (["9223372036854775807"], "integer", [2**63 - 1]),
        (["9223372036854775808", "1"], "text", ["9223372036854775808", "1"]),
        (["18446744073709551615"], "text", ["18446744073709551615"]),
        (["1234567890123456.5"], "text", ["1234567890123456.5"]),
        (["1.5", "2"], "number", [1.5, 2.0]),
        (["1e3", "-.5"], "number", [1000.0, -0.5]),
        (["1e400", "1e401"], "text", ["1e400", "1e401"]),
        (["1.5e+005", "1e-002"], "number", [150_000.0, 0.01]),
        (["1.5", "1e0400"], "text", ["1.5", "1e0400"]),
        (["-0.0", "0"], "number", [0.0, 0.0]),
        (["NaN", "1"], "number", [None, 1.0]),
        (["NaN", "x"], "text", ["NaN", "x"]),
        (["inf", "1"], "number", [float("inf"), 1.0]),
        (["1,5"], "text", ["1,5"]),
        (["1_000"], "text", ["1_000"]),
        (["2020-02-29"], "date", [dt.date(2020, 2, 29)]),
        (["2020-02-30"], "text", ["2020-02-30"]),
        (["infinity"], "number", [float("inf")]),
        (["epoch"], "text", ["epoch"]),
        (["2020-01-01 10:00:00"], "timestamp", [dt.datetime(2020, 1, 1, 10)]),  # noqa: DTZ001
        (["2020-01-01T10:00:00"], "timestamp", [dt.datetime(2020, 1, 1, 10)]),  # noqa: DTZ001
        (["2020-01-01 10:00:00+01"], "text", ["2020-01-01 10:00:00+01"]),
        (["2020-01-01 10:00:00.123456789"], "text", ["2020-01-01 10:00:00.123456789"]),
        (["true", "false"], "text", ["true", "false"]),
        (["NULL", "NA", "?"], "text", ["NULL", "NA", "?"]),
        ([" ", "1"], "text", [" ", "1"]),
        (["", ""], "integer", [None, None]),
    ],
)  # fmt: skip
@HINTED
def test_a_csv_column_gets_the_first_type_that_fits_every_cell(csv, cells, stored, values):
    lines = [f'"{cell}";x' if "," in cell else f"{cell};x" for cell in cells]
    data = ds.read(csv("\n".join(["a;b", *lines])))
    assert (kind(data), column(data).to_pylist()) == (stored, values)


@pytest.mark.parametrize(
    ("late", "stored"), [("2", "integer"), ("1.5", "number"), ("07", "text"), ("x", "text")]
)
@pytest.mark.parametrize("early", ["1", ""])
@HINTED
def test_a_late_cell_counts_as_much_as_an_early_one(csv, early, late, stored):
    rows = "".join(f"{early},x\n" for _ in range(3000))
    data = ds.read(csv(f"a,b\n{rows}{late},x\n"))
    assert kind(data) == stored
    assert str(column(data)[-1].as_py()) == late


def test_what_is_taken_for_a_number_at_once_is_one_by_the_pattern():
    rng = np.random.default_rng(5)
    signs = np.array(list("0123456789012345678901234567.e-_E+ "))
    cells = ["".join(rng.choice(signs, size)) for size in rng.integers(1, 24, 30_000)]
    whole = ["".join(rng.choice(signs[:10], size)) for size in rng.integers(1, 20, 4_000)]
    cells += [f"{digits}e-{rng.integers(0, 12)}" for digits in whole] + whole
    asked = [engine_csv._plainly_above_one("a", "tried"), engine_csv._fits("a", "number", PLAIN)]
    table = duckdb.sql(
        f"SELECT a, {', '.join(asked)}, tried, TRY_CAST({engine_csv._stripped('a')} AS DOUBLE) "
        "FROM (SELECT a, TRY_CAST(a AS DOUBLE) AS tried FROM (SELECT unnest($cells) AS a))",
        params={"cells": cells},
    )
    taken = [row for row in table.fetchall() if row[1]]
    assert len(taken) > 2_000
    assert [row for row in taken if not row[2] or row[3] != row[4]] == []


def test_an_unquoted_empty_cell_is_missing_and_a_quoted_one_is_the_empty_text(csv):
    data = ds.read(csv('a,b\n,1\n"",2\nx,3\n'))
    assert column(data).to_pylist() == [None, "", "x"]
    assert ds.read(csv('a,b\n"",2\n3,3\n'), missing_values=[""]).profile["a"] == (1, 1)


@pytest.mark.parametrize(
    "content",
    [
        "a,b\r\n1,x\r\n2,y\r\n",
        "a,b\r1,x\r2,y\r",
        "a,b\n1,x\n2,y",
        "\n\na,b\n1,x\n2,y\n",
        "a,b\n1,x\n\n2,y\n\n\n",
        'a,"b"\n1,"x"\n"2",y\n',
        b"\xef\xbb\xbfa,b\n1,x\n2,y\n",
        "a;b\n1;x\n2;y\n",
        "a\tb\n1\tx\n2\ty\n",
        "a,b\n1,x,\n2,y,\n",
        "a,b\n1,x\r\n2,y\r\n",
        "a,b\r\n1,x\n2,y\n",
        'a,b\r\n1,"x"\n"2",y\r\n',
    ],
)
def test_the_same_table_is_read_however_its_csv_is_written(csv, content):
    assert ds.read(csv(content)).to("arrow").to_pydict() == {"a": [1, 2], "b": ["x", "y"]}


def test_an_empty_line_is_a_record_only_where_there_is_one_column(csv):
    assert column(ds.read(csv("a\n1\n\n2\n"))).to_pylist() == [1, None, 2]


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 1 << 20])
def test_line_ends_are_made_alike_but_those_within_cells_are_kept(csv, monkeypatch, piece):
    """The file is read in pieces, which may end within a line end and within quotes."""
    path = csv('a,b\n1,"x\r\ny ""z"""\r\n2,"u\nv"\n3,w\r\n')
    monkeypatch.setattr(csvfile, "_HEAD", piece)
    data = ds.read(path).to("arrow").to_pydict()
    assert data == {"a": [1, 2, 3], "b": ['x\r\ny "z"', "u\nv", "w"]}


def test_cells_keep_separators_quotes_and_line_ends_of_their_own(csv):
    data = ds.read(csv('a,b\r\n"x,y","p\nq"\r\n"say ""hi""","\\"\r\n'))
    assert data.to("arrow").to_pydict() == {"a": ["x,y", 'say "hi"'], "b": ["p\nq", "\\"]}


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_text_is_decoded_as_told(csv, encoding):
    data = ds.read(csv("a,b\né,1\nü,2\n", encoding=encoding), encoding=encoding)
    assert column(data).to_pylist() == ["é", "ü"]


def test_a_compressed_csv_is_read(csv):
    assert ds.read(csv(gzip.compress(b"a,b\n1,2\n"), "t.csv.gz")).n == 1


def test_a_header_may_hold_line_ends(csv):
    assert ds.read(csv('a,"b\nc"\n1,2\n')).to("arrow").to_pydict() == {"a": [1], "b\nc": [2]}


UTF8 = pytest.mark.skipif(sys.getfilesystemencoding() != "utf-8", reason="no file can be named so")


@pytest.mark.parametrize(
    "name",
    ["x[1].csv", "x*.csv", "x?.csv", 'it\'s "x".csv', pytest.param("é.csv", marks=UTF8)],
)
def test_a_path_is_a_name_and_not_a_pattern(csv, name):
    csv("a,b\nother,2\n", "x1.csv")
    assert column(ds.read(csv("a,b\nmine,2\n", name))).to_pylist() == ["mine"]


def test_the_folder_of_a_file_adds_no_columns(tmp_path):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    (folder / "t.csv").write_text("a,b\n1,2\n")
    pq.write_table(pa.table({"a": [1]}), folder / "t.parquet")
    assert ds.read(folder / "t.csv").columns == ("a", "b")
    assert ds.read(folder / "t.parquet").columns == ("a",)


# -- frames and Parquet: every type keeps its meaning ------------------------------------------

BERLIN = pd.to_datetime(["2020-01-01 10:00", None]).tz_localize("Europe/Berlin")
NINE = [dt.datetime(2020, 1, 1, 9, tzinfo=UTC), None]
FRAMES = {
    "pandas integers, nullable": (pd.array([1, None], "Int64"), "integer", [1, None]),
    "pandas integers of Arrow": (pd.array([1, None], "int64[pyarrow]"), "integer", [1, None]),
    "pandas texts": (pd.array(["x", None], "string"), "text", ["x", None]),
    "pandas booleans": (pd.array([True, None], "boolean"), "boolean", [True, None]),
    "pandas categories": (pd.Categorical(["x", None]), "text", ["x", None]),
    "pandas categories of numbers": (pd.Categorical([7, None]), "integer", [7, None]),
    "pandas intervals": (pd.arrays.IntervalArray.from_breaks([0, 5, 9]), "text", ["(0, 5]", "(5, 9]"]),
    "pandas cut": (pd.cut([1, 8], [0, 5, 9]), "text", ["(0, 5]", "(5, 9]"]),
    "pandas periods": (pd.period_range("2020-01", periods=2, freq="M"), "text", ["2020-01", "2020-02"]),
    "pandas sparse": (pd.arrays.SparseArray([0, 3]), "integer", [0, 3]),
    "pandas times with a zone": (BERLIN, "timestamp", NINE),
    "pandas nanoseconds with a zone": (BERLIN.astype("datetime64[ns, Europe/Berlin]"), "timestamp", NINE),
    "objects: all that is missing": (pd.Series([np.nan, None, pd.NA, pd.NaT, "x"], dtype=object), "text", [None] * 4 + ["x"]),
    "objects: numbers": (pd.Series([1, 2.5, None], dtype=object), "number", [1.0, 2.5, None]),
    "objects: booleans": (pd.Series([True, None], dtype=object), "boolean", [True, None]),
    "objects: large integers": (pd.Series([2**70, 1, None], dtype=object), "integer", [2**70, 1, None]),
    "objects: dates": ([dt.date(2020, 1, 1), None], "date", [dt.date(2020, 1, 1), None]),
    "objects: decimals": ([decimal.Decimal("1.10"), None], "number", [decimal.Decimal("1.1"), None]),
    "numpy unsigned": (np.array([2**64 - 1, 1], np.uint64), "integer", [2**64 - 1, 1]),
    "numpy half floats": (np.array([1.5, np.nan], np.float16), "number", [1.5, None]),
    "numpy zeros": (np.array([0.0, -0.0]), "number", [0.0, 0.0]),
    "polars categories": (pl.Series(["x", None], dtype=pl.Categorical), "text", ["x", None]),
    "polars wide integers": (pl.Series([2**70, None], dtype=pl.Int128), "integer", [2**70, None]),
    "polars times": (pl.Series([dt.time(1, 2), None]), "time", [dt.time(1, 2), None]),
    "polars NaN and null": (pl.Series([float("nan"), None, 1.0]), "number", [None, None, 1.0]),
    "polars null": (pl.Series([None, None]), "text", [None, None]),
    "Arrow decimals, wide": (pa.array([decimal.Decimal(5)], pa.decimal256(60, 0)), "integer", [5]),
    "Arrow large text": (pa.array(["x", None], pa.large_string()), "text", ["x", None]),
    "Arrow text view": (pa.array(["x", None], pa.string_view()), "text", ["x", None]),
    "Arrow runs": (pa.RunEndEncodedArray.from_arrays([2], ["x"]), "text", ["x", "x"]),
    "Arrow seconds": (pa.array([0], pa.timestamp("s", "UTC")), "timestamp", [dt.datetime(1970, 1, 1, tzinfo=UTC)]),
    "Arrow uuid": (pa.array([b"0" * 16], pa.binary(16)).cast(pa.uuid()), "text", ["-".join(["30" * 4, *["30" * 2] * 3, "30" * 6])]),
    "a list": ([1, None], "integer", [1, None]),
}  # fmt: skip


@pytest.mark.parametrize(("cells", "stored", "values"), FRAMES.values(), ids=FRAMES.keys())
def test_a_column_of_a_frame_keeps_its_meaning(cells, stored, values):
    data = ds.read({"a": cells}, keys=["a"])
    assert (kind(data), column(data).to_pylist()) == (stored, values)
    assert ds.risk(data).n == len(values)
    framed = (
        ds.read(pd.DataFrame({"a": cells})) if not isinstance(cells, pl.Series | pa.Array) else data
    )
    assert column(framed).to_pylist() == values  # fmt: skip


@pytest.mark.parametrize(
    "array",
    [
        pa.array([2**64 - 1, None], pa.uint64()),
        pa.array([decimal.Decimal("1.25"), None]),
        pa.array([True, None]),
        pa.array([dt.date(2020, 1, 1), None]),
        pa.array([1, None], pa.timestamp("ns")),
        pa.array([1000, None], pa.timestamp("ns", "UTC")),
        pa.array([1000, None], pa.time64("ns")),
        pa.array([float("nan"), None]),
        pa.nulls(2),
        pa.array(["x", None]).dictionary_encode(),
    ],
    ids=lambda array: str(array.type),
)
def test_a_parquet_column_is_read_as_the_frame_it_was_written_from(tmp_path, array):
    table = pa.table({"a": array})
    pq.write_table(table, tmp_path / "t.parquet")
    from_file, from_frame = ds.read(tmp_path / "t.parquet"), ds.read(table)
    assert kind(from_file) == kind(from_frame) != "other"
    assert from_file.profile == from_frame.profile
    assert column(from_file).to_pylist() == column(from_frame).to_pylist()


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t,
        lambda t: t.combine_chunks().to_batches()[0],
        lambda t: t.to_pydict(),
        lambda t: t.to_pandas(),
        lambda t: t.to_pandas(types_mapper=pd.ArrowDtype),
        lambda t: t.to_pandas().set_index(pd.Index([5, 5], name="a")),
        lambda t: t.to_pandas().set_index(pd.MultiIndex.from_tuples([(1, 2), (1, 2)])),
        pl.from_arrow,
        lambda t: pl.from_arrow(t).lazy(),
        ibis.memtable,
    ],
    ids=["arrow", "batch", "dict", "pandas", "pandas-arrow", "index", "multiindex", "polars",
         "lazy", "ibis"],
)  # fmt: skip
def test_every_kind_of_frame_gives_the_same_records(make):
    table = pa.table({"a": [1, 2], "b": ["x", None], "c": [0.5, None]})
    data = ds.read(make(table), keys=["a"])
    assert data.to("arrow").to_pydict() == table.to_pydict()


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_the_kind_of_frame_given_is_the_kind_given_back(name):
    table = pa.table({"a": [2**60 + 1, None], "b": ["x", None]})
    frame = frames.from_arrow(table, name)
    again = ds.read(frame).to(name)
    assert type(again) is type(frame)
    assert again.equals(frame)


def test_integers_stay_exact_in_pandas_where_some_are_missing():
    table = {"a": [2**60 + 1, None], "b": [1, 2]}
    frame = ds.read(table).to("pandas")
    assert frame["a"][0] == 2**60 + 1
    assert frame.dtypes.astype(str).tolist() == ["Int64", "int64"]


# -- the input is never changed, and not copied where Arrow allows it --------------------------


def test_a_frame_is_as_it_was_after_all_is_done():
    before = pd.DataFrame(
        {
            "age": [1.5, np.nan, -0.0, 9.0],
            "sex": pd.Categorical(["f", "m", None, "f"]),
            "zip": pd.Series(["02139", None, "?", "9"], dtype=object),
        },
        index=[3, 3, 1, 0],
    )
    frame = before.copy(deep=True)
    data = ds.read(frame, keys=["age", "sex"], confidential=["zip"], missing_values=["?", 9])
    ds.risk(data), repr(data), data.to("pandas").loc[:, "age"].fillna(0)
    pd.testing.assert_frame_equal(frame, before)
    assert np.signbit(frame["age"].iloc[2])


def test_a_polars_and_an_arrow_frame_are_as_they_were():
    table = pa.table({"a": [0.0, -0.0, None], "b": ["x", "?", None]})
    frame = pl.from_arrow(table)
    for source in (table, frame):
        ds.risk(ds.read(source, keys=["a", "b"], missing_values=["?"]))
    assert frame.equals(pl.DataFrame({"a": [0.0, -0.0, None], "b": ["x", "?", None]}))
    assert table.to_pydict() == {"a": [0.0, -0.0, None], "b": ["x", "?", None]}


@pytest.mark.parametrize(
    ("frame", "address"),
    [
        (pd.DataFrame({"a": np.arange(9)}), lambda f: f["a"].to_numpy().ctypes.data),
        (pl.DataFrame({"a": np.arange(9.0)}), lambda f: f["a"].to_arrow().buffers()[1].address),
        (pa.table({"a": np.arange(9)}), lambda t: t["a"].chunk(0).buffers()[1].address),
        (pd.DataFrame({"a": np.arange(9)}, dtype="int64[pyarrow]"),
         lambda f: f["a"].array._pa_array.chunk(0).buffers()[1].address),
    ],
    ids=["pandas", "polars", "arrow", "pandas-arrow"],
)  # fmt: skip
def test_numbers_are_not_copied(frame, address):
    arrow, _ = frames.to_arrow(frame)
    assert arrow["a"].chunk(0).buffers()[1].address == address(frame)


# -- codes that mean "missing" -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "codes", "missing"),
    [
        ([1, -9, None], [-9], 2),
        ([1, -9, 9], ["-9", 9.0], 2),
        ([1.5, -9.0], [-9], 1),
        ([1.5, -9.0], ["x", "", None, float("nan"), pd.NA], 0),
        ([1, 2], [2.5, 2**70, "1_0", True], 0),
        ([2**64 - 1, 1], [2**64 - 1], 1),
        ([2**70, 1], [2**70], 1),
        ([decimal.Decimal("1.25"), decimal.Decimal(1)], [1.25, 1.255], 1),
        (["?", "", "x", None], ["?", ""], 3),
        (["None", "nan", "NaN"], [None, float("nan")], 0),
        (["9", "-9"], [-9], 1),
        ([True, False], [False], 1),
        ([dt.date(9999, 9, 9), dt.date(2020, 1, 1)], [dt.date(9999, 9, 9)], 1),
        ([dt.date(9999, 9, 9), dt.date(2020, 1, 1)], ["9999-09-09"], 1),
        ([[1], [2]], [1], 0),
    ],
)
@pytest.mark.parametrize("by_column", [False, True])
def test_only_the_codes_named_are_missing(cells, codes, missing, by_column):
    given = {"a": codes} if by_column else codes
    data = ds.read({"a": cells, "b": [0] * len(cells)}, missing_values=given)
    assert data.profile["a"][1] == missing


@pytest.mark.parametrize("code", ["?", -9])
@pytest.mark.parametrize("by_column", [False, True])
def test_a_single_code_needs_no_list(code, by_column):
    given = {"a": code} if by_column else code
    assert ds.read({"a": [code, None]}, missing_values=given).profile["a"] == (0, 2)


def test_a_code_of_one_column_is_a_value_in_another():
    data = ds.read({"a": [9, 1], "b": [9, 1]}, missing_values={"a": [9]})
    assert data.profile == {"a": (1, 1), "b": (2, 0)}


@pytest.mark.parametrize("code", [-9, "-9", -9.0])
def test_a_code_in_a_csv_file_does_not_decide_the_type_of_its_column(csv, code):
    data = ds.read(csv("a,b\n1,?\n-9,2\n-9.0,3\n"), missing_values=[code, "?"])
    assert data.source.kinds["b"] == "integer"
    assert data.profile == {"a": (1, 2), "b": (2, 1)}


def test_a_code_of_a_parquet_file_is_taken_out(tmp_path):
    pq.write_table(pa.table({"a": ["?", "x"], "b": [-9, 1]}), tmp_path / "t.parquet")
    data = ds.read(tmp_path / "t.parquet", missing_values=["?", -9])
    assert data.profile == {"a": (1, 1), "b": (1, 1)}


# -- types -------------------------------------------------------------------------------------


def test_types_are_inferred_from_how_a_column_is_stored():
    table = {"i": [1], "f": [0.5], "d": [dt.date(2020, 1, 1)], "s": ["x"], "b": [True]}
    types = {name: str(kind) for name, kind in ds.read(table).types.items()}
    assert types == {
        "i": "continuous", "f": "continuous", "d": "continuous", "s": "nominal", "b": "nominal",
    }  # fmt: skip


def test_ordered_categories_are_an_ordinal_scale_and_may_be_declared_otherwise():
    sizes = pd.Categorical(["L", "S"], ["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"size": sizes})
    assert str(ds.read(frame).types["size"]) == "ordinal (3 steps)"
    assert str(ds.read(frame, types={"size": "nominal"}).types["size"]) == "nominal"
    enum = pl.DataFrame({"size": pl.Series(["L", "S"], dtype=pl.Enum(["S", "M", "L"]))})
    assert ds.read(enum).frequency_set(["size"]).values[0].to_pylist() == ["S", "L"]


@pytest.mark.parametrize(
    ("cells", "scale", "ordered"),
    [
        (["b", "a", None], ["b", "a"], ["b", "a", None]),
        ([1, 2, 10], [10, 2, 1], [10, 2, 1]),
        ([1, 2], [2.0, 1.0], [2, 1]),
        ([1.0, 2.0, None], [2, 1], [2.0, 1.0, None]),
        ([1.0, 2.0], ["2", "1.0"], [2.0, 1.0]),
        ([True, False], [True, False], [True, False]),
        ([1, 2], np.array([2, 1]), [2, 1]),
        ([dt.date(2020, 1, 1), dt.date(2019, 1, 1)], ["2020-01-01", "2019-01-01"],
         [dt.date(2020, 1, 1), dt.date(2019, 1, 1)]),
    ],
)  # fmt: skip
def test_a_scale_orders_the_values_however_they_are_stored(cells, scale, ordered):
    data = ds.read({"a": cells}, types={"a": scale})
    assert data.frequency_set(["a"]).values[0].to_pylist() == ordered


@pytest.mark.parametrize("cells", [["a", "c"], [1, 3], [1.0, 2.5], [None, "z"]])
def test_a_value_off_the_scale_is_counted_and_not_shown(cells):
    with pytest.raises(
        ds.DiscreetError, match=r"D04.*'a' has a value that is not on its scale, in 1 record"
    ):
        ds.read({"a": cells}, types={"a": ["a", "b", 1, 2]})


@pytest.mark.parametrize(
    ("cells", "stored"),
    [("02968 41076", "text"), ("-0 5", "number"), ("0 -7", "integer"), ("12 34", "integer")],
)
def test_codes_with_leading_zeros_are_told_from_numbers_by_the_first_rows(
    csv, monkeypatch, cells, stored
):
    """So that the file is read once."""
    path = csv("\n".join(["a,b", *(f"{cell},1" for cell in cells.split()), ""]))
    again = "discreet.engine.csv._fitting"
    monkeypatch.setattr(again, lambda *_: pytest.fail("types are looked for once more"))
    assert kind(ds.read(path)) == stored


def test_the_number_of_records_is_told_of_what_was_read_alone(csv, monkeypatch):
    monkeypatch.setattr("discreet.engine.csv._BRING_BELOW", 0)
    data = ds.read(csv("a,b\n1,0.5\n2,1.5\n3,2.5\n"), keys=["a"])
    assert (data.source.told_size, data.n) == (3, 3)
    some = ds.sample(data, n=2, seed=1)
    assert (some.source.told_size, some.n) == (None, 2)
