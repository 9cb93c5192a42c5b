"""A task that a peer does, too: ``peers_job.py TASK FILE`` or ``peers_job.py search LIMIT`` prints
the least CPU time of three runs, warm, without reading."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import adult


def main() -> None:
    import discreet as ds

    task, given = sys.argv[1:]
    if task == "search":
        data, above = ds.read(adult.FILE, keys=adult.KEYS), adult.hierarchies()
        criterion, limit = ds.KAnonymity(5), float(given)
        print(
            json.dumps(least(lambda: ds.generalize(data, above, criterion, max_suppressed=limit)))
        )
        return
    columns = list(ds.read(given).columns)
    data = ds.read(given, keys=[] if task == "mdav" else columns)
    tasks: dict[str, Callable[[], object]] = {
        "mdav": lambda: ds.microaggregate(data, columns, k=3),
        "risk": lambda: ds.risk(data),
        "cells": lambda: ds.suppress_cells(data, ds.KAnonymity(3), search="quick"),
    }
    print(json.dumps(least(tasks[task])))


def least(work: Callable[[], object]) -> dict[str, float]:
    work()  # compiled
    seconds = []
    for _ in range(3):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return {"cpu": min(seconds)}


if __name__ == "__main__":
    main()
