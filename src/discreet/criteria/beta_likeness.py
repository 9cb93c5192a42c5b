"""β-likeness: no confidential value is much more frequent in a class than in the whole file.

Against what a class adds to what is known of everybody. Cao & Karras (2012): a value with the share
q of the file and p of a class gains (p − q)/q. *Basic*: no value gains more than β. *Enhanced*: nor
more than −ln q, so that a frequent value may not fill a class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from annotated_doc import Doc
from annotated_types import Gt

from discreet.criteria.criterion import TOLERANCE, Attributes, Criterion, chosen_attributes, only
from discreet.criteria.kind import criterion
from discreet.frequency.value_counts import ValueLimits
from discreet.parameters import AtMost, Label, Public, Vary

if TYPE_CHECKING:
    from discreet.frequency.classes import Classes
    from discreet.frequency.value_counts import Sum
    from discreet.kernels.arrays import Bools, Ints

Likeness = Literal["basic", "enhanced"]


@criterion(
    title="β-likeness",
    about="No confidential value is much more frequent in a class than in the whole file.",
    key="likeness",
)
@dataclass(frozen=True)
class BetaLikeness(Criterion):
    """No value gains more than ``beta`` in a class against the whole initial file.

    Parameters
    ----------
    beta : float
        Above 0: with 1, no value is more than twice as frequent as in the file.
    kind : {"basic", "enhanced"}
        The gain is at most β; or at most the smaller of β and −ln q, q the share of the value in
        the file.
    confidential : tuple of str, optional
        All confidential attributes when not given.

    Examples
    --------
    >>> BetaLikeness(4, kind="enhanced").describe()
    'enhanced 4-likeness'
    >>> import discreet as ds
    >>> table = {"sex": list("MMMFFF"), "illness": ["flu", "flu", "HIV", "flu", "flu", "flu"]}
    >>> survey = ds.read(table, keys=["sex"], confidential=["illness"])
    >>> ds.check(survey, BetaLikeness(1)).satisfied, ds.check(survey, BetaLikeness(0.9)).satisfied
    (True, False)

    References
    ----------
    - Cao, Karras (2012), *Publishing microdata with a robust privacy guarantee*. Proceedings of the
      VLDB Endowment 5 (11).
    """

    needs_original = True

    beta: Annotated[
        float,
        Gt(0),
        Label("β: gain of a value in a class, at most"),
        Doc("Largest gain of a value: its share of a class, against that of the file, minus 1."),
        Public,
        Vary(1.0),
        AtMost,
    ]
    kind: Annotated[
        Likeness,
        Label(
            "The gain is at most",
            {"basic": "β for every value", "enhanced": "β, and less for frequent values"},
        ),
        Doc("Whether a frequent value may gain less: at most −ln of its share of the file."),
        Public,
    ] = "basic"
    confidential: Attributes = None

    # The share of a value in a union lies between those in its parts. Not with suppression: a
    # failing class may spoil a good one it is merged with.
    monotone = True

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The attributes whose values it must count."""
        return chosen_attributes(self.confidential, confidential, "β-likeness")

    def sums(self, confidential: Sequence[str]) -> tuple[Sum, ...]:
        """What decides of a class: the number of its values that gain too much."""
        kind = f"gained {self.kind} {self.beta!r}"
        return tuple((name, kind) for name in self.needs_values(confidential))

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes with a value that gains too much, by attribute."""
        if classes.sums:
            summed = self.sums(classes.summed)
            return {name: classes.sums[name, kind] > 0 for name, kind in summed}
        names = self.needs_values(tuple(classes.values))
        limits = self.count_limits({name: classes.values[name].whole for name in names})
        return {one.name: one.broken(classes.values[one.name]) for one in limits}

    def count_limits(self, whole: Mapping[str, Ints]) -> tuple[ValueLimits, ...]:
        """The share of a value is at most that of the file with what it may gain."""
        names = self.needs_values(tuple(whole))
        return tuple(self._limits(name, whole[name]) for name in names)

    def _limits(self, name: str, whole: Ints) -> ValueLimits:
        share = whole / whole.sum()
        most = np.full(len(whole), self.beta)
        if self.kind == "enhanced":
            most = np.minimum(most, -np.log(share))
        high = share * (1 + most + TOLERANCE)
        return ValueLimits(name, np.zeros(len(whole)), high, optional=True)

    def describe(self) -> str:
        """The criterion in words, with the attributes where it names some."""
        some = only(self.confidential)
        return f"{self.kind} {self.beta:g}-likeness{f' (of {some})' if some else ''}"
