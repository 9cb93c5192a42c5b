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


ODD = {  # two values of a type, and the kind that it is read as
    "sex_or_so": ("male", "female", "text"),
    "whole": ("1", "2", "integer"),
    "pair": ("(1,x)", "(2,y)", "text"),
    "sex_or_so[]": ("{male}", "{female,male}", "text"),
    "json": ('{"a": 1}', "[]", "text"),
    "jsonb": ('{"a": 1}', "[]", "text"),
    "inet": ("10.0.0.1/32", "10.0.0.2/8", "text"),
    "cidr": ("10.0.0.0/8", "11.0.0.0/8", "text"),
    "macaddr": ("08:00:2b:01:02:03", "08:00:2b:01:02:04", "text"),
    "int4range": ("[1,5)", "[2,6)", "text"),
    "daterange": ("[2020-01-01,2020-02-01)", "[2020-01-01,2020-03-01)", "text"),
    "int4multirange": ("{[1,3)}", "{[1,4)}", "text"),
    "money": ("1.50", "2.50", "number"),
    "uuid": ("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12", "text"),
    "xml": ("<a/>", "<b/>", "text"),
    "point": ("(1,2)", "(2,3)", "text"),
    "bit(3)": ("101", "111", "text"),
    "bit varying": ("101", "1", "text"),
    "tsvector": ("'a' 'b'", "'c' 'd'", "text"),
    "interval": ("1 day", "2 mons", "text"),
    "int[]": ("{1,2}", "{{3},{4}}", "text"),
    "time": ("10:00:00", "11:00:00", "time"),
    "timetz": ("10:00:00+01", "11:00:00+01", "text"),
    "timestamptz": ("2020-01-01 10:00:00+00", "2020-01-02 10:00:00+00", "timestamp"),
    "numeric": ("1.5", "NaN", "number"),
    "numeric(50,3)": ("1.5", "2.5", "number"),
    "char(3)": ("abc", "bcd", "text"),
    "oid": ("1", "2", "integer"),
}  # fmt: skip


@pytest.fixture
def odd(postgres):
    """A maker of tables with a column of any type, every third cell missing."""
    run = postgres.con.execute
    gone = "DROP TABLE IF EXISTS odd; DROP TYPE IF EXISTS sex_or_so, pair CASCADE; "
    gone += "DROP DOMAIN IF EXISTS whole"
    run(gone)
    run("CREATE TYPE sex_or_so AS ENUM ('male', 'female'); CREATE TYPE pair AS (a int, b text)")
    run("CREATE DOMAIN whole AS int CHECK (VALUE > 0)")

    def made(kind, first, second):
        run("DROP TABLE IF EXISTS odd")
        run(f"CREATE TABLE odd (id int, k int, odd {kind})")
        cell = f"CASE g %% 3 WHEN 0 THEN %s::{kind} WHEN 1 THEN %s::{kind} END"
        run(f"INSERT INTO odd SELECT g, g %% 2, {cell} FROM generate_series(1, 30) g",
            [first, second])  # fmt: skip
        return postgres.table("odd")

    yield made
    run(gone)


@pytest.mark.parametrize("kind", ODD)
def test_every_type_of_the_server_is_read_masked_and_written(odd, kind, tmp_path):
    first, second, expected = ODD[kind]
    table = odd(kind, first, second)
    roles = {"record_id": "id", "missing": "category"}
    beside = ds.read(table, keys=["k"], **roles)
    data = ds.read(table, keys=["odd"], **roles)
    assert data.source.kinds["odd"] == expected
    counted = 10 if second != "NaN" else 20
    assert (data.n, max(ds.risk(data).class_sizes.sizes)) == (30, counted)
    for masked in (
        ds.sample(beside, n=30, seed=1),
        ds.suppress_cells(beside, ds.KAnonymity(2)),
        ds.suppress_cells(data, ds.KAnonymity(11)),
    ):
        for ending in ("csv", "parquet"):
            path = tmp_path / f"out.{ending}"
            masked.write(path, overwrite=True)
            again = ds.read(path)
            assert again.to("arrow")["odd"].null_count == masked.to("arrow")["odd"].null_count
            if expected == "text" and ending == "parquet":
                texts = {t for t in again.to("arrow")["odd"].to_pylist() if t is not None}
                assert texts <= {first, second}


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        (["1.000000001", "-3"], "number"),
        (["0.33333333333333333333", "Infinity"], "number"),
        (["12345678901234567890123456789012345678901", "12345678901234567890123456789012345678902"],
         "text"),
    ],
)  # fmt: skip
def test_decimals_without_a_limit_stay_apart(odd, numbers, kind):
    data = ds.read(odd("numeric", *numbers), keys=["odd"], record_id="id")
    assert data.source.kinds["odd"] == kind
    assert len(set(data.to("arrow")["odd"].to_pylist())) == 3


@pytest.mark.parametrize(("kind", "cell"), [("date", "infinity"), ("date", "0044-03-15 BC"),
                                            ("timestamp", "infinity"), ("time", "24:00")])  # fmt: skip
def test_a_date_that_no_file_holds_is_told(odd, kind, cell):
    data = ds.read(odd(kind, cell, cell), keys=["k"], record_id="id")
    with pytest.raises(ds.DiscreetError, match=r"S08.*before year 1, after year 9999") as caught:
        data.to("arrow")
    assert cell not in str(caught.value).replace("24:00.", "")
