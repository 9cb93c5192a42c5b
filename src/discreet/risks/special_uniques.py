"""Special uniques: who is alone already on a few of the keys. SUDA.

A record that is alone in a sample by many keys together may well have a double in the population.
One that is alone by two of them hardly has: it is a *special unique*. A minimal sample unique is a
set of keys on which a record is alone, while it is alone on no smaller part of it. The fewer keys
the minimal uniques of a record have, and the more there are, the higher its score. With M keys, it
is the sum over its minimal uniques of m keys of

    (M − m)!  (original),    or    (2^(M − m) − 1) · m! (M − m)! / M!  (alternative).

The DIS score turns it into the chance that a match with the record is right: data intrusion
simulation estimates that chance for all uniques of the file together, and the scores spread it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_doc import Doc
from annotated_types import Ge, Interval

from discreet import frames
from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, did_you_mean, fail, raise_all
from discreet.frames import FrameKind
from discreet.kernels.coded_tuples import CodedTuples, number_of_sets
from discreet.kernels.frequencies import frequencies
from discreet.kernels.packing import added, merged
from discreet.kernels.summation import weighted_total
from discreet.measures import FigureKind, measure, need_fit
from discreet.parameters import Label, Public, Share
from discreet.progress import watched
from discreet.results import Provenance
from discreet.risks.exposure import CodedRecords
from discreet.risks.record_level import CombinationValues, ProtectableRisk
from discreet.surface import advice, function
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats, Ints
    from discreet.kernels.minimal_uniques.search import MinimalUniques

Score = Literal["original", "alternative"]

_ALL = 16  # keys of which all sets are looked at without being asked for
_MOST = 300_000  # sets that are looked at at all
_WIDEST = 62  # keys
_NAMED = 3  # key sets in the sentences
FORMULAS = {
    "original": "the sum of (M − m)! over its minimal uniques of m keys, out of M = {keys} keys",
    "alternative": "the sum of (2^(M − m) − 1) · m! (M − m)! / M! over its minimal uniques of m "
    "keys, out of M = {keys} keys",
}


@dataclass(frozen=True, eq=False)
class SudaOfCells:
    """The DIS score as local suppression lowers it: keys are blanked, cell by cell."""

    records: CodedRecords
    asked: Suda
    wildcard: bool

    @property
    def known(self) -> tuple[int, ...]:
        """All keys: others are alone by them, too."""
        return tuple(range(len(self.records.columns)))

    def risks(self, records: CodedRecords) -> tuple[Floats, tuple[Floats, Floats]]:
        """The DIS score of every record; beside it again with the share of each key in it."""
        found = frequencies(records.columns, records.cardinalities)
        missing = records.missing if self.wildcard else None
        held = CodedTuples(found.codes, records.cardinalities, found.counts, missing)
        ask = self.asked
        minimal, scores, _, pairs = _scores(held, ask.max_size, ask.score)
        dis = _dis(scores, pairs, ask.fraction, len(held.codes))
        shares = minimal.shares / np.maximum(minimal.total, 1)[:, None]
        of_records = found.of_records(dis)
        return of_records, (of_records, found.of_records(shares))

    def without(
        self,
        records: CodedRecords,  # noqa: ARG002
        found: tuple[Floats, Floats],
        rows: NDArray[np.intp],
        attributes: Sequence[int],
    ) -> Floats:
        """Per key, about what is left of the score without the minimal uniques that hold it."""
        dis, shares = found
        return np.array([dis[rows] * (1 - shares[rows, a]) for a in attributes])


@dataclass(frozen=True, eq=False, repr=False)
class Suda(ProtectableRisk):
    """Scores of the records that are alone on some of the keys.

    ``values``, ``mean``, ``highest``, ``above``, ``histogram``, ``top`` and ``column`` are about
    the DIS score.

    Attributes
    ----------
    n : int
        Number of records.
    uniques : int
        Records that are alone on all keys together.
    special_uniques : int
        Those that are alone on fewer keys already.
    pairs : int
        Records that share all keys with one other record.
    fraction : float
        The sampling fraction that the DIS score rests on.
    score : {"original", "alternative"}
        By which formula records are scored.
    max_size : int or None
        Largest size of a key set; None where all were looked at.
    minimal_uniques : mapping of key names to number
        For each set of keys, how many records have it as a minimal unique; by size.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"town": list("aabb"), "sex": list("MMMF")}, keys=["town", "sex"])
    >>> found = ds.suda(survey)
    >>> found.scores.tolist(), found.minimal_uniques
    ([0.0, 0.0, 1.0, 1.0], {('sex',): 1, ('town', 'sex'): 1})

    References
    ----------
    - Elliot, Manning, Ford (2002), *A computational algorithm for handling the special uniques
      problem*. International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5).
    """

    n: int
    uniques: int
    special_uniques: int
    pairs: int
    fraction: float
    score: Score
    max_size: int | None
    minimal_uniques: Mapping[tuple[str, ...], int]
    provenance: Provenance
    kind: FrameKind
    _found: CombinationValues = field(compare=False)
    _scored: CombinationValues = field(compare=False)
    _minimal: MinimalUniques = field(compare=False)
    column_name: ClassVar[str] = "dis"
    measure: ClassVar[str] = "suda"

    @property
    def arguments(self) -> dict[str, Any]:
        """What it was measured with."""
        return {"max_size": self.max_size, "fraction": self.fraction, "score": self.score}

    def again(self, data: Microdata) -> Suda:
        """The same scores of other data."""
        return suda(data, **self.arguments)

    def of_cells(self, data: Microdata) -> SudaOfCells:
        """The DIS score of these data, as a function of their cells."""
        records = CodedRecords.plain(data, data.need_keys())
        return SudaOfCells(records, self, data.missing == "wildcard")

    @property
    def dis(self) -> Floats:
        """The DIS score of every record, in the order of the input; 0 without a score."""
        return self.values

    @property
    def scores(self) -> Floats:
        """The score of every record, in the order of the input; 0 where it is never alone."""
        return self._scored.values()

    @property
    def highest_score(self) -> float:
        """The highest score of a record."""
        return self._scored.summary()[1]

    @property
    def scored(self) -> int:
        """Records with a score above 0."""
        return self._scored.above(0.0).count

    @property
    def file_dis(self) -> float | None:
        """The chance that a match with a unique is right, for all uniques together; None where
        no record is alone.
        """
        likely = self.uniques * self.fraction
        return likely / (likely + self.pairs * (1 - self.fraction)) if self.uniques else None

    @property
    def formula(self) -> str:
        """How the minimal uniques of a record are added up, in words."""
        return FORMULAS[self.score].format(keys=len(self.provenance.keys))

    @property
    def not_applicable(self) -> dict[str, str]:
        """Why some figures are None."""
        return {} if self.uniques else {"file_dis": "no record is alone on the keys."}

    # -- which keys ----------------------------------------------------------------------------

    @functools.cached_property
    def contributions(self) -> Contributions:
        """For every record, the share of its score from minimal uniques that hold a key: one row
        per record, in the order of the input, and one column per key; 0 without a score.
        """
        whole = np.maximum(self._minimal.total, 1)[:, None]
        found, keys = self._found, self.provenance.keys
        by_key = (
            CombinationValues(found.data, found.combinations, numbers).values()
            for numbers in (self._minimal.shares / whole).T
        )
        return Contributions(keys, np.column_stack(list(by_key)), self.kind)

    @functools.cached_property
    def key_contributions(self) -> dict[str, float]:
        """For every key, the share of all scores from minimal uniques that hold it; the shares of a
        set add up to its size. 0 where there is no score.
        """
        shares = self._minimal.shares.astype(object).sum(axis=0)  # Python's whole numbers
        whole = sum(self._minimal.total.tolist()) or 1
        return {k: part / whole for k, part in zip(self.provenance.keys, shares, strict=True)}

    def by_category(self, key: str, kind: FrameKind | None = None) -> Any:
        """For every value of a key: records, records with a score, and the share of all scores from
        minimal uniques that hold the key, in records that have the value.

        The table holds values of the data, for their owner; no other output does.
        """
        import pyarrow as pa

        keys = self._found.combinations
        if key not in keys.attributes:
            fail("R01", f"{key!r} is not a key.", "Name one of the keys.")
        a = keys.attributes.index(key)
        scored = np.where(self._minimal.total > 0, keys.counts, 0)
        columns = np.zeros((len(keys.values[a]), 3), dtype=np.int64)
        amounts = [keys.counts, scored, self._minimal.shares[:, a]]
        np.add.at(columns, keys.codes[a], np.column_stack(amounts))
        whole = sum(self._minimal.total.tolist()) or 1
        held = {
            key: keys.values[a],
            "records": columns[:, 0],
            "scored": columns[:, 1],
            "contribution": pa.array([part / whole for part in columns[:, 2].tolist()]),
        }
        return self._frame(held, kind)

    # -- in words and numbers ------------------------------------------------------------------

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per key set with minimal uniques: its keys, their number, and the records."""
        columns = {
            "keys": [", ".join(one) for one in self.minimal_uniques],
            "size": [len(one) for one in self.minimal_uniques],
            "records": list(self.minimal_uniques.values()),
        }
        return self._frame(columns, kind)

    def explain(self) -> str:
        """The numbers in a few sentences, and what to do next."""
        keys = ", ".join(self.provenance.keys)
        if not self.uniques:
            lines = [f"No record of {self.n:,} is alone on {keys}: no score, and DIS is 0 for all."]
            return "\n".join([*lines, *self._notes(), *self.provenance.cautions()])
        lines = [
            f"{counted(self.uniques, 'record')} of {self.n:,} ({share(self.uniques, self.n)}) "
            f"{'is' if self.uniques == 1 else 'are'} alone on {keys}. "
            f"{self.special_uniques:,} of them "
            f"{'is a special unique' if self.special_uniques == 1 else 'are special uniques'}: "
            "alone on fewer keys "
            "already, and so more likely alone in the population, too.",
            *self._sets(),
            f"The score of a record is {self.formula} ({self.score} formula); the highest is "
            f"{self.highest_score:,.6g}.",
            f"The DIS score is the chance that a match with the record is right, for a sample of "
            f"{100 * self.fraction:.4g}% of the population: at most {self.highest:.4g}, and "
            f"{self.file_dis:.4g} for all uniques together. It has no interval: it is a rule of "
            "thumb that spreads the chance of the file over its records by their scores.",
            *self._notes(),
            *self.provenance.cautions(),
            *advice(
                f"Next: make the keys that contribute most coarser ({function('generalize')}), or "
                "blank cells of the records above a limit: "
                f"{function('protect_records', 'data, risk, at_most=…')}."
            ),
        ]
        return "\n".join(lines)

    def _sets(self) -> list[str]:
        number = sum(self.minimal_uniques.values())
        if not number:
            return []
        most = sorted(self.minimal_uniques.items(), key=lambda one: -one[1])[:_NAMED]
        sets = [f"{{{', '.join(one)}}} ({counted(records, 'record')})" for one, records in most]
        shares = self.key_contributions
        first = max(shares, key=lambda key: shares[key])
        said = (
            f"They have {counted(number, 'minimal unique')} on "
            f"{counted(len(self.minimal_uniques), 'key set')}, most often on {', '.join(sets)}."
        )
        drives = (
            f"{first!r} contributes most: it is in sets with {shares[first]:.1%} of the scores."
        )
        return [said, drives] if shares[first] else [said]

    def _notes(self) -> list[str]:
        keys, notes = self.provenance.keys, []
        all_keys = self.minimal_uniques.get(keys, 0)
        if self.score == "alternative" and all_keys:
            notes.append(
                f"{counted(all_keys, 'record')} {'is' if all_keys == 1 else 'are'} alone on all "
                "keys together and on no fewer: the alternative formula gives 0 to such a record, "
                "although it is unique."
            )
        if self.max_size is not None and self.max_size < len(keys):
            notes.append(
                f"Only sets of up to {counted(self.max_size, 'key')} were looked at; "
                f"{counted(self.uniques - self.scored, 'unique')} "
                "have no smaller one and no score."
            )
        if self.provenance.missing == "wildcard":
            notes.append(
                "A missing key makes nobody alone: a set is left out for a record that lacks one "
                "of its keys, and such a record does not count as equal to another one."
            )
        return notes

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON: no value of a key, and of no single record but the highest."""
        return {
            **self._plain("n", "uniques", "special_uniques", "pairs", "scored", "highest_score"),
            **self._plain("mean", "highest", "file_dis"),
            **self._by_risk(),
            **self._plain("score", "fraction", "max_size", "key_contributions"),
            "minimal_uniques": [
                {"keys": list(one), "records": number}
                for one, number in self.minimal_uniques.items()
            ],
            "notes": self._notes(),
            "not_applicable": dict(self.not_applicable),
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        return (
            f"Suda: {counted(self.n, 'record')}, {self.uniques:,} alone on all keys, "
            f"{self.special_uniques:,} special uniques, highest DIS {self.highest:.4g}"
        )


@measure(
    title="Special uniques",
    about="Records that are unique on only a few keys: SUDA scores, and the DIS score.",
    side="risk",
    of="file",
    figures={
        "special_uniques": FigureKind(
            "records alone on fewer than all keys", of_smallest_class=True
        ),
        "mean": "mean DIS score of a record",
        "highest": "highest DIS score of a record",
        "highest_score": "highest score of a record",
        "file_dis": "chance that a match with a unique is right",
    },
    by_equality=True,
    per_record=True,
    public=("n", "special_uniques", "score", "fraction", "max_size"),
)
def suda(
    data: Microdata,
    max_size: Annotated[
        int | None,
        Ge(1),
        Label("Largest set"),
        Doc("Largest number of keys in a set; by default all sets, where there are up to 16 keys."),
        Public,
    ] = None,
    fraction: Annotated[
        float,
        Interval(gt=0, lt=1),
        Share,
        Label("Sampling fraction"),
        Doc("Share of the population that is in the sample, for the DIS score."),
        Public,
    ] = 0.01,
    score: Annotated[
        Score,
        Label("Score", {"original": "Original", "alternative": "Alternative"}),
        Doc("By which formula minimal uniques are added up."),
        Public,
    ] = "original",
) -> Suda:
    """Score the records by the sets of keys on which they are alone.

    Parameters
    ----------
    data : Microdata
        With its keys named. A missing key is a value of its own; under ``missing="wildcard"`` it
        makes nobody alone: a set of keys is left out for a record that lacks one of them, and such
        a record is no double of another one on the set.
    max_size : int, optional
        Most keys of a set that is looked at. The scores still count all M keys.
    fraction : float
        The sampling fraction that the DIS score rests on, above 0 and below 1.
    score : {"original", "alternative"}
        (M − m)! for a minimal unique of m of the M keys, or (2^(M − m) − 1) · m! (M − m)! / M!.

    Returns
    -------
    Suda
        ``.scores`` and ``.dis`` one per record, ``.contributions`` one row per record,
        ``.minimal_uniques`` by key set, ``.above(0.1)``, ``.table()``.

    Examples
    --------
    The example of the guide of the International Household Survey Network:

    >>> import discreet as ds
    >>> table = {"residence": list("UUUURUUUUU"), "sex": list("FFFMFMFMFF"),
    ...          "education": list("sspcccqoss"), "labour": list("EENEUENUNN")}
    >>> found = ds.suda(ds.read(table, keys=list(table)))
    >>> found.scores.tolist()
    [0.0, 0.0, 6.0, 0.0, 12.0, 0.0, 6.0, 10.0, 0.0, 0.0]
    >>> {key: round(part, 3) for key, part in found.key_contributions.items()}
    {'residence': 0.235, 'sex': 0.176, 'education': 0.647, 'labour': 0.235}

    References
    ----------
    - Elliot, Manning, Ford (2002), *A computational algorithm for handling the special uniques
      problem*. International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5).
    - Manning, Haglin, Keane (2008), *A recursive search algorithm for statistical disclosure
      assessment*. Data Mining and Knowledge Discovery 16(2).
    """
    require_microdata(data)
    need_fit(suda, max_size=max_size, fraction=fraction, score=score)
    raise_all(_size_problems(len(data.need_keys()), max_size))
    require_records(data)
    keys = data.frequency_set()
    width, held = len(keys.attributes), keys.tuples(blank=data.missing == "wildcard")
    found, scores, uniques, pairs = _scores(held, max_size, score)
    on_all = found.sets.get(tuple(range(width)), 0) if score == "original" else 0
    return Suda(
        n=keys.n,
        uniques=uniques,
        special_uniques=int((found.total > 0).sum()) - on_all,
        pairs=pairs,
        fraction=float(fraction),
        score=score,
        max_size=None if max_size is None else int(max_size),
        minimal_uniques={
            tuple(keys.attributes[a] for a in one): number for one, number in found.sets.items()
        },
        provenance=Provenance.of(data),
        kind=data.source.kind,
        _found=CombinationValues(data, keys, _dis(scores, pairs, float(fraction), width)),
        _scored=CombinationValues(data, keys, scores),
        _minimal=found,
    )


def _size_problems(width: int, max_size: int | None) -> list[Problem]:
    """More keys than can be searched."""
    size = min(max_size or width, width)
    number = number_of_sets(width, size)
    if width > _WIDEST:
        what = f"{width:,} keys are named; sets of up to {_WIDEST} can be looked at."
        return [Problem("P50", what, "Name fewer keys.")]
    if number > _MOST or (max_size is None and width > _ALL):
        what = f"{width:,} keys have {number:,} sets of up to {size:,} keys, which are too many."
        fits = max(s for s in range(1, width + 1) if number_of_sets(width, s) <= _MOST)
        return [Problem("P50", what, f"Give {argument('max_size')}, at most {fits}.")]
    return []


def _worth(keys: int, size: int, score: Score) -> tuple[list[int], int]:
    """What a minimal unique of 1, 2, … keys is worth, in whole numbers, so that no sum is rounded;
    and by what the sums must be multiplied (original) or divided (alternative).
    """
    sizes = range(1, size + 1)
    if score == "original":
        scale = math.factorial(keys - size)
        return [math.factorial(keys - m) // scale for m in sizes], scale
    scale = math.lcm(*(math.comb(keys, m) for m in sizes))
    return [(2 ** (keys - m) - 1) * scale // math.comb(keys, m) for m in sizes], scale


def _scores(
    keys: CodedTuples, max_size: int | None, score: Score
) -> tuple[MinimalUniques, Floats, int, int]:
    """The minimal uniques of each tuple and its score; the records that are alone on all keys, and
    those that share them with one other."""
    width = len(keys.codes)
    worth, scale = _worth(width, min(max_size or width, width), score)
    found = _searched(keys, worth)
    sums = found.total.astype(np.float64)
    scores = sums / scale if score == "alternative" else sums * float(scale)
    alone = keys.counts if max(keys.missing or [-1]) < 0 else _own_counts(keys)
    uniques, pairs = (int(keys.counts[alone == size].sum()) for size in (1, 2))
    return found, scores, uniques, pairs


def _searched(keys: CodedTuples, worth: list[int]) -> MinimalUniques:
    from discreet.kernels.minimal_uniques.search import minimal_uniques

    return watched(
        "looking for special uniques",
        number_of_sets(len(keys.codes), len(worth)),
        lambda watch: minimal_uniques(keys, worth, watch=watch),
    )


def _own_counts(keys: CodedTuples) -> Ints:
    """For each combination, the records that have all values that it has; 0 where it has none."""
    has = np.zeros(len(keys.counts), dtype=np.int64)  # which keys, as bits
    for a, (codes, missing) in enumerate(zip(keys.codes, keys.missing or (), strict=True)):
        has |= (codes != missing).astype(np.int64) << a
    counts = np.zeros(len(keys.counts), dtype=np.int64)
    for pattern in np.unique(has[has > 0]).tolist():
        there = np.flatnonzero(has & pattern == pattern)
        at = [a for a in range(len(keys.codes)) if pattern >> a & 1]
        chosen = [keys.codes[a][there] for a in at]
        first, owner = merged(chosen, [keys.cardinalities[a] for a in at])
        sums, mine = added(owner, keys.counts[there], len(first)), has[there] == pattern
        counts[there[mine]] = sums[owner[mine]]
    return counts


def _dis(scores: Floats, pairs: int, fraction: float, keys: int) -> Floats:
    """1/(1 + (U/D − U)/(s^Q · Σ s^(−Q))), where U/D − U = P(1 − φ)/φ; 0 without a score."""
    some = scores > 0
    power = 1 + (8 - keys) / 20
    distinct, number = np.unique(scores[some], return_counts=True)
    dis = np.zeros(len(scores))
    if len(distinct):
        spread = weighted_total(distinct**-power, number)
        odds = pairs * (1 - fraction) / fraction
        of_score = 1 / (1 + odds / (distinct**power * spread))
        dis[some] = of_score[np.searchsorted(distinct, scores[some])]
    return dis


@dataclass(frozen=True, eq=False, repr=False)
class Contributions:
    """Shares, one row per record and one column per key.

    It is an array wherever one is asked for (``numpy.asarray``, ``[row, column]``), a column by the
    name of its key (``["age"]``), and a frame by ``table()``.

    Examples
    --------
    >>> found = Contributions(("age", "sex"), np.array([[1.0, 0.5], [0.0, 0.0]]), "arrow")
    >>> found["sex"].tolist(), found[0, 0].tolist(), found.shape
    ([0.5, 0.0], 1.0, (2, 2))
    """

    keys: tuple[str, ...]
    shares: Floats
    kind: FrameKind

    @property
    def shape(self) -> tuple[int, int]:
        """Records and keys."""
        return len(self.shares), len(self.keys)

    def __len__(self) -> int:
        return len(self.shares)

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, str):
            return self.shares[at]
        if at not in self.keys:
            remedy = did_you_mean(at, self.keys) or "Name one of the keys."
            fail("R01", f"{at!r} is not a key.", remedy)
        return self.shares[:, self.keys.index(at)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.shares, dtype=dtype, copy=copy is not False)

    def table(self, kind: FrameKind | None = None) -> Any:
        """As a frame: one row per record, one column per key; no cell of the data."""
        import pyarrow as pa

        columns = dict(zip(self.keys, self.shares.T, strict=True))
        return frames.from_arrow(pa.table(columns), kind or self.kind)

    def __repr__(self) -> str:
        return f"Contributions: {len(self):,} records, {', '.join(self.keys)}"
