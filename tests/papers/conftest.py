"""Files that several papers are about."""

import csv

import pytest

import discreet as ds


@pytest.fixture(scope="module")
def census(reference_data):
    path = reference_data("CASC_census_1080x13.csv")
    with path.open() as file:
        names = next(csv.reader(file))
    return ds.read(path, keys=names)
