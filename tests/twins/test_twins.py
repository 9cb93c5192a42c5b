"""Every measure, criterion and search against its definition, on random small tables."""

import pytest

from tests.twins.everything import TWINS
from tests.twins.twin import cases_wanted


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", TWINS)
def test_the_package_answers_as_the_definition_does(name):
    TWINS[name].check(cases_wanted())
