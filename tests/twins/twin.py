"""The table of twins, and how they are run: many random cases, each answered twice."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import discreet as ds

TWINS: dict[str, Twin] = {}
NORMAL = 5  # tables of each twin in a normal run of the tests


@dataclass
class Twin:
    """A measure of the package beside its definition.

    Attributes
    ----------
    draws : strategy
        Lists of cases: several questions about one table, which is then read once.
    compare : function
        Answers one case twice, and fails where the answers differ.
    weight : float
        Its share of the cases of a long run.
    """

    name: str
    draws: st.SearchStrategy[list[Any]]
    compare: Callable[[Any], None]
    weight: float = 1.0

    def check(self, number: int) -> None:
        """Compare some ``number`` of tables; the first difference is an error, made small."""

        def each(cases: list[Any]) -> None:
            for case in cases:
                self.compare(case)

        settings(max_examples=number, deadline=None, derandomize=True,
                 suppress_health_check=list(HealthCheck))(given(self.draws)(each))()  # fmt: skip

    def count(self, number: int, start: int = 0) -> Count:
        """Compare ``number`` cases and keep all differences."""
        found = Count(self.name)

        def each(cases: list[Any]) -> None:
            for case in cases:
                found.cases += 1
                try:
                    self.compare(case)
                except Exception as error:  # noqa: BLE001, whatever happens is a difference
                    found.differences.append((len(repr(case)), case, error))

        started = time.perf_counter()
        while found.cases < number:
            left = max(number - found.cases, 1)
            run = settings(max_examples=min(100, left), deadline=None, database=None, phases=[Phase.generate],
                           suppress_health_check=list(HealthCheck))(given(self.draws)(each))  # fmt: skip
            seed(start * 1_000_003 + found.cases)(run)()
        found.seconds = time.perf_counter() - started
        return found


@dataclass
class Count:
    """How many cases were compared, and which differ."""

    name: str
    cases: int = 0
    seconds: float = 0.0
    differences: list[tuple[int, Any, Exception]] = field(default_factory=list)

    @property
    def kinds(self) -> dict[str, list[tuple[int, Any, Exception]]]:
        """The differences by the first words of what they say."""
        found: dict[str, list[tuple[int, Any, Exception]]] = {}
        for each in self.differences:
            said = (
                f"{type(each[2]).__name__}: {str(each[2]).splitlines()[0] if str(each[2]) else ''}"
            )
            found.setdefault(said.partition(" is ")[0][:100], []).append(each)
        return found


def twin(name: str, draws: st.SearchStrategy[Any], weight: float = 1.0):
    """Enter a comparison into the table; a case that is drawn alone is a list of one."""
    lists = draws.map(lambda drawn: drawn if isinstance(drawn, list) else [drawn])

    def enter(compare: Callable[[Any], None]) -> Callable[[Any], None]:
        assert name not in TWINS, name
        TWINS[name] = Twin(name, lists, compare, weight)
        return compare

    return enter


def same(what: str, found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """Equal, numbers within a tolerance of their size."""
    if isinstance(expected, Fraction):
        expected = float(expected)
    if (
        isinstance(expected, float)
        and isinstance(found, int | float)
        and not isinstance(found, bool)
    ):
        if abs(found - expected) <= tolerance * max(1.0, abs(expected)):
            return
    elif found == expected:
        return
    raise AssertionError(f"{what} is {found!r}, by its definition {expected!r}")


@contextlib.contextmanager
def refused(what: str, *codes: str):
    """The package must refuse, with one of these codes."""
    try:
        yield
    except ds.DiscreetError as error:
        if not any(code in str(error) for code in codes):
            raise
        return
    raise AssertionError(f"{what} is not refused")


def cases_wanted() -> int:
    """How many tables each twin is asked of: DISCREET_TWIN_CASES, or a few."""
    return int(os.environ.get("DISCREET_TWIN_CASES", NORMAL))


@functools.cache
def partitions_of(n: int, least: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """All partitions of 0 … n−1 into groups of at least ``least``."""

    def grown(items: tuple[int, ...]):
        if not items:
            yield ()
            return
        first, rest = items[0], items[1:]
        for size in range(least - 1, len(rest) + 1):
            for others in itertools.combinations(rest, size):
                left = tuple(i for i in rest if i not in others)
                if left and len(left) < least:
                    continue
                for more in grown(left):
                    yield ((first, *others), *more)

    return tuple(grown(tuple(range(n))))
