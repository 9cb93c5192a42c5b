"""Rules inside the app, as attacks by someone who has the cookie."""

import time

from discreet.app.work.reading import Opened
from discreet.app.workspaces import Result
from tests.app.attacks import TABLE, reading
from tests.app.visitor import Visitor

SECRET = "Tr0ub4dor"
HOSTILE = [
    "<script>window.pwned = 1</script>",
    "<img src=x onerror=window.pwned=2>",
    "'\"><svg onload=window.pwned=3>",
    "</style></title></textarea>{{ 7 * 7 }}{% raw %}",
    '=HYPERLINK("https://example.org","x")',
    "name with \u202e turned text",
    "a" * 10_000,
]


def two_files(server):
    both = [("file", ("a.csv", TABLE)), ("more", ("b.csv", TABLE))]
    assert Visitor(server).logged_in().upload("/open", both, reading()).status == 400


def guessed_workspace(server):
    visitor, made = Visitor(server).logged_in(), server.workspaces.create()
    assert visitor.get(f"/w/{made.id}/data").status == 200
    for guess in ("x", made.id[:-1], made.id + "x", made.id.upper() + "_"):
        assert visitor.get(f"/w/{guess}/data").status == 404


def too_many_tables(server):
    server.workspaces.most = 2
    for _ in range(2):
        made = server.workspaces.create()
        made.results["open"] = Result("open", Opened(1, ()), (), "")  # as if it had been read
    visitor = Visitor(server).logged_in()
    answer = visitor.upload("/open", [("file", ("t.csv", TABLE))], reading())
    assert answer.status == 422
    assert "N61" in answer.text


def two_jobs(server):
    visitor, made = Visitor(server).logged_in(), server.workspaces.create()
    (made.folder / "t.csv").write_bytes(TABLE)
    made.document = {"source": {"file": "t.csv"}, "roles": {"keys": ["age"]}}
    statuses = [visitor.post(f"/w/{made.id}/roles/measure").status for _ in range(2)]
    assert statuses == [303, 422]


def path_as_name(server):
    visitor = Visitor(server).logged_in()
    outside = server.workspaces.folder / "out.csv"
    visitor.upload("/open", [("file", ("../out.csv", TABLE))], reading())
    time.sleep(0.2)
    assert not outside.exists()


def left_behind(server):
    visitor, made = Visitor(server).logged_in(), server.workspaces.create()
    (made.folder / "t.csv").write_bytes(TABLE)
    assert visitor.post(f"/w/{made.id}/close").status == 200
    assert visitor.get(f"/w/{made.id}/data").status == 404
    assert list(server.workspaces.folder.iterdir()) == []


RULES = {
    rule.__name__: rule
    for rule in (two_files, guessed_workspace, too_many_tables, two_jobs, path_as_name, left_behind)
}


def hostile_table(rows=40):
    """A table whose column names are hostile, as bytes."""
    names = ",".join('"{}"'.format(name.replace('"', '""')) for name in HOSTILE)
    lines = [",".join(str((i * (c + 3)) % 7) for c in range(len(HOSTILE))) for i in range(rows)]
    return "\n".join([names, *lines, ""]).encode()


def hostile_name(server):
    visitor = Visitor(server).logged_in()
    opened = visitor.open("hostile.csv", hostile_table())
    assert opened.job.state == "done"
    pages = [f"/w/{opened.id}/{page}" for page in ("data", "roles", "hierarchy/0")]
    for page in pages:
        text = visitor.get(page).text
        assert "<script>window" not in text
        assert "<img" not in text
        assert "<svg onload" not in text
        assert "a" * 200 not in text
