"""Microaggregation: blocks cut in the engine are those of the kernel, groups the same."""

import decimal

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet import engine as engines
from discreet.engine.source import collected
from discreet.kernels.multivariate.blocks import balanced_blocks
from tests.engines.tables import ROLES, assert_close, survey


@pytest.fixture(scope="module")
def data(engine):
    return engine.read(survey(700), **ROLES)


@pytest.fixture(scope="module")
def reference():
    return ds.read(survey(700), **ROLES)


def same_values(one, other, columns):
    """The same records, numbers to 1e-9: compared by the columns that were left alone."""
    for name in columns:
        mine, theirs = (
            np.sort(np.array(d.to("arrow")[name].to_pylist(), dtype=float)) for d in (one, other)
        )
        np.testing.assert_allclose(mine, theirs, rtol=1e-9)


@pytest.mark.verb("microaggregate")
@pytest.mark.parametrize(
    "options",
    [
        {"columns": ["age", "income"], "k": 5},
        {"columns": ["age", "income"], "k": 5, "preserve_variance": False, "round": True},
        {"columns": ["age", "income"], "k": 4, "round": True},
        {"columns": ["age", "income", "sex"], "k": 3},
        {"columns": ["age", "income"], "k": 5, "method": "v-mdav"},
        {"columns": ["income"], "k": 4, "method": "optimal-univariate"},
        {"columns": ["income", "age"], "k": 4, "method": "fixed"},
        {"columns": ["income", "age"], "k": 4, "method": "individual", "ties": "together"},
        {"columns": ["age", "income"], "k": 4, "method": "pca", "by": ["sex"]},
        {"columns": ["age", "income"], "k": 4, "exchange": True},
        {"columns": ["age", "income"], "k": 3, "by": ["sex"]},
        {"columns": ["age", "income"], "k": 3, "by": ["sex"], "round": True},
        {"columns": ["age", "income", "sex"], "k": 3, "by": ["sex"]},
    ],
    ids=str,
)
def test_the_masked_values_are_the_same(data, reference, options):
    found, expected = (ds.microaggregate(d, **options) for d in (data, reference))
    same_values(found, expected, [c for c in options["columns"] if c != "sex"])
    assert found.n == expected.n
    if "sex" in options["columns"]:
        count = [sorted(d.to("arrow")["sex"].to_pylist()) for d in (found, expected)]
        assert count[0] == count[1]


@pytest.mark.verb("microaggregate")
def test_the_link_to_the_initial_records_is_kept(data, reference):
    """Values that went to the wrong record would change every measure but the moments."""
    found, expected = (
        ds.information_loss(d, ds.microaggregate(d, ["age", "income"], k=5))
        for d in (data, reference)
    )
    assert_close(found.measures, expected.measures, 1e-8)


@pytest.mark.verb("microaggregate in blocks")
@pytest.mark.parametrize(
    "options",
    [
        {"columns": ["age", "income"], "k": 5, "blocks": 100},
        {"columns": ["age", "income"], "k": 3, "blocks": 60, "by": ["sex"]},
        {"columns": ["age", "income", "sex"], "k": 3, "blocks": 90, "preserve_variance": False},
    ],
    ids=str,
)
def test_blocks_give_the_same_masked_values(data, reference, options):
    found, expected = (ds.microaggregate(d, **options) for d in (data, reference))
    same_values(found, expected, ["age", "income"])


@pytest.mark.verb("microaggregate in blocks")
@pytest.mark.parametrize("sorted_", [1_000_000, 20])
def test_the_engine_cuts_the_blocks_of_the_kernel(engine, monkeypatch, sorted_):
    monkeypatch.setattr("discreet.engine.blocks._SORTED", sorted_)
    monkeypatch.setattr("discreet.engine.blocks._BINS", 8)
    rng = np.random.default_rng(1)
    x = np.column_stack(
        [rng.integers(0, 30, 260), rng.lognormal(3, 1, 260), rng.integers(0, 2, 260)]
    )
    points = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    ids = rng.permutation(260)
    table = pa.table({"rec": ids, "a": x[:, 0].astype(int), "b": x[:, 1], "c": x[:, 2]})
    data = engine.read(table, keys=["a"], record_id="rec")
    axes = [engines.Axis(n, None, 1 / s) for n, s in zip("abc", x.std(axis=0, ddof=1), strict=True)]
    found = engines.in_blocks(data.source, data.source.at("rec"), axes, [], 40, 260)
    given = collected(found.table.select("c0", "block"), found)
    order = np.argsort(ids)
    expected = balanced_blocks(points[order], 40)
    mine = dict(zip(given["c0"].to_pylist(), given["block"].to_pylist(), strict=True))
    pairs = {(mine[rec], int(expected[rec])) for rec in range(260)}
    assert len(pairs) == len(set(mine.values())) == expected.max() + 1


@pytest.mark.verb("microaggregate")
def test_infinite_values_have_no_mean(engine):
    table = pa.table({"rec": list(range(6)), "x": [1.0, 2, 3, 4, 5, float("inf")]})
    data = engine.read(table, keys=["x"], record_id="rec")
    with pytest.raises(ds.DiscreetError, match="D12"):
        ds.microaggregate(data, ["x"], k=2)


@pytest.mark.verb("microaggregate")
def test_a_stratum_smaller_than_k_is_an_error(engine):
    table = pa.table({"rec": list(range(6)), "x": [1.0, 2, 3, 4, 5, 6], "s": list("aaaaab")})
    data = engine.read(table, keys=["x"], record_id="rec")
    with pytest.raises(ds.DiscreetError, match="D07"):
        ds.microaggregate(data, ["x"], k=2, by=["s"])


def numbers():
    rng = np.random.default_rng(5)
    large = [2**63 - 1, -(2**63), 2**53 + 1, *rng.integers(-(2**62), 2**62, 117).tolist()]
    cents = [decimal.Decimal(int(v)).scaleb(-2) for v in rng.integers(-300, 5000, 120)]
    return pa.table(
        {
            "rec": pa.array(rng.permutation(120), pa.int64()),
            "large": pa.array(large, pa.int64()),
            "cents": pa.array(cents, pa.decimal128(10, 2)),
            "code": pa.array(rng.choice([1, 2, 9], 120), pa.int64()),
            "small": pa.array(rng.integers(0, 90, 120), pa.int16()),
            "s": pa.array(rng.choice(["a", "b"], 120)),
        }
    )


@pytest.mark.verb("microaggregate")
@pytest.mark.parametrize(
    "options",
    [
        {"k": 1},
        {"k": 4, "preserve_variance": False},
        {"k": 4, "method": "fixed", "by": ["s"]},
        {"k": 4},
        {"k": 4, "by": ["s"], "preserve_variance": True},
    ],
    ids=str,
)
def test_rounded_averages_are_the_same_to_the_last_digit(engine, options):
    names = ["cents", "code", "small"] if options.get("preserve_variance", True) else ["large"]
    names = ["large", *names] if options["k"] == 1 else names
    found, expected = (
        ds.microaggregate(read(numbers(), keys=names, record_id="rec", types={"code": "continuous"}),
                          round=True, **options)
        for read in (engine.read, ds.read)
    )  # fmt: skip
    for name in names:
        mine, theirs = (sorted(m.to("arrow")[name].to_pylist()) for m in (found, expected))
        assert mine == theirs, name
    if options["k"] == 1:
        assert sorted(theirs) == sorted(numbers()[names[-1]].to_pylist())
    if "code" in names:
        assert set(found.to("arrow")["code"].to_pylist()) <= {1, 2, 9}


@pytest.mark.verb("microaggregate")
def test_means_and_variances_of_strata_are_preserved(engine):
    data = engine.read(numbers(), keys=["small"], record_id="rec")
    masked = ds.microaggregate(data, ["small"], k=4, by=["s"]).to("arrow")
    before = numbers()
    for stratum in "ab":
        old, new = (
            np.array(t["small"], float)[np.array(t["s"].to_pylist()) == stratum]
            for t in (before, masked)
        )
        assert new.mean() == pytest.approx(old.mean(), rel=1e-12)
        assert new.std() == pytest.approx(old.std(), rel=1e-9)


@pytest.mark.verb("microaggregate")
def test_large_numbers_stay_within_their_range(engine):
    data = engine.read(numbers(), keys=["large"], record_id="rec")
    masked = ds.microaggregate(data, ["large"], k=2, round=True).to("arrow")["large"].to_pylist()
    assert -(2**63) <= min(masked) < max(masked) <= 2**63 - 1
    assert all(isinstance(v, int) for v in masked)
