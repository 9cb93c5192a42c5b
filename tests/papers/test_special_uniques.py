"""Printed scores of SUDA: the guide of the International Household Survey Network, and examples
that users and maintainers of sdcMicro settled in its issues."""

import numpy as np
import pytest

import discreet as ds


def suda(rows, **given):
    table = {f"k{a}": list(column) for a, column in enumerate(zip(*rows, strict=True))}
    return ds.suda(ds.read(table, keys=list(table)), **given)


GUIDE = "UFsE UFsE UFpN UMcE RFcU UMcE UFqN UMoU UFsN UFsN".split()


def test_the_scores_of_table_4_5_of_the_guide():
    assert suda(GUIDE).scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_the_alternative_scores_of_the_same_table():
    found = suda(GUIDE, score="alternative").scores
    assert found == pytest.approx([0, 0, 1.75, 0, 3.25, 0, 1.75, 2.75, 0, 0], abs=1e-12)


def test_contributions_of_three_records():
    """sdcMicro, issue 275: 50, 37.5 and 37.5 percent."""
    found = suda(["200", "136", "100"])
    assert list(found.key_contributions.values()) == pytest.approx([0.5, 0.375, 0.375])


def test_scores_and_contributions_of_seven_records():
    """sdcMicro, issue 356."""
    found = suda("AXP BXQ AYQ CZR BYR AXP BZQ".split())
    assert found.scores.tolist() == [0, 2, 3, 3, 3, 0, 2]
    percent = 100 * np.array(list(found.key_contributions.values()))
    assert percent.round(2).tolist() == [61.54, 69.23, 53.85]


def test_scores_of_eight_records():
    """sdcMicro, issue 263."""
    found = suda("2mah 2mah 2mbh 2mbh 2fbu 2fbh 2fbk 6mbu".split())
    assert found.scores.tolist() == [0, 0, 0, 0, 4, 2, 6, 8]
