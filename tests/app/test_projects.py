"""Projects: a steward comes back tomorrow, and finds everything but the records."""

import json
import os
import re
import shutil
import stat
import zipfile

import pytest

import discreet as ds
from discreet.app.jobs.job import Job
from discreet.app.server import project_files
from discreet.app.server.project_files import ProjectFolder
from discreet.app.server.workspaces import RELEASE, Workspace, Workspaces
from tests.app.conftest import running
from tests.app.releases import (
    GENERALIZE,
    done,
    downloaded,
    number,
    protected,
    released,
    text_of,
)
from tests.app.visitor import Visitor
from tests.app.waiting import ended, until

SECRET = "Tr0ub4dor"


@pytest.fixture
def house(tmp_path, patients):
    """A folder with a table, the data folder of its owner, and a function that starts the app."""
    folder = tmp_path / "house"
    folder.mkdir(mode=0o700)
    shutil.copy(patients, folder / "patients.csv")
    starts = iter(range(100))

    class House:
        table, data = folder / "patients.csv", tmp_path / "data"

        @staticmethod
        def start(file=None, **options):
            work = tmp_path / f"work-{next(starts)}"
            return running(work, file, projects=House.data, **options)

    return House


def entered(server):
    """A visitor who came by the launch link, and where it led."""
    answer = Visitor(server).get(f"/?token={server.known.token}")
    return Visitor(server).logged_in(), re.search(r'url=([^"]+)', answer.text)[1]


def only(server):
    (workspace,) = server.workspaces.all
    ended(workspace.job)
    until(lambda: not workspace.is_busy)
    return workspace


def chosen(visitor, workspace):
    """Roles, two hierarchies, one of them a file, and a run."""
    visitor.post(f"/w/{workspace.id}/data/suggested")
    at = f"/w/{workspace.id}/hierarchy/{number(workspace, 'age')}"
    fields = {"builder": "intervals", "widths": "10, 20, 40", "unmapped": "error"}
    assert visitor.upload(at, [], fields).status == 303
    at = f"/w/{workspace.id}/hierarchy/{number(workspace, 'sex')}"
    levels = b"F;*\nM;*\n"
    file = [("file", ("sex.csv", levels))]
    assert visitor.upload(at, file, {"builder": "file", "unmapped": "error"}).status == 303
    visitor.post(f"/w/{workspace.id}/roles/{number(workspace, 'zip')}", row(workspace, "zip"))
    visitor.post(f"/w/{workspace.id}/roles/measure", {"k": "5", "released": "all"})
    done(workspace)
    protected(visitor, workspace, GENERALIZE)
    name = {"name": " first  <try> "}
    assert visitor.post(f"/w/{workspace.id}/compare/1/name", name).status == 303


def row(workspace, name, role="other"):
    return {f"role-{number(workspace, name)}": role, f"type-{number(workspace, name)}": ""}


def seen(workspace):
    """All of a workspace that must be there tomorrow."""
    runs = {s: r.value for s, r in workspace.results.items() if s.startswith("run-")}
    return {
        "document": workspace.document,
        "settings": {n: s for n, s in workspace.settings.items() if n not in ("levels", "again")},
        "figures": {slot: run.figures for slot, run in runs.items()},
        "plans": {slot: run.document for slot, run in runs.items()},
        "words": [choice.words for choice in workspace.history],
        "place": workspace.place,
        "found": sorted(workspace.results),
        "late": workspace.out_of_date,
        "files": {p.name: p.read_bytes() for p in workspace.folder.glob("*.csv")},
    }


# -- coming back ---------------------------------------------------------------------------------


def test_a_table_of_the_command_line_goes_on_where_it_was(house, tmp_path):
    with house.start(house.table) as server:
        visitor, landing = entered(server)
        workspace = only(server)
        assert landing == f"/w/{workspace.id}/data"
        assert not list(house.table.parent.glob("*.discreet"))  # nothing was chosen yet
        chosen(visitor, workspace)
        before = seen(workspace)
        assert before["late"] == ()
    place = house.table.with_name("patients.csv.discreet")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert {p.name for p in house.table.parent.iterdir()} == {"patients.csv", place.name}
    with house.start(house.table) as server:
        workspace, visitor = only(server), Visitor(server).logged_in()
        assert seen(workspace) == before
        page = visitor.get(f"/w/{workspace.id}/compare").text
        assert "1. first &lt;try&gt;" in page
        assert "Generalization for 5-anonymity" in page
        assert visitor.post(f"/w/{workspace.id}/compare/1/again").status == 303  # the drawings
        done(workspace)
        assert seen(workspace) == before
        assert workspace.results["run-1"].value.sections
        released(visitor, workspace, 1)
        packed = downloaded(visitor, workspace, tmp_path, "given", "archive")
        assert names_in(packed["given"]) == {
            "masked.csv",
            "public-report.html",
            "masked.public.json",
        }
        assert names_in(packed["archive"]) >= {
            *names_in(packed["given"]),
            *("release.toml", "release.py", "report.html", "masked.ledger.json", "sex.csv"),
        }
        assert (
            "All files of the release were downloaded"
            in visitor.get(f"/w/{workspace.id}/close").text
        )
        with zipfile.ZipFile(packed["archive"]) as archive:
            archive.extractall(house.table.parent)
        ledger = ds.Ledger.read(house.table.with_name("masked.ledger.json"))
        masked, plan = (house.table.with_name(n) for n in ("masked.csv", "release.toml"))
        assert ledger.verify(masked, initial=house.table, plan=plan).satisfied
    with house.start(house.table) as server:  # the release is made again by itself
        workspace, visitor = only(server), Visitor(server).logged_in()
        assert workspace.results["release"].value.verified
        again = downloaded(visitor, workspace, tmp_path, "masked")["masked"]
        assert again.read_bytes() == masked.read_bytes()
        assert "Verified" in visitor.get(f"/w/{workspace.id}/release").text
        assert "accepted: told" in visitor.get(f"/w/{workspace.id}/release").text
        visitor.post(f"/w/{workspace.id}/roles/{number(workspace, 'sex')}", row(workspace, "sex"))
    with house.start(house.table) as server:  # it was made of something else
        workspace = only(server)
        assert "release" not in workspace.results
        assert not workspace.remade[1]


def names_in(place):
    with zipfile.ZipFile(place) as archive:
        assert archive.testzip() is None
        return set(archive.namelist())


def test_a_run_is_duplicated_named_and_removed(house):
    with house.start(house.table) as server:
        visitor, workspace = Visitor(server).logged_in(), only(server)
        chosen(visitor, workspace)
        at = f"/w/{workspace.id}"
        steps = workspace.document["steps"]
        added = {"do": "add-sample", "do-0": "generalize", "max_suppressed-0": "9 %"}
        visitor.post(f"{at}/protect", {**added, "choice-0": "best", "k": "7"})
        assert len(workspace.document["steps"]) == 2
        assert visitor.post(f"{at}/compare/1/duplicate").place == f"{at}/protect"
        assert workspace.document["steps"] == steps
        assert workspace.document["criterion"] == {"k": 5}
        assert visitor.post(f"{at}/compare/1/name", {"name": "x" * 81}).status == 409
        assert visitor.post(f"{at}/compare/1/name", {"name": ""}).status == 303
        assert "Generalization for 5-anonymity" in visitor.get(f"{at}/compare").text
        visitor.post(f"{at}/compare/1/remove")
        assert workspace.results.keys() & {"run-1"} == set()


def test_an_uploaded_table_is_asked_for_again_and_known_by_its_digest(house):
    with house.start() as server:
        visitor = Visitor(server).logged_in()
        workspace = visitor.open(house.table)
        chosen(visitor, workspace)
        before = seen(workspace)
    assert not list(house.table.parent.glob("*.discreet"))
    with house.start() as server:
        visitor, landing = entered(server)
        page = visitor.get(landing).text
        project = re.search(r'name="project" value="(\w+)"', page)[1]
        again = visitor.post(f"{landing}/continue", {"project": project})
        (workspace,) = server.workspaces.all
        assert again.place == f"/w/{workspace.id}/data"
        assert "Choose again" in visitor.get(again.place).text
        at = f"/w/{workspace.id}/files"
        other = house.table.read_bytes().replace(b"M", b"F", 1)
        refused = visitor.upload(at, [("files", ("patients.csv", other))])
        assert (refused.status, "changed since" in text_of(refused)) == (422, True)
        renamed = [("files", ("my table.csv", house.table.read_bytes()))]
        assert visitor.upload(at, renamed).status == 303
        assert seen(only(server)) == before


def test_a_table_that_has_changed_since_leaves_everything_out_of_date(house):
    with house.start(house.table) as server:
        chosen(Visitor(server).logged_in(), only(server))
    house.table.write_bytes(house.table.read_bytes().replace(b"M", b"F", 1))
    with house.start(house.table) as server:
        workspace = only(server)
        assert workspace.out_of_date == ("run-1",)
        assert "risk" not in workspace.results


def test_the_example_goes_on_without_a_file(house):
    with house.start() as server:
        visitor = Visitor(server).logged_in()
        assert visitor.post("/example").status == 303
        workspace = only(server)
        visitor.post(f"/w/{workspace.id}/data/suggested")
        before = seen(workspace)
    with house.start() as server:
        visitor, landing = entered(server)
        project = re.search(r'name="project" value="(\w+)"', visitor.get(landing).text)[1]
        assert visitor.post(f"{landing}/continue", {"project": project}).status == 303
        assert seen(only(server)) == before
        assert visitor.post(f"{landing}/continue", {"project": project}).place.startswith("/w/")
        assert len(server.workspaces.all) == 1  # it is open


def test_two_projects_side_by_side_do_not_mix(house):
    second = house.table.with_name("patients.CSV")
    second.write_bytes(house.table.read_bytes())
    with house.start(house.table) as one, house.start(second) as two:
        for server, role in ((one, "other"), (two, "confidential")):
            workspace, visitor = only(server), Visitor(server).logged_in()
            visitor.post(f"/w/{workspace.id}/data/suggested")
            visitor.post(f"/w/{workspace.id}/roles/2", {"role-2": role, "type-2": ""})
        before = [seen(only(server)) for server in (one, two)]
    assert before[0]["document"]["roles"] != before[1]["document"]["roles"]
    for file, expected in zip((house.table, second), before, strict=True):
        with house.start(file) as server:
            assert seen(only(server)) == expected
    with house.start() as server:
        visitor, landing = entered(server)
        names = re.findall(r"<strong>(patients\.\w+)</strong>", visitor.get(landing).text)
        assert sorted(names) == ["patients.CSV", "patients.csv"]


def test_a_project_that_is_open_twice_is_not_overwritten(house):
    with house.start(house.table) as one, house.start(house.table) as two:
        for server in (one, two):
            Visitor(server).logged_in().post(f"/w/{only(server).id}/data/suggested")
        place = house.table.with_name("patients.csv.discreet")
        kept = place.read_bytes()
        late = only(two)
        assert late.keeper.problem.code == "N66"
        page = text_of(Visitor(two).logged_in().get(f"/w/{late.id}/data"))
        assert "Not saved: another running app has saved this project" in page
        assert place.read_bytes() == kept


# -- what is in it -------------------------------------------------------------------------------


def test_no_value_of_the_table_is_in_a_project(house):
    names = [f"frequent{i}" for i in range(3)]
    lines = ["age,job,town,income,born"]
    lines += [
        f"{20 + i % 40},{SECRET if i == 7 else names[i % 3]},{'ab'[i % 2]}ville,"
        f"{91827.5 + 7 * (i % 11)},19{60 + i % 30}-03-0{1 + i % 9}"
        for i in range(300)
    ]
    house.table.write_text("\n".join(lines) + "\n")
    with house.start(house.table) as server:
        workspace, visitor = only(server), Visitor(server).logged_in()
        roles = ["key", "key", "key", "confidential", "confidential"]
        for i, role in enumerate(roles):
            visitor.post(f"/w/{workspace.id}/roles/{i}", {f"role-{i}": role, f"type-{i}": ""})
        visitor.post(f"/w/{workspace.id}/hierarchies/suggested")
        visitor.post(f"/w/{workspace.id}/roles/measure", {"k": "5", "released": "all"})
        done(workspace)
        protected(visitor, workspace, {**GENERALIZE, "max_suppressed-0": "20 %"})
        kept = house.table.with_name("patients.csv.discreet").read_text()
    content = json.loads(kept.partition("\n")[2])
    assert content["runs"][0]["run"]["figures"]["records"]["before"] == 300
    for value in (SECRET, *names, "aville", "bville", "91827", "91834", "-03-0"):
        assert value not in kept, value
    assert "sections" not in content["runs"][0]["run"]


# -- projects of others --------------------------------------------------------------------------


def cut(place):
    place.write_bytes(place.read_bytes()[:-40])


def head_alone(place):
    place.write_bytes(place.read_bytes().partition(b"\n")[0])


def emptied(place):
    place.write_bytes(b"")


def edited(place):
    place.write_bytes(place.read_bytes().replace(b'"records": 400', b'"records": 401'))


def other_version(place):
    place.write_bytes(place.read_bytes().replace(b'project": 1', b'project": 2', 1))


def nested(place):
    place.write_bytes(b"[" * 100_000)


def huge(place):
    with place.open("r+b") as opened:
        opened.truncate(project_files.MOST_BYTES + 1)


def link(place):
    place.rename(place.with_name("elsewhere"))
    place.symlink_to(place.with_name("elsewhere"))


def for_others(place):
    place.chmod(0o666)


def open_folder(place):
    place.parent.chmod(0o777)


def folder(place):
    place.unlink()
    place.mkdir()


REFUSED = {
    cut: "changed since",
    head_alone: "changed since",
    emptied: "no project",
    edited: "changed since",
    other_version: "another version",
    nested: "no project",
    huge: "larger than",
    link: "is a link",
    for_others: "written by others",
    open_folder: "a folder to which others may write",
    folder: "not a file",
}


@pytest.fixture
def kept(tmp_path):
    """A project that was written, without a server."""
    made = ProjectFolder(tmp_path / "data")
    (tmp_path / "house").mkdir(mode=0o700)
    place = tmp_path / "house" / "t.csv.discreet"
    made.write(place, {"name": "t.csv", "records": 400, "plan": {}})
    return made, place


@pytest.mark.parametrize("harm", REFUSED, ids=lambda harm: harm.__name__)
def test_a_project_that_is_not_as_it_was_written_is_refused_in_words(kept, harm):
    made, place = kept
    assert made.read(place)["records"] == 400
    harm(place)
    with pytest.raises(ds.DiscreetError, match=REFUSED[harm]) as caught:
        made.read(place)
    assert caught.value.code == "N66"


def anything(*_):
    return True


# what is put in place of the rule that refuses it
MUTANTS = {
    edited: ("hmac.compare_digest", anything),
    for_others: ("_doubts", lambda _: ()),
    huge: ("_doubts", lambda _: ()),
    open_folder: ("_is_guarded", anything),
    link: ("Path.is_symlink", lambda _: False),
    other_version: ("VERSION", 2),
}


@pytest.mark.parametrize("harm", MUTANTS, ids=lambda harm: harm.__name__)
def test_without_its_rule_such_a_project_is_taken(kept, monkeypatch, harm):
    made, place = kept
    harm(place)
    name, mutant = MUTANTS[harm]
    monkeypatch.setattr(f"discreet.app.server.project_files.{name}", mutant)
    if harm is link:
        monkeypatch.setattr(os, "O_NOFOLLOW", 0)
    if harm is huge:
        monkeypatch.setattr(project_files.hmac, "compare_digest", anything)
        monkeypatch.setattr(
            project_files.json, "loads", lambda text: {"discreet project": 1, "seal": ""}
        )
    assert made.read(place)


def test_a_project_that_someone_else_has_sealed_is_refused(kept, tmp_path):
    made, place = kept
    ProjectFolder(tmp_path / "other").write(place, {"name": "t.csv", "plan": {}})
    with pytest.raises(ds.DiscreetError, match="not written by your app"):
        made.read(place)


def test_a_refused_project_is_left_alone_and_opens_nothing(house):
    place = house.table.with_name("patients.csv.discreet")
    place.write_text("mine")
    with pytest.raises(ds.DiscreetError, match="no project"), house.start(house.table):
        pass
    assert place.read_text() == "mine"


def test_where_others_may_write_a_project_lies_in_the_data_folder(house):
    house.table.parent.chmod(0o777)
    with house.start(house.table) as server:
        workspace = only(server)
        Visitor(server).logged_in().post(f"/w/{workspace.id}/data/suggested")
        assert workspace.keeper.problem is None
        before = seen(workspace)
    assert [p.name for p in house.table.parent.iterdir()] == ["patients.csv"]
    with house.start(house.table) as server:
        assert seen(only(server)) == before


def test_a_project_is_written_whole_or_not_at_all(kept, monkeypatch):
    made, place = kept
    before = place.read_bytes()

    def full(*_):
        raise OSError(28, "no space left")

    monkeypatch.setattr("discreet.files.settle", full)
    with pytest.raises(ds.DiscreetError, match="disk is full"):
        made.write(place, {"name": "t.csv", "records": 401})
    assert place.read_bytes() == before
    assert [p.name for p in place.parent.iterdir()] == [place.name]


# -- plans ---------------------------------------------------------------------------------------

PLAN = """
[source]
file = "../house/patients.csv"
[roles]
keys = ["age", "sex"]
[hierarchies]
age = {intervals = [10, 20]}
sex = {file = "levels/report.html"}
[criterion]
k = 5
[[steps]]
do = "generalize"
max_suppressed = 0.02
[outputs]
masked = "masked.csv"
"""


@pytest.fixture
def plan(house, tmp_path):
    (tmp_path / "plans" / "levels").mkdir(parents=True, mode=0o700)
    (tmp_path / "plans" / "levels" / "report.html").write_text("F;*\nM;*\n")
    place = tmp_path / "plans" / "release.toml"
    place.write_text(PLAN)
    return place


def test_a_plan_of_the_command_line_is_opened_with_its_files(house, plan):
    with house.start(plan) as server:
        workspace, visitor = only(server), Visitor(server).logged_in()
        assert workspace.document["roles"] == {"keys": ["age", "sex"]}
        assert "outputs" not in workspace.document
        assert visitor.post(f"/w/{workspace.id}/protect", {"do": "run", **GENERALIZE}).status == 303
        done(workspace)
        assert workspace.results["run-1"].value.figures["risk"]["after"]["k"] >= 5
    plan.write_text(PLAN.replace("k = 5", "k = 7"))
    with house.start(plan) as server:  # it was edited: one more choice
        workspace = only(server)
        assert workspace.document["criterion"] == {"k": 7}
        assert workspace.history[-1].words == "what must hold"
        assert "run-1" in workspace.results
        workspace.go_to(workspace.place - 1)
        assert workspace.document["criterion"] == {"k": 5}


def test_an_uploaded_plan_asks_for_its_files_and_never_looks_for_them(house, plan, tmp_path):
    trap = tmp_path / "trap.csv"
    trap.write_text("F;*\nM;*\n")
    text = PLAN.replace("levels/report.html", str(trap))
    with house.start() as server:
        visitor = Visitor(server).logged_in()
        sent = visitor.upload("/open", [("file", ("RELEASE.TOML", text.encode()))])
        assert sent.status == 303
        (workspace,) = server.workspaces.all
        assert set(workspace.missing) == {".source/patients.csv", "trap.csv"}
        assert not list(workspace.folder.rglob("trap.csv"))
        at = f"/w/{workspace.id}/files"
        files = [
            ("files", ("patients.csv", house.table.read_bytes())),
            ("files", ("trap.csv", trap.read_bytes())),
        ]
        assert visitor.upload(at, files[:1]).status == 303
        assert workspace.job is None
        assert visitor.upload(at, files[1:]).status == 303
        assert only(server).document["hierarchies"]["sex"] == {"file": "trap.csv"}


@pytest.mark.parametrize(
    "text",
    ["steps = 5", "[source]\nfile = 3", "[[", "", "[source]\nfile='t.csv'\n[criterion]\nk='x'"],
)
def test_an_uploaded_plan_that_is_none_is_refused_in_words(house, text):
    with house.start() as server:
        visitor = Visitor(server).logged_in()
        sent = visitor.upload("/open", [("file", ("release.toml", text.encode()))])
        if sent.status == 303:  # all that can be said before its table is there
            (workspace,) = server.workspaces.all
            files = [("files", ("t.csv", b"age\n1\n2\n"))]
            sent = visitor.upload(f"/w/{workspace.id}/files", files)
        assert sent.status == 422
        assert re.search(r"<code>[SP]\d\d</code>", sent.text)


# -- what was chosen -----------------------------------------------------------------------------


@pytest.fixture
def workspace(tmp_path):
    made = Workspaces(tmp_path)
    one = made.create()
    (one.folder / "t.csv").write_text("age,zip\n23,41076\n23,41076\n37,48201\n38,48201\n")
    one.change(lambda _: {"source": {"file": "t.csv"}})
    ended(one.begin("open"))
    yield one
    made.close_all()


def test_choices_are_taken_back_and_made_again(workspace):
    for keys in (["age"], ["age", "zip"]):
        workspace.change(lambda d, keys=keys: {**d, "roles": {"keys": keys}})
    words = ["how the file is read", "role of age", "role of zip"]
    assert [choice.words for choice in workspace.history] == words
    workspace.go_to(1)
    assert workspace.document["roles"] == {"keys": ["age"]}
    workspace.go_to(2)
    assert workspace.document["roles"] == {"keys": ["age", "zip"]}
    workspace.go_to(0)
    workspace.change(lambda d: {**d, "types": {"zip": "nominal"}})  # what was taken back is gone
    assert [choice.words for choice in workspace.history] == [words[0], "type of zip"]


def test_a_file_that_was_replaced_comes_back(workspace, tmp_path):
    for text in ("first", "second"):
        place = workspace.folder / "draft"
        place.write_text(text)
        workspace.keep_file(place, "age.csv")
        workspace.change(lambda d: d)
    workspace.go_to(1)
    assert (workspace.folder / "age.csv").read_text() == "first"
    workspace.go_to(2)
    assert (workspace.folder / "age.csv").read_text() == "second"


def test_a_changed_hierarchy_file_and_another_way_of_reading_say_what_changed(workspace):
    table = {"age": {"file": "age.csv"}}
    for text in ("23;*", "37;*"):
        place = workspace.folder / "draft"
        place.write_text(text)
        workspace.keep_file(place, "age.csv")
        workspace.change(lambda d: {**d, "roles": {"keys": ["age"]}, "hierarchies": table})
    workspace.change(
        lambda d: {**d, "source": {**d["source"], "decimal": ",", "encoding": "cp1252"}}
    )
    assert [choice.words for choice in workspace.history[1:]] == [
        "role of age; hierarchy of age",
        "hierarchy of age",
        "how the file is read (Encoding, Decimal sign)",
    ]


def test_what_was_asked_for_is_not_forgotten_by_taking_it_back(workspace):
    workspace.change(lambda d: {**d, "roles": {"keys": ["age"]}, "criterion": {"k": 2}})
    ended(workspace.begin("risk"))
    workspace.go_to(0)
    assert workspace.settings["asked"] == [{"k": 2}]


def test_another_way_of_reading_that_is_taken_back_is_read_again(workspace):
    workspace.change(lambda d: {**d, "source": {**d["source"], "missing_values": ["23"]}})
    ended(workspace.begin("open"))
    assert workspace.columns[0].missing == 2
    workspace.go_to(0)
    ended(workspace.job)
    assert workspace.columns[0].missing == 0


@pytest.mark.parametrize("basis", ["as it is", "as it was"])
def test_a_release_is_made_again_only_of_what_is_there(workspace, monkeypatch, basis):
    begun = []
    monkeypatch.setattr(Workspace, "begin", lambda self, work, **_: begun.append(work) or read)
    read = Job("open", "open", state="done")
    read.over.set()
    workspace.pending = ("risk", RELEASE)
    workspace.remade = (workspace.basis(RELEASE), {"outputs": {}})
    if basis == "as it was":
        workspace.set(RELEASE, {"run": "run-2"})
    workspace._find_again(read)
    assert begun == ["again", RELEASE][: 2 if basis == "as it is" else 1]
    assert workspace.pending == ()
