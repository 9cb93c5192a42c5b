"""What a protecting verb hands out was checked afresh: each search and masking is broken on purpose here,
and nothing comes out but an internal error.
"""

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import InternalError
from discreet.frequency.classes import PeopleBehind
from discreet.kernels.lattice import pairwise, sweep
from discreet.masking import aggregation, found, protect_records
from discreet.masking import microaggregate as microaggregating
from discreet.masking.generalization import nodes
from discreet.masking.generalization import search as searching
from discreet.masking.generalization.figures import Swept
from discreet.masking.generalization.recount import Recount
from discreet.masking.generalization.task import CodedPopulation
from discreet.masking.local_suppression import Blanked

AGES = [21, 22, 23, 24, 31, 32, 33, 34, 41, 42, 43, 71]
SEX = list("MMFFMMFFMMFF")
ILLNESS = ["flu", "flu", "flu", "asthma"] * 3
HIERARCHIES = {"age": ds.Hierarchy.intervals([10, 50]), "sex": ds.Hierarchy.suppress()}


@pytest.fixture
def survey():
    table = {"age": AGES, "sex": SEX, "illness": ILLNESS, "income": [float(v) for v in AGES]}
    return ds.read(table, keys=["age", "sex"], confidential=["illness"])


def search(data, criterion, **options):
    return ds.generalize(data, HIERARCHIES, criterion, **{"max_suppressed": 2, **options})


def assert_refused(verb):
    with pytest.raises(InternalError) as caught:
        verb()
    assert caught.value.code == "I01"
    assert "Nothing was returned" in str(caught.value)
    return str(caught.value)


# -- the search is broken ------------------------------------------------------------------------


@pytest.mark.parametrize("suppression", ["failing", "k-only"])
def test_a_sweep_that_overlooks_small_classes_is_found_out(survey, monkeypatch, suppression):
    none = property(lambda self: np.zeros(self.sweeps.task.lattice.nodes, np.int64))
    monkeypatch.setattr(Swept, "suppressed", none)
    said = assert_refused(lambda: search(survey, ds.KAnonymity(3), suppression=suppression))
    assert "0 suppressed records were expected" in said


def test_a_sweep_that_holds_every_node_to_be_feasible_is_found_out(survey, monkeypatch):
    every = property(lambda self: np.ones(self.sweeps.task.lattice.nodes, np.bool_))
    monkeypatch.setattr(Swept, "feasible", every)
    said = assert_refused(lambda: search(survey, ds.KAnonymity(3), search="samarati"))
    assert "12 records would go, 2 may" in said


def test_two_way_tables_that_stop_too_early_are_found_out(survey, monkeypatch):
    bottom = pairwise.Best((0, 0), 0.0, 1)
    monkeypatch.setattr(pairwise, "best_without_suppression", lambda *_: bottom)
    assert_refused(lambda: search(survey, ds.KAnonymity(3), max_suppressed=0))


@pytest.mark.parametrize(
    "criterion",
    [
        ds.LDiversity(2, "entropy"),
        ds.LDiversity(2, "recursive", c=2),
        ds.TCloseness(0.1),
        ds.TCloseness(0.1, "ordered"),
        [ds.PSensitiveKAnonymity(2, 3), ds.TCloseness(0.2)],
    ],
    ids=lambda c: type(c).__name__,
)
@pytest.mark.parametrize("name", ["optimal", "all-minimal", "samarati"])
@pytest.mark.parametrize("suppression", ["failing", "k-only"])
def test_a_count_that_overlooks_what_fails_is_found_out(
    survey, monkeypatch, criterion, name, suppression
):
    def nothing_fails(_, __, size, *___):
        return np.zeros(len(size), np.bool_), np.zeros(len(size), np.bool_)

    monkeypatch.setattr(nodes.NodeCounter, "_failing", nothing_fails)
    assert_refused(lambda: search(survey, criterion, search=name, suppression=suppression))


def test_people_that_are_not_there_are_found_out(survey, monkeypatch):
    counted = nodes.NodeCounter._people

    def crowded(self, *given):
        found = counted(self, *given)
        return {one: PeopleBehind(p.size + 1000, p.count_vacant) for one, p in found.items()}

    monkeypatch.setattr(nodes.NodeCounter, "_people", crowded)
    assert_refused(lambda: search(survey, ds.KMap(3, survey), search="bounded"))


def test_people_that_are_not_there_in_a_sweep_are_found_out(survey, monkeypatch):
    table = CodedPopulation.beside

    def crowded(self, *given):
        *others, people = table(self, *given)
        return *others, people + 1000

    monkeypatch.setattr(CodedPopulation, "beside", crowded)
    assert_refused(lambda: search(survey, ds.KMap(3, survey)))


def test_an_average_that_is_overlooked_is_found_out(survey, monkeypatch):
    nobody = lambda _, __, classes, *___: np.zeros(len(classes.size), np.bool_)  # noqa: E731
    monkeypatch.setattr(nodes.NodeCounter, "_to_go", nobody)
    none = lambda _, classes, *__: np.zeros_like(classes)  # noqa: E731
    monkeypatch.setattr(ds.AverageRisk, "to_go_by_size", none)
    assert_refused(lambda: search(survey, ds.AverageRisk(0.05)))


def test_a_limit_of_the_risk_that_is_overlooked_is_found_out(survey, monkeypatch):
    monkeypatch.setattr(nodes.NodeCounter, "_over_limits", lambda *_: 0.0)
    nobody = lambda sizes, *_: np.zeros(len(sizes), np.bool_)  # noqa: E731
    monkeypatch.setattr(nodes, "fewest_for_all", nobody)
    for suppression in ("failing", "k-only"):
        said = assert_refused(
            lambda: search(survey, ds.DisclosureRiskAtMost(0.3), suppression=suppression)  # noqa: B023
        )
        assert "disclosure risk of at most 0.3" in said


def test_every_minimal_node_is_checked_and_not_the_best_alone(survey, monkeypatch):
    bad = lambda _: (0, 5)  # noqa: E731  (the second one is the top)
    monkeypatch.setattr(searching, "all_minimal", bad)
    monkeypatch.setattr(searching.Search, "_best_of", lambda *_: 5)
    result = search(survey, ds.KAnonymity(3), search="all-minimal")
    assert result.best.feasible
    assert "not feasible" in assert_refused(lambda: result.minimal)
    assert_refused(result.to_dict)
    assert_refused(result.table)


def test_a_search_of_a_large_lattice_that_errs_is_found_out(survey, monkeypatch):
    monkeypatch.setattr(searching, "MAX_SWEPT", 1)
    monkeypatch.setattr(searching.Bounded, "run", lambda self: setattr(self, "best", 0) or True)
    assert_refused(lambda: search(survey, ds.KAnonymity(3)))


def test_a_kernel_that_miscounts_classes_is_found_out(survey, monkeypatch):
    whole = sweep.Sweep.kept_classes
    monkeypatch.setattr(sweep.Sweep, "kept_classes", lambda self, k, p=1: whole(self, k, p) + 1)
    assert "classes were expected" in assert_refused(lambda: search(survey, ds.KAnonymity(3)))


# -- the masking is broken -----------------------------------------------------------------------


def test_records_that_should_be_suppressed_and_are_not_are_found_out(survey, monkeypatch):
    result = search(survey, ds.KAnonymity(2), max_suppressed=4)
    assert result.best.suppressed
    nothing = pa.table({"age": pa.array([], pa.string()), "sex": pa.array([], pa.string())})
    monkeypatch.setattr(found, "_suppressed_combinations", lambda *_: nothing)
    assert "records are there" in assert_refused(result.best.mask)


def test_keys_that_should_be_recoded_and_are_not_are_found_out(survey, monkeypatch):
    result = search(survey, ds.KAnonymity(3), max_suppressed=0)
    assert any(result.best.levels.values())
    monkeypatch.setattr(found.engine, "recoded", lambda source, _: source)
    assert_refused(result.best.mask)


def test_a_limit_is_measured_on_the_masked_records_too(survey, monkeypatch):
    result = search(survey, ds.DisclosureRiskAtMost(0.4), max_suppressed=0)
    monkeypatch.setattr(found.engine, "recoded", lambda source, _: source)
    assert "disclosure risk of at most 0.4" in assert_refused(result.best.mask)


def test_groups_of_similar_records_that_are_too_small_are_found_out(survey, monkeypatch):
    alone = lambda columns, *_: np.arange(len(columns[0].values))  # noqa: E731
    monkeypatch.setattr(microaggregating, "groups_of", alone)
    said = assert_refused(lambda: ds.microaggregate(survey, ["age", "income"], k=3))
    assert "12 records in groups of fewer than 3" in said


@pytest.mark.parametrize("method", ["fixed", "individual", "optimal-univariate"])
def test_groups_of_one_column_that_are_too_small_are_found_out(survey, monkeypatch, method):
    monkeypatch.setattr(aggregation, "_univariate", lambda values, _: np.arange(len(values)))
    assert_refused(lambda: ds.microaggregate(survey, ["age", "income"], k=3, method=method))


def test_groups_are_looked_at_within_their_stratum(survey, monkeypatch):
    """Pairs of one man and one woman: two records share a value, but not in their stratum."""
    pairs = lambda columns, *_: np.arange(len(columns[0].values)) % 6  # noqa: E731
    monkeypatch.setattr(microaggregating, "groups_of", pairs)
    assert ds.microaggregate(survey, ["income"], k=2).n == 12
    assert_refused(lambda: ds.microaggregate(survey, ["income"], k=2, by=["sex"]))


@pytest.mark.parametrize("method", ["suppress", "microaggregate"])
def test_records_that_stay_above_the_limit_of_their_risk_are_found_out(survey, monkeypatch, method):
    risk = ds.record_risk(survey, {"age": 0.5, "sex": 0.5}, {"illness": 1.0})
    limit = 50.0
    assert risk.above(limit).count == 12
    nobody = np.array([], dtype=int)
    monkeypatch.setattr(protect_records, "suppressed", lambda *_: Blanked({}, 0, nobody))
    monkeypatch.setattr(
        protect_records, "aggregated", lambda data, *_: (data.source, {}, 0, nobody)
    )
    said = assert_refused(lambda: ds.protect_records(survey, risk, at_most=limit, method=method))
    assert "above a risk of" in said


# -- nodes that are chosen by hand ---------------------------------------------------------------


def test_a_node_says_whether_it_is_feasible(survey):
    result = search(survey, ds.KAnonymity(3))
    bottom, best = result.lattice.node({}), result.lattice.node(result.best.levels)
    assert (bottom.feasible, best.feasible) == (False, True)
    assert repr(bottom).endswith(", not feasible)")
    assert "Not feasible: 2 records may be suppressed." in bottom.explain()
    assert bottom.to_dict()["feasible"] is False
    masked = bottom.mask()  # what is left is 3-anonymous, though too much goes
    assert masked.n == 0
    assert masked.steps[-1].parameters["feasible"] is False
    assert "feasible" not in best.mask().steps[-1].parameters


def test_a_node_where_the_criterion_does_not_hold_is_not_masked():
    data = ds.read({"a": [1, 2, 3]}, keys=["a"])
    options = {"max_suppressed": 0, "suppression": "k-only"}
    one = {"a": ds.Hierarchy.suppress()}
    result = ds.generalize(data, one, ds.DisclosureRiskAtMost(0.4), **options)
    assert result.best.levels == {"a": 1}
    bottom = result.lattice.node({"a": 0})
    assert not bottom.feasible
    assert "what is left does not satisfy" in bottom.explain()
    with pytest.raises(ds.DiscreetError, match=r"InvalidData\[D34\]"):
        bottom.mask()


def test_suppressing_small_classes_only_does_not_overlook_a_limit_of_the_risk():
    """Three unique records: the risk is 1, and a limit of 0.4 is not met by leaving them so."""
    data = ds.read({"a": [1, 2, 3]}, keys=["a"])
    limit, one = ds.DisclosureRiskAtMost(0.4), {"a": ds.Hierarchy.suppress()}
    result = ds.generalize(data, one, limit, max_suppressed=0, suppression="k-only")
    assert ds.check(result.best.mask(), limit).satisfied
    with pytest.raises(ds.DiscreetError, match=r"\[D31\]"):
        ds.generalize(
            data, one, ds.DisclosureRiskAtMost(0.3), max_suppressed=0, suppression="k-only"
        )


def test_what_was_found_is_recounted_by_all_keys_together():
    """No key alone tells its combinations apart, and a class goes: the recount says the same."""
    table = {"age": [20] * 5 + [30] * 4, "sex": list("MMMFFMMFF"), "illness": list("xyxyxxyxx")}
    data = ds.read(table, keys=["age", "sex"], confidential=["illness"])
    found = search(data, ds.PSensitiveKAnonymity(2, 2))
    assert (found.best.levels, found.best.suppressed) == ({"age": 0, "sex": 0}, 2)
    task, node = found.task, found.best
    again = Recount(task, tuple(node.levels.values()))
    assert again.broken(node.suppressed, node.classes) == []
    assert again.broken(node.suppressed + 1, node.classes) != []
    assert again.broken(node.suppressed, node.classes - 1) != []
