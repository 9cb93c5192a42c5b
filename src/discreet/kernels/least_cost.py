"""Least cost: an integer programme solved with the few columns that can matter, and the proof that
the others cannot.

The linear relaxation has a bound L and a reduced cost per column. An answer that uses a column
costs at least L plus what its use adds, so columns that add more than an answer in hand leaves
room for are out (reduced cost fixing). Three steps:

1. the linear relaxation;
2. the programme with the columns that add next to nothing: an answer U, nearly always the best;
3. is there a cheaper one? The programme with the columns that add less than U − L, and the
   condition that it costs less than U. Where prices are multiples of one price, "less" is at least
   one such step. If there is none, U is proven; else the answer to it is.

Each step is exact or says that it was stopped, so the bound is never too high.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.integer_program import IntegerProgram, IntegerSolution, solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.kernels.arrays import Bools, Floats

_TINY = 1e-6  # of the price that all are multiples of, or of the smallest one


def least_cost(
    program: IntegerProgram,
    added: Callable[[Floats], Floats] | None = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    proof: bool = True,
) -> IntegerSolution:
    """Solve a programme of whole numbers from 0, whose columns are mostly 0 in an answer.

    Parameters
    ----------
    program : IntegerProgram
    added : callable, optional
        From the reduced costs of the columns to what their use adds at least, where that is more.
    nodes : int, optional
        Most nodes of each of the steps 2 and 3.
    seconds : float, optional
        Most seconds of each step.
    proof : bool
        Whether to take step 3, which may take long, where the linear bound is not proof enough.

    Examples
    --------
    >>> from discreet.kernels.integer_program import IntegerProgram
    >>> program = IntegerProgram(
    ...     cost=np.array([2.0, 1.0]), lower=np.zeros(2), upper=np.array([9.0, 2.0]),
    ...     integer=np.array([True, True]), row=np.array([0, 0]), column=np.array([0, 1]),
    ...     value=np.array([3.0, 1.0]), least=np.array([7.0]), most=np.array([np.inf]),
    ... )
    >>> found = least_cost(program)
    >>> found.objective, found.bound, found.proven
    (5.0, 5.0, True)
    """
    unit, step = granule(program.cost)
    scaled = replace(program, cost=_rounded(program.cost / unit))
    relaxed = solve(scaled, relaxed=True, seconds=seconds)
    if relaxed.values is None or relaxed.reduced is None:
        return relaxed
    more = np.maximum(relaxed.reduced, 0.0)
    more = more if added is None else added(more)
    found, kept = _first(scaled, more, nodes, seconds)
    if found.stopped == "infeasible":
        return found
    bound = relaxed.bound  # that of step 2 holds for its columns only
    if found.values is not None:
        found = _better(scaled, more, relaxed.bound, step, found, kept, nodes, seconds, proof)
        bound = max(bound, found.bound)
    bound = np.ceil(bound - _TINY) if step else bound
    cost = None if found.values is None else float(found.values @ program.cost)
    bound = cost if found.proven and cost is not None else bound * unit
    return replace(found, objective=cost, bound=float(bound))


def granule(cost: Floats) -> tuple[float, float]:
    """The smallest price, and 1 where all are whole multiples of it, else 0.

    Examples
    --------
    >>> granule(np.array([0.0, 0.2, 0.6])), granule(np.array([2.0, 3.0]))
    ((0.2, 1.0), (2.0, 0.0))
    """
    positive = cost[cost > 0]
    if not len(positive):
        return 1.0, 1.0
    unit = float(positive.min())
    times = positive / unit
    whole = np.all(np.abs(times - np.rint(times)) < 1e-9 * times)
    return unit, float(whole)


def _rounded(cost: Floats) -> Floats:
    """Prices in the smallest one, so that a constant factor changes nothing."""
    whole = np.rint(cost)
    return np.where(np.abs(cost - whole) < 1e-9 * np.maximum(cost, 1), whole, np.round(cost, 9))


def _first(
    program: IntegerProgram, more: Floats, nodes: int | None, seconds: float | None
) -> tuple[IntegerSolution, Bools]:
    """The best answer with the columns that add little, and which these were."""
    room = 0.5
    while True:
        kept = more <= room + _TINY
        found = _narrow(program, kept, nodes, seconds)
        if found.stopped != "infeasible" or kept.all():
            return found, kept
        room *= 4


def _better(
    program: IntegerProgram,
    more: Floats,
    linear: float,
    step: float,
    found: IntegerSolution,
    kept: Bools,
    nodes: int | None,
    seconds: float | None,
    proof: bool,
) -> IntegerSolution:
    """The proof that an answer is best, or a cheaper one."""
    assert found.objective is not None
    most = found.objective - (step or _TINY)
    wanted = more <= most - linear + _TINY
    if found.proven and (most < linear - _TINY or not np.any(wanted & ~kept)):
        return found
    if not proof:
        return replace(found, bound=linear, stopped="linear")
    cheaper = _narrow(program, wanted, nodes, seconds, most)
    if cheaper.stopped == "infeasible":
        return replace(found, bound=found.objective, stopped="proven")
    if cheaper.values is None:
        bound = min(found.objective, cheaper.bound)
        return replace(found, bound=bound, stopped=cheaper.stopped)
    return cheaper


def _narrow(
    program: IntegerProgram,
    kept: Bools,
    nodes: int | None,
    seconds: float | None,
    most: float | None = None,
) -> IntegerSolution:
    """Solve with some of the columns, the others 0, at a cost of at most ``most``."""
    place = np.cumsum(kept) - 1
    inside = kept[program.column]
    row, column = program.row[inside], place[program.column[inside]]
    used = np.zeros(len(program.least), dtype=bool)
    used[row] = True
    if np.any(~used & ((program.least > 0) | (program.most < 0))):
        return IntegerSolution(None, None, np.inf, "infeasible", 0)
    rows = np.cumsum(used) - 1
    cost, row, value = program.cost[kept], rows[row], program.value[inside]
    least, ends = program.least[used], program.most[used]
    if most is not None:
        priced = np.flatnonzero(cost)
        row = np.concatenate((row, np.full(len(priced), len(least))))
        column, value = np.concatenate((column, priced)), np.concatenate((value, cost[priced]))
        least, ends = np.append(least, -np.inf), np.append(ends, most)
    lower, upper = program.lower[kept], program.upper[kept]
    small = IntegerProgram(
        cost, lower, upper, program.integer[kept], row, column, value, least, ends
    )
    found = solve(small, nodes=nodes, seconds=seconds)
    if found.values is None:
        return found
    values = np.zeros(len(kept))
    values[kept] = found.values
    return replace(found, values=values)
