"""Integer programmes: the least cost of whole numbers under linear conditions, with a proven bound.

The work is done by HiGHS, which the extra ``optimal`` brings (``pip install 'discreet[optimal]'``).
It is imported when it is needed. One thread, a fixed seed and a limit of nodes: the same programme
has the same answer on every run. Only a limit of seconds breaks that.

References
----------
Huangfu, Q., Hall, J. A. J. (2018): "Parallelizing the dual revised simplex method", Mathematical
Programming Computation 10, 119–142.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from discreet.kernels.arrays import Bools, Floats, Ints

    Entries = tuple[ArrayLike, ArrayLike, ArrayLike]
    from collections.abc import Callable


Stop = Literal["proven", "linear", "nodes", "infeasible", "other"]

_SEED = 1
_TINY = 1e-6  # of the price that all are multiples of, or of the smallest one


@dataclass(frozen=True, eq=False)
class IntegerProgram:
    """Minimise cost · x, where least ≤ A x ≤ most, and 0 ≤ x ≤ upper.

    Attributes
    ----------
    cost, upper : float64 arrays
        Of each column x_j. An upper end may be ``inf``.
    integer : bool array
        Which columns are whole numbers.
    row, column : int64 arrays; value : float64 array
        The matrix A: entries in any order, no place twice.
    least, most : float64 arrays
        The ends of each row; ``-inf`` and ``inf`` where there is none.

    Examples
    --------
    At least 7 in all, in boxes of 3 for 2 each or singly for 1 each, but at most 2 singly.

    >>> program = IntegerProgram(
    ...     cost=np.array([2.0, 1.0]), upper=np.array([np.inf, 2.0]),
    ...     integer=np.array([True, True]), row=np.array([0, 0]), column=np.array([0, 1]),
    ...     value=np.array([3.0, 1.0]), least=np.array([7.0]), most=np.array([np.inf]),
    ... )
    >>> found = solve(program)
    >>> found.values, found.objective, found.bound, found.stopped
    (array([2., 1.]), 5.0, 5.0, 'proven')
    """

    cost: Floats
    upper: Floats
    integer: Bools
    row: Ints
    column: Ints
    value: Floats
    least: Floats
    most: Floats


class LinearConditions:
    """Rows of a programme, put together block by block.

    Examples
    --------
    x₀ + 2 x₁ ≤ 3 and x₁ ≥ 1:

    >>> rows = LinearConditions()
    >>> rows.add(([0, 0], [0, 1], [1, 2]), most=3, rows=1)
    >>> rows.add(([0], [1], 1), least=1, rows=1)
    >>> found = rows.of(cost=np.array([-1.0, 0.0]), upper=np.array([9.0, 9.0]))
    >>> solve(found).values.tolist()
    [1.0, 1.0]
    """

    def __init__(self) -> None:
        self._row: list[Ints] = []
        self._column: list[Ints] = []
        self._value: list[Floats] = []
        self._least: list[Floats] = []
        self._most: list[Floats] = []
        self._rows = 0

    def add(
        self, *entries: Entries, rows: int, least: ArrayLike = -np.inf, most: ArrayLike = np.inf
    ) -> None:
        """Add rows between two ends; entries are (row within the block, column, value)."""
        for row, column, value in entries:
            place = np.asarray(row, dtype=np.int64) + self._rows
            self._row.append(place)
            self._column.append(np.asarray(column, dtype=np.int64))
            self._value.append(np.broadcast_to(np.asarray(value, dtype=np.float64), place.shape))
        self._least.append(np.broadcast_to(np.asarray(least, dtype=np.float64), rows))
        self._most.append(np.broadcast_to(np.asarray(most, dtype=np.float64), rows))
        self._rows += rows

    def of(self, cost: Floats, upper: Floats, integer: Bools | None = None) -> IntegerProgram:
        """The programme; columns are whole numbers from 0 where nothing else is said."""
        return IntegerProgram(
            cost,
            upper,
            np.ones(len(cost), dtype=bool) if integer is None else integer,
            np.concatenate(self._row),
            np.concatenate(self._column),
            np.concatenate(self._value),
            np.concatenate(self._least),
            np.concatenate(self._most),
        )


@dataclass(frozen=True, eq=False)
class IntegerSolution:
    """What was found.

    Attributes
    ----------
    values : float64 array, optional
        The best x found, whole numbers rounded; None where none was found.
    objective : float, optional
        What it costs.
    bound : float
        No x costs less, as far as proven; ``inf`` where there is no x at all.
    stopped : str
        ``"proven"``: no x costs less. ``"nodes"``: the limit was reached.
        ``"linear"``: no more than the linear bound was asked for.
        ``"infeasible"``: no x meets all conditions, which is proven, too. ``"other"``: the solver
        gave up.
    reduced : float64 array, optional
        Of the linear relaxation, the reduced cost of each column: by how much the bound rises when
        a column that is 0 becomes 1.
    """

    values: Floats | None
    objective: float | None
    bound: float
    stopped: Stop
    reduced: Floats | None = None

    @property
    def proven(self) -> bool:
        """Whether nothing better exists."""
        return self.stopped == "proven"


def available() -> bool:
    """Whether HiGHS is installed."""
    return find_spec("highspy") is not None


def solve(
    program: IntegerProgram, *, nodes: int | None = None, relaxed: bool = False
) -> IntegerSolution:
    """Solve an integer programme.

    Parameters
    ----------
    program : IntegerProgram
    nodes : int, optional
        Most nodes of the search tree. None: go on until proven. The root counts as one, and it
        alone may take long: it is a limit that repeats, not one of time.
    relaxed : bool
        Leave out that numbers are whole: `bound` is the linear bound, `values` need not be whole.

    Raises
    ------
    ModuleNotFoundError
        HiGHS is not installed: ask `available` first.
    """
    import highspy

    solver = highspy.Highs()
    options: dict[str, Any] = {
        "output_flag": False,
        "threads": 1,
        "parallel": "off",
        "random_seed": _SEED,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 1e-6,
        "solve_relaxation": relaxed,
    }
    if nodes is not None:
        options["mip_max_nodes"] = nodes
    for name, value in options.items():
        solver.setOptionValue(name, value)
    solver.passModel(_model(highspy, program))
    solver.run()
    return _solution(highspy, solver, program, relaxed)


def _model(highspy: Any, program: IntegerProgram) -> Any:
    """The programme in the words of HiGHS, by rows."""
    order = np.lexsort((program.column, program.row))
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.cost), len(program.least)
    model.col_cost_, model.col_lower_ = program.cost, np.zeros(len(program.cost))
    model.col_upper_ = _ends(highspy, program.upper)
    model.row_lower_ = _ends(highspy, program.least)
    model.row_upper_ = _ends(highspy, program.most)
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    model.integrality_ = [kinds[int(whole)] for whole in program.integer]
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = model.num_col_, model.num_row_
    entries = np.bincount(program.row, minlength=len(program.least))
    matrix.start_ = np.concatenate(([0], np.cumsum(entries))).astype(np.int32)
    matrix.index_ = program.column[order].astype(np.int32)
    matrix.value_ = program.value[order]
    return model


def _ends(highspy: Any, ends: Floats) -> Floats:
    """Ends of ranges, with the solver's own infinity."""
    return np.clip(ends, -highspy.kHighsInf, highspy.kHighsInf)


def _solution(highspy: Any, solver: Any, program: IntegerProgram, relaxed: bool) -> IntegerSolution:
    """What the solver says, in our words."""
    info, status = solver.getInfo(), solver.getModelStatus()
    kinds = highspy.HighsModelStatus
    stops: dict[Any, Stop] = {
        kinds.kOptimal: "proven",
        kinds.kModelEmpty: "proven",
        kinds.kSolutionLimit: "nodes",
        kinds.kInfeasible: "infeasible",
        kinds.kUnboundedOrInfeasible: "infeasible",
    }
    stopped = stops.get(status, "other")
    if stopped == "infeasible":
        return IntegerSolution(None, None, np.inf, stopped)
    feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = objective = reduced = None
    if feasible or stopped == "proven":
        found = solver.getSolution()
        values = np.asarray(found.col_value, dtype=np.float64)
        if relaxed:
            reduced = np.asarray(found.col_dual, dtype=np.float64)
        else:
            values = np.where(program.integer, np.rint(values), values)
        objective = float(values @ program.cost)
    linear = relaxed or not program.integer.any()
    if linear or stopped == "proven":
        bound = objective if stopped == "proven" and objective is not None else -np.inf
    else:
        bound = float(info.mip_dual_bound)
    return IntegerSolution(values, objective, bound, stopped, reduced)


# -- Least cost ------------------------------------------------------------------------------------
#
# An integer programme solved with the few columns that can matter, and the proof that the others
# cannot.
#
# The linear relaxation has a bound L and a reduced cost per column. An answer that uses a column
# costs at least L plus what its use adds, so columns that add more than an answer in hand leaves
# room for are out (reduced cost fixing). Three steps:
#
# 1. the linear relaxation;
# 2. the programme with the columns that add next to nothing: an answer U, nearly always the best;
# 3. is there a cheaper one? The programme with the columns that add less than U − L, and the
#    condition that it costs less than U. Where prices are multiples of one price, "less" is at
#    least one such step. If there is none, U is proven; else the answer to it is.
#
# Each step is exact or says that it was stopped, so the bound is never too high.


def least_cost(
    program: IntegerProgram,
    added: Callable[[Floats], Floats] | None = None,
    *,
    nodes: int | None = None,
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
    proof : bool
        Whether to take step 3, which may take long, where the linear bound is not proof enough.

    Examples
    --------
    >>> from discreet.kernels.integer_program import IntegerProgram
    >>> program = IntegerProgram(
    ...     cost=np.array([2.0, 1.0]), upper=np.array([9.0, 2.0]),
    ...     integer=np.array([True, True]), row=np.array([0, 0]), column=np.array([0, 1]),
    ...     value=np.array([3.0, 1.0]), least=np.array([7.0]), most=np.array([np.inf]),
    ... )
    >>> found = least_cost(program)
    >>> found.objective, found.bound, found.proven
    (5.0, 5.0, True)
    """
    unit, step = granule(program.cost)
    scaled = replace(program, cost=_rounded(program.cost / unit))
    relaxed = solve(scaled, relaxed=True)
    if relaxed.values is None or relaxed.reduced is None:
        return relaxed
    more = np.maximum(relaxed.reduced, 0.0)
    more = more if added is None else added(more)
    found, kept = _first(scaled, more, nodes)
    if found.stopped == "infeasible":
        return found
    bound = relaxed.bound  # that of step 2 holds for its columns only
    if found.values is not None:
        found = _better(scaled, more, relaxed.bound, step, found, kept, nodes, proof)
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
    program: IntegerProgram, more: Floats, nodes: int | None
) -> tuple[IntegerSolution, Bools]:
    """The best answer with the columns that add little, and which these were."""
    room = 0.5
    while True:
        kept = more <= room + _TINY
        found = _narrow(program, kept, nodes)
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
    cheaper = _narrow(program, wanted, nodes, most)
    if cheaper.stopped == "infeasible":
        return replace(found, bound=found.objective, stopped="proven")
    if cheaper.values is None:
        bound = min(found.objective, cheaper.bound)
        return replace(found, bound=bound, stopped=cheaper.stopped)
    return cheaper


def _narrow(
    program: IntegerProgram, kept: Bools, nodes: int | None, most: float | None = None
) -> IntegerSolution:
    """Solve with some of the columns, the others 0, at a cost of at most ``most``."""
    place = np.cumsum(kept) - 1
    inside = kept[program.column]
    row, column = program.row[inside], place[program.column[inside]]
    used = np.zeros(len(program.least), dtype=bool)
    used[row] = True
    if np.any(~used & ((program.least > 0) | (program.most < 0))):
        return IntegerSolution(None, None, np.inf, "infeasible")
    rows = np.cumsum(used) - 1
    cost, row, value = program.cost[kept], rows[row], program.value[inside]
    least, ends = program.least[used], program.most[used]
    if most is not None:
        priced = np.flatnonzero(cost)
        row = np.concatenate((row, np.full(len(priced), len(least))))
        column, value = np.concatenate((column, priced)), np.concatenate((value, cost[priced]))
        least, ends = np.append(least, -np.inf), np.append(ends, most)
    upper, integer = program.upper[kept], program.integer[kept]
    small = IntegerProgram(cost, upper, integer, row, column, value, least, ends)
    found = solve(small, nodes=nodes)
    if found.values is None:
        return found
    values = np.zeros(len(kept))
    values[kept] = found.values
    return replace(found, values=values)
