"""What perturbing methods share: their records, strata, and what is said of risks afterwards."""

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.engine import choice
from discreet.errors import InvalidData, NotSupported
from discreet.masking import method
from discreet.masking.method import column_problems
from discreet.masking.perturbation import drawing_problems, drawn_records
from discreet.registry import maskings

TABLE = pa.table(
    {
        "rec": ["a", "b", "c", "d", "e", "f"],
        "age": pa.array([1, 2, 3, 4, None, 6], pa.int32()),
        "town": ["x", "x", "y", "y", "y", None],
    }
)


def survey(order=None):
    table = TABLE if order is None else TABLE.take(pa.array(order))
    return ds.read(table, keys=["age", "town"], record_id="rec")


def test_hashes_are_the_first_half_of_md5():
    import hashlib

    found = drawn_records(survey(), ["age"], seed=7)
    expected = sorted(
        int(hashlib.md5(f"7:{one}".encode(), usedforsecurity=False).hexdigest()[:16], 16)
        for one in TABLE["rec"].to_pylist()
    )
    assert found.hashes.tolist() == expected


@pytest.mark.parametrize("order", [[5, 4, 3, 2, 1, 0], [2, 0, 1, 5, 3, 4]])
def test_records_come_in_an_order_that_rows_do_not_change(order):
    first, second = (
        drawn_records(data, ["age"], ["town"], 1) for data in (survey(), survey(order))
    )
    assert (first.hashes == second.hashes).all()
    assert first["age"].to_pylist() == second["age"].to_pylist()
    assert [list(map(int, part)) for part in first.strata] == [
        list(map(int, part)) for part in second.strata
    ]


def test_records_without_a_value_are_in_no_part():
    found = drawn_records(survey(), ["age"], ["town"], 1)
    parts = found.parts(["age"], 1)["age"]
    assert sorted(len(part) for part in parts) == [1, 2, 2]
    assert sorted(len(part) for part in found.strata) == [1, 2, 3]  # a missing stratum is one


def test_strata_that_are_too_small_are_named_with_their_number():
    with pytest.raises(InvalidData, match=r"\[D07\]: 1 of 3 strata by 'town' have fewer than 2 r"):
        drawn_records(survey(), ["age"], ["town"], 1).parts(["age"], 2)
    with pytest.raises(InvalidData, match=r"'age' has a value in 5 records, and .* needs 9"):
        drawn_records(survey(), ["age"], (), 1).parts(["age"], 9)


def test_masked_values_go_back_to_their_records():
    data = survey([3, 1, 0, 2, 5, 4])
    found = drawn_records(data, ["age"], (), 1)
    masked = found.masked({"age": found["age"]}, method="same", parameters={}, promise=None)
    assert masked.to("arrow")["age"].to_pylist() == data.to("arrow")["age"].to_pylist()
    assert masked.to("arrow").schema.field("age").type == pa.int32()


@pytest.mark.usefixtures("unheld")
def test_too_many_records_of_another_machine_are_not_fetched(monkeypatch):
    monkeypatch.setattr(choice, "is_distributed", lambda source: True)
    monkeypatch.setattr(choice, "_MOST", 5)
    with pytest.raises(NotSupported, match=r"\[N10\]: .* the columns of 6 records"):
        drawn_records(survey(), ["age"])


def test_all_problems_of_columns_are_told_at_once():
    found = drawing_problems(survey(), ["age", "age", "rec", "tonw"], ["age", "regoin"], 0.5)
    assert [p.code for p in found] == ["R01", "R01", "R02", "R02", "R04", "P15"]
    assert [p.code for p in column_problems(survey(), [])] == ["P04"]


# -- what is said afterwards -----------------------------------------------------------------------


@pytest.fixture
def perturbed(monkeypatch):
    """A file whose key was perturbed by a method that says so of itself."""
    entry = next(iter(maskings.entries().values()))
    made = method.Method(
        entry, lambda data: data, "", "", "", "", perturbs=lambda given: given["p"]
    )
    monkeypatch.setattr("discreet.data.masked.maskings", {"odd": made})

    def masked(**given):
        found = drawn_records(survey(), ["age"], (), 1)
        return found.masked({"age": np.arange(6)}, method="odd", parameters=given, promise=None)

    return masked


def test_what_was_perturbed_depends_on_the_method_and_its_parameters(perturbed):
    assert perturbed(p=True).perturbed == {"age"}
    assert perturbed(p=False).perturbed == frozenset()


def test_results_on_perturbed_keys_say_what_they_are_worth(perturbed):
    masked, plain = perturbed(p=True), perturbed(p=False)
    for measure in (ds.risk, ds.risky_combinations, lambda m: ds.check(m, ds.KAnonymity(1)),
                    lambda m: ds.disclosure_risk(m.initial, m)):  # fmt: skip
        said = measure(masked).explain()
        assert said.count("Perturbed: values of 'age' were changed at random") == 1
        assert "Perturbed" not in measure(plain).explain()
        assert measure(masked).to_dict()["computed_from"]["perturbed"] == ("age",)
        assert "perturbed" not in measure(plain).to_dict()["computed_from"]


def test_a_perturbed_column_that_is_no_key_needs_no_caution(perturbed):
    masked = perturbed(p=True).with_roles(keys=["town"])
    assert ds.risk(masked).provenance.perturbed == ()


def test_criteria_on_perturbed_confidential_values_say_what_they_are_worth():
    table = {"k": ["a"] * 6 + ["b"] * 6, "s": ["x"] * 6 + ["x", "y"] * 3}
    survey = ds.read(table, keys=["k"], confidential=["s"])
    masked = ds.pram(survey, ["s"], keep=0.5, seed=1)
    asked = (ds.PSensitiveKAnonymity(2, 3), ds.LDiversity(2), ds.TCloseness(0.9))
    for one in asked:
        assert "Perturbed: values of 's' were changed" in ds.check(masked, one).explain()
        assert "Perturbed" not in ds.check(survey, one).explain()
    assert "Perturbed" not in ds.check(masked, ds.KAnonymity(3)).explain()
    found = ds.risk(masked)
    assert "Perturbed: values of 's' were changed" in found.explain()
    assert found.to_dict()["computed_from"]["perturbed_confidential"] == ("s",)


def noisy(**roles):
    table = {"rec": range(8), "age": [1.0, 1, 2, 2, 3, 3, 4, 5], "sex": list("fmfmfmfm"),
             "w": [9.0] * 8}  # fmt: skip
    data = ds.read(pa.table({n: list(c) for n, c in table.items()}), keys=["age", "sex"], **roles)
    return ds.add_noise(data, ["age"], 0.5, seed=1)


@pytest.mark.parametrize(
    "measure",
    [ds.individual_risk, ds.model_risk, ds.population_uniqueness, ds.population_range,
     lambda data: ds.model_risk(data, fit="weights", population=100),
     lambda data: ds.population_uniqueness(data, population=8), ds.key_candidates],
)  # fmt: skip
def test_weighted_results_on_perturbed_keys_say_what_they_are_worth(measure):
    said = measure(noisy(weight="w", subject="rec")).explain()
    assert said.count("Perturbed: values of 'age' were changed at random") == 1
    assert said.count("Not used: that a person ('rec') may have several records.") == 1


def test_weights_that_are_used_are_not_called_unused():
    masked = noisy(weight="w")
    asked = {"fit": "weights", "population": 100}
    for found in (ds.population_range(masked), ds.model_risk(masked, **asked)):
        assert "Not used: the weights" not in found.explain()
    assert "Not used: the weights" in ds.model_risk(masked, population=100).explain()
    assert "Not used: the weights" in ds.population_range(masked, population=100).explain()


def test_record_risk_looks_at_what_is_known_whatever_the_keys_are():
    masked = noisy()
    for keys in ([], ["sex"]):
        data = masked.with_roles(keys=keys)
        found = ds.record_risk(data, known={"age": 0.5}, sensitivity={"sex": 1.0})
        assert "Perturbed: values of 'age'" in found.explain()
    found = ds.record_risk(masked, known={"sex": 0.5}, sensitivity={"age": 1.0})
    assert "Perturbed" not in found.explain()


def test_nobody_is_linked_for_certain_where_keys_were_perturbed():
    masked = noisy()
    found = ds.disclosure_risk(masked.initial, masked)
    assert found.minimal > 0
    assert found.exact is False
    assert "exact" not in found.explain()
    assert "surely" not in found.explain()
    assert "at most" in found.in_short()
    plain = ds.sample(masked.initial, fraction=1.0, seed=1)
    assert ds.disclosure_risk(masked.initial, plain).exact


def test_four_counts_of_perturbed_keys_promise_nothing_for_the_other_counts():
    masked = noisy()
    found = ds.readings(masked.initial, masked)
    assert "8 records have fewer than 3 by the category count, all of them just one." in (
        found.explain()
    )
    assert "Next:" not in found.explain()
