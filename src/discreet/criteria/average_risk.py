"""Average risk: the records of the whole file are recognised with a small probability on average.

Against someone who looks up as many people as possible. A record in a class of size i has the risk
1/i, so that the average is the number of classes over that of records. A limit of the *highest*
risk may be added, which all records keep, or all but a share. As in ARX; El Emam (2013).

It is a condition on the file, not on a class. Where it does not hold, the smallest classes go
first: of equally many classes, these are the fewest records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_doc import Doc
from annotated_types import Interval

from discreet.criteria.criterion import TOLERANCE, Criterion
from discreet.criteria.kind import criterion
from discreet.errors import Problem, argument
from discreet.parameters import AtMost, Label, Public, Share, Vary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.classes import Classes
    from discreet.kernels.arrays import Bools, Floats, Ints

AVERAGE = "average risk"


@criterion(
    title="limit of the average risk",
    about="On average a record of the file is recognised with a probability of at most a limit.",
    key="average_risk",
)
@dataclass(frozen=True)
class AverageRisk(Criterion):
    """The mean over all records of 1/(size of the class) is at most ``at_most``.

    Parameters
    ----------
    at_most : float
        Above 0, up to 1.
    highest : float, optional
        No record has a higher risk than this; with ``share_above``, no more than that share.
    share_above : float, optional
        Share of the records that may have a higher risk than ``highest``.

    Examples
    --------
    >>> AverageRisk(0.05, highest=0.2, share_above=0.01).describe()
    'average risk of at most 0.05, above 0.2 for at most 1% of the records'
    >>> import discreet as ds
    >>> survey = ds.read({"age": [10, 20, 20, 20, 30, 30, 30, 30]}, keys=["age"])
    >>> ds.check(survey, AverageRisk(0.375)).satisfied  # 3 classes, 8 records
    True
    >>> ds.check(survey, AverageRisk(0.3)).violating_records  # without one of them 2 of 7
    1

    References
    ----------
    - El Emam (2013), *Guide to the de-identification of personal health information*. CRC Press.
    """

    of_file = True

    at_most: Annotated[
        float,
        Interval(gt=0, le=1),
        Label("average risk of the records, at most"),
        Doc("Largest average over the records of 1/(size of the class)."),
        Public,
        Vary(0.05),
        AtMost,
    ]
    highest: Annotated[
        float | None,
        Interval(gt=0, le=1),
        Label("highest risk of a record"),
        Doc("Largest risk of a record; none where it is not given."),
        Public,
    ] = None
    share_above: Annotated[
        float | None,
        Interval(ge=0, le=1),
        Share,
        Label("share of the records that may be above it"),
        Doc("Share of the records that may have a higher risk than the highest; none by default."),
        Public,
    ] = None

    def problems(self) -> list[Problem]:
        """What is wrong with its parameters."""
        problems = super().problems()
        if self.share_above is not None and self.highest is None:
            what = f"{argument('share_above')} needs {argument('highest')}, the risk it is about."
            problems.append(Problem("P18", what, "Give for example 0.2.", "highest"))
        return problems

    # Merging leaves fewer classes of as many records, and no record in a smaller one. Not with
    # suppression: two classes of 3 of which one must go become one of 6.
    monotone = True

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The smallest classes that must go so that it holds for the rest; a row each."""
        none = np.zeros(len(classes.size), np.bool_)
        return {AVERAGE: self.to_go(classes, none, np.arange(len(none)))}

    def to_go(self, classes: Classes, gone: Bools, ties: NDArray[np.generic]) -> Bools:
        """The classes to suppress beside those that are gone: the smallest first, and of equal size
        those that come first in ``ties``, until what is left satisfies."""
        left = np.flatnonzero(~gone)
        order = left[np.lexsort([left, ties[left], classes.size[left]])]
        found = np.zeros(len(gone), np.bool_)
        found[order[: self._needed(classes.size[order], classes.records[order])]] = True
        return found

    def _needed(self, size: Ints, records: Ints) -> int:
        """How many of the classes, smallest first, must go; none are left at last."""
        after = _left_after(records)
        holds = _left_after(records / size) <= (self.at_most + TOLERANCE) * after
        if self.highest is not None:
            above = np.where(self._above(size), records, 0)
            holds &= _left_after(above) <= ((self.share_above or 0.0) + TOLERANCE) * after
        return int(np.argmax(holds))

    @property
    def sizes_apart(self) -> int:
        """No class of a size with a risk below both limits has to go."""
        return math.floor(1 / min(self.at_most, self.highest or 1.0)) + 1

    def to_go_by_size(self, classes: Ints, records: Ints, larger: Ints) -> Ints:
        """How many classes of each size must go, for many files at once: all of the smaller sizes,
        and of one size as many as it takes.

        Whether it holds for what is left is asked as in `to_go`.
        """
        sizes = np.arange(1, classes.shape[1] + 1)
        number = classes.sum(axis=1) + larger
        gone = np.zeros_like(classes)
        above = np.where(self._above(sizes), classes * sizes, 0).sum(axis=1)
        for at, size in enumerate(sizes):
            fewest = self._fewest(number, records, above, int(size), classes[:, at])
            gone[:, at] = fewest
            number, records = number - fewest, records - fewest * size
            above = above - (fewest * size if self._above(size) else 0)
        return gone

    def _fewest(self, number: Ints, records: Ints, above: Ints, size: int, there: Ints) -> Ints:
        """The least number of classes of a size whose removal lets it hold, by halving; none where
        it holds, and all that are there where it does not hold even then.

        Removing a class whose records have a higher risk than the average may be brings it nearer;
        where others come in turn, all of these are gone, and it holds.
        """
        step = size if self._above(size) else 0

        def holds(removed: Ints) -> Bools:
            left = records - removed * size
            average = number - removed <= (self.at_most + TOLERANCE) * left
            if self.highest is None:
                return average
            allowed = ((self.share_above or 0.0) + TOLERANCE) * left
            return average & (above - removed * step <= allowed)

        low = np.zeros_like(there)
        high = np.where(holds(low), 0, there)
        while (low < high).any():
            middle = (low + high) // 2
            enough = holds(middle)
            high = np.where(enough, middle, high)
            low = np.where(enough, low, np.minimum(middle + 1, high))
        return low

    def _above(self, size: Ints | int) -> Any:
        """Whether a record in a class of this size has too high a risk."""
        return 1 / size > (1.0 if self.highest is None else self.highest) + TOLERANCE

    def why(self, reason: str) -> str:
        """Of the classes that must go."""
        return "the smallest classes, without which it would hold" if reason == AVERAGE else ""

    def describe(self) -> str:
        """The criterion in words."""
        words = f"average risk of at most {self.at_most:g}"
        if self.highest is None:
            return words
        some = f"at most {100 * (self.share_above or 0):.4g}% of the records"
        return f"{words}, above {self.highest:g} for {some if self.share_above else 'no record'}"

    def short(self) -> str:
        """As maps show it."""
        return f"mean≤{self.at_most:g}"


def _left_after(amounts: NDArray[np.generic]) -> Floats:
    """What is left of a sum before the first class went, after it, …, after the last one; from the
    end on, so that nothing is left where nothing is."""
    total = np.cumsum(np.asarray(amounts, dtype=np.float64)[::-1])[::-1]
    return np.append(total, 0.0)
