"""Paper 002: the risk of each record, of identity and attribute disclosure together."""

from __future__ import annotations

import functools

import discreet as ds
from papers.chapters import Chapter, Step, quick
from papers.charts import picture
from papers.figures import DIGITS, EXACT, Figure, Finding, Part, Tolerance, Value
from papers.material import Material
from papers.page import table
from papers.tables import KNOWN, RECORDS, SENSITIVITY, VALUES

PAPER = "002"
AMONG = ["age", "gender", "race"]
HIGH = 0.01  # above it the paper calls a risk high
SIMULATED = Tolerance("within 10 % where another file is counted", relative=0.1)


def figure(
    place: str, what: str, printed: str, computed: Value, tolerance: Tolerance = EXACT
) -> Figure:
    """A figure of this paper."""
    return Figure(PAPER, place, what, printed, computed, tolerance)


def risk(epsilon: float, known: dict[str, float] = KNOWN, alpha: float = 100) -> ds.RecordRisk:
    """The risk of the five people of Table 1."""
    return ds.record_risk(
        ds.read(RECORDS), known, SENSITIVITY, VALUES, alpha=alpha, epsilon=epsilon
    )


def tables_1_and_2() -> Part:
    """The worked example: record 4 and the known set {age, gender, race}."""
    three = {name: KNOWN[name] for name in AMONG}
    alike = int(ds.read(RECORDS, keys=AMONG).class_sizes()[3])
    likelihood = risk(0.1, three).known_sets[-1].probability / alike
    unknown = risk(0.5, {"age": 0.0}, alpha=1)  # nothing known: D(r) = C / n
    added = risk(0.167, three, 1).values[3] - risk(0.169, three, 1).values[3]
    return Part(
        "Tables 1 and 2: five people",
        "For record 4 and the known set {age, gender, race} the paper works out the likelihood L, "
        "0.3 · 0.8 · 0.7 over the number of records that look the same, and the consequence C, "
        "the weights of income and disease. Their product is what the known set adds to the risk.",
        (
            figure("Section 2.1", "L of {age, gender, race} for r4", "0.084", likelihood, DIGITS),
            figure("Section 2.1", "C for r4", "1.63", float(unknown.values[3]) * unknown.n, DIGITS),
            figure(
                "Equation (1)",
                "what it adds to the risk of r4: L · C",
                "0.13692",
                float(added),
                DIGITS,
            ),
        ),
        findings=(pruned(),),
        table=every_record(),
    )


def pruned() -> Finding:
    """What the known sets left out could add."""
    return Finding(
        "What pruning leaves out",
        "The paper drops known sets with a probability of ε or less and does not say what that "
        "costs. A bound needs no further computation: the dropped sets add at most "
        "α · T(r) · [Π(1 + PK) − Σ kept PK] to the risk of a record, with T(r) the sensitivity of "
        "all its values. Below, ε = 0.01 keeps "
        f"{len(risk(0.01).known_sets)} of {len(risk(0).known_sets)} sets.",
    )


def every_record() -> str:
    """All five records, with and without pruning."""
    kept, whole = risk(0.01), risk(0)
    rows = [
        [f"r{i + 1}", f"{kept.values[i]:.2f}", f"{whole.values[i]:.2f}", f"{kept.bound[i]:.2f}"]
        for i in range(whole.n)
    ]
    return table(["Record", "D with ε = 0.01", "D with all sets", "Bound on the difference"], rows)


@functools.cache
def students() -> ds.Microdata:
    """As many simulated students as the paper has real ones."""
    return ds.read(ds.datasets.school_records())


@functools.cache
def students_risk() -> ds.RecordRisk:
    """Their risk."""
    return ds.record_risk(students(), **ds.datasets.school_settings())


def experiment(material: Material) -> Part:  # noqa: ARG001
    """A million records, 27 attributes."""
    found = students_risk()
    above = found.above(HIGH).count
    return Part(
        "Section 3: a million students",
        "The paper's file of 1,009,993 students is confidential, and it prints the probabilities "
        "and weights of four attributes out of 27. `ds.datasets.school_records` simulates a file "
        "of that size and shape, and `ds.datasets.school_settings` fills in the other "
        "probabilities so that, as in the paper, 111 known sets are left. The number of records at "
        "risk comes from another file; only its order of magnitude can be compared.",
        (
            figure("Section 3", "records", "1,009,993", found.n),
            figure("Section 3", "attributes", "27", len(students().columns)),
            figure("Section 3", "known sets in all", "134,217,728", 2 ** len(students().columns)),
            figure("Section 3", "known sets left with ε = 0.01", "111", len(found.known_sets)),
            figure("Section 3", "records with a risk above 0.01", "15,651", above, SIMULATED),
            figure("Section 3", "… their share", "1.55 %", 100 * above / found.n, SIMULATED),
        ),
        findings=(EMPTY_SET, targeted(above)),
        pictures=(
            picture(
                "002-histogram",
                "Histogram of the record risk on a log axis: most of the risks above 0 lie "
                "below 0.01, few above 1.",
                found.histogram().chart(),
            ),
        ),
    )


def targeted(above: int) -> Finding:
    """The paper's future work: mask the records at risk and no others."""
    masked = ds.protect_records(students(), students_risk(), at_most=HIGH)
    cells = sum(masked.changes.values())
    left = ds.record_risk(masked, **ds.datasets.school_settings()).above(HIGH).count
    share = cells / (students().n * len(students().columns))
    return Finding(
        "Only the risky records are masked",
        f"The authors would like to mask those only. `ds.protect_records` does it: with {cells:,} "
        f"blank cells ({share:.3%} of all), {left} of the {above:,} records are still above 0.01. "
        "All others stay as they are.",
    )


EMPTY_SET = Finding(
    "The empty known set",
    "The list of Figure 1 begins with the empty set, so it is one of the 111. Its probability is "
    "1, its count is n, and it is never pruned.",
)

CHAPTER = Chapter(
    PAPER,
    "The risk of each record",
    "Orooji, Knapp: *A novel microdata privacy disclosure risk measure* (2018)",
    "In discreet: `ds.record_risk`, `ds.protect_records`. [Why record risk](why-record-risk.md) "
    "has the definition.",
    (quick(tables_1_and_2), Step(experiment)),
)
