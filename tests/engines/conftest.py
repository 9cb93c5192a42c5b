"""One suite, every engine: each test that takes ``engine`` runs on all of them.

A gap is marked with its reason, strictly (a test that begins to pass fails until the mark goes):

    @pytest.mark.notimpl("spark", reason=…)   ours to do
    @pytest.mark.notyet("spark", reason=…)    the engine or Ibis cannot do it yet
    @pytest.mark.never("spark", reason=…)     it makes no sense there

The table of docs/engines.md is made from the run: DISCREET_WRITE_DOCS=1 pytest tests/engines
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from tests.engines import parity

GAPS = ("notimpl", "notyet", "never")


def pytest_configure(config):
    for gap in GAPS:
        config.addinivalue_line("markers", f"{gap}(*engines, reason): a gap of some engines")
    config.addinivalue_line("markers", "verb(name): the row of the parity table")


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here not in item.path.parents:
            continue
        engine = getattr(item, "callspec", None) and item.callspec.params.get("engine")
        for gap in GAPS:
            for mark in item.iter_markers(gap):
                if engine in mark.args:
                    reason = f"{gap}: {mark.kwargs['reason']}"
                    item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
        verb = item.get_closest_marker("verb")
        if engine and verb:
            item.user_properties.append(("parity", (verb.args[0], engine)))


def pytest_runtest_logreport(report):
    parity.note(report)


def pytest_sessionfinish(session):
    if os.environ.get("DISCREET_WRITE_DOCS") == "1" and not hasattr(session.config, "workerinput"):
        parity.write()


class Engine:
    """An engine under test: its name, and how a table of Arrow gets into it."""

    def __init__(self, name, load):
        self.name, self.load = name, load

    def read(self, table, **roles):
        return ds.read(self.load(table), **roles)


class Embedded(Engine):
    """The embedded engine, which small tables are handed to as if they were large: all else that is
    read in these tests is held in this process, so that both sides of the border are compared."""

    def read(self, table, **roles):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("discreet.engine.held.MOST_CELLS", 0)
            data = super().read(table, **roles)
        assert data.source.held is None
        return data


@pytest.fixture(scope="session", params=["duckdb", "polars", "spark", "postgres"])
def engine(request):
    """Each engine in turn."""
    if request.param == "duckdb":
        return Embedded("duckdb", lambda table: table)
    if request.param == "polars":
        import polars as pl

        return Engine("polars", pl.from_arrow)
    return Engine(request.param, request.getfixturevalue(f"{request.param}_loader"))


# -- Spark ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def spark(absent):
    """A session on this machine, one for the whole run."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        absent("spark", "no Java found")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pyspark.sql import SparkSession
    except ImportError:
        absent("spark", "pyspark not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = tempfile.mkdtemp(prefix="discreet-spark-")
    settings = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.sql.warehouse.dir": folder,
        "spark.local.dir": folder,
        "spark.ui.showConsoleProgress": "false",
        # for many small queries: no compiling by Spark, and less by Java
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.extraJavaOptions": f'-XX:TieredStopAtLevel=1 -Djava.io.tmpdir="{folder}"',
    }
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
    yield session
    session.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def spark_loader(spark):
    from discreet.engine.spark import from_arrow

    def load(table):
        """In another order: a result that depends on it is wrong."""
        mixed = np.random.default_rng(7).permutation(table.num_rows)
        return from_arrow(spark, table.take(pa.array(mixed)))

    return load


# -- PostgreSQL ----------------------------------------------------------------------------------


def _binaries():
    found = shutil.which("postgres")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((p for p in places if (p / "initdb").exists() and (p / "postgres").exists()), None)


def _unprivileged():
    """The server refuses to run as root."""
    if os.getuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@pytest.fixture(scope="session")
def postgres_server(absent):
    """A server of our own in a temporary folder, on a free port; gone with the run."""
    binaries = _binaries()
    if binaries is None:
        absent("postgres", "no PostgreSQL server binary found")
    who = _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="discreet-pg-"))
    if who:
        try:
            os.chown(folder, who["user"], who["group"])
        except OSError:  # in a namespace of one user, who is called root
            absent("postgres", "the server refuses to run as root, and there is no other user")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    run = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **who}
    data = folder / "data"
    subprocess.run(
        [binaries / "initdb", "-D", data, "-U", "steward", "-A", "trust", "-E", "UTF8",
         "--locale=C.UTF-8", "--no-sync"],
        check=True, timeout=100, **run,
    )  # fmt: skip
    server = subprocess.Popen(
        [binaries / "postgres", "-D", data, "-k", folder, "-p", str(port), "-c", "fsync=off",
         "-c", "autovacuum=off",  # it would change what the catalog says of a table
         "-c", "listen_addresses=", "-c", "max_connections=20"],
        **run,
    )  # fmt: skip
    yield {"host": str(folder), "port": port, "user": "steward", "database": "postgres"}
    server.send_signal(signal.SIGINT)  # end now, whoever is connected
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(10)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(postgres_server):
    """A connection to the server."""
    import ibis
    import psycopg

    for _ in range(100):
        try:
            connection = ibis.postgres.connect(**postgres_server)
            break
        except psycopg.OperationalError:
            import time

            time.sleep(0.1)
    else:
        pytest.fail("the server did not come up")
    yield connection
    connection.disconnect()


@pytest.fixture(scope="session")
def postgres_loader(postgres):
    from discreet.engine.turns import fresh_name

    def load(table):
        import ibis

        name = f"given_{fresh_name()}"
        postgres.create_table(name, schema=ibis.schema(table.schema))
        with postgres.begin() as cursor, cursor.copy(f'COPY "{name}" FROM STDIN') as copy:
            for row in table.to_pylist():
                copy.write_row(list(row.values()))
        return postgres.table(name)

    return load
