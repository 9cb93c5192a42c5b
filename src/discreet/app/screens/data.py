"""Screen 1, Data: say how a file is read, look at its columns and suggested roles.

The values of a column have a page of their own: how many records have them, only of groups of
enough records. What is rarer is said by number; how many are enough can be set, five at least.
"""

from __future__ import annotations

import csv
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from discreet.app.forms import draft
from discreet.app.forms.fields import text_in, whole_in
from discreet.app.server import projects, uploads
from discreet.app.server.pages import chosen, column_of, form_of, page, see, workspace_of
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError, fail, raise_all
from discreet.reports.shown_values import LEAST

PATH = "data"
MOST_FILES = 50  # that are given at once
SEPARATORS = {"": "find out", ",": "comma", ";": "semicolon", "tab": "tab", "|": "bar |"}
ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
    "utf-16": "UTF-16",
}
FIRST_LINES = {
    "": "holds the names of the columns",
    "yes": "holds the names, although there are numbers among them",
    "no": "is a record; the names are given here:",
}


def routes(most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        Route("/w/{workspace}/data", show),
        Route("/w/{workspace}/data", read_again, methods=["POST"]),
        Route("/w/{workspace}/data/results", results),
        Route("/w/{workspace}/data/suggested", use_suggested, methods=["POST"]),
        Route("/w/{workspace}/files", give_files, methods=["POST"], max_body_size=most_upload),
        Route("/w/{workspace}/values/least", save_least, methods=["POST"]),
        Route("/w/{workspace}/values/{column:number}", show_values),
    ]


async def show(request: Request) -> Response:
    """The columns and their suggested roles."""
    return _page(request, "data.html")


async def results(request: Request) -> Response:
    """The same without the frame of the page."""
    return _page(request, "data_results.html")


def _page(request: Request, template: str = "data.html", **more: Any) -> Response:
    workspace = workspace_of(request)
    view = {**form_view(request), "given": _given(workspace), **more}
    return page(request, template, workspace, status=422 if "problems" in more else 200, **view)


async def read_again(request: Request) -> Response:
    """Read the same file in another way."""
    workspace = workspace_of(request)
    form = await form_of(request)
    try:
        return await _read(workspace, options_in(form))
    except DiscreetError as error:
        return _page(request, given=form_again(form), problems=error.problems)


async def give_files(request: Request) -> Response:
    """Take files of a project or a plan that have to be chosen again."""
    workspace = workspace_of(request)
    async with form_of(request, files=MOST_FILES) as form:
        given = [f for f in form.getlist("files") if isinstance(f, UploadFile) and f.filename]
        files = [(uploads.tame(one.filename, "table.csv"), one.file) for one in given]
        try:
            raise_all(await run_in_threadpool(projects.give, workspace, files))
        except DiscreetError as error:
            return _page(request, problems=error.problems)
    return see(f"/w/{workspace.id}/data")


async def use_suggested(request: Request) -> Response:
    """Take the suggested roles over, and go on; roles that were given stay unless it is said."""
    workspace = workspace_of(request)
    every = text_in(await form_of(request), "roles") == "all"
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


def form_view(request: Request) -> dict[str, Any]:
    """What the form of reading needs."""
    most = request.app.state.most_upload
    return {
        "separators": SEPARATORS,
        "encodings": ENCODINGS,
        "first_lines": FIRST_LINES,
        "most_upload": most,
    }


def options_in(form: FormData) -> dict[str, Any]:
    """The options of reading, the usual left out."""
    separator = chosen(form, "separator", SEPARATORS)
    encoding = chosen(form, "encoding", ENCODINGS)
    header = chosen(form, "header", FIRST_LINES)
    names = _listed(text_in(form, "names"))
    if header == "no" and not names:
        fail("P60", "the columns have no names.", "Write them, separated by commas.")
    options = {
        "separator": "\t" if separator == "tab" else separator,
        "encoding": "" if encoding == "utf-8" else encoding,
        "missing_values": _listed(text_in(form, "missing_values")),
        "names": names if header == "no" else [],
        "header": header == "yes",
        "decimal": "," if text_in(form, "decimal") == "," else "",
        "date_format": text_in(form, "date_format"),
        "sheet": int(sheet) if (sheet := text_in(form, "sheet")).isdecimal() else sheet,
    }
    return {name: given for name, given in options.items() if given}


def form_again(form: FormData) -> dict[str, str]:
    """The form as it was sent."""
    fields = (
        *("separator", "encoding", "header", "missing_values", "names"),
        *("decimal", "date_format", "sheet"),
    )
    return {name: text_in(form, name) for name in fields}


def _listed(text: str) -> list[str]:
    """Words separated by commas; one with a comma stands in double quotes."""
    try:
        rows = list(csv.reader([text], skipinitialspace=True))
    except csv.Error:
        fail("P60", "a list cannot be read.", "Separate its words by commas, on one line.")
    return [word.strip() for row in rows for word in row if word.strip()]


def _given(workspace: Workspace) -> dict[str, str]:
    """The form as the plan has it."""
    source = workspace.document.get("source", {})
    names = source.get("names", [])
    codes = source.get("missing_values", [])
    return {
        "separator": "tab" if source.get("separator") == "\t" else source.get("separator", ""),
        "encoding": source.get("encoding", "utf-8"),
        "missing_values": ", ".join(map(_quoted, codes)),
        "header": "no" if names else "yes" if source.get("header") else "",
        "names": ", ".join(map(_quoted, names)),
        "decimal": source.get("decimal", ""),
        "date_format": source.get("date_format", ""),
        "sheet": str(source.get("sheet", "")),
    }


def _quoted(word: str) -> str:
    return '"{}"'.format(word.replace('"', '""')) if "," in word or '"' in word else word


# -- the values of a column ----------------------------------------------------------------------


async def show_values(request: Request) -> Response:
    """The groups of a column."""
    workspace = workspace_of(request)
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


async def save_least(request: Request) -> Response:
    """Keep how many records a group needs to be shown, and go back to the page that asked."""
    workspace = workspace_of(request)
    form = await form_of(request)
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
