"""Screen 6, Release: the checklist, what is acknowledged in writing, and the files to download.

Nothing is given out that is out of date. The names of the files are ours: an address names what
is wanted, never a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute

from discreet.app.forms.fields import text_in
from discreet.app.jobs.plan_run import GIVEN, folder_of, hierarchy_files, names_for
from discreet.app.server import checklist, runs
from discreet.app.server.pages import alone, chosen, get, page, post, see, showing
from discreet.app.server.runs import Kept
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError, Problem, raise_all

SLOT = "release"
FORMATS = {
    ".csv": "CSV",
    ".parquet": "Parquet",
    ".sav": "SPSS",
    ".dta": "Stata",
    ".xlsx": "Excel",
}
ARCHIVES = ("given", "archive")  # they hold the others
LONGEST = 2_000  # characters of a remark
# what can be downloaded, in the order of the page: what it is called, and for whom it is
FILES = {
    "given": ("All of these as one file", "to give out"),
    "masked": ("Masked table", "to give out"),
    "public_report": ("Report for the public", "to give out"),
    "public": ("Extract of the ledger", "to give out"),
    "archive": ("Everything as one file", "for internal use"),
    "report": ("Report", "for internal use"),
    "ledger": ("Ledger", "for internal use"),
    "plan": ("Plan", "for internal use"),
    "script": ("Python script", "for internal use"),
}
ABOUT = {
    "given": "The masked table, the report for the public and the extract of the ledger; nothing "
    "else.",
    "archive": "To be kept: what is given out, and all that is needed to verify and repeat it.",
    "masked": "Records without identifiers, in an order that depends on the released values alone: "
    "equal records stand side by side.",
    "public_report": "What was done and how safe it is; no details of the original.",
    "public": "Digest of the masked table, steps and figures; no seed.",
    "report": "Details by attribute, and what you acknowledged.",
    "ledger": "All parameters, seeds and digests: discreet verify compares them.",
    "plan": "Repeats all of this: discreet run {plan}, beside the original and the files of "
    "hierarchies.",
    "script": "The same in Python.",
}


def routes(_most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        get("release", showing("release.html", _view, needs_table=True)),
        post("release", make),
        get("release/results", showing("release_results.html", _view)),
        get("release/file/{role}", download),
        get("close", ask_to_close),
    ]


async def make(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep what was written, and make the files."""
    try:
        refused = await alone(workspace, _begin, form)
    except DiscreetError as error:
        view = _view(workspace) | {"asked": _asked(form, workspace), "problems": error.problems}
        return page(request, "release.html", workspace, status=422, **view)
    if refused is not None:
        return _refused(request, workspace, refused)
    return see(f"/w/{workspace.id}/release#job")


async def download(request: Request, workspace: Workspace) -> Response:
    """One of the files, as long as nothing has changed since it was made."""
    role, kept = request.path_params["role"], runs.candidate(workspace)
    if role not in _offered(workspace, kept):
        raise HTTPException(404)
    if kept is None or not kept.can_be_released:
        return _refused(request, workspace, _why(workspace, kept))
    if not checklist.is_made(workspace, kept):
        what = "the release has not been made, or something has changed since."
        problem = Problem("N64", what, "Make the release, then download it.")
        return _refused(request, workspace, problem)
    files: Mapping[str, str] = workspace.results[SLOT].value.files
    if role not in files:
        raise HTTPException(404)
    name = files[role]
    packed = {"given": GIVEN, "archive": tuple(files)}.get(role, (role,))
    workspace.downloaded |= {(workspace.results[SLOT].basis, one) for one in packed}
    return FileResponse(
        folder_of(workspace.folder, SLOT) / name,
        filename=name,
        media_type="application/octet-stream",  # to be kept, not to be shown
    )


async def ask_to_close(request: Request, workspace: Workspace) -> Response:
    """What is lost when the table is closed; nothing is erased yet."""
    view: dict[str, Any] = {"here": "release", "left": _left(workspace)}
    view["runs"] = len(runs.runs_of(workspace))
    return page(request, "closing.html", workspace, **view)


def _left(workspace: Workspace) -> list[str]:
    """What was made and not downloaded, by the names of the page."""
    made, kept = workspace.results.get(SLOT), runs.candidate(workspace)
    if made is None:
        return []
    offered = _offered(workspace, kept)
    here = [role for role in offered if role in made.value.files and role not in ARCHIVES]
    return [offered[r][0] for r in here if (made.basis, r) not in workspace.downloaded]


def _offered(workspace: Workspace, kept: Kept | None) -> dict[str, tuple[str, str]]:
    """What can be downloaded: our files, and those that the plan reads beside the original."""
    labels = workspace.labels
    read = hierarchy_files(kept.run.document) if kept is not None else {}
    return FILES | {
        role: (f"Hierarchy of {labels.get(column, column)}", "for internal use")
        for role, (column, _) in read.items()
    }


def _refused(request: Request, workspace: Workspace, problem: Problem) -> Response:
    view = _view(workspace) | {"problems": (problem,)}
    return page(request, "release.html", workspace, status=409, **view)


def _why(workspace: Workspace, kept: Kept | None) -> Problem:
    """Why there is nothing to release."""
    if kept is not None and (problem := workspace.source_problem) is not None:
        return problem
    if kept is None:
        return Problem("N64", "no run is chosen.", "Choose one on the page Compare.")
    what = "the plan has changed since the chosen run was made: it is out of date."
    return Problem("N64", what, "Run it again on the page Protect, and choose the new run.")


def _begin(workspace: Workspace, form: FormData) -> Problem | None:
    """Make the release of the candidate; why there is nothing to release, where that is so."""
    kept = runs.candidate(workspace)
    if kept is None or not kept.can_be_released:
        return _why(workspace, kept)
    items = checklist.items_of(workspace, kept)
    asked = _asked(form, workspace)
    raise_all(_problems(items, asked))
    suffix = chosen(form, "format", FORMATS)
    names = names_for(kept.run.document)
    outputs: dict[str, Any] = {"masked": names[FORMATS[suffix].lower()]}
    outputs |= {what: names[what] for what in ("ledger", "public")}
    if not kept.run.figures["not_measured"]:  # a report without them would say nothing
        outputs |= {what: names[what] for what in ("report", "public_report")}
    if asked["escape"] and suffix == ".csv":
        outputs["escape_formulas"] = True
    reasons = checklist.unique_columns_of(kept, asked["written"])
    outputs |= {"unique_columns": reasons} if reasons else {}
    note = checklist.note_of(items, asked["written"], asked["remark"])
    outputs |= {"note": note} if note else {}
    workspace.need_idle()
    workspace.set("release", {"run": kept.slot, **asked, "unmet": checklist.unmet_of(items)})
    # the chain on the page Protect may ask for something else by now
    chosen_plan = {"criterion": {}, **kept.run.document, "outputs": outputs}
    workspace.begin("release", slot=SLOT, changes=chosen_plan)
    return None


def _problems(items: tuple[checklist.Item, ...], asked: Mapping[str, Any]) -> list[Problem]:
    texts = [asked["remark"], *asked["written"].values()]
    too_long = any(len(text) > LONGEST for text in texts)
    return [
        Problem("P61", f"“{item.title}” is not met.", "Write why it may still be released.")
        for item in items
        if not item.met and not asked["written"].get(item.name)
    ] + (
        [Problem("P60", "a text is too long.", f"Write at most {LONGEST:,} characters.")]
        if too_long
        else []
    )


def _asked(form: FormData, workspace: Workspace) -> dict[str, Any]:
    """The form as it was sent."""
    kept = runs.candidate(workspace)
    items = checklist.items_of(workspace, kept) if kept is not None else ()
    return {
        "format": text_in(form, "format"),
        "escape": bool(text_in(form, "escape")),
        "remark": text_in(form, "remark"),
        "written": {item.name: text_in(form, f"ack-{item.name}") for item in items if not item.met},
    }


def _still_said(workspace: Workspace, kept: Kept | None) -> dict[str, Any]:
    """The form as it was last sent, without what was acknowledged in other words than now."""
    last = dict(workspace.settings.get("release", {}))
    if kept is not None and "written" in last:
        now, then = checklist.unmet_of(checklist.items_of(workspace, kept)), last["unmet"]
        same = {name for name, words in now.items() if then.get(name) == words}
        last["written"] = {name: said for name, said in last["written"].items() if name in same}
    return last


def _view(workspace: Workspace) -> dict[str, Any]:
    """The checklist of the candidate, and its files where they were made."""
    kept = runs.candidate(workspace)
    usual = {"format": ".csv", "escape": False, "remark": "", "written": {}}
    made = workspace.results.get(SLOT)
    names = names_for(kept.run.document if kept is not None else workspace.document)
    return {
        "kept": kept,
        "has_runs": bool(runs.runs_of(workspace)),
        "blocked": _why(workspace, kept) if kept is None or not kept.can_be_released else None,
        "items": checklist.items_of(workspace, kept) if kept is not None else (),
        "risky": checklist.still_risky(workspace, kept) if kept is not None else (),
        "asked": {**usual, **_still_said(workspace, kept)},
        "formats": FORMATS,
        "files": _offered(workspace, kept),
        "about": {role: said.format_map(names) for role, said in ABOUT.items()},
        "beside": "The plan and the script read it.",
        "made": made.value if made is not None else None,
        "remarks": made.remarks if made is not None else (),
        "is_current": kept is not None and checklist.is_made(workspace, kept),
    }
