"""Waiting with an end: long enough for a slow machine, and shorter than a test may take."""

import time

PATIENCE = 120  # seconds
MILLISECONDS = 1000 * PATIENCE  # as the browser counts


def until(done, seconds=PATIENCE):
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not (found := done()):
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)
    return found


def ended(job):
    """Wait until a job is over, whatever came of it."""
    assert job.over.wait(2 * PATIENCE), f"{job.title} did not end"
