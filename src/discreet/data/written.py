"""What was written: the file, its records and columns, and what of it left as it was."""

from __future__ import annotations

import functools
import html
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import engine
from discreet.results import Result
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata
    from discreet.data.unchanged import Unchanged
    from discreet.frames import FrameKind


@dataclass(frozen=True, eq=False, repr=False)
class Written(Result):
    """What ``.write`` gave out.

    Attributes
    ----------
    path : Path
    data : Microdata
        What was written.
    identifiers : tuple of str
        Identifiers that were written all the same.
    dropped : tuple of str
        What the file that was read said of itself and was left out, by name: "notes".

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [10, 30, 20, 20, 10], "sex": list("MMMFF")}, keys=["age", "sex"])
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = survey.write(f"{folder}/survey.csv")
    >>> written.path.name, written.identifiers
    ('survey.csv', ())
    """

    path: Path
    data: Microdata
    identifiers: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were written."""
        held = (*self.data.released, *self.identifiers)
        return tuple(c for c in self.data.columns if c in held)

    @functools.cached_property
    def unchanged(self) -> Unchanged:
        """What left as it was; counted where the records are, when first asked for."""
        from discreet.data.unchanged import unchanged

        return unchanged(self.data, identifiers=self.identifiers)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per column that left as it was."""
        return self.unchanged.table(kind)

    def explain(self) -> str:
        """What was written, and what of it left as it was."""
        said = f"{counted(self.data.n, 'record')} written to {self.path.name}."
        if self.dropped:
            named = ", ".join(one.replace("_", " ") for one in self.dropped)
            said += f" Metadata left out: {named}."
        return f"{said}\n{self.unchanged.explain()}"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "written": self.path.name,
            "records": self.data.n,
            "columns": list(self.columns),
            "unchanged": self.unchanged.to_dict(),
            **({"dropped": list(self.dropped)} if self.dropped else {}),
        }

    def __repr__(self) -> str:
        """In full where the records are here; it asks no other engine."""
        if engine.is_near(self.data.source) or "unchanged" in self.__dict__:
            return self.explain()
        return f"{counted(len(self.columns), 'column')} written to {self.path.name}."

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in repr(self).split("\n"))
