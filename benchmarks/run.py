"""Run the benchmarks; the exit code is 1 when a bound is missed. What was measured is written to
the table of the docs, results.md; rows of benchmarks that did not run stay.

python benchmarks/run.py                  all but those that take long
python benchmarks/run.py import_time      some of them
"""

from __future__ import annotations

import argparse
import importlib
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from figure import Figure

RESULTS = Path(__file__).with_name("results.md")
USUAL = (
    "import_time",
    "first_use",
    "small_calls",
    "csv_files",
    "class_sizes",
    "against_pycanon",
    "growth",
    "disclosure_risk",
    "overhead",
    "univariate",
    "lattice",
    "lattice_criteria",
    "mdav",
    "key_candidates",
    "record_risk",
    "local_suppression",
    "local_recoding",
    "special_uniques",
    "linkage",
    "individual_risk",
    "population_models",
    "perturbation",
    "noise",
    "app",
    "peers",
)
NAMES = (*USUAL, "lattice_scale", "record_risk_scale", "scale")  # the last take minutes: by name


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(NAMES))
    chosen = parser.parse_args().names or USUAL
    unknown = sorted(set(chosen) - set(NAMES))
    if unknown:
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    packages = ("duckdb", "ibis-framework", "numba", "numpy", "pandas", "pyarrow")
    print(f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in packages), sep=", ")
    missed = 0
    for name in chosen:
        benchmark = importlib.import_module(name)
        print(f"\n{name}: {' '.join((benchmark.__doc__ or '').split())}", flush=True)
        figures = []
        for figure in benchmark.run():
            print(figure, flush=True)
            figures.append(figure)
            missed += not figure.holds
        if figures:
            write(name, figures)
    print(f"\n{missed} bounds missed" if missed else "\nall bounds hold")
    return 1 if missed else 0


def write(name: str, figures: list[Figure]) -> None:
    """Put the rows of a benchmark in place of those that it had."""
    head = ["| benchmark | what | measured | bound |", "|---|---|---|---|"]
    lines = RESULTS.read_text(encoding="utf-8").splitlines()[2:] if RESULTS.exists() else []
    rows: dict[str, list[str]] = {}
    for line in lines:
        rows.setdefault(line.split("|")[1].strip(), []).append(line)
    rows[name] = [f"| {name} | {figure.row} |" for figure in figures]
    ordered = [line for one in NAMES for line in rows.get(one, [])]
    RESULTS.write_text("\n".join([*head, *ordered, ""]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
