"""What a protecting verb promises, held against what it made before that is handed out.

Every verb that masks says what it promises; the masked file is measured afresh, by the way a check
takes and not by the one that made it. Where a promise does not hold the verb has an error of its
own, and nothing is handed out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, Protocol

from discreet.errors import fail

if TYPE_CHECKING:
    from discreet.data.masked import Masked


class Promise(Protocol):
    """What holds of a masked file."""

    def broken(self, masked: Masked) -> list[str]:
        """What does not hold, in words without a value of the data."""
        ...


def kept(promise: Promise, masked: Masked) -> Masked:
    """The masked file, if what was promised holds."""
    refuse_broken(promise.broken(masked), masked.steps[-1].method)
    return masked


def refuse_broken(broken: Sequence[str], verb: str) -> None:
    """Nothing is handed out that fails what was asked for: that is an error of ours."""
    if broken:
        refuse(broken, verb)


def refuse(broken: Sequence[str], verb: str) -> NoReturn:
    """Say what fails."""
    fail(
        "I01",
        f"what {verb} made was checked again and fails: {'; '.join(broken)}. Nothing was returned.",
        "Unless the records changed in the meantime, this is a bug in discreet: please report it.",
    )
