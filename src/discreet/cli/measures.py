"""Commands that measure: one for each measure, made from its description; and check, compare,
candidates.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from annotated_types import Ge, Interval

import discreet as ds
from discreet.cli.lazy import about_of, each_lazily, lazily, reading, reading_on_use
from discreet.cli.options import Force, Json, names_in, option
from discreet.cli.program import json_text, show
from discreet.cli.usage import checks, look_at_both
from discreet.errors import Problem, did_you_mean, listed, raise_all
from discreet.parameters import is_finite
from discreet.registry import measures
from discreet.results import plain_value

if TYPE_CHECKING:
    from discreet.measures import Measure


Masked = Annotated[Path, typer.Argument(help="The masked file.", show_default=False)]
Others = Annotated[
    list[Path], typer.Argument(help="The other releases, one or more.", show_default=False)
]
OtherKeys = Annotated[
    list[str],
    typer.Option(help="The keys of the other releases, where they are not those of the first."),
]
AtMostPeople = Annotated[
    int | None,
    Ge(0),
    typer.Option(help="Exit with 1 when more people are in joint classes of fewer than k."),
]
On = Annotated[str, typer.Option("--on", help="Column that links the records of both files.")]
OnIfNeeded = Annotated[
    str | None, typer.Option("--on", help="Column that links the records of both files.")
]
Records = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the figures of each record: .csv or .parquet."),
]
Settings = Annotated[
    Path,
    typer.Option(
        "--settings",
        help="TOML file that says what is known and what is sensitive.",
        show_default=False,
    ),
]


def _measure(name: str) -> Callable[..., None]:
    """The command of a measure, with all of its parameters as options."""
    from discreet.cli.described import method_arguments, method_options

    measure = measures[name]
    two = measure.of == "files"

    def run(
        data: Any,
        *,
        fail_above: list[str] = [],  # noqa: B006
        as_json: Json = False,
        **given: Any,
    ) -> None:
        limits = _limits(measure, fail_above)
        other = given["read_alike"](given["masked"]) if two else data
        asked = method_arguments(measure, data, given)
        found = measure.result(data, other, asked, given["on"] if two else None)
        figures = measure.figures_of(found).figures
        if given.get("output") is not None:
            found.write(given["output"], overwrite=given["force"])
        missed = {
            figure: {"value": plain_value(figures[figure]), "limit": most}
            for figure, most in limits.items()
            if _above(figures[figure], most)
        }
        more = {"above": missed} if limits else {}
        if as_json:
            print(json_text({**measure.to_dict(found), **more}))
        else:
            print("\n".join([measure.entry.call(_said, found), *_missed(missed)]))
        if missed:
            raise typer.Exit(1)

    both = [option("masked", Masked), option("read_alike", Any), option("on", OnIfNeeded, None)]
    records = [option("output", Records, None), option("force", Force, default=False)]
    options = [
        *(both if two else []),
        *method_options(measure),
        *(records if measure.of_records else []),
    ]
    files = "initial.csv masked.csv --on rec" if two else "data.csv"
    example = f"Example: discreet {measure.entry.command} {files} --keys age,sex {measure.example}"

    run.__annotations__["fail_above"] = _fail_above(measure)

    def asked(data: Any, given: dict[str, Any]) -> None:
        checks(
            lambda: method_arguments(measure, data, given),
            lambda: _limits(measure, given["fail_above"]),
            lambda: look_at_both(data, given) if two else None,
        )

    return reading(run, options, about_of(measure), example.rstrip(), asked)


def _fail_above(measure: Measure) -> Any:
    """The option of limits, which names the figures that may have one."""
    known = _limited(measure)
    said = f": {known[0]}=0.05. Figures: {', '.join(known)}." if known else "; it has none."
    about = f"Exit with 1 when a figure is above its limit{said}"
    return Annotated[list[str], typer.Option(help=about, metavar="LIMIT")]


def _limited(measure: Measure) -> list[str]:
    """The figures that may have an upper limit."""
    return [name for name, kind in measure.figures.items() if kind.lower_is_better]


def _limits(measure: Measure, given: list[str]) -> dict[str, float]:
    """The figures that must not be above a number; all that cannot be read is said at once."""
    known = _limited(measure)
    found, problems = {}, []
    for one in (one for text in given for one in names_in([text]) or [text]):
        name, _, number = (part.strip() for part in one.partition("="))
        if name not in known:
            near = did_you_mean(name, known) or f"Use one of {listed(known, 20)}."
            what = f"{name!r} is not a figure of {measure.name} that can have an upper limit."
            problems.append(Problem("P16", what, near, "fail_above"))
            continue
        limit = _number(number)
        if limit is None or not is_finite(limit):
            what = f"the limit of {name} is not a number."
            problems.append(Problem("P10", what, f"Write {name}=0.05.", "fail_above"))
        elif name in found:
            what = f"{name} has more than one limit."
            problems.append(Problem("P16", what, "Keep one.", "fail_above"))
        else:
            found[name] = limit
    raise_all(problems)
    return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _above(value: Any, most: float) -> bool:
    """Whether a figure is above its limit; one that does not apply cannot be held against it."""
    return value is None or value > most


def _missed(missed: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The limits that are not kept, in words."""
    return [
        f"{figure} has no value here, so that nobody can say that it is at most {one['limit']:g}."
        if one["value"] is None
        else f"{figure} is {one['value']:.6g}, above its limit of {one['limit']:g}."
        for figure, one in missed.items()
    ]


def _said(found: Any) -> str:
    """What a result says of itself, and its picture where it has one."""
    bars = getattr(found, "bars", None)
    return found.explain() if bars is None else f"{found.explain()}\n\n{bars()}"


each_lazily(measures, _measure)


def _check() -> Callable[..., None]:
    from discreet.cli.described import criteria_in, criterion_options

    def run(data: Any, *, as_json: Json = False, **given: Any) -> None:
        found = ds.check(data, criteria_in(given))
        show(found, as_json, found.explain)
        if not found.satisfied:
            raise typer.Exit(1)

    options = criterion_options()
    about = "Check k-anonymity or another criterion; exit with 1 when it does not hold."
    example = "Example: discreet check masked.csv --keys age,zip,sex --k 5"
    return reading(run, options, about, example, lambda _data, given: criteria_in(given))


lazily(
    "check", "Check k-anonymity, or another criterion; exit with 1 when it does not hold.", _check
)


def _compare_releases() -> Callable[..., None]:
    from discreet.cli.described import Verb, method_arguments, method_options

    verb = Verb(ds.compare_releases)

    def run(
        data: Any,
        *,
        others: Others,
        read_alike: Any,
        on: On,
        other_keys: OtherKeys = [],  # noqa: B006
        at_most: AtMostPeople = None,
        as_json: Json = False,
        **given: Any,
    ) -> None:
        releases = [data]
        for other in map(read_alike, others):
            held = [name for name in data.confidential if name in other.columns]
            keys = names_in(other_keys) or data.keys
            releases.append(other.with_roles(keys=keys, confidential=held))
        asked = method_arguments(verb, data, given)
        found = ds.compare_releases(releases, on=on, **asked)
        show(found, as_json, found.explain)
        if at_most is not None and found.joint_below > at_most:
            raise typer.Exit(1)

    example = "Example: discreet compare-releases 2025.csv 2026.csv --on rec --keys age,zip --k 5"

    def asked(data: Any, given: dict[str, Any]) -> None:
        checks(
            lambda: method_arguments(verb, data, given),
            lambda: look_at_both(data, given),
        )

    return reading(run, method_options(verb), _RELEASES, example, asked)


_RELEASES = "Count what several releases about the same people reveal together."
lazily("compare-releases", _RELEASES, _compare_releases)


def _compared(data: Any, given: dict[str, Any]) -> None:
    """Look at the other file, and at the weights."""
    weights = given["weights"]
    checks(
        lambda: look_at_both(data, given),
        lambda: None if weights is None else ds.Weights.from_csv(weights),
    )


@reading_on_use(_compared)
def compare(
    data: Any,
    masked: Masked,
    *,
    read_alike: Callable[[Path], Any],
    on: On,
    weights: Annotated[
        Path | None, typer.Option(help="CSV file of a weight matrix W: adds DR_W.")
    ] = None,
    at_most: Annotated[
        float | None,
        Interval(ge=0, le=1),
        typer.Option(help="Exit with 1 when the disclosure risk is above this limit."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure the disclosure risk of a masked file against its initial file.

    Example: discreet compare initial.csv masked.csv --on rec --keys age,sex
    """
    chosen = ds.Weights.from_csv(weights) if weights else ds.Weights.maximal()
    limit = ds.DisclosureRiskAtMost(1.0 if at_most is None else at_most, weights=chosen)
    found = ds.check(data, read_alike(masked), limit, on=on)
    value = {"weighted": found.value} if weights else {}
    result = {
        **found.risk.to_dict(),
        **value,
        "satisfied": found.satisfied if at_most is not None else None,
    }
    lines = [
        found.risk.explain(),
        *([f"DR_W = {found.value:.4f}. {chosen.explain()}"] if weights else []),
    ]
    lines += [found.explain()] if at_most is not None else []
    print(json.dumps(result, indent=2) if as_json else "\n".join(lines))
    if at_most is not None and not found.satisfied:
        raise typer.Exit(1)


# -- The command about single records: their risk --------------------------------------------------


def _asked(data: Any, given: dict[str, Any]) -> None:
    """Look at the settings."""
    if given["settings"] is not None:
        settings = ds.RiskSettings.from_toml(given["settings"])
        if data is not None:
            settings.require_fit(data)


@reading_on_use(_asked)
def record_risk(
    data: Any,
    *,
    settings: Settings,
    above: Annotated[
        float, Ge(0), typer.Option(help="Count the records with a higher risk.")
    ] = 0.01,
    at_most: Annotated[
        float | None,
        Ge(0),
        typer.Option(help="Exit with 1 when a record's risk is above this limit."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write position and risk: .csv or .parquet."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Measure the risk of each record over all sets of attributes that an intruder may know.

    Example: discreet record-risk data.csv --settings risk.toml --above 0.01 -o risk.parquet
    """
    found = ds.record_risk(data, settings=settings)
    high = found.above(above)
    if output is not None:
        found.write(output, overwrite=force)
    if as_json:
        asked = {"threshold": above, "records_above": high.count}
        print(json.dumps({**found.to_dict(), **asked}, indent=2))
    else:
        print(f"{found.explain()}\n\n{high!r}\n\n{found.histogram().bars()}")
    if at_most is not None and found.highest > at_most:
        raise typer.Exit(1)


# -- The command that finds candidates for keys ---------------------------------------------------

_SHOWN = 20  # sets
_SHARE = Interval(ge=0, le=1)


def _asked_of_candidates(data: Any, given: dict[str, Any]) -> None:
    """Look at the columns that are named."""
    from discreet.masking.method import unknown_columns

    names = dict.fromkeys(names_in(given["columns"]))
    if data is not None:
        raise_all(unknown_columns(data, list(names), "attribute"))


@reading_on_use(_asked_of_candidates)
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
