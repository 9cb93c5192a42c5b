"""Digests: what a file was, to the last bit, without what is in it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def digest(file: Path) -> str:
    """SHA-256 of a file; of a folder, of the digests of its files in order."""
    if file.is_dir():
        parts = sorted(digest(part) for part in file.rglob("*") if part.is_file())
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def size(file: Path) -> int:
    """Bytes of a file, or of the files of a folder."""
    files = file.rglob("*") if file.is_dir() else [file]
    return sum(part.stat().st_size for part in files if part.is_file())


def fingerprint(value: Any) -> str:
    """SHA-256 of plain values."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
