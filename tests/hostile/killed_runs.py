"""A process that runs a plan again and again, and one that forks and kills such processes.

Run by test_killed_runs.py in an interpreter of its own: a process that forks must not have
started the engine, so that this one imports all that a run needs and starts nothing.
"""

import contextlib
import hashlib
import importlib
import json
import os
import random
import select
import signal
import sys
import time
from pathlib import Path

import discreet as ds
from discreet.files import rooms

OUTPUTS = {"masked": "out/m.csv", "public": "public/p.json", "ledger": "out/l.json"}


def plan(folder, seed):
    steps = [{"do": "sample", "n": 40, "seed": seed}]
    return ds.Plan.of(
        {
            "source": {"file": "t.csv"},
            "roles": {"keys": ["age"]},
            "steps": steps,
            "outputs": {**OUTPUTS, "unique_columns": {"x": "of nobody", "age": "of nobody"}},
        },
        folder,
    )


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def state(folder):
    """The generation of every output: by the seed that the ledger holds and digests of the others.

    None where nothing is there. A file that is not whole is not valid JSON or has a digest that
    no complete run gave.
    """
    masked, public, ledger = (folder / name for name in OUTPUTS.values())
    if not any(file.exists() for file in (masked, public, ledger)):
        return None
    document = json.loads(ledger.read_text(encoding="utf-8"))
    digests = {one["role"]: one["sha256"] for one in document["outputs"]}
    assert digests == {"masked": digest(masked), "public": digest(public)}, "not of one run"
    return document["plan"]["steps"][0]["seed"]


def child(folder, work):
    """Fork; the child works until it is killed or done. Returns its id and the pipe it signals on."""
    assert len(list(Path("/proc/self/task").iterdir())) == 1, (
        "a process of several threads must not fork"
    )
    out, into = os.pipe()
    pid = os.fork()
    if pid:
        os.close(into)
        return pid, out
    os.close(out)
    try:
        work(lambda: os.write(into, b"."))
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - said to the test, which fails
        sys.stderr.write(f"child failed: {error!r}\n")
        sys.stderr.flush()
        os._exit(3)


def said(pipe):
    """Whether the child signalled; a child that does neither that nor end is stuck."""
    assert select.select([pipe], [], [], 60)[0], "the child is stuck"
    return os.read(pipe, 1) == b"."


def prepared(folder):
    """Import what a run imports, found out by one; return how long a run takes."""
    note = folder / "modules.json"

    def work(_):
        plan(folder, 1).run(overwrite=True)
        start = time.monotonic()
        plan(folder, 1).run(overwrite=True)
        note.write_text(json.dumps([time.monotonic() - start, sorted(sys.modules)]))

    pid, ready = child(folder, work)
    assert os.waitpid(pid, 0)[1] == 0
    os.close(ready)
    seconds, modules = json.loads(note.read_text(encoding="utf-8"))
    for name in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    return seconds


def again_and_again(folder):
    def work(ready):
        plan(folder, 1).open()  # the engine is started
        ready()
        for number in range(10_000):
            plan(folder, number % 2).run(overwrite=True)

    return work


def at_random_moments(folder, times, seed, seconds):
    """Kill, look, let the next one go on from what is left."""
    chance = random.Random(seed)
    seen = []
    for number in range(times):
        if number % 5 == 0:  # now and then there is no old output
            for name in OUTPUTS.values():
                (folder / name).unlink(missing_ok=True)
        pid, ready = child(folder, again_and_again(folder))
        assert said(ready), "the child did not start"
        time.sleep(chance.uniform(0, 2.5 * seconds))
        os.kill(pid, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(pid, 0)[1]), "the child ended by itself"
        os.close(ready)
        for file in (folder / name for name in OUTPUTS.values()):
            assert not file.exists() or file.read_bytes()[-1:] == b"\n", f"{file.name} is cut"
        for part in ("out", "public"):
            rooms.tidy(folder / part)
        seen.append(state(folder))
        assert not list(folder.rglob(".discreet-*")), "something was left"
    return seen


def dying_at(folder, step, seed):
    def work(ready):
        one, rename, count = plan(folder, seed), os.replace, iter(range(1000))

        def dying(*where):
            if next(count) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return rename(*where)

        os.replace = dying
        one.run(overwrite=True)
        ready()

    return work


def at_every_rename(folder):
    """Kill before the first, second, … rename of a run, until a run comes to its end."""
    seen = []
    for step in range(1000):
        before = state(folder)
        pid, ready = child(folder, dying_at(folder, step, 1 - (before or 0)))
        done = said(ready)
        _, status = os.waitpid(pid, 0)
        assert os.WIFSIGNALED(status) != done
        os.close(ready)
        for part in ("public", "out"):
            rooms.tidy(folder / part)
        after = state(folder)
        assert after in (before, 1 - (before or 0)), "neither the old nor the new output"
        seen.append(after != before)
        if done:
            return seen
    raise AssertionError


def last(folder):
    """After all that a run succeeds."""
    pid, ready = child(folder, lambda ready: (plan(folder, 7).run(overwrite=True), ready()))
    assert said(ready)
    os.waitpid(pid, 0)
    return state(folder)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    lasts = prepared(place)
    found = {
        "random": at_random_moments(place, int(sys.argv[2]), 11, lasts),
        "renames": at_every_rename(place),
        "last": last(place),
    }
    sys.stdout.write(json.dumps(found))
