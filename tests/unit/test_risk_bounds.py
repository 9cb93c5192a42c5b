"""Risks at their bounds: what is just inside a range, and what is just outside."""

import math

import numpy as np
import pytest

import discreet as ds
from discreet.risks.by_class import ClassSizes
from discreet.risks.candidates import Candidate
from discreet.risks.record_level import Histogram, RecordsAbove
from discreet.risks.sensitivity import value_table


def test_a_bin_of_class_sizes_begins_with_its_first_size_and_ends_before_the_next():
    sizes = (1, 4, 5, 9, 10, 19, 20, 999, 1000, 5000)
    rows = ClassSizes(sizes, (1,) * 10, sizes).binned()
    assert dict(rows) == {
        "1": 1, "2": 0, "3": 0, "4": 4, "5–9": 14, "10–19": 29, "20–49": 20, "50–99": 0,
        "100–999": 999, "1000+": 6000,
    }  # fmt: skip
    assert ClassSizes((2,), (3,), (6,)).binned() == [("1", 0), ("2", 6)]


def test_the_share_above_a_risk_does_not_count_the_risk_itself():
    data = ds.read({"a": [1, 2, 2, 3, 3, 3, 3, 3]}, keys=["a"])
    found = ds.risk(data)
    assert found.share_above(0.2) == 3 / 8
    assert found.share_above(0.5) == 1 / 8
    assert found.share_above(0) == 1
    assert found.share_above(1) == 0
    for wrong in (-0.1, 1.1, "much"):
        with pytest.raises(ds.DiscreetError, match="between 0 and 1"):
            found.share_above(wrong)
    assert found.mean_risk == pytest.approx(3 / 8)
    assert (found.highest_risk, found.uniques, found.classes) == (1, 1, 3)


def test_a_risk_on_an_edge_of_the_histogram_belongs_below_it():
    found = Histogram.of(np.array([0.0, 0.01, 0.1, 0.1000001, 0.0, 1.0]))
    assert found.zeros == 2
    assert len(found.edges) == len(found.counts) + 1
    assert sum(found.counts) == 4
    for risk in (0.01, 0.1, 1.0):
        at = next(i for i, edge in enumerate(found.edges) if math.isclose(edge, risk)) - 1
        assert found.counts[at] == 1
    after = next(i for i, edge in enumerate(found.edges) if edge > 0.1000001) - 1
    assert found.counts[after] == 1
    steps = np.log10(found.edges) * 4
    assert steps == pytest.approx(np.arange(-9, 1))
    assert Histogram.of(np.zeros(3)) == Histogram((), (), 3)


def test_records_above_a_threshold_are_a_number_and_their_places():
    some = RecordsAbove(0.5, 2, np.array([1, 4]), 6)
    assert (int(some.__index__()), len(some), list(some)) == (2, 2, [1, 4])
    assert some == 2
    assert some != 3
    assert some == RecordsAbove(0.5, 2, np.array([1, 4]), 6)
    assert some != RecordsAbove(0.5, 2, np.array([1, 3]), 6)
    assert np.asarray(some).tolist() == [1, 4]
    with pytest.raises(ds.DiscreetError) as raised:
        list(RecordsAbove(0.5, 2, None, 6))
    assert raised.value.code == "N02"


def test_ratios_of_a_set_of_attributes_by_hand():
    four = Candidate(("a",), 5, 4, 3, 1)
    assert (four.distinct, four.unique, four.separation) == (0.8, 0.6, 0.9)
    assert Candidate(("a",), 2, 1, 0, 1).separation == 0
    assert Candidate(("a",), 1, 1, 1, 0).separation == 1


@pytest.mark.parametrize(
    ("ranges", "problems"),
    [
        ([(None, 4, 1.0), (4, 7, 0.5)], 0),  # they touch
        ([(None, 4, 1.0), (3.9, 7, 0.5)], 1),
        ([(4, 4, 1.0)], 1),  # holds nothing
        ([(4, 7, 1.1)], 1),
        ([(4, 7, 0), (None, 4, 1)], 0),
        ([(4, 7)], 1),
        ([(float("nan"), 7, 1)], 1),
    ],
)
def test_ranges_of_values_may_touch_and_may_not_overlap(ranges, problems):
    assert len(value_table("income", ranges)[1]) == problems


def test_a_range_holds_its_upper_bound_and_not_its_lower():
    import pyarrow as pa

    table, _ = value_table("income", [(0, 4, 0.2), (4, None, 0.7)])
    found = table.weights(pa.array([0.0, 0.1, 4.0, 4.1, 1e300]))
    assert np.isnan(found[0])
    assert found[1:].tolist() == [0.2, 0.2, 0.7, 0.7]
