"""The file that the app was given: whatever its name and its links, no step changes it."""

import hashlib
import itertools
import os
import re

import pytest

import discreet as ds
from tests.app.conftest import running
from tests.app.releases import GENERALIZE, done, downloaded, number, protected, released, text_of
from tests.app.threads import in_threads
from tests.app.visitor import Visitor
from tests.app.waiting import ended

OURS = (
    "release.toml", "release.py", "figures.json", "report.html", "public-report.html",
    "masked.csv", "masked.parquet", "masked.ledger.json", "masked.public.json",
)  # fmt: skip
TABLES = tuple(name for name in OURS if not name.endswith(".toml"))  # which is a plan
OTHERS = (
    "RELEASE.PY", "Figures.json", "ledger.json", "released.csv",
    "result.pickle", "made-from", "survey (1).csv", "patients.csv",
)  # fmt: skip
LINKS = ("file", "symbolic link", "hard link", "link to a link")
JOBS = b"cook;all\nclerk;all\nnurse;all\n"


def rows(n=90):
    lines = [f"{20 + i % 3},{('cook', 'clerk', 'nurse')[i % 3 - i % 2]},{i % 7}" for i in range(n)]
    return "\n".join(["age,job,illness", *lines, ""]).encode()


def owned(folder, name, link):
    """A table in a folder of its owner: its name there, and all files that must stay as they are."""
    place, elsewhere = folder / name, folder / "elsewhere"
    elsewhere.mkdir()
    if name.endswith(".parquet"):
        import io

        import pyarrow.csv
        import pyarrow.parquet

        made = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.csv.read_csv(io.BytesIO(rows())), made)
        content = made.getvalue()
    else:
        content = rows()
    first = place if link == "file" else elsewhere / "precious.data"
    first.write_bytes(content)
    if link == "hard link":
        os.link(first, place)
    elif link == "symbolic link":
        place.symlink_to(first)
    elif link == "link to a link":
        (elsewhere / "second").symlink_to(first)
        place.symlink_to(elsewhere / "second")
    return place


def state(folder):
    """All that can be told of the files of a folder, and of the folder itself."""
    found = {}
    for path in sorted(folder.rglob("*")):
        seen = path.lstat()
        told = (seen.st_mode, seen.st_ino, seen.st_nlink, seen.st_size, seen.st_mtime_ns)
        content = str(path.readlink()) if path.is_symlink() else ""
        if path.is_file() and not path.is_symlink():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        found[str(path.relative_to(folder))] = (told, content)
    return found


def whole_way(visitor, workspace, look):
    """From the table to the release; ``look`` is called after each step."""
    at = f"/w/{workspace.id}"
    done(workspace)
    look("open")
    for n, role in enumerate(("key", "key", "confidential")):
        visitor.post(f"{at}/roles/{n}", {f"role-{n}": role, f"type-{n}": ""})
    fields = {"builder": "file", "unmapped": "error"}
    there = f"{at}/hierarchy/{number(workspace, 'job')}"
    for name in (workspace.name, *OURS, "job.csv"):  # the last one is taken, others may be
        sent = visitor.upload(there, [("file", (name, JOBS))], fields)
        assert sent.status in (303, 422), text_of(sent)
        look(f"hierarchy {name}")
    assert sent.status == 303, text_of(sent)
    there = f"{at}/hierarchy/{number(workspace, 'age')}"
    assert visitor.upload(there, [], {"builder": "intervals", "widths": "5"}).status == 303
    assert visitor.post(f"{at}/roles/measure", {"k": "3", "released": "all"}).status == 303
    done(workspace)
    look("risk")
    assert visitor.post(f"{at}/explore/sweep").status == 303
    done(workspace)
    look("sweep")
    protected(visitor, workspace, {**GENERALIZE, "k": "3"})
    look("protect")
    released(visitor, workspace, 1, remark="kept")
    look("release")


@pytest.mark.parametrize(
    ("name", "link"),
    [*itertools.product(TABLES, LINKS), *((name, LINKS[i % 3]) for i, name in enumerate(OTHERS))],
)
def test_no_step_changes_the_source_and_the_plan_makes_the_release_again(
    name, link, tmp_path, monkeypatch
):
    in_threads(monkeypatch)
    owner = tmp_path / "owner"
    owner.mkdir()
    place = owned(owner, name, link)
    before = state(owner)

    def look(step):
        assert state(owner) == before, step

    with running(tmp_path / "work", place) as server:
        visitor = Visitor(server)
        landing = re.search(r"/w/([^/]+)/", visitor.get(f"/?token={server.known.token}").text)[1]
        workspace = server.workspaces.get(landing)
        visitor.logged_in()
        whole_way(visitor, workspace, look)
        assert workspace.results["release"].value.verified
        mine = tmp_path / "mine"
        mine.mkdir()
        roles = ("masked", "report", "public_report", "plan", "ledger", "hierarchy-1")
        files = downloaded(visitor, workspace, mine, *roles)
        visitor.post(f"/w/{workspace.id}/close")
        look("close")
    assert ds.Plan.read(files["plan"]).section("source")["file"] == name
    assert not {f.name.casefold() for f in files.values()} & {name.casefold()}
    for role in ("plan", "hierarchy-1"):  # what the page offers lies beside the original
        (owner / files[role].name).write_bytes(files[role].read_bytes())
    again = ds.Plan.read(owner / files["plan"].name).run()
    for role in ("masked", "report", "public_report"):
        assert (owner / files[role].name).read_bytes() == files[role].read_bytes(), role
    told = ds.Ledger.read(files["ledger"])
    assert told.compare(again.ledger).satisfied
    assert [one["file"] for one in told.document["inputs"]] == [name, "job.csv"]
    found = told.verify(
        owner / files["masked"].name, initial=place, plan=owner / files["plan"].name
    )
    assert found.satisfied
    assert {path: told for path, told in state(owner).items() if path in before} == before


@pytest.mark.parametrize(
    ("name", "link"),
    [("report.html", "file"), ("figures.json", "symbolic link"), ("release.py", "hard link")],
)
def test_jobs_in_their_own_process_leave_the_source_as_it_was(name, link, tmp_path):
    owner = tmp_path / "owner"
    owner.mkdir()
    place = owned(owner, name, link)
    before = state(owner)
    with running(tmp_path / "work", place) as server:
        visitor = Visitor(server)
        landing = re.search(r"/w/([^/]+)/", visitor.get(f"/?token={server.known.token}").text)[1]
        workspace = server.workspaces.get(landing)
        visitor.logged_in()
        ended(workspace.job)
        for n in (0, 1):
            visitor.post(f"/w/{landing}/roles/{n}", {f"role-{n}": "key", f"type-{n}": ""})
        sample = {"do-0": "sample", "fraction-0": "50", "seed-0": "1", "k": "", "p": ""}
        protected(visitor, workspace, sample)
        released(visitor, workspace, 1)
    assert state(owner) == before
