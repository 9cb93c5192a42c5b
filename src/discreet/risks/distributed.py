"""Record risk of records that stay in their engine: known sets are counted there, cell by cell.

Each union of known sets is counted once; its distinct combinations come here, get their sums, and
go back to be joined to the records. Known sets that may have too many of them for that are counted
in the engine, beside each record. The sensitivity of a value is looked up in the engine. Only
combinations of known attributes, values that a table lists, sums and counts cross.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import engine
from discreet.data.attributes import AttributeType
from discreet.data.microdata import Microdata
from discreet.data.numbers import need_free, numbers_in_order, with_column
from discreet.errors import Problem, argument, raise_all
from discreet.frequency.frequency_set import FrequencySet
from discreet.progress import stage
from discreet.risks.record_level import PER_DECADE, Histogram, RiskValues
from discreet.risks.sensitivity import ListedValues, Ranges, RiskSettings
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats
    from discreet.kernels.known_sets.unions import Union

    Sets = list[tuple[int, ...]]

_MOST_CELLS = 100_000  # combinations of a union of known sets that are brought here


@dataclass(frozen=True, eq=False)
class ValuesInEngine(RiskValues):
    """Columns of the records in their engine: risk, T, reach, and the weights of their values."""

    data: Microdata
    exposed: Microdata
    weights: Mapping[str, str]
    sets: Sets
    probabilities: Floats
    attributes: tuple[str, ...]

    def values(self) -> Floats:
        """The risks, in the order of the record ids; refused where there are none."""
        return numbers_in_order(self.data, self.exposed.source, self._made(0))

    def sensitivity(self) -> Floats:
        """T(r), in the order of the record ids; refused where there are none."""
        return numbers_in_order(self.data, self.exposed.source, self._made(1))

    @functools.cache  # noqa: B019 - lives as long as the result
    def summary(self) -> tuple[float, float]:
        """The sum of the risks, and the highest."""
        return engine.number_summary(self.exposed.source, self._made(0))

    @functools.cache  # noqa: B019
    def sensitivity_summary(self) -> tuple[float, float]:
        """The sum of T(r), and the highest."""
        return engine.number_summary(self.exposed.source, self._made(1))

    def count_above(self, threshold: float) -> int:
        """How many records have a higher risk."""
        return engine.number_above(self.exposed.source, self._made(0), threshold)

    def histogram(self) -> Histogram:
        """Records by risk."""
        found = engine.log_steps(self.exposed.source, self._made(0), PER_DECADE)
        steps: dict[Any, int] = dict(found)
        zeros = steps.pop(None, 0)
        return Histogram.of_steps(steps, zeros)

    def column(self, name: str) -> Microdata:
        """The records with their risk as a further column, in their engine."""
        need_free(self.data, name)
        made = replace(self.exposed.source, names=(*self.data.columns, name))
        return with_column(self.data, made, name)

    def shares(self) -> tuple[Floats, Floats]:
        """The part of the total over α, per known set and per attribute as sensitive."""
        by_set, known_weight = _set_shares(self)
        products = engine.sums_of_products(
            self.exposed.source, list(self.weights.values()), self._made(2)
        )
        by_value = dict(zip(self.weights, products, strict=True))
        found = [by_value.get(a, 0.0) - known_weight.get(a, 0.0) for a in self.attributes]
        return by_set, np.array(found)

    def _made(self, number: int) -> str:
        return self.exposed.columns[len(self.data.columns) + number]


def exposed_in_engine(
    data: Microdata, settings: RiskSettings, sets: Sets, probabilities: Floats
) -> ValuesInEngine:
    """The risks as columns of the engine."""
    from discreet.kernels.known_sets.unions import unions

    data.need_partition("the record risk of records that stay in their engine")
    names = settings.attributes
    sensitive = [name for name in names if settings.sensitivity.get(name, 0) > 0]
    weighed = _sensitivities(data, settings, sensitive)
    profile = engine.profile(data.source, names)[1]
    cards = [profile[name][0] + (profile[name][1] > 0) for name in names]
    plan = unions(sets, cards, min(data.n, _MOST_CELLS))
    tables = [union for union in plan if union.table]
    sums = []
    with stage("counting known sets", len(tables)) as advance:
        for done, union in enumerate(tables):
            sums.append(_cell_sums(data, union, settings, sets, probabilities))
            advance(done + 1)
    refined = sorted(i for union in plan if not union.table for i in union.members)
    large = [_large_set(names, sensitive, sets[i], float(probabilities[i])) for i in refined]
    made = _free(data, ["record_risk", "sensitivity", "reach", *(f"w_{s}" for s in sensitive)])
    empty = float(probabilities[0]) / data.n
    source = engine.exposed(data.source, sums, large, weighed, empty, settings.alpha, tuple(made))
    types = data.types.but(dict.fromkeys(made, AttributeType("continuous")))
    exposed = Microdata(source, data.roles, types, data.missing)
    weights = dict(zip(sensitive, made[3:], strict=True))
    return ValuesInEngine(data, exposed, weights, sets, probabilities, names)


def _large_set(
    names: Sequence[str], sensitive: Sequence[str], known: tuple[int, ...], probability: float
) -> engine.LargeSet:
    chosen = tuple(names[a] for a in known)
    inside = tuple(i for i, name in enumerate(sensitive) if name in chosen)
    return engine.LargeSet(chosen, probability, inside)


def _free(data: Microdata, names: list[str]) -> list[str]:
    """Names of new columns that no column has."""
    while set(names) & set(data.columns):
        names = [f"_{name}" for name in names]
    return names


def _cell_sums(
    data: Microdata, union: Union, settings: RiskSettings, sets: Sets, probabilities: Floats
) -> engine.CellSums:
    import pyarrow as pa

    from discreet.kernels.known_sets.cells import cells

    names = [settings.attributes[a] for a in union.attributes]
    found = data.frequency_set(names)
    cards, weights = _by_code(found, union, settings)
    reach, spent = cells(union, found.codes, found.counts, cards, sets, probabilities, weights)
    table = found.combinations().append_column("r", pa.array(reach))
    return engine.CellSums(tuple(names), table.append_column("s", pa.array(spent)))


def _by_code(
    found: FrequencySet, union: Union, settings: RiskSettings
) -> tuple[list[int], list[Floats | None]]:
    """Cardinalities and weights by code, per attribute of the settings."""
    cards, weights = [1] * len(settings.attributes), [None] * len(settings.attributes)
    for a, name, values in zip(union.attributes, found.attributes, found.values, strict=True):
        cards[a] = len(values)
        if settings.sensitivity.get(name, 0) > 0:
            weights[a] = settings.weights(name, values)  # type: ignore[call-overload]
    return cards, weights  # type: ignore[return-value]


def _sensitivities(
    data: Microdata, settings: RiskSettings, sensitive: Sequence[str]
) -> list[engine.Sensitivity]:
    """How the engine looks up the sensitivity of values; those without a weight are an error."""
    found, problems = [], []
    tables = settings.tables()
    for name in sensitive:
        part, outside = _sensitivity(data, settings, name, tables.get(name))
        found.append(part)
        if outside:
            what = (
                f"a value of {name!r} has no weight, in {counted(outside, 'record')} "
                f"of {data.name}."
            )
            problems.append(
                Problem("D40", what, f"Add the values to its table, or give {argument('default')}.")
            )
    raise_all(problems)
    return found


def _sensitivity(
    data: Microdata, settings: RiskSettings, name: str, table: ListedValues | Ranges | None
) -> tuple[engine.Sensitivity, int]:
    import pyarrow as pa

    weight = float(settings.sensitivity[name])
    if isinstance(table, Ranges):
        part = engine.Sensitivity(name, weight, None, table.rows, settings.default)
        return part, engine.outside(data.source, part) if settings.default is None else 0
    if table is None:
        return engine.Sensitivity(name, weight), 0
    values = data.frequency_set([name])
    weights = settings.weights(name, values.values[0])
    unlisted = np.isnan(weights)
    outside = int(values.counts[unlisted[values.codes[0]]].sum())
    weighed = pa.table({"value": values.values[0], "w": weights})
    return engine.Sensitivity(name, weight, weighed), outside


def _set_shares(values: ValuesInEngine) -> tuple[Floats, dict[str, float]]:
    """Per known set PK · Σ over its classes of the mean of T − S; and per sensitive attribute the
    part of it in the sets that know it."""
    by_set = np.zeros(len(values.sets))
    inside: dict[str, float] = dict.fromkeys(values.attributes, 0.0)
    known = [[values.attributes[a] for a in one] for one in values.sets]
    weighed = [[name for name in names if name in values.weights] for names in known]
    asked = [
        (names, [values._made(1), *(values.weights[name] for name in own)])
        for names, own in zip(known, weighed, strict=True)
    ]
    means = engine.mean_sums(values.exposed.source, asked)
    for number, (pk, found) in enumerate(zip(values.probabilities, means, strict=True)):
        total, *own = [float(pk) * mean for mean in found]
        by_set[number] = total - math.fsum(own)
        for name, part in zip(weighed[number], own, strict=True):
            inside[name] += part
    return by_set, inside
