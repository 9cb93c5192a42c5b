"""Targeted protection: no record stays above the limit, and only risky ones are touched."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import DiscreetError
from tests.examples import examples

KNOWN = {"a": 0.5, "b": 0.4, "c": 0.3}
SENSITIVE = {"c": 0.5, "d": 1.0}


@st.composite
def tables(draw):
    n = draw(st.integers(2, 30))
    values = st.sampled_from(["x", "x", "x", "y", "z", None])
    return pa.table(
        {name: pa.array(draw(st.lists(values, min_size=n, max_size=n)), pa.string())
         for name in "abcd"}
    )  # fmt: skip


@pytest.mark.parametrize("missing", ["category", "wildcard"])
@examples(15)
@given(tables(), st.floats(0, 60))
def test_suppression_brings_every_record_down_to_the_limit(missing, table, limit):
    data = ds.read(table, missing=missing)
    risk = ds.record_risk(data, KNOWN, SENSITIVE)
    masked = ds.protect_records(data, risk, at_most=limit)
    after = ds.record_risk(masked, KNOWN, SENSITIVE)
    assert after.highest <= limit
    before, now = table.to_pydict(), masked.to("arrow").to_pydict()
    blanked = {
        name: sum(
            new is None and old is not None
            for old, new in zip(before[name], now[name], strict=True)
        )
        for name in now
    }
    assert {name: cells for name, cells in blanked.items() if cells} == masked.changes
    assert all(new in (old, None) for c in now for old, new in zip(before[c], now[c], strict=True))


@pytest.mark.parametrize("missing", ["category", "wildcard"])
@given(tables(), st.data())
def test_a_record_at_or_below_the_limit_is_not_changed_unless_the_result_says_so(
    missing, table, data
):
    survey = ds.read(table, missing=missing)
    risk = ds.record_risk(survey, KNOWN, SENSITIVE)
    limit = data.draw(st.sampled_from(sorted(set(risk.values.tolist()))))  # one is at the limit
    masked = ds.protect_records(survey, risk, at_most=limit)
    changed = changed_records(table, masked)
    assert sorted(masked.drawn_in) == sorted(changed & set(np.flatnonzero(risk.values <= limit)))
    assert masked.steps[-1].parameters["drawn_in"] == len(masked.drawn_in)
    if missing == "wildcard":
        assert masked.drawn_in == ()


@given(tables(), st.data())
def test_nobody_is_drawn_in_where_what_is_sensitive_is_not_known(table, data):
    """Cells that nobody knows count for no one else, so that the risky records can lose them."""
    survey = ds.read(table)
    risk = ds.record_risk(survey, {"a": 0.5, "b": 0.4, "c": 0.3}, {"d": 1.0})
    limit = data.draw(st.sampled_from(sorted(set(risk.values.tolist()))) | st.floats(0, 50))
    masked = ds.protect_records(survey, risk, at_most=limit)
    assert masked.drawn_in == ()
    assert changed_records(table, masked) <= set(np.flatnonzero(risk.values > limit))
    after = ds.record_risk(masked, settings=risk.settings)
    assert after.highest <= limit * (1 + 1e-12)


def changed_records(table, masked):
    before, now = table.to_pylist(), masked.to("arrow").to_pylist()
    return {at for at, rows in enumerate(zip(before, now, strict=True)) if rows[0] != rows[1]}


def test_those_who_would_be_left_behind_keep_their_company():
    """To blank the town of the sixth record, or the job of the last, would be cheap, but the first
    five would lose their company and come above the limit."""
    table = {"town": list("aaaaaab"), "job": list("xxxxxyx"), "illness": list("ppppppp")}
    survey = ds.read(table)
    risk = ds.record_risk(survey, {"town": 0.9, "job": 0.9}, {"illness": 1.0})
    limit = float(risk.values[0])
    masked = ds.protect_records(survey, risk, at_most=limit, cost={"illness": 50.0})
    assert masked.drawn_in == ()
    assert changed_records(pa.table(table), masked) == {5, 6}
    assert masked.changes == {"illness": 2}


def test_the_risky_records_are_averaged_among_themselves_where_they_suffice():
    ages = [30] * 20 + [61, 62, 63, 64]
    data = ds.read({"age": ages, "illness": list("pq") * 12})
    risk = ds.record_risk(data, {"age": 0.5}, {"illness": 1.0})
    limit = float(risk.values[0]) * 5.01  # a class of four
    masked = ds.protect_records(data, risk, at_most=limit, method="microaggregate")
    assert masked.drawn_in == ()
    assert masked.to("arrow")["age"].to_pylist()[:20] == [30] * 20


def test_a_risky_record_that_is_alone_draws_others_in_and_the_result_says_which():
    ages = [30] * 20 + [40] * 3 + [61]
    data = ds.read({"age": ages, "illness": list("pq") * 12})
    risk = ds.record_risk(data, {"age": 0.5}, {"illness": 1.0})
    limit = float(risk.values[20])
    masked = ds.protect_records(data, risk, at_most=limit, method="microaggregate")
    changed = np.flatnonzero(np.array(masked.to("arrow")["age"]) != np.array(ages))
    assert sorted(masked.drawn_in) == sorted(set(changed.tolist()) - {23})
    assert len(masked.drawn_in) > 0
    assert masked.steps[-1].parameters["drawn_in"] == len(masked.drawn_in)


@examples(15)
@given(tables(), st.floats(1, 60))
def test_a_wildcard_never_raises_the_risk_of_anyone(table, limit):
    data = ds.read(table, missing="wildcard")
    risk = ds.record_risk(data, KNOWN, SENSITIVE)
    after = ds.record_risk(ds.protect_records(data, risk, at_most=limit), KNOWN, SENSITIVE)
    assert (after.values <= risk.values + 1e-9).all()


def test_a_file_below_the_limit_is_left_as_it_is():
    data = ds.read({"a": list("xxxx"), "d": list("pppp")})
    risk = ds.record_risk(data, {"a": 0.5}, {"d": 1.0})
    masked = ds.protect_records(data, risk, at_most=risk.highest)
    assert masked.changes == {}
    assert masked.to("arrow").equals(data.to("arrow"))


def test_dear_cells_are_blanked_last():
    table = {"a": list("xxxxxxxxxy"), "d": ["p"] * 9 + ["q"]}
    data = ds.read(table, missing="wildcard")
    risk = ds.record_risk(data, {"a": 0.5}, {"d": 1.0})
    plain = ds.protect_records(data, risk, at_most=20)
    dear = ds.protect_records(data, risk, at_most=20, cost={"d": 100.0})
    assert plain.changes == {"d": 1}
    assert dear.changes == {"a": 1}


def test_what_cannot_be_brought_down_is_an_error_with_the_number():
    data = ds.read({"a": list("vwxyz"), "d": list("pqrst")})
    risk = ds.record_risk(data, {"a": 0.5}, {"d": 1.0})
    with pytest.raises(DiscreetError, match=r"D42.*5 records"):
        ds.protect_records(data, risk, at_most=1, columns=["a"])


def test_microaggregating_the_risky_records_leaves_the_others_alone():
    rng = np.random.default_rng(3)
    ages = np.r_[np.repeat([30, 40, 50], 100), rng.integers(18, 99, 30)]
    data = ds.read({"age": ages, "illness": rng.choice(list("pqr"), 330)})
    risk = ds.record_risk(data, {"age": 0.5}, {"illness": 1.0})
    limit = 12.0  # a class of five
    masked = ds.protect_records(data, risk, at_most=limit, method="microaggregate")
    after = ds.record_risk(masked, {"age": 0.5}, {"illness": 1.0})
    assert after.highest <= limit
    now = np.array(masked.to("arrow")["age"])
    assert (now != ages).sum() == masked.changes["age"] <= 30
    assert (now[:300] == ages[:300]).mean() > 0.9


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"at_most": -1}, "P10"),
        ({"at_most": 1, "method": "burn"}, "P16"),
        ({"at_most": 1, "columns": ["nowhere"]}, "P43"),
        ({"at_most": 1, "columns": []}, "P04"),
        ({"at_most": 1, "cost": {"a": 0}}, "P43"),
        ({"at_most": 1, "cost": {"zz": 2}}, "P43"),
    ],
)
def test_wrong_options_are_refused(options, code):
    data = ds.read({"a": list("vwxyz"), "d": list("pqrst")})
    risk = ds.record_risk(data, {"a": 0.5}, {"d": 1.0})
    with pytest.raises(DiscreetError, match=code):
        ds.protect_records(data, risk, **options)


def test_a_risk_of_other_data_is_refused():
    data, other = ds.read({"a": list("vw"), "d": list("pq")}), ds.read({"a": list("v"), "d": ["p"]})
    risk = ds.record_risk(other, {"a": 0.5}, {"d": 1.0})
    with pytest.raises(DiscreetError, match="P43"):
        ds.protect_records(data, risk, at_most=1)


def test_data_that_refuse_missing_values_are_refused():
    data = ds.read({"a": list("vw"), "d": list("pq")}, missing="refuse")
    risk = ds.record_risk(data, {"a": 0.5}, {"d": 1.0})
    with pytest.raises(DiscreetError, match="N40"):
        ds.protect_records(data, risk, at_most=1)


def test_suppression_ends_where_no_cell_lowers_the_risk_any_more():
    class Endless(Exception):
        pass

    def count(_):
        rounds.append(None)
        if len(rounds) > 500:
            raise Endless

    rng, rounds = np.random.default_rng(5), []
    table = {
        "a": rng.integers(1, 90, 60).tolist(),
        "b": rng.choice(["F", "M"], 60).tolist(),
        "c": [f"{x}{y}" for x, y in rng.choice(list("ABCDEF"), (60, 2))],
        "d": rng.choice(["x", "y", "z"], 60).tolist(),
    }
    data = ds.read(table, types={"b": "nominal"})
    risk = ds.record_risk(data, dict.fromkeys("abc", 0.5), {"d": 1.0})
    limit = float(np.quantile(risk.values, 0.1))
    with ds.on_progress(count), pytest.raises(DiscreetError, match="D42"):
        ds.protect_records(data, risk, at_most=limit, columns=["b", "c"])
