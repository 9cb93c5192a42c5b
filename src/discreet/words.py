"""Wording: numbers as they stand in sentences."""

from __future__ import annotations

from collections.abc import Sequence

PERTURBED = "Perturbed: "  # how a line begins that says which figures no longer mean much
NOT_USED = "Not used: "  # how a line begins that says what a result takes no account of


def counted(n: int, noun: str) -> str:
    """A number and its noun: "1 record", "2 records", "3 classes", "4 categories", "5 people"."""
    for end, ends in _PLURALS.items():
        if noun.endswith(end):
            plural = noun.removesuffix(end) + ends
            break
    else:
        plural = noun + "s"
    return f"{n:,} {noun if n == 1 else plural}"


def either(words: Sequence[str]) -> str:
    """One of several words: "a", "a or b", "a, b or c"."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def ordinal(number: int) -> str:
    """The place of something, as it stands in a sentence: "first", "second", "11th"."""
    return _ORDINALS[number - 1] if number <= len(_ORDINALS) else f"{number}th"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_PLURALS = {
    "person": "people",
    "leaf": "leaves",
    "stratum": "strata",
    "category": "categories",
    "s": "ses",
}


def share(part: int, whole: int) -> str:
    """A part as a percentage that is never rounded to none or all."""
    if 0 < part < 0.0005 * whole:
        return "<0.1%"
    if 0.9995 * whole < part < whole:
        return ">99.9%"
    return f"{part / whole:.1%}"


def perturbation_caution(keys: Sequence[str]) -> str:
    """Which figures of a file with perturbed keys still mean something; the one place that says it.

    Examples
    --------
    >>> perturbation_caution(["age"])[:62]
    "values of 'age' were changed at random, so that records with t"
    """
    return (
        f"values of {', '.join(map(repr, keys))} were changed at random, so that records with the "
        "same keys need not have been alike. Class sizes, k, p, uniques and the risks from them do "
        "not say who can be recognised. Losses do mean something, and so do measures that look for "
        "each record in the initial file, and what the method states of itself."
    )
