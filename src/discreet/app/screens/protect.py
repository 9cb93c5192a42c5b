"""Screen 4, Protect: a chain of maskings, run as a job; each finished run is kept."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from discreet.app.forms import criterion as criterion_form
from discreet.app.forms import draft, record_risk
from discreet.app.forms import steps as chain
from discreet.app.forms.fields import text_in, whole_in
from discreet.app.forms.steps import LEVELS, Fields, Known, first_measure
from discreet.app.screens.preview import levels_in_words
from discreet.app.server import runs
from discreet.app.server.pages import alone, get, page, post, see, showing
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError, Problem, raise_all
from discreet.registry import maskings
from discreet.surface import places_in

_DO = re.compile(r"(?P<verb>save|run|add|remove|up)(-(?P<what>\w+))?")
_USUAL_K = 5
RECOMMENDED = {  # the first step, by whether a key has a hierarchy, and why
    True: ("generalize", "It makes the keys coarser, step by step, until what must hold holds."),
    False: ("suppress_cells", "No key has a hierarchy: it blanks single cells of the keys."),
}


def routes(_most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        get("protect", show),
        post("protect", act),
        get("protect/results", showing("protect_results.html", _runs)),
    ]


async def show(request: Request, workspace: Workspace) -> Response:
    """The chain; at its end a step that was added and is not complete, which is not kept yet."""
    added = request.query_params.get("add")
    if workspace.table is None:
        return see(f"/w/{workspace.id}/data")
    sent = _fields(workspace)
    if added and added in maskings and len(sent) < chain.MOST_STEPS:
        document = workspace.document
        here = _at_end(_known(workspace), document.get("steps", []), document.get("criterion"))
        sent.append(chain.fields_of(chain.first(added, here), here))
    return page(request, "protect.html", workspace, **_view(workspace, sent))


async def act(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep the form as the chain of the plan, and do what its button says."""
    asked = _DO.fullmatch(text_in(form, "do") or "save")
    if asked is None or workspace.table is None:
        raise HTTPException(422)
    fields = chain.fields_in(form, len(workspace.columns))
    verb, what = asked["verb"], asked["what"] or ""
    try:
        fields = _moved(fields, verb, what)
        is_kept = await alone(workspace, _keep, form, fields, what if verb == "add" else "")
        if verb == "run":
            fields = fields if workspace.levels_fit else _fields(workspace)
            await alone(workspace, _run)
    except DiscreetError as error:
        view = _view(workspace, fields) | _placed(error.problems)
        view["must"] = workspace.must(criterion_form.sent(form, workspace.names))
        return page(request, "protect.html", workspace, status=422, **view)
    there = "#job" if verb == "run" else "#chain" if is_kept else f"?add={what}#last"
    return see(f"/w/{workspace.id}/protect{there}")


def _placed(problems: tuple[Problem, ...]) -> dict[str, Any]:
    """Problems by the number of the step that they name, and those of no step."""
    found: dict[int | None, list[Problem]] = {None: []}
    for problem in problems:
        at = next((at for at in places_in(problem.what) if at[0] == "steps" and len(at) > 1), None)
        found.setdefault(int(at[1]) if at else None, []).append(problem)
    return {"problems": found.pop(None), "of_steps": found}


def _moved(fields: list[Fields], verb: str, what: str) -> list[Fields]:
    """The steps after one was taken out or moved up."""
    if verb not in ("remove", "up"):
        return fields
    i = whole_in(what, len(fields))
    if i is None:
        raise HTTPException(422)
    others = [*fields[:i], *fields[i + 1 :]]
    if verb == "up":
        others.insert(max(i - 1, 0), fields[i])
    return others


def _keep(workspace: Workspace, form: FormData, fields: list[Fields], added: str) -> bool:
    """Change the plan; all that is wrong with the form is said at once. Whether a step that was
    added is kept, too: not where something must be said first.
    """
    known, is_kept = _known(workspace), True
    steps, problems = chain.steps_in(fields, known)
    criterion, more = workspace.criterion_in(criterion_form.sent(form, workspace.names))
    raise_all([*problems, *more])
    if added:
        criterion = _ready_for(added, steps, criterion, known)
        here = _at_end(known, steps, criterion)
        step = chain.first(added, here)
        _, lacking = chain.steps_in([chain.fields_of(step, here)], here)
        is_kept = not lacking
        steps += [step] if is_kept else []
    reaching = [one for one in (maskings[step["do"]] for step in steps) if one.takes("criterion")]
    if reaching and not criterion:
        what = f"{reaching[0].title.lower()} needs a requirement."
        raise_all([Problem("P60", what, "Under “What must hold”, write for example k = 5.")])
    levels = draft.levels_of({"steps": steps})
    anew = levels != draft.levels_of(workspace.sections)
    workspace.change(lambda d: draft.with_steps(d, steps, criterion), choosing_levels=anew)
    return is_kept


def _run(workspace: Workspace) -> None:
    """Run the chain; not with levels found while those of the form were meant."""
    if not workspace.levels_fit:
        what = "the levels were chosen before “What must hold” changed, and are not used."
        remedy = "Run again to search for the levels, or choose “these levels” to keep them."
        raise_all([Problem("P62", what, remedy)])
    runs.begin(workspace)


def _ready_for(kind: str, steps: list[Any], criterion: Any, known: Known) -> Any:
    """What must hold when one more step comes; refused where it cannot come yet."""
    if kind not in maskings:
        raise HTTPException(422)
    if len(steps) >= chain.MOST_STEPS:
        raise_all([Problem("P60", "the chain cannot have more steps.", "Remove a step first.")])
    method = maskings[kind]
    if method.measures and "at_most" not in known.suggested and not first_measure(method, known):
        what = "a limit needs the risk of every record, which is not measured or out of date."
        raise_all([Problem("P60", what, "On the page Roles & risk, measure every record first.")])
    if method.takes("criterion") and not criterion:
        return {"k": _USUAL_K}
    return criterion


def _at_end(known: Known, steps: list[Any], criterion: Any) -> Known:
    """What is known where one more step is to come."""
    head, _ = draft.generalization({"criterion": criterion})
    here = known.after(step["do"] for step in steps)
    return replace(here, suggested={**here.suggested, "k": head["k"]}) if "k" in head else here


def _known(workspace: Workspace) -> Known:
    document, keys = workspace.document, workspace.keys
    measured = record_risk.measured(workspace)
    return Known(
        workspace.names,
        keys,
        {"record_risk": workspace.settings.get("record_risk", {})},
        workspace.levels_fit,
        facts={c.name: c.facts(document.get("types", {}).get(c.name)) for c in workspace.columns},
        recoded={name for name in workspace.hierarchies if name in keys},
        suggested={"at_most": record_risk.limit_for(measured).at_most} if measured else {},
        roles=tuple(name for name, column in document.get("roles", {}).items() if column),
    )


def _fields(workspace: Workspace) -> list[Fields]:
    """The form as the plan has it."""
    known, steps = _known(workspace), workspace.document.get("steps", [])
    kinds = [step["do"] for step in steps]
    return [chain.fields_of(step, known.after(kinds[:i])) for i, step in enumerate(steps)]


def _runs(workspace: Workspace) -> dict[str, Any]:
    """The runs so far."""
    return {"runs": runs.runs_of(workspace)}


def _view(workspace: Workspace, sent: list[Fields] | None = None) -> dict[str, Any]:
    """The chain, as the plan has it or as it was sent, and the runs so far."""
    fields = _fields(workspace) if sent is None else sent
    labels, document, known = workspace.labels, workspace.document, _known(workspace)
    measured = record_risk.measured(workspace)
    columns: list[dict[str, Any]] = [
        {
            "number": number,
            "name": column.name,
            "label": labels[column.name],
            "role": draft.role_of(document, column.name),
            "has_hierarchy": column.name in workspace.hierarchies,
        }
        for number, column in enumerate(workspace.columns)
    ]
    keys = [one for one in columns if one["role"].startswith("key")]
    if any(LEVELS in maskings[one["do"]].parameters for one in fields):
        keys = [one | {"levels": _levels(workspace, one)} for one in keys]
    held_back = ("identifier", "record id", "weight", "household", "subject")
    return {
        "steps": fields,
        "of_steps": {},
        "must": workspace.must(),
        "maskings": {name: maskings[name] for name in maskings},
        "shown": [chain.shown(one, i) for i, one in enumerate(fields)],
        "known": [known.after(one["do"] for one in fields[:i]) for i in range(len(fields))],
        "columns": [one for one in columns if one["role"] not in held_back],
        "keys": keys,
        "recommended": RECOMMENDED[any(one["has_hierarchy"] for one in keys)],
        "weighed": _weighed(workspace),
        "scale": record_risk.explain(measured) if measured else (),
        **_runs(workspace),
    }


def _levels(workspace: Workspace, key: dict[str, Any]) -> tuple[str, ...]:
    """What the levels of a key make of its values, in words."""
    given = workspace.hierarchies.get(key["name"])
    if not given:
        return ("as it is",)
    return levels_in_words(workspace, key["number"], given)


def _weighed(workspace: Workspace) -> list[str]:
    """What is known and what is sensitive, as the page Roles has it."""
    given = workspace.settings.get("record_risk", {})
    return [
        f"{word}: " + ", ".join(f"{workspace.labels[n]} {v:g}" for n, v in given[part].items())
        for part, word in (("known", "known"), ("sensitivity", "sensitive"))
        if given.get(part)
    ]
