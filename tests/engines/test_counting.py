"""Counts: bit-equal on every engine, whatever the values are."""

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.risks.record_level import CombinationValues
from tests.engines.tables import ROLES, survey, ugly

KEYS = ["town", "flag", "size", "small", "rate", "price", "born", "seen"]


@pytest.fixture(scope="module")
def data(engine):
    return engine.read(ugly(), keys=KEYS, confidential=["illness"], record_id="rec")


@pytest.fixture(scope="module")
def reference():
    return ds.read(ugly(), keys=KEYS, confidential=["illness"], record_id="rec")


def plain(value):
    """One missing value and one zero, as the package reads them."""
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    return value


@pytest.mark.verb("frequency_set")
@pytest.mark.parametrize(
    "names", [*([k] for k in KEYS), ["town", "rate"], ["flag", "seen", "price"]]
)
def test_a_frequency_set_counts_as_a_loop_over_the_rows_does(data, names):
    expected = Counter(tuple(plain(row[name]) for name in names) for row in ugly().to_pylist())
    found = data.frequency_set(names)
    values = [v.to_pylist() for v in found.values]
    counted = {
        tuple(values[a][code] for a, code in enumerate(codes)): count
        for *codes, count in zip(*found.codes, found.counts.tolist(), strict=True)
    }
    assert counted == dict(expected)


@pytest.mark.verb("frequency_set")
@pytest.mark.parametrize("name", KEYS)
def test_a_frequency_set_is_the_same_to_the_last_bit(data, reference, name):
    assert data.frequency_set([name]) == reference.frequency_set([name])


@pytest.mark.verb("frequency_set")
def test_the_values_of_each_class_are_those_of_the_frequency_set(data, reference):
    """Brought in a row per class, all of them or a few, they are the same to the last bit."""
    keys, names = ["town", "flag"], ["illness", "rate", "price", "seen"]
    counted, pairs = data.some_values(keys, {**dict.fromkeys(names), "size": 2})
    assert counted == reference.frequency_set(keys)
    for name in names:
        assert pairs[name] == reference.frequency_set([*keys, name])
    few, whole = pairs["size"].rollup(keys), reference.frequency_set([*keys, "size"])
    present = np.bincount(whole_classes(whole)[whole.codes[-1] != whole.missing[-1]])
    missing = np.bincount(whole_classes(whole)[whole.codes[-1] == whole.missing[-1]])
    missing = np.pad(missing, (0, len(present) - len(missing)))
    assert few.counts.tolist() == (np.minimum(present, 2) + missing).tolist()


def whole_classes(pairs):
    """The class of each pair, from 0."""
    classes = pairs.codes[0].astype(np.int64) * len(pairs.values[1]) + pairs.codes[1]
    return np.unique(classes, return_inverse=True)[1]


@pytest.mark.verb("profile")
def test_distinct_and_missing_values_are_counted_alike(data, reference):
    assert data.profile == reference.profile
    assert data.n == reference.n


@pytest.mark.verb("risk")
@pytest.mark.parametrize("keys", [["town", "flag"], ["rate", "born"], ["seen", "price", "small"]])
def test_the_risk_is_the_same(data, reference, keys):
    found, expected = (ds.risk(d.with_roles(keys=keys)).to_dict() for d in (data, reference))
    found.pop("computed_from"), expected.pop("computed_from")
    assert found == expected


@pytest.mark.verb("risk")
def test_the_risk_of_a_survey_with_wildcards_is_the_same(engine):
    roles = {"keys": ["town", "small"], "confidential": ["illness"], "missing": "wildcard"}
    found, expected = (ds.risk(d) for d in (engine.read(ugly(), **roles), ds.read(ugly(), **roles)))
    assert found.class_sizes == expected.class_sizes
    assert found.p == expected.p


@pytest.mark.verb("check")
@pytest.mark.parametrize(
    "criterion",
    [
        ds.KAnonymity(3),
        ds.PSensitiveKAnonymity(p=2, k=3),
        ds.LDiversity(2, kind="entropy"),
        ds.LDiversity(2, kind="recursive", c=2),
        ds.TCloseness(0.4),
        [ds.TCloseness(0.2, distance="ordered"),
         ds.TCloseness(0.4, distance="hierarchical", hierarchy=ds.Hierarchy.suppress())],
    ],
    ids=lambda c: c[0].describe() if isinstance(c, list) else c.describe(),
)  # fmt: skip
def test_a_check_finds_the_same_violations(data, reference, criterion):
    keys = ["town", "flag", "small"]
    found, expected = (ds.check(d.with_roles(keys=keys), criterion) for d in (data, reference))
    assert found.by == expected.by
    assert 0 < found.violating_records == expected.violating_records < 300


@pytest.mark.verb("class_sizes")
@pytest.mark.never("spark", reason="records have no order there")
@pytest.mark.never("postgres", reason="records have no order there")
def test_class_sizes_are_given_in_the_order_of_the_records(engine):
    roles = {"keys": ["town", "flag"]}
    found = engine.read(ugly(), **roles).class_sizes()
    assert np.array_equal(found, ds.read(ugly(), **roles).class_sizes())


@pytest.mark.verb("read")
def test_codes_that_mean_missing_are_taken_out(engine):
    roles = {"keys": ["town", "size"], "missing_values": {"town": ["Bonn "], "size": [-3]}}
    found, expected = (d.profile for d in (engine.read(ugly(), **roles), ds.read(ugly(), **roles)))
    assert found == expected


@pytest.mark.verb("read")
def test_roles_and_types_are_checked(engine):
    with pytest.raises(ds.DiscreetError, match=r"R01.*did you mean|R01"):
        engine.read(survey(50), **{**ROLES, "keys": ["agee"]})
    with pytest.raises(ds.DiscreetError, match="D04"):
        engine.read(survey(50), keys=["sex"], types={"sex": ["F"]})


@pytest.mark.verb("read")
@pytest.mark.parametrize("weight", [0.0, -1.0, float("inf"), float("nan"), None])
def test_weights_are_checked(engine, weight):
    table = pa.table({"age": [1, 2, 2], "w": pa.array([1.0, 2.5, weight], pa.float64())})
    with pytest.raises(ds.DiscreetError, match="D05"):
        engine.read(table, keys=["age"], weight="w")


@pytest.mark.verb("frequency_set")
def test_the_weights_of_a_combination_add_up_to_the_same_bits(engine):
    rng = np.random.default_rng(1)
    weights = rng.lognormal(4, 2, len(ugly()))
    table = ugly().append_column("weight", pa.array(weights))
    roles = {"keys": ["town", "flag", "rate"], "weight": "weight", "record_id": "rec"}
    found = engine.read(table, **roles).frequency_set(weighted=True)
    assert found == ds.read(table, **roles).frequency_set(weighted=True)
    assert math.fsum(found.weights) == pytest.approx(math.fsum(weights), rel=1e-15)


@pytest.mark.verb("frequency_set")
def test_numbers_of_combinations_are_joined_where_the_records_are(engine):
    roles = {"keys": ["town", "flag", "price", "seen"], "record_id": "rec"}
    data, here = engine.read(ugly(), **roles), ds.read(ugly(), **roles)
    keys = data.frequency_set()
    found = CombinationValues(data, keys, 1 / keys.counts)
    assert found.summary()[0] == len(keys)
    column = found.column("share")
    assert Counter(column.frequency_set(["share"]).counts.tolist()) == Counter(
        CombinationValues(here, keys, 1 / keys.counts)
        .column("share")
        .frequency_set(["share"])
        .counts.tolist()
    )
    assert column.columns == (*data.columns, "share")
