"""Rules inside the app, as attacks by someone who has the cookie or an account of the machine.

Each is a function of a running server that fails when its rule is broken.
"""

import logging
import socket
import stat
import time

from discreet.app.jobs.job import Job
from discreet.app.jobs.table import Opened, TableColumn
from discreet.app.server import service, uploads
from discreet.app.server.workspaces import WorkResult
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
    assert Visitor(server).logged_in().upload("/open", both, reading()).status == 422


def guessed_workspace(server):
    visitor, made = Visitor(server).logged_in(), server.workspaces.create()
    assert visitor.get(f"/w/{made.id}/data").status == 200
    for guess in ("x", made.id[:-1], made.id + "x", made.id.upper() + "_"):
        assert visitor.get(f"/w/{guess}/data").status == 404


def too_many_tables(server):
    server.workspaces.most = 2
    for _ in range(2):
        made = server.workspaces.create()
        made.results["open"] = WorkResult("open", Opened(1, ()), (), "")  # as if it had been read
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
    for way in ("..", "../.."):
        visitor.upload("/open", [("file", (f"{way}/out.csv", TABLE))], reading())
    written = list(server.workspaces.folder.rglob("out.csv"))  # there when the answer comes
    assert len(written) == 2
    assert {file.parent.name for file in written} == {uploads.SOURCE}


def left_behind(server):
    visitor, made = Visitor(server).logged_in(), server.workspaces.create()
    (made.folder / "t.csv").write_bytes(TABLE)
    assert visitor.post(f"/w/{made.id}/close").status == 200
    assert visitor.get(f"/w/{made.id}/data").status == 404
    assert list(server.workspaces.folder.iterdir()) == []


def read_table(server):
    """A table as if it had been read."""
    made = server.workspaces.create()
    (made.folder / "t.csv").write_bytes(TABLE)
    made.document = {"source": {"file": "t.csv"}, "roles": {"keys": ["age"]}}
    columns = (
        TableColumn("age", "continuous", 3, 0, "key", ""),
        TableColumn("sex", "nominal", 2, 0, "", ""),
    )
    made.results["open"] = WorkResult("open", Opened(3, columns), (), made.basis("open"))
    return made


def choice_not_offered(server):
    """What a form does not offer gets neither into the plan nor into the reading of a file."""
    visitor, made = Visitor(server).logged_in(), read_table(server)
    before, at = made.document, f"/w/{made.id}"
    answers = [
        visitor.post(f"{at}/roles/1", {"role-1": "key", "type-1": "continuous"}),
        visitor.post(
            f"{at}/roles", {"role-0": "key", "type-0": "", "role-1": "key", "type-1": "x"}
        ),
        visitor.post(f"{at}/roles/missing", {"missing": "guess"}),
        visitor.post(f"{at}/data", reading(encoding="cp037")),
    ]
    assert made.document == before
    assert {answer.status for answer in answers} == {422}


def column_not_there(server):
    visitor, made = Visitor(server).logged_in(), read_table(server)
    for path in ("roles/2", "roles/999"):
        sent = visitor.post(f"/w/{made.id}/{path}", {"role-2": "key", "type-2": ""})
        assert sent.status == 404
    for path in ("hierarchy/2", "hierarchy/2/preview", f"hierarchy/{1 << 70}"):
        assert visitor.get(f"/w/{made.id}/{path}").status == 404


def three_jobs(server, endless):
    """Two jobs run at once, however many tables are open."""
    endless("")
    jobs = [Job("risk", "risk") for _ in range(3)]
    folders = [server.workspaces.create().folder for _ in jobs]
    for job, folder in zip(jobs, folders, strict=True):
        server.workspaces.jobs.start(job, {}, folder, lambda _: None)
    end = time.monotonic() + 60
    while sum(job.progress.stage == "on" for job in jobs) < 2 and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.3)
    assert sum(job.state == "running" for job in jobs) == 2


def other_address(server):
    """Another address of this machine, as another machine would use one."""
    try:
        socket.create_connection(("127.0.0.2", server.known.port), timeout=60).close()
    except OSError:
        return
    raise AssertionError("it listens at more than one address")


def folder_for_all(server):
    """Whoever has an account of the machine must not get into a folder with data."""
    visitor = Visitor(server).logged_in()
    made = visitor.open("t.csv", TABLE)
    assert made.job.state == "done", made.job.problems
    folders = [made.folder, *(path for path in made.folder.rglob("*") if path.is_dir())]
    assert {path.name for path in folders} >= {made.id, ".working", "copy"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


def token_for_all(server):
    """The file that leads the browser here is for the eyes of its owner."""
    place = server.workspaces.folder / "launch"
    place.mkdir()
    file = service.redirect_file(server.link, place)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def token_in_the_log(server):
    """Everything that is logged while someone logs in."""
    heard = []

    class Ear(logging.Handler):
        def emit(self, record):
            heard.append(record.getMessage())

    root, ear = logging.getLogger(), Ear(level=0)
    level = root.level
    root.addHandler(ear)
    root.setLevel(1)
    try:
        assert Visitor(server).get(f"/?token={server.known.token}").status == 200
        Visitor(server).logged_in().get("/w/x/data")
    finally:
        root.removeHandler(ear)
        root.setLevel(level)
    assert server.known.token not in "".join(heard)


def rare_label(server):
    """A preview names no group of few records."""
    visitor = Visitor(server).logged_in()
    rows = "\n".join(["job", *["common"] * 9, SECRET, ""])
    made = visitor.open("t.csv", rows.encode())
    visitor.post(f"/w/{made.id}/roles/0", {"role-0": "key", "type-0": ""})
    query = "builder=by_frequency&kept=2&unmapped=error"
    page = visitor.get(f"/w/{made.id}/hierarchy/0/preview?{query}").text
    assert "common" in page
    assert SECRET not in page


def quoted_error(server, monkeypatch):
    """A page that fails for a reason of its own says which kind, not what."""

    def broken(*_, **__):
        raise RuntimeError(SECRET)

    with monkeypatch.context() as patched:
        patched.setattr("discreet.app.screens.home.page", broken)
        answer = Visitor(server).logged_in().get("/")
    assert answer.status == 500
    assert "RuntimeError" in answer.text
    assert SECRET not in answer.text


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
