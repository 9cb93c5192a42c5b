"""Measuring risk: the library's figures as blocks of a page, with charts drawn already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import discreet as ds
from discreet.app.jobs import demands, typed_copy
from discreet.app.jobs.task import Task
from discreet.reports.blocks import Block, Figure, KeyFigures, Share, Table, Words, rounded
from discreet.reports.fragments import class_size_figure, figure
from discreet.reports.names import distinct, renamed

HIGH = 0.01  # a record risk that the paper calls high


@dataclass(frozen=True)
class Shown:
    """Blocks for a page, and the same figures as plain values."""

    blocks: tuple[Block, ...]
    figures: dict[str, Any]


def risk(task: Task) -> Shown:
    """Risk by classes: figures, words, what is asked, class sizes, combinations, values."""
    data, asked = typed_copy.opened(task), task.settings.get("risk", {})
    found = ds.risk(data)
    names = distinct(data.columns)
    blocks: list[Block] = [
        _key_figures(found),
        Words(tuple(renamed(found.explain(), names).splitlines()), _tone(found)),
        *demands.criterion(data, asked.get("criterion"), task.folder, names),
        *demands.sample(data, asked.get("share")),
        class_size_figure({"now": found.class_sizes.binned()}),
        *demands.combinations(data, names),
    ]
    if found.p:
        blocks.append(_values_per_class(found, names))
    return Shown(tuple(blocks), found.to_dict())


def _key_figures(found: Any) -> KeyFigures:
    return KeyFigures(
        (
            ("smallest class (k)", found.k),
            ("records alone in their class", found.uniques),
            ("share alone", Share(found.uniques, found.n)),
            ("highest risk of recognition", "certain" if found.k == 1 else f"1 in {found.k:,}"),
            ("mean risk", f"{found.mean_risk:.1%}"),
        )
    )


def _tone(found: Any) -> str:
    return "bad" if found.uniques else ""


def _values_per_class(found: Any, names: dict[str, str]) -> Table:
    rows = tuple(
        (names[name], p, "told by its class" if p == 1 else f"at least {p:,} possible values")
        for name, p in found.p.items()
    )
    columns = ("confidential attribute", "p", "what an intruder learns at worst")
    return Table("Fewest values of a confidential attribute in a class", columns, rows)


def record_risk(task: Task) -> Shown:
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
        Words(tuple(renamed(found.explain(), names).splitlines()[:-1])),
        _histogram(found),
        _drivers(found, names),
    )
    return Shown(blocks, found.to_dict())


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
