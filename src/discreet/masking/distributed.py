"""Microaggregation where the records are spread over machines: blocks are cut by the engine and
masked on the executors, and nothing but sums and cut points crosses.

The blocks are those of :func:`discreet.kernels.multivariate.blocks.balanced_blocks`, and each is
masked by the same function as here.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from discreet import engine
from discreet.errors import fail
from discreet.masking.aggregation import Attribute, Options, mask_block, not_finite
from discreet.masking.masked import require_ids, require_link
from discreet.masking.partition import block_size, unit_of
from discreet.microdata import Microdata

_WHOLE = 1_000_000  # records that one executor may hold


def aggregated(
    data: Microdata, attributes: Sequence[Attribute], strata: Sequence[str], options: Options
) -> engine.Source:
    """The table with masked columns."""
    link = require_link(data)
    require_ids(data)
    order = data.source.at(data.record_id) if data.record_id else link
    spreads = _spreads(data, attributes)
    measured = [
        replace(a, unit=unit_of(*spreads[a.name][:2])) if a.name in spreads else a
        for a in attributes
    ]
    sizes = _sizes(data, strata, options)
    axes = [
        engine.Axis(a.name, a.scale, 1 / a.unit[1] if a.unit and a.unit[1] else 0.0)
        for a in measured
        if a.measure != "nominal"
    ]
    size = options.blocks if options.blocks and not options.univariate else max(sizes)
    blocked = engine.in_blocks(
        data.source, order, axes, strata, block_size(size, options.k), data.n
    )
    later = options.preserve_variance  # means are rounded once they are rescaled
    work = functools.partial(
        mask_block,
        attributes={data.source.at(a.name): a for a in measured},
        order=list(dict.fromkeys([order, link])),
        options=replace(
            options, preserve_variance=False, blocks=None, round=options.round and not later
        ),
    )
    numbers = {a.name: options.round and a.integer and not later for a in measured if a.unit}
    masked = engine.on_executors(blocked, work, numbers)
    return _rescaled(masked, measured, spreads, options) if later else masked


def _spreads(data: Microdata, attributes: Sequence[Attribute]) -> dict[str, engine.Spread]:
    numbers = [a.name for a in attributes if a.measure == "continuous"]
    spreads = engine.spreads(data.source, numbers)
    for name, found in spreads.items():
        if found.endless:
            not_finite(name, found.endless)
    return spreads


def _sizes(data: Microdata, strata: Sequence[str], options: Options) -> list[int]:
    sizes = data.frequency_set(strata).counts.tolist() if strata else [data.n]
    small = sum(size < options.k for size in sizes)
    if small:
        fail(
            "D07",
            f"{small:,} of {len(sizes):,} strata have fewer than k = {options.k} records.",
            "Merge small strata, or lower k.",
        )
    largest = max(sizes) if options.univariate else min(max(sizes), options.blocks or max(sizes))
    if largest > _WHOLE:
        fail(
            "N10",
            f"{largest:,} records would have to be held by one machine.",
            "Give blocks=, of at most a million records, and method='mdav'.",
        )
    return [int(size) for size in sizes]


def _rescaled(
    masked: engine.Source,
    attributes: Sequence[Attribute],
    initial: Mapping[str, engine.Spread],
    options: Options,
) -> engine.Source:
    """Continuous attributes with their original mean and variance; unchanged if constant."""
    found = engine.spreads(masked, list(initial))
    integer = {a.name for a in attributes if a.integer and options.round}
    moves = {
        name: engine.Move(now.mean, initial[name].spread / now.spread, initial[name].mean)
        if now.spread
        else engine.Move(0.0, 1.0, 0.0)
        for name, now in found.items()
    }
    return engine.rescaled(masked, moves, integer)
