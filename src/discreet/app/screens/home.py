"""The first page: go on with a project, open a table or a plan, or try the app with an example.

Which tables are open and which projects there are is told below an address that only the launch
link leads to. The page for everyone else who has the cookie does not list them.
"""

from __future__ import annotations

import time
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from discreet.app.forms import source as reading
from discreet.app.forms.fields import text_in
from discreet.app.screens.data import form_view
from discreet.app.server import projects, uploads
from discreet.app.server.guard import HOME
from discreet.app.server.pages import desk, form_of, page, see
from discreet.app.server.project_files import ListedProject
from discreet.app.server.workspaces import Workspace, Workspaces
from discreet.errors import DiscreetError, Problem, fail


def routes(most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    at = f"{HOME}{{secret}}"
    return [
        Route("/", show),
        Route("/open", open_file, methods=["POST"], max_body_size=most_upload),
        Route("/example", open_example, methods=["POST"]),
        Route(at, show_all),
        Route(f"{at}/continue", go_on, methods=["POST"]),
        Route(f"{at}/remove", remove, methods=["POST"]),
    ]


async def show(request: Request) -> Response:
    """The ways in. Neither tables nor projects are listed."""
    return _page(request)


async def show_all(request: Request) -> Response:
    """The same with all tables and projects."""
    return await _listed(request)


async def open_file(request: Request) -> Response:
    """Take an upload: a table is read, a plan asks for its table."""
    async with form_of(request, files=1) as form:
        try:
            workspace = await run_in_threadpool(_opened, desk(request), form)
        except DiscreetError as error:
            return _page(request, given=reading.sent(form), told=True, problems=error.problems)
    return see(f"/w/{workspace.id}/data")


def _opened(all_: Workspaces, form: FormData) -> Workspace:
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        fail("P60", "no file was chosen.", "Choose a table or a plan.")
    name = uploads.tame(file.filename, "table.csv")
    options = {} if projects.is_plan(name) else reading.options_in(reading.sent(form), {})
    return projects.open_upload(all_, file.file, name, options)


async def open_example(request: Request) -> Response:
    """Open simulated patients."""
    try:
        workspace = await run_in_threadpool(projects.open_example, desk(request))
    except DiscreetError as error:
        return _page(request, problems=error.problems)
    return see(f"/w/{workspace.id}/data")


async def go_on(request: Request) -> Response:
    """Take a project up; one that is open already is led to."""
    given = text_in(await form_of(request), "project")
    for workspace in desk(request).all:
        if _project_of(workspace) == given:
            return see(f"/w/{workspace.id}/data")
    try:
        workspace = await run_in_threadpool(projects.open_project, desk(request), given)
    except DiscreetError as error:
        return await _listed(request, error.problems)
    return see(f"/w/{workspace.id}/data")


async def remove(request: Request) -> Response:
    """Erase a project that is not open."""
    given, all_ = text_in(await form_of(request), "project"), desk(request)
    opened = [_project_of(workspace) for workspace in all_.all]
    if all_.projects is not None and given not in opened:
        for one in await run_in_threadpool(all_.projects.listed):
            if one.id == given:
                all_.projects.remove(one.place)
    return see(request.url.path.rpartition("/")[0])


async def _listed(request: Request, problems: tuple[Problem, ...] = ()) -> Response:
    all_ = desk(request)
    folder = all_.projects
    known = await run_in_threadpool(folder.listed) if folder is not None else []
    opened = {_project_of(workspace) for workspace in all_.all}
    return _page(
        request,
        listing=request.url.path.removesuffix("/continue"),
        tables=[workspace for workspace in all_.all if workspace.name],
        projects=[_shown(one) for one in known if one.id not in opened],
        problems=problems,
    )


def _page(request: Request, **view: Any) -> Response:
    usual: dict[str, Any] = {"listing": "", "tables": [], "projects": [], "told": False}
    status = 422 if view.get("problems") else 200
    return page(request, "home.html", status=status, **{**form_view(request), **usual, **view})


def _project_of(workspace: Workspace) -> str:
    return workspace.keeper.id if workspace.keeper is not None else ""


def _shown(one: ListedProject) -> dict[str, Any]:
    """A project as the page has it: names and numbers."""
    content = one.content
    return {
        "id": one.id,
        "name": content.get("name", one.place.name),
        "records": content.get("records"),
        "runs": len(content.get("runs", ())),
        "asks": not ("path" in content or content.get("example")),
        "saved": time.strftime("%Y-%m-%d %H:%M", time.localtime(one.saved)),
        "problem": one.problem,
    }
