"""Domingo-Ferrer, Torra (paper 004): Tables 2 and 3 on the Census file, and what sdcMicro gives."""

import csv

import numpy as np
import pytest

import discreet as ds

TABLE_2 = {  # k: IL1, IL4, IL5 for 13 attributes
    3: (0.907, 0.058, 0.016),
    6: (1.389, 0.134, 0.032),
    9: (1.535, 0.161, 0.039),
    12: (1.564, 0.164, 0.046),
}
TABLE_3 = {3: (0.363, 0.534), 6: (0.548, 0.674), 9: (0.598, 0.705), 12: (0.628, 0.731)}
SIX = {  # k: IL1, IL4, IL5, PIL(m11), PIL(r): averages over the whole file (finding 6)
    3: (0.131, 0.036, 0.007, 0.161, 0.255),
    6: (0.174, 0.075, 0.013, 0.270, 0.371),
    9: (0.203, 0.129, 0.017, 0.332, 0.430),
    12: (0.185, 0.166, 0.020, 0.373, 0.471),
}


def losses(census, columns, k, scope):
    masked = ds.microaggregate(census, columns, k=k)
    return ds.information_loss(census, masked, scope=scope)


@pytest.mark.parametrize("k", TABLE_2)
def test_the_13_attribute_rows_of_tables_2_and_3(census, k):
    found = losses(census, None, k, "keys")
    computed = (found.il1, found.il4, found.il5, found.pil_m11, found.pil_r)
    printed = (*TABLE_2[k], *TABLE_3[k])
    if k == 12:
        assert computed == pytest.approx(printed, rel=0.03)
    else:
        assert tuple(round(v, 3) for v in computed) == printed
    assert found.il2 < 1e-9
    assert found.il3 < 1e-9


@pytest.mark.parametrize("k", SIX)
def test_the_6_attribute_rows_are_averages_over_the_whole_file(census, k):
    found = losses(census, list(census.columns[:6]), k, "file")
    il1, il4, il5, m11, r = SIX[k]
    assert found.il1 == pytest.approx(il1, abs=0.0015)
    assert found.il5 == pytest.approx(il5, abs=0.001)
    assert found.il4 == pytest.approx(il4, rel=0.035)
    assert (found.pil_m11, found.pil_r) == pytest.approx((m11, r), rel=0.015)
    assert set(found.untouched) == set(census.columns[6:])


@pytest.mark.parametrize(("k", "ratio"), [(3, 0.05692), (5, 0.09088), (10, 0.14156)])
def test_sse_over_sst_is_as_the_literature_prints_it(census, k, ratio):
    masked = ds.microaggregate(census, k=k, preserve_variance=False)
    assert ds.information_loss(census, masked).sse_ratio == pytest.approx(ratio, abs=5e-6)


@pytest.mark.parametrize("k", [3, 5])
def test_the_masked_values_are_those_of_sdcmicro(census, reference_data, k):
    with reference_data(f"golden/sdcmicro_mdav_census_k{k}.csv").open() as file:
        rows = list(csv.reader(file))
    expected = np.array([[float(v) for v in row] for row in rows[1:]])
    table = ds.microaggregate(census, k=k, preserve_variance=False).to("arrow")
    ours = np.column_stack([table[name].to_numpy() for name in census.columns])
    np.testing.assert_allclose(ours, expected[:, -13:], rtol=1e-9)


def test_the_groups_and_losses_of_sdcmicro(census, reference_data):
    with reference_data("golden/sdcmicro_mdav_census.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        k = int(row["k"])
        masked = ds.microaggregate(census, k=k, preserve_variance=False)
        assert ds.risk(masked).classes == int(row["groups"])
        ours = ds.information_loss(census, masked).sse_ratio
        assert ours == pytest.approx(float(row["sse_ratio_percent"]) / 100, abs=1e-8)


def test_figure_2_convex_median():
    scale = [str(v) for v in range(8)]
    for values, median, convex in (([1, 2, 7], "2", "4"), ([1, 2, 2, 5, 6], "2", "3")):
        data = ds.read({"v": [str(v) for v in values]}, keys=["v"], types={"v": scale})
        for ordinal, expected in (("median", median), ("convex-median", convex)):
            masked = ds.microaggregate(data, k=len(values), ordinal=ordinal)
            assert set(masked.to("arrow")["v"].to_pylist()) == {expected}
