"""What holds on Spark alone: what crosses to the driver, how many jobs, what is left behind."""

import gc
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.engine.spark import from_arrow
from tests.app.waiting import until
from tests.engines.tables import hierarchies, recipes
from tests.engines.test_interrupted import views
from tests.processes import run

N = 3000
KEYS = ["age", "sex", "zip"]


@pytest.fixture(scope="module")
def frame(spark):
    """Few combinations of key values, and a confidential attribute that has thousands."""
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "rec": rng.permutation(N),
            "age": rng.integers(20, 40, N),
            "sex": rng.choice(["F", "M"], N).tolist(),
            "zip": rng.choice(["41076", "41099", "43102", "43103"], N).tolist(),
            "illness": rng.choice(["flu", "gout", "asthma"], N).tolist(),
            "income": rng.lognormal(10, 1, N),
        }
    )
    return from_arrow(spark, table).repartition(2).cache()


@pytest.fixture(scope="module")
def data(frame):
    return read(frame)


def read(frame):
    roles = {"keys": KEYS, "confidential": ["illness", "income"], "record_id": "rec"}
    return ds.read(frame, **roles)


@pytest.fixture
def crossed(frame, monkeypatch):
    """The numbers of rows that each query brought to the driver, by whatever way."""
    kind, rows = type(frame), []

    def counting(name, size):
        original = getattr(kind, name)

        def counted(self, *arguments, **options):
            found = original(self, *arguments, **options)
            rows.append(size(found))
            return found

        monkeypatch.setattr(kind, name, counted)

    for name, size in [("toArrow", lambda t: t.num_rows), ("collect", len), ("toPandas", len),
                       ("take", len), ("tail", len), ("first", lambda _: 1)]:  # fmt: skip
        counting(name, size)

    def refuse(*_, **__):
        pytest.fail("rows were streamed to the driver")

    monkeypatch.setattr(kind, "toLocalIterator", refuse)
    return rows


FEW = 30  # rows of sums
LIGHT = (  # for a session of few small queries: no compiling by Spark, and less by Java
    "--conf spark.sql.adaptive.enabled=false --conf spark.sql.codegen.wholeStage=false "
    "--conf spark.sql.codegen.factoryMode=NO_CODEGEN "
    "--driver-java-options -XX:TieredStopAtLevel=1 pyspark-shell"
)
KNOWN = {"age": 0.5, "sex": 0.8, "zip": 0.4, "income": 0.1}


def generalized(data, criterion):
    return ds.generalize(data, hierarchies(), criterion, max_suppressed=0.5).best.mask()


def reported(data, masked):
    with tempfile.TemporaryDirectory() as folder:
        ds.report(data, masked, Path(folder) / "release.html", criterion=ds.KAnonymity(5))


def sampled(data):
    return data, ds.sample(data, n=900, seed=1)


def one(data):
    return (data,)


DISTRIBUTIONS = [
    ds.LDiversity(2, kind="entropy", confidential="illness"),
    ds.LDiversity(2, kind="recursive", c=3, confidential="illness"),
    ds.TCloseness(0.3, confidential="illness"),
]


class Verb(NamedTuple):
    """A verb: what it is given, what it does, how many jobs that may take, and how many rows more
    than one frequency set of the keys it brings to the driver, where it is made of several verbs.
    """

    given: Callable
    work: Callable
    jobs: int
    more: int = 0


VERBS = {
    "risk": Verb(one, ds.risk, 1),
    "check": Verb(one, lambda d: ds.check(d, ds.PSensitiveKAnonymity(p=2, k=3)), 1),
    "check of distributions": Verb(
        one, lambda d: ds.check(d, [ds.LDiversity(2, kind="entropy"), ds.TCloseness(0.9)]), 4
    ),
    "check of recursive diversity": Verb(
        one, lambda d: ds.check(d, ds.LDiversity(2, kind="recursive", c=3)), 3
    ),
    "check of ordered closeness": Verb(
        one,
        lambda d: ds.check(d, ds.TCloseness(0.2, distance="ordered", confidential="illness")),
        3,
    ),
    # the classes and their values once more: what is handed out is counted afresh
    "generalize by distributions": Verb(one, lambda d: generalized(d, DISTRIBUTIONS), 8, more=160),
    "report": Verb(
        lambda d: (d, generalized(d, ds.KAnonymity(70))),
        reported,  # the risk of both files, the loss, and each attribute before and after
        26,
        more=120,
    ),
    # two maskings, each counted afresh, and the risk and the loss of each
    "ru_map": Verb(one, lambda d: ds.ru_map(d, recipes()).points, 29, more=260),
    # the ids, the last draw
    "sample": Verb(one, lambda d: ds.sample(d, fraction=0.3, seed=1), 2),
    # the ids, the strata, the sizes handed out and the records of the sample
    "sample by strata": Verb(one, lambda d: ds.sample(d, fraction=0.3, seed=1, by=["sex"]), 4),
    "disclosure_risk": Verb(sampled, lambda d, m: ds.disclosure_risk(d, m).maximal, 2),
    # the records; keys with values, of two attributes; their largest values; recoding, what is left
    "generalize": Verb(one, lambda d: generalized(d, ds.PSensitiveKAnonymity(p=3, k=70)), 8),
    "disclosure_risk of a generalization": Verb(
        lambda d: (d, generalized(d, ds.KAnonymity(70))),
        lambda d, m: ds.disclosure_risk(d, m).maximal_compatible,
        10,
    ),
    # extremes first, so that sums are the same in any order; distributions last
    "information_loss": Verb(
        sampled, lambda d, m: ds.information_loss(d, m, scope="file").measures, 8
    ),
    # and the groups once more: what is handed out is counted afresh
    "microaggregate": Verb(
        one, lambda d: ds.microaggregate(d, ["income", "age"], k=5, blocks=500), 10
    ),
    "compare_statistics": Verb(
        lambda d: (d, ds.microaggregate(d, ["income"], k=5, blocks=500)), ds.compare_statistics, 5
    ),
    # extremes first, as above
    "record_risk": Verb(one, lambda d: ds.record_risk(d, KNOWN, {"illness": 1.0}).explain(), 12),
    "key_candidates": Verb(one, lambda d: list(ds.key_candidates(d, up_to=2)), 2),
}


def test_each_verb_brings_no_more_rows_to_the_driver_than_the_keys_have_combinations(
    spark, frame, data, crossed, verb
):
    """All queries of a verb together, and a few rows of sums; no single query of a report or a map,
    which are several verbs; and no more jobs than are said.
    """
    combinations = len(data.frequency_set())
    assert combinations == 160
    given = verb.given(read(frame))
    crossed.clear()
    started = jobs(spark, lambda: verb.work(*given))
    assert crossed, "nothing was counted"
    assert max(crossed) <= combinations
    assert sum(crossed) <= combinations + FEW + verb.more
    assert started <= verb.jobs


def test_the_risk_of_households_brings_outcomes_of_households_and_no_records(frame, crossed):
    homes = N // 5
    held = frame.selectExpr("*", f"rec % {homes} AS home", "10.0 AS w")
    data = ds.read(held, keys=KEYS, weight="w", household="home", record_id="rec")
    crossed.clear()
    found = ds.individual_risk(data)
    assert found.household_expected > found.household_highest_expected
    found.column(of="household"), found.column(of="household_highest")
    assert max(crossed) <= homes


@pytest.fixture(params=VERBS)
def verb(request):
    return VERBS[request.param]


@pytest.mark.parametrize(
    "criterion",
    [
        ds.LDiversity(2, kind="entropy"),
        ds.LDiversity(2, kind="recursive", c=3),
        ds.TCloseness(0.9),
        ds.TCloseness(0.9, distance="ordered"),
    ],
    ids=lambda c: c.describe(),
)
def test_values_of_classes_that_are_too_many_are_refused_and_stay_where_they_are(
    data, crossed, monkeypatch, criterion
):
    """Thousands of incomes, and a bound below that; a check by sums is not concerned by it."""
    monkeypatch.setattr("discreet.engine.values._MOST_PAIRS", 1000)
    monkeypatch.setattr("discreet.engine.values._MOST_VALUES", 10)
    with pytest.raises(ds.DiscreetError, match=r"N12.*'income'"):
        generalized(data, criterion)
    if getattr(criterion, "distance", "") == "ordered":
        with pytest.raises(ds.DiscreetError, match=r"N12.*'income'"):
            ds.check(data, criterion)
        assert sum(crossed) <= FEW
    else:
        crossed.clear()
        assert ds.check(data, criterion).provenance.records == N
        assert sum(crossed) <= 160


def test_writing_brings_nothing_to_the_driver(data, crossed, tmp_path):
    data.write(tmp_path / "release.parquet")
    assert crossed == []


def test_the_released_records_are_given_out_as_a_spark_frame(data, crossed):
    released = ds.sample(data, n=300, seed=1).native()
    assert released.columns == ["age", "sex", "zip", "illness", "income"]
    assert max(crossed) == 1
    assert released.count() == 300


def test_rows_that_are_asked_for_are_counted_by_the_test_itself(data, crossed):
    assert data.to("arrow").num_rows == N
    assert max(crossed) == N


def test_what_compares_records_with_each_other_is_refused(data):
    numbers = data.with_roles(keys=["income"])
    masked = ds.sample(numbers, n=100, seed=1)
    with pytest.raises(ds.DiscreetError, match="N08"):
        ds.score(numbers, masked)


# -- jobs ----------------------------------------------------------------------------------------


def jobs(spark, work):
    """How many jobs some work starts, in whatever thread."""
    gc.collect()  # tables of earlier tests are dropped now, not while it works
    until(lambda: not spark.sparkContext.statusTracker().getActiveJobsIds())
    before = last_job(spark)
    work()
    return last_job(spark) - before - 1


def last_job(spark):
    """The number of a job that is started now."""
    context = spark.sparkContext
    context.setJobGroup("counted", "one more")
    spark.range(1).count()
    context.setLocalProperty("spark.jobGroup.id", None)
    return max(context.statusTracker().getJobIdsForGroup("counted"))


def test_the_risk_takes_the_jobs_of_the_query_it_amounts_to(spark, frame):
    frame.createOrReplaceTempView("by_hand")
    query = """
        SELECT size, di, dn, count(*) FROM (
            SELECT count(*) size, count(DISTINCT illness) di, count(DISTINCT income) dn
            FROM by_hand GROUP BY age, sex, zip
        ) GROUP BY size, di, dn"""
    by_hand = jobs(spark, lambda: spark.sql(query).toArrow())
    data = read(frame)
    assert jobs(spark, lambda: ds.risk(data)) <= by_hand
    spark.catalog.dropTempView("by_hand")


def test_a_frequency_set_takes_one_job_and_its_size_none(spark, frame):
    data = read(frame)
    assert jobs(spark, data.frequency_set) == 1
    assert jobs(spark, lambda: data.n) == 0


# -- what is left behind -------------------------------------------------------------------------


def test_views_and_kept_tables_go_when_nothing_refers_to_them(spark, frame):
    gc.collect()
    before = views(spark)
    data = read(frame)
    masked = ds.microaggregate(data, ["income"], k=5)
    sampled = ds.sample(masked, n=50, seed=1)
    assert views(spark) > before
    del data, masked, sampled
    gc.collect()
    assert views(spark) == before


def test_the_settings_of_the_session_are_left_as_they_were(spark, frame):
    from discreet.engine.spark import backend_of

    name, before = "spark.sql.session.timeZone", spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set(name, "America/New_York")
    backend_of.cache_clear()
    try:
        ds.risk(read(frame))
        assert spark.conf.get(name) == "America/New_York"
    finally:
        spark.conf.set(name, before)


def test_columns_may_have_any_name(spark):
    table = pa.table({"a`b": [1, 1, 2], "SELECT *": list("xyx"), "é.ü": [1.0, 2.0, None]})
    data = ds.read(from_arrow(spark, table), keys=["a`b", "SELECT *", "é.ü"])
    assert ds.risk(data).uniques == 3


def test_two_columns_of_one_name_are_an_error(spark):
    frame = from_arrow(spark, pa.table({"a": [1], "b": [2]})).toDF("a", "a")
    with pytest.raises(ds.DiscreetError, match="S04"):
        ds.read(frame)


def test_an_empty_frame_is_an_error(spark, frame):
    with pytest.raises(ds.DiscreetError, match="S02"):
        ds.read(frame.limit(0), keys=["age"])


def test_a_half_written_output_does_not_stay(spark, frame, tmp_path):
    """A value that cannot be cast fails in a task, when part of the output may be written."""
    from pyspark.sql import functions as F

    broken = frame.withColumn("bad", F.expr("assert_true(rec < 2900)").cast("string"))
    data = ds.read(broken, keys=["age"], record_id="rec")
    with pytest.raises(ds.DiscreetError, match="E01") as caught:
        data.write(tmp_path / "release.parquet")
    assert "assert" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_records_that_the_driver_does_not_see_are_an_error(frame, tmp_path, monkeypatch):
    """As on a cluster where each machine has a disk of its own: some parts are not here."""
    from discreet.engine import spark as home

    counted = home._records_in
    monkeypatch.setattr(home, "_records_in", lambda place, suffix: counted(place, suffix) - 1)
    for name in ("release.parquet", "release.csv"):
        with pytest.raises(ds.DiscreetError, match="O06"):
            read(frame).write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_machine_without_java_is_told_what_to_install(tmp_path):
    code = """
import discreet as ds, pyarrow as pa
try:
    ds.read(pa.table({"a": [1]}), keys=["a"], engine="spark")
except ds.DiscreetError as error:
    print(error)
"""
    done = run(
        [sys.executable, "-c", code],
        timeout=60,
        env={"PATH": str(tmp_path), "TMPDIR": str(tmp_path)},
    )
    assert "M02" in done.stdout
    assert "apt install" in done.stdout


def test_the_demo_has_the_same_figures_and_leaves_nothing_behind():
    """One flag; and no table is dropped too late, with a traceback, when the process ends."""
    command = [sys.executable, "-W", "ignore", "-c", "from discreet.cli import command; command()"]
    here, there = (
        run(
            [*command, "demo", "--n", "1500", "--json", *flag],
            timeout=200,
            env={**os.environ, "PYSPARK_SUBMIT_ARGS": LIGHT},
        )
        for flag in ([], ["--engine", "spark"])
    )
    assert (here.returncode, there.returncode) == (0, 0), there.stderr[-2000:]
    found, expected = json.loads(there.stdout), json.loads(here.stdout)
    assert found["risk"]["computed_from"]["engine"] == "pyspark"
    assert without_engine(found) == without_engine(expected)
    assert "Traceback" not in there.stderr


def without_engine(figures):
    if isinstance(figures, dict):
        return {k: without_engine(v) for k, v in figures.items() if k != "engine"}
    if isinstance(figures, list):
        return [without_engine(v) for v in figures]
    return pytest.approx(figures, rel=1e-9) if isinstance(figures, float) else figures
