"""The checklist of a release: what holds, what does not, and what is still risky, in words.

What does not hold must be acknowledged in writing before the release is made; the words stand in
the internal report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.app.forms import draft
from discreet.app.server import runs
from discreet.app.server.runs import Kept
from discreet.app.server.workspaces import RELEASE, Workspace
from discreet.reports.facts import FEWEST
from discreet.reports.names import few, renamed
from discreet.words import counted, share

_MOST_NAMED = 12  # columns
_NAMING = {  # roles of columns that are never released, and what such a column looks like
    "identifier": "an identifier",
    "record id": "a record id",
    "household": "the number of a household",
    "subject": "the number of a person",
}


@dataclass(frozen=True)
class Item:
    """One line of the checklist.

    Attributes
    ----------
    name : str
        The field of its acknowledgement.
    title : str
    met : bool
    words : str
        What was found.
    """

    name: str
    title: str
    met: bool
    words: str


def items_of(workspace: Workspace, kept: Kept) -> tuple[Item, ...]:
    """All items, met or not; that the run is up to date is no matter of acknowledgement."""
    return (
        _identifiers(workspace, kept),
        _criterion(workspace, kept),
        _small_groups(kept),
        *_told(workspace, kept),
        _unique_columns(workspace, kept),
        *_lowered(workspace, kept),
        *_weights(workspace, kept),
        *_codes(workspace, kept),
    )


def unmet_of(items: tuple[Item, ...]) -> dict[str, str]:
    """What is not met, by its name: the words that were read when it was acknowledged."""
    return {item.name: item.words for item in items if not item.met}


def is_made(workspace: Workspace, kept: Kept) -> bool:
    """Whether the release was made of all that is there now, and can be downloaded: whatever is not
    met now was acknowledged in these words, and more may be wanted since.
    """
    known = workspace.settings.get("release", {}).get("unmet", {})
    unmet = unmet_of(items_of(workspace, kept))
    current = kept.can_be_released and workspace.is_current(RELEASE)
    return current and unmet.items() <= known.items()


def _roles(workspace: Workspace, kept: Kept) -> dict[str, str]:
    """The role of each column when the run was made: it may have another one now."""
    return {c.name: draft.role_of(kept.run.document, c.name) for c in workspace.columns}


def _identifiers(workspace: Workspace, kept: Kept) -> Item:
    roles = _roles(workspace, kept)
    removed = [name for name, role in roles.items() if role in _NAMING]
    known = (*_NAMING, "weight")  # a weight is released as such: its own line looks at it
    left: dict[str, list[str]] = {}
    for column in workspace.columns:
        if column.suggested in _NAMING and roles[column.name] not in known:
            left.setdefault(_NAMING[column.suggested], []).append(column.name)
    names = workspace.labels
    if left:
        words = " ".join(
            f"Released, though it looks like {what}: {_listed(names, some)}."
            for what, some in left.items()
        )
    elif removed:
        words = f"Not in the masked file: {_listed(names, removed)}."
    else:
        words = "No column is an identifier."
    return Item("identifiers", "Direct identifiers are removed", not left, words)


def _criterion(workspace: Workspace, kept: Kept) -> Item:
    """Whether what is wanted now holds; and what the run was made for, where that is another."""
    made, wanted, title = kept.run.criterion, workspace.wanted, "A criterion holds"
    if not made and not wanted:
        words = "No criterion was set: nothing was asked of the masked table."
        return Item("criterion", title, False, words)
    if kept.lacks:
        return Item("criterion", title, False, _lacking(kept, made, wanted))
    if made and not kept.run.satisfied:
        return Item("criterion", title, False, f"{made} does not hold.")
    told = f"{wanted} is required now, and holds" if wanted and wanted != made else f"{made} holds"
    return Item("criterion", title, True, f"{told}.")


def _lacking(kept: Kept, made: str, wanted: str) -> str:
    before = f"the run was made for {made}" if made else "nothing was asked of the run"
    risk = _after(kept, "risk")
    unit = "person" if "people_k" in risk else "record"
    size = risk.get("people_k", risk.get("k"))
    if size is not None and any(one.least_size > size for one in kept.lacks):
        found = f"Its smallest group has {counted(size, unit)}."
    else:
        found = "This run was not checked for it: run it again on the page Protect."
    return f"{wanted} is required now, and {before}. {found}"


def _small_groups(kept: Kept) -> Item:
    risk = _after(kept, "risk")
    few = sum(row["records"] for row in risk.get("class_sizes", []) if row["size"] < FEWEST)
    title = f"No record is in a group of fewer than {FEWEST}"
    people = risk.get("people_k", FEWEST)
    if not few and people < FEWEST:
        words = f"Some group has records of only {counted(people, 'person')}."
        return Item("groups", title, False, words)
    if not few:
        return Item(
            "groups", title, bool(risk), f"The smallest group has {risk.get('k', '–')} records."
        )
    alone = counted(risk["uniques"], "record")
    words = (
        f"{counted(few, 'record')} ({share(few, risk['n'])}) in groups of fewer than {FEWEST} with "
        f"the same keys; {alone} alone."
    )
    return Item("groups", title, False, words)


def _told(workspace: Workspace, kept: Kept) -> Iterator[Item]:
    """Whether a class tells a confidential value; nothing where none is confidential."""
    p: Mapping[str, int] = _after(kept, "risk").get("p", {})
    if not p:
        return
    told = [name for name, values in p.items() if values == 1]
    words = (
        f"In some group all records have the same value of: {_listed(workspace.labels, told)}. "
        "Anyone known to be in that group has it, too."
        if told
        else f"Every group has {min(p.values())} or more values of each confidential attribute."
    )
    yield Item("told", "No group discloses a confidential value", not told, words)


def _lowered(workspace: Workspace, kept: Kept) -> Iterator[Item]:
    """Whether more was asked for on the way than the run meets; nothing where never."""
    before = runs.earlier(workspace, kept.run)
    if before:
        asked = renamed("; ".join(before), workspace.labels)
        words = (
            f"Required before, and it is not known whether this run meets it: {asked}. The "
            "requirement was lowered since, or the run was made for less."
        )
        yield Item("lowered", "No requirement was lowered on the way", False, words)


def _weights(workspace: Workspace, kept: Kept) -> Iterator[Item]:
    """Whether weights still fit the records that leave; nothing where there are none."""
    rows = kept.run.figures["weights"]
    if rows:
        wrong = [row for row in rows if not row["fits"]]
        words = renamed(" ".join(row["words"] for row in wrong or rows), workspace.labels)
        said = words[0].upper() + words[1:]
        yield Item("weights", "Weights fit the released records", not wrong, said)


def _codes(workspace: Workspace, kept: Kept) -> Iterator[Item]:
    """Whether codes were averaged; nothing where no column of codes was called continuous."""
    found = kept.run.figures["averaged_codes"]
    if found:
        words = (
            f"{_listed(workspace.labels, found)}: these few whole numbers look like codes. They "
            "were averaged, so the masked table holds numbers that no record had. If they are "
            "not amounts, choose the type nominal on the page Roles, and run it again."
        )
        yield Item("codes", "Codes were not averaged", False, words)


UNIQUE = "unique"


def _unique_columns(workspace: Workspace, kept: Kept) -> Item:
    """Whether many records are unique on an unchanged column."""
    title = "No unchanged column makes many records unique"
    rows = kept.run.figures["unchanged"]
    flagged = [renamed(row["words"], workspace.labels) for row in rows if row["flagged"]]
    if flagged:
        return Item(UNIQUE, title, False, " ".join(flagged))
    partly = [row["column"] for row in rows if row.get("in_cells")]  # a run of before may lack it
    whole = [row["column"] for row in rows if not row.get("in_cells")]
    words = [f"Unchanged: {_listed(workspace.labels, whole)}."] if whole else []
    words += [f"Only some cells changed: {_listed(workspace.labels, partly)}."] if partly else []
    return Item(UNIQUE, title, True, " ".join(words) or "All are changed.")


def unique_columns_of(kept: Kept, written: Mapping[str, str]) -> dict[str, str]:
    """The reason in writing for each column on which many records are unique, for the plan."""
    rows = kept.run.figures["unchanged"]
    return {row["column"]: _line(written[UNIQUE]) for row in rows if row["flagged"]}


def still_risky(workspace: Workspace, kept: Kept) -> tuple[str, ...]:
    """What remains after all, in sentences."""
    risk, disclosure = _after(kept, "risk"), _after(kept, "disclosure_risk")
    said = []
    if disclosure:
        said.append(
            f"By guessing within groups, at most {disclosure['maximal']:.1%} of the records of the "
            "original table are recognised (DR_max)."
        )
    if risk.get("people_k"):
        said.append(
            "Some group of records with the same keys has records of only "
            f"{counted(risk['people_k'], 'person')}."
        )
    elif risk:
        worst = "for certain" if risk["k"] == 1 else f"with a chance of 1 in {risk['k']:,}"
        said.append(
            f"Someone who knows all keys of a person recognises the record {worst} at worst, "
            f"with {risk['mean_risk']:.1%} on average."
        )
    said += kept.run.figures.get("cautions", ())  # a run of before may lack them
    roles = _roles(workspace, kept)
    apart = [name for name, role in roles.items() if role in ("other", "confidential")]
    if apart:
        said.append(
            "Released, since no intruder is expected to know them: "
            f"{_listed(workspace.labels, apart)}. If an intruder can know one, make it a key."
        )
    return tuple(said)


def _after(kept: Kept, part: str) -> Mapping[str, Any]:
    return kept.run.figures[part]["after"] or {}


def _listed(labels: Mapping[str, str], names: list[str]) -> str:
    return few([labels[name] for name in names], _MOST_NAMED)


def note_of(items: tuple[Item, ...], written: Mapping[str, str], remark: str) -> str:
    """The remarks of the report: the steward's own, and what was acknowledged."""
    lines = [_line(line) for line in remark.splitlines() if line.strip()]
    lines += [
        f"Not met, and acknowledged: {item.title}. {item.words} – {_line(written[item.name])}"
        for item in items
        if not item.met
    ]
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())
