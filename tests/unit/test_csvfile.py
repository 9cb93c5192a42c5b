"""The outside of a CSV file: separator, encoding, header."""

import codecs
import gzip

import pytest

import discreet as ds
from discreet import csvfile


@pytest.fixture
def inspect(tmp_path):
    def write_and_inspect(content, name="t.csv", separator=None, encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return csvfile.inspect(path, csvfile.CsvOptions(separator, encoding))

    return write_and_inspect


@pytest.mark.parametrize(
    ("content", "separator", "names"),
    [
        ("a,b\n1,2\n", ",", ("a", "b")),
        ("a;b\n1,5;x\n", ";", ("a", "b")),
        ("a\tb\n1\t2\n", "\t", ("a", "b")),
        ("a\n1\n", ",", ("a",)),
        ('"a,b";c\n1;2\n', ";", ("a,b", "c")),
        ("x; y;z,b\n1,2\n", ",", ("x; y;z", "b")),  # only the comma cuts both rows alike
        ("a,b\n1\n", ",", ("a", "b")),  # ragged: the header decides
        (" a , b \n1,2\n", ",", ("a", "b")),
        ("a,\n1,2\n", ",", ("a", "column 2")),
        ('a,"b ""q"""\n1,2\n', ",", ("a", 'b "q"')),
        ("é☃,名\n1,2\n", ",", ("é☃", "名")),
    ],
)
def test_separator_and_header_are_sniffed(inspect, content, separator, names):
    found = inspect(content)
    assert (found.separator, found.names) == (separator, names)


@pytest.mark.parametrize(
    ("content", "rows"),
    [("a,b\n1,2\n", 1), ("\n\na,b\n1,2\n", 3), ('"a\n\nb",c\n1,2\n', 1), ("a,b\r1,2\r", 1)],
)
def test_rows_up_to_the_header_are_counted_not_lines(inspect, content, rows):
    assert inspect(content).header_rows == rows


@pytest.mark.parametrize(
    ("encoding", "known", "bom"),
    [
        ("utf-8", "utf-8", b""),
        ("UTF8", "utf-8", codecs.BOM_UTF8),
        ("utf-8-sig", "utf-8", codecs.BOM_UTF8),
        ("latin-1", "latin-1", b""),
        ("ISO_8859_1", "latin-1", b""),
        ("utf-16", "utf-16", b""),
    ],
)
def test_known_encodings_and_their_other_names_are_read(inspect, encoding, known, bom):
    found = inspect(bom + "é,b\n1,2\n".encode(known), encoding=encoding)
    assert (found.encoding, found.names) == (known, ("é", "b"))


def test_a_compressed_file_is_read_whatever_the_case_of_its_ending(inspect):
    assert inspect(gzip.compress(b"a,b\n1,2\n"), "t.csv.GZ").names == ("a", "b")


def test_a_separator_that_is_given_is_not_sniffed(inspect):
    assert inspect("a|b;c\n1|2\n", separator="|").names == ("a", "b;c")


@pytest.mark.parametrize("separator", ["", "||", '"', "\n", 5])
def test_a_separator_is_one_character(inspect, separator):
    with pytest.raises(ds.DiscreetError, match="P02"):
        inspect("a,b\n1,2\n", separator=separator)


@pytest.mark.parametrize("encoding", ["klingon", "", None, 8])
def test_an_unknown_encoding_is_refused(inspect, encoding):
    with pytest.raises(ds.DiscreetError, match="P03"):
        inspect("a,b\n1,2\n", encoding=encoding)
