"""What holds on PostgreSQL alone: nothing is written into the user's database."""

import gc
import time

import ibis
import pytest

import discreet as ds
from discreet.engine import postgres as engine
from tests.engines.tables import ROLES, hierarchies, rows, survey

CATALOG = """
    SELECT n.nspname, c.relname, c.relkind, c.relpersistence, c.reltuples::bigint, c.relfilenode
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
    ORDER BY 1, 2"""


def catalog(connection):
    """Everything that anyone has made in the database, temporary tables of sessions included."""
    return connection.con.execute(CATALOG).fetchall()


@pytest.fixture
def given(postgres, postgres_loader):
    return postgres_loader(survey(500))


def work(data):
    masked = ds.generalize(data, hierarchies(), ds.PSensitiveKAnonymity(p=2, k=5)).best.mask()
    return [
        ds.risk(data).to_dict()["class_sizes"],
        rows(ds.sample(data, n=50, seed=1)),
        rows(masked),
        ds.disclosure_risk(data, masked).maximal,
    ]


def test_the_catalog_is_unchanged_after_all_the_work(postgres, given):
    gc.collect()
    before = catalog(postgres)
    data = ds.read(given, **ROLES)
    work(data)
    ds.information_loss(data, ds.microaggregate(data, ["income"], k=5))
    del data
    gc.collect()
    assert catalog(postgres) == before


def test_garbage_that_is_collected_within_a_call_of_the_user_waits_for_nothing(postgres, given):
    gc.collect()
    before = catalog(postgres)
    kept = engine.kept(given)
    assert catalog(postgres) != before
    with postgres.con.lock:  # as within any call of the connection
        del kept
        gc.collect()
    ds.risk(ds.read(given, keys=["sex"]))
    gc.collect()
    assert catalog(postgres) == before


def test_another_session_never_sees_a_table_of_ours(postgres, given, postgres_server):
    other = ibis.postgres.connect(**postgres_server)
    before = set(other.list_tables())
    data = ds.read(given, **ROLES)
    kept = ds.sample(data, n=50, seed=1)
    assert kept.n == 50
    public = {name for name in other.list_tables() if "discreet" in name and "given" not in name}
    assert {name for name in before if name in public} == public
    other.disconnect()


def test_temporary_tables_go_when_a_step_fails(postgres, given):
    gc.collect()
    before = catalog(postgres)
    data = ds.read(given, **ROLES)
    with pytest.raises(ds.DiscreetError, match=r"D31|D30"):
        ds.generalize(data, {}, ds.KAnonymity(400), max_suppressed=0)
    with pytest.raises(ds.DiscreetError, match="O02"):
        ds.sample(data, n=5, seed=1).write("/proc/no-such-folder/x.csv")
    del data
    gc.collect()
    assert catalog(postgres) == before


def test_a_session_that_ends_leaves_nothing(postgres, given, postgres_server):
    gc.collect()
    before = catalog(postgres)
    other = ibis.postgres.connect(**postgres_server)
    data = ds.read(other.table(given.get_name()), **ROLES)
    masked = ds.sample(data, n=50, seed=1)
    assert masked.n == 50
    other.disconnect()
    for _ in range(100):  # the server tidies up when it notices
        if catalog(postgres) == before:
            break
        time.sleep(0.1)
    assert catalog(postgres) == before


@pytest.mark.parametrize("why", ["a read-only transaction", "no privilege"])
def test_a_server_that_allows_no_temporary_table_gives_the_same_results(
    postgres, given, postgres_server, why
):
    expected = work(ds.read(given, **ROLES))
    if why == "no privilege":
        for statement in (
            "DROP ROLE IF EXISTS reader",
            "CREATE ROLE reader LOGIN",
            "REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC",
            f'GRANT SELECT ON "{given.get_name()}" TO reader',
        ):
            postgres.con.execute(statement)
        poor = ibis.postgres.connect(**{**postgres_server, "user": "reader"})
    else:
        options = "-c default_transaction_read_only=on"
        poor = ibis.postgres.connect(**postgres_server, options=options)
    data = ds.read(poor.table(given.get_name()), **ROLES)
    assert work(data) == expected
    poor.disconnect()
    if why == "no privilege":
        postgres.con.execute(f'REVOKE ALL ON "{given.get_name()}" FROM reader')
        postgres.con.execute("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC")
        postgres.con.execute("DROP ROLE reader")


def test_missing_values_are_joined_by_hash_and_not_pair_by_pair(postgres, postgres_loader):
    """IS NOT DISTINCT FROM would make the server compare every pair of rows."""
    data = ds.read(postgres_loader(survey(300)), **ROLES)
    masked = ds.generalize(data, hierarchies(), ds.KAnonymity(5)).best.mask()
    query = postgres.compile(masked.complete.table)
    plan = "\n".join(row[0] for row in postgres.con.execute(f"EXPLAIN {query}").fetchall())
    assert "Nested Loop" not in plan


def test_an_error_of_the_server_quotes_no_value(postgres):
    postgres.con.execute("CREATE TABLE bad AS SELECT 'secret'::text AS word")
    broken = postgres.sql("SELECT word::int AS word FROM bad", schema={"word": "int32"})
    with pytest.raises(ds.DiscreetError, match="E01") as caught:
        ds.risk(ds.read(broken, keys=["word"]))
    assert "secret" not in str(caught.value)
    postgres.con.execute("DROP TABLE bad")
