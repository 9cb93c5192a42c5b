"""Tables that engines disagree on: blanks, case, accents, missing values, NaN, decimals, times."""

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds

TIMES = ["2020-03-29 02:30:00", "1999-01-01 00:00:00.000001", None]  # one that summer time skips
TEXTS = ["Bonn", "bonn", "Bonn ", " Bonn", "Bönn", "Bo\u0308nn", "ẞ", "ß", "ss", "日本", "", None]


def ugly(n=300, seed=1):
    """Each column holds values that some engine is tempted to merge or to split."""
    rng = np.random.default_rng(seed)

    def some(values, kind=None):
        return pa.array([values[i] for i in rng.integers(0, len(values), n)], kind)

    return pa.table(
        {
            "rec": pa.array(rng.permutation(n), pa.int64()),
            "town": some(TEXTS, pa.string()),
            "flag": some([True, False, None], pa.bool_()),
            "size": some([1, 2, -3, 2**40, None], pa.int64()),
            "small": some([1, 2, None], pa.int32()),
            "rate": some([0.0, -0.0, 1.5, float("nan"), None, 1e-200], pa.float64()),
            "price": some(
                [decimal.Decimal("1.10"), decimal.Decimal("1.01"), decimal.Decimal("-7.00"), None],
                pa.decimal128(10, 2),
            ),
            "born": some([dt.date(1970, 1, 1), dt.date(1969, 12, 31), None], pa.date32()),
            "seen": some(
                [dt.datetime.fromisoformat(t) if t else None for t in TIMES],
                pa.timestamp("us"),
            ),
            "illness": some(["flu", "flu ", "FLU", "gout", None], pa.string()),
        }
    )


def survey(n=1200, seed=1):
    """Simulated patients with a record id that is not in the order of the rows."""
    table = ds.datasets.patients(n, seed)
    ids = np.random.default_rng(seed).permutation(n) + 10
    return table.append_column("rec", pa.array(ids, pa.int64()))


ROLES = {
    "identifiers": ["name", "ssn"],
    "keys": ["age", "zip", "sex"],
    "confidential": ["illness", "income"],
    "record_id": "rec",
}


def hierarchies():
    return {
        "age": ds.Hierarchy.intervals([5, 10, 20, 40]),
        "zip": ds.Hierarchy.prefixes([5, 3, 2, 1, 0]),
        "sex": ds.Hierarchy.suppress(),
    }


def assert_close(found, expected, tolerance=1e-9):
    """Measures are equal up to rounding; one that does not apply is None on both sides."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if value is None or isinstance(value, str):
            assert found[name] == value, name
        else:
            assert found[name] == pytest.approx(value, rel=tolerance, abs=1e-12), name


def rows(data):
    """The released records, in an order that does not depend on the engine."""
    return sorted(
        (tuple(row.values()) for row in data.to("arrow").to_pylist()),
        key=lambda row: [(v is None, str(v)) for v in row],
    )


def recipes():
    """A generalization and a sample."""
    return ds.grid(
        methods=["generalization", "sampling"],
        k=[5],
        hierarchies={"zip": ds.Hierarchy.prefixes([5, 2, 0])},
        max_suppressed=1.0,
        fractions=[0.5],
        seed=1,
    )
