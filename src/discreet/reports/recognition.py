"""Who could be recognised: class sizes, k and p, uniques, the disclosure risk, the criterion."""

from __future__ import annotations

from typing import Any

import discreet as ds
from discreet.registry import criteria
from discreet.reports.blocks import (
    Block,
    KeyFigures,
    Section,
    Share,
    SideBySide,
    Table,
    Words,
    cut,
    rounded,
    upwards,
)
from discreet.reports.facts import Facts
from discreet.reports.fragments import class_size_figure, figure
from discreet.words import PERTURBED, counted, perturbation_caution

_WHOSE = {"household": "household", "subject": "person"}


def section(facts: Facts) -> Section:
    """The second section of the report."""
    blocks: list[Block] = [*_checks(facts), *_worth(facts), _figures(facts), _intruder(facts)]
    blocks += _in_population(facts)
    blocks += _together(facts)
    blocks += _public(facts) if facts.public else _internal(facts)
    blocks += reading_blocks(facts)
    return Section("recognised", "Who could be recognised", tuple(blocks))


def cautions(facts: Facts) -> tuple[str, ...]:
    """What is risky however large the classes are, a sentence or two each: keys that were changed
    at random, whoever is put together, and counts below k where cells were changed.
    """
    said = [line for block in _worth(facts) for line in block.lines]
    for by, found in facts.together.items():
        if isinstance(found, str):
            said.append(_not_measured(facts, by, found))
        elif found.uniques:
            said.append(f"{facts.said(found.in_short())} {_against(facts, by)}")
    counts = facts.readings
    return (*said, *(facts.said(line) for line in (counts.warnings() if counts else ())))


def _worth(facts: Facts) -> list[Words]:
    """Which of the figures still mean something, where keys were perturbed."""
    if not facts.perturbed:
        return []
    return [Words((facts.said(f"{PERTURBED}{perturbation_caution(facts.perturbed)}"),), "bad")]


def _checks(facts: Facts) -> list[Words]:
    """Each criterion and whether it holds."""
    return [
        Words(
            (_outcome(check, facts), _asked(check.criterion, facts)),
            "good" if check.satisfied else "bad",
        )
        for check in facts.checks
    ]


def _outcome(check: Any, facts: Facts) -> str:
    sign = "✓" if check.satisfied else "✗"
    if facts.public:
        verdict = "holds" if check.satisfied else "does not hold"
        return f"{sign} {facts.said(check.criterion.describe())} {verdict}."
    lines = [line for line in check.explain().splitlines() if not line.startswith(PERTURBED)]
    return f"{sign} {facts.said(' '.join(' '.join(lines).split()))}"


def _asked(asked: Any, facts: Facts) -> str:
    """What a criterion asks for, for those who do not know its name."""
    if not asked.counts_decide:
        return str(criteria[type(asked).__name__].about)
    who = "people" if facts.masked.subject else "records"
    keys = facts.listed(facts.after.provenance.keys)
    said = f"It asks for at least {asked.least_size:,} {who} with every combination of {keys}"
    values = [
        f"{p} values of {facts.names.get(name, name)}"
        for name, p in asked.least_distinct(facts.masked.confidential).items()
    ]
    return f"{said}, with at least {' and '.join(values)} among them." if values else f"{said}."


def _intruder(facts: Facts) -> Words:
    """Against whom the figures are."""
    keys = facts.listed(facts.after.provenance.keys)
    return Words(
        (
            f"An intruder is taken to know {keys} of a person. Records with equal values of these "
            "form a class, and a record is recognised with a chance of one in the size of its "
            "class.",
        )
    )


def _figures(facts: Facts) -> KeyFigures:
    after, k, people = facts.after, facts.after.k, facts.after.people_k
    hidden = facts.public and min(k, people or k) < facts.threshold
    figures: list[tuple[str, Any]] = [
        ("smallest class (k)", f"under {facts.threshold}" if hidden else k)
    ]
    if not hidden and people is not None:  # a person may be likelier than one record
        figures.append(("fewest people in a class", people))
    elif not hidden:
        risk = f"1 in {k:,}" if k > 1 else "certain"
        figures.append(("highest risk of recognition", risk))
    if not facts.public:
        figures.append(("records alone in their class", after.uniques))
        figures.append(("unique in both files (DR_min)", facts.disclosure.minimal))
    maximal = facts.disclosure.maximal
    figures.append(("linked by guessing (DR_max)", upwards(maximal) if facts.public else maximal))
    return KeyFigures(tuple(figures))


def _in_population(facts: Facts) -> list[Block]:
    """What the released records say of the population, where weights say how large it is."""
    if facts.masked.weight is None:
        return []
    try:
        found = ds.population_range(facts.masked)
    except ds.DiscreetError as error:
        said = facts.said(error.problems[0].text)
        return [] if facts.public else [Words((f"In the population: not measured. {said}",))]
    if facts.public:
        return [Words((found.sentences()[0], found.assumption))] if found.models else []
    return [Words(tuple(facts.said(line) for line in found.sentences()))]


def _together(facts: Facts) -> list[Block]:
    """What the composition of a household, and all records of a person, give away; for internal
    use."""
    blocks: list[Block] = []
    for by, found in facts.together.items() if not facts.public else ():
        if isinstance(found, str):
            blocks.append(Words((_not_measured(facts, by, found),)))
        else:
            lines = (*facts.explained(found), _against(facts, by))
            blocks.append(Words(lines, "bad" if found.uniques else ""))
    return blocks


def _not_measured(facts: Facts, by: str, why: str) -> str:
    return f"By {by}: not measured. {facts.said(why)}"


def _against(facts: Facts, by: str) -> str:
    """Against whom a composition holds: who puts together what belongs together."""
    column = getattr(facts.masked, by)
    name, whose = facts.names[column], _WHOSE[by]
    if facts.on is None and column not in facts.released:
        return (
            f"{name} is held back: this holds against someone who can put the records of a "
            f"{whose} together by other values that only they share."
        )
    return f"{name} is released: it puts the records of a {whose} together."


def _public(facts: Facts) -> list[Block]:
    said = Words(
        (
            f"By guessing within classes, at most {upwards(facts.disclosure.maximal):.1%} of the "
            "records of the initial file are recognised (DR_max).",
            *_values_per_class(facts),
        )
    )
    return [said, class_size_figure({"released": _safe_bins(facts)})]


def _values_per_class(facts: Facts) -> list[str]:
    return [
        f"Every class has at least {counted(p, 'value')} of {facts.names[name]}."
        for name, p in facts.after.p.items()
        if p > 1
    ]


def _safe_bins(facts: Facts) -> list[tuple[str, int]]:
    """Released records by class size, all sizes under the threshold in one."""
    t = facts.threshold
    lows = [1, t, 2 * t, 5 * t, 10 * t, 20 * t, 50 * t, 100 * t]
    rows = []
    for low, high in zip(lows, [*lows[1:], None], strict=True):
        n = sum(n for i, _, n in facts.after.class_sizes if i >= low and (not high or i < high))
        label = f"under {t:,}" if low == 1 else f"{low:,}+" if not high else f"{low:,}–{high - 1:,}"
        rows.append((label, n))
    while len(rows) > 1 and not rows[-1][1]:
        rows.pop()
    return rows


def _internal(facts: Facts) -> list[Block]:
    before, after = facts.before, facts.after
    blocks: list[Block] = [
        SideBySide((_measures(facts), Words(facts.explained(facts.disclosure)))),
        class_size_figure(
            {"before": before.class_sizes.binned(), "after": after.class_sizes.binned()}
        ),
    ]
    if facts.given.record_risk is not None:
        blocks += _record_risk(facts.given.record_risk, facts)
    return blocks


def _measures(facts: Facts) -> Table:
    before, after = facts.before, facts.after
    people: list[tuple[Any, ...]] = []
    if after.people_k is not None:
        people = [("fewest people in a class", before.people_k, after.people_k)]
    rows: list[tuple[Any, ...]] = [
        ("records", before.n, after.n),
        ("classes", before.classes, after.classes),
        ("smallest class, k", before.k, after.k),
        *people,
        ("records alone in their class", before.uniques, after.uniques),
        ("share alone", Share(before.uniques, before.n), Share(after.uniques, after.n)),
        ("mean risk of recognition", before.mean_risk, after.mean_risk),
        ("share with a risk above 20 %", *(f"{r.share_above(0.2):.1%}" for r in (before, after))),
    ]
    rows += [
        (f"fewest values of {facts.names[name]} in a class, p", before.p.get(name), p)
        for name, p in after.p.items()
    ]
    return Table("Risk before and after", ("measure", "before", "after"), tuple(rows))


def _record_risk(found: Any, facts: Facts) -> list[Block]:
    """The histogram of the risks of the records, and what they mean."""
    said = Words(facts.explained(found))
    histogram = found.histogram()
    if not histogram.counts:
        return [said]
    bins = list(zip(histogram.edges[:-1], histogram.edges[1:], histogram.counts, strict=True))
    rows = [(f"{rounded(low, 2)} to {rounded(high, 2)}", records) for low, high, records in bins]
    rows = [("0", histogram.zeros), *rows] if histogram.zeros else rows
    low, high, most = max(bins, key=lambda row: row[2])
    chart = figure(
        histogram.chart(),
        title="Records by their risk",
        alt=(
            f"Histogram of the risk of each record on a log axis: most of those at risk, "
            f"{most:,}, have one from {rounded(low, 2)} to {rounded(high, 2)}."
        ),
        table=cut(Table("Records by their risk, numbers", ("risk", "records"), tuple(rows))),
    )
    return [said, chart]


def reading_blocks(facts: Facts) -> list[Block]:
    """The counts, where cells of the keys were blanked or changed one by one."""
    found = facts.readings
    if found is None:
        return []
    return _public_counts(found, facts) if facts.public else _internal_counts(found, facts)


def _counts(found: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = found.table("arrow").to_pylist()
    return [row for row in rows if row["minimum"] is not None]


def _internal_counts(found: Any, facts: Facts) -> list[Block]:
    rows = [{k: v for k, v in row.items() if k != "counted"} for row in _counts(found)]
    table = Table(
        "Among how many a record hides: four counts",
        ("count", *list(rows[0])[1:]),
        tuple(tuple(row.values()) for row in rows),
        note="The smallest count of any record, and how many records have one below a number.",
    )
    said = Words(tuple(facts.said(line) for line in found.sentences()))
    warnings = tuple(facts.said(line) for line in found.warnings())
    return [SideBySide((table, said)), *([Words(warnings, "bad")] if warnings else [])]


def _public_counts(found: Any, facts: Facts) -> list[Block]:
    """The minima alone, and none below the threshold."""
    least = facts.threshold
    rows = [(row["reading"], row["counted"], row["minimum"]) for row in _counts(found)]
    safe = [(*said, f"under {least}" if number < least else number) for *said, number in rows]
    return [Table("Among how many a record hides", ("count", "of", "minimum"), tuple(safe))]
