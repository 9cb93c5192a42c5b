"""Bad files: each gets a clear error that names the place, or the right answer."""

import datetime as dt
import gzip
import os
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds


@pytest.fixture
def write(tmp_path):
    def to_file(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to_file


def parquet(path, table=None):
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}) if table is None else table, path)
    return path


MANY = "1,x\n" * 300_000

CSV = {
    "an empty file": ("", "S02", "is empty"),
    "blank lines only": (" \n\n \n", "S02", "is empty"),
    "a header only": ("a,b\n", "S02", "no records"),
    "a header without line end": ("a,b", "S02", "no records"),
    "duplicate columns": ("a,b,a\n1,2,3\n", "S04", "columns 1 and 3 of"),
    "a short row": ("a,b\n1,2\n3\n", "S06", "line 3 of t.csv has 1 cell, the header has 2"),
    "a long row": ("a,b\n1,2\n3,4,5\n", "S06", "line 3 of t.csv has 3 cells, the header has 2"),
    "a long row late": (f"a,b\n{MANY}1,x,y\n", "S06", "line 300002 of"),
    "bytes": (bytes(range(256)) * 9, "S05", "not a text file"),
    "bytes without zero": (bytes(range(1, 256)) * 9, "S05", "not encoded in UTF-8"),
    "Latin-1 not asked for": ("a,b\né,1\n".encode("latin-1"), "S05", 'encoding="cp1252"'),
    "Latin-1 late": (f"a,b\n{MANY}é,1\n".encode("latin-1"), "S05", "line 300002 of"),
    "UTF-16 not asked for": ("a,b\n1,2\n".encode("utf-16"), "S05", 'encoding="utf-16"'),
    "an unclosed quote": ('a,b\n1,"x\n2,y\n', "S07", "line 2"),
    "an unclosed quote late": (f'a,b\n{MANY}1,"x\n{MANY}', "S07", "line 300002"),
    "an unclosed quote in the header": ('a,"b\n1,2\n', "S07", "the header of t.csv .* separator"),
    "text after a quote": ('a,b\n1,"x"y\n', "S07", "line 2"),
    "a line that ends in CR alone": ("a,b\r\n1,x\r2,y\r\n", "S07", "mixes line ends"),
    "a line without end": ("a,b\n1," + "x" * 3_000_000 + "\n", "S07", "line 2 of t.csv is too long"),
    "Parquet": (b"PAR1" + bytes(20), "S05", "holds Parquet"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "code", "message"), CSV.values(), ids=CSV.keys())
def test_a_bad_csv_file_is_refused_by_name_and_line(write, content, code, message):
    with pytest.raises(ds.DiscreetError, match=rf"\[{code}\]: .*{message}") as error:
        ds.risk(ds.read(write(content), keys=["a"]))
    assert error.value.__cause__ is None
    assert error.value.__context__ is None


def test_a_long_cell_is_read(write):
    data = ds.read(write("a,b\n1," + "x" * 1_000_000 + "\n"))
    assert len(data.to("arrow")["b"][0].as_py()) == 1_000_000


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (gzip.compress(b"a,b\n" + b"1,2\n" * 9999)[:-9], "t.csv.gz", "S03"),
        (b"a,b\n1,2\n", "t.csv.gz", "S03"),
        (
            gzip.compress(random.Random(1).randbytes(3 << 20).hex().encode())[: 2 << 20],
            "t.csv.gz",
            "S03",
        ),
        (gzip.compress(b"a,b\n1,2\n"), "t.csv", "S05"),
        (b"PK\x03\x04" + bytes(99), "t.xlsx", "S07"),
        (b"", "t.parquet", "S02"),
        (b"a,b\n1,2\n", "t.parquet", "S07"),
        (b"PAR1", "t.pq", "S07"),
    ],
    ids=[
        "cut short",
        "not compressed",
        "cut late",
        "compressed",
        "Excel",
        "empty",
        "text",
        "its first bytes",
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(write, content, name, code):
    with pytest.raises(ds.DiscreetError, match=code):
        ds.risk(ds.read(write(content, name), keys=["a"]))


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9, 0.99])
def test_a_truncated_parquet_file_is_refused(write, tmp_path, kept):
    whole = parquet(tmp_path / "whole.parquet").read_bytes()
    path = write(whole[: int(len(whole) * kept)], "t.parquet")
    with pytest.raises(ds.DiscreetError, match=r"S07.*t.parquet cannot be read as Parquet"):
        ds.read(path)


def test_a_parquet_file_damaged_inside_is_refused(write, tmp_path):
    table = pa.table({"a": [f"{i:06}" for i in range(5000)]})
    whole = bytearray(parquet(tmp_path / "whole.parquet", table).read_bytes())
    whole[10:2000] = b"\xff" * 1990
    with pytest.raises(ds.DiscreetError, match=r"E01|S07"):
        ds.risk(ds.read(write(bytes(whole), "t.parquet"), keys=["a"]))


@pytest.mark.usefixtures("unheld")
def test_a_parquet_file_that_vanishes_is_an_error_and_not_an_empty_result(tmp_path):
    data = ds.read(parquet(tmp_path / "t.parquet"), keys=["a"])
    (tmp_path / "t.parquet").unlink()
    with pytest.raises(ds.DiscreetError, match=r"E01|S0"):
        ds.risk(data)
    with pytest.raises(ds.DiscreetError, match=r"E01|S0"):
        data.class_sizes()


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (pa.table({"a": pa.array([], pa.int64())}), "S02"),
        (pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"]), "S04"),
        (pa.table({"a": pa.array([1], pa.timestamp("ns", "UTC"))}), "S08"),
    ],
    ids=["no rows", "duplicate columns", "nanoseconds no engine has"],
)
def test_a_parquet_file_without_a_table_of_records_is_refused(tmp_path, table, code):
    with pytest.raises(ds.DiscreetError, match=code):
        ds.read(parquet(tmp_path / "t.parquet", table))


BEYOND = {
    "days": pa.array([2**31 - 1], pa.int32()).view(pa.date32()),
    "moments": pa.array([-(2**63)]).view(pa.timestamp("us")),
    "moments of a zone": pa.array([2**62], pa.timestamp("ms", "UTC")),
    "nanoseconds of a day": pa.array([-(2**63)]).view(pa.time64("ns")),
    "24:00": pa.array([86_400_000_000]).view(pa.time64("us")),
    "lists": pa.array([[2**60]], pa.list_(pa.timestamp("ms"))),
}


@pytest.mark.parametrize("told", [True, False], ids=["statistics", "none"])
@pytest.mark.parametrize("column", BEYOND.values(), ids=BEYOND.keys())
def test_a_parquet_file_with_a_date_or_time_that_no_file_holds_is_refused(tmp_path, column, told):
    path, table = tmp_path / "t.parquet", pa.table({"a.b": [1], "a": [1], "odd": column})
    pq.write_table(table, path, write_statistics=told)
    with pytest.raises(ds.DiscreetError, match=r"S08.*column 'odd' has a date or time"):
        ds.read(path, keys=["a"])


def test_what_the_statistics_of_a_parquet_file_tell_is_not_read(tmp_path, monkeypatch):
    from discreet.engine.input import _found as found

    asked = []
    monkeypatch.setattr("discreet.engine.input._found", lambda *of: asked.append(1) or found(*of))
    day, moments = dt.date(2020, 2, 29), pa.array([10**15, None])
    table = pa.table(
        {
            "day": pa.array([day, dt.date.max]),
            "zoned": moments.view(pa.timestamp("us", "Europe/Berlin")),
            "nanoseconds": moments.view(pa.timestamp("ns")),
            "microseconds": moments.view(pa.timestamp("us")),
            "seconds": pa.array([10**9, None]).view(pa.timestamp("s")),
            "time": [dt.time.max, dt.time.min],
            "time in ms": pa.array([0, 86_399_999], pa.int32()).view(pa.time32("ms")),
            "none": pa.nulls(2, pa.date32()),
            "list": pa.array([[day], []]),
        }
    )
    assert ds.read(parquet(tmp_path / "t.parquet", table), keys=["day"]).n == 2
    assert asked == []
    pq.write_table(table, tmp_path / "t.parquet", write_statistics=False)
    assert ds.read(tmp_path / "t.parquet", keys=["day"]).n == 2
    assert asked


def test_each_part_of_a_folder_is_looked_at(tmp_path):
    for i, day in enumerate([0, 1, 2**31 - 1]):
        table = pa.table({"day": pa.array([day], pa.int32()).view(pa.date32()), "a": [1]})
        parquet(tmp_path / f"{i}.parquet", table)
    with pytest.raises(ds.DiscreetError, match=r"S08.*column 'day'"):
        ds.read(tmp_path)


def test_lists_of_lengths_of_time_in_a_parquet_file_are_not_read_as_integers(tmp_path):
    table = pa.table({"odd": pa.array([[1]], pa.list_(pa.duration("us")))})
    with pytest.raises(ds.DiscreetError, match=r"S08.*'odd'"):
        ds.read(parquet(tmp_path / "t.parquet", table))


def test_old_timestamps_of_a_parquet_file_may_be_beyond_those_in_nanoseconds(tmp_path):
    table = pa.table({"a": pa.array([253_402_214_400, -62_135_596_800]).view(pa.timestamp("s"))})
    pq.write_table(table, tmp_path / "t.parquet", use_deprecated_int96_timestamps=True)
    assert ds.risk(ds.read(tmp_path / "t.parquet", keys=["a"])).uniques == 2


def test_a_parquet_column_may_have_the_name_the_engine_numbers_rows_with(tmp_path):
    table = pa.table({"file_row_number": [7, 7], "a": [2, 1]})
    data = ds.read(parquet(tmp_path / "t.parquet", table), keys=["file_row_number"])
    assert data.class_sizes().tolist() == [2, 2]
    assert data.to("arrow").equals(table)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing.csv", "nothing.csv does not exist"),
        ("no folder/t.csv", "t.csv does not exist"),
        ("survy.csv", "Did you mean 'survey.csv'"),
        ("", "is a folder"),
        (".", "is a folder"),
        ("x" * 5000 + ".csv", "does not exist"),
        ("a\0b.csv", "does not exist"),
        ("~/no such file.csv", "does not exist"),
        ("https://example.org/t.csv", "does not exist"),
    ],
)
def test_a_path_that_leads_nowhere_is_said_to(tmp_path, monkeypatch, path, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.csv").write_text("a\n1\n")
    with pytest.raises(ds.DiscreetError, match=rf"S01.*{message}"):
        ds.read(path)


def test_a_file_that_may_not_be_read_is_said_to(write, monkeypatch):
    path = write("a,b\n1,2\n")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ds.DiscreetError, match=r"S03.*t.csv cannot be read"):
        ds.read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ds.DiscreetError, match=r"S01.*is not a file"):
        ds.read(tmp_path / "pipe.csv")


def test_a_first_line_with_numbers_is_not_taken_for_a_header(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text("Sam Smith,29,HIV\nAnn Lee,31,flu\n")
    with pytest.raises(ds.DiscreetError) as refused:
        ds.read(path, keys=["age"])
    assert "Sam" not in str(refused.value)
    assert "names=" in str(refused.value)
    named = ds.read(path, names=["name", "age", "illness"], keys=["age"])
    assert (named.n, named.columns) == (2, ("name", "age", "illness"))
    assert ds.read(path, header=True).n == 1
    with pytest.raises(ds.DiscreetError, match="2 names"):
        ds.read(path, names=["name", "age"])


def test_a_column_that_was_named_is_a_name_although_it_stands_below(tmp_path):
    path = tmp_path / "letters.csv"
    path.write_text("c,s\na,1\nc,2\n")
    with pytest.raises(ds.DiscreetError, match=r"S14.*below it again"):
        ds.read(path)
    assert ds.read(path, keys=["s"]).columns == ("c", "s")


def test_years_are_fair_column_names(tmp_path):
    path = tmp_path / "years.csv"
    path.write_text("firm,2019,2020\na,1,2\n")
    assert ds.read(path).columns == ("firm", "2019", "2020")


def test_a_nominal_column_is_kept_as_it_is_written(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("icd\n250.1\n250.10\n")
    assert ds.risk(ds.read(path, keys=["icd"])).classes == 1
    assert ds.risk(ds.read(path, keys=["icd"], types={"icd": "nominal"})).classes == 2
