"""Lemmas of special uniques, on generated files, beside brute force."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from tests.minimal_uniques_twin import minimal_uniques_twin


@st.composite
def files(draw, most=12):
    width = draw(st.integers(1, 5))
    values = st.tuples(*[st.integers(0, draw(st.integers(1, 3))) for _ in range(width)])
    return draw(st.lists(values, min_size=1, max_size=most))


def suda(rows, order=None, **given):
    width = len(rows[0])
    table = {f"k{a}": [row[a] for row in rows] for a in range(width)}
    keys = [f"k{a}" for a in (order if order is not None else range(width))]
    return ds.suda(ds.read(table, keys=keys), **given)


def worth(score, keys, size):
    if score == "original":
        return Fraction(math.factorial(keys - size))
    return Fraction(2 ** (keys - size) - 1, math.comb(keys, size))


@given(files(), st.sampled_from(["original", "alternative"]), st.sampled_from([None, 1, 2, 3]))
def test_scores_and_contributions_are_those_of_brute_force(rows, score, size):
    found, sets = suda(rows, score=score, max_size=size), minimal_uniques_twin(rows, size)
    keys = len(rows[0])
    for i, mine in enumerate(sets):
        total = sum((worth(score, keys, len(s)) for s in mine), Fraction(0))
        assert found.scores[i] == pytest.approx(float(total), rel=1e-14)
        for a in range(keys):
            part = sum((worth(score, keys, len(s)) for s in mine if a in s), Fraction(0))
            expected = float(part / total) if total else 0.0
            assert found.contributions[i, a] == pytest.approx(expected, rel=1e-14)
    listed = {tuple(f"k{a}" for a in s) for mine in sets for s in mine}
    assert set(found.minimal_uniques) == listed
    assert sum(found.minimal_uniques.values()) == sum(map(len, sets))


@given(files())
def test_who_is_alone_has_a_minimal_unique_and_nobody_else(rows):
    found = suda(rows)
    assert [s > 0 for s in found.scores] == [rows.count(row) == 1 for row in rows]
    assert found.scored == found.uniques == ds.risk(found._found.data).uniques


@given(files(most=8), st.data())
def test_the_minimal_uniques_of_a_record_form_an_antichain(rows, data):
    """All others are there twice, so that every set that is listed is of the one record."""
    lone = data.draw(st.tuples(*[st.integers(0, 3)] * len(rows[0])))
    others = [row for row in rows if row != lone]
    found = suda([lone, *others, *others])
    sets = [frozenset(one) for one in found.minimal_uniques]
    assert sets
    assert set(found.minimal_uniques.values()) == {1}
    assert not any(one < other for one in sets for other in sets)


@given(files(), st.randoms(use_true_random=False))
def test_neither_the_order_of_records_nor_of_keys_matters(rows, random):
    places, keys = list(range(len(rows))), list(range(len(rows[0])))
    random.shuffle(places)
    random.shuffle(keys)
    found, turned = suda(rows), suda([rows[i] for i in places], keys)
    assert turned.scores.tolist() == [found.scores[i] for i in places]
    assert turned.dis.tolist() == [found.dis[i] for i in places]
    for a in keys:
        expected = found.contributions[places, a]
        assert turned.contributions[f"k{a}"].tolist() == expected.tolist()
    assert {frozenset(s): n for s, n in turned.minimal_uniques.items()} == {
        frozenset(s): n for s, n in found.minimal_uniques.items()
    }


@given(files(), st.data())
def test_a_double_takes_the_score_of_a_record_away(rows, data):
    at = data.draw(st.integers(0, len(rows) - 1))
    found = suda([*rows, rows[at]])
    assert found.scores[at] == found.scores[-1] == found.dis[at] == 0


@given(files(), st.floats(0.001, 0.999))
def test_a_higher_score_never_has_a_lower_dis(rows, fraction):
    found = suda(rows, fraction=fraction)
    pairs = sorted(zip(found.scores.tolist(), found.dis.tolist(), strict=True))
    assert all(0 <= dis <= 1 for _, dis in pairs)
    assert [dis for _, dis in pairs] == sorted(dis for _, dis in pairs)
