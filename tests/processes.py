"""Run a command for a test so that nothing it started can hold the test up."""

import contextlib
import os
import signal
import subprocess
import tempfile


def run(command, timeout, **options):
    """As ``subprocess.run`` with captured text; all that it started ends with it.

    What it prints goes to files: a grandchild that lives on, such as a server of Java, would keep
    a pipe open, and reading it would never end.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8") as err,
    ):
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
            **options,
        )  # fmt: skip
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        out.seek(0)
        err.seek(0)
        done = subprocess.CompletedProcess(command, code, out.read(), err.read())
    assert code is not None, f"not done after {timeout} s: {done.stderr[-2000:]}"
    return done
