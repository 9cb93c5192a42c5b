"""Suggested roles: by the names of the columns and by how many values they have."""

import datetime as dt
import json

import pytest

import discreet as ds

IDENTIFIERS = [  # the eighteen of HIPAA, as columns are named in practice
    "name", "First Name", "lastName", "patient_name", "surname",
    "street_address", "home address",
    "phone", "tel", "Phone Number", "mobile",
    "fax", "email", "e-mail", "EMAIL_ADDRESS",
    "ssn", "SSN", "social_security_number",
    "mrn", "medical record number",
    "beneficiary_id", "member_id", "account_number", "iban", "license_no", "drivers license",
    "vin", "license_plate", "device_id", "serial_number", "url", "ip", "ip_address", "IPAddress",
    "fingerprint", "photo",
]  # fmt: skip
KEYS = [
    "zip", "ZIP Code", "postcode", "city", "county", "city_name", "country", "birth_date",
    "dateOfBirth", "dob", "admission_date", "age", "Age", "sex", "gender", "race", "ethnicity",
    "marital_status", "education", "occupation", "birthplace",
]  # fmt: skip
CONFIDENTIAL = ["illness", "diagnosis", "ICD10", "income", "salary", "drug_name", "Amount_Billed"]


def suggested(names):
    columns = {name: [i % 3 for i in range(60)] for name in names}
    return {s.column: s.role for s in ds.suggest_roles(ds.read(columns)).suggestions}


@pytest.mark.parametrize(
    ("names", "role"),
    [(IDENTIFIERS, "identifier"), (KEYS, "key"), (CONFIDENTIAL, "confidential")],
    ids=["identifiers", "keys", "confidential"],
)
def test_names_are_known_however_they_are_written(names, role):
    found = suggested(names)
    assert {name: r for name, r in found.items() if r != role} == {}


@pytest.mark.parametrize("name", ["PatientID", "patient_id", "Patient", "person no", "pid"])
def test_a_number_of_people_is_the_subject_where_records_share_it(name):
    assert suggested([name]) == {name: "subject"}


def test_a_name_inside_a_word_says_nothing():
    found = suggested(["shipping", "renamed", "passage", "zipper", "agenda", "sexton", "smart"])
    assert set(found.values()) == {"other"}


def test_one_unique_column_names_the_records_and_others_are_identifiers():
    table = {"id": list(range(50)), "case_id": [f"c{i}" for i in range(50)], "x": [1] * 50}
    found = ds.suggest_roles(ds.read(table))
    assert found.roles == {"identifiers": ["case_id"], "record_id": "id"}


def test_an_id_that_is_not_unique_does_not_name_records():
    assert suggested(["id"]) == {"id": "other"}


def test_a_text_with_nearly_as_many_values_as_records_may_name_people():
    table = {"note": [f"n{max(i, 2)}" for i in range(50)], "number": list(range(50))}
    found = ds.suggest_roles(ds.read(table))
    assert found.roles == {"identifiers": ["note", "number"]}
    assert found.reason("note") == "a text with 48 values in 50 records"


def test_a_column_on_which_many_records_are_unique_is_proposed_to_be_left_out():
    table = {"number": list(range(50)), "mixed": [0] * 46 + [1, 2, 3, 4], "few": [0, 1] * 25}
    found = ds.suggest_roles(ds.read(table))
    assert found.roles == {"identifiers": ["number", "mixed"]}
    assert found.reason("number").startswith("all 50 records are unique on it: leave it out")
    assert found.reason("mixed").startswith("4 of 50 records (8.0%) are unique on it")


@pytest.mark.parametrize(
    "name", ["ori_hid", "hhid", "HH_ID", "household_number", "Household no.", "familyId"]
)
def test_a_household_number_is_the_household_where_records_share_it(name):
    assert suggested([name]) == {name: "household"}
    alone = ds.suggest_roles(ds.read({name: list(range(30))}))
    assert alone.roles == {"identifiers": [name]}
    gaps = ds.suggest_roles(ds.read({name: [1, 1, 2, 2, None, None] * 9}))
    assert gaps.roles == {"identifiers": [name]}


def test_one_column_is_the_household_and_the_next_an_identifier():
    assert suggested(["hid", "family_id"]) == {"hid": "household", "family_id": "identifier"}


def test_a_kind_or_a_size_of_household_is_a_key():
    assert suggested(["household_size"]) == {"household_size": "key"}
    many = {"household": [i // 3 for i in range(90)]}
    assert ds.suggest_roles(ds.read(many)).roles == {"household": "household"}
    few = {"household": [i % 3 for i in range(90)]}
    assert ds.suggest_roles(ds.read(few)).roles == {"keys": ["household"]}


def test_uniqueness_says_nothing_of_a_few_records():
    assert ds.suggest_roles(ds.read({"note": list("abcdefgh")})).roles == {}


def test_a_sampling_weight_is_a_number_named_so():
    assert suggested(["sampling_weight", "fnlwgt"]) == {
        "sampling_weight": "weight",
        "fnlwgt": "other",
    }
    assert suggested(["weight"]) == {"weight": "other"}


def test_a_weight_that_may_be_of_a_body_is_asked_about_even_where_it_makes_records_unique():
    few, many = [60, 70] * 30, [60 + i / 8 for i in range(60)]
    for numbers, role in ((few, "other"), (many, "identifier")):
        found = ds.suggest_roles(ds.read({"weight": numbers, "sex": ["m", "f"] * 30}))
        (one,) = [one for one in found.suggestions if one.column == "weight"]
        assert one.role == role
        assert one.reason.startswith("by its name, a sampling weight or the weight of a body")


@pytest.mark.parametrize("name", ["household_weights", "personWeight", "hh_wt", "final weight"])
def test_a_weight_is_never_proposed_as_a_key(name):
    assert suggested([name]) == {name: "weight"}
    found = ds.suggest_roles(ds.read({"sampling_weight": [1, 2] * 30, name: [3, 4] * 30}))
    assert found.roles == {"weight": "sampling_weight"}
    assert found.reason(name) == "by its name, a sampling weight; another column has that role"


def test_the_weight_of_a_body_is_no_sampling_weight():
    assert set(suggested(["body_weight", "weight_kg"]).values()) == {"other"}


def test_a_confidential_column_says_how_many_records_are_unique_on_it():
    found = ds.suggest_roles(ds.read({"income": list(range(60)), "illness": list("ab") * 30}))
    assert found.roles == {"confidential": ["income", "illness"]}
    assert found.reason("income") == "by its name, money; all 60 records are unique on it"
    assert found.reason("illness") == "by its name, health"


def test_suggestions_can_be_read_with():
    table = ds.datasets.patients(100, 1)
    found = ds.suggest_roles(ds.read(table))
    data = ds.read(table, **found.roles)
    assert data.identifiers == ("name", "ssn")
    assert data.keys == ("age", "zip", "sex")
    assert data.confidential == ("illness", "income")


def test_suggestions_show_themselves():
    found = ds.suggest_roles(ds.read({"<b>ssn</b>": [1, 2], "age": [3, 4]}))
    assert list(found.table("pandas").columns) == ["column", "role", "reason"]
    assert json.dumps(found.to_dict())
    assert "&lt;b&gt;" in found._repr_html_()
    assert repr(found) == found.explain()


def test_only_microdata_are_taken():
    with pytest.raises(ds.DiscreetError) as caught:
        ds.suggest_roles({"a": [1]})
    assert caught.value.code == "P09"


def test_a_column_of_dates_is_a_key_whatever_its_name():
    days = [dt.date(2024, 1, 1 + i % 28) for i in range(60)]
    found = ds.suggest_roles(ds.read({"Aufnahme": days}))
    assert found.roles == {"keys": ["Aufnahme"]}
    assert found.reason("Aufnahme") == "a date (HIPAA: all but the year)"


def test_names_of_a_german_discharge_file_are_known():
    names = ["hauptdiagnose", "nebendiagnosen", "Aufnahmediagnose", "sterbedatum"]
    assert suggested(names) == {**dict.fromkeys(names[:3], "confidential"), "sterbedatum": "key"}


def test_german_names_are_known():
    found = suggested(["Bundesland", "PLZ", "Wohnort", "Krankheit", "Kosten", "Haushaltsnummer"])
    assert found == {
        "Bundesland": "key",
        "PLZ": "key",
        "Wohnort": "key",
        "Krankheit": "confidential",
        "Kosten": "confidential",
        "Haushaltsnummer": "household",
    }


def test_a_column_of_few_records_for_each_value_says_so_and_not_that_none_is_unique():
    table = {"size": [f"1,{60 + i}" for i in range(25)] * 2, "sex": ["F", "M"] * 25}
    reason = ds.suggest_roles(ds.read(table)).reason("size")
    assert reason.startswith("on average 2.0 records share a value of it: leave it out")
    assert "unique" not in reason
