"""The process of a job: one task in, lines of progress out, the result in a file.

    python -m discreet.app.jobs.worker

What an unknown error says may quote a cell: only its type leaves the process. Errors of this
package hold names and counts, and are passed on.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import IO, Any

_PAUSE = 0.1  # seconds between two lines of progress


def main() -> None:
    """Do the task on standard input."""
    task = json.loads(sys.stdin.buffer.readline())
    out = _own_output()
    threading.Thread(target=_end_with_the_app, daemon=True).start()
    code = _attempt(task, out)
    out.flush()
    os._exit(code)


def _own_output() -> IO[str]:
    """Standard output for our lines alone: what a library prints goes nowhere."""
    private = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return private


def _end_with_the_app() -> None:
    """Standard input ends when the app is gone."""
    sys.stdin.buffer.read()
    os._exit(1)


def _attempt(task: dict[str, Any], out: IO[str]) -> int:
    from discreet.app.jobs.job import unknown_failure
    from discreet.errors import DiscreetError

    try:
        _do(task, out)
    except DiscreetError as error:
        problems = [[p.code, p.what, p.remedy] for p in error.problems]
    except Exception as error:  # noqa: BLE001 - its message may quote a value
        failure = unknown_failure(error)
        problems = [[failure.code, failure.what, failure.remedy]]
    else:
        return 0
    print(json.dumps({"failed": problems}), file=out)
    return 1


def _do(task: dict[str, Any], out: IO[str]) -> None:
    import discreet as ds
    from discreet.app.forms.labels import on_pages
    from discreet.app.jobs.task import JobOutcome, JobTask
    from discreet.app.jobs.tasks import WORK
    from discreet.surface import shown_on

    last = -1.0

    def tell(progress: Any) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= _PAUSE or progress.done == progress.total:
            last = now
            line = {"stage": progress.stage, "done": progress.done, "total": progress.total}
            print(json.dumps(line), file=out, flush=True)

    parts = task["document"], Path(task["folder"]), task["settings"], task.get("slot", "")
    given = JobTask(*parts, tell=tell)
    with warnings.catch_warnings(record=True) as heard, ds.on_progress(tell), shown_on(on_pages):
        warnings.simplefilter("always")
        value = WORK[task["work"]].do(given)
    result = Path(task["result"])
    draft = result.with_suffix(".draft")
    draft.write_bytes(pickle.dumps(JobOutcome(value, _ours(heard))))
    draft.replace(result)


def _ours(heard: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """Warnings of this package, which hold no value; what libraries say is not ours to show."""
    package = Path(__file__).parents[2]
    said = [_worded(one.message) for one in heard if package in Path(one.filename).parents]
    return tuple(dict.fromkeys(said))


def _worded(message: Warning | str) -> str:
    """A warning in the words of the pages."""
    from discreet.app.forms.labels import in_words
    from discreet.errors import ReadHint

    return in_words(message.problem) if isinstance(message, ReadHint) else str(message)


if __name__ == "__main__":
    main()
