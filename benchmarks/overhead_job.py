"""A verb once, by discreet or by the SQL that it amounts to, in a process of its own. Only what a
function returns is timed, not what it does before."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from data import BILLING_KEYS
from processes import Clock
from scale_job import VERBS, hierarchies

KEYS = ", ".join(BILLING_KEYS)
Work = Callable[[], object]


def by_hand(verb: str) -> Callable[[str], Work]:
    import duckdb

    connection = duckdb.connect()
    return lambda path: BY_HAND[verb](connection, path)


def risk(connection, path: str) -> Work:
    """Sizes of the classes, and how many classes have each."""
    query = f"SELECT size, count(*) FROM ({_classes(path)}) GROUP BY size"
    return lambda: sum(classes for _, classes in connection.sql(query).fetchall())


def check(connection, path: str) -> Work:
    query = f"SELECT count(*) FILTER (size < 5) = 0 FROM ({_classes(path)})"
    return lambda: connection.sql(query).fetchall()[0][0]


def sample(connection, path: str) -> Work:
    """The tenth with the smallest hashes of their row number."""
    query = (
        f"CREATE OR REPLACE TEMP TABLE released AS SELECT {KEYS}, file_row_number "
        f"FROM read_parquet('{path}', file_row_number = true) ORDER BY "
        f"md5('1:' || file_row_number) LIMIT (SELECT count(*) // 10 FROM '{path}')"
    )

    def drawn() -> int:
        connection.execute(query)
        return connection.sql("SELECT count(*) FROM released").fetchall()[0][0]

    return drawn


def disclosure_risk(connection, path: str) -> Work:
    """Two GROUP BYs, a join of the two on the keys."""
    sample(connection, path)()
    query = (
        f"SELECT sum(i / greatest(i, j)) / (SELECT count(*) FROM '{path}') "
        f"FROM (SELECT {KEYS}, count(*) AS j FROM '{path}' GROUP BY {KEYS}) "
        f"JOIN (SELECT {KEYS}, count(*) AS i FROM released GROUP BY {KEYS}) USING ({KEYS})"
    )
    return lambda: round(connection.sql(query).fetchall()[0][0], 12)


def protect(connection, path: str) -> Work:
    """Count, recode by a join per key, drop small classes, and write in the order of a hash.

    The levels are those that the search finds, which is not part of it.
    """
    import discreet as ds

    data = ds.read(path, keys=BILLING_KEYS)
    best = ds.generalize(data, hierarchies(), ds.KAnonymity(5)).best
    for number, key in enumerate(BILLING_KEYS):
        connection.register(f"m{number}", _renamed(best.mapping(key)))
    labels = [f"m{i}.label AS l{i}" for i in range(len(BILLING_KEYS))]
    joins = [f"JOIN m{i} ON o.{key} = m{i}.value" for i, key in enumerate(BILLING_KEYS)]
    names = [f"l{i}" for i in range(len(BILLING_KEYS))]
    listed = ", ".join(names)
    hashed = " || ".join(f"length({n}) || ':' || {n}" for n in names)

    def done() -> int:
        connection.sql(f"SELECT {KEYS}, count(*) FROM '{path}' GROUP BY {KEYS}").to_arrow_table()
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE masked AS SELECT {', '.join(labels)} "
            f"FROM '{path}' AS o {' '.join(joins)}"
        )
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE kept AS SELECT * FROM masked JOIN (SELECT {listed} "
            f"FROM masked GROUP BY {listed} HAVING count(*) >= 5) USING ({listed})"
        )
        with tempfile.TemporaryDirectory() as folder:
            connection.sql(f"SELECT * FROM kept ORDER BY md5('0:' || {hashed})").write_parquet(
                str(Path(folder) / "masked.parquet")
            )
        return connection.sql("SELECT count(*) FROM kept").fetchall()[0][0]

    return done


def _renamed(table):
    return table.rename_columns(["value", "label"])


def _classes(path: str) -> str:
    return f"SELECT count(*) AS size FROM '{path}' GROUP BY {KEYS}"


BY_HAND: dict[str, Callable[..., Work]] = {
    "risk": risk,
    "check": check,
    "sample": sample,
    "disclosure_risk": disclosure_risk,
    "protect": protect,
}

if __name__ == "__main__":
    who, verb, path, small = sys.argv[1:]
    make = VERBS[verb] if who == "discreet" else by_hand(verb)
    make(small)()  # loads every library
    work = make(path)
    clock = Clock()
    answer = work()
    print(json.dumps({**clock.outcome(), "answer": answer}))
