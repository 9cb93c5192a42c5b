"""What every criterion says of itself: what it must know of a class, and how it behaves when
classes are merged. A search, a check and every surface ask it; none looks at what kind it is.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_doc import Doc
from annotated_types import Ge

from discreet.data.attributes import names
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.parameters import (
    AtLeast,
    Columns,
    Label,
    Parameter,
    Public,
    Vary,
    parameters_of,
    problems_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.frequency.classes import Classes
    from discreet.frequency.value_counts import CountLimits, Sum
    from discreet.kernels.arrays import Bools, Ints

CLASS_SIZE = "class size"
TOLERANCE = 1e-12  # what misses a limit by rounding alone satisfies it
LeastSize = Annotated[
    int,
    Ge(1),
    Label("k: records that share their keys, at least"),
    Doc("Least size of a class."),
    Public,
    Vary(5, 3, 10, 20),
    AtLeast,
]
Attributes = Annotated[
    tuple[str, ...] | str | None,
    Columns(),
    Label("Confidential attributes"),
    Doc("The attributes it applies to; all confidential ones by default."),
    Public,
]


class Criterion(abc.ABC):
    """A condition on every equivalence class.

    What is said here holds for a criterion that says nothing else: it is held to be neither
    monotone nor decided by counts, which costs a search time and is never wrong.
    """

    compares_files: ClassVar[bool] = False  # looks at the initial and the masked file together
    of_file: ClassVar[bool] = False  # a condition on all classes together: see `to_go`
    needs_original: ClassVar[bool] = False  # compares with the whole initial file, class by class

    def __post_init__(self) -> None:
        raise_all(self.problems())
        for parameter in parameters_of(type(self)):
            held = _in_one_form(parameter, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, held)

    def problems(self) -> list[Problem]:
        """What is wrong with its parameters."""
        return problems_of(parameters_of(type(self)), vars(self))

    @property
    def monotone(self) -> bool:
        """Whether merging classes that satisfy the criterion always gives one that does."""
        return False

    @property
    def monotone_with_suppression(self) -> bool:
        """Whether merging classes, failing ones too, never leaves more records in failing ones."""
        return False

    @property
    def least_size(self) -> int:
        """The least number of records that a class must have; 1 where any will do."""
        return 1

    def least_distinct(self, confidential: Sequence[str]) -> dict[str, int]:  # noqa: ARG002
        """The least number of distinct values in a class, per confidential attribute."""
        return {}

    @property
    def counts_decide(self) -> bool:
        """Whether the least size and the least numbers of distinct values are all it asks for."""
        return False

    def count_limits(
        self,
        whole: Mapping[str, Ints],  # noqa: ARG002
    ) -> tuple[CountLimits, ...] | None:
        """What decides of a class, as limits of its counts; None where more does.

        ``whole`` are the records per value of each confidential attribute in the initial file.
        With it one sweep answers for the whole lattice.
        """
        return None

    @property
    def sizes_apart(self) -> int | None:
        """Of a condition on the whole file that class sizes decide: the largest size that a class
        which must go can have; None where sizes do not decide. See `to_go_by_size`."""
        return None

    def to_go_by_size(self, classes: Ints, records: Ints, larger: Ints) -> Ints:
        """The same as `to_go` for many files at once: how many classes of each size must go.

        Parameters
        ----------
        classes : array
            Per file, the number of classes of size 1, 2, ….
        records : array
            Per file, all records in classes.
        larger : array
            Per file, the number of classes that are larger than the last of these sizes.
        """
        raise NotImplementedError(type(self).__name__)

    def needs(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The confidential attributes whose distinct values per class it must know."""
        return tuple(self.least_distinct(confidential))

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """The confidential attributes whose values per class it must count."""
        return ()

    def sums(self, confidential: Sequence[str]) -> tuple[Sum, ...] | None:  # noqa: ARG002
        """What decides of a class, as sums over its values; None where sums do not tell."""
        return None

    @property
    def registers(self) -> tuple[Any, ...]:
        """The registers of the population in which it looks classes up."""
        return ()

    def vacancies(self, classes: Classes) -> int:  # noqa: ARG002
        """How many combinations of keys of the population stand against it because no record has
        them: nothing that is suppressed helps."""
        return 0

    def why(self, reason: str) -> str:  # noqa: ARG002
        """A reason of its own in words: "too few people"; empty where it is none of its own."""
        return ""

    @property
    def parts(self) -> tuple[Any, ...]:
        """The criteria that it consists of, one by one."""
        return (self,)

    @abc.abstractmethod
    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """Which classes fail, by reason: the class size, or a confidential attribute."""

    def to_go(self, classes: Classes, gone: Bools, ties: NDArray[np.generic]) -> Bools:
        """Of a condition on the whole file: which classes must go, beside those that are gone, so
        that it holds for the rest; of equal ones those that come first in ``ties``."""
        raise NotImplementedError(type(self).__name__)

    @abc.abstractmethod
    def describe(self) -> str:
        """The criterion in words."""

    def short(self) -> str:
        """The criterion on a map: "k=5"."""
        return self.describe()

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        found = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]
        return {"criterion": type(self).__name__, **found}

    def resolved(self, confidential: Sequence[str]) -> Any:
        """The same with its attributes named: all confidential ones where it names none.

        Beside another criterion that names other attributes, it would else apply to those, too.
        """
        if getattr(self, "confidential", ()) is None:
            return dataclasses.replace(self, confidential=tuple(confidential))  # type: ignore[type-var]
        return self


def _in_one_form(parameter: Parameter, given: Any) -> Any:
    """What is given for a parameter: numpy's numbers as those of Python, columns as a tuple."""
    forms: dict[str, Callable[[Any], Any]] = {"whole": int, "number": float, "columns": names}
    return given if given is None else forms.get(parameter.kind, lambda same: same)(given)


def only(given: tuple[str, ...] | str | None) -> str:
    """The attributes that a criterion names, for its words; empty where it takes all."""
    return "" if given is None else f"{listed(names(given))} only"


def chosen_attributes(
    given: tuple[str, ...] | str | None, confidential: Sequence[str], word: str
) -> tuple[str, ...]:
    """The attributes a criterion applies to: the named ones, or all confidential attributes."""
    chosen = tuple(confidential) if given is None else names(given)
    if not chosen:
        fail(
            "R06",
            f"{word} needs a confidential attribute and none is named.",
            f"Name it with {argument('confidential', '[…]')} when reading the data.",
        )
    return chosen
