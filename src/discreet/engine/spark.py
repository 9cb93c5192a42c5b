"""Spark as the home of a table: classic or Spark Connect, in the session that holds the table.

Tables of ours are temporary views of the session; a step worth keeping is persisted on the
executors. Both go when nothing refers to them. Only what :func:`collected` asks for crosses to
the driver.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from discreet.engine.embedded import readable, same
from discreet.engine.turns import Watch, Work, fresh_name, when_unused
from discreet.errors import fail
from discreet.files import folder_beside, no_wider
from discreet.surface import in_python

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["collected", "kept", "readable", "reader", "same", "uploaded", "watch", "write"]

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
    for name, value in {**_LOCAL, **_in_temporary_folder()}.items():
        builder = builder.config(name, value)
    with _own_handler():
        return builder.getOrCreate()


def _in_temporary_folder() -> dict[str, str]:
    """Where Spark and Java write meanwhile: Java does not follow TMPDIR by itself."""
    folder = tempfile.gettempdir()
    java = f'-Djava.io.tmpdir="{folder}"'
    return {"spark.local.dir": folder, "spark.driver.extraJavaOptions": java}


@contextlib.contextmanager
def _own_handler() -> Iterator[None]:
    """Spark takes Ctrl-C for itself; who started this process may have other plans for it."""
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    yield
    if main and before is not None:
        signal.signal(signal.SIGINT, before)


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
    return _viewed(frame.toDF(*(f"c{i}" for i in range(len(frame.columns)))))


def _viewed(frame: Any, *, persisted: bool = False) -> ir.Table:
    """A frame as a table, through a temporary view that goes when nothing refers to the table,
    and what is persisted of it with it. Named by the view: with Spark Connect, a frame of a query
    is looked up anew each time, when the views that it names may have gone.
    """
    spark, name = frame.sparkSession, fresh_name()
    frame.createOrReplaceTempView(name)
    if persisted:
        spark.catalog.cacheTable(name)
    made = backend_of(spark).table(name)
    when_unused(made, lambda: spark.catalog.dropTempView(name))
    return made


def frame_of(expression: ir.Table) -> Any:
    """An expression as a Spark frame, not yet computed."""
    backend = expression.get_backend()
    backend._run_pre_execute_hooks(expression)
    return backend._session.sql(backend.compile(expression))


def given_out(expression: ir.Table) -> Any:
    """An expression as a Spark frame for the user: the views that it names stay as long as it, or
    a frame made from it, is in use.
    """
    frame = frame_of(expression)
    plan = getattr(frame, "_plan", None)  # of Spark Connect, which looks names up when it runs
    if plan is not None:
        plan.refers_to = expression
    return frame


def kept(table: ir.Table) -> ir.Table:
    """The outcome of a step, persisted where it is computed."""
    return _viewed(frame_of(table), persisted=True)


def uploaded(backend: Any, table: pa.Table) -> ir.Table:
    """An Arrow table as a table of the session."""
    return _viewed(from_arrow(backend._session, table))


def from_arrow(spark: Any, table: pa.Table) -> Any:
    """An Arrow table as a Spark frame; times without a zone stay without one."""
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = pa.schema([(field.name, _near_type(field.type)) for field in table.schema])
    plain = table.cast(schema)
    return spark.createDataFrame(plain, from_arrow_schema(schema, prefer_timestamp_ntz=True))


def _near_type(dtype: pa.DataType) -> pa.DataType:
    """A type that Spark has and that loses nothing."""
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


def watch(table: ir.Table) -> Watch | None:
    """How a step of Spark is watched and stopped: by a tag that its jobs carry."""
    from pyspark import inheritable_thread_target
    from pyspark.sql import is_remote

    spark, tag = table.get_backend()._session, fresh_name()
    connect = ".connect." in type(spark).__module__
    if connect != is_remote():  # Spark could not tell which kind of session it is
        return None
    inherited = inheritable_thread_target(spark)

    def wrap(work: Work) -> Work:
        def tagged() -> None:
            spark.addTag(tag) if connect else spark.sparkContext.addJobTag(tag)
            work()

        return cast("Work", inherited(tagged))

    if connect:
        return Watch(lambda: -1.0, lambda: spark.interruptTag(tag), wrap)
    # not by a tag of the session, which only the thread that set it can interrupt
    context = spark.sparkContext
    return Watch(lambda: _percent(spark), lambda: context.cancelJobsWithTag(tag), wrap)


def _percent(spark: Any) -> float:
    """Tasks that are done, of those of the jobs that run."""
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getActiveJobsIds()]
    stages = [tracker.getStageInfo(i) for job in jobs if job for i in job.stageIds]
    known = [stage for stage in stages if stage]
    tasks = sum(stage.numTasks for stage in known)
    return 100 * sum(stage.numCompletedTasks for stage in known) / tasks if tasks else -1.0


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
    from pyspark.sql import Observation
    from pyspark.sql.functions import count, lit

    seen, records = Observation(), count(lit(1)).alias("records")
    with folder_beside(path) as place:
        if path.suffix == ".parquet":
            frame_of(chosen).observe(seen, records).write.parquet(place.as_uri())
        else:
            frame = frame_of(_times_as_text(chosen)).observe(seen, records)
            frame.write.options(**_CSV).csv(place.as_uri())
        if _records_in(place, path.suffix) != seen.get["records"]:
            fail(
                "O06",
                f"the executors did not write all of {path.name} where the driver sees it.",
                "Name a folder that all machines share, or write "
                f"{in_python('.native()')} with Spark.",
            )
        for extra in (*place.glob("_SUCCESS"), *place.glob(".*.crc")):
            extra.unlink()
        no_wider(place, like)


def _records_in(place: Path, suffix: str) -> int:
    """How many records the part files hold that the driver sees."""
    import pyarrow.parquet as pq

    parts = sorted(place.glob("part-*"))
    if suffix == ".parquet":
        return sum(pq.read_metadata(part).num_rows for part in parts)
    return sum(_lines_in(part) for part in parts)


def _lines_in(part: Path) -> int:
    """The records of a CSV file with a header: a line end within quotes does not count."""
    ended = quotes = 0
    with part.open("rb") as opened:
        for line in opened:
            quotes += line.count(b'"')
            ended += quotes % 2 == 0
    return max(ended - 1, 0)


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

    return _viewed(frame.groupBy("block").applyInArrow(masked, schema), persisted=True)
