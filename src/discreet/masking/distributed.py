"""Microaggregation where the records are spread over machines: blocks are cut by the engine and
masked on the executors, and nothing but sums and cut points crosses.

The blocks are those of :func:`discreet.kernels.multivariate.blocks.balanced_blocks`, and each is
masked by the same function as here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from discreet import engine
from discreet.data.masked import require_ids, require_link
from discreet.data.microdata import Microdata
from discreet.errors import argument, fail
from discreet.masking.aggregation import Grouping, MaskedAttribute, mask_block
from discreet.masking.partition import block_size, unit_of

_WHOLE = 1_000_000  # records that one executor may hold


def aggregated(
    data: Microdata,
    attributes: Sequence[MaskedAttribute],
    strata: Sequence[str],
    options: Grouping,
) -> engine.Source:
    """The table with masked columns."""
    link = require_link(data)
    require_ids(data)
    order = data.source.at(data.record_id) if data.record_id else link
    spreads = engine.spreads(data.source, [a.name for a in attributes if a.measure == "continuous"])
    measured = [
        replace(a, unit=unit_of(*spreads[a.name])) if a.name in spreads else a for a in attributes
    ]
    sizes = _sizes(data, strata, options)
    axes = [
        engine.Axis(a.name, a.scale, 1 / a.unit[1] if a.unit and a.unit[1] else 0.0)
        for a in measured
        if a.measure != "nominal"
    ]
    size = options.blocks if options.blocks and not options.univariate else max(sizes)
    # groups of one keep their values
    later = options.preserve_variance and options.k > 1 and bool(spreads)
    source = engine.in_strata(data.source, strata) if later else data.source
    blocked = engine.in_blocks(source, order, axes, strata, block_size(size, options.k), data.n)
    can = {a.name: a.attainable for a in measured if a.attainable and options.round}
    if later:  # means are rounded once they are rescaled
        measured = [replace(a, base=can[a.name].low) if a.name in can else a for a in measured]
    work = functools.partial(
        mask_block,
        attributes={data.source.at(a.name): a for a in measured},
        order=list(dict.fromkeys([order, link])),
        options=replace(
            options, preserve_variance=False, blocks=None, round=options.round and not later
        ),
    )
    numbers = [a.name for a in measured if a.unit and (later or a.name not in can)]
    masked = engine.on_executors(blocked, work, numbers)
    if not later:
        return masked
    rounded = {n: engine.Rounded(c.digits, c.low, c.high, c.few) for n, c in can.items()}
    return engine.rescaled(masked, _moves(source, masked, numbers), rounded, data.source)


def _moves(
    source: engine.Source, masked: engine.Source, names: Sequence[str]
) -> dict[int, dict[str, engine.Move]]:
    """By stratum, how each attribute gets its variance again around its mean, which groups keep;
    one that is constant stays as it is."""
    before = engine.spreads_by_stratum(source, names)
    return {
        stratum: {
            name: engine.Move(s.mean, before[stratum][name].spread / s.spread if s.spread else 1.0)
            for name, s in found.items()
        }
        for stratum, found in engine.spreads_by_stratum(masked, names).items()
    }


def _sizes(data: Microdata, strata: Sequence[str], options: Grouping) -> list[int]:
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
            f"Give {argument('blocks')}, of at most a million records, and "
            f"{argument('method', 'mdav')}.",
        )
    return [int(size) for size in sizes]
