"""Wording: numbers as they stand in sentences."""

from __future__ import annotations

NOT_USED = "Not used: "  # how a line begins that says what a result takes no account of


def counted(n: int, noun: str) -> str:
    """A number and its noun: "1 record", "2 records", "3 classes"."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{n:,} {noun if n == 1 else plural}"


def share(part: int, whole: int) -> str:
    """A part as a percentage that is never rounded to none or all."""
    if 0 < part < 0.0005 * whole:
        return "<0.1%"
    if 0.9995 * whole < part < whole:
        return ">99.9%"
    return f"{part / whole:.1%}"
