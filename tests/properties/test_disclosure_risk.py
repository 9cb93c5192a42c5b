"""Lemmas 2.1 and 2.2, identities 2.2–2.9 and what the papers remark, on random files."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from tests.examples import examples

ages = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("MF")), min_size=2, max_size=30)


def initial_file(rows):
    columns = {"age": pa.array([r[0] for r in rows]), "sex": pa.array([r[1] for r in rows])}
    return ds.read(columns, keys=["age", "sex"])


@st.composite
def maskings(draw):
    """An initial file and a masking of it: sample, microaggregation, recoding, or a chain."""
    rows = draw(ages)
    initial = initial_file(rows)
    kind = draw(st.sampled_from(["sample", "microaggregate", "recode", "chain"]))
    if kind == "recode":
        return initial, *_recoded(draw, rows)
    masked = initial
    if kind in ("microaggregate", "chain"):
        k = draw(st.integers(1, len(rows)))
        method = draw(st.sampled_from(["fixed", "optimal-univariate"]))
        masked = ds.microaggregate(masked, ["age"], k=k, method=method)
    if kind in ("sample", "chain"):
        masked = ds.sample(masked, n=draw(st.integers(1, len(rows))), seed=draw(st.integers(0, 9)))
    return initial, masked, None


def _recoded(draw, rows):
    """Any change of the keys at all, some records left out, in any order: masked elsewhere."""
    codes = draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))
    kept = draw(st.lists(st.sampled_from(range(len(rows))), min_size=1, unique=True))
    columns = {
        "age": pa.array([codes[rows[r][0]] for r in kept]),
        "sex": pa.array([rows[r][1] for r in kept]),
        "rec": pa.array(kept),
    }
    return ds.read(columns, keys=["age", "sex"]), "rec"


def measured(case):
    initial, masked, on = case
    if on:
        numbered = initial.to("arrow").append_column("rec", pa.array(range(initial.n)))
        initial = ds.read(numbered, keys=["age", "sex"])
    return initial, masked, ds.disclosure_risk(initial, masked, on=on)


monotone = st.one_of(
    st.floats(0, 1).map(ds.Weights.decay), st.integers(1, 8).map(ds.Weights.threshold)
)


@given(maskings(), monotone)
def test_lemmas_21_and_22_the_weighted_measure_lies_between_minimal_and_maximal(case, weights):
    _, _, found = measured(case)
    assert 0 <= found.minimal <= found.weighted(weights) + 1e-12
    assert found.weighted(weights) <= found.maximal + 1e-12 <= 1 + 2e-12


@given(maskings())
def test_only_w11_gives_the_minimal_and_equal_weights_the_maximal_measure(case):
    _, _, found = measured(case)
    assert found.weighted(ds.Weights.from_matrix([[7]])) == pytest.approx(found.minimal)
    equal = ds.Weights.from_function(lambda i, j: 3.0)
    assert found.weighted(equal) == pytest.approx(found.maximal)


@given(maskings())
def test_the_minimal_measure_is_zero_exactly_when_no_record_is_unique_in_both_files(case):
    _, _, found = measured(case)
    assert (found.minimal == 0) == all(
        (i, j) != (1, 1) for i, j, _ in found.classification.entries()
    )


@given(maskings())
def test_identities_22_to_27_and_29_hold(case):
    initial, masked, found = measured(case)
    for sizes, total in ((found.initial_sizes, initial.n), (found.masked_sizes, masked.n)):
        assert all(n == i * F for i, F, n in sizes)
        assert sum(n for _, _, n in sizes) == total
    assert list(found.initial_sizes) == list(ds.risk(initial).class_sizes)
    assert list(found.masked_sizes) == list(ds.risk(masked).class_sizes)
    by_row = {i: t for i, _, t in found.masked_sizes}
    for i, t in by_row.items():
        assert sum(c for a, _, c in found.classification.entries() if a == i) == t  # (2.9)


@given(ages, st.data())
def test_identity_28_a_sample_has_no_class_larger_than_the_initial_one(rows, draw):
    initial = initial_file(rows)
    released = ds.sample(initial, n=draw.draw(st.integers(1, len(rows))), seed=1)
    found = ds.disclosure_risk(initial, released)
    assert all(i <= j for i, j, _ in found.classification.entries())
    paper = sum(c / j for _, j, c in found.classification.entries()) / found.n  # (2.11)
    assert found.maximal == pytest.approx(paper)
    assert found.exact


@given(maskings())
def test_c_follows_the_records_by_identity_as_a_slow_count_does(case):
    initial, masked, found = measured(case)
    on = case[2]
    first = list(zip(*(initial.to("arrow")[k].to_pylist() for k in ("age", "sex")), strict=True))
    link = masked.to("arrow")["rec"] if on else found.contributions(kind="arrow").column(0)
    table = masked.to("arrow")
    second = list(zip(*(table[k].to_pylist() for k in ("age", "sex")), strict=True))
    order = link.to_pylist()
    if not on:  # records of a masking come in the order of the initial file
        assert order == sorted(order)
    cells = {}
    for place, record in enumerate(order):
        cell = second.count(second[place]), first.count(first[record])
        cells[cell] = cells.get(cell, 0) + 1
    assert sorted((*cell, c) for cell, c in cells.items()) == list(found.classification.entries())


@given(maskings(), st.integers(1, 6))
def test_a_threshold_is_zero_exactly_for_k_plus_1_anonymity_or_k_plus_1_twins(case, k):
    _, masked, found = measured(case)
    zero = found.weighted(ds.Weights.threshold(k)) == 0
    cells = list(found.classification.entries())
    if all(i >= j for i, j, _ in cells):
        assert zero == ds.check(masked, ds.KAnonymity(k + 1)).satisfied
    if all(i <= j for i, j, _ in cells):
        assert zero == all(j > k for _, j, _ in cells)


@given(maskings())
def test_counting_the_compatible_records_never_gives_more_than_the_maximal_measure(case):
    _, _, found = measured(case)
    if found.maximal_compatible is not None:
        assert found.maximal_compatible <= found.maximal + 1e-12


@examples(20)
@given(st.integers(0, 10**6))
def test_simulation_confirms_the_predicted_expectation_and_deviation(seed):
    rng = np.random.default_rng(seed)
    initial = ds.read({"a": rng.integers(0, 60, 200)}, keys=["a"])
    predicted = ds.sampling_risk(initial).at(0.25)
    draws = [
        ds.disclosure_risk(initial, ds.sample(initial, fraction=0.25, seed=s)) for s in range(40)
    ]
    for name in ("minimal", "maximal"):
        values = np.array([getattr(d, name) for d in draws])
        mean, sd = getattr(predicted, name), getattr(predicted, f"{name}_sd")
        assert abs(values.mean() - mean) <= 5 * sd / np.sqrt(40) + 1e-12
        assert values.std() <= 2 * sd + 1e-12
