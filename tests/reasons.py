"""Reasons in writing, for public releases of simulated people."""

import discreet as ds


def reasons(masked):
    """A reason for every unchanged column that makes many records unique."""
    return {one.column: "of nobody: simulated" for one in ds.unchanged(masked).flagged}
