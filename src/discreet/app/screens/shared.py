"""What all screens share: the job card, the banner of results out of date, what was chosen,
closing.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from discreet.app.forms.fields import text_in, whole_in
from discreet.app.forms.labels import SCREENS
from discreet.app.server.pages import CHANGED, alone, desk, get, page, post, see
from discreet.app.server.workspaces import Workspace


def routes(_most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        get("job", job),
        post("job/cancel", cancel),
        get("banner", banner),
        get("history", history),
        post("history", go_to),
        post("close", close),
    ]


async def job(request: Request, workspace: Workspace) -> Response:
    """The card of the job; when it is over, or another one has followed it, other parts of the page
    ask again.
    """
    seen = request.query_params.get("seen")
    follows = workspace.job is not None and seen not in (None, workspace.job.name)
    watched = seen is not None  # a card of a job that is over asks when something has changed
    headers = CHANGED if watched and (follows or not workspace.is_busy) else {}
    here = _screen(request.query_params.get("here"))
    return page(request, "job.html", workspace, headers=headers, here=here, says_end=True)


async def cancel(_request: Request, workspace: Workspace, form: FormData) -> Response:
    """End the job, and go back to the page that asked for it."""
    await run_in_threadpool(workspace.cancel)
    here = _screen(form.get("here"))
    return see(f"/w/{workspace.id}/{here}")


def _screen(given: object) -> str:
    """The screen that was named, if there is one."""
    return given if isinstance(given, str) and given in SCREENS else "data"


async def banner(request: Request, workspace: Workspace) -> Response:
    """What is out of date, and the marks of the steps."""
    here = _screen(request.query_params.get("here"))
    return page(request, "banner.html", workspace, here=here, apart=True)


async def history(request: Request, workspace: Workspace) -> Response:
    """What was chosen so far."""
    return page(request, "history.html", workspace)


async def go_to(_request: Request, workspace: Workspace, form: FormData) -> Response:
    """Take back what was chosen after a place in the history, or make it again."""
    await alone(workspace, _go_to, text_in(form, "place"))
    here = form.get("here")
    return see(f"/w/{workspace.id}/{'history' if here == 'history' else _screen(here)}")


def _go_to(workspace: Workspace, asked: str) -> None:
    place = whole_in(asked, len(workspace.history))
    if place is None:
        raise HTTPException(422)
    workspace.go_to(place)


async def close(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Erase everything of a table from the app; its project stays, unless that is to go too."""
    keeper, everything = workspace.keeper, text_in(form, "project") == "erase"
    await run_in_threadpool(desk(request).close, workspace)
    if keeper is not None and everything:
        await run_in_threadpool(keeper.remove)
    return page(request, "closed.html", kept=keeper is not None and not everything)
