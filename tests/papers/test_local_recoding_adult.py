"""Local recoding of the Adult file: the losses that were reached in trials, each released file
counted anew from its text, and whole columns made coarser beside it."""

import collections

import pyarrow as pa
import pytest

import discreet as ds

EIGHT = "sex age race marital-status education native-country workclass salary-class".split()
NINE = [*EIGHT, "occupation"]


@pytest.fixture(scope="module")
def adult(reference_data):
    path = reference_data("adult/adult_30162x9.csv")
    above = {
        key: ds.Hierarchy.from_csv(reference_data(f"adult/adult_hierarchy_{key}.csv"))
        for key in NINE
    }
    return path, above


def read(adult, keys):
    path, above = adult
    rest = ["occupation"] if "occupation" not in keys else []
    return ds.read(path, keys=keys, confidential=rest), {key: above[key] for key in keys}


def classes(masked, keys, beside=()):
    """The values of `beside` in every class, from the released file."""
    table: pa.Table = masked.to("arrow")
    cells = zip(*(table[name].to_pylist() for name in keys), strict=True)
    found = collections.defaultdict(list)
    values = table[beside].to_pylist() if beside else [None] * table.num_rows
    for cell, value in zip(cells, values, strict=True):
        found[cell].append(value)
    return list(found.values())


@pytest.mark.parametrize(("search", "most"), [("quick", 0.0280), ("default", 0.0271)])
def test_eight_keys_lose_less_than_in_arx(adult, search, most):
    data, above = read(adult, EIGHT)
    masked = ds.recode(data, above, ds.KAnonymity(5), search=search)
    assert masked.bound <= masked.loss <= most
    assert masked.n == data.n
    assert min(map(len, classes(masked, EIGHT))) >= 5


ASKED = {
    "p": (EIGHT, ds.PSensitiveKAnonymity(p=2, k=5), 2),
    "distinct l": (EIGHT, [ds.KAnonymity(5), ds.LDiversity(3)], 3),
    "entropy l": (EIGHT, [ds.KAnonymity(5), ds.LDiversity(2, kind="entropy")], 2),
    "nine keys": (NINE, ds.KAnonymity(5), 1),
}


@pytest.mark.parametrize("name", ASKED)
def test_at_most_half_of_what_whole_columns_lose(adult, name):
    keys, criterion, distinct = ASKED[name]
    data, above = read(adult, keys)
    masked = ds.recode(data, above, criterion, search="quick")
    columns = ds.generalize(data, above, criterion, max_suppressed=1.0).best
    assert masked.loss <= columns.loss / 2
    held = classes(masked, keys, "occupation" if distinct > 1 else ())
    assert min(map(len, held)) >= 5
    assert min(len(set(values)) for values in held) >= distinct
