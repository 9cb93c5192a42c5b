"""The page of the docs, as Markdown: papers, parts, printed beside computed, findings, charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from papers.chapters import Rebuilt
from papers.figures import Figure, Finding, Part, Picture

IMAGES = "images/papers"
HEAD = """\
# The papers, rebuilt

Five papers define most of what discreet measures. Here the figures that they print are computed
again, with the public names of discreet only, and stand beside the printed ones. `make papers`
makes this page, its charts, and the same figures as a table in the terminal. It fails when a figure
lies further from the printed one than this page says.

Papers have slips. Those that showed when the figures were computed are described where they matter,
with what discreet does instead.
"""


def page(chapters: Sequence[Rebuilt]) -> str:
    """The whole page."""
    parts = [HEAD, overview(chapters), *(block for c in chapters for block in chapter_blocks(c))]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def overview(chapters: Sequence[Rebuilt]) -> str:
    """How many figures of each paper agree."""
    rows = [
        [
            c.chapter.number,
            f"[{c.chapter.title}](#{anchor(heading(c))})",
            str(len(c.figures)),
            str(sum(f.agrees for f in c.figures)),
            str(sum(len(part.findings) for part in c.parts)),
        ]
        for c in chapters
    ]
    return table(["Paper", "About", "Figures", "Agree", "Slips and findings"], rows)


def chapter_blocks(rebuilt: Rebuilt) -> Iterable[str]:
    """A paper, block by block."""
    chapter = rebuilt.chapter
    yield f"## {heading(rebuilt)}\n"
    yield f"{chapter.reference}.\n\n{chapter.text}\n"
    for part in rebuilt.parts:
        yield part_block(part)


def heading(rebuilt: Rebuilt) -> str:
    """The heading of a paper."""
    return f"{rebuilt.chapter.number} {rebuilt.chapter.title}".removeprefix("— ")


def anchor(words: str) -> str:
    """The address that a heading gets on the site."""
    kept = "".join(c for c in words.lower() if c.isalnum() or c in " -_")
    return "-".join(kept.split())


def part_block(part: Part) -> str:
    """A part: its text, figures, findings, results and charts."""
    blocks = [f"### {part.title}", part.text]
    if part.figures:
        blocks.append(grid(part.figures) if part.grid else listing(part.figures))
        blocks.append(agreement(part.figures, part.closeness))
    blocks += [finding_block(finding) for finding in part.findings]
    blocks += [part.table] * bool(part.table)
    blocks += [image(picture) for picture in part.pictures]
    return "\n\n".join(block.strip("\n") for block in blocks) + "\n"


def listing(figures: Sequence[Figure]) -> str:
    """One row per figure."""
    rows = [[f.place, f.what, f.printed, f.shown, verdict(f)] for f in figures]
    return table(["Where", "What", "Printed", "Computed", "Agrees"], rows)


def grid(figures: Sequence[Figure]) -> str:
    """The paper's own table, each cell as printed and as computed."""
    cells = {tuple(f.what.split(": ")): f for f in figures}
    rows = list(dict.fromkeys(row for row, _ in cells))
    columns = list(dict.fromkeys(column for _, column in cells))
    body = [[row, *(cell(cells.get((row, column))) for column in columns)] for row in rows]
    return table([f"{figures[0].place}: printed / computed", *columns], body)


def cell(figure: Figure | None) -> str:
    """One cell of a grid; what does not agree stands out."""
    if figure is None:
        return ""
    text = f"{figure.printed} / {figure.shown}"
    return text if figure.agrees or not figure.found else f"**{text}**"


def agreement(figures: Sequence[Figure], closeness: str = "") -> str:
    """In a sentence: how many agree, and how closely."""
    agree, n = sum(f.agrees for f in figures), len(figures)
    asked = closeness or ", or ".join(dict.fromkeys(f.tolerance.words for f in figures))
    if agree < n:
        return f"{agree} of {n} agree. Asked for: {asked}."
    count = {1: "It agrees", 2: "Both agree"}.get(n, f"All {n} agree")
    notes = "".join(f" {note}" for note in dict.fromkeys(f.note for f in figures if f.note))
    return f"{count}{':' if closeness else ''} {asked}.{notes}"


def verdict(figure: Figure) -> str:
    """Whether a figure agrees, in a word."""
    if not figure.found:
        return "data not found"
    return "yes" if figure.agrees else "**no**"


def finding_block(finding: Finding) -> str:
    """A finding, set apart."""
    return f"> **{finding.name}.** {finding.text}"


def image(picture: Picture) -> str:
    """A chart with its words."""
    return f"![{picture.alt}]({IMAGES}/{picture.name}.svg)"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
