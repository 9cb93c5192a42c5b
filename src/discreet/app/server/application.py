"""The application: all routes behind the guards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from discreet import font
from discreet.app.jobs.job import unknown_failure
from discreet.app.screens import (
    compare,
    data,
    explore,
    hierarchy,
    home,
    protect,
    release,
    roles,
    shared,
)
from discreet.app.server import pages
from discreet.app.server.guard import FORM_BYTES, GUARDS, HEADERS, Guard, Guarded, Secrets
from discreet.app.server.workspaces import Workspaces
from discreet.errors import DiscreetError, Problem
from discreet.reports import fragments

STATIC = Path(__file__).parents[1] / "static"
_SCREENS = (home, data, roles, hierarchy, explore, protect, compare, release, shared)
_SAID = {
    404: "This page does not exist. A table that was closed cannot be opened again.",
    405: "This address does not take such a request.",
    409: "This is not possible now.",
    413: "The upload is larger than the app allows; start it with --max-upload to raise the limit.",
    422: "The form has a value that the page does not offer, or cannot be read.",
}


def application(
    known: Secrets,
    workspaces: Workspaces,
    *,
    landing: Callable[[], str] = lambda: "/",
    most_upload: int = 200 << 20,
    guards: Mapping[str, Guard] = GUARDS,
    headers: Mapping[str, str] = HEADERS,
    most_bytes: int | None = FORM_BYTES,
) -> Guarded:
    """The app as the server runs it.

    Parameters
    ----------
    known : Secrets
    workspaces : Workspaces
    landing : function
        Where the browser is led after the token was exchanged.
    most_upload : int
        Bytes of an upload.
    guards, headers, most_bytes
        What keeps others out; tests take parts of it away.
    """
    made = Starlette(
        routes=_routes(most_upload if most_bytes is not None else None),
        exception_handlers={
            HTTPException: _refused,
            DiscreetError: _said,
            Exception: _failed,
        },
    )
    made.state.workspaces = workspaces
    made.state.most_upload = most_upload
    return Guarded(
        made, known, landing=landing, guards=guards, headers=headers, most_bytes=most_bytes
    )


def _routes(most_upload: int | None) -> list[BaseRoute]:
    """All routes; those that take an upload have a limit of their own."""
    found = [route for screen in _SCREENS for route in screen.routes(most_upload)]
    return [
        *found,
        Route("/static/fragments.css", _fragments_style),
        Route("/static/font/{name}", _font_file),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


def _fragments_style(_: Request) -> Response:
    faces = font.faces(font.every(), where=lambda name: f"/static/font/{name}")
    return Response(fragments.style(faces), media_type="text/css")


def _font_file(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in font.FILES:
        raise HTTPException(404)
    return FileResponse(font.FOLDER / name, media_type="font/woff2")


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = 422 if error.status_code == 400 else error.status_code  # a form that cannot be read
    said = _SAID.get(status, "This is not possible.")
    return pages.page(request, "error.html", status=status, said=[said])


def _said(request: Request, error: Exception) -> Response:
    """Errors of the library: code and sentence, which hold no cell."""
    assert isinstance(error, DiscreetError)
    return pages.page(request, "error.html", status=422, problems=error.problems, said=[])


def _failed(request: Request, error: Exception) -> Response:
    """Any other error: its type alone."""
    problem: Problem = unknown_failure(error)
    return pages.page(request, "error.html", status=500, problems=(problem,), said=[])
