"""What it cost: measures of information loss, distributions and correlations before and after.

A step that changed single cells says so by its parameters: ``changes`` has the cells of each
attribute, ``by_class_size`` the same by the size of the class that a record was in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import discreet as ds
from discreet.charts import (
    changed_cells_chart,
    correlation_chart,
    correlation_scatter_chart,
    difference_chart,
)
from discreet.registry import maskings
from discreet.reports.blocks import Block, Figure, Section, Share, Table, Words, cut, rounded, shown
from discreet.reports.distributions import distributions
from discreet.reports.facts import Facts
from discreet.reports.fragments import before_after_figure, figure
from discreet.reports.names import shortened
from discreet.reports.sentences import sentence, short
from discreet.words import counted

_MOST_CHARTS = 24
_MOST_PAIRS = 15
_NEAR = 0.05  # a change of a correlation that hardly counts
_LIMITS = (0.01, 0.05, 0.1, 0.2)
_FEWEST_PAIRS = 3  # for a picture of all correlations
_TINY = 1e-9
_LIGHTS = (("good", 1e-9, "as it was"), ("good", 0.3, "mostly kept"), ("late", 0.8, "partly kept"))
_SHORT = {"mean": "mean", "standard deviation": "SD"}
_ABSENT = "Measures that do not apply to this masking:"
_MOST_BARS = 40


def section(facts: Facts) -> Section:
    """The third section of the report."""
    blocks: list[Block] = [*_in_words(facts), *_measures(facts), *changed_cells(facts)]
    if not facts.public:
        blocks += [*_by_attribute(facts), *_statistics(facts), *_distributions(facts)]
        blocks += _score(facts)
    return Section("cost", "What it cost", tuple(blocks))


def _in_words(facts: Facts) -> list[Words]:
    loss, lines = facts.loss, [_lead(facts)]
    if loss.untouched and not facts.public:
        lines.append(f"Left as they were: {facts.listed(loss.untouched)}.")
    if loss.not_compared and not facts.public:
        lines.append(
            f"Recoded to labels, so that values cannot be compared: "
            f"{facts.listed(loss.not_compared)}."
        )
    if loss.missing_records:
        lines.append(f"{counted(loss.missing_records, 'record')} of the initial file left out.")
        lines += [] if facts.public else _gone(facts)
    if loss.left_out and not facts.public:
        lines.append(
            f"{counted(loss.left_out, 'record')} with missing values left out of the measures "
            "of numbers."
        )
    return [Words(tuple(lines))]


def _gone(facts: Facts) -> list[str]:
    """The categories of unchanged columns that went with the records that were left out."""
    before, after = facts.initial.profile, facts.masked.profile
    said = [
        f"{facts.names[c]} ({before[c][0] - after[c][0]:,} of {before[c][0]:,})"
        for c in (one.column for one in facts.unchanged.columns)
        if c in before
        and facts.initial.types[c].measure != "continuous"
        and after[c][0] < before[c][0]
    ]
    return [f"Values that no released record has any more: {', '.join(said)}."] if said else []


def _lead(facts: Facts) -> str:
    """A measure that applies, in a sentence."""
    rows = {row["measure"]: row for row in _of_all(facts)}
    if facts.loss.lead is None:
        return "No single measure sees all that was changed; the attributes have their own."
    row = rows[facts.loss.lead]
    said = sentence(row["measure"], _few_digits(facts, row["value"]), row["meaning"])
    return f"{short(row['measure'])} {shown(_few_digits(facts, row['value']))}. {said}"


def _measures(facts: Facts) -> list[Block]:
    """Every measure that applies with its sentence, in public with two digits, also in the
    sentence; then those that do not, with the reason for internal use.
    """
    rows = []
    for row in _of_all(facts):
        if row["value"] is not None:
            value = _few_digits(facts, row["value"])
            said = sentence(row["measure"], value, row["meaning"])
            rows.append((short(row["measure"]), value, f"{said} Range: {row['range']}."))
    blocks: list[Block] = []
    if rows:
        head = ("measure", "value", "what it says")
        blocks.append(Table("Information loss", head, tuple(rows)))
    lines = [
        f"{', '.join(short(name) for name in names)}: {facts.said(reason)}"
        for reason, names in facts.loss.reasons().items()
    ]
    if facts.public:
        lines = [", ".join(short(name) for name in facts.loss.not_applicable)] if lines else []
    return [*blocks, *([Words((_ABSENT, *lines))] if lines else [])]


def _of_all(facts: Facts) -> list[dict[str, Any]]:
    """The measures of all attributes together."""
    return [row for row in facts.loss.table("arrow").to_pylist() if not row["attributes"]]


def _few_digits(facts: Facts, value: float) -> float:
    return float(f"{value:.{2 if facts.public else 4}g}")


def _digits(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def _by_attribute(facts: Facts) -> list[Table]:
    found = [dict(row) for row in facts.loss.by_attribute]
    found = [row for row in found if row["attribute"] not in facts.loss.untouched]
    if not found:
        return []
    every = dict.fromkeys(n for row in found for n in row if n != "attribute")
    measures = [n for n in every if any(row.get(n) is not None for row in found)]
    if not measures:
        return []
    rows = tuple(
        (facts.names[row["attribute"]], *(_digits(row.get(name), 3) for name in measures))
        for row in found
    )
    columns = ("attribute", *(short(name) for name in measures))
    return [cut(Table("Information loss by attribute", columns, rows))]


# -- statistics and correlations -------------------------------------------------------------------


def _statistics(facts: Facts) -> list[Block]:
    """Means, spreads and correlations; quantiles are values of records, and are left out."""
    if facts.masked.n < facts.threshold:
        return []
    try:
        compared = ds.compare_statistics(facts.initial, facts.masked, on=facts.on)
    except ds.DiscreetError as error:
        if error.code == "D06":
            return [Words((_none_complete(facts),), "bad")]
        if error.code != "N07":
            raise
        return []  # no attribute is a number in both files
    found = compared.rows
    rows = [
        (facts.names.get(name, name), _SHORT[statistic], before, after, _change(before, after))
        for name, statistic, before, after in found
        if statistic in _SHORT and before is not None and after is not None
    ]
    columns = ("attribute", "statistic", "before", "after", "change")
    whose = "the released records"
    if compared.left_out:
        complete = facts.masked.n - compared.left_out
        whose = f"{complete:,} of {facts.masked.n:,} released records; the others miss a number"
    note = f"Of {whose}. Four significant digits."
    table = cut(Table("Means and standard deviations (SD)", columns, tuple(rows), note))
    pairs = [
        (name, statistic, before, after)
        for name, statistic, before, after in found
        if statistic == "correlation" and before is not None and after is not None
    ]
    blocks: list[Block] = [table, *_differences(rows)]
    if len(pairs) >= _FEWEST_PAIRS:
        blocks.append(_scatter(facts, pairs))
    return [*blocks, *([_correlations(facts, pairs)] if pairs else [])]


def _differences(rows: list[tuple[str, str, float, float, str]]) -> list[Figure]:
    """How far means and standard deviations moved, in original standard deviations; the attributes
    that moved most first."""
    moved: dict[str, dict[str, tuple[float, float]]] = {}
    for name, statistic, before, after, _ in rows:
        moved.setdefault(name, {})[statistic] = (before, after)
    found = [
        (name, (of["mean"][1] - of["mean"][0]) / unit, (of["SD"][1] - unit) / unit)
        for name, of in moved.items()
        if (unit := of["SD"][0]) > 0
    ]
    if not found:
        return []
    ordered = sorted(found, key=lambda row: (-max(abs(row[1]), abs(row[2])), row[0]))
    table = Table(
        "Standardised differences, numbers",
        ("attribute", "mean", "standard deviation"),
        tuple((name, _r(mean), _r(spread)) for name, mean, spread in ordered),
    )
    name, mean, spread = ordered[0]
    return [
        figure(
            difference_chart(ordered[:_MOST_PAIRS]),
            title="Standardised differences",
            alt=(
                f"Change of the mean and of the standard deviation of "
                f"{counted(len(ordered), 'attribute')}, in original standard deviations. Most "
                f"moved {name}: its mean by {mean:.2f}, its standard deviation by {spread:.2f}."
            ),
            table=cut(table),
            note=f"The {_MOST_PAIRS} largest are drawn." if len(ordered) > _MOST_PAIRS else "",
        )
    ]


def _scatter(facts: Facts, found: list[tuple[str, str, float, float]]) -> Figure:
    """All correlations at once: what lies on the line did not change."""
    rows = [(facts.said(pair), before, after) for pair, _, before, after in found]
    apart = [abs(after - before) for _, before, after in rows]
    near = sum(change <= _NEAR for change in apart)
    bins = [(f"up to {limit:g}", sum(change <= limit for change in apart)) for limit in _LIMITS]
    bins.append(("any", len(rows)))
    table = Table(
        "Changes of correlations, numbers",
        ("change of a correlation", "pairs", "share"),
        tuple((label, number, Share(number, len(rows))) for label, number in bins),
    )
    return figure(
        correlation_scatter_chart(rows),
        title="All correlations, after against before",
        alt=(
            f"{counted(len(rows), 'pair')} of attributes; {near:,} correlations changed by "
            f"{_NEAR:g} or less, the largest change is {max(apart):.2f}."
        ),
        table=table,
    )


def _none_complete(facts: Facts) -> str:
    """Why nothing is compared, and which step left no record with all of its numbers."""
    said = "No released record has all of its numbers: means and correlations are not compared."
    for place, step in enumerate(getattr(facts.masked, "steps", ()), 1):
        if cells := sum(step.parameters.get("changes", {}).values()):
            title = maskings[step.method].title if step.method in maskings else step.method
            said += f" Step {place} ({title}) emptied {counted(cells, 'cell')}: raise its limit."
    return said


def _change(before: float, after: float) -> str:
    change = round((after - before) / abs(before), 3) if before else None
    if change is None:
        return "–"
    return f"{change:+.1%}".replace("-", "−") if change else "0.0%"


def _correlations(facts: Facts, found: list[tuple[str, str, float, float]]) -> Figure:
    """The pairs whose correlation changed most."""
    ordered = sorted(found, key=lambda row: (-abs(row[3] - row[2]), row[0]))
    rows = [(facts.said(pair), before, after) for pair, _, before, after in ordered]
    table = Table(
        "Correlations, numbers",
        ("pair", "before", "after", "change"),
        tuple((pair, _r(b), _r(a), _r(a - b)) for pair, b, a in rows),
    )
    pair, before, after = rows[0]
    left_out = len(rows) - _MOST_PAIRS
    return figure(
        correlation_chart(rows[:_MOST_PAIRS]),
        title="Correlations before and after",
        alt=(
            f"Correlations of {counted(len(rows), 'pair')} of attributes before and after. The "
            f"largest change is that of {pair}, from {before:.2f} to {after:.2f}."
        ),
        table=cut(table),
        note=f"The {_MOST_PAIRS} largest changes are drawn." if left_out > 0 else "",
    )


def _r(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


# -- what is left ----------------------------------------------------------------------------------


def left_of(facts: Facts) -> list[dict[str, Any]]:
    """Of each attribute how much of its information is lost, and that in a word: a light.

    Attributes that were changed come first, those with the largest loss before the others.
    """
    rows: list[dict[str, Any]] = []
    for row in map(dict, facts.loss.by_attribute):
        name, lost = row["attribute"], row.get("ebil_share")
        rows.append({"attribute": facts.names[name], "lost": lost, **_light(facts, name, lost)})
    return sorted(rows, key=lambda row: -(-1.0 if row["lost"] is None else row["lost"]))


def _light(facts: Facts, name: str, lost: float | None) -> dict[str, str]:
    if lost is None:
        words = "changed, but the EBIL share does not apply"
        return {
            "light": "unknown",
            "words": words if name in facts.loss.changed else "not measured",
        }
    for light, most, words in _LIGHTS[name in facts.loss.changed :]:
        if lost <= most:
            return {"light": light, "words": words}
    if lost < 1 - _TINY and _is_left(facts, name):
        return {"light": "bad", "words": "little left"}
    return {"light": "bad", "words": f"nothing left of {facts.names[name]}"}


def _is_left(facts: Facts, name: str) -> bool:
    """Whether the masked file still tells values of an attribute apart."""
    return len(facts.masked.frequency_set([name]).counts) > 1


# -- distributions ---------------------------------------------------------------------------------


def _distributions(facts: Facts) -> list[Block]:
    changed = facts.changed()
    blocks: list[Block] = []
    hidden = []
    for name in changed[:_MOST_CHARTS]:
        found = distributions(facts.initial, facts.masked, name, facts.threshold)
        if not found:
            hidden.append(name)
        if found and len(found[-1].rows) == 1 and not _is_left(facts, name):
            said = f"Nothing is left of {facts.names[name]}: all records have one value."
            blocks.append(Words((said,), "bad"))
            continue
        for part in found:
            which = " and ".join(part.totals)
            title = f"{facts.names[name]}: distribution {which}"
            blocks.append(
                before_after_figure(
                    title, part.rows, part.totals, by=shortened(name, 20), note=part.note
                )
            )
    lines = []
    if hidden:
        lines.append(f"Too few records for a distribution: {facts.listed(hidden)}.")
    if len(changed) > _MOST_CHARTS:
        lines.append(f"The first {_MOST_CHARTS} of {len(changed):,} changed attributes are drawn.")
    return [*([Words(tuple(lines))] if lines else []), *blocks]


# -- score -----------------------------------------------------------------------------------------


def _score(facts: Facts) -> list[Block]:
    found: Any = facts.given.score
    if found is None:
        return []
    parts = {k: v for k, v in found.to_dict().items() if isinstance(v, float)}
    rows = tuple((name.replace("_", " "), rounded(value)) for name, value in parts.items())
    said = Words(facts.explained(found))
    table = Table("Score and its parts, 0 (best) to 100", ("part", "value"), rows)
    return [said, table]


def changed_cells(facts: Facts) -> list[Block]:
    """A picture and a table for each step that changed single cells."""
    blocks: list[Block] = []
    for place, step in enumerate(facts.steps, 1):
        changes = {name: n for name, n in step.parameters.get("changes", {}).items() if n}
        if changes and "by_class_size" in step.parameters:
            blocks += _of_step(facts, place, step, changes)
    return blocks


def _of_step(facts: Facts, place: int, step: Any, changes: Mapping[str, int]) -> list[Block]:
    names = facts.names
    rows = [(names[key], number) for key, number in changes.items()]
    most, total = max(rows, key=lambda row: row[1]), sum(changes.values())
    said = (
        f"Step {place} changed {counted(total, 'cell')} of {len(rows):,} "
        f"{'key' if len(rows) == 1 else 'keys'}, most of {most[0]} ({most[1]:,})."
    )
    drawn = figure(
        changed_cells_chart(rows[:_MOST_BARS]),
        title=f"Step {place}: changed cells",
        alt=f"Bar chart: {said} The table beside it has the numbers.",
        table=cut(_table(facts, place, step.parameters["by_class_size"], changes)),
    )
    lines = (said, *_needed(step.parameters))
    return [Words(lines), drawn]


def _needed(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """What any answer needs, where the step knows."""
    outcome = parameters.get("compared")
    return (outcome,) if outcome else ()


def _table(
    facts: Facts, place: int, sizes: Mapping[str, Mapping[str, int]], changes: Mapping[str, int]
) -> Table:
    """Cells by key; for internal use also by the class size that the records had before."""
    caption = f"Step {place}: changed cells, numbers"
    if facts.public:
        rows = tuple((facts.names[key], number) for key, number in changes.items())
        return Table(caption, ("key", "cells"), rows)
    labels = sorted({label for found in sizes.values() for label in found}, key=_first)
    inside = tuple(
        (facts.names[key], number, *(sizes.get(key, {}).get(label, 0) for label in labels))
        for key, number in changes.items()
    )
    note = "By the number of records that had the same keys before."
    return Table(caption, ("key", "cells", *(f"of {label}" for label in labels)), inside, note)


def _first(label: str) -> int:
    """The number that a label begins with: "5 or more"."""
    return int(label.split(maxsplit=1)[0])
