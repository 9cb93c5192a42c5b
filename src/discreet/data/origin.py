"""Origin: where microdata were read from, and how — what it takes to read them again.

It holds only what was given to :func:`discreet.read`; nothing of it is taken from the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.csvfile import CsvOptions
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
        Options other than the defaults: separator, encoding, names, header, decimal,
        thousands, date_format, missing_values, engine, sheet, labels.
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
    def of(
        cls,
        source: Any,
        csv: CsvOptions,
        missing_values: Any,
        types: Mapping[str, AttributeType],
        engine: str | None,
        sheet: str | int | None = None,
        labels: bool = True,
    ) -> Origin:
        """What was given, the defaults left out."""
        file = Path(source).expanduser().absolute() if isinstance(source, str | PathLike) else None
        file = (
            file if file is not None and file.exists() else None
        )  # an address may hold a password
        encoding = None if csv.encoding == "utf-8" else csv.encoding
        options: dict[str, Any] = {"separator": csv.separator, "encoding": encoding}
        options |= {"names": list(csv.names or ()), "header": csv.header}
        options |= {"decimal": None if csv.decimal == "." else csv.decimal}
        options |= {"thousands": csv.thousands, "date_format": csv.date_format}
        options |= {"missing_values": missing_values, "engine": engine, "sheet": sheet}
        return cls(
            file,
            {n: given for n, given in options.items() if given}
            | ({} if labels else {"labels": False}),
            {name: list(kind.scale or ()) or kind.measure for name, kind in types.items()},
        )

    def __repr__(self) -> str:
        return "Origin(a file)" if self.file else "Origin(a frame or table)"  # codes are values
