"""Advice: what to give up where a criterion cannot be met, one change at a time.

Each proposal was searched for with its change and found feasible, so that none is made in vain:
a weaker number of a criterion, more suppressed records, a key left out, or one that may become a
single group. Those that lose least come first.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet.criteria.all_of import combined
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import UNMET, DiscreetError
from discreet.frames import FrameKind
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.masking.generalization.lattice import budget_of
from discreet.masking.generalize import generalize
from discreet.parameters import Parameter, parameters_of
from discreet.results import Computed, Provenance
from discreet.words import counted, share

if TYPE_CHECKING:
    from discreet.masking.found import Found

_OFTEN = 12  # times that a limit without an upper bound is doubled


@dataclass(frozen=True)
class Proposal:
    """One change, and what is found with it.

    Attributes
    ----------
    change : str
        In words.
    loss : float
        Iyengar's, of the node that is found; a key that is left out counts 1.
    found : Found
        The search with the change: ``.best.mask()`` gives the masked microdata.
    """

    change: str
    loss: float
    found: Found = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        best = self.found.best
        return {
            "change": self.change,
            "loss": self.loss,
            "levels": best.levels,
            "suppressed": best.suppressed,
        }


@dataclass(frozen=True, repr=False)
class Advice(Computed):
    """Whether a criterion can be met, and if not, with which changes.

    Attributes
    ----------
    asked : str
        What was asked for, in words.
    met : bool
        Whether it can be met as it is: then nothing is proposed.
    why : str
        Why not; empty where it can.
    proposals : tuple of Proposal
        Those that lose least first.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [30, 30, 50]}, keys=["age"])
    >>> advice = ds.advise(survey, {}, ds.KAnonymity(2), max_suppressed=0)
    >>> advice.met, [one.change for one in advice.proposals]
    (False, ['k = 1', '1 suppressed record (33.3%)', "a group of all values for 'age'"])
    """

    asked: str
    met: bool
    why: str
    proposals: tuple[Proposal, ...]
    provenance: Provenance
    shown = ("asked", "met", "why", "proposals")

    def __bool__(self) -> bool:
        return self.met

    def explain(self) -> str:
        """The advice in sentences."""
        if self.met:
            return f"{self.asked} can be met."
        if not self.proposals:
            return f"{self.asked} cannot be met, and no single change is enough.\n{self.why}"
        each = [f"  {one.change} (loss {one.loss:.4f})" for one in self.proposals]
        said = [f"{self.asked} cannot be met.", "One of these changes is enough:"]
        return "\n".join([*said, *each])

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per proposal."""
        names = ("change", "loss", "suppressed")
        rows = [{n: one.to_dict()[n] for n in names} for one in self.proposals]
        return self._frame(rows or {n: [] for n in names}, kind)


def advise(
    data: Microdata,
    hierarchies: Mapping[str, Hierarchy],
    criterion: Any,
    *,
    max_suppressed: float = 0.02,
) -> Advice:
    """Say what to relax when no generalization meets a criterion.

    Parameters
    ----------
    data : Microdata
    hierarchies : mapping of key to Hierarchy
    criterion : criterion or list of criteria
    max_suppressed : float or int
        As for :func:`generalize`.

    Returns
    -------
    Advice
        ``.met``; ``.proposals``, each with ``.change`` in words and ``.found``, the search with it:
        the strictest number of each criterion that can be met, the fewest records more that must be
        suppressed, and the keys that could be left out or become one group.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"sex": list("MFMMFMMFMM"), "region": list("aaaabbbbcc")}
    >>> survey = ds.read(table, keys=["sex", "region"])
    >>> h = {"sex": ds.Hierarchy.suppress()}  # and none for the region
    >>> print(ds.advise(survey, h, ds.KAnonymity(3), max_suppressed=0).explain())
    3-anonymity with no suppressed record cannot be met.
    One of these changes is enough:
      a group of all values for 'region' (loss 0.5000)
      k = 2 (loss 0.5000)
      leaving out 'region' (loss 0.5000)
      2 suppressed records (20.0%) (loss 0.6000)
    """
    require_microdata(data)
    asking = _Asking(data, dict(hierarchies), combined(criterion), max_suppressed)
    words, where = asking.words, Provenance.of(data)
    try:
        asking.searched()
    except DiscreetError as error:
        if error.code not in UNMET:
            raise
        found = sorted(_proposals(asking), key=lambda one: (round(one.loss, 12), one.change))
        return Advice(words, False, error.problems[0].what, tuple(found), where)
    return Advice(words, True, "", (), where)


@dataclass(frozen=True)
class _Asking:
    """What is asked of a search."""

    data: Microdata
    hierarchies: dict[str, Any]
    criterion: Any
    max_suppressed: float

    @property
    def words(self) -> str:
        some = budget_of(self.max_suppressed, self.data.n)
        limit = f"{share(some, self.data.n)} suppression" if some else "no suppressed record"
        return f"{self.criterion.describe()} with {limit}"

    def searched(self) -> Found:
        """The search; an error where nothing is feasible."""
        return generalize(
            self.data, self.hierarchies, self.criterion, max_suppressed=self.max_suppressed
        )

    def found(self, **changes: Any) -> Found | None:
        """The search with a change; None where that does not help, or leaves no record."""
        try:
            found = dataclasses.replace(self, **changes).searched()
        except DiscreetError:
            return None
        return found if found.best.suppressed < found.task.keys.n else None


def _proposals(asking: _Asking) -> Iterator[Proposal]:
    yield from _weaker(asking)
    yield from _more_suppressed(asking)
    yield from _fewer_keys(asking)


def _weaker(asking: _Asking) -> Iterator[Proposal]:
    """The strictest number of each criterion that can be met, the others being as they are."""
    parts = asking.criterion.parts
    for i, part in enumerate(parts):
        for parameter in parameters_of(part.__class__):
            if not {"AtLeast", "AtMost"} & parameter.marks:
                continue
            numbers = _weaker_numbers(parameter, getattr(part, parameter.name))
            weaker = [one for one in numbers if _changed(part, parameter, one) is not None]
            hit = _first_met(weaker, _with_number(asking, parts, i, parameter))
            if hit is not None:
                number, found = hit
                of = f" of {part.describe()}" if len(parts) > 1 else ""
                yield Proposal(f"{parameter.name} = {number:g}{of}", found.best.loss, found)


def _with_number(
    asking: _Asking, parts: Sequence[Any], i: int, parameter: Parameter
) -> Callable[[float], Found | None]:
    def search(number: float) -> Found | None:
        weaker = _changed(parts[i], parameter, number)
        return asking.found(criterion=combined([*parts[:i], weaker, *parts[i + 1 :]]))

    return search


def _changed(part: Any, parameter: Parameter, number: float) -> Any:
    """A criterion with another number; None where that cannot be combined with its "
    "other numbers."""
    try:
        return dataclasses.replace(part, **{parameter.name: number})
    except DiscreetError:
        return None


def _weaker_numbers(parameter: Parameter, given: float) -> list[float]:
    """Numbers that ask for less and less: whole ones, or those of two digits."""
    if "AtLeast" in parameter.marks:
        if parameter.kind == "whole":
            return list(range(int(given) - 1, math.ceil(parameter.low) - 1, -1))
        return [*reversed(_two_digits(given / 2**_OFTEN, given)), 0.0] if given else []
    top = parameter.high if math.isfinite(parameter.high) else given * 2**_OFTEN
    return _two_digits(given or 1e-4, top)


def _two_digits(low: float, high: float) -> list[float]:
    """The numbers of two significant digits within two others, without the first; and the last.

    Examples
    --------
    >>> _two_digits(0.096, 0.12)
    [0.097, 0.098, 0.099, 0.1, 0.11, 0.12]
    """
    found: list[float] = []
    at = low
    while at < high and len(found) < 10_000:
        step = 10.0 ** (math.floor(math.log10(at) + 1e-12) - 1)
        at = float(f"{(math.floor(at / step + 1e-9) + 1) * step:.2g}")
        found.append(min(at, high))
    return found


def _more_suppressed(asking: _Asking) -> Iterator[Proposal]:
    """The fewest records that must go."""
    n = asking.data.n
    numbers = range(budget_of(asking.max_suppressed, n) + 1, n)
    hit = _first_met(numbers, lambda number: asking.found(max_suppressed=int(number)))
    if hit is not None:
        number, found = hit
        words = f"{counted(int(number), 'suppressed record')} ({share(int(number), n)})"
        yield Proposal(words, found.best.loss, found)


def _fewer_keys(asking: _Asking) -> Iterator[Proposal]:
    """Keys that keep several values whatever is generalized: as one group, or left out."""
    keys = asking.data.need_keys()
    for key in keys:
        top = {**asking.hierarchies, key: Hierarchy.suppress()}
        found = asking.found(hierarchies=top)
        if found is not None:
            yield Proposal(f"a group of all values for {key!r}", found.best.loss, found)
        others = tuple(one for one in keys if one != key)
        if not others:
            continue
        kept = {name: one for name, one in asking.hierarchies.items() if name != key}
        found = asking.found(data=asking.data.with_roles(keys=others), hierarchies=kept)
        if found is not None:
            loss = (found.best.loss * len(others) + 1) / len(keys)
            yield Proposal(f"leaving out {key!r}", loss, found)


def _first_met(
    numbers: Sequence[float], search: Callable[[float], Found | None]
) -> tuple[float, Found] | None:
    """The first number that is met: what is met by one is met by all after it."""
    low, high, best = 0, len(numbers) - 1, None
    while low <= high:
        at = (low + high) // 2 if best is not None or low else high  # the weakest one first
        found = search(numbers[at])
        if found is None:
            low = at + 1
        else:
            best, high = (numbers[at], found), at - 1
    return best
