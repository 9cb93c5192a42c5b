"""Post-randomization: categories become others by known probabilities, and counts stay in balance.

Gouweleeuw, Kooiman, Willenborg & de Wolf (1998); van den Hout & Elamir (2006). The probabilities
come from symmetric flows between categories, so that the expected count of each is what it was:
R_ij = w_ij / n_i with w_ij = w_ji. ``keep`` is the least diagonal of R, exactly. With
``exact=True`` the flows are whole numbers of records, and no count changes at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from annotated_doc import Doc
from annotated_types import Interval

from discreet.data.attributes import names
from discreet.data.masked import Masked
from discreet.data.microdata import Microdata
from discreet.errors import Problem, argument, fail, raise_all
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.masking.method import masking, unfit_columns
from discreet.masking.perturbation import drawing_problems, drawn_records, require_microdata
from discreet.masking.post_randomization.columns import ChangeRequest, all_changed
from discreet.masking.post_randomization.notation import DIAGONALS, WITHIN
from discreet.masking.post_randomization.promise import InBalance
from discreet.masking.post_randomization.transition import PostRandomization
from discreet.parameters import (
    ColumnFacts,
    Columns,
    Label,
    Public,
    Seed,
    Share,
    Unfit,
    Values,
    Vary,
    is_number,
    is_whole,
    parameters_of,
    problems_of,
)

Nearness = Literal["any", "near"]


def exchangeable(column: ColumnFacts) -> list[Unfit]:
    """Why the values of a column are no categories.

    Examples
    --------
    >>> exchangeable(ColumnFacts("number", "continuous", "continuous", 0))[0].what
    'is continuous, and its values are no categories'
    """
    if column.kind != "other" and column.measure != "continuous":
        return []
    remedy = "Name nominal or ordinal columns; types={{{column!r}: 'nominal'}} makes it one."
    return [Unfit("D12", f"is {column.type}, and its values are no categories", remedy)]


@masking(
    title="Post-randomization (PRAM)",
    done="post-randomized",
    about="Categories become others by known probabilities; counts stay in balance.",
    noun="pram",
    example="--keys edu --columns edu --keep 0.8 --seed 1",
    tells=("information_loss",),
    public_facts=("least_diagonal",),
    perturbs=True,
)
def pram(
    data: Microdata,
    columns: Annotated[
        Sequence[str] | str,
        Columns(fit=exchangeable),
        Label("Columns"),
        Doc("Nominal or ordinal columns whose values are changed, each by itself."),
        Public,
    ],
    keep: Annotated[
        float | Mapping[str, Mapping[Any, float]],
        Interval(ge=0, le=1),
        Share,
        Label("Least probability to stay"),
        Doc("Probability with which a value stays what it is, at least."),
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
        Sequence[str] | str,
        Columns(),
        Label("Strata"),
        Doc("Columns that make the strata: values change into those of the same stratum."),
        Public,
    ] = (),
    within: Annotated[
        Mapping[str, Any] | None,
        Columns(named=list),
        WITHIN,
        Label("Within groups of"),
        Doc("Hierarchies of columns: values change within the groups of a level, 1 by default."),
    ] = None,
    near: Annotated[
        Nearness,
        Label(
            "Values become",
            {"any": "any other, by its frequency", "near": "near ones more often, in their order"},
        ),
        Doc("Any other value by its frequency, or near ones more often: half as often per step."),
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
    seed: Annotated[
        int | None,
        Seed,
        Label("Seed (keep it secret)"),
        Doc("The same seed changes the same records."),
    ] = None,
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
    chosen, strata = names(columns), names(by)
    if isinstance(keep, Mapping):
        diagonals, keep = _only(keep, diagonals), 1.0
        every = True
    else:
        every = False
    given = {"keep": keep, "exact": exact, "near": near}
    problems = problems_of(parameters_of(pram), given) + drawing_problems(
        data, chosen, strata, seed
    )
    problems += unfit_columns(data, chosen, given, exchangeable)
    groups, wrong = _levels(within or {}, chosen)
    raise_all([*problems, *wrong, *_diagonal_problems(diagonals or {}, chosen)])
    assert seed is not None
    asked = ChangeRequest(float(keep), exact, near, groups, diagonals or {}, every)
    found = drawn_records(data, chosen, strata, seed)
    done = all_changed(found, chosen, asked)
    parameters = {"columns": list(chosen), **given, "by": list(strata), "seed": int(seed)}
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
        what = (
            f"{argument('keep')} gives all categories theirs, and so does {argument('diagonals')}."
        )
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
        Problem("P10", f"a probability to stay of {name!r} does not lie from 0 to 1.",
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
