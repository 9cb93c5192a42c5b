"""Missing values: one missing value (no NaN), one zero (no −0.0), and codes that mean it."""

from __future__ import annotations

import contextlib
import decimal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from discreet.engine.held import Kind
from discreet.engine.source import Source, kept

if TYPE_CHECKING:
    import ibis.expr.types as ir

LARGEST = 1e75  # of the numbers whose fourth powers can be added up
MissingCodes = Mapping[str, Sequence[Any]]


def normalised(source: Source, missing: MissingCodes) -> Source:
    """One missing value (no NaN), one zero (no −0.0), and the codes named as missing taken out."""
    if source.held is not None and not missing:  # these are in order already
        return source
    import ibis

    was, source = source, replace(source, records=without_codes(source, missing))
    schema = source.table.schema()
    changed = {}
    for name in source.names:
        at = source.at(name)
        if schema[at].is_uuid():
            changed[at] = source.table[at].cast("string")
        if schema[at].is_floating():
            column = source.table[at]
            changed[at] = ibis.cases(
                (column.isnan(), ibis.null(schema[at])), (column == 0, 0.0), else_=column
            ).cast(schema[at])
    made = source.table.mutate(**changed) if changed else source.table
    return kept(was, made) if was.held is not None else replace(source, records=made)


def without_codes(source: Source, missing: MissingCodes) -> ir.Table:
    """The table with the codes that mean missing taken out."""
    changed = {}
    for name, codes in missing.items():
        column = source.table[source.at(name)]
        found = _is_code(column, source.kinds[name], codes)
        if found is not None:
            changed[source.at(name)] = found.ifelse(None, column)
    return source.table.mutate(**changed) if changed else source.table


def _is_code(column: Any, kind: Kind, codes: Sequence[Any]) -> Any | None:
    """Whether a cell is one of the codes: numbers by value, everything else by its text form."""
    if kind in ("integer", "number"):
        numbers = [v for v in (number_of(code, column.type()) for code in codes) if v is not None]
        return column.isin(numbers) if numbers else None
    texts = [str(c).lower() if kind == "boolean" else str(c) for c in codes]
    if not texts or kind == "other":
        return None
    return (column if kind == "text" else column.cast("string")).isin(texts)


def number_of(code: Any, dtype: Any) -> Any | None:
    """A code as a number of the column's type, or None when the column cannot hold it."""
    import ibis

    text = "" if isinstance(code, bool) or "_" in str(code) else str(code).strip()
    with contextlib.suppress(ArithmeticError, TypeError, ValueError):
        number = decimal.Decimal(text)
        if dtype.is_floating():
            return ibis.literal(float(number), type=dtype)
        if dtype.is_decimal():
            return ibis.literal(number, type=dtype)
        return ibis.literal(int(number), type=dtype) if number == int(number) else None
    return None


def endless(column: Any) -> Any:
    """Whether a number is infinite; Ibis has this for fewer engines, and wrongly for Spark."""
    return column.abs() > sys.float_info.max
