"""The command ``discreet app``: how it is started, what others can see of it, what it leaves."""

import os
import re
import signal
import stat
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.app.visitor import Visitor
from tests.app.waiting import PATIENCE, until

COMMAND = [sys.executable, "-c", "from discreet.cli import command; command()", "app"]
LINUX = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs /proc of Linux")


class Started:
    """A started command, as its user and as another user of the machine sees it."""

    def __init__(self, process, temporary):
        self.process, self.temporary = process, temporary

    @property
    def rooms(self):
        return list(self.temporary.glob(".discreet-*"))

    def link(self):
        return re.search(r"http://\S+", self.process.stdout.readline())[0]

    def end(self, how):
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)


def kept_in(temporary):
    """Where projects are kept, on any system."""
    names = ("XDG_DATA_HOME", "LOCALAPPDATA", "HOME")
    return dict.fromkeys(names, str(temporary.parent / "kept"))


@contextmanager
def started(temporary, *words, **environment):
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [*COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "TMPDIR": str(temporary), **kept_in(temporary), **environment},
        start_new_session=True,
    )  # fmt: skip
    with process:
        try:
            yield Started(process, temporary)
        finally:  # and all that it started
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def logged_in(link):
    """A visitor who followed the link."""
    with urllib.request.urlopen(link, timeout=60) as answer:
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
        landing = re.search(r'url=([^"]+)', answer.read().decode())[1]

    class Known:
        class known:
            port = int(re.search(r":(\d+)/", link)[1])

    visitor = Visitor(Known)
    visitor.cookie = cookie
    return visitor, landing


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_in_order_and_leaves_nothing(tmp_path, patients, how):
    with started(tmp_path / "tmp", patients, "--no-browser") as app:
        visitor, landing = logged_in(app.link())
        until(lambda: "records, 7 columns" in visitor.get(landing).text)
        (room,) = app.rooms
        assert stat.S_IMODE(room.stat().st_mode) == 0o700
        inner = room / landing.split("/")[2]
        assert stat.S_IMODE(inner.stat().st_mode) == 0o700
        assert app.end(how) == 0
        assert list(app.temporary.iterdir()) == []
        assert "all working files are erased" in app.process.stdout.read()
    assert patients.exists()


@LINUX
def test_a_job_under_way_ends_with_the_app_even_when_that_is_killed(tmp_path, patients):
    with started(tmp_path / "tmp", patients, "--no-browser") as app:
        app.link()
        workers = until(lambda: children(app.process.pid))
        app.process.kill()
        app.process.wait()
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
        assert app.rooms
    with started(tmp_path / "tmp", "--no-browser") as again:  # tidies up what the other left
        again.link()
        assert len(again.rooms) == 1
        assert again.end(signal.SIGINT) == 0
        assert again.rooms == []


@LINUX
def test_after_a_kill_the_project_goes_on_and_no_record_lies_on_disk(tmp_path, patients):
    table = tmp_path / "house" / "patients.csv"
    table.parent.mkdir(mode=0o700)
    table.write_bytes(patients.read_bytes())
    rows = table.read_text(encoding="utf-8").splitlines()[1:]
    with started(tmp_path / "tmp", table, "--no-browser") as app:
        visitor, landing = logged_in(app.link())
        until(lambda: "records, 7 columns" in visitor.get(landing).text)
        at = landing.removesuffix("/data")
        assert visitor.post(f"{at}/data/suggested").status == 303
        assert visitor.post(f"{at}/roles/2", {"role-2": "other", "type-2": ""}).status == 200
        app.process.kill()
        app.process.wait()
        assert app.rooms
    with started(tmp_path / "tmp", table, "--no-browser") as app:
        visitor, landing = logged_in(app.link())
        until(lambda: "records, 7 columns" in visitor.get(landing).text)
        page = visitor.get(landing.replace("/data", "/roles")).text
        assert "Undo: role of age" in page
        visitor.get(landing)
        assert app.end(signal.SIGINT) == 0
        assert list(app.temporary.iterdir()) == []
        assert "Projects are kept" in app.process.stdout.read()
    left = [p for p in tmp_path.rglob("*") if p.is_file() and p != table]
    assert {p.suffix for p in left} == {".discreet", ""}  # the project, its note, and the key
    for place in left:
        text = place.read_text(encoding="utf-8")
        assert not any(row.split(",")[0] in text for row in rows), place.name  # names of patients


@LINUX
def test_enter_opens_the_browser_again_and_nothing_is_saved_where_that_is_wished(
    tmp_path, patients
):
    master, line = os.openpty()
    environment = {**os.environ, "TMPDIR": str(tmp_path), **kept_in(tmp_path / "tmp")}
    words = [*COMMAND, str(patients), "--no-browser", "--no-project"]
    process = subprocess.Popen(
        words, stdin=line, stdout=subprocess.PIPE, text=True, env=environment,
        start_new_session=True,
    )  # fmt: skip
    with process:
        try:
            first = process.stdout.readline()
            until(lambda: "Press Enter" in process.stdout.readline())
            os.write(master, b"\n")
            assert process.stdout.readline() == first
            visitor, landing = logged_in(re.search(r"http://\S+", first)[0])
            until(lambda: "records, 7 columns" in visitor.get(landing).text)
            visitor.post(landing + "/suggested")
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0
            assert not (tmp_path / "kept").exists()
            assert not patients.with_name(patients.name + ".discreet").exists()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            os.close(master)
            os.close(line)


@LINUX
def test_other_users_see_neither_the_token_nor_an_open_port(tmp_path):
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$@" > {seen}.draft && mv {seen}.draft {seen}\n')
    browser.chmod(0o755)
    with started(tmp_path / "tmp", BROWSER=f"{browser} %s") as app:
        until(seen.exists)
        address = seen.read_text(encoding="utf-8").strip()
        assert address.startswith("file://")
        page = Path(address.removeprefix("file://"))
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        link = re.search(
            r"url=(http://127\.0\.0\.1:\d+/\?token=[\w-]{43})", page.read_text(encoding="utf-8")
        )[1]
        token = link.partition("token=")[2]
        visitor, _ = logged_in(link)
        assert visitor.get("/").status == 200
        words = Path(f"/proc/{app.process.pid}/cmdline").read_text(encoding="utf-8")
        environment = Path(f"/proc/{app.process.pid}/environ").read_text(encoding="utf-8")
        assert token not in address + words + environment
        assert listening(app.process.pid) == {"0100007F"}  # 127.0.0.1, in the words of the kernel
        app.end(signal.SIGINT)
        assert token not in app.process.stdout.read()


def test_what_it_prints_holds_no_value_of_the_data(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("age,job\n" + "23,Tr0ub4dor\n" * 3 + "24\n")  # the last line is too short
    with started(tmp_path / "tmp", table, "--no-browser") as app:
        visitor, landing = logged_in(app.link())
        until(lambda: "failed." in visitor.get(landing).text)
        page = visitor.get(landing).text
        assert "S06" in page
        assert "Tr0ub4dor" not in page
        visitor.get("/w/x/data")
        app.end(signal.SIGINT)
        assert "Tr0ub4dor" not in app.process.stdout.read()


def test_a_file_that_is_not_there_is_said_before_anything_is_started(tmp_path):
    with started(tmp_path / "tmp", "none.csv") as app:
        assert app.process.wait(PATIENCE) == 2
        assert "S01" in app.process.stdout.read()


def children(pid):
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in found for child in path.read_text(encoding="utf-8").split()]


def listening(pid):
    """The addresses at which a process listens."""
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    sockets = {link[8:-1] for link in links if link.startswith("socket:")}
    rows = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{name}").read_text(encoding="utf-8").splitlines()[1:]
    ]
    return {row[1].partition(":")[0] for row in rows if row[9] in sockets and row[3] == "0A"}


def test_the_command_says_what_is_not_installed(monkeypatch, tmp_path):
    from discreet import DiscreetError
    from discreet.app.server import service

    monkeypatch.setattr(service, "_NEEDED", ("starlette", "no_such_package"))
    with pytest.raises(DiscreetError, match="no_such_package") as caught:
        service.serve(None, most_upload=1, ready=lambda *_: time.sleep(0))
    assert caught.value.code == "M01"
    assert "pip install 'discreet[app]'" in str(caught.value)
