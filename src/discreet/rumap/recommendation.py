"""A recommendation: every method that can reach a criterion is tried, and one of them proposed.

Methods that take a criterion are asked for it; those that form groups of a least size are tried
with that size, and larger ones where size alone does not decide. Each file is checked afresh; what
does not meet the criterion is no candidate, and why is told. Of those that do, the map shows risk
and loss, and the one that loses least is proposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from annotated_doc import Doc
from annotated_types import Ge

from discreet.criteria.all_of import combined
from discreet.criteria.check import check
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import fail, raise_all
from discreet.frames import FrameKind
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.masking.method import Method, MostSuppressed, WhatMustHold
from discreet.parameters import Label, Public, Seed, Shared, parameters_of, problems_of
from discreet.registry import maskings
from discreet.results import Result
from discreet.rumap.grid import MaskingRecipe
from discreet.rumap.point import Point
from discreet.rumap.ru_map import ru_map
from discreet.surface import advice, function, in_python
from discreet.words import counted, share

if TYPE_CHECKING:
    from discreet.plan.plan import Plan
    from discreet.rumap.result import RUMap

_TIMES = (1, 2, 4, 8)  # of the least size of a class, where more than its size is asked for


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Result):
    """Which masking to take for a criterion, and why.

    Attributes
    ----------
    asked : str
        The criterion in words.
    map : RUMap
        All maskings that were tried, with their risk and loss; ``.map.frontier`` has those that no
        other one beats. One that does not meet the criterion is a point that says so.
    proposal : Point
        The masking proposed: ``.proposal.masked``.
    not_tried : mapping of method to str
        Methods that could not be tried, and why.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(300, seed=1), keys=["age", "sex"])
    >>> found = ds.recommend(survey, ds.KAnonymity(3))
    >>> ds.check(found.masked, ds.KAnonymity(3)).satisfied
    True
    """

    asked: str
    map: RUMap
    proposal: Point
    not_tried: Mapping[str, str]
    kind: FrameKind
    _criterion: Any = field(repr=False)
    shown = ("asked", "proposal", "reasons", "not_tried", "map")

    @property
    def masked(self) -> Microdata:
        """The masked microdata that are proposed."""
        return self.proposal.masked

    def plan(self, output: str = "masked.csv") -> Plan:
        """The plan that repeats the proposal and holds it against the criterion once more."""
        return self.masked.plan(output, criterion=self._criterion)

    @property
    def reasons(self) -> list[str]:
        """Why it is proposed, in sentences."""
        one, (risk, loss) = self.proposal, (self.map.risk, self.map.loss)
        others = sorted((p for p in self.map.points if not p.failed and p is not one), key=_by_loss)
        assert one.records is not None
        n = self.map.provenance.records
        assert isinstance(self.masked, Masked)
        step = maskings[self.masked.steps[-1].method]
        lines = [
            step.about,
            f"It meets {self.asked}: that was counted again on the masked file.",
            f"It loses least of {counted(len(others) + 1, 'masking')} that do: {loss[0]} "
            f"{one.loss:.4f}"
            + (f", before {others[0].label} with {others[0].loss:.4f}." if others else "."),
            f"Its risk ({risk[1]}) is {one.risk:.4f}, unmasked {self.map.unmasked.risk:.4f}.",
        ]
        assert one.risk is not None
        safer = [p for p in others if p.rank[0] < one.rank[0]]
        if safer:
            least = min(safer, key=lambda p: p.rank)
            lines.append(
                f"Less risk costs more: {least.label} has {least.risk:.4f} at {least.loss:.4f}."
            )
        if one.records < n:
            gone = n - one.records
            lines.append(f"{counted(gone, 'record')} ({share(gone, n)}) would be left out.")
        return lines

    def explain(self) -> str:
        """The proposal, its reasons, and what was not tried or does not meet the criterion."""
        lines = [f"Proposed for {self.asked}: {self.proposal.label}.", *self.reasons]
        rest = [p for p in self.map.frontier if p is not self.proposal]
        if rest:
            lines.append("Other trade-offs, lowest risk first:")
            lines += [f"  {p.label}: risk {p.risk:.4f}, loss {p.loss:.4f}" for p in rest]
        lines += [
            f"Not proposed: {p.label}: {p.problem.said()}" for p in self.map.failed if p.problem
        ]
        lines += [f"Not tried: {name}: {why}" for name, why in self.not_tried.items()]
        repeated = "".join(advice(f"; {in_python('.plan()')} repeats it"))
        lines += advice(
            "Next: look at what it does to your own statistics with "
            f"{function('compare_statistics')}{repeated}."
        )
        return "\n".join(lines)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per masking that was tried, as on the map."""
        return self.map.table(kind)

    def __reduce__(self) -> NoReturn:
        """Refused, as for the map."""
        self.map.__reduce__()


def recommend(
    data: Microdata,
    criterion: WhatMustHold,
    hierarchies: Annotated[
        Mapping[str, Hierarchy] | None,
        Shared("hierarchies"),
        Label("Hierarchies"),
        Doc("How the values of a key become coarser."),
    ] = None,
    *,
    max_suppressed: MostSuppressed = 0.02,
    risk: Annotated[str, Label("Risk"), Doc("The risk of the map."), Public] = "maximal",
    loss: Annotated[str, Label("Loss"), Doc("The loss of the map."), Public] = "ebil_share",
    risk_at_most: Annotated[
        float | None,
        Ge(0),
        Label("Highest risk"),
        Doc("Highest risk that the proposal may have."),
        Public,
    ] = None,
    seed: Annotated[int, Seed, Label("Seed"), Doc("Seed of the methods that draw at random.")] = 0,
) -> Recommendation:
    """Try every method that can reach a criterion, and propose one.

    Parameters
    ----------
    data : Microdata
        With its keys named.
    criterion : criterion or list of criteria
        What the masked file must meet.
    hierarchies : mapping of key to Hierarchy, optional
        For methods that make keys coarser; without them these are not tried.
    max_suppressed : float or int
        Share or number of records that may be left out. It is also tried without.
    risk, loss : str
        The axes of the map, as for :func:`ru_map`.
    risk_at_most : float, optional
        A limit for the proposal beside the criterion.
    seed : int
        Seed of the methods that draw at random.

    Returns
    -------
    Recommendation
        ``.proposal``, ``.reasons``, ``.masked``, ``.plan()``, and the ``.map`` of all that was
        tried.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(300, seed=1), keys=["age", "sex"])
    >>> hierarchies = {"age": ds.Hierarchy.intervals([10, 20]), "sex": ds.Hierarchy.suppress()}
    >>> found = ds.recommend(survey, ds.KAnonymity(3), hierarchies)
    >>> found.reasons[1]
    'It meets 3-anonymity: that was counted again on the masked file.'
    """
    require_microdata(data)
    given = {"max_suppressed": max_suppressed, "risk": risk, "loss": loss,
             "risk_at_most": risk_at_most, "seed": seed}  # fmt: skip
    raise_all(problems_of(parameters_of(recommend), given))
    data.need_keys()
    asked = combined(criterion)
    shared = {"criterion": asked, "hierarchies": hierarchies or None, "seed": int(seed)}
    tried, not_tried = _candidates(shared, max_suppressed)
    if not tried:
        _none(asked.describe(), not_tried)
    found = ru_map(data, tried, risk=risk, loss=loss)
    if len(found.failed) == len(found.points):
        _none(asked.describe(), {p.label: p.problem.text for p in found.points if p.problem})
    if risk_at_most is None:
        best = min((p for p in found.points if not p.failed), key=_by_loss)
    else:
        best = found.best(risk_at_most=risk_at_most)
    return Recommendation(asked.describe(), found, best, not_tried, data.source.kind, asked)


def _by_loss(point: Point) -> tuple[float, float]:
    return point.rank[1], point.rank[0]


def _none(asked: str, why: Mapping[str, str]) -> NoReturn:
    each = "; ".join(f"{name}: {reason.rstrip('.')}" for name, reason in why.items())
    remedy = f"Give hierarchies, or ask {function('advise')} what to relax."
    fail("D51", f"no method was found that meets {asked}: {each}.", remedy)


def _groups_keys(method: Method) -> bool:
    """Whether it forms groups of k records by the keys, if nothing else is said."""
    columns = method.parameters.get("columns")
    return "k" in method.parameters and columns is not None and columns.optional


@dataclass(frozen=True)
class CheckedRecipe(MaskingRecipe):
    """A recipe whose file is held against a criterion before it is handed out."""

    criterion: Any = None

    def run(self, data: Microdata) -> Masked:
        """Mask and check."""
        masked = super().run(data)
        if not masked.n:
            fail("D51", "no record would be left.", "Ask for less.")
        if masked.perturbed & set(masked.keys):
            fail(
                "D51",
                "it perturbs the keys, so that class sizes say little.",
                "Choose another method.",
            )
        if not check(masked, self.criterion).satisfied:
            what = f"the masked file does not meet {self.criterion.describe()}."
            fail("D51", what, "Choose a stronger masking, or another method.")
        return masked


def _candidates(
    shared: Mapping[str, Any], max_suppressed: float
) -> tuple[list[CheckedRecipe], dict[str, str]]:
    """The recipes that may reach the criterion, and methods that cannot be tried."""
    tried, not_tried = [], {}
    for method in maskings.all():
        for name in ("criterion", "hierarchies"):
            if method.takes(name) and shared[name] is None:
                not_tried[method.noun] = f"it needs {name}."
        if method.noun not in not_tried:
            tried += [
                CheckedRecipe(method, given, shared["criterion"])
                for given in _arguments(method, shared, max_suppressed)
            ]
    return tried, not_tried


def _arguments(
    method: Method, shared: Mapping[str, Any], max_suppressed: float
) -> Iterator[dict[str, Any]]:
    """The arguments with which a method is tried; none where it cannot reach a criterion."""
    criterion = shared["criterion"]
    if method.takes("criterion"):
        own = {n: v for n, v in shared.items() if n in method.parameters and v is not None}
        limits = dict.fromkeys([0, max_suppressed]) if "max_suppressed" in method.parameters else {}
        yield from ({**own, "max_suppressed": limit} for limit in limits)
        if not limits:
            yield own
    elif criterion.least_size > 1 and _groups_keys(method):
        sized = criterion.counts_decide and not criterion.least_distinct(("",))
        for times in _TIMES[:1] if sized else _TIMES:
            yield {"k": criterion.least_size * times}
