"""Pages: templates filled in, answers to forms, and which screens there are."""

from __future__ import annotations

import functools
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

import discreet as ds
from discreet.app.forms.labels import LOSS, NODE_LOSS, SCREENS, TERMS, in_words
from discreet.app.jobs.tasks import WORK
from discreet.app.server import checklist, runs
from discreet.app.server.workspaces import RELEASE
from discreet.reports import fragments
from discreet.reports.names import shortened
from discreet.reports.sentences import short
from discreet.words import counted

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette._utils import AwaitableOrContextManager
    from starlette.datastructures import FormData
    from starlette.requests import Request

    from discreet.app.server.workspaces import Workspace, Workspaces
    from discreet.errors import DiscreetError

Given = ParamSpec("Given")
Found = TypeVar("Found")
TEMPLATES = Path(__file__).parents[1] / "templates"
CHANGED = {"HX-Trigger": "changed"}  # parts of the page that depend on the plan ask again
MOST_FIELDS = 10_000


class Number(Convertor[int]):
    """A number in an address: more digits than any has are no address of ours."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Its digits."""
        return str(value)


register_url_convertor("number", Number())


def saying(error: DiscreetError | None = None, *, changed: bool = False) -> Mapping[str, str]:
    """Headers that have the page say that a field was saved, or all that is wrong with it."""
    wrong = " ".join(in_words(problem) for problem in error.problems) if error else ""
    said = {"said": f"Not saved: {wrong}" if error else "Saved."}
    return {"HX-Trigger": json.dumps(({"changed": ""} if changed else {}) | said)}


@dataclass(frozen=True)
class StepState:
    """How far a step is: a shape, and words."""

    name: str
    mark: str
    words: str


DONE = StepState("done", "✓", "done")
LATE = StepState("late", "!", "out of date")
NOTHING = StepState("nothing", "○", "nothing yet")


def states_of(workspace: Workspace) -> dict[str, StepState]:
    """How far each step is: by what was found there, and for Compare by the candidate.

    Of each kind of work that was done there, something must be up to date.
    """
    found: dict[str, dict[str, bool]] = {path: {} for path in SCREENS}
    for slot, result in workspace.results.items():
        told = found[WORK[result.work].screen]
        told[result.work] = told.get(result.work, False) or workspace.is_current(slot)
    kept = runs.candidate(workspace)
    if kept is not None:
        found["compare"]["protect"] = kept.current
    if found["release"]:
        found["release"][RELEASE] = kept is not None and checklist.is_made(workspace, kept)
    return {
        path: NOTHING if not told else DONE if all(told.values()) else LATE
        for path, told in found.items()
    }


@functools.cache
def environment() -> Environment:
    """The templates of the app, and the blocks of the report; all that is put in is escaped."""
    from jinja2 import ChoiceLoader, FileSystemLoader

    shared = fragments.environment()
    assert shared.loader is not None
    made = shared.overlay(loader=ChoiceLoader([FileSystemLoader(TEMPLATES), shared.loader]))
    made.filters |= {"short": shortened, "in_words": in_words, "counted": counted}
    made.globals |= {"screens": SCREENS, "version": ds.__version__}
    made.globals |= {"terms": TERMS}
    made.globals |= {"loss_name": short(LOSS), "node_loss_name": short(NODE_LOSS)}
    return made


def page(
    request: Request,
    template: str,
    workspace: Workspace | None = None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> Response:
    """A page, or a part of one, with what every page needs."""
    here = request.url.path.split("/")[3] if workspace is not None else ""
    known: dict[str, Any] = {"workspace": workspace, "here": here, "problems": ()}
    if workspace is not None:
        known |= {"states": states_of(workspace), "apart": False}
    if workspace is not None and workspace.job is not None:
        known["says_end"] = WORK[workspace.job.name].screen == here  # of a job, on its own page
    text = environment().get_template(template).render({**known, **context})
    return HTMLResponse(text, status, headers)


def showing(
    template: str, view: Callable[[Workspace], Mapping[str, Any]], *, needs_table: bool = False
) -> Callable[[Request, Workspace], Awaitable[Response]]:
    """The answer that is a page, or a part of one, and only shows a workspace; where it needs a
    table that was read and there is none, it leads to the page Data.
    """

    async def show(request: Request, workspace: Workspace) -> Response:
        if needs_table and workspace.table is None:
            return see(f"/w/{workspace.id}/data")
        return page(request, template, workspace, **view(workspace))

    return show


def get(path: str, answer: Callable[[Request, Workspace], Awaitable[Response]]) -> Route:
    """A route below the address of a workspace that changes nothing."""

    async def asked(request: Request) -> Response:
        return await answer(request, workspace_of(request))

    return Route(f"/w/{{workspace}}/{path}", asked)


def post(
    path: str,
    answer: Callable[[Request, Workspace, FormData], Awaitable[Response]],
    *,
    files: int = 0,
    most_upload: int | None = None,
) -> Route:
    """A route below the address of a workspace that takes a form: so many files, and as large as
    they may be.
    """

    async def sent(request: Request) -> Response:
        workspace = workspace_of(request)
        async with form_of(request, files=files) as form:
            return await answer(request, workspace, form)

    return Route(f"/w/{{workspace}}/{path}", sent, methods=["POST"], max_body_size=most_upload)


async def alone(
    workspace: Workspace,
    do: Callable[Concatenate[Workspace, Given], Found],
    *given: Given.args,
    **options: Given.kwargs,
) -> Found:
    """Do something with a workspace in a thread, while no other request and no job changes it: what
    was read of its plan and settings still holds when they are changed.
    """

    def locked() -> Found:
        with workspace.lock:
            return do(workspace, *given, **options)

    return await run_in_threadpool(locked)


def see(path: str) -> Response:
    """Lead on after a form."""
    return RedirectResponse(path, 303)


def desk(request: Request) -> Workspaces:
    """The workspaces of this app."""
    return request.app.state.workspaces


def workspace_of(request: Request) -> Workspace:
    """The workspace in the address; one that is not there is not found."""
    found = desk(request).get(request.path_params["workspace"])
    if found is None:
        raise HTTPException(404)
    return found


def column_of(request: Request, workspace: Workspace) -> int:
    """The number of the column in the address."""
    number = int(request.path_params["column"])
    if number >= len(workspace.columns):
        raise HTTPException(404)
    return number


def form_of(request: Request, *, files: int = 0) -> AwaitableOrContextManager[FormData]:
    """The fields of a form, to be awaited; with a file, as a context that closes it."""
    return request.form(max_files=files, max_fields=MOST_FIELDS)


def chosen(form: FormData, name: str, allowed: Mapping[str, Any] | tuple[str, ...]) -> str:
    """The field of a choice; what a page does not offer is refused."""
    given = form.get(name)
    if not isinstance(given, str) or given not in allowed:
        raise HTTPException(422)
    return given
