"""Settings of the engines: memory, threads and disk on this machine, a schema in a database.

    ds.settings(memory_limit="2GB", threads=2, temp_directory="/fast/disk")

    with ds.settings(memory_limit="2GB"):
        ds.risk(survey)

They hold for the whole process. Results never depend on them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from discreet import engine
from discreet.results import Result


@dataclass(frozen=True)
class Settings(Result):
    """The settings in force; as a context manager, those before are put back in the end.

    Attributes
    ----------
    memory_limit : str or None
        What the embedded engine may hold in memory; None: 80% of the machine's memory.
    threads : int or None
        How many threads it may use; None: one for each core.
    temp_directory : str or None
        Where it lays down what does not fit, in a private folder; None: the system's.
    schema : str or None
        Of a database, where steps are kept as tables; None: in temporary tables alone.

    Examples
    --------
    >>> import discreet as ds
    >>> with ds.settings(threads=2) as inside:
    ...     inside.threads, inside.to_dict()["memory_limit"]
    (2, None)
    """

    memory_limit: str | None
    threads: int | None
    temp_directory: str | None
    schema: str | None
    _before: engine.Limits = field(repr=False, compare=False)

    def explain(self) -> str:
        """The settings in words."""
        memory = self.memory_limit or "80% of the machine's memory"
        return (
            f"Memory of the embedded engine: {memory}; threads: {self.threads or 'one per core'}; "
            f"what does not fit goes to {self.temp_directory or 'a private folder of the system'}."
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        names = ("memory_limit", "threads", "temp_directory", "schema")
        return {name: getattr(self, name) for name in names}

    def __enter__(self) -> Settings:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        engine.restore_limits(self._before)


def settings(
    *,
    memory_limit: str | None = None,
    threads: int | str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    schema: str | None = None,
) -> Settings:
    """Limit what the engines use, for the process or, with ``with``, for a block.

    What is not given stays as it is; ``"default"`` takes a limit away. At the start the variables
    ``DISCREET_MEMORY_LIMIT``, ``DISCREET_THREADS``, ``DISCREET_TEMP_DIRECTORY`` and
    ``DISCREET_SCHEMA`` of the environment hold.

    Parameters
    ----------
    memory_limit : str, optional
        Such as ``"2GB"``: what the embedded engine may hold. What goes beyond is laid down on
        disk; a step for which that does not suffice is an error. Frequency sets and what is
        computed on them come on top.
    threads : int, optional
        Of the embedded engine.
    temp_directory : path, optional
        A folder that exists. In it, a folder that nobody else may enter is made, and removed with
        the process. It cannot be changed any more once something was laid down there.
    schema : str, optional
        A schema of a PostgreSQL database in which steps may be kept as tables, where temporary
        tables are not allowed; they are dropped when nothing refers to them.

    Returns
    -------
    Settings
        Those in force.

    Examples
    --------
    >>> import discreet as ds
    >>> with ds.settings(memory_limit="2GB", threads=2) as inside:
    ...     inside.memory_limit, inside.threads
    ('2GB', 2)
    >>> ds.settings().memory_limit is None
    True
    """
    before = engine.limits_in_force()
    asked = {
        "memory_limit": memory_limit,
        "threads": threads,
        "temp_directory": temp_directory,
        "schema": schema,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    if given:
        engine.set_limits(engine.limits_with(given))
    now = engine.limits_in_force()
    folder = None if now.temp_directory is None else str(now.temp_directory)
    return Settings(now.memory_limit, now.threads, folder, now.schema, before)
