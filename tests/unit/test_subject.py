"""The subject: a person of whom there may be several records. Criteria count people, not records."""

import itertools
import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import discreet as ds

VISITS = {
    "visit": [1, 2, 3, 4, 5, 6],
    "patient": [1, 1, 2, 3, 4, 4],
    "sex": ["M", "M", "F", "F", "M", "F"],
    "zip": list("aaaabb"),
    "illness": list("xyxyxy"),
}
HIERARCHIES = {
    "age": ds.Hierarchy.intervals([10, 20]),
    "zip": ds.Hierarchy.prefixes([5, 3, 0]),
    "sex": ds.Hierarchy.suppress(),
}
KEYS = list(HIERARCHIES)


def visits(**more):
    return ds.read(VISITS, keys=["sex", "zip"], subject="patient", **more)


def table(n=300, people=90):
    rng = np.random.default_rng(4)
    return {
        "age": rng.integers(18, 60, n),
        "zip": rng.choice(["10115", "10117", "20095"], n),
        "sex": rng.choice(["m", "f"], n),
        "illness": rng.choice(list("abc"), n),
        "patient": rng.integers(0, people, n),
    }


def hospital(**size):
    return ds.read(table(**size), keys=KEYS, confidential=["illness"], subject="patient")


# -- the role ----------------------------------------------------------------------------------


def test_the_subject_is_a_role_and_its_number_a_name():
    data = visits()
    assert (data.subject, data.roles.of("patient")) == ("patient", "subject")
    assert data.types["patient"].measure == "nominal"
    assert data.with_roles(subject=None).subject is None
    assert ds.read(VISITS, keys=["sex"]).with_roles(subject="patient").subject == "patient"


def test_it_is_not_written_unless_asked_for(tmp_path):
    masked = ds.sample(visits(), n=5, seed=1)
    for data in (visits(), masked):
        assert "patient" not in data.released
        assert "patient" not in data.to("arrow").column_names
    assert "patient" not in masked.write(tmp_path / "a.csv").columns
    assert "patient" in masked.write(tmp_path / "b.csv", identifiers=["patient"]).columns


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        ({"subject": "patiet"}, "R01", "Did you mean 'patient'"),
        ({"subject": "sex", "keys": ["sex"]}, "R04", "'sex' is the subject and a key attribute"),
        ({"subject": "patient", "identifiers": ["patient"]}, "R04", "and an identifier"),
        ({"subject": "patient", "household": "patient"}, "R04", "the household and the subject"),
        ({"subject": "patient", "missing_values": {"patient": [4]}}, "D60", "missing in 2 records"),
    ],
)
def test_what_is_wrong_with_it_is_said(wrong, code, said):
    with pytest.raises(ds.DiscreetError, match=said) as caught:
        ds.read(VISITS, **wrong)
    assert [p.code for p in caught.value.problems] == [code]


def test_a_column_that_tells_people_apart_is_suggested():
    found = {s.column: s.role for s in ds.suggest_roles(ds.read(table())).suggestions}
    assert found["patient"] == "subject"
    alone = ds.read({"patient": list(range(40)), "patient_age": [1, 2] * 20})
    found = {s.column: s.role for s in ds.suggest_roles(alone).suggestions}
    assert found["patient"] != "subject"
    assert found["patient_age"] == "key"


# -- the risk ----------------------------------------------------------------------------------


def test_the_risk_says_how_many_people_there_are():
    found = ds.risk(visits())
    assert (found.k, found.people, found.people_k) == (1, 4, 1)
    assert "4 people ('patient')" in found.explain()
    assert found.to_dict()["people_k"] == 1
    plain = ds.risk(visits().with_roles(subject=None))
    assert (plain.people, plain.people_k) == (None, None)
    assert "every record" in plain.not_applicable["people_k"]
    assert "people" not in plain.to_dict()


def test_large_classes_of_few_people_are_advised_on_by_people():
    one = {"sex": ["m"] * 6, "patient": [1, 1, 1, 2, 2, 2]}
    found = ds.risk(ds.read(one, keys=["sex"], subject="patient"))
    assert (found.k, found.people_k) == (6, 2)
    assert found.explain().endswith("until every class has records of at least 3 to 5 people.")
    few = ds.risk(visits())
    assert few.explain().endswith("until k is at least 3 to 5.")


def test_all_records_of_a_person_are_known_together():
    found = ds.risk(visits(), by="subject")
    assert list(found.class_sizes) == [(1, 2, 4), (2, 1, 2)]  # 2 and 3 are alike
    assert (found.k, found.uniques, found.subjects.number, found.p) == (1, 4, 4, {})
    assert found.households is None
    assert "6 records are of 4 people of 3 compositions" in found.explain()
    assert "recognises them" in found.explain()


def test_by_subject_needs_one():
    with pytest.raises(ds.DiscreetError, match="no subject") as caught:
        ds.risk(ds.read(VISITS, keys=["sex"]), by="subject")
    assert [p.code for p in caught.value.problems] == ["R16"]


def test_one_record_each_changes_nothing():
    data = {**table(), "patient": np.arange(300)}
    with_, without = (ds.read(data, keys=KEYS, subject=s) for s in ("patient", None))
    assert ds.risk(with_).people_k == ds.risk(with_).k
    for k in (2, 5):
        best = [ds.generalize(d, HIERARCHIES, ds.KAnonymity(k)).best for d in (with_, without)]
        assert best[0].levels == best[1].levels
        assert best[0].suppressed == best[1].suppressed


@pytest.mark.parametrize(
    "measure",
    [ds.suda, lambda d: ds.risky_combinations(d, at_most=2, size=2),
     lambda d: ds.disclosure_risk(d, ds.sample(d, n=5, seed=1)),
     lambda d: ds.linkage(d, ds.sample(d, n=5, seed=1)),
     lambda d: ds.attack(d, ds.sample(d, n=5, seed=1)),
     lambda d: ds.interval_disclosure(d, ds.sample(d, n=5, seed=1), columns=["patient"]),
     lambda d: ds.compare_releases([d, d], on="visit"),
     ds.key_candidates],
)  # fmt: skip
def test_what_counts_records_says_so(measure):
    assert "a person ('patient') may have several records" in measure(visits()).explain()


# -- criteria ----------------------------------------------------------------------------------


def test_a_class_of_one_person_is_too_small():
    data = ds.read({**VISITS, "zip": list("aaaaaa")}, keys=["zip", "sex"], subject="patient")
    assert ds.risk(data).k == 3
    assert not ds.check(data, ds.KAnonymity(3)).satisfied
    assert ds.check(data.with_roles(subject=None), ds.KAnonymity(3)).satisfied
    found = ds.check(data, ds.KAnonymity(3))
    assert found.by["people in a class"].records == 3
    assert "records of too few different people" in found.explain()
    assert ds.check(data, ds.KAnonymity(2)).explain() == (
        "2-anonymity holds for all 6 records, where 'patient' tells people apart."
    )


def test_a_criterion_without_a_class_size_counts_records_and_says_so():
    data = visits(confidential=["illness"])
    assert "several records" in ds.check(data, ds.TCloseness(0.9)).explain()


MASKINGS = {
    "generalize": lambda d, c: ds.generalize(d, HIERARCHIES, c, max_suppressed=0.05).best.mask(),
    "samarati": lambda d, c: ds.generalize(
        d, HIERARCHIES, c, max_suppressed=0, search="samarati"
    ).best.mask(),
    "local recoding": lambda d, c: ds.recode(d, HIERARCHIES, c, search="quick"),
    "mondrian": lambda d, c: ds.recode(d, HIERARCHIES, c, method="mondrian"),
    "mondrian-relaxed": lambda d, c: ds.recode(d, HIERARCHIES, c, method="mondrian-relaxed"),
    "cells": lambda d, c: ds.suppress_cells(d, c, search="quick"),
}
CRITERIA = {
    "k": (ds.KAnonymity(4), 4),
    "p": (ds.PSensitiveKAnonymity(2, 3), 3),
    "k and l": ([ds.KAnonymity(3), ds.LDiversity(2)], 3),
}


@pytest.mark.parametrize("masking", MASKINGS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_class_that_is_released_has_enough_people(tmp_path, masking, criterion):
    wanted, k = CRITERIA[criterion]
    masked = MASKINGS[masking](hospital(n=160, people=60), wanted)
    masked.write(tmp_path / "masked.csv", identifiers=["patient"])
    released = pd.read_csv(tmp_path / "masked.csv", dtype=str, keep_default_na=False)
    assert released.groupby(KEYS)["patient"].nunique().min() >= k
    assert released.groupby(KEYS)["illness"].nunique().min() >= (1 if criterion == "k" else 2)
    assert ds.check(masked, wanted).satisfied
    assert ds.risk(masked).people_k >= k


@pytest.mark.parametrize("budget", [0, 20])
def test_the_best_node_is_that_of_all_nodes_counted_one_by_one(budget):
    data, k = hospital(n=160, people=40), 3
    found = ds.generalize(data, HIERARCHIES, ds.KAnonymity(k), max_suppressed=budget)
    plain = ds.generalize(
        data.with_roles(subject=None), HIERARCHIES, ds.KAnonymity(1), max_suppressed=160
    )
    rows = table(160, 40)
    who = rows["patient"].tolist()
    feasible = []
    for levels in itertools.product(*(range(plain.recoding(key).height + 1) for key in KEYS)):
        columns = []
        for key, level in zip(KEYS, levels, strict=True):
            mapping = plain.lattice.node({**dict.fromkeys(KEYS, 0), key: level}).mask()
            columns.append(mapping.to("arrow")[key].to_pylist())
        cells = list(zip(*columns, strict=True))
        people = Counter(cell for cell, _ in set(zip(cells, who, strict=True)))
        if sum(people[cell] < k for cell in cells) <= budget:
            feasible.append(dict(zip(KEYS, levels, strict=True)))
    losses = {}
    for levels in feasible:
        node = found.lattice.node(levels)
        losses[tuple(levels.values())] = node.loss
        assert node.suppressed <= budget
    assert tuple(found.best.levels.values()) == min(losses, key=lambda at: (losses[at], at))


@pytest.mark.parametrize("criterion", [ds.KAnonymity(5), ds.PSensitiveKAnonymity(p=2, k=5)])
def test_too_few_people_for_k_is_said(criterion):
    with pytest.raises(ds.DiscreetError, match="k = 5 cannot be reached") as caught:
        ds.generalize(hospital(people=4), HIERARCHIES, criterion, max_suppressed=0.1)
    assert [p.code for p in caught.value.problems] == ["D30"]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"criterion": ds.KAnonymity(2), "reading": "wildcard"}, ["reading="]),
        ({"criterion": ds.KAnonymity(2), "reading": "target-source"}, ["reading="]),
        ({"subsets": {("sex",): 2}}, ["subsets="]),
        ({"criterion": ds.KAnonymity(2), "subsets": 1, "reading": "wildcard"},
         ["reading=", "subsets="]),
    ],
)  # fmt: skip
def test_what_can_count_records_only_is_refused(asked, names):
    with pytest.raises(ds.DiscreetError) as caught:
        ds.suppress_cells(visits(), **asked)
    assert [p.code for p in caught.value.problems] == ["N42"] * len(names)
    assert all(name in str(caught.value) for name in names)


def test_the_figures_of_all_nodes_count_records_and_are_refused():
    found = ds.generalize(hospital(), HIERARCHIES, ds.KAnonymity(2))
    for asked in (lambda: found.lattice.at(k=3), lambda: found.by_k([2, 3])):
        with pytest.raises(ds.DiscreetError, match="counts people"):
            asked()


def test_groups_of_records_say_that_they_are_no_people():
    masked = ds.microaggregate(hospital(), ["age"], k=3)
    assert "a person ('patient') may have several" in masked.explain()
    assert "may have several" not in MASKINGS["cells"](hospital(), ds.KAnonymity(2)).explain()


# -- plan and report ---------------------------------------------------------------------------


def test_a_plan_carries_it_from_reading_to_verification(tmp_path):
    pd.DataFrame(table()).to_csv(tmp_path / "visits.csv", index=False)
    plan = tmp_path / "release.toml"
    plan.write_text(
        "\n".join(
            [
                "[source]", 'file = "visits.csv"',
                "[roles]", 'keys = ["age", "zip", "sex"]', 'subject = "patient"',
                "[types]", 'zip = "nominal"',
                "[criterion]", "k = 3",
                "[hierarchies]", "age = { intervals = [10, 20] }", "zip = { prefixes = [5, 3, 0] }",
                "sex = { suppress = true }",
                "[[steps]]", 'do = "generalize"', "max_suppressed = 0.1",
                "[outputs]", 'masked = "masked.csv"', 'ledger = "ledger.json"',
                'report = "report.html"', 'public = "public.json"',
                "",
            ]
        ),
        encoding="utf-8",
    )  # fmt: skip
    ds.Plan.read(plan).run()
    assert "patient" not in (tmp_path / "masked.csv").read_text(encoding="utf-8").splitlines()[0]
    ledger = json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))
    assert ledger["plan"]["roles"]["subject"] == "patient"
    read = ds.Ledger.read(tmp_path / "ledger.json")
    for more in ({}, {"initial": tmp_path / "visits.csv"}):
        found = read.verify(tmp_path / "masked.csv", **more)
        assert found.satisfied, found.explain()
    public = ds.Ledger.read(tmp_path / "public.json").verify(tmp_path / "masked.csv")
    assert public.satisfied, public.explain()
    assert "people in a class, which needs the original" in public.not_compared
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "fewest people in a class" in report
    assert "tells people apart" in report


def test_what_can_be_linked_is_a_share_of_records_where_a_person_has_several():
    rows = {"age": [20, 30] * 20, "who": [f"p{i // 2}" for i in range(40)]}
    for roles, whose in (({}, "people"), ({"subject": "who"}, "records")):
        data = ds.read(rows, keys=["age"], **roles)
        found = ds.disclosure_risk(data, ds.sample(data, fraction=0.5, seed=1))
        assert f"of the {whose} for certain (DR_min)" in found.in_short()
