"""Post-randomization: categories become others by known probabilities, and counts stay in balance.

Gouweleeuw, Kooiman, Willenborg & de Wolf (1998); van den Hout & Elamir (2006). The probabilities
come from symmetric flows between categories, so that the expected count of each is what it was:
R_ij = w_ij / n_i with w_ij = w_ji. ``keep`` is the least diagonal of R, exactly. With
``exact=True`` the flows are whole numbers of records, and no count changes at all.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from annotated_doc import Doc
from annotated_types import Interval

from discreet.data.attributes import names
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import DiscreetError, Problem, argument, fail, raise_all
from discreet.frequency.frequency_set import coded
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.hierarchies.written import HIERARCHY
from discreet.kernels import exchanges
from discreet.kernels.draws import mixed, stream, uniforms
from discreet.masking.method import MaskedColumns, SecretSeed, Strata, masking
from discreet.masking.perturbation import (
    DrawnRecords,
    drawn,
    record_pairs,
    strata_of,
)
from discreet.masking.transition import PostRandomization, Transition
from discreet.parameters import (
    ColumnFacts,
    Columns,
    Label,
    Notation,
    Public,
    Share,
    Unfit,
    Values,
    Vary,
    as_type,
    is_number,
    is_whole,
)
from discreet.surface import function
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats, Ints


LEVEL = "level"
Nearness = Literal["any", "near"]
_MOST = 1000  # categories: the matrix has as many rows and columns, in every stratum


def _is_within(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(one, Mapping) and is_whole(one.get(LEVEL, 1)) for one in value.values()
    )


def _split(one: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """What builds the hierarchy, and the level."""
    return {key: part for key, part in one.items() if key != LEVEL}, one.get(LEVEL, 1)


def _load_within(value: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    pairs = {name: _split(one) for name, one in value.items()}
    return {name: (HIERARCHY.load(built, folder), level) for name, (built, level) in pairs.items()}


def _dump_within(value: Mapping[str, Any]) -> dict[str, Any]:
    pairs = {n: one if isinstance(one, tuple | list) else (one, 1) for n, one in value.items()}
    return {
        name: {**HIERARCHY.dump(hierarchy), **({} if level == 1 else {LEVEL: int(level)})}
        for name, (hierarchy, level) in pairs.items()
    }


def _script_within(value: Mapping[str, Any]) -> str:
    pairs = {name: _split(one) for name, one in value.items()}
    shown = [f"{name!r}: ({HIERARCHY.script(built)}, {level})" for name, (built, level) in
             pairs.items()]  # fmt: skip
    return f"{{{', '.join(shown)}}}"


def _read(text: str) -> Any:
    """A table as a plan writes it: ``{ edu = { file = "edu.csv" } }``."""
    try:
        return tomllib.loads(f"given = {text}")["given"]
    except tomllib.TOMLDecodeError:
        raise ValueError("not a table") from None


WITHIN = Notation(
    "a table of columns, each with a hierarchy and a level",
    _is_within,
    _load_within,
    _dump_within,
    _script_within,
    {"type": "object", "additionalProperties": {"type": "object"}},
    section="hierarchies",
    read=_read,
)


def _is_diagonals(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(one, Mapping) and all(is_number(p) and 0 <= p <= 1 for p in one.values())
        for one in value.values()
    )


DIAGONALS = Notation(
    "a table of columns, each with a table of categories and probabilities",
    _is_diagonals,
    dump=lambda value: {n: {str(c): float(p) for c, p in o.items()} for n, o in value.items()},
    schema={
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
        },
    },
    read=_read,
)


def exchangeable(column: ColumnFacts) -> list[Unfit]:
    """Why the values of a column are no categories.

    Examples
    --------
    >>> exchangeable(ColumnFacts("number", "continuous", "continuous", 0))[0].what
    'is continuous, and its values are not categories'
    """
    if column.kind != "other" and column.measure != "continuous":
        return []
    remedy = f"Name nominal or ordinal columns, or make it one with {as_type('nominal')}."
    return [Unfit("D12", f"is {column.type}, and its values are not categories", remedy)]


@masking(
    title="Post-randomization (PRAM)",
    done="post-randomized",
    about="Values become other categories by known probabilities; counts stay equal on average.",
    noun="pram",
    example="--keys edu --columns edu --keep 0.8 --seed 1",
    tells=("information_loss",),
    public_facts=("least_diagonal",),
    perturbs=True,
)
def pram(
    data: Microdata,
    columns: Annotated[
        MaskedColumns,
        Columns(fit=exchangeable),
        Doc("Nominal or ordinal columns whose values are changed, each by itself."),
    ],
    keep: Annotated[
        float | Mapping[str, Mapping[Any, float]],
        Interval(ge=0, le=1),
        Share,
        Label("Least probability to stay"),
        Doc("Least probability that a value stays as it is."),
        Public,
        Vary(0.95, 0.9, 0.8, 0.6),
    ] = 0.8,
    *,
    exact: Annotated[
        bool,
        Label("no count changes"),
        Doc("Exchange whole numbers of records, so that every count stays exactly as it was."),
        Public,
    ] = False,
    by: Annotated[
        Strata, Doc("Columns that make the strata: values change into those of the same stratum.")
    ] = (),
    within: Annotated[
        Mapping[str, Any] | None,
        Columns(named=list),
        WITHIN,
        Label("Within groups of"),
        Doc("Hierarchies of columns: a value stays in its group of a level, 1 by default."),
    ] = None,
    near: Annotated[
        Nearness,
        Label(
            "Values become",
            {"any": "any other, by its frequency", "near": "near ones more often, in their order"},
        ),
        Doc("What a value becomes: any other, by frequency, or mostly near ones (half per step)."),
        Public,
    ] = "any",
    diagonals: Annotated[
        Mapping[str, Mapping[Any, float]] | None,
        Columns(named=list),
        DIAGONALS,
        Values,
        Label("Probability to stay, by category"),
        Doc("Columns with a probability to stay for some categories; all others take the least."),
    ] = None,
    seed: Annotated[SecretSeed, Doc("The same seed changes the same records.")] = None,
) -> Masked:
    """Change categories into others by probabilities that keep all counts in balance.

    Parameters
    ----------
    data : Microdata
    columns : list of str
        Nominal or ordinal attributes; each is changed by itself.
    keep : float, or mapping of column to mapping of category to float
        The least diagonal of the matrix: the probability with which the values of the category
        that changes most stay what they are. A mapping gives every category its own, exactly.
    exact : bool
        Exchange whole numbers of records between categories, as many as come back: every one-way
        count stays as it was, and in each category at least ``keep`` of the records.
    by : list of columns, optional
        Strata: values change into those that occur in the same stratum, and counts stay in balance
        in each. A stratum with one value is an error, since it could not be protected.
    within : mapping of column to Hierarchy, optional
        Values change only into those of the same group at level 1, or at the level of a pair
        ``(hierarchy, level)``.
    near : {"any", "near"}
        Which values they become: by frequency alone, or also by the distance in their order (that
        of an ordinal scale), half as often with every step.
    diagonals : mapping of column to mapping of category to float, optional
        Categories with a probability to stay of their own; all others of the column take ``keep``.
    seed : int
        The same seed changes the same records wherever the record ids are the same. Who has it can
        undo the changes: keep it secret.

    Returns
    -------
    Masked
        ``.transition(column)`` is the matrix, with an estimate of the table before, the chance that
        a released category is the true one, and the ε of local differential privacy. Missing
        values stay missing.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"edu": ["low"] * 50 + ["mid"] * 30 + ["top"] * 20}, keys=["edu"])
    >>> masked = ds.pram(survey, ["edu"], keep=0.8, exact=True, seed=1)
    >>> masked.frequency_set(["edu"]).counts.tolist()
    [50, 30, 20]
    >>> masked.outcome.changed, masked.transition("edu").matrix[0].tolist()
    ({'edu': 16}, [0.86, 0.08, 0.06])

    References
    ----------
    - Gouweleeuw, Kooiman, Willenborg, de Wolf (1998), *Post randomisation for statistical
      disclosure control: theory and implementation*. Journal of Official Statistics 14 (4).
    - van den Hout, Elamir (2006), *Statistical disclosure control using post randomisation:
      variants and measures for disclosure risk*. Journal of Official Statistics 22 (4).
    """
    require_microdata(data)
    every = isinstance(keep, Mapping)
    if isinstance(keep, Mapping):
        diagonals, keep = _only(keep, diagonals), 1.0
    given = {"keep": keep, "exact": exact, "near": near}
    groups, wrong = _levels(within or {}, names(columns))
    wrong += _diagonal_problems(diagonals or {}, names(columns))
    found = drawn(pram, data, columns, by, seed, given, wrong)
    asked = ChangeRequest(float(keep), exact, near, groups, diagonals or {}, every)
    done = all_changed(found, found.columns, asked)
    parameters = {"columns": list(found.columns), **given, "by": list(found.by), "seed": found.seed}
    transitions = {name: one.transition for name, one in done.items()}
    outcome = PostRandomization(transitions, {n: one.changed for n, one in done.items()}, data.n,
                                data.source.kind)  # fmt: skip
    return found.masked(
        {name: one.values for name, one in done.items()},
        method="pram",
        parameters={**parameters, "least_diagonal": outcome.least},
        asked={**parameters, "within": within, "diagonals": diagonals},
        promise=InBalance(data, transitions),
        outcome=outcome,
        transitions=transitions,
    )


def _only(keep: Mapping[str, Any], diagonals: Any) -> Mapping[str, Any]:
    """The probabilities of all categories, given in place of the least one."""
    if diagonals is not None:
        what = f"{argument('keep')} and {argument('diagonals')} both list categories."
        fail("P10", what, f"Give one of the two, or a number for {argument('keep')}.")
    return keep


def _diagonal_problems(given: Any, columns: Sequence[str]) -> list[Problem]:
    if not isinstance(given, Mapping) or not all(isinstance(v, Mapping) for v in given.values()):
        what = f"{argument('diagonals')} must be a table of columns, each with its categories."
        return [Problem("P10", what, "Give for example {'edu': {'primary': 0.9}}.")]
    others = [name for name in given if name not in columns]
    problems = [
        Problem("P10", f"probabilities are given for {name!r}, which is not changed.",
                f"Name it in {argument('columns')}.")
        for name in others
    ]  # fmt: skip
    return problems + [
        Problem("P10", f"a probability to stay of {name!r} is not between 0 and 1.",
                "Give a number in this range.")
        for name, some in given.items()
        if not all(is_number(one) and 0 <= one <= 1 for one in some.values())
    ]  # fmt: skip


def _levels(
    given: Mapping[str, Any], columns: Sequence[str]
) -> tuple[dict[str, tuple[Hierarchy, int]], list[Problem]]:
    """The hierarchy and the level of each column."""
    found, problems = {}, []
    for name, one in given.items():
        pair = one if isinstance(one, tuple | list) and len(one) == 2 else (one, 1)
        if name not in columns:
            what = f"groups are given for {name!r}, which is not changed."
            problems.append(Problem("P10", what, f"Name it in {argument('columns')}."))
        elif not isinstance(pair[0], Hierarchy) or not is_whole(pair[1]):
            what = f"what {argument('within')} gives for {name!r} is not a hierarchy."
            problems.append(Problem("P19", what, "Give one, or a pair of it and a level."))
        else:
            found[name] = (pair[0], int(pair[1]))
    return found, problems


@dataclass(frozen=True)
class InBalance:
    """No value became one that it cannot become, missing ones stay, and with whole flows every
    count of a category in a stratum is what it was."""

    before: Microdata
    transitions: Mapping[str, Transition]

    def broken(self, masked: Masked) -> list[str]:
        """Both files are fetched, record by record."""
        by = next(iter(self.transitions.values())).by
        old, new = record_pairs(self.before, masked, list(self.transitions), by)
        strata = strata_of(old, by)
        return [
            problem
            for name, one in self.transitions.items()
            for problem in self._of_column(one, old[name], new[name], strata)
        ]

    def _of_column(
        self, one: Transition, old: pa.ChunkedArray, new: pa.ChunkedArray, strata: Sequence[Ints]
    ) -> list[str]:
        known = pa.array(one.categories, old.type)
        codes = [pc.index_in(c, value_set=known).to_numpy() for c in (old, new)]
        there = [~np.isnan(c.astype(np.float64)) for c in codes]
        if (there[0] != there[1]).any() or there[0].any() != bool(len(known)):
            return [f"missing values of {one.column!r} moved, or values are new"]
        impossible = unequal = 0
        for number, part in enumerate(strata):
            before, after = (c[part[there[0][part]]].astype(np.int64) for c in codes)
            impossible += int((one.matrices[number][before, after] <= 0).sum())
            sizes = [np.bincount(c, minlength=len(known)) for c in (before, after)]
            unequal += int((sizes[0] != sizes[1]).sum())
        problems = [f"{counted(impossible, 'value')} of {one.column!r} became one that it never "
                    "becomes"] if impossible else []  # fmt: skip
        if one.exact and unequal:
            problems.append(f"{counted(unequal, 'count')} of {one.column!r} changed")
        return problems


# -- The columns of a post-randomization -----------------------------------------------------------
#
# Their categories, the flows between these, and what each record becomes.


@dataclass(frozen=True)
class ChangeRequest:
    """What is asked of every column.

    ``within`` holds hierarchies and levels, ``every`` says that all categories must be named.
    """

    keep: float
    exact: bool
    near: str
    within: Mapping[str, tuple[Hierarchy, int]]
    diagonals: Mapping[str, Mapping[Any, float]]
    every: bool


@dataclass(frozen=True)
class ChangedColumn:
    """A column after the changes."""

    values: pa.Array
    changed: int
    transition: Transition


def all_changed(
    found: DrawnRecords, columns: Sequence[str], asked: ChangeRequest
) -> dict[str, ChangedColumn]:
    """All columns; what is wrong with any of them is said at once."""
    done, problems = {}, list[Problem]()
    for name in columns:
        own = CategoryColumn.of(found, name, asked, problems)
        if not problems:
            done[name] = own.changed(found, asked)
    raise_all(problems)
    return done


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column in codes, with the flows of each stratum.

    Attributes
    ----------
    values : array
        The categories, in order.
    codes : array
        The category of each record; the number of categories where it is missing.
    parts : list of arrays
        The places of the records of each stratum that have a value.
    counts : matrix
        Records by stratum and category.
    flows : list of matrices
        By stratum, among the categories that occur there.
    keep : array
        The least share of each category that stays.
    """

    name: str
    values: pa.Array
    codes: Ints
    parts: list[Ints]
    counts: Ints
    flows: list[Floats]
    keep: Floats

    @classmethod
    def of(
        cls, found: DrawnRecords, name: str, asked: ChangeRequest, problems: list[Problem]
    ) -> CategoryColumn:
        """Code a column and find its flows; what is wrong is added to the problems."""
        values, ranks = coded(found[name], found.data.types.scale(name))
        values = values.drop_null()
        codes, size = ranks.astype(np.int64), len(values)
        parts = [part[codes[part] < size] for part in found.strata]
        counts = np.array([np.bincount(codes[part], minlength=size) for part in parts])
        keep, wrong = _keeps(name, values, asked)
        affinity, more = _affinity(name, values, counts.sum(axis=0), asked)
        problems += [*wrong, *more, *_size_problems(name, counts, found.by, asked)]
        flows = [] if problems else _flows(name, counts, affinity, keep, asked, problems)
        return cls(name, values, codes, parts, counts, flows, keep)

    def changed(self, found: DrawnRecords, asked: ChangeRequest) -> ChangedColumn:
        """Draw what each record becomes."""
        size, of = len(self.values), stream("pram", self.name)
        after, matrices = self.codes.copy(), np.tile(np.eye(size), (len(self.parts), 1, 1))
        draws: Any = mixed(found.hashes, of) if asked.exact else uniforms(found.hashes, of)
        for number, part in enumerate(self.parts):
            there = np.flatnonzero(self.counts[number])
            if not len(there):
                continue
            local, sizes = np.searchsorted(there, self.codes[part]), self.counts[number][there]
            flows: Any = self.flows[number]
            if asked.exact:
                flows = exchanges.whole_flows(sizes, flows, self.keep[there])
                made = exchanges.exchanged(local, flows, draws[part])
            matrix = exchanges.matrix(sizes, flows)
            if not asked.exact:
                made = exchanges.drawn(local, exchanges.cumulated(matrix), draws[part])
            after[part] = there[made]
            matrices[number][np.ix_(there, there)] = matrix
        masked = self.values.take(pa.array(after, mask=after == size))
        moved = int((after != self.codes).sum())
        return ChangedColumn(
            masked, moved, self._transition(found, matrices, after, exact=asked.exact)
        )

    def _transition(
        self, found: DrawnRecords, matrices: Floats, after: Ints, *, exact: bool
    ) -> Transition:
        size = len(self.values)
        released = np.array([np.bincount(after[p], minlength=size) for p in self.parts])
        first = [int(part[0]) for part in found.strata]
        strata = found.table.select(list(found.by)).take(first) if found.by else None
        return Transition(
            self.name,
            tuple(self.values.to_pylist()),
            found.by,
            strata,
            matrices,
            self.counts,
            released,
            exact,
            found.data.source.kind,
            isinstance(found.data, Masked) and self.name in found.data.perturbed,
        )


def _flows(
    name: str,
    counts: Ints,
    affinity: Floats,
    keep: Floats,
    asked: ChangeRequest,
    problems: list[Problem],
) -> list[Floats]:
    """The flows of every stratum, among the categories that occur there."""
    made, impossible = [], 0
    for own in counts:
        there = np.flatnonzero(own)
        close = affinity[np.ix_(there, there)]
        if not len(there):  # all are missing
            made.append(close)
        elif name in asked.diagonals:
            found = exchanges.flows_for_all(own[there], close, keep[there])
            impossible += found is None
            made.append(np.zeros_like(close) if found is None else found)
        else:
            made.append(exchanges.flows_for_least(own[there], close, asked.keep))
    if impossible:
        where = f" in {impossible:,} of {len(counts):,} strata" if len(counts) > 1 else ""
        what = f"a category of {name!r} would have to give more records than the others can take"
        remedy = "Keep more of the most frequent category, or less of the others."
        problems.append(Problem("D49", f"{what}{where}.", remedy))
    return made


def _affinity(
    name: str, values: pa.Array, counts: Ints, asked: ChangeRequest
) -> tuple[Floats, list[Problem]]:
    """How readily two categories are exchanged, beside their frequency."""
    size = len(values)
    found: Floats = np.ones((size, size))
    if asked.near == "near":
        found = np.power(0.5, abs(np.subtract.outer(np.arange(size), np.arange(size))))
    if name in asked.within:
        hierarchy, level = asked.within[name]
        try:
            fitted = hierarchy.fit(name, values, counts)
        except DiscreetError as error:
            return found, list(error.problems)
        if not 0 < level <= fitted.height:
            what = f"the hierarchy of {name!r} has no level {level}."
            return found, [Problem("P24", what, f"Give one from 1 to {fitted.height}.")]
        group = fitted.maps[level]
        found = found * (group == group[:, None])
    return found, []


def _keeps(name: str, values: pa.Array, asked: ChangeRequest) -> tuple[Floats, list[Problem]]:
    """The probability to stay of each category, which are named by their values or as text."""
    given = asked.diagonals.get(name)
    if given is None:
        return np.full(len(values), asked.keep), []
    texts = {str(category): float(one) for category, one in given.items()}
    held = [str(value) for value in values.to_pylist()]
    unknown, absent = len(set(texts) - set(held)), len(set(held) - set(texts))
    problems = []
    if unknown:
        what = f"{unknown:,} of the categories named for {name!r}"
        problems.append(Problem("D40", f"{what} do not occur.", "Name those that do."))
    if absent and asked.every:
        what = f"{absent:,} of {len(held):,} categories of {name!r} have no probability to stay."
        remedy = (
            f"List all, or list these in {argument('diagonals')} and give {argument('keep')} a "
            "number for the others."
        )
        problems.append(Problem("D40", what, remedy))
    return np.array([texts.get(one, asked.keep) for one in held]), problems


def _size_problems(
    name: str, counts: Ints, by: tuple[str, ...], asked: ChangeRequest
) -> list[Problem]:
    """Too many categories, or too few to exchange."""
    if counts.shape[1] > _MOST:
        what = f"{name!r} has {counts.shape[1]:,} categories, more than {_MOST:,}."
        return [Problem("N16", what, f"Group them first, with {function('generalize', '…')}.")]
    if not counts.any():
        return [Problem("D07", f"{name!r} has no value at all.", "Leave the column out.")]
    if asked.keep == 1 and name not in asked.diagonals:
        return []
    alone = int(((counts > 0).sum(axis=1) == 1).sum())
    if not alone:
        return []
    if not by:
        what = f"{name!r} has one value, which cannot become another."
        return [Problem("D07", what, "Leave the column out.")]
    what = f"{alone:,} of {len(counts):,} strata by {', '.join(map(repr, by))} have one value of "
    return [Problem("D07", f"{what}{name!r}, which cannot become another.", "Merge small strata.")]
