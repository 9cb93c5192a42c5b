"""Recipes, and grids of them: what to do to a file, said without a cell value, with every value of
the parameters of a method."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from discreet.criteria.all_of import combined
from discreet.criteria.criterion import Criterion
from discreet.data import attributes
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata
from discreet.errors import DiscreetError, Problem, argument, did_you_mean, raise_all
from discreet.masking.method import Method
from discreet.parameters import Parameter, seed_problems
from discreet.registry import criteria, maskings

ALSO = {"fractions": "fraction"}  # a word for several of them


@runtime_checkable
class Recipe(Protocol):
    """What every recipe can do."""

    @property
    def method(self) -> str:
        """The method, in a word."""

    @property
    def label(self) -> str:
        """The method and what sets this recipe apart."""

    def run(self, data: Microdata) -> Masked:
        """Mask."""

    def to_dict(self) -> dict[str, Any]:
        """Its parameters as plain values, without a value of the data."""


@dataclass(frozen=True)
class MaskingRecipe:
    """A masking method with its arguments.

    Attributes
    ----------
    masking : Method
    given : mapping
        The arguments by name.
    """

    masking: Method
    given: Mapping[str, Any] = field(repr=False)  # a hierarchy may list values

    @property
    def method(self) -> str:
        """The method, or the variant of it, in a word."""
        return self.masking.word(self.given)

    @property
    def label(self) -> str:
        """The method and what a map varies of it."""
        parts = [
            _shown(parameter, self.given[name])
            for name, parameter in self.masking.parameters.items()
            if name in self.given and (parameter.vary or parameter.shared == "criterion")
        ]
        return " ".join([self.method, *filter(None, parts)])

    def run(self, data: Microdata) -> Masked:
        """Mask."""
        masked: Masked = self.masking.run(data, self.given).masked
        return masked

    def to_dict(self) -> dict[str, Any]:
        """Its parameters; of what may list values only the names."""
        found: dict[str, Any] = {"method": self.method}
        for name, parameter in self.masking.parameters.items():
            value = self.given.get(name)
            if parameter.shared == "criterion" and value is not None:
                found[name] = value.describe()
                found |= {n: v for n, v in vars(value).items() if isinstance(v, int | float)}
            elif not parameter.is_variant and value is not None:
                found[name] = _plain(parameter, value)
        return found


def _plain(parameter: Parameter, value: Any) -> Any:
    if parameter.shared == "hierarchies" or parameter.holds_values:
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


def _shown(parameter: Parameter, value: Any) -> str:
    """A value as it stands on a map; what a map does not vary is shown where it is not usual."""
    if parameter.shared == "criterion":
        return str(value.short())
    if len(parameter.vary) == 1 and value == parameter.default:
        return ""
    return parameter.on_map.format(parameter.text(value).replace(" ", ""))


def grid(
    *,
    methods: Sequence[str] | str = ("mdav",),
    hierarchies: Mapping[str, Any] | None = None,
    criterion: Any = None,
    seed: int | None = None,
    **varied: Any,
) -> tuple[Recipe, ...]:
    """Recipes for an R-U map: each method with each value of its parameters.

    Parameters
    ----------
    methods : list of str
        ``"mdav"``, ``"v-mdav"``, ``"pca"``, ``"fixed"``, ``"individual"``,
        ``"optimal-univariate"`` (microaggregation), ``"generalization"``,
        ``"local recoding"``, ``"sampling"``, ``"targeting"``; or the name of the function.
    hierarchies : mapping, optional
        For generalization and local recoding: as for :func:`generalize`.
    criterion : criterion or list of them, optional
        For these: one recipe for each. Without it k-anonymity for each ``k=``, with
        ``p=`` p-sensitive.
    seed : int, optional
        For methods that draw at random.
    **varied
        Any parameter of the methods, with one value or several: ``k=[3, 5, 10]``,
        ``fraction=[0.1, 0.5]``, ``max_suppressed=[0.02, 0.05]``, ``ordinal="convex-median"``.
        What is not given takes the usual values.

    Returns
    -------
    tuple of recipes
        In the order of the methods, then of their parameters. A recipe has a ``.label``, and
        ``.run(data)`` gives the masked microdata.

    Examples
    --------
    >>> import discreet as ds
    >>> recipes = ds.grid(methods=["mdav", "sampling"], k=[3, 5], fraction=[0.1], seed=1)
    >>> [recipe.label for recipe in recipes]
    ['mdav k=3', 'mdav k=5', 'sampling 0.1']
    """
    said = {ALSO.get(name, name): value for name, value in varied.items()}
    words = attributes.names(methods)
    known = method_words()
    problems = _method_problems(words, known)
    chosen = [known[word] for word in dict.fromkeys(words) if word in known]
    problems += _unknown(said, chosen)
    made: list[Recipe] = []
    for method, fixed in chosen:
        given = {**said, "hierarchies": hierarchies, "criterion": criterion, **fixed}
        values, wrong = _values(method, given, seed)
        problems += wrong
        if not wrong:
            pairs = itertools.product(*values.values())
            made += [MaskingRecipe(method, _given(values, one)) for one in pairs]
    raise_all(list(dict.fromkeys(problems)))
    return tuple(made)


def method_words() -> dict[str, tuple[Method, dict[str, Any]]]:
    """The words for the methods on a map, each with the arguments that it stands for."""
    found: dict[str, tuple[Method, dict[str, Any]]] = {}
    for method in maskings.all():
        variant = method.variant
        for choice in variant.choices if variant else ():
            found[choice] = (method, {variant.name: choice})
        found.setdefault(method.noun, (method, {}))
        found.setdefault(method.name, (method, {}))
    return found


def _given(values: Mapping[str, Any], one: tuple[Any, ...]) -> dict[str, Any]:
    return {name: value for name, value in zip(values, one, strict=True) if value is not None}


def _values(
    method: Method, given: Mapping[str, Any], seed: int | None
) -> tuple[dict[str, Sequence[Any]], list[Problem]]:
    """The values that each parameter of a method takes, and what is wrong with them."""
    found: dict[str, Sequence[Any]] = {}
    problems: list[Problem] = []
    taken = {p.group for p in method.parameters.values() if p.group and p.name in given}
    for name, parameter in method.applicable(given).items():
        if parameter.shared:
            found[name], wrong = _shared(method, parameter, given)
        elif parameter.is_seed:
            said = parameter.default if seed is None else seed
            found[name], wrong = (said,), seed_problems(said, name)
        elif name in given:
            found[name], wrong = _several(parameter, given[name])
        else:
            usual = () if parameter.group in taken else parameter.vary
            found[name], wrong = usual or (None,), []
            if parameter.needed and not usual:
                wrong = [_lacks(method, parameter)]
        problems += wrong
    return found, problems


def _lacks(method: Method, parameter: Parameter) -> Problem:
    what = f"{method.noun} needs {argument(parameter.name)}."
    return Problem("P52", what, f"Give {parameter.words}.", parameter.name)


def _several(parameter: Parameter, given: Any) -> tuple[tuple[Any, ...], list[Problem]]:
    """One value or several, as a tuple."""
    if parameter.kind in ("columns", "column", "table", "special"):
        return (attributes.names(given) if parameter.kind == "columns" else given,), []
    values = several(given)
    if not values:
        remedy = f"Give for example {argument(parameter.name, parameter.example)}."
        return (), [Problem("P52", f"no {parameter.name} is given.", remedy, parameter.name)]
    problems = [problem for value in values for problem in parameter.problems(value)]
    return values, problems[:1]


def several(given: Any) -> tuple[Any, ...]:
    """One value or several, as a tuple."""
    many = isinstance(given, Sequence | range | set | frozenset) and not isinstance(given, str)
    return tuple(given) if many or hasattr(given, "__array__") else (given,)


def _shared(
    method: Method, parameter: Parameter, given: Mapping[str, Any]
) -> tuple[tuple[Any, ...], list[Problem]]:
    if parameter.shared == "hierarchies":
        found = given.get("hierarchies")
        if isinstance(found, Mapping) and found:
            return (found,), []
        remedy = f"Give {argument('hierarchies')}, by key."
        what = f"{method.noun} needs hierarchies."
        return (), [Problem("P52", what, remedy, "hierarchies")]
    if given.get("criterion") is not None:
        some = given["criterion"]
        one_by_one = some if isinstance(some, list | tuple) else [some]
        return tuple(combined(one) for one in one_by_one), []
    return _counted(given)


def _counted(given: Mapping[str, Any]) -> tuple[tuple[Any, ...], list[Problem]]:
    """Criteria for every k, and p where it is given."""
    plain, sensitive = criteria["KAnonymity"], criteria["PSensitiveKAnonymity"]
    sizes, problems = _several(plain.first, given.get("k", plain.first.vary))
    if given.get("p") is None:
        return (() if problems else tuple(plain.made(size) for size in sizes)), problems
    values, wrong = _several(sensitive.first, given["p"])
    if problems or wrong:
        return (), [*problems, *wrong]
    try:
        made: list[Criterion] = [sensitive.made(p, k) for k in sizes for p in values]
    except DiscreetError as error:
        return (), list(error.problems)
    return tuple(made), []


def _unknown(
    said: Mapping[str, Any], chosen: Sequence[tuple[Method, dict[str, Any]]]
) -> list[Problem]:
    """Parameters that no method has: a misspelt one would be ignored."""
    every = {name for method in maskings.all() for name in method.parameters} | {"k", "p"}
    own = {name for method, _ in chosen for name in method.parameters}
    return [
        Problem(
            "P52",
            f"{argument(name)} is not a parameter of these methods.",
            did_you_mean(name, own) or "Leave it out.",
            name,
        )
        for name in said
        if name not in every
    ]


def _method_problems(chosen: tuple[str, ...], known: Mapping[str, Any]) -> list[Problem]:
    use = f"Use some of {', '.join(known)}."
    problems = [
        Problem("P52", f"{method!r} is not a method.", did_you_mean(method, known) or use)
        for method in chosen
        if method not in known
    ]
    problems += [
        Problem("P52", f"the method {method!r} is named more than once.", "Name it once.")
        for method in dict.fromkeys(chosen)
        if chosen.count(method) > 1
    ]
    return problems or ([] if chosen else [Problem("P52", "no method is named.", use)])
