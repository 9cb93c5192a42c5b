"""What all screens share: the job card, the banner of results out of date, what was chosen,
closing.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from discreet.app.forms.fields import text_in, whole_in
from discreet.app.forms.labels import SCREENS
from discreet.app.server.pages import CHANGED, alone, desk, form_of, page, see, workspace_of
from discreet.app.server.workspaces import Workspace


def routes(_most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        Route("/w/{workspace}/job", job),
        Route("/w/{workspace}/job/cancel", cancel, methods=["POST"]),
        Route("/w/{workspace}/banner", banner),
        Route("/w/{workspace}/history", history),
        Route("/w/{workspace}/history", go_to, methods=["POST"]),
        Route("/w/{workspace}/close", close, methods=["POST"]),
    ]


async def job(request: Request) -> Response:
    """The card of the job; when it is over, or another one has followed it, other parts of the page
    ask again.
    """
    workspace, seen = workspace_of(request), request.query_params.get("seen")
    follows = workspace.job is not None and seen not in (None, workspace.job.name)
    watched = seen is not None  # a card of a job that is over asks when something has changed
    headers = CHANGED if watched and (follows or not workspace.is_busy) else {}
    here = _screen(request.query_params.get("here"))
    return page(request, "job.html", workspace, headers=headers, here=here, says_end=True)


async def cancel(request: Request) -> Response:
    """End the job, and go back to the page that asked for it."""
    workspace = workspace_of(request)
    await run_in_threadpool(workspace.cancel)
    here = _screen((await form_of(request)).get("here"))
    return see(f"/w/{workspace.id}/{here}")


def _screen(given: object) -> str:
    """The screen that was named, if there is one."""
    return given if isinstance(given, str) and given in SCREENS else "data"


async def banner(request: Request) -> Response:
    """What is out of date, and the marks of the steps."""
    here = _screen(request.query_params.get("here"))
    return page(request, "banner.html", workspace_of(request), here=here, apart=True)


async def history(request: Request) -> Response:
    """What was chosen so far."""
    return page(request, "history.html", workspace_of(request))


async def go_to(request: Request) -> Response:
    """Take back what was chosen after a place in the history, or make it again."""
    workspace, form = workspace_of(request), await form_of(request)
    await alone(workspace, _go_to, text_in(form, "place"))
    here = form.get("here")
    return see(f"/w/{workspace.id}/{'history' if here == 'history' else _screen(here)}")


def _go_to(workspace: Workspace, asked: str) -> None:
    place = whole_in(asked, len(workspace.history))
    if place is None:
        raise HTTPException(422)
    workspace.go_to(place)


async def close(request: Request) -> Response:
    """Erase everything of a table from the app; its project stays, unless that is to go too."""
    workspace, form = workspace_of(request), await form_of(request)
    keeper, everything = workspace.keeper, text_in(form, "project") == "erase"
    await run_in_threadpool(desk(request).close, workspace)
    if keeper is not None and everything:
        await run_in_threadpool(keeper.remove)
    return page(request, "closed.html", kept=keeper is not None and not everything)
