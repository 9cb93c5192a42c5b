"""Files of other programs that are broken, lie, or mean harm: a clear error or the right answer."""

import random
import zipfile

import numpy as np
import pandas as pd
import pytest

import discreet as ds
from discreet import csvfile

pyreadstat = pytest.importorskip("pyreadstat")
pytest.importorskip("python_calamine")
openpyxl = pytest.importorskip("openpyxl")

SECRET = "SECRET-918273"


def error_of(path, **options):
    with pytest.raises(ds.DiscreetError) as found:
        ds.read(path, **options)
    assert SECRET not in str(found.value)
    assert found.value.__cause__ is None
    return found.value


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A whole file of each kind."""
    folder = tmp_path_factory.mktemp("whole")
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=3000), "b": [f"{SECRET}{i}" for i in range(3000)]})
    pyreadstat.write_sav(frame, folder / "t.sav")
    pyreadstat.write_sav(frame, folder / "t.zsav", compress=True)
    pyreadstat.write_dta(frame, folder / "t.dta")
    pyreadstat.write_xport(frame, folder / "t.xpt")
    frame.head(300).to_excel(folder / "t.xlsx", index=False)
    return folder


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta", ".xlsx"])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.9])
def test_a_truncated_file_is_an_error(whole, tmp_path, suffix, share):
    raw = (whole / f"t{suffix}").read_bytes()
    (tmp_path / f"t{suffix}").write_bytes(raw[: int(share * len(raw))])
    assert error_of(tmp_path / f"t{suffix}").code in ("S07", "S03")


@pytest.mark.parametrize(
    "suffix", [".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt", ".xlsx", ".ods", ".xls"]
)
@pytest.mark.parametrize(
    "raw",
    [
        b"a,b\n1," + SECRET.encode() + b"\n",
        b"PK\x03\x04" + bytes(200),
        b"\x89PNG" + bytes(500),
        random.Random(1).randbytes(3000),
    ],
    ids=["text", "zip", "image", "noise"],
)  # fmt: skip
def test_a_file_of_another_kind_is_an_error(tmp_path, suffix, raw):
    (tmp_path / f"t{suffix}").write_bytes(raw)
    assert error_of(tmp_path / f"t{suffix}").code in ("S07", "S02")


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".sas7bdat", ".xlsx"])
def test_an_empty_file_is_an_error(tmp_path, suffix):
    (tmp_path / f"t{suffix}").write_bytes(b"")
    assert error_of(tmp_path / f"t{suffix}").code == "S02"


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xpt"])
def test_bytes_changed_at_random_never_crash(whole, tmp_path, suffix):
    raw = (whole / f"t{suffix}").read_bytes()
    said = []
    for seed in range(8):
        changed, rng = bytearray(raw), random.Random(seed)
        for _ in range(20):
            changed[rng.randrange(min(len(raw), 2000))] = rng.randrange(256)
        (tmp_path / f"t{suffix}").write_bytes(changed)
        try:
            ds.read(tmp_path / f"t{suffix}")
        except ds.DiscreetError as error:
            said.append(str(error))
    assert SECRET not in "".join(said)


def test_a_file_without_records_is_an_error(tmp_path):
    pyreadstat.write_sav(pd.DataFrame({"a": pd.Series([], dtype=float)}), tmp_path / "t.sav")
    assert error_of(tmp_path / "t.sav").code == "S02"


def test_a_label_may_be_long(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    labels = {"a": {1.0: "x" * 10_000, 2.0: "y"}}
    pyreadstat.write_dta(
        frame.astype("int32"), tmp_path / "t.dta", variable_value_labels={"a": {1: "x" * 10_000, 2: "y"}}
    )  # fmt: skip
    data = ds.read(tmp_path / "t.dta", keys=["a"])
    assert len(data.to("arrow")["a"].to_pylist()[0]) == len(labels["a"][1.0])
    assert "xxxx" not in repr(data)
    assert "xxxx" not in repr(data.origin)
    assert "xxxx" not in repr(data.origin.book)
    assert "xxxx" not in ds.risk(data).explain()


def test_two_codes_with_one_label_stay_apart(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    labels = {"a": {1.0: "other", 2.0: "other", 3.0: "same"}}
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_value_labels=labels)
    data = ds.read(tmp_path / "t.sav")
    assert data.to("arrow")["a"].to_pylist() == ["other (1)", "other (2)", "same"]
    data.write(tmp_path / "u.sav")
    again, meta = pyreadstat.read_sav(tmp_path / "u.sav")
    assert again["a"].tolist() == [1, 2, 3]
    assert meta.variable_value_labels == labels


def test_too_many_columns_are_an_error_that_says_how_many_there_may_be(tmp_path, monkeypatch):
    names = ",".join(f"v{i}" for i in range(20_000))
    (tmp_path / "t.csv").write_text(names + "\n" + ",".join("1" * 20_000) + "\n")
    assert "10,000" in str(error_of(tmp_path / "t.csv"))
    monkeypatch.setattr(csvfile, "_MOST_COLUMNS", 10)  # it takes long to write so many
    pyreadstat.write_sav(pd.DataFrame(np.ones((1, 11))).add_prefix("v"), tmp_path / "t.sav")
    assert error_of(tmp_path / "t.sav").code == "S19"


# -- spreadsheets ----------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path):
    made = openpyxl.Workbook()
    sheet = made.active
    for row in [("a", "b", None, "a"), (1, "=1+1", "x", 3), (2.5, "=HYPERLINK(1)", None, 4)]:
        sheet.append(row)
    return made, tmp_path / "t.xlsx"


def test_formulas_are_not_run_and_names_twice_are_refused(book):
    made, path = book
    made.save(path)
    assert error_of(path).code == "S04"
    made.active["D1"] = "d"
    made.save(path)
    data = ds.read(path)
    assert data.columns == ("a", "b", "column 3", "d")
    assert data.to("arrow")["b"].to_pylist() == [None, None]  # nobody has computed them
    assert data.to("arrow")["a"].to_pylist() == [1.0, 2.5]


def test_hidden_sheets_are_read_by_name_only(book):
    made, path = book
    made.active["D1"] = "d"
    made.active.sheet_state = "hidden"
    seen = made.create_sheet("seen")
    seen.append(["x"])
    seen.append([1])
    made.active = 1
    made.save(path)
    assert ds.read(path).columns == ("x",)
    assert ds.read(path, sheet="Sheet").columns[0] == "a"


def test_a_sheet_without_records_is_an_error(book):
    made, path = book
    made.create_sheet("empty")
    made.create_sheet("header").append(["x"])
    made.save(path)
    assert error_of(path, sheet="empty").code == "S02"
    assert error_of(path, sheet="header").code == "S02"


def test_mixed_cells_are_text_and_nothing_of_them_is_shown(book):
    made, path = book
    sheet = made.create_sheet("mixed")
    for cell in ("x", 1, SECRET, 2.5, None, True):
        sheet.append([cell, 1])
    made.save(path)
    data = ds.read(path, sheet="mixed")
    assert data.to("arrow")["x"].to_pylist() == ["1", SECRET, "2.5", None, "True"]
    assert SECRET not in repr(data)


def test_a_bomb_in_a_spreadsheet_is_refused(book, monkeypatch):
    from discreet import files

    made, path = book
    made.save(path)
    monkeypatch.setattr(files, "_BOMB_SIZE", 1 << 21)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", b"0" * (4 << 20))
    assert error_of(path).code == "S18"


def test_an_encrypted_book_is_an_error(tmp_path):
    # the outside of an encrypted book: a compound file
    (tmp_path / "t.xlsx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(1528))
    assert error_of(tmp_path / "t.xlsx").code in ("S05", "S07")


def test_what_is_not_installed_is_said_with_the_remedy(whole, monkeypatch):
    import importlib

    real = importlib.import_module

    def missing(name, *more):
        if name in ("pyreadstat", "python_calamine"):
            raise ModuleNotFoundError(name)
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", missing)
    for suffix in (".sav", ".xlsx"):
        assert "discreet[formats]" in str(error_of(whole / f"t{suffix}"))
