"""Local recoding on generated tables, held against the definition by code of its own."""

import collections
import itertools
import math

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import DiscreetError
from tests.examples import examples
from tests.properties.test_lattice_search import low_on_average
from tests.twins.classes import fails_disclosure, fails_likeness

TOWNS = ["aa1", "aa2", "ab1", "ab2", "ba1"]
TREE = {"x": ["xy", "*"], "y": ["xy", "*"], "z": ["z", "*"]}  # unbalanced: z ends early
HIERARCHIES = {
    "town": ds.Hierarchy.prefixes([3, 2, 1, 0]),
    "age": ds.Hierarchy.intervals([10, 20]),
    "kind": ds.Hierarchy.from_dict(TREE),
}
ROW = st.tuples(
    st.sampled_from([*TOWNS, None]),
    st.sampled_from([3, 8, 14, 22, 25, 37, None]),
    st.sampled_from(["x", "y", "z"]),
    st.sampled_from(["flu", "flu", "cold", "rare", None]),
)
CRITERIA = [
    ds.KAnonymity(2),
    ds.KAnonymity(4),
    ds.PSensitiveKAnonymity(p=2, k=3),
    ds.LDiversity(2),
    ds.LDiversity(2, kind="entropy"),
    ds.LDiversity(2, kind="recursive", c=3.0),
    ds.AllOf([ds.KAnonymity(3), ds.TCloseness(0.5)]),
    ds.BetaLikeness(1.5, "enhanced"),
    ds.DeltaDisclosure(2.0),
    ds.AverageRisk(0.4),
    ds.AllOf([ds.LDiversity(2), ds.AverageRisk(0.6, highest=0.4, share_above=0.1)]),
]


def holds(criterion, classes, everyone):
    """Whether every class satisfies, by the definitions."""
    parts = criterion.criteria if isinstance(criterion, ds.AllOf) else [criterion]
    of_file = [one for one in parts if isinstance(one, ds.AverageRisk)]
    of_class = [one for one in parts if one not in of_file]
    return all(low_on_average(list(map(len, classes)), one) for one in of_file if classes) and all(
        _holds(one, values, everyone) for one in of_class for values in classes
    )


def _holds(criterion, values, everyone):
    counts = sorted(collections.Counter(values).values(), reverse=True)
    n = len(values)
    if isinstance(criterion, ds.KAnonymity):
        return n >= criterion.k
    if isinstance(criterion, ds.PSensitiveKAnonymity):
        return n >= criterion.k and len(counts) >= criterion.p
    if isinstance(criterion, ds.TCloseness):
        here, whole = collections.Counter(values), collections.Counter(everyone)
        apart = sum(abs(here[v] / n - whole[v] / len(everyone)) for v in whole) / 2
        return apart <= criterion.t + 1e-9
    if isinstance(criterion, ds.BetaLikeness):
        return not fails_likeness(values, everyone, criterion.beta, criterion.kind)
    if isinstance(criterion, ds.DeltaDisclosure):
        return not fails_disclosure(values, everyone, criterion.delta, criterion.absent)
    if criterion.kind == "distinct":
        return len(counts) >= criterion.l
    if criterion.kind == "entropy":
        return -sum(c / n * math.log(c / n) for c in counts) >= math.log(criterion.l) - 1e-9
    return counts[0] < criterion.c * sum(counts[criterion.l - 1 :])


def ways(key, value, values):
    """All that a value may be released as, with its loss, by the hierarchy written down anew."""
    if value is None:  # a key with one value has nothing to lose
        return {None: 0.0, "*": float(len({v for v in values if v is not None}) > 1)}
    groups = {
        "town": lambda v: [v, v[:2] + "*", v[:1] + "**", "*"],
        "age": lambda v: [str(v), f"[{v // 10 * 10}, {v // 10 * 10 + 10})",
                          f"[{v // 20 * 20}, {v // 20 * 20 + 20})", "*"],
        "kind": lambda v: [v, *TREE[v]],
    }[key]  # fmt: skip
    leaves = list(TREE) if key == "kind" else sorted({v for v in values if v is not None})
    found = {}
    for level, label in enumerate(groups(value)):
        covered = sum(groups(leaf)[level] == label for leaf in leaves)
        found.setdefault(label, max(covered - 1, 0) / max(len(leaves) - 1, 1))
    return found


def loss_of(keys, before, after, gone):
    total = float(len(keys) * gone)
    for key in keys:
        values = [row[key] for row in before.values()]
        for name, row in after.items():
            found = ways(key, before[name][key], values)
            shown = (
                None if row[key] is None else str(row[key])
            )  # what is not recoded stays a number
            assert shown in found, "a released cell covers the value"
            total += found[shown]
    return total / (len(before) * len(keys))


def rows_of(data, names):
    from discreet import engine

    found = engine.collect(data.source, ["id", *names]).to_pylist()
    return {row["id"]: row for row in found}


def opened(rows, order=1, strata=0):
    names = ("town", "age", "kind", "illness")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    table = {"id": [f"r{i}" for i in range(len(rows))], **{n: list(c) for n, c in columns.items()}}
    if strata:
        table["stratum"] = [i % strata for i in range(len(rows))]
    table = {name: column[::order] for name, column in table.items()}
    types = {"town": "nominal", "age": "continuous", "kind": "nominal", "illness": "nominal"}
    return ds.read(table, keys=["town", "age", "kind"], confidential="illness", record_id="id",
                   types=types)  # fmt: skip


def recoded(survey, criterion, **more):
    try:
        return ds.recode(survey, HIERARCHIES, criterion, **more)
    except DiscreetError as error:
        if error.code in ("D31", "D45"):  # the whole file does not satisfy, or a stratum
            return None
        raise


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=st.lists(ROW, min_size=4, max_size=40),
    criterion=st.sampled_from(CRITERIA),
    method=st.sampled_from(["local", "mondrian", "mondrian-relaxed"]),
    search=st.sampled_from(["quick", "default"]),
    out=st.sampled_from([0, 3, 0.2]),
)
def test_the_released_file_satisfies_and_covers(rows, criterion, method, search, out):
    assume(any(row[1] is not None for row in rows))
    survey = opened(rows)
    masked = recoded(survey, criterion, method=method, search=search, max_suppressed=out)
    if masked is None:
        return
    keys = survey.keys
    before, after = (rows_of(data, [*keys, "illness"]) for data in (survey, masked))
    gone = len(before) - len(after)
    assert gone <= (out if isinstance(out, int) else math.floor(out * len(before)))
    if not after:
        return
    classes = collections.defaultdict(list)
    for row in after.values():
        classes[tuple(row[key] for key in keys)].append(row["illness"])
    assert holds(criterion, classes.values(), [row["illness"] for row in before.values()])
    changed = {key: sum(after[i][key] not in (before[i][key], str(before[i][key])) for i in after)
               for key in keys}  # fmt: skip
    assert masked.changes == {key: n for key, n in changed.items() if n}
    assert masked.loss == pytest.approx(loss_of(keys, before, after, gone))
    assert masked.bound <= masked.loss + 1e-12
    assert all(before[i]["illness"] == after[i]["illness"] for i in after)
    if method == "local":
        assert masked.loss <= whole_columns(survey, criterion, out) + 1e-9


@given(
    rows=st.lists(ROW, min_size=4, max_size=30),
    criterion=st.sampled_from(CRITERIA),
    method=st.sampled_from(["local", "mondrian", "mondrian-relaxed"]),
    out=st.sampled_from([0, 3]),
)
def test_the_criterion_holds_within_strata(rows, criterion, method, out):
    """Every second record is in the other stratum."""
    assume(any(row[1] is not None for row in rows))
    survey = opened(rows, strata=2)
    masked = recoded(survey, criterion, method=method, by="stratum", max_suppressed=out)
    if masked is None or masked.n == 0:
        return
    before, after = (rows_of(data, [*survey.keys, "illness"]) for data in (survey, masked))
    place = {name: int(name[1:]) % 2 for name in after}
    classes = collections.defaultdict(list)
    for name, row in after.items():
        classes[place[name], *(row[key] for key in survey.keys)].append(row["illness"])
    assert holds(criterion, classes.values(), [row["illness"] for row in before.values()])
    assert masked.bound <= masked.loss + 1e-12


def whole_columns(survey, criterion, out):
    try:
        found = ds.generalize(survey, HIERARCHIES, criterion, max_suppressed=out)
    except DiscreetError:
        return math.inf
    return found.best.loss


@examples(15)
@given(rows=st.lists(ROW, min_size=6, max_size=30), seed=st.integers(0, 5))
def test_the_order_of_the_rows_changes_nothing(rows, seed):
    names = ["town", "age", "kind"]
    assume(any(row[1] is not None for row in rows))
    made = [recoded(opened(rows, order), ds.KAnonymity(2), seed=seed) for order in (1, -1)]
    if None not in made:
        one, other = (rows_of(masked, names) for masked in made)
        assert one == other


@given(rows=st.lists(st.tuples(*[st.sampled_from("ab")] * 3), min_size=4, max_size=9))
def test_no_answer_is_below_the_bound(rows):
    """Every way to put the records into classes of two or more, each shown as its closure."""
    names = ["p", "q", "r"]
    table = {
        name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
    survey = ds.read(table, keys=names)
    stars = {name: ds.Hierarchy.suppress() for name in names}
    masked = ds.recode(survey, stars, ds.KAnonymity(2))
    least = min(price(rows, parts) for parts in partitions(len(rows)))
    leaves = [len(set(column)) for column in zip(*rows, strict=True)]
    if all(n > 1 for n in leaves):
        assert masked.bound <= least / (3 * len(rows)) + 1e-12
        assert masked.loss >= least / (3 * len(rows)) - 1e-12


def price(rows, parts):
    unlike = (len({rows[i][a] for i in part}) > 1 for part in parts for a in range(3))
    sizes = itertools.chain.from_iterable([len(part)] * 3 for part in parts)
    return sum(size for size, one in zip(sizes, unlike, strict=True) if one)


def partitions(n):
    """All partitions of 0, 1, …, n − 1 into parts of two or more."""

    def grown(i, parts):
        if i == n:
            if all(len(part) > 1 for part in parts):
                yield [list(part) for part in parts]
            return
        for part in parts:
            part.append(i)
            yield from grown(i + 1, parts)
            part.pop()
        if len(parts) < n // 2:
            yield from grown(i + 1, [*parts, [i]])

    return grown(0, [])


@given(st.lists(ROW, min_size=4, max_size=24), st.sampled_from(CRITERIA))
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_cells_never_lose_more_than_whole_columns(rows, criterion):
    columns = dict(zip(("town", "age", "kind", "illness"), zip(*rows, strict=True), strict=True))
    table = {name: list(values) for name, values in columns.items()}
    survey = ds.read(table, keys=["town", "age", "kind"], confidential="illness")
    try:
        whole = ds.generalize(survey, HIERARCHIES, criterion, max_suppressed=0)
    except DiscreetError:
        assume(False)
    recoded = ds.recode(survey, HIERARCHIES, criterion)
    assert recoded.loss <= whole.best.loss + 1e-12
