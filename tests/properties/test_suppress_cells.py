"""Suppression of cells, on generated tables: what is released holds, by a plain count."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import DiscreetError
from tests.blank_counts import blanked, coded, fewest, four_counts, short
from tests.examples import examples

KEYS = ["a", "b", "c"]
READINGS = ["category", "target-source", "wildcard"]
CRITERIA = {
    "k": ds.KAnonymity,
    "p": lambda k: ds.PSensitiveKAnonymity(2, k),
    "distinct": lambda k: [ds.KAnonymity(k), ds.LDiversity(2)],
    "entropy": lambda k: [ds.KAnonymity(k), ds.LDiversity(2, "entropy")],
    "recursive": lambda k: [ds.KAnonymity(k), ds.LDiversity(2, "recursive", c=3)],
    "t": lambda k: [ds.KAnonymity(k), ds.TCloseness(0.5)],
    "delta": lambda k: [ds.KAnonymity(k), ds.DeltaDisclosure(1.0, "ignore")],
}


@st.composite
def tables(draw, most=40):
    n = draw(st.integers(6, most))
    values = [st.none() | st.integers(0, c) for c in (3, 2, 1)]
    made = {
        key: draw(st.lists(one, min_size=n, max_size=n))
        for key, one in zip(KEYS, values, strict=True)
    }
    made["s"] = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    made["flag"] = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    made["by"] = [i % 2 for i in range(n)]
    made["worth"] = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    made["id"] = list(range(n))
    types = {key: pa.int64() for key in made} | {"flag": pa.bool_()}
    return pa.table({key: pa.array(column, types[key]) for key, column in made.items()})


def suppressed(rows, criterion, **given):
    """The released records, or None where there is no answer and that is said."""
    data = ds.read(rows, keys=KEYS, confidential=["s"], record_id="id")
    try:
        masked = ds.suppress_cells(data, criterion, **given)
    except DiscreetError as error:
        if error.code not in ("D45", "D46"):
            raise
        return None
    after = masked.to("arrow")
    assert blanked(rows, after, KEYS) == masked.changes
    assert masked.bound <= masked.outcome.cost + 1e-9
    assert set(masked.changed) <= set(KEYS)
    return masked, after


def untouched(before, after, key, flags):
    pairs = zip(before[key].to_pylist(), after[key].to_pylist(), flags, strict=True)
    return all(x == y for x, y, stays in pairs if stays)


@given(
    tables(),
    st.integers(2, 4),
    st.sampled_from(READINGS),
    st.sampled_from(["quick", "default", "optimal"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_every_record_has_k_like_it_in_its_reading(rows, k, reading, search, by, keep, worth):
    given = {"reading": reading, "search": search, "by": ["by"] if by else ()}
    given |= {"keep": {"a": "flag"}} if keep else {}
    given |= {"record_cost": "worth"} if worth else {}
    found = suppressed(rows, ds.KAnonymity(k), **given)
    if found is None:
        assert keep or rows.num_rows < 2 * k or reading != "category"
        return
    masked, after = found
    assert short(rows, after, KEYS, k, reading, by=["by"] if by else ()) == 0
    if keep:
        assert untouched(rows, after, "a", rows["flag"].to_pylist())
    cells = sum(np.array(rows[x].is_valid()) & np.array(after[x].is_null()) for x in KEYS)
    price = np.array(rows["worth"].to_pylist()) if worth else 1
    assert masked.outcome.cost == pytest.approx(float((cells * price).sum()))


@given(tables(), st.integers(2, 3), st.sampled_from(sorted(CRITERIA)), st.booleans(), st.booleans())
def test_criteria_on_values_hold_in_classes(rows, k, name, by, keep):
    given = ({"by": ["by"]} if by else {}) | ({"keep_records": "flag"} if keep else {})
    found = suppressed(rows, CRITERIA[name](k), **given)
    if found is None:
        return
    _, after = found
    keys = [*KEYS, *(["by"] if by else [])]
    again = ds.read(after, keys=keys, confidential=["s"])
    assert ds.check(again, [c for c in np.atleast_1d(CRITERIA[name](k)) if name != "t"] or ds.KAnonymity(k)).satisfied  # fmt: skip
    assert short(rows, after, KEYS, k, by=["by"] if by else ()) == 0
    if keep:
        for key in KEYS:
            assert untouched(rows, after, key, rows["flag"].to_pylist())


@examples(12)
@given(tables(), st.integers(2, 3), st.sampled_from(READINGS), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(rows, k, reading, random):
    order = list(range(rows.num_rows))
    random.shuffle(order)
    found = []
    for one in (rows, rows.take(pa.array(order))):
        made = suppressed(one, ds.KAnonymity(k), reading=reading)
        if made is None:
            found.append(None)
        else:
            ids = one["id"].to_pylist()
            found.append(dict(zip(ids, made[1].select(KEYS).to_pylist(), strict=True)))
    assert found[0] == found[1]


SETS = [1, 2, 3, {2: 3, 3: 2}, {("a", "b"): 3}, {("a", "b"): 3, ("b", "c"): 2}, [["a"], ["b", "c"]]]


@given(tables(), st.sampled_from(SETS), st.sampled_from(READINGS), st.booleans())
def test_sets_of_keys_hold_jointly(rows, subsets, reading, by):
    from discreet.masking.cell_suppression.request import key_sets

    strata = ["by"] if by else ()
    found = suppressed(rows, ds.KAnonymity(2), subsets=subsets, reading=reading, by=strata)
    if found is None:
        return
    for some in key_sets(subsets, KEYS, 2)[0]:
        assert short(rows, found[1], list(some.keys), some.k, reading, by=strata) == 0


@examples(15)
@given(tables(), st.integers(2, 3))
def test_the_four_counts_keep_their_order(rows, k):
    """c ≤ s, t ≤ w for every record, so that the category reading holds in all others."""
    found = suppressed(rows, ds.KAnonymity(k))
    assert found is not None
    counts = four_counts(*coded(rows, found[1], KEYS))
    for weaker in ("source", "target", "wildcard"):
        assert (counts["category"] <= counts[weaker]).all()
    assert (counts["target"] <= counts["wildcard"]).all()
    assert (counts["source"] <= counts["wildcard"]).all()


@st.composite
def tiny(draw):
    n = draw(st.integers(3, 5))
    columns = {key: draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for key in "ab"}
    return pa.table(columns)


@examples(15)
@given(tiny(), st.integers(2, 3), st.sampled_from(["quick", "default", "optimal"]))
def test_no_answer_is_better_than_the_best_of_all(rows, k, search):
    """All answers are tried: none costs less than a bound that is about all of them, and ours never
    less than the best."""
    data = ds.read(rows, keys=["a", "b"])
    masked = ds.suppress_cells(data, ds.KAnonymity(k), search=search)
    best = fewest(coded(rows, rows, ["a", "b"])[0], k)
    assert masked.bound <= best + 1e-9 or masked.outcome.restriction
    assert masked.outcome.cost >= best - 1e-9
    if masked.outcome.proven and not masked.outcome.restriction:
        assert masked.outcome.cost == pytest.approx(best)
