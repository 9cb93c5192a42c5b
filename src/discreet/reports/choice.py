"""How it was chosen: the search and its lattice, and the risk-utility map."""

from __future__ import annotations

from typing import Any

from discreet.reports.blocks import Block, Figure, Section, Table, Words, cut, rounded
from discreet.reports.facts import Facts
from discreet.reports.fragments import figure
from discreet.words import counted

_BY_HAND = "The levels were chosen by hand."
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
    first, *rest = facts.explained(found)
    blocks: list[Block] = [Words((first[:1].upper() + first[1:], *rest))]
    node = _chosen(found, facts)
    if node.number != found.best.number:
        by_hand = f"{_BY_HAND} A search, for comparison, finds another node: see below."
        blocks = [Words((by_hand, *facts.explained(node))), *blocks]
    return [*blocks, _lattice(found, facts)]


def _chosen(found: Any, facts: Facts) -> Any:
    """The node of the masked file: the best one, unless someone chose another."""
    for step in reversed(facts.steps):
        levels = step.parameters.get("levels", {})
        if set(levels) == set(found.best.levels):
            return found.best if levels == found.best.levels else found.lattice.node(levels)
    return found.best


def _search_for_the_public(found: Any, facts: Facts) -> Words:
    """The nodes that were not chosen tell about the initial file: they stay inside."""
    node, ways = _chosen(found, facts), counted(found.task.lattice.nodes, "way")
    levels = ", ".join(f"{facts.names.get(key, key)} {level}" for key, level in node.levels.items())
    asked = facts.said(found.task.words)
    how = f"Of {ways} to make the keys coarser, a search for {asked} {_how(found)}."
    if node.number != found.best.number:
        how = f"{_BY_HAND} There are {ways} to make the keys coarser."
    return Words((how, f"Levels of generalization, 0 being the value as it is: {levels}."))


def _how(found: Any) -> str:
    """What a search chose, as far as it looked."""
    if found.name == "samarati":
        return "chose one of the least height"
    measured = found.task.loss
    by = "" if measured == "iyengar" else f", by {measured.replace('-', ' ')}"
    among = " among the minimal ones" if found.name == "all-minimal" else ""
    among = among if found.complete else " among those that it looked at"
    return f"chose the one of least loss{by}{among}"


def _lattice(found: Any, facts: Facts) -> Figure:
    table = _nodes(found, facts)
    nodes, minimal = found.lattice.nodes, len(found.minimal)
    return figure(
        None,
        drawn=found.lattice.svg(caption=False, chosen=_chosen(found, facts)),
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
    keys, chosen = list(found.best.levels), _chosen(found, facts)
    others = [] if any(node.number == chosen.number for node in found.minimal) else [chosen]
    rows = tuple(
        (
            number if node.number != chosen.number else f"{number} ★",
            *(node.levels[key] for key in keys),
            node.suppressed,
            node.classes,
            node.loss,
        )
        for number, node in enumerate([*found.minimal, *others], 1)
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
