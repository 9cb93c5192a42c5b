"""The hierarchy of a key: a builder with its parameters, or a file as ARX writes it.

Part of screen 2, one page per column. The preview is a GET, for it changes nothing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

import discreet as ds
from discreet.app.forms import draft as plan_draft
from discreet.app.forms.fields import text_in, whole_in
from discreet.app.forms.hierarchy import (
    BUILDERS,
    LABELS,
    PARTS,
    UNMAPPED,
    fields_of,
    form_of_hierarchy,
    hierarchy_in,
)
from discreet.app.jobs.plan_run import hierarchy_files
from discreet.app.jobs.table import values_file
from discreet.app.screens.preview import groups_of, preview, unmatched
from discreet.app.server import uploads
from discreet.app.server.pages import alone, column_of, get, page, post, see
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError, Problem, fail, raise_all
from discreet.plan.suggested_hierarchies import is_named_for
from discreet.reports.shown_values import ShownValues
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.hierarchies.groups import ValueGroups

MOST_BY_HAND = 500  # values that can be put into groups by hand
_CHANGE = re.compile(r"(?P<verb>put|names|merge|add|remove|up|down)(-(?P<group>[0-9]{1,6}))?")
MOST_FILES = 50  # that are taken at once


def routes(most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        get("hierarchy/{column:number}", show),
        post("hierarchy/{column:number}", save, files=1, most_upload=most_upload),
        get("hierarchy/{column:number}/preview", show_preview),
        get("hierarchy/{column:number}/groups", show_groups),
        post("hierarchy/{column:number}/groups", change_groups),
        post("hierarchies/files", save_files, files=MOST_FILES, most_upload=most_upload),
        post("hierarchies/suggested", use_suggested),
    ]


async def show(request: Request, workspace: Workspace) -> Response:
    """The form, and what the hierarchy of the plan makes of the values."""
    name = workspace.columns[column_of(request, workspace)].name
    saved = workspace.hierarchies.get(name)
    return await _page(request, workspace, form_of_hierarchy(saved), saved)


async def show_preview(request: Request, workspace: Workspace) -> Response:
    """What the hierarchy of the form makes of the values; nothing is kept."""
    number = column_of(request, workspace)
    fields = fields_of(request.query_params)
    if fields["builder"] == "file":  # a browser does not send it before it is saved
        none: dict[str, Any] = {"levels": None, "lost": None}
        return page(request, "hierarchy_preview.html", workspace, unsaved=True, **none)
    levels, problems, lost = await run_in_threadpool(_tried, workspace, number, fields)
    view = {"levels": levels, "problems": problems, "unsaved": False, "shown_file": None}
    view |= {"lost": lost}
    return page(request, "hierarchy_preview.html", workspace, **view)


async def save(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep the hierarchy in the plan, when it fits the values; the groups of a file are shown."""
    number = column_of(request, workspace)
    try:
        is_file = await alone(workspace, _save, number, form)
    except _Unfit as unfit:
        said = fields_of(form), None, unfit.problems, unfit.lost
        return await _page(request, workspace, *said)
    except DiscreetError as error:
        return await _page(request, workspace, fields_of(form), None, error.problems)
    there = f"hierarchy/{number}#preview" if is_file else f"roles#row-{number}"
    return see(f"/w/{workspace.id}/{there}")


async def save_files(_request: Request, workspace: Workspace, form: FormData) -> Response:
    """Take several files at once, each for the column that its name says."""
    files = [f for f in form.getlist("files") if isinstance(f, UploadFile) and f.filename]
    raise_all(await alone(workspace, _save_files, files))
    return see(f"/w/{workspace.id}/roles#hierarchies")


def _save_files(workspace: Workspace, files: list[UploadFile]) -> list[Problem]:
    """Keep those that fit; what is wrong with the others. A column that has a file is a key."""
    if not files:
        return [Problem("P60", "no file was chosen.", "Choose hierarchy files.")]
    problems, names = [], workspace.names
    for file in files:
        shown = uploads.tame(file.filename, "hierarchy.csv")
        fits = [i for i, name in enumerate(names) if is_named_for(Path(shown).stem, name)]
        if not fits:
            what = f"{shown} is not named after a column."
            problems.append(Problem("P60", what, "Give it the name of its column: age.csv."))
            continue
        try:
            _save_file(
                workspace,
                fits[0],
                file,
                {**form_of_hierarchy(None), "builder": "file"},
                becomes_key=True,
            )
        except (_Unfit, DiscreetError) as error:
            problems += error.problems
    return problems


async def use_suggested(_request: Request, workspace: Workspace, _form: FormData) -> Response:
    """Give all keys without a hierarchy the one that is suggested."""

    def edit(document: plan_draft.Document) -> plan_draft.Document:
        for column in workspace.columns:
            is_key = plan_draft.role_of(document, column.name).startswith("key")
            if is_key and column.hierarchy and column.name not in document.get("hierarchies", {}):
                given = dict(column.hierarchy)
                document = plan_draft.with_entry(document, "hierarchies", column.name, given)
        return document

    await run_in_threadpool(workspace.change, edit)
    return see(f"/w/{workspace.id}/roles#hierarchies")


# -- groups by hand ------------------------------------------------------------------------------


async def show_groups(request: Request, workspace: Workspace) -> Response:
    """Values and groups of a level, to be put together, renamed and ordered."""
    asked = request.query_params.get("level", "1")
    return await run_in_threadpool(_groups_page, request, workspace, asked)


async def change_groups(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Change the groups as the button says, and keep them as the hierarchy of the column."""
    number = column_of(request, workspace)
    level = text_in(form, "level")
    try:
        level = await alone(workspace, _change, number, form)
    except DiscreetError as error:
        return await run_in_threadpool(_groups_page, request, workspace, level, error.problems)
    return see(f"/w/{workspace.id}/hierarchy/{number}/groups?level={level}")


def _groups(workspace: Workspace, number: int) -> ValueGroups:
    """The groups of the hierarchy that the plan has, or of one group for all."""
    column = workspace.columns[number]
    if column.distinct > MOST_BY_HAND:
        what = f"the column has more than {MOST_BY_HAND} values."
        fail("N60", what, "Choose intervals or prefixes, or write a file.")
    given = workspace.hierarchies.get(column.name) or {"suppress": True}
    return groups_of(workspace, number, given)


def _groups_page(
    request: Request, workspace: Workspace, asked: str, problems: tuple[Problem, ...] = ()
) -> Response:
    number = column_of(request, workspace)
    groups, column = _groups(workspace, number), workspace.columns[number]
    level = whole_in(asked, groups.height + 1) or 1
    given = workspace.hierarchies.get(column.name)
    rows = _shown_groups(groups, level, workspace.least)
    shown = _shown_groups(groups, level - 1, workspace.least)
    inside = dict(zip(groups.members(level - 1), groups.members(level), strict=True))
    view: dict[str, Any] = {
        "here": "roles",
        "number": number,
        "column": column,
        "label": workspace.labels[column.name],
        "level": level,
        "height": groups.height,
        "groups": rows,
        "items": [
            shown[number] | {"group": rows[inside[number]]["text"], "number": place}
            for place, number in enumerate(_places(groups, level - 1, workspace.least))
        ],
        "smallest": _records(min(groups.sizes(level)), workspace.least),
        "levels": _shown(workspace, number, given) if given else None,
        "lost": None,
        "unsaved": False,
        "shown_file": None,
        "wrong": problems,
    }
    return page(request, "groups.html", workspace, status=422 if problems else 200, **view)


def _shown_groups(groups: ValueGroups, level: int, least: int) -> list[dict[str, Any]]:
    """The groups of a level, or the values; by number what fewer records have."""
    word, rare = "group" if level else "value", itertools.count(1)
    return [
        {
            "number": i,
            "label": (label or "") if n >= least else "",
            "text": (label or "missing") if n >= least else f"{word} {next(rare)}, rare",
            "records": _records(n, least),
        }
        for i, (label, n) in enumerate(zip(groups.labels(level), groups.sizes(level), strict=True))
    ]


def _places(groups: ValueGroups, level: int, least: int) -> list[int]:
    """What is put into groups, in the order of the page: the rare last, for a place among the
    others would tell a value.
    """
    sizes = groups.sizes(level)
    return sorted(range(len(sizes)), key=lambda i: sizes[i] < least)


def _records(n: int, least: int) -> str:
    return counted(n, "record") if n >= least else f"fewer than {least} records"


def _change(workspace: Workspace, number: int, form: FormData) -> str:
    """Change the groups; the level to go on with."""
    asked = _CHANGE.fullmatch(text_in(form, "do") or "names")
    at = whole_in(text_in(form, "level"), 1000)
    if asked is None or at is None:
        raise HTTPException(422)
    groups, verb = _groups(workspace, number), asked["verb"]
    if verb in ("up", "down"):
        groups = groups.moved(at, int(asked["group"] or 0), -1 if verb == "up" else 1)
    elif verb == "names":
        groups = _renamed(groups, at, form)
    elif verb == "add":
        groups = groups.with_level(at)
    elif verb == "remove":
        groups, at = groups.without_level(at), max(1, at - 1)
    elif verb == "merge":
        groups = groups.merged(at, _ticked(form, "group"), _target(groups, at, form, "group"))
    else:
        places = _places(groups, at - 1, workspace.least) if 1 <= at <= groups.height else []
        items = [places[i] if i < len(places) else -1 for i in _ticked(form, "item")]
        groups = groups.put(at, items, _target(groups, at, form, "item"))
    _keep_groups(workspace, number, groups)
    return str(at)


def _ticked(form: FormData, name: str) -> list[int]:
    sent = [text for text in form.getlist(name) if isinstance(text, str)]
    if not sent:
        fail("P60", "nothing is ticked.", "Tick what belongs together first.")
    ticked = [number for text in sent if (number := whole_in(text)) is not None]
    if len(ticked) < len(sent):
        raise HTTPException(422)
    return ticked


def _target(groups: ValueGroups, level: int, form: FormData, of: str) -> str:
    """The label that is put on: that of a group, a new one, or of the first that is merged."""
    label, labels = text_in(form, "label"), groups.labels(level)
    if of == "group":
        first = _ticked(form, "group")[0]
        return label or (labels[first] if first < len(labels) else None) or ""
    into = whole_in(text_in(form, "into"), len(labels))
    return label if into is None else labels[into] or ""


def _renamed(groups: ValueGroups, level: int, form: FormData) -> ValueGroups:
    """All names that were written anew; an empty field leaves a name as it is."""
    for group, old in enumerate(groups.labels(level)):
        label = text_in(form, f"name-{group}")
        if label and label != old:
            groups = groups.renamed(level, group, label)
    return groups


def _keep_groups(workspace: Workspace, number: int, groups: ValueGroups) -> None:
    """Keep the groups as a file of the column."""
    with uploads.room(workspace.folder) as room:
        draft = room / f"groups-{number}.csv"
        ds.Hierarchy.from_dict(groups.leaves()).to_csv(draft)
        fields = {**form_of_hierarchy(None), "builder": "file"}
        there = draft.relative_to(workspace.folder).as_posix()
        _check(workspace, number, hierarchy_in(fields, there))
        _put(workspace, number, fields, draft)


async def _page(
    request: Request,
    workspace: Workspace,
    form: Mapping[str, Any],
    given: Mapping[str, Any] | None,
    problems: tuple[Problem, ...] = (),
    lost: ShownValues | None = None,
) -> Response:
    number = column_of(request, workspace)
    levels = None
    if given:
        levels = await run_in_threadpool(_shown, workspace, number, given)
        lost = await run_in_threadpool(unmatched, workspace, number, given)
    view: dict[str, Any] = {
        "here": "roles",
        "number": number,
        "column": workspace.columns[number],
        "label": workspace.labels[workspace.columns[number].name],
        "builders": BUILDERS,
        "can_edit": workspace.columns[number].distinct <= MOST_BY_HAND
        and values_file(workspace.folder, number).exists(),
        "saved": bool(workspace.hierarchies.get(workspace.names[number])),
        "parts": PARTS,
        "labels": LABELS,
        "unmapped": UNMAPPED,
        "form": form,
        "saved_file": _saved_file(workspace, number),
        "shown_file": (given or {}).get("file"),
        "levels": levels,
        "lost": lost,
        "unsaved": False,
        "problems": problems,
    }
    status = 422 if problems else 200
    return page(request, "hierarchy.html", workspace, status=status, **view)


def _saved_file(workspace: Workspace, number: int) -> str | None:
    name = workspace.columns[number].name
    return workspace.hierarchies.get(name, {}).get("file")


def _tried(
    workspace: Workspace, number: int, fields: Any
) -> tuple[Any, tuple[Problem, ...], ShownValues | None]:
    """The levels, what is wrong, and the values without a place."""
    given, levels = None, None
    problems: tuple[Problem, ...] = ()
    try:
        given = hierarchy_in(fields, None)
        levels = preview(workspace, number, given) if given else None
    except DiscreetError as error:
        problems = error.problems
    return levels, problems, unmatched(workspace, number, given) if given else None


def _shown(workspace: Workspace, number: int, given: Mapping[str, Any]) -> Any:
    """The preview of what the plan has; none where the values are too many."""
    try:
        return preview(workspace, number, given)
    except DiscreetError:
        return None


class _Unfit(Exception):
    """A hierarchy does not fit, and what of the values may be shown."""

    def __init__(self, problems: tuple[Problem, ...], lost: ShownValues | None) -> None:
        super().__init__()
        self.problems, self.lost = problems, lost


def _save(workspace: Workspace, number: int, form: FormData) -> bool:
    """Keep the hierarchy; whether a file was uploaded for it."""
    upload, fields = form.get("file"), fields_of(form)
    if fields["builder"] != "file" or not isinstance(upload, UploadFile) or not upload.filename:
        given = hierarchy_in(fields, _saved_file(workspace, number))
        _check(workspace, number, given)
        _keep(workspace, number, given)
        return False
    _save_file(workspace, number, upload, fields)
    return True


def _save_file(
    workspace: Workspace,
    number: int,
    upload: UploadFile,
    fields: Mapping[str, Any],
    *,
    becomes_key: bool = False,
) -> None:
    """Keep a file that fits the column."""
    name = uploads.tame(upload.filename, "hierarchy.csv")
    with uploads.drafted(upload.file, workspace.folder, name, "hierarchy") as draft:
        there = draft.relative_to(workspace.folder).as_posix()
        _check(workspace, number, hierarchy_in(fields, there), is_key=becomes_key)
        if becomes_key:
            _make_key(workspace, number)
        _put(workspace, number, fields, draft)


def _make_key(workspace: Workspace, number: int) -> None:
    name = workspace.names[number]
    role = plan_draft.role_of(workspace.document, name)
    if not role.startswith("key"):
        both = "key + confidential" if role == "confidential" else "key"
        workspace.change(lambda d: plan_draft.with_role(d, name, both, workspace.names))


def _put(workspace: Workspace, number: int, fields: Mapping[str, Any], draft: Path) -> None:
    """Give an upload its place: that of the column's file of this name, if there is one."""
    name = uploads.unlike(draft.name, _files_of_others(workspace, number))
    if (workspace.folder / name).exists():  # a job may read it
        workspace.need_idle()
    workspace.keep_file(draft, name)
    _keep(workspace, number, hierarchy_in(fields, name))


def _files_of_others(workspace: Workspace, number: int) -> list[str]:
    """The files of the plan that are not of this column."""
    own, document = workspace.columns[number].name, workspace.document
    others = [file for column, file in hierarchy_files(document).values() if column != own]
    return [workspace.name, *others, *workspace.registers]


def _check(
    workspace: Workspace, number: int, given: dict[str, Any] | None, *, is_key: bool = False
) -> None:
    """Say what does not fit the column, before anything is changed."""
    name = workspace.columns[number].name
    if not is_key and not plan_draft.role_of(workspace.document, name).startswith("key"):
        fail("R10", "the column is not a key.", "Give it the role of a key first.")
    if given is not None and values_file(workspace.folder, number).exists():
        try:
            preview(workspace, number, given)
        except DiscreetError as error:
            raise _Unfit(error.problems, unmatched(workspace, number, given)) from error


def _keep(workspace: Workspace, number: int, given: dict[str, Any] | None) -> None:
    name = workspace.columns[number].name
    workspace.change(lambda d: plan_draft.with_entry(d, "hierarchies", name, given))
