"""Compatible records: with missing="wildcard" a missing key matches every value.

The twins compare every record with every other one, as the definition says.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds

VALUES = st.sampled_from([None, 0, 1, 2])
RECORDS = st.integers(1, 4).flatmap(
    lambda keys: st.lists(
        st.tuples(st.tuples(*[VALUES] * keys), VALUES, VALUES), min_size=1, max_size=25
    )
)


def compatible(left, right):
    return all(a is None or b is None or a == b for a, b in zip(left, right, strict=True))


def sizes_one_by_one(records):
    return [sum(compatible(mine, other) for other, *_ in records) for mine, *_ in records]


def distinct_one_by_one(records, which):
    return [
        len({r[which] for r in records if compatible(mine, r[0])} - {None}) for mine, *_ in records
    ]


def read(records):
    keys = {f"k{i}": column for i, column in enumerate(zip(*(r[0] for r in records), strict=True))}
    values = {"s": [r[1] for r in records], "t": [r[2] for r in records]}
    return ds.read({**keys, **values}, keys=list(keys), confidential=["s", "t"], missing="wildcard")


@given(RECORDS)
def test_sizes_and_distinct_values_equal_those_found_record_by_record(records):
    found = read(records).classes(["s", "t"])
    expanded = sorted(
        row
        for size, s, t, n, number in zip(
            found.size, found.distinct["s"], found.distinct["t"], found.records, found.number,
            strict=True,
        )
        for row in [(int(size), int(s), int(t))] * (n if not found.partition else size * number)
    )  # fmt: skip
    one_by_one = zip(
        sizes_one_by_one(records),
        distinct_one_by_one(records, 1),
        distinct_one_by_one(records, 2),
        strict=True,
    )
    assert expanded == sorted(one_by_one)


@given(RECORDS)
def test_risk_and_check_follow_from_the_compatible_records(records):
    data, sizes = read(records), sizes_one_by_one(records)
    distinct = distinct_one_by_one(records, 1)
    found = ds.risk(data)
    assert (found.n, found.k, found.p["s"]) == (len(records), min(sizes), min(distinct))
    assert found.mean_risk == pytest.approx(sum(1 / s for s in sizes) / len(sizes))
    assert ds.check(data, ds.KAnonymity(3)).violating_records == sum(s < 3 for s in sizes)
    both = ds.check(data, ds.PSensitiveKAnonymity(2, 3, "s"))
    failing = sum(s < 3 or d < 2 for s, d in zip(sizes, distinct, strict=True))
    assert both.violating_records == failing


@given(RECORDS)
def test_a_wildcard_never_makes_the_set_of_a_record_smaller_than_its_class(records):
    wild = read(records)
    keys = ds.read({c: wild.to("arrow")[c] for c in wild.keys}, keys=wild.keys, missing="category")
    assert ds.risk(wild).k >= ds.risk(keys).k


def test_compatibility_is_not_an_equivalence():
    table = {"age": [30, None, 40], "sex": ["f", "f", "f"]}
    found = ds.risk(ds.read(table, keys=["age", "sex"], missing="wildcard"))
    assert list(found.class_sizes) == [(2, 2, 2), (3, 1, 1)]
    assert not found.partition


def test_an_all_missing_key_matches_every_record():
    table = {"age": [None, None, None], "sex": ["f", "m", "f"]}
    found = ds.risk(ds.read(table, keys=["age", "sex"], missing="wildcard"))
    assert list(found.class_sizes) == [(1, 1, 1), (2, 1, 2)]


@pytest.mark.parametrize("keys", [30, 70])
def test_more_combinations_than_64_bits_can_number(keys):
    table = {f"k{i}": [0, 1, None, 0] for i in range(keys)}
    found = ds.risk(ds.read(table, keys=list(table), missing="wildcard"))
    assert list(found.class_sizes) == [(2, 1, 1), (3, 1, 2), (4, 1, 1)]
