"""The four counts of a file with blanks or generalized cells."""

import csv
import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import discreet as ds
from discreet.risks.readings import READINGS

SEVEN = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
PEOPLE = {"age": [20, 30, 30, 40, 40], "sex": ["F", "F", "F", "M", "M"]}
BLANKED = {"age": [20, None, None, 40, 40], "sex": ["F", "F", "F", "M", "M"]}
KEYS = ["age", "sex"]


def values(found):
    return {name: getattr(found, name).tolist() for name in READINGS}


# -- what sdcMicro releases ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sdcmicro(reference_data):
    """The test data, and what local suppression of sdcMicro makes of them for 7 keys, k = 3."""
    table = pyarrow.csv.read_csv(reference_data("ihsn_testdata_4580x15.csv")).select(SEVEN)
    columns = table.to_pydict()
    cells = reference_data("golden/sdcmicro_local_suppression_testdata_7keys_k3_cells.csv")
    with cells.open(encoding="utf-8") as lines:
        for cell in csv.DictReader(lines):
            columns[cell["variable"]][int(cell["row"]) - 1] = None
    record = pa.array(np.arange(table.num_rows) * 7)
    before, after = (one.append_column("rec", record) for one in (table, pa.table(columns)))
    return before, after


def test_what_sdcmicro_calls_3_anonymous_leaves_people_with_a_single_candidate(sdcmicro):
    survey, released = (ds.read(table, keys=SEVEN) for table in sdcmicro)
    found = ds.readings(survey, released)
    assert found.k == 3
    assert found.below(3) == {"category": 150, "wildcard": 0, "target": 113, "source": 18}
    assert int((found.target == 1).sum()) == found.below(2)["target"] == 53
    treated = [any(row[k] is None for k in SEVEN) for row in sdcmicro[1].to_pylist()]
    assert sum(treated) == 281
    assert int((found.target < 3)[treated].sum()) == 113  # all of them are treated
    assert found.least_wildcard == 3
    assert found.least_target == found.least_source == found.least_category == 1
    assert "53 of them just one: found for certain" in found.explain()
    assert "The wildcard count holds k = 3, the category, target and source counts do not" in (
        found.explain()
    )


def test_files_are_linked_by_a_column_in_any_order(sdcmicro):
    before, after = sdcmicro
    shuffled = after.take(np.random.default_rng(1).permutation(after.num_rows))
    survey = ds.read(before, keys=SEVEN)
    named = ds.read(before, keys=SEVEN, record_id="rec")
    expected = ds.readings(survey, ds.read(after)).below(5)
    assert ds.readings(survey, ds.read(shuffled), on="rec").below(5) == expected
    assert ds.readings(named, ds.read(shuffled)).below(5) == expected  # by the record id
    wrong = ds.readings(survey, ds.read(shuffled))  # row by row, which is not right here
    assert wrong.target is None
    assert "linked row by row" in wrong.not_applicable["target"]
    assert wrong.below(3)["category"] == 150


def test_fewer_rows_need_a_link(sdcmicro):
    before, after = sdcmicro
    survey, fewer = ds.read(before, keys=SEVEN), ds.read(after.slice(5))
    with pytest.raises(ds.DiscreetError, match="N03"):
        ds.readings(survey, fewer)
    found = ds.readings(survey, fewer, on="rec")
    assert (found.n, found.released, len(found.target)) == (4580, 4575, 4575)


# -- small files -----------------------------------------------------------------------------------


def test_each_count_by_hand():
    found = ds.readings(ds.read(PEOPLE, keys=KEYS), ds.read(BLANKED), k=2)
    assert values(found) == {
        "category": [1, 2, 2, 2, 2],
        "wildcard": [3, 3, 3, 2, 2],
        "target": [3, 2, 2, 2, 2],
        "source": [1, 3, 3, 2, 2],
    }
    table = found.table("arrow").to_pydict()
    assert table["reading"] == list(READINGS)
    assert table["minimum"] == [1, 2, 2, 1]
    assert [name for name in table if name.startswith("below")] == ["below 2", "below 3", "below 5"]
    assert (found.category_below, found.wildcard_below) == (1, 0)


def test_a_missing_value_of_the_initial_file_counts_by_policy():
    before, after = {"age": [20, None, 30]}, {"age": [20, None, 30]}
    as_value = ds.readings(ds.read(before, keys=["age"]), ds.read(after, keys=["age"]))
    assert as_value.target.tolist() == [2, 1, 2]
    assert as_value.source.tolist() == [1, 3, 1]
    how = {"keys": ["age"], "missing": "wildcard"}
    unknown = ds.readings(ds.read(before, **how), ds.read(after, **how))
    assert unknown.target.tolist() == [2, 3, 2]
    assert unknown.source.tolist() == [2, 3, 2]
    assert as_value.wildcard.tolist() == unknown.wildcard.tolist() == [2, 3, 2]


# -- files masked here -----------------------------------------------------------------------------


@pytest.fixture
def patients():
    table = ds.datasets.patients(300, seed=2)
    return ds.read(table, identifiers=["name", "ssn"], keys=["age", "zip", "sex"])


HIERARCHIES = {"age": ds.Hierarchy.intervals([10, 20]), "zip": ds.Hierarchy.prefixes([5, 3, 0])}


def class_sizes(masked):
    """How many records are equal to each in the keys."""
    rows = list(zip(*(masked.to("arrow")[key].to_pylist() for key in masked.keys), strict=True))
    sizes = Counter(rows)
    return [sizes[row] for row in rows]


def test_where_every_value_has_one_label_all_counts_are_the_class_size(patients):
    hierarchies = {"age": HIERARCHIES["age"], "zip": ds.Hierarchy.prefixes([5, 3])}
    found = ds.generalize(patients, hierarchies, ds.KAnonymity(3), max_suppressed=1.0)
    masked = found.mask({"age": 1, "zip": 1, "sex": 0})
    found = ds.readings(patients, masked)
    assert found.released == masked.n < found.n
    assert all(counts == class_sizes(masked) for counts in values(found).values())


def test_the_labels_of_several_steps_are_followed(patients):
    decades = {"age": ds.Hierarchy.intervals([10])}
    once = ds.generalize(patients, decades, ds.KAnonymity(2), max_suppressed=1.0)
    first = once.mask({"age": 1, "zip": 0, "sex": 0})
    assert first.n
    labels = sorted(set(first.to("arrow")["age"].to_pylist()))
    halves = {label: "young" if i < 3 else "old" for i, label in enumerate(labels)}
    again = {"age": ds.Hierarchy.from_dict(halves)}
    twice = ds.generalize(first, again, ds.KAnonymity(2), max_suppressed=1.0)
    second = twice.mask({"age": 1, "zip": 0, "sex": 0})
    found = ds.readings(patients, second)
    assert set(second.to("arrow")["age"].to_pylist()) <= {"young", "old"}
    assert all(counts == class_sizes(second) for counts in values(found).values())


def test_a_perturbed_file_has_only_the_category_count(patients):
    found = ds.readings(patients, ds.microaggregate(patients, ["age"], k=5))
    assert found.category is not None
    assert (found.wildcard, found.target, found.source) == (None, None, None)
    assert set(found.not_applicable) == {"wildcard", "target", "source"}
    assert found.below()["target"] is None
    assert found.to_dict()["least_target"] is None
    assert "perturbed" in found.explain()
    with pytest.raises(ds.DiscreetError, match="N50"):
        found.column("target")


def test_a_sample_counts_those_who_are_in_it(patients):
    sample = ds.sample(patients, fraction=0.3, seed=1)
    found = ds.readings(patients, sample)
    assert found.target.tolist() == class_sizes(sample)


def test_blanks_of_protect_records_are_counted(patients):
    risk = {"known": {"zip": 0.4, "sex": 0.5}, "sensitivity": {"age": 1.0}}
    measured = ds.record_risk(patients, **risk)
    masked = ds.protect_records(patients, measured, at_most=measured.highest / 2)
    found = ds.readings(patients, masked)
    assert not found.not_applicable
    assert (found.category <= found.target).all()
    assert (found.target <= found.wildcard).all()


# -- files with groups, masked elsewhere -----------------------------------------------------------

GROUPS = {"age": ["20-29", "20-29", "*", "30", "40"]}


def test_hierarchies_say_what_labels_stand_for():
    survey = ds.read({"age": [21, 25, 30, 30, 40]}, keys=["age"])
    ages = ds.Hierarchy.from_dict(
        {21: ["20-29", "*"], 25: ["20-29", "*"], 30: ["30-39", "*"], 40: ["40-49", "*"]}
    )
    unknown = ds.readings(survey, ds.read(GROUPS))
    assert unknown.source is None
    found = ds.readings(survey, ds.read(GROUPS), hierarchies={"age": ages})
    assert values(found) == {
        "category": [2, 2, 1, 1, 1],
        "wildcard": [3, 3, 5, 2, 2],
        "target": [3, 3, 2, 2, 2],
        "source": [2, 2, 5, 2, 1],
    }
    pairs = pa.table({"value": [21, 25, 21, 25, 30, 40], "label": ["20-29"] * 2 + ["*"] * 4})
    assert values(ds.readings(survey, ds.read(GROUPS), hierarchies={"age": pairs})) == values(found)


@pytest.mark.parametrize(
    ("hierarchies", "code"),
    [
        ({"age": "wrong"}, "P19"),
        ({"town": ds.Hierarchy.suppress()}, "R10"),
        ([1], "P19"),
        ({"age": ds.Hierarchy.from_dict({21: ["20-29"]})}, "D"),
    ],
)
def test_hierarchies_that_do_not_fit_are_refused(hierarchies, code):
    survey = ds.read({"age": [21, 25, 30, 30, 40]}, keys=["age"])
    with pytest.raises(ds.DiscreetError, match=code):
        ds.readings(survey, ds.read(GROUPS), hierarchies=hierarchies)


@pytest.mark.parametrize("k", [1, 0, "3", 2.5, None])
def test_k_is_a_whole_number_from_2_on(k):
    survey = ds.read(PEOPLE, keys=KEYS)
    with pytest.raises(ds.DiscreetError):
        ds.readings(survey, ds.read(BLANKED), k=k)


def test_what_is_no_microdata_and_a_key_that_is_gone_are_refused():
    survey = ds.read(PEOPLE, keys=KEYS)
    with pytest.raises(ds.DiscreetError, match="P09"):
        ds.readings(survey, BLANKED)
    with pytest.raises(ds.DiscreetError, match="R01"):
        ds.readings(survey, ds.read({"age": [1, 2, 3, 4, 5]}))


# -- how it shows itself ---------------------------------------------------------------------------


def test_columns_and_files_of_counts_hold_no_cell(tmp_path):
    released = ds.read(BLANKED)
    found = ds.readings(ds.read(PEOPLE, keys=KEYS), released)
    for name in READINGS:
        assert found.column(name).to("arrow")[name].to_pylist() == values(found)[name]
    assert found.column("target", "t").columns[-1] == "t"
    with pytest.raises(ds.DiscreetError, match="R02"):
        found.column("target", "age")
    with pytest.raises(ds.DiscreetError, match="P16"):
        found.column("nobody")
    found.write(tmp_path / "counts.csv")
    written = pyarrow.csv.read_csv(tmp_path / "counts.csv").to_pydict()
    assert written == {"record": [0, 1, 2, 3, 4], **values(found)}
    with pytest.raises(ds.DiscreetError, match="O03"):
        found.write(tmp_path / "counts.csv")


def test_the_result_is_plain_and_names_no_value():
    found = ds.readings(ds.read(PEOPLE, keys=KEYS), ds.read(BLANKED))
    assert repr(found) == (
        "Readings: at least category 1, wildcard 2, target 2, source 1 in 5 released records"
    )
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["category_below"] == 5
    assert plain["below"][0] == {"k": 2, "category": 1, "wildcard": 0, "target": 0, "source": 1}
    with pytest.raises(AttributeError):
        _ = found.least_nothing


def test_a_file_that_hides_everybody_needs_no_advice():
    survey = ds.read({"age": [1, 1, 1]}, keys=["age"])
    found = ds.readings(survey, ds.read({"age": [1, 1, 1]}))
    assert found.warnings() == []
    assert "Next" not in found.explain()
    assert "finds at least 3 fitting records" in found.explain()


def test_local_recoding_knows_what_its_labels_stand_for(patients):
    masked = ds.recode(patients, HIERARCHIES, ds.KAnonymity(3), search="quick")
    found = ds.readings(patients, masked)
    assert not found.not_applicable
    assert found.least_category >= 3
    assert (found.category <= found.target).all()
    assert (found.target <= found.wildcard).all()
    assert (found.source <= found.wildcard).all()


def test_a_column_of_which_no_cell_is_coarser_keeps_its_type():
    survey = ds.read({"k": [1, 1, 2]}, keys=["k"])
    once = {"k": ds.Hierarchy.suppress()}
    masked = ds.recode(survey, once, ds.KAnonymity(2), max_suppressed=1)
    assert masked.changes == {}
    assert masked.to("arrow")["k"].to_pylist() == [1, 1]
    assert ds.readings(survey, masked).target.tolist() == [2, 2]
    found = ds.disclosure_risk(survey, masked)  # it looks at the records that were left out, too
    assert (found.maximal, found.maximal_compatible) == (1 / 3, 1 / 3)
    assert "DR_max is exact" in found.explain()
