"""Paper 000: global disclosure risk measures and k-anonymity."""

from __future__ import annotations

import functools
from typing import Any

import discreet as ds
from papers.chapters import Chapter, quick
from papers.charts import bars, picture
from papers.figures import Figure, Finding, Part, Picture, Value, yes
from papers.tables import COUNTED, FIGURE_4, FIGURE_4_SEX, TABLE_1

PAPER = "000"
GROUPS = {"MM1": 2, "MM2": 4, "MM3": 8}
W1 = [[8.0]]
W2 = [[2 / 9] * (i + 1) for i in range(8)]
W3 = [[4.0], [2.0, 2.0]]
WEIGHTS = {"W1": W1, "W2": W2, "W3": W3}
TABLE_3 = {
    "MM1": ("0", "0.5", "0.25"),
    "MM2": ("0", "0.375", "0.125"),
    "MM3": ("0", "0.25", "0.0625"),
}
SIZES = {
    "IM": "F_1 = 8",
    "MM1": "f_2 = 4",
    "MM2": "f_2 = 2, f_4 = 1",
    "MM3": "f_2 = 1, f_6 = 1",
}
CLASSIFIED = {
    "MM1": "c_21 = 8",
    "MM2": "c_21 = 4, c_41 = 4",
    "MM3": "c_21 = 2, c_61 = 6",
}
VIOLATING = {"S0 Z0": 10, "S1 Z0": 7, "S0 Z1": 4, "S1 Z1": 4, "S0 Z2": 3, "S1 Z2": 0}
MINIMAL = {
    "0, 1, 2": "S1 Z2",
    "3": "S0 Z2",
    "4, 5, 6": "S0 Z1",
    "7, 8, 9": "S0 Z1, S1 Z0",
    "10": "S0 Z0",
}


def figure(place: str, what: str, printed: str, computed: Value) -> Figure:
    """A figure of this paper; all of them are exact."""
    return Figure(PAPER, place, what, printed, computed)


@functools.cache
def initial() -> ds.Microdata:
    """The initial microdata of Figure 4."""
    return ds.read({"Age": FIGURE_4["IM"], "Sex": FIGURE_4_SEX}, keys=["Age", "Sex"])


@functools.cache
def masked(file: str) -> ds.Masked:
    """A masked file of Figure 4: ages in groups of 2, 4 or 8 neighbours."""
    return ds.microaggregate(initial(), ["Age"], k=GROUPS[file], method="fixed")


@functools.cache
def risk(file: str) -> ds.DisclosureRisk:
    """Its disclosure risk."""
    return ds.disclosure_risk(initial(), masked(file))


def table_1() -> Part:
    """The masked patients are 2-anonymous."""
    patients = ds.read(TABLE_1, keys=["Age", "Zip", "Sex"])
    return Part(
        "Table 1: six patients",
        "A masked file is k-anonymous when every combination of key values in it occurs k times "
        "or more.",
        (figure("Table 1", "k of the masked patients", "2", ds.risk(patients).k),),
    )


def table_2() -> Part:
    """Minimal generalizations for every suppression threshold."""
    found = search(10)
    counts = {label(row): row["suppressed"] for row in found.lattice.table("arrow").to_pylist()}
    alt = (
        "Lattice of six nodes over sex and zip code for TS = 3: S0 Z2 and S1 Z2 are feasible, "
        "S0 Z2 is minimal and chosen."
    )
    return Part(
        "Figure 3 and Table 2: minimal generalizations",
        "The figure gives, for each node of a lattice over sex (S) and zip code (Z), how many "
        "records violate k-anonymity, but not the records. The table follows from these counts: "
        "the minimal nodes for each suppression threshold TS. Here the searches are run on 19 "
        "records that have these counts for k = 3.",
        (
            *(
                figure("Figure 3", f"{n}: violating", str(v), counts[n])
                for n, v in VIOLATING.items()
            ),
            *(figure("Table 2", f"TS = {ts}", p, minimal_nodes(ts)) for ts, p in MINIMAL.items()),
        ),
        findings=(
            Finding(
                "The counts do not fit the hierarchies",
                "With two sexes and one group of all zip codes at Z2 no table has these counts, "
                "whatever k is. The 3 records at S0 Z2 would be all the records of one sex. They "
                "violate at S0 Z1 as well; and as S0 Z1 and S1 Z1 both have 4, these are the same "
                "4 records, alone in their zip areas. Everywhere else there is one sex only, so "
                "that S0 Z0 and S1 Z0 would have the same count. They have 10 and 7. The 19 "
                "records here have three groups of zip codes at Z2.",
            ),
        ),
        pictures=(Picture("000-lattice", alt, search(3).lattice.svg()),),
    )


@functools.cache
def search(threshold: int) -> Any:
    """The minimal nodes for the table with the counts of Figure 3."""
    hierarchies = {
        "Sex": ds.Hierarchy.suppress(),
        "Zip": ds.Hierarchy.prefixes([5, 3, 1], top=None),
    }
    return ds.generalize(
        ds.read(COUNTED, keys=["Sex", "Zip"]),
        hierarchies,
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
    return f"S{levels['Sex']} Z{levels['Zip']}"


def figures_4_and_5() -> Part:
    """The three maskings, their cluster sizes and their classification matrices."""
    ages = {file: masked(file).to("arrow")["Age"].to_pylist() for file in GROUPS}
    looked_up = sum(row in rows(initial()) for row in rows(masked("MM1")))
    return Part(
        "Figures 4 and 5: three maskings",
        "Eight people; ages replaced by the means of 2, 4 and 8 neighbours. f_i is the number of "
        "classes of size i, and c_ij the number of records in masked classes of size i that were "
        "in initial classes of size j. What is not listed is 0.",
        (
            *(figure("Figure 4", f"{f}: ages", said(FIGURE_4[f]), said(ages[f])) for f in GROUPS),
            figure("Figure 5", "IM: cluster sizes", SIZES["IM"], sizes(ds.risk(initial()), "F")),
            *(
                figure("Figure 5", f"{f}: cluster sizes", SIZES[f], sizes(ds.risk(masked(f)), "f"))
                for f in GROUPS
            ),
            *(figure("Section 4", f"{f}: C", CLASSIFIED[f], classified(f)) for f in GROUPS),
        ),
        findings=(
            Finding(
                "Slip 1b: where j comes from",
                "Algorithm 1 finds j by counting the *masked* key values in the initial file. "
                f"Of the 8 masked records of MM1, {looked_up} have key values that occur there, so "
                "j would be 0. It is the class size of the same record in the initial file.",
            ),
        ),
    )


def rows(data: ds.Microdata) -> list[dict[str, Any]]:
    """The key values of each record."""
    return data.to("arrow").select(["Age", "Sex"]).to_pylist()


def said(ages: list[Any]) -> str:
    """Ages as a text."""
    return " ".join(f"{age:g}" for age in ages)


def sizes(found: ds.Risk, letter: str) -> str:
    """The number of classes of each size."""
    return ", ".join(f"{letter}_{i} = {F}" for i, F, _ in found.class_sizes)


def classified(file: str) -> str:
    """The entries of C that are not 0."""
    return ", ".join(f"c_{i}{j} = {c}" for i, j, c in risk(file).classification.entries())


def table_3() -> Part:
    """The nine disclosure risks."""
    values = {
        (file, w): risk(file).weighted(ds.Weights.from_matrix(matrix))
        for file in GROUPS
        for w, matrix in WEIGHTS.items()
    }
    drawn = [{"file": f, "weights": w, "disclosure risk": v} for (f, w), v in values.items()]
    return Part(
        "Table 3: disclosure risk",
        "W1 lets only the uniques count (DR_min), W2 all records alike (DR_max), W3 those in "
        "classes of one and two.",
        tuple(
            figure("Table 3", f"{file}: {w}", printed, values[file, w])
            for file, row in TABLE_3.items()
            for w, printed in zip(WEIGHTS, row, strict=True)
        ),
        grid=True,
        findings=slips(),
        pictures=(
            picture(
                "000-table-3",
                "Bars of the disclosure risk of MM1, MM2 and MM3: 0 by W1, from 0.5 down to 0.25 "
                "by W2, from 0.25 down to 0.0625 by W3.",
                bars(drawn, x="file", y="disclosure risk", by="weights", title="Table 3"),
            ),
        ),
    )


def slips() -> tuple[Finding, ...]:
    """What must be set right before Table 3 comes out."""
    literal = ", ".join(f"{without_1_over_k(file):g}" for file in GROUPS)
    printed = [[2 / 7] * (i + 1) for i in range(8)]
    same = risk("MM2").weighted(ds.Weights.from_matrix(printed))
    return (
        Finding(
            "Slip 1: equation (4) lacks the 1/k",
            f"As printed it gives DR_max = {literal} for the three files, which is the share of "
            "released records. With 1/k, as in equation (6), it gives the column W2.",
        ),
        Finding(
            "Slip 2: W2 is printed with 2/7",
            f"The weights are to add up to n = 8. 36 cells of 2/7 add up to {36 * 2 / 7:.2f}; it "
            f"takes 2/9. The risk does not change with the scale: MM2 has {same:g} with 2/7 as "
            "well. discreet takes any scale.",
        ),
        Finding(
            "A slip in the remark on DR_min",
            'It asks for "c_11 = n". That must read w_11 = n, as c_11 is counted, not chosen.',
        ),
    )


def without_1_over_k(file: str) -> float:
    """Equation (4) as it is printed."""
    found = risk(file)
    return sum(c for i, j, c in found.classification.entries() if j <= i) / found.n


def anonymity() -> Part:
    """k-anonymity of the maskings, and the link to the measures."""
    holds = {
        (f, k): yes(ds.check(masked(f), ds.KAnonymity(k)).satisfied) for f in GROUPS for k in (2, 3)
    }
    return Part(
        "Section 4: the link to k-anonymity",
        "All three maskings are 2-anonymous and none is 3-anonymous. The measures tell them apart.",
        tuple(
            figure("Section 4", f"{f}: {k}-anonymous", yes(k == 2), holds[f, k])
            for f in GROUPS
            for k in (2, 3)
        ),
        grid=True,
        findings=(off_by_one(), split()),
    )


def off_by_one() -> Finding:
    """Weights on the first k rows answer for k + 1."""
    at = risk("MM1").weighted(ds.Weights.threshold(2))
    return Finding(
        "A slip by one",
        "A matrix that is not 0 on the first k rows, and 0 below, is said to give 0 exactly for "
        f"k-anonymous files. MM1 is 2-anonymous, and `Weights.threshold(2)` gives {at:g}. It is 0 "
        "exactly for **(k+1)**-anonymous files.",
    )


def split() -> Finding:
    """Where equal records are split, neither link holds."""
    six = ds.read({"Age": [10, 10, 10, 20, 20, 20]}, keys=["Age"])
    pairs = ds.microaggregate(six, k=2, method="fixed")
    found = ds.disclosure_risk(six, pairs)
    own = sum(c / i for i, j, c in found.classification.entries() if j <= i) / found.n
    ours = found.weighted(ds.Weights.threshold(2))
    return Finding(
        "Where equal records are split",
        "Both links need i ≥ j for every record. Six people of ages 10, 10, 10, 20, 20, 20, in "
        "fixed groups of two, have c_23 = 6. The paper's sum stops at j = i and gives "
        f"DR_max = {own:g}; discreet counts these records with 1/max(i, j) and gives "
        f"{found.maximal:.4f}. And `Weights.threshold(2)` gives {ours:g} though the file is not "
        "3-anonymous. If k-anonymity is the rule, check it with `ds.KAnonymity(k)`.",
    )


CHAPTER = Chapter(
    PAPER,
    "Global disclosure risk and k-anonymity",
    "Truta, Fotouhi, Barth-Jones: *Global disclosure risk measures and k-anonymity property for "
    "microdata* (2005)",
    "In discreet: `ds.disclosure_risk`, `ds.Weights`, `ds.generalize`, `ds.microaggregate`. "
    "[Why disclosure risk](why-disclosure-risk.md) has the formulas.",
    tuple(map(quick, (table_1, table_2, figures_4_and_5, table_3, anonymity))),
)
