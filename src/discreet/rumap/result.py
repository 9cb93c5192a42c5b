"""What an R-U map shows: points, the frontier, and the best masking under a limit."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from discreet import charts
from discreet.errors import Problem, argument, fail, raise_all
from discreet.files import write_text
from discreet.frames import FrameKind
from discreet.parameters import is_number
from discreet.results import Computed, Provenance
from discreet.rumap.point import Point, by_place, frontier
from discreet.surface import advice, function, in_python
from discreet.words import PERTURBED, counted, perturbation_caution

_SLACK = 1e-12  # a limit that is reached to this much is reached


@dataclass(frozen=True, eq=False, repr=False)
class RUMap(Computed):
    """Risk and loss of many maskings of one file.

    Attributes
    ----------
    points : tuple of Point
        One per masking, in the order given, those that failed too.
    unmasked : Point
        The file released as it is, to compare with; not one of the points.
    risk, loss : tuple of str
        Name and meaning of the two measures.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> found = ds.ru_map(ages, ds.grid(methods=["fixed"], k=[2, 4]))
    >>> [(point.label, point.risk) for point in found.points]
    [('fixed k=2', 0.5), ('fixed k=4', 0.25)]
    >>> found.best(risk_at_most=0.3).label
    'fixed k=4'

    References
    ----------
    - Duncan, Keller-McNulty, Stokes (2001), *Disclosure risk vs. data utility: the R-U
      confidentiality map*.
    """

    points: tuple[Point, ...]
    unmasked: Point
    risk: tuple[str, str]
    loss: tuple[str, str]
    provenance: Provenance

    def __reduce__(self) -> NoReturn:
        """Refused: the points hold maskings, whose records lie in an engine of this process."""
        what = "an R-U map cannot be pickled: its maskings stay in the engine of this process."
        fail(
            "N15",
            what,
            f"Pickle what it says: {in_python('.to_dict()')}, or {in_python('.table()')}.",
        )

    @functools.cached_property
    def frontier(self) -> tuple[Point, ...]:
        """The points that no other one beats in both, from the lowest risk on; ties are all in."""
        return tuple(frontier(self.points))

    @functools.cached_property
    def ties(self) -> tuple[tuple[str, ...], ...]:
        """Labels of points that are equal in risk and loss."""
        equal = [group for group in by_place(self.points).values() if len(group) > 1]
        return tuple(tuple(point.label for point in group) for group in equal)

    @property
    def failed(self) -> tuple[Point, ...]:
        """The maskings that could not be made, or that a measure does not apply to."""
        return tuple(point for point in self.points if point.failed)

    def __getitem__(self, label: str) -> Point:
        """A point by its label."""
        for point in self.points:
            if point.label == label:
                return point
        fail(
            "P54",
            "no point of the map has this label.",
            f"See {in_python('.table()')} for the labels.",
        )

    def best(
        self, *, risk_at_most: float | None = None, loss_at_most: float | None = None
    ) -> Point:
        """The point of least loss within a limit of the risk, or of least risk within one of the
        loss; with both limits, the one of least loss within both.

        Ties go to the lower risk (or loss), then to the masking that was given first. When no
        masking keeps the limit, the error says how close the best one came.
        """
        raise_all(_limit_problems(risk_at_most, loss_at_most))
        raise_all(self._direction_problems(risk_at_most, loss_at_most))
        known = [point for point in self.points if not point.failed]
        if not known:
            first = self.points[0].problem
            assert first is not None
            what = f"no masking could be measured. The first one failed: {first.text}"
            fail("D50", what, f"See {argument('as_json', written='.explain()')} for the others.")
        fit = [
            point
            for point in known
            if _within(point.risk, risk_at_most) and _within(point.loss, loss_at_most)
        ]
        if not fit:
            _too_much(known, risk_at_most, loss_at_most)
        by_loss = risk_at_most is not None
        return min(fit, key=lambda p: p.rank[::-1] if by_loss else p.rank)  # of equals the first

    def _direction_problems(self, *limits: float | None) -> list[Problem]:
        """A limit from above on an axis of which more is better says nothing."""
        better = self.unmasked.lower_is_better
        axes = zip(("risk", "loss"), limits, better, strict=True)
        what = "does not apply: for this measure, more is better."
        return [
            Problem("P10", f"{argument(f'{axis}_at_most')} {what}", "Limit the other axis.")
            for axis, limit, lower in axes
            if limit is not None and not lower
        ]

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per masking: risk, loss, whether it is on the frontier, or why it failed.

        The parts of the score stand beside when they were asked for.
        """
        import pyarrow as pa

        on_frontier = set(map(id, self.frontier))
        rows: list[dict[str, Any]] = [
            {"masking": p.label, "method": p.method, "risk": p.risk, "loss": p.loss,
             "frontier": id(p) in on_frontier, "records": p.records, "seconds": p.seconds,
             **{name: p.parts.get(name) for name in self._parts},
             "failed": str(p.problem) if p.problem else None,
             "code": p.problem.code if p.problem else None}
            for p in self.points
        ]  # fmt: skip
        kinds = {"masking": pa.string(), "method": pa.string(), "frontier": pa.bool_(),
                 "records": pa.int64(), "failed": pa.string(), "code": pa.string()}  # fmt: skip
        columns = {
            name: pa.array([row[name] for row in rows], kinds.get(name, pa.float64()))
            for name in rows[0]
        }
        return self._frame(columns, kind)

    def chart(self) -> Any:
        """The map: loss against risk, the frontier as a line (needs the ``charts`` extra)."""
        from discreet.rumap.chart import ru_chart

        return ru_chart(self)

    def write_svg(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the chart to a file."""
        if not isinstance(path, str | os.PathLike) or Path(path).suffix != ".svg":
            fail("O01", "the chart is written to a .svg file.", "Change the ending.")
        write_text(Path(path), charts.svg(self.chart()), overwrite=overwrite)

    def explain(self) -> str:
        """What was mapped, which maskings are worth a look, which failed, what to do next."""
        known = len(self.points) - len(self.failed)
        lines = [
            f"{counted(known, 'masking')} of {counted(self.provenance.records, 'record')}: "
            f"risk is {self.risk[1]}, loss is {self.loss[0]}, the {self.loss[1]}.",
        ]
        if self.unmasked.risk is not None:
            lines.append(f"Unmasked, the risk is {self.unmasked.risk:.4f}.")
        if self.frontier:
            lines.append("Best trade-offs, lowest risk first:")
            lines += [f"  {p.label}: risk {p.risk:.4f}, loss {p.loss:.4f}" for p in self.frontier]
        lines += [f"Equal in both: {' and '.join(labels)}." for labels in self.ties]
        lines += self._perturbed()
        lines += [f"{_word(p)}: {p.label} [{p.problem.code}]: {p.problem.said()}"
                  for p in self.points if p.problem]  # fmt: skip
        best = argument("risk_at_most", written=".best(risk_at_most=…)")
        lines += advice(
            f"Next: {best} gives the masking of least loss under your limit; look at what it does "
            f"to your own statistics with {function('compare_statistics')} before release."
        )
        return "\n".join(lines)

    def _perturbed(self) -> list[str]:
        """Of which points class sizes say little."""
        found = [point for point in self.points if point.perturbed]
        keys = list(dict.fromkeys(key for point in found for key in point.perturbed))
        names = ", ".join(repr(point.label) for point in found)
        return [f"{PERTURBED}by {names}, {perturbation_caution(keys)}"] if found else []

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "risk": {"measure": self.risk[0], "meaning": self.risk[1]},
            "loss": {"measure": self.loss[0], "meaning": self.loss[1]},
            "lower_is_better": dict(
                zip(("risk", "loss"), self.unmasked.lower_is_better, strict=True)
            ),
            "points": [point.to_dict() for point in self.points],
            "unmasked": self.unmasked.to_dict(),
            "frontier": [point.label for point in self.frontier],
            "ties": [list(labels) for labels in self.ties],
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} not on the map" if self.failed else ""
        return (
            f"RUMap: {counted(len(self.points), 'masking')}, {len(self.frontier)} on the "
            f"frontier{failed}"
        )

    @functools.cached_property
    def _parts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for point in self.points for name in point.parts))


def _word(point: Point) -> str:
    return "Failed" if point.make is None else "Not on the map"


def _within(value: float | None, limit: float | None) -> bool:
    return limit is None or (value is not None and value <= limit + _SLACK)


def _limit_problems(risk: object, loss: object) -> list[Problem]:
    if risk is None and loss is None:
        what = "no limit is given."
        return [
            Problem(
                "P10",
                what,
                f"Give {argument('risk_at_most')}, {argument('loss_at_most')}, or both.",
            )
        ]
    return [
        Problem("P10", f"{argument(name)} is not a number of at least 0.", "Give for example 0.05.")
        for name, limit in (("risk_at_most", risk), ("loss_at_most", loss))
        if limit is not None and not (is_number(limit) and limit >= 0)  # type: ignore[operator]
    ]


def _too_much(known: list[Point], risk: float | None, loss: float | None) -> NoReturn:
    """Say how near the best masking came to the limits."""
    asked, reached = [], []
    if risk is not None:
        low = min(known, key=lambda p: p.rank)
        asked.append(f"a risk of at most {risk:g}")
        reached.append(f"the lowest risk is {low.risk:.4f} ({low.label})")
    if loss is not None:
        least = min(known, key=lambda p: p.rank[::-1])
        asked.append(f"a loss of at most {loss:g}")
        reached.append(f"the least loss is {least.loss:.4f} ({least.label})")
    what = f"no masking has {' and '.join(asked)}: {', '.join(reached)}."
    fail("D50", what, "Add stronger maskings, such as larger k, or loosen the limit.")
