"""What the tests share: where the reference data lie, and the settings of hypothesis."""

import atexit
import functools
import gc
import json
import os
import signal
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # workers share the cores: more would only wait

from tests import kernels, schedule
from tests.examples import THOROUGH, USUAL

settings.register_profile(
    "discreet",
    max_examples=USUAL,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
settings.register_profile("thorough", settings.get_profile("discreet"), max_examples=THOROUGH)
settings.load_profile("discreet")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def reference_data():
    """A function that gives the path of a reference file, or skips the test by its name."""
    folder = Path(os.environ.get("DISCREET_DATA", ROOT.parent / "shared" / "data"))

    def find(name: str) -> Path:
        path = folder / name
        if not path.exists():
            pytest.skip(f"reference data {name} not found; set DISCREET_DATA to their folder")
        return path

    return find


@pytest.fixture(scope="session", autouse=True)
def plans_fit_their_schema():
    """Hold every plan that a test makes or reads against the schema that editors check it with."""
    from discreet.plan import plan

    read = plan._checked

    fitting = set()

    def held(document, *where):
        found = read(document, *where)
        text = json.dumps(document, default=repr)
        if text not in fitting:
            assert schema_errors(document) == []
            fitting.add(text)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "_checked", held)
        yield


def schema_errors(document):
    """Where a plan is not as ``discreet schema`` says, by the ways to its keys."""
    return [error.json_path for error in _validator().iter_errors(document)]


@functools.cache
def _validator():
    from jsonschema import Draft202012Validator

    import discreet as ds

    return Draft202012Validator(ds.Plan.schema())


@pytest.fixture(scope="session", autouse=True)
def each_chart_is_drawn_once():
    """Keep drawings: of the reports that tests make, many show the same."""
    from discreet import charts

    drawn, renderer = {}, charts._renderer

    class Keeper:
        def vegalite_to_svg(self, spec, **options):
            asked = json.dumps([spec, options])
            if asked not in drawn:
                drawn[asked] = renderer().vegalite_to_svg(spec, **options)
            return drawn[asked]

        def __getattr__(self, name):
            return getattr(renderer(), name)

    def kept():
        renderer()  # where there is none, that is said
        return Keeper()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(charts, "_renderer", kept)
        yield


# Tests that watch other processes, a browser or the clock: a busy machine may upset them once.
TIMED = ("tests/app/", "tests/browser/", "test_connect", "test_interrupted", "test_killed_runs",
         "test_progress", "test_finish", "test_settings")  # fmt: skip


def pytest_configure(config):
    config.addinivalue_line("markers", "long: left out by make quick")
    config.addinivalue_line("markers", "thorough: left to make thorough")
    config.addinivalue_line("markers", "property: tried on examples, on more in make thorough")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # by a shell that runs the tests behind
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):
        kernels.compile_once()
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        kernels.in_plain_python()


def pytest_collection_modifyitems(config, items):
    """Try such a test again, twice at most; a run says which were. Mark what takes long, and
    where there are workers begin with it.
    """
    found = set()
    for item in items:
        if any(part in item.nodeid for part in TIMED):
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=1))
        if schedule.together(item.nodeid) in (*schedule.LONG, *schedule.COMPILES):
            item.add_marker(pytest.mark.long)
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.property)
        if pattern := schedule.repeats(item.nodeid):
            item.add_marker(pytest.mark.thorough)
            found.add(pattern)
    if config.args == config.getini("testpaths") and not found.issuperset(schedule.AGAIN):
        raise pytest.UsageError(f"no test fits {sorted({*schedule.AGAIN} - found)} of AGAIN")
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: schedule.rank(item.nodeid))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for examples in the sources alone, not in the tests."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


def pytest_collection_finish():
    """What was collected stays to the end: it need not be looked through for garbage again, nor
    the rest as often as by itself.
    """
    gc.freeze()
    gc.set_threshold(200_000, 50, 50)
    atexit.register(gc.unfreeze)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return schedule.InTurn(config, log) if config.getvalue("dist") == "loadfile" else None


REQUIRED = [part for part in os.environ.get("DISCREET_REQUIRE", "").split(",") if part]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Where the machine must have everything, a run that left something out has failed: whatever
    was skipped, but for want of the reference data, which are not the project's.
    """
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not REQUIRED or reporter is None or hasattr(session.config, "workerinput"):
        return
    reasons = [str(report.longrepr) for report in reporter.stats.get("skipped", [])]
    left_out = [reason for reason in reasons if not any(w in reason for w in _DATA)]
    if left_out:
        reporter.write_line(f"{len(left_out)} skipped where nothing may be: DISCREET_REQUIRE")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


_DATA = ("reference data", "needs golden/")


@pytest.fixture(scope="session")
def absent():
    """A function that skips a test by name for want of a part of the machine, or fails it where
    DISCREET_REQUIRE names the part (comma-separated), as it does in the project's own checks.
    """

    def without(part: str, reason: str):
        if part in REQUIRED:
            pytest.fail(f"{part} is required here: {reason}", pytrace=False)
        pytest.skip(f"{part}: {reason}")

    return without


@pytest.fixture
def unheld(monkeypatch):
    """Small tables stay where large ones do: none is held in this process."""
    monkeypatch.setattr("discreet.engine.held.MOST_CELLS", 0)
