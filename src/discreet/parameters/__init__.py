"""Parameters: what a user may give to a method, a criterion or a measure.

The description is the signature. Types say what is allowed (``Literal``, ``int``, ``float``,
columns), ``Annotated`` says the rest: bounds by ``annotated_types``, the sentence of the help by
``annotated_doc.Doc``, and the marks of ``marks``. Every surface (Python, command line, plan, form,
report, map, docs) is made from what :func:`parameters_of` reads.

Nothing is public, and nothing may hold a value of the data, unless it is marked so: forgetting a
mark is safe.
"""

from annotated_doc import Doc

from discreet.parameters.kinds import (
    Kind,
    as_written,
    is_finite,
    is_number,
    is_whole,
    nearest,
    need_confidence,
    recorded,
    seed_problems,
    whole_number,
)
from discreet.parameters.marks import (
    Amount,
    AtLeast,
    AtMost,
    ColumnFacts,
    Columns,
    File,
    InPython,
    Label,
    Needed,
    Notation,
    OneOf,
    Public,
    Seed,
    Share,
    Shared,
    Unfit,
    Values,
    Variant,
    Vary,
    as_type,
)
from discreet.parameters.parameter import (
    REQUIRED,
    Parameter,
    parameter_of,
    parameters_of,
    problems_of,
    read_problem,
    unread_parameters,
)

__all__ = [
    "REQUIRED",
    "Amount",
    "AtLeast",
    "AtMost",
    "ColumnFacts",
    "Columns",
    "Doc",
    "File",
    "InPython",
    "Kind",
    "Label",
    "Needed",
    "Notation",
    "OneOf",
    "Parameter",
    "Public",
    "Seed",
    "Share",
    "Shared",
    "Unfit",
    "Values",
    "Variant",
    "Vary",
    "as_type",
    "as_written",
    "is_finite",
    "is_number",
    "is_whole",
    "nearest",
    "need_confidence",
    "parameter_of",
    "parameters_of",
    "problems_of",
    "read_problem",
    "recorded",
    "seed_problems",
    "unread_parameters",
    "whole_number",
]
