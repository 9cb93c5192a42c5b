"""Record risk in a process of its own: ``kernel`` or ``plain``, family, records, repetitions."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import pyarrow as pa
from processes import Grown

from discreet.datasets import school_records, school_settings
from discreet.kernels.known_sets.cells import record_sums
from discreet.kernels.known_sets.contributions import contributions
from discreet.kernels.known_sets.unions import known_sets, unions

CHUNK = 1_009_993
# How likely each attribute is to be known: with ε = 0.01 each family leaves 111 sets, as the paper.
FAMILIES: dict[str, dict[str, float]] = {
    "paper": school_settings()["known"],
    # most subsets of seven attributes of few values: they overlap wholly
    "few": {
        "gender": 0.9, "ethnicity": 0.7, "lunch": 0.6, "birthplace": 0.3, "home_language": 0.3,
        "grade": 0.3, "gifted": 0.2,
    },
    # the pairs of fourteen attributes, and five more: each overlaps with few others
    "pairs": dict.fromkeys(
        ["age", "gender", "ethnicity", "parish", "grade", "first_year", "last_year", "birth_month",
         "birthplace", "home_language", "lunch", "absences", "suspensions", "test_level"], 0.12
    ) | dict.fromkeys(["disability", "gifted", "migrant", "repeated", "section_504"], 0.05),
    # school and dates are known: most sets have more combinations than there are records
    "fine": {
        "age": 0.2, "gender": 0.8, "ethnicity": 0.6, "school": 0.5, "birth_month": 0.3,
        "last_year": 0.2, "absences": 0.2, "parish": 0.1,
    },
}  # fmt: skip


def coded(records: int) -> dict[str, tuple[np.ndarray, list]]:
    """Codes of the simulated students in as few bytes as they need, and what they stand for."""
    parts = []
    for seed, start in enumerate(range(0, records, CHUNK), 1):
        table = school_records(min(CHUNK, records - start), seed)
        encoded = [column.dictionary_encode() for column in table.columns]
        parts.append(pa.table(encoded, names=table.column_names))
    table = pa.concat_tables(parts).unify_dictionaries()
    return {name: _codes(table[name]) for name in table.column_names}


def _codes(column: pa.ChunkedArray) -> tuple[np.ndarray, list]:
    values = column.chunk(0).dictionary.to_pylist()
    dtype = np.min_scalar_type(len(values))
    missing = pa.scalar(len(values), pa.int32())  # the last code
    codes = [c.indices.fill_null(missing).to_numpy().astype(dtype) for c in column.chunks]
    return np.concatenate(codes), [*values, *([None] if column.null_count else [])]


def task(family: str, records: int):
    """What the kernel is given: columns, cardinalities, known sets, PK, weights."""
    codes, settings = coded(records), school_settings()
    sets, pk = known_sets([FAMILIES[family].get(name, 0) for name in codes], 0.01, limit=1000)
    weights = [
        np.array([_weight(settings, name, value) for value in values])
        if name in settings["sensitivity"]
        else None
        for name, (_, values) in codes.items()
    ]
    columns = [column for column, _ in codes.values()]
    return columns, [len(values) for _, values in codes.values()], sets, pk, weights


def _weight(settings, name: str, value) -> float:
    table = settings["value_sensitivity"][name]
    if isinstance(table, dict):
        return table.get(value, 0.0)
    return next(w for above, up_to, w in table if up_to is None or value <= up_to)


def kernel(family: str, records: int, repetitions: int) -> dict:
    """CPU seconds of the sums and of the contributions, and how the peak memory grows."""
    columns, *known = task(family, records)
    for some in ([c[:1000] for c in columns], [c[: 2**18] for c in columns]):
        contributions(some, *known, record_sums(some, *known)[0])  # loads the kernels
    grown = Grown()
    cpu, wall, (reach, spent, total) = _least(lambda: record_sums(columns, *known), repetitions)
    memory = grown.megabytes() * 1e6 / sum(c.nbytes for c in columns)
    one, _, again = _least(lambda: record_sums(columns, *known, threads=1), repetitions)
    if not all(np.array_equal(a, b) for a, b in zip(again, (reach, spent, total), strict=True)):
        raise RuntimeError("one thread and two differ")
    shares, _, (by_set, by_attribute) = _least(lambda: contributions(columns, *known, reach), 1)
    risk = 100 * (total * reach - spent)
    if not np.allclose([100 * by_set.sum(), 100 * by_attribute.sum()], risk.sum(), rtol=1e-9):
        raise RuntimeError("the contributions do not add up to the total")
    plan = unions(known[1], known[0], records)
    return {
        "sets": len(known[1]),
        "tables": sum(union.table for union in plan),
        "refined": sum(len(union.members) for union in plan if not union.table),
        "cpu": min(cpu, one),
        "seconds": wall,
        "memory": memory,
        "contributions": shares,
        "above": int((risk > 0.01).sum()),
    }


def plain(family: str, records: int, _: int) -> dict:
    """CPU seconds of the definition as a numpy user writes it, a known set at a time."""
    columns, cardinalities, sets, pk, weights = task(family, records)
    start = time.process_time()
    values = [None if w is None else w[c] for c, w in zip(columns, weights, strict=True)]
    risk = np.zeros(records)
    for known, probability in zip(sets, pk, strict=True):
        packed, cells = np.zeros(records, dtype=np.int64), 1
        for a in known:
            packed, cells = packed * cardinalities[a] + columns[a], cells * cardinalities[a]
        if cells <= 4 * records:
            counts = np.bincount(packed)[packed]
        else:
            _, at, found = np.unique(packed, return_inverse=True, return_counts=True)
            counts = found[at]
        unknown = [v for a, v in enumerate(values) if v is not None and a not in known]
        risk += 100 * probability / counts * sum(unknown)
    taken = time.process_time() - start
    reach, spent, total = record_sums(columns, cardinalities, sets, pk, weights)
    if not np.allclose(risk, 100 * (total * reach - spent), rtol=1e-9):
        raise RuntimeError("the kernel and plain numpy differ")
    return {"cpu": taken}


def _least(step, times: int):
    cpus, walls = [], []
    for _ in range(times):
        cpu, wall = time.process_time(), time.perf_counter()
        found = step()
        cpus.append(time.process_time() - cpu)
        walls.append(time.perf_counter() - wall)
    return min(cpus), min(walls), found


if __name__ == "__main__":
    what, family, records, repetitions = sys.argv[1:]
    print(
        json.dumps({"kernel": kernel, "plain": plain}[what](family, int(records), int(repetitions)))
    )
