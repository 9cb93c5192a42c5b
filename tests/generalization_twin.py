"""The slow, obvious twin of the search: every node by lists of records, from the definitions alone.

Two keys with fixed hierarchies, ``a`` (values 0 to 5, or missing) and ``b`` (0 to 4), and a confidential
attribute ``s`` on a scale of five steps, of which some may not occur. ``b`` may be confidential as well;
it then has no hierarchy, as its values are counted.
"""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import discreet as ds
from tests.twins.classes import fails_disclosure, fails_likeness

SCALE = "pqrst"
GROUPS = {"p": "low", "q": "low", "r": "mid", "s": "mid", "t": "high"}
OF_S = ds.Hierarchy.from_dict({v: [GROUPS[v], "*"] for v in SCALE})
HIERARCHIES = {
    "a": ds.Hierarchy.from_dict({str(v): [str(v // 2), str(v // 4), "*"] for v in range(6)}),
    "b": ds.Hierarchy.from_dict({str(v): [str(v // 3), "*"] for v in range(5)}),
}
UP = (
    (lambda v: v, lambda v: v // 2, lambda v: v // 4, lambda v: "*"),
    (lambda v: v, lambda v: v // 3, lambda v: "*"),
)
LEAVES = (
    ({0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1}, {0: 2, 1: 2, 2: 2}, {0: 4, 1: 2}, {"*": 6}),
    (dict.fromkeys(range(5), 1), {0: 3, 1: 2}, {"*": 5}),
)


@dataclass(frozen=True)
class Asked:
    """What a search is asked for. ``counted``: attributes that criteria look at, ``s`` and ``b``."""

    criteria: tuple
    budget: int
    suppression: str = "failing"
    counted: tuple = ("s",)

    @property
    def parts(self):
        return [c for c in self.criteria if not isinstance(c, ds.DisclosureRiskAtMost)]

    @property
    def limits(self):
        return [c for c in self.criteria if isinstance(c, ds.DisclosureRiskAtMost)]

    @property
    def k(self):
        return max([getattr(c, "k", 1) for c in self.parts], default=1)

    @property
    def levels(self):
        heights = (4, 1 if "b" in self.counted else 3)
        return list(itertools.product(*map(range, heights)))


def label(record, levels):
    """The generalized key values of a record; a missing one stays so below the top."""
    found = []
    for a, (value, level) in enumerate(zip(record[:2], levels, strict=True)):
        found.append(value if value is None and level < 3 else UP[a][level](value))
    return tuple(found)


def classes_of(rows, levels):
    found = {}
    for record in rows:
        found.setdefault(label(record, levels), []).append(record)
    return list(found.values())


def fails(cls, criterion, whole, counted):
    """Whether a class fails a criterion; ``whole`` is the file it is compared with."""
    if getattr(criterion, "k", 1) > len(cls):
        return True
    if isinstance(criterion, ds.KAnonymity):
        return False
    names = criterion.confidential or counted
    return any(fails_in(cls, criterion, whole, name) for name in names)


def fails_in(cls, criterion, whole, name):
    at = {"s": 2, "b": 1}[name]
    values = [r[at] for r in cls]
    counts = sorted((values.count(v) for v in set(values)), reverse=True)
    if isinstance(criterion, ds.PSensitiveKAnonymity):
        return len(counts) < criterion.p
    if isinstance(criterion, ds.TCloseness):
        all_values = [r[at] for r in whole]
        return distance(values, all_values, criterion.distance, name) > Fraction(str(criterion.t))
    if isinstance(criterion, ds.BetaLikeness):
        return fails_likeness(values, [r[at] for r in whole], criterion.beta, criterion.kind)
    if isinstance(criterion, ds.DeltaDisclosure):
        return fails_disclosure(values, [r[at] for r in whole], criterion.delta, criterion.absent)
    if criterion.kind == "distinct":
        return len(counts) < criterion.l
    if criterion.kind == "entropy":
        entropy = -sum(c / len(cls) * math.log(c / len(cls)) for c in counts)
        return entropy < math.log(criterion.l) - 1e-12
    return counts[0] >= criterion.c * sum(counts[criterion.l - 1 :])


def distance(values, whole, kind, name):
    """Earth mover's distance by its three ground distances; a missing value is a step at the end."""
    on_scale = [*SCALE, *([None] if None in whole else [])]
    steps = on_scale if name == "s" else sorted(set(whole))
    gap = [
        Fraction(values.count(v), len(values)) - Fraction(whole.count(v), len(whole)) for v in steps
    ]
    if kind == "equal":
        return sum(abs(g) for g in gap) / 2
    if kind == "ordered":
        return sum(abs(sum(gap[: i + 1])) for i in range(len(gap))) / Fraction(
            max(len(steps) - 1, 1)
        )
    return transported(dict(zip(steps, gap, strict=True)))


def transported(gap):
    """Through the hierarchy of ``s``: a half within low, mid or high, one beyond; what is missing is
    beyond."""
    cost, at_top = Fraction(0), Fraction(0)
    for group in ("low", "mid", "high", None):
        members = [g for v, g in gap.items() if GROUPS.get(v) == group]
        extra, lack = sum(g for g in members if g > 0), -sum(g for g in members if g < 0)
        cost += Fraction(1, 2) * min(extra, lack)
        at_top += abs(sum(members))
    return cost + at_top / 2


def risk(cls, weights, initial, n):
    """What a class adds to the disclosure risk: Σ w_ij / max(i, j) / n over its records."""
    total = Fraction(0)
    for record in cls:
        i, j = len(cls), initial[record[:2]]
        total += Fraction(float(weights([i], [j])[0])) / max(i, j) / n
    return total


def at_node(rows, levels, asked, first=None):
    """How many records go at a node, the fewest that will do; None where it is not feasible."""
    first = rows if first is None else first
    initial = {r[:2]: sum(o[:2] == r[:2] for o in first) for r in first}
    gone, left = 0, []
    for cls in classes_of(rows, levels):
        bad = any(fails(cls, c, first, asked.counted) for c in asked.parts)
        small = len(cls) < asked.k
        if small or (bad and asked.suppression == "failing"):
            gone += len(cls)
        elif bad:
            return None  # it may not be suppressed, and fails
        else:
            left.append(cls)
    also = fewest(left, asked, initial, len(first)) if asked.limits else 0
    return None if also is None or gone + also > asked.budget else gone + also


def fewest(left, asked, initial, n):
    """The fewest records, in whole classes, that bring the risk under all limits."""
    added = [[risk(cls, c.weights, initial, n) for cls in left] for c in asked.limits]
    limits = [Fraction(c.limit) + Fraction(1, 10**12) for c in asked.limits]
    ways = itertools.product((0, 1), repeat=len(left)) if asked.suppression == "failing" else [()]
    best = None
    for way in ways:
        out = way or (0,) * len(left)
        under = all(
            sum(v for v, o in zip(values, out, strict=True) if not o) <= limit
            for values, limit in zip(added, limits, strict=True)
        )
        size = sum(len(cls) for cls, o in zip(left, out, strict=True) if o)
        if under and (best is None or size < best):
            best = size
    return best


def iyengar(rows, levels, asked):
    """Mean over keys and records of (leaves covered − 1)/(leaves − 1); who goes counts 1."""
    total = Fraction(0)
    for cls in classes_of(rows, levels):
        small = len(cls) < asked.k
        bad = any(fails(cls, c, rows, asked.counted) for c in asked.parts)
        gone = small or (bad and asked.suppression == "failing")
        for record in cls:
            for a, value in enumerate(label(record, levels)):
                covered = 1 if a == 1 and "b" in asked.counted else LEAVES[a][levels[a]][value]
                total += 1 if gone else Fraction(covered - 1, (5, 4)[a])
    return total / (2 * len(rows))


def below(one, other):
    return one != other and all(x <= y for x, y in zip(one, other, strict=True))


def minimal(feasible):
    return {n for n in feasible if not any(below(m, n) for m in feasible)}
