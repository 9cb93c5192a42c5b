"""Protection aimed at the risky records: only they are changed, until no record's risk is too high.

What Orooji & Knapp (2018) name as the use of their measure. ``"suppress"`` blanks single cells (see
``local_suppression``); ``"microaggregate"`` replaces the known attributes of the risky records by
averages of small groups among them.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from annotated_doc import Doc
from annotated_types import Ge, Gt

from discreet import engine
from discreet.criteria.criterion import Criterion
from discreet.data import attributes
from discreet.data.masked import Masked, masked_from, refuse, require_ids, require_link
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.masking.cell_suppression.request import KeySet, SuppressionRequest, policy_problems
from discreet.masking.cell_suppression.run import CellAnswer, answer_if_any
from discreet.masking.local_suppression import Protection, suppressed
from discreet.masking.method import MEASURE, masking, replaced_columns
from discreet.masking.risky_groups import AtMost, aggregated
from discreet.parameters import Columns, InPython, Label, Public, Vary, is_number
from discreet.progress import stage
from discreet.registry import measures
from discreet.risks.record import record_risk
from discreet.risks.record_level import ProtectableRisk, RecordLevel
from discreet.surface import function
from discreet.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.classes import Classes
    from discreet.kernels.arrays import Bools, Floats, Ints

ClassRisk = Callable[["Ints", "Floats"], "Floats"]  # from the records and weights of classes
TargetingMethod = Literal["suppress", "microaggregate"]
_ROUNDING = 1 - 1e-9  # the risk of a masked file is added up in another order


def _outcome(risk: ProtectableRisk, at_most: float, **_: Any) -> tuple[dict[str, int], str]:
    above = risk.above(at_most)
    said = f"{above.count:,} of {risk.n:,} records had a risk above {at_most:g}; none has now."
    return {"records_above": above.count}, said


@masking(
    title="Targeted suppression",
    done="changed where the risk was too high",
    about="Only records whose risk is above a limit lose some of their values.",
    noun="targeting",
    example="--settings risk.toml --at-most 0.01",
    measures={"risk": record_risk},
    outcome=_outcome,
)
def protect_records(
    data: Microdata,
    risk: Annotated[ProtectableRisk, InPython, Doc("The risk of each record, measured before.")],
    *,
    at_most: Annotated[
        float,
        Ge(0),
        Label("Highest risk of a record that may remain"),
        Doc("The highest risk that may remain."),
        Vary(1.0, 0.1, 0.01),
    ],
    method: Annotated[
        TargetingMethod,
        Label(
            "Method",
            {"suppress": "blank single cells", "microaggregate": "averages of risky records"},
        ),
        Doc("Blank cells, or replace what is known by averages of groups."),
        Public,
    ] = "suppress",
    columns: Annotated[
        Sequence[str] | None,
        Columns(),
        Label("Columns that may be changed"),
        Doc("Attributes that may be changed; all that make the risk by default."),
        Public,
    ] = None,
    cost: Annotated[
        Mapping[str, Annotated[float, Gt(0)]] | None,
        Columns(),
        Label("Cost of a cell"),
        Doc("Cost of a cell, 1 by default: expensive ones are blanked last."),
    ] = None,
) -> Masked:
    """Lower the risk of every record to a limit by changing the risky records only.

    A record at or below the limit is changed only where it must be: it would come above the limit
    because risky records that shared its values were changed, and these have nothing else to lose;
    or the risky records are too few to form groups. The result says which: ``.drawn_in``.

    Parameters
    ----------
    data : Microdata
        A blank is counted by its policy on missing values: ``"category"``, a value of its own, or
        ``"wildcard"``, which matches every value.
    risk : RecordRisk or another risk of records
        Measured on the same data: ``ds.record_risk``, whose settings say what is known and
        sensitive; or ``ds.individual_risk`` or ``ds.suda``, where the keys are changed.
    at_most : float
        The highest risk that may remain.
    method : {"suppress", "microaggregate"}
        Blank cells one at a time, those that lower the risk most per unit of cost first. Or
        replace the known attributes of the risky records by averages of groups among them.
    columns : list of attributes, optional
        Those that may be changed; default: all that make the risk, known or sensitive (for
        ``"microaggregate"``: all that are known).
    cost : mapping of attribute to number, optional
        Cost of a cell, 1 by default: expensive ones are blanked last.

    Returns
    -------
    Masked
        ``.changes`` says how many cells of each attribute were changed, ``.drawn_in`` which
        records were changed though they were not above the limit, by their place in
        ``risk.values``.

    Raises
    ------
    InvalidData
        When records remain above the limit: how many.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"town": list("aaaab"), "illness": ["flu", "flu", "flu", "flu", "rare"]}
    >>> survey = ds.read(table)
    >>> risk = ds.record_risk(survey, {"town": 0.5}, {"illness": 1.0})
    >>> [round(value, 1) for value in risk.values.tolist()]
    [32.5, 32.5, 32.5, 32.5, 70.0]
    >>> masked = ds.protect_records(survey, risk, at_most=40)
    >>> masked.changes
    {'illness': 1}

    References
    ----------
    - Orooji, Knapp (2018), *A novel microdata privacy disclosure risk measure*. IISE Annual
      Conference.
    """
    _require(data, risk, at_most, method, columns, cost)
    require_ids(data)
    require_link(data)
    if data.source.row is None:
        fail(
            "N02",
            f"the records of {data.name} have no order in the engine.",
            "Write them to a file and protect that.",
        )
    chosen = _columns(risk, method, columns)
    parameters = {"at_most": at_most, "by": method, "columns": list(chosen), "cost": cost or {}}
    promise, broken = AtMost(risk, at_most), [""]
    for limit in (at_most, at_most * _ROUNDING):
        masked = _protected(data, risk, limit, parameters)
        broken = promise.broken(masked)
        if not broken:
            return masked
    refuse(broken, "protect_records")


def _protected(
    data: Microdata, risk: ProtectableRisk, limit: float, parameters: dict[str, Any]
) -> Masked:
    chosen, risky = tuple(parameters["columns"]), risk.values > parameters["at_most"]
    if parameters["by"] == "suppress":
        made = _suppress(data, risk, limit, chosen, parameters["cost"], risky)
    else:
        made = aggregated(data, risk, limit, chosen, risky)
    source, changes, left, drawn_in = made
    if left:
        _not_reached(left, parameters["at_most"])
    found = {"changes": changes, "drawn_in": len(drawn_in), "settings": risk.said}
    found[MEASURE] = risk.measure
    return masked_from(
        data,
        source,
        method="protect_records",
        parameters={**parameters, **found},
        promise=None,  # held against it by the caller, which tries again with less
        changed=frozenset(changes),
        complete=source,
        changes=changes,
        drawn_in=tuple(int(row) for row in drawn_in),
        asked={
            **parameters,
            "method": parameters["by"],
            MEASURE: None if risk.measure == record_risk.__name__ else risk.measure,
            **risk.arguments,
        },
    )


def _suppress(
    data: Microdata,
    risk: ProtectableRisk,
    at_most: float,
    chosen: tuple[str, ...],
    cost: Mapping[str, float],
    risky: Bools,
) -> tuple[engine.Source, dict[str, int], int, NDArray[np.intp]]:
    by_class = blanked_by_class(data, risk, at_most, chosen, cost)
    if by_class is not None:
        return by_class.source, by_class.changes, 0, np.empty(0, np.intp)
    names = risk.attributes
    task = Protection(
        risk=risk.of_cells(data),
        at_most=at_most,
        blankable=tuple(names.index(name) for name in chosen),
        cost=np.array([float(cost.get(name, 1.0)) for name in names]),
        risky=risky,
    )
    first = int(risky.sum())
    with stage("blanking cells of risky records", max(first, 1)) as advance:
        found = suppressed(task, lambda left: advance(max(first - left, 0)))
    cells = {names[a]: blank for a, blank in found.cells.items()}
    changes = {name: int(blank.sum()) for name, blank in cells.items()}
    return _blanked(data, cells, require_link(data)), changes, found.left, found.drawn_in


def _blanked(data: Microdata, cells: Mapping[str, Bools], link: str) -> engine.Source:
    if not cells:
        return data.source
    found = engine.records(data.source, link, list(cells), link)
    values = {
        name: pc.if_else(pa.array(blank), pa.scalar(None, found[name].type), found[name])
        for name, blank in cells.items()
    }
    return replaced_columns(data, found, values)


def _columns(
    risk: ProtectableRisk, method: TargetingMethod, columns: Sequence[str] | None
) -> tuple[str, ...]:
    if columns is not None:
        return attributes.names(columns)
    return risk.attributes if method == "suppress" else risk.known


def _require(
    data: Microdata, risk: object, at_most: object, method: str, columns: Any, cost: Any
) -> None:
    require_microdata(data)
    if not isinstance(risk, ProtectableRisk):
        able = ", ".join(f"'{function(name)}'" for name in measures if measures[name].per_record)
        if isinstance(risk, RecordLevel):
            what = f"this risk of records cannot be lowered cell by cell. {risk.not_protectable}"
            fail(
                "N43",
                what,
                f"Make the keys coarser ({function('generalize')}), or use one of {able}.",
            )
        fail("P09", "the risk is not a risk of records.", f"Measure it: {able}.")
    problems = _option_problems(at_most, method, cost)
    if risk.n != data.n:
        what = (
            f"the risk was measured on {counted(risk.n, 'record')}, and the data have {data.n:,}."
        )
        problems.append(Problem("P43", what, "Measure it on these data."))
    problems += policy_problems(data)
    known = risk.attributes
    for word, names in (("column", attributes.names(columns)), ("cost of", tuple(cost or ()))):
        problems += [
            Problem(
                "P43",
                f"{word} {name!r} is not part of the risk: it is neither known nor "
                "sensitive in it.",
                f"Name some of {listed(known)}.",
            )
            for name in names
            if name not in known
        ]
    if columns is not None and not attributes.names(columns):
        problems.append(Problem("P04", "no column is named.", "Name those that may be changed."))
    raise_all(problems)


def _option_problems(at_most: Any, method: str, cost: Any) -> list[Problem]:
    problems = []
    if not (is_number(at_most) and at_most >= 0):
        what = f"{argument('at_most')} is not a number of at least 0."
        problems.append(Problem("P10", what, "Give the highest risk that may remain."))
    if method not in ("suppress", "microaggregate"):
        problems.append(
            Problem("P16", f"{argument('method')} is not known.", "Use suppress or microaggregate.")
        )
    if cost is not None and not (
        isinstance(cost, Mapping) and all(is_number(c) and 0 < c < np.inf for c in cost.values())
    ):
        what = f"{argument('cost')} is not a mapping of attribute to a number above 0."
        problems.append(Problem("P43", what, 'Write {"illness": 10}.'))
    return problems


def _not_reached(records: int, at_most: float) -> NoReturn:
    fail(
        "D42",
        f"the risk of {counted(records, 'record')} could not be lowered to {at_most:g}.",
        f"Raise {argument('at_most')}, or let more attributes be changed: {argument('columns')}.",
    )


# -- A limit of risk as a criterion on classes -----------------------------------------------------
#
# Where the class of a record decides of its risk, cells are chosen as for any other criterion.


@dataclass(frozen=True, eq=False)
class RiskAtMost(Criterion):
    """No class has a risk above a limit.

    Attributes
    ----------
    risk : function
        From the records of classes and the sums of their weights; it falls with both.
    at_most : float
    weight : str
        The column of weights.
    worth : float64 array
        Its values, by their codes.
    most : int
        The records of the file.
    """

    risk: ClassRisk
    at_most: float
    weight: str
    worth: Floats
    most: int

    def __post_init__(self) -> None:
        """Nothing to check: no user gives it."""

    @property
    def least_size(self) -> int:
        """How many records pass where each has the largest weight; with fewer, none do."""
        return self._least(float(self.worth.max()))

    @property
    def counts_decide(self) -> bool:
        """Whether as many pass with the smallest weight."""
        return self.least_size == self._least(float(self.worth.min()))

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """The weights."""
        return (self.weight,)

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes above the limit."""
        held = classes.values[self.weight]
        total = held.per_class(held.count * self.worth[held.value])
        return {"risk": self.risk(held.size, np.asarray(total, np.float64)) > self.at_most}

    def describe(self) -> str:
        """In words."""
        return f"a risk of at most {self.at_most:g}"

    def _least(self, weight: float) -> int:
        """The least number of records of a weight that pass; more than there are if none does."""

        def passes(size: int) -> bool:
            return bool(self.risk(np.array([size]), np.array([size * weight]))[0] <= self.at_most)

        return 1 + bisect.bisect_left(range(1, self.most + 1), True, key=passes)


def blanked_by_class(
    data: Microdata,
    risk: ProtectableRisk,
    at_most: float,
    columns: Sequence[str],
    cost: Mapping[str, float],
) -> CellAnswer | None:
    """Blank cells of the records above a limit, and of no other, until none is above it; None where
    there is no such answer, or where more than its class decides of a record."""
    of_class = risk.of_class
    if of_class is None or data.missing == "wildcard":
        return None
    weight, keys = data.need_weight(), data.need_keys()
    worth = np.array(data.whole(weight).values[0].cast("float64"), dtype=np.float64)
    criterion = RiskAtMost(of_class, at_most, weight, worth, data.n)
    asked = SuppressionRequest(
        criterion=criterion,
        keys=keys,
        sets=(KeySet(keys, criterion.least_size),),
        cost={key: float(cost.get(key, 1.0)) for key in keys},
        counted=(weight,),
        stay=tuple(key for key in keys if key not in columns),
        only_failing=True,
    )
    return answer_if_any(data, asked)
