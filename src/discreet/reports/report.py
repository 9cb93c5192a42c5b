"""Write the report of a release: one HTML file, for those inside or for the public.

The public version holds nothing that helps an intruder: of the initial file no distribution, no
value by attribute, no class; no seed, no name of a record, no digest; of the released file no class
size below the threshold. The internal version has details by attribute, and even so names a
category, or a bin of numbers, only where it holds enough records.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discreet as ds
from discreet import font
from discreet.charts import altair
from discreet.errors import Problem, argument, raise_all
from discreet.files import need_free, write_text
from discreet.measures import asked_problems
from discreet.reports import choice, contents, cost, measures, recognition, repetition
from discreet.reports.blocks import Figure, Section
from discreet.reports.facts import Audience, Facts, ReportInput, gather
from discreet.reports.fragments import environment, style
from discreet.reports.names import in_report, shortened
from discreet.results import Result
from discreet.surface import function, said, shown_on

_SUFFIXES = (".html", ".htm")
_AUDIENCES = {
    "internal": ("Internal", "Details by attribute. Do not publish this version."),
    "public": ("Public", "Without details of the initial file."),
}
_OFFERED = {  # what an object that is given must be able to do
    "found": ("generalize", ("lattice", "explain", "minimal", "best")),
    "ru_map": ("ru_map", ("chart", "table", "explain", "frontier")),
    "record_risk": ("record_risk", ("histogram", "explain")),
    "score": ("score", ("to_dict", "explain")),
}


@dataclass(frozen=True)
class Report(Result):
    """A report that was written.

    Attributes
    ----------
    path : Path
    audience : {"internal", "public"}
    sections : tuple of str
        Their titles, in order.
    charts : int
        Number of charts in it.
    satisfied : bool or None
        Whether the criteria hold; None when none was given.
    warnings : tuple of str
        What must be seen to before release.

    Examples
    --------
    >>> import discreet as ds, tempfile
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> masked = ds.microaggregate(ages, k=2, method="fixed")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = ds.report(ages, masked, f"{folder}/release.html", audience="public")
    >>> written.path.name, written.audience, written.satisfied
    ('release.html', 'public', None)
    """

    path: Path
    audience: Audience
    sections: tuple[str, ...]
    charts: int
    satisfied: bool | None
    warnings: tuple[str, ...]

    def explain(self) -> str:
        """What was written, and what to do with it."""
        held = {None: "No criterion was given.", True: "The criterion holds.",
                False: "The criterion does not hold."}[self.satisfied]  # fmt: skip
        then = (
            "It holds no details of the initial file; read it once before you publish it."
            if self.audience == "public"
            else "It has details by attribute: keep it inside, and publish the version with "
            f"{argument('audience', 'public')}."
        )
        first = f"The {self.audience} report is in {self.path.name}. {held}"
        return "\n".join([first, *(f"Warning: {warning}" for warning in self.warnings), said(then)])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        figures = self._plain("audience", "sections", "charts", "satisfied", "warnings")
        return {"written": self.path.name, **figures}


def report(
    initial: ds.Microdata,
    masked: ds.Microdata,
    path: str | os.PathLike[str],
    *,
    audience: Audience = "internal",
    criterion: Any = None,
    found: Any = None,
    ru_map: Any = None,
    record_risk: Any = None,
    score: Any = None,
    measures: Mapping[str, Any] | None = None,
    on: str | None = None,
    title: str | None = None,
    note: str | None = None,
    threshold: int | None = None,
    unique_columns: Mapping[str, str] | None = None,
    identifiers: Sequence[str] | str = (),
    overwrite: bool = False,
) -> Report:
    """Write a report of a release: what, at which risk, at what cost, how chosen, how to repeat.

    Parameters
    ----------
    initial, masked : Microdata
        As for ``ds.disclosure_risk``.
    path : str or path
        An .html file; it appears whole or not at all.
    audience : {"internal", "public"}
        Who reads it. The public version has nothing that helps an intruder.
    criterion : criterion or list of criteria, optional
        Checked and said in words; those of the search when ``found`` is given.
    found : optional
        The result of ``ds.generalize``: adds the lattice.
    ru_map, record_risk, score : optional
        Results to be shown; internal version only.
    measures : mapping of name to arguments, or to what was found, optional
        What is to be measured before and after, as ``[measures]`` of a plan; or ``.measures`` of a
        release. The public version shows of it what is marked public.
    on : str, optional
        Column that links the records of a file masked elsewhere.
    title, note : str, optional
        The heading, and remarks of your own below it.
    threshold : int, optional
        Least number of records of a category or bin that is shown; 5, or the k of the criterion
        where that is larger.
    unique_columns : mapping of column to reason, optional
        Why a column may be released unchanged although it makes many records unique
        (``ds.unchanged``); the public version is refused without. The internal version shows it.
    identifiers : list of str
        Identifiers that the masked file has all the same, as in ``masked.write``.
    overwrite : bool
        Replace an existing file.

    Returns
    -------
    Report
        Where it was written, and its sections.

    Examples
    --------
    >>> import discreet as ds, tempfile
    >>> patients = ds.datasets.patients(200, seed=1)
    >>> survey = ds.read(patients, identifiers=["name", "ssn", "zip"], keys=["age", "income"])
    >>> masked = ds.microaggregate(survey, k=5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = ds.report(survey, masked, f"{folder}/release.html", audience="public")
    >>> written.sections
    ('What was released', 'Who could be recognised', 'What it cost', 'How to repeat it')
    """
    reasons = unique_columns if unique_columns is not None else {}
    written = (identifiers,) if isinstance(identifiers, str) else tuple(identifiers)
    given = ReportInput(
        criterion, found, ru_map, record_risk, score, reasons, measures or {}, written
    )
    wrong = [*_problems(path, audience, title, note, threshold), *_given_problems(given)]
    wrong += asked_problems(given.measures)
    raise_all([*wrong, *_reason_problems(reasons, masked), *_held_problems(written, masked)])
    target = Path(path)
    need_free(target, overwrite=overwrite, suffixes=_SUFFIXES, inputs=_read(initial, masked))
    altair(), environment()  # say what is not installed before anything is computed
    with shown_on(in_report):
        facts = gather(initial, masked, given, on=on, audience=audience, threshold=threshold)
    if facts.public:
        remedy = f"say why it may be released, by column: {argument('unique_columns')}."
        raise_all(facts.unchanged.problems(reasons, remedy))
    with shown_on(in_report):
        sections = _sections(facts)
    write_text(target, _page(facts, sections, title, note), overwrite=overwrite)
    charts = sum(isinstance(b, Figure) for s in sections for b in s.blocks)
    titles = tuple(s.title for s in sections)
    return Report(target, audience, titles, charts, facts.satisfied, facts.warnings)


def _read(*files: Any) -> list[Path]:
    """The files that were read; what is no microdata is said later, with all else."""
    return [file for one in files if isinstance(one, ds.Microdata) for file in one.inputs]


def _sections(facts: Facts) -> list[Section]:
    parts = (contents, recognition, cost, measures, choice, repetition)
    found = [part.section(facts) for part in parts]
    return [section for section in found if section is not None]


def _page(facts: Facts, sections: list[Section], title: str | None, note: str | None) -> str:
    drawn = "".join(b.svg for s in sections for b in s.blocks if isinstance(b, Figure))
    sheet = style(font.faces_for(drawn))
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    badge, said = _AUDIENCES[facts.audience]
    page = environment().get_template("report.html")
    return page.render(
        title=shortened(title or "Report of a release", 200),
        note=(note or "").splitlines(),
        audience=facts.audience,
        badge=badge,
        audience_said=said,
        sections=sections,
        style=sheet,
        digest=digest,
        version=ds.__version__,
    )


def _problems(path: Any, audience: Any, title: Any, note: Any, threshold: Any) -> list[Problem]:
    found = []
    if not isinstance(path, str | os.PathLike):
        found.append(
            Problem("O01", "what was given is not a path.", "Give the name of an .html file.")
        )
    if audience not in _AUDIENCES:
        found.append(
            Problem("P16", f"{argument('audience')} is not known.", "Use 'internal' or 'public'.")
        )
    for name, text in (("title", title), ("note", note)):
        if text is not None and not isinstance(text, str):
            found.append(Problem("P09", f"{argument(name)} is not a text.", "Give a string."))
    whole = isinstance(threshold, int) and not isinstance(threshold, bool) and threshold >= 1
    if threshold is not None and not whole:
        what = f"{argument('threshold')} is not a whole number of at least 1."
        found.append(Problem("P07", what, "Leave it out for 5, or the k of the criterion."))
    return found


def _reason_problems(reasons: Any, masked: Any) -> list[Problem]:
    if not isinstance(reasons, Mapping):
        what = f"{argument('unique_columns')} is not a mapping of columns and reasons."
        return [Problem("P36", what, 'Write {"fnlwgt": "why it may be released"}.')]
    columns = getattr(masked, "columns", ())
    problems = [
        Problem(
            "R01",
            f"{argument('unique_columns')} names {name!r}, which is not a column.",
            "Leave it out.",
        )
        for name in reasons
        if name not in columns
    ]
    return problems + [
        Problem("P36", f"the reason for {name!r} is not a text, or is empty.", "Write a sentence.")
        for name, reason in reasons.items()
        if not (isinstance(reason, str) and reason.strip())
    ]


def _held_problems(written: Sequence[str], masked: Any) -> list[Problem]:
    columns, released = getattr(masked, "columns", ()), getattr(masked, "released", ())
    held = {*columns} - {*released, getattr(masked, "record_id", None)}
    return [
        Problem(
            "R12",
            f"{argument('identifiers')} names {name!r}, which is not an identifier to write.",
            "Leave it out.",
        )
        for name in written
        if name not in held
    ]


def _given_problems(given: ReportInput) -> list[Problem]:
    return [
        Problem(
            "P09",
            f"{argument(name)} is not a result of {function(maker)}.",
            f"Give what {function(maker)} returns.",
        )
        for name, (maker, offered) in _OFFERED.items()
        if getattr(given, name) is not None
        and not all(hasattr(getattr(given, name), attribute) for attribute in offered)
    ]
