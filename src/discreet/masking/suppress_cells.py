"""Suppression of cells: single cells of records that stand out are blanked, until every record has
enough others like it. All other cells keep their detail.

de Waal & Willenborg (1998); the hardness of it: Meyerson & Williams (2004).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pyarrow.compute as pc
from annotated_doc import Doc
from annotated_types import Ge, Gt

from discreet import engine
from discreet.criteria.check import check
from discreet.data.masked import Masked, Promise, masked_from, require_link, require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.related_tuples import CellRelation, related_sums
from discreet.masking import notation
from discreet.masking.cell_suppression.request import (
    KeySet,
    ReadingName,
    SearchName,
    SuppressionRequest,
    request_of,
)
from discreet.masking.cell_suppression.run import CellAnswer, answer
from discreet.masking.method import Strata, WhatMustHold, masking
from discreet.masking.promises import Holds, failing_within
from discreet.masking.protect_records import protect_records
from discreet.parameters import (
    Columns,
    InPython,
    Label,
    Public,
    Seed,
    parameters_of,
)
from discreet.risks.key_covers import key_cover
from discreet.risks.record_level import ProtectableRisk
from discreet.surface import function
from discreet.words import counted


def _holds(given: Mapping[str, Any]) -> bool:
    """Whether the criterion holds as a check counts it: of all keys together, in the category
    reading."""
    return given.get("reading", "category") == "category" and given.get("subsets") is None


@masking(
    title="Local suppression",
    done="blanked in single cells",
    about="Single cells of records that stand out are blanked; all others keep their detail.",
    noun="local suppression",
    example="--keys age,zip --k 3",
    tells=("readings",),
    public_facts=("criterion", "cells"),
    holds=_holds,
)
def suppress_cells(
    data: Microdata,
    criterion: WhatMustHold = None,
    *,
    reading: Annotated[
        ReadingName,
        Label(
            "A blank counts as",
            {
                "category": "a value of its own: equal tuples in the released file",
                "target-source": "any value, for who knows a person or has a register",
                "wildcard": "any value on both sides: for comparison with other tools",
            },
        ),
        Doc("How a blank is counted."),
        Public,
    ] = "category",
    cost: Annotated[
        Mapping[str, Annotated[float, Gt(0)]] | None,
        Columns(),
        Label("Cost of a cell"),
        Doc("Cost of a cell of each key, 1 by default: expensive ones are blanked last."),
        Public,
    ] = None,
    by: Annotated[
        Strata, Doc("Columns that make the strata: classes are counted within each.")
    ] = (),
    subsets: Annotated[
        int | Mapping[Any, int] | Sequence[Sequence[str]] | None,
        Columns(named=notation.keys_in),
        notation.SUBSETS,
        Label("Sets of keys"),
        Doc("Sets of keys that must meet the criterion, by size or by name; by default all keys."),
        Public,
    ] = None,
    search: Annotated[
        SearchName,
        Label(
            "Search",
            {
                "quick": "quick",
                "default": "few cells",
                "optimal": "until no answer with fewer cells is left, or a limit is reached",
            },
        ),
        Doc("How hard to search for a solution with few cells."),
        Public,
    ] = "default",
    max_blanks: Annotated[
        int | None,
        Ge(1),
        Label("Cells that a record may lose"),
        Doc("Most cells that a record may lose."),
        Public,
    ] = None,
    record_cost: Annotated[
        str | None,
        Columns(),
        Label("Cost of a record"),
        Doc("Column of numbers by which the cost of a record's cells is multiplied."),
        Public,
    ] = None,
    keep: Annotated[
        Mapping[str, str] | None,
        Columns(named=notation.names_in),
        notation.FLAGS,
        Label("Cells that stay"),
        Doc("Columns that mark the cells of a key that must not be blanked."),
        Public,
    ] = None,
    keep_records: Annotated[
        str | None,
        Columns(),
        Label("Records that stay"),
        Doc("Column that marks the records that must not be changed."),
        Public,
    ] = None,
    linked: Annotated[
        Mapping[str, Sequence[str]] | None,
        Columns(named=notation.names_in),
        notation.LINKED,
        Label("Linked attributes"),
        Doc("Attributes to blank together with a key, because they would give its value away."),
        Public,
    ] = None,
    seed: Annotated[
        int,
        Seed,
        Label("Seed"),
        Doc("Decides which of equal records lose a cell: the smallest hash of seed and id."),
    ] = 0,
    risk: Annotated[
        ProtectableRisk | None,
        InPython,
        Doc("In place of a criterion: a risk of each record, measured before."),
    ] = None,
    at_most: Annotated[
        float | None, InPython, Doc("With a risk: the highest that may remain.")
    ] = None,
) -> Masked:
    """Blank as few cells as possible so that every record has enough others like it.

    Parameters
    ----------
    data : Microdata
        Keys may have missing values: these cost nothing, and count like blanks.
    criterion : criterion or list of criteria
        ``KAnonymity``; in the category reading also p-sensitivity, l-diversity and other criteria
        on classes. ``KMap`` counts the people whom a released record fits, a blank being any value;
        with ``DeltaPresence`` no two different released records fit the same person.
    reading : {"category", "target-source", "wildcard"}
        How a blank is counted. As a value of its own: at least k records show the same released
        keys. In target and source: whoever knows a person finds at least k records that may be
        theirs, and every released record fits at least k people of the file. As a wildcard on
        both sides: for comparison with other tools, it does not protect all records.
    cost : mapping of key to number, optional
        Cost of a cell, 1 by default.
    by : list of columns, optional
        Strata: classes are counted within each. One with fewer than k records is an error.
    subsets : int, mapping or list, optional
        In place of all keys together: every so many keys (``2``), with a k for each number
        (``{2: 5, 3: 3}``), or sets of keys (``{("age", "sex"): 5}``). All of them hold in the end.
    search : {"quick", "default", "optimal"}
        How hard to search for a solution with few cells; heuristic without the extra ``optimal``.
    max_blanks : int, optional
        Most cells that a record may lose. The exact search takes 3 in the category reading where
        that is possible, and all searches 2 in the others; where they find no answer with so few,
        records lose more, and the outcome says so.
    record_cost : column, optional
        By what the cost of a record's cells is multiplied.
    keep : mapping of key to column, optional
        Columns of true and false (or 1 and 0) that flag cells which must not be blanked.
    keep_records : column, optional
        A column that flags records which must not be touched.
    linked : mapping of key to columns, optional
        Attributes that lose the same cells as a key.
    seed : int
        Of equal records those with the smallest hash of seed and record id are changed.
    risk, at_most : risk of records, float
        In place of a criterion, as in :func:`protect_records`.

    Returns
    -------
    Masked
        ``.changes`` says how many cells of each key were blanked, ``.bound`` how much any answer
        costs at least, as far as proven, ``.outcome`` both in words, and which answers the bound
        is about (``.restriction``).

    Raises
    ------
    InvalidData
        When a stratum is too small, or cells that stay leave no answer.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"sex": list("MMFFF"), "town": list("aabbc")}
    >>> survey = ds.read(table, keys=["sex", "town"])
    >>> masked = ds.suppress_cells(survey, ds.KAnonymity(2))
    >>> masked.changes
    {'town': 3}
    >>> masked.to("arrow")["town"].to_pylist()
    ['a', 'a', None, None, None]

    References
    ----------
    - de Waal, Willenborg (1998), *Optimal local suppression in microdata*. Journal of Official
      Statistics 14 (4).
    - Meyerson, Williams (2004), *On the complexity of optimal k-anonymity*. PODS.
    - Gionis, Mazza, Tassa (2008), *k-Anonymization revisited*. ICDE.
    """
    require_microdata(data)
    given = {name: value for name, value in locals().items() if name != "data"}
    if risk is not None or at_most is not None:
        return _by_risk(data, given)
    require_records(data)
    asked = request_of(data, parameters_of(suppress_cells), **given)
    found = answer(data, asked)
    _need_covered_gaps(data, asked, found, given)
    promise = CellsBlanked(data, asked, found.changes)
    return _masked(data, asked, found, given, promise)


def _need_covered_gaps(
    data: Microdata, asked: SuppressionRequest, found: CellAnswer, given: Mapping[str, Any]
) -> None:
    """Among people of the population a gap stands for all values where cells of its key are
    blanked, and for a value of its own where none is: these gaps must have enough people, too."""
    behind = asked.apart[1] if asked.criterion is not None and asked.criterion.registers else []
    gaps = [key for key in asked.keys if data.profile[key][1] and not found.changes.get(key)]
    if not (behind and gaps):
        return
    draft = _masked(data, asked, found, given, None)
    failing = [one.describe() for one in behind if not check(draft, one).satisfied]
    if failing:
        fail(
            "D46",
            f"no way was found to blank cells so that {' and '.join(failing)} hold"
            f"{'s' if len(failing) == 1 else ''}: too few people share the gaps in "
            f"{listed(gaps)}, which are values of their own while no cell is blanked there.",
            f"Fill the gaps, or use {function('recode', '…')}.",
        )


def _by_risk(data: Microdata, given: Mapping[str, Any]) -> Masked:
    """What a risk of records is brought down by, where it takes the place of a criterion."""
    usual = {p.name: p.default for p in parameters_of(suppress_cells)}
    own = ("risk", "at_most", "cost", "seed")
    others = [n for n, value in given.items() if n not in own and value != usual[n]]
    raise_all(
        [
            Problem(
                "P49",
                f"{argument(name)} cannot be combined with a risk of records.",
                "Leave it out, or give a criterion in place of the risk.",
            )
            for name in others
        ]
    )
    return protect_records(data, given["risk"], at_most=given["at_most"], cost=given["cost"])


def _masked(
    data: Microdata,
    asked: SuppressionRequest,
    found: CellAnswer,
    given: Mapping[str, Any],
    promise: Promise | None,
) -> Masked:
    changes, outcome = found.changes, found.outcome
    parameters = {
        "criterion": asked.describe(),
        "reading": asked.reading,
        "cost": dict(given["cost"] or {}),
        "by": list(asked.by),
        "subsets": None if given["subsets"] is None else notation.SUBSETS.dump(given["subsets"]),
        "search": asked.search,
        "max_blanks": asked.max_blanks,
        "record_cost": asked.record_cost,
        "keep": dict(asked.keep),
        "keep_records": asked.keep_records,
        "linked": {key: list(names) for key, names in asked.linked.items()},
        "seed": asked.seed,
        **outcome.to_dict(),
    }
    followed = {name for key in changes for name in asked.linked.get(key, ())}
    return masked_from(
        data,
        found.source,
        method="suppress_cells",
        parameters=parameters,
        promise=promise,
        changed=frozenset(changes) | followed,
        complete=found.source,
        changes=changes,
        outcome=outcome,
        asked={n: v for n, v in given.items() if n not in ("risk", "at_most")},
    )


# -- What is promised ------------------------------------------------------------------------------
#
# The criterion holds in its reading, only blanks were made, and what must not be touched was not.
# All is counted afresh from the released file.


@dataclass(frozen=True, eq=False)
class CellsBlanked:
    """The promise, given the file before and the numbers of cells that are said to be blanked."""

    before: Microdata
    asked: SuppressionRequest
    changes: Mapping[str, int]

    def broken(self, masked: Masked) -> list[str]:
        """Counted where the records are."""
        return [*self._cells(masked), *self._classes(masked)]

    # -- cells -------------------------------------------------------------------------------------

    def _cells(self, masked: Masked) -> list[str]:
        asked, link = self.asked, require_link(self.before)
        flags = {key: [flag] for key, flag in asked.keep.items()}
        if asked.keep_records:
            flags = {key: [*flags.get(key, ()), asked.keep_records] for key in asked.keys}
        followed: dict[str, list[str]] = {}
        for key, names in asked.linked.items():
            for name in names:
                followed.setdefault(name, []).append(key)
        pair = engine.Pair(self.before.source, masked.source, asked.keys, (link, link))
        found = engine.blanks(pair, (link, link), flags, followed)
        said = {key: self.changes.get(key, 0) for key in asked.keys}
        wrong = {
            "cells that are not what they were": found.altered,
            "cells blanked that must stay": found.flagged,
            "cells that do not follow their key": found.unlike,
        }
        problems = [
            f"{name!r} has {number:,} {what}"
            for what, numbers in wrong.items()
            for name, number in numbers.items()
            if number
        ]
        if found.records != self.before.n or masked.n != self.before.n:
            problems.append("records are missing")
        if found.blanked != said:
            problems.append("the number of blanked cells is not the one that is said")
        return problems

    # -- classes -----------------------------------------------------------------------------------

    def _classes(self, masked: Masked) -> list[str]:
        asked = self.asked
        if asked.reading == "category" and asked.criterion is not None and asked.all_keys:
            of_records, behind = asked.apart
            problems = [p for one in behind for p in Holds(one).broken(masked)]
            if of_records is not None:
                names = (*asked.by, *asked.keys)
                problems += failing_within(masked, of_records, names, asked.counted)
            return problems
        problems = []
        for some in asked.sets:
            records = _short(self.before, masked, asked, some)
            if records:
                problems.append(
                    f"{counted(records, 'record')} with fewer than {some.k} alike in "
                    f"{listed(some.keys)}"
                )
        return problems


def _short(before: Microdata, masked: Masked, asked: SuppressionRequest, some: KeySet) -> int:
    """How many records have too few alike in a set of keys, in the reading that is asked for."""
    names = (*asked.by, *some.keys)
    if asked.reading == "category":
        found = masked.frequency_set(names)
        return int(found.counts[found.counts < some.k].sum())
    link = require_link(before)
    pair = engine.Pair(before.source, masked.source, names, (link, link))
    columns = [f"{side}{i}" for side in "xy" for i in range(len(names))]
    both = FrequencySet.from_arrow(columns, engine.linked_counts(pair, (link, link)))
    known, shown = both.rollup(columns[: len(names)]), both.rollup(columns[len(names) :])
    covers = [
        _same(known.values[i], shown.values[i])
        if i < len(asked.by)
        else key_cover(name, known.values[i], shown.values[i], ())
        for i, name in enumerate(names)
    ]
    if asked.reading == "wildcard":
        alike = [cover.with_itself() for cover in covers]
        counts, _ = related_sums(shown.codes, shown.codes, alike, shown.counts, shown.counts)
        return int(shown.counts[counts < some.k].sum())
    target, source = related_sums(known.codes, shown.codes, covers, known.counts, shown.counts)
    lost = known.counts[target < some.k].sum() + shown.counts[source < some.k].sum()
    return int(lost)


def _same(known: Any, shown: Any) -> CellRelation:
    """A stratum is related to itself alone; one that is missing, too."""
    left = pc.index_in(shown, value_set=known).to_numpy(zero_copy_only=False).astype(np.int64)
    return CellRelation.of_pairs(left, np.arange(len(shown)), len(known), len(shown))
