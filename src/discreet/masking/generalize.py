"""Generalization: key values are replaced by groups of a hierarchy, the same for all records, and
classes that still fail the criterion are suppressed.

Full-domain generalization with suppression; Samarati (2001), Truta & Vinay (2006).

A search must know which confidential values stand in which classes. Where the records are in this
process, all of them. From another engine no more is brought than the criterion can tell apart, in a
row per class: p distinct values of a class stand for all of its values, in this class and in every
one that it becomes part of. A criterion on the distribution of the values needs all of them with
their counts; where these are too many, it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import numpy as np
import pyarrow.compute as pc
from annotated_doc import Doc
from annotated_types import Ge

from discreet import engine
from discreet.criteria.all_of import combined, split
from discreet.criteria.disclosure_risk import DisclosureRiskAtMost
from discreet.criteria.subjects import resolved
from discreet.data.masked import Masked, require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.hierarchies.hierarchy import by_key
from discreet.loss.generalization import LossName
from discreet.masking.found import Found
from discreet.masking.generalization.lattice import RELAX, budget_of, suppression_problems
from discreet.masking.generalization.search import Search, SearchName
from discreet.masking.generalization.task import Suppression, Task, coded_population
from discreet.masking.key_hierarchies import (
    KeyHierarchies,
    confidential_key_problems,
    fitted,
    hierarchy_problems,
)
from discreet.masking.method import MostSuppressed, WhatMustHold, masking
from discreet.parameters import (
    Label,
    Public,
    Vary,
    is_number,
    parameters_of,
    problems_of,
    whole_number,
)
from discreet.risks.register import known_as
from discreet.surface import function
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.kernels.arrays import Ints

_EACH = 400  # nodes that are counted one by one to find the nearest
_SHOWN = 8  # keys whose levels are told


@masking(
    title="Generalization",
    done="generalized and suppressed",
    about="Keys become coarser, and records that still stand out are left out.",
    command="protect",
    example="--keys age,zip --hierarchies dir/ --k 5",
    finish=Found.mask,
    public_facts=("criterion", "levels", "by_clock"),
)
def generalize(
    data: Microdata,
    hierarchies: KeyHierarchies,
    criterion: WhatMustHold,
    *,
    max_suppressed: Annotated[MostSuppressed, Vary(0.02, shown="(≤{} out)")] = 0.02,
    search: Annotated[
        SearchName,
        Label(
            "Search",
            {
                "optimal": "the node of least loss",
                "all-minimal": "all minimal nodes, and the best of them",
                "samarati": "a node of least height",
                "bounded": "a good node, and how far it may be from the best",
            },
        ),
        Doc("How the lattice is searched."),
        Public,
    ] = "optimal",
    loss: Annotated[
        LossName,
        Label(
            "Loss",
            {
                "iyengar": "Iyengar's: how many of all values a cell stands for",
                "discernibility": "discernibility: how many records look the same",
                "average-class-size": "average size of a class",
                "precision": "precision: how far keys go up their hierarchies",
                "height": "height: the sum of the levels",
                "entropy": "entropy: information that the keys lose",
            },
        ),
        Doc("What is minimised."),
        Public,
    ] = "iyengar",
    suppression: Annotated[
        Suppression,
        Label(
            "Suppressed are",
            {
                "failing": "all classes that fail",
                "k-only": "classes smaller than k; the others must satisfy the rest",
            },
        ),
        Doc("Suppress every class that fails, or only those smaller than k."),
        Public,
    ] = "failing",
    nodes: Annotated[
        int | None,
        Ge(1),
        Label("Nodes"),
        Doc("How many nodes a bounded search counts; 4,000 unless a number or a time is given."),
        Public,
    ] = None,
    seconds: Annotated[
        float | None,
        Ge(0),
        Label("Seconds"),
        Doc("How long a bounded search may take; another machine may then find another node."),
    ] = None,
) -> Found:
    """Find how far the keys must be generalized so that every class meets a criterion.

    Parameters
    ----------
    data : Microdata
    hierarchies : mapping of key to Hierarchy
        A key without one stays as it is, with loss 0, and the result says so.
    criterion : criterion or list of criteria
        ``KAnonymity``, ``PSensitiveKAnonymity``, ``LDiversity``, ``TCloseness``,
        ``BetaLikeness``, ``DeltaDisclosure``, ``KMap``, ``DeltaPresence``, ``AverageRisk``,
        ``DisclosureRiskAtMost``; several must all hold.
    max_suppressed : float or int
        Share (a float, 1.0 = all) or number (an int) of records that may be suppressed. A class
        that fails is suppressed whole.
    search : {"optimal", "all-minimal", "samarati", "bounded"}
        The feasible node of least loss; every feasible node with none below it; a minimal node
        of least height by binary search (Algorithm 3 of Truta & Vinay); or the best node that is
        found in a number of nodes or seconds, with a bound of the loss of all others. A lattice
        that is too large to visit whole is searched so when the optimal node is asked for.
    loss : str
        What is minimised: iyengar, discernibility, average-class-size, precision, height, entropy.
    suppression : {"failing", "k-only"}
        Suppress every class that fails. Or only those smaller than k, as the paper reads
        literally: what is left must satisfy the rest, which is not monotone on the lattice.
    nodes : int, optional
        How many nodes a bounded search counts (default 4,000). It gives the same node everywhere.
    seconds : float, optional
        How long a bounded search takes. The same seconds may give another node elsewhere.

    Returns
    -------
    Found
        ``.best``, ``.minimal``, ``.lattice``; ``.best.mask()`` gives the masked microdata.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"sex": list("MFMMFMMFMM"), "zip": ["41076", "41099", "41099", "41076", "43102",
    ...          "43102", "43102", "43103", "48202", "48201"]}
    >>> survey = ds.read(table, keys=["sex", "zip"])
    >>> h = {"sex": ds.Hierarchy.suppress(), "zip": ds.Hierarchy.prefixes([5, 3, 0])}
    >>> ds.generalize(survey, h, ds.KAnonymity(3), max_suppressed=0).best.levels
    {'sex': 0, 'zip': 2}

    References
    ----------
    - Samarati (2001), *Protecting respondents' identities in microdata release*. IEEE Transactions
      on Knowledge and Data Engineering 13 (6).
    - Sweeney (2002), *Achieving k-anonymity privacy protection using generalization and
      suppression*. International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10
      (5).
    - Truta, Vinay (2006), *Privacy protection: p-sensitive k-anonymity property*. ICDE Workshops:
      Algorithm 3.
    - Truta, Fotouhi, Barth-Jones (2005), *Global disclosure risk measures and k-anonymity property
      for microdata*.
    """
    require_microdata(data)
    asked = {name: value for name, value in locals().items() if name != "data"}
    keys = data.need_keys()
    data.need_partition("a generalization")
    require_records(data)
    parts, limits = split(combined(criterion))
    wanted = tuple(one for one in (parts, *limits) if one is not None)
    parts = None if parts is None else resolved(parts, data)
    hierarchies = by_key(hierarchies)
    raise_all(
        [
            *hierarchy_problems(data, hierarchies),
            *confidential_key_problems(data, hierarchies, parts),
            *problems_of([p for p in parameters_of(generalize) if p.kind == "choice"], asked),
            *suppression_problems(max_suppressed, data.n),
            *_seconds_problems(seconds),
            *([] if nodes is None else whole_number("nodes", nodes, 1)),
        ]
    )
    asked["hierarchies"] = hierarchies
    task = _task(data, parts, limits, wanted, asked)
    searching = Search(task, seconds, nodes)
    outcome = searching.run(search)
    best = outcome.best
    if best is None and not outcome.complete:
        _not_found(searching)
    if best is None:
        _infeasible(searching)
    as_they_are = tuple(key for key in keys if key not in hierarchies)
    found = Found(
        data,
        task,
        searching,
        search,
        outcome.nodes,
        best,
        outcome.complete,
        as_they_are,
        asked,
        outcome.bound,
    )
    _ = found.best  # checked afresh before anything is handed out
    return found


def _seconds_problems(seconds: object) -> list[Problem]:
    if seconds is None or (is_number(seconds) and seconds >= 0):  # type: ignore[operator]
        return []
    return [
        Problem(
            "P10", f"{argument('seconds')} is not a number of at least 0.", "Give for example 60."
        )
    ]


def _task(
    data: Microdata,
    parts: Any,
    limits: tuple[DisclosureRiskAtMost, ...],
    wanted: tuple[Any, ...],
    asked: Mapping[str, Any],
) -> Task:
    known, hierarchies = confidential_of(data, data.keys, parts), asked["hierarchies"]
    found, recodings = known.keys, fitted(hierarchies, known.keys)
    registers = () if parts is None else parts.registers
    initial = data.initial if isinstance(data, Masked) else data
    return Task(
        keys=found,
        recodings=recodings,
        criterion=parts,
        limits=limits,
        n=initial.n,
        initial_sizes=_initial_sizes(data, found) if limits else found.counts,
        pairs=known.pairs,
        whole=known.whole,
        frequencies=known.frequencies,
        budget=budget_of(asked["max_suppressed"], found.n),
        suppression=asked["suppression"],
        loss=asked["loss"],
        asked=wanted,
        population={
            known_as(one): coded_population(data, found, recodings, hierarchies, one)
            for one in registers
        },
    )


def _initial_sizes(data: Microdata, found: FrequencySet) -> Ints:
    """The initial class size of each combination; in a file masked before, by its first file."""
    if not isinstance(data, Masked):
        return found.counts
    if data.changed & set(found.attributes):
        fail(
            "N05",
            "the disclosure risk cannot drive the search after the keys were changed.",
            "Generalize the initial file first, then mask further.",
        )
    first = data.initial.frequency_set(found.attributes)
    codes = [
        pc.index_in(mine, value_set=theirs).to_numpy(zero_copy_only=False)[column]
        for mine, theirs, column in zip(found.values, first.values, found.codes, strict=True)
    ]
    return first.class_sizes(codes)


def _not_found(searching: Search) -> NoReturn:
    """Say that time was up, which is not that there is no such node."""
    task, seen = searching.task, searching.tally.counted
    within = "" if searching.seconds is None else f" within {searching.seconds:g} seconds"
    fail(
        "D33",
        f"no node that satisfies {task.words} was found{within}: "
        f"{seen:,} of {task.lattice.nodes:,} nodes were looked at. There may still be one.",
        f"Raise {argument('nodes')} or {argument('seconds')}, name fewer keys, or give hierarchies "
        "with fewer levels.",
    )


def _infeasible(searching: Search) -> NoReturn:
    """Say which condition fails, and how near the top of the lattice came."""
    task = searching.task
    conditions, p = searching.conditions, searching.p
    if conditions is not None and p > conditions.max_p:
        few = conditions.narrowest
        asking = next(c for c in task.parts if c.least_distinct([few]).get(few) == p)
        named = {"p": "p", "subject": "k"}  # by what a criterion has
        word = next((w for has, w in named.items() if hasattr(asking, has)), "l")
        explained = conditions.explain(p).replace("p ≤", f"{word} ≤")
        fail("D30", f"{word} = {p} cannot be reached: {explained}.", f"Lower {word}.")
    top = searching.figures(task.lattice.nodes - 1)
    what = (
        f"no node of the lattice satisfies {task.words}: the most general one leaves "
        f"{counted(top.classes, 'class')} and would suppress {counted(top.suppressed, 'record')}; "
        f"at most {task.budget:,} may be suppressed."
    )
    if top.suppressed <= task.budget:  # a limit of the risk, or suppression="k-only"
        what = (
            f"no node of the lattice satisfies {task.words}: the most general one, with "
            f"{counted(top.classes, 'class')}, does not, though {counted(task.budget, 'record')} "
            "may be suppressed."
        )
    if conditions is not None and top.classes > conditions.max_classes(p):
        what += f" For {p} values in each class, {conditions.explain(p)}."
    what = " ".join([what, *_diagnosis(searching)])
    fail("D31", what, f"{RELAX}; {function('advise', '…')} says how far.")


# -- Why nothing was found: which condition cannot hold, and how near the nearest node came --------
#
# What fails for all records together as one class fails, for a monotone criterion, at every node of
# every lattice as long as nothing is suppressed: if each class satisfied it, their union would.


def _diagnosis(search: Search) -> list[str]:
    """What is known, in sentences that hold names and counts only."""
    found = search.counter.as_one_class()
    told = [
        f"All records as one class fail {part.describe()}: no node can meet it unless records are "
        "suppressed."
        for part, records in found
        if records and part.monotone
    ]
    without_top = [r.attribute for r in search.task.recodings if len(r.labels[-1]) > 1]
    if without_top:  # classes stay apart
        told.append(f"Several values are left on the highest level of {listed(without_top)}.")
    return [*told, _nearest_words(search)]


def _nearest(search: Search) -> int:
    """The node of which the fewest records would have to go beyond those that may."""
    lattice = search.task.lattice

    def distance(node: int) -> tuple[float, float, int]:
        found = search.figures(node)
        return found.excess, found.objective, node

    if search.swept:
        gone = search.every.suppressed
        return int(np.lexsort([np.arange(len(gone)), search.losses, gone])[0])
    if lattice.nodes <= _EACH:
        return min(range(lattice.nodes), key=distance)
    at = lattice.nodes - 1
    while True:  # downhill from the top
        near = min([at, *lattice.below(at).values()], key=distance)
        if near == at:
            return at
        at = near


def _nearest_words(search: Search) -> str:
    node = _nearest(search)
    levels = search.task.lattice.named(node)
    names = ", ".join(f"{key} {level}" for key, level in list(levels.items())[:_SHOWN])
    more = ", …" if len(levels) > _SHOWN else ""
    found = search.figures(node)
    by = [
        f"{counted(records, 'record')} for {part.describe()}"
        for part, records in search.counter.by_part(search.task.lattice.levels_of(node))
        if records
    ]
    parts = f": {', '.join(by)}" if len(search.task.parts) > 1 and by else ""
    if found.suppressed <= search.task.budget:
        return f"The nearest node ({names}{more}) still does not satisfy it."
    gone = counted(found.suppressed, "record")
    return f"The nearest node ({names}{more}) would suppress {gone}{parts}."


# -- What a search must know -----------------------------------------------------------------------


class Confidential(NamedTuple):
    """The frequency set of the keys; and per attribute the keys with its values, its distribution,
    and the sizes of its values, largest first, as far as the conditions of Truta & Vinay look."""

    keys: FrequencySet
    pairs: dict[str, FrequencySet]
    whole: dict[str, FrequencySet]
    frequencies: dict[str, Ints]


def confidential_of(data: Microdata, keys: Sequence[str], parts: Any) -> Confidential:
    """What a search for some criteria must know."""
    if parts is None:
        return Confidential(data.frequency_set(keys), {}, {}, {})
    by_value = parts.needs_values(data.confidential)
    names = dict.fromkeys((*parts.needs(data.confidential), *by_value))
    if engine.is_near(data.source):
        counted = data.frequency_set(keys)
        pairs = {name: data.frequency_set([*keys, name]) for name in names}
        few: dict[str, int] = {}
    else:
        few = {n: _least(parts, n, data.confidential) for n in names if n not in by_value}
        asked = {name: few.get(name) for name in names}
        counted, pairs = data.some_values(keys, asked) if asked else (data.frequency_set(keys), {})
    found = Confidential(counted, pairs, {}, {})
    for name in names:
        if name in few:
            found.whole[name] = pairs[name].rollup([name])
            found.frequencies[name] = _frequencies(data, name, few[name])
        else:
            found.whole[name] = data.whole(name, pairs[name])
            found.frequencies[name] = np.sort(found.whole[name].counts)[::-1]
    return found


def _least(parts: Any, name: str, confidential: Sequence[str]) -> int:
    """How many distinct values of an attribute are asked for."""
    least: int = parts.least_distinct(confidential)[name]
    return least


def _frequencies(data: Microdata, name: str, p: int) -> Ints:
    """The sizes of the p largest values; the other records in as few values as these allow."""
    first = data.initial if isinstance(data, Masked) and name not in data.changed else data
    largest, n = engine.largest(first.source, name, p), first.n
    rest = n - int(largest.sum())
    more = [int(largest[-1])] * (rest // int(largest[-1]))
    return np.array([*largest, *more, *([rest - sum(more)] if rest > sum(more) else [])])
