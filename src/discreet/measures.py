"""Measures: each is described once, by the mark on its function and its signature.

    @measure(title="Disclosure risk", about="…", side="risk", of="files",
             figures={"maximal": "DR_max"}, public=("n", "t", "minimal", "maximal"))
    def disclosure_risk(initial: Microdata, masked: Microdata, *, on: str | None = None)

A measure of one file is taken before and after; a measure of two compares them. Plans
(``[measures]``), the ledger, its verification, reports and the axes of R-U maps take it from here.
Nothing of it is public that is not named so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from discreet.parameters import Parameter, parameters_of
from discreet.registry import Entry

Side = Literal["risk", "loss"]
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure as every surface knows it.

    Attributes
    ----------
    entry : Entry
        Its name, and the package from outside that it came with.
    title, about : str
        Its name in words, and a sentence for those who do not know it.
    side : {"risk", "loss"}
        What it tells: what is left to an intruder, or what users lose.
    of : {"file", "files"}
        Whether it looks at one file, or at the initial and the masked one together.
    figures : mapping of name to words
        Its numbers; each can be an axis of a map.
    lower_is_better : bool
    public : tuple of str
        What of ``to_dict()`` everybody may know.
    """

    entry: Entry
    function: Callable[..., Any]
    title: str
    about: str
    side: Side
    of: Literal["file", "files"] = "files"
    figures: Mapping[str, str] = field(default_factory=dict)
    lower_is_better: bool = True
    public: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """By which plans, the ledger and Python know it."""
        return self.entry.name

    @functools.cached_property
    def parameters(self) -> dict[str, Parameter]:
        """What can be said of it, in order."""
        return {p.name: p for p in parameters_of(self.function) if not p.python_only}

    @property
    def needed(self) -> tuple[str, ...]:
        """The parameters that must be given."""
        return tuple(p.name for p in self.parameters.values() if p.needed)

    def taken(
        self, initial: Any, masked: Any, given: Mapping[str, Any], on: str | None = None
    ) -> Any:
        """The result for a masked file; ``on`` links a file masked elsewhere."""
        if self.of == "file":
            return self.function(masked, **given)
        return self.function(initial, masked, on=on, **given)


def measure(
    *,
    title: str,
    about: str,
    side: Side,
    **more: Any,
) -> Callable[[_Function], _Function]:
    """Describe a measure; the signature of the function says the rest.

    Parameters
    ----------
    title, about, side
        As in :class:`Measure`.
    **more
        Its other attributes.
    """

    def described(function: _Function) -> _Function:
        def description(entry: Entry) -> Measure:
            return Measure(entry, function, title, about, side, **more)

        function.description = description  # type: ignore[attr-defined]
        return function

    return described
