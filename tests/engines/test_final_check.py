"""On every engine a masked file is checked where its records are, before it is handed out; and a key that
is confidential is counted like any other attribute.
"""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.masking import found
from discreet.masking import microaggregate as microaggregating
from discreet.masking.aggregation import Grouping
from tests.engines.tables import ROLES, survey
from tests.engines.test_masking import hierarchies

TABLE = pa.table(
    {
        "rec": list(range(8)),
        "town": list("aaaabbbb"),
        "step": ["p", "p", "s", "t", "p", "s", None, "t"],
    }
)


@pytest.fixture(scope="module")
def data(engine):
    return engine.read(survey(300), **ROLES)


@pytest.fixture(scope="module")
def keyed(engine):
    return engine.read(
        TABLE,
        keys=["town"],
        confidential=["town", "step"],
        types={"step": list("pqrst")},
        record_id="rec",
    )


@pytest.mark.verb("generalize")
def test_records_that_were_not_suppressed_are_found_out(data, monkeypatch):
    node = ds.generalize(data, hierarchies(), ds.KAnonymity(4), max_suppressed=0.2).best
    assert node.suppressed
    none = lambda f, levels, gone: _combinations(f, levels, gone[:0])  # noqa: E731
    monkeypatch.setattr(found, "_suppressed_combinations", none)
    with pytest.raises(ds.DiscreetError, match=r"InternalError\[I01\]"):
        node.mask()


_combinations = found._suppressed_combinations


@pytest.mark.verb("microaggregate")
def test_groups_that_are_too_small_are_found_out(data, monkeypatch):
    def of_one(one, **changes):
        return dataclasses.replace(one, **changes, **({"k": 1} if type(one) is Grouping else {}))

    alone = lambda columns, *_: np.arange(len(columns[0].values))  # noqa: E731
    monkeypatch.setattr(microaggregating, "replace", of_one)  # on the executors
    monkeypatch.setattr(microaggregating, "groups_of", alone)  # here
    with pytest.raises(ds.DiscreetError, match=r"InternalError\[I01\]"):
        ds.microaggregate(data, ["income"], k=5)


@pytest.mark.verb("check")
@pytest.mark.parametrize(
    ("criterion", "records"),
    [
        (ds.LDiversity(2, "entropy"), 8),
        (ds.LDiversity(2, "recursive", c=3), 8),
        (ds.TCloseness(0.49, confidential="town"), 8),
        (ds.TCloseness(0.5, confidential="town"), 0),
        (ds.PSensitiveKAnonymity(2, 2), 8),
        # of p, q, r, s, t and missing: a is ½ ¼ ¼ 0, b is ¼ ¼ ¼ ¼ on steps 0, 3, 4, 5
        (ds.TCloseness(0.125, "ordered", confidential="step"), 0),
        (ds.TCloseness(0.1, "ordered", confidential="step"), 8),
    ],
    ids=lambda value: value.describe() if hasattr(value, "describe") else "",
)
def test_a_key_that_is_confidential_and_a_scale_with_gaps_are_counted(keyed, criterion, records):
    assert ds.check(keyed, criterion).violating_records == records


@pytest.mark.verb("generalize")
def test_a_search_counts_a_key_that_is_confidential(keyed):
    criteria = [ds.PSensitiveKAnonymity(1, 2), ds.TCloseness(0.5, "ordered")]
    node = ds.generalize(keyed, {}, criteria, max_suppressed=0).best
    assert (node.feasible, node.suppressed, node.classes) == (True, 0, 2)
