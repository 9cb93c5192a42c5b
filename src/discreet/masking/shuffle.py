"""Data shuffling: the values of columns are dealt out anew, by ranks that other columns suggest.

Muralidhar & Sarathy (2006). Every column keeps its values, and so its whole distribution; rank
correlations among the columns, and with those that are given, stay nearly as they were. Who gets
which value depends on the given columns and on chance, and not on the value that the record had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pyarrow as pa
from annotated_doc import Doc

from discreet.data.attributes import names
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, raise_all
from discreet.frames import FrameKind
from discreet.kernels.draws import normals, stream
from discreet.kernels.shuffle import shuffled
from discreet.masking.method import (
    MaskedColumns,
    SecretSeed,
    Strata,
    masking,
    unfit_columns,
    unknown_columns,
)
from discreet.masking.perturbation import (
    DrawnRecords,
    SameValues,
    drawing_problems,
    drawn_records,
    places,
    rankable,
    sortable,
)
from discreet.parameters import ColumnFacts, Columns, Label, Public, Unfit
from discreet.results import Result
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats, Ints


def suggesting(column: ColumnFacts) -> list[Unfit]:
    """Why a column cannot be given: its values have no order, or some are missing.

    Examples
    --------
    >>> [unfit.code for unfit in suggesting(ColumnFacts("integer", "continuous", "continuous", 3))]
    ['D03']
    """
    found = [*rankable(column)]
    if column.missing:
        what = f"has {counted(column.missing, 'missing value')}, and is given for the others"
        found.append(Unfit("D03", what, "Fill them, or leave the column out."))
    return found


@masking(
    title="Data shuffling",
    done="shuffled",
    about="The values of a column are redistributed to records whose other columns suggest them.",
    noun="shuffling",
    example="--keys age --columns income --given age --seed 1",
    tells=("information_loss",),
    perturbs=True,
)
def shuffle(
    data: Microdata,
    columns: Annotated[
        MaskedColumns, Columns(fit=rankable), Doc("Columns whose values are redistributed.")
    ],
    *,
    given: Annotated[
        Sequence[str] | str,
        Columns(fit=suggesting),
        Label("Given columns"),
        Doc("Columns that stay; rank correlations with them are kept."),
        Public,
    ] = (),
    by: Annotated[
        Strata, Doc("Columns that make the strata: values are redistributed within each.")
    ] = (),
    seed: Annotated[
        SecretSeed, Doc("The same seed gives the same records the same values.")
    ] = None,
) -> Masked:
    """Deal out the values of columns anew, so that ranks go with those of other columns as before.

    Parameters
    ----------
    data : Microdata
    columns : list of str
        Numbers, dates or ordinal attributes; one is enough.
    given : list of str, optional
        Columns of the same kinds, without missing values, that stay as they are. Without any, the
        values are redistributed by chance, with the rank correlations among the columns alone.
    by : list of columns, optional
        Strata: values are redistributed within each, which keeps up nominal attributes. One
        of fewer records than columns, given ones and 2 is an error.
    seed : int
        The same seed gives the same values wherever the record ids are the same. Keep it
        secret.

    Returns
    -------
    Masked
        Every column has the values that it had, within each stratum. Missing values stay where they
        are. ``.outcome`` has the rank correlations before and after.

    Notes
    -----
    What is released of a record depends on the given columns, the values of the columns as a whole
    and their rank correlations: within these, nothing is learned from the value that it had.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(500, seed=1), keys=["age"])
    >>> masked = ds.shuffle(survey, ["income"], given=["age"], seed=1)
    >>> before, after = (data.to("arrow")["income"].to_pylist() for data in (survey, masked))
    >>> sorted(before) == sorted(after), before == after
    (True, False)

    References
    ----------
    - Muralidhar, Sarathy (2006), *Data shuffling: a new masking approach for numerical data*.
      Management Science 52 (5).
    """
    require_microdata(data)
    chosen, strata, kept = names(columns), names(by or ()), names(given or ())
    raise_all(_problems(data, chosen, kept, strata, seed))
    assert seed is not None
    found = drawn_records(data, [*chosen, *kept], strata, seed, "shuffle")
    found.parts(chosen, len(chosen) + len(kept) + 2)  # raises where they are too few
    source, outcome = dealt(found, chosen, kept)
    return found.masked(
        {name: found[name].combine_chunks().take(source[name]) for name in chosen},
        method="shuffle",
        parameters={
            "columns": list(chosen),
            "given": list(kept),
            "by": list(strata),
            "seed": int(seed),
        },
        promise=SameValues(data, chosen, strata),
        outcome=outcome,
    )


def _problems(
    data: Microdata,
    chosen: tuple[str, ...],
    given: tuple[str, ...],
    by: tuple[str, ...],
    seed: object,
) -> list[Problem]:
    both = [c for c in dict.fromkeys(given) if c in chosen]
    twice = [c for c in dict.fromkeys(given) if c not in both and (c in by or given.count(c) > 1)]
    return [
        *drawing_problems(data, chosen, by, seed),
        *unknown_columns(data, given, "given column"),
        *(
            Problem("R02", f"given column {c!r} is named more than once.", "Name it once.")
            for c in twice
        ),
        *(
            Problem("R02", f"column {c!r} is given, and shuffled as well.", "Choose one of them.")
            for c in both
        ),
        *unfit_columns(data, chosen, {}, rankable),
        *unfit_columns(data, given, {}, suggesting),
    ]


def dealt(
    found: DrawnRecords, chosen: tuple[str, ...], given: tuple[str, ...]
) -> tuple[dict[str, pa.Array], Shuffled]:
    """Whose value each record gets, and what became of rank correlations."""
    x, s = _rows(found, chosen), _rows(found, given)
    source = np.tile(np.arange(len(found)), (len(chosen), 1))
    both = np.zeros((2, len(chosen) + len(given), len(chosen) + len(given)))
    for part in found.strata:
        if np.isnan(x[:, part]).all():
            continue
        at = places(part, len(found))
        deal = shuffled(x[:, at], s[:, at], _draws(found, part))
        source[:, at] = part[deal.source]
        both += np.array([deal.before, deal.after]) * (len(part) / len(found))
    kind = found.data.source.kind
    same = {
        name: int((x[j] == x[j][source[j]]).sum()) / max(int((~np.isnan(x[j])).sum()), 1)
        for j, name in enumerate(chosen)
    }
    outcome = Shuffled(chosen, given, tuple(_pairs(chosen, given, *both)), same, kind)
    return {name: pa.array(source[j]) for j, name in enumerate(chosen)}, outcome


def _draws(found: DrawnRecords, part: Ints) -> Any:
    return lambda i: normals(found.hashes[places(part, len(found))], stream("shuffle", "", i + 1))


def _rows(found: DrawnRecords, columns: Sequence[str]) -> Floats:
    """What sorts as the columns do, NaN where a value is missing."""
    rows = np.empty((len(columns), len(found)))
    for j, name in enumerate(columns):
        column = found[name].combine_chunks()
        rows[j] = sortable(column, found.data.types.scale(name))
        rows[j][~column.is_valid().to_numpy(zero_copy_only=False)] = np.nan
    return rows


Pair = tuple[str, str, float, float]
_OFTEN = 0.1  # of the records: from here on the outcome warns


def _pairs(
    chosen: tuple[str, ...], given: tuple[str, ...], before: Floats, after: Floats
) -> list[Pair]:
    every = (*chosen, *given)
    return [
        (name, every[j], float(before[i, j]), float(after[i, j]))
        for i, name in enumerate(chosen)
        for j in range(i + 1, len(every))
    ]


@dataclass(frozen=True, repr=False)
class Shuffled(Result):
    """Rank correlations before and after a shuffling, averages over the strata.

    Attributes
    ----------
    columns, given : tuple of str
        What was redistributed, and what it went by.
    pairs : tuple of (column, other, before, after)
        Of each pair of columns of which one was shuffled.
    same : mapping of column to number
        The share of the records that got a value equal to their own.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(500, seed=1), keys=["age"])
    >>> print(ds.shuffle(survey, ["income"], given=["age"], seed=1).outcome.explain())
    The values of 'income' were redistributed, given 'age': as a whole they stay the same.
    Largest change of a rank correlation: income with age, 0.175 to 0.174.
    """

    columns: tuple[str, ...]
    given: tuple[str, ...]
    pairs: tuple[Pair, ...]
    same: Mapping[str, float]
    kind: FrameKind

    @property
    def largest_change(self) -> float | None:
        """Of a rank correlation; None where there is one column and none is given."""
        return max((abs(after - before) for _, _, before, after in self.pairs), default=None)

    def explain(self) -> str:
        """What was done, and how far rank correlations moved."""
        named, given = (", ".join(map(repr, part)) for part in (self.columns, self.given))
        first = f"The values of {named} were redistributed"
        lines = [f"{first}{f', given {given}' if given else ''}: as a whole they stay the same."]
        if self.pairs:
            one, other, before, after = max(self.pairs, key=lambda pair: abs(pair[3] - pair[2]))
            what = f"{one} with {other}, {before:.3f} to {after:.3f}"
            lines.append(f"Largest change of a rank correlation: {what}.")
        often = [f"{name} {part:.1%}" for name, part in self.same.items() if part > _OFTEN]
        if often:
            lines.append(
                f"Records that got a value equal to their own: {', '.join(often)}. A column with "
                "few values, or one that follows from the given ones, is hardly protected."
            )
        return "\n".join(lines)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per pair of columns."""
        heads = ("column", "with", "before", "after")
        return self._frame([dict(zip(heads, pair, strict=True)) for pair in self.pairs], kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self._plain("columns", "given", "same"),
            "largest_rank_correlation_change": self.largest_change,
            "rank_correlations": [list(pair) for pair in self.pairs],
        }
