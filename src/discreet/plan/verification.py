"""Verification: whether a masked file is what its ledger says, and the criterion holds.

Digests show that not a bit was changed; the figures and the criterion are computed afresh from
the file. With the original at hand, the plan is run again and must give the same bytes.
"""

from __future__ import annotations

import itertools
import json
import math
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.errors import DiscreetError, ReadHint, did_you_mean, fail, listed
from discreet.formats import WRITTEN
from discreet.frames import FrameKind, from_arrow
from discreet.plan import criteria, entries, measures
from discreet.plan.document import FILES, writing_options
from discreet.plan.entries import digest, figures, versions, without
from discreet.registry import everything
from discreet.registry import measures as known_measures
from discreet.results import Result
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.plan.ledger import Ledger
    from discreet.plan.plan import Plan

_AGAIN = ", made again"  # from the original, by the plan
_BY_ORIGINAL = {
    "steps": "the steps",
    "disclosure_risk": "disclosure risk",
    "information_loss": "information loss",
    "unchanged": "what is unchanged",
}
_FRESH = ("computed_from",)
_OF_PEOPLE = ("people", "people_k")


@dataclass(frozen=True)
class Difference:
    """Something that is not as the ledger says."""

    what: str
    recorded: str
    found: str

    def __str__(self) -> str:
        return f"{self.what}: the ledger says {self.recorded}, but it is {self.found}"


@dataclass(frozen=True, repr=False)
class Verification(Result):
    r"""The outcome: what agrees, what differs, and what could not be compared, with the reason.

    Attributes
    ----------
    agreed : tuple of str
        What is as the ledger says.
    differences : tuple of Difference
        What is not, with what the ledger says and what was found.
    not_compared : tuple of str
        What needs more than was given, such as the original.

    Examples
    --------
    >>> import discreet as ds, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "survey.csv").write_text("age,sex\n23,F\n37,M\n38,M\n41,F\n")
    >>> steps = [{"do": "sample", "n": 3, "seed": 1}]
    >>> plan = ds.Plan.of({"source": {"file": "survey.csv"}, "steps": steps}, folder)
    >>> ledger = plan.run().ledger
    >>> found = ledger.verify(folder / "masked.csv", initial=folder / "survey.csv")
    >>> found.satisfied, found.differences
    (True, ())
    """

    agreed: tuple[str, ...]
    differences: tuple[Difference, ...]
    not_compared: tuple[str, ...]
    shown = ("satisfied", "differences", "agreed", "not_compared")

    @property
    def satisfied(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def __bool__(self) -> bool:
        return self.satisfied

    def explain(self) -> str:
        """The differences, then what agrees and what was not compared."""
        lines = []
        if self.differences:
            lines = [f"NOT as the ledger says: {counted(len(self.differences), 'difference')}."]
            lines += [f"  {one}." for one in self.differences]
            lines += ["Do not release or use this file until this is explained."]
        again = [one.removesuffix(_AGAIN) for one in self.agreed if one.endswith(_AGAIN)]
        as_it_is = [one for one in self.agreed if not one.endswith(_AGAIN)]
        lines += [f"As the ledger says: {', '.join(as_it_is)}."] if as_it_is else []
        lines += [f"The same when the plan is run again: {', '.join(again)}."] if again else []
        lines += [f"Not compared: {one}." for one in self.not_compared]
        return "\n".join(lines)

    def table(self, kind: FrameKind = "arrow") -> Any:
        """One row per difference."""
        import pyarrow as pa

        text = pa.string()
        schema = pa.schema([("what", text), ("recorded", text), ("found", text)])
        return from_arrow(pa.Table.from_pylist([vars(d) for d in self.differences], schema), kind)


@dataclass
class _Findings:
    """What has been compared so far."""

    agreed: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)

    def compare(self, what: str, recorded: Any, found: Any) -> None:
        """Compare a figure, or several by name."""
        different = list(_different(what, recorded, found))
        self.differences += different
        self.agreed += [] if different else [what]

    def compare_again(self, what: str, recorded: Any, result: Any) -> None:
        """Compare what a result found that was made again."""
        found = without(_FRESH, figures(result))
        self.compare(f"{what}{_AGAIN}", without(_FRESH, recorded), found)

    def outcome(self) -> Verification:
        """All of it."""
        return Verification(tuple(self.agreed), tuple(self.differences), tuple(self.not_compared))


def _different(what: str, recorded: Any, found: Any) -> Iterator[Difference]:
    if isinstance(recorded, Mapping) and isinstance(found, Mapping):
        for name in dict.fromkeys([*recorded, *found]):
            yield from _different(f"{what}, {name}", recorded.get(name), found.get(name))
    elif _are_tables(recorded) and _are_tables(found) and len(recorded) == len(found):
        for number, (then, now) in enumerate(zip(recorded, found, strict=True), 1):
            yield from _different(f"{what}, {number}", then, now)
    elif not _same(recorded, found):
        then, now = _shown(recorded), _shown(found)
        if then != now:
            yield Difference(what, then, now)
        else:  # as many of both
            for row, (one, other) in enumerate(zip(recorded, found, strict=True), 1):
                yield from _different(f"{what}, {row}", one, other)


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, Mapping) for one in value)


def _same(recorded: Any, found: Any) -> bool:
    if isinstance(recorded, float) and isinstance(found, float):
        return math.isclose(recorded, found, rel_tol=1e-9, abs_tol=1e-12) or (
            math.isnan(recorded) and math.isnan(found)
        )
    return bool(recorded == found)


def _shown(value: Any) -> str:
    """A figure, a name or a digest; of long lists only the length."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return listed(value) if value else "none"
    if isinstance(value, list | Mapping):
        return f"a list of {len(value)}"
    return "nothing" if value is None else str(value)


def verify(ledger: Ledger, masked: Path, initial: Path | None, plan: Path | None) -> Verification:
    """Compare all that can be compared."""
    findings = _Findings()
    for file in (masked, initial, plan):
        _need(file)
    recorded = ledger.output("masked")
    findings.compare("digest of the masked file", recorded.get("sha256"), digest(masked))
    try:
        if masked.is_dir() and masked.suffix == ".csv":
            findings.not_compared.append("the content of a folder of CSV files")
        else:
            _compare_content(findings, ledger, masked, alone=initial is None)
    except DiscreetError as error:  # a damaged file may fail at any step
        findings.differences.append(Difference("the masked file", "readable", f"not, {error.code}"))
    _compare_others(findings, ledger)
    if initial is not None:
        _compare_initial(findings, ledger, initial)
    known = _plan(findings, ledger, plan, again=initial is not None)
    if known is not None:
        _compare_plan(findings, ledger, known)
    if initial is None:
        left = [said for name, said in _BY_ORIGINAL.items() if ledger.document.get(name)]
        findings.not_compared += [f"{', '.join(left)}, which need the original"] if left else []
    elif known is not None:
        _run_again(findings, ledger, known.on(initial))
    return findings.outcome()


def compared(ledger: Ledger, other: Ledger) -> Verification:
    """Compare what two runs released, and how many records were left after each step."""
    findings = _Findings()
    for one in ledger.document["outputs"]:
        if one["role"] == "masked":
            found = other.output("masked").get("sha256")
            findings.compare("digest of the masked file", one["sha256"], found)
    listed_then = [name for name in ("unchanged", "measures") if name in ledger.document]
    for name in ("records", "check", "disclosure_risk", "information_loss", *listed_then):
        recorded, found = (without(_FRESH, one.document.get(name)) for one in (ledger, other))
        findings.compare(name.replace("_", " "), recorded, found)
    return findings.outcome()


def _need(file: Path | None) -> None:
    if file is not None and not file.exists():
        near = did_you_mean(file.name, [p.name for p in file.parent.glob("*")])
        fail("S01", f"{file.name} does not exist.", near or "Check the path.")


def _compare_content(findings: _Findings, ledger: Ledger, masked: Path, *, alone: bool) -> None:
    """Records, columns, class sizes, measures and the criterion, computed from the file."""
    roles = ledger.document["plan"].get("roles", {})
    bare = _opened(masked)
    findings.compare("records", ledger.document["records"]["after"], bare.n)
    findings.compare("columns", ledger.output("masked").get("columns"), list(bare.columns))
    named = [*roles.get("keys", []), *roles.get("confidential", [])]
    if any(name not in bare.columns for name in named):
        return  # the columns differ, which has been said
    data = _read(ledger, masked, named, bare.columns)
    found = without(_FRESH, figures(entries.measured(ds.risk, data)[0]))
    recorded = without(_FRESH, ledger.document.get("risk"))
    if found or recorded:
        if _subject_left_out(ledger, data):
            recorded = without(_OF_PEOPLE, recorded)
            findings.not_compared += ["people in a class, which needs the original"] * alone
        findings.compare("class sizes and risks", recorded, found)
    _compare_measures(findings, ledger, data, alone=alone)
    _compare_criterion(findings, ledger, data)


def _compare_measures(findings: _Findings, ledger: Ledger, data: Any, *, alone: bool) -> None:
    """The measures of the plan that need the masked file only; ``alone``: it is all there is."""
    given, taken = (part.get("measures", {}) for part in (ledger.document["plan"], ledger.document))
    if set(given) != set(taken):
        findings.compare("measures of the plan", sorted(taken), sorted(given))
    for name, recorded in taken.items():
        table = given.get(name, {})
        if name not in known_measures:
            findings.not_compared.append(_absent(name, ledger))
            continue
        needed = known_measures[name].needs_roles
        lacks = [role for role in needed if getattr(data, role) is None]
        if lacks or not measures.can_be_repeated(name, table):
            if alone:
                findings.not_compared.append(f"{name}, which needs the original")
            continue
        said = measures.loaded({name: table}, ledger.folder)[name]
        found = known_measures[name].taken(None, data, said)
        if found.result is None:
            findings.not_compared.append(f"{name}, which does not apply to the written file")
            continue
        then = measures.figures_of(recorded)["after"]
        now = {figure: found.figures.get(figure) for figure in then}
        lost = [figure for figure in then if now[figure] is None and then[figure] is not None]
        if alone:
            findings.not_compared += [f"{name}, {one}, which needs the original" for one in lost]
        then, now = ({f: v for f, v in side.items() if f not in lost} for side in (then, now))
        findings.compare(f"{name} of the masked file", then, now)


def _absent(name: str, ledger: Ledger) -> str:
    """That a measure or a criterion is not here, and the packages of which one may have it."""
    here = {entry.package for entry in everything().values()}
    absent = [package for package in ledger.document.get("packages", {}) if package not in here]
    return f"{name}, which needs {' or '.join(absent) or 'a package that is not here'}"


def _form(masked: Path) -> dict[str, Any]:
    """How our own files are written; a folder of Parquet files is Spark's."""
    if masked.suffix == ".parquet":
        return {"engine": "spark"} if masked.is_dir() else {}
    if masked.suffix in WRITTEN:
        return {}
    return {"separator": ",", "header": True}


def _read(ledger: Ledger, masked: Path, named: list[str], columns: Sequence[str]) -> Any:
    """The masked file with its roles, as far as it has the columns; the values of a CSV file as
    they are written.
    """
    plan = ledger.document["plan"]
    given = plan.get("roles", {})
    roles = {n: v for n, v in given.items() if n in ("keys", "confidential")}
    roles |= {n: given[n] for n in ("weight", "household", "subject") if given.get(n) in columns}
    typed = masked.suffix in (".parquet", *WRITTEN)
    types = {} if typed else dict.fromkeys(named, "nominal")
    policy = plan.get("source", {}).get("missing", "category")
    return _opened(masked, **roles, types=types, missing=policy)


def _opened(masked: Path, **options: Any) -> Any:
    """The masked file; no hints how to read it: what does not fit shows as a difference."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadHint)
        return ds.read(masked, **_form(masked), **options)


def _compare_criterion(findings: _Findings, ledger: Ledger, data: Any) -> None:
    """The criteria on classes; others compare with the original, and need it."""
    given = ledger.document["plan"].get("criterion")
    if not given:
        return
    check = ledger.document.get("check") or {}
    claimed = check.get("satisfied") is True
    tables = criteria.tables_of(given)
    known = criteria.fields()
    unread = dict.fromkeys(name for table in tables for name in table if name not in known)
    findings.not_compared += [_absent(name, ledger) for name in unread]
    asked = [kind for table in tables for kind, _ in criteria.kinds_in(table)]
    beyond = [kind.key for kind in asked if kind.made.compares_files or kind.made.needs_original]
    findings.not_compared += [f"{name}, which needs the original" for name in dict.fromkeys(beyond)]
    plain = [{n: v for n, v in table.items() if n not in beyond} for table in tables]
    criterion = criteria.built(plain, ledger.folder)
    if criterion:
        found = ds.check(data, criterion)
        name = " and ".join(one.describe() for one in criterion)
        counted = ", by records," if _subject_left_out(ledger, data) else ""
        said = claimed if found.satisfied else True  # the plan asks for it, whatever is claimed
        holds = "hold" if sum(len(one.parts) for one in criterion) > 1 else "holds"
        findings.compare(f"whether {name}{counted} {holds}", said, found.satisfied)
        recorded = _asked(check)
        asked_for = _asked(figures(found))
        kept = sum(one in recorded for one in asked_for)
        findings.compare("criteria of the plan that were checked", kept, len(asked_for))
    elif not claimed:
        what = "whether the criterion holds"
        findings.differences.append(Difference(what, "that it does not", "needed for a release"))


def _asked(check: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The criteria of a check as a ledger has them."""
    if "checks" in check:  # some of classes, some that compare with the original
        return [one for part in check["checks"] for one in _asked(part)]
    own = itertools.takewhile(lambda pair: pair[0] != "satisfied", check.items())
    return list(check.get("criteria") or [dict(own)])


def _subject_left_out(ledger: Ledger, data: Any) -> bool:
    """Whether people were counted, and the masked file does not tell them apart; a public extract
    has the figures of people without the name of the column.
    """
    risk = ledger.document.get("risk") or {}
    counted = "subject" in ledger.document["plan"].get("roles", {}) or "people_k" in risk
    return counted and data.subject is None


def _compare_others(findings: _Findings, ledger: Ledger) -> None:
    """Reports and the public extract, where they lie beside the ledger."""
    if not ledger.is_public:
        named = {"masked", *ledger.document["plan"].get("outputs", {})}
        asked = [name for name in FILES if name in named and name != "ledger"]
        findings.compare("outputs", [one["role"] for one in ledger.document["outputs"]], asked)
    for one in ledger.document["outputs"]:
        file = ledger.folder / one["file"]
        if one["role"] == "masked":
            continue
        if file.is_file():
            findings.compare(f"digest of {file.name}", one["sha256"], digest(file))
        else:
            findings.not_compared.append(f"{file.name}, which is not there")


def _compare_initial(findings: _Findings, ledger: Ledger, initial: Path) -> None:
    _need(initial)
    if ledger.is_public:
        findings.not_compared.append("the original, of which a public extract has no digest")
        return
    sources = [one["sha256"] for one in ledger.document["inputs"] if one["role"] == "source"]
    recorded = sources[0] if sources else None
    findings.compare("digest of the original", recorded, digest(initial))


def _compare_plan(findings: _Findings, ledger: Ledger, plan: Plan) -> None:
    """The plan that was read with that of the ledger, and the files that it reads."""
    said = _as_in_a_ledger(entries.without_values(plan.document))
    findings.compare("plan", ledger.document["plan"], said)
    then = [one for one in ledger.document["inputs"] if one["role"] != "source"]
    now = [file for role, file in entries.input_files(plan) if role != "source"]
    names = [one["file"] for one in then], [file.name for file in now]
    if names[0] != names[1]:
        findings.compare("files beside the source", *names)
        return
    for one, file in zip(then, now, strict=True):
        if file.exists():
            findings.compare(f"digest of {file.name}", one["sha256"], digest(file))
        else:
            findings.not_compared.append(f"{file.name}, which is not there")


def _as_in_a_ledger(values: Any) -> Any:
    """Plain values as they are read from a ledger again."""
    return json.loads(json.dumps(values))


def _run_again(findings: _Findings, ledger: Ledger, seeded: Plan) -> None:
    recorded = ledger.document["versions"]
    now = versions(str(ledger.document["engine"]), seeded)
    if now != recorded:
        other = ", ".join(n for n in recorded if now.get(n) != recorded[n])
        findings.not_compared.append(f"versions: {other} are not those of the run")
    data = seeded.open()
    masked = seeded.mask(data)
    outputs = seeded.section("outputs")
    with tempfile.TemporaryDirectory(prefix="discreet-verify-") as folder:
        place = Path(folder) / seeded.outputs["masked"].name
        masked.write(place, **writing_options(outputs))
        again = digest(place)
    by_clock = [
        s["do"] for s in ledger.document["steps"] if s.get("parameters", {}).get("by_clock")
    ]
    if by_clock and again != ledger.output("masked")["sha256"]:
        what = f"the masked file, made again: {listed(by_clock)} searched for some seconds"
        findings.not_compared.append(what)
        return
    findings.compare(f"digest of the masked file{_AGAIN}", ledger.output("masked")["sha256"], again)
    counts = {"before": data.n, "after": masked.n}
    findings.compare(f"records{_AGAIN}", ledger.document["records"], counts)
    steps = [entries.step_entry(step, 0.0) for step in masked.steps]
    then, now_done = map(_timeless, (ledger.document["steps"], _as_in_a_ledger(steps)))
    findings.compare(f"the steps{_AGAIN}", then, now_done)
    if seeded.criterion:
        found = ds.check(masked, seeded.criterion)
        findings.compare_again("the check", ledger.document["check"], found)
    left = ds.unchanged(masked, identifiers=outputs.get("identifiers", ()))
    findings.compare_again("what is unchanged", ledger.document["unchanged"], left)
    for measure in (ds.disclosure_risk, ds.information_loss):
        then, (found, _) = (
            ledger.document[measure.__name__],
            entries.measured(measure, data, masked),
        )
        if then or found:
            findings.compare_again(measure.__name__.replace("_", " "), then, found)
    _measure_again(findings, ledger, seeded, data, masked)


def _timeless(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Steps without how long they took."""
    return [{name: one for name, one in step.items() if name != "seconds"} for step in steps]


def _measure_again(findings: _Findings, ledger: Ledger, plan: Plan, data: Any, masked: Any) -> None:
    """All measures of the plan, before and after."""
    recorded = ledger.document.get("measures", {})
    found = measures.measured(plan, data, masked, measures.before(plan, data))
    for name, one in found.items():
        now = measures.figures_of(one.to_dict())
        findings.compare(f"{name}{_AGAIN}", measures.figures_of(recorded.get(name, {})), now)


def _plan(findings: _Findings, ledger: Ledger, given: Path | None, *, again: bool) -> Plan | None:
    """The plan that was run, with its seeds: the one given, or the one the ledger names if it is
    still the same; ``again``: it is to be run.
    """
    recorded = ledger.document.get("plan_file")
    file = given or (ledger.folder / recorded["file"] if recorded else None)
    what = "a second run" if again else "the plan"
    if ledger.is_public and (given or again):
        findings.not_compared.append(f"{what}, which needs the ledger, not its public extract")
    elif again and (file is None or not file.is_file()):
        findings.not_compared.append("a second run, for which the plan is not there")
    if ledger.is_public or file is None or not file.is_file():
        return None
    if given is not None and recorded:
        findings.compare("digest of the plan", recorded["sha256"], digest(file))
    elif recorded and digest(file) != recorded["sha256"]:
        findings.not_compared.append(
            ("a second run, for the plan" if again else "the plan, which") + " was changed since"
        )
        return None
    try:
        plan = ds.Plan.read(file)
    except DiscreetError as error:
        if given is not None or again:
            raise
        findings.not_compared.append(f"the plan, which cannot be read: {error.code}")
        return None
    steps = [len(one.get("steps", [])) for one in (ledger.document["plan"], plan.document)]
    if steps[0] != steps[1]:  # no seeds to be taken
        findings.compare("number of steps of the plan", *steps)
        return None
    return plan.with_seeds(ledger)
