"""Results: what every one of them can show, and what it was computed from; never a cell."""

from __future__ import annotations

import abc
import html
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from discreet import frames
from discreet._version import __version__
from discreet.frames import FrameKind
from discreet.words import NOT_USED, PERTURBED, perturbation_caution

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata


class Result(abc.ABC):
    """Something found out: it explains itself in sentences, and has its figures as plain values.

    ``kind`` is the kind of frame that its tables are, unless another one is asked for; ``shown``
    are the attributes that are its figures, in order.
    """

    kind: FrameKind
    shown: ClassVar[tuple[str, ...]] = ()

    @abc.abstractmethod
    def explain(self) -> str:
        """The result in a few sentences, one in each line."""

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values, and what they were computed from, for JSON."""
        found = self._plain(*self.shown)
        if (provenance := getattr(self, "provenance", None)) is not None:
            found["computed_from"] = provenance.to_dict()
        return found

    def _plain(self, *names: str) -> dict[str, Any]:
        """Some attributes as plain values."""
        return {name: plain_value(getattr(self, name)) for name in names}

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.explain().splitlines()[0]}"

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.explain().split("\n"))

    def _frame(
        self, held: Mapping[str, Any] | Sequence[Mapping[str, Any]], kind: FrameKind | None
    ) -> Any:
        """Columns by name, or rows, as a frame of the kind asked for."""
        import pyarrow as pa

        table = pa.table(dict(held)) if isinstance(held, Mapping) else pa.Table.from_pylist(held)
        return frames.from_arrow(table, kind or self.kind)


def plain_value(value: Any) -> Any:
    """A value as JSON has it: what says so itself, a table of fields, or lists."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return {one.name: plain_value(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain_value(one) for name, one in value.items()}
    return [plain_value(one) for one in value] if isinstance(value, tuple | list) else value


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
    household: str | None = None
    subject: str | None = None
    perturbed: tuple[str, ...] = ()
    perturbed_confidential: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        data: Microdata,
        masked: Microdata | None = None,
        counted: Sequence[str] | None = None,
    ) -> Provenance:
        """The provenance of a result on these microdata, or on these and masked ones; of what was
        perturbed, the confidential attributes and those by which records are counted: the keys,
        unless others are."""
        changed: frozenset[str] = getattr(
            data if masked is None else masked, "perturbed", frozenset()
        )
        return cls(
            data.name,
            data.n,
            data.keys,
            data.confidential,
            data.missing,
            data.source.engine,
            weight=data.weight,
            household=data.household,
            subject=data.subject,
            perturbed=tuple(n for n in (data.keys if counted is None else counted) if n in changed),
            perturbed_confidential=tuple(one for one in data.confidential if one in changed),
        )

    def cautions(self, *, weighted: bool = False) -> list[str]:
        """Lines that say what a figure that counts records with the same keys does not take into
        account: that keys were perturbed, that a person may have several records, and weights,
        unless it is weighted."""
        lines = [*self.after_perturbation(), *self.by_record()]
        return lines if weighted else [*lines, *self.unweighted()]

    def after_perturbation(self) -> list[str]:
        """A line for figures that count records with the same keys, where keys were perturbed."""
        return [PERTURBED + perturbation_caution(self.perturbed)] if self.perturbed else []

    def of_perturbed_values(self, counted: Collection[str]) -> list[str]:
        """A line for figures that count confidential values, where these were perturbed."""
        names = [repr(name) for name in self.perturbed_confidential if name in counted]
        if not names:
            return []
        what = f"values of {', '.join(names)} were changed at random. How different they are in a "
        return [f"{PERTURBED}{what}class does not say how different those of the people are."]

    def by_record(self) -> list[str]:
        """A line for figures that count records, where a person may have several."""
        if self.subject is None:
            return []
        return [f"{NOT_USED}that a person ({self.subject!r}) may have several records."]

    def unweighted(self) -> list[str]:
        """A line for results that take no account of the weights, where there are some."""
        if self.weight is None:
            return []
        return [f"{NOT_USED}the weights in {self.weight!r}; every record counts once."]

    def to_dict(self) -> dict[str, Any]:
        """As plain values; what was perturbed, and the subject, only where there is one."""
        found = asdict(self)
        rare = ("perturbed", "perturbed_confidential", "subject")
        return {n: one for n, one in found.items() if one or n not in rare}
