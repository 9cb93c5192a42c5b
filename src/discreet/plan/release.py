"""What a run of a plan gives: the masked file, whether it is safe, its cost, what was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.frames import FrameKind, from_arrow
from discreet.plan.entries import figures
from discreet.results import Result

if TYPE_CHECKING:
    from discreet.measures import Measured
    from discreet.plan.ledger import Ledger
    from discreet.plan.plan import Plan


@dataclass(frozen=True, eq=False, repr=False)
class Release(Result):
    r"""The outcome of a run.

    Attributes
    ----------
    plan : Plan
        With the seeds that were used.
    masked : Masked
    check : Check or None
        Of the plan's criterion; None where it has none.
    risk, disclosure_risk, information_loss : results or None
        None where the data or roles do not allow it; ``ledger`` says why.
    unchanged : Unchanged
        What is released unchanged, and on which of it many records are unique.
    ledger : Ledger
    files : tuple of Path
        What was written; nothing where the criterion does not hold.
    measures : mapping of name to Measured
        What the measures of the plan found: ``.before`` and ``.after`` with their ``.figures``,
        ``.result`` as the function returns it.
    not_measured : mapping of name to str
        Why a figure is None, to be worded by the surface that shows it.

    Examples
    --------
    >>> import discreet as ds, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "survey.csv").write_text("age,sex\n23,F\n37,M\n38,M\n41,F\n")
    >>> steps = [{"do": "sample", "n": 3, "seed": 1}]
    >>> plan = ds.Plan.of({"source": {"file": "survey.csv"}, "steps": steps}, folder)
    >>> release = plan.run()
    >>> release.satisfied, release.masked.n, [file.name for file in release.files]
    (True, 3, ['masked.csv', 'masked.ledger.json'])
    """

    plan: Plan
    masked: Any
    check: Any
    risk: Any
    disclosure_risk: Any
    information_loss: Any
    unchanged: Any
    ledger: Ledger
    files: tuple[Path, ...]
    measures: Mapping[str, Measured] = field(default_factory=dict)
    not_measured: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def satisfied(self) -> bool:
        """Whether the criterion holds, where there is one."""
        return self.check is None or bool(self.check.satisfied)

    def explain(self) -> str:
        """What was released, whether it is safe, and what it cost."""
        lines = [self.ledger.explain()] if self.satisfied else []
        lines += [self.check.explain()] if self.check is not None else []
        lines += [one.in_short() for one in (self.disclosure_risk, self.information_loss) if one]
        lines += [one.explain() for one in self.measures.values()]
        lines.append(self.unchanged.explain())
        if self.files:
            lines.append(f"Written: {', '.join(file.name for file in self.files)}.")
        else:
            lines.append("Nothing was written: the criterion does not hold.")
        return "\n".join(lines)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per file that was written."""
        import pyarrow as pa

        names = ("role", "file", "bytes", "sha256")
        rows = [{n: one[n] for n in names} for one in self.ledger.document["outputs"]]
        return from_arrow(pa.Table.from_pylist(rows), kind or self.masked.source.kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        measures = {name: figures(one) for name, one in self.measures.items()}
        return {
            "satisfied": self.satisfied,
            "written": [file.name for file in self.files],
            "records": self.ledger.document["records"],
            "check": figures(self.check),
            "risk": figures(self.risk),
            "disclosure_risk": figures(self.disclosure_risk),
            "information_loss": figures(self.information_loss),
            "unchanged": figures(self.unchanged),
            **({"measures": measures} if measures else {}),
        }
