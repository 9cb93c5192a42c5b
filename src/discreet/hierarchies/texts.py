"""The text form of values, by which a hierarchy and the data are matched.

Whole numbers have no decimal point (39, also where 39.0 is stored), other numbers no zeros at
their end, booleans are ``true`` and ``false``, dates and times ISO 8601 with midnight left out.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import fail

_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")  # a zone that has no name
_WHOLE = 2.0**63  # from here on a float is no longer an int64


def text_form(attribute: str, values: pa.Array) -> pa.Array:
    """The text of each value; null where a value is missing.

    Examples
    --------
    >>> text_form("x", pa.array([39.0, 0.5, None])).to_pylist()
    ['39', '0.5', None]
    """
    kind = values.type
    if pa.types.is_floating(kind):
        return _float_text(values)
    if pa.types.is_decimal(kind):
        return _without_zeros(values.cast(pa.string()))
    if pa.types.is_date(kind):
        return values.cast(pa.date32()).cast(pa.string())
    if pa.types.is_timestamp(kind):
        return _iso(_with_zone(values))
    if pa.types.is_time(kind):
        return _iso(values.cast(pa.string()))
    if has_text_form(kind):
        return values.cast(pa.string())
    fail(
        "D22",
        f"{attribute!r} holds lists, structures or bytes, which have no levels.",
        "Use a column of plain values.",
    )


def texts_of(values: pa.Array) -> list[str]:
    """The text form of present values, by which those of two files are matched; lists, structures
    and bytes as Python shows them.

    Examples
    --------
    >>> texts_of(pa.array([1.0, 0.5])), texts_of(pa.array([1, 2]))
    (['1', '0.5'], ['1', '2'])
    """
    plain = text_form("", values) if has_text_form(values.type) else values
    return [str(value) for value in plain.to_pylist()]


def local_times(times: pa.Array) -> pa.Array:
    """Times on the clocks of their zone, without the zone.

    pyarrow before 22 does not know zones that are offsets.

    Examples
    --------
    >>> noon = pa.array([dt.datetime(2024, 1, 1, 12)], pa.timestamp("s", "+02:00"))
    >>> local_times(noon).to_pylist()
    [datetime.datetime(2024, 1, 1, 14, 0)]
    """
    unit, zone = times.type.unit, times.type.tz
    found = _OFFSET.fullmatch(zone or "")
    if found is None:
        return times if zone is None else pc.local_timestamp(times)
    minutes = int(f"{found[1]}1") * (60 * int(found[2]) + int(found[3]))
    shift = pa.scalar(dt.timedelta(minutes=minutes), pa.duration(unit))
    return pc.add(times.cast(pa.timestamp(unit)), shift)


def _with_zone(times: pa.Array) -> pa.Array:
    found = _OFFSET.fullmatch(times.type.tz or "")
    if found is None:
        return times.cast(pa.string())
    texts = local_times(times).cast(pa.string())
    return pc.binary_join_element_wise(texts, "".join(found.groups()), "")


def leaf_form(leaves: pa.Array, kind: pa.DataType) -> pa.Array:
    """The leaves of a hierarchy, written the way values of a type are written."""
    if is_number(kind):
        return _without_zeros(leaves)
    if pa.types.is_boolean(kind):
        return pc.utf8_lower(leaves)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        return _iso(leaves)
    return leaves


def text_of(value: Any) -> str | None:
    """The text form of one Python value; None stays None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dt.date | dt.time):  # a datetime is a date
        return value.isoformat().removesuffix("T00:00:00")
    return str(value)


def has_text_form(kind: pa.DataType) -> bool:
    """Whether values of a type are plain: no lists, structures, bytes or lengths of time."""
    times = pa.types.is_date(kind) or pa.types.is_timestamp(kind) or pa.types.is_time(kind)
    bare = pa.types.is_boolean(kind) or pa.types.is_null(kind)
    return is_text(kind) or is_number(kind) or times or bare


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is one of the types of text."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def is_number(kind: pa.DataType) -> bool:
    """Whether a type is one of the types of numbers."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def plain(values: pa.Array) -> pa.Array:
    """An array without dictionary encoding."""
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _float_text(values: pa.Array) -> pa.Array:
    wide = values.cast(pa.float64())
    whole = pc.and_(pc.equal(pc.floor(wide), wide), pc.less(pc.abs(wide), _WHOLE))
    as_whole = pc.if_else(whole, wide, 0.0).cast(pa.int64()).cast(pa.string())
    return pc.if_else(whole, as_whole, values.cast(pa.string()))


def _without_zeros(texts: pa.Array) -> pa.Array:
    texts = pc.replace_substring_regex(texts, r"^([+-]?\d+)\.0+$", r"\1")
    return pc.replace_substring_regex(texts, r"^([+-]?\d+\.\d*[1-9])0+$", r"\1")


def _iso(texts: pa.Array) -> pa.Array:
    texts = pc.replace_substring_regex(texts, r"^(\d{4}-\d{2}-\d{2}) ", r"\1T")
    texts = pc.replace_substring_regex(texts, r"(:\d{2})\.0+($|[Z+-])", r"\1\2")
    texts = pc.replace_substring_regex(texts, r"(\.\d*[1-9])0+($|[Z+-])", r"\1\2")
    return pc.replace_substring_regex(texts, r"T00:00(:00)?$", "")
