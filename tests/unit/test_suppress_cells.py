"""Suppression of cells: what is asked for, what is refused, and what is released."""

import time

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import DiscreetError
from tests.blank_counts import blanked, short

KEYS = ["a", "b", "c"]


def table(n=200, seed=1, blank=0.0):
    rng = np.random.default_rng(seed)
    made = {name: rng.integers(0, c, n).tolist() for name, c in (("a", 7), ("b", 4), ("c", 3))}
    made["a"] = [None if u < blank else v for u, v in zip(rng.random(n), made["a"], strict=True)]
    made["town"] = [f"t{i % 2}" for i in range(n)]
    made["flag"] = (rng.random(n) < 0.2).tolist()
    made["one"] = [int(i < 3) for i in range(n)]
    made["worth"] = rng.integers(1, 4, n).astype(float).tolist()
    made["age"] = [None if v is None else 10 * v for v in made["a"]]
    made["illness"] = rng.integers(0, 5, n).tolist()
    made["text"] = ["x"] * n
    return pa.table(made)


def survey(n=200, seed=1, blank=0.0, **more):
    return ds.read(table(n, seed, blank), keys=KEYS, confidential=["illness"], **more)


def released(data, masked):
    return data.to("arrow"), masked.to("arrow")


READINGS = ["category", "target-source", "wildcard"]
SEARCHES = ["quick", "default", "optimal"]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("blank", [0.0, 0.05])
def test_every_record_has_enough_others_like_it(reading, search, blank):
    data = survey(blank=blank)
    masked = ds.suppress_cells(data, ds.KAnonymity(3), reading=reading, search=search)
    before, after = released(data, masked)
    assert short(before, after, KEYS, 3, reading) == 0
    assert blanked(before, after, KEYS) == masked.changes
    assert masked.outcome.total == sum(masked.changes.values()) > 0
    assert masked.bound <= masked.outcome.cost + 1e-9
    for name in set(before.column_names) - set(KEYS):
        assert after[name].equals(before[name])


def test_a_file_that_holds_already_keeps_all_cells():
    data = ds.read({"a": [1, 1, 1, 2, 2, 2]}, keys=["a"])
    masked = ds.suppress_cells(data, ds.KAnonymity(3))
    assert masked.changes == {}
    assert masked.bound == 0
    assert masked.to("arrow").equals(data.to("arrow"))
    assert "No cell had to be blanked" in masked.explain()


def test_the_order_of_the_records_changes_nothing():
    rows = table()
    order = np.random.default_rng(7).permutation(len(rows))
    rows = rows.append_column("id", pa.array([f"r{i}" for i in range(len(rows))]))
    found = []
    for one in (rows, rows.take(pa.array(order))):
        data = ds.read(one, keys=KEYS, record_id="id")
        masked = ds.suppress_cells(data, ds.KAnonymity(3))
        ids = one["id"].to_pylist()
        found.append(dict(zip(ids, masked.to("arrow").select(KEYS).to_pylist(), strict=True)))
    assert found[0] == found[1]


def test_the_same_seed_blanks_the_same_cells_and_others_as_many():
    data = survey()
    one, same, other = (ds.suppress_cells(data, ds.KAnonymity(4), seed=s) for s in (1, 1, 2))
    assert one.to("arrow").equals(same.to("arrow"))
    assert one.changes == other.changes


@pytest.mark.parametrize("reading", READINGS)
def test_strata_are_protected_one_by_one(reading):
    data = survey()
    masked = ds.suppress_cells(data, ds.KAnonymity(3), by="town", reading=reading)
    before, after = released(data, masked)
    assert short(before, after, KEYS, 3, reading, by=["town"]) == 0
    alone = 0
    for town in ("t0", "t1"):
        part = before.filter(pa.compute.equal(before["town"], town))
        alone += ds.suppress_cells(ds.read(part, keys=KEYS), ds.KAnonymity(3), reading=reading).outcome.cost  # fmt: skip
    assert masked.outcome.cost == alone


def test_small_strata_are_refused_with_their_number():
    rows = table(20)
    rows = rows.append_column("region", pa.array(["x"] * 17 + ["y", "y", "z"]))
    data = ds.read(rows, keys=KEYS)
    with pytest.raises(DiscreetError, match="2 of 3 strata of 'region' have fewer than 3") as error:
        ds.suppress_cells(data, ds.KAnonymity(3), by=["region"])
    assert error.value.code == "D45"


def test_fewer_records_than_k_are_refused():
    with pytest.raises(DiscreetError, match="2 records") as error:
        ds.suppress_cells(ds.read({"a": [1, 2]}, keys=["a"]), ds.KAnonymity(3))
    assert error.value.code == "D45"


def test_dear_cells_are_blanked_last():
    data = survey()
    cheap = ds.suppress_cells(data, ds.KAnonymity(3), cost={"a": 0.01})
    dear = ds.suppress_cells(data, ds.KAnonymity(3), cost={"a": 100})
    assert cheap.changes.get("a", 0) > dear.changes.get("a", 0)
    lost = cheap.changes
    assert cheap.outcome.cost == pytest.approx(
        0.01 * lost.get("a", 0) + lost.get("b", 0) + lost.get("c", 0)
    )


def test_all_costs_times_a_constant_change_nothing():
    data = survey()
    once = ds.suppress_cells(data, ds.KAnonymity(3))
    twice = ds.suppress_cells(data, ds.KAnonymity(3), cost=dict.fromkeys(KEYS, 2))
    assert twice.changes == once.changes
    assert twice.outcome.cost == 2 * once.outcome.cost


def test_a_record_that_is_worth_more_costs_more():
    data = survey()
    masked = ds.suppress_cells(data, ds.KAnonymity(3), record_cost="worth")
    before, after = released(data, masked)
    worth = np.array(before["worth"].to_pylist())
    lost = sum(
        np.array(before[k].is_valid()) & np.array(after[k].is_null()) for k in KEYS
    )  # cells per record
    assert masked.outcome.cost == pytest.approx(float((worth * lost).sum()))
    assert short(before, after, KEYS, 3) == 0


@pytest.mark.parametrize("reading", READINGS)
def test_cells_and_records_that_must_stay_do(reading):
    data = survey(n=400)
    masked = ds.suppress_cells(
        data, ds.KAnonymity(2), reading=reading, keep={"a": "flag"}, max_blanks=2
    )
    before, after = released(data, masked)
    flags = np.array(before["flag"].to_pylist())
    for name, stay in (("a", flags),):
        x, y = before[name].to_pylist(), after[name].to_pylist()
        assert all(a == b for a, b, kept in zip(x, y, stay, strict=True) if kept)
    assert short(before, after, KEYS, 2, reading) == 0


def test_whole_records_stay():
    rows = pa.table({"a": [1, 1, 2, 3, 4, 5], "b": [1, 1, 1, 1, 1, 1], "one": [1, 1, 0, 0, 0, 0]})
    data = ds.read(rows, keys=["a", "b"])
    masked = ds.suppress_cells(data, ds.KAnonymity(2), keep_records="one")
    assert masked.to("arrow")["a"].to_pylist()[:2] == [1, 1]
    assert short(rows, masked.to("arrow"), ["a", "b"], 2) == 0


def test_what_must_stay_may_leave_no_answer():
    rows = pa.table({"a": [1, 2, 3], "stay": [True, True, True]})
    data = ds.read(rows, keys=["a"])
    with pytest.raises(DiscreetError, match="2-anonymity") as error:
        ds.suppress_cells(data, ds.KAnonymity(2), keep={"a": "stay"})
    assert error.value.code == "D46"


def test_no_record_loses_more_than_allowed():
    data = survey(n=600)
    masked = ds.suppress_cells(data, ds.KAnonymity(3), max_blanks=1)
    before, after = released(data, masked)
    lost = sum(np.array(before[k].is_valid()) & np.array(after[k].is_null()) for k in KEYS)
    assert lost.max() == 1
    assert short(before, after, KEYS, 3) == 0


def test_linked_attributes_lose_the_same_cells():
    data = survey()
    masked = ds.suppress_cells(data, ds.KAnonymity(4), linked={"a": "age"}, cost={"a": 0.1})
    after = masked.to("arrow")
    assert after["a"].null_count > 0
    assert after["age"].is_null().equals(after["a"].is_null())
    assert {"a", "age"} <= masked.changed
    assert set(masked.changes) <= set(KEYS)


CRITERIA = [
    ds.PSensitiveKAnonymity(2, 3),
    ds.LDiversity(3),
    ds.LDiversity(3, "entropy"),
    ds.LDiversity(3, "recursive", c=2),
    [ds.KAnonymity(4), ds.TCloseness(0.4)],
    ds.TCloseness(0.4, "hierarchical", hierarchy=ds.Hierarchy.suppress()),
    ds.BetaLikeness(1.0, "enhanced"),
    ds.DeltaDisclosure(2.0),
    ds.DeltaDisclosure(2.0, absent="ignore"),
    ds.AverageRisk(0.2, highest=0.5),
]


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
@pytest.mark.parametrize("by", [(), "town"])
def test_criteria_on_values_hold(criterion, by):
    data = survey(blank=0.03)
    masked = ds.suppress_cells(data, criterion, by=by)
    keys = [*KEYS, *([by] if by else [])]
    again = ds.read(masked.to("arrow"), keys=keys, confidential=["illness"])
    assert ds.check(again, criterion).satisfied
    assert masked.bound <= masked.outcome.cost + 1e-9


@pytest.mark.parametrize("search", ["quick", "default", "optimal"])
def test_two_classes_that_pass_may_fail_together(search):
    criterion = ds.DeltaDisclosure(2.0, absent="ignore")
    rng, patients = np.random.default_rng(0), ds.datasets.patients(400, 3).to_pandas()
    table = {
        "ages": patients.age // 20,
        "area": patients.zip.str[:1],
        "sex": patients.sex,
        "illness": rng.choice(list("xyzu"), 400, p=[0.4, 0.3, 0.2, 0.1]),
    }
    data = ds.read(pa.table(table), keys=["ages", "area", "sex"], confidential=["illness"])
    masked = ds.suppress_cells(data, criterion, search=search)
    assert 0 < sum(masked.changes.values()) < 80
    assert ds.check(masked, criterion).satisfied


def test_an_average_holds_in_a_file_too_large_to_search(monkeypatch):
    monkeypatch.setattr("discreet.kernels.local_recoding.search.LARGE", 3)
    for seed in (8, 19, 34):
        codes = np.random.default_rng(seed).integers(0, [6, 3], (12, 2)).T.tolist()
        data = ds.read(dict(zip("ab", codes, strict=True)), keys=["a", "b"])
        assert ds.check(ds.suppress_cells(data, ds.AverageRisk(0.5)), ds.AverageRisk(0.5))


@pytest.mark.parametrize("subsets", [1, 2, {2: 6, 3: 2}, {("a", "b"): 5, "a+c": 3}, [["a", "b"]]])
@pytest.mark.parametrize("reading", READINGS)
def test_sets_of_keys_hold_all_together(subsets, reading):
    from discreet.masking.cell_suppression.request import key_sets

    data = survey(n=120)
    masked = ds.suppress_cells(data, ds.KAnonymity(3), subsets=subsets, reading=reading)
    before, after = released(data, masked)
    sets, problems = key_sets(subsets, KEYS, 3)
    assert not problems
    for some in sets:
        assert short(before, after, list(some.keys), some.k, reading) == 0


def test_sets_of_all_keys_are_the_plain_problem():
    data = survey()
    plain = ds.suppress_cells(data, ds.KAnonymity(3))
    assert ds.suppress_cells(data, ds.KAnonymity(3), subsets=3).changes == plain.changes
    assert ds.suppress_cells(data, subsets={3: 3, 2: 3}).changes == plain.changes


@pytest.mark.parametrize(
    ("k", "subsets"), [(5, {3: 3}), (5, {("a", "b", "c"): 3, 1: 3}), (2, {3: 3})]
)
def test_the_k_of_a_set_of_all_keys_takes_the_place_of_that_of_the_criterion(k, subsets):
    data = survey()
    masked = ds.suppress_cells(data, ds.KAnonymity(k), subsets=subsets)
    assert masked.changes == ds.suppress_cells(data, ds.KAnonymity(3)).changes
    assert "3-anonymity of 'a', 'b', 'c'" in masked.steps[-1].parameters["criterion"]


RISKS = {
    "individual": ds.individual_risk,
    "suda": ds.suda,
    "record": lambda data: ds.record_risk(data, dict.fromkeys(KEYS[:2], 0.5), {KEYS[2]: 1.0}),
}


@pytest.mark.parametrize("measure", RISKS.values(), ids=list(RISKS))
def test_a_limit_of_risk_in_place_of_a_criterion(measure):
    data = ds.read(table(), keys=KEYS, weight="worth")
    risk = measure(data)
    limit = float(np.quantile(risk.values, 0.9))
    masked = ds.suppress_cells(data, risk=risk, at_most=limit)
    assert measure(masked).values.max() <= limit
    targeted = ds.protect_records(data, risk, at_most=limit)
    assert masked.to("arrow").equals(targeted.to("arrow"))
    with pytest.raises(DiscreetError, match="by= cannot be combined with a risk"):
        ds.suppress_cells(data, risk=risk, at_most=limit, by="town")


def test_all_that_is_wrong_is_said_at_once():
    data = survey()
    with pytest.raises(DiscreetError) as error:
        ds.suppress_cells(
            data,
            ds.KAnonymity(3),
            reading="loud",
            cost={"z": 1, "a": -1},
            by="nowhere",
            subsets=9,
            max_blanks=0,
            record_cost="text",
            keep={"a": "text"},
            linked={"a": ["b"]},
            search="long",
        )
    said = str(error.value)
    for part in ("reading=", "'z'", "'a'", "'nowhere'", "sets of 9 of 3 keys", "max_blanks=", "'text'", "'b' is a key", "search="):  # fmt: skip
        assert part in said


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "P09"),
        ({"criterion": ds.DisclosureRiskAtMost(0.1)}, "N41"),
        ({"criterion": ds.LDiversity(2), "reading": "wildcard"}, "N42"),
        ({"criterion": ds.LDiversity(2), "subsets": 2}, "N42"),
        ({"criterion": ds.LDiversity(2, confidential="a")}, "R11"),
        ({"subsets": {}}, "P09"),
        ({"criterion": ds.KAnonymity(2), "subsets": {"a+z": 2}}, "P47"),
        ({"criterion": ds.KAnonymity(2), "keep": ["a"]}, "P48"),
        ({"criterion": ds.KAnonymity(2), "seed": "x"}, "P07"),
    ],
)
def test_what_makes_no_sense_is_refused(given, code):
    with pytest.raises(DiscreetError) as error:
        ds.suppress_cells(survey(), **given)
    assert error.value.code == code


def test_data_that_refuse_missing_values_are_refused():
    with pytest.raises(DiscreetError) as error:
        ds.suppress_cells(survey(missing="refuse"), ds.KAnonymity(2))
    assert error.value.code == "N40"


def test_a_file_of_wildcards_may_be_protected_in_every_reading():
    data = survey(missing="wildcard", blank=0.05)
    for reading in READINGS:
        masked = ds.suppress_cells(data, ds.KAnonymity(3), reading=reading)
        assert short(*released(data, masked), KEYS, 3, reading) == 0
        assert ds.check(masked, ds.KAnonymity(3)).satisfied


def test_the_outcome_says_what_was_done_and_holds_no_value():
    data = ds.read(table().set_column(0, "a", pa.array(["secret"] * 50 + ["hush"] * 150)), keys=KEYS)  # fmt: skip
    masked = ds.suppress_cells(data, ds.KAnonymity(30))
    said = masked.explain() + repr(masked.outcome) + str(masked.outcome.to_dict())
    assert "secret" not in said
    assert "hush" not in said
    sizes = masked.outcome.by_class_size
    assert {key: sum(found.values()) for key, found in sizes.items()} == masked.changes
    assert sum(masked.outcome.table("arrow")["cells"].to_pylist()) == masked.outcome.total


def test_a_file_masked_before_is_blanked_further():
    data = survey()
    first = ds.sample(data, fraction=0.5, seed=1)
    masked = ds.suppress_cells(first, ds.KAnonymity(3))
    assert masked.initial is data
    assert ds.check(masked, ds.KAnonymity(3)).satisfied


def test_a_plan_repeats_it(tmp_path):
    import pyarrow.csv

    file = tmp_path / "survey.csv"
    pyarrow.csv.write_csv(table(), file)
    data = ds.read(file, keys=KEYS, confidential=["illness"])
    masked = ds.suppress_cells(
        data,
        ds.KAnonymity(3),
        cost={"a": 2},
        keep={"b": "flag"},
        linked={"a": ["age"]},
        max_blanks=2,
    )
    plan = masked.plan(str(tmp_path / "masked.csv"))
    again = plan.run(overwrite=True).masked
    assert again.to("arrow").equals(masked.to("arrow"))
    assert "ds.suppress_cells(" in plan.to_python()


@pytest.mark.parametrize("given", [{"reading": "wildcard"}, {"subsets": {2: 3}}, {"subsets": 2}])
def test_the_plan_of_a_weaker_reading_keeps_its_criterion_with_the_step(tmp_path, given):
    import pyarrow.csv

    file = tmp_path / "survey.csv"
    pyarrow.csv.write_csv(table(), file)
    masked = ds.suppress_cells(ds.read(file, keys=KEYS), ds.KAnonymity(3), **given)
    plan = masked.plan(str(tmp_path / "masked.csv"))
    assert not plan.criterion
    assert plan.run(overwrite=True).masked.to("arrow").equals(masked.to("arrow"))


def by_letter(rows, **more):
    keys = [f"k{i}" for i in range(len(rows[0]))]
    table = {key: [row[i] for row in rows] for i, key in enumerate(keys)}
    return ds.read({**table, **more}, keys=keys)


def test_records_of_a_class_with_different_costs_lend_no_more_than_they_are():
    table = {"k0": list("aaaabbaaa"), "k1": list("aaaaabaaa"), "rc": [2, 5, 1, 1, 5, 5, 5, 5, 5]}
    data = ds.read(table, keys=["k0", "k1"])
    for search in ("quick", "default", "optimal"):
        masked = ds.suppress_cells(data, ds.KAnonymity(3), record_cost="rc", search=search)
        assert ds.check(masked, ds.KAnonymity(3)).satisfied


@pytest.mark.parametrize(
    ("rows", "more"),
    [
        (["bb", "ba", "ba", "cd", "ce"], {}),
        (["bbb", "bab", "aac", "bab", "acc"], {}),
        (["cb", "bc", "ba", "bc", "bb"], {"max_blanks": 1}),
    ],
)
def test_no_search_is_worse_than_a_quick_one(rows, more):
    data = by_letter(rows)
    quick = ds.suppress_cells(data, ds.KAnonymity(2), search="quick", **more).outcome
    for search in ("default", "optimal"):
        found = ds.suppress_cells(data, ds.KAnonymity(2), search=search, **more).outcome
        assert found.total == quick.total == 5
        assert found.bound <= quick.total


@pytest.mark.parametrize("reading", ["target-source", "wildcard"])
def test_no_record_loses_all_its_keys_where_a_blank_matches_everything(reading):
    """METHODS of local suppression: all-blank records would be decoys for everybody."""
    alone = by_letter(["aba", "bcc", "cab"])
    with pytest.raises(ds.DiscreetError, match="D46") as error:
        ds.suppress_cells(alone, ds.KAnonymity(3), reading=reading)
    assert 'reading="category"' in str(error.value)
    whole = ds.suppress_cells(alone, ds.KAnonymity(3))
    assert whole.outcome.all_blank == 3


def test_a_gap_is_a_value_of_its_own_among_people_where_no_cell_is_blanked():
    gaps = ds.read({"k": ["1", None]}, keys=["k"])
    with pytest.raises(ds.DiscreetError, match="too few people share the gaps in 'k'"):
        ds.suppress_cells(gaps, ds.KMap(3, population={"k": ["1", None, "1", "1"]}))
    with_others = ds.KMap(3, population={"k": ["1", None, "1", "1", None, None]})
    assert ds.suppress_cells(gaps, with_others).outcome.total == 0


def test_a_quick_search_that_finds_nothing_says_so_soon_and_leads_to_the_patient_one():
    random = np.random.default_rng(0)
    names = [f"q{i}" for i in range(5)]
    data = ds.read({name: random.integers(0, 10, 300).astype(str) for name in names}, keys=names)
    started = time.process_time()
    with pytest.raises(ds.DiscreetError, match=r"D46.* search=\"optimal\" or a weaker criterion"):
        ds.suppress_cells(data, ds.KAnonymity(5), reading="wildcard", search="quick")
    assert time.process_time() - started < 20  # compiled or not; the programme takes minutes
