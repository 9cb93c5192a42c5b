"""Ctrl-C in Spark and PostgreSQL: what runs is cancelled there, nothing is left behind in the
session, the database or the folder of the output, and the next call is served.
"""

import contextlib
import gc
import signal
import threading
import time

import ibis
import pytest

import discreet as ds
from discreet.engine.spark import from_arrow
from tests.engines.tables import ROLES, survey
from tests.engines.test_postgres import catalog

PROMPTLY = 8  # seconds, on a busy machine
ENDLESS = 10**13


def views(spark):
    """The names of what the session holds."""
    return {row.tableName for row in spark.sql("SHOW TABLES").collect()}


class InSpark:
    """Tables that take long, and what the session is doing and holds."""

    def __init__(self, spark):
        self.spark = spark

    def endless(self):
        return self.spark.range(ENDLESS).selectExpr("id % 7 AS a", "id % 11 AS b")

    def slow(self, table):
        """Each record takes a tenth of a second once its last column is asked for."""
        frame = from_arrow(self.spark, table).repartition(2)
        sleep = "reflect('java.lang.Thread', 'sleep', 100L)"
        return frame.selectExpr("*", f"nvl({sleep}, 'x') AS late")

    def loaded(self, table):
        return from_arrow(self.spark, table)

    def running(self):
        return bool(self.spark.sparkContext.statusTracker().getActiveJobsIds())

    def left(self):
        return views(self.spark) | set(self.spark.sparkContext._jsc.getPersistentRDDs())


class InPostgres:
    """Tables that take long, and what the connection is doing and what the database holds."""

    def __init__(self, connection, other, load):
        self.connection, self.other, self.loaded = connection, other, load
        # not volatile, so that the server leaves it out where it is not asked for
        connection.con.execute(
            "CREATE OR REPLACE FUNCTION late(n bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS "
            "'BEGIN PERFORM pg_sleep(0.1); RETURN n; END'"
        )

    def endless(self):
        series = f"SELECT generate_series(1, {ENDLESS}) AS i"
        query = f"SELECT i % 7 AS a, i % 11 AS b FROM ({series}) AS t"
        return self.connection.sql(query, schema={"a": "int64", "b": "int64"})

    def slow(self, table):
        given = self.loaded(table)
        query = f'SELECT *, late(rec) AS late FROM "{given.get_name()}"'
        return self.connection.sql(query, schema={**given.schema(), "late": "int64"})

    def running(self):
        query = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND state = 'active'"
        asked = self.other.con.execute(query, [self.connection.con.info.backend_pid])
        return bool(asked.fetchone()[0])

    def left(self):
        return {row[:2] for row in catalog(self.other)}


@pytest.fixture(params=["spark", "postgres"])
def there(request):
    if request.param == "spark":
        yield InSpark(request.getfixturevalue("spark"))
        return
    loader = request.getfixturevalue("postgres_loader")
    other = ibis.postgres.connect(**request.getfixturevalue("postgres_server"))
    yield InPostgres(request.getfixturevalue("postgres"), other, loader)
    other.disconnect()


@pytest.fixture(autouse=True)
def plain_handler():
    """Python's own: a session of Spark that a test has opened cancels its jobs by itself."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def stopped(work, there, after=0.2):
    """Press Ctrl-C once the engine has worked for a while; the seconds until the work gave up."""
    pressed, done, main = [], threading.Event(), threading.main_thread().ident

    def press():
        until(lambda: there.running() or done.is_set())
        if not done.wait(after):
            pressed.append(time.monotonic())
            signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=press, daemon=True)
    thread.start()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            work()
            pytest.fail("it was not stopped")
    finally:
        done.set()
        thread.join(30)
    return time.monotonic() - pressed[0]


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


VERBS = {
    "risk": lambda data, _: ds.risk(data),
    "sample": lambda data, _: ds.risk(ds.sample(data, n=300, seed=1)),  # Spark keeps it when used
    "microaggregate": lambda data, _: ds.microaggregate(data, ["income"], k=5, blocks=100).n,
    "ru_map": lambda data, _: ds.ru_map(
        data, ds.grid(methods=["sampling"], fractions=[0.9], seed=1)
    ),
    "to arrow": lambda data, _: data.to("arrow"),
    "write": lambda data, folder: data.write(folder / "release.parquet"),
}


# between two queries it may fall into an import or a question of Py4J, which leaves a file open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("verb", VERBS)
def test_ctrl_c_stops_a_verb_and_leaves_nothing_behind(there, verb, tmp_path):
    gc.collect()
    if verb == "risk":
        data = ds.read(there.endless(), keys=["a", "b"])
    else:
        data = ds.read(there.slow(survey(400)), **ROLES)
    before = there.left()
    # one of them while its progress is reported already
    after = 1.5 if verb == "risk" else 0.2
    assert stopped(lambda: VERBS[verb](data, tmp_path), there, after) < PROMPTLY
    until(lambda: not there.running(), 5)
    gc.collect()
    assert there.left() <= before  # what other tests kept may go meanwhile
    assert list(tmp_path.iterdir()) == []
    few = survey(60)
    assert ds.risk(ds.read(there.loaded(few), **ROLES)).uniques == (
        ds.risk(ds.read(few, **ROLES)).uniques
    )
