"""What the tests share: where the reference data lie, and the settings of hypothesis."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "discreet",
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
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


@pytest.fixture(scope="session")
def absent():
    """A function that skips a test by name for want of a part of the machine, or fails it where
    DISCREET_REQUIRE names the part (comma-separated), as it does in the project's own checks.
    """
    required = os.environ.get("DISCREET_REQUIRE", "").split(",")

    def without(part: str, reason: str):
        if part in required:
            pytest.fail(f"{part} is required here: {reason}", pytrace=False)
        pytest.skip(f"{part}: {reason}")

    return without
