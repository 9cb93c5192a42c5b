"""Spark Connect: the frames of a remote session, as a client without Spark of its own holds them.

In a process of its own: a session of one kind keeps the other one from being opened.
"""

import json
import os
import shutil
import sys

import pyarrow.parquet as pq
import pytest

import discreet as ds
from tests.conftest import ROOT
from tests.engines.tables import ROLES, hierarchies, rows, survey
from tests.processes import run

CLIENT = """
import json, sys, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
try:
    builder = SparkSession.builder.remote("local[2]")
    for name, value in json.loads(sys.argv[2]).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.range(1).count()
except Exception as error:
    print(json.dumps({"absent": type(error).__name__}))
    sys.exit()

import gc, signal, threading, time
import discreet as ds
from discreet.engine.spark import from_arrow
from tests.engines.tables import ROLES, hierarchies, rows, survey

frame = from_arrow(spark, survey(300))
assert ".connect." in type(frame).__module__
data = ds.read(frame, **ROLES)
masked = ds.generalize(data, hierarchies(), ds.KAnonymity(4)).best.mask()
masked.write(sys.argv[1])
released = ds.sample(data, n=50, seed=1).native()
gc.collect()  # the views that the frame names are still there
found = {
    "risk": ds.risk(data).to_dict()["class_sizes"],
    "check": ds.check(data, ds.KAnonymity(2)).explain(),
    "sample": [list(map(str, row)) for row in rows(ds.sample(data, n=20, seed=1))],
    "native": released.count(),
    "masked": masked.n,
    "blocks": ds.microaggregate(data, ["income"], k=5, blocks=100).n,
}

# Ctrl-C in a query of half a minute
slow = ds.read(frame.selectExpr("*", "reflect('java.lang.Thread', 'sleep', 100L) AS late"), **ROLES)
main = threading.main_thread().ident
threading.Timer(1.5, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
began = time.monotonic()
try:
    slow.to("arrow")
except KeyboardInterrupt:
    found["stopped"] = time.monotonic() - began
found["afterwards"] = ds.risk(data).to_dict()["class_sizes"]
del data, masked, released, slow
gc.collect()
found["left"] = [t.name for t in spark.catalog.listTables()]
print(json.dumps(found))
spark.stop()
"""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


@pytest.fixture(scope="session")
def remote(absent, tmp_path_factory):
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        absent("spark", "no Java found")
    path = tmp_path_factory.mktemp("connect") / "release.parquet"
    done = run(
        [sys.executable, "-c", CLIENT, str(path), json.dumps(SETTINGS)],
        timeout=150,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_TESTING": "1",  # the server takes a free port
        },
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    if "absent" in found:
        absent("spark", f"no Spark Connect server could be started ({found['absent']})")
    return found, path


def test_a_frame_of_spark_connect_gives_the_figures_of_the_embedded_engine(remote):
    found, _ = remote
    data = ds.read(survey(300), **ROLES)
    assert found["risk"] == json.loads(json.dumps(ds.risk(data).to_dict()["class_sizes"]))
    assert found["check"] == ds.check(data, ds.KAnonymity(2)).explain()
    drawn = rows(ds.sample(data, n=20, seed=1))
    assert found["sample"] == [list(map(str, row)) for row in drawn]
    assert (found["native"], found["blocks"]) == (50, 300)


def test_what_it_masks_and_writes_is_what_the_embedded_engine_writes(remote, tmp_path):
    found, path = remote
    data = ds.read(survey(300), **ROLES)
    masked = ds.generalize(data, hierarchies(), ds.KAnonymity(4)).best.mask()
    assert found["masked"] == masked.n
    masked.write(tmp_path / "release.parquet")
    assert pq.read_table(path).num_rows == masked.n
    assert rows(ds.read(path)) == rows(ds.read(tmp_path / "release.parquet"))


def test_no_view_is_left_in_the_session(remote):
    assert remote[0]["left"] == []


def test_ctrl_c_stops_a_query_and_the_session_serves_the_next_one(remote):
    found, _ = remote
    assert found["stopped"] < 10
    assert found["afterwards"] == found["risk"]
