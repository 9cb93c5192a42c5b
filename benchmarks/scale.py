"""How far one machine goes: each verb on billing files of 1 to 100 million records × 5 keys with
2 GB for the engine; and the risk of 1,000 million records, from the command line with 3 GB."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import data
from figure import Figure
from processes import job
from scale_job import VERBS

MILLION = 1_000_000
# MB over the whole process; the other verbs keep records in the engine, the last one here
MOST = {"risk": 1000, "check": 1000, "record_risk": 10_000}
HEADLINE = 1_000 * MILLION
ROOM = 6 * 10**9  # bytes on disk that the headline asks for


def run() -> Iterator[Figure]:
    small = str(data.billing(1_000))
    for records in (MILLION, 10 * MILLION, 100 * MILLION):
        path = str(data.billing(records))
        for verb in VERBS:
            found = job("scale_job.py", verb, path, small)
            what = f"{records:>11,} records: {verb}"
            yield Figure(what, found["seconds"], "s")
            yield Figure(what, found["cpu"], "s CPU")
            yield Figure(f"{what}, peak", found["megabytes"], "MB", at_most=MOST.get(verb, 3000))
    yield from _headline()


def _headline() -> Iterator[Figure]:
    if shutil.disk_usage(Path(__file__).parent).free < ROOM:
        print("  too little disk for 1,000 million records: skipped")
        return
    path = data.billing(HEADLINE)
    begun = time.perf_counter()
    command = [sys.executable, "-c", _COMMAND, str(path), ",".join(data.BILLING_KEYS)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    seconds, found = time.perf_counter() - begun, json.loads(said.splitlines()[-1])
    path.unlink()
    what = f"{HEADLINE:>11,} records: discreet risk"
    yield Figure(what, seconds / 60, "min", at_most=15)
    yield Figure(what, found["cpu"] / 60, "min CPU")
    yield Figure(f"{what}, peak", found["megabytes"], "MB", at_most=4000)


_COMMAND = """
import json, resource, sys
from discreet.cli import main
path, keys = sys.argv[1:]
sys.argv = ["discreet", "--memory-limit", "3GB", "risk", path, "--keys", keys]
try:
    main()
except SystemExit as done:
    assert not done.code
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "megabytes": used.ru_maxrss / 1024}))
"""
