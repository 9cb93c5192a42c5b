"""How it was chosen: the search and its lattice, and the risk-utility map."""

from __future__ import annotations

from typing import Any

from discreet.reports.blocks import Block, Figure, Section, Table, Words, cut, rounded
from discreet.reports.facts import Facts
from discreet.reports.fragments import figure
from discreet.words import counted

_OWN = ("seconds", "code")  # columns of a map that a report has no use for


def section(facts: Facts) -> Section | None:
    """The fourth section of the report, when there is something to say."""
    blocks: list[Block] = []
    if facts.given.found is not None:
        blocks += _search(facts.given.found, facts)
    if facts.given.ru_map is not None and not facts.public:
        blocks += _map(facts.given.ru_map, facts)
    if not blocks:
        return None
    return Section("chosen", "How it was chosen", tuple(blocks))


def _search(found: Any, facts: Facts) -> list[Block]:
    if facts.public:
        return [_search_for_the_public(found, facts)]
    said = Words(facts.explained(found))
    return [said, _lattice(found, facts)]


def _search_for_the_public(found: Any, facts: Facts) -> Words:
    """The nodes that were not chosen tell about the initial file: they stay inside."""
    known = found.to_dict()
    levels = ", ".join(
        f"{facts.names.get(key, key)} {level}" for key, level in known["best"]["levels"].items()
    )
    return Words(
        (
            f"Of {counted(known['nodes'], 'way')} to make the keys coarser, a search for "
            f"{known['criterion']} chose the one of least loss.",
            f"Levels of generalization, 0 being the value as it is: {levels}.",
        )
    )


def _lattice(found: Any, facts: Facts) -> Figure:
    table = _nodes(found, facts)
    nodes, minimal = found.lattice.nodes, len(table.rows)
    return figure(
        None,
        drawn=found.lattice.svg(caption=False),
        title="Lattice of generalizations",
        alt=(
            f"The lattice of {counted(nodes, 'node')} over the levels of "
            f"{facts.listed(list(found.best.levels))}; "
            f"{counted(minimal, 'node')} found by the search, the chosen one with a star."
        ),
        table=cut(table),
        note=(
            f"{counted(nodes, 'node')}; a node shows the levels of "
            f"{facts.listed(list(found.best.levels))}, in this order. Filled: feasible. "
            "Thick: found by the search. ★: chosen. Large lattices are drawn in part."
        ),
    )


def _nodes(found: Any, facts: Facts) -> Table:
    """The nodes that the search returned."""
    keys = list(found.best.levels)
    rows = tuple(
        (
            number if node.levels != found.best.levels else f"{number} ★",
            *(node.levels[key] for key in keys),
            node.suppressed,
            node.classes,
            node.loss,
        )
        for number, node in enumerate(found.minimal, 1)
    )
    columns = ("node", *(facts.names.get(key, key) for key in keys))
    return Table("Nodes found", (*columns, "suppressed", "classes", "loss"), rows)


def _map(found: Any, facts: Facts) -> list[Block]:
    table = found.table("arrow")
    columns = [
        name
        for name in table.column_names
        if name not in _OWN and table[name].null_count < table.num_rows
    ]
    rows = tuple(tuple(row.values()) for row in table.select(columns).to_pylist())
    heads = tuple(name.replace("_", " ") for name in columns)
    shown = Table("Maskings that were compared", heads, rows)
    said = Words(facts.explained(found))
    chart = figure(
        found.chart(),
        title="Risk-utility map",
        alt=f"Loss against risk of {counted(len(rows), 'masking')}. {_ends(found)}",
        table=cut(shown),
    )
    return [said, chart]


def _ends(found: Any) -> str:
    """The two ends of the frontier, in words."""
    if not found.frontier:
        return "None of them could be measured."
    safest, truest = found.frontier[0], found.frontier[-1]
    return (
        f"The lowest risk, {rounded(safest.risk, 3)}, has {safest.label} with a loss of "
        f"{rounded(safest.loss, 3)}; the least loss, {rounded(truest.loss, 3)}, has {truest.label} "
        f"with a risk of {rounded(truest.risk, 3)}."
    )
