"""Files of other programs become sources: records into the engine, words in place of codes, types
from the levels of measurement, and the codebook kept for writing.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from discreet import csvfile, engine
from discreet.data.attributes import AttributeType
from discreet.errors import fail
from discreet.formats import SHEETS, Codebook, Variable
from discreet.progress import stage

_IN_MEMORY = 60_000_000  # cells; more go to files first


@dataclass(frozen=True, eq=False, repr=False)
class Foreign:
    """A file of another program, opened: its records, their types, and its codebook."""

    source: engine.Source
    types: Mapping[str, AttributeType]
    book: Codebook


@dataclass(frozen=True)
class ForeignOptions:
    """What the user says of such a file."""

    encoding: str | None = None
    sheet: str | int | None = None
    names: tuple[str, ...] | None = None
    labels: bool = True
    header: bool = False
    columns: frozenset[str] = frozenset()  # that the user speaks of


def open_foreign(path: Path, options: ForeignOptions, codes: Any) -> Foreign:
    """Open a file of SPSS, Stata or SAS, or a sheet.

    ``codes`` gives the codes that mean missing, by column, for some names of columns.
    """
    if path.stat().st_size == 0:
        fail("S02", f"{path.name} is empty.", "Give a file with records.")
    if path.suffix.lower() in SHEETS:
        return _open_sheet(path, options, codes)
    from discreet.formats.statistical import StatisticalFile

    file = StatisticalFile.opened(path, options.encoding)
    _need_names(file.names, path)
    missing = {name: [str(code) for code in given] for name, given in codes(file.names).items()}
    book = file.codebook()
    many = (file.records or 0) * len(file.names) > _IN_MEMORY
    with stage("reading records", file.records) as advance:
        made = (_spilled if many else _collected)(file, path, advance)
    labelled = {n: v for n, v in book.variables.items() if v.values and options.labels}
    source, worded = (_in_engine if many else _in_arrow)(made, labelled, missing)
    source = replace(source, origin=path.name)
    if engine.is_empty(source):
        fail("S02", f"{path.name} has no records.", "Give a file with at least one record.")
    book = book.with_words(worded)
    normal = engine.normalised(source, codes(file.names))
    return Foreign(normal, _types(source, book), book)


def _open_sheet(path: Path, options: ForeignOptions, codes: Any) -> Foreign:
    from discreet.formats.spreadsheet import read_sheet

    how = (options.sheet, options.names, options.header, options.columns)
    table = read_sheet(path, *how)
    opened = engine.from_arrow(table, "arrow", codes(table.column_names))
    sure = options.names is not None or options.header
    return Foreign(replace(opened, origin=path.name, sure=sure), {}, Codebook("a spreadsheet"))


def _need_names(names: Sequence[str], path: Path) -> None:
    csvfile.refuse_duplicates(names, path)
    csvfile.refuse_many(names, path)
    if not names:
        fail("S02", f"{path.name} has no columns.", "Give a file with records.")


def _collected(file: Any, path: Path, advance: Any) -> pa.Table:  # noqa: ARG001
    """The records in memory, numbers that are all whole as whole numbers."""
    pieces = []
    for piece in file.pieces():
        pieces.append(piece)
        advance(sum(one.num_rows for one in pieces))
    table = pa.concat_tables(pieces, promote_options="permissive")
    pieces.clear()
    for i, name in enumerate(table.column_names):
        table = table.set_column(i, name, _whole(table.column(i)))
    return table


def _spilled(file: Any, path: Path, advance: Any) -> engine.Source:
    """The records in files of the engine, which go when nothing needs them any more."""
    import pyarrow.parquet as pq

    folder = Path(tempfile.mkdtemp(prefix="discreet-", dir=engine.limits_in_force().temp_directory))
    whole, done, schema = set(file.names), 0, None
    try:
        for number, piece in enumerate(file.pieces()):
            schema = schema or piece.schema
            whole = {name for name in whole if str(_whole(piece[name]).type) == "int64"}
            pq.write_table(piece.cast(schema), folder / f"{number:06}.parquet")
            done += piece.num_rows
            advance(done)
        source = replace(engine.read_parquet(folder, {}), origin=path.name)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    engine.remove_later(source, folder)
    return engine.as_integers(source, sorted(whole))


def _whole(column: Any) -> Any:
    """A column of numbers as whole ones, where all of them are."""
    if column.type != pa.float64() or column.null_count == len(column):
        return column
    try:
        return column.cast(pa.int64())
    except pa.ArrowException:
        return column


def _in_arrow(
    table: pa.Table, labelled: Mapping[str, Variable], missing: Mapping[str, Sequence[str]]
) -> tuple[engine.Source, set[str]]:
    """The source of records in memory, with words in place of codes; and whose they are."""
    worded = set()
    for name, variable in labelled.items():
        column = table[name]
        words = _words(column.unique(), variable, missing.get(name, ()))
        if words is not None:
            at = pc.index_in(column, value_set=words["value"].combine_chunks())
            made = words["label"].combine_chunks().take(at.combine_chunks())
            table = table.set_column(table.column_names.index(name), name, made)
            worded.add(name)
    return engine.from_arrow(table, "arrow", {}), worded


def _in_engine(
    source: engine.Source, labelled: Mapping[str, Variable], missing: Mapping[str, Sequence[str]]
) -> tuple[engine.Source, set[str]]:
    """The same where the engine has the records."""
    there = {name: engine.counts(source, [name]).column(0).combine_chunks() for name in labelled}
    tried = {n: _words(there[n], v, missing.get(n, ())) for n, v in labelled.items()}
    tables = {name: table for name, table in tried.items() if table is not None}
    if not tables:
        return source, set()
    return engine.kept(engine.recoded(source, tables)), set(tables)


def _words(there: pa.Array, variable: Variable, missing: Sequence[str]) -> pa.Table | None:
    """A table of codes and words, where the values are words to whoever wrote the file."""
    texts, codes = variable.texts(), there.to_pylist()
    known = all(code is None or code in texts for code in codes)
    if not known and variable.measure not in ("nominal", "ordinal"):
        return None  # an amount with a few special codes
    words = [None if c is None or str(c) in missing else texts.get(c, str(c)) for c in codes]
    return pa.table({"value": there, "label": pa.array(words, pa.string())})


def _types(source: engine.Source, book: Codebook) -> dict[str, AttributeType]:
    """What the levels of measurement say: an ordinal one needs words in order."""
    found = {}
    for name, variable in book.variables.items():
        numeric = source.kinds[name] in ("integer", "number")
        if variable.measure == "scale" and numeric:
            found[name] = AttributeType("continuous")
        elif variable.measure == "ordinal" and variable.words:
            scale = _scale(source, name, variable)
            found[name] = AttributeType("ordinal", scale)
        elif variable.measure == "nominal" or variable.words:
            found[name] = AttributeType("nominal")
    return found


def _scale(source: engine.Source, name: str, variable: Variable) -> tuple[str, ...]:
    """The words in the order of their codes; codes without a word stand where they belong."""
    words = {text: code for code, text in variable.texts().items()}
    there = [one for one in engine.counts(source, [name]).column(0).to_pylist() if one is not None]
    every = {**words, **{text: float(text) for text in there if text not in words}}
    return tuple(sorted(every, key=lambda text: (every[text], text)))
