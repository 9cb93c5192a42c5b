"""Noise on microdata: what stays, what is refused, and what a broken promise looks like."""

import decimal

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import InvalidData, InvalidParameter
from discreet.masking.noise import NoiseWithin

KINDS = ["independent", "correlated", "exact-moments", "multiplicative"]


def table(n=60, seed=1):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "rec": np.arange(n),
            "age": rng.integers(18, 90, n),
            "pay": np.where(rng.random(n) < 0.3, 0.0, rng.lognormal(8, 1, n)),
            "sex": np.where(np.arange(n) % 2, "F", "M"),
        }
    )


def read(rows, **more):
    types = {"age": "continuous"} if "age" in rows.column_names else {}
    return ds.read(rows, keys=["sex"], record_id="rec", types=types, **more)


def column(data, name):
    return data.to("arrow")[name]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by", [(), ("sex",)])
def test_the_order_of_the_rows_changes_no_bit(kind, by):
    rows = table()
    found = []
    for order in (np.arange(60), np.arange(60)[::-1], np.random.default_rng(2).permutation(60)):
        data = read(rows.take(pa.array(order)))
        masked = ds.add_noise(data, ["age", "pay"], 0.2, kind=kind, by=by, seed=5).to("arrow")
        back = np.argsort(order)
        found.append([masked[name].to_numpy()[back].tobytes() for name in ("age", "pay")])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("kind", KINDS)
def test_another_seed_gives_other_noise_and_the_same_seed_the_same(kind):
    data = read(table())
    first, again, other = (
        column(ds.add_noise(data, "age", 0.2, kind=kind, seed=seed), "age") for seed in (1, 1, 2)
    )
    assert first.equals(again)
    assert not first.equals(other)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_stay_missing_and_the_others_get_noise(kind):
    rows = table()
    gaps = pa.array(np.where(np.arange(60) % 5 == 0, None, rows["age"].to_numpy()), pa.int64())
    rows = rows.set_column(1, "age", gaps)
    masked = ds.add_noise(read(rows), ["age", "pay"], 0.2, kind=kind, seed=1)
    assert column(masked, "age").is_valid().equals(pa.chunked_array([gaps.is_valid()]))
    assert column(masked, "pay").null_count == 0
    assert masked.outcome.unchanged["age"] == 0


def test_exact_moments_stay_beside_missing_values_and_zeros():
    rows = table(200)
    gaps = pa.array(np.where(np.arange(200) % 5 == 0, None, rows["age"].to_numpy()), pa.int64())
    rows = rows.set_column(1, "age", gaps)
    masked = ds.add_noise(
        read(rows), ["age", "pay"], 0.4, kind="exact-moments", keep_zeros=True, seed=1
    ).to("arrow")
    there = np.arange(200) % 5 != 0
    before, after = (t.to_pandas()[["age", "pay"]].to_numpy(float).T for t in (rows, masked))
    for x, y in ((before[:, there], after[:, there]), (before[1:], after[1:])):
        np.testing.assert_allclose(np.cov(y), np.cov(x), rtol=1e-10)
        np.testing.assert_allclose(y.mean(axis=1), x.mean(axis=1), rtol=1e-12)
    assert ((before[1] == 0) == (after[1] == 0)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_zeros_stay_where_asked_and_with_factors_always(kind):
    data = read(table())
    zero = column(data, "pay").to_numpy() == 0
    kept = column(ds.add_noise(data, "pay", 0.2, kind=kind, keep_zeros=True, seed=1), "pay")
    assert (kept.to_numpy()[zero] == 0).all()
    assert (kept.to_numpy()[~zero] != column(data, "pay").to_numpy()[~zero]).all()
    plain = column(ds.add_noise(data, "pay", 0.2, kind=kind, seed=1), "pay").to_numpy()
    assert (plain[zero] == 0).all() == (kind == "multiplicative")


def test_one_sign_of_the_factors_for_all_numbers_of_a_record():
    data = read(table())
    masked = ds.add_noise(data, ["age", "pay"], 0.3, kind="multiplicative", seed=1)
    up = [column(masked, c).to_numpy() > column(data, c).to_numpy() for c in ("age", "pay")]
    there = column(data, "pay").to_numpy() != 0
    assert (up[0] == up[1])[there].all()
    assert 10 < up[0].sum() < 50


def test_whole_numbers_and_decimals_keep_their_digits_only_where_asked():
    rows = table()
    cents = [decimal.Decimal(i * 7) / 100 for i in range(60)]
    rows = rows.append_column("cents", pa.array(cents, pa.decimal128(6, 2)))
    plain = ds.add_noise(read(rows), ["age", "cents"], 0.3, seed=1)
    assert [column(plain, c).type for c in ("age", "cents")] == [pa.float64()] * 2
    whole = ds.add_noise(read(rows), ["age", "cents"], 0.3, round=True, seed=1)
    assert pa.types.is_integer(column(whole, "age").type)
    assert column(whole, "cents").type.scale == 2
    for name in ("age", "cents"):
        near = column(plain, name).to_numpy().astype(float)
        found = np.array([float(v) for v in column(whole, name).to_pylist()])
        assert np.abs(found - near).max() <= (0.5 if name == "age" else 0.005) + 1e-9


def test_exact_moments_are_never_rounded():
    with pytest.raises(InvalidParameter, match="P81"):
        ds.add_noise(read(table()), "age", 0.3, kind="exact-moments", round=True, seed=1)


def test_what_is_wrong_is_said_all_at_once():
    with pytest.raises(ds.DiscreetError) as caught:
        ds.add_noise(read(table()), ["sex", "agee"], -1, kind="loud", seed=None)
    said = str(caught.value)
    for part in ("amount", "kind", "'sex' is stored as text", "agee", "seed"):
        assert part in said


@pytest.mark.parametrize(("kind", "amount"), [("exact-moments", 1.5), ("multiplicative", 0.7)])
def test_an_amount_that_leaves_no_room_is_refused(kind, amount):
    with pytest.raises(InvalidParameter, match="P10"):
        ds.add_noise(read(table()), "age", amount, kind=kind, seed=1)


@pytest.mark.parametrize(
    ("kind", "size", "least"),
    [("independent", 1, 2), ("correlated", 3, 4), ("exact-moments", 4, 5)],
)
def test_strata_that_are_too_small_are_named_with_their_number(kind, size, least):
    rows = table(20)
    towns = ["a"] * (20 - size) + ["b"] * size
    data = read(rows.append_column("town", pa.array(towns)))
    with pytest.raises(InvalidData, match=f"in 1 stratum by 'town' .*needs {least} at least"):
        ds.add_noise(data, ["age", "pay"], 0.1, kind=kind, by="town", seed=1)
    ds.add_noise(data, ["age", "pay"], 0.1, kind="multiplicative", by="town", seed=1)


def test_a_column_of_one_value_stays_and_is_said_to():
    rows = table().set_column(1, "age", pa.array([40] * 60))
    masked = ds.add_noise(read(rows), ["age", "pay"], 0.2, seed=1)
    assert column(masked, "age").to_pylist() == [40.0] * 60
    assert masked.outcome.spreads["age"] is None
    assert "Unchanged values: age 60" in masked.explain()


def test_numbers_beyond_all_others_are_refused():
    rows = table().set_column(2, "pay", pa.array(np.linspace(1e308, 1.7e308, 60)))
    with pytest.raises(InvalidData, match="values above 1e"):
        ds.add_noise(read(rows), "pay", 0.5, kind="multiplicative", seed=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_promise_is_found(kind):
    data = read(table())
    promise = NoiseWithin(data, ("pay",), (), kind, 0.1, kind == "multiplicative", {"pay": 0.0})
    other = ds.add_noise(data, "pay", 20.0, kind="independent", seed=1)
    assert promise.broken(other)
    assert not promise.broken(ds.add_noise(data, "pay", 0.1, kind=kind, seed=1))


def test_the_report_says_that_keys_were_perturbed(tmp_path):
    data = read(table()).with_roles(keys=["age", "sex"], record_id="rec", identifiers=["pay"])
    masked = ds.add_noise(data, "age", 0.2, seed=987654)
    ds.report(data, masked, tmp_path / "report.html", audience="public")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "blurred by noise" in text
    assert "987654" not in text


def test_noise_chains_with_other_steps():
    data = read(table())
    masked = ds.microaggregate(ds.add_noise(data, "pay", 0.2, seed=1), ["age"], k=3, method="fixed")
    assert [step.method for step in masked.steps] == ["add_noise", "microaggregate"]
    assert masked.initial is data


def test_exact_moments_stay_where_some_are_missing_and_zeros_are_kept():
    rng = np.random.default_rng(0)
    x = [0.0] * 10 + [None] * 10 + rng.normal(5, 1, 10).tolist()
    y = rng.normal(9, 1, 30).tolist()
    data = ds.read({"x": x, "y": y})
    masked = ds.add_noise(data, ["x", "y"], 0.5, kind="exact-moments", keep_zeros=True, seed=1).to(
        "pandas"
    )
    assert masked["x"][:10].tolist() == [0.0] * 10
    assert masked["x"][10:20].isna().all()
    for rows in (slice(0, 10), slice(10, 20), slice(20, 30)):
        assert masked["y"][rows].mean() == pytest.approx(np.mean(y[rows]))


def test_large_whole_numbers_are_not_cut_off():
    values = [9 * 10**18, -9 * 10**18, 8 * 10**18, -7 * 10**18, 5]
    data = ds.read({"c": values}, types={"c": "continuous"})
    plain, whole = (
        ds.add_noise(data, ["c"], amount=0.5, round=rounds, seed=1).to("arrow")["c"].to_pylist()
        for rounds in (False, True)
    )
    assert whole == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", [1e-160, 1e-300])
def test_numbers_whose_squares_are_too_small_to_be_stored_get_the_same_noise(kind, unit):
    pay = table()["pay"].to_numpy() / 1000
    made = []
    for scale in (1.0, unit):
        rows = table().set_column(2, "pay", pa.array(pay * scale))
        masked = ds.add_noise(read(rows), ["age", "pay"], 0.2, kind=kind, seed=1)
        made.append(column(masked, "pay").to_numpy() / scale)
        assert masked.outcome.spreads["pay"] > 0.1
    np.testing.assert_allclose(made[1], made[0], rtol=1e-6, atol=1e-9)
