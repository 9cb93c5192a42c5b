"""Masked microdata: what is left of the initial records, and how it came about.

Every masked record stays linked to its initial record by a record id that is never written,
so that risk and loss can be measured. Maskings chain; the link leads to the first file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet import engine
from discreet.errors import fail
from discreet.microdata import Microdata

if TYPE_CHECKING:
    from discreet.frequency import FrequencySet


@dataclass(frozen=True)
class Step:
    """One masking: the method and its parameters, without a cell value."""

    method: str
    parameters: Mapping[str, Any]
    before: int
    after: int

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"method": self.method, **self.parameters, "records": [self.before, self.after]}


@dataclass(frozen=True, eq=False, repr=False)
class Masked(Microdata):
    """Microdata made by a masking.

    Attributes
    ----------
    initial : Microdata
        The file the first masking began with.
    steps : tuple of Step
        What was done, in order.
    changed : frozenset of str
        Columns whose values were changed.
    complete : engine.Source
        The file with all values masked and no record dropped, as far as it is known.
    """

    initial: Microdata = field(kw_only=True)
    steps: tuple[Step, ...] = field(kw_only=True)
    changed: frozenset[str] = field(kw_only=True)
    complete: engine.Source = field(kw_only=True)

    def whole(self, name: str) -> FrequencySet:
        """The distribution of an attribute in the initial file, unless its values were masked."""
        return super().whole(name) if name in self.changed else self.initial.whole(name)

    def __repr__(self) -> str:
        done = ", then ".join(step.method for step in self.steps)
        return f"Masked by {done}, from {self.initial.n:,} records.\n{super().__repr__()}"


def masked_from(
    data: Microdata,
    source: engine.Source,
    *,
    method: str,
    parameters: Mapping[str, Any],
    changed: frozenset[str] = frozenset(),
    complete: engine.Source | None = None,
) -> Masked:
    """Masked microdata after one more step on ``data``, which may be masked already."""
    step = Step(method, parameters, data.n, engine.size(source))
    return Masked(
        source,
        data.roles,
        data.types,
        data.missing,
        initial=data.initial if isinstance(data, Masked) else data,
        steps=(*data.steps, step) if isinstance(data, Masked) else (step,),
        changed=changed | (data.changed if isinstance(data, Masked) else frozenset()),
        complete=complete or (data.complete if isinstance(data, Masked) else data.source),
    )


def require_link(data: Microdata) -> str:
    """The engine's column that names the records, or an error that says how to give one."""
    if data.source.row is not None:
        return data.source.row
    if data.record_id is None:
        fail(
            "N02",
            f"the records of {data.name} have no name and no order.",
            "Name the column that tells them apart with record_id=.",
        )
    return data.source.at(data.record_id)
