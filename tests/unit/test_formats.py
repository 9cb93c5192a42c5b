"""Files of SPSS, Stata and spreadsheets: read, masked and written, with what they say of values."""

import datetime as dt
import zipfile
from decimal import Decimal

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import discreet as ds

pyreadstat = pytest.importorskip("pyreadstat")
pytest.importorskip("python_calamine")
pytest.importorskip("xlsxwriter")

SEX = {1: "male", 2: "female", 9: "refused to answer"}
EDU = {1: "primary", 2: "secondary", 3: "tertiary"}
REGION = {10: "North", 20: "South-West", 30: "Zanzibar"}


def people(n=60):
    return pd.DataFrame(
        {
            "sex": [1.0, 2.0, 9.0] * (n // 3),
            "edu": [1.0 + i % 3 for i in range(n)],
            "region": [30.0] + [10.0, 20.0] * ((n - 1) // 2) + [10.0] * ((n - 1) % 2),
            "age": [20.0 + i % 40 for i in range(n - 2)] + [99.0, np.nan],
            "income": [1000.5 + 10 * i for i in range(n)],
            "job": ["smith", "baker", ""] * (n // 3),
            "born": [dt.date(1980, 1, 1) + dt.timedelta(i) for i in range(n)],
            "w": [1.5] * n,
        }
    )


LABELS = {
    "sex": "Sex of the respondent",
    "edu": "Highest education",
    "region": "Region of residence",
    "age": "Age in years",
}
VALUES = {"sex": SEX, "edu": EDU, "region": REGION, "age": {99: "unknown"}}


@pytest.fixture
def sav(tmp_path):
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        people(),
        path,
        file_label="Survey by Jane Doe",
        note="Call Jane Doe, +43 1 234",
        column_labels=LABELS,
        variable_value_labels={n: {float(c): t for c, t in v.items()} for n, v in VALUES.items()},
        missing_ranges={"sex": [9], "age": [{"lo": 98, "hi": 99}]},
        variable_measure={"sex": "nominal", "edu": "ordinal", "region": "nominal", "age": "scale"},
        variable_format={"income": "F10.2"},
    )
    return path


@pytest.fixture
def dta(tmp_path):
    path = tmp_path / "survey.dta"
    frame = people().astype({"sex": "int32", "edu": "int32", "region": "int32"})
    values = {name: given for name, given in VALUES.items() if name != "age"}
    pyreadstat.write_dta(
        frame, path, file_label="Survey by Jane Doe", column_labels=LABELS,
        variable_value_labels=values,
    )  # fmt: skip
    return path


@pytest.fixture
def xlsx(tmp_path):
    path = tmp_path / "survey.xlsx"
    with pd.ExcelWriter(path, engine="xlsxwriter") as writer:
        people().to_excel(writer, sheet_name="people", index=False)
        pd.DataFrame({"a": [1]}).to_excel(writer, sheet_name="other", index=False)
    return path


def values(data, name):
    return data.to("arrow")[name].to_pylist()


def bytes_hold(path, *words):
    raw = path.read_bytes()
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            raw = b"".join(book.read(name) for name in book.namelist())
    return [word for word in words if word.encode() in raw or word.encode("utf-16-le") in raw]


# -- reading ---------------------------------------------------------------------------------------


def test_words_take_the_place_of_codes_and_codes_that_mean_missing_are_missing(sav):
    data = ds.read(sav)
    assert values(data, "sex")[:3] == ["male", "female", None]
    assert values(data, "edu")[:3] == ["primary", "secondary", "tertiary"]
    assert values(data, "age")[-3:] == [20 + 57 % 40, None, None]
    assert values(data, "job")[:3] == ["smith", "baker", None]
    assert values(data, "born")[0] == dt.date(1980, 1, 1)
    assert values(data, "income")[0] == 1000.5


def test_levels_of_measurement_give_the_types(sav):
    types = ds.read(sav).types
    assert types["sex"].measure == "nominal"
    assert (types["edu"].measure, types["edu"].scale) == ("ordinal", tuple(EDU.values()))
    assert types["age"].measure == "continuous"


def test_what_the_user_says_counts_more(sav):
    assert ds.read(sav, types={"edu": "nominal"}).types["edu"].measure == "nominal"


def test_codes_stay_where_that_is_asked_for(sav):
    data = ds.read(sav, labels=False)
    assert values(data, "edu")[:3] == [1, 2, 3]
    assert data.source.kinds["edu"] == "integer"


def test_more_codes_can_be_named_as_missing(sav):
    assert set(values(ds.read(sav, missing_values={"edu": [3]}), "edu")) == {
        "primary",
        "secondary",
        None,
    }


def test_stata_files_have_words_and_labels_too(dta):
    data = ds.read(dta)
    assert values(data, "region")[0] == "Zanzibar"
    assert data.origin.book.label("edu") == "Highest education"


def test_the_weight_of_an_spss_file_is_the_weight(sav):
    raw = bytearray(sav.read_bytes())
    place = 1 + 5 + 1 + 1  # five numbers, a text of up to 8 characters, a date
    raw[76:80] = place.to_bytes(4, "little")
    sav.write_bytes(raw)
    assert ds.read(sav).weight == "w"
    assert ds.read(sav, keys=["w"]).weight is None


def test_sheets_are_named_or_numbered(xlsx):
    assert ds.read(xlsx).n == 60
    assert ds.read(xlsx, sheet="other").columns == ("a",)
    assert ds.read(xlsx, sheet=2).columns == ("a",)
    with pytest.raises(ds.DiscreetError, match="S17"):
        ds.read(xlsx, sheet="nowhere")
    with pytest.raises(ds.DiscreetError, match="It has 2 sheets, counted from 1: "):
        ds.read(xlsx, sheet=9)
    data = ds.read(xlsx)
    assert data.source.kinds["age"] == "integer"
    assert data.source.kinds["income"] == "number"


def test_labels_are_shown(sav):
    assert "Sex of the respondent" in repr(ds.read(sav))
    assert ds.read(sav).table("arrow").column_names[-1] == "label"


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_pieces_and_files_of_the_engine_give_the_same_records(sav, dta, monkeypatch, suffix):
    path = sav if suffix == ".sav" else dta
    whole = ds.read(path).to("arrow")
    from discreet.data import foreign
    from discreet.formats import statistical

    monkeypatch.setattr(statistical, "_CELLS", 80)
    assert ds.read(path).to("arrow").equals(whole)
    monkeypatch.setattr(foreign, "_IN_MEMORY", 0)
    assert ds.read(path).to("arrow").equals(whole)


# -- writing ---------------------------------------------------------------------------------------


@pytest.fixture
def masked(sav):
    data = ds.read(sav, keys=["sex", "region", "age"], confidential=["income"])
    hierarchies = {
        "age": ds.Hierarchy.intervals([20]),
        "region": ds.Hierarchy.suppress(),
        "sex": ds.Hierarchy.suppress(),
    }
    return ds.generalize(data, hierarchies, ds.KAnonymity(3), max_suppressed=0.2)


def by_hand(found, **levels):
    return found.lattice.node(levels).mask()


def test_records_are_written_as_they_were_read(sav, tmp_path):
    ds.read(sav).write(tmp_path / "again.sav")
    first, meta = pyreadstat.read_sav(sav)
    again, other = pyreadstat.read_sav(tmp_path / "again.sav")
    pd.testing.assert_frame_equal(first, again, check_dtype=False)
    for about in ("column_names_to_labels", "variable_measure", "original_variable_types"):
        assert getattr(other, about) == getattr(meta, about), about
    known = {n: {c: t for c, t in v.items() if c not in (9, 99)} for n, v in VALUES.items()}
    assert other.variable_value_labels == {n: v for n, v in known.items() if v}


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta"])
def test_masked_values_have_labels_and_removed_ones_have_none(masked, tmp_path, suffix):
    path = tmp_path / f"release{suffix}"
    by_hand(masked, region=1, age=1).write(path)
    read = pyreadstat.read_dta if suffix == ".dta" else pyreadstat.read_sav
    frame, meta = read(path)
    words = meta.variable_value_labels
    assert set(words["age"].values()) == {"[20, 40)", "[40, 60)"}
    assert list(words["region"].values()) == ["*"]
    assert set(frame["age"].dropna()) == set(words["age"])
    assert set(words["sex"].values()) == {"male", "female"}
    assert meta.column_names_to_labels["age"] == "Age in years"
    if suffix != ".zsav":
        assert bytes_hold(path, "Zanzibar", "South-West", "refused", "unknown") == []
    assert bytes_hold(path, "Jane", "+43") == []
    again = ds.read(path)
    assert set(values(again, "age")) - {None} == {"[20, 40)", "[40, 60)"}


def test_a_label_of_a_suppressed_record_is_gone(sav, tmp_path):
    """Only one person lives in Zanzibar."""
    data = ds.read(sav, keys=["region"])
    found = ds.generalize(data, {}, ds.KAnonymity(2), max_suppressed=1)
    found.best.mask().write(tmp_path / "release.sav")
    assert bytes_hold(tmp_path / "release.sav", "Zanzibar") == []
    assert bytes_hold(tmp_path / "release.sav", "South-West") == ["South-West"]


def test_what_a_file_says_of_itself_is_left_out_unless_asked_for(sav, tmp_path):
    data = ds.read(sav)
    written = data.write(tmp_path / "a.sav")
    assert {"file_label", "notes", "creation_time"} <= set(written.dropped)
    assert "Metadata left out" in written.explain()
    data.write(tmp_path / "b.sav", metadata=["notes"])
    meta = pyreadstat.read_sav(tmp_path / "b.sav", metadataonly=True)[1]
    assert (meta.notes, meta.file_label or "") == (["Call Jane Doe, +43 1 234"], "")
    assert meta.creation_time.year == 2000
    with pytest.raises(ds.DiscreetError, match="P28"):
        data.write(tmp_path / "c.sav", metadata=["author"])


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xlsx"])
def test_the_same_records_give_the_same_bytes(masked, tmp_path, suffix):
    once = masked.best.mask()
    for name in ("a", "b"):
        once.write(tmp_path / f"{name}{suffix}")
    first, second = ((tmp_path / f"{n}{suffix}").read_bytes() for n in "ab")
    assert first == second


def test_a_sheet_has_the_words_and_the_labels_of_variables(masked, tmp_path):
    by_hand(masked, region=1, age=1).write(tmp_path / "release.xlsx")
    gone = ("Zanzibar", "South-West", "refused", "unknown", "Jane", "+43")
    assert bytes_hold(tmp_path / "release.xlsx", *gone, "[20, 40)") == ["[20, 40)"]
    frame = pd.read_excel(tmp_path / "release.xlsx", engine="openpyxl")
    assert set(frame["age"].dropna()) == {"[20, 40)", "[40, 60)"}
    about = pd.read_excel(tmp_path / "release.xlsx", sheet_name="variables", engine="openpyxl")
    assert about.set_index("column")["label"]["age"] == "Age in years"


def test_a_text_that_looks_like_a_formula_is_a_text(tmp_path):
    ds.read({"a": ["=1+1", "@x", "http://x"]}).write(tmp_path / "f.xlsx")
    import openpyxl

    sheet = openpyxl.load_workbook(tmp_path / "f.xlsx").active
    assert [(cell.value, cell.data_type) for cell in sheet["A"][1:]] == [
        ("=1+1", "s"),
        ("@x", "s"),
        ("http://x", "s"),
    ]


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_a_csv_file_can_be_written_for_them_as_well(tmp_path, suffix):
    (tmp_path / "t.csv").write_text("age,job,day\n20,smith,2020-01-02\n,baker,\n")
    ds.read(tmp_path / "t.csv").write(tmp_path / f"t{suffix}")
    again = ds.read(tmp_path / f"t{suffix}")
    assert values(again, "age") == [20, None]
    assert values(again, "job") == ["smith", "baker"]
    assert values(again, "day") == [dt.date(2020, 1, 2), None]


def test_names_that_the_program_does_not_take_are_named(tmp_path):
    data = ds.read({"a b": [1], "c" * 40: [1]})
    with pytest.raises(ds.DiscreetError) as found:
        data.write(tmp_path / "t.dta")
    assert [p.code for p in found.value.problems] == ["O10", "O10"]
    assert not (tmp_path / "t.dta").exists()


def test_letters_of_stata_are_missing(tmp_path):
    frame = pd.DataFrame({"x": [1, 2, "a", "b"]})
    pyreadstat.write_dta(frame, tmp_path / "t.dta", missing_user_values={"x": ["a", "b"]})
    assert values(ds.read(tmp_path / "t.dta"), "x") == [1, 2, None, None]


def test_labels_of_variables_tell_roles_where_names_say_nothing(tmp_path):
    frame = pd.DataFrame(
        {"v1": [20, 30, 40] * 10, "v2": [1, 2, 3] * 10, "sex": [1, 2, 1] * 10, "v3": [1, 2, 2] * 10}
    )
    question = "On how many days of the last year did you visit a town or a city?"
    labels = {"v1": "Age of respondent", "v2": "Monthly income", "sex": "Income", "v3": question}
    pyreadstat.write_sav(frame, tmp_path / "s.sav", column_labels=labels)
    found = ds.suggest_roles(ds.read(tmp_path / "s.sav"))
    assert found.roles == {"keys": ["v1", "sex"], "confidential": ["v2"]}
    assert found.reason("v1").startswith("by its label, age")
    assert found.reason("sex").startswith("by its name, sex")


# -- what a file cannot hold -----------------------------------------------------------------------

SUFFIXES = (".xlsx", ".sav", ".dta")
NOON = dt.datetime.fromisoformat("2024-05-01 12:30:15")
UNHELD = {
    "a time zone": (pa.array([NOON, None], pa.timestamp("us", "UTC")), SUFFIXES),
    "a date before 1900": (pa.array([dt.date(1899, 12, 31), None]), (".xlsx",)),
    "a moment before 1900": (pa.array([NOON.replace(year=1850), None]), (".xlsx",)),
    "the first noon of 1900": (pa.array([NOON.replace(1900, 1, 1), None]), (".xlsx",)),
    "infinity": (pa.array([float("inf"), 1.0]), SUFFIXES),
    "minus infinity": (pa.array([float("-inf"), 1.0]), SUFFIXES),
    "the largest number": (pa.array([1.7976931348623157e308, 1.0]), SUFFIXES),
    "a number too large for Stata": (pa.array([-8.99e307, 1.0]), (".dta",)),
    "whole numbers": (pa.array([2**53 + 1, None]), SUFFIXES),
    "negative whole numbers": (pa.array([-(2**53) - 1, 2]), SUFFIXES),
    "digits": (pa.array([Decimal("1234567890123456.1"), None]), SUFFIXES),
    "whole decimal numbers": (pa.array([Decimal(2**53 + 1), None]), SUFFIXES),
    "a long text": (pa.array(["x" * 32_768, None]), (".xlsx", ".sav")),
    "a long text of pictures": (pa.array(["\U0001f600" * 16_384, "y"]), (".xlsx", ".sav")),
    "a text with a zero": (pa.array(["a\0b", None]), (".sav", ".dta")),
}  # fmt: skip


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("what", UNHELD)
def test_a_column_that_a_file_cannot_hold_is_named_or_written_as_it_is(what, suffix, tmp_path):
    cells, refused = UNHELD[what]
    data, path = ds.read(pa.table({"odd": cells, "even": [1, 2]})), tmp_path / f"t{suffix}"
    if suffix not in refused:
        data.write(path)
        assert values(ds.read(path), "odd") == values(data, "odd")
        return
    _refuses_odd(data, path)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "cell",
    ["DATE '10000-01-01'", "DATE 'infinity'", "TIMESTAMP '10000-01-01 00:00'", "TIME '24:00'"],
)
def test_a_time_of_a_database_that_a_file_cannot_hold_is_named(cell, suffix, tmp_path):
    connection = ibis.duckdb.connect()
    connection.raw_sql(f"CREATE TABLE t AS SELECT {cell} odd, 1 even UNION ALL SELECT NULL, 2")
    _refuses_odd(ds.read(connection.table("t")), tmp_path / f"t{suffix}")


def _refuses_odd(data, path):
    with pytest.raises(ds.DiscreetError) as caught:
        data.write(path)
    (problem,) = caught.value.problems
    assert problem.code == "O10"
    assert problem.what.startswith(f"a {path.suffix} file cannot hold 'odd': it has ")
    assert "Write .csv or .parquet" in problem.remedy
    assert list(path.parent.iterdir()) == []


HELD = {
    "the largest whole numbers": pa.array([2**53, -(2**53)]),
    "numbers that mean missing to Stata": pa.array([2**31 - 1, -(2**31)], pa.int32()),
    "times in seconds": pa.array([NOON, None], pa.timestamp("s")),
    "times in thousandths": pa.array([NOON, None], pa.timestamp("ms")),
    "times and a midnight": pa.array([NOON, dt.datetime.fromisoformat("1950-01-01")]),
    "the first days of a sheet": pa.array([dt.date(1900, 3, 1), dt.date(1950, 1, 1)]),
    "the last day": pa.array([dt.date(9999, 12, 31), None]),
    "a long text and none": pa.array(["x" * 3000, None]),
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("what", HELD)
def test_a_column_that_a_file_can_hold_is_the_same_again(what, suffix, tmp_path):
    data = ds.read(pa.table({"x": HELD[what], "y": [1, 2]}))
    data.write(tmp_path / f"t{suffix}")
    assert values(ds.read(tmp_path / f"t{suffix}"), "x") == values(data, "x")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_decimal_numbers_are_numbers(suffix, tmp_path):
    cells = {
        "x": pa.array([Decimal("1.10"), None], pa.decimal128(38, 18)),
        "whole": pa.array([Decimal(2**53), Decimal(1)]),
    }
    ds.read(pa.table(cells)).write(tmp_path / f"t{suffix}")
    again = ds.read(tmp_path / f"t{suffix}")
    assert (values(again, "x"), values(again, "whole")) == ([1.1, None], [2**53, 1])


def test_labels_that_would_be_cut_are_refused(tmp_path):
    frame = pd.DataFrame({"v": [1, 2]})
    pyreadstat.write_sav(frame, tmp_path / "s.sav", column_labels={"v": "x" * 81})
    words = {"v": {1: "y" * 121, 2: "no"}}
    pyreadstat.write_dta(frame.astype("int32"), tmp_path / "s.dta", variable_value_labels=words)
    for source, target in (("s.sav", "t.dta"), ("s.dta", "t.sav")):
        with pytest.raises(ds.DiscreetError, match=r"O10.*'v': it.* longer than"):
            ds.read(tmp_path / source).write(tmp_path / target)


@pytest.mark.parametrize(
    "cells", [{"a": [None, 1, None]}, {"a": ["", "x", None], "b": [None, 1, None]}]
)
def test_records_without_a_value_are_not_lost_in_a_sheet(cells, tmp_path):
    """An empty row of a sheet is no record to who reads it."""
    data = ds.read(pa.table(cells))
    with pytest.raises(ds.DiscreetError, match=r"O10.*2 records without any value") as error:
        data.write(tmp_path / "t.xlsx")
    assert ".csv" in str(error.value)
    assert list(tmp_path.iterdir()) == []
    data.write(tmp_path / "t.csv")
    assert ds.read(tmp_path / "t.csv").n == 3


@pytest.mark.parametrize(
    ("suffix", "name"),
    [*((".dta", name) for name in ("int", "if", "_n", "str5", "strL", "²")),
     *((".sav", name) for name in ("WITH", "ALL", "_n", "_x", "²"))],
)  # fmt: skip
def test_a_name_that_is_a_word_of_the_program_is_refused_before_anything_is_written(
    suffix, name, tmp_path
):
    data = ds.read(pa.table({name: [1, 2], "ok": [3, 4]}))
    with pytest.raises(ds.DiscreetError, match=rf"O10.*column {name!r}\. Rename it"):
        data.write(tmp_path / f"t{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("suffix", "names"),
    [(".dta", ["Int", "ifs", "_x", "str", "WITH", "año"]), (".sav", ["with", "int", "a_", "año"])],
)
def test_a_name_that_only_looks_like_a_word_of_the_program_is_kept(suffix, names, tmp_path):
    ds.read(pa.table(dict.fromkeys(names, [1, 2]))).write(tmp_path / f"t{suffix}")
    assert ds.read(tmp_path / f"t{suffix}").columns == tuple(names)
