"""What an intruder who knows the masking method can rule out: which masked values may be whose.

Masking methods are published, and so are their parameters. Whoever knows that values were swapped
within a window of ranks looks only within that window, in every attribute at once [1]_. Groups of
microaggregation are taken as known, which is the most that the method can give away: of numbers
that were grouped one by one, their ranks tell the groups.

References
----------
.. [1] Nin, Herranz, Torra, "Rethinking rank swapping to decrease disclosure risk", Data & Knowledge
   Engineering 64 (1), 2008.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.link import Linked
from discreet.data.masked import Masked, Step
from discreet.errors import fail
from discreet.parameters import as_written
from discreet.risks.coordinates import Coordinates

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats
    from discreet.kernels.linkage import Windows

    Limits = tuple[Floats, Floats]


def known_intervals(linked: Linked, found: Coordinates) -> tuple[Windows, tuple[str, ...]]:
    """Per record and attribute between which masked values the own one must lie, and the attributes
    of which the method tells something."""
    from discreet.kernels.linkage import Windows

    shape = found.initial.shape
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    told = []
    for a, name in enumerate(found.columns):
        step = _step(linked, name)
        if step is not None:
            low[:, a], high[:, a] = _KNOWN[step.method](
                found.initial[:, a], found.masked[:, a], step.parameters
            )
            told.append(name)
    return Windows(low, high), tuple(told)


def need_known_method(linked: Linked) -> None:
    """Refuse a file masked elsewhere, whose method is not known."""
    if not linked.made_here:
        fail(
            "N07",
            f"how {linked.masked.name} was masked is not known here.",
            "Leave knows_method= out, or mask it here.",
        )


def _step(linked: Linked, name: str) -> Step | None:
    """The one step that changed a column, where its method tells an intruder something."""
    assert isinstance(linked.masked, Masked)
    steps = [step for step in linked.masked.steps if name in step.changed]
    one = steps[0] if len(steps) == 1 else None
    return one if one is not None and one.method in _KNOWN and _of_all(linked, one) else None


def _of_all(linked: Linked, step: Step) -> bool:
    """Whether ranks were those of the whole file, all of which is released."""
    whole = linked.masked.n == linked.initial.n == step.before
    return step.method != "rank_swap" or (whole and not step.parameters.get("by"))


def _own_group(_initial: Floats, masked: Floats, _given: Any) -> Limits:
    """The records of the own group: they all have the own masked value."""
    known = ~np.isnan(masked)
    return np.where(known, masked, -np.inf), np.where(known, masked, np.inf)


def _own_window(initial: Floats, masked: Floats, given: Any) -> Limits:
    """The values within the window of ranks: a swap leaves them all in the column."""
    known = ~np.isnan(initial)
    ordered = np.sort(masked[~np.isnan(masked)])
    n = len(ordered)
    reach = int(as_written(given["window"]) * n)
    first = np.searchsorted(ordered, initial[known], side="left")
    last = np.searchsorted(ordered, initial[known], side="right") - 1
    low, high = np.full(len(initial), -np.inf), np.full(len(initial), np.inf)
    low[known] = ordered[np.maximum(np.minimum(first, n - 1) - reach, 0)]
    high[known] = ordered[np.minimum(np.maximum(last, 0) + reach, n - 1)]
    return low, high


_KNOWN: dict[str, Callable[[Floats, Floats, Any], Limits]] = {
    "microaggregate": _own_group,
    "rank_swap": _own_window,
}
