"""Disclosure risk once, in a process of its own: of a sample or of a linked file, by discreet or
by hand. Only what a function returns is timed, not what it does before."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from data import BILLING_KEYS
from processes import Clock

KEYS = ", ".join(BILLING_KEYS)
Risks = tuple[float, float, float]  # DR_min, DR_max, DR_W with the weights decay(0.5)


def sampled(path: str) -> Callable[[], Risks]:
    import discreet as ds

    initial = ds.read(path, keys=BILLING_KEYS)
    released = ds.sample(initial, fraction=0.1, seed=1)
    return lambda: _risks(ds.disclosure_risk(initial, released))


def sampled_by_hand(path: str) -> Callable[[], Risks]:
    """Two GROUP BYs, a join of the two on the keys, a GROUP BY (i, j)."""
    import duckdb

    connection = duckdb.connect()
    connection.sql(
        f"CREATE TABLE released AS SELECT {KEYS} "
        f"FROM read_parquet('{path}', file_row_number = true) ORDER BY "
        f"md5('1:' || file_row_number) LIMIT (SELECT count(*) // 10 FROM '{path}')"
    )
    query = (
        f"SELECT i, j, sum(i) AS c FROM {_sizes(path, 'j')} "
        f"JOIN {_sizes('released', 'i')} USING ({KEYS}) GROUP BY i, j"
    )
    return lambda: _risks_by_hand(connection, query, path)


def linked(path: str, masked: str) -> Callable[[], Risks]:
    import discreet as ds

    def measured() -> Risks:
        initial, released = (ds.read(file, keys=BILLING_KEYS) for file in (path, masked))
        return _risks(ds.disclosure_risk(initial, released, on="rec"))

    return measured


def linked_unchecked(path: str, masked: str) -> Callable[[], Risks]:
    """Without the search for ids that are missing, repeated or not in the initial file."""
    from discreet.data import link

    link.id_problems = lambda *_: []
    link.engine.unlinked = lambda _: 0
    return linked(path, masked)


def linked_by_hand(path: str, masked: str) -> Callable[[], Risks]:
    """Two GROUP BYs, a join by the record id, a join to each of the two, a GROUP BY (i, j)."""
    import duckdb

    query = (
        f"SELECT i, j, count(*) AS c FROM '{masked}' AS m JOIN '{path}' AS o ON m.rec = o.rec "
        f"JOIN {_sizes(masked, 'i')} AS ms ON {_same('m', 'ms')} "
        f"JOIN {_sizes(path, 'j')} AS os ON {_same('o', 'os')} GROUP BY i, j"
    )
    connection = duckdb.connect()
    return lambda: _risks_by_hand(connection, query, path)


def _sizes(table: str, size: str) -> str:
    return f"(SELECT {KEYS}, count(*) AS {size} FROM '{table}' GROUP BY {KEYS})"


def _same(one: str, other: str) -> str:
    return " AND ".join(f"{one}.{key} = {other}.{key}" for key in BILLING_KEYS)


def _risks(found) -> Risks:
    import discreet as ds

    return found.minimal, found.maximal, found.weighted(ds.Weights.decay(0.5))


def _risks_by_hand(connection, query: str, path: str) -> Risks:
    (row,) = connection.sql(
        f"SELECT coalesce(sum(c) FILTER (i = 1 AND j = 1), 0) / n, sum(c / greatest(i, j)) / n, "
        f"sum(0.5 ** (greatest(i, j) - 1) * c / greatest(i, j)) / n "
        f"FROM ({query}), (SELECT count(*) AS n FROM '{path}') GROUP BY n"
    ).fetchall()
    return row


JOBS: dict[str, Callable[..., Callable[[], Risks]]] = {
    "sampled": sampled,
    "sampled_by_hand": sampled_by_hand,
    "linked": linked,
    "linked_unchecked": linked_unchecked,
    "linked_by_hand": linked_by_hand,
}

if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    half = len(paths) // 2  # the files to measure, then small ones of the same kind
    JOBS[what](*paths[half:])()  # loads every library
    measured = JOBS[what](*paths[:half])
    clock = Clock()
    risks = measured()
    outcome = clock.outcome()
    names = ("DR_min", "DR_max", "DR_W")
    answer = {name: round(float(r), 12) for name, r in zip(names, risks, strict=True)}
    print(json.dumps({**outcome, "answer": answer}))
