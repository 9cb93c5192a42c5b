"""Jobs in a thread of the test: for products of many short ways, without a process for each."""

import io
import pickle
import threading
import time

from discreet.app.jobs import job as jobs
from discreet.app.jobs import worker
from discreet.app.jobs.task import WORKING
from discreet.errors import DiscreetError


def in_threads(monkeypatch):
    """Have every job done by the code of its process, in a thread."""

    def work(job, task, folder, then):
        working = folder / WORKING
        working.mkdir(mode=0o700, exist_ok=True)
        result = working / "result.pickle"
        try:
            worker._do({**task, "result": str(result)}, io.StringIO())
            then(pickle.loads(result.read_bytes()))
            job.state = "done"
        except DiscreetError as error:
            job.state, job.problems = "failed", error.problems
        finally:
            job.ended = time.monotonic()
            job.over.set()

    def start(_self, *given):
        threading.Thread(target=work, args=given, daemon=True).start()

    monkeypatch.setattr(jobs.Jobs, "start", start)
