"""What masking cost: all measures of information loss of a masked file against its initial file.

Continuous attributes: IL1 … IL5, IL, PIL, SSE/SST. Categorical ones: Dist, CTBIL′, ACTBIL′, EBIL.
Generalizations: Iyengar's loss, precision and entropy of the keys; any masking: discernibility and
average class size. Domingo-Ferrer & Torra (2005), section 6, and the references of each measure.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from discreet import frames
from discreet.errors import fail
from discreet.frames import FrameKind
from discreet.linking import Linked, link
from discreet.loss.categorical import CategoricalLoss, added_up
from discreet.loss.comparison import Comparison, compare
from discreet.loss.continuous import ContinuousLoss, attribute_losses, loss_of
from discreet.masking.masked import Masked, require_records
from discreet.microdata import Microdata
from discreet.provenance import Provenance
from discreet.risks.by_class import ClassSizes
from discreet.wording import counted

Scope = Literal["keys", "file"]
_NUMERIC = ("integer", "number")
MEASURES: dict[str, tuple[str, str]] = {
    "il1": ("mean relative change of a value", "0 to ∞"),
    "il2": ("mean relative change of the means", "0 to ∞"),
    "il3": ("mean relative change of the variances", "0 to ∞"),
    "il4": ("mean relative change of the covariances", "0 to ∞"),
    "il5": ("mean change of the correlations", "0 to 2"),
    "il": ("100 times the mean of IL1 to IL5", "0 to ∞"),
    "pil_q": ("probabilistic loss of the quantiles 5% to 95%", "0 to 1"),
    "pil_m1": ("probabilistic loss of the means", "0 to 1"),
    "pil_m2": ("probabilistic loss of the variances", "0 to 1"),
    "pil_m11": ("probabilistic loss of the covariances", "0 to 1"),
    "pil_r": ("probabilistic loss of the correlations", "0 to 1"),
    "pil": ("100 times the mean of the probabilistic losses", "0 to 100"),
    "sse_ratio": ("share of the sum of squares that is lost (SSE/SST)", "0 to 1"),
    "dist": ("changed cells, ordinal ones by categories apart", "0 to ∞"),
    "ctbil": ("variation of the contingency tables", "0 to ∞"),
    "actbil": ("variation of the contingency tables, per cell", "0 to ∞"),
    "ebil": ("bits of the original values that the masked ones leave open", "0 to ∞"),
    "ebil_share": ("share of the bits in the keys that the masked values leave open", "0 to 1"),
    "loss": ("mean share of the leaves that a key value covers (Iyengar)", "0 to 1"),
    "precision_loss": ("mean level of the keys over its height (Sweeney)", "0 to 1"),
    "entropy": ("share of the information in the keys that is lost", "0 to 1"),
    "discernibility": ("squares of the class sizes, n per suppressed record", "n to n²"),
    "average_class_size": ("records per class", "1 to n"),
}


@dataclass(frozen=True, eq=False, repr=False)
class InformationLoss:
    """All measures of loss; one that does not apply is None.

    Attributes
    ----------
    untouched : tuple of str
        Attributes in scope that the masking left as they were.
    not_compared : tuple of str
        Attributes in scope whose values cannot be compared (generalized to labels).
    missing_records : int
        Initial records that are not in the masked file.
    left_out : int
        Released records left out of the continuous measures because a value is missing.
    """

    measures: Mapping[str, float | None]
    by_attribute: tuple[Mapping[str, Any], ...]
    untouched: tuple[str, ...]
    not_compared: tuple[str, ...]
    missing_records: int
    left_out: int
    zeros: int
    scope: Scope
    provenance: Provenance
    kind: FrameKind

    def __getattr__(self, name: str) -> float | None:
        measures = self.__dict__.get("measures", {})
        if name in measures:
            return measures[name]
        raise AttributeError(f"InformationLoss has no measure {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.measures]

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per measure: its value, what it means, and its range."""
        import pyarrow as pa

        known = {name: value for name, value in self.measures.items() if value is not None}
        columns = {
            "measure": list(known),
            "value": list(known.values()),
            "meaning": [MEASURES[name][0] for name in known],
            "range": [MEASURES[name][1] for name in known],
        }
        return frames.from_arrow(pa.table(columns), kind or self.kind)

    def attributes(self, kind: FrameKind | None = None) -> Any:
        """One row per attribute in scope."""
        import pyarrow as pa

        names = dict.fromkeys(key for row in self.by_attribute for key in row)
        columns = {name: [row.get(name) for row in self.by_attribute] for name in names}
        return frames.from_arrow(pa.table(columns), kind or self.kind)

    def explain(self) -> str:
        """The loss in a few sentences."""
        known = {name: value for name, value in self.measures.items() if value is not None}
        lines = [
            f"{MEASURES[name][0]}: {value:.4g}" for name, value in known.items() if name in _SAID
        ]
        if self.untouched:
            lines.append(f"Left as they were: {', '.join(self.untouched)}.")
        if self.not_compared:
            lines.append(f"Recoded to labels, not compared: {', '.join(self.not_compared)}.")
        if self.missing_records:
            lines.append(f"{counted(self.missing_records, 'record')} not in the masked file.")
        if self.zeros:
            lines.append(f"{counted(self.zeros, 'original value')} of 0 left out of IL1.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self.measures,
            "by_attribute": [dict(row) for row in self.by_attribute],
            "untouched": list(self.untouched),
            "not_compared": list(self.not_compared),
            "missing_records": self.missing_records,
            "left_out": self.left_out,
            "zeros": self.zeros,
            "scope": self.scope,
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        said = [f"{n} = {v:.4g}" for n, v in self.measures.items() if v is not None and n in _SAID]
        return f"InformationLoss: {', '.join(said)}"

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.explain().split("\n"))


_SAID = ("il1", "il", "pil", "sse_ratio", "dist", "actbil", "ebil", "loss", "average_class_size")


def information_loss(
    initial: Microdata,
    masked: Microdata,
    *,
    on: str | None = None,
    scope: Scope = "keys",
    dimension: int = 2,
) -> InformationLoss:
    """Measure what a masking cost.

    Parameters
    ----------
    initial, masked : Microdata
        As for :func:`disclosure_risk`.
    on : str, optional
        Column that links the records of a file masked elsewhere.
    scope : {"keys", "file"}
        Average over the keys and the masked attributes, or over all released attributes: the
        published tables of Domingo-Ferrer & Torra (2005) mix the two.
    dimension : int
        Contingency tables up to this number of attributes are compared.

    Returns
    -------
    InformationLoss

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> round(ds.information_loss(ages, ds.microaggregate(ages, k=2, method="fixed")).sse_ratio, 4)
    0.0084
    """
    if scope not in ("keys", "file"):
        fail("P16", "scope= is not known.", "Use 'keys' or 'file'.")
    require_records(masked)
    linked = link(initial, masked, on)
    names = _in_scope(linked, scope)
    continuous, categorical, labels = _by_type(linked, names)
    found = compare(linked, continuous, categorical, dimension, initial.keys)
    loss = loss_of(found.continuous) if found.continuous else None
    groups = added_up(found.dist, found.ebil, found.tables, dimension) if categorical else None
    return InformationLoss(
        measures={
            **_continuous_measures(loss, found, continuous),
            **_categorical_measures(groups),
            "ebil_share": found.ebil_share,
            **_class_measures(linked),
        },
        by_attribute=tuple(
            [{"attribute": n, **_attribute_losses(found, i)} for i, n in enumerate(continuous)]
            + [
                {"attribute": n, "dist": dist, "ebil": ebil}
                for n, dist, ebil in zip(categorical, found.dist, found.ebil, strict=True)
            ]
        ),
        untouched=tuple(
            n for n in names if n in (*continuous, *categorical) and n not in found.touched
        ),
        not_compared=tuple(labels),
        missing_records=initial.n - found.n,
        left_out=found.left_out,
        zeros=loss.zeros if loss else 0,
        scope=scope,
        provenance=Provenance.of(initial),
        kind=masked.source.kind,
    )


def continuous_attributes(linked: Linked) -> list[str]:
    """The continuous keys and masked attributes that can be compared."""
    return _by_type(linked, _in_scope(linked, "keys"))[0]


def _in_scope(linked: Linked, scope: Scope) -> list[str]:
    initial, masked = linked.initial, linked.masked
    held = [n for n in initial.released if n in masked.released and n != linked.on]
    if scope == "file":
        return [n for n in held if n != initial.weight]
    changed = masked.changed if isinstance(masked, Masked) else frozenset()
    return [n for n in held if n in initial.keys or n in changed]


def _by_type(linked: Linked, names: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Continuous attributes, categorical ones, and those recoded to labels."""
    kinds, masked = linked.initial.source.kinds, linked.masked.source.kinds
    continuous, categorical, labels = [], [], []
    for name in names:
        numeric = kinds[name] in _NUMERIC and masked[name] in _NUMERIC
        if linked.initial.types[name].measure == "continuous" and numeric:
            continuous.append(name)
        elif linked.initial.types[name].measure != "continuous" and kinds[name] == masked[name]:
            categorical.append(name)
        else:
            labels.append(name)
    recoded = linked.masked.mappings if isinstance(linked.masked, Masked) else {}
    labels += [n for n in (*continuous, *categorical) if n in recoded]
    return (
        [n for n in continuous if n not in recoded],
        [n for n in categorical if n not in recoded],
        labels,
    )


def _continuous_measures(
    loss: ContinuousLoss | None, compared: Comparison, continuous: Sequence[str]
) -> dict[str, float | None]:
    names = [n for n in MEASURES if n.startswith(("il", "pil"))]
    found: dict[str, float | None] = {n: getattr(loss, n) if loss else None for n in names}
    changed = [i for i, name in enumerate(continuous) if name in compared.touched]
    found["sse_ratio"] = 0.0 if loss else None
    if loss and changed and compared.continuous:
        found["sse_ratio"] = loss_of(compared.continuous.some(changed)).sse_ratio
    return found


def _attribute_losses(compared: Comparison, attribute: int) -> dict[str, float]:
    found = compared.continuous
    return attribute_losses(found, attribute) if found else {}


def _categorical_measures(loss: CategoricalLoss | None) -> dict[str, float | None]:
    return {n: getattr(loss, n) if loss else None for n in ("dist", "ctbil", "actbil", "ebil")}


def _class_measures(linked: Linked) -> dict[str, float | None]:
    masked, n = linked.masked, linked.initial.n
    steps = masked.steps if isinstance(masked, Masked) else ()
    recoding: Mapping[str, Any] = next(
        (s.parameters for s in reversed(steps) if s.method == "generalize"), {}
    )
    keys = linked.pair.keys
    classed = masked if masked.keys == keys else masked.with_roles(keys=keys)
    sizes = ClassSizes.of(classed.classes())
    kept = sum(sizes.n)
    return {
        "loss": recoding.get("loss"),
        "precision_loss": recoding.get("precision"),
        "entropy": recoding.get("entropy"),
        "discernibility": float(sum(i * m for i, _, m in sizes) + n * (n - kept)),
        "average_class_size": kept / sum(sizes.F),
    }
