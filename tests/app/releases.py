"""What tests of the last three screens share: a table on its way to a release, as requests."""

import html
import re

from tests.app.waiting import ended

HIERARCHIES = {
    "age": {"builder": "intervals", "widths": "10, 20, 40", "unmapped": "error"},
    "zip": {"builder": "prefixes", "lengths": "5, 3, 1, 0", "unmapped": "error"},
}
GENERALIZE = {
    "do-0": "generalize",
    "max_suppressed-0": "2 %",
    "choice-0": "best",
    "k": "5",
    "p": "",
}
CHAIN = {
    "do-0": "sample", "fraction-0": "80", "seed-0": "7",
    "do-1": "microaggregate", "k-1": "4", "method-1": "mdav", "columns-1": ["2", "3", "4"],
    "k": "", "p": "",
}  # fmt: skip


def text_of(answer):
    """What is read on a page."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", answer.text)))


def number(workspace, name):
    return [column.name for column in workspace.columns].index(name)


def opened(visitor, table):
    """A table with the suggested roles and two hierarchies."""
    workspace = visitor.open(table)
    assert workspace.job.state == "done", workspace.job.problems
    visitor.post(f"/w/{workspace.id}/data/suggested")
    for name, fields in HIERARCHIES.items():
        at = f"/w/{workspace.id}/hierarchy/{number(workspace, name)}"
        assert visitor.upload(at, [], fields).status == 303
    return workspace


def protected(visitor, workspace, fields):
    """Run a chain, and wait until it is done."""
    answer = visitor.post(f"/w/{workspace.id}/protect", {"do": "run", **fields})
    assert answer.status == 303, text_of(answer)
    done(workspace)


def done(workspace):
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems


def released(visitor, workspace, run, **fields):
    """Choose a run, acknowledge all, make the release, and wait until it is done."""
    at = f"/w/{workspace.id}"
    assert visitor.post(f"{at}/compare/{run}/choose").status == 303
    names = ("identifiers", "criterion", "groups", "told", "unique", "lowered", "weights", "codes")
    said = {f"ack-{name}": f"accepted: {name}" for name in names}
    answer = visitor.post(f"{at}/release", {"format": ".csv", **said, **fields})
    assert answer.status == 303, text_of(answer)
    done(workspace)


def downloaded(visitor, workspace, folder, *roles):
    """Download files into a folder; their places by what they are."""
    found = {}
    for role in roles:
        answer = visitor.ask("GET", f"/w/{workspace.id}/release/file/{role}")
        assert answer.status == 200, text_of(answer)
        name = re.fullmatch(
            r'attachment; filename="([\w.-]+)"', answer.headers["content-disposition"]
        )
        found[role] = folder / name[1]
        found[role].write_bytes(answer.raw)
    return found
