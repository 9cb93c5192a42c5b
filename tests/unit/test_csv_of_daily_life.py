"""CSV files as they come: decimal commas, local dates, other encodings, packed files."""

import bz2
import datetime as dt
import gzip
import lzma
import os
import subprocess
import sys
import zipfile

import pyarrow as pa
import pytest

import discreet as ds
from discreet import files
from discreet.csvfile import CsvOptions
from discreet.data.reader import hint
from discreet.errors import DiscreetError, ReadHint

SECRET = "918273"


@pytest.fixture
def table(tmp_path):
    """A function that writes a file and reads it."""

    def read(text, written="utf-8", **options):
        (tmp_path / "t.csv").write_bytes(text.encode(written))
        return ds.read(tmp_path / "t.csv", **options)

    return read


def values(data, name):
    return data.to("arrow")[name].to_pylist()


def code_of(call, *args, **options):
    with pytest.raises(DiscreetError) as found:
        call(*args, **options)
    assert SECRET not in str(found.value)
    return found.value.code


# -- numbers and dates -----------------------------------------------------------------------------


def test_decimal_commas_are_numbers_where_that_is_said(table):
    data = table("a;b\n1,5;2\n-2,25;3\n;4\n", decimal=",")
    assert values(data, "a") == [1.5, -2.25, None]
    assert values(data, "b") == [2, 3, 4]


def test_thousands_are_taken_out(table):
    data = table("a;b\n1.234.567,5;1\n12,0;2\n", decimal=",", thousands=".")
    assert values(data, "a") == [1234567.5, 12.0]


def test_a_point_is_no_decimal_sign_beside_a_comma(table):
    """1.234 may be a thousand: it is not guessed."""
    with pytest.warns(ReadHint, match="thousands="):
        data = table("a;b\n1.234;x\n2,5;y\n", decimal=",")
    assert values(data, "a") == ["1.234", "2,5"]


@pytest.mark.parametrize("written", ["dd/mm/yyyy", "%d/%m/%Y", {"d": "dd/mm/yyyy"}])
def test_dates_in_local_order_are_dates_where_that_is_said(table, written):
    data = table("d,e\n31/12/1999,1\n1/2/2000,2\n", date_format=written)
    assert values(data, "d") == [dt.date(1999, 12, 31), dt.date(2000, 2, 1)]


def test_a_day_that_does_not_exist_leaves_the_column_text(table):
    assert values(table("d,e\n31/02/1999,1\n", date_format="dd/mm/yyyy"), "d") == ["31/02/1999"]


def test_months_may_come_first_and_years_have_two_digits(table):
    data = table("d,e\n12.31.68,1\n01.02.69,2\n", date_format="mm.dd.yy")
    assert values(data, "d") == [dt.date(2068, 12, 31), dt.date(1969, 1, 2)]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"decimal": ";"}, "P26"),
        ({"decimal": ",", "thousands": ","}, "P26"),
        ({"thousands": "x"}, "P26"),
        ({"date_format": "month"}, "P27"),
        ({"date_format": {"x": "dd/mm/yyyy"}}, "R01"),
        ({"encoding": "klingon"}, "P03"),
        ({"encoding": "base64"}, "P03"),
    ],
)
def test_what_cannot_be_is_refused(table, options, code):
    assert code_of(table, "a,b\n1,2\n", **options) == code


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a;b\n1,5;x\n2,25;y\n3;z\n", 'decimal=","'),
        ("a,b\n31/12/1999,x\n01/02/2000,y\n", 'date_format="dd/mm/yyyy"'),
        ("a,b\n12/31/1999,x\n01/02/2000,y\n", 'date_format="mm/dd/yyyy"'),
        ("a,b\n2020/01/31,x\n2020/2/1,y\n", 'date_format="yyyy/mm/dd"'),
        ("a,b\n1\u00a0,x\n2\u202f,y\n", "unusual blanks"),
        ("a,b\n1,x\nNA,y\n3,z\n", 'missing_values="NA"'),
        (
            "a,b\n1,x\n?,y\n.,z\n",
            """If '.', '?' mean missing, read it with missing_values=[".", "?"]""",
        ),
        (f"a,b\nx{SECRET},1\nx{SECRET} ,2\n", "blanks"),
        ('a,b\n"1,234",x\n"2,345,678",y\n', 'thousands=","'),
        ("a;b\n1.234,50;x\n2.345,00;y\n", 'thousands="." and decimal=","'),
        ("a;b\n1.234,50;x\n824,59;y\n3.000,10;z\n", 'thousands="." and decimal=","'),
        ("a;b\n1'234;x\n2'345;y\n", "Name the mark with thousands="),
        ("a,b\n" + "".join(f"{i},x\n" for i in range(1, 30)) + f"{SECRET}x,y\n", "missing_values="),
    ],
)
def test_a_hint_says_what_would_make_numbers_or_dates_of_a_text(table, text, said):
    with pytest.warns(ReadHint, match="'a' is read as text") as found:
        table(text)
    (hint,) = [str(one.message) for one in found if one.category is ReadHint]
    assert said in hint
    assert SECRET not in hint


def test_a_hint_says_that_numbers_have_the_other_decimal_sign(table):
    with pytest.warns(ReadHint, match="'a' is read as text: most .* decimal point") as found:
        table("a;b\n1.5;2,5\n2.5;3\n", decimal=",")
    assert len([one for one in found if one.category is ReadHint]) == 1


def test_a_hint_says_that_later_values_are_no_numbers(table):
    with pytest.warns(ReadHint, match="some values after the first 1,000 records are not numbers"):
        table("a,b\n" + "".join(f"{i},x\n" for i in range(1, 1200)) + f"{SECRET}x,y\n")


@pytest.mark.parametrize(
    "text",
    ["a,b\nx,1\ny,2\n", "a,b\n001,1\n002,2\n", "a,b\nNA,1\nx,2\n", "a,b\n1.2.3,1\n4.5.6,2\n"],
)
def test_plain_texts_and_codes_give_no_hint(table, text):
    table(text)


def test_a_column_that_is_said_to_be_nominal_gives_no_hint(table):
    table("a,b\n1,x\nNA,y\n", types={"a": "nominal"})


# -- separators, headers and encodings -------------------------------------------------------------


def test_a_first_line_may_state_the_separator(table):
    data = table("sep=;\na;b\n1;2,5\n", decimal=",")
    assert (data.columns, values(data, "b")) == (("a", "b"), [2.5])


def test_bars_separate_as_well(table):
    assert table("a|b\n1|2\n").columns == ("a", "b")


def test_windows_files_are_read_and_the_error_names_their_encoding(table):
    text = "name,b\nMüller – “x” €,1\n"
    assert values(table(text, "cp1252", encoding="cp1252"), "name") == ["Müller – “x” €"]
    for encoding in ("utf-8", "latin-1"):
        with pytest.raises(DiscreetError, match='encoding="cp1252"'):
            table(f"name,b\nMüller {SECRET} €,1\n", "cp1252", encoding=encoding)


@pytest.mark.parametrize("encoding", ["koi8-r", "shift_jis", "mac-roman", "utf-32", "cp437"])
def test_any_encoding_of_python_is_taken(tmp_path, encoding):
    file = tmp_path / "w.csv"
    file.write_bytes("a,b\nabc,1\n".encode(encoding))
    assert values(ds.read(file, encoding=encoding), "a") == ["abc"]


@pytest.mark.parametrize("separator", [",", "|"])
def test_a_header_longer_than_a_megabyte_is_read_whole(table, separator):
    names = [f"{'x' * 5000}{i}" for i in range(300)]
    data = table(f"{separator.join(names)}\n{separator.join('1' for _ in names)}\n")
    assert data.columns == tuple(names)


def test_a_name_longer_than_100_kb_is_no_mystery(table):
    assert table(f"a,{'x' * 150_000},b\n1,2,3\n").columns[2] == "b"


# -- packed files ----------------------------------------------------------------------------------

PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda raw: pa.compress(raw, codec="zstd", asbytes=True),
}


@pytest.mark.parametrize("suffix", PACK)
def test_packed_files_are_read(tmp_path, suffix):
    file = tmp_path / f"t.tsv{suffix}"
    file.write_bytes(PACK[suffix](b"a\tb\n1\t2\n"))
    assert values(ds.read(file), "b") == [2]


def test_a_zip_of_one_file_is_read_and_of_two_refused(tmp_path):
    file = tmp_path / "t.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("t.csv", "a,b\n1,2\n")
    assert values(ds.read(file), "b") == [2]
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("u.csv", "a,b\n1,2\n")
    assert code_of(ds.read, file) == "S18"


def test_a_bomb_is_refused_before_it_fills_memory_or_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_BOMB_SIZE", 1 << 21)
    file = tmp_path / "t.csv.gz"
    file.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * (1 << 20)))
    assert code_of(ds.read, file) == "S18"


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst", ".zip"])
def test_a_packed_file_that_is_none_or_not_whole_is_an_error(tmp_path, suffix):
    file = tmp_path / f"t.csv{suffix}"
    file.write_bytes(f"a,b\n{SECRET},2\n".encode())
    assert code_of(ds.read, file) == "S03"
    if suffix in PACK:
        file.write_bytes(PACK[suffix](f"a,b\n{SECRET},2\n".encode() * 2000)[:-20])
        assert code_of(ds.read, file) in ("S03", "S07")


@pytest.mark.parametrize(
    ("name", "content"),
    [("t.csv.gz", gzip.compress(b"a,b\n1,2\n")), ("t.csv", b"a,b\n1,2\r\n")],
    ids=["packed", "mixed line ends"],
)
def test_nothing_is_left_behind(tmp_path, name, content):
    folder = tmp_path / "temporary"
    folder.mkdir()
    file = tmp_path / name
    file.write_bytes(content)
    code = (
        "import gc, sys, discreet as ds; data = ds.read(sys.argv[1]); assert data.n == 1; "
        "print(data.frequency_set(['a']).values[0].to_pylist()); del data; gc.collect()"
    )
    # in a process of its own: the folder is chosen before the first step
    chosen = {**os.environ, "DISCREET_TEMP_DIRECTORY": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code, file], env=chosen, check=True, capture_output=True, text=True
    )
    assert done.stdout == "[1]\n"
    assert list(folder.rglob("plain.csv")) == []


def test_codes_with_leading_zeros_are_not_taken_for_codes_of_missing_values():
    assert (
        hint(
            [*(str(10_000 + i) for i in range(90)), *(f"0{i}" for i in range(1001, 1006))],
            CsvOptions(),
        )
        is None
    )
