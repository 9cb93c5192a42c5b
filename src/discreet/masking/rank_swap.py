"""Rank swapping: values are exchanged between records whose ranks differ little.

Moore (1996). The columns keep all of their values, and so their whole distribution; what is lost is
which record had which, within a window of ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pyarrow as pa
from annotated_doc import Doc
from annotated_types import Interval

from discreet.data.masked import Masked
from discreet.data.microdata import Microdata
from discreet.kernels.draws import stream, uniforms
from discreet.kernels.rank_swap import partners
from discreet.masking.method import MaskedColumns, SecretSeed, Strata, masking
from discreet.masking.perturbation import (
    DrawnRecords,
    SameValues,
    drawn,
    rankable,
    sortable,
)
from discreet.parameters import (
    Columns,
    Label,
    Public,
    Share,
    Vary,
    as_written,
)
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.kernels.arrays import Ints


@masking(
    title="Rank swapping",
    done="swapped between records of similar rank",
    about="Values are exchanged between records of similar rank; the values as such stay the same.",
    noun="rank swapping",
    example="--keys age --columns income --window 0.05 --seed 1",
    tells=("information_loss",),
    perturbs=True,
)
def rank_swap(
    data: Microdata,
    columns: Annotated[
        MaskedColumns,
        Columns(fit=rankable),
        Doc("Columns whose values are swapped, each by itself."),
    ],
    window: Annotated[
        float,
        Interval(gt=0, lt=1),
        Share,
        Label("Window"),
        Doc("How far apart the ranks of two swapped values may be, as a share of the records."),
        Public,
        Vary(0.01, 0.05, 0.1, 0.2),
    ] = 0.05,
    *,
    by: Annotated[
        Strata, Doc("Columns that make the strata: values are swapped within each.")
    ] = (),
    seed: Annotated[SecretSeed, Doc("The same seed swaps the same records.")] = None,
) -> Masked:
    """Exchange values between records whose ranks differ by at most a share of the records.

    Parameters
    ----------
    data : Microdata
    columns : list of str
        Numbers, dates or ordinal attributes; each is swapped by itself.
    window : float
        Two values that are exchanged are at most ``floor(window · n)`` ranks apart, n being the
        records of the stratum that have a value.
    by : list of columns, optional
        Strata: values are exchanged within each. One with too few records for a window of one rank
        is an error.
    seed : int
        The same seed swaps the same records wherever the record ids are the same. Who has it can
        undo the swaps: keep it secret.

    Returns
    -------
    Masked
        Every column has the values that it had. Missing values stay where they are. A record keeps
        its value where all others of its window were taken.

    Notes
    -----
    Records are ranked by value, equal ones by the hash of seed and record id. From the lowest rank
    on, each record that is not yet swapped takes as partner one that is not either, above it and
    within the window, each with the same probability.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(100, seed=1), keys=["age"])
    >>> swapped = ds.rank_swap(survey, ["income"], window=0.1, seed=1)
    >>> before, after = (data.to("arrow")["income"].to_pylist() for data in (survey, swapped))
    >>> sorted(before) == sorted(after), before == after
    (True, False)

    References
    ----------
    - Moore (1996), *Controlled data-swapping techniques for masking public use microdata sets*.
      U.S. Bureau of the Census.
    - Nin, Herranz, Torra (2008), *Rethinking rank swapping to decrease disclosure risk*. Data &
      Knowledge Engineering 64 (1).
    """
    found = drawn(rank_swap, data, columns, by, seed, {"window": window})
    chosen, strata, share = found.columns, found.by, as_written(window)
    parts = found.parts(chosen, max(2, -(-share.denominator // share.numerator)))
    made = {name: _swapped(found, name, parts[name], window) for name in chosen}
    given = {"columns": list(chosen), "window": float(share), "by": list(strata)}
    return found.masked(
        made,
        method="rank_swap",
        parameters={**given, "seed": found.seed},
        promise=WithinWindow(data, chosen, strata, float(share)),
    )


def _swapped(found: DrawnRecords, name: str, parts: Sequence[Ints], window: float) -> pa.Array:
    """The column with its values swapped within each stratum."""
    column = found[name].combine_chunks()
    sort = sortable(column, found.data.types.scale(name))
    draws = uniforms(found.hashes, stream("rank_swap", name))
    source = np.arange(len(found))
    for part in parts:
        ranked = part[np.argsort(sort[part], kind="stable")]  # by value, then by hash
        source[ranked] = ranked[partners(draws[ranked], _ranks(window, len(part)))]
    return column.take(pa.array(source))


def _ranks(window: float, n: int) -> int:
    """How many ranks a window is."""
    share = as_written(window)
    return int(n * share.numerator // share.denominator)


@dataclass(frozen=True)
class WithinWindow(SameValues):
    """Every column has the values that it had, and no value moved further than its window."""

    window: float

    def _of_column(
        self, name: str, parts: Sequence[Ints], old: np.ndarray, new: np.ndarray
    ) -> list[str]:
        problems, far = super()._of_column(name, parts, old, new), 0
        for part in parts:
            x, y, ordered = old[part], new[part], np.sort(old[part])
            # equal values share a range of ranks: the nearest two count
            apart = np.maximum(
                np.searchsorted(ordered, y, "left") - np.searchsorted(ordered, x, "right") + 1,
                np.searchsorted(ordered, x, "left") - np.searchsorted(ordered, y, "right") + 1,
            )
            far += int((apart > _ranks(self.window, len(part))).sum())
        return problems + ([f"{counted(far, 'value')} of {name!r} left the window"] if far else [])
