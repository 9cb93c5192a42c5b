"""Paper 003: p-sensitive k-anonymity."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import discreet as ds
from papers.chapters import Chapter, Step, quick
from papers.figures import Figure, Part, Picture, Value
from papers.paper_003_adult import conditions, table_7, table_8
from papers.paper_003_slips import algorithm, at_random, suppression
from papers.tables import FIGURE_3, TABLE_1, TABLE_3, TABLE_5

PAPER = "003"
HIERARCHIES = {"Sex": ds.Hierarchy.suppress(), "ZipCode": ds.Hierarchy.prefixes([5, 3, 0])}
VIOLATING = {"S0 Z0": 10, "S1 Z0": 7, "S0 Z1": 7, "S1 Z1": 2, "S0 Z2": 0, "S1 Z2": 0}
HEIGHTS = {"S0 Z0": 0, "S1 Z0": 1, "S0 Z1": 1, "S1 Z1": 2, "S0 Z2": 2, "S1 Z2": 3}
TABLE_4 = {
    "0, 1": "S0 Z2",
    "2, 3, 4, 5, 6": "S0 Z2, S1 Z1",
    "7, 8, 9": "S0 Z1, S1 Z0",
    "10": "S0 Z0",
}
TABLE_6 = {
    "S1": "300 600 800 900 1000",
    "S2": "500 800 900 940 975 1000",
    "S3": "700 900 950 960 970 980 990 995 998 1000",
}
MOST_CLASSES = {2: "300", 3: "100", 4: "50", 5: "25"}


def figure(place: str, what: str, printed: str, computed: Value) -> Figure:
    """A figure of this paper."""
    return Figure(PAPER, place, what, printed, computed)


def definitions() -> Part:
    """Definitions 1 and 2 on Tables 1 and 3."""
    patients = ds.risk(ds.read(TABLE_1, keys=["Age", "Zip", "Sex"], confidential=["Illness"]))
    three = table_3(TABLE_3["Income"])
    changed = table_3([40_000, *TABLE_3["Income"][1:]])
    return Part(
        "Tables 1 and 3: two masked files",
        "p is the least number of distinct values of a confidential attribute in a class.",
        (
            figure("Table 1", "k", "2", patients.k),
            figure("Table 1", "p", "1", min(patients.p.values())),
            figure("Table 3", "k", "3", three.k),
            figure("Table 3", "p", "1", min(three.p.values())),
            figure("Table 3", "p with 40,000 as first income", "2", min(changed.p.values())),
        ),
    )


def table_3(incomes: list[Any]) -> ds.Risk:
    """The risk of Table 3 with these incomes."""
    data = ds.read(
        {**TABLE_3, "Income": incomes},
        keys=["Age", "ZipCode", "Sex"],
        confidential=["Illness", "Income"],
    )
    return ds.risk(data)


def figure_3() -> Part:
    """The lattice over sex and zip code."""
    nodes = {label(row): row for row in search(10).lattice.table("arrow").to_pylist()}
    alt = (
        "Lattice of six nodes over sex and zip code for TS = 2: S1 Z1, S0 Z2 and S1 Z2 are "
        "feasible, S1 Z1 and S0 Z2 are minimal."
    )
    return Part(
        "Figures 2 and 3 and Table 4: minimal generalizations",
        "Ten records, k = 3: heights of the nodes, records that violate 3-anonymity, and the "
        "3-minimal nodes for each suppression threshold TS.",
        (
            *(
                figure("Section 3", f"height of {n}", str(h), nodes[n]["height"])
                for n, h in HEIGHTS.items()
            ),
            *(
                figure("Figure 3", f"violating at {n}", str(v), nodes[n]["suppressed"])
                for n, v in VIOLATING.items()
            ),
            *(figure("Table 4", f"TS = {ts}", p, minimal_nodes(ts)) for ts, p in TABLE_4.items()),
        ),
        pictures=(Picture("003-lattice", alt, search(2).lattice.svg()),),
    )


@functools.cache
def search(threshold: int) -> Any:
    """The 3-minimal nodes of Figure 3."""
    return ds.generalize(
        ds.read(FIGURE_3, keys=["Sex", "ZipCode"]),
        HIERARCHIES,
        ds.KAnonymity(3),
        max_suppressed=threshold,
        search="all-minimal",
    )


def minimal_nodes(thresholds: str) -> str:
    """The minimal nodes, the same for each of the thresholds, or all answers one by one."""
    answers = [
        ", ".join(sorted(label(node.levels) for node in search(int(ts)).minimal))
        for ts in thresholds.split(", ")
    ]
    return "; ".join(dict.fromkeys(answers))


def label(levels: dict[str, int]) -> str:
    """A node as the paper writes it."""
    return f"S{levels['Sex']} Z{levels['ZipCode']}"


def condition_2() -> Part:
    """How many classes there can be at most."""
    one = conditions_of({"S": [900, 90, 5, 3, 2]}, p=3)
    example = conditions_of(TABLE_5, p=5)
    sums = {s: list(itertools.accumulate(f)) for s, f in example.frequencies.items()}
    most = [max(sums[s][i] for s in sums) for i in range(example.max_p)]
    return Part(
        "Tables 5 and 6, Example 1: the two conditions",
        "p is at most the least number of distinct values (Condition 1), and the number of classes "
        "at most the least of ⌊(n − cf_(p−i)) / i⌋ (Condition 2), with cf_i the largest number of "
        "records that i values of an attribute cover. Files of 1,000 records are made with the "
        "printed frequencies.",
        (
            figure("Section 3", "classes for 900, 90, 5, 3, 2 and p = 3", "10", one.max_classes(3)),
            *(figure("Table 6", f"cf of {s}", p, words(sums[s])) for s, p in TABLE_6.items()),
            figure("Table 6", "cf", "700 900 950 960 1000", words(most)),
            figure("Example 1", "largest p", "5", example.max_p),
            *(
                figure("Example 1", f"classes for p = {p}", printed, example.max_classes(p))
                for p, printed in MOST_CLASSES.items()
            ),
        ),
    )


def conditions_of(frequencies: dict[str, list[int]], p: int) -> Any:
    """The conditions that a search computes on a file with these frequencies."""
    columns = {
        name: [f"{name}{i}" for i, count in enumerate(counts) for _ in range(count)]
        for name, counts in frequencies.items()
    }
    data = ds.read({"key": [1] * 1000, **columns}, keys=["key"], confidential=list(frequencies))
    return ds.generalize(data, {}, ds.PSensitiveKAnonymity(p=p, k=p)).search.conditions


def words(numbers: list[int]) -> str:
    """Numbers as a text."""
    return " ".join(map(str, numbers))


CHAPTER = Chapter(
    PAPER,
    "p-sensitive k-anonymity",
    "Truta, Vinay: *Privacy protection: p-sensitive k-anonymity property* (2006)",
    "In discreet: `ds.PSensitiveKAnonymity`, `ds.check`, `ds.generalize`. [Why "
    "p-sensitivity](why-p-sensitivity.md) has the definitions.",
    (
        *map(quick, (definitions, figure_3, condition_2, algorithm, suppression)),
        Step(at_random),
        Step(table_7),
        Step(table_8),
        Step(conditions),
    ),
)
