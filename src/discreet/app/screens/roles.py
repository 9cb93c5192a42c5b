"""Screen 2, Roles and risk: what each column is to an intruder, and who could be recognised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

import discreet as ds
from discreet.app.forms import criterion as criterion_form
from discreet.app.forms import draft
from discreet.app.forms import measures as measure_form
from discreet.app.forms.fields import Reading, shown, text_in
from discreet.app.forms.hierarchy import called
from discreet.app.forms.record_risk import asked_of, settings_in
from discreet.app.forms.source import MISSING
from discreet.app.jobs.lattice import refused
from discreet.app.jobs.plan_run import files_read
from discreet.app.jobs.table import TableColumn
from discreet.app.server import uploads
from discreet.app.server.pages import (
    alone,
    chosen,
    column_of,
    get,
    page,
    post,
    saying,
    see,
    showing,
)
from discreet.app.server.workspaces import REGISTERS, Workspace
from discreet.errors import DiscreetError, fail, listed, raise_all
from discreet.registry import maskings, measures
from discreet.words import counted

ROLE_WORDS = {
    "other": "no role",
    "identifier": "identifier: names a person",
    "key": "key: may be known",
    "confidential": "confidential",
    "key + confidential": "key and confidential",
    "weight": "sampling weight",
    "record id": "record id",
    "household": "household: who lives together",
    "subject": "subject: a person with several records",
}

_COUNTED = {"keys": "key", "confidential": "confidential attribute", "identifiers": "identifier"}
_MOST_REGISTERS = 20  # of a table
RELEASED = {"all": "the whole table", "sample": "a random sample"}


def routes(most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        get("roles", showing("roles.html", page_view, needs_table=True)),
        post("roles", save_all),
        get(
            "roles/results",
            showing("roles_results.html", lambda w: _summary(w) | {"renewed": True}),
        ),
        post("roles/wanted", save_wanted),
        post("roles/measure", measure),
        post("roles/record-risk", measure_records),
        post("roles/measures", measure_more),
        post("roles/missing", save_missing),
        post("roles/many", save_many),
        post("roles/register", add_register, files=1, most_upload=most_upload),
        get("roles/hierarchies", showing("roles_hierarchies.html", _summary)),
        post("roles/{column:number}", save),
    ]


async def save(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Role and type of one column; the answer is its row."""
    number = column_of(request, workspace)
    try:
        await run_in_threadpool(workspace.change, lambda d: _edited(d, workspace, number, form))
        headers = saying(changed=True)
    except DiscreetError as error:
        headers = saying(error, changed=True)
    row = _row(workspace, number)
    if form.get(f"type-{number}") == "ordinal":  # its scale may be still to come
        row["type"] = "ordinal"
    view: dict[str, Any] = {"row": row, "role_words": ROLE_WORDS}
    return page(request, "roles_row.html", workspace, headers=headers, **view)


async def save_many(_request: Request, workspace: Workspace, form: FormData) -> Response:
    """One role for all columns that are ticked."""
    role, order = chosen(form, "many", draft.ROLES), workspace.names
    picked = [text for text in form.getlist("pick") if isinstance(text, str)]
    if not picked:
        fail("P60", "no column is ticked.", "Tick the columns that get the role.")
    known = {str(number): name for number, name in enumerate(order)}
    if not set(picked) <= set(known):
        raise HTTPException(422)

    def edit(document: draft.Document) -> draft.Document:
        for number in picked:
            document = draft.with_role(document, known[number], role, order)
        return document

    await run_in_threadpool(workspace.change, edit)
    return see(f"/w/{workspace.id}/roles")


async def save_all(_request: Request, workspace: Workspace, form: FormData) -> Response:
    """All rows at once, for a browser without scripts."""

    def edit(document: draft.Document) -> draft.Document:
        for number in range(len(workspace.columns)):
            document = _edited(document, workspace, number, form)
        return document

    await run_in_threadpool(workspace.change, edit)
    return see(f"/w/{workspace.id}/roles")


async def save_missing(request: Request, workspace: Workspace, form: FormData) -> Response:
    """What a missing value is taken for."""
    policy = chosen(form, "missing", MISSING)
    await run_in_threadpool(workspace.change, lambda d: draft.with_missing(d, policy))
    if "hx-request" not in request.headers:
        return see(f"/w/{workspace.id}/roles")
    return Response(status_code=204, headers=saying(changed=True))


async def save_wanted(_request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep what is wanted as soon as a field is left; nothing is measured."""
    try:
        await alone(workspace, _keep_wanted, form)
        headers = saying(changed=True)
    except DiscreetError as error:
        headers = saying(error)
    return Response(status_code=204, headers=headers)


def _keep_wanted(workspace: Workspace, form: FormData) -> None:
    criterion, asked = _wanted(workspace, form)
    workspace.change(lambda d: draft.with_steps(d, d.get("steps", []), criterion))
    measured = workspace.settings.get("risk", {})
    others = {name: said for name, said in measured.items() if name != "share"}
    if others | asked != measured:
        workspace.set("risk", others | asked)


async def measure(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep what is wanted in the plan, and start measuring the risk by classes."""
    try:
        await alone(workspace, _measure, form)
    except DiscreetError as error:
        must = workspace.must(criterion_form.sent(form, workspace.names))
        sent = {name: text_in(form, name) for name in ("released", "share")}
        return page_again(request, workspace, error, must=must, **sent)
    return see(f"/w/{workspace.id}/roles#job")


def _measure(workspace: Workspace, form: FormData) -> None:
    _keep_wanted(workspace, form)
    workspace.begin("risk")


def _wanted(workspace: Workspace, form: FormData) -> tuple[Any, dict[str, Any]]:
    """What must hold, and the share of a sample; a form without fields leaves both as they are."""
    if not form:
        return workspace.document.get("criterion", {}), workspace.settings.get("risk", {})
    criterion, problems = workspace.criterion_in(criterion_form.sent(form, workspace.names))
    problems = [*problems, *criterion_form.aimless(criterion, workspace.confidential)]
    asked: dict[str, Any] = {}
    if chosen(form, "released", RELEASED) == "sample":
        reading = Reading("What is released", (), problems)
        fraction = maskings["sample"].parameters["fraction"]
        asked = {"share": reading.value(fraction, text_in(form, "share"))}
    raise_all(problems)
    return criterion, asked


async def measure_records(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep the settings of the record risk, and start measuring."""
    try:
        await alone(workspace, _measure_records, form)
    except DiscreetError as error:
        sent = {name: text_in(form, name) for name in asked_of(workspace)}
        return page_again(request, workspace, error, asked=sent, sent=True)
    return see(f"/w/{workspace.id}/roles#job")


def _measure_records(workspace: Workspace, form: FormData) -> None:
    workspace.set("record_risk", settings_in(form, workspace))
    workspace.begin("record_risk")


async def measure_more(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep the further measures in the plan, and take those that look at one table."""
    said = measure_form.sent(form, workspace.names)
    try:
        await alone(workspace, _measure_more, said)
    except DiscreetError as error:
        return page_again(
            request, workspace, error, further=measure_form.drawn(said), further_sent=True
        )
    return see(f"/w/{workspace.id}/roles#job")


def _measure_more(workspace: Workspace, said: measure_form.Said) -> None:
    before = workspace.document.get("measures", {})
    asked, problems = measure_form.measures_in(said, before, workspace.names)
    raise_all(problems)
    workspace.change(lambda d: draft.with_measures(d, asked))
    if any(measures[name].of == "file" for name in asked):
        workspace.begin("measures")


def _edited(
    document: draft.Document, workspace: Workspace, number: int, form: FormData
) -> draft.Document:
    """The plan after the role, type and scale of a column."""
    column, order = workspace.columns[number], [c.name for c in workspace.columns]
    role = chosen(form, f"role-{number}", draft.ROLES)
    kind = chosen(form, f"type-{number}", ("", *types_for(column)))
    scale = [line.strip() for line in text_in(form, f"scale-{number}").splitlines() if line.strip()]
    given: Any = None if kind == "" or (kind == "ordinal" and not scale) else kind
    document = draft.with_role(document, column.name, role, order)
    return draft.with_entry(document, "types", column.name, scale if given == "ordinal" else given)


def types_for(column: TableColumn) -> tuple[str, ...]:
    """The types that a column can have beside its own; what is stored as text has no mean."""
    own = column.type.split(" ")[0]
    numbers = ("continuous",) if column.why else ()
    return tuple(kind for kind in (*numbers, "nominal", "ordinal") if kind != own)


def page_again(
    request: Request, workspace: Workspace, error: DiscreetError, **sent: Any
) -> Response:
    """The page with what was sent, and what is wrong with it."""
    view = page_view(workspace) | {"problems": error.problems, **sent}
    return page(request, "roles.html", workspace, status=422, **view)


def page_view(workspace: Workspace) -> dict[str, Any]:
    """What the page shows."""
    columns, labels = workspace.columns, workspace.labels
    return {
        **_summary(workspace),
        "rows": [_row_of(workspace, i, one, labels) for i, one in enumerate(columns)],
        "role_words": ROLE_WORDS,
        "policies": MISSING,
        "policy": workspace.document.get("source", {}).get("missing", "category"),
        "renewed": False,
        "asked": asked_of(workspace),
        "sent": False,
        "must": workspace.must(),
        "ways": RELEASED,
        "further": measure_form.drawn(measure_form.said_of(workspace.document, workspace.names)),
        "further_sent": False,
        **_released(workspace.settings.get("risk", {})),
    }


def _summary(workspace: Workspace) -> dict[str, Any]:
    """How many columns have which role, the keys without a hierarchy, and the last figures."""
    given = workspace.document.get("roles", {})
    bare = sum(name not in workspace.hierarchies for name in workspace.keys)
    counts = [counted(len(given.get(role, [])), word) for role, word in _COUNTED.items()]
    return {
        "keys": workspace.keys,
        "bare": bare,
        "role_counts": counts,
        "measured": workspace.results.get("risk"),
        "explores": bare < len(workspace.keys) and not refused(workspace.document),
    }


def _released(asked: Mapping[str, Any]) -> dict[str, str]:
    """The fields of what is released, as they were last sent."""
    if "share" not in asked:
        return {"released": "all", "share": ""}
    fraction = maskings["sample"].parameters["fraction"]
    return {"released": "sample", "share": shown(fraction, asked["share"])}


def _row(workspace: Workspace, number: int) -> dict[str, Any]:
    """What the page shows of a column."""
    return _row_of(workspace, number, workspace.columns[number], workspace.labels)


def _row_of(
    workspace: Workspace, number: int, column: TableColumn, labels: Mapping[str, str]
) -> dict[str, Any]:
    given = workspace.document.get("types", {}).get(column.name)
    hierarchy = workspace.hierarchies.get(column.name)
    role = draft.role_of(workspace.document, column.name)
    return {
        "number": number,
        "column": column,
        "label": labels[column.name],
        "role": role,
        "is_key": role.startswith("key"),
        "type": "ordinal" if isinstance(given, list) else given or "",
        "types": types_for(column),
        "seen": column.values.shown(workspace.least) if column.values else None,
        "scale": "\n".join(given) if isinstance(given, list) else "",
        "hierarchy": called(hierarchy) if hierarchy else None,
        "remark": column.remark if hierarchy == column.hierarchy else "",
    }


# -- A register of the population, added to a table: criteria of the form can name it then ---------
#
# A register is read by what looks people up in it and never shown. It keeps its place: a table of
# the same name is another one.


async def add_register(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep a table that was sent, if it has the keys."""
    try:
        await run_in_threadpool(_add_register, workspace, form)
    except DiscreetError as error:
        return page_again(request, workspace, error)
    return see(f"/w/{workspace.id}/roles#registers")


def _add_register(workspace: Workspace, form: FormData) -> None:
    """Keep a register of the population; what is wrong with it is said before."""
    upload = form.get("register")
    if not isinstance(upload, UploadFile) or not upload.filename:
        fail("P60", "no file was chosen.", "Choose a table of the population.")
    name = uploads.tame(upload.filename, "register.csv")
    with uploads.drafted(upload.file, workspace.folder, name, "register") as place:
        if not workspace.keys:
            fail("R05", "no column is a key yet.", "Give that role to columns that may be known.")
        columns = ds.read(place).columns
        absent = [name for name in workspace.keys if name not in columns]
        if absent:
            what = f"{place.name} has no column {listed(absent)}."
            fail("R01", what, "A register has all keys, by the same names.")
        with workspace.lock:
            if len(workspace.registers) >= _MOST_REGISTERS:
                what = f"a table can have at most {_MOST_REGISTERS} registers."
                fail("P60", what, "Name one of those in the list.")
            taken = [workspace.name, *files_read(workspace.document), *workspace.registers]
            free = uploads.unlike(place.name, taken)
            workspace.keep_file(place, free)
            workspace.set(REGISTERS, [*workspace.registers, free])
