"""A verb once, by discreet or by the SQL that it amounts to, in a process of its own. Only what a
function returns is timed, not what it does before."""

from __future__ import annotations

import itertools
import json
import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from data import BILLING_KEYS
from processes import Clock
from scale_job import KNOWN, SENSITIVE, VERBS, hierarchies

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


def information_loss(connection, path: str) -> Work:
    """Initial beside released values: sums, sums around the means with quantiles, the cells of all
    contingency tables of up to two attributes, and entropies. The answer is the share of the bits
    that is lost: a sample changes no value.
    """
    sample(connection, path)()
    columns = ", ".join(f"o.{k} AS x{i}, r.{k} AS y{i}" for i, k in enumerate(BILLING_KEYS))
    texts = [i for i, key in enumerate(BILLING_KEYS) if key not in ("Age", "Amount_Band")]
    numbers = [i for i in range(len(BILLING_KEYS)) if i not in texts]
    tables = [*([i] for i in texts), *itertools.combinations(texts, 2)]

    def done() -> float:
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE pairs AS SELECT {columns} FROM released AS r JOIN "
            f"read_parquet('{path}', file_row_number = true) AS o USING (file_row_number)"
        )
        first = connection.sql(_sums(numbers)).fetchall()[0]
        means = dict(zip(numbers, first[: len(numbers)], strict=True))
        connection.sql(_central_sums(means)).fetchall()
        for table in tables:
            connection.sql(_cells(table)).fetchall()
        left = [connection.sql(_left_open(i)).fetchall()[0][0] for i in range(len(BILLING_KEYS))]
        bits = [connection.sql(_bits(path, i)).fetchall()[0] for i in range(len(BILLING_KEYS))]
        whole = sum(of_all for of_all, _ in bits)
        lost = whole - sum(own for _, own in bits) + sum(left)
        return round(float(lost / whole), 6)

    return done


def _sums(numbers: list[int]) -> str:
    means = [f"avg(x{i}), avg(y{i})" for i in numbers]
    whole = [f"avg(x{i}::DOUBLE)" for i in numbers]
    more = [
        f"sum(abs(x{i} - y{i}) / nullif(abs(x{i}), 0)), sum((x{i} <> 0)::INT), "
        f"sum((x{i} - y{i}) * (x{i} - y{i}))"
        for i in numbers
    ]
    differ = [f"sum((x{i} IS DISTINCT FROM y{i})::INT)" for i in range(len(BILLING_KEYS))]
    return f"SELECT {', '.join([*whole, *means, *more, *differ])}, count(*) FROM pairs"


def _central_sums(means: dict[int, float]) -> str:
    """Second and fourth moments around the means, and 19 quantiles with those about them."""
    shares = [round(0.05 * q, 2) for q in range(1, 20)]
    three = [q + d for d in (0, -0.001, 0.001) for q in shares]
    parts = []
    for a, b in itertools.product(means, repeat=2):
        xa, xb, ya, yb = (f"({s}{i} - {means[i]!r})" for s in "xy" for i in (a, b))
        parts.append(f"sum({xa} * {xa} * {xa} * {xb})")
        if a <= b:
            parts.append(f"sum({xa} * {xb}), sum({ya} * {yb}), sum({xa} * {xa} * {xb} * {xb})")
    asked = [f"quantile_cont(x{i}, {three}), quantile_cont(y{i}, {shares})" for i in means]
    changed = " + ".join(f"abs(var_samp(y{i}) / var_samp(x{i}) - 1)" for i in means)
    return f"SELECT ({changed}) / {len(means)}, {', '.join([*parts, *asked])} FROM pairs"


def _cells(attributes) -> str:
    x, y = (", ".join(f"{side}{i} AS v{i}" for i in attributes) for side in "xy")
    names = ", ".join(f"v{i}" for i in attributes)
    return (
        "SELECT coalesce(sum(abs(f - coalesce(g, 0)) / f), 0), count(f), sum(g) FILTER (f IS NULL) "
        f"FROM (SELECT {x}, count(*) AS f FROM pairs GROUP BY ALL) "
        f"FULL JOIN (SELECT {y}, count(*) AS g FROM pairs GROUP BY ALL) USING ({names})"
    )


def _left_open(i: int) -> str:
    return (
        "SELECT sum(n * log2(of_y / n)) FROM (SELECT n, sum(n) OVER (PARTITION BY y) AS of_y FROM "
        f"(SELECT x{i} AS x, y{i} AS y, count(*) AS n FROM pairs GROUP BY ALL))"
    )


def _bits(path: str, i: int) -> str:
    return (
        "SELECT sum(f * log2(whole / f)), sum(coalesce(g, 0) * log2(whole / f)) FROM "
        "(SELECT f, g, sum(f) OVER () AS whole FROM "
        f"(SELECT {BILLING_KEYS[i]} AS v, count(*) AS f FROM '{path}' GROUP BY ALL) "
        f"LEFT JOIN (SELECT x{i} AS v, count(*) AS g FROM pairs GROUP BY ALL) USING (v))"
    )


def record_risk(connection, path: str) -> Work:
    """Classes once, their sizes for every known set, and the risk of a class to its records."""
    sets = [s for size in range(1, 6) for s in itertools.combinations(BILLING_KEYS, size)]
    likely = {s: math.prod(KNOWN[name] for name in s) for s in sets}
    total = sum(SENSITIVE.values())
    terms = [f"{100 * total!r}::DOUBLE / (sum(n) OVER ())"]
    for s in (s for s in sets if likely[s] > 0.01):
        left = total - sum(SENSITIVE.get(name, 0) for name in s)
        own = f"sum(n) OVER (PARTITION BY {', '.join(s)})"
        terms.append(f"{100 * likely[s] * left!r}::DOUBLE / ({own})")
    query = (
        f"SELECT risk FROM read_parquet('{path}', file_row_number = true) JOIN "
        f"(SELECT {KEYS}, {' + '.join(terms)} AS risk FROM "
        f"(SELECT {KEYS}, count(*) AS n FROM '{path}' GROUP BY {KEYS})) USING ({KEYS}) "
        "ORDER BY file_row_number"
    )
    return lambda: round(float(connection.sql(query).fetchnumpy()["risk"].sum()), 3)


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
    "information_loss": information_loss,
    "record_risk": record_risk,
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
