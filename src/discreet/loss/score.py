"""The score of a masking: information loss and disclosure risk on one scale, with all its parts.

Score = (IL + DR)/2 of Domingo-Ferrer & Torra (2001), section 3.1 of their paper of 2005, from 0
(best) to 100. DR is the classic one: half distance-based record linkage (share of the masked
records whose nearest initial record is their own), half interval disclosure (share of the values
whose original lies within a rank interval around the masked value, averaged over intervals of 1 to
10 % of the records). A single number hides the trade-off: the parts are always shown beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.data.link import complete_numbers, fail_incomplete, link, need_finite
from discreet.data.microdata import Microdata
from discreet.errors import fail, listed
from discreet.frames import FrameKind
from discreet.kernels.summation import spreads
from discreet.loss.information import InformationLoss, continuous_attributes, information_loss
from discreet.measures import FigureKind, measure
from discreet.progress import stage
from discreet.results import Computed, Provenance
from discreet.risks.disclosure import disclosure_risk
from discreet.risks.interval_disclosure import within_ranks
from discreet.surface import function

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats


WHOLE = 20_000  # records: beyond, linkage is tried within blocks of about this size
_PERCENT = range(1, 11)  # widths of the rank intervals


@dataclass(frozen=True)
class Score(Computed):
    """A score with all its parts, each from 0 to 100.

    Attributes
    ----------
    value : float
        (information_loss + disclosure_risk)/2.
    information_loss : float
        IL, at most 100.
    disclosure_risk : float
        Mean of record linkage and interval disclosure.
    record_linkage, interval_disclosure : float
    maximal : float
        100 · DR_max, for comparison; it is not part of the score.
    blocks : int
        Number of blocks that linkage was tried in; 1 means all records were compared.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [8, 10, 19, 23, 37, 43, 68, 72], "bill": [3, 1, 4, 1, 5, 9, 2, 6]}
    >>> survey = ds.read(table, keys=["age", "bill"])
    >>> found = ds.score(survey, ds.microaggregate(survey, k=2))
    >>> found.value == (found.information_loss + found.disclosure_risk) / 2, found.blocks
    (True, 1)

    References
    ----------
    - Domingo-Ferrer, Torra (2001), *A quantitative comparison of disclosure control methods for
      microdata*. In: Confidentiality, Disclosure, and Data Access.
    - Domingo-Ferrer, Torra (2005), *Ordinal, continuous and heterogeneous k-anonymity through
      microaggregation*. Data Mining and Knowledge Discovery 11 (2): section 3.1.
    """

    value: float
    information_loss: float
    disclosure_risk: float
    record_linkage: float
    interval_disclosure: float
    maximal: float
    blocks: int
    provenance: Provenance
    shown = (
        "value", "information_loss", "disclosure_risk", "record_linkage", "interval_disclosure",
        "maximal", "blocks",
    )  # fmt: skip

    def explain(self) -> str:
        """The score and what it is made of."""
        lines = [
            f"Score {self.value:.1f} of 100 = mean of information loss {self.information_loss:.1f} "
            f"and disclosure risk {self.disclosure_risk:.1f}.",
            f"The risk is the mean of record linkage {self.record_linkage:.1f} and interval "
            f"disclosure {self.interval_disclosure:.1f}. 100·DR_max = {self.maximal:.1f}.",
        ]
        if self.blocks > 1:
            lines.append(f"Linkage was tried within {self.blocks} blocks: it is an upper bound.")
        lines += self.provenance.unweighted()
        return "\n".join(lines)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per part."""
        parts = [name for name in self.shown if name != "blocks"]
        return self._frame({"part": parts, "value": [getattr(self, n) for n in parts]}, kind)


@measure(
    title="Score",
    about="Information loss and disclosure risk of continuous attributes, in equal parts.",
    side="risk",
    figures={
        "value": FigureKind("score: half loss, half risk", axis=False),
        "information_loss": "information loss IL, at most 100",
        "disclosure_risk": "risk: half linkage, half interval disclosure",
        "record_linkage": "record linkage, % linked to the right one",
        "interval_disclosure": "interval disclosure, % of values",
    },
    public=("value",),
)
def score(initial: Microdata, masked: Microdata, *, on: str | None = None) -> Score:
    """Score a masking of continuous attributes by its loss and its risk.

    Parameters
    ----------
    initial
        The file before masking.
    masked
        The file after it.
    on
        Column that links the records of a file masked elsewhere to the initial ones.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(400, seed=1), keys=["age", "income"])
    >>> ds.score(survey, ds.microaggregate(survey, k=5)).value < 50
    True

    References
    ----------
    - Domingo-Ferrer, Torra (2001), *A quantitative comparison of disclosure control methods for
      microdata*. In: Confidentiality, Disclosure, and Data Access.
    - Domingo-Ferrer, Torra (2005), *Ordinal, continuous and heterogeneous k-anonymity through
      microaggregation*. Data Mining and Knowledge Discovery 11 (2): section 3.1.
    """
    found = information_loss(initial, masked, on=on)
    attack = linkage_attack(initial, masked, found, on=on)
    if found.il is None:
        fail("N07", f"IL does not apply: {found.not_applicable['il']}", _OTHERWISE)
    risk = 50 * (attack.linked + attack.within)
    return Score(
        (min(found.il, 100.0) + risk) / 2,
        min(found.il, 100.0),
        risk,
        100 * attack.linked,
        100 * attack.within,
        100 * disclosure_risk(initial, masked, on=on).maximal,
        attack.blocks,
        Provenance.of(initial, masked),
    )


_OTHERWISE = f"Compare loss and risk separately, with {function('ru_map')}."


class LinkageAttack(NamedTuple):
    """Shares of records linked to their own and of values within an interval, and the blocks."""

    linked: float
    within: float
    blocks: int


def linkage_attack(
    initial: Microdata,
    masked: Microdata,
    loss: InformationLoss | None = None,
    *,
    on: str | None = None,
) -> LinkageAttack:
    """The two parts of the risk: they look at numbers, and apply where nothing else was changed."""
    linked = link(initial, masked, on)
    names = continuous_attributes(linked)
    if not names:
        fail("N07", "no continuous attribute can be compared.", "The score is for numeric keys.")
    need_finite(linked, names)
    changed = (loss or information_loss(initial, masked, on=on)).changed
    if beyond := [name for name in changed if name not in names]:
        what = f"{listed(beyond)} changed, which linkage by numbers does not cover."
        fail("N07", what, _OTHERWISE)
    _, x, y = complete_numbers(*linked.values(names), names)
    if not len(x):
        fail_incomplete()
    spread = spreads(x)
    unit = np.where(spread > 0, spread, 1.0)
    share, blocks = _linkage(x / unit, y / unit)
    return LinkageAttack(share, _interval_disclosure(x, y), blocks)


def _linkage(x: Floats, y: Floats) -> tuple[float, int]:
    """Share of the masked records that are linked to their own, and the number of blocks."""
    from discreet.kernels.linkage import own_is_nearest
    from discreet.kernels.multivariate.blocks import balanced_blocks

    if len(x) <= WHOLE:
        return own_is_nearest(x, y) / len(x), 1
    # in an order of the values, so that blocks and equal records do not depend on that of the rows
    order = np.lexsort(np.hstack([y, x]).T)
    x, y = x[order], y[order]
    block = balanced_blocks(x, WHOLE)
    number, linked = int(block.max()) + 1, []
    with stage("linking records", number) as advance:
        for b in range(number):
            linked.append(own_is_nearest(x[block == b], y[block == b]))
            advance(b + 1)
    return math.fsum(linked) / len(x), number


def _interval_disclosure(x: Floats, y: Floats) -> float:
    """Share of values whose original lies within p % of the ranks around the masked value."""
    columns = [(x[:, a], y[:, a]) for a in range(x.shape[1])]
    # half of p % of the ranks on either side
    return float(
        np.mean(
            [within_ranks(*each, Fraction(p, 200)).mean() for each in columns for p in _PERCENT]
        )
    )
