"""Screen 5, Compare: all runs beside each other, and one of them becomes the candidate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from discreet.app.forms.fields import text_in
from discreet.app.screens.boxes import DrawnBox, Place, Sheet, around
from discreet.app.server import runs
from discreet.app.server.pages import alone, get, page, post, see
from discreet.app.server.runs import Kept
from discreet.app.server.workspaces import Workspace
from discreet.errors import DiscreetError

WIDTH, HEIGHT = 460, 280  # of the plane; the template leaves room for the axes
RADIUS = 5.0  # of a point
_TALL = 22.0  # of a tag
_LETTER = 10.0  # width of a letter of a tag in the widest of usual fonts
_NAMED = 3  # runs whose numbers stand in a tag
_FAR = 20.0  # how many times a risk is another one where their logarithms are drawn
_MARGIN = 30.0  # right of the plane, where tags may stand, too


def routes(_most_upload: int | None) -> list[BaseRoute]:
    """The routes."""
    return [
        get("compare", show),
        get("compare/{run:number}", show),
        post("compare/{run:number}/choose", choose),
        post("compare/{run:number}/remove", remove),
        post("compare/{run:number}/name", rename),
        post("compare/{run:number}/duplicate", duplicate),
        post("compare/{run:number}/again", run_again),
    ]


async def show(request: Request, workspace: Workspace) -> Response:
    """All runs, and one of them in detail: the one named, the candidate, or the last."""
    if workspace.table is None:
        return see(f"/w/{workspace.id}/data")
    return page(request, "compare.html", workspace, **_view(workspace, _number(request)))


async def choose(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Make a run the candidate for release."""
    onward = text_in(form, "onward") == "release"
    return await _done(request, workspace, runs.choose, onward="release" if onward else "")


async def rename(request: Request, workspace: Workspace, form: FormData) -> Response:
    """Give a run a name."""
    name = text_in(form, "name")
    return await _done(request, workspace, lambda own, kept: runs.rename(own, kept, name))


async def duplicate(request: Request, workspace: Workspace, _form: FormData) -> Response:
    """Go on from the steps of a run."""
    return await _done(request, workspace, runs.duplicate, onward="protect#chain")


async def run_again(request: Request, workspace: Workspace, _form: FormData) -> Response:
    """Work out the details of a run once more."""
    return await _done(request, workspace, runs.run_again)


async def _done(
    request: Request,
    workspace: Workspace,
    do: Callable[[Workspace, runs.Kept], None],
    *,
    onward: str = "",
) -> Response:
    """Do something with a run, and lead on, or say why it cannot be done."""
    number = int(request.path_params["run"])
    try:
        await alone(workspace, lambda own: do(own, runs.run_of(own, number)))
    except DiscreetError as error:
        view = _view(workspace, number) | {"problems": error.problems}
        return page(request, "compare.html", workspace, status=409, **view)
    return see(f"/w/{workspace.id}/{onward or f'compare/{number}'}")


async def remove(request: Request, workspace: Workspace, _form: FormData) -> Response:
    """Erase a run."""
    return await _done(request, workspace, runs.remove, onward="compare")


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


# -- The map of the runs: loss against risk, as places in a picture that the template draws --------
#
# Every point lies where its figures say. Runs at one place are one point, with their number. What
# may move are the tags with the numbers of the runs: they stand where no other tag or point is, and
# a line leads from each to its point.


@dataclass(frozen=True)
class Spot:
    """The runs at a point of the picture.

    Attributes
    ----------
    runs : tuple of Kept
        In their order.
    x, y : float
        Where their figures lie.
    text : str
        The numbers of the runs, and how many they are.
    tag : DrawnBox
        Where the text stands.
    target : Kept
        Where a click leads: of several, to the one after that which is shown.
    shown : bool
        Whether one of them is.
    """

    runs: tuple[Kept, ...]
    x: float
    y: float
    text: str
    tag: DrawnBox
    target: Kept
    shown: bool

    @property
    def chosen(self) -> bool:
        """Whether the candidate is here."""
        return any(kept.chosen for kept in self.runs)

    @property
    def late(self) -> bool:
        """Whether none of them can be released."""
        return not any(kept.can_be_released for kept in self.runs)


@dataclass(frozen=True)
class Tick:
    """A mark of an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Map:
    """All that is drawn: the points, the marks, and the risk of the unmasked table."""

    spots: tuple[Spot, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    before: float | None
    is_log: bool = False
    width: int = WIDTH
    height: int = HEIGHT
    radius: float = RADIUS

    @property
    def shared(self) -> tuple[Spot, ...]:
        """The points of several runs."""
        return tuple(spot for spot in self.spots if len(spot.runs) > 1)


def map_of(runs: Sequence[Kept], shown: Kept | None, base: Kept | None) -> Map | None:
    """The map; None where no run was measured. ``base`` knows the risk of the unmasked table."""
    known = [kept for kept in runs if kept.risk[1] is not None and kept.loss is not None]
    if not known:
        return None
    before = base.risk[0] if base is not None else None
    across = _scale([kept.risk[1] or 0.0 for kept in known], before)
    top = _top(max(kept.loss or 0.0 for kept in known))
    found: dict[Place, list[Kept]] = {}
    for kept in known:
        x, y = across.at(kept.risk[1] or 0.0), HEIGHT * (1 - (kept.loss or 0.0) / top)
        found.setdefault((round(x, 1), round(y, 1)), []).append(kept)
    return Map(
        tuple(_spots(found, shown)),
        tuple(Tick(round(across.at(value), 1), f"{value:g}") for value in across.marks),
        tuple(Tick(HEIGHT * (1 - i / 4), f"{top * i / 4:g}") for i in range(5)),
        None if before is None else round(across.at(before), 1),
        across.is_log,
    )


@dataclass(frozen=True)
class _Scale:
    """The axis of the risks: by their logarithm where they are far apart, and none is 0."""

    low: float
    high: float
    is_log: bool

    def at(self, value: float) -> float:
        """Where a number lies."""
        if self.is_log:
            return WIDTH * math.log(value / self.low) / math.log(self.high / self.low)
        return WIDTH * value / self.high

    @property
    def marks(self) -> tuple[float, ...]:
        """Numbers that are written."""
        if not self.is_log:
            return tuple(self.high * i / 4 for i in range(5))
        powers = round(math.log10(self.high / self.low))
        return tuple(float(f"{self.low * 10.0**i:.6g}") for i in range(powers + 1))


def _scale(risks: Sequence[float], before: float | None) -> _Scale:
    """The logarithm helps where the runs differ by much among themselves."""
    high = max([*risks, before or 0.0])
    low = min(risks)
    if low <= 0 or max(risks) / low < _FAR:
        return _Scale(0.0, _top(high), is_log=False)
    ends = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return _Scale(10.0 ** ends[0], 10.0 ** max(ends[1], ends[0] + 1), is_log=True)


def _spots(found: dict[Place, list[Kept]], shown: Kept | None) -> Iterator[Spot]:
    """The points with their tags; the one that is shown comes last, on top."""
    sheet, spots = Sheet(0, -_TALL, WIDTH + _MARGIN, HEIGHT + RADIUS), []
    for x, y in found:
        sheet.cover(DrawnBox(x, y, 2 * RADIUS, 2 * RADIUS))
    for (x, y), several in found.items():
        text = _said(several)
        tag = sheet.put(_around(x, y, text), (x, y), RADIUS)
        here = [i for i, kept in enumerate(several) if shown and kept.slot == shown.slot]
        target = several[(here[0] + 1) % len(several)] if here else several[0]
        spots.append(Spot(tuple(several), x, y, text, tag, target, bool(here)))
    yield from sorted(spots, key=lambda spot: spot.shown)


def _said(runs: Sequence[Kept]) -> str:
    """The numbers of the runs, and how many they are."""
    named = ", ".join(str(kept.number) for kept in runs[:_NAMED])
    more = ", …" if len(runs) > _NAMED else ""
    return f"{named}{more} ×{len(runs)}" if len(runs) > 1 else named


def _around(x: float, y: float, text: str) -> Iterator[DrawnBox]:
    """Places for a tag: near the point, then further off."""
    wide = max(_TALL, 10 + _LETTER * len(text))
    for tag in around((x, y), (wide, _TALL), (RADIUS + 4, RADIUS + 4), range(0, 240, 6)):
        if tag.is_within(2, -_TALL / 2, WIDTH + _MARGIN, HEIGHT):
            yield tag


def _top(most: float) -> float:
    """The end of an axis: the next round number, of shares at most 1."""
    if most <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(most))
    top = next(round(step * unit, 12) for step in (1, 2, 4, 6, 8, 10) if step * unit >= most)
    return min(top, 1.0) if most <= 1 else top
