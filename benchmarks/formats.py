"""A million records of twenty variables in SPSS and Stata files: we against the reader alone.

Each reading has a process of its own, so that its memory can be told. python benchmarks/formats.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

RECORDS = 1_000_000


def make(folder):
    import numpy as np
    import pandas as pd
    import pyreadstat

    rng = np.random.default_rng(1)
    numbers = {f"x{i}": rng.integers(1, 9, RECORDS).astype(float) for i in range(12)}
    amounts = {f"y{i}": rng.normal(size=RECORDS) for i in range(6)}
    words = {f"s{i}": rng.choice([f"word{j}" for j in range(500)], RECORDS) for i in range(2)}
    frame = pd.DataFrame(numbers | amounts | words)
    labels = {float(c): f"label {c}" for c in range(1, 9)}
    pyreadstat.write_sav(frame, folder / "t.sav", variable_value_labels={"x0": labels})
    pyreadstat.write_dta(frame, folder / "t.dta")
    return int(frame.memory_usage(deep=False).sum())


READ = {
    "reader": "import pyreadstat\nfound = pyreadstat.read_{kind}({path!r})",
    "discreet": "import discreet as ds\nfound = ds.read({path!r})\nfound.n",
    "nothing": "import ibis, pyreadstat, pandas, discreet as ds\n"
    "ibis.duckdb.connect()\nds.read({{'a': [1]}}).n",  # all libraries, and an engine
}
TIMED = """
import json, resource, time
start = time.process_time()
{code}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([time.process_time() - start, peak / 1024]))
"""


def measured(code):
    best = [float("inf"), float("inf")]
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", TIMED.format(code=code)], capture_output=True, check=True
        )
        best = [min(pair) for pair in zip(best, json.loads(done.stdout), strict=True)]
    return best


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = [sys.executable, __file__, name]  # of its own: a child begins with our memory
        size = float(subprocess.run(made, capture_output=True, check=True).stdout) / 1e6
        base = measured(READ["nothing"].format())
        alone = measured("import pyreadstat, pandas")
        print(f"table {size:.0f} MB; an empty process {base[0]:.1f} s, {base[1]:.0f} MB")
        for kind in ("sav", "dta"):
            path = str(folder / f"t.{kind}")
            found = {
                w: measured(READ[w].format(kind=kind, path=path)) for w in ("reader", "discreet")
            }
            ratio = (found["discreet"][0] - base[0]) / (found["reader"][0] - alone[0])
            more = (found["discreet"][1] - base[1]) / size
            print(f".{kind}: reader {found['reader']}, discreet {found['discreet']}: {ratio:.2f} "
                  f"without imports, memory beyond that {more:.2f} tables")  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(make(Path(sys.argv[1])))
    else:
        main()
