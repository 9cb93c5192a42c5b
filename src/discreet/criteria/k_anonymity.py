"""k-anonymity: every combination of key values occurs at least k times.

Against identity disclosure: who knows the keys of a person finds at least k records that fit.
Samarati (2001); Sweeney (2002); Definition 1 of Truta & Vinay (2006).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from discreet.criteria.criterion import CLASS_SIZE, whole_number
from discreet.errors import raise_all

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.classes import Classes


@dataclass(frozen=True)
class KAnonymity:
    """Every class has at least ``k`` records.

    Examples
    --------
    >>> KAnonymity(5)
    KAnonymity(k=5)
    """

    k: int

    def __post_init__(self) -> None:
        raise_all(whole_number("k", self.k, 1))
        object.__setattr__(self, "k", int(self.k))  # a numpy integer is one too

    @property
    def monotone(self) -> bool:
        """True: a union of classes is at least as large as each of them."""
        return True

    @property
    def monotone_with_suppression(self) -> bool:
        """True: a record in a large class stays in a large class."""
        return True

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """No values."""
        return ()

    def needs(self, confidential: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """Nothing but the size of a class."""
        return ()

    def failing(self, classes: Classes) -> Mapping[str, NDArray[np.bool_]]:
        """The classes with fewer than k records."""
        return {CLASS_SIZE: classes.size < self.k}

    def describe(self) -> str:
        """The criterion in words."""
        return f"{self.k}-anonymity"

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        return {"criterion": type(self).__name__, **asdict(self)}
