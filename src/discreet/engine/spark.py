"""Spark as the home of a table: classic or Spark Connect, in the session that holds the table.

Tables of ours are temporary views of the session; a step worth keeping is persisted on the
executors. Both go when nothing refers to them. Only what :func:`collected` asks for crosses to
the driver.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.engine.embedded import same
from discreet.engine.lifetimes import fresh_name, when_unused
from discreet.errors import fail
from discreet.files import folder_beside, no_wider

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

__all__ = ["collected", "kept", "reader", "same", "uploaded", "write"]

_LOCAL = {  # of a session that is opened here, on one machine
    "spark.master": "local[*]",
    "spark.app.name": "discreet",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
}
_SET_BY_IBIS = ("spark.sql.session.timeZone", "spark.sql.mapKeyDedupPolicy")
_CSV = {  # as the embedded engine writes it
    "header": "true",
    "escape": '"',
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
}


def is_frame(source: object) -> bool:
    """Whether an object is a Spark frame (without importing Spark for those that are not)."""
    home = type(source).__module__.partition(".")[0]
    return home == "pyspark" and hasattr(source, "createOrReplaceTempView")


def session() -> Any:
    """The session that is open, or a new one: ``SPARK_REMOTE`` or, on this machine, Java."""
    spark = _pyspark()
    found = spark.SparkSession.getActiveSession()
    if found is not None:
        return found
    builder = spark.SparkSession.builder
    if "SPARK_REMOTE" in os.environ or "SPARK_CONF_DIR" in os.environ:
        return builder.getOrCreate()
    need_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the package is installed there
    for name, value in _LOCAL.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def need_java() -> None:
    """Spark on this machine runs on Java."""
    home = os.environ.get("JAVA_HOME")
    if not (home and (Path(home) / "bin" / "java").exists()) and shutil.which("java") is None:
        fail(
            "M02",
            "Spark needs Java 17 or later, and none is found.",
            "Install it: apt install default-jre-headless, or set JAVA_HOME.",
        )


def _pyspark() -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
        try:
            import pyspark.sql
        except ImportError:
            pass
        else:
            return pyspark.sql
    fail("M01", "pyspark is not installed.", "Run: pip install 'discreet[spark]'")


@functools.lru_cache(maxsize=8)
def backend_of(spark: Any) -> Any:
    """The Ibis backend of a session, one for each, so that its tables can be joined.

    Ibis changes settings of the session; they are put back.
    """
    import ibis

    before = {name: spark.conf.get(name, None) for name in _SET_BY_IBIS}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
        backend = ibis.pyspark.connect(spark)
    for name, value in before.items():
        if value is not None:
            spark.conf.set(name, value)
    return backend


def opened(frame: Any) -> ir.Table:
    """A Spark frame as an Ibis table with its columns named by position."""
    return _viewed(frame.toDF(*(f"c{i}" for i in range(len(frame.columns)))), lambda: None)


def _viewed(frame: Any, release: Callable[[], object]) -> ir.Table:
    """A frame as a table, through a temporary view that goes when nothing refers to the table."""
    spark, name = frame.sparkSession, fresh_name()
    frame.createOrReplaceTempView(name)
    made = backend_of(spark).table(name)

    def forget() -> None:
        spark.catalog.dropTempView(name)
        release()

    when_unused(made, forget)
    return made


def frame_of(expression: ir.Table) -> Any:
    """An expression as a Spark frame, not yet computed."""
    backend = expression.get_backend()
    backend._run_pre_execute_hooks(expression)
    return backend._session.sql(backend.compile(expression))


def kept(table: ir.Table) -> ir.Table:
    """The outcome of a step, persisted where it is computed."""
    frame = frame_of(table).persist()
    return _viewed(frame, frame.unpersist)


def uploaded(backend: Any, table: pa.Table) -> ir.Table:
    """An Arrow table as a table of the session."""
    return _viewed(from_arrow(backend._session, table), lambda: None)


def from_arrow(spark: Any, table: pa.Table) -> Any:
    """An Arrow table as a Spark frame; times without a zone stay without one."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = pa.schema([(field.name, _near_type(field.type)) for field in table.schema])
    plain = table.cast(schema)
    return spark.createDataFrame(plain, from_arrow_schema(schema, prefer_timestamp_ntz=True))


def _near_type(dtype: pa.DataType) -> pa.DataType:
    """A type that Spark has and that loses nothing."""
    import pyarrow as pa

    near = {
        pa.uint8(): pa.int16(),
        pa.uint16(): pa.int32(),
        pa.uint32(): pa.int64(),
        pa.uint64(): pa.decimal128(20, 0),
        pa.date64(): pa.date32(),
        pa.string_view(): pa.string(),
        pa.large_string(): pa.string(),
    }
    if pa.types.is_timestamp(dtype):
        return pa.timestamp("us", dtype.tz)
    if pa.types.is_decimal(dtype) and not pa.types.is_decimal128(dtype):
        return pa.decimal128(dtype.precision, dtype.scale)
    return near.get(dtype, dtype)


def collected(expression: ir.Table) -> pa.Table:
    """The outcome of an expression, brought to the driver."""
    return frame_of(expression).toArrow()


def reader(expression: ir.Table) -> Iterator[pa.RecordBatch]:
    """The outcome of an expression, brought to the driver."""
    return iter(collected(expression).to_batches())


def write(chosen: ir.Table, path: Path, like: Path | None) -> None:
    """A folder of Parquet or CSV files, one per partition, written beside its place and renamed.

    The executors write to the path that the driver names: it must be the same place for all.
    """
    with folder_beside(path) as place:
        if path.suffix == ".parquet":
            frame_of(chosen).write.parquet(place.as_uri())
        else:
            frame_of(_times_as_text(chosen)).write.options(**_CSV).csv(place.as_uri())
        if not any(place.glob("part-*")):
            fail(
                "O06",
                f"the executors did not write {path.name} where the driver sees it.",
                "Name a folder that all machines share, or write .native() with Spark.",
            )
        for extra in (*place.glob("_SUCCESS"), *place.glob(".*.crc")):
            extra.unlink()
        no_wider(place, like)


def _times_as_text(table: ir.Table) -> ir.Table:
    """Times written as the embedded engine writes them: fractions of a second where there are."""
    times = {n: table[n].cast("string") for n, t in table.schema().items() if t.is_timestamp()}
    return table.mutate(**times) if times else table


def by_block(
    blocked: ir.Table, work: Callable[[pa.Table], pa.Table], types: dict[str, str]
) -> ir.Table:
    """A table whose blocks (column ``block``) went through a function on the executors.

    ``types`` names the columns whose type changes. The package must be installed on the executors.
    """
    frame = frame_of(blocked)
    fields = [field for field in frame.schema.fields if field.name != "block"]
    schema = ", ".join(f"{f.name} {types.get(f.name, f.dataType.simpleString())}" for f in fields)
    names = [field.name for field in fields]

    def masked(block: pa.Table) -> pa.Table:
        return work(block.select(names))

    made = frame.groupBy("block").applyInArrow(masked, schema).persist()
    return _viewed(made, made.unpersist)
