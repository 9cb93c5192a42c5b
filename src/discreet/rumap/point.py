"""A point of an R-U map: a masking with its risk and its loss, or why it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet.errors import Problem, raise_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.data.microdata import Microdata

_DIGITS = 12  # figures that agree to this many digits after the point are equal


@dataclass(frozen=True, eq=False, repr=False)
class Point:
    """A masking on the map.

    Attributes
    ----------
    label, method : str
    parameters : mapping
        What the masking did, as plain values.
    risk, loss : float
        The two measures; None when the masking failed, or the measure does not apply to it.
    records : int
        Records that are released; None when the masking failed.
    seconds : float
        How long the masking took; 0 for one that was given.
    parts : mapping
        The parts of ``ds.score``, when they were asked for; empty where there is no score.
    problem : Problem
        Why it failed or a measure does not apply, with its code; else None.
    lower_is_better : tuple of bool
        Of the risk and of the loss.
    perturbed : tuple of str
        The keys whose values were changed at random: class sizes say little then.
    """

    label: str
    method: str
    parameters: Mapping[str, Any]
    risk: float | None = None
    loss: float | None = None
    records: int | None = None
    seconds: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    problem: Problem | None = None
    make: Callable[[], Microdata] | None = None
    lower_is_better: tuple[bool, bool] = (True, True)
    perturbed: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is no risk or no loss."""
        return self.problem is not None

    @property
    def masked(self) -> Microdata:
        """The masked microdata; a masking off the frontier is made anew from its recipe."""
        raise_all([self.problem] if self.problem and self.make is None else [])
        assert self.make is not None
        return self.make()

    @property
    def place(self) -> tuple[float, float]:
        """Risk and loss, rounded so that what is equal compares equal."""
        assert self.risk is not None
        assert self.loss is not None
        return round(self.risk, _DIGITS), round(self.loss, _DIGITS)

    @property
    def rank(self) -> tuple[float, float]:
        """Risk and loss so that less is better."""
        risk, loss = (
            value if lower else -value
            for value, lower in zip(self.place, self.lower_is_better, strict=True)
        )
        return risk, loss

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        problem = self.problem and {"code": self.problem.code, "message": str(self.problem)}
        return {
            "label": self.label,
            "method": self.method,
            "parameters": dict(self.parameters),
            "risk": self.risk,
            "loss": self.loss,
            "records": self.records,
            "seconds": self.seconds,
            **({"score": dict(self.parts)} if self.parts else {}),
            **({"perturbed": list(self.perturbed)} if self.perturbed else {}),
            "failed": problem,
        }

    def __repr__(self) -> str:
        if self.problem:
            word = "failed" if self.make is None else "a measure does not apply"
            return f"Point({self.label}: {word} [{self.problem.code}])"
        return f"Point({self.label}: risk {self.risk:.4f}, loss {self.loss:.4f})"


def frontier(points: Sequence[Point]) -> list[Point]:
    """The points that no other one beats: none has as little of both and less of one.

    From the best risk on; equal points all belong to it, in the order given.
    """
    alive = [point for point in points if not point.failed]
    ordered = sorted(range(len(alive)), key=lambda i: (alive[i].rank, i))
    best: list[Point] = []
    for i in ordered:
        if not best or alive[i].rank[1] < best[-1].rank[1] or alive[i].rank == best[-1].rank:
            best.append(alive[i])
    return best


def by_place(points: Sequence[Point]) -> dict[tuple[float, float], list[Point]]:
    """The points that were measured by risk and loss, those that are equal together."""
    places: dict[tuple[float, float], list[Point]] = {}
    for point in points:
        if not point.failed:
            places.setdefault(point.place, []).append(point)
    return places
