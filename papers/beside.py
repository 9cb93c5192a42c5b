"""Beside the papers: what ARX finds on Adult, and what sdcMicro makes of the Census file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import discreet as ds
from papers.chapters import Chapter, Step
from papers.figures import DIGITS, EXACT, Figure, Finding, Part, Tolerance, Value, near
from papers.material import Material
from papers.paper_004 import CENSUS, census

ADULT = "adult/adult_30162x9.csv"
ARX, MDAV = "golden/arx_adult.csv", "golden/sdcmicro_mdav_census.csv"
KEYS = [
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
]  # fmt: skip
CRITERIA = {
    "distinct 5-diversity": ds.LDiversity(5),
    "entropy 3-diversity": ds.LDiversity(3, "entropy"),
    "recursive (4;3)-diversity": ds.LDiversity(3, "recursive", c=4),
    "0.2-closeness (equal distance)": ds.TCloseness(0.2),
}
CLOSE = "0.2-closeness (hierarchical distance)"
LOSS = near(1e-6)
ENTROPY = {
    "loss": Tolerance("the loss of the entropy row to 0.0002", absolute=0.0002),
    "suppressed": Tolerance("its suppressed records to 6", absolute=6),
}


def figure(
    place: str, what: str, printed: str, computed: Value | None, tolerance: Tolerance = EXACT
) -> Figure:
    """A figure of another tool."""
    return Figure("—", place, what, printed, computed, tolerance)


def arx(material: Material) -> Part:
    """The optimal nodes of ARX on its own example file."""
    path, golden = material.find(ADULT), material.find(ARX)
    there = path is not None and golden is not None
    return Part(
        "ARX on Adult",
        "The 30,162 records and the hierarchies of ARX's example data, k = 5: the node of least "
        "loss, its loss, and the suppressed records. Levels are those of sex, age, race, marital "
        "status, education, native country, work class, occupation, salary class; with 8 keys "
        "occupation is left out, or confidential.",
        tuple(arx_figures(path.parent, golden))
        if path and golden
        else (figure("ARX 3.9.2", f"12 searches: {ARX}", "levels, loss, suppressed", None),),
        closeness="levels and suppressed records exactly, losses to 0.000001; in the entropy row "
        "the loss to 0.0002 and the suppressed records to 6",
        grid=there,
        findings=(ONE_CLASS,),
    )


ONE_CLASS = Finding(
    "Where ARX differs",
    "In the entropy row one class has the counts (2, 2, 2). Its entropy is log 3 exactly, so it "
    "satisfies the criterion; ARX counts it as failing. Both come to the same node.",
)


def arx_figures(folder: Path, golden: Path) -> list[Figure]:
    """All searches."""
    with golden.open(encoding="utf-8") as file:
        return [f for row in csv.DictReader(file) for f in searched(folder, row)]


def searched(folder: Path, row: dict[str, str]) -> list[Figure]:
    """One search of ARX, repeated."""
    keys = [key for key in KEYS if row["qis"] == "9" or key != "occupation"]
    hierarchies = {
        k: ds.Hierarchy.from_csv(folder / f"adult_hierarchy_{k}.csv") for k in {*keys, "occupation"}
    }
    model = row["model"].removeprefix("k-anonymity").removeprefix(" + ")
    name = model.removesuffix(" of occupation")
    further = ds.TCloseness(0.2, "hierarchical", hierarchy=hierarchies["occupation"])
    extra = [further if name == CLOSE else CRITERIA[name]] if name else []
    found = ds.generalize(
        ds.read(folder / Path(ADULT).name, keys=keys, confidential=["occupation"] if extra else []),
        {key: hierarchies[key] for key in keys},
        [ds.KAnonymity(int(row["k"])), *extra],
        max_suppressed=float(row["max_suppressed"]),
    ).best
    where = f"{row['qis']} keys, {name or 'k-anonymity alone'}, {float(row['max_suppressed']):.0%}"
    apart = ENTROPY if name.startswith("entropy") else {"loss": LOSS, "suppressed": EXACT}
    levels = " ".join(map(str, found.levels.values()))
    return [
        figure("ARX 3.9.2", f"{where}: levels", row["best_levels"], levels),
        figure("ARX 3.9.2", f"{where}: loss", row["loss"], found.loss, apart["loss"]),
        figure(
            "ARX 3.9.2",
            f"{where}: suppressed",
            row["suppressed"],
            found.suppressed,
            apart["suppressed"],
        ),
    ]


def sdcmicro(material: Material) -> Part:
    """MDAV of sdcMicro on the Census file: groups, loss and values."""
    path, golden = material.find(CENSUS), material.find(MDAV)
    there = path is not None and golden is not None
    return Part(
        "sdcMicro on Census",
        "MDAV of sdcMicro 5.8.1 on all 13 attributes, without rescaling: number of groups, "
        "100 · SSE/SST, and the largest relative difference of a masked value.",
        (*mdav_figures(path, golden), *value_figures(material, path))
        if path and golden
        else (figure("sdcMicro 5.8.1", f"MDAV: {MDAV}", "groups, SSE/SST", None),),
        closeness="to every printed digit, values to 0.000000001",
        grid=there,
    )


def mdav_figures(path: Path, golden: Path) -> list[Figure]:
    """Groups and loss for each k."""
    figures = []
    with golden.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            masked = ds.microaggregate(census(path), k=int(row["k"]), preserve_variance=False)
            lost = 100 * float(ds.information_loss(census(path), masked).sse_ratio or 0)
            groups = ds.risk(masked).classes
            place, at = "sdcMicro 5.8.1", f"k = {row['k']}"
            figures += [
                figure(place, f"{at}: groups", row["groups"], groups),
                figure(place, f"{at}: SSE/SST in %", row["sse_ratio_percent"], lost, DIGITS),
            ]
    return figures


def value_figures(material: Material, path: Path) -> list[Figure]:
    """The masked values themselves, for k = 3 and 5."""
    figures = []
    for k in (3, 5):
        golden = material.find(f"golden/sdcmicro_mdav_census_k{k}.csv")
        what = f"k = {k}: largest difference of a value"
        apart = None if golden is None else difference(path, golden, k)
        figures.append(figure("sdcMicro 5.8.1", what, "0", apart))
    return figures


def difference(path: Path, golden: Path, k: int) -> float:
    """The largest relative difference between our masked values and theirs."""
    table = ds.microaggregate(census(path), k=k, preserve_variance=False).to("arrow")
    ours = np.column_stack([table[name].to_numpy() for name in census(path).columns])
    theirs = np.loadtxt(golden, delimiter=",", skiprows=1)[:, -ours.shape[1] :]
    return float(np.max(np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1)))


CHAPTER = Chapter(
    "—",
    "Beside the papers",
    "ARX 3.9.2 and sdcMicro 5.8.1, run on the same public files",
    "Two widely used tools, for what the papers leave open.",
    (Step(arx), Step(sdcmicro)),
)
