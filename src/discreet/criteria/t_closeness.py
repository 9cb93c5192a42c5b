"""t-closeness: the values of a confidential attribute are distributed in every class nearly as in
the whole file.

Against what a class reveals even when its values are many. Li, Li & Venkatasubramanian (2007):
the earth mover's distance between the class and the whole initial file is at most t. The ground
distance is *equal* (all values equally far), *ordered* (number of steps in between, on a declared
scale also those that do not occur), or *hierarchical* (height of the lowest common group in a
generalization hierarchy).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_doc import Doc
from annotated_types import Interval

from discreet.criteria.criterion import TOLERANCE, Attributes, Criterion, chosen_attributes, only
from discreet.criteria.kind import criterion
from discreet.errors import Problem, argument, fail
from discreet.frequency.value_counts import Sum
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.hierarchies.written import HIERARCHY
from discreet.parameters import AtMost, Label, Public, Vary
from discreet.surface import function

if TYPE_CHECKING:
    from discreet.frequency.classes import Classes
    from discreet.frequency.value_counts import ValueCounts
    from discreet.hierarchies.recoding import Recoding
    from discreet.kernels.arrays import Bools, Floats

    Ground = Callable[[Floats], Floats]

Distance = Literal["equal", "ordered", "hierarchical"]


@criterion(
    title="t-closeness",
    about="Confidential values are distributed in every class nearly as in the whole file.",
    key="closeness",
)
@dataclass(frozen=True)
class TCloseness(Criterion):
    """Every class is within distance ``t`` of the whole initial file.

    Parameters
    ----------
    t : float
        Between 0 and 1.
    distance : {"equal", "ordered", "hierarchical"}
        The order of an ordinal scale, with all of its steps, or of the values that occur. A missing
        value that counts as one is a step of its own after the last.
    hierarchy : Hierarchy
        For the hierarchical distance.
    confidential : tuple of str, optional
        All confidential attributes when not given.

    Examples
    --------
    >>> TCloseness(0.2).describe()
    '0.2-closeness (equal distance)'

    References
    ----------
    - Li, Li, Venkatasubramanian (2007), *t-closeness: privacy beyond k-anonymity and l-diversity*.
      ICDE.
    """

    needs_original = True

    t: Annotated[
        float,
        Interval(ge=0, le=1),
        Label("t: distance from the whole table, 0 to 1, at most"),
        Doc("Largest distance from the whole file, between 0 and 1."),
        Public,
        Vary(0.2),
        AtMost,
    ]
    distance: Annotated[
        Distance,
        Label(
            "Distance",
            {
                "equal": "all values equally far",
                "ordered": "by the steps of the scale",
                "hierarchical": "by a hierarchy",
            },
        ),
        Doc("The distance between two values."),
        Public,
    ] = "equal"
    hierarchy: Annotated[
        Hierarchy | None,
        HIERARCHY,
        Label("Hierarchy of the confidential attribute"),
        Doc("For the hierarchical distance."),
    ] = field(default=None, compare=False, repr=False)
    confidential: Attributes = None

    def problems(self) -> list[Problem]:
        """What is wrong with its parameters."""
        problems = super().problems()
        if (self.distance == "hierarchical") != (self.hierarchy is not None):
            what = f"{argument('hierarchy')} is for the hierarchical distance, which needs it."
            problems.append(
                Problem(
                    "P18", what, "Give the hierarchy of the confidential attribute.", "hierarchy"
                )
            )
        if self.hierarchy is not None and not hasattr(self.hierarchy, "fit"):
            what = f"what is given as {argument('hierarchy')} is not a hierarchy."
            problems.append(Problem("P19", what, f"Build one with {function('Hierarchy')}."))
        return problems

    # The distance of a union is at most the larger one of its parts. Not with suppression: a
    # failing class may spoil a good one it is merged with.
    monotone = True

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The attributes whose values it must count."""
        return chosen_attributes(self.confidential, confidential, "t-closeness")

    def sums(self, confidential: Sequence[str]) -> tuple[Sum, ...] | None:
        """What decides of a class, as sums over its values; only for the equal distance."""
        if self.distance != "equal":
            return None
        return tuple((name, "distance") for name in self.needs_values(confidential))

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes farther than t from the whole file, by attribute."""
        if classes.sums:
            summed = self.sums(classes.summed) or ()
            return {
                name: (1 + classes.sums[name, kind]) / 2 > self.t + TOLERANCE
                for name, kind in summed
            }
        names = self.needs_values(tuple(classes.values))
        return {
            name: self.distances(classes.values[name], classes.labels.get(name), name)
            > self.t + TOLERANCE
            for name in names
        }

    def distances(
        self, values: ValueCounts, labels: Any = None, name: str = "the confidential attribute"
    ) -> Floats:
        """The earth mover's distance of each class from the whole file."""
        whole = values.whole / values.whole.sum()
        if self.distance == "equal":
            return _equal(values, whole)
        ordered = self.distance == "ordered"
        ground = _ordered(values.gaps) if ordered else self._hierarchical(values, labels, name)
        parts = [ground(values.shares(*portion) - whole) for portion in values.portions()]
        return np.concatenate([np.empty(0), *parts])

    def _hierarchical(self, values: ValueCounts, labels: Any, name: str) -> Ground:
        if labels is None or self.hierarchy is None:
            fail("P18", "the hierarchical distance needs the values.", "Check one file at a time.")
        recoding = self.hierarchy.fit(name, labels, values.whole)
        return lambda difference: _through_groups(difference, recoding)

    def describe(self) -> str:
        """The criterion in words, with the attributes where it names some."""
        some = only(self.confidential)
        return f"{self.t:g}-closeness ({self.distance} distance{f', of {some}' if some else ''})"

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        return {name: one for name, one in super().to_dict().items() if name != "hierarchy"}


def _equal(values: ValueCounts, whole: Floats) -> Floats:
    """Half of Σ |share − whole|; a value that is not in the class adds its whole share."""
    share = values.count / values.size[values.cls]
    whole = whole[values.value]
    excess = values.per_class(np.abs(share - whole) - whole).astype(float)
    return np.asarray((1 + excess) / 2)


def _ordered(gaps: Floats) -> Ground:
    """Mass moves from value to value; a step costs 1/(number of steps − 1), and the way to the
    next value has a step for each one of the scale that does not occur in between."""
    return lambda difference: np.asarray((np.abs(difference.cumsum(axis=1)) * gaps).sum(axis=1))


def _through_groups(difference: Floats, recoding: Recoding) -> Floats:
    """Mass that does not cancel within a group moves up to the next level.

    At a group of height h what its parts have too much and too little cancels at cost h/H;
    Li et al. (2007), section 4.2. Values that no group holds together are as far as can be.
    """
    cost, at = np.zeros(len(difference)), difference
    for level in range(1, recoding.height + 1):
        parent = recoding.maps[level]
        member = np.zeros((at.shape[1], int(parent.max()) + 1))
        member[recoding.maps[level - 1], parent] = 1.0
        extra, lack = np.maximum(at, 0) @ member, np.maximum(-at, 0) @ member
        cost += np.minimum(extra, lack).sum(axis=1) * level / recoding.height
        at = extra - lack
    return np.asarray(cost + np.maximum(at, 0).sum(axis=1))
