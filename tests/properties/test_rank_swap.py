"""Rank swapping: the window is never left, and no value is lost."""

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import InvalidData, InvalidParameter
from discreet.kernels.rank_swap import partners
from discreet.masking.rank_swap import WithinWindow


def slow_partners(draws, window):
    """A list of the ranks that are left, pair by pair; the last one fills a gap, as stated."""
    n, found, seen = len(draws), list(range(len(draws))), set()
    free, entered = [], 0

    def removed(rank):
        at = free.index(rank)
        free[at] = free[-1]
        free.pop()

    for rank in range(n):
        while entered < n and entered <= rank + window:
            free.append(entered)
            entered += 1
        if rank in seen or rank not in free:
            continue
        removed(rank)
        if free:
            other = free[int(draws[rank] * len(free))]
            removed(other)
            seen |= {rank, other}
            found[rank], found[other] = other, rank
    return found


@given(st.lists(st.floats(0, 1, exclude_max=True), max_size=40), st.integers(1, 50))
def test_partners_are_an_exchange_of_pairs_within_the_window(draws, window):
    found = partners(np.array(draws, dtype=np.float64), window)
    assert found.tolist() == slow_partners(draws, window)
    assert (found[found] == np.arange(len(draws))).all()
    assert (abs(found - np.arange(len(draws))) <= window).all()


def test_every_record_of_a_window_is_as_likely():
    rng = np.random.default_rng(1)
    first = np.array([partners(rng.random(12), 5)[0] for _ in range(20_000)])
    counts = np.bincount(first, minlength=6)[1:6]
    assert counts.sum() == 20_000
    assert (abs(counts - 4000) < 4 * np.sqrt(20_000 * 0.2 * 0.8)).all()


def test_a_million_records_never_leave_their_window():
    n, window = 10**6, 10_000
    found = partners(np.random.default_rng(1).random(n), window)
    assert abs(found - np.arange(n)).max() <= window
    assert (found != np.arange(n)).mean() > 0.999


VALUES = {
    "whole": pa.array([5, 3, None, 9, 9, 1, 2, 8, 7, 4] * 3, pa.int16()),
    "amount": pa.array([x / 7 for x in range(29, -1, -1)]),
    "price": pa.array([decimal.Decimal(x) / 4 for x in range(30)], pa.decimal128(9, 2)),
    "day": pa.array([dt.date(2020, 1, 1 + x % 28) for x in range(30)]),
    "size": pa.array(["small", "large", "medium"] * 10),
    "half": ["a", "b"] * 15,
    "rec": list(range(30)),
}
COLUMNS = ["whole", "amount", "price", "day", "size"]


def survey(**more):
    types = {"size": ["small", "medium", "large"], "whole": "continuous", "day": "continuous"}
    return ds.read(pa.table(VALUES), keys=["whole"], record_id="rec", types=types, **more)


@pytest.mark.parametrize("by", [[], ["half"]])
def test_columns_keep_their_values_types_and_blanks(by):
    data = survey()
    masked = ds.rank_swap(data, COLUMNS, window=0.2, by=by, seed=3)
    before, after = data.to("arrow"), masked.to("arrow")
    for name in COLUMNS:
        assert after.schema.field(name).type == before.schema.field(name).type
        assert after[name].is_null().equals(before[name].is_null())
        assert after[name].to_pylist() != before[name].to_pylist(), name
        for half in (["a"], ["b"]) if by else (["a", "b"],):
            pairs = [
                [v for v, h in zip(t[name].to_pylist(), t["half"].to_pylist(), strict=True)
                 if h in half and v is not None]
                for t in (before, after)
            ]  # fmt: skip
            assert sorted(pairs[0]) == sorted(pairs[1])


def test_an_ordinal_scale_ranks_by_its_order():
    small = ds.read(
        {"size": ["large"] * 10 + ["small"] * 10 + ["medium"] * 10},
        keys=["size"],
        types={"size": ["small", "medium", "large"]},
    )
    masked = ds.rank_swap(small, ["size"], window=0.3, seed=1)
    pairs = set(zip(*(d.to("arrow")["size"].to_pylist() for d in (small, masked)), strict=True))
    assert ("small", "large") not in pairs
    assert ("large", "small") not in pairs


def test_a_window_of_no_rank_is_refused_by_name():
    with pytest.raises(
        InvalidData, match=r"'amount' has a value in 30 records, and .* needs 100\."
    ):
        ds.rank_swap(survey(), ["amount"], window=0.01, seed=1)
    with pytest.raises(InvalidData, match=r"2 of 2 strata by 'half' have fewer than 20 records"):
        ds.rank_swap(survey(), ["amount"], window=0.05, by="half", seed=1)


def test_all_problems_at_once():
    with pytest.raises(InvalidParameter) as caught:
        ds.rank_swap(survey(), ["half", "nobody"], window=2, seed=None)
    assert sorted(p.code for p in caught.value.problems) == ["D12", "P10", "P15", "R01"]


def test_a_broken_promise_is_noticed():
    data = survey()
    masked = ds.rank_swap(data, ["amount"], window=0.2, seed=3)
    assert WithinWindow(data, ("amount",), (), 0.2).broken(masked) == []
    said = WithinWindow(data, ("amount",), (), 0.001).broken(masked)
    assert len(said) == 1
    assert said[0].endswith("left the window")
    other = ds.round_values(data, ["amount"], base=1, seed=1)
    assert "other values" in WithinWindow(data, ("amount",), (), 0.5).broken(other)[0]


def test_what_is_swapped_is_known_as_perturbed():
    masked = ds.rank_swap(survey(), ["whole"], window=0.2, seed=3)
    assert masked.perturbed == {"whole"}
    assert "Perturbed: values of 'whole'" in ds.risk(masked).explain()
    assert masked.steps[-1].parameters == {
        "columns": ["whole"], "window": 0.2, "by": [], "seed": 3,
    }  # fmt: skip
