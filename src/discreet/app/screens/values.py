"""The values of a column: how many records have them, only of groups of enough records.

Part of screen 1, one page per column. What is rarer is said by number; how many are enough can be
set, five at least.
"""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from discreet.app.forms.fields import text_in
from discreet.app.server.pages import column_of, form_of, page, see, workspace_of
from discreet.errors import fail
from discreet.reports.shown_values import LEAST

_DIGITS = 9


def routes(_most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    at = "/w/{workspace}/values"
    return [
        Route(f"{at}/least", save_least, methods=["POST"]),
        Route(f"{at}/{{column:number}}", show),
    ]


async def show(request: Request) -> Response:
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
    asked, back = text_in(form, "least"), text_in(form, "column")
    if not asked.isdecimal() or len(asked) > _DIGITS or int(asked) < LEAST:
        fail(
            "P60",
            "the number of records is not a whole number, or too small.",
            f"Write {LEAST} or more.",
        )
    await run_in_threadpool(workspace.set, "values", {"least": int(asked)})
    known = back.isdecimal() and len(back) <= _DIGITS and int(back) < len(workspace.columns)
    return see(f"/w/{workspace.id}/{f'values/{int(back)}' if known else 'data'}")
