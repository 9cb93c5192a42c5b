"""The parity table of docs/engines.md: verbs by engines, made from the run of the suite."""

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
BEGIN, END = "<!-- parity: begin -->\n", "<!-- parity: end -->"
ENGINES = {
    "duckdb": "DuckDB",
    "polars": "Polars frame",
    "spark": "Spark",
    "postgres": "PostgreSQL",
}
_outcomes: dict[tuple[str, str], list[str]] = {}


def note(report) -> None:
    """Remember how a test of a verb on an engine ended."""
    of = dict(report.user_properties).get("parity")
    if of is None or (report.when != "call" and not report.skipped):
        return
    reason = getattr(report, "wasxfail", None)
    if report.outcome == "passed":
        said = "yes"
    elif reason:
        said = reason.removeprefix("reason: ")
    else:
        said = report.outcome
    _outcomes.setdefault(tuple(of), []).append(said)


def table(outcomes) -> str:
    """The table in Markdown: yes where all tests passed, else what does not work and why."""
    verbs = dict.fromkeys(verb for verb, _ in sorted(outcomes))
    lines = [
        f"| | {' | '.join(ENGINES.values())} |",
        f"|---|{'---|' * len(ENGINES)}",
    ]
    for verb in verbs:
        cells = [_cell(outcomes.get((verb, engine), [])) for engine in ENGINES]
        lines.append(f"| {verb} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(said: list[str]) -> str:
    gaps = sorted({s for s in said if s != "yes"})
    return "; ".join(gaps) if gaps else "yes" if said else "–"


def whole(outcomes) -> bool:
    """Whether a run tells of every engine, and nothing failed or was skipped in it."""
    said = {one for several in outcomes.values() for one in several}
    return {e for _, e in outcomes} == set(ENGINES) and not said & {"failed", "skipped"}


def write() -> None:
    """Put the table of this run into the page, if it was whole."""
    if not whole(_outcomes):
        return
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}{table(_outcomes)}{END}{tail}", encoding="utf-8")


def shown() -> str:
    """The table as the page shows it."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
