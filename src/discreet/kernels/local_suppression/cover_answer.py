"""What a cover comes to, quickly or exactly: the two weaker readings differ only in what lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.integer_program import solve
from discreet.kernels.least_cost import least_cost
from discreet.kernels.local_suppression.cover import (
    CoverTask,
    Units,
    blanked_first,
    cover_task,
    greedy_cover,
    no_units,
)
from discreet.kernels.local_suppression.cover_program import CoverProgram
from discreet.kernels.local_suppression.suppression import Suppression, answered, blanked

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Ints
    from discreet.kernels.local_recoding.task import Cells, CellTask
    from discreet.kernels.local_suppression.masks import Blanks

LARGEST = 400  # items that lack something, up to which the programme is solved
_WORTH = (0.5, 0.7)  # of one record that an item lacks less, in the smallest price: tried in turn
_LINEAR = 4_000  # up to which its linear relaxation is


def quick(
    task: CellTask, blanks: Blanks, lack: Ints, must: Bools | None, max_blanks: int
) -> Suppression:
    """The greedy answer; with more blanks a record where there is none."""
    for most in range(max_blanks, _most(blanks, max_blanks) + 1):
        cover = cover_task(task, blanks, lack, must, most)
        cells = _greedy(task, blanks, cover)
        if cells is not None:
            return Suppression(cells)
    return Suppression(None, stopped="infeasible")


def proven(
    task: CellTask,
    blanks: Blanks,
    lack: Ints,
    must: Bools | None,
    max_blanks: int,
    nodes: int | None,
    seconds: float | None,
) -> Suppression:
    """The cheapest answer; of a large task the greedy one, with the linear bound."""
    for most in range(max_blanks, _most(blanks, max_blanks) + 1):
        words = _restriction(task.k, most)
        cover = cover_task(task, blanks, lack, must, most)
        if not len(cover.item):
            cells = _cells(task, blanks, cover, no_units())
            return Suppression(cells, 0.0, words, "proven")
        if len(cover.item) > LARGEST:
            made = _greedy(task, blanks, cover)
            if made is not None:
                bound = _linear(task, blanks, cover, most)
                return Suppression(made, bound, words, "size")
            continue
        program = CoverProgram(task, blanks, cover, most)
        found = least_cost(program.program(), nodes=nodes, seconds=seconds)
        if found.values is not None:
            cells = _cells(task, blanks, cover, program.units(found))
            return answered(task, cells, found, blanks.unit, words)
        if found.stopped != "infeasible":
            return Suppression(None, found.bound * blanks.unit, words, found.stopped)
    return Suppression(None, None, words, "infeasible")


def _most(blanks: Blanks, max_blanks: int) -> int:
    """The most cells that a record can lose without being all blank."""
    return max(max_blanks, int(blanks.keys.sum()) - 1)


def _greedy(task: CellTask, blanks: Blanks, cover: CoverTask) -> Cells | None:
    """The greedy answer, or None."""
    if cover.settle:
        starts: list[Units | None] = [no_units()]
    else:
        starts = [blanked_first(cover, worth) for worth in _WORTH]
    found = [greedy_cover(cover, first) for first in starts if first is not None]
    cells = [_cells(task, blanks, cover, units) for units in found if units is not None]
    return min(cells, key=lambda made: round(made.price(task), 9), default=None)


def _linear(task: CellTask, blanks: Blanks, cover: CoverTask, max_blanks: int) -> float | None:
    """The linear bound, unless that is too large as well."""
    if len(cover.item) > _LINEAR:
        return None
    found = solve(CoverProgram(task, blanks, cover, max_blanks).program(), relaxed=True)
    return None if found.values is None else found.bound * blanks.unit


def _restriction(k: int, max_blanks: int) -> str:
    """Among which answers the least cost is sought."""
    some = "1 blank" if max_blanks == 1 else f"{max_blanks} blanks"
    return f"at most {some} a record, and only where {k} records agree in its other keys"


def _cells(task: CellTask, blanks: Blanks, cover: CoverTask, units: Units) -> Cells:
    """The cells that units come to."""
    mask = cover.masks[cover.mask[units.group]] & ~blanks.blank[units.item]
    return blanked(task, units.item, mask, np.ones(len(units.item), np.int64))
