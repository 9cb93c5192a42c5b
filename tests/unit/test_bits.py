"""The share of the information in the keys that a masking loses, on one scale for all maskings."""

import math
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from tests.examples import examples

PEOPLE = {
    "sex": list("MFMMFMMFMM"),
    "zip": [
        "41076",
        "41099",
        "41099",
        "41076",
        "43102",
        "43102",
        "43102",
        "43103",
        "48202",
        "48201",
    ],
}
HIERARCHIES = {"sex": ds.Hierarchy.suppress(), "zip": ds.Hierarchy.prefixes([5, 3, 0])}


@pytest.fixture
def people():
    return ds.read(PEOPLE, keys=["sex", "zip"])


def share(initial, masked):
    return ds.information_loss(initial, masked).ebil_share


def entropy(counts):
    n = sum(counts)
    return sum(c * math.log2(n / c) for c in counts)


def generalized(data, **levels):
    found = ds.generalize(data, HIERARCHIES, ds.KAnonymity(1), max_suppressed=0)
    lattice = found.task.lattice
    at = [levels.get(key, 0) for key in data.keys]
    return found.node(next(n for n in range(lattice.nodes) if list(lattice.levels_of(n)) == at))


def test_worked_by_hand_zip_codes_cut_to_three_digits(people):
    masked = generalized(people, zip=1).mask()
    # 410: two and two; 431: three and one; 482: one and one
    lost = entropy([2, 2]) + entropy([3, 1]) + entropy([1, 1])
    whole = entropy([7, 3]) + entropy([2, 2, 3, 1, 1, 1])
    assert share(people, masked) == pytest.approx(lost / whole)


@pytest.mark.parametrize("levels", [{"sex": 1}, {"zip": 1}, {"zip": 2}, {"sex": 1, "zip": 1}])
def test_for_a_generalization_it_is_the_non_uniform_entropy(people, levels):
    masked = generalized(people, **levels).mask()
    found = ds.information_loss(people, masked)
    assert found.ebil_share == pytest.approx(found.entropy)


def test_all_is_lost_when_all_keys_are_suppressed(people):
    assert share(people, generalized(people, sex=1, zip=2).mask()) == pytest.approx(1)


def test_a_sample_of_all_loses_nothing_and_a_record_that_is_left_out_loses_its_own(people):
    assert share(people, ds.sample(people, n=10, seed=1)) == 0
    nine = ds.sample(people, n=9, seed=1)
    kept = nine.to("arrow").to_pylist()
    gone = [r for r in pa.table(PEOPLE).to_pylist() if kept.count(r) < people_with(r)]
    counts = {name: {v: PEOPLE[name].count(v) for v in PEOPLE[name]} for name in PEOPLE}
    lost = sum(math.log2(10 / counts[name][gone[0][name]]) for name in PEOPLE)
    whole = entropy(counts["sex"].values()) + entropy(counts["zip"].values())
    assert share(people, nine) == pytest.approx(lost / whole)


def people_with(record):
    rows = pa.table(PEOPLE).to_pylist()
    return rows.count(record)


def test_groups_of_two_equal_shares_lose_a_bit_of_each_value():
    ages = ds.read({"age": [1, 2, 3, 4]}, keys=["age"])
    masked = ds.microaggregate(ages, k=2, method="fixed")
    assert share(ages, masked) == pytest.approx(1 / 2)  # one of two bits


def test_bits_do_not_apply_to_a_number_whose_new_values_are_in_one_record_each():
    table = {"pay": [float(i * i) for i in range(1, 41)], "sex": list("MF") * 20}
    data = ds.read(table, keys=["sex", "pay"])
    found = ds.information_loss(data, ds.add_noise(data, ["pay"], amount=0.1, seed=1))
    assert found.ebil_share is None
    assert "of 'pay' are in one record alone" in found.not_applicable["ebil_share"]
    assert [row["ebil_share"] for row in found.by_attribute] == [None, 0.0]
    other = ds.read(table, keys=["sex"])
    both = ds.add_noise(ds.pram(other, ["sex"], seed=1), ["pay"], amount=0.1, seed=1)
    assert "pay does not apply" in ds.information_loss(other, both).explain()
    coarse = ds.information_loss(data, ds.microaggregate(data, ["pay"], k=2))
    assert coarse.ebil_share > 0.1
    ages = {"age": [20 + i % 5 for i in range(80)]}
    swapped = ds.read(ages, keys=["age"], types={"age": "continuous"})
    assert share(swapped, ds.rank_swap(swapped, ["age"], window=0.5, seed=1)) > 0.1


def test_what_is_left_of_a_changed_number_is_never_as_it_was():
    from discreet.reports.cost import left_of

    data = ds.read({"pay": [float(i * i) for i in range(1, 41)]}, keys=["pay"])
    for masked, light in ((ds.add_noise(data, ["pay"], seed=1), "unknown"),
                          (ds.sample(data, fraction=1.0, seed=1), "good")):  # fmt: skip
        facts = SimpleNamespace(loss=ds.information_loss(data, masked), names={"pay": "pay"})
        (row,) = left_of(facts)
        assert (row["light"], row["words"] == "as it was") == (light, light == "good")


def test_a_constant_key_has_nothing_to_lose_and_so_no_share_of_it():
    data = ds.read({"a": [1, 1, 1]}, keys=["a"])
    found = ds.information_loss(data, ds.sample(data, n=1, seed=1))
    assert found.ebil_share is None
    assert "nothing to lose" in found.not_applicable["ebil_share"]
    assert share(data, ds.sample(data, n=3, seed=1)) == 0


def test_a_file_masked_elsewhere_has_it_too():
    initial = ds.read({"rec": [1, 2, 3, 4], "a": [1, 2, 3, None]}, keys=["a"], record_id="rec")
    masked = ds.read({"rec": [4, 2, 1], "a": ["x", "x", "y"]}, keys=["a"], record_id="rec")
    found = ds.information_loss(initial, masked, on="rec")
    assert found.ebil_share == pytest.approx(
        (2 + 1 + 1) / 8
    )  # record 3 gone; 2 and 4 not told apart


cells = st.sampled_from(["a", "b", "c", "d", None])


@examples(20)
@given(st.lists(st.tuples(cells, cells), min_size=2, max_size=15), st.integers(1, 15), st.data())
def test_it_lies_between_0_and_1_and_never_falls_when_values_are_merged(rows, size, data):
    initial = ds.read(
        {n: pa.array([r[i] for r in rows], pa.string()) for i, n in enumerate("xy")},
        keys=["x", "y"],
    )
    sampled = ds.sample(initial, n=min(size, len(rows)), seed=data.draw(st.integers(0, 9)))
    if len(set(rows)) == 1:
        return  # nothing to lose
    assert share(initial, sampled) >= -1e-12
    star = {n: ds.Hierarchy.suppress() for n in "xy"}
    found = ds.generalize(sampled, star, ds.KAnonymity(1), max_suppressed=0)
    merged = found.node(data.draw(st.integers(0, found.task.lattice.nodes - 1))).mask()
    assert share(initial, sampled) - 1e-12 <= share(initial, merged) <= 1 + 1e-12
