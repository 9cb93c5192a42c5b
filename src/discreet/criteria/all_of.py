"""Several criteria at once: a class must satisfy each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from discreet.criteria.criterion import Criterion, Sum
from discreet.criteria.disclosure_risk import DisclosureRiskAtMost
from discreet.errors import fail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.classes import Classes


@dataclass(frozen=True)
class AllOf:
    """The conjunction of several criteria on classes."""

    criteria: tuple[Criterion, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "criteria", tuple(_each(self.criteria)))

    @property
    def monotone(self) -> bool:
        """Whether all of them are."""
        return all(c.monotone for c in self.criteria)

    @property
    def monotone_with_suppression(self) -> bool:
        """Whether all of them are."""
        return all(c.monotone_with_suppression for c in self.criteria)

    def needs(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The attributes whose distinct values some criterion must know."""
        return _merged(c.needs(confidential) for c in self.criteria)

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The attributes whose values some criterion must count."""
        return _merged(c.needs_values(confidential) for c in self.criteria)

    def failing(self, classes: Classes) -> Mapping[str, NDArray[np.bool_]]:
        """The classes that fail any of them, by reason."""
        found: dict[str, NDArray[np.bool_]] = {}
        for criterion in self.criteria:
            for reason, mask in criterion.failing(classes).items():
                found[reason] = found[reason] | mask if reason in found else mask
        return found

    def describe(self) -> str:
        """The criteria in words."""
        return " and ".join(c.describe() for c in self.criteria)

    def to_dict(self) -> dict[str, Any]:
        """Names and parameters."""
        return {"criterion": type(self).__name__, "criteria": [c.to_dict() for c in self.criteria]}


def sums_of(criterion: Any, confidential: Sequence[str]) -> tuple[Sum, ...] | None:
    """What a criterion must know of the values of a class, as sums over them; None where it looks
    at more than sums.
    """
    found: list[Sum] = []
    for one in criterion.criteria if isinstance(criterion, AllOf) else (criterion,):
        if one.needs_values(confidential):
            summed = one.sums(confidential) if hasattr(one, "sums") else None
            if summed is None:
                return None
            found += summed
    return tuple(dict.fromkeys(found))


def combined(given: Any) -> Any:
    """One criterion out of one or several; anything else is an error."""
    several = _each(given if isinstance(given, list | tuple) else [given])
    return several[0] if len(several) == 1 else AllOf(tuple(several))


def _each(given: Any) -> list[Any]:
    """The criteria one by one; a conjunction is taken apart."""
    found: list[Any] = []
    for one in given if isinstance(given, list | tuple) else [None]:
        found += one.criteria if isinstance(one, AllOf) else [one]
    if not found or not all(_is_criterion(c) for c in found):
        fail("P09", "the last argument is not a criterion.", "Give for example ds.KAnonymity(5).")
    return found


def _is_criterion(given: object) -> bool:
    offered = ("describe", "failing", "needs", "needs_values")
    return isinstance(given, DisclosureRiskAtMost) or (
        not isinstance(given, type) and all(hasattr(given, name) for name in offered)
    )


def resolved(criterion: Any, confidential: Sequence[str]) -> Any:
    """The same with its attributes named: all confidential ones where it names none.

    Beside another criterion that names other attributes, it would else apply to those, too.
    """
    if isinstance(criterion, AllOf):
        return AllOf(tuple(resolved(c, confidential) for c in criterion.criteria))
    if getattr(criterion, "confidential", ()) is None:
        return replace(criterion, confidential=tuple(confidential))
    return criterion


def split(criterion: Any) -> tuple[Any, tuple[DisclosureRiskAtMost, ...]]:
    """The criteria on classes, as one (or None), and the limits of the disclosure risk."""
    several = criterion.criteria if isinstance(criterion, AllOf) else (criterion,)
    limits = tuple(c for c in several if isinstance(c, DisclosureRiskAtMost))
    parts = tuple(c for c in several if not isinstance(c, DisclosureRiskAtMost))
    return (parts[0] if len(parts) == 1 else AllOf(parts) if parts else None), limits


def _merged(names: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for some in names for name in some))
