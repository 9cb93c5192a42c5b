"""Names: commands for functions, options for criteria and arguments."""

from __future__ import annotations

import sys

from discreet.cli.lazy import name_of, options_of
from discreet.cli.program import app
from discreet.plan.words import in_plan
from discreet.registry import criteria, everything
from discreet.surface import Reference

_COMMANDS = {"disclosure_risk": "compare", "key_candidates": "candidates"}
_SWITCHES = {"overwrite": "force", "audience": "public"}  # options that take no value
_IN_A_PLAN = {"run", "verify"}  # commands whose arguments stand in one
_PLACES = {"settings": "front of the command"}  # where its options stand


def command_of(one: Reference) -> str | None:
    """The command of a function, or the option of a criterion; None where there is none."""
    if one.name in criteria:
        return _criterion(one)
    entry = everything().get(one.name)
    usual = one.name.replace("_", "-") if entry is None else entry.command
    command = _COMMANDS.get(one.name, usual)
    known = set(map(name_of, app.registered_commands))
    return f"discreet {command}" if command in known else _PLACES.get(one.name)


def _criterion(one: Reference) -> str:
    kind = criteria[one.name]
    flag = f"--{'k' if kind.inline else kind.key.replace('_', '-')}"
    return f"{flag} {one.value}" if one.value.isdigit() else flag


def option_of(one: Reference) -> str | None:
    """The option of an argument, where the command that was given has one of that name; what a
    plan has is said as it is written there."""
    flags = options_of(sys.argv[1:])
    name = _SWITCHES.get(one.name, one.name)
    flag = flags.get(f"{one.of}_{one.name}") or flags.get(name)
    if flag is None:
        return in_plan(one) if _IN_A_PLAN & set(sys.argv[1:]) else None
    value = "" if one.name in _SWITCHES else one.value
    said = value if len(value) > 1 or value.isalnum() else f"'{value}'"  # a comma is no full stop
    return flag if value in ("", "True", "False") else f"{flag} {said}"
