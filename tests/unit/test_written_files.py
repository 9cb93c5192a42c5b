"""Files that are written: shuffled, without identifiers, escaped on request, not too readable,
never over another, whole or not at all."""

import itertools
import os
import stat
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.files import rooms
from tests.examples import examples

TABLE = {
    "rec": [f"r{i:02}" for i in range(40)],
    "name": [f"n{i}" for i in range(40)],
    "age": [20 + i % 4 for i in range(40)],
    "sex": ["MF"[i % 2] for i in range(40)],
    "income": [1000.5 * (i % 7) for i in range(40)],
}
ROLES = {"identifiers": ["name"], "keys": ["age", "sex"], "record_id": "rec"}


def masked(table=TABLE, **roles):
    data = ds.read(table, **(roles or ROLES))
    found = ds.generalize(data, {"age": ds.Hierarchy.intervals([2])}, ds.KAnonymity(5))
    return found.best.mask()


def rows(path):
    return list(map(tuple, pd.read_csv(path, dtype=str, keep_default_na=False).to_numpy()))


# -- order ---------------------------------------------------------------------------------------


@examples(15)
@given(st.permutations(range(40)), st.integers(-5, 5), st.sampled_from(["m.csv", "m.parquet"]))
def test_the_bytes_do_not_depend_on_the_order_of_the_initial_records(order, seed, name):
    """Lemma: the file is a function of the multiset of released records and the seed, so that
    position tells nothing. Without a record id the link is the row number: it must not matter."""
    shuffled = {column: [values[i] for i in order] for column, values in TABLE.items()}
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / f"a-{name}", Path(folder) / f"b-{name}"
        for table, file in zip((TABLE, shuffled), files, strict=True):
            masked(table, identifiers=["name", "rec"], keys=["age", "sex"]).write(file, seed=seed)
        assert files[0].read_bytes() == files[1].read_bytes()


def test_another_seed_gives_another_order_of_the_same_records(tmp_path):
    file = masked()
    file.write(tmp_path / "a.csv")
    file.write(tmp_path / "b.csv", seed=0)
    file.write(tmp_path / "c.csv", seed=1)
    first, same, other = (rows(tmp_path / f"{n}.csv") for n in "abc")
    assert first == same != other
    assert sorted(first) == sorted(other)


def test_the_order_is_not_that_of_the_input_nor_sorted(tmp_path):
    table = {"x": list(range(500)), "k": [0] * 500}
    ds.sample(ds.read(table, keys=["k"]), fraction=1.0, seed=3).write(tmp_path / "m.csv")
    found = [int(x) for x, _ in rows(tmp_path / "m.csv")]
    assert sorted(found) == table["x"]
    near = sum(abs(a - b) == 1 for a, b in itertools.pairwise(found))
    assert near < 15  # of 499 neighbours two or so are neighbours by chance


def test_values_that_run_into_each_other_are_told_apart_by_the_order(tmp_path):
    """ "1", "23" and "12", "3" must not tie: the order would be that of the engine."""
    table = {"a": ["1", "12", None, "-"] * 50, "b": ["23", "3", "-", None] * 50}
    files = []
    for step in (1, -1):
        data = ds.read({c: v[::step] for c, v in table.items()}, keys=["a"])
        files.append(tmp_path / f"m{step}.csv")
        ds.sample(data, fraction=1.0, seed=1).write(files[-1])
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_frame_keeps_the_order_unless_it_is_to_be_given_out():
    file = masked()
    kept, shuffled = file.to("pandas"), file.to("pandas", shuffled=True)
    assert list(kept["income"]) == TABLE["income"]
    assert list(shuffled["income"]) != TABLE["income"]
    assert sorted(shuffled["income"]) == sorted(TABLE["income"])


def test_the_frame_that_is_shuffled_has_the_order_of_the_file(tmp_path):
    masked().write(tmp_path / "m.csv")
    frame = masked().to("pandas", shuffled=True)
    assert [str(v) for v in frame["income"]] == [row[2] for row in rows(tmp_path / "m.csv")]


def test_initial_records_keep_their_order(tmp_path):
    ds.read(TABLE, **ROLES).write(tmp_path / "t.csv")
    assert [row[0] for row in rows(tmp_path / "t.csv")] == [str(a) for a in TABLE["age"]]


def test_a_table_without_record_ids_is_shuffled_too(tmp_path):
    import ibis
    import pyarrow as pa

    data = ds.read(ibis.memtable(pa.table(TABLE)), keys=["age", "sex"])
    found = ds.generalize(data, {"age": ds.Hierarchy.intervals([2])}, ds.KAnonymity(5))
    found.best.mask().write(tmp_path / "a.csv")
    masked(TABLE, keys=["age", "sex"]).write(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


# -- identifiers ---------------------------------------------------------------------------------


def test_an_identifier_is_written_only_when_asked_for_by_name(tmp_path):
    masked().write(tmp_path / "m.csv")
    masked().write(tmp_path / "n.csv", identifiers=["name"])
    assert list(pd.read_csv(tmp_path / "m.csv")) == ["age", "sex", "income"]
    assert list(pd.read_csv(tmp_path / "n.csv")) == ["name", "age", "sex", "income"]


@pytest.mark.parametrize("asked", ["rec", ["name", "rec"], "age", ["nme"], "row", "c0"])
def test_the_record_id_is_never_written_and_other_columns_are_no_identifiers(tmp_path, asked):
    for data in (masked(), ds.read(TABLE, **ROLES)):
        with pytest.raises(ds.DiscreetError) as caught:
            data.write(tmp_path / "m.csv", identifiers=asked)
        assert caught.value.code == "R12"
    assert not list(tmp_path.iterdir())


# -- formulas ------------------------------------------------------------------------------------

CELLS = ["=1+1", "+a", "-b", "@c", "\tx", "\rx", "'=1+1", "plain", "a=b", None, "", "'quoted", "1"]


@pytest.mark.parametrize("escape", [True, False])
def test_texts_that_a_spreadsheet_would_run_are_escaped_on_request_only(tmp_path, escape):
    table = {"t": CELLS, "n": [-i for i in range(len(CELLS))], "k": [1] * len(CELLS)}
    file = ds.sample(ds.read(table, keys=["k"]), fraction=1.0, seed=1)
    file.write(tmp_path / "m.csv", escape_formulas=escape)
    written = {int(n): t for t, n, _ in rows(tmp_path / "m.csv")}
    expected = [
        f"'{c}" if escape and c and c.lstrip("'")[:1] in tuple("=+-@\t\r") else c or ""
        for c in CELLS
    ]
    assert [written[-i] for i in range(len(CELLS))] == expected
    assert len(set(expected)) == len(set(filter(None, CELLS))) + 1  # what differed still does
    assert (tmp_path / "m.csv").read_text(encoding="utf-8").count(
        "-1,"
    ) == 1  # numbers are left alone


@pytest.mark.parametrize(
    ("name", "column"), [("m.parquet", "x"), ("m.csv", "=x"), ("m.csv", "@x"), ("m.csv", "-x")]
)
def test_what_cannot_be_escaped_is_refused(tmp_path, name, column):
    data = ds.read({column: ["a", "b"]})
    with pytest.raises(ds.DiscreetError) as caught:
        data.write(tmp_path / name, escape_formulas=True)
    assert caught.value.code == "O07"


# -- permissions ---------------------------------------------------------------------------------


@pytest.fixture
def umask():
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize(
    ("mask", "input_mode", "expected"),
    [
        (0o022, 0o644, 0o644),
        (0o022, 0o600, 0o600),
        (0o000, 0o640, 0o640),
        (0o077, 0o666, 0o600),
        (0o022, 0o400, 0o400),
        (0o022, 0o755, 0o644),
    ],
)
@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_a_file_is_not_more_readable_than_its_input(
    tmp_path, umask, mask, input_mode, expected, name
):
    source = tmp_path / "t.csv"
    pd.DataFrame(TABLE).to_csv(source, index=False)
    source.chmod(input_mode)
    umask(mask)
    data = ds.read(source, **ROLES)
    ds.sample(data, n=10, seed=1).write(tmp_path / name)
    data.write(tmp_path / f"again.{name}")
    for file in (name, f"again.{name}"):
        assert stat.S_IMODE((tmp_path / file).stat().st_mode) == expected


def test_a_file_from_a_frame_has_the_permissions_of_any_new_file(tmp_path, umask):
    umask(0o027)
    masked().write(tmp_path / "m.csv")
    assert stat.S_IMODE((tmp_path / "m.csv").stat().st_mode) == 0o640


def test_all_outputs_of_a_plan_are_not_more_readable_than_the_source(tmp_path, umask):
    pd.DataFrame(TABLE).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "t.csv").chmod(0o600)
    outputs = {"masked": "m.csv", "public": "p.json", "report": "r.html", "ledger": "l.json"}
    steps = [{"do": "sample", "n": 10, "seed": 1}]
    why = {"unique_columns": dict.fromkeys(("age", "income"), "of nobody: simulated")}
    document = {"source": {"file": "t.csv"}, "roles": ROLES, "steps": steps}
    document["outputs"] = {**outputs, **why}
    ds.Plan.of(document, tmp_path).run()
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in outputs.values()}
    assert modes == {0o600}


# -- rooms ---------------------------------------------------------------------------------------


def test_while_a_file_is_written_nobody_else_can_read_it(tmp_path):
    from discreet.files import beside

    with beside(tmp_path / "m.csv") as place:
        place.write_text("x")
        assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
        assert not (tmp_path / "m.csv").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["m.csv"]


def fail_while_writing(names):
    with rooms.together(names, None, overwrite=True) as places:
        for place in places.values():
            place.write_text("new")
        raise RuntimeError


def test_a_failure_leaves_the_old_files_and_nothing_else(tmp_path):
    names = [tmp_path / "a", tmp_path / "b"]
    for name in names:
        name.write_text("old")
    with pytest.raises(RuntimeError):
        fail_while_writing(names)
    assert {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()} == {
        "a": "old",
        "b": "old",
    }


def abandoned(folder, **files):
    """A room as a killed process leaves it: its lock is free."""
    room = folder / ".discreet-left"
    room.mkdir()
    (room / "lock").touch()
    for name, text in files.items():
        (room / name).write_text(text)
    return room


def test_a_room_that_was_left_is_removed_and_one_in_use_is_not(tmp_path):
    room = abandoned(tmp_path, m="half")
    with rooms.room(tmp_path / "x") as mine:
        assert not room.exists()
        rooms.tidy(tmp_path)
        assert mine.exists()
    assert not list(tmp_path.iterdir())


def test_files_that_were_ready_take_their_places_in_two_folders(tmp_path):
    (tmp_path / "inner").mkdir()
    leader, other = abandoned(tmp_path, a="new"), abandoned(tmp_path / "inner", b="new")
    (leader / "journal").write_text('[".discreet-left/a", "inner/.discreet-left/b"]')
    (other / "leader").write_text("../.discreet-left")
    rooms.tidy(tmp_path / "inner")  # whoever finds either room finishes both
    assert (
        (tmp_path / "a").read_text(encoding="utf-8")
        == (tmp_path / "inner" / "b").read_text(encoding="utf-8")
        == "new"
    )
    rooms.tidy(tmp_path)
    assert not list(tmp_path.rglob(".discreet*"))


def test_a_journal_moves_nothing_that_lies_elsewhere(tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "file").write_text("stays")
    room = abandoned(tmp_path)
    (room / "journal").write_text('["secret/file", "../../etc/passwd"]')
    rooms.tidy(tmp_path)
    assert (tmp_path / "secret" / "file").read_text(encoding="utf-8") == "stays"
    assert not (tmp_path / "file").exists()


def test_a_folder_that_cannot_be_written_to_is_said_without_its_path(tmp_path, monkeypatch):
    def refused(**_):
        raise PermissionError(13, "no", str(tmp_path))

    monkeypatch.setattr(rooms.tempfile, "mkdtemp", refused)
    with pytest.raises(ds.DiscreetError) as caught:
        masked().write(tmp_path / "m.csv")
    assert caught.value.code == "O05"
    assert str(tmp_path) not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None
