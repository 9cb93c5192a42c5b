"""Every method, criterion and measure has its table of parameters in the docs, and it is true."""

import os

import pytest

from tests.contract import tables


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.name)
def test_the_tables_of_a_page_are_those_of_the_descriptions(page):
    text = page.read_text(encoding="utf-8")
    if os.environ.get("DISCREET_WRITE_DOCS"):
        page.write_text(text := tables.filled(text), encoding="utf-8")
    assert text == tables.filled(text), "DISCREET_WRITE_DOCS=1 pytest tests/contract"


def test_everything_described_has_its_table_on_one_page():
    places = [one["name"] for page in tables.PAGES for one in tables.PLACE.finditer(page.read_text(encoding="utf-8"))]  # fmt: skip
    assert sorted(places) == sorted(tables.NAMES), "a page says <!-- parameters of NAME: begin -->"


def test_a_table_tells_what_a_parameter_means_what_it_may_be_and_its_default():
    assert "| `k` | Least size of a group. | a whole number of at least 1 | `3` |\n" in tables.table("microaggregate")  # fmt: skip
    assert "| must be given |" in tables.table("KAnonymity")
    assert "| `.maximal` | DR_max" in tables.table("disclosure_risk")
