"""Paper 001: disclosure risk of samples."""

from __future__ import annotations

import functools
from typing import Any

import discreet as ds
from examples import paper_001_sampling as experiment
from papers.chapters import Chapter, Step, quick
from papers.charts import picture
from papers.figures import CUT, EXACT, Figure, Finding, Part, Tolerance, Value, decimals, yes
from papers.material import Material
from papers.page import table
from papers.tables import FIGURE_21, SAMPLES

PAPER = "001"
WEIGHTS = {
    "W1": [[10.0]],
    "W2": [[0.25 * (j >= i) for j in range(10)] for i in range(5)],
    "W3": [[6.0, 2.0], [0.0, 2.0]],
    "W4": [[3.0, 1.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]],
}
FIGURE_22 = {
    "S1": "f_1 = 5",
    "S2": "f_1 = 1, f_2 = 2",
    "S3": "f_2 = 1, f_3 = 1",
}
CLASSIFIED = {
    "S1": "c_11 = 3, c_12 = 1, c_13 = 1",
    "S2": "c_12 = 1, c_22 = 2, c_23 = 2",
    "S3": "c_22 = 2, c_33 = 3",
}
FIGURE_23 = {
    "S1": ("0.3", "0.383", "0.316", "0.316"),
    "S2": ("0", "0.2166", "0.05", "0.116"),
    "S3": ("0", "0.2", "0.033", "0.2"),
}
MEASURES = ("DR_min", "DR_max")
SHOWN = (0.1, 0.5, 1.0)


def figure(
    place: str, what: str, printed: str, computed: Value, tolerance: Tolerance = EXACT
) -> Figure:
    """A figure of this paper."""
    return Figure(PAPER, place, what, printed, computed, tolerance)


@functools.cache
def initial() -> ds.Microdata:
    """The initial microdata of Figure 2.1."""
    return ds.read(FIGURE_21, keys=["Age", "Sex"], record_id="RecNo")


@functools.cache
def risk(sample: str) -> ds.DisclosureRisk:
    """The disclosure risk of a sampling set, linked by the record number."""
    chosen = {c: [values[r - 1] for r in SAMPLES[sample]] for c, values in FIGURE_21.items()}
    return ds.disclosure_risk(initial(), ds.read(chosen, keys=["Age", "Sex"]), on="RecNo")


def figure_22() -> Part:
    """Cluster sizes and classification matrices."""
    whole = ds.risk(initial())
    return Part(
        "Figures 2.1 and 2.2: three sampling sets",
        "Ten people, keys age and sex, and three samples of five. Sizes F_i of the initial file "
        "and f_i of the samples, and the classification matrices C. What is not listed is 0.",
        (
            figure("Figure 2.2", "IM", "F_1 = 3, F_2 = 2, F_3 = 1", sizes(whole.class_sizes, "F")),
            *(
                figure("Figure 2.2", s, FIGURE_22[s], sizes(risk(s).masked_sizes, "f"))
                for s in SAMPLES
            ),
            *(figure("Section 2", f"C of {s}", CLASSIFIED[s], classified(s)) for s in SAMPLES),
            figure("Section 2", "properties (2.2) to (2.9) hold", "yes", yes(identities())),
        ),
    )


def identities() -> bool:
    """The relations between sizes and C that the paper lists, on the three samples."""
    return all(
        all(n_i == i * F_i for i, F_i, n_i in (*found.initial_sizes, *found.masked_sizes))
        and sum(n_i for _, _, n_i in found.initial_sizes) == found.n
        and sum(t_i for _, _, t_i in found.masked_sizes) == found.t
        and all(i <= j for i, j, _ in found.classification.entries())
        and all(
            sum(c for i, _, c in found.classification.entries() if i == size) == t_i
            for size, _, t_i in found.masked_sizes
        )
        for found in map(risk, SAMPLES)
    )


def sizes(found: Any, letter: str) -> str:
    """The number of classes of each size."""
    return ", ".join(f"{letter}_{i} = {F}" for i, F, _ in found)


def classified(sample: str) -> str:
    """The entries of C that are not 0."""
    return ", ".join(f"c_{i}{j} = {c}" for i, j, c in risk(sample).classification.entries())


def figure_23() -> Part:
    """The twelve disclosure risks."""
    weights = {w: ds.Weights.from_matrix(matrix) for w, matrix in WEIGHTS.items()}
    return Part(
        "Figure 2.3: disclosure risk",
        "W1 gives DR_min and W2 DR_max. The linkage probability is 1/j, with j the initial size.",
        tuple(
            figure(
                "Figure 2.3", f"{s}: {w}", printed, risk(s).weighted(weights[w]), closely(printed)
            )
            for s, row in FIGURE_23.items()
            for w, printed in zip(WEIGHTS, row, strict=True)
        ),
        grid=True,
        findings=(scale(), RULES),
    )


def closely(printed: str) -> Tolerance:
    """The paper cuts off what has more than three decimals."""
    return CUT if decimals(printed) >= 3 else EXACT


def scale() -> Finding:
    """W2 as printed has another scale, and the same risk."""
    printed = ds.Weights.from_matrix([[0.4 * (j >= i) for j in range(10)] for i in range(5)])
    return Finding(
        "Slip 3: W2 is printed with 0.4",
        f"Ten, spread over 40 cells, is 0.25; 40 cells of 0.4 add up to {40 * 0.4:g}. The risk "
        f"does not change with the scale: S1 has {risk('S1').weighted(printed):.4f} either way.",
    )


RULES = Finding(
    "The rules for W are damaged in print",
    "Indices are lost in the list below (2.12). Read with the explanation that follows it, the "
    "rules are: along a row w_jj ≥ w_j(j+1) ≥ …; down a column w_1j ≤ w_2j ≤ … ; along a "
    "diagonal w_1j ≥ w_2(j+1) ≥ …; and Σ w = n. discreet checks the first three and names the "
    "first cell that breaks one; the sum is a matter of scale.",
)


def billing(material: Material) -> Part:  # noqa: ARG001
    """The experiment of section 3, and the lines in closed form."""
    rows = experiment.experiment()
    by = {(r["n"], r["keys"], r["sf"]): r for r in rows}
    return Part(
        "Section 3: the experiment",
        "Simulated billing files of 1,000, 5,000 and 25,000 records, KA1 = {Age, Sex, Zip} and "
        "KA2 = {Age, Race, Sex}, sampling factors from 0.1 to 1. The paper prints curves, not "
        "numbers; only its two statements can be compared.",
        (
            *(
                figure(
                    "Section 3",
                    f"{m} falls almost linearly with the sampling factor (R² > {least})",
                    "yes",
                    yes(min(fits(rows, m)) > least),
                )
                for m, least in (("DR_min", 0.97), ("DR_max", 0.999))
            ),
            *(
                figure("Section 3", f"{m} of KA1 lies above that of KA2", "yes", yes(above(by, m)))
                for m in MEASURES
            ),
        ),
        findings=(closed_form(rows),),
        table=results(by),
        pictures=(
            picture(
                "001-experiment",
                "Lines of DR_min and DR_max against the sampling factor, for two sets of keys and "
                "three file sizes: all nearly straight through 0, KA1 above KA2.",
                experiment.chart(rows),
            ),
        ),
    )


def fits(rows: list[dict[str, Any]], measure: str) -> list[float]:
    """R² of a line through 0, for each file size and set of keys."""
    lines = dict.fromkeys((r["n"], r["keys"]) for r in rows)
    return [
        experiment.linearity([r for r in rows if (r["n"], r["keys"]) == line], measure)
        for line in lines
    ]


def above(by: dict[Any, dict[str, Any]], measure: str) -> bool:
    """Whether KA1 is riskier at each size and factor; where KA2 has no risk, it may tie."""
    pairs = [
        (by[n, "KA1", sf][measure], by[n, "KA2", sf][measure])
        for n, keys, sf in by
        if keys == "KA1"
    ]
    return all(first > second or second == 0 for first, second in pairs)


def closed_form(rows: list[dict[str, Any]]) -> Finding:
    """The lines are exact in expectation."""
    apart = max(abs(r["DR_max"] - r["E DR_max"]) for r in rows)
    return Finding(
        "The lines can be known beforehand",
        "Under simple random sampling the nearly straight lines are straight in expectation: "
        "E DR_min = sf · F_1/n and E DR_max = sf · F/n. No sample has to be drawn. "
        "`ds.sampling_risk` gives both, with their standard deviations; in this experiment no "
        f"DR_max lies further than {apart:.4f} from it.",
    )


def results(by: dict[Any, dict[str, Any]]) -> str:
    """Measured beside expected, for some of the sampling factors."""
    head = ["n", "Keys", "sf", *(f"{m}: drawn / expected" for m in MEASURES)]
    return table(
        head,
        [
            [f"{n:,}", keys, f"{sf:g}", *(f"{row[m]:.4f} / {row[f'E {m}']:.4f}" for m in MEASURES)]
            for (n, keys, sf), row in by.items()
            if sf in SHOWN
        ],
    )


CHAPTER = Chapter(
    PAPER,
    "Disclosure risk of samples",
    "Truta, Fotouhi, Barth-Jones: *Disclosure risk measures for the sampling disclosure control "
    "method* (2004)",
    "In discreet: `ds.sample`, `ds.disclosure_risk`, `ds.sampling_risk`. [Sampling](sampling.md) "
    "shows how to use them.",
    (quick(figure_22), quick(figure_23), Step(billing)),
)
