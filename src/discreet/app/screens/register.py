"""A register of the population, added to a table: criteria of the form can name it then.

Part of screen 2. A register is read by what looks people up in it and never shown. It keeps its
place: a table of the same name is another one.
"""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

import discreet as ds
from discreet.app.jobs.plan_run import files_read
from discreet.app.screens import roles
from discreet.app.server import uploads
from discreet.app.server.pages import form_of, see, workspace_of
from discreet.app.server.workspaces import REGISTERS, Workspace
from discreet.errors import DiscreetError, fail, listed

_MOST = 20  # registers of a table


def routes(most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    at = "/w/{workspace}/roles/register"
    return [Route(at, add, methods=["POST"], max_body_size=most_upload)]


async def add(request: Request) -> Response:
    """Keep a table that was sent, if it has the keys."""
    workspace = workspace_of(request)
    async with form_of(request, files=1) as form:
        try:
            await run_in_threadpool(_add, workspace, form)
        except DiscreetError as error:
            return roles.page_again(request, error)
    return see(f"/w/{workspace.id}/roles#registers")


def _add(workspace: Workspace, form: FormData) -> None:
    upload = form.get("register")
    if not isinstance(upload, UploadFile) or not upload.filename:
        fail("P60", "no file was chosen.", "Choose a table of the population.")
    name = uploads.tame(upload.filename, "register.csv")
    with uploads.drafted(upload.file, workspace.folder, name, "register") as draft:
        _check(workspace, draft)
        _put(workspace, draft)


def _check(workspace: Workspace, draft: Path) -> None:
    """Say what is wrong with a register, before it is kept."""
    if not workspace.keys:
        fail("R05", "no column is a key yet.", "Give that role to columns that may be known.")
    columns = ds.read(draft).columns
    absent = [name for name in workspace.keys if name not in columns]
    if absent:
        what = f"{draft.name} has no column {listed(absent)}."
        fail("R01", what, "A register has all keys, by the same names.")


def _put(workspace: Workspace, draft: Path) -> None:
    with workspace.lock:
        if len(workspace.registers) >= _MOST:
            fail(
                "P60",
                f"a table can have at most {_MOST} registers.",
                "Name one of those in the list.",
            )
        taken = [workspace.name, *files_read(workspace.document), *workspace.registers]
        name = uploads.unlike(draft.name, taken)
        workspace.keep_file(draft, name)
        workspace.set(REGISTERS, [*workspace.registers, name])
