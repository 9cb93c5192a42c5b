"""Released files on every engine: shuffled alike, and a plan that runs in Spark."""

import pyarrow.parquet as pq
import pytest

import discreet as ds
from tests.engines.tables import survey


def read_back(path):
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [row for file in files for row in pq.read_table(file, partitioning=None).to_pylist()]


@pytest.mark.verb("write")
def test_masked_records_are_written_in_the_same_order_by_every_engine(engine, tmp_path):
    """The order is a hash of the written values: of integers and texts it is the same anywhere."""
    table = survey(300)
    roles = {"keys": ["age", "sex"], "record_id": "rec", "identifiers": ["zip"]}
    files = []
    for number, data in enumerate((engine.read(table, **roles), ds.read(table, **roles))):
        files.append(tmp_path / f"m{number}.parquet")
        ds.sample(data, n=100, seed=3).write(files[-1], seed=5)
    assert read_back(files[0]) == read_back(files[1])


def test_a_plan_runs_in_spark_and_its_folder_is_verified(spark, tmp_path):
    pq.write_table(survey(300), tmp_path / "t.parquet")
    plan = ds.Plan.of(
        {
            "source": {"file": "t.parquet", "engine": "spark"},
            "roles": {"keys": ["sex"], "record_id": "rec"},
            "criterion": {"k": 2},
            "steps": [{"do": "sample", "n": 100, "seed": 3}],
            "outputs": {"masked": "m.parquet"},
        },
        tmp_path,
    )
    release = plan.run()
    assert release.satisfied
    assert release.ledger.document["engine"] == "pyspark"
    assert (tmp_path / "m.parquet").is_dir()
    found = release.ledger.verify(tmp_path / "m.parquet")
    assert found.satisfied, found.explain()
    part = next((tmp_path / "m.parquet").iterdir())
    part.write_bytes(part.read_bytes()[:-1])
    assert not release.ledger.verify(tmp_path / "m.parquet").satisfied
    data = plan.open()
    assert data.plan().section("source")["engine"] == "spark"
