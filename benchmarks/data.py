"""The files that are measured: simulated or drawn, made once, the same everywhere.

python benchmarks/data.py billing 10000000
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import adult
from processes import ENVIRONMENT, job

BILLING_KEYS = ["Age", "Sex", "Race", "Zip3", "Amount_Band"]
RECORD_KEYS = ["age", "sex", "race", "zip", "income", "amount"]
SPARSE_KEYS = {"a": 1000, "b": 500, "c": 100, "d": 100, "e": 50, "f": 50, "g": 20, "h": 10, "i": 2}
_CHUNK = 1_000_000


def billing(records: int) -> Path:
    """A billing file: five keys, at 10 million records some 327,000 classes."""
    return _made("billing", records)


def identified(records: int) -> Path:
    """The billing file with a record id ``rec``: whole numbers in no order."""
    return _made("identified", records)


def elsewhere(records: int) -> Path:
    """A tenth of the identified file in another order, the age of every tenth record rounded."""
    identified(records)
    return _made("elsewhere", records)


def fine(records: int) -> Path:
    """A patient file with six keys and an illness: many classes, some of one record."""
    return _made("fine", records)


def coarse(records: int) -> Path:
    """A patient file with the same six keys in few values: large classes."""
    return _made("coarse", records)


def bootstrap(records: int) -> Path:
    """Records of the Adult file, drawn with replacement."""
    return _made("bootstrap", records)


def sparse(records: int) -> Path:
    """Nine keys of 2 to 1,000 values, evenly drawn: nearly all combinations are distinct."""
    return _made("sparse", records)


WIDE = ("age", "sex", "education", "zip", "hours", "illness", "born", "income",
        *(f"amount{i}" for i in range(6)), *(f"answer{i}" for i in range(6)))  # fmt: skip


def wide(records: int = 1_000_000) -> Path:
    """Twenty columns of numbers, texts, codes and dates, in CSV."""
    path = ENVIRONMENT / "data" / f"wide-{records}.csv"
    if not path.exists():
        import duckdb

        parquet = _made("wide", records)
        beside = path.with_suffix(".part")
        duckdb.sql(f"SELECT * FROM '{parquet}'").write_csv(str(beside))
        beside.replace(path)
    return path


def _made(name: str, records: int) -> Path:
    path = ENVIRONMENT / "data" / f"{name}-{records}.parquet"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        job("data.py", name, str(records))  # elsewhere: the peak of a parent counts in its children
    return path


def _write(name: str, records: int) -> Path:
    import pyarrow.parquet as pq

    path = ENVIRONMENT / "data" / f"{name}-{records}.parquet"
    beside = path.with_suffix(".part")
    if name == "elsewhere":
        _write_elsewhere(records, beside)
        return beside.replace(path)
    writer = None
    for seed, start in enumerate(range(0, records, _CHUNK)):
        table = _SIMULATED[name](min(_CHUNK, records - start), seed)
        writer = writer or pq.ParquetWriter(beside, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    return beside.replace(path)


def _billing(n: int, seed: int):
    import numpy as np
    import pyarrow.compute as pc

    import discreet as ds

    table = ds.datasets.billing(n, seed)
    band = np.floor(2 * np.log2(table["Amount_Billed"].to_numpy())).astype(np.int64)
    table = table.append_column("Zip3", pc.utf8_slice_codeunits(table["Zip"], 0, 3))
    return table.append_column("Amount_Band", [band]).select(BILLING_KEYS)


def _identified(n: int, seed: int):
    import numpy as np

    rows = np.arange(n) + seed * _CHUNK
    # an odd factor: no two rows below 2^24 get the same id
    return _billing(n, seed).append_column("rec", [rows * 7_368_787 % 2**24])


def _write_elsewhere(records: int, path: Path) -> None:
    import duckdb

    kept = ", ".join(BILLING_KEYS[1:])
    duckdb.sql(
        f"SELECT rec, if(rec % 10 = 0, Age // 5 * 5, Age) AS Age, {kept} "
        f"FROM '{identified(records)}' ORDER BY md5(rec::VARCHAR) LIMIT {records // 10}"
    ).write_parquet(str(path))


def _wide(n: int, seed: int):
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(0, 100, n),
        "sex": rng.choice(["F", "M"], n),
        "education": rng.choice([f"level {i}" for i in range(16)], n),
        "zip": [f"{code:05d}" for code in rng.integers(1000, 9000, n)],
        "hours": rng.integers(0, 60, n),
        "illness": rng.choice([f"illness {i}" for i in range(40)], n),
        "born": np.datetime64("1930-01-01") + rng.integers(0, 30_000, n),
        "income": rng.integers(0, 200_000, n),
    }
    columns |= {f"amount{i}": np.round(rng.normal(1000, 300, n), 2) for i in range(6)}
    columns |= {
        f"answer{i}": rng.choice([f"answer {j}" for j in range(3 + 20 * i)], n) for i in range(6)
    }
    return pa.table({name: columns[name] for name in WIDE})


def _patients(n: int, seed: int):
    """Patients, with race and amount of a billing file beside them."""
    import discreet as ds

    bills = ds.datasets.billing(n, seed)
    table = ds.datasets.patients(n, seed)
    for name in ("Race", "Amount_Billed"):
        table = table.append_column(name, bills[name])
    return table


def _fine(n: int, seed: int):
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    table = _patients(n, seed)
    amount = np.log10(table["Amount_Billed"].to_numpy())
    return pa.table(
        {
            "age": table["age"].to_numpy() // 10 * 10,
            "sex": table["sex"],
            "race": table["Race"],
            "zip": pc.utf8_slice_codeunits(table["zip"], 0, 3),
            "income": np.minimum(table["income"].to_numpy() // 25_000, 4),
            "amount": np.clip(amount, 1, 4).astype(np.int64),
            "illness": table["illness"],
        }
    )


def _coarse(n: int, seed: int):
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    table = _patients(n, seed)
    common = pc.is_in(table["Race"], pa.array(["White", "Hispanic"]))
    return pa.table(
        {
            "age": np.digitize(table["age"].to_numpy(), [18, 65]),
            "sex": table["sex"],
            "race": pc.if_else(common, table["Race"], "other"),
            "zip": pc.utf8_slice_codeunits(table["zip"], 0, 1),
            "income": (table["income"].to_numpy() > 40_000).astype(np.int64),
            "amount": (table["Amount_Billed"].to_numpy() > 1_000).astype(np.int64),
            "illness": table["illness"],
        }
    )


def _sparse(n: int, seed: int):
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    return pa.table({key: rng.integers(0, values, n) for key, values in SPARSE_KEYS.items()})


_SIMULATED: dict[str, Callable] = {
    "billing": _billing,
    "identified": _identified,
    "fine": _fine,
    "coarse": _coarse,
    "bootstrap": adult.drawn,
    "sparse": _sparse,
    "wide": _wide,
}

if __name__ == "__main__":
    print(f'"{_write(sys.argv[1], int(sys.argv[2])).name}"')
