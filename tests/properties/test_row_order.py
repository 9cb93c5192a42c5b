"""No measure depends on the order of the records: every bit is the same.

The records are shuffled together with their ids, so that nothing can sort them back.
"""

import json

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import discreet as ds

KEYS = ["age", "income", "sex"]


def tables(seed, n=120):
    """An initial and a masked table with ties, zeros, missing values and badly scaled numbers."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10, 2, n) / 3
    age = rng.integers(18, 60, n) / 7
    savings = 1e9 + rng.normal(0, 0.1, n)
    savings[rng.random(n) < 0.1] = 0.0
    sex = rng.choice(["F", "M", "X"], n)
    ill = rng.choice(["flu", "cancer", "none"], n, p=[0.2, 0.1, 0.7])
    first = {"age": age, "income": income, "savings": savings, "sex": sex, "ill": ill}
    second = {
        "age": np.where(rng.random(n) < 0.9, np.round(age), np.nan),
        "income": income * rng.normal(1, 0.01, n),
        "savings": savings + 0.1,
        "sex": np.where(rng.random(n) < 0.2, "F", sex),
        "ill": ill,
    }
    return first, second


def files(seed, order):
    """Both tables with their records in an order; the ids follow that order."""
    roles = {"keys": KEYS, "confidential": ["ill", "savings"], "types": {"age": "continuous"}}
    rec = np.arange(len(order))
    return tuple(
        ds.read({"rec": rec, **{name: v[order] for name, v in table.items()}}, **roles)
        for table in tables(seed, len(order))
    )


def exactly(result):
    """A result as text in which every bit of a number shows."""
    return json.dumps(result, sort_keys=True)


def losses(first, second, order):
    found = ds.information_loss(first, second, on="rec", scope="file", dimension=3)
    keys = ds.information_loss(first, second, on="rec")
    return [found.to_dict(), keys.to_dict()]


def statistics(first, second, order):
    return ds.compare_statistics(first, second, on="rec").to_dict()


def regression(first, second, order):
    model = ds.regression_loss(first, second, "income ~ age + savings + sex", on="rec")
    return model.to_dict()


def score(first, second, order):
    """Of numbers alone, all there: where others were changed, or some are missing, it does not
    apply."""
    numbers = [name for name in KEYS if name != "sex"]
    frames = [
        data.to("pandas")[["rec", *numbers, "savings"]].fillna(2.0) for data in (first, second)
    ]
    one, other = (ds.read(f, keys=numbers, types={"age": "continuous"}) for f in frames)
    return ds.score(one, other, on="rec").to_dict()


def disclosure(first, second, order):
    found = ds.disclosure_risk(first, second, on="rec")
    parts = found.contributions(ds.Weights.decay(0.3), kind="arrow").to_pydict()["contribution"]
    weighed = found.weighted(ds.Weights.decay(0.3))
    return [found.to_dict(), weighed, back(parts, order)]


def classes(first, second, order):
    plain = [first.with_roles(keys=["age", "sex"]), second.with_roles(keys=["age", "sex"])]
    found = [ds.risk(one).to_dict() for one in plain]
    return [*found, *(ds.sampling_risk(one).to_dict() for one in plain)]


def records(first, second, order):
    found = ds.record_risk(
        second,
        known={"age": 0.3, "sex": 0.8, "income": 0.07},
        sensitivity={"ill": 0.7, "savings": 0.3, "sex": 0.1},
        value_sensitivity={"ill": {"flu": 0.2, "cancer": 1.0, "none": 0.1}},
        epsilon=0.0,
    )
    rows = found.by_attribute("arrow").to_pydict()
    return [found.to_dict(), rows, back(found.values, order), back(found.bound, order)]


def candidates(first, second, order):
    return ds.key_candidates(first.with_roles(identifiers=["rec"])).to_dict()


def linkage(first, second, order):
    by = {"columns": ["age", "income", "sex"], "on": "rec"}
    found = [ds.linkage(first, second, method=m, **by) for m in ("distance", "probabilistic")]
    near = [ds.interval_disclosure(first, second, on="rec", columns=["income"], distance=d)
            for d in ("deviation", "rank")]  # fmt: skip
    return [one.to_dict() for one in (*found, *near)]


def propensity(first, second, order):
    return [
        ds.propensity(first, second, on="rec", interactions=products).to_dict()
        for products in (False, True)
    ]


def back(values, order):
    """Numbers per record, in the order before the shuffle."""
    found = np.empty(len(order))
    found[order] = values
    return found.tolist()


MEASURES = [losses, statistics, regression, score, linkage, propensity, disclosure, classes, records, candidates]  # fmt: skip


@pytest.mark.parametrize("measure", MEASURES, ids=lambda f: f.__name__)
@settings(deadline=None, max_examples=4, phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 10**6))
def test_a_measure_is_the_same_to_the_last_bit_in_any_order_of_the_records(measure, seed):
    order = np.arange(120)
    other = np.random.default_rng(seed).permutation(order)
    assert exactly(measure(*files(seed, order), order)) == exactly(
        measure(*files(seed, other), other)
    )


def test_linkage_within_blocks_is_the_same_in_any_order_of_the_records(monkeypatch):
    monkeypatch.setattr("discreet.loss.score.WHOLE", 30)
    order = np.arange(120)
    for seed in range(3):
        other = np.random.default_rng(seed).permutation(order)
        assert score(*files(seed, order), order) == score(*files(seed, other), other)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("measure", [losses, statistics], ids=lambda f: f.__name__)
def test_sums_of_the_engine_are_the_same_in_any_order_of_the_records(measure, seed, monkeypatch):
    monkeypatch.setattr("discreet.data.link._FEW", 0)
    order = np.arange(120)
    other = np.random.default_rng(seed).permutation(order)
    assert exactly(measure(*files(seed, order), order)) == exactly(
        measure(*files(seed, other), other)
    )
