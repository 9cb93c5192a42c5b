"""Global disclosure risk of a masked file: DR_min, DR_max and DR_W.

The threat is an intruder who knows the keys of everyone in the initial file and links masked
records to them. With C the classification matrix, n the number of initial records and W the
weights of the data owner,

    DR_W = 1/(n·w_11) · Σ_ij w_ij · c_ij / max(i, j)

DR_max takes all weights equal, DR_min = c_11/n only w_11. For sampling j ≥ i, and this is
equation (2.13) of Truta, Fotouhi & Barth-Jones (2004); for generalization and microaggregation
it is equation (6) of the same authors (2005) wherever i ≥ j. Where masking splits equal records
(i < j) their sum leaves those records out and ours counts them.

In the classification matrix C, c_ij records are in masked classes of size i and were in initial
classes of size j. Records are followed by identity, not by key value. Only cells with records
are kept; n × n arrays never exist.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import frames
from discreet.data.link import link
from discreet.data.masked import require_records
from discreet.data.microdata import Microdata
from discreet.errors import fail
from discreet.frames import FrameKind
from discreet.frequency.classes import Classes
from discreet.kernels.summation import total
from discreet.measures import measure
from discreet.results import Provenance, Result
from discreet.risks.by_class import ClassSizes
from discreet.risks.weights import Weights
from discreet.surface import advice, argument, function
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class DisclosureRisk(Result):
    """The global disclosure risk of a masked file.

    Attributes
    ----------
    n, t : int
        Number of initial and of released records.
    classification : Classification
        The matrix C, sparse.
    initial_sizes, masked_sizes : ClassSizes
        F_i, n_i of the initial file; f_i, t_i of the masked one.
    method : str
        How the file was masked, or "elsewhere".

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [10, 30, 20, 20, 10], "sex": list("MMMFF")}, keys=["age", "sex"])
    >>> found = ds.disclosure_risk(survey, ds.sample(survey, n=2, seed=1))
    >>> found.n, found.t, found.minimal, found.maximal
    (5, 2, 0.4, 0.4)
    >>> found.weighted(ds.Weights.threshold(1))
    0.4

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2004), *Disclosure risk measures for the sampling disclosure
      control method*. ACM Symposium on Applied Computing: (2.10)–(2.13).
    - Truta, Fotouhi, Barth-Jones (2005), *Global disclosure risk measures and k-anonymity property
      for microdata*: equations (3)–(6).
    """

    n: int
    t: int
    classification: Classification
    initial_sizes: ClassSizes
    masked_sizes: ClassSizes
    method: str
    provenance: Provenance
    id_name: str
    kind: FrameKind
    _records: Callable[[], pa.Table] = field(compare=False)
    _compatible: Callable[[], pa.Table] | None = field(compare=False)

    @property
    def minimal(self) -> float:
        """DR_min = c_11 / n: the share of records unique in both files."""
        return self.weighted(Weights.minimal())

    @property
    def maximal(self) -> float:
        """DR_max: every record counts with the probability 1/max(i, j) that it is linked."""
        return self.weighted(Weights.maximal())

    def weighted(self, weights: Weights) -> float:
        """DR_W for the weights of the data owner; between DR_min and DR_max."""
        return weighted_risk(self.classification, weights, self.n)

    @functools.cached_property
    def maximal_compatible(self) -> float | None:
        """DR_max with the number of initial records that really are compatible in place of
        max(i, j): the initial records whose key values occur among those masked to the same
        values. None for a file masked elsewhere, where this cannot be known."""
        if self._compatible is None:
            return None
        found = self._compatible()
        t, size = (np.asarray(found.column(name), dtype=np.float64) for name in ("t", "size"))
        return total(t / size) / self.n

    @property
    def exact(self) -> bool | None:
        """Whether DR_max is the exact linkage probability, not an upper bound; None if unknown.

        It is not where keys were perturbed: nobody knows in which class to look."""
        compatible = self.maximal_compatible
        if compatible is None:
            return None
        return not self.provenance.perturbed and abs(compatible - self.maximal) <= 1e-12

    def contributions(self, weights: Weights | None = None, kind: FrameKind | None = None) -> Any:
        """Per released record what it adds to DR_W (DR_max when no weights are given).

        A frame with the record id (or the row number of the initial file), the class sizes i
        and j, and the contribution; it can be joined to the data, and the sum is the measure.
        """
        found = self._records()
        i, j = (np.asarray(found.column(name), dtype=np.int64) for name in ("i", "j"))
        chosen = weights or Weights.maximal()
        checked_weights(self.classification, chosen)  # the same as for the measure
        w = chosen(i, j)
        columns = {
            self.id_name: found.column("id"),
            "masked_size": i,
            "initial_size": j,
            "contribution": w / np.maximum(i, j) / self.n,
        }
        return self._frame(columns, kind)

    def explain(self) -> str:
        """The numbers in a few sentences, and what to do next."""
        uniques = sum(c for i, j, c in self.classification.entries() if i == j == 1)
        lines = [
            f"{self.t:,} of {counted(self.n, 'initial record')} are released.",
            f"DR_min = {self.minimal:.4f}: {_uniques(uniques, sure=bool(self.exact))}",
            f"DR_max = {self.maximal:.4f}: the share of the initial records that is linked, on "
            "average, by guessing within classes.",
            self._exactness(),
            *self.provenance.cautions(),
            *advice(
                f"Next: set a limit with {argument('at_most', written='ds.DisclosureRiskAtMost')}, "
                "give less weight to the classes you consider safe with "
                f"{argument('weights', written='.weighted(W)')}, and mask further until the "
                "measure is under it."
            ),
        ]
        return "\n".join(lines)

    def in_short(self) -> str:
        """The two ends in a sentence."""
        sure = f"{self.minimal:.2%} of the people for certain (DR_min), and {self.maximal:.2%}"
        return (
            "Risk: someone who has the names and keys of everybody links "
            f"{sure if self.exact else f'at most {self.maximal:.2%} of the people'} by guessing, "
            "on average (DR_max)."
        )

    def _exactness(self) -> str:
        if self.exact is None:
            return (
                "The file was masked elsewhere: DR_max is an upper bound, exact for a sample and "
                "for one recoding that keeps equal records together."
            )
        if self.exact:
            return "DR_max is exact: 1/max(i, j) is the probability of the right link."
        if self.provenance.perturbed:
            return "DR_max is an upper bound: a person need not be in the class of their own keys."
        return (
            f"DR_max is an upper bound: counting the initial records that really are compatible "
            f"gives {self.maximal_compatible:.4f}."
        )

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per measure."""
        import pyarrow as pa

        names = ["DR_min", "DR_max", "DR_max (compatible)"]
        values = [self.minimal, self.maximal, self.maximal_compatible]
        return self._frame({"measure": names, "value": pa.array(values, pa.float64())}, kind)

    def chart(self) -> Any:
        """The classification matrix as a heat map (needs the ``charts`` extra)."""
        return self.classification.chart()

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self._plain("n", "t", "minimal", "maximal", "maximal_compatible", "exact", "method"),
            "classification": [
                {"i": i, "j": j, "records": c} for i, j, c in self.classification.entries()
            ],
            "initial_sizes": self.initial_sizes.rows(),
            "masked_sizes": self.masked_sizes.rows(),
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        return (
            f"DisclosureRisk: n = {self.n:,}, t = {self.t:,}, DR_min = {self.minimal:.4f}, "
            f"DR_max = {self.maximal:.4f}"
        )


def weighted_risk(c: Classification, weights: Weights, n: int) -> float:
    """DR_W = 1/(n·w_11) · Σ w_ij · c_ij / max(i, j), by cells of C; the weights have w_11 = 1."""
    return total(checked_weights(c, weights) * c.c / np.maximum(c.i, c.j)) / n


def checked_weights(c: Classification, weights: Weights) -> NDArray[np.float64]:
    """The weights of the cells of C, which must be made for such a masking and keep the rules."""
    if not isinstance(weights, Weights):
        fail(
            "P11",
            f"the weights are not {function('Weights')}.",
            f"Give {function('Weights.from_matrix', 'rows')}.",
        )
    weights.require_fit(c.i, c.j)
    weights.require_rules(c.i, c.j)
    return weights(c.i, c.j)


@measure(
    title="Disclosure risk",
    about="The share of people that an intruder with the keys would recognise in the masked file.",
    side="risk",
    figures={
        "maximal": "DR_max",
        "minimal": "DR_min",
        "maximal_compatible": "DR_max by compatible records",
    },
    public=("n", "t", "minimal", "maximal"),
)
def disclosure_risk(
    initial: Microdata, masked: Microdata, *, on: str | None = None
) -> DisclosureRisk:
    """Measure the global disclosure risk of a masked file against its initial file.

    Parameters
    ----------
    initial : Microdata
        With its keys named.
    masked : Microdata
        Made here by a masking of ``initial``, or read from a file masked by any tool: in any
        row order, with suppressed records missing. Each file is classed by its own keys, which
        have the same names; their types may differ.
    on : str, optional
        Column of both files that links the records, for a file masked elsewhere.

    Returns
    -------
    DisclosureRisk

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"Age": [10, 30, 20, 20, 10], "Sex": ["M", "M", "M", "F", "F"]}
    >>> survey = ds.read(table, keys=["Age", "Sex"])
    >>> ds.disclosure_risk(survey, ds.sample(survey, n=2, seed=1)).maximal
    0.4

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2004), *Disclosure risk measures for the sampling disclosure
      control method*. ACM Symposium on Applied Computing: (2.10)–(2.13).
    - Truta, Fotouhi, Barth-Jones (2005), *Global disclosure risk measures and k-anonymity property
      for microdata*: equations (3)–(6).
    """
    linked = link(initial, masked, on)
    require_records(masked)
    cells, classes = linked.classification()
    classification = Classification.from_arrow(cells, masked.source.kind)
    return DisclosureRisk(
        n=initial.n,
        t=classification.t,
        classification=classification,
        initial_sizes=_initial_sizes(classes),
        masked_sizes=_masked_sizes(classification),
        method=linked.method,
        provenance=Provenance.of(initial, masked),
        id_name=linked.id_name,
        kind=masked.source.kind,
        _records=linked.record_sizes,
        _compatible=linked.compatible if linked.made_here else None,
    )


def _uniques(number: int, *, sure: bool) -> str:
    if not number:
        return "no record is unique in both files."
    linked = ", surely linked by anyone who knows the keys." if sure else "."
    return f"{counted(number, 'record')} unique in both files{linked}"


def _initial_sizes(classes: pa.Table) -> ClassSizes:
    j, F = (np.asarray(column, dtype=np.int64) for column in classes.columns)
    return ClassSizes.of(Classes(j, F, j * F))


def _masked_sizes(classification: Classification) -> ClassSizes:
    """t_i = Σ_j c_ij (2.9) and f_i = t_i / i (2.5)."""
    i, row = np.unique(classification.i, return_inverse=True)
    t = np.zeros(len(i), dtype=np.int64)
    np.add.at(t, row, classification.c)
    return ClassSizes(tuple(i.tolist()), tuple((t // i).tolist()), tuple(t.tolist()))


@dataclass(frozen=True, eq=False, repr=False)
class Classification:
    """The non-zero cells of C, by i, then j."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    c: NDArray[np.int64]
    kind: FrameKind = "arrow"

    @classmethod
    def from_arrow(cls, table: pa.Table, kind: FrameKind) -> Classification:
        """From rows (i, j, c) in any order."""
        cells = (np.asarray(table.column(name), dtype=np.int64) for name in ("i", "j", "c"))
        return replace(cls.of(*cells), kind=kind)

    @classmethod
    def of(cls, i: NDArray[np.int64], j: NDArray[np.int64], c: NDArray[np.int64]) -> Classification:
        """From numbers of records with their class sizes, which may repeat."""
        cells, at = np.unique(np.stack([i, j]), axis=1, return_inverse=True)
        totals = np.zeros(cells.shape[1], dtype=np.int64)
        np.add.at(totals, at.ravel(), c)
        return cls(cells[0], cells[1], totals)

    @property
    def t(self) -> int:
        """Number of released records."""
        return int(self.c.sum())

    def entries(self) -> Iterator[tuple[int, int, int]]:
        """The cells with records as (i, j, c_ij), ascending."""
        return iter(zip(self.i.tolist(), self.j.tolist(), self.c.tolist(), strict=True))

    def table(self, kind: FrameKind | None = None) -> Any:
        """The cells with records as a frame: masked size i, initial size j, records."""
        import pyarrow as pa

        columns = {"masked_size": self.i, "initial_size": self.j, "records": self.c}
        return frames.from_arrow(pa.table(columns), kind or self.kind)

    def chart(self) -> Any:
        """A heat map on logarithmic axes (needs the ``charts`` extra)."""
        from discreet.charts import classification_chart

        return classification_chart(list(self.entries()))

    def __repr__(self) -> str:
        return f"Classification: {len(self.c):,} cells of C with {self.t:,} records"
