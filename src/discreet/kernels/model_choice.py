"""The choice of a log-linear model: two-way margins are added while the model underfits.

A model without the margins that matter spreads the records over too many cells, holds those with
one record for rarer than they are, and overstates their risk. B̂ of Skinner and Shlomo (2008) is
then far above 0 (``loglinear.ModelFit``). Each step adds the margin with which the larger one of
|B̂1|/sd and |B̂2|/sd is least, until neither is significantly positive or no margin lowers it. Of
equal margins the first wins.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from discreet.kernels.arrays import Floats
from discreet.kernels.loglinear import Axes, Grid, ModelFit, fit_of, fitted

UNDERFIT = 1.645  # a score that a model which holds exceeds in one of twenty samples


@dataclass(frozen=True)
class AddedMargin:
    """A model on the way: the margin that was added last, and how it fits."""

    added: Axes
    fit: ModelFit

    @property
    def score(self) -> float:
        """The larger one of the two scores, whatever their sign."""
        return max(map(abs, self.fit.scores))


def underfits(fit: ModelFit) -> bool:
    """Whether a model overstates the risk of the cells with one record."""
    return max(fit.scores) > UNDERFIT


def chosen_margins(
    grid: Grid, shares: Floats, share: float, watch: Callable[[int], None] = lambda _done: None
) -> list[AddedMargin]:
    """The steps from independence to the model that is chosen; ``shares`` are the π of the listed
    cells, ``share`` that of the others. ``watch`` is told how many models were tried.
    """
    mu, _ = fitted(grid, [])
    done = 0
    steps = [AddedMargin((), fit_of(grid, mu, shares, share))]
    while underfits(steps[-1].fit):
        best: tuple[AddedMargin, Floats] | None = None
        margins = [step.added for step in steps[1:]]
        for pair in _left(grid, margins):
            tried, _ = fitted(grid, [*margins, pair], mu)
            step = AddedMargin(pair, fit_of(grid, tried, shares, share))
            if best is None or step.score < best[0].score:
                best = step, tried
            done += 1
            watch(done)
        if best is None or best[0].score >= steps[-1].score:
            break
        steps.append(best[0])
        mu = best[1]
    return steps


def _left(grid: Grid, margins: list[Axes]) -> Iterator[Axes]:
    """The pairs that are not in the model; an attribute with one value has nothing to add."""
    wide = [a for a, size in enumerate(grid.shape) if size > 1]
    return (pair for pair in itertools.combinations(wide, 2) if pair not in margins)
