"""Measuring risk: the library's figures as blocks of a page, with charts drawn already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import discreet as ds
from discreet.app.jobs import typed_copy
from discreet.app.jobs.task import JobTask
from discreet.measures import Measure, Taken
from discreet.registry import measures
from discreet.reports.blocks import Block, Figure, KeyFigures, Share, Table, Words, rounded
from discreet.reports.fragments import class_size_figure, figure
from discreet.reports.names import distinct, renamed
from discreet.surface import said
from discreet.words import counted

HIGH = 0.01  # a record risk that the paper calls high
MOST_SETS = 300  # of keys that are counted for the table of combinations
_NEXT = "Next: "
_EACH = 3  # combinations of each size that are shown


@dataclass(frozen=True)
class Shown:
    """Blocks for a page, and the same figures as plain values."""

    blocks: tuple[Block, ...]
    figures: dict[str, Any]
    advice: str = ""  # what to do next


def risk(task: JobTask) -> Shown:
    """Risk by classes: figures, words, what is asked, class sizes, combinations, values."""
    data, asked = typed_copy.opened(task), task.settings.get("risk", {})
    found = ds.risk(data)
    names = distinct(data.columns)
    said, advice = _told(found, names)
    blocks: list[Block] = [
        _key_figures(found),
        Words(said, _tone(found)),
        *_demanded(data, task.plan.criterion, names),
        *_sampled(data, asked.get("share")),
        *_in_population(data, names),
        *_together(data, names),
        class_size_figure({"now": found.class_sizes.binned()}),
        *_combinations(data, names),
    ]
    if found.p:
        blocks.append(_values_per_class(found, names))
    return Shown(tuple(blocks), found.to_dict(), advice)


def _told(found: Any, names: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    """What a result says, and what it says to do next, which stands beside a button."""
    lines = renamed(found.explain(), names).splitlines()
    advice = [line.removeprefix(_NEXT) for line in lines if line.startswith(_NEXT)]
    return tuple(line for line in lines if not line.startswith(_NEXT)), " ".join(advice)


def _key_figures(found: Any) -> KeyFigures:
    highest: tuple[str, Any] = (
        "highest risk of recognition",
        "certain" if found.k == 1 else f"1 in {found.k:,}",
    )
    if found.people_k is not None:  # a person may be likelier than one record
        highest = ("fewest people in a class", found.people_k)
    return KeyFigures(
        (
            ("smallest class (k)", found.k),
            ("records alone in their class", found.uniques),
            ("share alone", Share(found.uniques, found.n)),
            highest,
            ("mean risk of recognition", f"{found.mean_risk:.1%}"),
        )
    )


def _tone(found: Any) -> str:
    return "bad" if found.uniques or found.people_k == 1 else ""


def _values_per_class(found: Any, names: dict[str, str]) -> Table:
    rows = tuple(
        (names[name], p, "disclosed by its class" if p == 1 else f"at least {p:,} possible values")
        for name, p in found.p.items()
    )
    columns = ("confidential attribute", "p", "what an intruder learns at worst")
    return Table("Fewest values of a confidential attribute in a class", columns, rows)


def _demanded(data: Any, criteria: Sequence[Any], names: Mapping[str, str]) -> list[Block]:
    """Whether the criteria hold for the table as it is, in words; nothing where none is asked."""
    blocks: list[Block] = []
    if alone := [one for one in criteria if not one.compares_files]:
        found = ds.check(data, alone)
        said = renamed(found.explain(), names)
        blocks.append(Words(tuple(said.splitlines()), "good" if found.satisfied else "bad"))
    if later := [one.describe() for one in criteria if one.compares_files]:
        compared = (
            "compares the masked table with this one: run a masking on the page Protect to see it."
        )
        blocks.append(Words((f"{' and '.join(later)} {compared}",)))
    return blocks


def _sampled(data: Any, share: float | None) -> list[Block]:
    """What is expected of a random sample; nothing where all records are released."""
    if share is None:
        return []
    whole, drawn = (ds.sampling_risk(data).at(part) for part in (1.0, share))
    return [
        Words(
            (
                f"As a random sample of {100 * share:.4g}% ({counted(drawn.t, 'record')}): "
                f"at most {drawn.maximal:.2%} of the records of this table are expected to be "
                f"recognised by guessing within classes, give or take {2 * drawn.maximal_sd:.2%} "
                f"(DR_max, two standard deviations); {whole.maximal:.2%} with all records.",
                "This holds for an intruder who does not know who was drawn.",
            )
        )
    ]


def _in_population(data: Any, names: Mapping[str, str]) -> list[Block]:
    """What the table says of the population, where weights say how large it is."""
    if data.weight is None:
        return []
    try:
        lines = ds.population_range(data).sentences()
    except ds.DiscreetError as error:
        lines = [f"In the population: not measured. {error.problems[0].said()}"]
    return [Words(tuple(renamed(line, names) for line in lines))]


def _together(data: Any, names: Mapping[str, str]) -> list[Block]:
    """What the composition of a household gives away, where it is known who lives together, and
    what all records of a person do, where one may have several."""
    blocks: list[Block] = []
    for by in ("household", "subject"):
        if getattr(data, by) is None:
            continue
        try:
            found = ds.risk(data, by=by)
        except ds.DiscreetError as error:
            said = renamed(error.problems[0].said(), names)
            blocks.append(Words((f"By {by}: not measured. {said}",)))
        else:
            blocks.append(Words(_told(found, names)[0], _tone(found)))
    return blocks


def _combinations(data: Any, names: Mapping[str, str]) -> list[Block]:
    """The sets of up to three keys by which most records are alone; names of columns, no values."""
    if data.missing == "wildcard" and any(data.profile[key][1] for key in data.keys):
        return []  # a record that matches several others has no class
    found = ds.key_candidates(data, list(data.keys), up_to=_up_to(len(data.keys)))
    rows: list[tuple[Any, ...]] = []
    for size in range(1, found.up_to + 1):
        sets = sorted((c for c in found if len(c.attributes) == size), key=lambda c: -c.uniques)
        rows += [
            (", ".join(names[name] for name in c.attributes), c.uniques, Share(c.uniques, found.n))
            for c in sets[:_EACH]
        ]
    columns = ("who knows", "recognises so many records", "share of the records")
    return [Table("The riskiest combinations of keys", columns, tuple(rows))]


def _up_to(keys: int) -> int:
    """The largest size of a set, up to three, that is not too much to count."""
    sizes = {1: keys, 2: keys * (keys + 1) // 2, 3: keys * (keys * keys + 5) // 6}
    return max(
        size for size in (1, 2, 3) if size <= keys and (size == 1 or sizes[size] <= MOST_SETS)
    )


def record_risk(task: JobTask) -> Shown:
    """The risk of every record: figures, words, histogram, and what drives it."""
    data = typed_copy.opened(task)
    asked = dict(task.settings["record_risk"])
    tables = {name: _ranges(table) for name, table in asked.pop("value_sensitivity", {}).items()}
    found = ds.record_risk(data, **asked, value_sensitivity=tables)
    names = distinct(data.columns)
    blocks: tuple[Block, ...] = (
        KeyFigures(
            (
                (f"records above {HIGH:g}", found.above(HIGH).count),
                ("share of the records", Share(found.above(HIGH).count, found.n)),
                ("highest risk", found.highest),
                ("mean risk", found.mean),
            )
        ),
        Words(_told(found, names)[0]),
        _histogram(found),
        _drivers(found, names),
    )
    return Shown(blocks, found.to_dict())


def further(task: JobTask) -> Shown:
    """The measures of the plan that look at one table: their figures and what they say."""
    data = typed_copy.opened(task)
    names = distinct(data.columns)
    blocks: list[Block] = []
    figures: dict[str, Any] = {}
    for name, given in task.plan.measures.items():
        measure = measures[name]
        if measure.of == "file":
            taken = measure.taken(None, data, given)
            blocks += _further(measure, taken, names)
            figures[name] = taken.to_dict()
    return Shown(tuple(blocks), figures)


def _further(measure: Measure, taken: Taken, names: Mapping[str, str]) -> list[Block]:
    """A measure as blocks: its figures in a table, and its words."""
    rows = [
        (measure.figures[name].title, value)
        for name, value in taken.figures.items()
        if value is not None
    ]
    absent = dict.fromkeys(renamed(said(reason), names) for reason in taken.reasons.values())
    lines = _told(taken.result, names)[0] if taken.result is not None else ()
    table = [Table(measure.title, ("figure", "now"), tuple(rows))] if rows else []
    return [*table, Words((*lines, *absent))]


def _ranges(table: Any) -> Any:
    """Ranges as ``record_risk`` takes them."""
    if isinstance(table, dict):
        return table
    return [(row.get("above"), row.get("up_to"), row["weight"]) for row in table]


def _histogram(found: Any) -> Figure:
    given = found.histogram()
    bins = list(zip(given.edges, given.edges[1:], given.counts, strict=False))
    rows: list[tuple[Any, ...]] = [("0", given.zeros)] if given.zeros else []
    rows += [
        (f"above {rounded(low, 2)}, up to {rounded(high, 2)}", count) for low, high, count in bins
    ]
    label, most = max(rows, key=lambda row: row[1])
    return figure(
        given.chart().properties(width=320, height=200).properties(title=""),
        title="Records by their risk",
        alt=f"Histogram of the risk of each record: most records, {most:,}, have a risk {label}.",
        table=Table("Records by their risk, numbers", ("risk", "records"), tuple(rows)),
    )


def _drivers(found: Any, names: dict[str, str]) -> Table:
    rows = tuple(
        (names[row["attribute"]], *(f"{row[part]:.0%}" for part in ("as_known", "as_sensitive")))
        for row in found.by_attribute("arrow").to_pylist()
    )
    columns = ("attribute", "of the risk when it is known", "of the risk by what it tells")
    return Table("What drives the risk", columns, rows)
