"""p-sensitive k-anonymity: k-anonymity, and in every class each confidential attribute takes at
least p distinct values.

Against attribute disclosure: who finds the class of a person still has p values to choose
from. Definition 2 of Truta & Vinay (2006). The number of distinct values is also known as
distinct l-diversity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from discreet.criteria.criterion import CLASS_SIZE, chosen_attributes, named, only, whole_number
from discreet.errors import Problem, raise_all

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.classes import Classes


@dataclass(frozen=True)
class PSensitiveKAnonymity:
    """Every class has ``k`` records or more, with ``p`` values of each confidential attribute.

    Parameters
    ----------
    p, k : int
        ``p`` may not exceed ``k``: a class of k records has at most k distinct values.
    confidential : tuple of str, optional
        The attributes it applies to; all confidential attributes when not given.

    Examples
    --------
    >>> PSensitiveKAnonymity(p=2, k=5).describe()
    '2-sensitive 5-anonymity'
    >>> PSensitiveKAnonymity(p=2, k=5, confidential="illness").describe()
    "2-sensitive 5-anonymity (p counts 'illness' only)"
    """

    p: int
    k: int
    confidential: tuple[str, ...] | str | None = None

    def __post_init__(self) -> None:
        problems = [*whole_number("p", self.p, 1), *whole_number("k", self.k, 1)]
        if not problems and self.p > self.k:
            problems.append(
                Problem(
                    "P08",
                    f"p = {self.p} is larger than k = {self.k}.",
                    "A class of k records has at most k distinct values: lower p or raise k.",
                )
            )
        raise_all(problems)
        object.__setattr__(self, "p", int(self.p))  # a numpy integer is one too
        object.__setattr__(self, "k", int(self.k))
        object.__setattr__(self, "confidential", named(self.confidential))

    @property
    def monotone(self) -> bool:
        """True: a union of classes has at least the values of each of them."""
        return True

    @property
    def monotone_with_suppression(self) -> bool:
        """True: a record whose class satisfies p and k stays in one that does."""
        return True

    def needs(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The attributes whose distinct values it must know."""
        return chosen_attributes(self.confidential, confidential, "p-sensitivity")

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """No values."""
        return ()

    def failing(self, classes: Classes) -> Mapping[str, NDArray[np.bool_]]:
        """The classes with fewer than k records, or fewer than p values of an attribute."""
        chosen = self.needs(tuple(classes.distinct))
        return {
            CLASS_SIZE: classes.size < self.k,
            **{name: classes.distinct[name] < self.p for name in chosen},
        }

    def describe(self) -> str:
        """The criterion in words, with the attributes where it names some."""
        some = only(self.confidential)
        return f"{self.p}-sensitive {self.k}-anonymity{f' (p counts {some})' if some else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        return {"criterion": type(self).__name__, **asdict(self)}
