"""Screen 2, Roles and risk: what each column is to an intruder, and who could be recognised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from discreet.app.forms import criterion as criterion_form
from discreet.app.forms import draft
from discreet.app.forms import measures as measure_form
from discreet.app.forms.fields import Reading, shown, text_in, written_so
from discreet.app.forms.hierarchy import called
from discreet.app.forms.source import MISSING
from discreet.app.forms.value_weights import weights_in, weights_text
from discreet.app.jobs.lattice import refused
from discreet.app.jobs.table import TableColumn
from discreet.app.server.pages import (
    alone,
    chosen,
    column_of,
    form_of,
    page,
    saying,
    see,
    showing,
    workspace_of,
)
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError, Problem, fail, raise_all
from discreet.registry import maskings, measures
from discreet.words import counted

PATH = "roles"
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
RELEASED = {"all": "the whole table", "sample": "a random sample"}


def routes(_most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    at = "/w/{workspace}/roles"
    return [
        Route(at, showing("roles.html", page_view, needs_table=True)),
        Route(at, save_all, methods=["POST"]),
        Route(f"{at}/results", showing("roles_results.html", _renewed)),
        Route(f"{at}/wanted", save_wanted, methods=["POST"]),
        Route(f"{at}/measure", measure, methods=["POST"]),
        Route(f"{at}/record-risk", measure_records, methods=["POST"]),
        Route(f"{at}/measures", measure_more, methods=["POST"]),
        Route(f"{at}/missing", save_missing, methods=["POST"]),
        Route(f"{at}/many", save_many, methods=["POST"]),
        Route(f"{at}/hierarchies", showing("roles_hierarchies.html", _summary)),
        Route(f"{at}/{{column:number}}", save, methods=["POST"]),
    ]


async def save(request: Request) -> Response:
    """Role and type of one column; the answer is its row."""
    workspace = workspace_of(request)
    number = column_of(request, workspace)
    form = await form_of(request)
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


async def save_many(request: Request) -> Response:
    """One role for all columns that are ticked."""
    workspace = workspace_of(request)
    form = await form_of(request)
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


async def save_all(request: Request) -> Response:
    """All rows at once, for a browser without scripts."""
    workspace = workspace_of(request)
    form = await form_of(request)

    def edit(document: draft.Document) -> draft.Document:
        for number in range(len(workspace.columns)):
            document = _edited(document, workspace, number, form)
        return document

    await run_in_threadpool(workspace.change, edit)
    return see(f"/w/{workspace.id}/roles")


async def save_missing(request: Request) -> Response:
    """What a missing value is taken for."""
    workspace = workspace_of(request)
    policy = chosen(await form_of(request), "missing", MISSING)
    await run_in_threadpool(workspace.change, lambda d: draft.with_missing(d, policy))
    if "hx-request" not in request.headers:
        return see(f"/w/{workspace.id}/roles")
    return Response(status_code=204, headers=saying(changed=True))


async def save_wanted(request: Request) -> Response:
    """Keep what is wanted as soon as a field is left; nothing is measured."""
    workspace = workspace_of(request)
    form = await form_of(request)
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


async def measure(request: Request) -> Response:
    """Keep what is wanted in the plan, and start measuring the risk by classes."""
    workspace = workspace_of(request)
    form = await form_of(request)
    try:
        await alone(workspace, _measure, form)
    except DiscreetError as error:
        must = workspace.must(criterion_form.sent(form, workspace.names))
        sent = {name: text_in(form, name) for name in ("released", "share")}
        return page_again(request, error, must=must, **sent)
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


async def measure_records(request: Request) -> Response:
    """Keep the settings of the record risk, and start measuring."""
    workspace = workspace_of(request)
    form = await form_of(request)
    try:
        await alone(workspace, _measure_records, form)
    except DiscreetError as error:
        sent = {name: text_in(form, name) for name in asked_of(workspace)}
        return page_again(request, error, asked=sent, sent=True)
    return see(f"/w/{workspace.id}/roles#job")


def _measure_records(workspace: Workspace, form: FormData) -> None:
    workspace.set("record_risk", _settings(form, workspace))
    workspace.begin("record_risk")


async def measure_more(request: Request) -> Response:
    """Keep the further measures in the plan, and take those that look at one table."""
    workspace = workspace_of(request)
    said = measure_form.sent(await form_of(request), workspace.names)
    try:
        await alone(workspace, _measure_more, said)
    except DiscreetError as error:
        return page_again(request, error, further=measure_form.drawn(said), further_sent=True)
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


def page_again(request: Request, error: DiscreetError, **sent: Any) -> Response:
    """The page with what was sent, and what is wrong with it."""
    workspace = workspace_of(request)
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


def _renewed(workspace: Workspace) -> dict[str, Any]:
    """The figures alone, and the panel that stays in view."""
    return _summary(workspace) | {"renewed": True}


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


def asked_of(workspace: Workspace) -> Mapping[str, str]:
    """The form of the record risk as it was last sent."""
    given = workspace.settings.get("record_risk", {})
    found = {
        "alpha": f"{given.get('alpha', 100):g}",
        "epsilon": f"{given.get('epsilon', 0.01):g}",
        "default": f"{given['default']:g}" if "default" in given else "",
    }
    for number, column in enumerate(workspace.columns):
        for part in ("known", "sensitivity"):
            weight = given.get(part, {}).get(column.name)
            found[f"{part}-{number}"] = "" if weight is None else f"{weight:g}"
        found[f"values-{number}"] = weights_text(
            given.get("value_sensitivity", {}).get(column.name)
        )
    return found


def _settings(form: FormData, workspace: Workspace) -> dict[str, Any]:
    """The keys of ``ds.record_risk``, from the form; all that is wrong at once."""
    problems: list[Problem] = []

    def number(name: str, said: str) -> float | None:
        text = text_in(form, name)
        try:
            return float(text) if text else None
        except ValueError:
            remedy = written_so(text, "0.3")
            problems.append(Problem("P60", f"{said} is not a number.", remedy))
            return None

    found: dict[str, Any] = {"known": {}, "sensitivity": {}, "value_sensitivity": {}}
    for i, column in enumerate(workspace.columns):
        label = workspace.labels[column.name]
        for part, said in (("known", "the probability"), ("sensitivity", "the sensitivity")):
            weight = number(f"{part}-{i}", f"{said} of {label!r}")
            found[part] |= {} if weight is None else {column.name: weight}
        table, more = weights_in(text_in(form, f"values-{i}"), label)
        found["value_sensitivity"] |= {column.name: table} if table else {}
        problems += more
    for name in ("alpha", "epsilon", "default"):
        value = number(name, name)
        found |= {} if value is None else {name: value}
    raise_all(problems)
    return found
