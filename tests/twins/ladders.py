"""Hierarchies, slow and obvious: the group and the loss of every record on every level.

Written from docs/hierarchies.md. A *ladder* is a hierarchy of the package beside a plain function
that says in which group a value is.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import discreet as ds

TOP = "*"


@dataclass(frozen=True)
class Ladder:
    """A hierarchy, and per level what group a value is in.

    Attributes
    ----------
    text : str
        How it is written.
    hierarchy : ds.Hierarchy or None
        None for a key that stays as it is.
    climb : function
        From the values of a column to one list per level above 0: the group of each distinct value.
    leaves : tuple or None
        The leaves of an explicit hierarchy; None where the values in the data are the leaves.
    named : bool
        Whether the missing value is a leaf.
    unmapped : tuple
        Values of the data that the hierarchy does not know: in the top group from level 1 on.
    """

    text: str
    hierarchy: Any
    climb: Callable[[list[Any]], list[dict[Any, Any]]]
    leaves: tuple[Any, ...] | None = None
    named: bool = False
    unmapped: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return self.text

    def recode(self, column: list[Any]) -> list[tuple[list[Any], list[Fraction]]]:
        """Per level, 0 first, the group and the loss of every record."""
        distinct = list(dict.fromkeys(v for v in column if v is not None))
        levels: list[tuple[list[Any], list[Fraction]]] = [(column, [Fraction(0)] * len(column))]
        for groups in self.climb(column):
            leaves = self.leaves if self.leaves is not None else tuple(distinct)
            covered = Counter(groups[leaf] for leaf in leaves)
            one_group = len(set(groups.values())) == 1 and TOP in groups.values()
            if self.leaves is not None:
                one_group = len(covered) == 1
            group_of, loss_of = [], []
            for value in column:
                if value is None and not self.named:
                    group = next(iter(groups.values())) if one_group else None
                    lost = Fraction(0) if not one_group else _share(len(leaves), len(leaves))
                elif value in self.unmapped:
                    group, lost = TOP, Fraction(1) if len(leaves) > 1 else Fraction(0)
                else:
                    group = groups[value]
                    lost = _share(covered[group], len(leaves))
                group_of.append(group)
                loss_of.append(lost)
            levels.append((group_of, loss_of))
        return levels


def _share(covered: int, leaves: int) -> Fraction:
    """(leaves covered − 1)/(leaves − 1); nothing can be lost of a single leaf."""
    return Fraction(covered - 1, leaves - 1) if leaves > 1 else Fraction(0)


AS_IT_IS = Ladder("no hierarchy", None, lambda column: [])


def _everything(column):
    return [dict.fromkeys([v for v in column if v is not None], TOP) or {None: TOP}]


SUPPRESS = Ladder("suppress()", ds.Hierarchy.suppress(), _everything)


def text_of(value: Any) -> str:
    """The text form by which hierarchies match values."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


@st.composite
def intervals(draw):
    first = draw(st.sampled_from([1, 2, 3, "0.1", "0.5"]))
    widths = [Fraction(first)]
    for _ in range(draw(st.integers(0, 2))):
        widths.append(widths[-1] * draw(st.integers(2, 4)))
    origin = Fraction(draw(st.sampled_from([0, 0, 1, -3])))
    top = draw(st.sampled_from([TOP, TOP, None]))
    low = draw(st.sampled_from([None, None, -1, 1]))
    high = draw(st.sampled_from([None, None, 3, 5]))

    def climb(column):
        values = list(dict.fromkeys(v for v in column if v is not None))
        levels = [{v: _interval(v, width, origin, low, high) for v in values} for width in widths]
        return levels + (_everything(column) if top else [])

    given_widths = [float(w) if w.denominator > 1 else int(w) for w in widths]
    options = {"origin": int(origin), "top": top, "bottom_code": low, "top_code": high}
    return Ladder(
        f"intervals({given_widths}, {options})",
        ds.Hierarchy.intervals(given_widths, **options),
        climb,
    )


def _interval(value, width, origin, low, high):
    exact = Fraction(Decimal(str(value)))  # widths such as 0.1 mean what is written
    if low is not None and exact < low:
        return "below"
    if high is not None and exact >= high:
        return "above"
    return (exact - origin) // width


@st.composite
def prefixes(draw):
    lengths = draw(st.sampled_from([[3, 2, 1, 0], [2, 1], [3, 1], [1, 0], [2, 0], [3, 2]]))
    top = draw(st.sampled_from([TOP, None]))

    def climb(column):
        values = list(dict.fromkeys(v for v in column if v is not None))
        levels = []
        for length in lengths[1:]:
            if length == 0:
                return levels + _everything(column)
            cut = {v: text_of(v) for v in values}
            levels.append({v: (t[:length], max(len(t) - length, 0)) for v, t in cut.items()})
        return levels + (_everything(column) if top else [])

    return Ladder(
        f"prefixes({lengths}, top={top!r})", ds.Hierarchy.prefixes(lengths, top=top), climb
    )


@st.composite
def by_frequency(draw, order=None):
    steps = draw(st.sampled_from([None, 1, 2, [1], [2, 1], [3, 1]]))

    def climb(column):
        counts = Counter(v for v in column if v is not None)
        place = {v: i for i, v in enumerate(order)} if order else None
        ranked = sorted(counts, key=lambda v: (-counts[v], place[v] if place else v))
        if isinstance(steps, list):
            kept = steps
        else:  # halved while more than one is kept; two categories go straight to the top
            kept, number = [], len(counts)
            while number > 1 and len(counts) > 2:
                number //= 2
                kept.append(number)
            kept = kept if steps is None else kept[:steps]
        levels = [
            {v: ("kept", v) if i < number else "other" for i, v in enumerate(ranked)}
            for number in kept
        ]
        return levels + _everything(column)

    return Ladder(f"by_frequency({steps})", ds.Hierarchy.by_frequency(steps), climb)


@st.composite
def explicit(draw, domain):
    """A dictionary over a domain that may hold more than the data do, or less."""
    height = draw(st.integers(1, 3))
    named = draw(st.sampled_from([False, False, True]))
    leaves = list(domain) + ([None] if named else [])
    rows = {leaf: [] for leaf in leaves}
    groups = {leaf: i for i, leaf in enumerate(leaves)}
    for level in range(1, height + 1):
        number = draw(st.integers(1, 3))
        merged = {g: draw(st.integers(0, number - 1)) for g in sorted(set(groups.values()))}
        last = level == height and draw(st.sampled_from([True, True, False]))
        groups = {leaf: 0 if last else merged[groups[leaf]] for leaf in leaves}
        for leaf in leaves:
            rows[leaf].append(TOP if last else f"g{level}{groups[leaf]}")
    single = len(set(groups.values())) == 1
    lost = ()
    if single and len(domain) > 1 and draw(st.sampled_from([False, False, True])):
        lost = (draw(st.sampled_from(list(domain))),)
    for leaf in lost:
        del rows[leaf]
    leaves = tuple(rows)
    label = {leaf: names[-1] for leaf, names in rows.items()}

    def climb(column):
        return [{leaf: rows[leaf][i] for leaf in leaves} for i in range(height)]

    texts = {None if leaf is None else text_of(leaf): names for leaf, names in rows.items()}
    hierarchy = ds.Hierarchy.from_dict(texts, unmapped="suppress" if lost else "error")
    made = Ladder(f"from_dict({texts}, lost={lost})", hierarchy, climb, leaves, named, lost)
    return made if not lost or set(label.values()) == {TOP} else _retopped(made, rows, height, lost)


def _retopped(made, rows, height, lost):
    """The top group bears another name: what is not mapped is in that group."""
    top = next(iter(rows.values()))[-1]

    def climb(column):
        return [
            {leaf: TOP if names[i] == top and i == height - 1 else names[i] for leaf, names in
             rows.items()}
            for i in range(height)
        ]  # fmt: skip

    return Ladder(made.text, made.hierarchy, climb, made.leaves, made.named, lost)


PARTS = {
    "month": lambda d: (d.year, d.month),
    "quarter": lambda d: (d.year, (d.month - 1) // 3),
    "year": lambda d: d.year,
    "decade": lambda d: d.year // 10,
}


@st.composite
def dates(draw):
    chosen = draw(st.sampled_from([["month", "quarter", "year", "decade"], ["month", "year"],
                                   ["decade"], ["quarter", "decade"]]))  # fmt: skip
    top = draw(st.sampled_from([TOP, None]))

    def climb(column):
        values = list(dict.fromkeys(v for v in column if v is not None))
        levels = [{v: PARTS[part](v) for v in values} for part in chosen]
        return levels + (_everything(column) if top else [])

    return Ladder(f"dates({chosen}, top={top!r})", ds.Hierarchy.dates(chosen, top=top), climb)


DAYS = [dt.date(2019, 12, 31), dt.date(2020, 1, 1), dt.date(2020, 2, 29),
        dt.date(2020, 5, 1), dt.date(1999, 5, 1)]  # fmt: skip


def ladders_for(kind: str, domain: list[Any]) -> st.SearchStrategy[Ladder]:
    """The ladders that fit a kind of column."""
    plain = [st.just(AS_IT_IS), st.just(SUPPRESS)]
    if kind == "date":
        return st.one_of(*plain, dates())
    if kind in ("integer", "float"):
        own = [intervals(), intervals()]
        if kind == "integer":
            own += [prefixes(), explicit(domain)]
        return st.one_of(*plain, *own)
    order = domain if kind == "ordinal" else None
    return st.one_of(*plain, explicit(domain), explicit(domain), by_frequency(order), prefixes())
