"""Released files on every engine: shuffled alike, and a plan that runs in Spark."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import discreet as ds
from discreet.cli.commands import app
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
            "measures": {"risk": {}, "disclosure_risk": {}},
            "outputs": {"masked": "m.parquet"},
        },
        tmp_path,
    )
    release = plan.run()
    assert release.satisfied
    assert release.measures["risk"].before.figures["k"] == ds.risk(plan.open()).k
    maximal = release.measures["disclosure_risk"].after.figures["maximal"]
    assert maximal == release.disclosure_risk.maximal
    assert release.ledger.document["engine"] == "pyspark"
    assert (tmp_path / "m.parquet").is_dir()
    found = release.ledger.verify(tmp_path / "m.parquet")
    assert found.satisfied, found.explain()
    part = next((tmp_path / "m.parquet").iterdir())
    part.write_bytes(part.read_bytes()[:-1])
    assert not release.ledger.verify(tmp_path / "m.parquet").satisfied
    data = plan.open()
    assert data.plan().section("source")["engine"] == "spark"


def test_a_folder_that_spark_wrote_is_read_by_the_embedded_engine(spark_loader, tmp_path):
    """A release written from Spark can be checked on any machine, by the command too."""
    data = ds.read(spark_loader(survey(300)), keys=["age", "sex"], record_id="rec")
    data.write(tmp_path / "release.parquet")
    assert len(list((tmp_path / "release.parquet").iterdir())) > 1
    found = ds.read(tmp_path / "release.parquet", keys=["age", "sex"])
    assert found.n == 300
    assert found.frequency_set() == data.frequency_set()
    said = CliRunner().invoke(
        app, ["check", str(tmp_path / "release.parquet"), "--keys", "sex", "--k", "2", "--json"]
    )
    assert said.exit_code == 0, said.output
    assert json.loads(said.stdout)["satisfied"]


def parts(folder, *tables):
    folder.mkdir()
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"part-{number}.parquet")
    return folder


def test_the_records_of_a_folder_are_numbered_through(tmp_path):
    """In the order of the names of the parts; what begins with a dot or an underscore is none."""
    table = survey(90)
    folder = parts(tmp_path / "release", table.slice(0, 50), table.slice(50, 1), table.slice(51))
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").touch()
    here, there = ds.read(table, keys=["age", "sex"]), ds.read(folder, keys=["age", "sex"])
    assert there.to("arrow").equals(here.to("arrow"))
    assert there.class_sizes().tolist() == here.class_sizes().tolist()
    drawn = [ds.sample(d, n=20, seed=1).to("arrow") for d in (here, there)]
    assert drawn[0].equals(drawn[1])


def test_a_folder_of_anything_else_is_refused(tmp_path):
    for name, tables, code in [
        ("none", (), "S01"),
        ("others", (pa.table({"a": [1]}), pa.table({"b": [1]})), "S16"),
    ]:
        with pytest.raises(ds.DiscreetError, match=code):
            ds.read(parts(tmp_path / name, *tables))
    mixed = parts(tmp_path / "mixed", pa.table({"a": [1]}))
    (mixed / "year=2020").mkdir()
    with pytest.raises(ds.DiscreetError, match="S01"):
        ds.read(mixed)
