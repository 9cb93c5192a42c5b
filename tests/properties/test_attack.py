"""Attacks: slow twins of the kernels, what an unmasked and an independent file give, and orders."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as ds
from discreet.kernels.attacks import (
    LABEL,
    NUMBER,
    ColumnKinds,
    MaskedPoints,
    fits_own,
    fitting,
    right_values,
    same_record,
)
from discreet.kernels.linkage import distinct_rows
from tests.examples import examples


@st.composite
def files(draw):
    """A few records with numbers, names and labels, some of them missing; many are alike."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    x = rng.integers(0, 4, (n, d)).astype(float)
    y = np.where(rng.random((n, d)) < 0.7, x, rng.integers(0, 4, (n, d)))
    for side in (x, y):
        side[rng.random((n, d)) < 0.15] = np.nan
    kinds = rng.integers(0, 3, d)
    table = (rng.random((4, 4)) < 0.5).astype(np.uint8)
    columns = ColumnKinds(kinds, np.zeros(d, np.int64), np.full(d, 4), table.ravel())
    return x, y, columns, table


def gap(x, y, kind, table):
    if math.isnan(x) or math.isnan(y):
        return 0.0
    if kind == NUMBER:
        return (x - y) ** 2
    return 1.0 - table[int(x), int(y)] if kind == LABEL else float(x != y)


def nearest(person, others, by, columns, table):
    """The places of all records that are nearest in some columns."""
    apart = {j: sum(gap(person[a], y[a], columns.kinds[a], table) for a in by)
             for j, y in others.items()}  # fmt: skip
    return {j for j, d in apart.items() if d == min(apart.values())}


@pytest.mark.parametrize("without", [False, True])
@given(files())
@settings(deadline=None)
def test_links_and_values_are_those_of_looking_at_every_record(without, case):
    x, y, columns, table = case
    rows, own = distinct_rows(y)
    points = MaskedPoints(rows, np.bincount(own, minlength=len(rows)))
    one, other, secrets = np.array([0]), np.array([1]), np.array([x.shape[1] - 1])
    linked = same_record(x, own, points, (one, other), columns, without_own=without)
    widths = np.array([1.0])
    told = right_values(x, own, points, one, (secrets, widths), columns, without_own=without)
    for i, person in enumerate(x):
        others = {j: record for j, record in enumerate(y) if not (without and j == i)}
        a, b = (nearest(person, others, by, columns, table) for by in (one, other))
        assert linked[i] == pytest.approx(len(a & b) / max(len(a) * len(b), 1))
        s = secrets[0]
        right = [j for j in a if not (math.isnan(person[s]) or math.isnan(y[j, s]))
                 and gap(person[s], y[j, s], columns.kinds[s], table) <= 1]  # fmt: skip
        assert told[i, 0] == pytest.approx(len(right) / max(len(a), 1))


def described(shown, record, columns, table, *, initial):
    for a, value in enumerate(shown):
        if math.isnan(value):
            continue
        kind = columns.kinds[a]
        if math.isnan(record[a]):
            return False
        if kind == LABEL and not initial:
            if record[a] != value:
                return False
        elif gap(record[a], value, kind, table) > (1.0 if kind == NUMBER else 0.0):
            return False
    return True


@pytest.mark.parametrize("initial", [False, True])
@given(files())
@settings(deadline=None)
def test_who_fits_a_description_is_counted_one_by_one(initial, case):
    x, y, columns, table = case
    rows, place = distinct_rows(x if initial else y)
    by = np.arange(x.shape[1])
    widths = np.where(columns.kinds == NUMBER, 1.0, 0.0)
    times = np.bincount(place, minlength=len(rows))
    found = fitting(y, rows, times, by, widths, columns, initial=initial)
    slow = [
        sum(described(shown, record, columns, table, initial=initial) for record in x)
        if initial
        else sum(described(shown, record, columns, table, initial=False) for record in y)
        for shown in y
    ]
    assert found.tolist() == [min(number, 3) for number in slow]
    own = [described(s, r, columns, table, initial=True) for s, r in zip(y, x, strict=True)]
    assert fits_own(y, x, by, widths, columns).tolist() == own


COLUMNS = ["a", "b", "c", "d"]


def population(n, seed, **more):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 2))
    names = rng.integers(0, 12, (n, 2)).astype(str)
    ill = np.where(numbers[:, 0] > 0, "yes", "no")
    columns = [numbers[:, 0], numbers[:, 1], names[:, 0], names[:, 1]]
    table = {"rec": np.arange(n), **dict(zip(COLUMNS, columns, strict=True)),
             "ill": ill, "code": rng.integers(0, 50, n).astype(str)}  # fmt: skip
    return {name: column[more["order"]] for name, column in table.items()} if more else table


def read(table, **more):
    kinds = {"a": "continuous", "b": "continuous"}
    return ds.read(table, keys=COLUMNS, confidential=["ill", "code"], types=kinds, **more)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_unmasked_file_gives_everybody_away(seed):
    survey = read(population(1500, seed), record_id="rec")
    found = ds.attack(survey, ds.sample(survey, fraction=1.0, seed=1))
    assert min(found.singling_out, found.linkability) > 0.9
    assert found.inference > 0.9
    for one in found.risks:
        assert one.low <= one.value <= one.high


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5, 6])
def test_a_file_about_other_people_gives_nobody_away(seed):
    survey, others = read(population(1500, seed)), population(1500, 100 + seed)
    found = ds.attack(survey, read(others), on="rec", attacks=700, confidence=0.999)
    for one in found.risks:  # 24 intervals of 99.9 % in all: none should miss
        assert one.low == 0.0, one
        assert one.value < 0.1
    yes = next(one for one in found.risks if one.secret == "ill")
    assert yes.successes / yes.people > 0.8  # known to everybody, file or not
    assert yes.control_successes / yes.control > 0.8


def _steps():
    return {"a": ds.Hierarchy.intervals([0.5, 1, 2]), "b": ds.Hierarchy.intervals([0.5, 1, 2]),
            "c": ds.Hierarchy.suppress(), "d": ds.Hierarchy.suppress()}  # fmt: skip


def test_what_a_label_stands_for_is_known():
    survey = read(population(800, 4), record_id="rec")
    steps = _steps()
    masked = ds.generalize(survey, steps, ds.KAnonymity(4), max_suppressed=0.02).best.mask()
    found = ds.attack(survey, masked)
    assert (found.singling_out, found.alone) == (0.0, 0)
    assert found.linkability < 0.05
    elsewhere = ds.read(masked.to("arrow").append_column("rec", _ids(masked)), keys=COLUMNS)
    again = ds.attack(survey, elsewhere, on="rec", hierarchies=steps)
    assert again.to_dict()["risks"] == found.to_dict()["risks"]


def _ids(masked):
    from discreet import engine

    at = masked.source.at("rec")
    order = engine.records(masked.source, at, ["rec"], masked.source.row)
    return order["rec"]


@given(st.randoms(use_true_random=False))
@examples(5)
def test_neither_the_order_of_the_records_nor_their_ids_matter(random):
    order = list(range(300))
    random.shuffle(order)
    found = []
    for table in (population(300, 1), population(300, 1, order=np.array(order))):
        for ids in ({"record_id": "rec"}, {}):
            survey = read(table, **ids)
            masked = ds.microaggregate(survey, ["a", "b"], k=3)
            labelled = ds.recode(survey, _steps(), ds.KAnonymity(2), method="mondrian")
            files = [ds.attack(survey, one, attacks=100, seed=5) for one in (masked, labelled)]
            found.append([one.to_dict()["risks"] for one in files])
    assert all(one == found[0] for one in found)
    assert ds.attack(survey, masked, attacks=100, seed=6).to_dict()["risks"] != found[0][0]
