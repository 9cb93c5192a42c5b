"""Criteria on the people of the population in the methods that change single cells, held against
the definitions by code of its own: a released cell covers everybody whose values lie in its groups.
"""

import itertools

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import DiscreetError
from tests.examples import examples

TOWNS = ["aa1", "aa2", "ab1", "ba1", "bb1"]
AGES = [3, 8, 14, 22, 25, 37]
HIERARCHIES = {
    "town": ds.Hierarchy.prefixes([3, 2, 1, 0]),
    "age": ds.Hierarchy.intervals([10, 20]),
}
PERSON = st.tuples(st.sampled_from(TOWNS), st.sampled_from(AGES), st.sampled_from("mf"))
KEYS = ("town", "age", "sex")
QUIET = examples(40)


@st.composite
def populations(draw):
    """Everybody, and who of them is in the file."""
    people = draw(st.lists(PERSON, min_size=4, max_size=40))
    number = draw(st.integers(2, len(people)))
    return people, draw(st.permutations(people))[:number]


def table(rows):
    return {name: list(column) for name, column in zip(KEYS, zip(*rows, strict=True), strict=True)}


def ways(name, value):
    """All that a value may be released as."""
    if name == "town":
        return [value, value[:2] + "*", value[:1] + "**", "*"]
    if name == "age":
        tens = [f"[{value // w * w}, {value // w * w + w})" for w in (10, 20)]
        return [str(value), *tens, "*"]
    return [value]


def covers(cell, person):
    """Whether a released cell may be about somebody; a blank is about everybody."""
    each = zip(KEYS, cell, person, strict=True)
    return all(shown is None or str(shown) in ways(name, value) for name, shown, value in each)


def released(masked):
    columns = masked.to("arrow").select(list(KEYS)).to_pydict()
    return list(zip(*columns.values(), strict=True))


def presence(cells, person, people):
    """How likely somebody has a record: over the classes that cover them, records by people."""
    return sum(
        cells.count(one) / sum(covers(one, other) for other in people)
        for one in set(cells)
        if covers(one, person)
    )


def made(call):
    try:
        return call()
    except DiscreetError as error:
        if error.code in ("D31", "D45", "D46"):  # nothing that is allowed satisfies
            return None
        raise


@QUIET
@given(
    both=populations(),
    k=st.integers(1, 8),
    also=st.sampled_from([None, 2, 3]),
    method=st.sampled_from(["local", "mondrian", "mondrian-relaxed"]),
    out=st.sampled_from([0, 2]),
)
def test_recoded_cells_cover_enough_people(both, k, also, method, out):
    people, file = both
    register, survey = pa.table(table(people)), ds.read(table(file), keys=KEYS)
    criterion = [ds.KMap(k, register), *([ds.KAnonymity(also)] if also else [])]
    masked = made(
        lambda: ds.recode(survey, HIERARCHIES, criterion, method=method, max_suppressed=out)
    )
    if masked is None:
        return
    cells = released(masked)
    assert all(sum(covers(one, person) for person in people) >= k for one in cells)
    assert all(cells.count(one) >= (also or 1) for one in cells)
    if cells:
        assert ds.check(masked, criterion)
    assert masked.bound <= masked.loss + 1e-12


def least_loss(people, file, k):
    """Record by record the cheapest cell that covers k people, all cells tried."""
    total = 0.0
    for person in file:
        choices = itertools.product(*(ways(n, v) for n, v in zip(KEYS, person, strict=True)))
        good = [c for c in choices if sum(covers(c, other) for other in people) >= k]
        total += min((loss(cell, file) for cell in good), default=3.0)
    return total / (3 * len(file))


def loss(cell, file):
    found = 0.0
    for a, (name, shown) in enumerate(zip(KEYS, cell, strict=True)):
        leaves = {row[a] for row in file}
        under = sum(shown in ways(name, leaf) for leaf in leaves)
        found += max(under - 1, 0) / (len(leaves) - 1) if len(leaves) > 1 else 0.0
    return found


@QUIET
@given(both=populations(), k=st.integers(1, 8))
def test_no_local_recoding_for_k_map_alone_loses_less(both, k):
    people, file = both
    survey = ds.read(table(file), keys=KEYS)
    everything = len(file)
    masked = made(
        lambda: ds.recode(
            survey, HIERARCHIES, ds.KMap(k, pa.table(table(people))), max_suppressed=everything
        )
    )
    assert masked is not None
    assert masked.loss == pytest.approx(least_loss(people, file, k))
    assert masked.bound == pytest.approx(masked.loss)


@QUIET
@given(
    both=populations(),
    k=st.integers(1, 8),
    also=st.sampled_from([None, 2, 3]),
    most=st.sampled_from([None, 2]),
    search=st.sampled_from(["quick", "default"]),
)
def test_cells_are_blanked_until_enough_people_stand_behind_them(both, k, also, most, search):
    people, file = both
    survey = ds.read(table(file), keys=KEYS)
    criterion = [ds.KMap(k, pa.table(table(people))), *([ds.KAnonymity(also)] if also else [])]
    masked = made(lambda: ds.suppress_cells(survey, criterion, search=search, max_blanks=most))
    if masked is None:
        assert most is not None or len(people) < k or len(file) < (also or 1)
        return
    cells = released(masked)
    assert all(sum(covers(one, person) for person in people) >= k for one in cells)
    assert all(cells.count(one) >= (also or 1) for one in cells)
    assert all(one.count(None) <= (most or 3) for one in cells)
    assert ds.check(masked, criterion)
    if also is None:  # record by record, all sets of keys tried
        fewest = [
            min(
                len(some) for size in range(4) for some in itertools.combinations(range(3), size)
                 if size <= (most or 3) and sum(
                    covers(tuple(None if a in some else v for a, v in enumerate(row)), person)
                    for person in people) >= k)
            for row in file
        ]  # fmt: skip
        assert sum(masked.changes.values()) == sum(fewest) == masked.bound


@QUIET
@given(
    both=populations(),
    low=st.sampled_from([0.0, 0.05, 0.2]),
    high=st.sampled_from([0.2, 0.5, 0.8]),
    also=st.sampled_from([None, 2]),
    method=st.sampled_from(["local", "mondrian", None]),
)
def test_everybody_is_in_the_file_with_a_share_between_two(both, low, high, also, method):
    people, file = both
    survey = ds.read(table(file), keys=KEYS)
    register = pa.table(table(people))
    criterion = [
        ds.DeltaPresence(low, high, register),
        *([ds.KAnonymity(also)] if also else []),
    ]
    if method is None:
        masked = made(lambda: ds.suppress_cells(survey, criterion))
    else:
        masked = made(lambda: ds.recode(survey, HIERARCHIES, criterion, method=method))
    if masked is None:
        return
    cells = released(masked)
    for person in people:
        share = presence(cells, person, people)
        assert low - 1e-9 <= share <= high + 1e-9
        assert sum(covers(one, person) for one in set(cells)) <= 1
    assert ds.check(masked, criterion)
    best = made(lambda: ds.generalize(survey, HIERARCHIES, criterion, max_suppressed=0).best)
    if method == "local" and best is not None:
        assert masked.loss <= best.loss + 1e-12


@QUIET
@given(both=populations(), seed=st.integers(0, 3))
def test_the_population_of_the_file_itself_asks_for_source_counts(both, seed):
    """Behind a cell are then the records that it covers: k of them, by the reading of a source."""
    _, file = both
    assume(len(file) >= 3)
    survey = ds.read(table(file), keys=KEYS)
    masked = ds.suppress_cells(survey, ds.KMap(3, pa.table(table(file))), seed=seed)
    assert ds.readings(survey, masked).least("source") >= 3
