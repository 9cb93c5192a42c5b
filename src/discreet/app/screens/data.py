"""Screen 1, Data: say how a file is read, look at its columns and suggested roles.

The values of a column have a page of their own: how many records have them, only of groups of
enough records. What is rarer is said by number; how many are enough can be set, five at least.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from discreet.app.forms import draft
from discreet.app.forms import source as reading
from discreet.app.forms.fields import text_in, whole_in
from discreet.app.server import projects, uploads
from discreet.app.server.pages import column_of, get, page, post, see
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError, fail, raise_all
from discreet.reports.shown_values import LEAST

MOST_FILES = 50  # that are given at once


def routes(most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        get("data", show),
        post("data", read_again),
        get("data/results", results),
        post("data/suggested", use_suggested),
        post("files", give_files, files=MOST_FILES, most_upload=most_upload),
        post("values/least", save_least),
        get("values/{column:number}", show_values),
    ]


async def show(request: Request, workspace: Workspace) -> Response:
    """The columns and their suggested roles."""
    return _page(request, workspace, "data.html")


async def results(request: Request, workspace: Workspace) -> Response:
    """The same without the frame of the page."""
    return _page(request, workspace, "data_results.html")


def _page(
    request: Request, workspace: Workspace, template: str = "data.html", **more: Any
) -> Response:
    view = {**form_view(request, workspace), **more}
    return page(request, template, workspace, status=422 if "problems" in more else 200, **view)


async def read_again(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Read the same file in another way."""
    said, source = reading.sent(form), workspace.document.get("source", {})
    try:
        return await _read(workspace, reading.options_in(said, source, workspace.names))
    except DiscreetError as error:
        return _page(request, workspace, given=said, problems=error.problems)


async def give_files(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Take files of a project or a plan that have to be chosen again."""
    given = [f for f in form.getlist("files") if isinstance(f, UploadFile) and f.filename]
    files = [(uploads.tame(one.filename, "table.csv"), one.file) for one in given]
    try:
        raise_all(await run_in_threadpool(projects.give, workspace, files))
    except DiscreetError as error:
        return _page(request, workspace, problems=error.problems)
    return see(f"/w/{workspace.id}/data")


async def use_suggested(_request: Request, workspace: Workspace, form: FormData) -> Response:
    """Take the suggested roles over, and go on; roles that were given stay unless it is said."""
    every = text_in(form, "roles") == "all"
    suggested = {column.name: column.suggested for column in workspace.columns}
    await run_in_threadpool(
        workspace.change, lambda d: draft.with_suggested(d, suggested, every=every)
    )
    return see(f"/w/{workspace.id}/roles")


async def _read(workspace: Workspace, options: dict[str, Any]) -> Response:
    def begin() -> None:
        if workspace.is_busy:
            workspace.cancel()
        workspace.change(lambda document: draft.with_source(document, options))
        workspace.begin("open")

    await run_in_threadpool(begin)
    return see(f"/w/{workspace.id}/data")


def form_view(request: Request, workspace: Workspace | None = None) -> dict[str, Any]:
    """What the form of reading needs: its fields, and what the plan says in them."""
    source: draft.Document = workspace.document.get("source", {}) if workspace else {}
    columns = workspace.names if workspace else []
    return {
        "fields": {
            name: replace(one, choices=reading.choices_of(name, source))
            for name, one in reading.FIELDS.items()
        },
        "rows": reading.ROWS if workspace else [r for r in reading.ROWS if r != ("missing_in",)],
        "given": reading.said_of(source, columns),
        "most_upload": request.app.state.most_upload,
    }


# -- the values of a column ----------------------------------------------------------------------


async def show_values(request: Request, workspace: Workspace) -> Response:
    """The groups of a column."""
    number = column_of(request, workspace)
    column = workspace.columns[number]
    view: dict[str, Any] = {
        "here": "data",
        "number": number,
        "column": column,
        "label": workspace.labels[column.name],
        "shown": column.values.shown(workspace.least) if column.values else None,
    }
    return page(request, "values.html", workspace, **view)


async def save_least(_request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep how many records a group needs to be shown, and go back to the page that asked."""
    least = whole_in(text_in(form, "least"))
    if least is None or least < LEAST:
        fail(
            "P60",
            "the number of records is not a whole number, or too small.",
            f"Write {LEAST} or more.",
        )
    await run_in_threadpool(workspace.set, "values", {"least": least})
    back = whole_in(text_in(form, "column"), len(workspace.columns))
    return see(f"/w/{workspace.id}/{'data' if back is None else f'values/{back}'}")
