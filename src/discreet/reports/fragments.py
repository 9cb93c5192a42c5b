"""Fragments: blocks as pieces of HTML, for the report and for any other page.

    from discreet.reports import fragments

    fragments.html(fragments.class_size_figure({"before": risk.class_sizes.binned()}))

A fragment has no script, no style attribute and no id but those with its own prefix. All text in
it is escaped. It is Markup: a Jinja template puts it in as it is.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from discreet import font
from discreet.charts import before_after_chart, svg
from discreet.errors import fail
from discreet.reports.blocks import Block, Figure, Share, Table, shown
from discreet.reports.names import clean
from discreet.reports.pictures import picture, width_of

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"
_COLUMN = 560  # pixels: a wider picture stands above its table, and keeps its size


def html(block: Block) -> str:
    """A block as HTML."""
    template = environment().get_template("blocks.html")
    return template.module.block(block)  # type: ignore[attr-defined,unused-ignore]


def figure(
    chart: Any, *, title: str, alt: str, table: Table, note: str = "", drawn: str | None = None
) -> Figure:
    """A chart (or an SVG that is drawn already) with its alternative text and its table.

    The ids in it are unique to the figure: they begin with a digest of the picture.
    """
    text = svg(chart) if drawn is None else drawn
    prefix = "c" + hashlib.sha256(f"{title}\n{text}".encode("utf-8", "replace")).hexdigest()[:10]
    made = picture(text, prefix=prefix, alt=alt)
    wide = width_of(made) > _COLUMN
    return Figure(title, alt, made, table, note, fixed=drawn is not None or wide, wide=wide)


def before_after_figure(
    title: str,
    rows: Sequence[tuple[str, Mapping[str, int]]],
    totals: Mapping[str, int],
    *,
    by: str,
    note: str = "",
) -> Figure:
    """Records by category, before and after: rows of (category, records of each file)."""
    files = list(totals)
    chart = before_after_chart(
        [
            (label, file, counts[file] / totals[file] if totals[file] else 0.0)
            for label, counts in rows
            for file in files
        ],
        of="share of the records",
    )
    table = Table(
        f"{title}, numbers",
        (by, *(column for file in files for column in (f"records {file}", f"share {file}"))),
        tuple(
            (
                label,
                *(c for file in files for c in (counts[file], Share(counts[file], totals[file]))),
            )
            for label, counts in rows
        ),
    )
    alt = f"Bar chart of {title}: {_summary(rows, totals)}. The table beside it has the numbers."
    return figure(chart, title=title, alt=alt, table=table, note=note)


def class_size_figure(binned: Mapping[str, Sequence[tuple[str, int]]], note: str = "") -> Figure:
    """Records by size of their class, for each file: {"before": risk.class_sizes.binned(), …}."""
    longest = max(binned.values(), key=len)
    counts = {file: dict(rows) for file, rows in binned.items()}
    rows = [(label, {file: counts[file].get(label, 0) for file in binned}) for label, _ in longest]
    totals = {file: sum(found.values()) for file, found in counts.items()}
    return before_after_figure(
        "Records by size of their class", rows, totals, by="class size", note=note
    )


def _summary(rows: Sequence[tuple[str, Mapping[str, int]]], totals: Mapping[str, int]) -> str:
    """The largest category of each file, in words."""
    said = []
    for file, total in totals.items():
        label, counts = max(rows, key=lambda row: row[1][file])
        said.append(f"{file}, most records are in '{label}' ({shown(Share(counts[file], total))})")
    return "; ".join(said)


@functools.cache
def environment() -> Environment:
    """The templates, which escape all that is put into them."""
    if importlib.util.find_spec("jinja2") is None:
        fail("M01", "jinja2 is not installed.", "Run: pip install 'discreet[charts]'")
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "shown": lambda cell: clean(shown(cell)),
        "kind": lambda b: type(b).__name__,
        "unknown": _unknown,
    }
    return made


def _unknown(block: object) -> NoReturn:
    """A block that no template draws would else be left out unseen."""
    raise TypeError(f"no template for {type(block).__name__}")


def style(faces: str | None = None) -> str:
    """The style sheet of the fragments.

    Parameters
    ----------
    faces : str, optional
        Where the font of the charts is, as ``discreet.font.faces`` says it; by default it stands
        in the sheet.
    """
    sheet = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    given = font.faces(font.every()) if faces is None else faces
    return f"{sheet}svg text {{ font-family: {font.STACK}; {font.EXACT}; }}\n{given}"
