"""Local recoding: single cells become groups of a hierarchy, as few and as fine as will do.

Two records with the same value may show it differently: the one as it is, the other as a group. So
the detail of a common record is not given up for a rare one.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import numpy as np
from annotated_doc import Doc
from annotated_types import Ge

from discreet.criteria.all_of import combined, people_apart, split
from discreet.criteria.check import risk_check
from discreet.criteria.subjects import resolved
from discreet.data import attributes
from discreet.data.attributes import AttributeType
from discreet.data.masked import Masked, masked_from, require_draws, require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.hierarchies.hierarchy import by_key
from discreet.kernels.labels import label
from discreet.kernels.local_recoding.bound import READS, bound
from discreet.kernels.local_recoding.mondrian import mondrian
from discreet.kernels.local_recoding.search import recoded, too_large
from discreet.kernels.local_recoding.task import Cells, Recoded
from discreet.kernels.packing import pack
from discreet.masking.cell_people import people_problems
from discreet.masking.cells import cell_table, changed_cells, sizes_before
from discreet.masking.generalization.lattice import RELAX, budget_of, suppression_problems
from discreet.masking.key_hierarchies import (
    KeyHierarchies,
    confidential_key_problems,
    hierarchy_problems,
)
from discreet.masking.local_recoding.full_domain import Answer, answer, cheaper_levels
from discreet.masking.local_recoding.outcome import CellsCover, LocalRecoding
from discreet.masking.local_recoding.request import RecodingRequest, request_of
from discreet.masking.method import MostSuppressed, Strata, WhatMustHold, masking, unknown_columns
from discreet.parameters import (
    Label,
    Public,
    Seed,
    Vary,
    parameters_of,
    problems_of,
)
from discreet.progress import stage
from discreet.surface import function
from discreet.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.criteria.disclosure_risk import DisclosureRiskAtMost
    from discreet.kernels.arrays import Bools, Ints
    from discreet.kernels.local_recoding.task import KeyTree

RecodingMethod = Literal["local", "mondrian", "mondrian-relaxed"]
RecodingSearch = Literal["quick", "default"]


@masking(
    title="Local recoding",
    done="recoded in single cells",
    about="Single cells of the keys become coarser; common records keep all their detail.",
    example="--keys age,zip --hierarchies dir/ --k 5",
    public_facts=("criterion", "loss", "by_clock"),
)
def recode(
    data: Microdata,
    hierarchies: KeyHierarchies,
    criterion: WhatMustHold,
    *,
    method: Annotated[
        RecodingMethod,
        Label(
            "Method",
            {
                "local": "least loss",
                "mondrian": "cut in halves, a value on one side (for large files)",
                "mondrian-relaxed": "cut in halves, a value on both sides (for large files)",
            },
        ),
        Doc("Search cells of little loss, or cut the records in halves along the hierarchies."),
        Public,
    ] = "local",
    by: Annotated[
        Strata, Doc("Columns that make the strata: classes are counted within each.")
    ] = (),
    max_suppressed: Annotated[MostSuppressed, Vary(0, shown="(≤{} out)")] = 0,
    search: Annotated[
        RecodingSearch,
        Label("Search", {"quick": "quick", "default": "less loss"}),
        Doc("How hard to search for a solution with less loss."),
        Public,
    ] = "default",
    seconds: Annotated[
        float | None,
        Ge(0),
        Label("Seconds"),
        Doc("Search for this many seconds; another machine may then find other cells."),
    ] = None,
    seed: Annotated[
        int,
        Seed,
        Label("Seed (keep it secret)"),
        Doc("Decides which of equal records are changed: the smallest hash of seed and id."),
    ] = 0,
) -> Masked:
    """Recode single cells of the keys so that every class meets a criterion, with little loss.

    Released values overlap: "25" may stand beside "[20, 30)", each for other records. Every class
    of equal released keys satisfies the criterion, a group being a value of its own.

    Parameters
    ----------
    data : Microdata
    hierarchies : mapping of key to Hierarchy
        A key without one stays as it is, with loss 0.
    criterion : criterion or list of criteria
        ``KAnonymity``, ``PSensitiveKAnonymity``, ``LDiversity``, ``TCloseness`` and others on
        classes that hold for two classes together if they do for each; several must all hold. A
        limit of the disclosure risk beside them is checked in the end. With ``KMap`` the people
        whom a released cell covers are counted; with ``DeltaPresence`` no two cells cover the same
        person.
    method : {"local", "mondrian", "mondrian-relaxed"}
        Search for cells of least loss; what is found is never worse than the best levels for whole
        columns. Or cut the records in halves along the hierarchies, as long as both sides satisfy:
        faster, and more is lost. Strict: a value goes to one side of a cut; relaxed: to both.
    by : list of columns, optional
        Strata: every class has records of one stratum only, and satisfies the criterion there. A
        stratum with fewer than k records is an error, unless they may be left out.
    max_suppressed : float or int
        Share (a float, 1.0 = all) or number (an int) of records that may be left out.
    search : {"quick", "default"}
        How hard to search for a solution with less loss.
    seconds : float, optional
        Search for this many seconds, which may give other cells on another machine.
    seed : int
        Of equal records those with the smallest hash of seed and record id are changed.

    Returns
    -------
    Masked
        ``.loss``, ``.bound`` (the least loss of any local recoding, as far as proven), ``.changes``
        (coarser cells of each key), ``.outcome`` (all of it in words), and ``.recoding()``: how the
        records were recoded, class by class, which shows values.

    Raises
    ------
    InvalidData
        When records remain that nothing allowed brings into a class that satisfies.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"sex": list("MFMMFMMFMM"), "zip": ["41076", "41099", "41099", "41076", "43102",
    ...          "43102", "43102", "43103", "48202", "48201"]}
    >>> survey = ds.read(table, keys=["sex", "zip"])
    >>> h = {"sex": ds.Hierarchy.suppress(), "zip": ds.Hierarchy.prefixes([5, 3, 0])}
    >>> masked = ds.recode(survey, h, ds.KAnonymity(2))
    >>> round(masked.loss, 3), masked.changes
    (0.14, {'sex': 2, 'zip': 4})
    >>> ds.generalize(survey, h, ds.KAnonymity(2), max_suppressed=0).best.loss
    0.5

    References
    ----------
    - LeFevre, DeWitt, Ramakrishnan (2006), *Mondrian multidimensional k-anonymity*. ICDE.
    - Xu, Wang, Pei, Wang, Shi, Fu (2006), *Utility-based anonymization using local recoding*. KDD.
    - Iyengar (2002), *Transforming data to satisfy privacy constraints*. KDD: section 2.2.
    """
    require_microdata(data)
    asked = {name: value for name, value in locals().items() if name != "data"}
    request, limits = _request(data, asked)
    found = _answer(request, method, search, seconds)
    if found.suppressed > request.budget:
        _not_reached(request, found)
    masked = _masked(data, request, found, asked)
    raise_all([problem for limit in limits for problem in _risk_problems(masked, limit)])
    return masked


def _request(
    data: Microdata, asked: Mapping[str, Any]
) -> tuple[RecodingRequest, Sequence[DisclosureRiskAtMost]]:
    """What is to be done, all that is wrong with it said at once; and limits of the risk."""
    data.need_keys()
    data.need_partition("a local recoding")
    require_records(data)
    parts, limits = split(combined(asked["criterion"]))
    if parts is None:
        what = f"{limits[0].describe()} is not about single classes, which this method works on."
        fail(
            "N14",
            what,
            f"Ask for a criterion on classes as well, such as {function('KAnonymity', '3')}.",
        )
    parts = resolved(parts, data)
    hierarchies = by_key(asked["hierarchies"])
    by = attributes.names(asked["by"])
    checked = ("method", "by", "search", "seconds", "seed")
    own = [p for p in parameters_of(recode) if p.name in checked]
    raise_all(
        [
            *hierarchy_problems(data, hierarchies),
            *confidential_key_problems(data, hierarchies, parts),
            *suppression_problems(asked["max_suppressed"], data.n),
            *problems_of(own, asked),
            *_merging_problems(parts),
            *people_problems(people_apart(parts)[1], by, asked["method"]),
            *_stratum_problems(data, by),
        ]
    )
    require_draws(data)
    budget = budget_of(asked["max_suppressed"], data.n)
    request = request_of(data, hierarchies, parts, budget, by)
    _need_large_strata(request)
    return request, limits


def _stratum_problems(data: Microdata, by: Sequence[str]) -> list[Problem]:
    return unknown_columns(data, by, "stratum") + [
        Problem("R15", f"{name!r} is a key: it is recoded itself.", "Name another column.")
        for name in by
        if name in data.keys
    ]


def _need_large_strata(request: RecodingRequest) -> None:
    """Refuse strata with fewer records than a class needs, unless these may be left out."""
    small, records = request.small_strata()
    if request.by and records > request.budget:
        fail(
            "D45",
            f"strata of {listed(request.by)} with fewer than {request.task.k} records: {small:,}, "
            f"with {counted(records, 'record')} in all.",
            f"Merge small strata, lower the criterion, or raise {argument('max_suppressed')}.",
        )


def _merging_problems(parts: Any) -> list[Problem]:
    """Classes are merged on the way, which must not spoil them."""
    return [
        Problem(
            "N14",
            f"{one.describe()} may fail for two classes together though it holds for each.",
            "Local recoding merges classes: ask for another criterion, or use "
            f"{function('generalize', '…')}.",
        )
        for one in parts.parts
        if not one.monotone
    ]


def _answer(asked: RecodingRequest, method: str, search: str, seconds: float | None) -> Answer:
    """The cells that are found, or those of whole columns where these lose less."""
    if asked.shares:
        found = _kept_apart(asked)
    elif asked.of_classes.criterion is None:
        # the cells with which a search would begin
        found = _of_nodes(asked, asked.start.task.codes, asked.start.out)
    elif method != "local":
        relaxed = method == "mondrian-relaxed"
        cut = mondrian(asked.from_start, relaxed=relaxed, passes=asked.decides_alone)
        return _served(asked, cut)
    else:
        found = _searched(asked, search, seconds)
    limit = found.price if found.suppressed <= asked.budget else np.inf
    return cheaper_levels(asked, limit) or found


def _searched(asked: RecodingRequest, search: str, seconds: float | None) -> Answer:
    with stage("searching cells of little loss", 1) as advance:
        cells = recoded(
            asked.from_start,
            search,
            passes=asked.decides_alone if too_large(asked.task) else asked.decides,
            max_suppressed=asked.budget if asked.decides is None else 0,
            suppressed_cost=float(len(asked.keys)),
            seconds=seconds,
        )
        advance(1)
    return _served(asked, cells)


def _kept_apart(asked: RecodingRequest) -> Answer:
    """Cells of which no two cover the same person of the register."""
    (people,) = asked.people
    task = asked.task

    def passing(item: Ints, label: Ints, classes: int) -> Bools:
        return asked.of_classes.passes(item, task.counts[item], label, classes)

    node, served = people.kept_apart(task, passing)
    return _of_nodes(asked, node, ~served)


def _of_nodes(asked: RecodingRequest, node: NDArray[np.int32], out: Bools) -> Answer:
    """Every item has one cell; some are left out, and would show the top."""
    rows = np.flatnonzero(~out)
    left = np.where(out, asked.task.counts, 0)
    return _served(asked, Recoded(rows, node[rows], asked.task.counts[rows], left))


def _served(asked: RecodingRequest, found: Recoded) -> Answer:
    """The cells of all records; those that got none are left out, and would show the top."""
    left = asked.task.counts - np.bincount(found.item, found.count, len(asked.task.counts))
    cells: Cells = replace(found, node=found.node[:, : len(asked.keys)])
    out = np.flatnonzero(left)
    if len(out):
        trees = enumerate(asked.task.trees)
        tops = np.column_stack([_tops(tree, asked.task.codes[out, a]) for a, tree in trees])
        cells = Cells(
            np.r_[cells.item, out],
            np.r_[cells.node, tops.astype(np.int32)],
            np.r_[cells.count, left[out].astype(np.int64)],
        )
    return answer(asked, cells, np.arange(len(cells.item)) >= len(found.item))


def _tops(tree: KeyTree, node: NDArray[np.int32]) -> NDArray[np.int32]:
    """The tops above some nodes."""
    while (tree.parent[node] != node).any():
        node = tree.parent[node]
    return node


def _masked(
    data: Microdata, request: RecodingRequest, found: Answer, asked: Mapping[str, Any]
) -> Masked:
    made = changed_cells(
        data, request.counted, request.nodes, found.cells, seed=int(asked["seed"]), gone=found.gone
    )
    outcome = _outcome(data, request, found, made.changes, asked)
    step = ("method", "search", "seconds", "seed")
    return masked_from(
        data,
        made.source,
        method="recode",
        parameters={
            "criterion": request.criterion.describe(),
            "max_suppressed": asked["max_suppressed"],
            "by": list(request.by),
            **{name: asked[name] for name in step},
            **({} if asked["seconds"] is None else {"by_clock": True}),
            **outcome.to_dict(),
        },
        promise=CellsCover(
            data,
            request.recodings,
            request.criterion,
            made.changes,
            outcome.loss,
            request.by,
            tuple(request.whole),
        ),
        after=data.n - found.suppressed,
        changed=frozenset(made.changes),
        complete=made.complete,
        covers={one.attribute: one.covers() for one in request.recodings},
        types=dict.fromkeys(made.changes, AttributeType("nominal")),
        changes=made.changes,
        outcome=outcome,
        portions=functools.partial(
            cell_table, request.counted, request.nodes, found.cells, found.gone
        ),
        asked=asked,
    )


def _outcome(
    data: Microdata,
    request: RecodingRequest,
    found: Answer,
    changes: Mapping[str, int],
    asked: Mapping[str, Any],
) -> LocalRecoding:
    kept = found.cells.only(~found.gone)
    trees = zip(request.keys, request.task.trees, strict=True)
    lost = {
        key: float((tree.cost[kept.node[:, a]] * kept.count).sum()) + found.suppressed
        for a, (key, tree) in enumerate(trees)
    }
    to_loss = 1 / (request.n * len(request.keys))  # a mean over records and keys
    least_begun = request.start.least_price(request.task) + request.out * len(request.keys)
    searched = asked["method"] == "local" and not too_large(request.task)
    least = bound(
        request.within_strata,
        max_suppressed=request.budget,
        suppressed_cost=float(len(request.keys)),
        reads=READS[asked["search"] if searched else "quick"],
    )
    shown, _ = pack([*kept.node.T], [len(tree.parent) for tree in request.task.trees])
    return LocalRecoding(
        loss=found.price * to_loss,
        bound=min(max(least, least_begun), found.price) * to_loss,
        cells=dict(changes),
        losses={key: one / request.n for key, one in lost.items() if one},
        classes=label(shown)[1],
        suppressed=found.suppressed,
        n=request.n,
        by_class_size=sizes_before(
            request.counted, request.nodes, found.cells, request.task.k, request.by
        ),
        said=request.criterion.describe(),
        method=asked["method"],
        seconds=asked["seconds"],
        searched=searched,
        kind=data.source.kind,
    )


def _risk_problems(masked: Masked, limit: DisclosureRiskAtMost) -> list[Problem]:
    found = risk_check(masked.initial, masked, limit)
    what = f"the disclosure risk after local recoding is {found.value:.4f}, above {limit.limit:g}."
    remedy = "Ask for larger classes: the disclosure risk is only checked at the end."
    return [] if found.satisfied else [Problem("D35", what, remedy)]


def _not_reached(asked: RecodingRequest, found: Answer) -> NoReturn:
    records, most = counted(found.suppressed, "record"), f"at most {asked.budget:,} may be left out"
    said = asked.criterion.describe()
    if asked.decides is None:
        fail(
            "D31",
            f"{records} cannot be brought into a class that satisfies {said}; {most}.",
            f"{RELAX}.",
        )
    # A class may pass once some records are left out, and no search tries which ones.
    fail(
        "D31",
        f"no class that satisfies {said} was found for {records}; {most}.",
        f"{RELAX}. Whether there is a way at all is not known.",
    )
