"""What masking cost: all measures of information loss of a masked file against its initial file.

Continuous attributes: IL1 … IL5, IL, PIL, SSE/SST. Categorical ones: Dist, CTBIL′, ACTBIL′, EBIL.
Generalizations: Iyengar's loss, precision and entropy of the keys; any masking: discernibility and
average class size. Domingo-Ferrer & Torra (2005), section 6, and the references of each measure.
A measure has a value where it sees everything that was changed (``applicability``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_doc import Doc
from annotated_types import Ge

from discreet.data import attributes
from discreet.data.link import NUMERIC, Linked, link
from discreet.data.masked import Masked, Step, require_records
from discreet.data.microdata import Microdata
from discreet.errors import argument, fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.loss.applicability import (
    OF_CLASSES,
    OF_NAMES,
    OF_NODES,
    OF_NUMBERS,
    Change,
    undefined,
)
from discreet.loss.categorical import added_up, share_of_bits
from discreet.loss.comparison import Asked, Comparison, compare, differing
from discreet.loss.continuous import attribute_losses, loss_of
from discreet.measures import measure
from discreet.parameters import Columns, Label, Notation, Public, whole_number
from discreet.results import Computed, Provenance
from discreet.risks.by_class import ClassSizes
from discreet.surface import advice
from discreet.words import counted

Scope = Literal["keys", "file"]
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
    "il1s": ("mean change of a value in standard deviations, over √2", "0 to ∞"),
    "eigenvalues": ("mean relative change of the eigenvalues of the covariances", "0 to ∞"),
    "hellinger": ("mean Hellinger distance of the distributions of an attribute", "0 to 1"),
    "dist": ("changed cells (ordinal cells count by steps moved)", "0 to ∞"),
    "ctbil": ("variation of the contingency tables", "0 to ∞"),
    "actbil": ("variation of the contingency tables, per cell", "0 to ∞"),
    "ebil": ("information lost, in bits", "0 to ∞"),
    "ebil_share": ("share of the bits in the keys that is lost", "0 to 1"),
    "loss": ("mean share of the leaves that a key value covers (Iyengar)", "0 to 1"),
    "precision_loss": ("mean level of the keys over its height (Sweeney)", "0 to 1"),
    "entropy": ("share of the information in the keys that is lost", "0 to 1"),
    "discernibility": ("squares of the class sizes, n per suppressed record", "n to n²"),
    "average_class_size": ("records per class", "1 to n"),
}


@dataclass(frozen=True, eq=False, repr=False)
class InformationLoss(Computed):
    """All measures of loss; one that does not apply is None.

    Attributes
    ----------
    measures, not_applicable : mappings
        Every measure by its name, and of those that do not apply the reason in words.
    changed : tuple of str
        Attributes in scope that differ in some released record.
    untouched : tuple of str
        Attributes in scope that the masking left as they were.
    not_compared : tuple of str
        Attributes in scope whose values cannot be compared (generalized to labels).
    missing_records : int
        Initial records that are not in the masked file.
    left_out : int
        Released records left out of the continuous measures because a value is missing.
    zeros : int
        Original values of 0, which IL1 leaves out.
    scope : str or tuple of str
        Which attributes count, as it was asked for.
    by_attribute, by_pair
        The measures of single attributes, and the Hellinger distances of pairs of them.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> masked = ds.microaggregate(ages, k=2, method="fixed")
    >>> found = ds.information_loss(ages, masked)
    >>> found.changed, round(found.sse_ratio, 4)
    (('age',), 0.0084)
    >>> found.not_applicable["loss"]
    'it is for a generalization that was made here.'

    References
    ----------
    - Domingo-Ferrer, Torra (2005), *Ordinal, continuous and heterogeneous k-anonymity through
      microaggregation*. Data Mining and Knowledge Discovery 11 (2): sections 6.1 and 6.2.
    - Mateo-Sanz, Domingo-Ferrer, Sebé (2005), *Probabilistic information loss measures in
      confidentiality protection of continuous microdata*. Data Mining and Knowledge Discovery 11
      (2).
    - Iyengar (2002), *Transforming data to satisfy privacy constraints*. KDD.
    """

    measures: Mapping[str, float | None]
    not_applicable: Mapping[str, str]
    by_attribute: tuple[Mapping[str, Any], ...]
    by_pair: Mapping[tuple[str, ...], float]
    changed: tuple[str, ...]
    untouched: tuple[str, ...]
    not_compared: tuple[str, ...]
    missing_records: int
    left_out: int
    zeros: int
    scope: Scope | tuple[str, ...]
    provenance: Provenance
    shown = (
        "changed", "untouched", "not_compared", "missing_records", "left_out", "zeros", "scope",
    )  # fmt: skip

    def __getattr__(self, name: str) -> float | None:
        measures = self.__dict__.get("measures", {})
        if name in measures:
            return measures[name]
        raise AttributeError(f"InformationLoss has no measure {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.measures]

    @property
    def lead(self) -> str | None:
        """The measure to name first, one that applies; None where none does."""
        return next((name for name in _SAID if self.measures[name] is not None), None)

    def reasons(self) -> dict[str, tuple[str, ...]]:
        """Each reason why measures do not apply, with these measures."""
        found: dict[str, tuple[str, ...]] = {}
        for name, reason in self.not_applicable.items():
            found[reason] = (*found.get(reason, ()), name)
        return found

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per measure: its value, what it means, its range, and why it does not apply; then
        IL1s and Hellinger distances by attribute, and those by pair of attributes."""
        import pyarrow as pa

        absent = self.not_applicable
        rows = [(name, "", value) for name, value in self.measures.items()] + self._details()
        columns = {
            "measure": [name for name, _, _ in rows],
            "attributes": [of for _, of, _ in rows],
            "value": pa.array([value for _, _, value in rows], pa.float64()),
            "meaning": [self._meaning(name) for name, _, _ in rows],
            "range": [MEASURES[name][1] for name, _, _ in rows],
            "note": [
                f"does not apply: {absent[name]}" if name in absent else "" for name, _, _ in rows
            ],
        }
        return self._frame(columns, kind)

    def _details(self) -> list[tuple[str, str, float | None]]:
        """What the means of some measures are of: measure, attributes and value."""
        single: list[tuple[str, str, float | None]] = [
            (name, row["attribute"], row[name])
            for name in ("il1s", "hellinger")
            for row in self.by_attribute
            if self.measures[name] is not None and row.get(name) is not None
        ]
        return single + [("hellinger", ", ".join(s), value) for s, value in self.by_pair.items()]

    def attributes(self, kind: FrameKind | None = None) -> Any:
        """One row per attribute in scope."""
        names = dict.fromkeys(key for row in self.by_attribute for key in row)
        columns = {name: [row.get(name) for row in self.by_attribute] for name in names}
        return self._frame(columns, kind)

    def explain(self) -> str:
        """The loss in a few sentences; what applies to this masking comes first."""
        lines = [f"{self._meaning(name)}: {value:.4g}" for name, value in self._said()]
        lines += [] if lines else [self._by_attribute()]
        absent = [name for name in _SAID if name in self.not_applicable]
        if absent:
            reasons = argument("as_json", written=".not_applicable")
            why = "".join(advice(f"; {reasons} says why"))
            lines.append(f"Does not apply: {', '.join(absent)}{why}.")
        if self.untouched:
            lines.append(f"Left as they were: {', '.join(self.untouched)}.")
        if self.not_compared:
            lines.append(f"Recoded to labels, not compared: {', '.join(self.not_compared)}.")
        if self.missing_records:
            lines.append(f"{counted(self.missing_records, 'record')} not in the masked file.")
        if self.zeros and self.measures["il1"] is not None:
            lines.append(f"{counted(self.zeros, 'original value')} of 0 left out of IL1.")
        if self.left_out:
            lines.append(
                f"{counted(self.left_out, 'record')} with missing values left out of the measures "
                "of numbers."
            )
        lines += self.provenance.unweighted()
        return "\n".join(lines)

    def in_short(self) -> str:
        """What applies to this masking, in a sentence."""
        said = [f"{self._meaning(name)} {value:.4g}" for name, value in self._said()]
        return f"Cost: {'; '.join(said) or f'share of the bits lost of {self._shares()}'}."

    def _meaning(self, name: str) -> str:
        """What a measure means, over the attributes that it is of."""
        seen = {"keys": "the keys", "file": "the released attributes"}
        of = seen[self.scope] if isinstance(self.scope, str) else "the attributes named"
        meaning = MEASURES[name][0]
        return meaning.replace("the keys", of) if name == "ebil_share" else meaning

    def _said(self) -> list[tuple[str, float]]:
        found = [(name, self.measures[name]) for name in _SAID]
        return [(name, value) for name, value in found if value is not None]

    def _by_attribute(self) -> str:
        separately = f" Name attributes with {argument('scope')} to measure them separately."
        return (
            "No single measure covers all that was changed. "
            "Share of its bits that each attribute lost: "
            f"{self._shares()}." + "".join(advice(separately))
        )

    def _shares(self) -> str:
        shares = {row["attribute"]: row["ebil_share"] for row in self.by_attribute}
        said = [
            f"{n} {'does not apply' if shares[n] is None else f'{shares[n]:.1%}'}"
            for n in self.changed
        ]
        return ", ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self.measures,
            **self._plain("not_applicable", "by_attribute"),
            "by_pair": [{"attributes": list(s), "hellinger": d} for s, d in self.by_pair.items()],
            **super().to_dict(),
        }

    def __repr__(self) -> str:
        said = [f"{name} = {value:.4g}" for name, value in self._said()]
        return f"InformationLoss: {', '.join(said) or f'bits lost of {self._shares()}'}"


# in this order: the first that applies is the one to name first
_SAID = (
    "loss",
    "il1",
    "il",
    "pil",
    "sse_ratio",
    "dist",
    "actbil",
    "ebil",
    "ebil_share",
    "average_class_size",
)


_SCOPE = Notation(
    "keys, file, or a list of column names",
    lambda value: value in ("keys", "file") or (bool(value) and _are_names(value)),
    schema={"anyOf": [{"enum": ["keys", "file"]}, {"type": "array", "items": {"type": "string"}}]},
)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


@measure(
    title="Information loss",
    about="What a masking cost, by every measure that covers all of its changes.",
    side="loss",
    figures={name: meaning for name, (meaning, _) in MEASURES.items()},
    public=(*MEASURES, "not_applicable", *InformationLoss.shown),
)
def information_loss(
    initial: Microdata,
    masked: Microdata,
    *,
    on: str | None = None,
    scope: Annotated[
        Scope | Sequence[str],
        Columns(named=lambda value: value if _are_names(value) else []),
        _SCOPE,
        Label("Scope"),
        Doc("Which attributes count: keys and masked ones, all released ones, or those named."),
        Public,
    ] = "keys",
    dimension: Annotated[
        int,
        Ge(1),
        Label("Attributes of a contingency table"),
        Doc("Contingency tables up to this number of attributes are compared."),
        Public,
    ] = 2,
) -> InformationLoss:
    """Measure what a masking cost.

    A measure applies where it sees everything in scope that was changed. One that does not is
    None, and ``.not_applicable`` says why; never 0.

    Parameters
    ----------
    initial, masked : Microdata
        As for :func:`disclosure_risk`.
    on : str, optional
        Column that links the records of a file masked elsewhere.
    scope : {"keys", "file"} or list of str
        Average over the keys and the masked attributes, or over all released attributes: the
        published tables of Domingo-Ferrer & Torra (2005) mix the two. Or over the attributes that
        are named, to measure numbers and names apart.
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
    >>> ds.information_loss(ages, ds.sample(ages, n=4, seed=1)).not_applicable["il1"]
    'no value was changed, and this measure does not count the 4 records left out.'

    References
    ----------
    - Domingo-Ferrer, Torra (2005), *Ordinal, continuous and heterogeneous k-anonymity through
      microaggregation*. Data Mining and Knowledge Discovery 11 (2): sections 6.1 and 6.2.
    - Mateo-Sanz, Domingo-Ferrer, Sebé (2005), *Probabilistic information loss measures in
      confidentiality protection of continuous microdata*. Data Mining and Knowledge Discovery 11
      (2).
    - Iyengar (2002), *Transforming data to satisfy privacy constraints*. KDD.
    - Yancey, Winkler, Creecy (2002), *Disclosure risk assessment in perturbative microdata
      protection*. In: Inference Control in Statistical Databases.
    """
    asked = _scope(scope)
    raise_all(whole_number("dimension", dimension, 1))
    require_records(masked)
    linked = link(initial, masked, on, classed=False, by_order=False)
    names = _in_scope(linked, asked)
    sorted_out = _by_type(linked, names, dimension)
    found = compare(linked, sorted_out)
    change = _change(linked, sorted_out, found)
    numbers = _attribute_losses(found, change)
    raw = _raw(linked, change, found, asked)
    reasons = _reasons(linked, change, found, numbers, asked)
    reasons = {n: reasons.get(n, _UNDEFINED) for n in MEASURES if n in reasons or raw[n] is None}
    return InformationLoss(
        measures={name: None if name in reasons else raw[name] for name in MEASURES},
        not_applicable=reasons,
        by_attribute=_rows(change, found, numbers),
        by_pair={} if "hellinger" in reasons else _pairs(change, found),
        changed=change.changed,
        untouched=tuple(n for n in names if n not in change.changed),
        not_compared=tuple(
            n for n in change.changed if n not in (*change.continuous, *change.categorical)
        ),
        missing_records=change.missing,
        left_out=found.left_out,
        zeros=loss_of(found.continuous).zeros if found.continuous else 0,
        scope=asked,
        provenance=Provenance.of(initial, masked),
    )


_UNDEFINED = "it is not defined for these values."
_NO_NUMBERS = "no released record has all of its numbers."
_NO_BITS = "the attributes have one value each: there is nothing to lose."


def continuous_attributes(linked: Linked) -> list[str]:
    """The continuous keys and masked attributes that can be compared."""
    return list(_by_type(linked, _in_scope(linked, "keys")).continuous)


def _scope(given: Any) -> Scope | tuple[str, ...]:
    if isinstance(given, str):
        if given not in ("keys", "file"):
            fail(
                "P16",
                f"{argument('scope')} is not known.",
                "Use 'keys', 'file', or a list of columns.",
            )
        return "keys" if given == "keys" else "file"
    named = tuple(dict.fromkeys(attributes.names(given)))
    return named or fail(
        "P16", f"{argument('scope')} names no column.", "Name some, or use 'keys' or 'file'."
    )


def _in_scope(linked: Linked, scope: Scope | tuple[str, ...]) -> list[str]:
    initial, masked = linked.initial, linked.masked
    held = [n for n in initial.released if n in masked.released and n != linked.on]
    if not isinstance(scope, str):
        raise_all(
            [
                attributes.unknown_column("the scope's attribute", n, held, masked.name)
                for n in scope
                if n not in held
            ]
        )
        return list(scope)
    held = [n for n in held if n != initial.weight]
    if scope == "file":
        return held
    if isinstance(masked, Masked) and linked.made_here:
        changed: set[str] = set(masked.changed)
    else:  # what was masked elsewhere shows in the values alone
        changed = set(differing(linked, [n for n in held if n not in initial.keys]))
    return [n for n in held if n in initial.keys or n in changed]


def _by_type(linked: Linked, names: Sequence[str], dimension: int = 0) -> Asked:
    """Which attributes are compared as numbers, which as names, and which are labels."""
    kinds, masked = linked.initial.source.kinds, linked.masked.source.kinds
    recoded = {key for step in _steps(linked) for key in step.labelled}
    continuous, categorical, labels = [], [], []
    for name in names:
        numeric = kinds[name] in NUMERIC and masked[name] in NUMERIC
        measure = linked.initial.types[name].measure
        if name not in recoded and measure == "continuous" and numeric:
            continuous.append(name)
        elif name not in recoded and measure != "continuous" and kinds[name] == masked[name]:
            categorical.append(name)
        else:
            labels.append(name)
    return Asked(tuple(continuous), tuple(categorical), tuple(labels), tuple(names), dimension)


def _steps(linked: Linked) -> tuple[Step, ...]:
    return linked.masked.steps if isinstance(linked.masked, Masked) else ()


def _change(linked: Linked, asked: Asked, found: Comparison) -> Change:
    types = linked.initial.types
    recoded = [n for n in asked.labels if types[n].measure != "continuous"]
    return Change(
        asked.bits,
        tuple(n for n in asked.bits if n in found.touched),
        asked.continuous,
        tuple(n for n in asked.categorical if n not in found.foreign),
        (*recoded, *found.foreign),
        found.gaps,
        tuple(n for n in asked.categorical if types[n].measure == "ordinal"),
        linked.initial.keys,
        found.blind,
        linked.initial.n - found.n,
    )


def _raw(
    linked: Linked, change: Change, found: Comparison, scope: Scope | tuple[str, ...]
) -> dict[str, float | None]:
    """Every measure, of what it looks at."""
    dist = [found.dist[n] for n in change.categorical]
    ebil = [found.ebil[n] for n in (*change.categorical, *change.labels)]
    whole = [t for names, t in found.tables.items() if set(names) <= set(change.categorical)]
    names = added_up(dist, ebil, whole) if dist else None
    seen = change.keys if scope == "keys" else change.names
    share = share_of_bits([found.bits[n] for n in seen if n in found.bits])
    return {
        **_number_measures(change, found),
        **{name: getattr(names, name) if names else None for name in OF_NAMES},
        "ebil": float(sum(ebil)) if ebil else None,
        "ebil_share": 0.0 if share is None and change.is_none else share,
        "hellinger": _mean_distance(change, found),
        **_node_measures(linked, change),
        **(dict.fromkeys(OF_CLASSES) if _no_classes(linked) else _class_measures(linked)),
    }


def _no_classes(linked: Linked) -> str:
    """Why no class has a size, where a missing key matches every value."""
    policies = {linked.initial.missing, linked.masked.missing}
    return (
        "a missing key matches every value: there are no classes." if "wildcard" in policies else ""
    )


def _mean_distance(change: Change, found: Comparison) -> float | None:
    """The mean Hellinger distance of the attributes; None where one of them has none."""
    known = [found.hellinger.get((n,)) for n in (*change.continuous, *change.categorical)]
    told = [one for one in known if one is not None]
    return math.fsum(told) / len(told) if told and len(told) == len(known) else None


def _number_measures(change: Change, found: Comparison) -> dict[str, float | None]:
    if found.continuous is None:
        return dict.fromkeys(OF_NUMBERS)
    loss = loss_of(found.continuous)
    changed = [i for i, name in enumerate(change.continuous) if name in change.changed]
    ratio = loss_of(found.continuous.some(changed)).sse_ratio if changed else 0.0
    return {**{name: getattr(loss, name) for name in OF_NUMBERS}, "sse_ratio": ratio}


def _attribute_losses(found: Comparison, change: Change) -> dict[str, dict[str, float | None]]:
    """The measures of each number; none where some of its values are missing in one file only."""
    if found.continuous is None:
        return {}
    losses = {n: attribute_losses(found.continuous, i) for i, n in enumerate(change.continuous)}
    return {n: dict.fromkeys(row) if n in change.gaps else row for n, row in losses.items()}


def _reasons(
    linked: Linked,
    change: Change,
    found: Comparison,
    numbers: Mapping[str, Mapping[str, float | None]],
    scope: Scope | tuple[str, ...],
) -> dict[str, str]:
    """Why measures do not apply."""
    why = {
        **dict.fromkeys(OF_NUMBERS, change.of_numbers()),
        **dict.fromkeys(OF_NAMES, change.of_names()),
        "ebil": change.of_entropy(),
        "hellinger": change.of_distributions() or _no_numbers(change, found),
        "ebil_share": (change.of_keys() if scope == "keys" else "") or change.of_bits(change.names),
        **_node_reasons(*_node(linked, change)),
        **dict.fromkeys(OF_CLASSES, change.of_keys() or _no_classes(linked)),
    }
    if not why["il"]:
        why |= _of_single_numbers(change, found, numbers)
    why["dist"] = why["dist"] or change.of_steps()
    no_bits = share_of_bits([found.bits[n] for n in change.names]) is None
    untouched = {
        "ebil_share": change.is_none,
        "entropy": change.is_none and not _node(linked, change)[0],
    }
    for name, is_none in untouched.items():
        why[name] = why[name] or (_NO_BITS if no_bits and not is_none else "")
    return {name: reason for name, reason in why.items() if reason}


def _no_numbers(change: Change, found: Comparison) -> str:
    return _NO_NUMBERS if change.continuous and found.continuous is None else ""


def _of_single_numbers(
    change: Change, found: Comparison, numbers: Mapping[str, Mapping[str, float | None]]
) -> dict[str, str]:
    summary = found.continuous
    if summary is None:
        return dict.fromkeys(OF_NUMBERS, _NO_NUMBERS)
    changed = [(i, n) for i, n in enumerate(change.continuous) if n in change.changed]
    return undefined(change, numbers, [n for i, n in changed if not summary.squares[i]])


def _rows(
    change: Change, found: Comparison, numbers: Mapping[str, Mapping[str, float | None]]
) -> tuple[Mapping[str, Any], ...]:
    """One row per attribute in scope: numbers, names, and those not compared."""
    bits = {n: share_of_bits([found.bits[n]]) for n in change.names}
    shares = {n: 0.0 if s is None and change.is_none else s for n, s in bits.items()}
    shares |= dict.fromkeys(change.blind)
    rows: list[dict[str, Any]] = [
        {
            "attribute": n,
            **numbers.get(n, {}),
            "hellinger": found.hellinger.get((n,)),
            "ebil_share": shares[n],
        }
        for n in change.continuous
    ]
    for n in (name for name in change.names if name not in change.continuous):
        steps = n not in change.categorical or (n in change.steps and n in change.gaps)
        named = n in (*change.categorical, *change.labels)
        rows.append(
            {
                "attribute": n,
                "dist": None if steps else found.dist[n],
                "ebil": found.ebil[n] if named else None,
                "hellinger": found.hellinger.get((n,)) if n in change.categorical else None,
                "ebil_share": shares[n],
            }
        )
    return tuple(rows)


def _pairs(change: Change, found: Comparison) -> dict[tuple[str, ...], float]:
    """The Hellinger distances of pairs of attributes that are compared."""
    seen = {*change.continuous, *change.categorical}
    return {s: d for s, d in found.hellinger.items() if len(s) == 2 and seen.issuperset(s)}


_KEPT = dict(zip(OF_NODES, ("loss", "precision", "entropy"), strict=True))  # by the step


def _node(linked: Linked, change: Change) -> tuple[Mapping[str, Any], str]:
    """The step whose node has a loss, and why it does not apply: it is known for one generalization
    of all keys to which nothing else was done. A sample that was generalized is as good as a file.
    """
    if reason := change.of_keys():
        return {}, reason
    steps = _steps(linked) if linked.made_here else ()
    done = [step for step in steps if step.changed or step.before != step.after]
    nodes = [step for step in done if "loss" in step.parameters]
    if not nodes:
        return {}, "" if change.is_none else "it is for a generalization that was made here."
    later = done[done.index(nodes[0]) + 1 :]
    others = [
        step.method
        for step in done
        if step is not nodes[0]
        and (step.changed & set(change.keys) or (step in later and step.before != step.after))
    ]
    what = f"it is for one generalization alone, and {listed(others)} came with it."
    return nodes[0].parameters, what if others else ""


def _node_measures(linked: Linked, change: Change) -> dict[str, float | None]:
    """The figures of the node, as the search that found it has them."""
    node, _ = _node(linked, change)
    usual = 0.0 if change.is_none else None  # where nothing was generalized
    return {name: node.get(kept) if node else usual for name, kept in _KEPT.items()}


def _node_reasons(node: Mapping[str, Any], reason: str) -> dict[str, str]:
    """Why the figures of a node do not apply; of cells that were recoded one by one, only the loss
    is known."""
    alone = "it is for a generalization of whole columns."
    return {
        name: reason or (alone if node and kept not in node else "") for name, kept in _KEPT.items()
    }


def _class_measures(linked: Linked) -> dict[str, float | None]:
    masked, n, keys = linked.masked, linked.initial.n, linked.pair.keys
    classed = masked if masked.keys == keys else masked.with_roles(keys=keys)
    sizes = ClassSizes.of(classed.classes())
    kept = sum(sizes.n)
    return {
        "discernibility": float(sum(i * m for i, _, m in sizes) + n * (n - kept)),
        "average_class_size": kept / sum(sizes.F),
    }
