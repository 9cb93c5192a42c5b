"""Sets of keys, each with the least number of records that must share its values."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from discreet.data import attributes
from discreet.errors import Problem, argument, did_you_mean, listed
from discreet.masking.notation import TOGETHER
from discreet.parameters import is_whole

MOST_SETS = 5_000


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
