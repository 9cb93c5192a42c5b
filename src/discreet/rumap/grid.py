"""A grid of recipes: every method with every value of its parameter."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, cast

from discreet import attributes
from discreet.criteria.criterion import is_number, whole_number
from discreet.errors import Problem, did_you_mean, raise_all
from discreet.hierarchy import Hierarchy
from discreet.masking.aggregation import Method
from discreet.rumap.recipes import (
    MAX_SUPPRESSED,
    Generalization,
    Microaggregation,
    Recipe,
    Sampling,
)

_GROUPING = ("mdav", "v-mdav", "fixed", "optimal-univariate")
METHODS = (*_GROUPING, "generalization", "sampling")


def grid(
    *,
    methods: Sequence[str] | str = ("mdav",),
    k: Sequence[int] | int = (3, 5, 10, 20),
    columns: Sequence[str] | str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    p: int | None = None,
    max_suppressed: Sequence[float] | float = MAX_SUPPRESSED,
    fractions: Sequence[float] | float = (0.1, 0.25, 0.5),
    seed: int | None = None,
) -> tuple[Recipe, ...]:
    """Recipes for an R-U map: each method with each value of its parameter.

    Parameters
    ----------
    methods : list of str
        ``"mdav"``, ``"v-mdav"``, ``"fixed"``, ``"optimal-univariate"`` (microaggregation),
        ``"generalization"``, ``"sampling"``.
    k : list of int
        For microaggregation and generalization.
    columns : list of str, optional
        What to microaggregate; the keys when not given.
    hierarchies, p, max_suppressed
        For generalization: as for :func:`generalize`; p adds p-sensitivity. Several values of
        ``max_suppressed`` are combined with every k.
    fractions, seed : list of float, int
        For sampling.

    Returns
    -------
    tuple of recipes
        In the order of the methods, then of k and of the other parameter. A recipe has a
        ``.label``, and ``.run(data)`` gives the masked microdata.

    Examples
    --------
    >>> import discreet as ds
    >>> recipes = ds.grid(methods=["mdav", "sampling"], k=[3, 5], fractions=[0.1], seed=1)
    >>> [recipe.label for recipe in recipes]
    ['mdav k=3', 'mdav k=5', 'sampling 0.1']
    """
    chosen, sizes = attributes.names(methods), _several(k)
    limits, shares = _several(max_suppressed), _several(fractions)
    raise_all(
        [
            *_method_problems(chosen),
            *_size_problems(chosen, sizes, p),
            *_generalization_problems(chosen, hierarchies, limits),
            *_sampling_problems(chosen, shares, seed),
        ]
    )
    named = None if columns is None else attributes.names(columns)
    made: list[Recipe] = []
    for method in chosen:
        if method == "sampling":
            made += [Sampling(share, cast("int", seed)) for share in shares]
        elif method == "generalization":
            pairs = itertools.product(sizes, limits)
            made += [Generalization(size, hierarchies or {}, p, limit) for size, limit in pairs]
        else:
            made += [Microaggregation(size, cast("Method", method), named) for size in sizes]
    return tuple(made)


def _several(given: Any) -> tuple[Any, ...]:
    """One value or several, as a tuple."""
    several = isinstance(given, Sequence | range | set | frozenset) and not isinstance(given, str)
    if several or hasattr(given, "__array__"):
        return tuple(given)
    return (given,)


def _method_problems(chosen: tuple[str, ...]) -> list[Problem]:
    problems = [
        Problem(
            "P52",
            f"{method!r} is not a method.",
            did_you_mean(method, METHODS) or f"Use some of {', '.join(METHODS)}.",
        )
        for method in chosen
        if method not in METHODS
    ]
    problems += [
        Problem("P52", f"the method {method!r} is named more than once.", "Name it once.")
        for method in dict.fromkeys(chosen)
        if chosen.count(method) > 1
    ]
    if not chosen:
        problems.append(Problem("P52", "no method is named.", f"Use some of {', '.join(METHODS)}."))
    return problems


def _size_problems(chosen: tuple[str, ...], sizes: tuple[Any, ...], p: Any) -> list[Problem]:
    if not set(chosen) - {"sampling"}:
        return []
    if not sizes:
        return [Problem("P52", "no k is given.", "Give for example k=[3, 5, 10].")]
    problems = [problem for size in sizes for problem in whole_number("k", size, 1)][:1]
    if p is not None and "generalization" in chosen:
        problems += whole_number("p", p, 1)
        if not problems and p > min(sizes):
            what = f"p = {p} is larger than the smallest k = {min(sizes)}."
            problems.append(Problem("P08", what, "Lower p or leave out the smaller k."))
    return problems


def _generalization_problems(
    chosen: tuple[str, ...], hierarchies: Any, limits: tuple[Any, ...]
) -> list[Problem]:
    if "generalization" not in chosen:
        return []
    problems = []
    if not isinstance(hierarchies, Mapping) or not hierarchies:
        remedy = 'Write hierarchies={"age": ds.Hierarchy.…} (--hierarchies folder).'
        problems.append(Problem("P52", "generalization needs hierarchies.", remedy))
    if not limits or not all(is_number(limit) and limit >= 0 for limit in limits):
        what = "max_suppressed= is neither a share (0.0 to 1.0) nor a number of records."
        problems.append(Problem("P14", what, "Give for example 0.02, or 20."))
    return problems


def _sampling_problems(
    chosen: tuple[str, ...], shares: tuple[Any, ...], seed: object
) -> list[Problem]:
    if "sampling" not in chosen:
        return []
    problems = []
    if not shares or not all(is_number(share) and 0 < share <= 1 for share in shares):
        what = "fractions= are not numbers above 0 and up to 1."
        problems.append(Problem("P14", what, "Give for example [0.1, 0.5]."))
    if isinstance(seed, bool) or not isinstance(seed, int):
        what = "sampling needs a whole number as seed=."
        problems.append(Problem("P15", what, "Give one, to be able to repeat it."))
    return problems
