"""Shuffling microdata: kinds of columns, gaps, strata, and what is refused."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import InvalidData
from discreet.masking.shuffle import SameValues

STEPS = ["low", "middle", "high"]


def table(n=80, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    return pa.table(
        {
            "rec": np.arange(n),
            "age": age,
            "pay": age * 100 + rng.integers(0, 3000, n),
            "step": [STEPS[i] for i in rng.integers(0, 3, n)],
            "day": [dt.date(2020, 1, 1) + dt.timedelta(int(i)) for i in rng.integers(0, 900, n)],
            "sex": np.where(np.arange(n) % 2, "F", "M"),
        }
    )


def read(rows):
    types = {"age": "continuous", "pay": "continuous", "step": STEPS}
    return ds.read(rows, keys=["sex"], record_id="rec", types=types)


def column(data, name):
    return data.to("arrow")[name].to_pylist()


def test_whole_numbers_dates_and_steps_keep_their_values_and_types():
    data = read(table())
    masked = ds.shuffle(data, ["pay", "step", "day"], given=["age"], seed=3)
    for name in ("pay", "step", "day"):
        assert masked.to("arrow")[name].type == data.to("arrow")[name].type
        assert sorted(column(masked, name)) == sorted(column(data, name))
        assert column(masked, name) != column(data, name)
    assert column(masked, "age") == column(data, "age")
    assert len(masked.outcome.pairs) == 6


def test_one_column_works_with_and_without_given_ones():
    data = read(table())
    alone = ds.shuffle(data, "pay", seed=3)
    assert sorted(column(alone, "pay")) == sorted(column(data, "pay"))
    assert alone.outcome.largest_change is None
    assert "were redistributed" in alone.explain()
    by_age = ds.shuffle(data, "pay", given="age", by=None, seed=3)
    assert by_age.outcome.largest_change < 0.05


def test_a_column_that_repeats_a_given_one_comes_back():
    rows = table()
    rows = rows.append_column("again", rows["age"])
    data = ds.read(
        rows, keys=["sex"], record_id="rec", types={"age": "continuous", "again": "continuous"}
    )
    masked = ds.shuffle(data, ["again"], given=["age"], seed=1)
    close = np.corrcoef(column(masked, "again"), column(masked, "age"))[0, 1]
    assert close > 0.99
    assert masked.outcome.same["again"] > 0.5
    assert "hardly protected" in masked.explain()


def test_missing_values_stay_where_they_are():
    rows = table()
    gaps = pa.array([None if i % 7 == 0 else v for i, v in enumerate(rows["pay"].to_pylist())])
    data = read(rows.set_column(2, "pay", gaps))
    masked = ds.shuffle(data, ["pay", "step"], given=["age"], seed=3)
    assert [v is None for v in column(masked, "pay")] == [v is None for v in column(data, "pay")]
    found = [sorted(v for v in column(d, "pay") if v is not None) for d in (data, masked)]
    assert found[0] == found[1]


@pytest.mark.parametrize("by", [(), ("sex",)])
def test_the_order_of_the_rows_changes_nothing(by):
    rows = table()
    found = []
    for order in (np.arange(80), np.arange(80)[::-1], np.random.default_rng(2).permutation(80)):
        data = read(rows.take(pa.array(order)))
        masked = ds.shuffle(data, ["pay", "step"], given=["age"], by=by, seed=5)
        back = np.argsort(order)
        found.append([[column(masked, c)[i] for i in back] for c in ("pay", "step")])
    assert found[0] == found[1] == found[2]


def test_values_stay_in_their_stratum():
    data = read(table())
    masked = ds.shuffle(data, ["pay"], given=["age"], by="sex", seed=5)
    for sex in ("F", "M"):
        values = [
            sorted(v for v, s in zip(column(d, "pay"), column(d, "sex"), strict=True) if s == sex)
            for d in (data, masked)
        ]
        assert values[0] == values[1]


def test_strata_that_are_too_small_are_named_with_their_number():
    rows = table(20).append_column("town", pa.array(["a"] * 17 + ["b"] * 3))
    with pytest.raises(InvalidData, match="1 of 2 strata by 'town' have fewer than 4 records"):
        ds.shuffle(read(rows), ["pay"], given=["age"], by="town", seed=1)


def test_what_is_wrong_is_said_all_at_once():
    rows = table()
    gaps = pa.array([None if i % 7 == 0 else v for i, v in enumerate(rows["age"].to_pylist())])
    with pytest.raises(ds.DiscreetError) as caught:
        ds.shuffle(read(rows.set_column(1, "age", gaps)), ["sex", "pay"], given=["age", "pay", "x"])
    said = str(caught.value)
    for part in (
        "'sex' is nominal",
        "'age' has 12 missing",
        "'pay' is given, and shuffled",
        "'x'",
        "seed",
    ):
        assert part in said


def test_a_broken_promise_is_found():
    data = read(table())
    promise = SameValues(data, ("pay",), ("sex",))
    assert not promise.broken(ds.shuffle(data, ["pay"], given=["age"], by="sex", seed=1))
    assert promise.broken(ds.shuffle(data, ["pay"], given=["age"], seed=1))  # across strata
    assert promise.broken(ds.add_noise(data, ["pay"], 0.5, seed=1))
