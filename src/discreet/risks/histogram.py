"""The histogram of a risk on a log axis; Figure 2 of Orooji & Knapp (2018)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import frames
from discreet.frames import FrameKind
from discreet.kernels.packing import added

if TYPE_CHECKING:
    from numpy.typing import NDArray

PER_DECADE = 4  # bins per power of ten


@dataclass(frozen=True)
class Histogram:
    """Records by ranges of a risk: ``counts[i]`` have edges[i] < risk ≤ edges[i + 1].

    The edges are powers of ten and steps between them, so that they tell of no single record.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    zeros: int

    @classmethod
    def of(cls, values: NDArray[np.float64], counts: NDArray[np.int64] | None = None) -> Histogram:
        """Count values, each once or so many times; those that are 0 have no place on the axis
        and are counted apart."""
        times = np.ones(len(values), dtype=np.int64) if counts is None else counts
        positive = values > 0
        steps = np.ceil(np.log10(values[positive]) * PER_DECADE - 1e-9).astype(np.int64)
        found, owner = np.unique(steps, return_inverse=True)
        records = added(owner, times[positive], len(found))
        zeros = int(times[~positive].sum())
        return cls.of_steps(dict(zip(found.tolist(), records.tolist(), strict=True)), zeros)

    @classmethod
    def of_steps(cls, counts: Mapping[int, int], zeros: int) -> Histogram:
        """From the records per step: step s is 10^((s − 1)/4) < risk ≤ 10^(s/4)."""
        if not counts:
            return cls((), (), zeros)
        low, high = min(counts), max(counts)
        edges = [10 ** (step / PER_DECADE) for step in range(low - 1, high + 1)]
        return cls(tuple(edges), tuple(counts.get(s, 0) for s in range(low, high + 1)), zeros)

    def table(self, kind: FrameKind = "arrow") -> Any:
        """One row per bin: above, up to, records."""
        import pyarrow as pa

        table = pa.table(
            {
                "above": pa.array(self.edges[:-1], pa.float64()),
                "up_to": pa.array(self.edges[1:], pa.float64()),
                "records": pa.array(self.counts, pa.int64()),
            }
        )
        return frames.from_arrow(table, kind)

    def bars(self, width: int = 40) -> str:
        """As text: one line per bin."""
        most = max([*self.counts, self.zeros, 1])
        rows = [("0", self.zeros)] if self.zeros else []
        rows += [
            (f"≤ {float(f'{edge:.2g}'):,g}", c)
            for edge, c in zip(self.edges[1:], self.counts, strict=True)
        ]
        return "\n".join(
            f"{label:>10} {'█' * math.ceil(width * c / most):<{width}} {c:,}" for label, c in rows
        )

    def chart(self) -> Any:
        """As an Altair chart (needs the ``charts`` extra)."""
        from discreet.charts import risk_histogram_chart

        rows = list(zip(self.edges[:-1], self.edges[1:], self.counts, strict=True))
        return risk_histogram_chart(rows)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"edges": list(self.edges), "counts": list(self.counts), "zeros": self.zeros}
