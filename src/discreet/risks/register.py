"""The population: how many people of a register share the keys of each released record.

A journalist does not know whether a person is in the file, and looks for the person in the
population: of F people with these keys the right one is found with probability 1/F. Where there is
a register of all, F is counted in it. Combinations and counts are compared, never records, so that
file and register may lie in different engines.

Keys that were generalized here are generalized in the register as well, before they are compared.
Where single cells were recoded or blanked, the people whom a released combination covers are
counted: a group stands for its values, a blank for all.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.masked import Masked, Step
from discreet.data.microdata import Microdata
from discreet.data.reader import read
from discreet.errors import DiscreetError, Problem, argument, fail, listed, raise_all
from discreet.frequency.frequency_set import FrequencySet
from discreet.hierarchies.texts import plain, text_form
from discreet.kernels.compatible import compatible_counts
from discreet.kernels.packing import added, merged
from discreet.parameters import Notation
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.hierarchies.hierarchy import Hierarchy
    from discreet.hierarchies.recoding import Recoding
    from discreet.kernels.arrays import Ints
    from discreet.kernels.related_tuples import CellRelation

_ALIKE = ({"integer", "number"}, {"date", "timestamp"})  # kinds that hold the same values
REGISTER = Notation(
    "a file of the population",
    lambda value: isinstance(value, str) and bool(value),
    lambda value, folder: folder / Path(value).expanduser(),
    lambda value: str(value) if isinstance(value, str | os.PathLike) else _unwritten(),
    schema={"type": "string", "minLength": 1},
)


def _unwritten() -> str:
    what = "a plan cannot name a register that is a frame or a table."
    fail("N20", what, f"Write it to a file and give its path: {argument('population')}.")


@dataclass(frozen=True)
class IntruderRisk:
    """The risk of the records under one intruder: 1/i where i people may be meant.

    A *prosecutor* knows that a person is in the file: the right record is one of the f that share
    its keys. A *journalist* does not, and must look for the person in the whole population, among
    F. A *marketer* is content with recognising as many as possible: the expected share is the mean
    of 1/F.

    El Emam & Dankar (2008), Protecting privacy using k-anonymity; El Emam (2013), Guide to the
    De-Identification of Personal Health Information, chapter 16.

    Attributes
    ----------
    mean : float
        The average risk.

    Examples
    --------
    >>> found = IntruderRisk((1, 4), (2, 8), 0.4)
    >>> found.highest, found.share_above(0.5)
    (1.0, 0.2)
    """

    _sizes: tuple[int, ...] = field(repr=False)
    _records: tuple[int, ...] = field(repr=False)
    mean: float

    @property
    def highest(self) -> float:
        """The largest risk of a record."""
        return 1 / min(self._sizes)

    def share_above(self, threshold: float) -> float:
        """Share of the records whose risk is above a threshold."""
        if not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
            fail("P10", "a risk threshold must lie between 0 and 1.", "Give for example 0.2.")
        rows = zip(self._sizes, self._records, strict=True)
        return sum(n for i, n in rows if 1 / i > threshold) / sum(self._records)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "highest": self.highest,
            "mean": self.mean,
            "share_above_0.2": self.share_above(0.2),
        }


@dataclass(frozen=True)
class PopulationRisk:
    """What a register says of a file.

    Attributes
    ----------
    records : int
        People in the register.
    name : str
        Where it comes from.
    journalist : IntruderRisk
        1/F. Its mean is that of El Emam: the larger of (number of classes)/(people in them) and
        of the mean over the records.
    marketer : float
        Mean over the records of 1/F: the share that is recognised when all are looked up.
    """

    records: int
    name: str
    journalist: IntruderRisk
    marketer: float

    def explain(self) -> list[str]:
        """What someone finds who has the names of the population, in sentences."""
        found = self.journalist
        return [
            f"Against the {self.records:,} people of {self.name}: someone who has the names of all "
            f"of them recognises a record with probability {found.highest:.1%} at most, "
            f"{self.marketer:.2%} on average; {found.share_above(0.2):.1%} of the records are "
            "above 20%."
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        journalist = self.journalist.to_dict()
        return {"population": self.records, "journalist": journalist, "marketer": self.marketer}


def population_risk(data: Microdata, given: Any) -> PopulationRisk:
    """Look the combinations of keys of a file up in a register."""
    keys = data.frequency_set(data.need_keys())
    people = people_of(data, given)
    size = sizes_in(data, keys, people)
    sizes, row = np.unique(size, return_inverse=True)
    records = np.bincount(row, keys.counts).astype(np.int64)
    marketer = math.fsum(keys.counts / size) / keys.n
    mean = marketer if data.missing == "wildcard" else max(len(size) / int(size.sum()), marketer)
    journalist = IntruderRisk(tuple(sizes.tolist()), tuple(records.tolist()), mean)
    return PopulationRisk(people.counted.n, people.name, journalist, marketer)


# -- the register ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class People:
    """Everybody, by combinations of keys, as the keys of a file are now.

    Attributes
    ----------
    counted : FrequencySet
    name : str
        Where they come from.
    unlike : tuple of str
        Keys that are not stored as in the file.
    cells : CellCovers, optional
        Where single cells of the file were changed: what they stand for. The keys of the people
        are as they were then.
    """

    counted: FrequencySet
    name: str
    unlike: tuple[str, ...] = ()
    cells: CellCovers | None = None


@dataclass(frozen=True, eq=False)
class CellCovers:
    """What the cells of a file stand for.

    Attributes
    ----------
    tables : mapping of key to tables
        Pairs of a value and a label that may stand for it, for the values of file and register.
    blanked : frozenset of str
        Keys in which a missing cell stands for every value.
    """

    tables: Mapping[str, tuple[pa.Table, ...]]
    blanked: frozenset[str]

    def relations(self, people: FrequencySet, keys: FrequencySet) -> list[CellRelation]:
        """Per key, which values of the people stand behind which cells."""
        from discreet.risks.key_covers import key_cover

        each = zip(keys.attributes, people.values, keys.values, strict=True)
        return [
            key_cover(
                name, theirs, mine, self.tables.get(name, ()), blank_fits=name in self.blanked
            )
            for name, theirs, mine in each
        ]


def people_of(data: Microdata, given: Any) -> People:
    """The people of a register, or of class sizes that were counted, with the keys of a file."""
    if isinstance(given, FrequencySet):
        return _as_released(People(given.rollup(data.need_keys()), "the population"), data)
    register = register_of(data, given)
    raise_all(_unlike_kinds(data, register))
    kinds = _first(data).source.kinds
    unlike = tuple(n for n in data.keys if kinds[n] != register.source.kinds[n])
    people = People(register.frequency_set(data.keys), register.name, unlike)
    return people if isinstance(register, Masked) else _as_released(people, data)


def known_as(given: Any) -> str | int:
    """By what a register is told from another one: its path, or the object itself."""
    return str(given) if isinstance(given, str | os.PathLike) else id(given)


def name_of(given: Any) -> str:
    """A register in a word."""
    if isinstance(given, str | os.PathLike):
        return Path(given).name
    return given.name if isinstance(given, Microdata) else "the population"


def register_of(data: Microdata, given: Any) -> Microdata:
    """The register with the keys of the file; a path or a frame is read as the file was."""
    if isinstance(given, Microdata):
        bare = {"identifiers": (), "confidential": (), "weight": None, "record_id": None}
        return given.with_roles(**bare, household=None, subject=None, keys=data.need_keys())
    if isinstance(given, int | float):
        what = f"{argument('population')} is a number, and not a register of the population."
        fail("P09", what, "Give a file, a frame or a table with the keys of all people.")
    first = _first(data)
    how = first.origin.options
    codes = how.get("missing_values", ())
    if isinstance(codes, Mapping):
        codes = {name: some for name, some in codes.items() if name in data.keys}
    texts = {n: t for n, t in first.origin.types.items() if n in data.keys and t == "nominal"}
    return read(
        given,
        keys=data.need_keys(),
        types=texts,
        missing=data.missing,
        missing_values=codes,
        encoding=how.get("encoding", "utf-8"),
        engine=how.get("engine"),
    )


def _first(data: Microdata) -> Microdata:
    return data.initial if isinstance(data, Masked) else data


def _unlike_kinds(data: Microdata, register: Microdata) -> list[Problem]:
    """Keys whose values cannot be the same; a text may be the text of anything."""
    first = _first(data)
    problems = []
    for name in data.keys:
        pair = {first.source.kinds[name], register.source.kinds[name]}
        if len(pair) == 1 or "text" in pair or any(pair <= some for some in _ALIKE):
            continue
        mine, theirs = first.source.kinds[name], register.source.kinds[name]
        what = f"{name!r} is stored as {mine} in {data.name} and as {theirs} in {register.name}."
        problems.append(Problem("D62", what, "Store it alike in both."))
    return problems


def _as_released(people: People, data: Microdata) -> People:
    """The register with its keys generalized as those of the file were; as it is where single cells
    of them were changed, with what these stand for."""
    steps = data.steps if isinstance(data, Masked) else ()
    blanked = frozenset(n for s in steps if _blanks(s) for n in s.changed if n in data.keys)
    if isinstance(data, Masked) and (blanked or any(_recodes_cells(s) for s in steps)):
        covers = {name: _covers(name, people.counted, data) for name in data.keys}
        return replace(people, cells=CellCovers(covers, blanked))
    leveled = [s for s in steps if "levels" in s.parameters]
    counted = people.counted
    for step in leveled:
        last = data.mappings if isinstance(data, Masked) and step is leveled[-1] else {}
        counted = _generalized(counted, step, last)
    return replace(people, counted=counted)


def _recodes_cells(step: Step) -> bool:
    return "hierarchies" in step.asked and "changes" in step.parameters


def _blanks(step: Step) -> bool:
    return "changes" in step.parameters and not _recodes_cells(step)


def _covers(name: str, people: FrequencySet, data: Masked) -> tuple[pa.Table, ...]:
    """Which label may stand for which value of the register: the first step is fitted to it as it
    was to the file, later ones know the labels of the file."""
    own = data.covers.get(name, ())
    steps = [s for s in data.steps if name in s.asked.get("hierarchies", {})]
    steps = [s for s in steps if _recodes_cells(s) or s.parameters["levels"].get(name, 0)]
    if not (own and steps):
        return own
    values, counts = people.values[people.attributes.index(name)], people.rollup([name]).counts
    first = steps[0]
    fitted = fitted_to(first.asked["hierarchies"][name], name, values, counts)
    levels = first.parameters.get("levels", {})
    table = fitted.covers() if _recodes_cells(first) else fitted.table(levels[name])
    need_same_groups(name, table, own[0])
    return (table, *own[1:])


def _generalized(
    people: FrequencySet, step: Step, mappings: Mapping[str, pa.Table]
) -> FrequencySet:
    """One generalization; ``mappings`` is what it made of the values of the file."""
    hierarchies, levels = step.asked.get("hierarchies", {}), step.parameters.get("levels", {})
    values, codes = list(people.values), list(people.codes)
    for a, name in enumerate(people.attributes):
        level = levels.get(name, 0)
        if level and name in hierarchies:
            counts = people.rollup([name]).counts
            fitted = fitted_to(hierarchies[name], name, people.values[a], counts)
            need_same_groups(name, fitted.table(level), mappings.get(name))
            values[a], codes[a] = fitted.labels[level], fitted.maps[level][people.codes[a]]
    first, owner = merged(codes, [len(v) for v in values])
    return FrequencySet(
        people.attributes,
        tuple(values),
        tuple(c[first] for c in codes),
        added(owner, people.counts, len(first)),
    )


def fitted_to(hierarchy: Hierarchy, name: str, values: pa.Array, counts: Ints) -> Recoding:
    """A hierarchy of the file, fitted to the register; what it lacks is told of the register."""
    try:
        return hierarchy.fit(name, values, counts)
    except DiscreetError as error:
        where = "in the register of the population, "
        raise type(error)(*(replace(p, what=f"{where}{p.what}") for p in error.problems)) from None


def need_same_groups(name: str, theirs: pa.Table, mine: pa.Table | None) -> None:
    """Refuse a hierarchy that groups the register otherwise than the file: it was made from it."""
    if mine is None:
        return
    labels, own = _labels(name, theirs), _labels(name, mine)
    if any(value in labels and labels[value] != made for value, made in own.items()):
        fail(
            "N83",
            f"the hierarchy of {name!r} was made from the file, and groups the register "
            "differently.",
            "Give a hierarchy that does not depend on the data.",
        )


def _labels(name: str, table: pa.Table) -> dict[str | None, set[str | None]]:
    """The labels of each value."""
    found: dict[str | None, set[str | None]] = {}
    for value, made in zip(*(_texts(name, column) for column in table.columns), strict=True):
        found.setdefault(value, set()).add(made)
    return found


def _texts(name: str, values: pa.ChunkedArray) -> list[str | None]:
    return text_form(name, plain(values.combine_chunks())).to_pylist()


# -- looking up ------------------------------------------------------------------------------------


def sizes_in(data: Microdata, keys: FrequencySet, people: People) -> NDArray[np.int64]:
    """For each combination of a file the number of people who may have it; an error where the
    people of the file cannot be among them."""
    if people.cells is None:
        size = looked_up(keys, people.counted, wildcard=data.missing == "wildcard")
    else:
        size = covering(keys, people, people.cells)[1]
    raise_all(_disproved(data, people, keys.counts, size))
    return size


def covering(keys: FrequencySet, people: People, cells: CellCovers) -> tuple[Ints, Ints]:
    """For each combination of people the number of those of the file that cover it, and for each
    of the file the number of people whom it covers."""
    from discreet.kernels.related_tuples import related_sums

    relations = cells.relations(people.counted, keys)
    one, theirs = np.ones_like(keys.counts), people.counted.counts
    return related_sums(people.counted.codes, keys.codes, relations, theirs, one)


def looked_up(
    keys: FrequencySet, people: FrequencySet, *, wildcard: bool = False
) -> NDArray[np.int64]:
    """For each combination of the one, the number of those of the other who may have it."""
    other_codes = [
        places(name, mine, theirs)[codes]
        for name, mine, theirs, codes in zip(
            keys.attributes, keys.values, people.values, people.codes, strict=True
        )
    ]
    width = [len(values) + 2 for values in keys.values]  # a missing one, and any other
    both = [
        np.concatenate([own, other]) for own, other in zip(keys.codes, other_codes, strict=True)
    ]
    counts = np.concatenate([np.zeros_like(keys.counts), people.counts])
    first, owner = merged(both, width)
    found = added(owner, counts, len(first))
    if wildcard:
        missing = [_missing(values) for values in keys.values]
        found = compatible_counts([codes[first] for codes in both], width, missing, found)
    return found[owner[: len(keys)]]


def places(name: str, mine: pa.Array, theirs: pa.Array) -> NDArray[np.int64]:
    """The code in the file of each value of the register; the last one for a value that the file
    does not have, which only a missing value matches.
    """
    import pyarrow.compute as pc

    mine, theirs = plain(mine), plain(theirs)
    if mine.type != theirs.type:
        mine, theirs = text_form(name, mine), text_form(name, theirs)
    found = pc.index_in(theirs, value_set=mine).fill_null(len(mine) + 1)
    place = np.array(found, dtype=np.int64)
    place[~np.asarray(theirs.is_valid())] = _missing(mine)
    return place


def _missing(values: pa.Array) -> int:
    """The code of a missing value: its own, where there is one, or one after all others."""
    return len(values) - 1 if len(values) and not values[-1].is_valid else len(values)


def _disproved(
    data: Microdata, register: People, counts: NDArray[np.int64], size: NDArray[np.int64]
) -> list[Problem]:
    """What shows that the people of the file are not in the register."""
    problems = []
    absent, rarer = size == 0, (size > 0) & (size < counts)
    if absent.any():
        problems.append(
            Problem(
                "D61",
                f"nobody in the register, {register.name}, has the {listed(data.keys)} of "
                f"{counted(int(counts[absent].sum()), 'record')} of the file, {data.name} "
                f"({counted(int(absent.sum()), 'combination')}).",
                _remedy(data, register),
            )
        )
    if rarer.any():
        problems.append(
            Problem(
                "D63",
                f"the register, {register.name}, has fewer people than the file, {data.name}, has "
                f"records with the same {listed(data.keys)}: so for "
                f"{counted(int(counts[rarer].sum()), 'record')} "
                f"({counted(int(rarer.sum()), 'combination')}).",
                _remedy(data, register),
            )
        )
    return problems


def _remedy(data: Microdata, register: People) -> str:
    masked = data.changed & {*data.keys} if isinstance(data, Masked) else frozenset()
    if masked:
        named = listed(sorted(masked))
        return (
            f"The masking changed {named}: a register follows coarser and blank cells only. "
            "Measure before other maskings."
        )
    if register.unlike:
        return f"{listed(register.unlike)} are not stored alike: read them as nominal in both."
    return "Give a register of all people the file was drawn from, with its keys coded alike."
