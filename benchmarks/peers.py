"""The same tasks by sdcMicro and ARX, where they are installed: Rscript with the package sdcMicro,
and the jar of ARX that ARX_JAR names. CPU seconds, without start and reading."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import adult
from figure import Figure
from processes import HERE, job

TABLES = {  # task of sdcMicro and ours: records, columns, different values (none: numbers)
    "mdav": (("1,080 × 13", 1_080, 13, 0), ("20,000 × 6", 20_000, 6, 0)),
    "risk": (("100,000 × 5", 100_000, 5, 12),),
    "cells": (("4,580 × 5", 4_580, 5, 9),),
}
LIMITS = ("0", "0.02", "1.0")


def run() -> Iterator[Figure]:
    yield from _sdcmicro()
    yield from _arx()


def _sdcmicro() -> Iterator[Figure]:
    if missing := no_sdcmicro():
        print(f"  SKIPPED sdcMicro: {missing}")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "table.csv")
        for task, tables in TABLES.items():
            for what, *size in tables:
                write(Path(file), *size)
                theirs = _printed(["Rscript", str(HERE / "sdcmicro_peer.R"), task, file])
                yield from _beside(f"{task}, {what}", job("peers_job.py", task, file), theirs)


def _arx() -> Iterator[Figure]:
    if missing := no_arx():
        print(f"  SKIPPED ARX: {missing}")
        return
    labels = ",".join(f"{key}={adult.FOLDER}/adult_hierarchy_{key}.csv" for key in adult.KEYS)
    program = ["java", "-cp", os.environ["ARX_JAR"], str(HERE / "ArxPeer.java"), str(adult.FILE)]
    for limit in LIMITS:
        theirs = _printed([*program, labels, limit])
        what = f"Adult, 9 keys, k = 5, at most {float(limit):.0%} suppressed"
        yield from _beside(what, job("peers_job.py", "search", limit), theirs)


def _beside(what: str, ours: dict[str, float], theirs: dict[str, float]) -> Iterator[Figure]:
    yield Figure(f"{what}: the peer", theirs["cpu"], "s CPU")
    yield Figure(f"{what}: discreet", ours["cpu"], "s CPU")
    yield Figure(f"{what}: times as fast", theirs["cpu"] / ours["cpu"], "×")


def no_sdcmicro() -> str:
    """Why sdcMicro cannot be run; empty where it can."""
    if shutil.which("Rscript") is None:
        return "Rscript is not installed"
    asked = ["Rscript", "-e", 'quit(status = !requireNamespace("sdcMicro", quietly = TRUE))']
    found = subprocess.run(asked, capture_output=True, check=False).returncode == 0
    return "" if found else "R does not have the package sdcMicro"


def no_arx() -> str:
    """Why ARX cannot be run; empty where it can."""
    if not Path(os.environ.get("ARX_JAR", "/")).is_file():
        return "ARX_JAR does not name its jar"
    if shutil.which("java") is None:
        return "java is not installed"
    return f"{', '.join(adult.missing())} not found" if adult.missing() else ""


def write(file: Path, n: int, columns: int, values: int) -> None:
    """A table of numbers, or of codes where the number of different values is given."""
    import numpy as np

    rng = np.random.default_rng(1)
    cells = rng.integers(0, values, (n, columns)) if values else rng.normal(size=(n, columns))
    with file.open("w", newline="") as to:
        rows = csv.writer(to)
        rows.writerow(f"v{j}" for j in range(columns))
        rows.writerows(cells.tolist())


def _printed(command: Sequence[str]) -> dict[str, float]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])
