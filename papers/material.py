"""The public files that some figures need: where they lie, and which were not found."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Material:
    """The reference data of a run.

    Attributes
    ----------
    folder : Path
        Where the public files of the papers lie; they are not part of the project.
    missing : list of str
        Files that were asked for and are not there.
    """

    folder: Path
    missing: list[str] = field(default_factory=list)

    def find(self, name: str) -> Path | None:
        """The path of a file, or None, and then its name is kept."""
        path = self.folder / name
        if path.exists():
            return path
        if name not in self.missing:
            self.missing.append(name)
        return None


def reference_folder() -> Path:
    """``$DISCREET_DATA``, else ``shared/data`` beside the project."""
    return Path(os.environ.get("DISCREET_DATA", ROOT.parent / "shared" / "data"))
