"""The command that finds candidates for keys."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from annotated_types import Ge, Interval

import discreet as ds
from discreet.cli.lazy import reading_on_use
from discreet.cli.options import Json, names_in
from discreet.errors import raise_all

_SHOWN = 20  # sets
_SHARE = Interval(ge=0, le=1)


def _asked(data: Any, given: dict[str, Any]) -> None:
    """Look at the columns that are named."""
    from discreet.masking.method import unknown_columns

    names = dict.fromkeys(names_in(given["columns"]))
    if data is not None:
        raise_all(unknown_columns(data, list(names), "attribute"))


@reading_on_use(_asked)
def candidates(
    data: Any,
    *,
    columns: Annotated[
        list[str], typer.Option("--columns", help="Attributes to combine; all by default.")
    ] = [],  # noqa: B006
    up_to: Annotated[
        int, Ge(1), typer.Option("--up-to", help="Largest number of attributes in a set.")
    ] = 3,
    unique: Annotated[
        float | None, _SHARE, typer.Option(help="Smallest sets with this share of unique records.")
    ] = None,
    separation: Annotated[
        float | None, _SHARE, typer.Option(help="Smallest sets with this separation ratio.")
    ] = None,
    distinct: Annotated[
        float | None, _SHARE, typer.Option(help="Smallest sets with this distinct ratio.")
    ] = None,
    limit: Annotated[int, Ge(1), typer.Option(help="Largest number of sets to count.")] = 100_000,
    as_json: Json = False,
) -> None:
    """Find the sets of attributes that tell records apart: candidates for keys.

    Example: discreet candidates patients.csv --identifiers name,ssn --unique 0.5
    """
    found = ds.key_candidates(data, names_in(columns) or None, up_to=up_to, limit=limit)
    limits = {"unique": unique, "separation": separation, "distinct": distinct}
    asked = any(given is not None for given in limits.values())
    minimal = found.minimal(**limits) if asked else None
    if as_json:
        chosen = None if minimal is None else [c.to_dict() for c in minimal]
        print(json.dumps({**found.to_dict(), "minimal": chosen}, indent=2))
        return
    heading = (
        "By size, the most separating first" if minimal is None else "Smallest sets that reach it"
    )
    print(
        found.explain(),
        _listed(heading, list(found) if minimal is None else minimal),
        sep="\n\n",
    )


def _listed(heading: str, sets: Any) -> str:
    rows = [
        f"{c.separation:>10.6f}  {c.distinct:>8.4f}  {c.unique:>7.1%}  {', '.join(c.attributes)}"
        for c in sets[:_SHOWN]
    ]
    more = [f"… and {len(sets) - _SHOWN:,} more (--json lists all)"] if len(sets) > _SHOWN else []
    head = "separation  distinct   unique  attributes"
    return "\n".join([f"{heading}:", head, *rows, *more] if rows else [f"{heading}: none."])
