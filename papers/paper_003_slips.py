"""Algorithm 3 of paper 003 and its slips: what they do to three tiny files, and to random ones."""

from __future__ import annotations

import discreet as ds
from papers.algorithm_3 import Levels, Problem, algorithm_3
from papers.figures import Finding, Part
from papers.material import Material
from papers.page import table
from papers.random_lattices import compared, found_by_discreet

GROUP = "*"


def algorithm() -> Part:
    """Slips 4 and 4b, on the smallest files that show them."""
    return Part(
        "Algorithm 3: the search",
        "Samarati's binary search on the height of the lattice, with both conditions. To show its "
        "slips, the algorithm is written down to the letter in `papers/algorithm_3.py`, beside "
        'the search of discreet (`search="samarati"`).',
        findings=(slip_4(), slip_4b(), TOP),
    )


def slip_4() -> Finding:
    """Leaving the row."""
    values = ["1", "1", "2", "2", "3", "3", "4", "4"]
    records = [((a, b), s) for a, b, s in zip(values, "uvuvuvuv", "xxxxxxyy", strict=True)]
    problem = Problem(records, [suppressing("1234"), suppressing("uv")], p=2, k=2, threshold=0)
    return Finding(
        "Slip 4: one node with too many classes ends its row",
        "Where a node has more classes than Condition 2 allows, the algorithm leaves the loop over "
        "the nodes of this height (`break`), though a later one may satisfy the criterion. Eight "
        f"records with keys a and b: as printed it finds {node(algorithm_3(problem))}; going on "
        f"to the next node, {node(algorithm_3(problem, go_on=True))}; discreet, "
        f"{node(found_by_discreet(problem))}.",
    )


def slip_4b() -> Finding:
    """Counting too early."""
    records = [((key,), s) for key, s in zip("11223", "ababa", strict=True)]
    problem = Problem(records, [suppressing("123")], p=2, k=2, threshold=1)
    repaired = algorithm_3(problem, go_on=True, after_suppression=True)
    return Finding(
        "Slip 4b: classes are counted before suppression",
        "Theorem 2 bounds the classes that are left, and the algorithm compares the bound with the "
        "classes before any record is suppressed. Three classes {ab}, {ab}, {a} with p = k = 2 and "
        f"TS = 1: as printed it finds {node(algorithm_3(problem))}; counting what is left, "
        f"{node(repaired)}; discreet, {node(found_by_discreet(problem))}.",
    )


TOP = Finding(
    "The top, and the answer",
    "The loop ends when one height is left and never tests that one, so a file that needs the top "
    "node gets none. And `Condition`, the promised answer, is not set when a node is found.",
)


def suppression() -> Part:
    """Slip 5: small classes only is not monotone."""
    records = {"key": ["a1", "a2", "b1", "b1"], "s": ["x", "x", "x", "y"]}
    data = ds.read(records, keys=["key"], confidential=["s"])
    up = {"key": ds.Hierarchy.from_dict({"a1": ["a"], "a2": ["a"], "b1": ["b"]})}
    rows = []
    for reading in ("k-only", "failing"):
        found = ds.generalize(
            data,
            up,
            ds.PSensitiveKAnonymity(p=2, k=2),
            max_suppressed=2,
            suppression=reading,
        )
        nodes = found.lattice.table("arrow").to_pylist()
        rows.append([f'`suppression="{reading}"`', *(answer(row) for row in nodes)])
    return Part(
        "What is suppressed",
        "Two single records with the same confidential value, and two that differ; p = k = 2 and "
        "TS = 2. On level 1 the two single records form a class.",
        findings=(SLIP_5,),
        table=table(["Reading", "level 0", "level 1"], rows),
    )


SLIP_5 = Finding(
    "Slip 5: suppressing only the small classes is not monotone",
    "Read to the letter, the classes smaller than k are suppressed, and p is asked of the rest. "
    "Then a node can satisfy the criterion while the one above it does not: two suppressed classes "
    "merge into one that is large enough to stay and has a single value. A binary search relies on "
    "the opposite. "
    "Suppressing every class that fails k **or** p is monotone, and is the default of discreet; "
    'the paper\'s reading is `suppression="k-only"`, for which searches try height by height.',
)


def answer(row: dict[str, object]) -> str:
    """What a node of the lattice answers."""
    return f"{row['suppressed']} suppressed, {'feasible' if row['feasible'] else 'not feasible'}"


def at_random(material: Material) -> Part:  # noqa: ARG001
    """How often it goes wrong on random files."""
    outcomes = compared()
    rows = [[o.way, str(o.lattices), str(o.missed), str(o.too_high)] for o in outcomes]
    share = (outcomes[0].missed + outcomes[0].too_high) / outcomes[0].lattices
    return Part(
        "How often it goes wrong",
        "Random files of 6 to 14 records with two keys, p = 2, k of 2 or 3 and TS from 0 to 4; "
        "only lattices with a node that satisfies are counted. Each answer is compared with trying "
        f"every node. As printed, the algorithm is wrong on {share:.0%} of them; the share depends "
        "on how such files are drawn.",
        table=table(
            ["Search", "Lattices", "finds no node", "finds one above the least height"], rows
        ),
    )


def suppressing(values: str) -> list[dict[str, str]]:
    """Values as they are, then one group."""
    return [{v: v for v in values}, dict.fromkeys(values, GROUP)]


def node(levels: Levels | None) -> str:
    """The levels of a node."""
    return "no node" if levels is None else "levels " + ", ".join(map(str, levels))
