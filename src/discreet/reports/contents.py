"""What was released: records before and after, columns with role and type, and the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from discreet.registry import maskings
from discreet.reports.blocks import (
    Block,
    KeyFigures,
    Section,
    Share,
    Table,
    Words,
    rounded,
)
from discreet.reports.facts import Facts
from discreet.words import counted


def section(facts: Facts) -> Section:
    """The first section of the report."""
    figures = KeyFigures(
        (
            ("records before", facts.initial.n),
            ("records released", facts.masked.n),
            ("share released", Share(facts.masked.n, facts.initial.n)),
            ("columns released", len(facts.released)),
        )
    )
    blocks: tuple[Block, ...] = (
        figures,
        _in_words(facts),
        *_warnings(facts),
        _columns(facts),
        *_steps(facts),
        *_unchanged(facts),
    )
    return Section("released", "What was released", blocks)


def _in_words(facts: Facts) -> Words:
    done = ", then ".join(maskings[s.method].done for s in facts.steps)
    lines = [
        f"{facts.masked.n:,} of {counted(facts.initial.n, 'record')} are released"
        + (f": {done}." if done else "; the file was masked elsewhere.")
    ]
    lines += [
        f"{counted(number, 'record')} that {'was' if number == 1 else 'were'} not above the limit "
        "had to be changed, too: their risk rose when others were changed, or they were needed "
        "to form groups."
        for step in facts.steps
        if (number := step.parameters.get("drawn_in", 0)) and not facts.public
    ]
    lines += [said for s in facts.steps for said in maskings[s.method].cautions(s.parameters)]
    lines += _about_weights(facts)
    held = [c for c in facts.initial.columns if c not in facts.released]
    if held and facts.public:
        lines.append(f"{counted(len(held), 'column')} of the initial file {_is(held)} held back.")
    elif held:
        lines.append(f"Held back: {facts.listed(held)}.")
    if facts.on and not facts.public:
        lines.append(
            f"The records of the two files were linked by {facts.names[facts.on]}. This column "
            "must not be released."
        )
    return Words(tuple(lines))


def _about_weights(facts: Facts) -> list[str]:
    """What was done with the weights, step by step, and that the measures do without them."""
    if facts.initial.weight is None:
        return []
    column = facts.names[facts.initial.weight]
    lines = []
    for step in facts.steps:
        by = (step.parameters.get("weight") or {}).get("multiplied_by")
        if isinstance(by, list):
            low, high = (rounded(factor) for factor in by)
            lines.append(
                f"The weights in {column} were multiplied in each stratum by its records before "
                f"over those drawn: by {low} to {high}."
            )
        elif by is not None:
            lines.append(
                f"The weights in {column} were multiplied by {rounded(by)}, the records before "
                "over those drawn."
            )
    return [*lines, f"Risk and loss do not use the weights in {column}: every record counts once."]


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _warnings(facts: Facts) -> list[Words]:
    return [
        Words((f"Warning: {warning}",), "bad") for warning in facts.warnings if not facts.public
    ]


def _unchanged(facts: Facts) -> list[Block]:
    """What is released unchanged; how many records are unique on it is for internal use."""
    found = facts.unchanged
    if facts.public or not found.columns:
        return []
    rows = [
        (facts.names[one.column], one.role, one.distinct, one.unique,
         None if one.unique is None else Share(one.unique, one.n),
         "yes" if one.flagged else "", _reason(one, facts))
        for one in found.columns
    ]  # fmt: skip
    reasons = any(row[-1] for row in rows)
    heads = ("column", "role", "distinct", "unique records", "share", "flagged", "reason")
    cells = tuple(row if reasons else row[:-1] for row in rows)
    words = [facts.said(one.explain()) for one in found.flagged]
    table = Table(
        "What is released unchanged",
        heads if reasons else heads[:-1],
        cells,
        " ".join([f"A column is {found.rule}.", *_in_cells(facts)]),
    )
    return [table, *([Words(tuple(words), "bad")] if words else [])]


def _in_cells(facts: Facts) -> list[str]:
    names = ", ".join(facts.names[name] for name in facts.unchanged.in_cells)
    return [f"Only some cells were changed of: {names}."] if names else []


def _reason(one: Any, facts: Facts) -> str:
    return " ".join(facts.given.reasons.get(one.column, "").split()) if one.flagged else ""


def _columns(facts: Facts) -> Table:
    if facts.public:
        values = dict.fromkeys(facts.released, "changed")
        values |= {one.column: "as they were" for one in facts.unchanged.columns}
        values |= dict.fromkeys(facts.unchanged.in_cells, "some cells changed")
        rows = [
            (
                facts.names[c],
                facts.masked.roles.of(c),
                str(facts.masked.types[c]),
                values[c],
            )
            for c in facts.released
        ]
        heads = ("column", "role", "type", "values")
        return _with_labels(Table("Columns released", heads, tuple(rows)), facts, facts.released)
    before, after = facts.initial.profile, facts.masked.profile
    gaps = any(missing for _, missing in (*before.values(), *after.values()))
    rows_inside = []
    for c in facts.initial.columns:
        out = c in facts.released
        kind = _type(facts.initial.types[c], facts.masked.types[c] if out else None)
        counts = [(before[c][i], after[c][i] if out else None) for i in range(1 + gaps)]
        cells = [number for pair in counts for number in pair]
        rows_inside.append((facts.names[c], _role(c, facts), kind, *cells))
    missing = ("missing before", "missing after") if gaps else ()
    table = Table(
        "Columns of the initial file",
        ("column", "role", "type", "distinct before", "distinct after", *missing),
        tuple(rows_inside),
        "" if gaps else "No value is missing.",
    )
    return _with_labels(table, facts, facts.initial.columns)


def _with_labels(table: Table, facts: Facts, columns: Sequence[str]) -> Table:
    """The table with the variables in words, where the file that was read has them."""
    book = facts.initial.origin.book
    labels = ["" if book is None else book.label(name) for name in columns]
    if not any(labels):
        return table
    rows = [(row[0], label, *row[1:]) for row, label in zip(table.rows, labels, strict=True)]
    return replace(table, columns=(table.columns[0], "label", *table.columns[1:]), rows=tuple(rows))


def _type(before: Any, after: Any) -> str:
    """The type of a column, and what a masking made of it."""
    changed = after is not None and after != before
    return f"{before}, now {after}" if changed else str(before)


def _role(column: str, facts: Facts) -> str:
    """The role of a column, and whether it is held back."""
    role = "links the files" if column == facts.on else facts.initial.roles.of(column)
    return role if column in facts.released else f"{role}, held back"


def _steps(facts: Facts) -> list[Table]:
    """One table of parameters for each step."""
    found = []
    for number, step in enumerate(facts.steps, 1):
        rows = [("records before", step.before), ("records after", step.after)]
        note = "The seed is withheld: it would tell which records were drawn."
        method = maskings[step.method]
        seed = method.seed
        withheld = facts.public and seed is not None and seed.name in step.parameters
        shown = method.published(step.parameters) if facts.public else step.parameters
        found.append(
            Table(
                f"Step {number}: {method.title}",
                ("parameter or result", "value"),
                (*_parameters(shown, facts), *((n, f"{v:,}") for n, v in rows)),
                note if withheld else "",
            )
        )
    return found


def _parameters(given: Mapping[str, Any], facts: Facts) -> list[tuple[str, str]]:
    return [
        (name, _value(value, facts))
        for name, value in given.items()
        if value not in (None, [], (), {})
    ]


def _value(value: Any, facts: Facts) -> str:
    if isinstance(value, Mapping):
        pairs = [
            f"{facts.names.get(k, k)} {_value(v, facts)}" for k, v in value.items() if v is not None
        ]
        nested = any(isinstance(v, Mapping) for v in value.values())
        return ("; " if nested else ", ").join(pairs)
    if isinstance(value, list | tuple):
        return ", ".join(facts.names.get(str(v), str(v)) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return rounded(value) if isinstance(value, float) else str(value)
