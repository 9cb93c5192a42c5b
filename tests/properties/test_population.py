"""Lemmas of households and registers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds

VALUES = st.sampled_from([None, "a", "b", "c"])
PEOPLE = st.lists(st.tuples(VALUES, VALUES, st.integers(0, 6)), min_size=1, max_size=30)
POLICIES = st.sampled_from(["category", "wildcard"])


def table(people):
    return {name: [one[i] for one in people] for i, name in enumerate(("k", "l", "hid"))}


def read(people, **more):
    import pyarrow as pa

    columns = table(people)
    types = {"k": pa.string(), "l": pa.string(), "hid": pa.int64()}
    frame = pa.table({name: pa.array(columns[name], types[name]) for name in columns})
    return ds.read(frame, keys=["k", "l"], **more)


@given(PEOPLE, POLICIES)
def test_the_file_as_its_own_register_makes_all_intruders_alike(people, policy):
    data = read(people, missing=policy)
    found = ds.risk(data, population=data)
    assert found.journalist.highest == found.prosecutor.highest
    assert found.journalist.mean == pytest.approx(found.prosecutor.mean, rel=1e-15)
    assert found.marketer == pytest.approx(found.mean_risk, rel=1e-15)
    for limit in (0, 0.1, 0.3, 0.5, 1):
        assert found.journalist.share_above(limit) == found.prosecutor.share_above(limit)


@given(PEOPLE, PEOPLE)
def test_more_people_never_raise_the_journalist(people, more):
    data = read(people)
    found = [ds.risk(data, population=read(p)) for p in (people, people + more)]
    assert found[1].journalist.highest <= found[0].journalist.highest <= found[0].highest_risk
    assert found[1].marketer <= found[0].marketer
    assert found[1].journalist.share_above(0.3) <= found[0].journalist.share_above(0.3)


@given(PEOPLE)
def test_who_lives_alone_has_the_plain_class(people):
    alone = [(k, l, i) for i, (k, l, _) in enumerate(people)]
    data = read(alone, household="hid")
    by, plain = ds.risk(data, by="household"), ds.risk(data)
    assert by.class_sizes == plain.class_sizes
    assert by.households.mean_risk == pytest.approx(plain.mean_risk, rel=1e-15)
    assert by.members_risk == pytest.approx(plain.mean_risk, rel=1e-12)
    assert by.rarer_together == 0


@given(PEOPLE, st.randoms(use_true_random=False), st.permutations(range(7)))
def test_neither_order_nor_numbers_of_households_matter(people, random, numbers):
    mixed = [(k, l, numbers[home]) for k, l, home in people]
    random.shuffle(mixed)
    found = [ds.risk(read(p, household="hid"), by="household") for p in (people, mixed)]
    assert found[0].to_dict() == found[1].to_dict()


@given(PEOPLE)
def test_a_second_town_alike_doubles_every_class(people):
    twice = people + [(k, l, home + 10) for k, l, home in people]
    once, both = (ds.risk(read(p, household="hid"), by="household") for p in (people, twice))
    assert [(2 * i, F, 2 * n) for i, F, n in once.class_sizes] == list(both.class_sizes)
