"""Files of hierarchies: reading, what is refused, and writing."""

import pyarrow as pa
import pyarrow.csv
import pytest

from discreet.errors import DiscreetError, InvalidParameter, UnreadableSource
from discreet.hierarchies.hierarchy import Hierarchy
from tests.fitted_hierarchies import COUNTRIES, error_codes, rows


def written(folder, text, name="h.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_is_read_whatever_its_separator_line_end_and_byte_order_mark(
    tmp_path, separator, encoding, end
):
    lines = [["Köln", "Rhein", "*"], ["Mainz", "Rhein", "*"], ["Ulm", "Donau", "*"]]
    text = end.join(separator.join(line) for line in lines) + end
    fitted = Hierarchy.from_csv(written(tmp_path, text, encoding=encoding)).fit(
        "city", pa.array(["Köln", "Ulm"])
    )
    assert rows(fitted, 1) == ["Rhein", "Donau"]


def test_quotes_blank_lines_and_separators_inside_labels_are_read(tmp_path):
    text = '5;"[0, 10)";*\n\n15;"[10; ""20"")";*\n25;"two\nlines";*\n'
    table = Hierarchy.from_csv(written(tmp_path, text)).table()
    assert table["level1"].to_pylist() == ["[0, 10)", '[10; "20")', "two\nlines"]


def test_labels_with_a_comma_do_not_make_it_the_separator(tmp_path):
    text = "5;[0, 10);*\n15;[10, 20);*\n"
    assert Hierarchy.from_csv(written(tmp_path, text)).height == 2


def test_the_separator_can_be_given(tmp_path):
    path = written(tmp_path, "a|x\nb|x\n")
    assert Hierarchy.from_csv(path, "|").height == 1
    with pytest.raises(InvalidParameter, match="P02"):
        Hierarchy.from_csv(path, separator="||")


def test_an_empty_first_cell_names_the_missing_value(tmp_path):
    hierarchy = Hierarchy.from_csv(written(tmp_path, "a;known;*\nb;known;*\n;unknown;*\n"))
    fitted = hierarchy.fit("x", pa.array(["a", "b", None]))
    assert rows(fitted, 1) == ["known", "known", "unknown"]
    assert fitted.n_leaves == 3
    assert [leaves.sum() for leaves in fitted.leaves] == [3, 3, 3]
    fitted.to_csv(tmp_path / "again.csv")
    assert Hierarchy.from_csv(tmp_path / "again.csv").table().equals(hierarchy.table())


def test_a_leaf_repeated_with_the_same_labels_counts_once(tmp_path):
    fitted = Hierarchy.from_csv(written(tmp_path, "a;*\nb;*\na;*\n")).fit("x", pa.array(["a"]))
    assert fitted.n_leaves == 2


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "S10", "is empty"),
        (" \n\n", "S10", "is empty"),
        ("a\nb\n", "S10", "no level above"),
        ("a;x;*\nb;*\nc;x;*\n", "S06", r"line 2: 2 cells where others have 3"),
        ("a;x;*\nb;;*\n", "S11", "level 1 has 1 empty label"),
        ("a;x;*\nb;x;*\na;y;*\n", "S12", "1 leaf listed more than once"),
        ("a;x;1;*\nb;x;2;*\n", "S13", r"level 1 does not nest in level 2 \(1 group\)"),
        ('a;"x;*\nb;y;*\n', "S07", "near line 2"),
    ],
)
def test_a_wrong_file_is_refused_by_place_and_count(tmp_path, text, code, message):
    with pytest.raises(UnreadableSource, match=message) as error:
        Hierarchy.from_csv(written(tmp_path, text))
    assert error_codes(error) == [code]
    assert "h.csv" in str(error.value)


def test_all_problems_of_a_file_are_told_at_once(tmp_path):
    text = "a;x;1;*\nb;x;2;!\nc;y;2;*\na;y;1;*\nd;;1;*\n"
    with pytest.raises(UnreadableSource) as error:
        Hierarchy.from_csv(written(tmp_path, text))
    assert error_codes(error) == ["S11", "S12", "S13", "S13"]


def test_many_uneven_lines_are_named_up_to_a_limit(tmp_path):
    text = "a;x;*\n" * 30 + "b;*\n" * 12
    with pytest.raises(UnreadableSource, match="line 31") as error:
        Hierarchy.from_csv(written(tmp_path, text))
    assert "4 more lines" in str(error.value)


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path):
    for path, code in [
        (tmp_path / "none.csv", "S01"),
        (tmp_path, "S01"),
        (written(tmp_path, "ä;*\n", "latin.csv", "latin-1"), "S05"),
        (written(tmp_path, "a;*\n", "wide.csv", "utf-16"), "S05"),
        (3, "S01"),
    ]:
        with pytest.raises(UnreadableSource, match=code):
            Hierarchy.from_csv(path)


def test_a_builder_is_written_for_given_values_and_reads_back(tmp_path):
    values = pa.array([23, 37, 38, None])
    Hierarchy.intervals([10]).to_csv(tmp_path / "age.csv", values)
    assert (tmp_path / "age.csv").read_text(
        encoding="utf-8"
    ) == "23;[20, 30);*\n37;[30, 40);*\n38;[30, 40);*\n"
    again = Hierarchy.from_csv(tmp_path / "age.csv").fit("age", values)
    assert rows(again, 1) == ["[20, 30)", "[30, 40)", "[30, 40)", None]
    with pytest.raises(InvalidParameter, match="P24"):
        Hierarchy.intervals([10]).to_csv(tmp_path / "none.csv")


def test_writing_quotes_what_must_be_quoted(tmp_path):
    hierarchy = Hierarchy.from_dict({'a;"b"': ["x,y"], "c\nd": ["x,y"]})
    for separator in ";,":
        path = tmp_path / "h.csv"
        hierarchy.to_csv(path, separator=separator, overwrite=True)
        assert Hierarchy.from_csv(path).table().equals(hierarchy.table())


def test_a_file_is_not_overwritten_by_accident(tmp_path):
    path = written(tmp_path, "a;*\n")
    hierarchy = Hierarchy.from_dict(COUNTRIES)
    for target, code in [
        (path, "O03"),
        (tmp_path / "no" / "h.csv", "O02"),
        (tmp_path, "O03"),
        (3, "O01"),
    ]:
        with pytest.raises(DiscreetError, match=code):
            hierarchy.to_csv(target)
    assert path.read_text(encoding="utf-8") == "a;*\n"
    hierarchy.to_csv(path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["h.csv"]
