"""Reading is described once: every surface has every option, or a reason why not."""

from __future__ import annotations

import inspect

import pytest

import discreet as ds
from discreet.app.forms import source as form
from discreet.cli import commands
from discreet.cli.lazy import options_of
from discreet.cli.source import READING
from discreet.data.options import OPTIONS, ROLES, ReadOptions
from discreet.parameters import parameters_of
from tests.contract.surfaces import READING_GAPS, reading_surfaces


def test_the_signature_of_read_is_the_description():
    signature = inspect.signature(ds.read).parameters
    described = inspect.signature(ReadOptions).parameters
    assert [*signature][1:] == [*described] == [*OPTIONS]
    assert [signature[n].default for n in OPTIONS] == [described[n].default for n in OPTIONS]
    assert [p.name for p in parameters_of(ds.read)] == [*OPTIONS]


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_of_reading_is_explained_where_read_is(name):
    head, _, _ = ds.read.__doc__.partition("Returns")
    named = [line.partition(" : ")[0].strip().split(", ") for line in head.splitlines()]
    assert any(name in names for names in named)


@pytest.mark.parametrize("name", OPTIONS)
def test_a_plan_has_every_option_of_reading_with_title_and_help(name):
    sections = ds.Plan.schema()["properties"]
    if name == "types":  # a section of its own
        assert sections["types"]["description"]
        return
    found = sections["roles" if name in ROLES else "source"]["properties"][name]
    assert found["title"] == OPTIONS[name].label
    assert found["description"] == OPTIONS[name].doc


@pytest.mark.parametrize("command", ["check", "risk", "sample", "candidates", "compare"])
def test_a_command_that_reads_has_every_option_of_reading(command):
    assert commands.app.registered_commands
    assert set(READING) - {"file"} <= set(options_of([command]))


@pytest.mark.parametrize("name", OPTIONS)
def test_every_surface_has_every_option_of_reading_but_for_gaps_with_a_reason(name):
    for surface, has in reading_surfaces(name).items():
        assert has != ((name, surface) in READING_GAPS), surface


@pytest.mark.parametrize("name", form.FIELDS)
def test_the_app_calls_an_option_of_reading_as_its_description_does(name):
    if name in OPTIONS:
        assert form.FIELDS[name].label == OPTIONS[name].label
