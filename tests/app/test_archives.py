"""The two archives of a release: one to give out, and one for the house."""

import pytest

from tests.app import archives


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return archives.made(tmp_path_factory.mktemp("archives") / "table")


@pytest.mark.parametrize("rule", archives.RULES, ids=lambda rule: rule.__name__)
def test_the_archives_hold_what_they_must_and_nothing_else(made, rule):
    rule(made)
