"""Truta, Fotouhi, Barth-Jones: global disclosure risk measures and k-anonymity (paper 000)."""

import pytest

import discreet as ds
from tests.papers.tables import FIGURE_4, TABLE_1
from tests.papers.tables import FIGURE_4_SEX as SEX


def test_table_1_satisfies_2_anonymity_and_not_3_anonymity():
    patients = ds.read(TABLE_1, keys=["Age", "Zip", "Sex"])
    assert ds.risk(patients).k == 2
    assert ds.check(patients, ds.KAnonymity(2)).satisfied
    refused = ds.check(patients, ds.KAnonymity(3))
    assert (refused.satisfied, refused.violating_classes, refused.violating_records) == (
        False,
        3,
        6,
    )


@pytest.mark.parametrize(
    ("file", "rows"),
    [
        ("IM", [(1, 8, 8)]),
        ("MM1", [(2, 4, 8)]),
        ("MM2", [(2, 2, 4), (4, 1, 4)]),
        ("MM3", [(2, 1, 2), (6, 1, 6)]),
    ],
)
def test_figure_5_characterises_the_files_by_cluster_sizes(file, rows):
    data = ds.read({"Age": FIGURE_4[file], "Sex": SEX}, keys=["Age", "Sex"])
    assert list(ds.risk(data).class_sizes) == rows


@pytest.mark.parametrize("file", ["MM1", "MM2", "MM3"])
def test_all_three_maskings_of_figure_4_are_2_anonymous_and_none_is_3_anonymous(file):
    data = ds.read({"Age": FIGURE_4[file], "Sex": SEX}, keys=["Age", "Sex"])
    assert ds.check(data, ds.KAnonymity(2)).satisfied
    assert not ds.check(data, ds.KAnonymity(3)).satisfied
