"""Killed at any moment, a run leaves the old outputs or the new ones, and the next run succeeds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = 36


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="kills forked processes")
def test_a_killed_run_leaves_the_old_or_the_whole_new_output(tmp_path):
    """``kill -9`` at random moments of a tight loop of runs, then before every single rename."""
    for name in ("out", "public"):
        (tmp_path / name).mkdir()
    (tmp_path / "t.csv").write_text("age,x\n" + "".join(f"{i % 7},{i}\n" for i in range(60)))
    script = Path(__file__).with_name("killed_runs.py")
    done = subprocess.run(
        [sys.executable, script, tmp_path, str(KILLS)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert len(found["random"]) == KILLS
    assert {0, 1} <= set(found["random"]) <= {None, 0, 1}  # None: no output was there yet
    assert found["renames"][0] is False
    assert found["renames"][-1] is True
    # the journal is the moment from which the new files count
    assert found["renames"] == sorted(found["renames"])
    assert found["renames"].count(True) >= 3
    assert found["last"] == 7
