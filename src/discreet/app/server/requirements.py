"""What is wanted now, held against what a run was made for and what was measured of it.

A run keeps the criterion that it was made with. When more is asked for later, the run does not
meet it by that: it does where the masked table was found to, or where its own criterion, which
holds, asks for as much. What nobody looked at counts as not met.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from discreet.app.jobs.protection import Run

Table = Mapping[str, Any]
# the number of each part of a criterion, and whether more of it asks for more
_NUMBERS = {"k": True, "p": True, "l": True, "t": False, "limit": False}
_ALONE = {"diversity": "l", "closeness": "t", "disclosure_risk": "limit"}
_USUAL = {"kind": "distinct", "distance": "equal", "weights": "maximal"}


def unmet(wanted: Any, run: Run, confidential: tuple[str, ...]) -> list[Table]:
    """The parts of what is wanted that a run is not known to meet, a table each.

    Parameters
    ----------
    wanted : mapping or list of mappings
        As the plan has it.
    run : Run
    confidential : tuple of str
        The attributes that p, l and t look at unless some are named.
    """
    own = list(_parts(run.document.get("criterion"), confidential)) if run.satisfied else []
    return [
        part
        for part in _parts(wanted, confidential)
        if not _is_measured(part, run) and not any(_asks_as_much(one, part) for one in own)
    ]


def _parts(given: Any, confidential: tuple[str, ...]) -> Iterator[Table]:
    """Each number that is asked for, with all that it depends on."""
    for table in [given] if isinstance(given, Mapping) else given or ():
        named: Collection[str] = table.get("confidential", confidential)
        if "k" in table:
            yield {"k": table["k"]}
        if "p" in table:
            yield {"p": table["p"], "confidential": frozenset(named)}
        for name, number in _ALONE.items():
            if name in table:
                inner = table[name] if isinstance(table[name], Mapping) else {number: table[name]}
                usual = {n: v for n, v in inner.items() if _USUAL.get(n) != v}
                among = frozenset(inner.get("confidential", named))
                yield {"of": name, **usual, "confidential": among}


def _is_measured(part: Table, run: Run) -> bool:
    """Whether the figures of the masked table show that a part holds."""
    risk = run.figures["risk"]["after"] or {}
    if "k" in part:
        return bool(risk.get("k", 0) >= part["k"])
    if "p" in part:
        found, among = risk.get("p", {}), part["confidential"]
        return bool(among) and all(found.get(name, 0) >= part["p"] for name in among)
    return False


def _asks_as_much(own: Table, part: Table) -> bool:
    """Whether a part that holds is of the same kind, of all attributes, and no weaker."""
    apart = (*_NUMBERS, "confidential")
    if {n: v for n, v in own.items() if n not in apart} != {
        n: v for n, v in part.items() if n not in apart
    }:
        return False
    if not part.get("confidential", frozenset()) <= own.get("confidential", frozenset()):
        return False
    return all(
        name in own and (own[name] >= number if _NUMBERS[name] else own[name] <= number)
        for name, number in part.items()
        if name in _NUMBERS
    )
