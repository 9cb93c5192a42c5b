"""β-likeness and δ-disclosure privacy: limits that are just met, missing values, far engines."""

import ibis
import pyarrow as pa
import pytest

import discreet as ds
from discreet.plan.criteria import criteria_in, written
from discreet.registry import criteria

TABLE = {"key": [1, 1, 1, 2, 2, 2], "s": ["flu", "flu", "HIV", "flu", "flu", "flu"]}
CRITERIA = [
    ds.BetaLikeness(0.9),
    ds.BetaLikeness(0.3, "enhanced"),
    ds.DeltaDisclosure(1.0, "ignore"),
    ds.DeltaDisclosure(1.1),
]


def read(table, **more):
    return ds.read(table, keys=["key"], confidential=["s"], **more)


def test_a_gain_of_exactly_beta_satisfies_and_a_ratio_of_exactly_delta_does_not():
    """HIV has 1/6 of the file and 1/3 of a class: a gain of 1, one doubling."""
    assert ds.check(read(TABLE), ds.BetaLikeness(1))
    assert not ds.check(read(TABLE), ds.BetaLikeness(0.999))
    assert not ds.check(read(TABLE), ds.DeltaDisclosure(1, "ignore"))
    assert ds.check(read(TABLE), ds.DeltaDisclosure(1.001, "ignore"))


def test_a_ratio_without_a_limit_asks_for_all_values_and_nothing_else():
    data = ds.read({"a": [1, 1, 2], "s": list("xyx")}, keys=["a"], confidential=["s"])
    for delta in (1e3, 1e9):
        assert ds.check(data, ds.DeltaDisclosure(delta)).violating_records == 1
        assert ds.check(data, ds.DeltaDisclosure(delta, "ignore"))


def test_a_frequent_value_may_gain_less_by_the_enhanced_kind():
    """Flu has 5/6 of the file: −ln 5/6 = 0.182, and the second class gains 0.2."""
    found = ds.check(read(TABLE), ds.BetaLikeness(1, "enhanced"))
    assert found.violating_records == 3
    assert ds.check(read(TABLE), ds.BetaLikeness(0.25)).violating_records == 3  # the other class


def test_a_value_that_all_records_have_gains_nothing():
    data = read({"key": [1, 2], "s": ["flu", "flu"]})
    for criterion in (ds.BetaLikeness(1e-9, "enhanced"), ds.DeltaDisclosure(1e-9)):
        assert ds.check(data, criterion)


def test_a_missing_value_is_one_of_the_values():
    data = read({"key": [1, 1, 2, 2], "s": ["flu", None, "flu", "flu"]})
    assert ds.check(data, ds.DeltaDisclosure(1.1)).violating_records == 2
    assert not ds.check(data, ds.BetaLikeness(0.9))


def test_a_masked_file_is_compared_with_its_initial_file():
    data = read({"key": [1] * 4 + [2], "s": ["flu", "flu", "HIV", "HIV", "flu"]})
    found = ds.generalize(
        data, {"key": ds.Hierarchy.suppress()}, ds.BetaLikeness(0.3), max_suppressed=1
    )
    masked = found.lattice.node({"key": 0}).mask()
    assert masked.n == 4
    assert not ds.check(masked, ds.DeltaDisclosure(0.2))  # 1/2 beside 3/5, and not beside 1/2
    assert ds.check(masked, ds.DeltaDisclosure(0.4))


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: c.describe())
def test_an_engine_of_its_own_adds_up_the_same(criterion):
    connection = ibis.duckdb.connect()
    connection.con.register("t", pa.table(TABLE))
    far = read(connection.table("t"))
    here, there = (ds.check(data, criterion).to_dict() for data in (read(TABLE), far))
    assert there["by"] == here["by"]


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: c.describe())
def test_a_plan_writes_and_reads_it(criterion, tmp_path):
    assert criteria_in(written(criterion), tmp_path) == [criterion]


def test_an_option_says_it():
    assert criteria["BetaLikeness"].from_text("enhanced:4") == ds.BetaLikeness(4, "enhanced")
    assert criteria["DeltaDisclosure"].from_text("2:ignore") == ds.DeltaDisclosure(2, "ignore")


def test_words():
    assert ds.BetaLikeness(4, confidential="s").describe() == "basic 4-likeness (of 's' only)"
    words = ds.DeltaDisclosure(2, "ignore", "s").describe()
    assert words == "2-disclosure privacy (absent values ignored, of 's' only)"


def test_without_a_confidential_attribute_there_is_nothing_to_look_at():
    data = ds.read({"key": [1, 2]}, keys=["key"])
    for criterion in (ds.BetaLikeness(1), ds.DeltaDisclosure(1)):
        with pytest.raises(ds.DiscreetError, match="R06"):
            ds.check(data, criterion)


# -- values that were masked ------------------------------------------------------------------------

VALUES = {
    "a": list("yyxxzxxxxzxy"),
    "c": [2, 0, 1, 1, 1, 1, 1, 2, 0, 1, 0, 1],
    "pay": [1000, 5000, 0, 4000, 2000, 3000, 3000, 3000, 2000, 5000, 1000, 4000],
}
LIMITS = [
    ds.BetaLikeness(1.0),
    ds.BetaLikeness(1.0, "enhanced"),
    ds.DeltaDisclosure(1.5, "ignore"),
    ds.TCloseness(0.4),
]


def rounded():
    """A file, and the same after a step that changes no value."""
    types = {"pay": "continuous", "c": "nominal"}
    data = ds.read(VALUES, keys=["a", "c"], confidential=["pay"], types=types)
    return data, ds.round_values(data, ["pay"], base=1000, kind="nearest")


# recode refuses a criterion that two classes may fail together though each holds
SEARCHES = [(verb, one) for verb in ("generalize", "recode", "suppress_cells")
            for one in LIMITS if one.monotone or verb != "recode"]  # fmt: skip


@pytest.mark.parametrize(("verb", "criterion"), SEARCHES, ids=repr)
def test_a_search_after_a_step_on_the_values_finds_what_it_finds_without(verb, criterion):
    hierarchies = {"a": ds.Hierarchy.suppress(), "c": ds.Hierarchy.suppress()}

    def made(data):
        asked = [ds.KAnonymity(2), criterion]
        if verb == "suppress_cells":
            return ds.suppress_cells(data, asked)
        done = getattr(ds, verb)(data, hierarchies, asked, max_suppressed=0.8)
        return done if verb == "recode" else done.best.mask()

    plain, after = (made(data) for data in rounded())
    assert plain.to("arrow").equals(after.to("arrow"))
    assert ds.check(after, criterion)


@pytest.mark.parametrize("criterion", LIMITS, ids=repr)
def test_equal_records_are_judged_alike_whatever_was_done_before(criterion):
    plain, after = (ds.sample(data, n=5, seed=3) for data in rounded())
    later = ds.suppress_cells(after, ds.KAnonymity(1))
    judged = [ds.check(data, criterion) for data in (plain, after, later)]
    assert len({(one.satisfied, one.violating_records) for one in judged}) == 1
