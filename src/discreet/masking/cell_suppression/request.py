"""What is asked of a suppression of cells, checked against the data: all problems at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from discreet import engine
from discreet.criteria.all_of import combined, people_apart, split
from discreet.criteria.subjects import resolved
from discreet.data import attributes
from discreet.errors import Problem, argument, did_you_mean, fail, listed, raise_all
from discreet.masking.cell_people import people_problems
from discreet.masking.method import unknown_columns
from discreet.masking.notation import TOGETHER
from discreet.parameters import Parameter, is_number, is_whole, problems_of
from discreet.surface import function
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata


ReadingName = Literal["category", "target-source", "wildcard"]
SearchName = Literal["quick", "default", "optimal"]
MOST_SETS = 5_000


@dataclass(frozen=True, eq=False)
class SuppressionRequest:
    """What is asked for, with the usual filled in.

    Attributes
    ----------
    criterion : Criterion or None
        With its attributes named; None where only sets of keys must hold.
    keys : tuple of str
    sets : tuple of KeySet
        What must hold of the keys: all of them together, as a rule.
    cost : mapping of key to number
    reading : str
        How a blank is counted.
    record_cost, keep_records : str or None
        A column that says what a change of the record is worth, and one that flags records which
        must not be touched.
    keep : mapping of key to column
        Columns that flag cells which must not be touched.
    by : tuple of str
        Strata.
    linked : mapping of key to columns
    max_blanks : int or None
        Most cells that a record may lose.
    search : str
    seed : int
    counted : tuple of str
        Columns whose values the criterion counts.
    stay : tuple of str
        Keys of which no cell may be touched.
    only_failing : bool
        Whether only records in classes that fail may be touched.
    """

    criterion: Any
    keys: tuple[str, ...]
    sets: tuple[KeySet, ...]
    cost: Mapping[str, float]
    reading: ReadingName = "category"
    record_cost: str | None = None
    keep: Mapping[str, str] = field(default_factory=dict)
    keep_records: str | None = None
    by: tuple[str, ...] = ()
    linked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    max_blanks: int | None = None
    search: SearchName = "default"
    seed: int = 0
    counted: tuple[str, ...] = ()
    stay: tuple[str, ...] = ()
    only_failing: bool = False

    @property
    def apart(self) -> tuple[Any, tuple[Any, ...]]:
        """What must hold of the records of a class alone, None where nothing must; and what must of
        the people behind it."""
        return (None, ()) if self.criterion is None else people_apart(self.criterion)

    @property
    def k(self) -> int:
        """The largest least number of records."""
        return max(one.k for one in self.sets)

    @property
    def all_keys(self) -> bool:
        """Whether it must hold of all keys together, and nothing else is asked for."""
        return len(self.sets) == 1 and self.sets[0].keys == self.keys

    @property
    def beside(self) -> tuple[str, ...]:
        """The columns that matter beside the keys, in an order that is always the same."""
        flags = (*self.keep.values(), *([self.keep_records] if self.keep_records else []))
        costs = (self.record_cost,) if self.record_cost else ()
        return tuple(dict.fromkeys((*self.by, *flags, *costs, *self.counted)))

    def describe(self) -> str:
        """What must hold, in words."""
        if self.all_keys and self.criterion is not None:
            return str(self.criterion.describe())
        if len(self.sets) == 1:
            return f"{self.sets[0].k}-anonymity of {listed(self.sets[0].keys)}"
        least, most = min(s.k for s in self.sets), max(s.k for s in self.sets)
        said = f"{least}" if least == most else f"{least}- to {most}"
        return f"{said}-anonymity of {len(self.sets):,} sets of keys"


def request_of(
    data: Microdata, parameters: Sequence[Parameter], **given: Any
) -> SuppressionRequest:
    """The request that arguments stand for; all that is wrong with them is said at once."""
    keys, by = data.need_keys(), attributes.names(given["by"])
    problems = problems_of(parameters, given)
    criterion = _criterion(data, given["criterion"], given["subsets"])
    counted = () if criterion is None else _counted(data, criterion)
    k = None if criterion is None else criterion.least_size
    sets, wrong = key_sets(given["subsets"], keys, k)
    problems += [*wrong, *policy_problems(data)]
    problems += _subject_problems(data, given) or _criterion_problems(given, criterion, counted)
    if criterion is not None:
        problems += people_problems(people_apart(criterion)[1], by)
    tables = {name: _table(given[name], name, keys, problems) for name in _TABLES}
    cost = {key: float(price) for key, price in tables["cost"].items() if is_number(price)}
    problems += _cost_problems(tables["cost"])
    keep = {key: str(flag) for key, flag in tables["keep"].items()}
    linked = {key: attributes.names(names) for key, names in tables["linked"].items()}
    found = SuppressionRequest(
        None if isinstance(given["subsets"], Mapping) else criterion,  # each set has its own k
        keys,
        sets,
        {key: cost.get(key, 1.0) for key in keys},
        given["reading"],
        attributes.name(given["record_cost"], "record_cost"),
        keep,
        attributes.name(given["keep_records"], "keep_records"),
        by,
        linked,
        given["max_blanks"],
        given["search"],
        given["seed"],
        counted,
    )
    raise_all([*problems, *_column_problems(data, found)])
    return found


_TABLES = {
    "cost": '{"age": 2}',
    "keep": '{"age": "age_is_final"}',
    "linked": '{"age": ["birth_year"]}',
}


def _criterion(data: Microdata, given: Any, subsets: Any) -> Any:
    if given is None or given == []:
        if isinstance(subsets, Mapping) and subsets:
            return None
        fail(
            "P09",
            "no criterion is given.",
            f"Give for example {function('KAnonymity', '3')}, or a risk with {argument('risk')} "
            f"and {argument('at_most')}.",
        )
    parts, limits = split(combined(given))
    if limits or parts is None:
        fail(
            "N41",
            f"suppressing cells cannot aim at this: {limits[0].describe()}.",
            f"Give a criterion on classes, such as {function('KAnonymity', '3')}, and check the "
            "risk afterwards.",
        )
    return resolved(parts, data)


def _counted(data: Microdata, criterion: Any) -> tuple[str, ...]:
    needed = (*criterion.needs(data.confidential), *criterion.needs_values(data.confidential))
    raise_all(unknown_columns(data, needed, "confidential attribute"))
    return tuple(dict.fromkeys(needed))


def policy_problems(data: Microdata) -> list[Problem]:
    """What is wrong with blanking cells of data in which no value may be missing."""
    if data.missing != "refuse":
        return []
    what = (
        f"the data are read with {argument('missing', 'refuse')}, and a blank is a missing value."
    )
    return [
        Problem("N40", what, f'Read them with {argument("missing", "category")} or "wildcard".')
    ]


def _subject_problems(data: Microdata, given: Mapping[str, Any]) -> list[Problem]:
    """What counts records, where a person may have several and people are to be counted."""
    if data.subject is None:
        return []
    weaker = {"reading": given["reading"] != "category", "subsets": given["subsets"] is not None}
    remedy = f"Leave it out, or read the data without {argument('subject')}."
    return [
        Problem(
            "N42", f"{argument(name)} counts records, and {data.subject!r} counts people.", remedy
        )
        for name, is_weaker in weaker.items()
        if is_weaker
    ]


def _criterion_problems(given: Mapping[str, Any], criterion: Any, counted: Any) -> list[Problem]:
    """What a weaker reading, or sets of keys, cannot be held against."""
    alone = criterion is None or (criterion.counts_decide and not counted)
    if alone:
        return []
    said = criterion.describe()
    if given["reading"] != "category":
        what = f"{argument('reading', given['reading'])} has no classes, and {said} looks at them."
        return [Problem("N42", what, f"Use {argument('reading', 'category')}, or k alone.")]
    if given["subsets"] is not None:
        what = f"{argument('subsets')} is about numbers of records, and {said} asks for more."
        return [Problem("N42", what, "Give k alone, or leave the sets of keys out.")]
    return []


def _table(
    given: Any, name: str, keys: Sequence[str], problems: list[Problem]
) -> Mapping[str, Any]:
    """A mapping of keys; what is none of them is a problem."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        problems.append(
            Problem("P48", f"{argument(name)} is not a mapping of keys.", f"Write {_TABLES[name]}.")
        )
        return {}
    for key in given:
        if key not in keys:
            what = f"{argument(name)} names {str(key)!r}, which is not a key."
            near = did_you_mean(str(key), keys) or f"The keys are {listed(keys)}."
            problems.append(Problem("P48", what, near))
    return {str(key): value for key, value in given.items()}


def _cost_problems(cost: Mapping[str, Any]) -> list[Problem]:
    bad = [key for key, price in cost.items() if not (is_number(price) and 0 < price < math.inf)]
    return [
        Problem(
            "P48", f"{argument('cost')} of {key!r} is not a number above 0.", "Give for example 2."
        )
        for key in bad
    ]


def _column_problems(data: Microdata, asked: SuppressionRequest) -> list[Problem]:
    """Columns that are not there, or that cannot be what they are named for."""
    flags = {*asked.keep.values(), *([asked.keep_records] if asked.keep_records else [])}
    linked = {name for names in asked.linked.values() for name in names}
    named = {"stratum": asked.by, "flag": sorted(flags), "linked attribute": sorted(linked)}
    named["cost of a record"] = (asked.record_cost,) if asked.record_cost else ()
    problems = [p for word, names in named.items() for p in unknown_columns(data, names, word)]
    problems += _role_problems(asked, sorted(linked))
    problems += [p for name in sorted(flags & {*data.columns}) for p in _flag_problems(data, name)]
    if asked.record_cost in data.columns:
        problems += _price_problems(data, str(asked.record_cost))
    return problems


def _role_problems(asked: SuppressionRequest, linked: Sequence[str]) -> list[Problem]:
    both = [name for name in (*asked.by, *linked) if name in asked.keys]
    problems = [
        Problem("R15", f"{name!r} is a key: it is blanked itself.", "Name another column.")
        for name in dict.fromkeys(both)
    ]
    needed = {*asked.by, *asked.keep.values(), asked.keep_records, asked.record_cost}
    problems += [
        Problem("R15", f"{name!r} would lose cells, but is needed unchanged.", "Leave it out.")
        for name in linked
        if name in needed or name in asked.counted
    ]
    return problems + [
        Problem(
            "R11",
            f"{name!r} is a key that may be blanked, and the criterion counts its values.",
            f"Name other attributes: {argument('confidential')} of the criterion.",
        )
        for name in asked.counted
        if name in asked.keys
    ]


def _flag_problems(data: Microdata, name: str) -> list[Problem]:
    """A flag is true or false, or 1 or 0, in every record."""
    what = f"the flag {name!r} is neither true nor false in some records."
    problem = Problem("D47", what, "Write true and false, or 1 and 0, in every record.")
    if data.source.kinds[name] not in ("boolean", "integer", "text"):
        return [problem]
    found = data.frequency_set([name]).values[0].to_pylist()
    return [] if all(flag_of(value) is not None for value in found) else [problem]


def flag_of(value: Any) -> bool | None:
    """Whether a cell is a flag that is set; None where it is no flag."""
    known = {"true": True, "false": False, "1": True, "0": False}
    return known.get(str(value).lower())


def _price_problems(data: Microdata, name: str) -> list[Problem]:
    """Cost of a record is a number above 0, in every record."""
    if data.source.kinds[name] not in ("integer", "number"):
        what = f"the cost of a record {name!r} is stored as {data.source.kinds[name]}."
        return [Problem("D12", what, "Name a column of numbers.")]
    wrong = engine.not_positive(data.source, name)
    if not wrong:
        return []
    what = f"the cost of a record {name!r} is missing or not above 0 in {counted(wrong, 'record')}."
    return [Problem("D12", what, "Give every record a number above 0.")]


# -- Sets of keys, each with the least number of records that must share its values ----------------


class KeySet(NamedTuple):
    """Some keys, and how many records must share their values."""

    keys: tuple[str, ...]
    k: int

    def within(self, other: KeySet) -> bool:
        """Whether another one that holds tells that this one does: records that agree in keys
        agree in each of them."""
        return self.k <= other.k and set(self.keys) <= set(other.keys)


def key_sets(
    subsets: Any, keys: Sequence[str], k: int | None
) -> tuple[tuple[KeySet, ...], list[Problem]]:
    """The sets of keys that must hold, without those that others tell of, and what is wrong.

    Parameters
    ----------
    subsets : int, mapping, list or None
        A number of keys: every so many of them. A mapping of such numbers, or of sets of keys, to
        k. A list of sets of keys. None: all keys together.
    keys : sequence of str
    k : int, optional
        Where none is said.

    Examples
    --------
    >>> key_sets({2: 5, 3: 2}, ["age", "sex", "zip"], None)[0][-1]
    KeySet(keys=('age', 'sex', 'zip'), k=2)
    """
    if subsets is None:
        return (KeySet(tuple(keys), k or 1),), []
    if is_whole(subsets):
        asked: list[tuple[Any, Any]] = [(subsets, k)]
    elif isinstance(subsets, Mapping):
        asked = list(subsets.items())
    elif isinstance(subsets, list | tuple | set | frozenset):
        asked = [(one, k) for one in subsets]
    else:
        return (), [_unread()]
    if not asked:
        return (), [Problem("P04", "no set of keys is named.", f"Leave {argument('subsets')} out.")]
    problems: list[Problem] = []
    found: list[KeySet] = []
    for some, least in asked:
        found += _sets(some, least, tuple(keys), problems)
    return _largest(found), problems


def _sets(some: Any, k: Any, keys: tuple[str, ...], problems: list[Problem]) -> list[KeySet]:
    if not (is_whole(k) and k >= 1):
        what = f"{argument('subsets')} gives a set of keys no k of at least 1."
        problems.append(Problem("P47", what, "Give a criterion, or a k for each set."))
        k = 1
    if is_whole(some) or (isinstance(some, str) and some.isdecimal() and some not in keys):
        return _of_size(int(some), int(k), keys, problems)
    names = _names(some, keys)
    for name in names:
        if name not in keys:
            what = f"{argument('subsets')} names {name!r}, which is not a key."
            near = did_you_mean(name, keys) or f"The keys are {listed(keys)}."
            problems.append(Problem("P47", what, near))
    if not names:
        problems.append(_unread())
    return [KeySet(tuple(key for key in keys if key in names), int(k))]


def _names(some: Any, keys: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(some, str) and some not in keys:
        return tuple(name.strip() for name in some.split(TOGETHER))
    return attributes.names(some)


def _of_size(size: int, k: int, keys: tuple[str, ...], problems: list[Problem]) -> list[KeySet]:
    if not 1 <= size <= len(keys):
        what = f"{argument('subsets')} asks for sets of {size} of {len(keys)} keys."
        problems.append(Problem("P47", what, f"Give a number from 1 to {len(keys)}."))
        return []
    made = list(itertools.islice(itertools.combinations(keys, size), MOST_SETS + 1))
    if len(made) > MOST_SETS:
        what = f"{argument('subsets')} asks for more than {MOST_SETS:,} sets of keys."
        problems.append(Problem("P47", what, "Name the sets that matter, or fewer keys."))
        return []
    return [KeySet(one, k) for one in made]


def _unread() -> Problem:
    what = f"{argument('subsets')} is not a number of keys, a mapping or a list of sets of keys."
    return Problem("P47", what, 'Write 2, {2: 5, 3: 3}, or {("age", "sex"): 5}.')


def _largest(sets: list[KeySet]) -> tuple[KeySet, ...]:
    """Those that no other one tells of."""
    ordered = sorted(dict.fromkeys(sets), key=lambda one: (-len(one.keys), -one.k))
    kept: list[KeySet] = []
    for one in ordered:
        if not any(one.within(other) for other in kept):
            kept.append(one)
    return tuple(kept[::-1])
