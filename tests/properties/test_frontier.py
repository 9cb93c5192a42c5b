"""The frontier of an R-U map, and the best point under a limit, against their definitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidData, Problem
from discreet.results import Provenance
from discreet.rumap.point import Point
from discreet.rumap.result import RUMap

figures = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 1.0]) | st.floats(0, 1)
failure = Problem("D31", "no node satisfies it.", "Lower k.")


def mapped(pairs):
    points = [
        Point(f"m{i}", "mdav", {}, problem=failure)
        if pair is None
        else Point(f"m{i}", "mdav", {}, *pair, records=1)
        for i, pair in enumerate(pairs)
    ]
    computed_from = Provenance("t", 1, ("a",), (), "category", "none", kind="arrow")
    start = Point("unmasked", "unmasked", {}, 1.0, 0.0)
    return RUMap(tuple(points), start, ("r", "risk"), ("l", "loss"), computed_from)


maps = st.lists(st.none() | st.tuples(figures, figures), min_size=1, max_size=12).map(mapped)


def beats(one, other):
    (risk, loss), (its_risk, its_loss) = one.place, other.place
    return risk <= its_risk and loss <= its_loss and (risk, loss) != (its_risk, its_loss)


@given(maps)
def test_a_point_is_on_the_frontier_exactly_when_no_other_one_beats_it(found):
    known = [p for p in found.points if not p.failed]
    expected = {p.label for p in known if not any(beats(q, p) for q in known)}
    assert {p.label for p in found.frontier} == expected


@given(maps)
def test_along_the_frontier_risk_rises_and_loss_falls(found):
    risks, losses = (
        zip(*(p.place for p in found.frontier), strict=True) if found.frontier else ((), ())
    )
    assert list(risks) == sorted(risks)
    assert list(losses) == sorted(losses, reverse=True)


@given(maps, st.randoms())
def test_the_frontier_does_not_depend_on_the_order_of_the_maskings(found, random):
    points = list(found.points)
    random.shuffle(points)
    other = RUMap(tuple(points), found.unmasked, found.risk, found.loss, found.provenance)
    assert {p.label for p in other.frontier} == {p.label for p in found.frontier}
    assert set(map(frozenset, other.ties)) == set(map(frozenset, found.ties))


@given(maps, figures)
def test_the_best_point_has_the_least_loss_of_those_within_the_limit(found, limit):
    fit = [p for p in found.points if not p.failed and p.risk <= limit + 1e-12]
    if not fit:
        with pytest.raises(InvalidData, match="D50"):
            found.best(risk_at_most=limit)
        return
    best = found.best(risk_at_most=limit)
    assert best.risk <= limit + 1e-12
    assert best.place[1] == min(p.place[1] for p in fit)


@given(maps, figures)
def test_the_best_point_is_on_the_frontier(found, limit):
    if any(not p.failed and p.risk <= limit for p in found.points):
        assert found.best(risk_at_most=limit).label in {p.label for p in found.frontier}
    if any(not p.failed and p.loss <= limit for p in found.points):
        assert found.best(loss_at_most=limit).label in {p.label for p in found.frontier}
