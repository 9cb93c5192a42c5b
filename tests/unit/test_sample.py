"""Sampling: reproducible, by record id, stratified, linked, and refused where it cannot be done."""

import collections

import pandas as pd
import pytest

import discreet as ds
from discreet.masking.sample import allocate

N = 400


@pytest.fixture(scope="module")
def frame():
    billing = ds.datasets.billing(N, seed=5).to_pandas()
    return billing.assign(rec=[f"r{i}" for i in range(N)])


def read(frame, **options):
    return ds.read(frame, keys=["Age", "Sex", "Zip"], record_id="rec", **options)


def ids(initial, masked):
    return set(ds.disclosure_risk(initial, masked).contributions(kind="pandas")["rec"])


def test_the_same_seed_draws_the_same_records_whatever_the_order_of_the_rows(frame):
    first, turned = read(frame), read(frame.sample(frac=1, random_state=1))
    drawn = ids(first, ds.sample(first, fraction=0.2, seed=7))
    assert drawn == ids(turned, ds.sample(turned, fraction=0.2, seed=7))
    assert drawn != ids(first, ds.sample(first, fraction=0.2, seed=8))
    assert len(drawn) == 80


def test_the_draw_is_the_md5_hash_of_seed_and_record_id(frame):
    import hashlib

    data = read(frame)
    by_hash = sorted(frame["rec"], key=lambda r: hashlib.md5(f"3:{r}".encode()).hexdigest())
    assert ids(data, ds.sample(data, n=50, seed=3)) == set(by_hash[:50])


def test_every_record_is_about_equally_often_drawn():
    data = ds.read({"a": range(50)}, keys=["a"])
    counts = collections.Counter()
    for seed in range(60):
        counts.update(ds.sample(data, n=10, seed=seed).to("arrow")["a"].to_pylist())
    assert sum(counts.values()) == 600
    assert len(counts) == 50
    assert max(counts.values()) < 30  # mean 12, sd 3.1


def test_a_stratified_sample_takes_its_share_of_every_stratum(frame):
    data = read(frame)
    drawn = ds.sample(data, fraction=0.25, seed=1, by=["Sex"]).to("pandas")
    expected = {s: int(0.25 * n + 0.5) for s, n in frame["Sex"].value_counts().items()}
    assert drawn["Sex"].value_counts().to_dict() == expected
    by_number = ds.sample(data, n=40, seed=1, by="Sex")
    assert by_number.n == 40


def test_missing_values_form_a_stratum_of_their_own():
    data = ds.read({"a": [1] * 4 + [None] * 4}, keys=["a"])
    drawn = ds.sample(data, fraction=0.5, seed=1, by=["a"]).to("pandas")
    assert drawn["a"].isna().sum() == 2
    assert len(drawn) == 4


def test_largest_remainders_fill_the_sample_in_the_order_of_the_strata():
    import numpy as np

    assert allocate(np.array([10, 10, 10]), 4).tolist() == [2, 1, 1]
    assert allocate(np.array([50, 30, 20]), 10).tolist() == [5, 3, 2]


def test_maskings_chain_and_the_link_leads_to_the_first_file(frame):
    data = read(frame)
    aggregated = ds.microaggregate(data, ["Age"], k=5)
    chained = ds.sample(aggregated, fraction=0.5, seed=2)
    assert chained.initial is data
    assert [s.method for s in chained.steps] == ["microaggregate", "sample"]
    found = ds.disclosure_risk(data, chained)
    assert (found.n, found.t) == (N, 200)
    assert found.maximal_compatible <= found.maximal
    again = ds.sample(ds.sample(data, n=200, seed=1), n=100, seed=2)
    assert ds.disclosure_risk(data, again).t == 100


def test_a_sample_is_written_without_identifiers_and_record_id(frame, tmp_path):
    data = ds.read(frame, keys=["Age"], identifiers=["Zip"], record_id="rec")
    ds.sample(data, n=10, seed=1).write(tmp_path / "s.csv")
    assert list(pd.read_csv(tmp_path / "s.csv").columns) == ["Age", "Sex", "Race", "Amount_Billed"]


def test_the_input_is_not_changed(frame):
    before = frame.copy()
    ds.sample(read(frame), n=10, seed=1)
    ds.microaggregate(read(frame), ["Age"], k=3)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 1}, "fraction= or n="),
        ({"fraction": 0.1, "n": 3, "seed": 1}, "one of the two"),
        ({"fraction": 0, "seed": 1}, "above 0"),
        ({"fraction": 1.5, "seed": 1}, "at most 1"),
        ({"n": 0, "seed": 1}, "whole number from 1"),
        ({"n": N + 1, "seed": 1}, "whole number from 1"),
        ({"n": 2.5, "seed": 1}, "whole number"),
        ({"n": 5}, "seed="),
        ({"n": 5, "seed": "x"}, "seed="),
        ({"n": 5, "seed": 1, "by": ["Sexx"]}, "Did you mean 'Sex'"),
        ({"fraction": 0.0001, "seed": 1}, "gives no record"),
        ({"fraction": 0.01, "seed": 1, "by": ["Zip"]}, "strata by 'Zip' are too small"),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_refused(frame, options, message):
    with pytest.raises(ds.DiscreetError, match=message):
        ds.sample(read(frame), **options)


def test_record_ids_must_tell_the_records_apart():
    twice = ds.read({"a": [1, 2, 3], "rec": ["x", "x", None]}, keys=["a"], record_id="rec")
    with pytest.raises(ds.DiscreetError) as refused:
        ds.sample(twice, n=1, seed=1)
    assert "missing in 1 record" in str(refused.value)
    assert "repeated in 1 record" in str(refused.value)
    fractional = ds.read({"a": [1, 2], "rec": [0.5, 1.5]}, keys=["a"], record_id="rec")
    with pytest.raises(ds.DiscreetError, match="neither text nor a whole number"):
        ds.sample(fractional, n=1, seed=1)
