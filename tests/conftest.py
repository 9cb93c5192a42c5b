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
