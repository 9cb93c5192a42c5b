"""Every perturbing method: the same value for the same record, to the last bit, on every engine, in
every order of the rows, with one thread or two.
"""

import hashlib

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet import engine as verbs
from discreet.registry import maskings
from tests.engines.tables import ROLES
from tests.engines.test_described import MASKINGS, weighted

PERTURBING = [name for name in maskings if maskings[name].perturbs]
ORDERS = 3


def digest(masked):
    """Of all released values by record id; floating-point numbers to the last bit."""
    at = masked.source.at("rec")
    found = verbs.records(masked.source, at, list(masked.released), at).to_pydict()
    text = repr([[repr(v) for v in column] for column in found.values()])
    return hashlib.sha256(text.encode()).hexdigest()


def shuffled(table, seed):
    order = np.random.default_rng(seed).permutation(table.num_rows)
    return table.take(pa.array(order)) if seed else table


@pytest.fixture(scope="module")
def expected():
    """The digest of each method on the file as it is."""
    data = ds.read(weighted(), **ROLES, weight="weight")
    return {name: digest(MASKINGS[name](data)) for name in PERTURBING}


@pytest.mark.parametrize("name", PERTURBING)
def test_neither_engine_nor_order_nor_threads_change_a_value(name, engine, expected):
    orders = range(ORDERS) if engine.name == "duckdb" else range(1, ORDERS)
    for seed in orders:
        data = engine.read(shuffled(weighted(), seed), **ROLES, weight="weight")
        for threads in (1, 2) if engine.name == "duckdb" else (2,):
            with ds.settings(threads=threads):
                assert digest(MASKINGS[name](data)) == expected[name]


@pytest.mark.parametrize("name", PERTURBING)
def test_values_are_changed_and_the_file_says_in_which_columns(name, expected):
    data = ds.read(weighted(), **ROLES, weight="weight")
    masked = MASKINGS[name](data)
    assert masked.perturbed
    for column in masked.perturbed:
        found = [d.to("arrow")[column] for d in (data, masked)]
        assert found[0].to_pylist() != found[1].to_pylist()
        assert found[0].null_count == found[1].null_count
