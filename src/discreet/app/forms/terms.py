"""Terms that pages explain where they stand: rows of the glossary, and what these say."""

from __future__ import annotations

TERMS = {  # the row of the glossary begins with the same words, which a test holds it to
    "identifier": (
        "identifier",
        "An attribute that names a person. Not written, unless you ask for it by name.",
    ),
    "key": (
        "key attribute, key",
        "What an intruder may know from elsewhere. Also called a quasi-identifier.",
    ),
    "confidential": (
        "confidential attribute",
        "What the intruder wants to learn: an illness, an income.",
    ),
    "hierarchy": (
        "generalization hierarchy",
        "For each value, coarser and coarser values: 43102 → 431 → *.",
    ),
    "class": (
        "class, equivalence class",
        "The records that are equal on all keys. Also called a cluster.",
    ),
    "k": (
        "k, k-anonymity",
        "k is the size of the smallest class. A file is k-anonymous when every class has at least "
        "k records.",
    ),
    "p": (
        "p, p-sensitive",
        "p is the least number of distinct values of a confidential attribute in a class.",
    ),
    "node": ("lattice node", "One choice of a generalization level for each key."),
    "minimal": ("minimal node", "A feasible node with no feasible node below it"),
    "suppression": (
        "suppression",
        "Leaving a record (or a value) out of the release. In generalization: all records of "
        "every class that fails.",
    ),
    "criterion": (
        "criterion",
        "A condition on every class, such as 5-anonymity, or on the whole file.",
    ),
    "DR_max": (
        "DR_max, maximal disclosure risk",
        "All weights equal: every record counts with 1/max(i, j), its probability of being linked.",
    ),
    "EBIL, share": (
        "EBIL share",
        "EBIL of the keys as a share of the bits that they hold; a record that is not released "
        "loses all its bits.",
    ),
    "Iyengar's loss": (
        "loss",
        "What a generalization costs. By default Iyengar's: the mean share of the leaves that a "
        "value covers, a suppressed record counting 1.",
    ),
}
