"""Every masking, criterion and measure of the registries on every engine: the same outcome.

What is registered and has no example here fails by name, so that no engine is forgotten.
"""

import functools

import pyarrow as pa
import pytest

import discreet as ds
from discreet.registry import criteria, maskings, measures
from tests.engines.tables import ROLES, hierarchies, rows, survey

RISK = {"known": {"age": 0.5, "sex": 0.8}, "sensitivity": {"illness": 1.0}}


def generalized(data):
    return ds.generalize(data, hierarchies(), ds.KAnonymity(3), max_suppressed=0.2).best.mask()


def protected(data):
    risk = ds.record_risk(data, **RISK)
    return ds.protect_records(data, risk, at_most=risk.highest / 2)


def randomized(data):
    first = ds.pram(data, ["illness"], keep=0.7, exact=True, by=["sex"], seed=1)
    return ds.pram(first, ["sex"], keep=0.7, seed=1)


MASKINGS = {
    "add_noise": lambda data: ds.add_noise(
        data, ["income", "age"], 0.4, kind="exact-moments", by=["sex"], seed=1
    ),
    "generalize": generalized,
    "microaggregate": lambda data: ds.microaggregate(data, ["age", "income"], k=4),
    "pram": randomized,
    "protect_records": protected,
    "rank_swap": lambda data: ds.rank_swap(data, ["income", "age"], window=0.1, by=["sex"], seed=1),
    "recode": lambda data: ds.recode(data, hierarchies(), ds.KAnonymity(3), seed=1),
    "round_values": lambda data: ds.round_values(data, ["income", "age"], base=7, seed=1),
    "sample": lambda data: ds.sample(data, fraction=0.4, seed=3),
    "shuffle": lambda data: ds.shuffle(data, ["income"], given=["age"], by=["sex"], seed=1),
    "suppress_cells": lambda data: ds.suppress_cells(data, ds.KAnonymity(3), seed=1),
    "swap_records": lambda data: ds.swap_records(data, ["zip"], ["age", "sex"], k=2, seed=1),
    "top_code": lambda data: ds.top_code(data, {"income": 0.95}, bottom={"age": 0.1}),
}


@functools.cache  # by file: several tests take it
def masked(name, data):
    return MASKINGS[name](data)


PEOPLE = pa.concat_tables([survey(300), survey(600)])  # of whom the survey is a part
CRITERIA = {
    "AverageRisk": ds.AverageRisk(0.2, highest=0.5, share_above=0.05),
    "BetaLikeness": ds.BetaLikeness(0.6, "enhanced", confidential="illness"),
    "DeltaDisclosure": ds.DeltaDisclosure(1.2, confidential="illness"),
    "DeltaPresence": ds.DeltaPresence(0.0, 0.6, PEOPLE),
    "DisclosureRiskAtMost": ds.DisclosureRiskAtMost(0.2),
    "KAnonymity": ds.KAnonymity(3),
    "KMap": ds.KMap(9, PEOPLE),
    "LDiversity": ds.LDiversity(2, "entropy", confidential="illness"),
    "PSensitiveKAnonymity": ds.PSensitiveKAnonymity(2, 3, confidential="illness"),
    "TCloseness": ds.TCloseness(0.4, confidential="illness"),
}
MEASURES = {  # the arguments beside the files, and what masks the second file
    "attack": ({"attacks": 60}, "generalize"),
    "compare_statistics": ({}, "microaggregate"),
    "disclosure_risk": ({}, "generalize"),
    "individual_risk": ({}, "generalize"),
    "information_loss": ({}, "microaggregate"),
    "interval_disclosure": ({"width": 0.2}, "microaggregate"),
    "linkage": ({}, "microaggregate"),
    "model_risk": ({"margins": "search", "fraction": 0.1}, "generalize"),
    "population_range": ({"fraction": 0.1}, "generalize"),
    "population_uniqueness": ({"fraction": 0.1}, "sample"),
    "propensity": ({"interactions": True, "columns": ["age", "income", "sex"]}, "microaggregate"),
    "readings": ({"k": 4}, "generalize"),
    "record_risk": (RISK, "generalize"),
    "regression_loss": ({"formula": "income ~ age"}, "microaggregate"),
    "risk": ({}, "generalize"),
    "risky_combinations": ({}, "generalize"),
    "score": ({}, "microaggregate"),
    "suda": ({"fraction": 0.1}, "sample"),
}
GAPS = {  # (name, engine) → the mark of the gap
    ("protect_records", "spark"): pytest.mark.never("spark", reason="records have no order there"),
    ("protect_records", "postgres"): pytest.mark.never(
        "postgres", reason="records have no order there"
    ),
    ("regression_loss", "spark"): pytest.mark.notimpl(
        "spark", reason="records would cross; draw a sample first"
    ),
    ("score", "spark"): pytest.mark.notimpl(
        "spark", reason="records would cross; draw a sample first"
    ),
    ("attack", "spark"): pytest.mark.notimpl(
        "spark", reason="records would cross; draw a sample first"
    ),
    ("linkage", "spark"): pytest.mark.notimpl(
        "spark", reason="records would cross; draw a sample first"
    ),
    ("interval_disclosure", "spark"): pytest.mark.notimpl(
        "spark", reason="records would cross; draw a sample first"
    ),
}


def named(examples):
    """A case for each name, with its row in the table of engines and the marks of its gaps."""
    return [
        pytest.param(
            name,
            marks=[
                *([] if name in criteria else [pytest.mark.verb(name)]),
                *(mark for (one, _), mark in GAPS.items() if one == name),
            ],
        )
        for name in examples
    ]


def figures(result):
    """The numbers of a result, without where they come from."""
    return plain({k: v for k, v in result.to_dict().items() if k != "computed_from"})


def plain(node):
    """Numbers to eight digits, at any depth: engines add up in other orders."""
    if isinstance(node, dict):
        return {name: plain(one) for name, one in node.items()}
    if isinstance(node, list | tuple):
        return [plain(one) for one in node]
    return round(float(f"{node:.8g}"), 12) if isinstance(node, float) else node


def weighted():
    """The survey, every record of which stands for some people."""
    table = survey(300)
    return table.append_column("weight", pa.array([2 + i % 7 / 4 for i in range(300)]))


@pytest.fixture(scope="module")
def near():
    return ds.read(weighted(), **ROLES, weight="weight")


@pytest.fixture(scope="module")
def far(engine):
    return engine.read(weighted(), **ROLES, weight="weight")


@pytest.mark.parametrize(
    ("registry", "examples"),
    [(maskings, MASKINGS), (criteria, CRITERIA), (measures, MEASURES)],
    ids=["maskings", "criteria", "measures"],
)
def test_everything_registered_is_tried_on_every_engine(registry, examples):
    assert set(registry) == set(examples)


@pytest.mark.parametrize("name", named(MASKINGS))
def test_a_masking_gives_the_same_records(name, near, far):
    here, there = (masked(name, data) for data in (near, far))
    assert there.n == here.n
    assert sorted(map(str, plain(rows(there)))) == sorted(map(str, plain(rows(here))))


@pytest.mark.parametrize("name", named(CRITERIA))
def test_a_criterion_judges_alike(name, near, far):
    here, there = (ds.check(masked("generalize", data), CRITERIA[name]) for data in (near, far))
    assert figures(there) == figures(here)


@pytest.mark.parametrize("name", named(CRITERIA))
def test_a_criterion_is_searched_for_alike(name, near, far):
    found = [
        ds.generalize(data, hierarchies(), CRITERIA[name], max_suppressed=0.3)
        for data in (near, far)
    ]
    assert found[0].best.levels == found[1].best.levels
    assert found[0].best.suppressed == found[1].best.suppressed


@pytest.mark.parametrize("name", named(MEASURES))
def test_a_measure_finds_the_same(name, near, far):
    given, masking = MEASURES[name]
    here, there = (measures[name].taken(data, masked(masking, data), given) for data in (near, far))
    assert figures(there) == figures(here)
