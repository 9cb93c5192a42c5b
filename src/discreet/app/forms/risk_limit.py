"""A limit of the record risk to begin with, and the scale it stands on, in words.

The risk of a record has no natural unit: it grows with alpha and with the weights. So a limit is
proposed from what was measured. Only edges of the histogram are proposed, for they tell of no
single record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.app.server.workspaces import Workspace
from discreet.words import counted, share

SHARE = 0.01  # of the records that a first limit leaves above it, at most


@dataclass(frozen=True)
class Limit:
    """A limit, and how many records were above it when they were measured."""

    at_most: float
    above: int


def measured(workspace: Workspace) -> Mapping[str, Any] | None:
    """The figures of the record risk; None where there are none that are up to date."""
    if not workspace.is_current("record_risk"):
        return None
    figures: Mapping[str, Any] = workspace.results["record_risk"].value.figures
    return figures


def limit_for(figures: Mapping[str, Any]) -> Limit:
    """The lowest edge that at most one record in a hundred is above; the highest edge otherwise.

    Examples
    --------
    >>> bins = {"edges": [10.0, 100.0, 177.828], "counts": [995, 5], "zeros": 0}
    >>> limit_for({"n": 1000, "histogram": bins})
    Limit(at_most=100.0, above=5)
    """
    edges, counts = figures["histogram"]["edges"], figures["histogram"]["counts"]
    found = [Limit(_short(edge), sum(counts[i:])) for i, edge in enumerate(edges[:-1])]
    few = [one for one in found if one.above <= SHARE * figures["n"]]
    return (few or found[-1:] or [Limit(0.0, 0)])[0]


def _short(edge: float) -> float:
    """Three digits, rounded up: then no more records are above it."""
    unit = 10.0 ** (math.floor(math.log10(edge)) - 2)
    return float(f"{math.ceil(edge / unit - 1e-9) * unit:.3g}")


def explain(figures: Mapping[str, Any]) -> tuple[str, ...]:
    """What a limit is measured in, and where it would cut."""
    first, n = limit_for(figures), figures["n"]
    return (
        f"The scale: alpha ({figures['settings']['alpha']:g}) × the chance of being recognised × "
        "the weight of what is then learned, added up over all that may be known.",
        f"Measured on the original table: highest {figures['highest']:.4g}, mean "
        f"{figures['mean']:.4g}; at most {counted(first.above, 'record')} of {n:,} "
        f"({share(first.above, n)}) above {first.at_most:g}.",
        "Steps before this one change the risks.",
    )
