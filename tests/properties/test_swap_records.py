"""Record swapping: pairs of similar households exchange places, and nothing else changes."""

import collections

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import InvalidData, InvalidParameter
from discreet.kernels.record_swap import paired, race
from discreet.masking.swap_records import AreasKept


def slow_paired(partner, recipients, area, profile, keys, most):
    """Each looks through all households, by their keys."""
    found, done = list(partner), 0
    for one in recipients:
        if done == most:
            break
        others = [j for j in range(len(area)) if profile[j] == profile[one] and found[j] < 0
                  and area[j] != area[one]]  # fmt: skip
        if found[one] < 0 and others:
            best = min(others, key=lambda j: (keys[j], j))
            found[one], found[best] = best, int(one)
            done += 1
    return found


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 9)), max_size=25),
    st.randoms(use_true_random=False),
    st.integers(0, 30),
)
def test_partners_are_those_that_a_plain_search_finds(homes, rng, most):
    area, profile, keys = (np.array([h[i] for h in homes], dtype=np.int64) for i in range(3))
    recipients = np.array(rng.sample(range(len(homes)), len(homes) // 2), dtype=np.int64)
    none = np.full(len(homes), -1)
    found = paired(none, recipients, area, profile, keys * 1.0, most)
    assert found.tolist() == slow_paired(none, recipients, area, profile, keys, most)
    for one, other in enumerate(found):
        assert other < 0 or found[other] == one  # an exchange of pairs


def test_one_is_ahead_in_proportion_to_its_weight():
    rng = np.random.default_rng(1)
    first = np.array([race(rng.random(3), np.array([1.0, 2.0, 5.0])).argmin() for _ in range(8000)])
    share = np.bincount(first) / 8000
    assert share == pytest.approx([1 / 8, 2 / 8, 5 / 8], abs=0.02)


def table(n=400, seed=3):
    """Households of one to four people, in two regions of four towns each."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, n)
    home = np.repeat(np.arange(n), size)
    town = rng.integers(0, 8, n)
    people = len(home)
    return pa.table(
        {
            "rec": rng.permutation(people),
            "hid": home,
            "region": (town // 4)[home],
            "town": town[home],
            "north": (town * 1.5)[home],
            "tenure": rng.choice(["own", "rent"], n)[home],
            "age": rng.integers(0, 9, people) * 10,
            "job": rng.choice(["a", "b", "c", "d"], people, p=[0.6, 0.3, 0.08, 0.02]),
        }
    )


TABLE = table()
READ = {"keys": ["age", "job"], "record_id": "rec", "household": "hid",
        "types": {"age": "nominal", "town": "nominal", "region": "nominal"}}  # fmt: skip


@pytest.fixture(scope="module")
def survey():
    return ds.read(TABLE, **READ)


def swapped(survey, **more):
    given = {"geography": ["region", "town"], "k": 3, "rate": 0, "seed": 1, "carry": ["north"]}
    return ds.swap_records(survey, **{**given, **more})


def homes(masked):
    """Where each household lives; the identifiers are in the input, in the same order."""
    found = masked.to("pandas")
    found["hid"] = TABLE["hid"].to_pylist()
    return {h: set(zip(g["region"], g["town"], g["north"], strict=True)) for h, g in found.groupby("hid")}  # fmt: skip


def test_only_geography_moves_and_with_it_what_is_carried(survey):
    masked = swapped(survey)
    before, after = (data.to("arrow") for data in (survey, masked))
    for name in ("age", "job", "tenure"):
        assert before[name].equals(after[name])
    assert not before["town"].equals(after["town"])
    assert after["north"].to_pylist() == [1.5 * t for t in after["town"].to_pylist()]
    assert after["region"].to_pylist() == [t // 4 for t in after["town"].to_pylist()]
    assert all(len(places) == 1 for places in homes(masked).values())
    assert masked.perturbed == {"region", "town", "north"}


@pytest.mark.parametrize("similar", [None, [["tenure"]], [["tenure"], []]])
def test_every_area_keeps_its_number_of_similar_households(survey, similar):
    masked = swapped(survey, similar=similar)
    tables = []
    for data in (survey, masked):
        rows = data.to("pandas")
        rows["hid"] = TABLE["hid"].to_pylist()
        one = rows.groupby("hid").agg(town=("town", "first"), size=("town", "size"), tenure=("tenure", "first"))  # fmt: skip
        by = ["town", "size", *(["tenure"] if similar == [["tenure"]] else [])]
        tables.append(collections.Counter(one[by].itertuples(index=False, name=None)))
    assert tables[0] == tables[1]


def test_every_household_that_stands_out_is_swapped_or_counted(survey):
    masked = swapped(survey, similar=[["tenure"]])
    rows = survey.to("pandas")
    rows["hid"] = TABLE["hid"].to_pylist()
    risky = set()
    for level in (["region"], ["region", "town"]):
        size = rows.groupby([*level, "age", "job"])["town"].transform("size")
        risky |= set(rows["hid"][size < 3])
    before = homes(survey)
    moved = {h for h, place in homes(masked).items() if place != before[h]}
    assert masked.outcome.risky == len(risky)
    assert len(risky - moved) == masked.outcome.without_partner
    assert masked.outcome.swapped == len(moved)
    assert masked.outcome.households == 400


def test_where_nobody_stands_out_nobody_moves_unless_a_rate_is_asked_for(survey):
    same = swapped(survey.with_roles(keys=["tenure"], household="hid", record_id="rec"), k=2)
    assert same.outcome.swapped == 0
    some = swapped(survey, keys=["tenure"], k=2, rate=0.1)
    assert 40 <= some.outcome.swapped <= 41
    assert some.outcome.risky == 0


def test_without_households_every_record_is_one():
    data = ds.read(TABLE, **{**READ, "household": None})
    masked = ds.swap_records(data, ["town"], k=3, seed=1)
    assert masked.outcome.households == TABLE.num_rows


def test_what_cannot_be_swapped_is_refused(survey):
    with pytest.raises(
        InvalidData, match=r"\[D64\]: the members of [\d,]+ households differ in 'age'"
    ):
        swapped(survey, similar=[["age"]], keys=["job"])
    with pytest.raises(InvalidParameter) as caught:
        ds.swap_records(survey, ["town", "twon"], keys=[], k=1, carry=["hid"], rate=2)
    assert sorted({p.code for p in caught.value.problems}) == [
        "P04",
        "P07",
        "P10",
        "P15",
        "R01",
        "R04",
    ]
    with pytest.raises(ds.DiscreetError, match="is moved, and people or households are compared"):
        swapped(survey, keys=["town"])


def test_those_without_a_partner_are_told():
    alone = ds.read({"town": ["A", "A", "B"], "job": ["x", "y", "y"], "hid": [1, 1, 2]},
                    keys=["job"], household="hid")  # fmt: skip
    masked = ds.swap_records(alone, ["town"], k=2, rate=0, seed=1)
    assert masked.outcome.without_partner == 2
    assert "2 found no partner" in masked.explain()


def test_a_broken_promise_is_noticed(survey):
    masked = ds.pram(survey, ["town"], keep=0.5, seed=1)
    found = AreasKept(survey, ("region", "town"), ((),)).broken(masked)
    assert found == ["areas have other households than before", "members of a household live apart"]
    assert AreasKept(survey, ("region", "town"), ((),)).broken(swapped(survey)) == []


def test_a_share_that_is_not_reached_is_told():
    towns = {"town": ["A"] * 90 + ["B"] * 10, "job": ["x"] * 100}
    masked = ds.swap_records(ds.read(towns, keys=["job"]), ["town"], k=2, rate=0.5, seed=1)
    assert (masked.outcome.swapped, masked.outcome.lacking) == (20, 30)
    assert "At least 50 should have been" in masked.explain()
    assert "No household stands out" in masked.explain()
    assert masked.steps[-1].parameters["lacking"] == 30
