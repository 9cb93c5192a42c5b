"""No cell value leaves by accident: not in an error, a repr, HTML, an explanation, a dict, a
table of results, or what the command prints.

Every cell of the tables below bears a mark; whatever can be shown is shown and searched for one.
"""

import contextlib
import csv
import gc
import json
import sys
import traceback

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds
from discreet import cli

WORD, NUMBER, FRACTION = "SECRET", 918273645, 7391.28465
MARKS = (WORD, str(NUMBER), f"{NUMBER:,}", "7391.28", "7,391.28")
N = 60
CELLS = {
    "person": [f"{WORD}-{i:03}" for i in range(N)],
    "place": [None if i % 11 == 0 else f"{WORD} place {i % 7}" for i in range(N)],
    "income": [NUMBER * 10 + i % 3 for i in range(N)],
    "score": [FRACTION + i % 2 for i in range(N)],
    "grade": [f"{WORD}{i % 4}" for i in range(N)],
    "illness": [None if i % 9 == 0 else f"{WORD}/{i % 5}" for i in range(N)],
    "weight": [FRACTION] * N,
}
GRADES = [f"{WORD}{i}" for i in range(4)]
ROLES = {
    "identifiers": ["person"],
    "keys": ["place", "income", "grade"],
    "confidential": ["illness", "score"],
    "weight": "weight",
    "types": {"grade": GRADES},
}


def assert_no_mark(shown, where):
    found = [mark for mark in MARKS if mark in shown]
    assert not found, f"{where} shows a cell"


def everything_shown_by(result):
    """All the ways a result can show itself, by name."""
    yield "repr", repr(result)
    yield "str", str(result)
    for name in ("explain", "to_dict", "bars", "_repr_html_", "describe"):
        if hasattr(result, name):
            yield name, json.dumps(getattr(result, name)(), default=repr)
    if hasattr(result, "table"):
        for kind in ("arrow", "pandas", "polars"):
            yield f"table of {kind}", str(pa.table(result.table(kind)).to_pydict())
    if isinstance(result, ds.Microdata):
        yield "source", repr(result.source)
        yield "types", repr(result.types)
        yield "profile", repr(result.profile)
        yield "frequency set", repr(result.frequency_set())
        yield "classes", repr(result.classes(result.confidential))


def chain(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def everything_said_by(error):
    """All that an error says, also of what it was raised from."""
    yield "traceback", "".join(traceback.format_exception(error))
    for link in chain(error):
        yield "str", str(link)
        yield "repr", repr(link)
        yield "args", repr(link.args)
        yield "notes", repr(getattr(link, "__notes__", ""))
        yield "problems", repr(getattr(link, "problems", ""))


@pytest.fixture(params=["csv", "parquet", "arrow", "pandas", "polars", "ibis", "dict"])
def source(request, tmp_path):
    return make(request.param, tmp_path)


def make(kind, folder):
    table = pa.table(CELLS)
    if kind == "parquet":
        pq.write_table(table, folder / "t.parquet")
        return folder / "t.parquet"
    if kind == "csv":
        return write_csv(folder)
    return {
        "arrow": lambda: table,
        "pandas": table.to_pandas,
        "polars": lambda: pl.from_arrow(table),
        "ibis": lambda: ibis.memtable(table),
        "dict": lambda: CELLS,
    }[kind]()


def write_csv(folder, extra=b"", encoding="utf-8", name="t.csv"):
    with (folder / name).open("w", newline="", encoding=encoding) as file:
        csv.writer(file, lineterminator="\n").writerows(
            [list(CELLS), *zip(*CELLS.values(), strict=True)]
        )
    with (folder / name).open("ab") as file:
        file.write(extra)
    return folder / name


@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_microdata_and_results_show_no_cell(source, missing):
    data = ds.read(source, **ROLES, missing=missing)
    criteria = [ds.KAnonymity(5), ds.PSensitiveKAnonymity(2, 5)]
    results = [data, ds.risk(data), *criteria, *(ds.check(data, c) for c in criteria)]
    for result in results:
        for way, shown in everything_shown_by(result):
            assert_no_mark(shown, f"{way} of {type(result).__name__}")


def test_maskings_and_the_disclosure_risk_show_no_cell(tmp_path):
    data = ds.read(write_csv(tmp_path), **ROLES)
    sampled = ds.sample(data, fraction=0.5, seed=1)
    for result in (sampled, ds.disclosure_risk(data, sampled)):
        for way, shown in everything_shown_by(result):
            assert_no_mark(shown, f"{way} of {type(result).__name__}")


LINE = f"{WORD}-x,{WORD} place,{NUMBER},{FRACTION},{WORD}0,{WORD}".encode()
BAD_CSV = {
    "a short row": LINE + b"\n",
    "a long row": LINE + b",1.5," + LINE + b"\n",
    "an unclosed quote": b'"' + LINE + b"\n" + LINE + b"\n",
    "text after a quote": b'"' + LINE + b'"' + LINE + b"\n",
    "mixed line ends": LINE + b",1.5\r\n" + LINE + b",1.5\r",
    "another encoding": LINE + b"\xe9,1.5\n",
    "a line without end": LINE + b",1" + b"5" * 3_000_000 + b"\n",
    "a zero byte": LINE + b"\0,1.5\n",
}


def lazy_that_fails():
    return pl.LazyFrame(CELLS).with_columns(pl.col("person").cast(pl.Int64))


def table_that_fails():
    table = ibis.memtable(pa.table(CELLS))
    return table.mutate(person=table.person.cast("int64"))


def mixed():
    return pd.DataFrame({**CELLS, "person": pd.Series([NUMBER, WORD] * 30, dtype=object)})


def damaged(folder):
    path = make("parquet", folder)
    whole = bytearray(path.read_bytes())
    whole[100:600] = b"\xff" * 500
    path.write_bytes(bytes(whole))
    return path


FAILURES = {
    "an unknown key": lambda _: ds.read(CELLS, keys=["incme"]),
    "all that is wrong": lambda _: ds.read(
        CELLS, keys=["a"], weight="b", types={"c": GRADES}, missing_values={"d": CELLS["person"]}
    ),
    "a scale that lacks a value": lambda _: ds.read(CELLS, types={"grade": GRADES[1:]}),
    "a scale that repeats a value": lambda _: ds.read(CELLS, types={"grade": GRADES * 2}),
    "a number off its scale": lambda _: ds.read(CELLS, types={"income": [NUMBER]}),
    "a continuous text": lambda _: ds.read(CELLS, types={"grade": "continuous"}),
    "a type of cells": lambda _: ds.read(CELLS, types={"grade": GRADES[0]}),
    "a text as weight": lambda _: ds.read(CELLS, weight="grade"),
    "negative weights": lambda _: ds.read({"w": [-FRACTION, -NUMBER]}, weight="w"),
    "missing values refused": lambda _: ds.read(CELLS, keys=["illness"], missing="refuse"),
    "no values left": lambda _: ds.read(
        CELLS, keys=["person"], missing="refuse", missing_values=CELLS["person"]
    ),
    "codes of another kind": lambda _: ds.read(
        CELLS, keys=["agee"], missing_values=[WORD, NUMBER, {WORD: NUMBER}]
    ),
    "a column of mixed kinds": lambda _: ds.read(mixed()),
    "a column that is a cell": lambda _: ds.read({"a": WORD}),
    "columns of different lengths": lambda _: ds.read({**CELLS, "a": [NUMBER]}),
    "lists as keys": lambda _: ds.read({"a": [[WORD], [NUMBER] * 2]}, keys=["a"]),
    "a list of records": lambda _: ds.read([{"a": WORD}, {"a": NUMBER}]),
    "a lazy frame that fails": lambda _: ds.read(lazy_that_fails()),
    "an Ibis table that fails": lambda _: ds.risk(ds.read(table_that_fails(), keys=["person"])),
    "a damaged Parquet file": lambda folder: ds.risk(ds.read(damaged(folder), keys=["person"])),
    "a wrong separator": lambda folder: ds.read(write_csv(folder), separator="E"),
    "a wrong encoding": lambda folder: ds.read(write_csv(folder), encoding="utf-16"),
    "no keys": lambda _: ds.risk(ds.read(CELLS)),
    "p of an unknown column": lambda _: ds.check(
        ds.read(CELLS, keys=["place"]), ds.PSensitiveKAnonymity(2, 3, "ilness")
    ),
    "a rate of wildcards": lambda _: ds.read(
        CELLS, keys=["place"], missing="wildcard"
    ).class_sizes(),
    **{
        f"CSV with {what}": lambda folder, line=line: ds.risk(
            ds.read(write_csv(folder, line), keys=["place"])
        )
        for what, line in BAD_CSV.items()
    },
}


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES.keys())
def test_errors_show_no_cell_and_are_raised_from_nothing_that_does(tmp_path, fail):
    with pytest.raises(ds.DiscreetError) as caught:
        fail(tmp_path)
    for way, said in everything_said_by(caught.value):
        assert_no_mark(said, way)
    assert list(chain(caught.value)) == [caught.value]


COMMANDS = {
    "risk": ["risk", "--keys", "place,grade", "--confidential", "illness,score"],
    "risk as JSON": ["risk", "--keys", "place,income", "--confidential", "illness", "--json"],
    "check": ["check", "--keys", "person", "--k", "5"],
    "check with p": ["check", "--keys", "place", "--confidential", "illness", "--p", "3", "--json"],
    "an unknown key": ["risk", "--keys", "plce"],
    "a scale": ["risk", "--keys", "place", "--type", "grade=low<high"],
    "a weight": ["risk", "--keys", "place", "--weight", "person"],
    "a policy": ["risk", "--keys", "illness", "--missing", "refuse"],
}


def printed_by(arguments, monkeypatch, capfd):
    monkeypatch.setattr(sys, "argv", ["discreet", *arguments])
    with contextlib.suppress(SystemExit):
        cli.main()
    gc.collect()
    out, err = capfd.readouterr()
    assert out + err
    return out + err


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_the_command_prints_no_cell(tmp_path, monkeypatch, capfd, command):
    verb, *options = command
    path = str(write_csv(tmp_path))
    assert_no_mark(printed_by([verb, path, *options], monkeypatch, capfd), "the command")


@pytest.mark.parametrize("line", BAD_CSV.values(), ids=BAD_CSV.keys())
def test_the_command_prints_no_cell_of_a_bad_file(tmp_path, monkeypatch, capfd, line):
    path = str(write_csv(tmp_path, line))
    shown = printed_by(["risk", path, "--keys", "place"], monkeypatch, capfd)
    assert "Traceback" not in shown
    assert_no_mark(shown, "the command")


HEADERLESS = {
    "no key that was named": ("Anna Mueller;Bonn\nBert Stein;Ulm\n", {"keys": ["name"]}),
    "a wrong separator": ("name;town\nAnna Mueller;Bonn\n", {"keys": ["name"], "separator": ","}),
    "equal cells": ("Anna Mueller,Anna Mueller\nBert,Bonn\n", {}),
    "cells that come again": ("Anna Mueller,Bonn\nBert,Bonn\nCarl,Ulm\n", {}),
    "a date": ("Anna Mueller,2001-02-03\nBert,2001-02-04\n", {}),
    "a type": ("Anna Mueller;Bonn\nBert Stein;Ulm\n", {"types": {"name": "nominal"}}),
    "a code": ("Anna Mueller;Bonn\nBert Stein;Ulm\n", {"missing_values": {"name": ["?"]}}),
}


@pytest.mark.parametrize("text", HEADERLESS.values(), ids=HEADERLESS.keys())
def test_the_first_line_of_a_file_without_header_is_never_shown(tmp_path, text):
    cells, given = text
    (tmp_path / "t.csv").write_text(cells)
    with pytest.raises(ds.DiscreetError, match="names=") as error:
        ds.read(tmp_path / "t.csv", **given)
    assert not any(secret in str(error.value) for secret in ("Anna", "Bonn", "2001", "town"))


def test_columns_that_may_be_a_record_are_not_listed_later(tmp_path):
    (tmp_path / "t.csv").write_text("Anna Mueller;Bonn\nBert Stein;Ulm\n")
    data = ds.read(tmp_path / "t.csv")
    for step in (ds.risk, ds.individual_risk, lambda one: ds.top_code(one, {"income": 0.9})):
        with pytest.raises(ds.DiscreetError) as error:
            step(data)
        assert "Anna" not in str(error.value)


def test_columns_are_listed_where_a_name_of_theirs_was_given(tmp_path):
    (tmp_path / "t.csv").write_text("name;town\nBert Stein;Ulm\n")
    with pytest.raises(ds.DiscreetError, match="'name', 'town'"):
        ds.read(tmp_path / "t.csv", identifiers=["name"], keys=["xyz"])
