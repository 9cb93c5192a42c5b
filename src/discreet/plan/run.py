"""Running a plan: mask, check, measure, and write all outputs together."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.errors import Problem, fail, raise_all
from discreet.files import place_problems
from discreet.files.rooms import tidy, together
from discreet.frames import FrameKind, from_arrow
from discreet.plan import criteria, entries, measures
from discreet.plan.document import AUDIENCES, FILES, report_options, writing_options
from discreet.plan.entries import figures
from discreet.plan.ledger import FORMAT, Ledger
from discreet.plan.lines import At
from discreet.results import Result
from discreet.surface import python, said

if TYPE_CHECKING:
    from discreet.measures import Measured
    from discreet.plan.plan import Plan


@dataclass
class _Run:
    """A run under way: what has been found so far."""

    plan: Plan
    found: Any = None
    earlier: dict[str, Any] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    not_measured: dict[str, str] = field(default_factory=dict)

    def measured(self, measure: Callable[..., Any], *files: Any) -> Any:
        """A figure; where the data or the roles do not allow it, the reason is recorded."""
        found, why = entries.measured(measure, *files)
        self.not_measured |= {measure.__name__: why} if why else {}
        return found


def run(plan: Plan, *, overwrite: bool, ledger: Ledger | None) -> Release:
    """Carry out a plan; what stands in the way is said before the work."""
    for folder in {place.parent for place in plan.outputs.values()}:
        tidy(folder)
    started, clock, before = dt.datetime.now(dt.UTC), time.monotonic(), _states(plan)
    data = plan.rehearse(overwrite=overwrite)
    plan = plan.with_seeds(ledger)
    inputs = entries.inputs(plan)
    under_way = _Run(plan, earlier=measures.before(plan, data))
    masked = _masked(under_way, data)
    document = _document(under_way, data, masked, inputs)
    document |= {"started": started.isoformat(timespec="seconds")}
    release = _measured(under_way, data, masked, document)
    raise_all(_reason_problems(release))
    if release.satisfied:
        if _states(plan) != before:  # it would be written from two states of a file
            fail("S22", "an input was changed during the run.", "Run it again.")
        release = _written(release, under_way, data, clock, overwrite=overwrite)
    return release


def ready_problems(plan: Plan, *, overwrite: bool) -> list[Problem]:
    """What would stop a run before it begins: no step, outputs that exist or are inputs."""
    problems = []
    if not plan.section("steps"):
        what, remedy = "has no step: nothing would be masked.", "Add [[steps]]."
        problems.append(plan.where.problem((), "P32", what, remedy))
    read = plan.inputs
    for name, place in plan.outputs.items():
        found = place_problems(place, overwrite=overwrite, suffixes=FILES[name], inputs=read)
        problems += plan.where.all(("outputs", name), found)
    return [*problems, *_absent_files(plan), *_report_problems(plan)]


def _absent_files(plan: Plan) -> list[Problem]:
    """Files that criteria and measures need beside the source, and that are not there."""
    parts = [plan.document, *plan.section("steps")]
    named: list[tuple[At, Any, str]] = [
        (("criterion",), *found) for p in parts for found in criteria.files_in(p.get("criterion"))
    ]
    for measure, given in plan.section("measures").items():
        own = measures.files_in({measure: given})
        named += [(("measures", measure, name), table, name) for table, name in own]
    return [
        plan.where.problem(at, "S01", f"{Path(file).name} does not exist.", "Check the path.")
        for at, file in ((at, table[name]) for at, table, name in named)
        if not plan.file(file).exists()
    ]


def _report_problems(plan: Plan) -> list[Problem]:
    """Reports draw charts, which need packages of their own."""
    absent = [name for name in ("altair", "vl_convert", "jinja2") if find_spec(name) is None]
    return [
        plan.where.problem(
            ("outputs", name),
            "M01",
            f"a report needs {', '.join(absent)}.",
            "Run: pip install 'discreet[charts]'",
        )
        for name in ("report", "public_report")
        if name in plan.outputs and absent
    ]


def _masked(under_way: _Run, data: Any) -> Any:
    masked = data
    for number in range(len(under_way.plan.section("steps"))):
        clock = time.monotonic()
        done = under_way.plan.step(masked, number)
        masked, under_way.found = done.masked, done.found or under_way.found
        seconds = time.monotonic() - clock
        under_way.steps.append(entries.step_entry(masked.steps[-1], seconds))
    return masked


def _document(
    under_way: _Run, data: Any, masked: Any, inputs: list[dict[str, Any]]
) -> dict[str, Any]:
    plan = under_way.plan
    return {
        "ledger": FORMAT,
        "discreet": ds.__version__,
        "engine": data.source.engine,
        "versions": entries.versions(data.source.engine, plan),
        **({"packages": packages} if (packages := entries.packages(plan)) else {}),
        "plan": entries.without_values(plan.document),
        "inputs": inputs,
        "outputs": [],
        "steps": under_way.steps,
        "records": {"before": data.n, "after": masked.n},
    }


def _measured(under_way: _Run, data: Any, masked: Any, document: dict[str, Any]) -> Release:
    plan, measured = under_way.plan, under_way.measured
    check = ds.check(masked, plan.criterion) if plan.criterion else None
    found = {
        "risk": measured(ds.risk, masked),
        "disclosure_risk": measured(ds.disclosure_risk, data, masked),
        "information_loss": measured(ds.information_loss, data, masked),
    }
    document |= {"check": entries.figures(check)}
    document |= {name: entries.figures(result) for name, result in found.items()}
    reasons = {name: said(why, python) for name, why in under_way.not_measured.items()}
    document |= {"not_measured": reasons}
    unchanged = ds.unchanged(masked, identifiers=plan.section("outputs").get("identifiers", ()))
    document |= {"unchanged": entries.figures(unchanged)}
    asked = measures.measured(plan, data, masked, under_way.earlier)
    if asked:
        document |= {"measures": {name: entries.figures(one) for name, one in asked.items()}}
    ledger = Ledger(document, plan.outputs["ledger"].parent)
    return Release(
        plan,
        masked,
        check,
        **found,
        unchanged=unchanged,
        ledger=ledger,
        files=(),
        measures=asked,
        not_measured=under_way.not_measured,
    )


def _reason_problems(release: Release) -> list[Problem]:
    """A public release in which many records are unique on a column needs a reason in writing."""
    plan = release.plan
    if not plan.is_public or not release.satisfied:
        return []
    remedy = (
        'write why it may be released: unique_columns = { column = "reason" } in [outputs], or '
        "--unique-column 'column=reason'."
    )
    reasons = plan.section("outputs").get("unique_columns", {})
    return plan.where.all(("outputs",), release.unchanged.problems(reasons, remedy))


def _states(plan: Plan) -> list[tuple[int, int, int]]:
    """Size, time and number of each file that is read."""
    states = [file.stat() for file in plan.inputs if file.exists()]
    return [(state.st_size, state.st_mtime_ns, state.st_ino) for state in states]


def _written(
    release: Release, under_way: _Run, data: Any, clock: float, *, overwrite: bool
) -> Release:
    plan, targets = release.plan, release.plan.outputs
    like = plan.source if plan.source is not None and plan.source.exists() else None
    with together(list(targets.values()), like, overwrite=overwrite) as places:
        made = {name: places[target] for name, target in targets.items()}
        release.masked.write(made["masked"], **writing_options(plan.section("outputs")))
        _write_reports(release, under_way, data, made)
        ledger = _completed(release, made, targets, clock)
        if "public" in made:
            made["public"].write_text(ledger.public().to_json(), encoding="utf-8")
            ledger = _completed(release, made, targets, clock)
        made["ledger"].write_text(ledger.to_json(), encoding="utf-8")
    return replace(release, ledger=ledger, files=tuple(targets.values()))


def _write_reports(release: Release, under_way: _Run, data: Any, made: Mapping[str, Path]) -> None:
    for name in AUDIENCES:
        if name in made:
            ds.report(
                data,
                release.masked,
                made[name],
                criterion=release.plan.criterion or None,
                found=under_way.found,
                measures=release.measures,
                **report_options(release.plan.section("outputs"), name),
            )


def _completed(
    release: Release, made: Mapping[str, Path], targets: Mapping[str, Path], clock: float
) -> Ledger:
    """The ledger with the outputs that lie ready; it does not list itself."""
    document, folder = dict(release.ledger.document), release.ledger.folder
    ready = [name for name in made if name != "ledger" and made[name].exists()]
    document["outputs"] = [
        entries.entry(name, made[name], name=entries.relative(targets[name], folder))
        for name in ready
    ]
    outputs = release.plan.section("outputs")
    document["outputs"][0] |= {
        "columns": list(_columns(release)),
        "formulas_escaped": bool(outputs.get("escape_formulas", False)),
        **_dropped(release, outputs.get("metadata", ())),
    }
    document["plan_file"] = _plan_file(release.plan, folder)
    document["seconds"] = round(time.monotonic() - clock, 3)
    return Ledger(document, folder)


def _dropped(release: Release, asked: Sequence[str]) -> dict[str, list[str]]:
    """What the file that was read said of itself and was left out, by name."""
    book = release.masked.initial.origin.book if hasattr(release.masked, "initial") else None
    left = [] if book is None else [one for one in book.about if one not in asked]
    return {"dropped_metadata": left} if left else {}


def _columns(release: Release) -> list[str]:
    asked = release.plan.section("outputs").get("identifiers", [])
    masked = release.masked
    return [c for c in masked.columns if c in masked.released or c in asked]


def _plan_file(plan: Plan, folder: Path) -> dict[str, Any] | None:
    """The plan by its way from the ledger and its digest; None for one made in Python."""
    file = plan.folder / plan.where.file
    if not plan.where.file or not file.is_file():
        return None
    return entries.entry("plan", file, name=entries.relative(file, folder))


# -- What a run of a plan gives: the masked file, whether it is safe, its cost, what was written ---


@dataclass(frozen=True, eq=False, repr=False)
class Release(Result):
    r"""The outcome of a run.

    Attributes
    ----------
    plan : Plan
        With the seeds that were used.
    masked : Masked
    check : Check or None
        Of the plan's criterion; None where it has none.
    risk, disclosure_risk, information_loss : results or None
        None where the data or roles do not allow it; ``ledger`` says why.
    unchanged : Unchanged
        What is released unchanged, and on which of it many records are unique.
    ledger : Ledger
    files : tuple of Path
        What was written; nothing where the criterion does not hold.
    measures : mapping of name to Measured
        What the measures of the plan found: ``.before`` and ``.after`` with their ``.figures``,
        ``.result`` as the function returns it.
    not_measured : mapping of name to str
        Why a figure is None, to be worded by the surface that shows it.

    Examples
    --------
    >>> import discreet as ds, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "survey.csv").write_text("age,sex\n23,F\n37,M\n38,M\n41,F\n")
    >>> steps = [{"do": "sample", "n": 3, "seed": 1}]
    >>> plan = ds.Plan.of({"source": {"file": "survey.csv"}, "steps": steps}, folder)
    >>> release = plan.run()
    >>> release.satisfied, release.masked.n, [file.name for file in release.files]
    (True, 3, ['masked.csv', 'masked.ledger.json'])
    """

    plan: Plan
    masked: Any
    check: Any
    risk: Any
    disclosure_risk: Any
    information_loss: Any
    unchanged: Any
    ledger: Ledger
    files: tuple[Path, ...]
    measures: Mapping[str, Measured] = field(default_factory=dict)
    not_measured: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def satisfied(self) -> bool:
        """Whether the criterion holds, where there is one."""
        return self.check is None or bool(self.check.satisfied)

    def explain(self) -> str:
        """What was released, whether it is safe, and what it cost."""
        lines = [self.ledger.explain()] if self.satisfied else []
        lines += [self.check.explain()] if self.check is not None else []
        lines += [one.in_short() for one in (self.disclosure_risk, self.information_loss) if one]
        lines += [one.explain() for one in self.measures.values()]
        lines.append(self.unchanged.explain())
        if self.files:
            lines.append(f"Written: {', '.join(file.name for file in self.files)}.")
        else:
            lines.append("Nothing was written: the criterion does not hold.")
        return "\n".join(lines)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per file that was written."""
        import pyarrow as pa

        names = ("role", "file", "bytes", "sha256")
        rows = [{n: one[n] for n in names} for one in self.ledger.document["outputs"]]
        return from_arrow(pa.Table.from_pylist(rows), kind or self.masked.source.kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        measures = {name: figures(one) for name, one in self.measures.items()}
        return {
            "satisfied": self.satisfied,
            "written": [file.name for file in self.files],
            "records": self.ledger.document["records"],
            "check": figures(self.check),
            "risk": figures(self.risk),
            "disclosure_risk": figures(self.disclosure_risk),
            "information_loss": figures(self.information_loss),
            "unchanged": figures(self.unchanged),
            **({"measures": measures} if measures else {}),
        }
