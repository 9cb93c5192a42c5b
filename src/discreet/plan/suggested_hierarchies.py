"""Suggested hierarchies: what fits the type of a key, and the file that is named for it."""

from __future__ import annotations

from typing import Any

_AGE = {"intervals": [5, 10, 20, 40], "top_code": 90, "labels": "closed"}
_CODE = {"prefixes": [5, 4, 3, 2, 1, 0]}
_DATE = {"dates": ["month", "quarter", "year", "decade"]}
_FEW = 10  # numbers with so few values may be codes
_DIGITS = 4  # of a postcode that is stored as a number, at least


def is_named_for(stem: str, column: str) -> bool:
    """Whether the name of a file, without its suffix, says that it is the hierarchy of a column.

    Examples
    --------
    >>> is_named_for("adult_hierarchy_native-country", "native-country")
    True
    >>> is_named_for("zip", "Zip"), is_named_for("zipper", "zip")
    (True, False)
    """
    known, wanted = stem.casefold(), column.casefold().replace(" ", "-")
    return known == wanted or known.endswith(f"_{wanted}")


def _are_codes(data: Any, name: str) -> bool:
    """Whether texts are short and have digits, as postcodes: a prefix of a name says nothing.
    Numbers are codes where all have as many digits.
    """
    texts = [str(text) for text in data.frequency_set([name]).values[0].to_pylist() if text]
    if data.source.kinds[name] == "integer":
        return len({len(text) for text in texts}) == 1 and len(texts[0]) >= _DIGITS
    codes = [text for text in texts if len(text) <= 10 and any(c.isdigit() for c in text)]
    return len(codes) >= 0.9 * len(texts)


def suggested_hierarchy(data: Any, name: str, reason: str) -> tuple[dict[str, Any], str]:
    """A hierarchy for a key by its type, as a plan writes it, and a remark.

    Parameters
    ----------
    data : Microdata
    name : str
        The column.
    reason : str
        Why it is taken for a key, as ``suggest_roles`` says it.
    """
    kind, distinct = data.source.kinds[name], data.profile[name][0]
    if kind in ("date", "timestamp"):
        return _DATE, ""
    place = "a place" in reason and kind in ("text", "integer") and distinct > _FEW
    if place and _are_codes(data, name):
        return _CODE, "for codes such as postcodes"
    if kind in ("integer", "number") and not data.types[name].why:
        if " age" in f" {reason}":
            return _AGE, ""
        return {"suppress": True}, "intervals, such as 10 and 50 wide, keep more"
    if distinct > _FEW:
        return {"by_frequency": True}, "rare ones together; a hierarchy of your own is better"
    return {"suppress": True}, ""
