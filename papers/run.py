"""Rebuild the five papers: a table in the terminal, a page of the docs, its charts.

    python -m papers.run            # all; writes docs/papers.md when the reference data are there
    python -m papers.run --quick    # the small tables only, nothing written

The exit code is 1 when a figure lies further from the printed one than its tolerance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from papers import beside, paper_000, paper_001, paper_002, paper_003, paper_004
from papers.chapters import Chapter, Rebuilt
from papers.figures import Figure
from papers.material import ROOT, Material, reference_folder
from papers.page import IMAGES, page, verdict

CHAPTERS: tuple[Chapter, ...] = tuple(
    module.CHAPTER for module in (paper_000, paper_001, paper_002, paper_003, paper_004, beside)
)
PAGE = ROOT / "docs" / "papers.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Rebuild, show, write; 0 when all figures agree."""
    chosen = _parser().parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 140)
    material = Material(reference_folder())
    rebuilt = rebuild(material, quick_only=chosen.quick)
    figures = [figure for chapter in rebuilt for figure in chapter.figures]
    console.print(terminal_table(figures))
    for name in material.missing:
        console.print(f"data not found: {name} (looked for in $DISCREET_DATA, ../shared/data)")
    if not chosen.quick and not material.missing:
        write(rebuilt)
        console.print(f"written: {PAGE.relative_to(ROOT)} and its charts")
    wrong = [figure for figure in figures if figure.found and not figure.agrees]
    agree = sum(figure.agrees for figure in figures)
    console.print(f"{agree} of {len(figures)} figures agree, {len(wrong)} do not.")
    return 1 if wrong else 0


def rebuild(material: Material, *, quick_only: bool = False) -> list[Rebuilt]:
    """All papers, one after the other."""
    return [
        Rebuilt(chapter, tuple(chapter.rebuilt(material, quick_only=quick_only)))
        for chapter in CHAPTERS
    ]


def terminal_table(figures: Sequence[Figure]) -> Table:
    """Every figure on a line of its own."""
    table = Table(title="Printed and computed")
    for name in ("paper", "where", "what", "printed", "computed", "agrees"):
        table.add_column(name, overflow="fold")
    for f in figures:
        said = verdict(f).replace("**", "")
        style = "" if f.agrees else "bold red" if f.found else "dim"
        table.add_row(f.paper, f.place, f.what, f.printed, f.shown, said, style=style)
    return table


def write(rebuilt: Sequence[Rebuilt]) -> None:
    """The page and its charts; charts that are no longer drawn go."""
    folder = PAGE.parent / IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    pictures = [p for chapter in rebuilt for part in chapter.parts for p in part.pictures]
    for stale in set(folder.glob("*.svg")) - {folder / f"{p.name}.svg" for p in pictures}:
        stale.unlink()
    for picture in pictures:
        picture.write(folder)
    PAGE.write_text(page(rebuilt), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="papers", description="Rebuild the five papers.")
    parser.add_argument("--quick", action="store_true", help="the small tables only")
    return parser


if __name__ == "__main__":
    sys.exit(main())
