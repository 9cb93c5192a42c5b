"""Checking: does a file meet a criterion, and if not, how many classes and records violate it."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import frames
from discreet.criteria.criterion import CLASS_SIZE, Criterion
from discreet.errors import fail
from discreet.frames import FrameKind
from discreet.microdata import Microdata
from discreet.provenance import Provenance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.classes import Classes


@dataclass(frozen=True)
class Violations:
    """How many classes, and how many records in them, fail for one reason."""

    classes: int
    records: int


@dataclass(frozen=True)
class Check:
    """Whether a criterion holds. ``by`` counts the violations for each reason: the class size,
    or a confidential attribute; a class may fail for several."""

    criterion: Criterion
    satisfied: bool
    violating_classes: int
    violating_records: int
    by: Mapping[str, Violations]
    provenance: Provenance
    kind: FrameKind

    def __bool__(self) -> bool:
        return self.satisfied

    def explain(self) -> str:
        """The outcome in a few sentences, and what to do next."""
        name = self.criterion.describe()
        if self.satisfied:
            return f"{name} holds for all {self.provenance.records:,} records."
        share = self.violating_records / self.provenance.records
        lines = [
            f"{name} does not hold: {_number(self.violating_records, 'record')} ({share:.1%}) in "
            f"{_number(self.violating_classes, 'class')} violate it."
        ]
        for reason, found in self.by.items():
            if found.records:
                where = (
                    "too small a class" if reason == CLASS_SIZE else f"too few values of {reason!r}"
                )
                lines.append(f"  {_number(found.records, 'record')}: {where}.")
        lines.append("Generalize or drop a key attribute, or suppress these records.")
        return "\n".join(lines)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per reason."""
        import pyarrow as pa

        rows = [
            {"reason": reason, "classes": v.classes, "records": v.records}
            for reason, v in self.by.items()
        ]
        return frames.from_arrow(pa.Table.from_pylist(rows), kind or self.kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self.criterion.to_dict(),
            "satisfied": self.satisfied,
            "violating_classes": self.violating_classes,
            "violating_records": self.violating_records,
            "by": {r: {"classes": v.classes, "records": v.records} for r, v in self.by.items()},
            "computed_from": self.provenance.to_dict(),
        }

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.explain().split("\n"))


def check(data: Microdata, criterion: Criterion) -> Check:
    """Check whether every class of the keys satisfies a criterion.

    Parameters
    ----------
    data : Microdata
        Usually masked microdata, with its keys (and confidential attributes) named.
    criterion : KAnonymity or PSensitiveKAnonymity

    Returns
    -------
    Check
        ``.satisfied``, the numbers of violating classes and records, and the reasons.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [50, 30, 30, 20, 20, 50], "sex": ["M", "F", "F", "M", "M", "M"]}
    >>> ds.check(ds.read(table, keys=["age", "sex"]), ds.KAnonymity(2)).satisfied
    True
    """
    if not isinstance(data, Microdata):
        fail("P09", "the first argument is not microdata.", "Open it with ds.read(…) first.")
    if not hasattr(criterion, "failing"):
        fail("P09", "the second argument is not a criterion.", "Give for example ds.KAnonymity(5).")
    data.need_keys()
    classes = data.classes(criterion.needs(data.confidential))
    failing = criterion.failing(classes)
    total = _violations(classes, np.logical_or.reduce(list(failing.values())))
    return Check(
        criterion,
        total.records == 0,
        total.classes,
        total.records,
        {reason: _violations(classes, mask) for reason, mask in failing.items()},
        Provenance.of(data),
        data.source.kind,
    )


def _violations(classes: Classes, mask: NDArray[np.bool_]) -> Violations:
    return Violations(int(classes.number[mask].sum()), int(classes.records[mask].sum()))


def _number(n: int, noun: str) -> str:
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{n:,} {noun if n == 1 else plural}"
