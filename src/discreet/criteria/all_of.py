"""Several criteria at once: a class must satisfy each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.criteria.criterion import Criterion
from discreet.errors import fail
from discreet.frequency.classes import Classes
from discreet.frequency.value_counts import Sum
from discreet.surface import argument, function

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools


@dataclass(frozen=True)
class AllOf(Criterion):
    """Several criteria that must all hold; a list of criteria is the same.

    Parameters
    ----------
    criteria : sequence of Criterion
        The criteria. Each class must satisfy all of them.

    Examples
    --------
    >>> import discreet as ds
    >>> ds.AllOf([ds.KAnonymity(5), ds.TCloseness(0.2)]).describe()
    '5-anonymity and 0.2-closeness (equal distance)'
    """

    criteria: tuple[Criterion, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "criteria", tuple(_each(self.criteria)))

    @property
    def parts(self) -> tuple[Any, ...]:
        """The criteria one by one."""
        return self.criteria

    @property
    def monotone(self) -> bool:
        """Whether all of them are."""
        return all(c.monotone for c in self.criteria)

    @property
    def monotone_with_suppression(self) -> bool:
        """Whether all of them are."""
        return all(c.monotone_with_suppression for c in self.criteria)

    @property
    def least_size(self) -> int:
        """The largest that one of them asks for."""
        return max(c.least_size for c in self.criteria)

    def least_distinct(self, confidential: Sequence[str]) -> dict[str, int]:
        """The largest numbers that some of them ask for."""
        found: dict[str, int] = {}
        for one in self.criteria:
            for name, least in one.least_distinct(confidential).items():
                found[name] = max(found.get(name, 1), least)
        return found

    @property
    def counts_decide(self) -> bool:
        """Whether counts decide all of them."""
        return all(c.counts_decide for c in self.criteria)

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The attributes whose values some criterion must count."""
        found = (name for c in self.criteria for name in c.needs_values(confidential))
        return tuple(dict.fromkeys(found))

    def sums(self, confidential: Sequence[str]) -> tuple[Sum, ...] | None:
        """What decides of the values of a class, as sums; None where one looks at more."""
        found: list[Sum] = []
        for one in self.criteria:
            if one.needs_values(confidential):
                summed = one.sums(confidential)
                if summed is None:
                    return None
                found += summed
        return tuple(dict.fromkeys(found))

    @property
    def registers(self) -> tuple[Any, ...]:
        """The registers that some of them look into."""
        return tuple(one for c in self.criteria for one in c.registers)

    def vacancies(self, classes: Classes) -> int:
        """The most that one of them finds."""
        return max(c.vacancies(classes) for c in self.criteria)

    def why(self, reason: str) -> str:
        """In the words of the one whose reason it is."""
        return next(filter(None, (c.why(reason) for c in self.criteria)), "")

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes that fail any of them, by reason."""
        found: dict[str, Bools] = {}
        for criterion in sorted(self.criteria, key=lambda c: c.of_file):
            for reason, mask in self._failing(criterion, classes, list(found.values())).items():
                found[reason] = found[reason] | mask if reason in found else mask
        return found

    def _failing(
        self, criterion: Criterion, classes: Classes, before: Sequence[Bools]
    ) -> Mapping[str, Bools]:
        """The classes that fail one of them; what must hold for the whole file is asked of those
        that no other one takes away."""
        if not (criterion.of_file and before):
            return criterion.failing(classes)
        gone = np.logical_or.reduce(before)
        (reason,) = criterion.failing(classes)
        return {reason: criterion.to_go(classes, gone, np.arange(len(gone)))}

    def describe(self) -> str:
        """The criteria in words."""
        return " and ".join(c.describe() for c in self.criteria)

    def to_dict(self) -> dict[str, Any]:
        """Names and parameters."""
        return {"criterion": type(self).__name__, "criteria": [c.to_dict() for c in self.criteria]}

    def resolved(self, confidential: Sequence[str]) -> AllOf:
        """The same, each with its attributes named."""
        return AllOf(tuple(c.resolved(confidential) for c in self.criteria))


def sums_of(criterion: Criterion, confidential: Sequence[str]) -> tuple[Sum, ...] | None:
    """What a criterion must know of the values of a class, as sums over them; None where it looks
    at more than sums.
    """
    return criterion.sums(confidential) if criterion.needs_values(confidential) else ()


def combined(given: Any) -> Any:
    """One criterion out of one or several; anything else is an error."""
    several = _each(given if isinstance(given, list | tuple) else [given])
    return several[0] if len(several) == 1 else AllOf(tuple(several))


def _each(given: Any) -> list[Any]:
    """The criteria one by one; a conjunction is taken apart."""
    found: list[Any] = []
    for one in given if isinstance(given, list | tuple) else [None]:
        found += one.parts if isinstance(one, Criterion) else [one]
    if not found or not all(isinstance(one, Criterion) for one in found):
        fail(
            "P09",
            f"{argument('criterion')} is not a criterion, nor a list of them.",
            f"Give for example {function('KAnonymity', '5')}.",
        )
    return found


def split(criterion: Criterion) -> tuple[Any, tuple[Any, ...]]:
    """The criteria on classes, as one (or None), and those that compare the two files."""
    return _apart(criterion, lambda one: one.compares_files)


def people_apart(criterion: Criterion) -> tuple[Any, tuple[Any, ...]]:
    """The criteria on records alone, as one (or None), and those on the people behind classes."""
    return _apart(criterion, lambda one: bool(one.registers))


def file_apart(criterion: Criterion) -> tuple[Any, tuple[Any, ...]]:
    """The criteria on single classes, as one (or None), and those on the whole file that class
    sizes decide."""
    return _apart(criterion, lambda one: one.of_file and one.sizes_apart is not None)


def _apart(criterion: Criterion, other: Callable[[Any], bool]) -> tuple[Any, tuple[Any, ...]]:
    """The criteria that are not of another kind, as one (or None), and those that are."""
    others = tuple(c for c in criterion.parts if other(c))
    parts = tuple(c for c in criterion.parts if not other(c))
    return (combined(parts) if parts else None), others


def failing_alone(criterion: Criterion, classes: Classes) -> Bools:
    """Which classes fail by themselves, where they are not all there: each is taken for a file by
    what is asked of the whole file, which then holds for all of them together, too."""
    return np.logical_or.reduce([_fails_alone(part, classes) for part in criterion.parts])


def _fails_alone(criterion: Any, classes: Classes) -> Bools:
    if not criterion.of_file:
        return np.logical_or.reduce(list(criterion.failing(classes).values()))
    sizes, at = np.unique(classes.size, return_inverse=True)
    one = np.ones(1, np.int64)
    files = (Classes(size, one, size) for size in sizes[:, None])
    failing = [any(f.any() for f in criterion.failing(file).values()) for file in files]
    return np.array(failing)[at]
