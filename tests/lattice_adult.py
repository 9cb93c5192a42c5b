"""The Adult data with their hierarchies, as coded tuples, for tests and benchmarks."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DATA = Path(os.environ.get("DISCREET_DATA", "../shared/data"))
NINE = tuple(
    "sex age race marital-status education native-country workclass occupation salary-class".split()
)
EIGHT = tuple(name for name in NINE if name != "occupation")


class Coded(NamedTuple):
    """Distinct tuples of leaf codes with their hierarchies; the arguments of `sweep`."""

    codes: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int64]
    maps: list[list[NDArray[np.int32]]]
    shares: list[list[NDArray[np.float64]]]


def read_columns() -> dict[str, NDArray[np.str_]]:
    """Return the columns of the 30,162 complete cases."""
    head, *rows = _rows(DATA / "adult" / "adult_30162x9.csv")
    return {
        name: np.array(column) for name, column in zip(head, zip(*rows, strict=True), strict=True)
    }


def coded(
    columns: dict[str, NDArray[np.str_]], keys: Sequence[str], confidential: str | None = None
) -> tuple[Coded, NDArray[np.uint64]]:
    """Return the distinct tuples of `keys`, and the confidential values of each as bits."""
    leaves, maps, shares = [], [], []
    for name in keys:
        table = np.array(_rows(DATA / "adult" / f"adult_hierarchy_{name}.csv"))
        place = {value: code for code, value in enumerate(table[:, 0])}
        leaves.append(np.array([place[value] for value in columns[name]], np.int32))
        to = [np.arange(len(table), dtype=np.int32)]
        to += [np.unique(labels, return_inverse=True)[1].astype(np.int32) for labels in table.T[1:]]
        maps.append(to)
        shares.append([(np.bincount(codes) - 1) / (len(table) - 1) for codes in to])
    tuples, at, counts = np.unique(
        np.stack(leaves, 1), axis=0, return_inverse=True, return_counts=True
    )
    masks = np.zeros(len(counts), np.uint64)
    if confidential is not None:
        value = np.unique(columns[confidential], return_inverse=True)[1].astype(np.uint64)
        np.bitwise_or.at(masks, at.ravel(), np.uint64(1) << value)
    codes = tuple(np.ascontiguousarray(column) for column in tuples.T)
    return Coded(codes, counts, maps, shares), masks


def _rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=";"))
