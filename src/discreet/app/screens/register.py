"""A register of the population, added to a table: criteria of the form can name it then.

Part of screen 2. A register is read by what looks people up in it and never shown. It keeps its
place: a table of the same name is another one.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

import discreet as ds
from discreet.app.jobs.plan_run import files_read, is_output
from discreet.app.jobs.task import WORKING
from discreet.app.screens import roles
from discreet.app.server import uploads
from discreet.app.server.pages import form_of, page, see, workspace_of
from discreet.app.server.workspaces import REGISTERS, Workspace
from discreet.errors import DiscreetError, fail

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
            view = roles.page_view(workspace) | {"problems": error.problems}
            return page(request, "roles.html", workspace, status=422, **view)
    return see(f"/w/{workspace.id}/roles#registers")


def _add(workspace: Workspace, form: FormData) -> None:
    upload = form.get("register")
    if not isinstance(upload, UploadFile) or not upload.filename:
        fail("P60", "no file was chosen.", "Choose a table of the population.")
    name = uploads.tame(upload.filename, "register.csv")
    if is_output(name):
        what = f"a release writes a file named {name}, and a register cannot have that name."
        fail("P60", what, "Give your file another name, and choose it again.")
    working = workspace.folder / WORKING
    working.mkdir(mode=0o700, exist_ok=True)
    room = Path(tempfile.mkdtemp(prefix="upload-", dir=working))
    try:
        draft = room / uploads.keep(upload.file, room, name)
        _check(workspace, draft)
        _put(workspace, draft)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _check(workspace: Workspace, draft: Path) -> None:
    """Say what is wrong with a register, before it is kept."""
    keys = workspace.document.get("roles", {}).get("keys", [])
    if not keys:
        fail("R05", "no column is a key yet.", "Give that role to columns that may be known.")
    ds.read(draft, keys=keys)


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
