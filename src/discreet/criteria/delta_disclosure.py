"""δ-disclosure privacy: the share of each confidential value in a class is near that in the file.

Against what a class tells of anybody in it, by more or by fewer of a value. Brickell & Shmatikov
(2008): |log₂(p/q)| < δ for every value, with its share p of a class and q of the whole file. A
value that a class lacks has p = 0 and fails; ARX does not look at it: ``absent="ignore"``.
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

Absent = Literal["fail", "ignore"]
_MOST = 900.0  # no count is so many doublings off, and numbers reach so far


@criterion(
    title="δ-disclosure privacy",
    about="The share of each confidential value in a class is near that in the whole file.",
    key="delta_disclosure",
)
@dataclass(frozen=True)
class DeltaDisclosure(Criterion):
    """The share of each value in a class and in the whole initial file differ by less than a
    factor of 2 to the ``delta``.

    Parameters
    ----------
    delta : float
        Above 0: with 1, a value is less than twice and more than half as frequent as in the file.
    absent : {"fail", "ignore"}
        What becomes of a class that lacks a value of the file: it fails, by the definition; or only
        the values that it has are looked at.
    confidential : tuple of str, optional
        All confidential attributes when not given.

    Examples
    --------
    >>> DeltaDisclosure(1.5).describe()
    '1.5-disclosure privacy'
    >>> import discreet as ds
    >>> table = {"sex": list("MMMFFF"), "illness": ["flu", "flu", "HIV", "flu", "flu", "flu"]}
    >>> survey = ds.read(table, keys=["sex"], confidential=["illness"])
    >>> [ds.check(survey, DeltaDisclosure(1.1, a)).satisfied for a in ("fail", "ignore")]
    [False, True]

    References
    ----------
    - Brickell, Shmatikov (2008), *The cost of privacy: destruction of data-mining utility in
      anonymized data publishing*. KDD.
    """

    needs_original = True

    delta: Annotated[
        float,
        Gt(0),
        Label("δ: doublings or halvings of a share in a class, below"),
        Doc("The share of a value changes by less than a factor of 2 to this power."),
        Public,
        Vary(2.0),
        AtMost,
    ]
    absent: Annotated[
        Absent,
        Label(
            "A class that lacks a value",
            {"fail": "fails", "ignore": "is judged by those that it has"},
        ),
        Doc("Whether a class that lacks a value of the file fails."),
        Public,
    ] = "fail"
    confidential: Attributes = None

    @property
    def monotone(self) -> bool:
        """Whether absent values fail: the share of a value in a union lies between those in its
        parts. Not looked at in one part it may be too small in the union: r¹⁰⁰, r²s² and s¹⁰⁰ have
        no share that is 1.5 doublings off, the first two together have.

        Not with suppression: a failing class may spoil a good one it is merged with.
        """
        return self.absent == "fail"

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The attributes whose values it must count."""
        return chosen_attributes(self.confidential, confidential, "δ-disclosure privacy")

    def sums(self, confidential: Sequence[str]) -> tuple[Sum, ...]:
        """What decides of a class: the number of its values that are too far off, and which share
        of the file the values have that are in it."""
        kinds = [f"off {self.delta!r}", *(["covered"] if self.absent == "fail" else [])]
        return tuple((name, kind) for name in self.needs_values(confidential) for kind in kinds)

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes with a value that is too rare or too frequent, by attribute."""
        if classes.sums:
            names = self.needs_values(classes.summed)
            return {name: self._off_by_sums(classes, name) for name in names}
        names = self.needs_values(tuple(classes.values))
        limits = self.count_limits({name: classes.values[name].whole for name in names})
        return {one.name: one.broken(classes.values[one.name]) for one in limits}

    def _off_by_sums(self, classes: Classes, name: str) -> Bools:
        off = classes.sums[name, f"off {self.delta!r}"] > 0
        if self.absent == "fail":
            off |= classes.sums[name, "covered"] < 1 - TOLERANCE
        return np.asarray(off)

    def count_limits(self, whole: Mapping[str, Ints]) -> tuple[ValueLimits, ...]:
        """The share of a value is that of the file, divided and multiplied by 2 to the δ."""
        names = self.needs_values(tuple(whole))
        return tuple(self._limits(name, whole[name]) for name in names)

    def _limits(self, name: str, whole: Ints) -> ValueLimits:
        share, factor = whole / whole.sum(), 2 ** (min(self.delta, _MOST) - TOLERANCE)
        return ValueLimits(name, share / factor, share * factor, self.absent == "ignore")

    def describe(self) -> str:
        """The criterion in words, with the attributes where it names some."""
        some = only(self.confidential)
        ignored = ["absent values ignored"] if self.absent == "ignore" else []
        said = ", ".join(ignored + ([f"of {some}"] if some else []))
        return f"{self.delta:g}-disclosure privacy{f' ({said})' if said else ''}"
