"""Progress of long work: who hears of it, and how it is stopped."""

import os
import pty
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import discreet as ds
from discreet.errors import DiscreetError
from discreet.progress import COMPILING, stage, watched

LONG = """
import numpy as np, discreet as ds
values = np.random.default_rng(1).normal(size=(120_000, 12))
table = {f"x{i}": values[:, i] for i in range(12)}
data = ds.read(table, keys=list(table), types={c: "continuous" for c in table})
print("ready", flush=True)
ds.microaggregate(data, k=3)
print("done", flush=True)
"""


@pytest.fixture
def numbers():
    values = np.random.default_rng(1).normal(size=(6_000, 3))
    table = {f"x{i}": values[:, i] for i in range(3)}
    return ds.read(table, keys=list(table), types=dict.fromkeys(table, "continuous"))


@pytest.mark.parametrize("method", ["mdav", "v-mdav"])
@pytest.mark.parametrize("blocks", [None, 1000])
def test_a_callback_hears_of_every_record_once(numbers, method, blocks):
    heard = []
    with ds.on_progress(heard.append):
        ds.microaggregate(numbers, k=5, method=method, blocks=blocks)
    heard = [p for p in heard if p.stage != COMPILING]  # on first use
    done = [p.done for p in heard]
    assert done == sorted(done)
    assert done[-1] == 6_000
    assert {(p.stage, p.total) for p in heard} == {("grouping similar records", 6_000)}


def test_a_kernel_counts_what_it_has_grouped():
    from discreet.kernels.multivariate.brute import brute_groups
    from discreet.kernels.multivariate.mdav import pruned_groups
    from discreet.kernels.multivariate.mixed import mdav_mixed
    from discreet.kernels.multivariate.variable import v_mdav

    points = np.random.default_rng(2).normal(size=(500, 2))
    none, ranges = np.empty((500, 0), np.int64), np.empty(0)
    for run in (
        lambda w: brute_groups(points, 4, w),
        lambda w: pruned_groups(points, 4, w),
        lambda w: v_mdav(points, 4, watch=w),
        lambda w: mdav_mixed(points, none, ranges, none, 4, watch=w),
    ):
        watch = np.zeros(2, np.int64)
        run(watch)
        assert 500 - 8 < watch[0] <= 500  # the last group of fewer than 2k is not a step
        ended = np.array([0, 1])
        run(ended)
        assert ended[0] == 0


def test_an_exception_of_the_callback_ends_the_work(numbers):
    class Enough(Exception):
        pass

    def stop(progress):
        raise Enough

    with pytest.raises(Enough), ds.on_progress(stop):
        ds.microaggregate(numbers, k=5)


def test_an_error_of_the_work_is_not_lost():
    def broken(watch):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        watched("trying", 1, broken)


def test_stages_within_a_stage_are_silent(numbers):
    heard = []
    with ds.on_progress(heard.append), stage("all of it", 2) as advance:
        ds.microaggregate(numbers, k=5)
        advance(1)
    assert [(p.stage, p.done) for p in heard] == [("all of it", 1), ("all of it", 2)]


def test_what_is_not_a_function_is_refused():
    with pytest.raises(DiscreetError, match="P09"), ds.on_progress("loud"):
        pass


def test_ctrl_c_ends_a_compiled_loop_at_once():
    with subprocess.Popen(
        [sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline() == "ready\n"
        time.sleep(1.0)
        running.send_signal(signal.SIGINT)
        start = time.monotonic()
        out, err = running.communicate(timeout=60)
    assert "done" not in out
    assert "KeyboardInterrupt" in err
    assert time.monotonic() - start < 30  # a first run compiles before it can be stopped


def test_a_bar_appears_in_a_terminal_when_the_work_takes_long():
    program = """
import time
import discreet.progress as progressing
progressing._PATIENCE = 0.2
with progressing.stage("grouping similar records", 10) as advance:
    for i in range(6):
        time.sleep(0.1)
        advance(i)
"""
    leader, follower = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", program], stderr=follower, close_fds=True) as run:
        run.wait(30)
    os.close(follower)
    assert b"grouping similar records" in os.read(leader, 10_000)
    os.close(leader)


def test_no_bar_is_drawn_into_a_pipe():
    program = """
import discreet.progress as progressing
progressing._PATIENCE = 0.0
with progressing.stage("grouping", 2) as advance:
    advance(1)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stderr == b""
