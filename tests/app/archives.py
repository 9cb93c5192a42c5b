"""What the two archives of a release must hold, and must never hold.

Each rule is a function of the archives, as mappings of names to contents, that fails when it is
broken. The table has values that only its records have, and a seed that is easy to find.
"""

import zipfile

from discreet.app.jobs import plan_run
from discreet.app.jobs.task import JobTask

SEED = 918273645
NAMES = [f"Tr0ub4dor{i:03}" for i in range(60)]  # identifiers: no record leaves with one
GIVEN = {"masked.csv", "public-report.html", "masked.public.json"}
HOUSE = GIVEN | {"report.html", "masked.ledger.json", "release.toml", "release.py", "job.csv"}


def made(folder):
    """A release of a table with a hierarchy of its own and a sample; its archives by name."""
    source = folder / ".source"
    source.mkdir(parents=True)
    jobs = ("cook", "smith", "nurse")
    rows = [f"{name},{20 + i % 2},{jobs[i % 3]},{i}.25" for i, name in enumerate(NAMES)]
    (source / "t.csv").write_text("\n".join(["name,age,job,income", *rows, ""]))
    (folder / "job.csv").write_text("cook;*\nsmith;*\nnurse;*\n")
    names = plan_run.NAMES
    document = {
        "source": {"file": ".source/t.csv"},
        "roles": {"keys": ["age", "job"], "identifiers": ["name", "income"]},
        "hierarchies": {"job": {"file": "job.csv"}},
        "criterion": {"k": 3},
        "steps": [
            {"do": "sample", "fraction": 0.5, "seed": SEED},
            {"do": "generalize", "max_suppressed": 0.5},
        ],
        "outputs": {"masked": names["csv"]}
        | {what: names[what] for what in ("ledger", "public", "report", "public_report")},
    }
    (folder / ".working").mkdir()
    found = plan_run.release(JobTask(document, folder, {}, slot="release"))
    assert found.verified, found.words
    return {
        what: _read(plan_run.folder_of(folder, "release") / found.files[what])
        for what in ("given", "archive")
    }


def _read(place):
    with zipfile.ZipFile(place) as packed:
        assert packed.testzip() is None
        return {part.filename: (part, packed.read(part)) for part in packed.infolist()}


def only_what_may_leave_is_given(archives):
    assert set(archives["given"]) == GIVEN


def all_is_kept(archives):
    assert set(archives["archive"]) == HOUSE


def what_is_given_is_what_is_kept(archives):
    for name, (_, content) in archives["given"].items():
        assert archives["archive"][name][1] == content


def no_seed_is_given(archives):
    assert str(SEED).encode() in archives["archive"]["release.toml"][1]
    assert not any(str(SEED).encode() in content for _, content in archives["given"].values())


def no_record_is_packed(archives):
    for files in archives.values():
        for name, (_, content) in files.items():
            assert not any(one.encode() in content for one in NAMES), name
            assert b"59.25" not in content, name


def names_are_plain_and_tell_no_time(archives):
    for files in archives.values():
        for name, (part, _) in files.items():
            assert "/" not in name
            assert "\\" not in name
            assert part.date_time == (1980, 1, 1, 0, 0, 0)
            assert part.external_attr >> 16 == 0o600


RULES = (
    only_what_may_leave_is_given,
    all_is_kept,
    what_is_given_is_what_is_kept,
    no_seed_is_given,
    no_record_is_packed,
    names_are_plain_and_tell_no_time,
)
