"""The frontier of an R-U map from its definition: what no other point beats."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from discreet.errors import InvalidData
from tests.properties.test_frontier import beats, figures, maps
from tests.twins.twin import same, twin


@twin("frontier of a map", st.tuples(maps, figures), 1)
def compare_frontier(case: Any) -> None:
    found, limit = case
    known = [p for p in found.points if not p.failed]
    front = {p.label for p in known if not any(beats(q, p) for q in known)}
    same("frontier", {p.label for p in found.frontier}, front)
    fit = [p for p in known if p.risk <= limit + 1e-12]
    try:
        best = found.best(risk_at_most=limit)
    except InvalidData:
        same("points under the limit", fit, [])
        return
    same("loss of the best point", best.place[1], min(p.place[1] for p in fit))
