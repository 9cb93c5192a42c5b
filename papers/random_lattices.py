"""Small random files with hierarchies, and on how many of them Algorithm 3 goes wrong.

discreet is asked the same questions, and each answer is compared with trying every node.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import discreet as ds
from papers.algorithm_3 import Problem, Recoding, algorithm_3, least_height

LATTICES = 1000
ASKED = 100  # of discreet, which reads a table anew for each
SEED = 1
Height = Callable[[Problem], int | None]


@dataclass(frozen=True)
class Outcome:
    """How often a way to search goes wrong: nothing found though there is a node, or one that is
    not of least height."""

    way: str
    lattices: int
    missed: int
    too_high: int


def compared() -> list[Outcome]:
    """Algorithm 3 as printed, repaired step by step, and discreet."""
    problems = list(random_problems())
    some = problems[:ASKED]
    repaired = printed(go_on=True, after_suppression=True, try_the_top=True)
    return [
        wrong("Algorithm 3 as printed", problems, printed()),
        wrong("… going on to the next node", problems, printed(go_on=True)),
        wrong(
            "… and counting classes after suppression",
            problems,
            printed(go_on=True, after_suppression=True),
        ),
        wrong("… and testing the top", problems, repaired),
        wrong('discreet, `suppression="k-only"`', some, discreet("k-only")),
        wrong("discreet, every failing class (the default)", some, discreet("failing"), True),
    ]


def wrong(way: str, problems: list[Problem], search: Height, failing: bool = False) -> Outcome:
    """Compare a way to search with trying every node."""
    feasible = missed = too_high = 0
    for problem in problems:
        least = least_height(problem, failing=failing)
        if least is not None:
            height = search(problem)
            feasible += 1
            missed += height is None
            too_high += height is not None and height > least
    return Outcome(way, feasible, missed, too_high)


def printed(
    *, go_on: bool = False, after_suppression: bool = False, try_the_top: bool = False
) -> Height:
    """Algorithm 3 with some slips repaired."""

    def height(problem: Problem) -> int | None:
        levels = algorithm_3(
            problem, go_on=go_on, after_suppression=after_suppression, try_the_top=try_the_top
        )
        return None if levels is None else sum(levels)

    return height


def discreet(suppression: str) -> Height:
    """Samarati's search of discreet."""

    def height(problem: Problem) -> int | None:
        try:
            return sum(found_by_discreet(problem, suppression))
        except ds.DiscreetError:  # no node satisfies
            return None

    return height


def found_by_discreet(problem: Problem, suppression: str = "failing") -> tuple[int, ...]:
    """The levels that discreet finds."""
    names = [f"key {i}" for i in range(len(problem.recodings))]
    columns = {name: [keys[i] for keys, _ in problem.records] for i, name in enumerate(names)}
    table = {**columns, "s": [value for _, value in problem.records]}
    found = ds.generalize(
        ds.read(table, keys=names, confidential=["s"]),
        dict(zip(names, map(hierarchy, problem.recodings), strict=True)),
        ds.PSensitiveKAnonymity(p=problem.p, k=problem.k),
        max_suppressed=problem.threshold,
        search="samarati",
        suppression=suppression,  # type: ignore[arg-type]
    )
    return tuple(found.best.levels.values())


def hierarchy(recoding: Recoding) -> ds.Hierarchy:
    """A recoding by level as a hierarchy."""
    return ds.Hierarchy.from_dict(
        {value: [level[value] for level in recoding[1:]] for value in recoding[0]}
    )


def random_problems() -> Iterator[Problem]:
    """Files of 6 to 14 records, two keys with one or two levels, two confidential values."""
    chance = random.Random(SEED)  # noqa: S311
    for _ in range(LATTICES):
        recodings = [random_recoding(chance) for _ in range(2)]
        records = [
            (tuple(chance.choice(list(r[0])) for r in recodings), chance.choice("xxxxy"))
            for _ in range(chance.randint(6, 14))
        ]
        yield Problem(
            records, recodings, p=2, k=chance.randint(2, 3), threshold=chance.randint(0, 4)
        )


def random_recoding(chance: random.Random) -> list[dict[str, str]]:
    """Four values in two pairs in one group, or three in one group."""
    if chance.random() < 0.5:
        return [{v: v for v in "abc"}, dict.fromkeys("abc", "*")]
    return [
        {v: v for v in "abcd"},
        dict(zip("abcd", "PPQQ", strict=True)),
        dict.fromkeys("abcd", "*"),
    ]
