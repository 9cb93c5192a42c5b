"""Killed at any moment, a run leaves the old outputs or the new ones, and the next run succeeds."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.processes import run

KILLS = 36
# libraries that start threads when they are imported: a process that forks must have one alone
ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_a_killed_run_leaves_the_old_or_the_whole_new_output(tmp_path):
    """``kill -9`` at random moments of a tight loop of runs, then before every single rename."""
    for name in ("out", "public"):
        (tmp_path / name).mkdir()
    (tmp_path / "t.csv").write_text("age,x\n" + "".join(f"{i % 7},{i}\n" for i in range(60)))
    script = Path(__file__).with_name("killed_runs.py")
    done = run(
        [sys.executable, script, tmp_path, str(KILLS)],
        timeout=200,
        env={**os.environ, **ONE_THREAD},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert len(found["random"]) == KILLS
    assert set(found["random"]) <= {None, 0, 1}  # None: no output was there yet
    assert set(found["random"]) & {0, 1}
    assert found["renames"][0] is False
    assert found["renames"][-1] is True
    # the journal is the moment from which the new files count
    assert found["renames"] == sorted(found["renames"])
    assert found["renames"].count(True) >= 3
    assert found["last"] == 7
