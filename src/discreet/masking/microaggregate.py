"""Microaggregation: values are replaced by the mean of a small group of similar records.

Univariate: the values of one attribute are sorted and split into groups of at least k
consecutive ones (Truta, Fotouhi & Barth-Jones 2005, equations 1 and 2). ``"fixed"`` takes k at
a time; ``"optimal-univariate"`` finds the k-partition of least loss (Hansen & Mukherjee 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet import attributes, engine
from discreet.attributes import AttributeType
from discreet.criteria.criterion import whole_number
from discreet.errors import Problem, fail, raise_all
from discreet.masking.masked import Masked, masked_from, require_link
from discreet.microdata import Microdata

if TYPE_CHECKING:
    from numpy.typing import NDArray

Method = Literal["fixed", "optimal-univariate"]
Objective = Literal["squares", "absolute"]
METHODS: tuple[Method, ...] = ("fixed", "optimal-univariate")
OBJECTIVES: tuple[Objective, ...] = ("squares", "absolute")


def microaggregate(
    data: Microdata,
    columns: Sequence[str] | str | None = None,
    k: int = 3,
    *,
    method: Method = "optimal-univariate",
    objective: Objective = "squares",
) -> Masked:
    """Replace the values of each column by the mean of a group of at least k of them.

    Parameters
    ----------
    data : Microdata
    columns : list of str, optional
        Numeric columns, each aggregated by itself; the keys when not given.
    k : int
        Least size of a group.
    method : {"optimal-univariate", "fixed"}
        The k-partition of least loss, or consecutive groups of k (the last one takes the rest).
        Equal values are ordered by record id, so that they may be split.
    objective : {"squares", "absolute"}
        What the optimal partition minimises: squared deviations from the mean of the group, or
        absolute ones, as in the paper (slower: groups of 2k and more can then be optimal).

    Returns
    -------
    Masked

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> ds.microaggregate(ages, ["age"], k=4, method="fixed").to("arrow")["age"].to_pylist()
    [15.0, 15.0, 15.0, 15.0, 55.0, 55.0, 55.0, 55.0]
    """
    if not isinstance(data, Microdata):
        fail("P09", "the first argument is not microdata.", "Open it with ds.read(…) first.")
    chosen = attributes.names(columns) if columns is not None else data.need_keys()
    raise_all(_problems(data, chosen, k, method, objective))
    link = require_link(data)
    order = data.source.at(data.record_id) if data.record_id else link
    found = engine.records(data.source, link, chosen, order)
    for name in chosen:
        values = found.column(name).to_numpy().astype(np.float64)
        masked = _group_means(values, _groups(values, k, method, objective))
        found = found.set_column(found.column_names.index(name), name, [masked])
    source = engine.replaced(data.source, link, found)
    parameters = {"columns": list(chosen), "k": k, "method": method, "objective": objective}
    return masked_from(
        data,
        source,
        method="microaggregate",
        parameters=parameters,
        changed=frozenset(chosen),
        complete=source,
        types=dict.fromkeys(chosen, AttributeType("continuous")),
    )


def _groups(
    values: NDArray[np.float64], k: int, method: Method, objective: Objective
) -> NDArray[np.int64]:
    from discreet.kernels.univariate import fixed_groups, optimal_groups

    return fixed_groups(values, k) if method == "fixed" else optimal_groups(values, k, objective)


def _group_means(values: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean of each record's group, summed around the group's first value for precision."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(groups[order]) > 0])
    origin = values[order][starts]
    sizes = np.diff(np.r_[starts, len(values)])
    shifted = values[order] - np.repeat(origin, sizes)
    means = np.empty_like(values)
    means[order] = np.repeat(origin + np.add.reduceat(shifted, starts) / sizes, sizes)
    return means


def _problems(
    data: Microdata, chosen: tuple[str, ...], k: object, method: str, objective: str
) -> list[Problem]:
    problems = whole_number("k", k, 1)
    if method not in METHODS:
        problems.append(
            Problem("P16", f"{method!r} is not a method.", f"Use one of {', '.join(METHODS)}.")
        )
    if objective not in OBJECTIVES:
        problems.append(
            Problem("P16", f"{objective!r} is not an objective.", f"Use {' or '.join(OBJECTIVES)}.")
        )
    unknown = [c for c in chosen if c not in data.columns]
    problems += [attributes.unknown_column("column", c, data.columns, data.name) for c in unknown]
    if not chosen:
        problems.append(Problem("P04", "no column is named.", "Name the columns to aggregate."))
    if not problems and isinstance(k, int) and k > data.n:
        what = f"k = {k:,} is more than the {data.n:,} records there are."
        problems.append(Problem("P17", what, "Lower k."))
    return problems + _column_problems(data, [c for c in chosen if c in data.columns])


def _column_problems(data: Microdata, chosen: list[str]) -> list[Problem]:
    kinds = data.source.kinds
    problems = [
        Problem(
            "D12", f"{c!r} is stored as {kinds[c]} and has no mean.", "Name numeric columns only."
        )
        for c in chosen
        if kinds[c] not in ("integer", "number")
    ]
    numeric = [c for c in chosen if kinds[c] in ("integer", "number")]
    missing = engine.profile(data.source, numeric)[1] if numeric else {}
    return problems + [
        Problem(
            "D03", f"{c!r} has {missing[c][1]:,} missing values.", "Fill them or drop the records."
        )
        for c in numeric
        if missing[c][1]
    ]
