"""Commands that mask: sample, protect, microaggregate; and the lattice that protect searches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import discreet as ds
from discreet.commands.app import app
from discreet.commands.options import (
    AtMost,
    Closeness,
    Diversity,
    Force,
    Hierarchies,
    Json,
    K,
    Loss,
    MaxSuppressed,
    Output,
    P,
    SearchBy,
    SuppressBy,
    amount,
    announce_compilation,
    criteria_of,
    generalized,
    names_in,
    reads_data,
)
from discreet.errors import fail


@app.command()
@reads_data
def sample(
    data: Any,
    *,
    output: Output,
    seed: Annotated[int, typer.Option(help="The same seed draws the same records.")],
    fraction: Annotated[float | None, typer.Option(help="Share of the records.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="Number of records.")] = None,
    by: Annotated[list[str], typer.Option("--by", help="Strata: columns.")] = [],  # noqa: B006
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draw a simple random sample, write it, and show its disclosure risk.

    Example: discreet sample survey.csv --keys age,sex --fraction 0.1 --seed 1 -o sample.csv
    """
    released = ds.sample(data, fraction=fraction, n=n, seed=seed, by=names_in(by))
    found = ds.disclosure_risk(data, released) if data.keys else None
    written = released.write(output, overwrite=force)
    report = {**written.to_dict(), "disclosure_risk": found.to_dict() if found else None}
    said = f"{released.n:,} of {data.n:,} records written to {output.name}."
    lines = [said, *([found.explain()] if found else []), written.unchanged.explain()]
    print(json.dumps(report, indent=2) if as_json else "\n".join(lines))


@app.command()
@reads_data
def protect(
    data: Any,
    *,
    output: Output,
    hierarchies: Hierarchies = None,
    k: K = 5,
    p: P = None,
    diversity: Diversity = None,
    closeness: Closeness = None,
    at_most: AtMost = None,
    max_suppressed: MaxSuppressed = "0.02",
    suppression: SuppressBy = "failing",
    search: SearchBy = "optimal",
    loss: Loss = "iyengar",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Generalize the keys and suppress classes until k-anonymity holds, and write the masked file.

    Example: discreet protect data.csv --keys age,zip --hierarchies dir/ --k 5 -o masked.csv
    """
    found = generalized(
        data,
        hierarchies,
        criteria_of(k, p, diversity, closeness, at_most),
        max_suppressed=amount(max_suppressed),
        search=cast("Any", search),
        loss=cast("Any", loss),
        suppression=cast("Any", suppression),
    )
    masked = found.best.mask()
    if masked.n == 0:
        fail("D32", "all records would be suppressed.", "Lower --max-suppressed or the criterion.")
    written = masked.write(output, overwrite=force)
    report = {**written.to_dict(), **found.to_dict()}
    said = f"{masked.n:,} of {data.n:,} records written to {output.name}."
    lines = [found.explain(), said, written.unchanged.explain()]
    print(json.dumps(report, indent=2) if as_json else "\n".join(lines))


@app.command()
@reads_data
def lattice(
    data: Any,
    *,
    hierarchies: Hierarchies = None,
    k: K = 5,
    p: P = None,
    diversity: Diversity = None,
    closeness: Closeness = None,
    at_most: AtMost = None,
    max_suppressed: MaxSuppressed = "0.02",
    suppression: SuppressBy = "failing",
    search: SearchBy = "all-minimal",
    loss: Loss = "iyengar",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the lattice to this .svg file.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """List the nodes of the generalization lattice that meet the criterion, and draw them.

    Example: discreet lattice data.csv --keys age,zip --hierarchies dir/ --k 5 -o lattice.svg
    """
    found = generalized(
        data,
        hierarchies,
        criteria_of(k, p, diversity, closeness, at_most),
        max_suppressed=amount(max_suppressed),
        search=cast("Any", search),
        loss=cast("Any", loss),
        suppression=cast("Any", suppression),
    )
    if output is not None:
        found.lattice.write_svg(output, overwrite=force)
    lines = [found.explain(), "", *(f"{i:>4}  {node!r}" for i, node in enumerate(found.minimal, 1))]
    print(json.dumps(found.to_dict(), indent=2) if as_json else "\n".join(lines))


@app.command()
@reads_data
def microaggregate(
    data: Any,
    *,
    output: Output,
    columns: Annotated[
        list[str], typer.Option("--columns", help="Attributes to mask; the keys by default.")
    ] = [],  # noqa: B006
    k: Annotated[int, typer.Option("--k", help="Least size of a group.")] = 3,
    method: Annotated[
        str, typer.Option(help="mdav, v-mdav, fixed or optimal-univariate.")
    ] = "mdav",
    by: Annotated[list[str], typer.Option("--by", help="Strata: columns.")] = [],  # noqa: B006
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Replace values by averages of groups of k similar records, and write the masked file.

    Example: discreet microaggregate data.csv --keys age,income --k 5 -o masked.csv
    """
    announce_compilation()
    masked = ds.microaggregate(
        data, names_in(columns) or None, k, method=cast("Any", method), by=names_in(by)
    )
    lost = ds.information_loss(data, masked)
    written = masked.write(output, overwrite=force)
    report = {**written.to_dict(), "information_loss": lost.to_dict()}
    said = f"{masked.n:,} records written to {output.name}."
    lines = [said, lost.explain(), written.unchanged.explain()]
    print(json.dumps(report, indent=2) if as_json else "\n".join(lines))
