"""The app with a million records × 20 columns in CSV: how long until the table is read, and until
its risk is shown, how long a page takes meanwhile, the sliders of a sweep, and the memory of
the server and its workers together; and the roles of 300 columns."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import data
import numpy as np
from figure import Figure

COMMAND = "from discreet.cli import command; command()"
KEYS = ("age", "sex", "education", "zip", "hours")
HIERARCHIES = {
    "age": {"builder": "intervals", "widths": "5, 10, 20, 40"},
    "sex": {"builder": "suppress"},
    "education": {"builder": "suppress"},
    "zip": {"builder": "prefixes", "lengths": "5, 4, 3, 2, 1, 0"},
    "hours": {"builder": "intervals", "widths": "5, 10, 20"},
}
PATIENCE = 300.0
MEGABYTES = 2000
COLUMNS = 300


def run() -> Iterator[Figure]:
    table = data.wide()
    with App(table) as app:
        read = app.opened()
        yield Figure("1,000,000 × 20: read, until the columns are shown", read, "s")
        app.choose_roles()
        measured = app.job(app.at("roles/measure"), app.at("roles/results"), 'class="found"')
        yield Figure("… roles chosen, until the risk is shown", measured, "s")
        yield Figure("… both", read + measured, "s", 15)
        yield Figure("… both, time of processors, whatever else they do", app.worked(), "s", 15)
        for number, given in app.hierarchies():
            app.post(app.at(f"hierarchy/{number}"), given)
        swept = app.job(app.at("explore/sweep"), app.at("explore/results"), 'id="sliders"')
        yield Figure("… the lattice swept", swept, "s", 60)
        yield Figure("… a slider, median of 20", app.slider(), "s", 0.1)
        pages = sorted(app.waits)
        yield Figure("a page while work is done, median", statistics.median(pages), "s")
        yield Figure(f"a page while work is done, longest of {len(pages)}", pages[-1], "s", 1.0)
        yield Figure("server and workers, peak", app.peak, "MB", MEGABYTES)
    with tempfile.TemporaryDirectory() as folder, App(many_columns(Path(folder))) as app:
        yield Figure("2,000 × 300: read, until the columns are shown", app.opened(), "s", 15)
        yield Figure("… the page of their roles, median of 5", app.roles_page(), "s", 0.5)
        yield Figure("… a role changed, median of 20", app.role(), "s", 0.1)


def many_columns(folder: Path) -> Path:
    """A survey of many questions, in CSV."""
    numbers = np.random.default_rng(1).integers(0, 9, (2_000, COLUMNS))
    place = folder / "survey.csv"
    names = ",".join(f"question{i}" for i in range(COLUMNS))
    np.savetxt(place, numbers, "%d", ",", header=names, comments="")
    return place


def choice(column: int, role: str) -> dict[str, str]:
    return {f"role-{column}": role, f"type-{column}": ""}


def median(times: int, action: Callable[[int], object]) -> float:
    found = []
    for i in range(times):
        begun = time.perf_counter()
        action(i)
        found.append(time.perf_counter() - begun)
    return statistics.median(found)


class App:
    """A started app, and a visitor who has followed its link."""

    def __init__(self, table: Path) -> None:
        command = [sys.executable, "-c", COMMAND, "app", str(table), "--no-browser", "--no-project"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self.waits: list[float] = []
        self.peak = 0.0

    def __enter__(self) -> App:
        assert self.process.stdout
        self.begun = time.perf_counter()
        link = re.search(r"http://\S+", self.process.stdout.readline())[0]  # type: ignore[index]
        self.port = int(re.search(r":(\d+)/", link)[1])  # type: ignore[index]
        with urllib.request.urlopen(link, timeout=60) as answer:
            self.cookie = answer.headers["Set-Cookie"].partition(";")[0]
            self.landing = re.search(r'url=([^"]+)', answer.read().decode())[1]  # type: ignore[index]
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(60)

    def at(self, path: str) -> str:
        return f"{self.landing.rpartition('/')[0]}/{path}"

    def opened(self) -> float:
        self.until(lambda: re.search(r"records, \d+ columns", self.get(self.landing)) is not None)
        return time.perf_counter() - self.begun

    def roles_page(self) -> float:
        return median(5, lambda _: self.get(self.at("roles")))

    def role(self) -> float:
        roles = ("key", "other")
        return median(20, lambda i: self.post(self.at("roles/7"), choice(7, roles[i % 2])))

    def choose_roles(self) -> None:
        for number, name in enumerate(data.WIDE):
            role = "key" if name in KEYS else "confidential" if name == "illness" else "other"
            self.post(self.at(f"roles/{number}"), choice(number, role))

    def hierarchies(self) -> Iterator[tuple[int, dict[str, str]]]:
        return ((data.WIDE.index(name), given) for name, given in HIERARCHIES.items())

    def job(self, start: str, results: str, shown: str) -> float:
        begun = time.perf_counter()
        self.post(start, {})
        self.until(lambda: shown in self.get(results))
        return time.perf_counter() - begun

    def slider(self) -> float:
        answers: set[str] = set()
        at = self.at("explore/found")
        found = median(20, lambda i: answers.add(self.get(f"{at}?k={i + 2}&p=1&limit=2")))
        if len(answers) < 20:
            raise RuntimeError("the sliders change nothing")
        return found

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.perf_counter() + PATIENCE
        while True:
            begun = time.perf_counter()
            done = condition()
            if done:
                return
            self.waits.append(time.perf_counter() - begun)
            self.peak = max(self.peak, self.megabytes())
            if time.perf_counter() > end:
                raise RuntimeError("the app did not come to an end")
            time.sleep(0.1)

    def megabytes(self) -> float:
        """Resident memory of the server and all it started (Linux)."""
        pages = 0
        for place, _ in self.processes():
            with contextlib.suppress(OSError):
                pages += int((place / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def worked(self) -> float:
        """Seconds that processors worked for the server and all it started, also what has ended."""
        ticks = sum(sum(map(int, fields[11:15])) for _, fields in self.processes())
        return ticks / os.sysconf("SC_CLK_TCK")

    def processes(self) -> Iterator[tuple[Path, list[str]]]:
        """The folder in /proc, and the fields of its stat after the name, of each process."""
        for status in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = status.read_text().rpartition(")")[2].split()
                if int(fields[3]) == self.process.pid:  # its session
                    yield status.parent, fields

    def get(self, path: str) -> str:
        return self.ask("GET", path, None)

    def post(self, path: str, fields: dict[str, str]) -> str:
        return self.ask("POST", path, urllib.parse.urlencode(fields))

    def ask(self, method: str, path: str, body: str | None) -> str:
        here = f"127.0.0.1:{self.port}"
        headers = {"Host": here, "Cookie": self.cookie}
        if body is not None:
            headers |= {
                "Origin": f"http://{here}",
                "Sec-Fetch-Site": "same-origin",
                "Content-Type": "application/x-www-form-urlencoded",
            }
        connection = http.client.HTTPConnection(here, timeout=60)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path.rpartition('/')[2]} was answered {answer.status}")
        return text
