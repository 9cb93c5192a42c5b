"""Targeted record swapping: households that stand out where they live exchange places with others.

Whoever is alone with their keys in a small area is looked for there. Their household exchanges its
geography with one of another area that is alike; everything else stays, and with it all tables of
the whole file and the number of such households in every area. As for Eurostat's 2021 census.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pyarrow as pa
from annotated_doc import Doc
from annotated_types import Ge, Interval

from discreet.data.attributes import names
from discreet.data.checks import unfit_kinds
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, raise_all
from discreet.frequency.frequency_set import coded
from discreet.kernels.draws import mixed, stream, uniforms
from discreet.kernels.record_swap import paired, race
from discreet.masking.method import SecretSeed, masking, unknown_columns
from discreet.masking.notation import LISTS
from discreet.masking.perturbation import (
    DrawnRecords,
    alike,
    drawing_problems,
    drawn_records,
    joined,
    record_pairs,
)
from discreet.parameters import (
    Columns,
    Label,
    Public,
    Share,
    Vary,
    as_written,
    parameters_of,
    problems_of,
)
from discreet.results import Result
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.frames import FrameKind
    from discreet.kernels.arrays import Floats, Ints


@masking(
    title="Targeted record swapping",
    done="swapped between areas",
    about="Households that stand out where they live exchange places with similar ones elsewhere.",
    noun="record swapping",
    example="--keys age,sex --geography region,town --household hid --seed 1",
    public_facts=("swapped", "lacking"),
    perturbs=True,
)
def swap_records(
    data: Microdata,
    geography: Annotated[
        Sequence[str] | str,
        Columns(),
        Label("Geography"),
        Doc("Columns that say where a household lives, the largest areas first."),
        Public,
    ],
    keys: Annotated[
        Sequence[str] | str | None,
        Columns(),
        Label("What makes a person stand out"),
        Doc("Columns by which a person stands out in an area; the keys by default."),
        Public,
    ] = None,
    k: Annotated[
        int,
        Ge(2),
        Label("k: least number alike in an area"),
        Doc("A person stands out where fewer than k people in the area are alike."),
        Public,
        Vary(2, 3, 5),
    ] = 3,
    *,
    similar: Annotated[
        Sequence[Sequence[str]] | None,
        Columns(named=lambda given: [name for one in given for name in one]),
        LISTS,
        Label("Similar households have the same"),
        Doc("Columns in which two households must agree; the next list is for those left over."),
        Public,
    ] = None,
    rate: Annotated[
        float,
        Interval(ge=0, le=1),
        Share,
        Label("Least share of households"),
        Doc("Least share of the households that is swapped, whether or not they stand out."),
        Public,
    ] = 0.02,
    carry: Annotated[
        Sequence[str] | str,
        Columns(),
        Label("What moves along"),
        Doc("Columns that move with the geography, such as coordinates."),
        Public,
    ] = (),
    seed: Annotated[SecretSeed, Doc("The same seed swaps the same households.")] = None,
) -> Masked:
    """Exchange the geography of households that stand out with that of similar ones elsewhere.

    Parameters
    ----------
    data : Microdata
        With its household named (``household=`` of :func:`read`); else every record is one.
    geography : list of str
        Columns that say where a household lives, the largest areas first.
    keys : list of str, optional
        A person stands out in an area where fewer than k have the same values of these; the keys
        when not given, but for those that say where somebody lives.
    k : int
        At least 2.
    similar : list of lists of columns, optional
        Two households exchange only when they have as many members and share the columns of the
        first list; where no such household is left, those of the next one.
    rate : float
        Share of the households that are exchanged at least. Who does not stand out is taken in
        the smallest areas by the same race.
    carry : list of str, optional
        Columns that move along.
    seed : int
        The same seed swaps the same households wherever the record ids are the same. Keep it
        secret.

    Returns
    -------
    Masked
        ``.outcome`` says how many households were swapped, and how many that stand out found no
        partner. Every area has as many households of each profile as before, and all columns but
        geography and what moves along stay as they are.

    Notes
    -----
    From the largest areas down, every household that stands out at a level and has not been
    exchanged takes a partner of another area at that level. Of those like it, one is taken with a
    probability in proportion to its own risk, 1 over the number of people like its rarest member
    (an exponential race).

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"town": ["A"] * 6 + ["B"] * 6, "job": ["farm"] * 5 + ["pilot"] + ["farm"] * 6}
    >>> survey = ds.read(table, keys=["job", "town"])
    >>> masked = ds.swap_records(survey, ["town"], k=2, rate=0, seed=1)
    >>> print(masked.explain())
    12 of 12 records after swap_records.
    2 of 12 households were swapped between areas.
    Of 1 household that stands out where it lives, all found a partner.
    """
    require_microdata(data)
    where, moving = names(geography), names(carry)
    own = names(keys) if keys is not None else tuple(c for c in data.keys if c not in where)
    profiles = [names(one) for one in similar] if similar else [()]
    given = {"k": k, "rate": rate}
    problems = problems_of(parameters_of(swap_records), given)
    problems += drawing_problems(data, [*where, *moving], (), seed)
    beside = list(dict.fromkeys([*own, *(name for one in profiles for name in one)]))
    raise_all([*problems, *_problems(data, where, own, beside, moving)])
    assert seed is not None
    home = [] if data.household is None else [data.household]
    found = drawn_records(data, [*where, *moving, *beside, *home], (), seed, "swap_records")
    homes = _homes(found, where, own, profiles)
    same = [*where, *moving, *(name for one in profiles for name in one)]
    raise_all(_differing(found, same, homes))
    wanted = math.ceil(as_written(rate) * homes.number)
    partner, risky = _partners(homes, k, wanted)
    order = _moved(homes, partner)
    outcome = SwappedRecords(int((partner >= 0).sum()), homes.number, int(risky.sum()),
                             int((risky & (partner < 0)).sum()), wanted,
                             data.source.kind)  # fmt: skip
    parameters = {"geography": list(where), "keys": list(own), "k": int(k), "seed": int(seed),
                  "similar": [list(one) for one in profiles if one], "rate": float(rate),
                  "carry": list(moving)}  # fmt: skip
    return found.masked(
        {name: found[name].take(order) for name in (*where, *moving)},
        method="swap_records",
        parameters={**parameters, "swapped": outcome.swapped, "lacking": outcome.lacking},
        promise=AreasKept(data, where, tuple(profiles)),
        outcome=outcome,
    )


@dataclass(frozen=True, eq=False)
class _Homes:
    """The households of the records.

    Attributes
    ----------
    of : array
        The household of each record.
    first : array
        The place of the first record of each household.
    hashes : array
        Of the first record.
    areas, alike : list of arrays
        By level, the area of each household, and how many people there are like its rarest member.
    profiles : list of arrays
        By list of columns, the profile of each household.
    """

    of: Ints
    first: Ints
    hashes: Any
    areas: list[Ints]
    alike: list[Ints]
    profiles: list[Ints]

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.first)


def _homes(
    found: DrawnRecords, where: Sequence[str], keys: Sequence[str], profiles: Sequence[Any]
) -> _Homes:
    """Find the households, where they live, and how much they stand out."""
    of, first = _households(found.table, found.data.household)
    size = np.bincount(of)[of]
    levels = [where[: level + 1] for level in range(len(where))]
    like = [alike(found.table, [*level, *keys]) for level in levels]
    return _Homes(
        of,
        first,
        found.hashes[first],
        [alike(found.table, level)[first] for level in levels],
        [_least(np.bincount(people)[people], of) for people in like],
        [alike(found.table, one, size)[first] for one in profiles],
    )


def _households(records: pa.Table, household: str | None) -> tuple[Ints, Ints]:
    """The household of each record, and the place of the first record of each."""
    every = np.arange(records.num_rows)
    if household is None:
        return every, every
    of = alike(records, [household])
    return of, _least(every, of)


def _least(numbers: Ints, of: Ints) -> Ints:
    """Of each household, the least number that one of its members has."""
    found = np.full(int(of.max(initial=-1)) + 1, len(of))
    np.minimum.at(found, of, numbers)
    return found


def _partners(homes: _Homes, k: int, wanted: int) -> tuple[Ints, Any]:
    """The partner of each household, −1 for none, and which of them stand out somewhere; as many
    as are wanted have one, if they can."""
    partner, risky = np.full(homes.number, -1), np.zeros(homes.number, dtype=bool)
    turn = mixed(homes.hashes, stream("swap_records", "turn"))
    for level, people in enumerate(homes.alike):
        risky |= people < k
        some = np.flatnonzero((people < k) & (partner < 0))
        some = some[np.argsort(turn[some], kind="stable")]
        partner = _with_partners(homes, partner, some, level, homes.number)
    lacking = wanted - int((partner >= 0).sum())
    if lacking > 0:
        level = len(homes.areas) - 1
        keys = _keys(homes, level, "filled")
        some = np.argsort(keys, kind="stable")
        partner = _with_partners(homes, partner, some, level, -(-lacking // 2))
    return partner, risky


def _with_partners(homes: _Homes, partner: Ints, some: Ints, level: int, most: int) -> Ints:
    """Partners for some households, by the first list of columns that gives them one."""
    before = int((partner >= 0).sum())
    for number, profile in enumerate(homes.profiles):
        left = most - (int((partner >= 0).sum()) - before) // 2
        keys = _keys(homes, level, f"donor {number}")
        partner = paired(partner, some, homes.areas[level], profile, keys, left)
    return partner


def _keys(homes: _Homes, level: int, word: str) -> Floats:
    draws = uniforms(homes.hashes, stream("swap_records", word, level))
    return race(draws, 1 / homes.alike[level])


def _moved(homes: _Homes, partner: Ints) -> Ints:
    """For each record, the place of the one whose geography it gets."""
    everybody = np.arange(homes.number)
    other = np.where(partner >= 0, partner, everybody)
    return homes.first[other][homes.of]


def _problems(
    data: Microdata, where: Sequence[str], keys: Sequence[str], beside: Sequence[str],
    moving: Sequence[str],
) -> list[Problem]:  # fmt: skip
    problems = unknown_columns(data, beside)
    problems += unfit_kinds(data, [n for n in (*where, *beside) if n in data.columns])
    if not keys:
        what = "no column is named that makes people stand out."
        problems.append(Problem("P04", what, f"Give {argument('keys')}."))
    both = [name for name in beside if name in (*where, *moving)]
    return problems + [
        Problem("R02", f"column {name!r} is moved, and people or households are compared by it.",
                "Choose other columns.")
        for name in both
    ]  # fmt: skip


def _differing(found: DrawnRecords, columns: Sequence[str], homes: _Homes) -> list[Problem]:
    """Columns in which members of a household differ."""
    problems = []
    for name in dict.fromkeys(columns):
        codes = coded(found[name], None)[1]
        apart = len(np.unique(homes.of[codes != codes[homes.first][homes.of]]))
        if apart:
            what = f"the members of {counted(apart, 'household')} differ in {name!r}."
            problems.append(
                Problem("D64", what, "Give all members the same value, or leave the column out.")
            )
    return problems


@dataclass(frozen=True, repr=False)
class SwappedRecords(Result):
    """What record swapping did.

    Attributes
    ----------
    swapped, households : int
        Households that were exchanged, of how many.
    risky, without_partner : int
        Households that stand out somewhere, and those of them that found no partner.
    wanted : int
        Households that should be exchanged at least, by ``rate``.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"town": ["A"] * 6 + ["B"] * 6, "job": ["farm"] * 5 + ["pilot"] + ["farm"] * 6}
    >>> survey = ds.read(table, keys=["job"])
    >>> found = ds.swap_records(survey, ["town"], k=2, rate=0, seed=1).outcome
    >>> found.swapped, found.risky, found.without_partner
    (2, 1, 0)
    """

    shown = ("swapped", "households", "risky", "without_partner", "wanted", "lacking")

    swapped: int
    households: int
    risky: int
    without_partner: int
    wanted: int
    kind: FrameKind

    @property
    def lacking(self) -> int:
        """How many fewer were exchanged than should be at least."""
        return max(self.wanted - self.swapped, 0)

    def explain(self) -> str:
        """In a few sentences."""
        stand = "stands out where it lives" if self.risky == 1 else "stand out where they live"
        found = (
            "all found a partner." if not self.without_partner else
            f"{self.without_partner:,} found no partner and stayed where they were: give further "
            "lists of columns by which households are similar."
        )  # fmt: skip
        lines = [
            f"{self.swapped:,} of {counted(self.households, 'household')} were swapped between "
            "areas."
        ]
        if self.lacking:
            lines.append(
                f"At least {self.wanted:,} should have been: for the others there is no similar "
                "household in another area."
            )
        if self.risky:
            lines.append(f"Of {counted(self.risky, 'household')} that {stand}, {found}")
        else:
            lines.append("No household stands out where it lives.")
        return "\n".join(lines)


@dataclass(frozen=True)
class AreasKept:
    """Every area has as many households of each size and profile as before, and the members of a
    household live together."""

    before: Microdata
    geography: tuple[str, ...]
    profiles: tuple[tuple[str, ...], ...]

    def broken(self, masked: Masked) -> list[str]:
        """Both files are fetched, record by record."""
        home = self.before.household
        common = [c for c in self.profiles[0] if all(c in one for one in self.profiles)]
        beside = [*common, *([home] if home else [])]
        old, new = record_pairs(self.before, masked, self.geography, beside)
        of, first = _households(old, home)
        size, there = np.bincount(of)[of], range(old.num_rows)
        both = {
            name: coded(joined(old[name], new[name]), None)[1].astype(np.int64)
            for name in self.geography
        }
        profile = alike(old, common, size)
        tables, apart = [], 0
        for start in (0, old.num_rows):
            area = [codes[start : start + len(there)] for codes in both.values()]
            apart += sum(int((a != a[first][of]).sum()) for a in area)
            combined = np.stack([*area, profile])[:, first]
            tables.append(np.unique(combined, axis=1, return_counts=True))
        same = all(np.array_equal(a, b) for a, b in zip(*tables, strict=True))
        problems = [] if same else ["areas have other households than before"]
        return [*problems, *(["members of a household live apart"] if apart else [])]
