"""Screen 3, Explore: the lattice and the risk-utility map with one selection, and sliders.

All that is asked for stands in the address, so that asking changes nothing. What is shown was
swept once, by a job; "Use this node" writes it into the plan.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from discreet.app.forms import criterion, draft
from discreet.app.jobs.lattice import MOST_K, Explored, refused
from discreet.app.jobs.task import WORKING
from discreet.app.screens import lattice_figures, node_map
from discreet.app.screens.lattice_figures import MAPS, SHOWS, LatticeFigures, State, ranges
from discreet.app.server import runs
from discreet.app.server.pages import alone, get, page, post, saying, see
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError, fail, raise_all
from discreet.plan.criteria import NAMED, built, tables_of
from discreet.reports.names import renamed

WORK = "explore"
SLIDERS = ("k", "p")  # of what must hold
LISTED = 15  # nodes in the table


def routes(_most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        get("explore", show),
        get("explore/results", results),
        get("explore/found", found),
        post("explore/sweep", sweep),
        post("explore/use", use),
        post("explore/wanted", save_wanted),
    ]


async def show(request: Request, workspace: Workspace) -> Response:
    """The whole page."""
    if workspace.table is None:
        return see(f"/w/{workspace.id}/data")
    return await run_in_threadpool(_page, request, workspace, "explore.html")


async def results(request: Request, workspace: Workspace) -> Response:
    """The page without its frame."""
    return await run_in_threadpool(_page, request, workspace, "explore_results.html")


async def found(request: Request, workspace: Workspace) -> Response:
    """The drawings, the panel and the table: what a slider or a selection changes."""
    if _explored(workspace) is None:
        raise HTTPException(404)
    return await run_in_threadpool(_page, request, workspace, "explore_found.html")


async def sweep(_request: Request, workspace: Workspace, _form: FormData) -> Response:
    """Start to sweep the lattice."""
    await run_in_threadpool(workspace.begin, WORK)
    return see(f"/w/{workspace.id}/explore#job")


async def use(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Write the selected node into the plan."""
    onward = form.get("onward") == "run"
    lattice = await alone(workspace, _use, form, onward=onward)
    if onward:
        return see(f"/w/{workspace.id}/protect#job")
    if "hx-request" not in request.headers:
        return see(f"/w/{workspace.id}/explore?{lattice.state.query()}")
    must = _numbers(_must(workspace, lattice))
    said = f"{lattice.node(lattice.selected).label} is in the plan, with {must}."
    trigger = json.dumps({"changed": "", "said": said})
    return Response(status_code=204, headers={"HX-Trigger": trigger})


async def save_wanted(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Keep what is wanted beside the sliders; k and p stay as they are in the plan."""
    try:
        await alone(workspace, _keep_wanted, form)
        headers = saying(changed=True)
    except DiscreetError as error:
        headers = saying(error)
        if "hx-request" not in request.headers:
            raise
    if "hx-request" not in request.headers:
        return see(f"/w/{workspace.id}/explore")
    return Response(status_code=204, headers=headers)


def _keep_wanted(workspace: Workspace, form: FormData) -> None:
    before = criterion.said_of(workspace.document.get("criterion", {}), workspace.names)
    said = criterion.sent(form, workspace.names) | {name: before[name] for name in SLIDERS}
    asked, problems = workspace.criterion_in(said)
    raise_all([*problems, *criterion.aimless(asked, workspace.confidential)])
    workspace.change(lambda d: draft.with_steps(d, d.get("steps", []), asked))


def _page(request: Request, workspace: Workspace, template: str) -> Response:
    return page(request, template, workspace, **_view(workspace, request.query_params))


def _explored(workspace: Workspace) -> Explored | None:
    """What the last sweep found, while its figures are there."""
    result = workspace.results.get(WORK)
    if result is None or not (workspace.folder / WORKING / result.value.folder).is_dir():
        return None
    value: Explored = result.value
    return value


def _view(workspace: Workspace, asked: Mapping[str, Any]) -> dict[str, Any]:
    explored = _explored(workspace)
    view: dict[str, Any] = {
        "keys": workspace.keys,
        "hierarchies": workspace.sections.get("hierarchies", {}),
        "lattice": None,
        "refused": refused(workspace.document),
    }
    if explored is None:
        return view
    lattice = LatticeFigures(explored, workspace.folder, asked_in(asked, workspace, explored))
    current, address = workspace.is_current(WORK), f"/w/{workspace.id}/explore"
    used = _as_used(workspace, lattice)
    return view | {
        "lattice": lattice,
        "expert": bool(asked.get("node")),
        "state": lattice.state,
        "node": lattice.node(lattice.selected),
        "best": None if lattice.best is None else lattice.node(lattice.best),
        "left": lattice.smallest(lattice.selected, left=True),
        "smallest": lattice.smallest(lattice.selected, left=False),
        "feasible": int(lattice.feasible.sum()),
        "minimal": int(lattice.minimal.sum()),
        "listed": lattice.listed(LISTED),
        "current": current,
        "in_plan": _is_in_plan(workspace, lattice),
        "used": used,
        "stays": _numbers(_must(workspace, lattice)) if used is not lattice else "",
        "lower": _numbers(_of_sliders(lattice)),
        "also": _also(workspace, explored),
        "must": workspace.must().beside(SLIDERS),
        "named": _named(workspace),
        **_attributes(workspace, explored),
        "same_place": [lattice.node(n) for n in node_map.beside(lattice)],
        "drawn": lattice_figures.drawing(lattice, address),
        "map": node_map.drawing(lattice, address),
        "shows": SHOWS,
        "maps": MAPS,
        "ranges": ranges(explored),
        "most_k": MOST_K,
        "required": _required(workspace, explored),
    }


# -- what is asked for ---------------------------------------------------------------------------


def asked_in(given: Mapping[str, Any], workspace: Workspace, explored: Explored) -> State:
    """The state of an address or a form; what it does not say is as in the plan.

    An empty node is the best one: the selection follows the sliders.
    """
    usual = _planned(workspace, explored)
    k_range, p_range, limit_range = (ranges(explored)[name] for name in ("k", "p", "limit"))
    node = _number(given, "node", None, (0, explored.lattice.nodes - 1))
    return State(
        int(_number(given, "k", usual.k, k_range)),
        int(_number(given, "p", usual.p, p_range)),
        float(_number(given, "limit", usual.limit, (limit_range[0], 100), whole=False)),
        _choice(given, "show", SHOWS, usual.show),
        _choice(given, "map", MAPS, usual.map),
        usual.node if "node" not in given else None if node is None else int(node),
    )


def _number(
    given: Mapping[str, Any],
    name: str,
    usual: Any,
    ends: tuple[float, float],
    *,
    whole: bool = True,
) -> Any:
    text = given.get(name, "")
    if text == "":
        return usual
    try:
        number = int(text) if whole else float(text)
    except (ValueError, TypeError):
        raise HTTPException(422) from None
    if not ends[0] <= number <= ends[1]:
        raise HTTPException(422)
    return number


def _choice(given: Mapping[str, Any], name: str, known: Mapping[str, str], usual: str) -> str:
    word = given.get(name, "")
    if word and word not in known:
        raise HTTPException(422)
    return word or usual


# -- the plan ------------------------------------------------------------------------------------


def _planned(workspace: Workspace, explored: Explored) -> State:
    """What the plan says, as far as the sliders can."""
    must, step = draft.generalization(workspace.sections)
    ends, usual = ranges(explored), State()
    k = min(max(must.get("k", usual.k), ends["k"][0]), ends["k"][1])
    p = min(must.get("p", usual.p), ends["p"][1])
    allowed = step.get("max_suppressed", usual.limit / 100)
    share = allowed if isinstance(allowed, float) else allowed / explored.n
    planned = State(k, p, round(100 * share, 6))
    levels = step.get("levels", {})
    node = LatticeFigures(explored, workspace.folder, planned).number(levels)
    return State(k, p, planned.limit, node=node)


def _is_in_plan(workspace: Workspace, lattice: LatticeFigures) -> bool:
    must, step = draft.generalization(workspace.sections)
    if not step or lattice.number(step.get("levels", {})) != lattice.selected:
        return False
    limit = step.get("max_suppressed")
    same = {name: must[name] for name in ("k", "p") if name in must} == _must(workspace, lattice)
    return bool(same and limit == lattice.share)


def _must(workspace: Workspace, lattice: LatticeFigures) -> dict[str, int]:
    """The k and p of the sliders; a lower one does not lower what the plan asks for."""
    before, _ = draft.generalization(workspace.sections)
    return draft.at_least(before, {"k": lattice.k, "p": lattice.p})


def _of_sliders(lattice: LatticeFigures) -> dict[str, int]:
    """The k and p of the sliders alone."""
    return draft.at_least({}, {"k": lattice.k, "p": lattice.p})


def _as_used(workspace: Workspace, lattice: LatticeFigures) -> LatticeFigures:
    """The lattice for the k and p that a node would be used with, as far as sliders go."""
    ends = ranges(lattice.explored)
    must = {"p": 1, **_must(workspace, lattice)}
    k, p = (min(must[name], ends[name][1]) for name in ("k", "p"))
    if (k, p) == (lattice.k, lattice.p):
        return lattice
    state = replace(lattice.asked, k=k, p=p, node=lattice.selected)
    return LatticeFigures(lattice.explored, workspace.folder, state)


def _also(workspace: Workspace, explored: Explored) -> list[str]:
    """What the plan asks for that no sweep can tell."""
    head, *others = tables_of(workspace.document.get("criterion")) or [{}]
    ends = ranges(explored)
    beyond = [f"{name} = {head[name]}" for name in ("k", "p") if head.get(name, 0) > ends[name][1]]
    rest = {name: given for name, given in head.items() if name not in ("k", "p")}
    criteria = built([draft.with_attributes(rest), *others], workspace.folder)
    return [*beyond, *(renamed(one.describe(), workspace.labels) for one in criteria)]


def _required(workspace: Workspace, explored: Explored) -> dict[str, int]:
    """The k and p that the plan asks for, as far as the sliders go: marks on them."""
    must, _ = draft.generalization(workspace.sections)
    return {
        name: must[name]
        for name in SLIDERS
        if name in must and must[name] <= ranges(explored)[name][1]
    }


def _attributes(workspace: Workspace, explored: Explored) -> dict[str, list[str]]:
    """Attributes whose values p counts in the sweep, does not, and need not count."""
    must, _ = draft.generalization(workspace.sections)
    asked = must.get("confidential", workspace.confidential)
    found = {
        "counted": list(explored.counted),
        "uncounted": [name for name in asked if name not in explored.counted],
        "needless": [name for name in explored.counted if name not in asked],
    }
    labels = workspace.labels
    return {word: [labels.get(name, name) for name in names] for word, names in found.items()}


def _named(workspace: Workspace) -> list[str]:
    """The attributes that the plan asks p of, where it names some."""
    head, _ = draft.generalization(workspace.document)
    return [workspace.labels.get(name, name) for name in head.get(NAMED, ())]


def _use(workspace: Workspace, given: Mapping[str, Any], *, onward: bool) -> LatticeFigures:
    """Use the selected node, and run the plan with it where that is asked for."""
    used = _used(workspace, given)
    if onward:
        runs.begin(workspace)
    return used


def _used(workspace: Workspace, given: Mapping[str, Any]) -> LatticeFigures:
    """Use the selected node: only one that holds, of the lattice as it is now.

    A node that holds for the sliders alone is used where the steward has answered that the plan
    may ask for less. What it asked for before is kept in mind for the release.
    """
    explored = _explored(workspace)
    if explored is None or not workspace.is_current(WORK):
        fail("N67", "the lattice is out of date.", "Compute all nodes again, and choose one.")
    lattice = LatticeFigures(explored, workspace.folder, asked_in(given, workspace, explored))
    used, must = _as_used(workspace, lattice), _must(workspace, lattice)
    node = used.node(lattice.selected)
    lowering = given.get("lower") == "yes" and not node.feasible
    if lowering:
        used, must, node = lattice, _of_sliders(lattice), lattice.node(lattice.selected)
    if not node.feasible:
        words = f" for {_numbers(must)}, which the plan asks for" if used is not lattice else ""
        what = f"the node would suppress more records than the limit allows{words}."
        fail("N67", what, "Choose a feasible node, raise the limit, or let the plan ask for less.")
    levels = {key.name: level for key, level in zip(explored.keys, node.levels, strict=True)}
    if lowering:
        workspace.remember()
    workspace.change(
        lambda d: draft.with_node(d, must, lattice.share, levels, lowering=lowering),
        choosing_levels=True,
    )
    return used


def _numbers(must: Mapping[str, int]) -> str:
    """The k and p that must hold, in words."""
    return " and ".join(f"{name} = {number}" for name, number in must.items())
