"""A CSV file, by discreet or by DuckDB, for the second time in a process."""

from __future__ import annotations

import json
import sys

from processes import Clock


def ours(path: str) -> int:
    import discreet as ds

    return ds.read(path).n


def duckdb(path: str) -> int:
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"CREATE TEMP TABLE t AS SELECT * FROM read_csv('{path}')")
    return connection.sql("SELECT count(*) FROM t").fetchall()[0][0]


if __name__ == "__main__":
    who, path = sys.argv[1:]
    read = {"ours": ours, "duckdb": duckdb}[who]
    read(path)  # loads every library
    clock = Clock()
    answer = read(path)
    print(json.dumps({**clock.outcome(), "answer": answer}))
