"""Comparing a masked table with the initial one: figures of both, and the blocks of the report.

Categories and bins of few records are merged as in the report; no figure is the value of a record.
"""

from __future__ import annotations

from typing import Any

import discreet as ds
from discreet.reports import cost, measures, recognition, release_checks
from discreet.reports.blocks import Section, Words
from discreet.reports.facts import Facts, ReportInput, checked, threshold_of
from discreet.reports.names import distinct
from discreet.surface import said

_MOMENTS = ("mean", "standard deviation", "correlation")  # a quantile is the value of a record


def figures(release: Any, before: Any) -> dict[str, Any]:
    """What a page and a file show of a run, as plain values; ``before`` is the initial risk."""
    return {
        "records": dict(release.ledger.document["records"]),
        "check": release.ledger.document["check"],
        "risk": {"before": before.to_dict(), "after": release.ledger.document["risk"]},
        "disclosure_risk": {
            # unmasked, classes are the same in both files: DR_max is the mean of 1 / class size
            "before": {"maximal": before.mean_risk},
            "after": release.ledger.document["disclosure_risk"],
        },
        "information_loss": release.ledger.document["information_loss"],
        "unchanged": unchanged_of(release.unchanged),
        "not_measured": dict(release.ledger.document["not_measured"]),
        "measures": {name: one.to_dict() for name, one in release.measures.items()},
        **statistics(release.masked),
        "weights": [one.to_dict() for one in release_checks.weight_sums(release.masked)],
        "averaged_codes": release_checks.averaged_codes(release.masked),
    }


def unchanged_of(found: Any) -> list[dict[str, Any]]:
    """What is released unchanged, a row for each column, with what is said of a flagged one."""
    return [
        {
            **one.to_dict(),
            "words": one.explain() if one.flagged else "",
            "in_cells": one.column in found.in_cells,
        }
        for one in found.columns
    ]


def statistics(masked: Any) -> dict[str, Any]:
    """Means, standard deviations and correlations before and after, none without numbers; and how
    many released records they are of."""
    try:
        found = ds.compare_statistics(masked.initial, masked)
    except ds.DiscreetError as error:
        if error.code[0] != "N" and error.code != "D06":
            raise
        return {"statistics": []}  # no numbers, no complete record, or no classes
    rows: list[dict[str, Any]] = found.to_dict()["statistics"]
    return {
        "statistics": [row for row in rows if row["statistic"] in _MOMENTS],
        "complete": masked.n - found.left_out,
    }


def sections(release: Any, before: Any) -> tuple[tuple[Section, ...], dict[str, Any]]:
    """Who could be recognised, what it cost, and the measures of the plan, as the internal report
    has it; and what is left of each attribute, and risky all the same.
    """
    measured = (release.risk, release.disclosure_risk, release.information_loss)
    if any(part is None for part in measured):
        reasons = tuple(said(why) for why in release.not_measured.values())
        return (Section("recognised", "Not measured", (Words(reasons, "bad"),)),), {}
    initial, masked = release.masked.initial, release.masked
    facts = Facts(
        initial=initial,
        masked=masked,
        on=None,
        audience="internal",
        threshold=threshold_of(release.plan.criterion),
        names=distinct(initial.columns),
        given=ReportInput(criterion=release.plan.criterion, measures=release.measures),
        before=before,
        after=release.risk,
        disclosure=release.disclosure_risk,
        loss=release.information_loss,
        checks=checked(initial, masked, None, release.plan.criterion),
    )
    asked = measures.section(facts)
    found = (recognition.section(facts), cost.section(facts), *([asked] if asked else []))
    return found, {"left": cost.left_of(facts), "cautions": list(recognition.cautions(facts))}
