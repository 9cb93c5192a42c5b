"""The checklist of a release: what holds, what does not, and what is still risky, in words.

What does not hold must be acknowledged in writing before the release is made; the words stand in
the internal report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.app import drafting
from discreet.app.runs import Kept
from discreet.app.workspaces import Workspace
from discreet.reporting.facts import FEWEST
from discreet.wording import counted, share


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
        _identifiers(workspace),
        _criterion(kept),
        _small_groups(kept),
        *_told(workspace, kept),
    )


def _identifiers(workspace: Workspace) -> Item:
    roles = {c.name: drafting.role_of(workspace.document, c.name) for c in workspace.columns}
    removed = [n for n, role in roles.items() if role in ("identifier", "record id")]
    left = [
        c.name
        for c in workspace.columns
        if c.suggested in ("identifier", "record id") and c.name not in removed
    ]
    names = workspace.labels
    if left:
        words = f"Released, though it looks like an identifier: {_listed(names, left)}."
    elif removed:
        words = f"Not in the masked file: {_listed(names, removed)}."
    else:
        words = "No column is an identifier."
    return Item("identifiers", "Direct identifiers are removed", not left, words)


def _criterion(kept: Kept) -> Item:
    if not kept.run.criterion:
        words = "No criterion was set: nothing was asked of the masked table."
        return Item("criterion", "A criterion holds", False, words)
    words = f"{kept.run.criterion} {'holds' if kept.run.satisfied else 'does not hold'}."
    return Item("criterion", "A criterion holds", bool(kept.run.satisfied), words)


def _small_groups(kept: Kept) -> Item:
    risk = _after(kept, "risk")
    few = sum(row["records"] for row in risk.get("class_sizes", []) if row["size"] < FEWEST)
    title = f"No record is in a group of fewer than {FEWEST}"
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
        f"In some group all records have the same value of: {_listed(workspace.labels, told)}. Who "
        "is known to be in that group has it, too."
        if told
        else f"Every group has {min(p.values())} or more values of each confidential attribute."
    )
    yield Item("told", "No group tells a confidential value", not told, words)


def still_risky(workspace: Workspace, kept: Kept) -> tuple[str, ...]:
    """What remains after all, in sentences."""
    risk, disclosure = _after(kept, "risk"), _after(kept, "disclosure_risk")
    said = []
    if disclosure:
        said.append(
            f"By guessing within groups, at most {disclosure['maximal']:.1%} of the people in the "
            "original table are recognised (DR_max)."
        )
    if risk:
        worst = "for certain" if risk["k"] == 1 else f"with a chance of 1 in {risk['k']:,}"
        said.append(
            f"Someone who knows all keys of a person recognises the record {worst} at worst, "
            f"with {risk['mean_risk']:.1%} on average."
        )
    apart = [
        column.name
        for column in workspace.columns
        if drafting.role_of(workspace.document, column.name) in ("other", "confidential")
    ]
    if apart:
        said.append(
            f"Held to be unknown to an intruder, and released: {_listed(workspace.labels, apart)}. "
            "If one of them can be known, it is a key."
        )
    return tuple(said)


def _after(kept: Kept, part: str) -> Mapping[str, Any]:
    return kept.run.figures[part]["after"] or {}


def _listed(labels: Mapping[str, str], names: list[str], most: int = 12) -> str:
    shown = ", ".join(labels[name] for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


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
