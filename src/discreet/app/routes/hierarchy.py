"""The hierarchy of a key: a builder with its parameters, or a file as ARX writes it.

Part of screen 2, one page per column. The preview is a GET, for it changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from discreet.app import drafting, uploads
from discreet.app.pages import column_of, form_of, page, see, workspace_of
from discreet.app.previewing import preview
from discreet.app.stepping import (
    BUILDERS,
    PARTS,
    UNMAPPED,
    fields_of,
    form_of_hierarchy,
    hierarchy_in,
)
from discreet.app.work.reading import values_file
from discreet.app.workspaces import Workspace
from discreet.errors import DiscreetError, Problem, fail


def routes(most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    at = "/w/{workspace}/hierarchy/{column:int}"
    return [
        Route(at, show),
        Route(at, save, methods=["POST"], max_body_size=most_upload),
        Route(f"{at}/preview", show_preview),
    ]


async def show(request: Request) -> Response:
    """The form, and what the hierarchy of the plan makes of the values."""
    workspace = workspace_of(request)
    name = workspace.columns[column_of(request, workspace)].name
    saved = workspace.document.get("hierarchies", {}).get(name)
    return await _page(request, workspace, form_of_hierarchy(saved), saved)


async def show_preview(request: Request) -> Response:
    """What the hierarchy of the form makes of the values; nothing is kept."""
    workspace = workspace_of(request)
    number = column_of(request, workspace)
    levels, problems = await run_in_threadpool(_tried, workspace, number, request.query_params)
    view = {"levels": levels, "problems": problems}
    return page(request, "hierarchy_preview.html", workspace, **view)


async def save(request: Request) -> Response:
    """Keep the hierarchy in the plan, when it fits the values."""
    workspace = workspace_of(request)
    number = column_of(request, workspace)
    async with form_of(request, files=1) as form:
        try:
            await run_in_threadpool(_save, workspace, number, form)
        except DiscreetError as error:
            return await _page(request, workspace, fields_of(form), None, error.problems)
    return see(f"/w/{workspace.id}/roles#row-{number}")


async def _page(
    request: Request,
    workspace: Workspace,
    form: Mapping[str, Any],
    given: Mapping[str, Any] | None,
    problems: tuple[Problem, ...] = (),
) -> Response:
    number = column_of(request, workspace)
    levels = await run_in_threadpool(_shown, workspace, number, given) if given else None
    view: dict[str, Any] = {
        "here": "roles",
        "number": number,
        "column": workspace.columns[number],
        "label": workspace.labels[workspace.columns[number].name],
        "builders": BUILDERS,
        "parts": PARTS,
        "unmapped": UNMAPPED,
        "form": form,
        "saved_file": _saved_file(workspace, number),
        "levels": levels,
        "problems": problems,
    }
    status = 422 if problems else 200
    return page(request, "hierarchy.html", workspace, status=status, **view)


def _saved_file(workspace: Workspace, number: int) -> str | None:
    name = workspace.columns[number].name
    return workspace.document.get("hierarchies", {}).get(name, {}).get("file")


def _tried(workspace: Workspace, number: int, form: Any) -> tuple[Any, tuple[Problem, ...]]:
    try:
        given = hierarchy_in(fields_of(form), _saved_file(workspace, number))
        return (_fitted(workspace, number, given) if given else None), ()
    except DiscreetError as error:
        return None, error.problems


def _shown(workspace: Workspace, number: int, given: Mapping[str, Any]) -> Any:
    """The preview of what the plan has; none where the values are too many."""
    try:
        return _fitted(workspace, number, given)
    except DiscreetError:
        return None


def _fitted(workspace: Workspace, number: int, given: Mapping[str, Any]) -> Any:
    return preview(workspace.folder, number, workspace.columns[number].name, given)


def _save(workspace: Workspace, number: int, form: FormData) -> None:
    upload, fields = form.get("file"), fields_of(form)
    if fields["builder"] != "file" or not isinstance(upload, UploadFile) or not upload.filename:
        _keep(workspace, number, hierarchy_in(fields, _saved_file(workspace, number)))
        return
    name = uploads.tame(upload.filename, "hierarchy.csv")
    kept = uploads.keep(upload.file, workspace.folder, name)
    try:
        _keep(workspace, number, hierarchy_in(fields, kept))
    except DiscreetError:
        (workspace.folder / kept).unlink()
        raise


def _keep(workspace: Workspace, number: int, given: dict[str, Any] | None) -> None:
    """Change the plan; what does not fit the values is said before."""
    name = workspace.columns[number].name
    if not drafting.role_of(workspace.document, name).startswith("key"):
        fail("R10", "the column is not a key.", "Give it the role of a key first.")
    if given is not None and values_file(workspace.folder, number).exists():
        _fitted(workspace, number, given)
    workspace.change(lambda d: drafting.with_entry(d, "hierarchies", name, given))
