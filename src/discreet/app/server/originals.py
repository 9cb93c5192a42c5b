"""The original file: what tells whether it is still the one that was read.

A file of the command line lies where its owner has it, and may be written to while the app is
open. Figures of two states of it must not stand beside each other.
"""

from __future__ import annotations

from pathlib import Path

GONE = "gone"


def state_of(file: Path) -> str:
    """Size, time of the last change and place on the disk, in one word."""
    try:
        found = file.stat()
    except OSError:
        return GONE
    return f"{found.st_size}-{found.st_mtime_ns}-{found.st_ino}"
