"""Files of other programs that are broken, lie, or mean harm: a clear error or the right answer."""

import datetime as dt
import random
import tempfile
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
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


def sheet_of(path, *rows):
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    made.save(path)
    return path


RECORDS = [(f"{SECRET}{i}", 77_310_000 + i) for i in range(12)]


def test_a_first_row_with_numbers_is_not_taken_for_a_header(tmp_path):
    path = sheet_of(tmp_path / "n.xlsx", *RECORDS)
    error = error_of(path, keys=["age"])
    assert error.code == "S14"
    assert "the first row of n.xlsx holds numbers" in str(error)
    assert "names=" in str(error)
    assert ds.read(path, names=["who", "what"]).n == 12
    assert ds.read(path, header=True).n == 11


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (("a", 1e-7), "numbers"),
        (("a", " 1,50 "), "numbers"),
        (("a", dt.date(1980, 5, 1)), "dates"),
        (("a", dt.datetime.fromisoformat("1980-05-01 12:30")), "dates"),
        (("a", dt.time(12, 30)), "times or truth values"),
        (("a", True), "times or truth values"),
        (("a", "f"), "cells that stand below it again"),
    ],
    ids=["small", "text", "date", "moment", "time", "truth", "again"],
)
def test_a_first_row_of_a_record_is_found_out_by_its_cells(tmp_path, first, why):
    path = sheet_of(tmp_path / "n.xlsx", first, (SECRET, "m"), (SECRET, "f"))
    assert f"holds {why}" in str(error_of(path))
    assert ds.read(path, names=["one", "two"]).n == 3


def test_a_column_that_was_named_and_years_are_names_in_a_sheet(tmp_path):
    path = sheet_of(tmp_path / "n.xlsx", ("c", 2019, 2020), ("a", 1, 2), ("c", 3, 4))
    assert error_of(path).code == "S14"
    assert ds.read(path, keys=["c"]).columns == ("c", "2019", "2020")


def test_names_that_may_be_cells_are_not_shown(tmp_path):
    path = sheet_of(tmp_path / "n.xlsx", (SECRET, SECRET), ("a", "b"), ("c", "d"))
    assert "columns 1 and 2 of n.xlsx have the same name" in str(error_of(path))
    path = sheet_of(tmp_path / "n.xlsx", (SECRET, "Vienna"), ("a", "b"), ("c", "d"))
    error_of(path, keys=["age"])


# -- what is left behind ---------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [TypeError(SECRET), KeyboardInterrupt(), None])
def test_a_sheet_that_is_written_leaves_no_cell_behind(tmp_path, monkeypatch, failure):
    """The writer lays cells down in a file: it lies beside the output, and goes with its room."""
    from discreet.formats import release

    temporary, target = tmp_path / "temporary", tmp_path / "out"
    for folder in (temporary, target):
        folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    write_cell, seen = release._write_cell, []

    def interrupted(sheet, row, column, cell):
        write_cell(sheet, row, column, cell)
        if row == 2500:
            seen.extend(
                f for f in target.rglob("*") if f.is_file() and SECRET.encode() in f.read_bytes()
            )
            if failure is not None:
                raise failure

    monkeypatch.setattr(release, "_write_cell", interrupted)
    data = ds.read(pa.table({"k": [f"{SECRET}{i}" * 20 for i in range(3000)]}))
    if failure is None:
        data.write(target / "o.xlsx")
    else:
        with pytest.raises((ds.DiscreetError, KeyboardInterrupt)) as caught:
            data.write(target / "o.xlsx")
        assert SECRET not in str(caught.value)
    assert seen
    assert [f.name for f in target.rglob("*")] == ([] if failure else ["o.xlsx"])
    assert [f for f in temporary.rglob("*") if f.is_file() and f.name != "lock"] == []


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
    data = ds.read(path, sheet="mixed", header=True)
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


def test_a_bomb_that_lies_about_its_size_is_refused(book, monkeypatch):
    from discreet import files

    made, path = book
    made.save(path)
    monkeypatch.setattr(files, "_BOMB_SIZE", 1 << 21)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", b"0" * (4 << 20))
    told = (4 << 20).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(told, (10).to_bytes(4, "little")))
    assert error_of(path).code == "S18"


def cells(*places, t="n"):
    """Cells at places; a place that is empty is left out."""
    return "".join(f"<c{f' r={p!r}' if p else ''} t='{t}'><v>1</v></c>" for p in places)


def placed(path, rows):
    """A sheet whose rows are written as they are, in a book that is else in order."""
    made = openpyxl.Workbook()
    made.active["A1"] = "a"
    made.save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    head = parts[name].partition(b"<sheetData>")[0]
    parts[name] = head + f"<sheetData>{rows}</sheetData></worksheet>".encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, raw in parts.items():
            archive.writestr(part, raw)


@pytest.mark.parametrize(
    "rows",
    [
        f"<row r='1'>{cells('A1')}</row><row r='1048576'>{cells('XFD1048576')}</row>",
        f"<row r='1'>{cells(*[''] * 12_000)}</row><row r='1048576'>{cells('')}</row>",
    ],
    ids=["placed", "counted"],
)
def test_cells_in_opposite_corners_take_no_memory(tmp_path, rows):
    """The reader would ask for half a terabyte, and end the process when it does not get it."""
    placed(tmp_path / "t.xlsx", rows)
    assert error_of(tmp_path / "t.xlsx").code == "S18"


def test_a_sheet_whose_cells_leave_out_their_places_is_read(tmp_path, monkeypatch):
    from discreet.formats import spreadsheet

    monkeypatch.setattr(spreadsheet, "_PLACES", 100)
    placed(tmp_path / "t.xlsx", f"<row>{cells('', '', '')}</row>" * 400)
    assert ds.read(tmp_path / "t.xlsx", names=["a", "b", "c"]).n == 400


def test_far_cells_of_a_binary_book_are_found(tmp_path):
    def record(kind, number):
        return bytes([kind, 8]) + number.to_bytes(4, "little") + bytes(4)

    rows = [record(0, 0), record(2, 0), bytes([0x81, 0x01, 0]), record(0, 99_999), record(2, 9_999)]
    with zipfile.ZipFile(tmp_path / "t.xlsb", "w") as archive:
        archive.writestr("xl/worksheets/sheet1.bin", b"".join(rows))
    assert "100,000 rows of 10,000 columns" in str(error_of(tmp_path / "t.xlsb"))


def test_macros_are_not_run_and_not_released(book, tmp_path):
    made, path = book
    made.active["D1"] = "d"
    made.save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    macro = b"application/vnd.ms-excel.sheet.macroEnabled.main+xml"
    with zipfile.ZipFile(tmp_path / "t.xlsm", "w") as archive:
        for name, raw in parts.items():
            archive.writestr(name, raw.replace(kind, macro))
        archive.writestr("xl/vbaProject.bin", b"Sub AutoOpen() Shell " + SECRET.encode())
    data = ds.read(tmp_path / "t.xlsm")
    assert data.to("arrow")["a"].to_pylist() == [1.0, 2.5]
    data.write(tmp_path / "u.xlsx")
    assert not any("vba" in name for name in zipfile.ZipFile(tmp_path / "u.xlsx").namelist())
    with pytest.raises(ds.DiscreetError, match="O0"):
        data.write(tmp_path / "u.xlsm")


def compound(*names):
    """A compound file, the outside of an encrypted book, with empty streams of these names."""
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + bytes.fromhex("3e000300feff0900060000")
    header = header.ljust(44, b"\0") + (1).to_bytes(4, "little") + (1).to_bytes(4, "little")
    header += bytes(4) + bytes.fromhex("00100000") + b"\xfe\xff\xff\xff" + bytes(4)
    header += b"\xfe\xff\xff\xff" + bytes(4) + bytes(4) + b"\xff" * (4 * 108)
    table = b"\xfd\xff\xff\xff" + b"\xfe\xff\xff\xff" + b"\xff" * 504

    def entry(name, kind, child):
        raw = name.encode("utf-16-le")
        made = raw.ljust(64, b"\0") + (len(raw) + 2).to_bytes(2, "little") + bytes([kind, 1])
        made += b"\xff" * 8 + child.to_bytes(4, "little") + bytes(36)
        return made + b"\xfe\xff\xff\xff" + bytes(8)

    entries = [entry("Root Entry", 5, 1), *(entry(name, 2, 0xFFFFFFFF) for name in names)]
    return header + table + b"".join(entries).ljust(512, b"\0")


def test_an_encrypted_book_is_an_error(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(compound("EncryptionInfo", "EncryptedPackage"))
    assert (
        error_of(tmp_path / "t.xlsx").code,
        "password" in str(error_of(tmp_path / "t.xlsx")),
    ) == ("S05", True)
    (tmp_path / "t.xlsx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(1528))
    assert error_of(tmp_path / "t.xlsx").code == "S07"


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
