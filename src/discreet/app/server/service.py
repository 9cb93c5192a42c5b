"""The server: a socket of its own on this machine alone, and an end that leaves nothing behind."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import fail
from discreet.files.rooms import room

if TYPE_CHECKING:
    import uvicorn

    from discreet.app.server.guard import Secrets
    from discreet.app.server.workspaces import Workspaces

_NEEDED = ("starlette", "uvicorn", "jinja2", "python_multipart")
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # those that the system has


class Server:
    """One start of the app: socket, secrets, working folder and workspaces.

    Parameters
    ----------
    folder : Path
        Private, and erased by whoever made it.
    file : Path, optional
        A table, a plan or a project to open at once.
    most_upload : int
        Bytes of an upload.
    projects : Path, optional
        The folder where projects are kept; without it none is saved.
    options
        Of :func:`discreet.app.server.application.application`.
    """

    def __init__(
        self,
        folder: Path,
        file: Path | None = None,
        *,
        most_upload: int = 200 << 20,
        projects: Path | None = None,
        **options: Any,
    ) -> None:
        from discreet.app.server.application import application
        from discreet.app.server.guard import Secrets
        from discreet.app.server.project_files import ProjectFolder
        from discreet.app.server.projects import open_path
        from discreet.app.server.workspaces import Workspaces

        kept = None if projects is None else ProjectFolder(projects)
        self.workspaces: Workspaces = Workspaces(folder, projects=kept)
        self._given = "" if file is None else open_path(self.workspaces, file).id
        self.socket = _own_socket()
        self.known: Secrets = Secrets.fresh(self.socket.getsockname()[1])
        made = application(
            self.known,
            self.workspaces,
            landing=lambda: self.landing,
            most_upload=most_upload,
            **options,
        )
        self._server = _uvicorn(made)

    @property
    def landing(self) -> str:
        """Where the launch link leads: to the table of the command line, else to the first page."""
        is_open = self.workspaces.get(self._given) is not None
        return f"/w/{self._given}/data" if is_open else self.known.listing

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.known.port}"

    @property
    def link(self) -> str:
        """The address that lets in whoever has it."""
        return f"{self.address}/?token={self.known.token}"

    def run(self) -> None:
        """Answer until told to end; then end all jobs and erase all tables."""
        try:
            self._server.run(sockets=[self.socket])
        finally:
            self.workspaces.close_all()
            self.socket.close()

    def stop(self) -> None:
        """End soon."""
        self._server.should_exit = True

    @property
    def answers(self) -> bool:
        """Whether it is up."""
        return self._server.started


def serve(
    file: Path | None,
    *,
    most_upload: int,
    ready: Callable[[Server, Path], None],
    projects: Path | None = None,
) -> None:
    """Run the app until it is ended.

    Parameters
    ----------
    file : Path, optional
        A table, a plan or a project to open at once.
    most_upload : int
        Bytes of an upload.
    ready : function
        Called with the server and its private folder just before it answers.
    projects : Path, optional
        The folder where projects are kept; without it none is saved.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        what = f"{', '.join(missing)}: not installed."
        fail("M01", what, "Run: pip install 'discreet[app]'")
    with contextlib.ExitStack() as stack:
        stack.callback(os.umask, os.umask(0o077))  # files that are made are for their owner
        folder = stack.enter_context(room(Path(tempfile.gettempdir()) / "the app"))
        stack.callback(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = str(folder)  # where uploads are put together
        given = None if file is None else file.absolute()
        server = Server(folder, given, most_upload=most_upload, projects=projects)
        stack.enter_context(_ended_by_signals(server.stop))
        ready(server, folder)
        server.run()


def launch(link: str, folder: Path) -> Path:
    """Have the browser open the app, without showing the token to other users of the machine.

    The words of a command are visible to everyone, so the browser is not given the address but a
    file that only the steward may read, which leads on to it.
    """
    file = redirect_file(link, folder)
    threading.Thread(target=webbrowser.open, args=(file.as_uri(),), daemon=True).start()
    return file


def on_enter(do: Callable[[], None]) -> bool:
    """Do something whenever Enter is pressed in the terminal; whether there is one.

    It is read past Python's own stdin, whose lock would hold up the end of the program, and only
    while the app is in the foreground: the system stops one in the background that reads.
    """
    if not sys.stdin.isatty():
        return False

    def listen() -> None:
        while True:
            if _is_in_background():
                time.sleep(0.5)
            elif b"\n" in (said := os.read(0, 1024)):
                do()
            elif not said:
                return

    threading.Thread(target=listen, daemon=True).start()
    return True


def _is_in_background() -> bool:
    """Whether another program has the terminal, or nothing was typed yet."""
    if not hasattr(os, "tcgetpgrp"):
        return False
    if not select.select([0], [], [], 1.0)[0]:
        return True
    try:
        return os.tcgetpgrp(0) != os.getpgrp()
    except OSError:  # a terminal that belongs to no session of ours
        return False


def redirect_file(link: str, folder: Path) -> Path:
    """A page that leads to the link, for the eyes of its owner."""
    from discreet.app.server.guard import leading_page

    file = folder / "open.html"
    if file.exists():
        return file
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as written:
        written.write(f"{leading_page(link, 'Open discreet')}\n")
    return file


def _own_socket() -> socket.socket:
    """A free port that only this machine reaches."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.bind(("127.0.0.1", 0))
    made.listen(128)  # who comes before the server is up waits
    return made


def _uvicorn(app: Any) -> uvicorn.Server:
    import uvicorn

    from discreet.app.server.connection import Connection

    class Quiet(uvicorn.Server):
        """Leaves signals to us: it would raise them again after the end."""

        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None, None, None]:
            yield

    for name in ("uvicorn.error", "python_multipart"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # a message may quote a value
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=2,
        limit_concurrency=200,
    )
    return Quiet(config)


@contextlib.contextmanager
def _ended_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Have the signals that end a program end the server in order; those of before come back."""
    known = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    before = {one: signal.signal(one, lambda *_: stop()) for one in known}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
