"""Processes for the tests that start at once: forked from one that has imported the package.

Of a short job, or a command on a small table, nearly all the time goes into imports. Here one
process, the template, does them once, and runs no code of the package; each process that a test
asks for is a fork of it, with an id, standard streams, folder, environment and end of its own,
and is told from one of ``subprocess`` by its beginning, and by its charts: one process draws those
of all forks, since the renderer takes ten times longer to start than to draw. Where no process can
be forked, and in the tests that are about that beginning, ``subprocess`` is used.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import importlib.util
import json
import os
import pkgutil
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path

JOB, COMMAND = "discreet.app.jobs.worker", "discreet.cli"  # their mains
POSSIBLE = sys.platform == "linux"
HEAVY = ("altair", "ibis", "ibis.backends.duckdb.converter", "pandas", "vl_convert")
_LENGTH = struct.Struct("!I")
_SEE_END = 60  # seconds
_POPEN = subprocess.Popen


# -- in the test ---------------------------------------------------------------------------------


class Template:
    """The process that is forked; ``path`` is where it finds packages beside the usual ones."""

    def __init__(self, path=""):
        self._folder = tempfile.TemporaryDirectory(prefix="discreet-template-")
        self._place = str(Path(self._folder.name) / "socket")
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, self._place],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path} if path else None,
        )  # fmt: skip
        assert self._process.stdout.readline() == b"ready\n"

    def close(self):
        """End it; processes that were forked from it go on."""
        self._process.communicate(timeout=_SEE_END)
        self._folder.cleanup()

    def start(self, words, streams, cwd, env):
        """Have a process forked; the connection by which its end will be told, and its id."""
        given = {"main": words[0], "arguments": words[1:], "cwd": str(cwd or Path.cwd()),
                 "env": dict(os.environ if env is None else env), "umask": _umask()}  # fmt: skip
        body = json.dumps(given).encode()
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._place)
        socket.send_fds(connection, [_LENGTH.pack(len(body))], streams)
        connection.sendall(body)
        return connection, int(_line(connection))


class Process:
    """A fork, as ``subprocess.Popen`` would show it, as far as jobs and commands need that."""

    def __init__(self, words, *, error=subprocess.DEVNULL, cwd=None, env=None, path=""):
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        with contextlib.ExitStack() as theirs:
            theirs.callback(os.close, theirs_in)
            theirs.callback(os.close, theirs_out)
            if error == subprocess.DEVNULL:
                error = theirs.enter_context(open(os.devnull, "wb")).fileno()  # noqa: PTH123
            streams = [theirs_in, theirs_out, error]
            self._connection, self.pid = shared(path).start(words, streams, cwd, env)
        self.stdin, self.stdout = os.fdopen(ours_in, "wb"), os.fdopen(ours_out, "rb")
        self.returncode = None

    def poll(self):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout=None):
        if self.returncode is None:
            with selectors.DefaultSelector() as told:
                told.register(self._connection, selectors.EVENT_READ)
                if not told.select(timeout):
                    raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
            self.returncode = int(_line(self._connection))
            self._connection.close()
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


@functools.cache
def shared(path=""):
    """The template of this process, one for each path; it ends with it."""
    made = Template(path)
    atexit.register(made.close)
    return made


def run(words, cwd=None, env=None, path=""):
    """As ``subprocess.run`` with captured text, and nothing on standard input. The words are those
    of a command, or ``-c`` and a text of Python.
    """
    with tempfile.TemporaryFile() as error:
        process = Process(words, error=error.fileno(), cwd=cwd, env=env, path=path)
        process.stdin.close()
        with process.stdout:
            out = process.stdout.read().decode()
        code = process.wait()
        error.seek(0)
        return subprocess.CompletedProcess(words, code, out, error.read().decode())


class Subprocess:
    """The module ``subprocess`` for jobs: their processes are forked, unless a test put others in
    their place.
    """

    def __getattr__(self, name):
        return getattr(subprocess, name)

    def Popen(self, words, *, cwd, env, **streams):
        if subprocess.Popen is _POPEN:
            return Process([JOB], cwd=cwd, env=env)
        return subprocess.Popen(words, cwd=cwd, env=env, **streams)


def _umask():
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1], 8) for line in status.splitlines() if "Umask" in line)


def _line(connection):
    parts = []
    while (one := connection.recv(1)) not in (b"\n", b""):
        parts.append(one)
    return b"".join(parts)


# -- in the template -----------------------------------------------------------------------------


def _serve(place):
    """Fork whenever that is asked for, and tell of every end, until the test is gone."""
    running = {}
    wake, woken = socket.socketpair()
    for end in (wake, woken):
        end.setblocking(False)
    signal.set_wakeup_fd(woken.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with socket.socket(socket.AF_UNIX) as listening, selectors.DefaultSelector() as asked:
        listening.bind(place)
        listening.listen()
        for source in (listening, wake, sys.stdin):
            asked.register(source, selectors.EVENT_READ)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            sources = [key.fileobj for key, _ in asked.select()]
            if wake in sources:
                wake.recv(4096)
            _tell_of_ends(running)
            if listening in sources:
                connection, _ = listening.accept()
                given, streams = _asked(connection)
                if (pid := os.fork()) == 0:
                    return given, streams
                for stream in streams:
                    os.close(stream)
                running[pid] = connection
                connection.sendall(b"%d\n" % pid)
            if sys.stdin in sources:
                return None


def _asked(connection):
    length, streams, _, _ = socket.recv_fds(connection, _LENGTH.size, 3)
    return json.loads(_received(connection, _LENGTH.unpack(length)[0])), streams


def _received(connection, size):
    parts = []
    while size > 0:
        parts.append(connection.recv(size))
        assert parts[-1], "the other side is gone"
        size -= len(parts[-1])
    return b"".join(parts)


def _tell_of_ends(running):
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        with contextlib.suppress(OSError), running.pop(pid) as connection:
            connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(given, streams):
    """What a new process would be: its streams, folder, environment, mask and words."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, 256)
    usual = [(one.encoding, one.errors) for one in (sys.stdin, sys.stdout, sys.stderr)]
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding=encoding, errors=errors, closefd=False)  # noqa: SIM115
        for number, (mode, (encoding, errors)) in enumerate(zip("rww", usual, strict=True))
    )
    os.environ.clear()
    os.environ.update(given["env"])
    os.umask(given["umask"])
    os.chdir(given["cwd"])
    tempfile.tempdir = None
    sys.argv = [given["main"], *given["arguments"]]


def _import_all():
    import discreet

    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for module in pkgutil.walk_packages(discreet.__path__, "discreet."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def _compile_in_turn():
    """Have the forks compile in turn with all other processes of the tests."""
    place = Path(__file__).with_name("kernels.py")
    spec = importlib.util.spec_from_file_location("kernels", place)
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    kernels.compile_once()


def _draw_in_one_process(place):
    """Start the process that draws, and have the forks ask it."""
    import vl_convert

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        if os.fork() == 0:
            _draw(listening)
    vl_convert.vegalite_to_svg = functools.partial(_drawn, place)


def _draw(listening):
    """Draw what is asked for, each chart once, until the test is gone."""
    from discreet import charts

    drawn = {}
    with selectors.DefaultSelector() as asked:
        asked.register(listening, selectors.EVENT_READ)
        asked.register(sys.stdin, selectors.EVENT_READ)
        while all(key.fileobj is listening for key, _ in asked.select()):
            connection, _ = listening.accept()
            with connection:
                asked_for = _message(connection)
                if asked_for not in drawn:
                    spec, options = json.loads(asked_for)
                    drawn[asked_for] = charts._renderer().vegalite_to_svg(spec, **options)
                _send(connection, drawn[asked_for])
    os._exit(0)


def _drawn(place, spec, **options):
    """A chart that the process which draws was asked for."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        _send(connection, json.dumps([spec, options]))
        return _message(connection)


def _send(connection, text):
    connection.sendall(_LENGTH.pack(len(text.encode())) + text.encode())


def _message(connection):
    (size,) = _LENGTH.unpack(_received(connection, _LENGTH.size))
    return _received(connection, size).decode()


def _code(main):
    """The exit code of a main, or of a text of Python."""
    try:
        if main == "-c":
            exec(sys.argv[1], {"__name__": "__main__"})
        else:
            importlib.import_module(main).main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter would
        traceback.print_exc()
        return 1
    return 0


def _leave(code):
    """As a process ends, but for taking apart what the template imported."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _import_all()
    _compile_in_turn()
    gc.freeze()  # nothing of it is looked through again by any of the forks
    _draw_in_one_process(f"{sys.argv[1]}-charts")
    begun = _serve(sys.argv[1])
    if begun:
        _become(*begun)
        _leave(_code(begun[0]["main"]))
