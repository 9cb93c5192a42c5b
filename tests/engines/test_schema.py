"""PostgreSQL with a schema named for tables of ours, and with none: what is written, and that all
of it goes.
"""

import gc
import json
import sys

import ibis
import pytest

import discreet as ds
from tests.conftest import ROOT
from tests.engines.tables import ROLES, rows, survey
from tests.engines.test_interrupted import InPostgres, plain_handler, stopped, until
from tests.processes import run

__all__ = ["plain_handler"]  # Ctrl-C is Python's own here, too

NAME = 'Steward\'s "room"'
QUOTED = '"Steward\'s ""room"""'


@pytest.fixture
def room(postgres):
    """A schema for tables of ours; the names of those in it."""
    postgres.con.execute(f"CREATE SCHEMA {QUOTED}")

    def held(connection=postgres):
        gc.collect()
        query = "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace"
        return [row[0] for row in connection.con.execute(query, [QUOTED]).fetchall()]

    yield held
    postgres.con.execute(f"DROP SCHEMA {QUOTED} CASCADE")


@pytest.fixture
def given(postgres_loader):
    return postgres_loader(survey(300))


def ours(connection):
    """The tables of ours, with their schemas; other tests keep some, too."""
    query = (
        "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relname LIKE 'discreet%'"
    )
    return set(connection.con.execute(query).fetchall())


def places(tables):
    return {schema for schema, _ in tables}


def work(data):
    """Steps that keep tables, and that hand tables to the database."""
    masked = ds.microaggregate(data, ["income"], k=5)
    return ds.sample(masked, n=50, seed=1)


def test_without_a_schema_there_are_temporary_tables_of_the_session_alone(postgres, given):
    before = ours(postgres)
    drawn = work(ds.read(given, **ROLES))
    assert drawn.n == 50
    (place,) = places(ours(postgres) - before)
    assert place.startswith("pg_temp_")


def test_with_a_schema_the_tables_are_there_until_nothing_refers_to_them(postgres, given, room):
    data = ds.read(given, **ROLES)
    expected = rows(work(data))
    gc.collect()
    before = ours(postgres)
    with ds.settings(schema=NAME):
        drawn = work(data)
        assert room()
        assert places(ours(postgres) - before) == {NAME}
    assert rows(drawn) == expected  # also when the setting holds no more
    del drawn
    assert room() == []


def test_the_tables_of_a_schema_go_when_a_step_fails(postgres, given, room):
    broken = postgres.sql(
        f'SELECT *, 1 / (rec - 20) AS bad FROM "{given.get_name()}"',
        schema={**given.schema(), "bad": "int64"},
    )
    with ds.settings(schema=NAME):
        with pytest.raises(ds.DiscreetError, match="E01"):
            work(ds.read(broken, **ROLES))
        assert room() == []


@pytest.mark.parametrize("verb", ["sample", "microaggregate"])
def test_the_tables_of_a_schema_go_at_ctrl_c(postgres, postgres_server, given, room, verb):
    other = ibis.postgres.connect(**postgres_server)
    there = InPostgres(postgres, other, lambda _: given)
    data = ds.read(there.slow(None), **ROLES)
    verbs = {
        "sample": lambda: ds.sample(data, n=200, seed=1),
        "microaggregate": lambda: ds.microaggregate(data, ["income"], k=5),
    }
    with ds.settings(schema=NAME):
        stopped(verbs[verb], there, after=0.5)
    until(lambda: not there.running(), 5)
    assert room() == []
    other.disconnect()


CLIENT = """
import json, sys, ibis
import discreet as ds
from tests.engines.tables import ROLES
from tests.engines.test_schema import NAME, ours, places, work

connection = ibis.postgres.connect(**json.loads(sys.argv[1]))
ds.settings(schema=NAME)
drawn = work(ds.read(connection.table(sys.argv[2]), **ROLES))
print(NAME in places(ours(connection)))
if sys.argv[3] == "failure":
    raise RuntimeError
"""


@pytest.mark.parametrize("end", ["success", "failure"])
def test_the_tables_of_a_schema_go_with_the_process(given, room, postgres_server, end):
    arguments = [json.dumps(postgres_server), given.get_name(), end]
    done = run([sys.executable, "-c", CLIENT, *arguments], timeout=60, cwd=ROOT)
    assert done.stdout == "True\n", done.stderr[-2000:]
    assert ("RuntimeError" in done.stderr) == (end == "failure")
    assert "psycopg" not in done.stderr
    assert room() == []


@pytest.mark.parametrize(
    ("schema", "options", "reason"),
    [
        ("no_such_schema", {}, "does not exist"),
        (NAME, {"user": "guest"}, "may not be written by this role"),
        (NAME, {"options": "-c default_transaction_read_only=on"}, "read-only transaction"),
    ],
    ids=["absent", "forbidden", "read-only"],
)
def test_a_schema_that_cannot_be_written_is_an_error(
    postgres, given, room, postgres_server, schema, options, reason
):
    postgres.con.execute("DROP ROLE IF EXISTS guest")
    postgres.con.execute("CREATE ROLE guest LOGIN")
    postgres.con.execute(f'GRANT SELECT ON "{given.get_name()}" TO guest')
    poor = ibis.postgres.connect(**{**postgres_server, **options})
    data = ds.read(poor.table(given.get_name()), **ROLES)
    with ds.settings(schema=schema):
        assert ds.risk(data).n == 300  # nothing is kept for it
        for step in (work, lambda d: ds.sample(d, n=5, seed=1)):
            with pytest.raises(ds.DiscreetError, match="N11") as caught:
                step(data)
            assert reason in str(caught.value)
    poor.disconnect()
    postgres.con.execute(f'REVOKE ALL ON "{given.get_name()}" FROM guest')
    postgres.con.execute("DROP ROLE guest")
    assert room() == []
