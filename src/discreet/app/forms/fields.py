"""Numbers in the fields of a form; what cannot be read is noted, so that all is said at once."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.errors import Problem

_DIGITS = 30  # of a number: more than any that is meant


@dataclass(frozen=True)
class Reader:
    """Reads numbers, and notes what cannot be read."""

    where: str
    problems: list[Problem]

    def say(self, what: str, remedy: str) -> None:
        """Note what is wrong, without quoting it."""
        self.problems.append(Problem("P60", f"{self.where}: {what}.", remedy))

    def whole(self, text: str, name: str, least: int) -> int | None:
        """A whole number; None where nothing is written, or something else."""
        if not text:
            return None
        try:
            number = int(text) if len(text) <= _DIGITS else least - 1
        except ValueError:
            number = least - 1
        if number < least:
            self.say(f"{name} is not a whole number of at least {least}", "Write for example 5.")
            return None
        return number

    def number(self, text: str, name: str, low: float, high: float) -> float:
        """A number within its ends."""
        try:
            number = float(text)
        except ValueError:
            number = high + 1
        if not low <= number <= high:
            self.say(f"{name} is not a number from {low:g} to {high:g}", "Mend the field.")
            return low
        return number

    def amount(self, text: str) -> float | int:
        """A share of the records, or a number of them."""
        share = text.endswith("%")
        name = "the records that may be left out"
        if share:
            return self.number(text.rstrip("% "), name, 0, 100) / 100
        if (number := self.whole(text, name, 0)) is None and not text:
            self.say(f"{name} are missing", "Write a share, 2 %, or a number of records.")
        return number or 0
