"""Origin: where microdata were read from, and how — what it takes to read them again.

It holds only what was given to :func:`discreet.read`; nothing of it is taken from the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.data.options import OF_SOURCE, ReadOptions

if TYPE_CHECKING:
    from discreet.data.attributes import AttributeType
    from discreet.formats import Codebook


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """What was given to ``read``.

    Attributes
    ----------
    file : Path or None
        The file; None for a frame or a table of a database.
    options : mapping
        Options of the source other than the defaults; the policy of missing values is that of the
        microdata.
    types : mapping of column to "continuous", "nominal" or a list
        The types that were declared.
    book : Codebook or None
        What a file of another program says of its variables.
    """

    file: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, Any] = field(default_factory=dict)
    book: Codebook | None = None

    @classmethod
    def of(cls, source: Any, how: ReadOptions, types: Mapping[str, AttributeType]) -> Origin:
        """What was given, the defaults left out."""
        file = Path(source).expanduser().absolute() if isinstance(source, str | PathLike) else None
        file = (
            file if file is not None and file.exists() else None
        )  # an address may hold a password
        said = {name: getattr(how, name) for name in OF_SOURCE if name != "missing"}
        said = {n: list(v) if isinstance(v, tuple) else v for n, v in said.items()}
        empty: tuple[Any, ...] = (None, "", [], {})
        return cls(
            file,
            {n: v for n, v in said.items() if v not in empty and v != OF_SOURCE[n].default},
            {name: list(kind.scale or ()) or kind.measure for name, kind in types.items()},
        )

    def __repr__(self) -> str:
        return "Origin(a file)" if self.file else "Origin(a frame or table)"  # codes are values
