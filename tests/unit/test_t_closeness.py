"""t-closeness: on a declared scale all steps count, those that do not occur as well."""

from fractions import Fraction

import ibis
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from tests.generalization_twin import SCALE, distance

TABLE = {"key": [1, 1, 2, 2], "s": ["a", "a", "d", "e"]}


def read(table, scale):
    return ds.read(table, keys=["key"], confidential=["s"], types={"s": list(scale)})


def test_steps_that_do_not_occur_lie_between_those_that_do():
    """On a to e the classes are (a, a) and (d, e): the mass moves 3.5 steps of 4, half of it."""
    data = read(TABLE, "abcde")
    assert not ds.check(data, ds.TCloseness(0.4374, "ordered")).satisfied
    assert ds.check(data, ds.TCloseness(0.4375, "ordered")).satisfied
    assert ds.check(read(TABLE, "ade"), ds.TCloseness(0.375, "ordered")).satisfied


def test_steps_before_the_first_and_after_the_last_value_make_the_scale_longer():
    """The same four values on eight steps: 3.5 of 7, half of it."""
    data = read(TABLE, "_abcde+-")
    assert ds.check(data, ds.TCloseness(0.25, "ordered")).satisfied
    assert not ds.check(data, ds.TCloseness(0.2499, "ordered")).satisfied


def test_a_search_measures_on_the_whole_scale_too():
    data, hierarchy = read(TABLE, "abcde"), {"key": ds.Hierarchy.suppress()}
    close = {
        t: ds.generalize(data, hierarchy, ds.TCloseness(t, "ordered"), max_suppressed=0).best.levels
        for t in (0.43, 0.4375)
    }
    assert close == {0.43: {"key": 1}, 0.4375: {"key": 0}}


def test_without_a_scale_the_values_that_occur_are_the_steps():
    data = ds.read({"key": [1, 1, 2, 2], "s": [1, 1, 40, 50]}, keys=["key"], confidential=["s"])
    assert ds.check(data, ds.TCloseness(0.375, "ordered")).satisfied


def test_the_equal_distance_does_not_know_how_long_the_scale_is():
    for scale in ("ade", "abcde", "_abcde+-"):
        assert ds.check(read(TABLE, scale), ds.TCloseness(0.5)).satisfied
        assert not ds.check(read(TABLE, scale), ds.TCloseness(0.49)).satisfied


@pytest.mark.parametrize("scale", ["ade", "abcde"])
def test_the_hierarchical_distance_counts_groups_and_not_their_leaves(scale):
    groups = {"a": ["low", "*"], "b": ["low", "*"], "c": ["low", "*"], "d": ["high", "*"], "e": ["high", "*"]}  # fmt: skip
    criterion = lambda t: ds.TCloseness(t, "hierarchical", ds.Hierarchy.from_dict(groups))  # noqa: E731
    assert ds.check(read(TABLE, scale), criterion(0.5)).satisfied
    assert not ds.check(read(TABLE, scale), criterion(0.49)).satisfied


def test_values_that_no_group_holds_together_are_as_far_as_can_be():
    """A hierarchy that ends in two groups: what is too much in one does not vanish."""
    groups = ds.Hierarchy.from_dict({"a": ["low"], "d": ["high"], "e": ["high"]})
    data = read(TABLE, "ade")
    assert not ds.check(data, ds.TCloseness(0.49, "hierarchical", groups)).satisfied
    assert ds.check(data, ds.TCloseness(0.5, "hierarchical", groups)).satisfied


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([*"pqt", None])), min_size=1, max_size=12
    ),
    st.sampled_from(["equal", "ordered"]),
    st.integers(0, 20),
)
def test_every_class_is_as_far_as_its_twin_says(rows, kind, twentieths):
    table = {"key": [k for k, _ in rows], "s": [s for _, s in rows]}
    data = ds.read(table, keys=["key"], confidential=["s"], types={"s": list(SCALE)})
    by_class = [[s for k, s in rows if k == key] for key in {k for k, _ in rows}]
    far = [distance(values, table["s"], kind, "s") for values in by_class]
    found = ds.check(data, ds.TCloseness(twentieths / 20, kind))
    assert found.violating_classes == sum(one > Fraction(twentieths, 20) for one in far)


@pytest.mark.parametrize(("distance", "limit"), [("equal", 0.5), ("ordered", 0.4375)])
def test_an_engine_of_its_own_measures_the_same_distance(distance, limit):
    """Sums over the values will do for the equal distance, and for that one alone."""
    connection = ibis.duckdb.connect()
    connection.con.register("t", pa.table(TABLE))
    data = read(connection.table("t"), "abcde")
    assert ds.check(data, ds.TCloseness(limit, distance)).satisfied
    found = ds.check(data, ds.TCloseness(limit - 1e-4, distance))
    assert (found.violating_classes, found.violating_records) == (2, 4)
