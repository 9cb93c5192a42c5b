"""What is released unchanged, and which numbers are codes: the same on every engine."""

from collections import Counter

import pytest

import discreet as ds
from tests.engines.tables import ROLES, survey, ugly


def by_brute_force(table, name):
    """Values, records with one, and records alone with theirs, by a loop over the rows."""
    rows = table.column(name).to_pylist()
    numbers = [v + 0.0 if isinstance(v, float) else v for v in rows]  # one zero
    counts = Counter(v for v in numbers if v is not None and str(v) != "nan")
    return len(counts), sum(counts.values()), sum(n == 1 for n in counts.values())


@pytest.mark.verb("unchanged")
def test_unique_records_are_counted_as_a_loop_over_the_rows_counts_them(engine):
    table = ugly()
    data = engine.read(table, record_id="rec")
    found = {one.column: one for one in ds.unchanged(data).columns}
    for name in ("town", "flag", "size", "small", "rate", "price", "born", "seen", "illness"):
        one = found[name]
        assert (one.distinct, one.filled, one.unique) == by_brute_force(table, name)


@pytest.mark.verb("unchanged")
def test_what_leaves_as_it_was_is_the_same_after_a_masking(engine):
    data = engine.read(survey(), **ROLES)
    reference = ds.read(survey(), **ROLES)
    found = [ds.sample(one, n=40, seed=1) for one in (data, reference)]
    assert ds.unchanged(found[0]).to_dict() == ds.unchanged(found[1]).to_dict()


@pytest.mark.verb("read")
def test_codes_are_told_by_one_rule(engine):
    for table in (ugly(), survey()):
        data = engine.read(table, record_id="rec")
        reference = ds.read(table, record_id="rec")
        assert data.types.codes() == reference.types.codes()
        assert {n: str(data.types[n]) for n in data.columns} == {
            n: str(reference.types[n]) for n in reference.columns
        }


@pytest.mark.verb("read")
def test_whole_numbers_are_whole_however_they_are_stored(engine):
    import pyarrow as pa

    n = 120
    table = pa.table(
        {
            "rec": list(range(n)),
            "code": pa.array([i % 3 for i in range(n)], pa.int16()),
            "gap": pa.array([None if i % 5 == 0 else float(i % 3) for i in range(n)]),
            "half": pa.array([i % 2 / 2 for i in range(n)]),
            "late": pa.array([1.0] * (n - 1) + [0.5]),
            "many": pa.array([i % 21 for i in range(n)]),
        }
    )
    assert engine.read(table, record_id="rec").types.codes() == ["code", "gap"]


@pytest.mark.verb("read")
def test_a_representation_counts_nothing_in_another_engine(engine):
    data = engine.read(survey(), **ROLES)
    if engine.name in ("spark", "postgres"):
        shown = repr(data)
        assert "_codes" not in data.types.__dict__
        assert "number" in shown
