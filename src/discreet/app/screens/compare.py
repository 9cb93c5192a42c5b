"""Screen 5, Compare: all runs beside each other, and one of them becomes the candidate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from discreet.app.forms.fields import text_in
from discreet.app.screens.run_map import map_of
from discreet.app.server import runs
from discreet.app.server.pages import alone, form_of, page, see, workspace_of
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError

PATH = "compare"


def routes(_most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    at = "/w/{workspace}/compare"
    return [
        Route(at, show),
        Route(f"{at}/{{run:number}}", show),
        Route(f"{at}/{{run:number}}/choose", choose, methods=["POST"]),
        Route(f"{at}/{{run:number}}/remove", remove, methods=["POST"]),
        Route(f"{at}/{{run:number}}/name", rename, methods=["POST"]),
        Route(f"{at}/{{run:number}}/duplicate", duplicate, methods=["POST"]),
        Route(f"{at}/{{run:number}}/again", run_again, methods=["POST"]),
    ]


async def show(request: Request) -> Response:
    """All runs, and one of them in detail: the one named, the candidate, or the last."""
    workspace = workspace_of(request)
    if workspace.table is None:
        return see(f"/w/{workspace.id}/data")
    return page(request, "compare.html", workspace, **_view(workspace, _number(request)))


async def choose(request: Request) -> Response:
    """Make a run the candidate for release."""
    onward = text_in(await form_of(request), "onward") == "release"
    return await _done(request, runs.choose, onward="release" if onward else "")


async def rename(request: Request) -> Response:
    """Give a run a name."""
    name = text_in(await form_of(request), "name")
    return await _done(request, lambda workspace, kept: runs.rename(workspace, kept, name))


async def duplicate(request: Request) -> Response:
    """Go on from the steps of a run."""
    return await _done(request, runs.duplicate, onward="protect#chain")


async def run_again(request: Request) -> Response:
    """Work out the details of a run once more."""
    return await _done(request, runs.run_again)


async def _done(
    request: Request, do: Callable[[Workspace, runs.Kept], None], *, onward: str = ""
) -> Response:
    """Do something with a run, and lead on, or say why it cannot be done."""
    workspace, number = workspace_of(request), int(request.path_params["run"])
    try:
        await alone(workspace, lambda own: do(own, runs.run_of(own, number)))
    except DiscreetError as error:
        view = _view(workspace, number) | {"problems": error.problems}
        return page(request, "compare.html", workspace, status=409, **view)
    return see(f"/w/{workspace.id}/{onward or f'compare/{number}'}")


async def remove(request: Request) -> Response:
    """Erase a run."""
    return await _done(request, runs.remove, onward="compare")


def _number(request: Request) -> int | None:
    given = request.path_params.get("run")
    return None if given is None else int(given)


def _view(workspace: Workspace, number: int | None) -> dict[str, Any]:
    found = runs.runs_of(workspace)
    shown = runs.run_of(workspace, number) if number is not None else _usual(found)
    current = [kept for kept in found if kept.current]
    base = next(reversed(current or found), None)  # whose initial figures are those of now
    drawn = map_of(found, shown, base)
    return {"runs": found, "rows": _rows(found), "shown": shown, "base": base, "map": drawn}


def _rows(found: list[runs.Kept]) -> list[list[runs.Kept]]:
    """The rows of the table: runs with the same outcome are one, the candidate in front."""
    rows: list[list[runs.Kept]] = []
    for kept in found:
        same = next((row for row in rows if row[0].equals(kept)), None)
        if same is None:
            rows.append([kept])
        else:
            same.insert(0 if kept.chosen else len(same), kept)
    return rows


def _usual(found: list[runs.Kept]) -> runs.Kept | None:
    chosen = [kept for kept in found if kept.chosen]
    return next(reversed(chosen or found), None)
