"""Provenance: what a result was computed from — sizes, keys, engine, version; never a cell."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from discreet._version import __version__
from discreet.words import NOT_USED

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata


@dataclass(frozen=True)
class Provenance:
    """Where a result comes from."""

    source: str
    records: int
    keys: tuple[str, ...]
    confidential: tuple[str, ...]
    missing: str
    engine: str
    version: str = __version__
    weight: str | None = None

    @classmethod
    def of(cls, data: Microdata) -> Provenance:
        """The provenance of a result on these microdata."""
        return cls(
            data.name,
            data.n,
            data.keys,
            data.confidential,
            data.missing,
            data.source.engine,
            weight=data.weight,
        )

    def unweighted(self) -> list[str]:
        """A line for results that take no account of the weights, where there are some."""
        if self.weight is None:
            return []
        return [f"{NOT_USED}the weights in {self.weight!r}; every record counts once."]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)
