"""Columns of every type of Arrow: each way in, each way of masking, each way out."""

import datetime as dt
import decimal

import ibis
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds

N = 60


def cells(first, second, kind):
    return pa.array([(first, second, None)[i % 3] for i in range(N)], kind)


NUMBER, TIME = decimal.Decimal, dt.time
TYPES = {
    "seconds of a day": cells(TIME(10), TIME(11), pa.time32("s")),
    "microseconds of a day": cells(TIME(10), TIME(11, 0, 0, 5), pa.time64("us")),
    "nanoseconds of a day": cells(TIME(10), TIME(11), pa.time64("ns")),
    "large decimals": cells(NUMBER("1" * 38), NUMBER("2" * 38), pa.decimal128(38, 0)),
    "large integers": cells(2**64 - 1, 2**63, pa.uint64()),
    "truth values": cells(True, False, pa.bool_()),
    "dictionaries": cells("a", "b", pa.string()).dictionary_encode(),
    "nothing": pa.nulls(N),
    "a zone": cells(
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2020, 7, 1, tzinfo=dt.UTC),
        pa.timestamp("us", "Europe/Berlin"),
    ),
    "half precision": pa.array(np.array([1.5, 2.5, np.nan] * (N // 3), dtype=np.float16)),
    "old dates": cells(dt.date(1800, 1, 1), dt.date(1899, 12, 31), pa.date64()),
    "lists": cells([1], [2, 3], pa.list_(pa.int64())),
    "structures": cells({"x": 1}, {"x": 2}, pa.struct([("x", pa.int64())])),
    "bytes": cells(b"x", b"y", pa.binary()),
}
NESTED = ("lists", "structures", "bytes")


def parquet(table, folder):
    pq.write_table(table, folder / "in.parquet")
    return folder / "in.parquet"


def duckdb(table, _folder):
    connection = ibis.duckdb.connect()
    half = table.schema.field("odd").type == pa.float16()
    table = table.set_column(1, "odd", table["odd"].cast(pa.float32())) if half else table
    connection.con.register("given", table)
    connection.con.execute("CREATE TABLE odd AS SELECT row_number() OVER () AS id, * FROM given")
    return connection.table("odd")


WAYS_IN = {
    "arrow": lambda table, _: table,
    "pandas": lambda table, _: table.to_pandas(),
    "polars": lambda table, _: pl.from_arrow(table),
    "parquet": parquet,
    "duckdb": duckdb,
}
ANY = {"odd": ds.Hierarchy.suppress()}
MASKINGS = {
    "suppress_cells": lambda data: ds.suppress_cells(data, ds.KAnonymity(21)),
    "recode": lambda data: ds.recode(data, ANY, ds.KAnonymity(21)),
    "generalize": lambda data: ds.generalize(data, ANY, ds.KAnonymity(21)).best.mask(),
    "sample": lambda data: ds.sample(data, fraction=0.5, seed=1),
    "pram": lambda data: ds.pram(data, ["odd"], keep=0.8, seed=1),
    "rank_swap": lambda data: ds.rank_swap(data, ["odd"], window=0.2, seed=1),
    "swap_records": lambda data: ds.swap_records(
        data, geography=["odd"], keys=["k"], k=3, rate=0.1, seed=1
    ),
}


def tried(masking, data):
    try:
        return masking(data)
    except ds.DiscreetError as error:
        return error


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("name", TYPES)
def test_every_type_is_masked_and_written_or_refused_by_name(name, way, tmp_path):
    table = pa.table({"k": [i % 2 for i in range(N)], "odd": TYPES[name]})
    source = WAYS_IN[way](table, tmp_path)
    roles = {"record_id": "id"} if way == "duckdb" else {}
    nested = name in NESTED
    data = ds.read(source, keys=["k"] if nested else ["k", "odd"], **roles)
    assert data.to("arrow")["odd"].null_count == (N if name == "nothing" else N // 3)
    for method, masking in MASKINGS.items():
        masked = tried(masking, data)
        if isinstance(masked, ds.DiscreetError):
            assert nested or method not in ("suppress_cells", "sample")
            assert masked.code[0] in "DPR"  # what is wrong with it, not a failure
            continue
        missing = masked.to("arrow")["odd"].null_count
        for ending in ("csv", "parquet"):
            masked.write(tmp_path / f"out.{ending}", overwrite=True)
            again = ds.read(tmp_path / f"out.{ending}").to("arrow")
            assert again["odd"].null_count == missing
        assert len(masked.to("pandas")) == len(masked.to("polars")) == masked.n


@pytest.mark.parametrize("way", ["arrow", "pandas", "polars", "parquet"])
def test_lengths_of_time_are_refused_and_not_read_as_integers(way, tmp_path):
    table = pa.table({"k": [1, 2], "odd": pa.array([1, 2], pa.duration("us"))})
    with pytest.raises(ds.DiscreetError, match=r"S08.*'odd'"):
        ds.read(WAYS_IN[way](table, tmp_path), keys=["k"])


def test_a_time_that_python_does_not_have_is_an_error_of_its_column_where_frames_are_made():
    """Tables of a database are not looked at when they are read."""
    connection = ibis.duckdb.connect()
    connection.con.execute(
        "CREATE TABLE t AS SELECT 1 AS k, TIME '24:00' AS late, DATE '99999-1-1' AS far"
    )
    data = ds.read(connection.table("t"), keys=["k"])
    assert data.to("arrow").num_rows == 1
    with pytest.raises(ds.DiscreetError, match=r"S08.*'late'") as error:
        data.to("pandas")
    assert [p.code for p in error.value.problems] == ["S08", "S08"]
    assert error.value.__context__ is None
